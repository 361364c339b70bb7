//! What is refused before anybody is asked, and what is offered.

use num_bigint::BigUint;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::super::eip712::{Address, Authorization};
use super::super::requirements::MAX_DESCRIPTION;
use super::super::wire;
use super::scripted::FEE_PAYER;
use super::wallet::{self, Wallet};
use super::world::{PAY_TO, PAY_TO_SOLANA, World, is, short};

const NO_MATCH: &str = "No matching payment requirements";

/// Every value that the table of X402 §1 and the configuration give, and nothing else.
#[test]
fn rule_01_price_and_payee_come_from_the_configuration() {
    let world = World::new();
    let required = world.required();
    assert_eq!(required["x402Version"], 2);
    assert_eq!(required["resource"]["url"], "https://verifier.example/verify/schema");
    assert_eq!(
        required["accepts"],
        json!([
            { "scheme": "exact", "network": "eip155:8453", "amount": "20000",
              "asset": "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913", "payTo": PAY_TO,
              "maxTimeoutSeconds": 300, "extra": { "name": "USD Coin", "version": "2" } },
            { "scheme": "exact", "network": "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp", "amount": "20000",
              "asset": "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v", "payTo": PAY_TO_SOLANA,
              "maxTimeoutSeconds": 300, "extra": { "feePayer": FEE_PAYER } },
        ])
    );
    // What goes to the facilitator is our own entry.
    let payment = world.payment(&Wallet::new(5), 1);
    is(&world.buy(&payment, "a"), 200, r#"{"answer":0}"#);
    let sent = &world.facilitator.settled()[0];
    assert_eq!(sent["paymentRequirements"], required["accepts"][0]);
}

#[test]
fn rule_02_what_is_accepted_must_be_what_is_offered() {
    let world = World::new();
    let good = world.payment(&Wallet::new(5), 1);
    for (field, value) in [
        ("amount", json!("19999")),
        ("amount", json!("020000")),
        ("amount", json!(20_000)),
        ("payTo", json!("0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266")),
        ("payTo", json!(PAY_TO.to_lowercase())),
        ("asset", json!("0x036CbD53842c5426634e7929541eC2318f3dCF7e")),
        ("network", json!("eip155:84532")),
        ("scheme", json!("upto")),
        ("maxTimeoutSeconds", json!(301)),
        ("maxTimeoutSeconds", json!("300")),
        ("extra", json!({ "name": "USDC", "version": "2" })),
        ("extra", json!({})),
    ] {
        let mut altered = good.clone();
        altered["accepted"][field] = value.clone();
        is(&world.buy(&altered, "a"), 402, NO_MATCH);
    }
    // Additions to `extra` are allowed.
    let mut added = good;
    added["accepted"]["extra"]["note"] = "x".into();
    is(&world.buy(&added, "a"), 200, r#"{"answer":0}"#);
}

/// "accepted intact, signed value 1", and "signed to the attacker".
#[test]
fn rule_02_what_is_signed_must_be_what_is_accepted() {
    let world = World::new();
    let (wallet, required) = (Wallet::new(5), world.required());
    let accepted = &required["accepts"][0];
    let good = wallet.authorization(accepted, 1, world.now());
    let signed = |authorization: &Authorization| {
        wallet::payment(&required, accepted, wallet.payload(authorization))
    };
    for wrong in [
        Authorization { value: BigUint::from(1u8), ..good.clone() },
        Authorization { value: BigUint::from(20_001u32), ..good.clone() },
        Authorization { to: Address([9; 20]), ..good.clone() },
    ] {
        is(&world.buy(&signed(&wrong), "a"), 402, NO_MATCH);
    }
    // Somebody else's account.
    let mut stolen = signed(&good);
    stolen["payload"]["authorization"]["from"] = Wallet::new(6).address().lower().into();
    is(&world.buy(&stolen, "a"), 402, "invalid_exact_evm_signature");
    // Other ways to transfer are not offered.
    let mut permit = signed(&good);
    permit["payload"]["permit2Authorization"] = json!({});
    is(&world.buy(&permit, "a"), 402, NO_MATCH);
    // Written right and signed otherwise.
    let mut forged = signed(&Authorization { value: BigUint::from(1u8), ..good });
    forged["payload"]["authorization"]["value"] = "20000".into();
    is(&world.buy(&forged, "a"), 402, "invalid_exact_evm_signature");
    assert_eq!((world.facilitator.verified().len(), world.counts()), (0, [0; 4]));
}

#[test]
fn rule_03_amounts_are_digits() {
    let world = World::new();
    let good = world.payment(&Wallet::new(5), 1);
    for bad in [
        json!("+20000"),
        json!("-20000"),
        json!(" 20000"),
        json!("20000 "),
        json!("0x4e20"),
        json!("2e4"),
        json!("20000.0"),
        json!(""),
        json!(20_000),
        json!("２００００"),
        json!("0".repeat(74) + "20000"),
    ] {
        let mut altered = good.clone();
        altered["payload"]["authorization"]["value"] = bad;
        is(&world.buy(&altered, "a"), 400, "invalid_payload");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// The same as the expression `^[0-9]{1,78}$`, and the same number whatever its zeros.
    #[test]
    fn rule_03_amounts_compare_as_numbers(number in 0u128.., zeros in 0usize..40, text in "[0-9+\\-xe. ]{0,80}") {
        let padded = format!("{}{number}", "0".repeat(zeros));
        prop_assert!(wire::same_amount(&padded, &number.to_string()));
        prop_assert!(!wire::same_amount(&padded, &(number ^ 1).to_string()));
        let digits = !text.is_empty() && text.len() <= 78 && text.chars().all(|it| it.is_ascii_digit());
        prop_assert_eq!(wire::is_amount(&text), digits);
    }

    /// Whatever comes as a field, there is an answer, and nothing is charged.
    #[test]
    fn rule_16_no_field_is_too_strange(text in ".{0,300}") {
        let world = World::new();
        let answer = world.buy_at("/verify/schema", &[&text], "a");
        is(&answer, 400, "invalid_payload");
    }
}

#[test]
fn rule_06_another_resource_is_another_thing() {
    let world = World::new();
    let mut payment = world.payment(&Wallet::new(5), 1);
    payment["resource"]["url"] = "https://verifier.example/score/x".into();
    is(&world.buy(&payment, "a"), 402, NO_MATCH);
    payment.as_object_mut().unwrap().remove("resource");
    is(&world.buy(&payment, "a"), 200, r#"{"answer":0}"#);
}

#[test]
fn malformed_payments_are_400() {
    let world = World::new();
    let good = world.payment(&Wallet::new(5), 1);
    let encoded = wire::encode(&good);
    for bad in ["", "%%%", "e30=", "bnVsbA==", "W10=", &encoded[1..], "eyJhIjoxLCJhIjoyfQ=="] {
        is(&world.buy_at("/verify/schema", &[bad], "a"), 400, "invalid_payload");
    }
    for (name, value) in [
        ("accepted", Value::Null),
        ("payload", json!([])),
        ("accepted", json!("x")),
        ("extensions", json!(1)),
        ("resource", json!("r")),
    ] {
        let mut altered = good.clone();
        altered[name] = value.clone();
        // A null is as good as absent, which is wrong only for what must be there.
        is(&world.buy(&altered, "a"), 400, "invalid_payload");
    }
    for version in [json!(1), json!("2"), json!(2.5), json!(3)] {
        let mut altered = good.clone();
        altered["x402Version"] = version;
        is(&world.buy(&altered, "a"), 400, "invalid_x402_version");
    }
    for (field, value) in [
        ("nonce", json!("0x12")),
        ("from", json!("0x12")),
        ("to", json!(7)),
        ("validBefore", json!("soon")),
    ] {
        let mut altered = good.clone();
        altered["payload"]["authorization"][field] = value;
        is(&world.buy(&altered, "a"), 400, "invalid_payload");
    }
    for signature in ["0x", "0x1234", "zz", &format!("0x{}", "00".repeat(9000))] {
        let mut altered = good.clone();
        altered["payload"]["signature"] = signature.into();
        let (status, code) = short(&world.buy(&altered, "a"));
        assert_eq!((status, &*code), (400, "invalid_payload"));
    }
    assert_eq!(world.facilitator.verified().len(), 0);
}

#[test]
fn rule_16_one_field_of_16_kib() {
    let world = World::new();
    let good = world.payment(&Wallet::new(5), 1);
    let field = wire::encode(&good);
    is(&world.buy_at("/verify/schema", &[&field, &field], "a"), 400, "invalid_payload");
    let mut large = good.clone();
    large["padding"] = "x".repeat(16 << 10).into();
    is(&world.buy(&large, "a"), 400, "invalid_payload");
    // Deeper than any payment.
    let mut deep = good;
    deep["padding"] = (0..40).fold(json!(1), |inner, _| json!([inner]));
    is(&world.buy(&deep, "a"), 400, "invalid_payload");
    // Padding may be left out, and the URL alphabet is taken.
    let url_safe = field.trim_end_matches('=').replace('+', "-").replace('/', "_");
    is(&world.buy_at("/verify/schema", &[&format!(" {url_safe} ")], "a"), 200, r#"{"answer":0}"#);
}

#[test]
fn rules_14_15_24_times_are_bounded_on_both_sides() {
    let world = World::new();
    let (wallet, required) = (Wallet::new(5), world.required());
    let accepted = &required["accepts"][0];
    let seconds = u64::try_from(world.now().timestamp()).unwrap();
    let at = |valid_after: u64, valid_before: u64, nonce| {
        let good = wallet.authorization(accepted, nonce, world.now());
        let signed = Authorization { valid_after, valid_before, ..good };
        short(&world.buy(&wallet::payment(&required, accepted, wallet.payload(&signed)), "a"))
    };
    let before = (402, "invalid_exact_evm_payload_authorization_valid_before".to_owned());
    let after = (402, "invalid_exact_evm_payload_authorization_valid_after".to_owned());
    // Rule 15: 120 s must be left. Rules 14 and 24: at most 300 s and a skew of 600 s.
    for bad in [0, seconds - 1, seconds + 119, seconds + 901, seconds + 315_360_000, u64::MAX] {
        assert_eq!(at(0, bad, 1), before, "{bad}");
    }
    for bad in [seconds + 1, u64::MAX] {
        assert_eq!(at(bad, seconds + 300, 1), after);
    }
    // PyPI signs with 0, npm with ten minutes ago.
    for (nonce, (valid_after, valid_before)) in
        [(0, seconds + 120), (seconds, seconds + 900), (seconds - 600, seconds + 300)]
            .into_iter()
            .enumerate()
    {
        assert_eq!(at(valid_after, valid_before, 10 + u8::try_from(nonce).unwrap()).0, 200);
    }
}

#[test]
fn rule_19_an_altered_echo_is_refused_and_additions_go_nowhere() {
    let world = World::new();
    let good = world.payment(&Wallet::new(5), 1);
    for (at, value) in [
        ("/extensions/bazaar/info/input/method", json!("GET")),
        ("/extensions/bazaar/info/input/body/task_id", json!("poison")),
        ("/extensions/bazaar/info/output", json!(null)),
        ("/extensions/bazaar/info", json!({})),
        ("/extensions/payment-identifier/info/required", json!(true)),
    ] {
        let mut altered = good.clone();
        *altered.pointer_mut(at).unwrap() = value;
        is(&world.buy(&altered, "a"), 402, "extension_echo_mismatch");
    }
    let mut added = good;
    added["extensions"]["bazaar"]["info"]["poison"] = "p".into();
    added["extensions"]["bazaar"]["schema"]["poison"] = "p".into();
    added["extensions"]["unknown"] = json!({ "poison": 1 });
    added["resource"]["description"] = "poison".into();
    added["poison"] = json!(1);
    // Strict facilitators refuse nulls.
    added["accepted"]["extra"]["memo"] = Value::Null;
    is(&world.buy(&added, "a"), 200, r#"{"answer":0}"#);
    for sent in world.facilitator.verified().iter().chain(&world.facilitator.settled()) {
        assert!(
            !sent.to_string().contains("poison") && !sent.to_string().contains(":null"),
            "{sent}"
        );
        assert_eq!(
            sent["paymentPayload"]["extensions"]["bazaar"],
            world.required()["extensions"]["bazaar"]
        );
        assert_eq!(sent["paymentPayload"]["payload"], added["payload"]);
    }
}

#[test]
fn rule_22_nobody_pays_themselves() {
    let world = World::new();
    let required = world.required();
    // Nobody here has the key of PAY_TO; a contract's signature is not checked by us.
    let mut payment = world.payment(&Wallet::new(5), 1);
    payment["payload"]["authorization"]["from"] = PAY_TO.into();
    payment["payload"]["signature"] = format!("0x{}", "11".repeat(70)).into();
    is(&world.buy(&payment, "a"), 402, "self_send_not_allowed");
    assert_eq!(required["accepts"].as_array().unwrap().len(), 2);
}

#[test]
fn the_402_fits_and_has_no_nulls() {
    let world = World::new();
    let required = world.required();
    // With room for a longer name and address of the service.
    assert!(wire::encode(&required).len() < 2_800, "{}", wire::encode(&required).len());
    assert!(required["resource"]["description"].as_str().unwrap().len() <= MAX_DESCRIPTION);
    assert!(!required.to_string().contains(":null"), "{required}");
    let field = wire::encode(&required);
    assert!(field.bytes().all(|it| it.is_ascii_alphanumeric() || b"+/=".contains(&it)));
    assert_eq!(field.len() % 4, 0);
    assert_eq!(wire::decode(&field).as_ref(), Some(&required));
}
