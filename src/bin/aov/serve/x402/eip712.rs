//! EIP-712 for one message: `TransferWithAuthorization` of EIP-3009, as USDC takes it.

use k256::ecdsa::{RecoveryId, Signature, SigningKey, VerifyingKey};
use num_bigint::BigUint;
use sha3::{Digest as _, Keccak256};

use super::super::chain::{Chain, Family, checksummed};
use super::wire;

const DOMAIN_TYPE: &[u8] =
    b"EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)";
const TRANSFER_TYPE: &[u8] = b"TransferWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)";

/// Twenty bytes of an account or contract.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Address(pub(crate) [u8; 20]);

impl Address {
    /// Reads `0x` and 40 digits, in capitals or not.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        wire::hex_array(text).map(Self)
    }

    /// In small letters: what payments are known by.
    pub(crate) fn lower(self) -> String {
        wire::to_hex(&self.0)
    }

    /// With the checksum of EIP-55.
    pub(crate) fn checksummed(self) -> String {
        format!("0x{}", checksummed(&self.lower()[2..]))
    }

    /// Of the account that this key signs for.
    pub(crate) fn of(key: &VerifyingKey) -> Self {
        let point = key.to_sec1_point(false);
        // Behind the byte that says "uncompressed".
        let hash = keccak(&point.as_bytes()[1..]);
        let mut address = [0; 20];
        address.copy_from_slice(&hash[12..]);
        Self(address)
    }

    fn word(self) -> [u8; 32] {
        let mut word = [0; 32];
        word[12..].copy_from_slice(&self.0);
        word
    }
}

/// What a payer signs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Authorization {
    /// Who pays.
    pub(crate) from: Address,
    /// Who is paid.
    pub(crate) to: Address,
    /// Atomic units.
    pub(crate) value: BigUint,
    /// Unix seconds.
    pub(crate) valid_after: u64,
    /// Unix seconds.
    pub(crate) valid_before: u64,
    /// Chosen by the payer; used once.
    pub(crate) nonce: [u8; 32],
}

/// Keccak-256.
pub(crate) fn keccak(bytes: &[u8]) -> [u8; 32] {
    Keccak256::digest(bytes).into()
}

/// The hash that stands for USDC on a chain; none where it takes no such signatures.
pub(crate) fn domain_separator(chain: &Chain) -> Option<[u8; 32]> {
    let Family::Evm { name, version } = chain.family else { return None };
    let id: u64 = chain.id.strip_prefix("eip155:")?.parse().ok()?;
    let contract = Address::parse(chain.usdc)?;
    let words = [
        keccak(DOMAIN_TYPE),
        keccak(name.as_bytes()),
        keccak(version.as_bytes()),
        uint(&BigUint::from(id))?,
        contract.word(),
    ];
    Some(keccak(&words.concat()))
}

impl Authorization {
    /// What is signed on a chain; none for a value over 256 bits.
    pub(crate) fn digest(&self, chain: &Chain) -> Option<[u8; 32]> {
        let message = [
            keccak(TRANSFER_TYPE),
            self.from.word(),
            self.to.word(),
            uint(&self.value)?,
            uint(&self.valid_after.into())?,
            uint(&self.valid_before.into())?,
            self.nonce,
        ];
        let message = keccak(&message.concat());
        Some(keccak(&[&b"\x19\x01"[..], &domain_separator(chain)?, &message].concat()))
    }

    /// r, s and v of an account's signature.
    pub(crate) fn sign(&self, chain: &Chain, key: &SigningKey) -> Option<[u8; 65]> {
        let (signature, recovery) = key.sign_prehash_recoverable(&self.digest(chain)?);
        let mut bytes = [0; 65];
        bytes[..64].copy_from_slice(&signature.to_bytes());
        bytes[64] = 27 + u8::from(recovery);
        Some(bytes)
    }

    /// Whose signature it is, by the rules of the contract: v is 27 or 28, and s is low.
    pub(crate) fn signer(&self, chain: &Chain, signature: &[u8; 65]) -> Option<Address> {
        let recovery = match signature[64] {
            27 => RecoveryId::new(false, false),
            28 => RecoveryId::new(true, false),
            _ => return None,
        };
        let signature = Signature::from_slice(&signature[..64]).ok()?;
        if signature.normalize_s() != signature {
            return None;
        }
        let key =
            VerifyingKey::recover_from_prehash(&self.digest(chain)?, &signature, recovery).ok()?;
        Some(Address::of(&key))
    }
}

fn uint(number: &BigUint) -> Option<[u8; 32]> {
    let bytes = number.to_bytes_be();
    let mut word = [0; 32];
    word.get_mut(32usize.checked_sub(bytes.len())?..)?.copy_from_slice(&bytes);
    Some(word)
}

#[cfg(test)]
mod tests {
    use super::super::super::chain::CHAINS;
    use super::*;

    /// From the deployed contract (X402 §1).
    #[test]
    fn the_domain_of_usdc_on_base_is_that_of_the_contract() {
        assert_eq!(
            wire::to_hex(&domain_separator(&CHAINS[0]).unwrap()),
            "0x02fa7265e7c5d81118673727957699e4d68f74cd74b7db77da710fe8a2c7834f"
        );
        assert_eq!(domain_separator(&CHAINS[2]), None);
    }

    /// EIP-155 has this key with this address; the first account of the well-known test mnemonic.
    #[test]
    fn addresses_follow_from_keys() {
        let secret = "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80";
        let key = SigningKey::from_slice(&wire::hex(secret).unwrap()).unwrap();
        assert_eq!(
            Address::of(key.verifying_key()).checksummed(),
            "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266"
        );
    }

    fn authorization(from: Address) -> Authorization {
        Authorization {
            from,
            to: Address([2; 20]),
            value: BigUint::from(20_000u32),
            valid_after: 0,
            valid_before: 1_800_000_000,
            nonce: [7; 32],
        }
    }

    #[test]
    fn what_is_signed_tells_its_signer_and_nothing_else_does() {
        let key = SigningKey::from_slice(&[5; 32]).unwrap();
        let from = Address::of(key.verifying_key());
        let chain = &CHAINS[0];
        let right = authorization(from);
        let signature = right.sign(chain, &key).unwrap();
        assert_eq!(right.signer(chain, &signature), Some(from));
        // Another domain name, chain and contract.
        assert_ne!(right.signer(&CHAINS[1], &signature), Some(from));
        for v in [0, 1, 26, 29, 255] {
            let mut wrong = signature;
            wrong[64] = v;
            assert_eq!(right.signer(chain, &wrong), None, "{v}");
        }
        let other = Authorization { value: BigUint::from(1u32), ..right };
        assert_ne!(other.signer(chain, &signature), Some(from));
    }

    /// The contract refuses the second signature that each message has (s > n/2).
    #[test]
    fn a_high_s_is_nobodys_signature() {
        let key = SigningKey::from_slice(&[5; 32]).unwrap();
        let right = authorization(Address::of(key.verifying_key()));
        let mut signature = right.sign(&CHAINS[0], &key).unwrap();
        let order = BigUint::parse_bytes(
            b"fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141",
            16,
        )
        .unwrap();
        let high = order - BigUint::from_bytes_be(&signature[32..64]);
        let high = uint(&high).unwrap();
        signature[32..64].copy_from_slice(&high);
        signature[64] = if signature[64] == 27 { 28 } else { 27 };
        assert_eq!(right.signer(&CHAINS[0], &signature), None);
    }

    #[test]
    fn a_value_beyond_256_bits_has_no_digest() {
        let mut too_large = authorization(Address([1; 20]));
        too_large.value = BigUint::from(2u8).pow(256);
        assert_eq!(too_large.digest(&CHAINS[0]), None);
        too_large.value -= 1u8;
        assert!(too_large.digest(&CHAINS[0]).is_some());
    }
}
