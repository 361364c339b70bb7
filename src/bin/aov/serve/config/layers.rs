//! Where the configuration comes from: one TOML file, `AOV_*` variables, flags, each over the one
//! before (SPEC 11.2). All say the same keys; a key that nobody knows is an error.

use std::ffi::OsString;
use std::path::Path;

use serde::Deserialize;
use toml::{Table, Value};

use crate::term;

/// Every key as it may be given, and nothing decided yet.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Settings {
    pub(crate) listen: Option<String>,
    pub(crate) admin: Option<String>,
    pub(crate) public_url: Option<String>,
    pub(crate) service: Option<String>,
    pub(crate) key_file: Option<String>,
    pub(crate) old_keys: Option<Vec<String>>,
    pub(crate) ledger: Option<String>,
    pub(crate) log: Option<String>,
    pub(crate) mainnet: Option<bool>,
    pub(crate) allowed_origins: Option<Vec<String>>,
    pub(crate) allowed_hosts: Option<Vec<String>>,
    pub(crate) trusted_proxies: Option<Vec<String>>,
    pub(crate) proxy_field: Option<String>,
    pub(crate) allowance: AllowanceSettings,
    pub(crate) limits: LimitSettings,
    pub(crate) prices: PriceSettings,
    pub(crate) networks: Vec<NetworkSettings>,
}

/// `[allowance]`
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct AllowanceSettings {
    pub(crate) per_day: Option<u32>,
    pub(crate) max_body_bytes: Option<usize>,
}

/// `[limits]`
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct LimitSettings {
    pub(crate) body_bytes: Option<usize>,
    pub(crate) connections: Option<usize>,
    pub(crate) connections_per_address: Option<usize>,
    pub(crate) workers: Option<usize>,
    pub(crate) open_payments: Option<u32>,
    pub(crate) open_payments_per_payer: Option<u32>,
}

/// `[prices]`
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct PriceSettings {
    pub(crate) verify: Option<String>,
    pub(crate) score: Option<String>,
}

/// One of `[[networks]]`
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct NetworkSettings {
    pub(crate) network: String,
    pub(crate) pay_to: String,
    pub(crate) facilitators: Vec<String>,
    pub(crate) cdp_key_file: Option<String>,
    pub(crate) rpc_url: Option<String>,
}

/// How a variable or flag, which is a bare text, says a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// As it is.
    Text,
    /// Texts with commas between.
    List,
    /// A number, `true`, `false`, or anything else as TOML writes it.
    Toml,
}

/// Every key that a variable or a flag can say. The variable is `AOV_` and the key in capitals,
/// with `_` for the dot.
pub(crate) const KEYS: [(&str, Kind, &str); 24] = [
    ("listen", Kind::Text, "The address to listen on [default: 127.0.0.1:8402]"),
    ("admin", Kind::Text, "The address for GET /metrics; none without it"),
    ("public_url", Kind::Text, "The address that clients know, in receipts and payments"),
    ("service", Kind::Text, "The name of the service in receipts [default: aov]"),
    ("key_file", Kind::Text, "The signing key, made by aov keygen"),
    ("old_keys", Kind::List, "Public keys of before, which the agent card goes on listing"),
    ("ledger", Kind::Text, "A file, or postgres://…"),
    ("log", Kind::Text, "text or json"),
    ("mainnet", Kind::Toml, "true: refuse networks whose money is worth nothing"),
    ("allowed_origins", Kind::List, "Origins of browsers that may use /mcp besides our own"),
    ("allowed_hosts", Kind::List, "Values of Host that /mcp takes besides our own"),
    ("trusted_proxies", Kind::List, "Addresses or networks whose word about the client is taken"),
    ("proxy_field", Kind::Text, "x-forwarded-for or forwarded: the field those proxies write"),
    ("allowance.per_day", Kind::Toml, "Free verifications for each client and day"),
    ("allowance.max_body_bytes", Kind::Toml, "The largest body that is free"),
    ("limits.body_bytes", Kind::Toml, "The largest request"),
    ("limits.connections", Kind::Toml, "Connections at once"),
    ("limits.connections_per_address", Kind::Toml, "Connections at once from one address"),
    ("limits.workers", Kind::Toml, "Requests worked on at once"),
    ("limits.open_payments", Kind::Toml, "Payments not settled at once"),
    ("limits.open_payments_per_payer", Kind::Toml, "The same, of one payer"),
    ("prices.verify", Kind::Text, "USDC for one verification"),
    ("prices.score", Kind::Text, "USDC for one score"),
    (
        "networks",
        Kind::Toml,
        "An array of tables: network, pay_to, facilitators, rpc_url, cdp_key_file",
    ),
];

/// The variable of a key.
pub(crate) fn variable(key: &str) -> String {
    format!("AOV_{}", key.replace('.', "_").to_ascii_uppercase())
}

/// The layers merged so far.
#[derive(Debug, Default)]
pub(crate) struct Layers {
    table: Table,
}

impl Layers {
    /// The text of a TOML file, at the bottom.
    pub(crate) fn file(&mut self, name: &Path, text: &str) -> Result<(), String> {
        let shown = term::safe_path(name);
        // Read as what it must be, which gives errors their line and column.
        let checked: Result<Settings, _> = toml::from_str(text);
        checked
            .map_err(|error| format!("{shown}: {}", term::safe(error.to_string().trim_end())))?;
        let table: Table = toml::from_str(text).map_err(|error| format!("{shown}: {error}"))?;
        merge(&mut self.table, table);
        Ok(())
    }

    /// The variables of the environment. Those that begin like ours and are unknown are returned:
    /// container systems set such (`AOV_PORT`), but they may be typing errors.
    pub(crate) fn environment(
        &mut self,
        variables: impl Iterator<Item = (OsString, OsString)>,
        known: &[&str],
    ) -> Result<Vec<String>, String> {
        let mut unknown = Vec::new();
        for (name, value) in variables {
            let Some(name) = name.to_str().filter(|name| name.starts_with("AOV_")) else {
                continue;
            };
            let Some((key, kind, _)) = KEYS.iter().find(|(key, ..)| variable(key) == name) else {
                if !known.contains(&name) {
                    unknown.push(name.to_owned());
                }
                continue;
            };
            let value = value.to_str().ok_or_else(|| format!("{name} is not UTF-8"))?;
            self.set(name, key, *kind, value)?;
        }
        unknown.sort();
        Ok(unknown)
    }

    /// A flag, or `--set KEY=VALUE`.
    pub(crate) fn flag(&mut self, key: &str, value: &str) -> Result<(), String> {
        let known = KEYS.iter().find(|(at, ..)| *at == key);
        let (key, kind, _) = known.ok_or_else(|| {
            let keys: Vec<_> = KEYS.iter().map(|(key, ..)| *key).collect();
            format!("--set has no key {}; there are {}", term::safe(key), keys.join(", "))
        })?;
        self.set(&format!("--{}", key.replace('_', "-")), key, *kind, value)
    }

    fn set(&mut self, source: &str, key: &str, kind: Kind, value: &str) -> Result<(), String> {
        let value = match kind {
            Kind::Text => Value::String(value.to_owned()),
            Kind::List => Value::Array(
                value
                    .split(',')
                    .map(str::trim)
                    .filter(|item| !item.is_empty())
                    .map(|item| Value::String(item.to_owned()))
                    .collect(),
            ),
            Kind::Toml => {
                let table: Result<Table, _> = toml::from_str(&format!("value = {value}"));
                // One value, not the beginning of more lines.
                let table = table.ok().filter(|table| table.len() == 1);
                let value = table.and_then(|mut table| table.remove("value"));
                value.ok_or_else(|| format!("{source} is no value of TOML"))?
            }
        };
        let mut table = Table::new();
        match key.split_once('.') {
            Some((outer, inner)) => {
                table
                    .insert(outer.to_owned(), Table::from_iter([(inner.to_owned(), value)]).into());
            }
            None => {
                table.insert(key.to_owned(), value);
            }
        }
        // Each on its own, so that the error names where it comes from.
        let checked: Result<Settings, _> = table.clone().try_into();
        checked.map_err(|error| format!("{source}: {}", error.message()))?;
        merge(&mut self.table, table);
        Ok(())
    }

    /// All of them, the upper over the lower.
    pub(crate) fn settings(self) -> Result<Settings, String> {
        self.table.try_into().map_err(|error: toml::de::Error| error.message().to_owned())
    }
}

/// Tables are merged; everything else is replaced.
fn merge(lower: &mut Table, upper: Table) {
    for (key, value) in upper {
        match (lower.get_mut(&key), value) {
            (Some(Value::Table(lower)), Value::Table(upper)) => merge(lower, upper),
            (_, value) => {
                lower.insert(key, value);
            }
        }
    }
}
