use crate::support::Sandbox;
use crate::world::{BODY, Chain, buy_solana, packages, seller};

#[test]
fn a_client_buys_on_solana() {
    let Some(packages) = packages() else { return };
    let (home, chain) = (Sandbox::new(), Chain::solana(&packages));
    let network = "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp";
    let server = seller(&home, &[(network, &chain)], 0);
    let before = chain.balances();
    let answer = buy_solana(&packages, &server.url("/verify/schema"), BODY, chain.text("rpc"));
    assert_eq!(answer["status"], 200, "{answer}");
    assert_eq!(answer["settlement"]["network"], network);
    let after = chain.balances();
    assert_eq!(after, (before.0 - 20_000, before.1 + 20_000));
}
