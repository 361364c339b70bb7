//! `aov keygen`: a key to sign with, and the entry that lets others verify.

use std::path::{Path, PathBuf};

use agent_output_verifier::json::{Document, MAX_DEPTH};
use agent_output_verifier::key::{GivenKey, KeyVersion, SigningKey};
use agent_output_verifier::receipt::card;
use zeroize::Zeroizing;

use super::{Failure, Session};
use crate::exit::Exit;
use crate::keyfile;
use crate::manual::Manual;
use crate::output::{self, Stdout};
use crate::term;

/// Make a signing key, and print what to publish of it
///
/// The secret key goes into KEYFILE, which only you can read and which is never overwritten. What
/// is printed is public: the entry for `capabilities.extensions` of your agent card, at
/// PUBLIC-URL/.well-known/agent-card.json. With --agent-card it is your whole card, with the new
/// key in front of the old ones: a card lists every key ever used, since receipts outlive keys.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The file to make; with --show, the file to read
    #[arg(value_name = "KEYFILE")]
    file: PathBuf,

    /// The name of the key in the card and in receipts [default: v1-, the date, and four bytes of
    /// the public key]
    #[arg(long, value_name = "NAME", value_parser = key_version, conflicts_with = "show")]
    key_version: Option<KeyVersion>,

    /// The agent card that the key is added to
    #[arg(long, value_name = "CARD")]
    agent_card: Option<PathBuf>,

    /// Make no key; print what to publish of the one in KEYFILE
    #[arg(long)]
    show: bool,
}

pub(super) const MANUAL: Manual = Manual {
    examples: &[
        ("Make a key and keep the entry to publish", "aov keygen aov.key > entry.json"),
        (
            "Rotate: a second key, and the card that lists both",
            "aov keygen next.key --agent-card agent-card.json > new-card.json",
        ),
        ("Print the entry of a key again", "aov keygen --show aov.key"),
    ],
    exits: &[
        (0, "The key was made, and its entry printed."),
        (2, "It was not: the file is there already, cannot be written, or the card is not fit."),
    ],
};

fn key_version(text: &str) -> Result<KeyVersion, String> {
    KeyVersion::new(text)
        .ok_or_else(|| "1 to 64 letters, digits, '.', '_' or '-', the first a letter or digit".into())
}

pub(super) fn run(arguments: Args, session: &mut Session) -> Result<Exit, Failure> {
    let card = match &arguments.agent_card {
        Some(path) => Some(session.inputs.read_json(path, "the agent card", MAX_DEPTH)?.document),
        None => None,
    };
    if arguments.show {
        let key = keyfile::read(&arguments.file).map_err(usage)?;
        let public = publish(&key, card.as_ref())?;
        Stdout::default().write(public.as_bytes())?;
        return Ok(Exit::Ok);
    }
    let key = new_key(arguments.key_version)?;
    // Before the key is written: a card that cannot take it must not leave a key behind.
    let public = publish(&key, card.as_ref())?;
    keyfile::write(&arguments.file, &key).map_err(Failure::Usage)?;
    output::complain(&made(&arguments.file, &key));
    Stdout::default().write(public.as_bytes())?;
    Ok(Exit::Ok)
}

/// A key of random numbers, called by this version, or by the date and itself.
pub(crate) fn new_key(version: Option<KeyVersion>) -> Result<SigningKey, Failure> {
    let mut seed = Zeroizing::new([0; 32]);
    getrandom::fill(seed.as_mut_slice()).map_err(|error| {
        Failure::Usage(format!("the operating system gives no random numbers: {error}"))
    })?;
    let named = |version| SigningKey::from_seed(&seed, version);
    if let Some(version) = version {
        return Ok(named(version));
    }
    let date = chrono::Utc::now().format("%Y-%m-%d");
    let draft = KeyVersion::new("v1").map(named).map(|key| key.public());
    let mark: String = draft.iter().flat_map(|key| &key.as_bytes()[..4]).map(|byte| format!("{byte:02x}")).collect();
    KeyVersion::new(&format!("v1-{date}-{mark}"))
        .map(named)
        .ok_or_else(|| Failure::Usage("the clock gives no date; name the key with --key-version".into()))
}

/// The entry, or the whole card with it.
fn publish(key: &SigningKey, card: Option<&Document>) -> Result<String, Failure> {
    match card {
        None => Ok(card::extension(key.version(), key.public())),
        Some(document) => {
            let mut text = card::rotated(document, key.version(), key.public()).map_err(usage)?;
            if !text.ends_with('\n') {
                text.push('\n');
            }
            Ok(text)
        }
    }
}

fn made(path: &Path, key: &SigningKey) -> String {
    let public = GivenKey { key: key.public(), version: Some(key.version().clone()) };
    format!(
        "wrote the secret key to {} (only you can read it; keep a copy in a safe place)\npublic key: {}\n",
        term::safe_path(path),
        public.to_text()
    )
}

fn usage(error: impl std::fmt::Display) -> Failure {
    Failure::Usage(error.to_string())
}
