//! Who verifies and settles payments.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use agent_output_verifier::trust;
use chrono::{DateTime, Utc};
use serde_json::{Value, json};

use super::super::chain::Chain;
use super::cdp::Credentials;
use super::verdict::{self, Settled, Verified};
use super::wire;
use crate::net::{Exchange, Net, Reply};

const CONNECT: Duration = Duration::from_secs(3);
/// Each, or else fallbacks would take the time that the settlement needs.
const VERIFY: Duration = Duration::from_secs(10);
/// Confirmation takes longer than 30 s at times (X402 §4.3).
const SETTLE: Duration = Duration::from_secs(90);
const SUPPORTED: Duration = Duration::from_secs(10);

/// What is sent to `/verify` and `/settle`, and kept until the end is known.
#[derive(Clone, PartialEq)]
pub(crate) struct Submission {
    /// The chain it is for.
    pub(crate) chain: &'static Chain,
    /// `{"x402Version", "paymentPayload", "paymentRequirements"}`.
    pub(crate) body: String,
}

impl fmt::Debug for Submission {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Anyone could submit what is in it (X402 rule 18).
        f.debug_struct("Submission").field("chain", &self.chain.id).finish_non_exhaustive()
    }
}

impl Submission {
    /// Of the client's object and our own entry.
    pub(crate) fn new(chain: &'static Chain, payload: &Value, requirements: &Value) -> Self {
        let body = json!({
            "x402Version": 2,
            "paymentPayload": payload,
            "paymentRequirements": requirements,
        });
        Self { chain, body: body.to_string() }
    }

    /// Of what the ledger kept.
    pub(crate) fn kept(body: String) -> Option<Self> {
        let object: Value = serde_json::from_str(&body).ok()?;
        let chain = Chain::of(object["paymentRequirements"]["network"].as_str()?)?;
        Some(Self { chain, body })
    }
}

/// A combination that a facilitator serves, in version 2 and scheme `exact`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Kind {
    /// CAIP-2.
    pub(crate) network: String,
    /// `extra.feePayer`.
    pub(crate) fee_payer: Option<String>,
}

/// A facilitator.
pub(crate) trait Facilitator: Send + Sync + fmt::Debug {
    /// Its host, for logs.
    fn name(&self) -> &str;

    /// Whether a payment can be settled.
    fn verify(&self, submission: &Submission, now: DateTime<Utc>) -> Verified;

    /// Settles a payment. The same submission settles once, however often it is sent.
    fn settle(&self, submission: &Submission, now: DateTime<Utc>) -> Settled;

    /// What it serves.
    fn supported(&self, now: DateTime<Utc>) -> Result<Vec<Kind>, String>;
}

/// One that is reached over HTTP.
#[derive(Debug)]
pub(crate) struct HttpFacilitator {
    net: Net,
    base: String,
    host: String,
    credentials: Option<Arc<Credentials>>,
    patience: Patience,
}

/// How long each question may take.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Patience {
    /// Until there is a connection.
    pub(crate) connect: Duration,
    /// `/verify`.
    pub(crate) verify: Duration,
    /// `/settle`.
    pub(crate) settle: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self { connect: CONNECT, verify: VERIFY, settle: SETTLE }
    }
}

impl HttpFacilitator {
    /// At a base address, whose slashes at the end are cut off: some answer those with redirects
    /// without end.
    pub(crate) fn new(
        net: Net,
        base: &str,
        credentials: Option<Arc<Credentials>>,
        patience: Patience,
    ) -> Self {
        let base = base.trim_end_matches('/').to_owned();
        let host = base.split_once("://").map_or(&*base, |(_, rest)| rest);
        let host = host.split(['/', '?', '#']).next().unwrap_or_default().to_owned();
        Self { net, base, host, credentials, patience }
    }

    fn ask(
        &self,
        path: &str,
        body: Option<&str>,
        total: Duration,
        now: DateTime<Utc>,
    ) -> Result<Reply, trust::Refusal> {
        let url = format!("{}{path}", self.base);
        let mut fields = Vec::new();
        if let Some(credentials) = &self.credentials {
            let method = if body.is_some() { "POST" } else { "GET" };
            fields.push(("authorization", credentials.authorization(method, &url, now)));
        }
        self.net.exchange(&Exchange {
            url: &url,
            body,
            fields,
            connect: self.patience.connect,
            total,
        })
    }
}

impl Facilitator for HttpFacilitator {
    fn name(&self) -> &str {
        &self.host
    }

    fn verify(&self, submission: &Submission, now: DateTime<Utc>) -> Verified {
        match self.ask("/verify", Some(&submission.body), self.patience.verify, now) {
            Ok(reply) => verdict::verified(reply.status, &reply.body),
            Err(refusal) => Verified::Unavailable { why: words(&refusal) },
        }
    }

    fn settle(&self, submission: &Submission, now: DateTime<Utc>) -> Settled {
        match self.ask("/settle", Some(&submission.body), self.patience.settle, now) {
            Ok(reply) => verdict::settled(reply.status, &reply.body, submission.chain),
            // Also where no connection was made: to say "not sent" for certain is not worth the risk.
            Err(refusal) => Settled::Unknown { why: words(&refusal), transaction: None },
        }
    }

    fn supported(&self, now: DateTime<Utc>) -> Result<Vec<Kind>, String> {
        let reply =
            self.ask("/supported", None, SUPPORTED, now).map_err(|refusal| words(&refusal))?;
        let object = wire::parse(&reply.body).filter(|it| it["kinds"].is_array());
        let object = object.ok_or_else(|| format!("status {} without kinds", reply.status))?;
        Ok(kinds(&object))
    }
}

/// The kinds that concern us. Signers beside a kind's own fee payer count for nothing: a fee payer
/// that no kind names was never offered.
fn kinds(supported: &Value) -> Vec<Kind> {
    let all = supported["kinds"].as_array().map(Vec::as_slice).unwrap_or_default();
    all.iter()
        .filter(|kind| {
            kind["x402Version"].as_u64() == Some(2)
                && kind["scheme"].as_str() == Some(super::requirements::SCHEME)
        })
        .filter_map(|kind| {
            let fee_payer = kind["extra"]["feePayer"].as_str().map(str::to_owned);
            Some(Kind { network: kind["network"].as_str()?.to_owned(), fee_payer })
        })
        .collect()
}

/// The words for key servers are right for any, but for one.
fn words(refusal: &trust::Refusal) -> String {
    refusal.detail.replace("the key server", "it")
}
