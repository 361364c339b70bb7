//! Ed25519 keys (RFC 8032): the public key that a receipt is held against, the secret key that
//! signs one, and the one-line text in which both are kept.
//!
//! Invariants: a [`PublicKey`] is a canonical encoding of a point that is not of small order, so
//! that no signature holds for every message; a [`SigningKey`] never shows its secret, is neither
//! `Clone` nor `Display`, and clears its memory when dropped. Where a text comes from, and with
//! which permissions, is the caller's matter.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ed25519_dalek::Signer as _;
use zeroize::Zeroizing;

/// Begins the line of a secret key.
const SECRET_PREFIX: &str = "aov-secret-key-";
/// Begins the line of a public key.
const PUBLIC_PREFIX: &str = "aov-public-key-";
/// The only format there is so far.
const FORMAT: &str = "v1";
/// The longest key version that a key of ours may have.
const MAX_VERSION: usize = 64;

/// A public key that is fit to verify with.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct PublicKey(ed25519_dalek::VerifyingKey);

/// Why 32 bytes, or a text, are no public key to verify with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PublicKeyError {
    /// Not canonical standard base64 (RFC 4648 §4).
    NotBase64,
    /// Not 32 bytes.
    Length(usize),
    /// No point of the curve has this encoding.
    NotAPoint,
    /// The y coordinate is not reduced: a second spelling of another key.
    NotCanonical,
    /// One of the eight points for which signatures can be made without a secret.
    SmallOrder,
}

impl fmt::Display for PublicKeyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotBase64 => f.write_str("it is not canonical base64 of 32 bytes"),
            Self::Length(length) => write!(f, "it has {length} bytes, and an Ed25519 key has 32"),
            Self::NotAPoint => f.write_str("its 32 bytes are not a point of the curve"),
            Self::NotCanonical => f.write_str("its 32 bytes are not a canonical encoding"),
            Self::SmallOrder => {
                f.write_str("it is a point of small order, for which anybody can sign anything")
            }
        }
    }
}

impl std::error::Error for PublicKeyError {}

impl PublicKey {
    /// The key with this encoding.
    ///
    /// # Errors
    /// Anything but the canonical encoding of a point that is not of small order.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, PublicKeyError> {
        let bytes: &[u8; 32] = bytes.try_into().map_err(|_| PublicKeyError::Length(bytes.len()))?;
        if !is_reduced(bytes) {
            return Err(PublicKeyError::NotCanonical);
        }
        let key = ed25519_dalek::VerifyingKey::from_bytes(bytes)
            .map_err(|_| PublicKeyError::NotAPoint)?;
        if key.is_weak() {
            return Err(PublicKeyError::SmallOrder);
        }
        Ok(Self(key))
    }

    /// The key whose encoding this is in base64.
    ///
    /// # Errors
    /// As [`PublicKey::from_bytes`], and for text that is not canonical base64.
    pub fn from_base64(text: &str) -> Result<Self, PublicKeyError> {
        let bytes = STANDARD.decode(text).map_err(|_| PublicKeyError::NotBase64)?;
        Self::from_bytes(&bytes)
    }

    /// The encoding in base64, as an agent card lists it.
    #[must_use]
    pub fn to_base64(self) -> String {
        STANDARD.encode(self.0.as_bytes())
    }

    /// The 32 bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8; 32] {
        self.0.as_bytes()
    }

    /// Whether `signature` is one of this key over `message`, strictly: no small-order points, no
    /// second encoding of a valid signature (RFC 8032 §5.1.7, §8.4).
    #[must_use]
    pub fn verifies(&self, message: &[u8], signature: &Signature) -> bool {
        self.0.verify_strict(message, &ed25519_dalek::Signature::from_bytes(&signature.0)).is_ok()
    }
}

impl fmt::Debug for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PublicKey({})", self.to_base64())
    }
}

/// Whether y, the low 255 bits in little-endian order, is below p = 2^255 − 19. The other way to
/// spell a key twice, a sign bit on x = 0, exists only for points of small order.
fn is_reduced(bytes: &[u8; 32]) -> bool {
    let high = bytes[31] & 0x7F == 0x7F && bytes[1..31].iter().all(|&byte| byte == 0xFF);
    !(high && bytes[0] >= 0xED)
}

/// The 64 bytes of a signature, which may or may not verify.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Signature([u8; 64]);

/// Why a text is no signature.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SignatureError {
    /// Not canonical standard base64 (RFC 4648 §4).
    NotBase64,
    /// Not 64 bytes.
    Length(usize),
}

impl Signature {
    /// From canonical base64.
    ///
    /// # Errors
    /// Any other spelling, or another length than 64 bytes.
    pub fn from_base64(text: &str) -> Result<Self, SignatureError> {
        let bytes = STANDARD.decode(text).map_err(|_| SignatureError::NotBase64)?;
        let length = bytes.len();
        bytes.try_into().map(Self).map_err(|_| SignatureError::Length(length))
    }

    /// In base64.
    #[must_use]
    pub fn to_base64(&self) -> String {
        STANDARD.encode(self.0)
    }

    /// The 64 bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8; 64] {
        &self.0
    }
}

impl fmt::Debug for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Signature({})", self.to_base64())
    }
}

/// The name under which a key stands in an agent card, such as `v1-2026-09c`: 1 to 64 letters,
/// digits, `.`, `_` and `-`, the first a letter or a digit. (Receipts of others may use others.)
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KeyVersion(String);

impl KeyVersion {
    /// This text as a key version, if it may be one.
    #[must_use]
    pub fn new(text: &str) -> Option<Self> {
        let first = text.as_bytes().first()?;
        let rest = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
        (first.is_ascii_alphanumeric()
            && text.len() <= MAX_VERSION
            && text.as_bytes().iter().all(rest))
        .then(|| Self(text.to_owned()))
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for KeyVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A secret key and the version it signs under.
pub struct SigningKey {
    secret: ed25519_dalek::SigningKey,
    version: KeyVersion,
}

impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SigningKey")
            .field("version", &self.version)
            .field("public", &self.public())
            .finish_non_exhaustive()
    }
}

impl SigningKey {
    /// The key that follows from 32 random bytes.
    #[must_use]
    pub fn from_seed(seed: &[u8; 32], version: KeyVersion) -> Self {
        Self { secret: ed25519_dalek::SigningKey::from_bytes(seed), version }
    }

    /// The version it signs under.
    #[must_use]
    pub fn version(&self) -> &KeyVersion {
        &self.version
    }

    /// The public key that belongs to it.
    #[must_use]
    pub fn public(&self) -> PublicKey {
        PublicKey(self.secret.verifying_key())
    }

    /// Signs.
    #[must_use]
    pub fn sign(&self, message: &[u8]) -> Signature {
        Signature(self.secret.sign(message).to_bytes())
    }

    /// The text of a key file: two lines of comment and the key.
    #[must_use]
    pub fn to_text(&self) -> Zeroizing<String> {
        let seed = Zeroizing::new(self.secret.to_bytes());
        let secret = Zeroizing::new(STANDARD.encode(*seed));
        let mut text = Zeroizing::new(String::with_capacity(320));
        text.push_str(
            "# Secret signing key of aov. Who has it can sign as you: keep it to yourself.\n",
        );
        text.push_str("# Public key: ");
        text.push_str(&self.public().to_base64());
        text.push('\n');
        for part in [SECRET_PREFIX, FORMAT, ":", self.version.as_str(), ":", &secret, "\n"] {
            text.push_str(part);
        }
        text
    }

    /// Reads the text of a key file, or its key line alone.
    ///
    /// # Errors
    /// Anything but exactly one line with a secret key beside blank lines and comments (`#`).
    pub fn from_text(text: &str) -> Result<Self, KeyTextError> {
        let (version, secret) = fields(key_line(text)?, SECRET_PREFIX, PUBLIC_PREFIX)?;
        let bytes = Zeroizing::new(STANDARD.decode(secret).map_err(|_| KeyTextError::BadSecret)?);
        let seed: &[u8; 32] = bytes.as_slice().try_into().map_err(|_| KeyTextError::BadSecret)?;
        Ok(Self::from_seed(seed, version))
    }
}

/// A public key, and its version where it was said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GivenKey {
    /// The key.
    pub key: PublicKey,
    /// The version that its line names; none for base64 alone.
    pub version: Option<KeyVersion>,
}

impl GivenKey {
    /// Reads `aov-public-key-v1:VERSION:BASE64`, with blank lines and comments (`#`), or the
    /// base64 alone, as agent cards list it.
    ///
    /// # Errors
    /// Anything else; a secret key in its place is called that.
    pub fn from_text(text: &str) -> Result<Self, KeyTextError> {
        let line = key_line(text)?;
        if !line.contains(':') && !line.starts_with(SECRET_PREFIX) {
            let key = PublicKey::from_base64(line).map_err(KeyTextError::BadPublic)?;
            return Ok(Self { key, version: None });
        }
        let (version, key) = fields(line, PUBLIC_PREFIX, SECRET_PREFIX)?;
        let key = PublicKey::from_base64(key).map_err(KeyTextError::BadPublic)?;
        Ok(Self { key, version: Some(version) })
    }

    /// The line that [`GivenKey::from_text`] reads.
    #[must_use]
    pub fn to_text(&self) -> String {
        let key = self.key.to_base64();
        match &self.version {
            None => key,
            Some(version) => format!("{PUBLIC_PREFIX}{FORMAT}:{version}:{key}"),
        }
    }
}

/// Why a text holds no key. Nothing of the text is in it: it may be a secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeyTextError {
    /// No line but blank ones and comments.
    Empty,
    /// More than one.
    SeveralLines,
    /// A public key where a secret one is needed.
    PublicKey,
    /// A secret key where a public one is needed.
    SecretKey,
    /// A line that is not in the format at all.
    NotAKey,
    /// A later format than this program knows.
    UnknownFormat,
    /// The key version has characters it may not have.
    BadVersion,
    /// The secret is not the base64 of 32 bytes.
    BadSecret,
    /// The public key is none.
    BadPublic(PublicKeyError),
}

impl fmt::Display for KeyTextError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Empty => "there is no key in it",
            Self::SeveralLines => "there is more than one line beside comments; it must hold one key",
            Self::PublicKey => "this is a public key; signing needs the secret one (aov-secret-key-v1:…)",
            Self::SecretKey => {
                "this is a secret key where a public one belongs; whoever saw it can sign as you"
            }
            Self::NotAKey => "this is not a key of aov (aov-secret-key-v1:VERSION:BASE64, or the public form)",
            Self::UnknownFormat => "this key has a format that this version of aov does not know",
            Self::BadVersion => {
                "the key version must be 1 to 64 letters, digits, '.', '_' or '-', the first a letter or digit"
            }
            Self::BadSecret => "the secret is not the base64 of 32 bytes; the file is damaged",
            Self::BadPublic(error) => return write!(f, "this is not a public key: {error}"),
        })
    }
}

impl std::error::Error for KeyTextError {}

/// The only line that is neither blank nor a comment.
fn key_line(text: &str) -> Result<&str, KeyTextError> {
    let text = text.strip_prefix('\u{FEFF}').unwrap_or(text);
    let mut lines =
        text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    let line = lines.next().ok_or(KeyTextError::Empty)?;
    if lines.next().is_some() {
        return Err(KeyTextError::SeveralLines);
    }
    Ok(line)
}

/// Version and key of a line that should begin with `wanted`.
fn fields<'t>(
    line: &'t str,
    wanted: &str,
    other: &str,
) -> Result<(KeyVersion, &'t str), KeyTextError> {
    if line.starts_with(other) {
        return Err(if other == PUBLIC_PREFIX {
            KeyTextError::PublicKey
        } else {
            KeyTextError::SecretKey
        });
    }
    let rest = line.strip_prefix(wanted).ok_or(KeyTextError::NotAKey)?;
    let (format, rest) = rest.split_once(':').ok_or(KeyTextError::NotAKey)?;
    if format != FORMAT {
        return Err(KeyTextError::UnknownFormat);
    }
    let (version, key) = rest.split_once(':').ok_or(KeyTextError::NotAKey)?;
    Ok((KeyVersion::new(version).ok_or(KeyTextError::BadVersion)?, key))
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOSTED: &str = "d2IHH0/Xduci/5J8IewYmauUvgqf+gFIeCEXDwjHUhw=";

    fn version() -> KeyVersion {
        KeyVersion::new("v1-2026-11").unwrap()
    }

    fn hex(text: &str) -> Vec<u8> {
        (0..text.len())
            .step_by(2)
            .map(|at| u8::from_str_radix(&text[at..at + 2], 16).unwrap())
            .collect()
    }

    /// RFC 8032 §7.1, TEST 3.
    #[test]
    fn signs_as_the_rfc_does() {
        let seed: [u8; 32] =
            hex("c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7")
                .try_into()
                .unwrap();
        let key = SigningKey::from_seed(&seed, version());
        assert_eq!(
            key.public().as_bytes().to_vec(),
            hex("fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025")
        );
        let signature = key.sign(&[0xAF, 0x82]);
        assert_eq!(
            signature.as_bytes().to_vec(),
            hex(concat!(
                "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac",
                "18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a"
            ))
        );
        assert!(key.public().verifies(&[0xAF, 0x82], &signature));
        assert!(!key.public().verifies(&[0xAF, 0x83], &signature));
    }

    /// The eight points of small order in all their encodings, canonical or not: the list that
    /// libsodium refuses (crypto_core/ed25519/ref10, `ge25519_has_small_order`).
    #[test]
    fn small_order_and_second_spellings_are_refused() {
        let small = [
            "0000000000000000000000000000000000000000000000000000000000000000",
            "0100000000000000000000000000000000000000000000000000000000000000",
            "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
            "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
            "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        ];
        for text in small {
            for sign in [0, 0x80] {
                let mut bytes = hex(text);
                bytes[31] |= sign;
                assert!(
                    matches!(
                        PublicKey::from_bytes(&bytes),
                        Err(PublicKeyError::SmallOrder | PublicKeyError::NotAPoint)
                    ),
                    "{text} {sign}"
                );
            }
        }
        // y = p, p + 1 (0 and 1 again), and p + 3, which is a second spelling of y = 3.
        for low in [0xED, 0xEE, 0xF0] {
            for high in [0x7F, 0xFF] {
                let mut bytes = [0xFF; 32];
                (bytes[0], bytes[31]) = (low, high);
                assert_eq!(PublicKey::from_bytes(&bytes), Err(PublicKeyError::NotCanonical));
            }
        }
        let mut three = [0; 32];
        three[0] = 3;
        assert!(PublicKey::from_bytes(&three).is_ok(), "y = 3 is on the curve");
        assert_eq!(PublicKey::from_bytes(&three[1..]), Err(PublicKeyError::Length(31)));
        let mut two = [0; 32];
        two[0] = 2;
        assert_eq!(PublicKey::from_bytes(&two), Err(PublicKeyError::NotAPoint));
    }

    #[test]
    fn base64_has_one_spelling() {
        assert_eq!(PublicKey::from_base64(HOSTED).unwrap().to_base64(), HOSTED);
        for other in [
            // The unused bits of the last character set.
            "d2IHH0/Xduci/5J8IewYmauUvgqf+gFIeCEXDwjHUhx=",
            "d2IHH0/Xduci/5J8IewYmauUvgqf+gFIeCEXDwjHUhw",
            "d2IHH0_Xduci_5J8IewYmauUvgqf-gFIeCEXDwjHUhw=",
            "d2IHH0/Xduci/5J8IewYmauUvgqf+gFIeCEXDwjHUhw=\n",
            " d2IHH0/Xduci/5J8IewYmauUvgqf+gFIeCEXDwjHUhw=",
            "",
        ] {
            let refused = PublicKey::from_base64(other);
            assert!(
                matches!(refused, Err(PublicKeyError::NotBase64 | PublicKeyError::Length(0))),
                "{other:?} {refused:?}"
            );
        }
    }

    #[test]
    fn a_key_file_reads_back_and_the_wrong_one_is_named() {
        let key = SigningKey::from_seed(&[7; 32], version());
        let text = key.to_text();
        assert!(text.starts_with("# Secret signing key"));
        let again = SigningKey::from_text(&text).unwrap();
        assert_eq!((again.public(), again.version()), (key.public(), key.version()));
        let line = text.lines().last().unwrap();
        assert_eq!(SigningKey::from_text(line).unwrap().public(), key.public());

        let public = GivenKey { key: key.public(), version: Some(version()) };
        assert_eq!(GivenKey::from_text(&public.to_text()), Ok(public.clone()));
        assert_eq!(GivenKey::from_text(HOSTED).unwrap().version, None);
        assert_eq!(SigningKey::from_text(&public.to_text()).unwrap_err(), KeyTextError::PublicKey);
        assert_eq!(GivenKey::from_text(&text), Err(KeyTextError::SecretKey));
        assert_eq!(GivenKey::from_text("aov-secret-key-v1"), Err(KeyTextError::SecretKey));

        let error = |text: &str| SigningKey::from_text(text).unwrap_err();
        assert_eq!(error(""), KeyTextError::Empty);
        assert_eq!(error("# only a comment\n\n"), KeyTextError::Empty);
        assert_eq!(error(&format!("{line}\n{line}")), KeyTextError::SeveralLines);
        assert_eq!(error("-----BEGIN PRIVATE KEY-----"), KeyTextError::NotAKey);
        assert_eq!(error("aov-secret-key-v2:a:b"), KeyTextError::UnknownFormat);
        assert_eq!(error("aov-secret-key-v1:a b:c"), KeyTextError::BadVersion);
        assert_eq!(error("aov-secret-key-v1:a:AAAA"), KeyTextError::BadSecret);
        assert_eq!(error("aov-secret-key-v1:a:"), KeyTextError::BadSecret);
        assert_eq!(error(&line[..line.len() - 1]), KeyTextError::BadSecret);
    }

    #[test]
    fn debug_shows_no_secret() {
        let key = SigningKey::from_seed(&[0xAB; 32], version());
        let text = key.to_text();
        let secret = text.trim_end().rsplit(':').next().unwrap();
        let shown = format!("{key:?} {key:#?}");
        assert!(shown.contains(&key.public().to_base64()));
        for leak in [secret, "171, 171", "abab", "ABAB"] {
            assert!(!shown.contains(leak), "{shown}");
        }
    }

    #[test]
    fn key_versions() {
        for good in ["v1-2026-09c", "1", "a.b_c-d"] {
            assert_eq!(KeyVersion::new(good).unwrap().as_str(), good);
        }
        let long = "v".repeat(65);
        for bad in ["", "-v", ".v", "a b", "a:b", "ä", "a\n", long.as_str()] {
            assert_eq!(KeyVersion::new(bad), None, "{bad:?}");
        }
    }
}
