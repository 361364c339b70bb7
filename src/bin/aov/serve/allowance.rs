//! The free allowance: how it is counted (SPEC 11.3) and what clients are told of it (seed, "Free
//! allowance"). REST and MCP share it.

use std::net::IpAddr;

use chrono::{DateTime, Days, NaiveDate, NaiveTime, SecondsFormat, Utc};
use serde_json::{Value, json};

use super::config::Allowance;
use super::config::proxies::unmapped;
use super::service::AllowanceLeft;
use crate::ledger::{Ledger, LedgerError, Taken};

/// The name under which a client's allowance is counted: an address, of IPv6 the first 64 bits,
/// since one subscriber has all that follow.
pub(crate) fn client_key(client: IpAddr) -> String {
    match unmapped(client) {
        IpAddr::V4(address) => address.to_string(),
        IpAddr::V6(address) => {
            let net = std::net::Ipv6Addr::from_bits(address.to_bits() & (u128::MAX << 64));
            format!("{net}/64")
        }
    }
}

/// When an allowance begins anew: the next UTC midnight.
pub(crate) fn resets(now: DateTime<Utc>) -> DateTime<Utc> {
    let tomorrow = now.date_naive().checked_add_days(Days::new(1)).unwrap_or(NaiveDate::MAX);
    tomorrow.and_time(NaiveTime::MIN).and_utc()
}

/// That, as clients read it.
pub(crate) fn resets_text(now: DateTime<Utc>) -> String {
    resets(now).to_rfc3339_opts(SecondsFormat::Secs, true)
}

/// Whole seconds until then, at least one.
pub(crate) fn seconds_to_reset(now: DateTime<Utc>) -> u64 {
    u64::try_from((resets(now) - now).num_seconds()).unwrap_or_default().saturating_add(1)
}

/// One call that was taken from an allowance. It is given back unless it was used.
pub(crate) struct Held<'l> {
    ledger: &'l dyn Ledger,
    client: String,
    day: NaiveDate,
    left: AllowanceLeft,
    used: bool,
}

/// Takes one call; none if nothing is left.
pub(crate) fn take<'l>(
    ledger: &'l dyn Ledger,
    allowance: Allowance,
    client: IpAddr,
    now: DateTime<Utc>,
) -> Result<Option<Held<'l>>, LedgerError> {
    let (client, day) = (client_key(client), now.date_naive());
    let limit = allowance.per_day;
    if limit == 0 {
        return Ok(None);
    }
    Ok(match ledger.take(&client, day, limit)? {
        Taken::Exhausted => None,
        Taken::Yes { remaining } => {
            let left = AllowanceLeft { remaining, limit, resets: resets_text(now) };
            Some(Held { ledger, client, day, left, used: false })
        }
    })
}

impl Held<'_> {
    /// It was delivered.
    pub(crate) fn used(mut self) -> AllowanceLeft {
        self.used = true;
        self.left.clone()
    }
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        // A call that is not given back is lost for a day, nothing worse.
        if !self.used && self.ledger.give_back(&self.client, self.day).is_err() {
            crate::output::complain("warning: the ledger could not give a free call back\n");
        }
    }
}

/// `free_trial` of a 402: the caller's own state.
pub(crate) fn free_trial(allowance: Allowance, used: u32, now: DateTime<Utc>, mcp: &str) -> Value {
    let Allowance { per_day, max_body_bytes } = allowance;
    let remaining = per_day.saturating_sub(used);
    let resets = resets_text(now);
    let message = match (per_day, remaining) {
        (0, _) => "There are no free checks. Payment applies.".to_owned(),
        (_, 0) => format!(
            "This client's {per_day} free checks for today are used up (REST and MCP share them); \
             they reset at {resets}. Payment applies until then."
        ),
        _ => format!(
            "This client has {remaining} of {per_day} free checks left today (REST and MCP share \
             them; they reset at {resets}). A valid request with a body of at most {max_body_bytes} \
             bytes and without a payment is served free."
        ),
    };
    let mut body = json!({
        "available": remaining > 0,
        "via": "mcp+rest",
        "transport": "streamable-http",
        "url": mcp,
        "tool": "verify_schema",
        "calls_per_client_per_day": per_day,
        "remaining_calls_today": remaining,
        "resets_at": resets,
        "max_body_bytes": max_body_bytes,
        "client": "identified by request IP address; the same address's REST and MCP verification calls share one allowance",
        "rest_free": per_day > 0,
        "launch": true,
        "message": message,
    });
    if remaining == 0 {
        body["code"] = "free_trial_exhausted".into();
    }
    body
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> DateTime<Utc> {
        text.parse().unwrap()
    }

    #[test]
    fn a_client_is_an_address_or_a_network_of_64_bits() {
        let key = |text: &str| client_key(text.parse().unwrap());
        assert_eq!(key("203.0.113.9"), "203.0.113.9");
        assert_eq!(key("::ffff:203.0.113.9"), "203.0.113.9");
        assert_eq!(key("2001:db8:1:2:3:4:5:6"), "2001:db8:1:2::/64");
        assert_eq!(key("2001:db8:1:2:ffff::1"), key("2001:db8:1:2::"));
        assert_ne!(key("2001:db8:1:3::"), key("2001:db8:1:2::"));
    }

    #[test]
    fn the_day_ends_at_utc_midnight() {
        assert_eq!(resets_text(at("2026-11-30T23:59:59.999999Z")), "2026-12-01T00:00:00Z");
        assert_eq!(resets_text(at("2026-12-01T00:00:00Z")), "2026-12-02T00:00:00Z");
        assert_eq!(resets_text(at("2028-02-28T12:00:00Z")), "2028-02-29T00:00:00Z");
        assert_eq!(seconds_to_reset(at("2026-11-30T23:59:59.5Z")), 1);
        assert_eq!(seconds_to_reset(at("2026-11-30T00:00:00Z")), 86_401);
    }

    #[test]
    fn the_free_trial_tells_the_caller_s_own_state() {
        let allowance = Allowance { per_day: 3, max_body_bytes: 32_768 };
        let now = at("2026-11-30T10:00:00Z");
        let some = free_trial(allowance, 1, now, "https://v.example/mcp");
        assert_eq!((&some["available"], &some["remaining_calls_today"]), (&true.into(), &2.into()));
        assert_eq!(some.get("code"), None);
        let none = free_trial(allowance, 3, now, "https://v.example/mcp");
        assert_eq!(
            (&none["available"], &none["code"]),
            (&false.into(), &"free_trial_exhausted".into())
        );
        assert_eq!(none["resets_at"], "2026-12-01T00:00:00Z");
        // More than there were, after the number was lowered.
        assert_eq!(free_trial(allowance, 9, now, "")["remaining_calls_today"], 0);
    }
}
