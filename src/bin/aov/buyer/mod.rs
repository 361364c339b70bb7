//! Buying from a server by x402: what it asks is checked, one payment is signed for a call, and that
//! same payment is sent until its outcome is known.
//!
//! Invariants: nothing is signed without being told to, nor above the price that was allowed, nor in
//! another currency than USDC; the signed payment is on the disk before it is sent; while its outcome
//! is unknown no other is signed for the same request.

mod call;
mod offer;
mod pending;
pub(crate) mod price;
#[cfg(test)]
mod tests;

use std::path::PathBuf;

use chrono::{DateTime, Utc};

pub(crate) use call::{Buyer, Outcome, Question};
pub(crate) use pending::Folder;

use crate::cmd::Failure;
use crate::serve::money::MicroUsd;
use crate::wallet::Wallet;

/// Whether, and how much, may be paid.
#[derive(Debug, Default, clap::Args)]
#[command(next_help_heading = "Payment")]
pub(crate) struct PayOptions {
    /// Pay for the answer if the server wants it (x402, USDC on Base): once, and no more than
    /// --max-price. Nothing is ever paid without this
    #[arg(long, requires = "url", requires = "max_price")]
    pay: bool,

    /// The most that may be paid, in dollars, such as 0.02
    #[arg(long, value_name = "USD", requires = "pay", value_parser = usd)]
    max_price: Option<MicroUsd>,

    /// The private key of the account that pays, 64 hexadecimal digits; without this option
    /// AOV_WALLET_KEY may hold it
    #[arg(long, value_name = "FILE", requires = "pay")]
    wallet_key_file: Option<PathBuf>,
}

fn usd(text: &str) -> Result<MicroUsd, String> {
    match MicroUsd::parse(text) {
        Some(MicroUsd(0)) | None => Err("a price in dollars, such as 0.02".to_owned()),
        Some(price) => Ok(price),
    }
}

/// Leave to pay.
#[derive(Debug)]
pub(crate) struct Purse {
    /// Who pays.
    pub(crate) wallet: Wallet,
    /// The most that may be paid.
    pub(crate) max_price: MicroUsd,
    /// Where signed payments are kept until their outcome is known.
    pub(crate) folder: Folder,
}

impl PayOptions {
    /// The purse, if paying was asked for.
    pub(crate) fn purse(&self) -> Result<Option<Purse>, Failure> {
        let (true, Some(max_price)) = (self.pay, self.max_price) else { return Ok(None) };
        let wallet = Wallet::load(self.wallet_key_file.as_deref()).map_err(Failure::Usage)?;
        let folder = Folder::of_user().ok_or_else(|| {
            Failure::Usage(
                "--pay keeps each signed payment until its outcome is known, and has no place for it: set HOME or XDG_DATA_HOME".to_owned(),
            )
        })?;
        Ok(Some(Purse { wallet, max_price, folder }))
    }
}

/// The time, which is an argument everywhere else.
pub(crate) fn now() -> DateTime<Utc> {
    Utc::now()
}
