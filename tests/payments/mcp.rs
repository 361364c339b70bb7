use serde_json::Value;

use crate::support::Sandbox;
use crate::world::{BODY, Chain, FAILING, INVALID, buy_mcp, packages, seller};

const BASE: &str = "eip155:8453";
const PRICE: u64 = 20_000;

#[test]
fn the_mcp_client_of_pypi_buys() {
    let Some(packages) = packages() else { return };
    let (home, chain) = (Sandbox::new(), Chain::base(&packages));
    let server = seller(&home, &[(BASE, &chain)], 0);
    let (url, key) = (server.url("/mcp"), chain.text("payer_key"));
    for (arguments, verdict) in [(BODY, "pass"), (FAILING, "fail")] {
        let before = chain.balances();
        let answer = buy_mcp(&packages, &url, arguments, key);
        assert_eq!(
            (&answer["paid"], &answer["is_error"]),
            (&true.into(), &false.into()),
            "{answer}"
        );
        let body: Value = serde_json::from_str(answer["text"].as_str().unwrap()).unwrap();
        assert_eq!(body["result"], verdict);
        assert_eq!(chain.balances(), (before.0 - PRICE, before.1 + PRICE));
    }
    // Refused before anybody pays.
    let before = chain.balances();
    let refused = buy_mcp(&packages, &url, INVALID, key);
    assert_eq!(
        (&refused["paid"], &refused["is_error"]),
        (&false.into(), &true.into()),
        "{refused}"
    );
    assert_eq!(chain.balances(), before);
    // Settled and lost on the way: one charge, one answer.
    chain.fault(r#"{"settle":"lost"}"#);
    let lost = buy_mcp(&packages, &url, BODY, key);
    assert_eq!((&lost["paid"], &lost["is_error"]), (&true.into(), &false.into()), "{lost}");
    assert_eq!(chain.balances(), (before.0 - PRICE, before.1 + PRICE));
}
