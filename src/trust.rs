//! Whose receipts count: the issuers on the trust list, their pinned keys, and the decision which
//! key a receipt is held against (SPEC 8.2).
//!
//! The decision is pure. Where a card has to be fetched, [`TrustList::look_up`] says from whom,
//! and [`TrustList::resolve`] goes on with what the caller fetched.
//!
//! Invariants: what a receipt says about its own key is a claim and never enough; a pinned key is
//! never replaced by another of the same version, whoever brings it.

use std::fmt;

use crate::key::{GivenKey, PublicKey};
use crate::receipt::card::{CardKeys, CardLookupError};
use crate::receipt::fact::Code;
use crate::text::{MAX_ECHO, cut, visible};

mod address;
mod file;

pub use address::{AddressError, CardAddress};
pub use file::{TrustFileError, read_trust_file};

/// The hosted service's card as it was when this program was made: the pinned keys.
const HOSTED_CARD: &str = include_str!("../fixtures/real/agent-card.json");
/// Issuers whose card may also name keys that are not pinned.
const BUILT_IN: [&str; 2] = ["verify.sarnai.dev", "score.sarnai.dev"];
/// The first address of the same service, on a host name that another may hold one day: receipts
/// from before the move name it, and it counts for pinned versions only.
const BUILT_IN_PINNED_ONLY: &str = "fastapi-service-5ag4.onrender.com";

/// Who put an issuer on the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// This program.
    BuiltIn,
    /// The user's own configuration file.
    Configuration,
    /// The user, with `--trust`.
    CommandLine,
}

/// A trusted issuer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Issuer {
    /// Where its card stands; exactly this address and no other of the host.
    pub card: CardAddress,
    /// Keys that its versions must have.
    pub pins: Vec<(String, PublicKey)>,
    /// Whether no other versions count.
    pub pinned_only: bool,
    /// Who put it on the list.
    pub origin: Origin,
}

impl Issuer {
    /// The pinned key of a version.
    #[must_use]
    pub fn pin(&self, version: &str) -> Option<PublicKey> {
        self.pins.iter().find(|(pinned, _)| pinned == version).map(|(_, key)| *key)
    }

    /// Whether a card lists another key for any pinned version.
    fn is_contradicted_by(&self, card: &CardKeys) -> bool {
        self.pins
            .iter()
            .any(|(version, pinned)| card.key(version).is_ok_and(|listed| listed != *pinned))
    }
}

/// Two pins for one version of one issuer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PinConflict {
    /// The issuer.
    pub issuer: CardAddress,
    /// The version.
    pub version: String,
}

impl fmt::Display for PinConflict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} has another key pinned for version {}",
            self.issuer.authority(),
            cut(&visible(&self.version), MAX_ECHO)
        )
    }
}

impl std::error::Error for PinConflict {}

/// The issuers whose receipts count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrustList {
    issuers: Vec<Issuer>,
}

/// What a receipt says about its key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeyClaim<'r> {
    /// `verify.public_key_url`.
    pub url: Option<&'r str>,
    /// `attestation.key_version`.
    pub version: &'r str,
}

/// Keys that the user gave for this run.
#[derive(Debug, Clone, Default)]
pub struct Given {
    /// With `--public-key`.
    pub key: Option<GivenKey>,
    /// With `--agent-card`, and whether as a file or an address.
    pub card: Option<(CardKeys, KeySource)>,
}

/// Where a key comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeySource {
    /// The trust list.
    Pinned,
    /// `--public-key`.
    Given,
    /// `--agent-card FILE`.
    CardFile,
    /// `--agent-card URL`.
    CardUrl,
    /// Fetched from the issuer just now.
    Fetched,
    /// Fetched from the issuer this many seconds ago.
    Cached(u64),
}

/// By whose decision the issuer counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum IssuerTrust {
    /// The user gave the key for this run.
    Given,
    /// The issuer is on the trust list.
    Listed(CardAddress, Origin),
}

/// A key to hold a receipt against.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrustedKey {
    /// The key.
    pub key: PublicKey,
    /// Where it comes from.
    pub source: KeySource,
    /// By whose decision.
    pub issuer: IssuerTrust,
}

/// The end of the question which key a receipt is held against.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeyDecision {
    /// Against this one.
    Trusted(Box<TrustedKey>),
    /// Against none: the issuer does not count.
    Untrusted(Refusal),
    /// Against none: two sources contradict each other, or the issuer does not know the key.
    Contradicted(Refusal),
    /// Against none at present: something outside was not available.
    Unavailable(Refusal),
}

impl KeyDecision {
    fn trusted(key: TrustedKey) -> Self {
        Self::Trusted(Box::new(key))
    }

    /// The key to hold the receipt against, if there is one.
    #[must_use]
    pub fn key(&self) -> Option<&TrustedKey> {
        match self {
            Self::Trusted(key) => Some(key),
            _ => None,
        }
    }
}

/// Why there is no key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The reason.
    pub code: Code,
    /// The reason as a sentence. Text from outside in it is cut and escaped.
    pub detail: String,
}

impl Refusal {
    /// A reason that its code explains fully.
    #[must_use]
    pub fn new(code: Code) -> Self {
        Self { code, detail: code.meaning().to_owned() }
    }

    /// A reason with more to say.
    #[must_use]
    pub fn with(code: Code, more: &str) -> Self {
        Self { code, detail: format!("{}: {more}", code.meaning()) }
    }
}

/// What [`TrustList::look_up`] found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Lookup<'t> {
    /// The decision stands.
    Settled(KeyDecision),
    /// It depends on the card of this issuer.
    Fetch(&'t Issuer),
}

impl Default for TrustList {
    fn default() -> Self {
        Self::built_in()
    }
}

impl TrustList {
    /// A list with nobody on it.
    #[must_use]
    pub fn empty() -> Self {
        Self { issuers: Vec::new() }
    }

    /// The issuers that this program trusts by itself.
    #[must_use]
    pub fn built_in() -> Self {
        let pins = hosted_pins();
        let issuers = BUILT_IN
            .iter()
            .chain([&BUILT_IN_PINNED_ONLY])
            .filter_map(|host| {
                Some(Issuer {
                    card: CardAddress::of_issuer(host).ok()?,
                    pins: pins.clone(),
                    pinned_only: *host == BUILT_IN_PINNED_ONLY,
                    origin: Origin::BuiltIn,
                })
            })
            .collect();
        Self { issuers }
    }

    /// The issuers on the list.
    #[must_use]
    pub fn issuers(&self) -> &[Issuer] {
        &self.issuers
    }

    /// Puts an issuer on the list. One that is there keeps its pins, gets the new ones, and counts
    /// for other versions too if either entry says so.
    ///
    /// # Errors
    /// A version would have two pinned keys.
    pub fn add(&mut self, issuer: Issuer) -> Result<(), PinConflict> {
        let Some(known) = self.issuers.iter_mut().find(|known| known.card == issuer.card) else {
            self.issuers.push(issuer);
            return Ok(());
        };
        let conflict = issuer
            .pins
            .iter()
            .find(|(version, key)| known.pin(version).is_some_and(|pinned| pinned != *key));
        if let Some((version, _)) = conflict {
            return Err(PinConflict { issuer: issuer.card, version: version.clone() });
        }
        known.pins.extend(issuer.pins);
        known.pinned_only &= issuer.pinned_only;
        known.origin = issuer.origin;
        Ok(())
    }

    /// Which key a receipt with this claim is held against.
    #[must_use]
    pub fn look_up(&self, claim: KeyClaim<'_>, given: &Given) -> Lookup<'_> {
        if given.key.is_some() || given.card.is_some() {
            return Lookup::Settled(self.given_key(claim, given).unwrap_or_else(contradicted));
        }
        let issuer = match self.issuer(claim) {
            Ok(issuer) => issuer,
            Err(refusal) => return Lookup::Settled(KeyDecision::Untrusted(refusal)),
        };
        match issuer.pin(claim.version) {
            Some(key) => Lookup::Settled(KeyDecision::trusted(TrustedKey {
                key,
                source: KeySource::Pinned,
                issuer: IssuerTrust::Listed(issuer.card.clone(), issuer.origin),
            })),
            None if issuer.pinned_only => {
                Lookup::Settled(KeyDecision::Untrusted(Refusal::new(Code::IssuerVersionNotPinned)))
            }
            None => Lookup::Fetch(issuer),
        }
    }

    /// Goes on where [`TrustList::look_up`] asked for the issuer's card. All its pinned versions
    /// are compared, not only the one that the receipt names.
    #[must_use]
    pub fn resolve(
        issuer: &Issuer,
        version: &str,
        card: &CardKeys,
        source: KeySource,
    ) -> KeyDecision {
        if issuer.is_contradicted_by(card) {
            return contradicted(Refusal::new(Code::PinDiffers));
        }
        match card.key(version) {
            Err(error) => contradicted(card_refusal(&error)),
            Ok(key) => KeyDecision::trusted(TrustedKey {
                key,
                source,
                issuer: IssuerTrust::Listed(issuer.card.clone(), issuer.origin),
            }),
        }
    }

    /// The key that the user gave, where nothing contradicts it.
    fn given_key(&self, claim: KeyClaim<'_>, given: &Given) -> Result<KeyDecision, Refusal> {
        let from_card = given
            .card
            .as_ref()
            .map(|(card, source)| {
                Ok((card.key(claim.version).map_err(|e| card_refusal(&e))?, *source))
            })
            .transpose()?;
        let named = given.key.as_ref();
        let version = named.and_then(|given| given.version.as_ref());
        if version.is_some_and(|version| version.as_str() != claim.version) {
            return Err(Refusal::new(Code::GivenVersionDiffers));
        }
        let (key, source) = match (named, from_card) {
            (Some(named), Some((card, _))) if named.key != card => {
                return Err(Refusal::new(Code::GivenKeysDisagree));
            }
            (Some(named), _) => (named.key, KeySource::Given),
            (None, Some(found)) => found,
            (None, None) => return Err(Refusal::new(Code::KeyNone)),
        };
        if let Ok(issuer) = self.issuer(claim) {
            let card_differs =
                given.card.as_ref().is_some_and(|(card, _)| issuer.is_contradicted_by(card));
            let key_differs = issuer.pin(claim.version).is_some_and(|pinned| pinned != key);
            if card_differs || key_differs {
                return Err(Refusal::new(Code::PinDiffers));
            }
        }
        Ok(KeyDecision::trusted(TrustedKey { key, source, issuer: IssuerTrust::Given }))
    }

    /// The issuer on the list that a receipt claims to be from.
    fn issuer(&self, claim: KeyClaim<'_>) -> Result<&Issuer, Refusal> {
        let url = claim.url.ok_or_else(|| Refusal::new(Code::IssuerUnnamed))?;
        let address = CardAddress::parse(url)
            .map_err(|error| Refusal::with(Code::IssuerAddress, &error.to_string()))?;
        if let Some(issuer) = self.issuers.iter().find(|issuer| issuer.card == address) {
            return Ok(issuer);
        }
        let host = cut(address.authority(), MAX_ECHO).into_owned();
        let same_host = |issuer: &&Issuer| issuer.card.authority() == address.authority();
        Err(match self.issuers.iter().find(same_host) {
            Some(issuer) => {
                Refusal::with(Code::IssuerOtherAddress, &format!("that is {}", issuer.card))
            }
            None => Refusal::with(Code::IssuerUnknown, &host),
        })
    }
}

fn contradicted(refusal: Refusal) -> KeyDecision {
    KeyDecision::Contradicted(refusal)
}

fn card_refusal(error: &CardLookupError) -> Refusal {
    let code = match error {
        CardLookupError::Conflict(_) => Code::VersionConflict,
        CardLookupError::Absent => Code::VersionAbsent,
        CardLookupError::Unusable(_) => Code::KeyUnusable,
    };
    Refusal { code, detail: error.to_string() }
}

/// Every key of the embedded card. A test holds that it has some.
fn hosted_pins() -> Vec<(String, PublicKey)> {
    let Ok(card) = CardKeys::read(HOSTED_CARD) else { return Vec::new() };
    card.versions()
        .filter_map(|version| Some((version.to_owned(), card.key(version).ok()?)))
        .collect()
}

#[cfg(test)]
mod tests;
