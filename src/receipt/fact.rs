//! What an audit says: facts, each with a subject, a status and a stable machine code; warnings;
//! and what was not checked at all.
//!
//! Codes are part of the interface: they are added, never renamed and never reused.

use std::borrow::Cow;

/// Declares an enum whose variants have a stable text and a sentence.
macro_rules! codes {
    ($(#[$doc:meta])* $name:ident { $($variant:ident $code:literal $meaning:literal)* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum $name {
            $(#[doc = $meaning] $variant,)*
        }

        impl $name {
            /// All of them, in the order of the documentation.
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            /// The stable text.
            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $code,)* }
            }

            /// What it says, as a sentence without a full stop.
            #[must_use]
            pub fn meaning(self) -> &'static str {
                match self { $(Self::$variant => $meaning,)* }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }
    };
}

codes! {
    /// What a fact is about; also the name of its field in machine formats.
    Subject {
        Structure "structure" "the receipt has exactly the form that is signed"
        KeySource "key_source" "where the public key comes from"
        Issuer "issuer" "whether the issuer is trusted, and by whose decision"
        Signature "signature" "the signature holds for exactly this receipt"
        Consistency "consistency" "the receipt does not contradict itself"
        OutputHash "output_hash" "the receipt is about the output in hand"
        SchemaHash "schema_hash" "the receipt is about the schema in hand"
        RulesHash "rules_hash" "the receipt is about the rules and bounds in hand"
        RequestHash "request_hash" "the receipt is about the whole request in hand"
        TaskId "task_id" "task_id is that of the request in hand"
        AgentId "agent_id" "agent_id is that of the request in hand"
        EnforceRules "enforce_rules" "enforce_rules is that of the request in hand"
        StrictContentCheck "strict_content_check" "strict_content_check is that of the request in hand"
        Age "age" "how old the receipt is, by the issuer's clock"
        RequirePass "require_pass" "the result is pass, as demanded"
        RequireEnforced "require_enforced" "rules and bounds were binding, as demanded"
        RequireTaskId "require_task_id" "task_id is the one demanded"
        RequireAgentId "require_agent_id" "agent_id is the one demanded"
        MaxAge "max_age" "the receipt is as young as demanded"
        Unique "unique" "verification_id was not met before with other content"
        Replay "replay" "running the check again gives the result of the receipt"
    }
}

codes! {
    /// Why a fact is as it is.
    Code {
        StructureValid "structure_valid" "the receipt has exactly the form that is signed"
        NotAnObject "not_an_object" "not a receipt: not a JSON object"
        NoAttestation "no_attestation" "not a receipt: it has no attestation, so nobody signed it"
        AttestationMembers "attestation_members" "the attestation has not exactly its four members"
        AlgorithmNotEd25519 "algorithm_not_ed25519" "attestation.algorithm is not Ed25519"
        AttestationValue "attestation_value" "a member of the attestation is not a text"
        SignatureFormat "signature_format" "the signature is not canonical base64 of 64 bytes"
        KeyVersionDiffers "key_version_differs" "verify.key_version is not attestation.key_version"
        TimestampDiffers "timestamp_differs" "verified_at is not attestation.timestamp"
        NoCanonicalForm "no_canonical_form" "the receipt holds a lone surrogate or an infinite number, so it cannot have been signed"

        SignatureValid "signature_valid" "the signature holds for exactly this receipt"
        SignatureInvalid "signature_invalid" "the signature does not hold: the receipt was changed after signing, or another key signed it"
        SignatureOtherContext "signature_other_context" "the signature was made for the other kind of receipt (verification or score)"
        SignatureNotChecked "signature_not_checked" "the signature was not checked, for want of a trusted key"

        KeyPinned "key_pinned" "the key is pinned: it is built in or in your own trust file"
        KeyGiven "key_given" "the key was given with --public-key"
        KeyCardFile "key_card_file" "the key is from the agent card file that you gave"
        KeyCardUrl "key_card_url" "the key was fetched from the agent card address that you gave"
        KeyFetched "key_fetched" "the key was fetched from the issuer's agent card"
        KeyCached "key_cached" "the key is from a cached copy of the issuer's agent card and is not pinned"
        KeyNone "key_none" "there is no key to check the signature with"
        PinDiffers "pin_differs" "the key differs from the one pinned for this issuer and version"
        GivenKeysDisagree "given_keys_disagree" "the key given with --public-key is not the one in the agent card given"
        GivenVersionDiffers "given_version_differs" "the key given is for another key version than the receipt names"
        VersionConflict "version_conflict" "the agent card lists two different keys under one version"
        VersionAbsent "version_absent" "the agent card does not list the key version that the receipt names"
        KeyUnusable "key_unusable" "the agent card lists something that is no Ed25519 key to verify with"

        IssuerGiven "issuer_given" "the issuer is your own decision: you gave the key"
        IssuerBuiltIn "issuer_built_in" "the issuer is on the built-in trust list"
        IssuerConfigured "issuer_configured" "the issuer is on the trust list of your own configuration"
        IssuerNamed "issuer_named" "the issuer was named with --trust"
        IssuerUnknown "issuer_unknown" "the issuer is not on the trust list: the key that a receipt names proves nothing by itself"
        IssuerUnnamed "issuer_unnamed" "the receipt names no issuer (verify.public_key_url)"
        IssuerAddress "issuer_address" "verify.public_key_url is not an address that keys are taken from"
        IssuerOtherAddress "issuer_other_address" "verify.public_key_url is on a trusted host, but is not the address of its agent card"
        IssuerVersionNotPinned "issuer_version_not_pinned" "this issuer is trusted for pinned key versions only, and this is another"

        Offline "offline" "the key would have to be fetched, and --offline forbids it"
        Unreachable "unreachable" "the key server could not be reached"
        NameNotFound "name_not_found" "the key server's name could not be resolved"
        Timeout "timeout" "the key server did not answer in time"
        Tls "tls" "no trusted connection to the key server"
        Redirected "redirected" "the key server redirects elsewhere, which is not followed"
        HttpStatus "http_status" "the key server answered with an error"
        TooLarge "too_large" "the key server's answer is over the limit"
        NotACard "not_a_card" "the key server's answer is not an agent card"
        AddressRefused "address_refused" "the key server's address is private, local or reserved, which is not connected to"

        Consistent "consistent" "the receipt does not contradict itself"
        ResultContradiction "result_contradiction" "result is not summary.result: the receipt contradicts itself"
        Inconsistent "inconsistent" "the receipt is inconsistent in a smaller matter"

        Matches "matches" "the same in the receipt and in the data in hand"
        Differs "differs" "not the same in the receipt and in the data in hand"
        NothingToCompare "nothing_to_compare" "nothing to compare with: the receipt does not say"
        NoRules "no_rules" "neither the receipt nor the data in hand has rules or bounds"

        AgeKnown "age_known" "the receipt's time can be read"
        AgeUnreadable "age_unreadable" "the receipt's time is not an RFC 3339 instant"
        AgeInFuture "age_in_future" "the receipt's time is in the future"

        DemandMet "demand_met" "the demand is met"
        ResultNotPass "result_not_pass" "the result is not pass"
        NotEnforced "not_enforced" "rules and bounds were not binding"
        OtherTaskId "other_task_id" "task_id is another"
        OtherAgentId "other_agent_id" "agent_id is another"
        TooOld "too_old" "the receipt is older than demanded"

        SeenSame "seen_same" "the same receipt was met before"
        SeenDifferent "seen_different" "verification_id was met before with different content"

        ReplaySame "replay_same" "running the check again gives the same result, blocking checks and counts"
        ReplayDetails "replay_details" "running the check again gives the same result, but other details"
        ReplayDiffers "replay_differs" "running the check again gives another result"
    }
}

codes! {
    /// What a genuine receipt does not prove, or was not asked.
    NotChecked {
        Data "data" "nothing was given to compare the receipt with: it may be about other data"
        Output "output" "the output was not compared"
        Schema "schema" "the schema was not compared"
        Rules "rules" "rules and bounds were not compared"
        Options "options" "task_id, agent_id, enforce_rules and strict_content_check were not compared"
        SignatureUnchecked "signature" "the signature, for want of a trusted key: all else the receipt says is a claim"
        Result "result" "a result of pass was not demanded"
        Enforced "enforced" "binding rules and bounds were not demanded"
        Freshness "freshness" "no greatest age was demanded"
        Revocation "revocation" "whether the issuer has withdrawn the key since"
        UnpinnedCache "unpinned_cache" "whether the issuer still lists the cached key, which is not pinned"
        Clock "clock" "the time, which is the issuer's own clock"
        Identity "identity" "who the agent is: agent_id is a label that the caller chose"
        Replay "replay" "the check was not run again"
    }
}

codes! {
    /// The answer to: is it genuine, whose is it, is it about the data in hand?
    Verdict {
        GenuineBound "genuine_bound" "genuine, and about the data in hand"
        GenuineNotBound "genuine_not_bound" "genuine, but nothing ties it to the data in hand"
        UntrustedIssuer "untrusted_issuer" "the issuer is not trusted"
        NotGenuine "not_genuine" "not genuine"
        Undecided "undecided" "could not be decided"
    }
}

/// How a fact came out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// As it should be.
    Holds,
    /// Not as it should be: the answer is no.
    Fails,
    /// Neither: nothing to compare with, not checked, or not available.
    Open,
}

impl Status {
    /// The text in machine formats.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Holds => "holds",
            Self::Fails => "fails",
            Self::Open => "open",
        }
    }
}

/// One line of an audit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fact {
    /// What it is about.
    pub subject: Subject,
    /// How it came out.
    pub status: Status,
    /// Why.
    pub code: Code,
    /// The sentence for people. Text from the receipt in it is cut and escaped.
    pub detail: Cow<'static, str>,
}

impl Fact {
    /// A fact that its code explains fully.
    #[must_use]
    pub fn new(subject: Subject, status: Status, code: Code) -> Self {
        Self { subject, status, code, detail: Cow::Borrowed(code.meaning()) }
    }

    /// A fact with more to say than its code.
    #[must_use]
    pub fn with(subject: Subject, status: Status, code: Code, detail: impl Into<String>) -> Self {
        Self { subject, status, code, detail: Cow::Owned(detail.into()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Codes are looked up by text: none may stand for two things.
    #[test]
    fn codes_are_distinct_snake_case() {
        fn check(codes: Vec<&str>) {
            let mut sorted = codes.clone();
            sorted.sort_unstable();
            sorted.dedup();
            assert_eq!(sorted.len(), codes.len());
            let snake = |code: &&str| {
                code.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'_' | b'0'..=b'9'))
            };
            assert!(codes.iter().all(snake), "{codes:?}");
        }
        check(Code::ALL.iter().map(|code| code.as_str()).collect());
        check(Subject::ALL.iter().map(|subject| subject.as_str()).collect());
        check(NotChecked::ALL.iter().map(|item| item.as_str()).collect());
        check(Verdict::ALL.iter().map(|verdict| verdict.as_str()).collect());
    }
}
