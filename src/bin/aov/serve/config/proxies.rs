//! Proxies whose word about the client's address is taken, and the client behind them (SPEC 11.3).

use std::fmt;
use std::net::{IpAddr, Ipv6Addr};

use super::super::http::Fields;

/// A network of trusted proxies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ProxyNet {
    network: IpAddr,
    prefix: u8,
}

impl ProxyNet {
    /// Reads `10.0.0.1`, `10.0.0.0/8` or `fd00::/8`.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (address, prefix) = match text.split_once('/') {
            Some((address, prefix)) if prefix.bytes().all(|byte| byte.is_ascii_digit()) => {
                (address, Some(prefix.parse().ok()?))
            }
            Some(_) => return None,
            None => (text, None),
        };
        let network = unmapped(address.parse().ok()?);
        let longest = if network.is_ipv4() { 32 } else { 128 };
        let prefix = prefix.unwrap_or(longest);
        (prefix <= longest).then_some(Self { network, prefix })
    }

    fn holds(self, address: IpAddr) -> bool {
        let cut = |bits: u128, width: u32| {
            let drop = width - u32::from(self.prefix);
            bits.checked_shr(drop).unwrap_or(0)
        };
        match (self.network, address) {
            (IpAddr::V4(ours), IpAddr::V4(theirs)) => {
                cut(ours.to_bits().into(), 32) == cut(theirs.to_bits().into(), 32)
            }
            (IpAddr::V6(ours), IpAddr::V6(theirs)) => {
                cut(ours.to_bits(), 128) == cut(theirs.to_bits(), 128)
            }
            _ => false,
        }
    }
}

impl fmt::Display for ProxyNet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.network, self.prefix)
    }
}

/// An IPv4 address that came in the form of an IPv6 one is that IPv4 address.
pub(crate) fn unmapped(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V6(v6) => v6.to_ipv4_mapped().map_or(address, IpAddr::V4),
        IpAddr::V4(_) => address,
    }
}

/// The proxies, and the one field that they write. The other is never looked at: a proxy lets it
/// pass as the client wrote it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Proxies {
    /// Who is believed.
    pub(crate) trusted: Vec<ProxyNet>,
    /// Whether they write `Forwarded` (RFC 7239), not `X-Forwarded-For`.
    pub(crate) rfc_7239: bool,
}

/// Who asks: the peer, unless it is a trusted proxy; then the rightmost entry that is not one.
/// What stands to the left of that, anybody could have written.
pub(crate) fn client(peer: IpAddr, fields: &Fields, proxies: &Proxies) -> IpAddr {
    let is_trusted = |address: IpAddr| proxies.trusted.iter().any(|net| net.holds(address));
    let mut client = unmapped(peer);
    if !is_trusted(client) {
        return client;
    }
    let (field, read): (_, fn(&str) -> Option<IpAddr>) =
        if proxies.rfc_7239 { ("forwarded", element) } else { ("x-forwarded-for", node) };
    let entries: Vec<_> = fields.all(field).flat_map(|it| it.split(',')).map(read).collect();
    for entry in entries.into_iter().rev() {
        // An entry that is no address was written by a trusted proxy about somebody unknown: its
        // own address is all that is known.
        let Some(address) = entry else { return client };
        client = address;
        if !is_trusted(client) {
            break;
        }
    }
    client
}

/// `for=` of one element of `Forwarded` (RFC 7239).
fn element(element: &str) -> Option<IpAddr> {
    let pairs = element.split(';').filter_map(|pair| pair.split_once('='));
    let mut named = pairs.filter(|(name, _)| name.trim().eq_ignore_ascii_case("for"));
    let value = named.next()?.1.trim();
    node(value.strip_prefix('"').and_then(|it| it.strip_suffix('"')).unwrap_or(value))
}

/// An address with or without a port, IPv6 in brackets or not.
fn node(text: &str) -> Option<IpAddr> {
    let text = text.trim();
    if let Some(rest) = text.strip_prefix('[') {
        return rest.split_once(']')?.0.parse::<Ipv6Addr>().ok().map(|it| unmapped(it.into()));
    }
    if let Ok(address) = text.parse::<IpAddr>() {
        return Some(unmapped(address));
    }
    let (host, port) = text.rsplit_once(':')?;
    port.parse::<u16>().ok()?;
    host.parse::<std::net::Ipv4Addr>().ok().map(IpAddr::V4)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn who(peer: &str, fields: &[(&str, &str)], trusted: &[&str]) -> String {
        ask(peer, fields, trusted, false)
    }

    fn ask(peer: &str, fields: &[(&str, &str)], trusted: &[&str], rfc_7239: bool) -> String {
        let mut all = Fields::default();
        for (name, value) in fields {
            all.add(name, *value);
        }
        let trusted: Vec<_> = trusted.iter().map(|net| ProxyNet::parse(net).unwrap()).collect();
        client(peer.parse().unwrap(), &all, &Proxies { trusted, rfc_7239 }).to_string()
    }

    #[test]
    fn nobody_is_believed_who_is_not_trusted() {
        let lie = [("X-Forwarded-For", "1.1.1.1"), ("Forwarded", "for=1.1.1.1")];
        assert_eq!(who("9.9.9.9", &lie, &[]), "9.9.9.9");
        assert_eq!(who("9.9.9.9", &lie, &["10.0.0.0/8"]), "9.9.9.9");
        assert_eq!(who("::ffff:9.9.9.9", &[], &[]), "9.9.9.9");
    }

    #[test]
    fn the_rightmost_entry_that_is_no_proxy_counts() {
        let trusted = ["10.0.0.0/8", "fd00::/8"];
        let at = |value| who("10.0.0.1", &[("X-Forwarded-For", value)], &trusted);
        assert_eq!(at("6.6.6.6, 8.8.8.8"), "8.8.8.8");
        assert_eq!(at("6.6.6.6, 8.8.8.8, 10.2.3.4"), "8.8.8.8");
        assert_eq!(at("8.8.8.8:4711"), "8.8.8.8");
        assert_eq!(at("[2001:db8::1]:443, fd00::5"), "2001:db8::1");
        assert_eq!(at("::ffff:8.8.8.8"), "8.8.8.8");
        // Everybody on the way is a proxy: the one who is furthest away.
        assert_eq!(at("10.9.9.9"), "10.9.9.9");
        assert_eq!(at("8.8.8.8, unknown"), "10.0.0.1");
        assert_eq!(at("8.8.8.8, unknown, 10.7.7.7"), "10.7.7.7");
        let twice = [("X-Forwarded-For", "6.6.6.6"), ("X-Forwarded-For", "7.7.7.7")];
        assert_eq!(who("10.0.0.1", &twice, &trusted), "7.7.7.7");
        // A proxy given as mapped address, and one without any field.
        assert_eq!(who("::ffff:10.0.0.1", &[("X-Forwarded-For", "8.8.8.8")], &trusted), "8.8.8.8");
        assert_eq!(who("10.0.0.1", &[], &trusted), "10.0.0.1");
    }

    #[test]
    fn forwarded_is_read_as_rfc_7239_writes_it() {
        let at = |value| ask("10.0.0.1", &[("Forwarded", value)], &["10.0.0.0/8"], true);
        assert_eq!(at("for=192.0.2.43, for=198.51.100.17;by=203.0.113.60"), "198.51.100.17");
        assert_eq!(at("For=\"[2001:db8:cafe::17]:4711\""), "2001:db8:cafe::17");
        assert_eq!(at("for=_hidden"), "10.0.0.1");
        // The field that the proxy does not write is the client's own word.
        let both = [("Forwarded", "for=6.6.6.6"), ("X-Forwarded-For", "8.8.8.8")];
        assert_eq!(ask("10.0.0.1", &both, &["10.0.0.1"], false), "8.8.8.8");
        assert_eq!(ask("10.0.0.1", &both, &["10.0.0.1"], true), "6.6.6.6");
        assert_eq!(ask("10.0.0.1", &both[1..], &["10.0.0.1"], true), "10.0.0.1");
    }

    #[test]
    fn networks_are_read_strictly() {
        for bad in ["", "10.0.0.0/33", "fd00::/129", "10.0.0.0/+8", "10.0.0.0/", "host"] {
            assert_eq!(ProxyNet::parse(bad), None, "{bad}");
        }
        let all = ProxyNet::parse("0.0.0.0/0").unwrap();
        assert!(all.holds("9.9.9.9".parse().unwrap()) && !all.holds("::1".parse().unwrap()));
        assert!(ProxyNet::parse("::/0").unwrap().holds("fd00::1".parse().unwrap()));
    }
}
