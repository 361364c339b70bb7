//! The address under which clients reach the service: it stands in receipts and in payment
//! requirements, so it comes from configuration and never from a request (X402 §3).

use std::fmt;

use agent_output_verifier::receipt::card::CARD_PATH;
use agent_output_verifier::trust::CardAddress;

/// `https://host[:port][/base]`, or `http://` on this machine; no slash at the end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PublicUrl(String);

impl PublicUrl {
    /// Reads one, or says what is wrong with it, to be read behind its name.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        if let Some(rest) = text.strip_prefix("http://") {
            let host = rest.split('/').next().unwrap_or_default();
            if !is_loopback(host) {
                return Err("begins with http://, which only this machine may use; put a proxy with TLS in front and name its https:// address".to_owned());
            }
            // Held to the same rules otherwise.
            let https = Self::parse(&format!("https://{rest}"))?;
            return Ok(Self(format!("http{}", &https.0["https".len()..])));
        }
        if !text.contains("://") {
            return Err("does not begin with https://".to_owned());
        }
        let card =
            CardAddress::of_issuer(text).map_err(|error| format!("is no address: {error}"))?;
        let card = card.to_string();
        Ok(Self(card.strip_suffix(CARD_PATH).unwrap_or(&card).to_owned()))
    }

    /// What a path of ours is called by clients.
    pub(crate) fn at(&self, path: &str) -> String {
        format!("{}{path}", self.0)
    }

    /// The text.
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    /// `host[:port]`.
    pub(crate) fn authority(&self) -> &str {
        let rest = self.0.split_once("://").map_or(&*self.0, |(_, rest)| rest);
        rest.split('/').next().unwrap_or(rest)
    }

    /// Scheme and authority, as browsers send it in `Origin`.
    pub(crate) fn origin(&self) -> String {
        let scheme = self.0.split("://").next().unwrap_or("https");
        format!("{scheme}://{}", self.authority())
    }
}

impl fmt::Display for PublicUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Whether `host[:port]` is this machine.
fn is_loopback(authority: &str) -> bool {
    let host = match authority.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => authority.split(':').next().unwrap_or_default(),
    };
    host == "localhost"
        || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// A server of others that we talk to: https, or http on this machine; slashes at the end go, since
/// some answer a doubled one with a redirect (X402 §2.5).
pub(crate) fn service_url(text: &str) -> Result<String, &'static str> {
    let text = text.trim_end_matches('/');
    let rest = match (text.strip_prefix("https://"), text.strip_prefix("http://")) {
        (Some(rest), _) => rest,
        (None, Some(rest)) if is_loopback(rest.split('/').next().unwrap_or_default()) => rest,
        (None, Some(_)) => return Err("begins with http://, which only this machine may use"),
        (None, None) => return Err("does not begin with https://"),
    };
    let plain = !rest.is_empty()
        && !rest.starts_with('/')
        && rest.bytes().all(|byte| byte.is_ascii_graphic())
        && !rest.contains(['@', '#', '?', '\\', '"']);
    if plain { Ok(text.to_owned()) } else { Err("is not an address without user and query") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn public_addresses_have_one_form() {
        for (text, form) in [
            ("https://Verify.Example/", "https://verify.example"),
            ("https://verify.example:443", "https://verify.example"),
            ("https://verify.example/aov", "https://verify.example/aov"),
            ("http://127.0.0.1:8402", "http://127.0.0.1:8402"),
            ("http://localhost:1/", "http://localhost:1"),
            ("http://[::1]:8402", "http://[::1]:8402"),
        ] {
            assert_eq!(PublicUrl::parse(text).map(|url| url.0), Ok(form.to_owned()), "{text}");
        }
        for bad in [
            "verify.example",
            "http://verify.example",
            "http://127.0.0.1.evil.example",
            "ftp://a",
            "https://a?b",
            "https://u@a",
            "",
        ] {
            assert!(PublicUrl::parse(bad).is_err(), "{bad}");
        }
        assert_eq!(PublicUrl::parse("https://a.example/b").unwrap().origin(), "https://a.example");
    }

    #[test]
    fn services_of_others_are_reached_safely() {
        assert_eq!(
            service_url("https://f.example/x402//"),
            Ok("https://f.example/x402".to_owned())
        );
        assert_eq!(service_url("http://127.0.0.1:4020"), Ok("http://127.0.0.1:4020".to_owned()));
        for bad in ["http://f.example", "https://", "https:///x", "https://u:p@f.example", "f", ""]
        {
            assert!(service_url(bad).is_err(), "{bad}");
        }
    }
}
