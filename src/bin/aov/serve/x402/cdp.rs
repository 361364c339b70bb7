//! How Coinbase's facilitator knows us: a token of two minutes for each call, signed with Ed25519
//! (X402 §9).

use std::fmt;
use std::path::Path;

use agent_output_verifier::key::{KeyVersion, SigningKey};
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use chrono::{DateTime, Utc};
use serde_json::{Value, json};
use zeroize::Zeroizing;

use super::wire;
use crate::private::{self, Privacy};
use crate::term;

/// The only host that gets a token: one for another would be a gift.
pub(crate) const HOST: &str = "api.cdp.coinbase.com";
/// The variable that may hold what a key file does.
pub(crate) const VARIABLE: &str = "AOV_CDP_KEY";
/// How long a token is good for.
const LIFE: i64 = 120;
const MAX_FILE: u64 = 4096;

/// An API key of Coinbase.
pub(crate) struct Credentials {
    id: String,
    key: SigningKey,
}

impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Credentials").field("id", &self.id).finish_non_exhaustive()
    }
}

impl Credentials {
    /// Reads a key file as Coinbase gives it out: `{"id": …, "privateKey": …}`.
    pub(crate) fn read(path: &Path) -> Result<Self, String> {
        use std::io::Read as _;
        let shown = term::safe_path(path);
        let failed = |error: std::io::Error| format!("cannot read {shown}: {error}");
        let file = std::fs::File::open(path).map_err(failed)?;
        let metadata = file.metadata().map_err(failed)?;
        private::check(path, &metadata, Privacy::Secret).map_err(|loose| loose.message)?;
        let mut text = Zeroizing::new(Vec::with_capacity(MAX_FILE as usize + 1));
        file.take(MAX_FILE + 1).read_to_end(&mut text).map_err(failed)?;
        Self::parse(&text).map_err(|why| format!("{shown} {why}"))
    }

    /// What [`VARIABLE`] holds, if it is set.
    pub(crate) fn from_environment() -> Option<Result<Self, String>> {
        let text = std::env::var(VARIABLE).ok().map(Zeroizing::new)?;
        Some(Self::parse(text.as_bytes()).map_err(|why| format!("{VARIABLE} {why}")))
    }

    fn parse(text: &[u8]) -> Result<Self, String> {
        let object = wire::parse(text).ok_or("is no JSON object")?;
        let id = object["id"].as_str().or(object["name"].as_str()).filter(|id| !id.is_empty());
        let id = id.ok_or("has no id")?.to_owned();
        let secret = object["privateKey"].as_str().ok_or("has no privateKey")?;
        if secret.contains("BEGIN") {
            return Err("holds an EC key; make one of the kind Ed25519 in the portal".to_owned());
        }
        let bytes = Zeroizing::new(STANDARD.decode(secret).unwrap_or_default());
        let wrong = "has a privateKey that is not base64 of an Ed25519 key of 64 bytes";
        let seed = Some(&*bytes).filter(|it| it.len() == 64);
        let seed = seed.and_then(|it| it.first_chunk::<32>()).ok_or(wrong)?;
        let version = KeyVersion::new("cdp").ok_or(wrong)?;
        let key = SigningKey::from_seed(seed, version);
        if key.public().as_bytes()[..] != bytes[32..] {
            return Err("has a privateKey whose halves do not belong together".to_owned());
        }
        Ok(Self { id, key })
    }

    /// The field `Authorization` for one call.
    pub(crate) fn authorization(&self, method: &str, url: &str, now: DateTime<Utc>) -> String {
        let nonce = super::gate::random_hex();
        let target = url.split_once("://").map_or(url, |(_, rest)| rest);
        let header = json!({ "alg": "EdDSA", "kid": self.id, "typ": "JWT", "nonce": nonce });
        let claims = json!({
            "sub": self.id,
            "iss": "cdp",
            "nbf": now.timestamp(),
            "exp": now.timestamp() + LIFE,
            "uris": [format!("{method} {target}")],
        });
        let part = |object: &Value| URL_SAFE_NO_PAD.encode(object.to_string());
        let signed = format!("{}.{}", part(&header), part(&claims));
        let signature = self.key.sign(signed.as_bytes());
        format!("Bearer {signed}.{}", URL_SAFE_NO_PAD.encode(signature.as_bytes()))
    }
}

#[cfg(test)]
mod tests {
    use agent_output_verifier::key::{PublicKey, Signature};

    use super::*;

    /// Seed and public key of test 1 of RFC 8032 §7.1.
    const SEED: &str = "0x9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60";
    const PUBLIC: &str = "0xd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a";

    fn file(id: &str) -> String {
        let bytes = [wire::hex(SEED).unwrap(), wire::hex(PUBLIC).unwrap()].concat();
        json!({ "id": id, "privateKey": STANDARD.encode(bytes) }).to_string()
    }

    #[test]
    fn a_token_is_bound_to_its_call_and_signed() {
        let credentials = Credentials::parse(file("key-1").as_bytes()).unwrap();
        let now = DateTime::from_timestamp(1_800_000_000, 0).unwrap();
        let url = "https://api.cdp.coinbase.com/platform/v2/x402/verify";
        let field = credentials.authorization("POST", url, now);
        let token = field.strip_prefix("Bearer ").unwrap();
        let (signed, signature) = token.rsplit_once('.').unwrap();
        let (header, claims) = signed.split_once('.').unwrap();
        let read = |part: &str| {
            serde_json::from_slice::<Value>(&URL_SAFE_NO_PAD.decode(part).unwrap()).unwrap()
        };
        let (header, claims) = (read(header), read(claims));
        assert_eq!((&header["alg"], &header["kid"]), (&json!("EdDSA"), &json!("key-1")));
        assert!(header["nonce"].as_str().unwrap().len() >= 16);
        assert_eq!(
            claims,
            json!({
                "sub": "key-1", "iss": "cdp", "nbf": 1_800_000_000, "exp": 1_800_000_120,
                "uris": ["POST api.cdp.coinbase.com/platform/v2/x402/verify"],
            })
        );
        let public = PublicKey::from_bytes(&wire::hex(PUBLIC).unwrap()).unwrap();
        let signature = STANDARD.encode(URL_SAFE_NO_PAD.decode(signature).unwrap());
        assert!(public.verifies(signed.as_bytes(), &Signature::from_base64(&signature).unwrap()));
    }

    #[test]
    fn what_is_no_ed25519_key_is_told_without_showing_it() {
        let short = json!({ "id": "k", "privateKey": STANDARD.encode([1; 32]) }).to_string();
        let torn = json!({ "id": "k", "privateKey": STANDARD.encode([1; 64]) }).to_string();
        let pem = json!({ "id": "k", "privateKey": "-----BEGIN EC PRIVATE KEY-----" }).to_string();
        for (text, says) in
            [(short, "64 bytes"), (torn, "belong"), (pem, "Ed25519"), ("{}".into(), "id")]
        {
            let error = Credentials::parse(text.as_bytes()).unwrap_err();
            assert!(error.contains(says), "{error}");
        }
        let shown = format!("{:?}", Credentials::parse(file("k").as_bytes()).unwrap());
        assert!(!shown.contains("157"), "{shown}");
        assert_eq!(shown, r#"Credentials { id: "k", .. }"#);
    }
}
