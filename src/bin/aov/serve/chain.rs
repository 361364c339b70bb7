//! The chains on which USDC is taken, and what is fixed about each (X402 §1). Only what stands here
//! can be configured: a wrong token or domain name would make every payment fail, or worthless.

use sha3::{Digest as _, Keccak256};

/// What addresses and payments look like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Family {
    /// Twenty bytes in hexadecimal; EIP-3009 under this EIP-712 domain.
    Evm {
        /// The domain's `name`, which differs between main and test network.
        name: &'static str,
        /// The domain's `version`.
        version: &'static str,
    },
    /// Thirty-two bytes in base58.
    Solana,
}

/// One chain.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Chain {
    /// CAIP-2.
    pub(crate) id: &'static str,
    /// For people.
    pub(crate) name: &'static str,
    /// Whether its tokens are worth nothing.
    pub(crate) test: bool,
    /// The contract, or mint, of USDC.
    pub(crate) usdc: &'static str,
    /// How it works.
    pub(crate) family: Family,
}

/// USDC has six decimals on all of them: an atomic unit is a millionth of a dollar.
pub(crate) const CHAINS: [Chain; 4] = [
    Chain {
        id: "eip155:8453",
        name: "Base",
        test: false,
        usdc: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
        family: Family::Evm { name: "USD Coin", version: "2" },
    },
    Chain {
        id: "eip155:84532",
        name: "Base Sepolia",
        test: true,
        usdc: "0x036CbD53842c5426634e7929541eC2318f3dCF7e",
        family: Family::Evm { name: "USDC", version: "2" },
    },
    Chain {
        id: "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp",
        name: "Solana",
        test: false,
        usdc: "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v",
        family: Family::Solana,
    },
    Chain {
        id: "solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1",
        name: "Solana devnet",
        test: true,
        usdc: "4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU",
        family: Family::Solana,
    },
];

impl Chain {
    /// The chain of this CAIP-2 id.
    pub(crate) fn of(id: &str) -> Option<&'static Self> {
        CHAINS.iter().find(|chain| chain.id == id)
    }

    /// What is wrong with an address to be paid at, to be read behind its name.
    pub(crate) fn check_address(&self, address: &str) -> Result<(), &'static str> {
        match self.family {
            Family::Evm { .. } => check_evm(address),
            Family::Solana => {
                let bytes = bs58::decode(address).into_vec().unwrap_or_default();
                let plain = bytes.len() == 32 && bytes.iter().any(|byte| *byte != 0);
                if plain { Ok(()) } else { Err("is not a Solana address (32 bytes in base58)") }
            }
        }
    }
}

fn check_evm(address: &str) -> Result<(), &'static str> {
    let hex = address.strip_prefix("0x").filter(|hex| hex.len() == 40);
    let hex = hex.filter(|hex| hex.bytes().all(|byte| byte.is_ascii_hexdigit()));
    let hex = hex.ok_or("is not an address (0x and 40 hexadecimal digits)")?;
    if hex.bytes().all(|byte| byte == b'0') {
        return Err("is the zero address, where money is lost");
    }
    if checksummed(hex) == hex {
        Ok(())
    } else {
        Err("has a wrong checksum (EIP-55): copy it again from your wallet, with its capitals")
    }
}

/// EIP-55: a letter is a capital where the hash of the small letters has a digit from 8 on.
pub(crate) fn checksummed(hex: &str) -> String {
    let small = hex.to_ascii_lowercase();
    let hash = Keccak256::digest(small.as_bytes());
    let digit = |at: usize| (hash[at / 2] >> (if at.is_multiple_of(2) { 4 } else { 0 })) & 0xF;
    small
        .chars()
        .enumerate()
        .map(|(at, letter)| if digit(at) >= 8 { letter.to_ascii_uppercase() } else { letter })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The test vectors of EIP-55 itself.
    #[test]
    fn checksums_are_those_of_eip_55() {
        for address in [
            "5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
            "fB6916095ca1df60bB79Ce92cE3Ea74c37c5d359",
            "dbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB",
            "D1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb",
            "52908400098527886E0F7030069857D2E4169EE7",
            "de709f2102306220921060314715629080e2fb77",
        ] {
            assert_eq!(checksummed(&address.to_ascii_lowercase()), address);
        }
    }

    #[test]
    fn the_tokens_of_the_table_are_addresses_of_their_chains() {
        for chain in &CHAINS {
            assert_eq!(chain.check_address(chain.usdc), Ok(()), "{}", chain.name);
        }
    }

    #[test]
    fn bad_addresses_are_refused() {
        let base = &CHAINS[0];
        let small = "0x833589fcd6edb6e08f4c7c32d4f71b54bda02913";
        assert!(base.check_address(small).unwrap_err().contains("EIP-55"));
        for bad in ["", "0x", "833589fCD6eDb6E08f4c7C32D4f71b54bdA02913", CHAINS[2].usdc] {
            assert!(base.check_address(bad).is_err(), "{bad}");
        }
        let zero = format!("0x{}", "0".repeat(40));
        assert!(base.check_address(&zero).unwrap_err().contains("zero"));
        let solana = &CHAINS[2];
        // The system program: 32 zero bytes.
        for bad in ["", "0OIl", "11111111111111111111111111111111", CHAINS[0].usdc, "abc"] {
            assert!(solana.check_address(bad).is_err(), "{bad}");
        }
    }
}
