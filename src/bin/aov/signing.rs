//! Signed answers: which key signs, and what an answer says about how to verify it (SPEC 7.5).

use std::path::PathBuf;

use agent_output_verifier::json::{MAX_DEPTH, read};
use agent_output_verifier::key::SigningKey;
use agent_output_verifier::receipt::attestation::{Context, seal};
use agent_output_verifier::receipt::card::CARD_PATH;
use agent_output_verifier::response::{Json, VerifySection};
use agent_output_verifier::trust::{AddressError, CardAddress};

use crate::cmd::Failure;
use crate::input::Inputs;
use crate::keyfile;
use crate::term;

/// The service's name where none is given; never that of the hosted one.
const SERVICE: &str = "aov";

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

fn public_url(text: &str) -> Result<CardAddress, String> {
    if !text.contains("://") {
        return Err(AddressError::NotHttps.to_string());
    }
    CardAddress::of_issuer(text).map_err(|error| error.to_string())
}

impl Signing {
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
        let verify = VerifySection {
            mcp: format!("{base}/mcp"),
            key_version: key.version().to_string(),
            service: self.service.clone().unwrap_or_else(|| SERVICE.to_owned()),
            public_key_url: card,
        };
        Ok(Some(Signer { key, verify }))
    }
}

impl Signer {
    /// What an answer says about how to verify it.
    pub(crate) fn section(&self) -> &VerifySection {
        &self.verify
    }

    /// The answer with its attestation behind it.
    pub(crate) fn seal(&self, body: &Json, context: Context) -> Result<String, Failure> {
        let failed = |error: &dyn std::fmt::Display| {
            Failure::Usage(format!("cannot sign: {}", term::safe(&error.to_string())))
        };
        let document = read(body.to_pretty(), MAX_DEPTH).map_err(|error| failed(&error))?;
        seal(&document, context, &self.key).map_err(|error| failed(&error))
    }
}
