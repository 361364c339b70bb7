//! The payer's key on Base: from a file that only its owner can read, or the environment; never an
//! argument. It signs EIP-3009 authorizations and nothing else.

use std::fmt;
use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use chrono::{DateTime, Utc};
use k256::ecdsa::SigningKey;
use num_bigint::BigUint;
use serde_json::{Value, json};
use zeroize::Zeroizing;

use crate::private::{self, Privacy};
use crate::serve::chain::Chain;
use crate::serve::x402::eip712::{Address, Authorization};
use crate::serve::x402::wire;
use crate::term;

/// The variable that may hold a key instead of a file.
pub(crate) const VARIABLE: &str = "AOV_WALLET_KEY";
/// More than any key file needs.
const MAX_BYTES: u64 = 4096;
/// Clocks of chains may be behind ours.
const VALID_AFTER: u64 = 600;

/// A key of an account.
pub(crate) struct Wallet {
    key: SigningKey,
}

impl fmt::Debug for Wallet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Wallet").field("address", &self.address().checksummed()).finish()
    }
}

/// What is to be paid.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Transfer {
    /// Where.
    pub(crate) chain: &'static Chain,
    /// To whom.
    pub(crate) to: Address,
    /// Atomic units.
    pub(crate) value: u64,
    /// For how long the payee may take it.
    pub(crate) seconds: u64,
}

impl Wallet {
    /// The key in a file, or in the environment where no file is named.
    pub(crate) fn load(file: Option<&Path>) -> Result<Self, String> {
        if let Some(path) = file {
            let shown = term::safe_path(path);
            return Self::parse(
                &read(path).map_err(|why| format!("no wallet key from {shown}: {why}"))?,
            )
            .map_err(|why| format!("no wallet key from {shown}: {why}"));
        }
        let text = std::env::var(VARIABLE).map(Zeroizing::new).map_err(|_| {
            format!(
                "--pay needs a key: name its file with --wallet-key-file, or put it in {VARIABLE}"
            )
        })?;
        Self::parse(&text).map_err(|why| format!("no wallet key from {VARIABLE}: {why}"))
    }

    fn parse(text: &str) -> Result<Self, String> {
        let text = text.trim();
        let digits = Zeroizing::new(format!("0x{}", text.strip_prefix("0x").unwrap_or(text)));
        let bytes = wire::hex(&digits).map(Zeroizing::new).filter(|it| it.len() == 32);
        let key = bytes.and_then(|bytes| SigningKey::from_slice(&bytes).ok());
        key.map(|key| Self { key }).ok_or_else(|| {
            "it is not a private key of an account (64 hexadecimal digits, with or without 0x)"
                .to_owned()
        })
    }

    /// The account.
    pub(crate) fn address(&self) -> Address {
        Address::of(self.key.verifying_key())
    }

    /// Signs a transfer, good from now on for its time: the `payload` of x402, and its end.
    pub(crate) fn sign(
        &self,
        transfer: &Transfer,
        now: DateTime<Utc>,
    ) -> Result<(Value, u64), String> {
        let now =
            u64::try_from(now.timestamp()).map_err(|_| "the clock is before 1970".to_owned())?;
        let mut nonce = [0; 32];
        getrandom::fill(&mut nonce).map_err(|error| format!("no random numbers: {error}"))?;
        let authorization = Authorization {
            from: self.address(),
            to: transfer.to,
            value: BigUint::from(transfer.value),
            valid_after: now.saturating_sub(VALID_AFTER),
            valid_before: now + transfer.seconds,
            nonce,
        };
        let signature = authorization.sign(transfer.chain, &self.key);
        let signature = signature
            .ok_or_else(|| format!("no payments are signed for {}", transfer.chain.name))?;
        let payload = json!({
            "signature": wire::to_hex(&signature),
            "authorization": {
                "from": authorization.from.checksummed(),
                "to": authorization.to.checksummed(),
                "value": authorization.value.to_string(),
                "validAfter": authorization.valid_after.to_string(),
                "validBefore": authorization.valid_before.to_string(),
                "nonce": wire::to_hex(&authorization.nonce),
            },
        });
        Ok((payload, authorization.valid_before))
    }
}

fn read(path: &Path) -> Result<Zeroizing<String>, String> {
    let file = File::open(path).map_err(|error| error.to_string())?;
    // Of the file that was opened, not of the name, which may mean another by now.
    let metadata = file.metadata().map_err(|error| error.to_string())?;
    if !metadata.is_file() {
        return Err("it is not a regular file".to_owned());
    }
    private::check(path, &metadata, Privacy::Secret).map_err(|loose| loose.message)?;
    // Never grown, which would leave copies behind.
    let mut bytes = Zeroizing::new(Vec::with_capacity(MAX_BYTES as usize + 1));
    file.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
    match std::str::from_utf8(&bytes) {
        Ok(text) if bytes.len() as u64 <= MAX_BYTES => Ok(Zeroizing::new(text.to_owned())),
        _ => Err("this is not a key file".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::serve::chain::CHAINS;

    /// The second account of the well-known test mnemonic.
    const KEY: &str = "59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d";

    #[test]
    fn a_wallet_signs_for_its_account_and_never_twice_the_same() {
        let wallet = Wallet::parse(&format!("0x{KEY}\n")).unwrap();
        assert_eq!(wallet.address().checksummed(), "0x70997970C51812dc3A010C7d01b50e0d17dc79C8");
        assert!(!format!("{wallet:?}").contains(&KEY[..8]));
        let transfer =
            Transfer { chain: &CHAINS[0], to: Address([1; 20]), value: 20_000, seconds: 300 };
        let now = DateTime::from_timestamp(1_800_000_000, 0).unwrap();
        let (payload, until) = wallet.sign(&transfer, now).unwrap();
        assert_eq!(until, 1_800_000_300);
        assert_eq!(payload["authorization"]["value"], "20000");
        assert_ne!(wallet.sign(&transfer, now).unwrap().0, payload);
        let solana = Transfer { chain: &CHAINS[2], ..transfer };
        assert!(wallet.sign(&solana, now).is_err());
    }

    #[test]
    fn what_is_no_key_is_told_without_showing_it() {
        for bad in ["", "0x", &KEY[1..], &"0".repeat(64), &"f".repeat(64), "hello world"] {
            let error = Wallet::parse(bad).unwrap_err();
            assert!(error.contains("64 hexadecimal") && !error.contains(&KEY[1..9]), "{error}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_key_file_that_others_can_read_is_refused() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("wallet.key");
        private::write_new(&path, KEY.as_bytes()).unwrap();
        assert!(Wallet::load(Some(&path)).is_ok());
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o640)).unwrap();
        assert!(Wallet::load(Some(&path)).unwrap_err().contains("chmod 600"));
    }
}
