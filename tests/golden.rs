//! The golden test of SPEC: genuine requests of the hosted service give the bodies it signed.
#![allow(clippy::unwrap_used, reason = "a test ends where its data is not as expected")]

use agent_output_verifier::check::{Work, check};
use agent_output_verifier::json::{self, Document, MAX_DEPTH, Node};
use agent_output_verifier::receipt::hashes::{Sha256Hex, canonical_request, hashes};
use agent_output_verifier::request::{UnknownFields, parse};
use agent_output_verifier::response::{Stamp, VerifySection, body};
use agent_output_verifier::schema::Schema;

fn fixture(name: &str) -> Document {
    let path = format!("{}/fixtures/real/{name}", env!("CARGO_MANIFEST_DIR"));
    json::read(std::fs::read(path).expect("a fixture"), MAX_DEPTH + 1).expect("JSON")
}

/// The answer to a request, with what identifies it taken from the receipt.
fn answer(request: &Document, receipt: Node<'_>) -> Document {
    let request = parse(request.root(), UnknownFields::Refuse).expect("a valid request");
    let outcome = check(&request, Work::Inline).expect("a verdict");
    let text =
        |object: Node<'_>, name: &str| object.get(name).unwrap().as_str().unwrap().to_owned();
    let verify = receipt.get("verify").unwrap();
    let section = VerifySection {
        public_key_url: text(verify, "public_key_url"),
        key_version: text(verify, "key_version"),
        service: text(verify, "service"),
        mcp: text(verify, "mcp"),
    };
    let (id, at) = (text(receipt, "verification_id"), text(receipt, "verified_at"));
    let version = text(receipt, "verifier_version");
    let stamp = Stamp { verification_id: &id, verified_at: &at, verifier_version: &version };
    json::read(body(&request, &outcome, stamp, Some(&section)).to_pretty(), MAX_DEPTH).unwrap()
}

#[test]
fn real_requests_give_the_real_bodies() {
    for name in ["draft", "final"] {
        let receipt = fixture(&format!("{name}-receipt.json"));
        let answer = answer(&fixture(&format!("{name}-request.json")), receipt.root());
        let fields = |document: &Document| -> Vec<(String, String)> {
            document
                .root()
                .members()
                .filter(|member| member.name.as_str() != Some("attestation"))
                .map(|member| {
                    // Members in their order, white space apart.
                    let value: serde_json::Value =
                        serde_json::from_str(member.value.source()).unwrap();
                    (member.name.as_str().unwrap().to_owned(), value.to_string())
                })
                .collect()
        };
        assert_eq!(fields(&answer), fields(&receipt), "{name}");
    }
}

#[test]
fn published_vectors_match() {
    let vectors = fixture("request-hash-vectors.json");
    assert_eq!(vectors.root().len(), 3);
    for vector in vectors.root().elements() {
        let request =
            parse(vector.get("request").unwrap(), UnknownFields::Refuse).expect("a valid request");
        let canonical = String::from_utf8(canonical_request(&request).unwrap()).unwrap();
        assert_eq!(Some(canonical.as_str()), vector.get("canonical").unwrap().as_str());
        let hash = hashes(&request).request.unwrap();
        assert_eq!(Some(hash.as_str()), vector.get("requestHash").unwrap().as_str());
        assert_eq!(hash, Sha256Hex::of(canonical.as_bytes()));
    }
}

#[test]
fn a_full_body_meets_the_published_response_schema() {
    // Signed in the wild, so without our attestation: all but that must be there.
    let schema = fixture("response-schema.json");
    let schema = Schema::compile(schema.root()).expect("a sound schema");
    let receipt = fixture("draft-receipt.json");
    let answer = answer(&fixture("draft-request.json"), receipt.root());
    let report = schema.check(answer.root()).expect("a verdict");
    let paths: Vec<_> = report.violations.iter().map(|violation| violation.place.path()).collect();
    assert_eq!(paths, ["$.attestation"]);
}
