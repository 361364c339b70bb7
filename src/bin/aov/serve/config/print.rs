//! `aov serve --print-config`: the configuration as the file that would say it, defaults filled in
//! and without secrets.

use std::fmt::Write as _;

use agent_output_verifier::json::quoted;

use super::{Config, LogFormat};

/// A text of TOML: JSON's escapes are a part of it, except that DEL must be escaped.
fn text(text: &str) -> String {
    quoted(text).replace('\u{7F}', "\\u007F")
}

fn list(items: impl IntoIterator<Item = String>) -> String {
    let items: Vec<_> = items.into_iter().map(|item| text(&item)).collect();
    format!("[{}]", items.join(", "))
}

/// The address of a database without its password.
fn without_password(ledger: &str) -> String {
    let hidden = ledger.split_once("://").and_then(|(scheme, rest)| {
        let (user, host) =
            rest.split_at(rest.find('/').unwrap_or(rest.len())).0.rsplit_once('@')?;
        let (name, _) = user.split_once(':')?;
        let path = &rest[user.len() + 1 + host.len()..];
        Some(format!("{scheme}://{name}:***@{host}{path}"))
    });
    hidden.unwrap_or_else(|| ledger.to_owned())
}

/// The address of a node without its path, which is where providers put the key.
fn without_key(url: &str) -> String {
    let host = url.find("://").and_then(|scheme| Some(scheme + 3 + url[scheme + 3..].find('/')?));
    host.map_or_else(|| url.to_owned(), |end| format!("{}/***", &url[..end]))
}

/// The whole file.
pub(super) fn toml(config: &Config) -> String {
    let mut out = String::new();
    let mut line = |key: &str, value: Option<String>| {
        let _ = match value {
            Some(value) => writeln!(out, "{key} = {value}"),
            None => writeln!(out, "# {key} is not set"),
        };
    };
    line("listen", Some(text(&config.listen.to_string())));
    line("admin", config.admin.map(|address| text(&address.to_string())));
    line("public_url", config.public_url.as_ref().map(|url| text(url.as_str())));
    line("service", Some(text(&config.service)));
    line("key_file", config.key_file.as_ref().map(|path| text(&path.to_string_lossy())));
    line(
        "old_keys",
        Some(list(config.old_keys.iter().map(|key| key.to_text().trim_end().to_owned()))),
    );
    line("ledger", config.ledger.as_deref().map(|ledger| text(&without_password(ledger))));
    let log = if config.log == LogFormat::Json { "json" } else { "text" };
    line("log", Some(text(log)));
    line("allowed_origins", Some(list(config.allowed_origins.clone())));
    line("allowed_hosts", Some(list(config.allowed_hosts.clone())));
    let proxies = &config.proxies;
    line("trusted_proxies", Some(list(proxies.trusted.iter().map(ToString::to_string))));
    let field = if proxies.rfc_7239 { "forwarded" } else { "x-forwarded-for" };
    line("proxy_field", Some(text(field)));
    if let Some(sale) = &config.sale {
        line("mainnet", Some(sale.mainnet.to_string()));
    }
    match &config.allowance {
        Some(allowance) => {
            let _ = writeln!(out, "\n[allowance]\nper_day = {}", allowance.per_day);
            if config.sale.is_some() {
                let _ = writeln!(out, "max_body_bytes = {}", allowance.max_body_bytes);
            }
        }
        None => {
            out.push_str("\n# [allowance] is not set: verifications are free, without a limit\n")
        }
    }
    let limits = &config.limits;
    let _ = write!(
        out,
        "\n[limits]\nbody_bytes = {}\nconnections = {}\nconnections_per_address = {}\nworkers = {}\n\
         open_payments = {}\nopen_payments_per_payer = {}\n",
        limits.body_bytes,
        limits.connections,
        limits.connections_per_address,
        limits.workers,
        limits.open_payments,
        limits.open_payments_per_payer,
    );
    let Some(sale) = &config.sale else {
        out.push_str("\n# [[networks]] is not set: nothing is sold\n");
        return out;
    };
    let _ = write!(
        out,
        "\n[prices]\nverify = {}\nscore = {}\n",
        text(&sale.verify.to_string()),
        text(&sale.score.to_string())
    );
    for network in &sale.networks {
        let _ = write!(
            out,
            "\n# {}, USDC {}\n[[networks]]\nnetwork = {}\npay_to = {}\nfacilitators = {}\n",
            network.chain.name,
            network.chain.usdc,
            text(network.chain.id),
            text(&network.pay_to),
            list(network.facilitators.clone()),
        );
        if let Some(path) = &network.cdp_key_file {
            let _ = writeln!(out, "cdp_key_file = {}", text(&path.to_string_lossy()));
        }
        if let Some(url) = &network.rpc_url {
            let _ = writeln!(out, "rpc_url = {}", text(&without_key(url)));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_nodes_are_not_shown() {
        assert_eq!(without_key("https://rpc.example/v2/s3cret"), "https://rpc.example/***");
        assert_eq!(without_key("https://rpc.example"), "https://rpc.example");
    }

    #[test]
    fn passwords_are_not_shown() {
        for (ledger, shown) in [
            ("postgres://aov:s3cret@db:5432/aov", "postgres://aov:***@db:5432/aov"),
            ("postgres://aov:a:b@c@db/aov?x=1", "postgres://aov:***@db/aov?x=1"),
            ("postgres://aov@db/aov", "postgres://aov@db/aov"),
            ("/var/lib/aov/ledger.sqlite", "/var/lib/aov/ledger.sqlite"),
        ] {
            assert_eq!(without_password(ledger), shown);
        }
    }
}
