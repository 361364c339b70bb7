//! Which addresses are on the public internet (IANA special-purpose registries, RFC 6890).

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Whether an address may be connected to because a receipt says so: not private, not local, not
/// shared (CGNAT), not reserved, and none of these hidden in an IPv6 address.
pub(super) fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

/// Whether an address is this machine.
pub(super) fn is_loopback(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => address.is_loopback(),
        IpAddr::V6(address) => {
            address.is_loopback() || address.to_ipv4_mapped().is_some_and(|it| it.is_loopback())
        }
    }
}

/// Whether a host, as written in an address, is a name of this machine. `localhost` is checked
/// again when it is resolved.
pub(super) fn is_loopback_name(host: &str) -> bool {
    let bare = host.strip_prefix('[').and_then(|it| it.strip_suffix(']')).unwrap_or(host);
    host.eq_ignore_ascii_case("localhost") || bare.parse().is_ok_and(is_loopback)
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    let special = match a {
        // This network, private, loopback; multicast, reserved and broadcast.
        0 | 10 | 127 | 224.. => true,
        // Shared address space of carriers (RFC 6598).
        100 => b & 0xC0 == 64,
        // Link-local.
        169 => b == 254,
        172 => b & 0xF0 == 16,
        // IETF protocols, documentation, the former 6to4 relay, private.
        192 => matches!((b, c), (0, 0 | 2) | (88, 99) | (168, _)),
        // Benchmarks, documentation.
        198 => matches!((b, c), (18 | 19, _) | (51, 100)),
        203 => (b, c) == (0, 113),
        _ => false,
    };
    !special
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    if let Some(mapped) = address.to_ipv4_mapped() {
        return is_public_v4(mapped);
    }
    let segments = address.segments();
    match segments {
        // NAT64 (RFC 6052): how an IPv6-only network reaches an IPv4 address.
        [0x64, 0xFF9B, 0, 0, 0, 0, high, low] => {
            let [a, b] = high.to_be_bytes();
            let [c, d] = low.to_be_bytes();
            is_public_v4(Ipv4Addr::new(a, b, c, d))
        }
        // Global unicast but IETF protocols (Teredo among them), documentation and 6to4, which
        // hides an IPv4 address.
        [0x2001, second, ..] => second >= 0x200 && second != 0xDB8,
        [0x2002, ..] => false,
        [0x3FFF, second, ..] => second & 0xF000 != 0,
        [first, ..] => first & 0xE000 == 0x2000,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn special_addresses_are_not_public() {
        for address in [
            "0.0.0.0",
            "10.0.0.1",
            "100.64.0.1",
            "100.127.255.255",
            "127.0.0.1",
            "127.9.9.9",
            "169.254.169.254",
            "172.16.0.1",
            "172.31.255.255",
            "192.0.0.1",
            "192.0.2.1",
            "192.88.99.1",
            "192.168.1.1",
            "198.18.0.1",
            "198.19.255.255",
            "198.51.100.1",
            "203.0.113.9",
            "224.0.0.1",
            "240.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::ffff:127.0.0.1",
            "::ffff:10.0.0.1",
            "::ffff:169.254.169.254",
            "::127.0.0.1",
            "64:ff9b::10.0.0.1",
            "64:ff9b::127.0.0.1",
            "64:ff9b:1::1",
            "100::1",
            "2001::1",
            "2001:2::1",
            "2001:10::1",
            "2001:db8::1",
            "2002:7f00:1::1",
            "3fff::1",
            "5f00::1",
            "fc00::1",
            "fd12:3456::1",
            "fe80::1",
            "fec0::1",
            "ff02::1",
        ] {
            assert!(!is_public(address.parse().unwrap()), "{address}");
        }
    }

    #[test]
    fn others_are() {
        for address in [
            "1.1.1.1",
            "9.9.9.9",
            "11.0.0.1",
            "100.63.255.255",
            "100.128.0.1",
            "126.1.1.1",
            "169.253.1.1",
            "172.15.0.1",
            "172.32.0.1",
            "192.0.1.1",
            "192.167.1.1",
            "192.169.1.1",
            "198.17.0.1",
            "198.20.0.1",
            "203.0.112.1",
            "223.255.255.255",
            "2606:4700::1111",
            "2001:4860:4860::8888",
            "2a00::1",
            "::ffff:1.1.1.1",
            "64:ff9b::1.1.1.1",
            "2003::1",
            "3ffe::1",
        ] {
            assert!(is_public(address.parse().unwrap()), "{address}");
        }
    }

    #[test]
    fn names_of_this_machine() {
        for host in [
            "localhost",
            "LOCALHOST",
            "127.0.0.1",
            "127.1.2.3",
            "[::1]",
            "::1",
            "[::ffff:127.0.0.1]",
        ] {
            assert!(is_loopback_name(host), "{host}");
        }
        for host in
            ["", "localhost.", "localhost.example", "128.0.0.1", "[::2]", "0.0.0.0", "2130706433"]
        {
            assert!(!is_loopback_name(host), "{host}");
        }
    }
}
