//! From a receipt that somebody hands over to an answer one may act on.
//!
//! Invariants: an [`UnverifiedReceipt`] becomes a [`VerifiedReceipt`] only through [`audit`], and
//! only with a key that the trust decision gave; whatever an audit did not look at, it lists.
//!
//! [`audit`]: UnverifiedReceipt::audit

use chrono::{DateTime, Utc};

use super::attestation::{Attestation, Context, StructureError};
use super::binding::{Binding, DataInHand};
use super::consistency::{self, Warning};
use super::demands::Demands;
use super::fact::{Code, Fact, NotChecked, Status, Subject, Verdict};
use crate::json::{Document, MAX_DEPTH, Node, ReadError, read, read_or_return};
use crate::key::{PublicKey, Signature};
use crate::trust::{IssuerTrust, KeyClaim, KeyDecision, KeySource, Origin, Refusal, TrustedKey};

/// A receipt as it was handed over: nothing in it is known to be true.
#[derive(Debug)]
pub struct UnverifiedReceipt {
    document: Document,
}

/// A receipt that its issuer signed, exactly as it stands.
#[derive(Debug)]
pub struct VerifiedReceipt {
    document: Document,
    signed_bytes: Vec<u8>,
    signature: Signature,
}

/// What the user asks of a receipt.
#[derive(Debug, Clone, Default)]
pub struct Questions {
    /// The kind of receipt it must be; without it, the receipt's own fields say.
    pub context: Option<Context>,
    /// What it should be about.
    pub data: DataInHand,
    /// What it must say.
    pub demands: Demands,
}

/// All that was found out about a receipt.
#[derive(Debug, Clone, PartialEq)]
pub struct Audit {
    /// The kind of receipt it was taken for.
    pub context: Context,
    /// The answer in one word.
    pub verdict: Verdict,
    /// What it follows from.
    pub facts: Vec<Fact>,
    /// Smaller inconsistencies.
    pub warnings: Vec<Warning>,
    /// What it does not follow from.
    pub not_checked: Vec<NotChecked>,
    binding: Binding,
}

/// What the answer means for the one who asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    /// Genuine, bound to the data where any was given, every demand met.
    Yes,
    /// Not so.
    No,
    /// Something outside was not available: worth a retry.
    Unavailable,
}

/// A finished audit, with the receipt in the type that it earned.
#[derive(Debug)]
pub enum Audited {
    /// The signature of a trusted key holds.
    Verified(VerifiedReceipt, Audit),
    /// Anything else.
    Unverified(UnverifiedReceipt, Audit),
}

impl Audited {
    /// The audit.
    #[must_use]
    pub fn audit(&self) -> &Audit {
        match self {
            Self::Verified(_, audit) | Self::Unverified(_, audit) => audit,
        }
    }

    /// The audit, to add to it.
    pub fn audit_mut(&mut self) -> &mut Audit {
        match self {
            Self::Verified(_, audit) | Self::Unverified(_, audit) => audit,
        }
    }

    /// What the receipt says, whether verified or not.
    #[must_use]
    pub fn says(&self) -> Node<'_> {
        match self {
            Self::Verified(receipt, _) => receipt.root(),
            Self::Unverified(receipt, _) => receipt.claims(),
        }
    }
}

impl Audit {
    /// What it means for the one who asked.
    #[must_use]
    pub fn answer(&self) -> Answer {
        let fails = self.facts.iter().any(|fact| fact.status == Status::Fails);
        match self.verdict {
            Verdict::GenuineBound if !fails => Answer::Yes,
            Verdict::GenuineNotBound if !fails && self.binding == Binding::NoData => Answer::Yes,
            Verdict::Undecided => Answer::Unavailable,
            _ => Answer::No,
        }
    }

    /// Adds a fact that was found later, such as a second receipt of the same id, or a replay.
    pub fn add(&mut self, fact: Fact) {
        if fact.subject == Subject::Replay {
            self.not_checked.retain(|item| *item != NotChecked::Replay);
        }
        self.facts.push(fact);
    }

    /// Whether any data was given to compare the receipt with.
    #[must_use]
    pub fn had_data(&self) -> bool {
        self.binding != Binding::NoData
    }

    /// The fact to name as the reason for an answer that is not yes.
    #[must_use]
    pub fn reason(&self) -> Option<&Fact> {
        let first = |wanted: &dyn Fn(&Fact) -> bool| self.facts.iter().find(|fact| wanted(fact));
        match self.answer() {
            Answer::Yes => None,
            Answer::Unavailable => first(&|fact| fact.subject == Subject::KeySource),
            // Where nothing fails, something could not be compared.
            Answer::No => first(&|fact| fact.status == Status::Fails)
                .or_else(|| first(&|fact| fact.code == Code::NothingToCompare)),
        }
    }
}

impl VerifiedReceipt {
    /// The receipt's members.
    #[must_use]
    pub fn root(&self) -> Node<'_> {
        self.document.root()
    }

    /// The exact bytes that the signature holds for.
    #[must_use]
    pub fn signed_bytes(&self) -> &[u8] {
        &self.signed_bytes
    }

    /// The signature. Nobody finds another text that it holds for: with the text its hash changes,
    /// and with that the only scalar that a given point leaves (RFC 8032 §5.1.7).
    #[must_use]
    pub fn signature(&self) -> &Signature {
        &self.signature
    }
}

impl UnverifiedReceipt {
    /// Reads a receipt. Anything that is JSON may turn out not to be one; that is a verdict.
    ///
    /// # Errors
    /// The bytes are not JSON, or an object in it has a name twice.
    pub fn read(bytes: impl Into<Vec<u8>>) -> Result<Self, ReadError> {
        Ok(Self { document: read(bytes, MAX_DEPTH)? })
    }

    /// The same, and gives the bytes back if they are refused, so that the place can be shown.
    ///
    /// # Errors
    /// As [`UnverifiedReceipt::read`].
    pub fn read_or_return(bytes: Vec<u8>) -> Result<Self, (ReadError, Vec<u8>)> {
        read_or_return(bytes, MAX_DEPTH).map(|document| Self { document })
    }

    /// What the receipt says about itself; none of it is known to be true.
    #[must_use]
    pub fn claims(&self) -> Node<'_> {
        self.document.root()
    }

    /// Which key the receipt says it was signed with, if it says so.
    #[must_use]
    pub fn key_claim(&self) -> Option<KeyClaim<'_>> {
        let version = exact_text(self.claims().get("attestation")?.get("key_version")?)?;
        Some(KeyClaim { url: self.public_key_url(), version })
    }

    /// `verify.public_key_url`.
    #[must_use]
    pub fn public_key_url(&self) -> Option<&str> {
        exact_text(self.claims().get("verify")?.get("public_key_url")?)
    }

    /// The kind of receipt that its own fields say it is.
    #[must_use]
    pub fn context(&self) -> Context {
        Context::of(self.claims())
    }

    /// The exact bytes that the signature must hold for.
    ///
    /// # Errors
    /// It has not the form of a receipt.
    pub fn signed_bytes(&self, context: Context) -> Result<Vec<u8>, StructureError> {
        Attestation::of(self.claims())?.signed_bytes(self.claims(), context)
    }

    /// Finds out all there is to know.
    #[must_use]
    pub fn audit(self, key: &KeyDecision, questions: &Questions, now: DateTime<Utc>) -> Audited {
        let context = questions.context.unwrap_or_else(|| self.context());
        let mut facts = Vec::with_capacity(16);
        let receipt = self.claims();

        let attestation = Attestation::of(receipt);
        let form = attestation.clone().and_then(|it| Ok((it, it.signed_bytes(receipt, context)?)));
        facts.push(structure_fact(form.as_ref().err()));
        facts.extend(key_facts(key));
        let signed = signature_fact(receipt, context, form.as_ref().ok(), key);
        let verified = signed.status == Status::Holds;
        facts.push(signed);
        let (consistent, warnings) = consistency::check(receipt, context);
        let contradicts_itself = consistent.status == Status::Fails;
        facts.push(consistent);
        let binding = questions.data.compare(receipt, &mut facts);
        let timestamp = attestation.as_ref().ok().map(|it| it.timestamp);
        questions.demands.hold(receipt, timestamp, now, &mut facts);

        let verdict = match (form.is_ok(), key) {
            (false, _) | (_, KeyDecision::Contradicted(_)) => Verdict::NotGenuine,
            (true, KeyDecision::Untrusted(_)) => Verdict::UntrustedIssuer,
            (true, KeyDecision::Unavailable(_)) => Verdict::Undecided,
            (true, KeyDecision::Trusted(_)) if !verified || contradicts_itself => {
                Verdict::NotGenuine
            }
            (true, KeyDecision::Trusted(_)) if binding == Binding::Bound => Verdict::GenuineBound,
            (true, KeyDecision::Trusted(_)) => Verdict::GenuineNotBound,
        };
        let not_checked = not_checked(receipt, context, verified, key, questions);
        let audit = Audit { context, verdict, facts, warnings, not_checked, binding };
        match form {
            Ok((attestation, signed_bytes)) if verified => {
                let signature = attestation.signature;
                let receipt = VerifiedReceipt { document: self.document, signed_bytes, signature };
                Audited::Verified(receipt, audit)
            }
            _ => Audited::Unverified(self, audit),
        }
    }
}

fn structure_fact(error: Option<&StructureError>) -> Fact {
    let Some(error) = error else {
        return Fact::new(Subject::Structure, Status::Holds, Code::StructureValid);
    };
    let code = match error {
        StructureError::NotAnObject => Code::NotAnObject,
        StructureError::NoAttestation => Code::NoAttestation,
        StructureError::AttestationNotAnObject
        | StructureError::AttestationLacks(_)
        | StructureError::AttestationExtra(_) => Code::AttestationMembers,
        StructureError::Algorithm => Code::AlgorithmNotEd25519,
        StructureError::NotText(_) => Code::AttestationValue,
        StructureError::Signature(_) => Code::SignatureFormat,
        StructureError::KeyVersionDiffers => Code::KeyVersionDiffers,
        StructureError::TimestampDiffers => Code::TimestampDiffers,
        StructureError::NoCanonicalForm(_) => Code::NoCanonicalForm,
    };
    Fact::with(Subject::Structure, Status::Fails, code, error.to_string())
}

/// Where the key comes from, and whether its issuer is trusted.
fn key_facts(key: &KeyDecision) -> [Fact; 2] {
    let none = |status| Fact::new(Subject::KeySource, status, Code::KeyNone);
    let because = |subject, status, refusal: &Refusal| {
        Fact::with(subject, status, refusal.code, refusal.detail.clone())
    };
    match key {
        KeyDecision::Trusted(key) => [source_fact(key.source), issuer_fact(key)],
        KeyDecision::Untrusted(refusal) => {
            [none(Status::Open), because(Subject::Issuer, Status::Fails, refusal)]
        }
        KeyDecision::Contradicted(refusal) => [
            because(Subject::KeySource, Status::Fails, refusal),
            Fact::new(Subject::Issuer, Status::Open, Code::KeyNone),
        ],
        KeyDecision::Unavailable(refusal) => [
            because(Subject::KeySource, Status::Open, refusal),
            Fact::new(Subject::Issuer, Status::Open, Code::KeyNone),
        ],
    }
}

fn source_fact(source: KeySource) -> Fact {
    let code = match source {
        KeySource::Pinned => Code::KeyPinned,
        KeySource::Given => Code::KeyGiven,
        KeySource::CardFile => Code::KeyCardFile,
        KeySource::CardUrl => Code::KeyCardUrl,
        KeySource::Fetched => Code::KeyFetched,
        KeySource::Cached(seconds) => {
            let detail = format!("{}; fetched {} min ago", Code::KeyCached.meaning(), seconds / 60);
            return Fact::with(Subject::KeySource, Status::Holds, Code::KeyCached, detail);
        }
    };
    Fact::new(Subject::KeySource, Status::Holds, code)
}

fn issuer_fact(key: &TrustedKey) -> Fact {
    match &key.issuer {
        IssuerTrust::Given => Fact::new(Subject::Issuer, Status::Holds, Code::IssuerGiven),
        IssuerTrust::Listed(card, origin) => {
            let code = match origin {
                Origin::BuiltIn => Code::IssuerBuiltIn,
                Origin::Configuration => Code::IssuerConfigured,
                Origin::CommandLine => Code::IssuerNamed,
            };
            let detail = format!("{}: {}", code.meaning(), card.authority());
            Fact::with(Subject::Issuer, Status::Holds, code, detail)
        }
    }
}

fn signature_fact(
    receipt: Node<'_>,
    context: Context,
    form: Option<&(Attestation<'_>, Vec<u8>)>,
    key: &KeyDecision,
) -> Fact {
    let fact = |status, code| Fact::new(Subject::Signature, status, code);
    let (Some((attestation, bytes)), Some(TrustedKey { key, .. })) = (form, key.key()) else {
        return fact(Status::Open, Code::SignatureNotChecked);
    };
    if key.verifies(bytes, &attestation.signature) {
        fact(Status::Holds, Code::SignatureValid)
    } else if holds_in_other_context(receipt, context, attestation, key) {
        fact(Status::Fails, Code::SignatureOtherContext)
    } else {
        fact(Status::Fails, Code::SignatureInvalid)
    }
}

/// Only to say why a signature does not hold.
fn holds_in_other_context(
    receipt: Node<'_>,
    context: Context,
    attestation: &Attestation<'_>,
    key: &PublicKey,
) -> bool {
    attestation
        .signed_bytes(receipt, context.other())
        .is_ok_and(|bytes| key.verifies(&bytes, &attestation.signature))
}

fn not_checked(
    receipt: Node<'_>,
    context: Context,
    verified: bool,
    key: &KeyDecision,
    questions: &Questions,
) -> Vec<NotChecked> {
    let Questions { data, demands, .. } = questions;
    let verification = context == Context::Verification;
    let cached = key.key().is_some_and(|key| matches!(key.source, KeySource::Cached(_)));
    let some_data = !data.is_empty();
    let items = [
        (NotChecked::SignatureUnchecked, !verified),
        (NotChecked::Data, !some_data),
        (NotChecked::Output, some_data && data.output.is_none()),
        (NotChecked::Schema, some_data && data.schema.is_none()),
        (NotChecked::Rules, some_data && data.rules.is_none()),
        (NotChecked::Options, some_data && data.request.is_none()),
        (NotChecked::Result, verification && !demands.pass),
        (NotChecked::Enforced, verification && !demands.enforced),
        (NotChecked::Freshness, demands.max_age.is_none()),
        (NotChecked::Revocation, verified),
        (NotChecked::UnpinnedCache, cached),
        (NotChecked::Clock, true),
        (NotChecked::Identity, receipt.get("agent_id").is_some_and(|id| !id.is_null())),
        (NotChecked::Replay, verification),
    ];
    items.into_iter().filter(|(_, applies)| *applies).map(|(item, _)| item).collect()
}

fn exact_text(node: Node<'_>) -> Option<&str> {
    node.as_str().filter(|_| !node.has_lone_surrogate())
}

#[cfg(test)]
#[path = "audit_tests.rs"]
mod tests;
