//! The rules of X402 §8, each by a test that names it, over a scripted facilitator on loopback and
//! a ledger in memory. Rules that are about the configuration or the front door have their tests
//! there.

mod checks;
mod crash;
mod money;
mod proofs;
mod random;
mod scripted;
mod settlement;
mod supported;
mod wallet;
mod world;
