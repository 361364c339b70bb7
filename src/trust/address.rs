//! The address of an agent card, as a receipt or a trust list names it: strict enough that two
//! addresses are the same exactly when their texts are.

use std::fmt;

use crate::receipt::card::CARD_PATH;

/// `https://host[:port]/path`, the host in lower case, without user, query, fragment or escapes.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct CardAddress {
    authority: String,
    path: String,
}

/// Why a text is no such address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AddressError {
    /// Not `https://…`.
    NotHttps,
    /// A user name or password in it.
    UserInfo,
    /// A host that is not a plain name or number.
    Host,
    /// A port that is not a number from 1 to 65535.
    Port,
    /// A path with a query, a fragment, an escape, a `..` or an empty step.
    Path,
}

impl fmt::Display for AddressError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotHttps => "it does not begin with https://",
            Self::UserInfo => "it has a user name in it",
            Self::Host => "its host is not a plain host name",
            Self::Port => "its port is not a number from 1 to 65535",
            Self::Path => "its path has a query, a fragment, an escape or an empty step",
        })
    }
}

impl std::error::Error for AddressError {}

impl CardAddress {
    /// Reads a whole address.
    ///
    /// # Errors
    /// See [`AddressError`].
    pub fn parse(url: &str) -> Result<Self, AddressError> {
        let scheme = url.get(..8).filter(|scheme| scheme.eq_ignore_ascii_case("https://"));
        let rest = &url[scheme.ok_or(AddressError::NotHttps)?.len()..];
        let (authority, path) =
            rest.split_at(rest.find(['/', '?', '#', '\\']).unwrap_or(rest.len()));
        Ok(Self { authority: read_authority(authority)?, path: read_path(path)? })
    }

    /// The card of an issuer that is named as `HOST`, `HOST:PORT`, `HOST/BASE`, or any of these
    /// with `https://` in front or the card's path behind.
    ///
    /// # Errors
    /// See [`AddressError`].
    pub fn of_issuer(text: &str) -> Result<Self, AddressError> {
        let url = if text.contains("://") { text.to_owned() } else { format!("https://{text}") };
        let base = url.strip_suffix(CARD_PATH).unwrap_or(&url).trim_end_matches('/');
        Self::parse(&format!("{base}{CARD_PATH}"))
    }

    /// The host, and the port where it is not 443.
    #[must_use]
    pub fn authority(&self) -> &str {
        &self.authority
    }
}

impl fmt::Display for CardAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "https://{}{}", self.authority, self.path)
    }
}

/// Host in lower case and port, the default one left out.
fn read_authority(text: &str) -> Result<String, AddressError> {
    if text.contains('@') {
        return Err(AddressError::UserInfo);
    }
    let (host, port) = match text.strip_prefix('[').map(|inside| inside.split_once(']')) {
        Some(Some((address, port))) => {
            address.parse::<std::net::Ipv6Addr>().map_err(|_| AddressError::Host)?;
            (&text[..address.len() + 2], port)
        }
        Some(None) => return Err(AddressError::Host),
        None => {
            let (host, port) = text.split_at(text.find(':').unwrap_or(text.len()));
            if !is_host_name(host) {
                return Err(AddressError::Host);
            }
            (host, port)
        }
    };
    let host = host.to_ascii_lowercase();
    if port.is_empty() {
        return Ok(host);
    }
    let digits = port.strip_prefix(':').ok_or(AddressError::Host)?;
    let plain = digits.bytes().all(|byte| byte.is_ascii_digit()) && !digits.starts_with('0');
    match digits.parse::<u16>() {
        Ok(443) if plain => Ok(host),
        Ok(_) if plain => Ok(format!("{host}:{digits}")),
        _ => Err(AddressError::Port),
    }
}

/// Letters, digits, `-` and `_` between single dots. No final dot: it would be a second spelling.
fn is_host_name(host: &str) -> bool {
    let label = |label: &str| {
        !label.is_empty()
            && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
    };
    host.len() <= 253 && host.split('.').all(label)
}

fn read_path(path: &str) -> Result<String, AddressError> {
    let steps = path.strip_prefix('/').ok_or(AddressError::Path)?;
    let plain = |step: &str| {
        !matches!(step, "" | "." | "..")
            && step.bytes().all(|byte| {
                byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'~')
            })
    };
    if steps.split('/').all(plain) { Ok(path.to_owned()) } else { Err(AddressError::Path) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_address_has_one_form() {
        let plain =
            CardAddress::parse("https://verify.sarnai.dev/.well-known/agent-card.json").unwrap();
        for same in [
            "HTTPS://Verify.Sarnai.DEV/.well-known/agent-card.json",
            "https://verify.sarnai.dev:443/.well-known/agent-card.json",
        ] {
            assert_eq!(CardAddress::parse(same), Ok(plain.clone()));
        }
        for named in [
            "verify.sarnai.dev",
            "verify.sarnai.dev/",
            "https://verify.sarnai.dev",
            "https://verify.sarnai.dev/.well-known/agent-card.json",
        ] {
            assert_eq!(CardAddress::of_issuer(named), Ok(plain.clone()), "{named}");
        }
        let based = CardAddress::of_issuer("verifier.example:8443/aov/").unwrap();
        assert_eq!(
            based.to_string(),
            "https://verifier.example:8443/aov/.well-known/agent-card.json"
        );
        assert_eq!(based.authority(), "verifier.example:8443");
        assert_eq!(CardAddress::of_issuer("[::1]:8443").unwrap().authority(), "[::1]:8443");
    }

    #[test]
    fn what_could_be_read_two_ways_is_refused() {
        use AddressError as E;
        for (url, error) in [
            ("http://verify.sarnai.dev/c", E::NotHttps),
            ("verify.sarnai.dev/c", E::NotHttps),
            ("file:///etc/passwd", E::NotHttps),
            ("", E::NotHttps),
            ("https:/x", E::NotHttps),
            ("hättps://", E::NotHttps),
            ("https://verify.sarnai.dev@evil.example/c", E::UserInfo),
            ("https://verify.sarnai.dev:443@evil.example/c", E::UserInfo),
            ("https:///c", E::Host),
            ("https://evil.example\\.verify.sarnai.dev/c", E::Path),
            ("https://verify.sarnai.dev./c", E::Host),
            ("https://verify..dev/c", E::Host),
            ("https://vérify.sarnai.dev/c", E::Host),
            ("https://verify.sarnai.dev%2f.evil.example/c", E::Host),
            ("https://verify.sarnai.dev\u{0}.evil.example/c", E::Host),
            ("https:// verify.sarnai.dev/c", E::Host),
            ("https://[::1/c", E::Host),
            ("https://[::1]x/c", E::Host),
            ("https://[verify.sarnai.dev]/c", E::Host),
            ("https://verify.sarnai.dev:/c", E::Port),
            ("https://verify.sarnai.dev:0443/c", E::Port),
            ("https://verify.sarnai.dev:+443/c", E::Port),
            ("https://verify.sarnai.dev:65536/c", E::Port),
            ("https://verify.sarnai.dev:443:443/c", E::Port),
            ("https://verify.sarnai.dev", E::Path),
            ("https://verify.sarnai.dev/", E::Path),
            ("https://verify.sarnai.dev?/c", E::Path),
            ("https://verify.sarnai.dev#/c", E::Path),
            ("https://verify.sarnai.dev/c?x=1", E::Path),
            ("https://verify.sarnai.dev/c#x", E::Path),
            ("https://verify.sarnai.dev/a/../c", E::Path),
            ("https://verify.sarnai.dev//c", E::Path),
            ("https://verify.sarnai.dev/%2e%2e/c", E::Path),
            ("https://verify.sarnai.dev/c\n", E::Path),
        ] {
            assert_eq!(CardAddress::parse(url), Err(error), "{url:?}");
        }
    }
}
