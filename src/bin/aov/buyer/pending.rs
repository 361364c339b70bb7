//! Signed payments whose outcome is not known, one file for each request, readable by their owner
//! only. A second run of the same command finds its payment here and sends that one again.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use agent_output_verifier::receipt::hashes::Sha256Hex;
use serde_json::{Value, json};

use super::call::Question;
use crate::private::{self, Privacy};
use crate::serve::x402::wire;
use crate::term;

/// Where they are.
#[derive(Debug, Clone)]
pub(crate) struct Folder(PathBuf);

/// One of them.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Pending {
    /// The value of `Payment-Signature`.
    pub(super) field: String,
    /// Until when the payee can take it, in Unix seconds.
    pub(super) valid_before: u64,
    /// For people: `0.02 USDC on Base`.
    pub(super) price: String,
    /// Whether the server has said that it did not take it.
    pub(super) refused: bool,
}

impl std::fmt::Debug for Pending {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Pending").field("price", &self.price).finish_non_exhaustive()
    }
}

impl Folder {
    /// The user's own.
    pub(crate) fn of_user() -> Option<Self> {
        private::xdg_folder("XDG_DATA_HOME", ".local/share").map(|it| Self(it.join("payments")))
    }

    /// Another.
    #[cfg(test)]
    pub(crate) fn at(path: &Path) -> Self {
        Self(path.to_owned())
    }

    /// The file of a request.
    pub(super) fn file(&self, question: &Question<'_>) -> PathBuf {
        let method = if question.body.is_some() { "POST" } else { "GET" };
        let body = question.body.unwrap_or_default();
        let name = Sha256Hex::of(format!("{method}\n{}\n{body}", question.url).as_bytes());
        self.0.join(format!("{}.json", name.as_str()))
    }

    /// The payment that was signed for a request.
    pub(super) fn find(&self, question: &Question<'_>) -> Result<Option<Pending>, String> {
        let path = self.file(question);
        let shown = term::safe_path(&path);
        let failed = |why: &dyn std::fmt::Display| {
            format!("the payment kept in {shown} cannot be read: {why}")
        };
        let metadata = match fs::metadata(&path) {
            Ok(metadata) => metadata,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(failed(&error)),
        };
        private::check(&path, &metadata, Privacy::Secret).map_err(|loose| loose.message)?;
        let bytes = fs::read(&path).map_err(|error| failed(&error))?;
        let pending = wire::parse(&bytes).and_then(|it| Pending::of(&it));
        // Never overwritten: it may be a payment.
        pending.map(Some).ok_or_else(|| failed(&"it is not what aov writes"))
    }

    /// Keeps a new one, before it is sent: nobody else may have signed for the request meanwhile.
    pub(super) fn keep(&self, question: &Question<'_>, pending: &Pending) -> Result<(), String> {
        let failed = |path: &Path, error: io::Error| {
            let shown = term::safe_path(path);
            match error.kind() {
                io::ErrorKind::AlreadyExists => {
                    format!(
                        "another run has signed a payment for this request: {shown}; run this again"
                    )
                }
                _ => format!("the payment cannot be kept, so it is not sent: {shown}: {error}"),
            }
        };
        private::create_folder(&self.0).map_err(|error| failed(&self.0, error))?;
        let path = self.file(question);
        private::write_new(&path, pending.text().as_bytes()).map_err(|error| failed(&path, error))
    }

    /// Writes down what the server said.
    pub(super) fn update(&self, question: &Question<'_>, pending: &Pending) -> Result<(), String> {
        let path = self.file(question);
        private::replace(&path, pending.text().as_bytes())
            .map_err(|error| format!("cannot write {}: {error}", term::safe_path(&path)))
    }

    /// Forgets one whose outcome is known.
    pub(super) fn forget(&self, question: &Question<'_>) {
        // One that stays is sent again next time, and answered as before.
        let _ = fs::remove_file(self.file(question));
    }
}

impl Pending {
    fn of(object: &Value) -> Option<Self> {
        Some(Self {
            field: object["payment_signature"].as_str()?.to_owned(),
            valid_before: object["valid_before"].as_u64()?,
            price: object["price"].as_str()?.to_owned(),
            refused: object["refused"].as_bool()?,
        })
    }

    fn text(&self) -> String {
        let object = json!({
            "payment_signature": self.field,
            "valid_before": self.valid_before,
            "price": self.price,
            "refused": self.refused,
        });
        format!("{object}\n")
    }
}
