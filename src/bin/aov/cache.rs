//! Agent cards as they were fetched, for a day. The cache is outside the trust boundary: it is read
//! only where nobody else could have written it, and what it says is checked against the pins again
//! at every reading.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use agent_output_verifier::json::{MAX_DEPTH, Node, quoted, read};
use agent_output_verifier::receipt::card::CardKeys;
use agent_output_verifier::trust::CardAddress;
use chrono::{DateTime, SecondsFormat, TimeDelta, Utc};
use sha2::{Digest, Sha256};

use crate::private::{self, Privacy};
use crate::term;

/// How long a card is good for.
const LIFETIME: TimeDelta = TimeDelta::hours(24);
/// How far a clock may have been set back since.
const CLOCK_SKEW: TimeDelta = TimeDelta::minutes(5);
/// A card of the greatest size, every byte of it escaped.
const MAX_BYTES: u64 = 7 << 20;

/// A folder of cards, or none where there is no place for it.
#[derive(Debug, Clone)]
pub(crate) struct Cache {
    folder: Option<PathBuf>,
}

/// What is known of a card.
#[derive(Debug)]
pub(crate) enum Cached {
    /// Nothing, or something too old.
    Nothing,
    /// Its keys, and how many seconds ago they were fetched.
    Card(CardKeys, u64),
    /// Something that is not believed, and why.
    NotBelieved(String),
}

impl Cache {
    /// The user's own.
    pub(crate) fn of_user() -> Self {
        Self { folder: private::xdg_folder("XDG_CACHE_HOME", ".cache").map(|it| it.join("cards")) }
    }

    /// None: nothing is kept.
    #[cfg(test)]
    pub(crate) fn nowhere() -> Self {
        Self { folder: None }
    }

    /// In this folder.
    #[cfg(test)]
    pub(crate) fn at(folder: PathBuf) -> Self {
        Self { folder: Some(folder) }
    }

    /// Looks a card up.
    pub(crate) fn get(&self, card: &CardAddress, now: DateTime<Utc>) -> Cached {
        let Some(folder) = &self.folder else { return Cached::Nothing };
        let path = file_of(folder, card);
        let Ok(file) = File::open(&path) else { return Cached::Nothing };
        match private_text(folder, &path, file) {
            Err(why) => Cached::NotBelieved(why),
            Ok(bytes) => read_entry(&bytes, card, now).unwrap_or_else(|| {
                Cached::NotBelieved(format!("{} is damaged", term::safe_path(&path)))
            }),
        }
    }

    /// Keeps a card. Where it cannot, the next look-up fetches again; nothing else is lost.
    pub(crate) fn put(&self, card: &CardAddress, body: &[u8], now: DateTime<Utc>) {
        let (Some(folder), Ok(body)) = (&self.folder, std::str::from_utf8(body)) else { return };
        let _ = private::create_folder(folder);
        let safe = fs::metadata(folder)
            .is_ok_and(|it| it.is_dir() && private::check(folder, &it, Privacy::Secret).is_ok());
        if safe {
            let fetched = now.to_rfc3339_opts(SecondsFormat::Secs, true);
            let entry = format!(
                "{{\"url\":{},\"fetched_at\":{},\"card\":{}}}\n",
                quoted(&card.to_string()),
                quoted(&fetched),
                quoted(body)
            );
            let _ = private::replace(&file_of(folder, card), entry.as_bytes());
        }
    }
}

/// By the hash of the whole address: no two cards share a file (CVE-2024-53848).
fn file_of(folder: &Path, card: &CardAddress) -> PathBuf {
    let hash = Sha256::digest(card.to_string());
    let name: String = hash.iter().map(|byte| format!("{byte:02x}")).collect();
    folder.join(format!("{name}.json"))
}

/// The content of a file that only we could have written, in a folder for which the same is true.
fn private_text(folder: &Path, path: &Path, file: File) -> Result<Vec<u8>, String> {
    let unreadable = |error: std::io::Error| format!("{}: {error}", term::safe_path(path));
    for (path, metadata) in [(folder, fs::metadata(folder)), (path, file.metadata())] {
        let metadata = metadata.map_err(unreadable)?;
        private::check(path, &metadata, Privacy::Secret).map_err(|loose| loose.message)?;
    }
    let mut bytes = Vec::new();
    file.take(MAX_BYTES).read_to_end(&mut bytes).map_err(unreadable)?;
    Ok(bytes)
}

/// None for anything that [`Cache::put`] did not write.
fn read_entry(bytes: &[u8], card: &CardAddress, now: DateTime<Utc>) -> Option<Cached> {
    let document = read(bytes, MAX_DEPTH).ok()?;
    let text = |name: &str| document.root().get(name).and_then(Node::as_str);
    if text("url")? != card.to_string() {
        return None;
    }
    let fetched = DateTime::parse_from_rfc3339(text("fetched_at")?).ok()?;
    let age = now.signed_duration_since(fetched);
    if age < -CLOCK_SKEW || age > LIFETIME {
        return Some(Cached::Nothing);
    }
    let keys = CardKeys::read(text("card")?).ok()?;
    Some(Cached::Card(keys, u64::try_from(age.num_seconds()).unwrap_or(0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const CARD: &str = include_str!("../../../fixtures/real/agent-card.json");

    fn address(host: &str) -> CardAddress {
        CardAddress::of_issuer(host).unwrap()
    }

    fn at(text: &str) -> DateTime<Utc> {
        text.parse().unwrap()
    }

    #[test]
    fn a_card_is_good_for_a_day() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::at(folder.path().join("a/cards"));
        let card = address("a.example");
        assert!(matches!(cache.get(&card, at("2026-10-01T00:00:00Z")), Cached::Nothing));
        cache.put(&card, CARD.as_bytes(), at("2026-10-01T00:00:00Z"));
        let found = |now: &str| cache.get(&card, at(now));
        let Cached::Card(keys, age) = found("2026-10-02T00:00:00Z") else { panic!() };
        assert!(keys.key("v1-2026-09c").is_ok());
        assert_eq!(age, 86_400);
        assert!(matches!(found("2026-10-02T00:00:01Z"), Cached::Nothing));
        assert!(matches!(found("2026-09-30T23:54:59Z"), Cached::Nothing), "from the future");
        assert!(matches!(found("2026-09-30T23:55:00Z"), Cached::Card(_, 0)));
        assert!(matches!(
            cache.get(&address("b.example"), at("2026-10-01T00:00:00Z")),
            Cached::Nothing
        ));
    }

    #[cfg(unix)]
    #[test]
    fn what_others_could_have_written_is_not_believed() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let cards = folder.path().join("cards");
        let cache = Cache::at(cards.clone());
        let card = address("a.example");
        let now = at("2026-10-01T00:00:00Z");
        cache.put(&card, CARD.as_bytes(), now);
        let file = file_of(&cards, &card);
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&cards), mode(&file)), (0o700, 0o600));
        for (path, loose, tight) in
            [(&file, 0o644, 0o600), (&file, 0o620, 0o600), (&cards, 0o755, 0o700)]
        {
            fs::set_permissions(path, fs::Permissions::from_mode(loose)).unwrap();
            let Cached::NotBelieved(why) = cache.get(&card, now) else { panic!("{path:?}") };
            assert!(why.contains("chmod"), "{why}");
            fs::set_permissions(path, fs::Permissions::from_mode(tight)).unwrap();
            assert!(matches!(cache.get(&card, now), Cached::Card(..)));
        }
        // Nor is anything written where others look in.
        fs::set_permissions(&cards, fs::Permissions::from_mode(0o777)).unwrap();
        cache.put(&address("b.example"), CARD.as_bytes(), now);
        assert_eq!(fs::read_dir(&cards).unwrap().count(), 1);
    }

    #[test]
    fn a_file_of_another_card_or_of_nonsense_is_not_believed() {
        let folder = tempfile::tempdir().unwrap();
        let cards = folder.path().join("cards");
        let cache = Cache::at(cards.clone());
        let now = at("2026-10-01T00:00:00Z");
        let (a, b) = (address("a.example"), address("b.example"));
        cache.put(&a, CARD.as_bytes(), now);
        fs::copy(file_of(&cards, &a), file_of(&cards, &b)).unwrap();
        assert!(matches!(cache.get(&b, now), Cached::NotBelieved(_)));
        for nonsense in ["", "{}", "[1]", "{\"url\":5}"] {
            private::replace(&file_of(&cards, &a), nonsense.as_bytes()).unwrap();
            assert!(matches!(cache.get(&a, now), Cached::NotBelieved(_)), "{nonsense}");
        }
    }
}
