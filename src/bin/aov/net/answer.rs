//! What a server that the user named says, whatever its status.

use std::time::Instant;

use agent_output_verifier::receipt::fact::Code;
use agent_output_verifier::trust::Refusal;
use ureq::http::Uri;

use super::{Asker, MAX_REDIRECTS, Net, check_scheme, next_hop, read_body};

/// The largest `Payment-Required` field.
const MAX_FIELD: usize = 16 << 10;

/// An answer.
#[derive(Debug)]
pub(crate) struct Answer {
    /// The status code; no redirection.
    pub(crate) status: u16,
    /// The field `Payment-Required`, if there is exactly one of reasonable size.
    pub(crate) payment_required: Option<String>,
    /// The body.
    pub(crate) body: Vec<u8>,
}

impl Net {
    /// Gets an address that the user typed. Redirections are followed on the same host only.
    pub(crate) fn ask(&self, url: &str) -> Result<Answer, Refusal> {
        let deadline = Instant::now() + self.time_limit;
        let mut target: Uri =
            url.parse().map_err(|_| Refusal::with(Code::AddressRefused, "it is not an address"))?;
        check_scheme(&target, Asker::User)?;
        for _ in 0..=MAX_REDIRECTS {
            let response = self.get(&target, Asker::User, deadline)?;
            let status = response.status();
            if status.is_redirection()
                && let Some(next) = next_hop(&target, &response)?
            {
                target = next;
                continue;
            }
            let mut fields = response.headers().get_all("payment-required").iter();
            let payment_required = match (fields.next(), fields.next()) {
                (Some(field), None) if field.len() <= MAX_FIELD => field.to_str().ok(),
                _ => None,
            };
            let payment_required = payment_required.map(str::to_owned);
            let body = read_body(response)?;
            return Ok(Answer { status: status.as_u16(), payment_required, body });
        }
        Err(Refusal::with(Code::Redirected, "it redirects again and again"))
    }
}
