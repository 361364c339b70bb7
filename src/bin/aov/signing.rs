//! Signed answers: which key signs, and what an answer says about how to verify it (SPEC 7.5).

use std::path::PathBuf;

use agent_output_verifier::check::Outcome;
use agent_output_verifier::json::{MAX_DEPTH, read};
use agent_output_verifier::key::SigningKey;
use agent_output_verifier::receipt::attestation::{Context, seal};
use agent_output_verifier::receipt::card::CARD_PATH;
use agent_output_verifier::request::Request;
use agent_output_verifier::response::{self, Json, Stamp, VerifySection};
use agent_output_verifier::trust::{AddressError, CardAddress};

use chrono::{DateTime, Utc};

use crate::cmd::Failure;
use crate::input::Inputs;
use crate::keyfile;
use crate::term;

/// The service's name where none is given; never that of the hosted one.
pub(crate) const SERVICE: &str = "aov";

/// Who signs.
#[derive(Debug, Default, clap::Args)]
#[command(next_help_heading = "Signing")]
pub(crate) struct Signing {
    /// Sign with the key in FILE, which aov keygen makes; - reads it from standard input, and
    /// without this option AOV_SECRET_KEY may hold it
    #[arg(long, value_name = "FILE", requires = "public_url")]
    sign_key: Option<PathBuf>,

    /// Where your agent card can be fetched: below this address, at /.well-known/agent-card.json
    #[arg(long, value_name = "URL", value_parser = public_url)]
    public_url: Option<CardAddress>,

    /// The name of your service in receipts [default: aov]
    #[arg(long, value_name = "NAME", requires = "public_url")]
    service: Option<String>,
}

/// A key with what its receipts say about it.
#[derive(Debug)]
pub(crate) struct Signer {
    key: SigningKey,
    verify: VerifySection,
}

/// What makes one verification this one: its id and its time.
#[derive(Debug, Clone)]
pub(crate) struct Stamped {
    /// A UUID.
    pub(crate) id: String,
    /// When.
    pub(crate) at: DateTime<Utc>,
}

impl Stamped {
    /// A verification that takes place at this time.
    pub(crate) fn at(at: DateTime<Utc>) -> Self {
        Self { id: uuid::Uuid::new_v4().to_string(), at }
    }

    /// One that takes place now.
    pub(crate) fn now() -> Self {
        Self::at(Utc::now())
    }

    /// The response body.
    pub(crate) fn body(
        &self,
        request: &Request<'_>,
        outcome: &Outcome,
        verify: Option<&VerifySection>,
    ) -> Json {
        let at = timestamp(self.at);
        let verifier_version = env!("CARGO_PKG_VERSION");
        let stamp = Stamp { verification_id: &self.id, verified_at: &at, verifier_version };
        response::body(request, outcome, stamp, verify)
    }
}

/// A time as bodies have it (SPEC 7.4).
pub(crate) fn timestamp(at: DateTime<Utc>) -> String {
    at.format("%Y-%m-%dT%H:%M:%S%.6f+00:00").to_string()
}

fn public_url(text: &str) -> Result<CardAddress, String> {
    if !text.contains("://") {
        return Err(AddressError::NotHttps.to_string());
    }
    CardAddress::of_issuer(text).map_err(|error| error.to_string())
}

impl Signing {
    /// Whether any of it was given.
    pub(crate) fn is_given(&self) -> bool {
        self.sign_key.is_some() || self.public_url.is_some() || self.service.is_some()
    }

    /// The key and its section, if answers are to be signed.
    pub(crate) fn signer(&self, inputs: &mut Inputs) -> Result<Option<Signer>, Failure> {
        let Some(card) = &self.public_url else { return Ok(None) };
        let key = match &self.sign_key {
            Some(path) => {
                if path.as_os_str() == "-" {
                    inputs.claim_stdin("the signing key")?;
                }
                keyfile::read(path)
            }
            None => keyfile::from_environment().ok_or_else(|| {
                let variable = keyfile::VARIABLE;
                Failure::Usage(format!(
                    "--public-url is for signed answers: name a key with --sign-key, or put it in {variable}"
                ))
            })?,
        };
        let key = key.map_err(|error| Failure::Usage(error.to_string()))?;
        let card = card.to_string();
        let base = card.strip_suffix(CARD_PATH).unwrap_or(&card);
        Ok(Some(Signer::new(key, base, self.service.as_deref().unwrap_or(SERVICE))))
    }
}

impl Signer {
    /// For a service whose card stands below `base`, an address without a slash at its end.
    pub(crate) fn new(key: SigningKey, base: &str, service: &str) -> Self {
        let verify = VerifySection {
            public_key_url: format!("{base}{CARD_PATH}"),
            key_version: key.version().to_string(),
            service: service.to_owned(),
            mcp: format!("{base}/mcp"),
        };
        Self { key, verify }
    }

    /// What an answer says about how to verify it.
    pub(crate) fn section(&self) -> &VerifySection {
        &self.verify
    }

    /// The answer with its attestation behind it.
    pub(crate) fn seal(&self, body: String, context: Context) -> Result<String, Failure> {
        let failed = |error: &dyn std::fmt::Display| {
            Failure::Usage(format!("cannot sign: {}", term::safe(&error.to_string())))
        };
        let document = read(body, MAX_DEPTH).map_err(|error| failed(&error))?;
        seal(&document, context, &self.key).map_err(|error| failed(&error))
    }
}
