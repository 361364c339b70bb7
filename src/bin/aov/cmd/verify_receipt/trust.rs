//! Whose receipts count, and the keys for them: the options, and what follows from them. Every verb
//! that believes a receipt goes through here.

use std::path::Path;

use agent_output_verifier::json::MAX_DEPTH;
use agent_output_verifier::key::{GivenKey, KeyTextError};
use agent_output_verifier::receipt::UnverifiedReceipt;
use agent_output_verifier::receipt::card::CardKeys;
use agent_output_verifier::receipt::fact::Code;
use agent_output_verifier::trust::{CardAddress, Given, KeyDecision, KeySource, Refusal};
use chrono::{DateTime, Utc};

use crate::cmd::{Failure, Session};
use crate::keyring::{self, Keyring};
use crate::net::{self, Asker};
use crate::term;

/// Whose key.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Trust")]
pub(crate) struct Trust {
    /// The issuer's public key: base64 of 32 bytes, a line aov-public-key-v1:…, or a file with one
    #[arg(long, value_name = "KEY")]
    public_key: Option<String>,

    /// The issuer's agent card, which lists its keys: a file or an https address
    #[arg(long, value_name = "FILE|URL")]
    agent_card: Option<String>,

    /// Trust this issuer too: the key is fetched from https://HOST/.well-known/agent-card.json
    #[arg(long, value_name = "HOST", value_parser = issuer)]
    trust: Vec<CardAddress>,

    /// Fetch nothing: the key is given, pinned or cached, or there is no verdict (exit code 3)
    #[arg(long)]
    pub(crate) offline: bool,
}

/// Whose receipts count.
#[derive(Debug)]
pub(crate) struct Trusted {
    /// The issuers, and their keys.
    pub(crate) keyring: Keyring,
    /// A decision that stands for all receipts: the card that the user named is out of reach.
    pub(crate) decided: Option<KeyDecision>,
}

impl Trusted {
    /// Which key a receipt is held against.
    pub(crate) fn decide(&self, receipt: &UnverifiedReceipt) -> KeyDecision {
        match (&self.decided, receipt.key_claim()) {
            (Some(decided), _) => decided.clone(),
            (None, Some(claim)) => self.keyring.decide(claim),
            // The structure says what is wrong; without a key version there is no key.
            (None, None) => KeyDecision::Untrusted(Refusal::new(Code::IssuerUnnamed)),
        }
    }
}

impl Trust {
    /// Whether any of the options was used.
    pub(crate) fn is_given(&self) -> bool {
        let Self { public_key, agent_card, trust, offline } = self;
        public_key.is_some() || agent_card.is_some() || !trust.is_empty() || *offline
    }

    /// Gathers what receipts are believed by.
    pub(crate) fn keyring(
        &self,
        session: &mut Session,
        now: DateTime<Utc>,
    ) -> Result<Trusted, Failure> {
        let Self { public_key, agent_card, trust, offline } = self;
        let list =
            keyring::trust_list(session.trust_file.as_deref(), trust).map_err(Failure::Usage)?;
        let net = (!offline).then(|| session.net.clone());
        let key = public_key.as_deref().map(|text| read_key(text, session)).transpose()?;
        let (card, decided) = match agent_card.as_deref() {
            None => (None, None),
            Some(url) if url.contains("://") => match fetch_card(url, net.as_ref())? {
                Ok(card) => (Some((card, KeySource::CardUrl)), None),
                Err(refusal) => (None, Some(KeyDecision::Unavailable(refusal))),
            },
            Some(file) => {
                let file = session.inputs.read_json(Path::new(file), "the agent card", MAX_DEPTH)?;
                let card = CardKeys::of(&file.document).map_err(|error| {
                    Failure::Usage(format!("{}: {}", file.name, term::safe(&error.to_string())))
                })?;
                (Some((card, KeySource::CardFile)), None)
            }
        };
        let keyring = Keyring::new(list, Given { key, card }, net, session.cache.clone(), now);
        Ok(Trusted { keyring, decided })
    }
}

fn issuer(text: &str) -> Result<CardAddress, String> {
    CardAddress::of_issuer(text).map_err(|error| error.to_string())
}

/// A key as given, or in a file.
fn read_key(text: &str, session: &mut Session) -> Result<GivenKey, Failure> {
    let wrong = |error: KeyTextError| Failure::Usage(format!("--public-key: {error}"));
    match GivenKey::from_text(text) {
        Ok(key) => Ok(key),
        Err(error) if error == KeyTextError::SecretKey || !Path::new(text).exists() => {
            Err(wrong(error))
        }
        Err(_) => {
            let source = session.inputs.read(Path::new(text), "the public key")?;
            GivenKey::from_text(&String::from_utf8_lossy(&source.bytes)).map_err(wrong)
        }
    }
}

/// The card at an address that the user typed. What may not be fetched at all is a usage error;
/// what cannot be at present, none.
fn fetch_card(url: &str, net: Option<&net::Net>) -> Result<Result<CardKeys, Refusal>, Failure> {
    net::check_typed(url)
        .map_err(|why| Failure::Usage(format!("--agent-card {}: {why}", term::safe(url))))?;
    let Some(net) = net else {
        return Ok(Err(Refusal::with(Code::Offline, &term::safe(url))));
    };
    let about = |refusal: Refusal| Refusal {
        detail: format!("{} ({})", refusal.detail, term::safe(url)),
        ..refusal
    };
    Ok(net.fetch(url, Asker::User).and_then(|body| keyring::read_card(&body)).map_err(about))
}
