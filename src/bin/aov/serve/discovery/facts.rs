//! The facts that all documents tell, each once.

use agent_output_verifier::key::{GivenKey, SigningKey};

use super::super::config::{Allowance, Config, PublicUrl, Sale};

/// What the documents are about.
pub(super) struct Facts<'f> {
    /// The name of the service.
    pub(super) service: &'f str,
    /// Where clients find it.
    pub(super) url: &'f PublicUrl,
    /// What is sold, if anything is.
    pub(super) sale: Option<&'f Sale>,
    /// What is free; none for no limit.
    pub(super) allowance: Option<Allowance>,
    /// The largest body.
    pub(super) max_body: usize,
    /// Every key, the one that signs first.
    pub(super) keys: Vec<GivenKey>,
}

/// What the service is, for whoever meets it; X402 §2.2 allows 500 characters.
pub(super) const PURPOSE: &str = "Checks an agent's output against agreed requirements before money \
    moves: structure, formats, ranges and cross-field rules, such as \"line totals must equal the \
    total\", written in JSON Schema plus optional bounds and rules. Answers pass or fail, the share of \
    checks passed and fix hints, and signs the answer as a receipt (Ed25519) that anyone can verify.";

impl<'f> Facts<'f> {
    pub(super) fn new(config: &'f Config, url: &'f PublicUrl, key: &SigningKey) -> Self {
        let current = GivenKey { key: key.public(), version: Some(key.version().clone()) };
        let old = config.old_keys.iter().filter(|old| old.version != current.version);
        Self {
            service: &config.service,
            url,
            sale: config.sale.as_ref(),
            allowance: config.allowance,
            max_body: config.limits.body_bytes,
            keys: std::iter::once(current.clone()).chain(old.cloned()).collect(),
        }
    }

    /// `Base (eip155:8453) or Solana (…)`.
    pub(super) fn networks(&self) -> String {
        let networks = self.sale.map(|sale| &*sale.networks).unwrap_or_default();
        let names: Vec<_> = networks
            .iter()
            .map(|network| format!("{} ({})", network.chain.name, network.chain.id))
            .collect();
        names.join(" or ")
    }

    /// What a verification costs, in one sentence.
    pub(super) fn verify_price(&self) -> String {
        match (self.sale, self.allowance) {
            (None, None) => "Free, without a limit.".to_owned(),
            (None, Some(Allowance { per_day, .. })) => {
                format!(
                    "Free: {per_day} verifications a day for each client, over REST and MCP together."
                )
            }
            (Some(sale), Some(Allowance { per_day, max_body_bytes })) if per_day > 0 => format!(
                "Free: {per_day} verifications a day for each client, over REST and MCP together, with \
                 bodies of at most {max_body_bytes} bytes; then ${} in USDC per call over x402 v2 on {}.",
                sale.verify,
                self.networks()
            ),
            (Some(sale), _) => {
                format!("${} in USDC per call over x402 v2 on {}.", sale.verify, self.networks())
            }
        }
    }

    /// What a score costs, in one sentence.
    pub(super) fn score_price(&self) -> String {
        match self.sale {
            None => "Free.".to_owned(),
            Some(sale) => format!(
                "${} in USDC per look-up over x402 v2 on {} where there is a score; an agent without \
                 history, or with an id that begins with test-, is answered free, signed.",
                sale.score,
                self.networks()
            ),
        }
    }

    /// What is free for each client and day; none for no limit.
    pub(super) fn free_per_day(&self) -> Option<u32> {
        self.allowance.map(|allowance| allowance.per_day)
    }
}
