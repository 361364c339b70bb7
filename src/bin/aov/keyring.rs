//! Which key a receipt is held against: the library's decision, with the card fetched or taken from
//! the cache where the decision asks for it.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use agent_output_verifier::json::Lines;
use agent_output_verifier::receipt::card::CardKeys;
use agent_output_verifier::receipt::fact::Code;
use agent_output_verifier::trust::{
    CardAddress, Given, Issuer, KeyClaim, KeyDecision, KeySource, Lookup, Origin, Refusal,
    TrustList, read_trust_file,
};
use chrono::{DateTime, Utc};

use crate::cache::{Cache, Cached};
use crate::net::{Asker, Net};
use crate::private::{self, Privacy};
use crate::term;

/// The largest trust file.
const MAX_BYTES: u64 = 1 << 20;

/// Everything that the decision about a key can draw on.
#[derive(Debug)]
pub(crate) struct Keyring {
    /// Whose receipts count.
    pub(crate) trust: TrustList,
    /// Keys that the user gave.
    pub(crate) given: Given,
    /// How cards are fetched; not at all when offline.
    pub(crate) net: Option<Net>,
    /// Cards of before.
    pub(crate) cache: Cache,
    /// When this is.
    pub(crate) now: DateTime<Utc>,
    /// What became of each card in this run; the list is no longer than the trust list.
    cards: Mutex<HashMap<CardAddress, Fetched>>,
    /// What the user should know, once each.
    notes: Mutex<Vec<String>>,
}

type Fetched = Result<CardKeys, Refusal>;

impl Keyring {
    pub(crate) fn new(
        trust: TrustList,
        given: Given,
        net: Option<Net>,
        cache: Cache,
        now: DateTime<Utc>,
    ) -> Self {
        Self { trust, given, net, cache, now, cards: Mutex::default(), notes: Mutex::default() }
    }

    /// Which key a receipt that says this is held against.
    pub(crate) fn decide(&self, claim: KeyClaim<'_>) -> KeyDecision {
        match self.trust.look_up(claim, &self.given) {
            Lookup::Settled(decision) => decision,
            Lookup::Fetch(issuer) => self.ask(issuer, claim.version),
        }
    }

    /// What the user should know beyond the verdicts.
    pub(crate) fn take_notes(&self) -> Vec<String> {
        std::mem::take(&mut self.notes.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn note(&self, text: String) {
        let mut notes = self.notes.lock().unwrap_or_else(PoisonError::into_inner);
        if !notes.contains(&text) {
            notes.push(text);
        }
    }

    /// The cached card if it is believed and lists the version, else the issuer's own.
    fn ask(&self, issuer: &Issuer, version: &str) -> KeyDecision {
        if self.cards.lock().unwrap_or_else(PoisonError::into_inner).contains_key(&issuer.card) {
            return self.ask_now(issuer, version);
        }
        match self.cache.get(&issuer.card, self.now) {
            Cached::Nothing => {}
            Cached::NotBelieved(why) => {
                self.note(format!("a cached agent card is not used: {why}"))
            }
            Cached::Card(keys, age) => {
                let decision = TrustList::resolve(issuer, version, &keys, KeySource::Cached(age));
                match decision {
                    KeyDecision::Trusted(_) => return decision,
                    // A key that was added since; the issuer knows.
                    KeyDecision::Contradicted(refusal) if refusal.code == Code::VersionAbsent => {}
                    _ => self.note(format!(
                        "the cached agent card of {} is not used: {}",
                        issuer.card.authority(),
                        decision_detail(&decision)
                    )),
                }
            }
        }
        self.ask_now(issuer, version)
    }

    fn ask_now(&self, issuer: &Issuer, version: &str) -> KeyDecision {
        match self.fetch(issuer) {
            Ok(keys) => TrustList::resolve(issuer, version, &keys, KeySource::Fetched),
            Err(refusal) => KeyDecision::Unavailable(refusal),
        }
    }

    /// Once for each issuer in a run, whatever comes of it; others wait.
    fn fetch(&self, issuer: &Issuer) -> Fetched {
        let mut cards = self.cards.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = cards.get(&issuer.card) {
            return known.clone();
        }
        let fetched = self.fetch_now(issuer);
        cards.insert(issuer.card.clone(), fetched.clone());
        fetched
    }

    fn fetch_now(&self, issuer: &Issuer) -> Fetched {
        let url = issuer.card.to_string();
        let Some(net) = &self.net else {
            return Err(Refusal::with(Code::Offline, &url));
        };
        let about =
            |refusal: Refusal| Refusal { detail: format!("{} ({url})", refusal.detail), ..refusal };
        let body = net.fetch(&url, Asker::Receipt).map_err(about)?;
        let keys = read_card(&body).map_err(about)?;
        self.cache.put(&issuer.card, &body, self.now);
        Ok(keys)
    }
}

/// A served body as a card.
pub(crate) fn read_card(body: &[u8]) -> Result<CardKeys, Refusal> {
    CardKeys::read(body)
        .map_err(|error| Refusal::with(Code::NotACard, &term::safe(&error.to_string())))
}

fn decision_detail(decision: &KeyDecision) -> &str {
    match decision {
        KeyDecision::Trusted(_) => "",
        KeyDecision::Untrusted(refusal)
        | KeyDecision::Contradicted(refusal)
        | KeyDecision::Unavailable(refusal) => &refusal.detail,
    }
}

/// Where the user's own trust file stands. Never in the working folder, which may be the seller's.
pub(crate) fn trust_file() -> Option<PathBuf> {
    private::xdg_folder("XDG_CONFIG_HOME", ".config").map(|folder| folder.join("trust.json"))
}

/// The built-in issuers, those of the trust file, and those that the user names for this run.
pub(crate) fn trust_list(file: Option<&Path>, named: &[CardAddress]) -> Result<TrustList, String> {
    let mut list = TrustList::built_in();
    for issuer in file.map_or_else(|| Ok(Vec::new()), read_issuers)? {
        let host = issuer.card.authority().to_owned();
        list.add(issuer).map_err(|conflict| {
            let file = file.map(term::safe_path).unwrap_or_default();
            format!("{file}: for {host}: {}", term::safe(&conflict.to_string()))
        })?;
    }
    for card in named {
        let issuer = Issuer {
            card: card.clone(),
            pins: Vec::new(),
            pinned_only: false,
            origin: Origin::CommandLine,
        };
        list.add(issuer).map_err(|conflict| term::safe(&conflict.to_string()).into_owned())?;
    }
    Ok(list)
}

fn read_issuers(path: &Path) -> Result<Vec<Issuer>, String> {
    let shown = term::safe_path(path);
    let unreadable = |error: io::Error| format!("cannot read {shown}: {error}");
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(unreadable(error)),
    };
    let metadata = file.metadata().map_err(unreadable)?;
    private::check(path, &metadata, Privacy::Owned)
        .map_err(|loose| format!("the trust file is not used: {}", loose.message))?;
    let mut bytes = Vec::new();
    file.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(format!("{shown} is larger than 1 MiB; this is not a trust file"));
    }
    read_trust_file(bytes.as_slice()).map_err(|error| {
        let position = Lines::new(&bytes).position(error.offset);
        format!("{shown}:{position}: {}", term::safe(&error.to_string()))
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use agent_output_verifier::key::{KeyVersion, PublicKey, SigningKey};
    use agent_output_verifier::receipt::card::card;

    use super::*;
    use crate::net::tests::{Behaviour, Forbidden, Rerouted, serve};

    const PATH: &str = "/.well-known/agent-card.json";
    const URL: &str = "https://verifier.example/.well-known/agent-card.json";

    fn key(seed: u8) -> PublicKey {
        SigningKey::from_seed(&[seed; 32], KeyVersion::new("v").unwrap()).public()
    }

    fn listing(version: &str, seed: u8) -> String {
        card("s", "https://verifier.example", &KeyVersion::new(version).unwrap(), key(seed))
    }

    fn now() -> DateTime<Utc> {
        "2026-10-01T00:00:00Z".parse().unwrap()
    }

    fn trusting() -> TrustList {
        trust_list(None, &[CardAddress::parse(URL).unwrap()]).unwrap()
    }

    fn no_cache() -> Cache {
        Cache::nowhere()
    }

    fn keyring(connector: &Arc<Rerouted>, cache: Cache) -> Keyring {
        Keyring::new(trusting(), Given::default(), Some(connector.net()), cache, now())
    }

    fn offline(cache: Cache) -> Keyring {
        Keyring::new(trusting(), Given::default(), None, cache, now())
    }

    fn served(body: &str) -> Arc<Rerouted> {
        Rerouted::public(serve(vec![(PATH, Behaviour::body(body))]))
    }

    fn claim(version: &str) -> KeyClaim<'_> {
        KeyClaim { url: Some(URL), version }
    }

    fn source(decision: &KeyDecision) -> Option<KeySource> {
        decision.key().map(|key| key.source)
    }

    fn connections(connector: &Rerouted) -> usize {
        connector.connections.load(std::sync::atomic::Ordering::SeqCst)
    }

    #[test]
    fn a_key_is_fetched_once_and_then_cached() {
        let folder = tempfile::tempdir().unwrap();
        let cache = || Cache::at(folder.path().join("cards"));
        let connector = served(&listing("v1", 1));
        let ring = keyring(&connector, cache());
        for _ in 0..2 {
            assert_eq!(source(&ring.decide(claim("v1"))), Some(KeySource::Fetched));
        }
        assert_eq!(connections(&connector), 1);
        // The next run, with no network at all.
        let decision = offline(cache()).decide(claim("v1"));
        assert_eq!(source(&decision), Some(KeySource::Cached(0)));
        assert_eq!(decision.key().unwrap().key, key(1));
    }

    #[test]
    fn a_version_that_the_cache_does_not_list_is_asked_for() {
        let folder = tempfile::tempdir().unwrap();
        let cache = || Cache::at(folder.path().join("cards"));
        keyring(&served(&listing("v1", 1)), cache()).decide(claim("v1"));
        let ring = keyring(&served(&listing("v2", 2)), cache());
        let decision = ring.decide(claim("v2"));
        assert_eq!(
            (source(&decision), decision.key().unwrap().key),
            (Some(KeySource::Fetched), key(2))
        );
        let KeyDecision::Unavailable(refusal) = offline(cache()).decide(claim("v3")) else {
            panic!()
        };
        assert_eq!(refusal.code, Code::Offline);
        assert!(refusal.detail.contains(URL));
    }

    #[test]
    fn a_cached_key_that_differs_from_the_pin_is_not_believed() {
        let folder = tempfile::tempdir().unwrap();
        let cache = || Cache::at(folder.path().join("cards"));
        // Both versions are in the card; v1 is not what is pinned.
        let forged = {
            let one = agent_output_verifier::json::read(listing("v1", 9), 128).unwrap();
            agent_output_verifier::receipt::card::rotated(
                &one,
                &KeyVersion::new("v2").unwrap(),
                key(9),
            )
            .unwrap()
        };
        let address = CardAddress::parse(URL).unwrap();
        cache().put(&address, forged.as_bytes(), now());
        let mut trust = TrustList::empty();
        let pins = vec![("v1".to_owned(), key(1))];
        trust
            .add(Issuer { card: address, pins, pinned_only: false, origin: Origin::Configuration })
            .unwrap();
        let ring = Keyring::new(trust.clone(), Given::default(), None, cache(), now());
        assert!(matches!(ring.decide(claim("v2")), KeyDecision::Unavailable(_)));
        let notes = ring.take_notes();
        assert!(notes.len() == 1 && notes[0].contains("differs from the one pinned"), "{notes:?}");
        // Asked for v1, there is nothing to look up.
        let decision = ring.decide(claim("v1"));
        assert_eq!(
            (source(&decision), decision.key().unwrap().key),
            (Some(KeySource::Pinned), key(1))
        );
        // From the issuer itself it is a contradiction, loudly.
        let net = Some(served(&forged).net());
        let ring = Keyring::new(trust, Given::default(), net, no_cache(), now());
        let KeyDecision::Contradicted(refusal) = ring.decide(claim("v2")) else { panic!() };
        assert_eq!(refusal.code, Code::PinDiffers);
    }

    #[cfg(unix)]
    #[test]
    fn a_loose_cache_is_not_believed() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let cards = folder.path().join("cards");
        keyring(&served(&listing("v1", 1)), Cache::at(cards.clone())).decide(claim("v1"));
        std::fs::set_permissions(&cards, std::fs::Permissions::from_mode(0o777)).unwrap();
        let ring = offline(Cache::at(cards));
        assert!(matches!(ring.decide(claim("v1")), KeyDecision::Unavailable(_)));
        assert!(ring.take_notes()[0].contains("chmod 700"));
    }

    #[test]
    fn each_way_of_failing_has_its_code_and_its_side() {
        let html = "<!doctype html><title>Sign in</title>";
        let twice = listing("v1", 1).replace(
            "\"publicKeys\": [",
            &format!("\"publicKeys\": [{{\"keyVersion\":\"v1\",\"algorithm\":\"Ed25519\",\"publicKey\":\"{}\"}},", key(2).to_base64()),
        );
        for (behaviour, unavailable, code) in [
            (Behaviour::redirect("https://evil.example/"), true, Code::Redirected),
            (Behaviour::body(vec![b' '; 2 << 20]), true, Code::TooLarge),
            (Behaviour::Hang, true, Code::Timeout),
            (Behaviour::body(html), true, Code::NotACard),
            (Behaviour::body("{}"), true, Code::NotACard),
            (Behaviour::body(listing("v0", 1)), false, Code::VersionAbsent),
            (Behaviour::body(twice), false, Code::VersionConflict),
        ] {
            let connector = Rerouted::public(serve(vec![(PATH, behaviour)]));
            match keyring(&connector, no_cache()).decide(claim("v1")) {
                KeyDecision::Unavailable(refusal) => {
                    assert_eq!((true, code), (unavailable, refusal.code))
                }
                KeyDecision::Contradicted(refusal) => {
                    assert_eq!((false, code), (unavailable, refusal.code))
                }
                other => panic!("{other:?}"),
            }
        }
        let server = serve(vec![(PATH, Behaviour::body(listing("v1", 1)))]);
        let private = Rerouted::claiming(&["10.0.0.1:443"], server);
        let KeyDecision::Unavailable(refusal) = keyring(&private, no_cache()).decide(claim("v1"))
        else {
            panic!()
        };
        assert_eq!(refusal.code, Code::AddressRefused);
    }

    #[test]
    fn offline_and_untrusted_open_nothing() {
        let net = || Some(Net::with(Arc::new(Forbidden), Duration::from_secs(1)));
        let KeyDecision::Unavailable(refusal) = offline(no_cache()).decide(claim("v1")) else {
            panic!()
        };
        assert_eq!(refusal.code, Code::Offline);
        let ring = Keyring::new(TrustList::built_in(), Given::default(), net(), no_cache(), now());
        for url in [URL, "http://verify.sarnai.dev/.well-known/agent-card.json"] {
            let claim = KeyClaim { url: Some(url), version: "v1" };
            assert!(matches!(ring.decide(claim), KeyDecision::Untrusted(_)));
        }
        // A pinned key needs no network.
        let hosted = KeyClaim {
            url: Some("https://verify.sarnai.dev/.well-known/agent-card.json"),
            version: "v1-2026-09c",
        };
        assert_eq!(source(&ring.decide(hosted)), Some(KeySource::Pinned));
    }

    #[test]
    fn the_trust_file_adds_issuers_and_says_what_is_wrong() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("trust.json");
        assert_eq!(trust_list(Some(&path), &[]).unwrap().issuers().len(), 3);
        let write = |text: &str| std::fs::write(&path, text).unwrap();
        write(r#"{"issuers":[{"host":"verifier.example"}]}"#);
        assert_eq!(trust_list(Some(&path), &[]).unwrap().issuers().len(), 4);
        write("{\"issuers\":[\n {\"hosts\":\"x\"}]}");
        let error = trust_list(Some(&path), &[]).unwrap_err();
        assert!(error.contains("trust.json:2:3: unknown member \"hosts\""), "{error}");
        write(&format!(
            r#"{{"issuers":[{{"host":"verify.sarnai.dev","keys":[{{"keyVersion":"v1-2026-09c","publicKey":"{}"}}]}}]}}"#,
            key(1).to_base64()
        ));
        let error = trust_list(Some(&path), &[]).unwrap_err();
        assert!(error.contains("another key pinned"), "{error}");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            write(r#"{"issuers":[]}"#);
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o666)).unwrap();
            let error = trust_list(Some(&path), &[]).unwrap_err();
            assert!(error.contains("chmod go-w"), "{error}");
        }
    }
}
