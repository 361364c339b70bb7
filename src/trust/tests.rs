use super::*;
use crate::key::{KeyVersion, SigningKey};

const FIRST: &str = "https://fastapi-service-5ag4.onrender.com/.well-known/agent-card.json";
const HOSTED: &str = "https://verify.sarnai.dev/.well-known/agent-card.json";
const OTHER: &str = "https://verifier.example/.well-known/agent-card.json";
const PINNED: &str = "v1-2026-09c";

fn key(seed: u8) -> PublicKey {
    SigningKey::from_seed(&[seed; 32], KeyVersion::new("v").unwrap()).public()
}

fn hosted() -> PublicKey {
    PublicKey::from_base64("d2IHH0/Xduci/5J8IewYmauUvgqf+gFIeCEXDwjHUhw=").unwrap()
}

fn card(entries: &[(&str, PublicKey)]) -> CardKeys {
    let entries: Vec<_> = entries
        .iter()
        .map(|(version, key)| {
            let key = key.to_base64();
            format!(r#"{{"keyVersion":"{version}","algorithm":"Ed25519","publicKey":"{key}"}}"#)
        })
        .collect();
    CardKeys::read(format!(
        r#"{{"capabilities":{{"extensions":[{{"uri":"urn:json-schema-verifier:extension:attestation:v1","params":{{"publicKeys":[{}]}}}}]}}}}"#,
        entries.join(",")
    ))
    .unwrap()
}

fn claim<'r>(url: &'r str, version: &'r str) -> KeyClaim<'r> {
    KeyClaim { url: Some(url), version }
}

fn given_key(key: PublicKey, version: Option<&str>) -> Given {
    let version = version.map(|version| KeyVersion::new(version).unwrap());
    Given { key: Some(GivenKey { key, version }), card: None }
}

fn given_card(card: CardKeys) -> Given {
    Given { key: None, card: Some((card, KeySource::CardFile)) }
}

/// The code of a decision without a key, and which of the three it is.
fn refusal(lookup: Lookup<'_>) -> (&'static str, Code) {
    match lookup {
        Lookup::Settled(KeyDecision::Untrusted(refusal)) => ("untrusted", refusal.code),
        Lookup::Settled(KeyDecision::Contradicted(refusal)) => ("contradicted", refusal.code),
        other => panic!("{other:?}"),
    }
}

fn trusted(lookup: Lookup<'_>) -> TrustedKey {
    match lookup {
        Lookup::Settled(KeyDecision::Trusted(key)) => *key,
        other => panic!("{other:?}"),
    }
}

fn listed(url: &str) -> Issuer {
    Issuer {
        card: CardAddress::parse(url).unwrap(),
        pins: vec![],
        pinned_only: false,
        origin: Origin::CommandLine,
    }
}

#[test]
fn the_built_in_issuers_have_the_pinned_key() {
    let list = TrustList::built_in();
    assert_eq!(list.issuers().len(), 3);
    for url in [FIRST, HOSTED, "https://score.sarnai.dev/.well-known/agent-card.json"] {
        let found = trusted(list.look_up(claim(url, PINNED), &Given::default()));
        assert_eq!((found.key, found.source), (hosted(), KeySource::Pinned), "{url}");
    }
}

#[test]
fn only_hosted_names_may_have_unpinned_versions() {
    let list = TrustList::built_in();
    let none = Given::default();
    assert_eq!(
        refusal(list.look_up(claim(FIRST, "v2"), &none)),
        ("untrusted", Code::IssuerVersionNotPinned)
    );
    let Lookup::Fetch(issuer) = list.look_up(claim(HOSTED, "v2"), &none) else { panic!() };
    assert_eq!(issuer.card.authority(), "verify.sarnai.dev");
}

#[test]
fn who_is_not_listed_is_untrusted_whatever_the_receipt_says() {
    let list = TrustList::built_in();
    let none = Given::default();
    let code = |url: Option<&str>| refusal(list.look_up(KeyClaim { url, version: PINNED }, &none));
    assert_eq!(code(None), ("untrusted", Code::IssuerUnnamed));
    assert_eq!(code(Some(OTHER)), ("untrusted", Code::IssuerUnknown));
    for url in [
        "http://verify.sarnai.dev/.well-known/agent-card.json",
        "https://verify.sarnai.dev@evil.example/.well-known/agent-card.json",
        "https://verify.sarnai.dev/.well-known/agent-card.json?",
        "",
    ] {
        assert_eq!(code(Some(url)), ("untrusted", Code::IssuerAddress), "{url}");
    }
    for url in [
        "https://verify.sarnai.dev.evil.example/.well-known/agent-card.json",
        "https://evil.verify.sarnai.dev/.well-known/agent-card.json",
        "https://verify.sarnai.dev:8443/.well-known/agent-card.json",
        "https://sarnai.dev/.well-known/agent-card.json",
    ] {
        assert_eq!(code(Some(url)), ("untrusted", Code::IssuerUnknown), "{url}");
    }
    let upload = "https://verify.sarnai.dev/uploads/agent-card.json";
    assert_eq!(code(Some(upload)), ("untrusted", Code::IssuerOtherAddress));
}

#[test]
fn the_users_own_key_is_the_users_own_decision() {
    let list = TrustList::built_in();
    for claim in [claim(OTHER, "v9"), KeyClaim { url: None, version: "v9" }] {
        let found = trusted(list.look_up(claim, &given_key(key(1), None)));
        assert_eq!((found.key, found.source), (key(1), KeySource::Given));
        assert_eq!(found.issuer, IssuerTrust::Given);
        let found = trusted(list.look_up(claim, &given_card(card(&[("v9", key(1))]))));
        assert_eq!((found.key, found.source), (key(1), KeySource::CardFile));
    }
}

#[test]
fn given_keys_must_agree_with_each_other_and_with_the_receipt() {
    let list = TrustList::built_in();
    let code = |given: &Given| refusal(list.look_up(claim(OTHER, "v1"), given));
    let both = |key, card| Given { key: given_key(key, None).key, ..given_card(card) };
    let listing = card(&[("v1", key(1))]);
    assert_eq!(
        trusted(list.look_up(claim(OTHER, "v1"), &both(key(1), listing.clone()))).key,
        key(1)
    );
    assert_eq!(code(&both(key(2), listing)), ("contradicted", Code::GivenKeysDisagree));
    assert_eq!(code(&given_key(key(1), Some("v2"))), ("contradicted", Code::GivenVersionDiffers));
    let other = card(&[("v2", key(1))]);
    assert_eq!(code(&given_card(other.clone())), ("contradicted", Code::VersionAbsent));
    assert_eq!(code(&both(key(1), other)), ("contradicted", Code::VersionAbsent));
    for pair in [[("v1", key(1)), ("v1", key(2))], [("v1", key(2)), ("v1", key(1))]] {
        assert_eq!(code(&given_card(card(&pair))), ("contradicted", Code::VersionConflict));
    }
}

#[test]
fn nobody_replaces_a_pinned_key() {
    let list = TrustList::built_in();
    for url in [FIRST, HOSTED] {
        let code = |given: &Given| refusal(list.look_up(claim(url, PINNED), given));
        assert_eq!(code(&given_key(key(1), None)), ("contradicted", Code::PinDiffers));
        let forged = card(&[(PINNED, key(1))]);
        assert_eq!(code(&given_card(forged)), ("contradicted", Code::PinDiffers));
        let newer =
            list.look_up(claim(url, "v2"), &given_card(card(&[("v2", key(2)), (PINNED, key(1))])));
        assert_eq!(refusal(newer), ("contradicted", Code::PinDiffers));
        assert_eq!(
            trusted(list.look_up(claim(url, PINNED), &given_key(hosted(), None))).key,
            hosted()
        );
    }
    // A fetched card is compared with every pin, also where the receipt names another version.
    let issuer = &list.issuers()[0];
    let fetched =
        |card: &CardKeys, version| TrustList::resolve(issuer, version, card, KeySource::Fetched);
    let decision = fetched(&card(&[("v2", key(2)), (PINNED, key(1))]), "v2");
    assert_eq!(refusal(Lookup::Settled(decision)), ("contradicted", Code::PinDiffers));
    let decision = fetched(&card(&[("v2", key(2)), (PINNED, hosted())]), "v2");
    assert_eq!(trusted(Lookup::Settled(decision)).key, key(2));
    let decision = fetched(&card(&[(PINNED, hosted())]), "v2");
    assert_eq!(refusal(Lookup::Settled(decision)), ("contradicted", Code::VersionAbsent));
    let decision = fetched(&card(&[("v3", key(1)), ("v3", key(2)), ("v2", key(2))]), "v2");
    assert_eq!(refusal(Lookup::Settled(decision)), ("contradicted", Code::VersionConflict));
}

#[test]
fn the_user_may_trust_more_but_not_pin_twice() {
    let mut list = TrustList::built_in();
    list.add(listed(OTHER)).unwrap();
    let Lookup::Fetch(issuer) = list.look_up(claim(OTHER, "v1"), &Given::default()) else {
        panic!()
    };
    assert_eq!(issuer.origin, Origin::CommandLine);

    let pinned = |key| Issuer { pins: vec![(PINNED.into(), key)], ..listed(FIRST) };
    assert_eq!(
        list.add(pinned(key(1))),
        Err(PinConflict { issuer: CardAddress::parse(FIRST).unwrap(), version: PINNED.into() })
    );
    list.add(pinned(hosted())).unwrap();
    assert!(matches!(list.look_up(claim(FIRST, "v2"), &Given::default()), Lookup::Fetch(_)));
    assert_eq!(trusted(list.look_up(claim(FIRST, PINNED), &Given::default())).key, hosted());
}
