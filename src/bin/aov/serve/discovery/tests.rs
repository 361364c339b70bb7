use agent_output_verifier::json::MAX_DEPTH;
use agent_output_verifier::key::KeyVersion;
use agent_output_verifier::receipt::card::CardKeys;
use serde_json::Value;

use super::*;
use crate::serve::codes;
use crate::serve::counter::tests::{SELLS, config, gate};
use crate::serve::http::Fields;

const OLD: &str =
    "old_keys = ['aov-public-key-v1:v1-2026-09c:d2IHH0/Xduci/5J8IewYmauUvgqf+gFIeCEXDwjHUhw=']\n";

fn documents(text: &str) -> Documents {
    let config = config(text);
    let url = PublicUrl::parse("https://v.example").unwrap();
    let key = SigningKey::from_seed(&[7; 32], KeyVersion::new("v1-test").unwrap());
    let gate = config.sale.is_some().then(|| gate(true) as Arc<dyn Gate>);
    Documents::new(&config, &url, &key, gate)
}

fn get(documents: &Documents, endpoint: Endpoint, fields: &[(&str, &str)]) -> Response {
    let mut all = Fields::default();
    for (name, value) in fields {
        all.add(name, *value);
    }
    let request = Request {
        method: "GET".to_owned(),
        path: "/".to_owned(),
        query: None,
        fields: all,
        body: Vec::new(),
        peer: [127, 0, 0, 1].into(),
    };
    documents.answer(&endpoint, &request)
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

#[test]
fn the_card_lists_every_key_the_current_one_first() {
    let documents = documents(&format!("{OLD}{SELLS}"));
    let keys = CardKeys::read(documents.card.as_str()).unwrap();
    assert_eq!(keys.versions().collect::<Vec<_>>(), ["v1-test", "v1-2026-09c"]);
    let hosted = keys.key("v1-2026-09c").unwrap().to_base64();
    assert_eq!(hosted, "d2IHH0/Xduci/5J8IewYmauUvgqf+gFIeCEXDwjHUhw=");
    assert!(documents.card.contains("\"currentKeyVersion\":\"v1-test\""));
}

#[test]
fn the_card_s_vectors_hold_here() {
    use agent_output_verifier::receipt::hashes::{Sha256Hex, canonical_request};
    use agent_output_verifier::request::{UnknownFields, parse};
    let card = documents("").card;
    let document = agent_output_verifier::json::read(card, MAX_DEPTH).unwrap();
    let extensions = document.root().get("capabilities").unwrap().get("extensions").unwrap();
    let params = extensions.element(0).unwrap().get("params").unwrap();
    let vectors = params.get("requestHashTestVectors").unwrap().get("vectors").unwrap();
    assert_eq!(vectors.len(), 3);
    for vector in vectors.elements() {
        let request = parse(vector.get("request").unwrap(), UnknownFields::Refuse).unwrap();
        let bytes = canonical_request(&request).unwrap();
        assert_eq!(vector.get("canonical").unwrap().as_str().unwrap().as_bytes(), bytes);
        let hash = vector.get("requestHash").unwrap().as_str().unwrap();
        assert_eq!(Sha256Hex::of(&bytes).as_str(), hash);
    }
}

/// What A2A 0.3.0 and 1.0 require, by their texts (MCP.md §8).
#[test]
fn the_card_is_one_of_0_3_0_and_of_1_0() {
    for text in ["", SELLS] {
        let card = json(&documents(text).card);
        for name in [
            "name",
            "description",
            "url",
            "protocolVersion",
            "version",
            "capabilities",
            "defaultInputModes",
            "defaultOutputModes",
            "skills",
            "preferredTransport",
            "supportedInterfaces",
        ] {
            assert!(!card[name].is_null(), "{name}");
        }
        assert_eq!(card["protocolVersion"], "0.3.0");
        for skill in card["skills"].as_array().unwrap() {
            for name in ["id", "name", "description", "tags"] {
                assert!(!skill[name].is_null(), "{name}");
            }
        }
        for interface in card["supportedInterfaces"].as_array().unwrap() {
            // There is no A2A endpoint, so none is claimed.
            assert!(interface["protocolBinding"].as_str().unwrap().starts_with("urn:"));
            assert_eq!(interface["protocolVersion"], "1.0");
        }
        let uris: Vec<_> = card["capabilities"]["extensions"]
            .as_array()
            .unwrap()
            .iter()
            .map(|it| it["uri"].as_str().unwrap())
            .collect();
        assert_eq!(uris.iter().any(|uri| uri.contains("a2a-x402")), !text.is_empty(), "{uris:?}");
    }
}

#[test]
fn the_manifest_says_what_a_402_says() {
    let sold = documents(SELLS).manifest.document().unwrap();
    assert_eq!(sold["version"], 1);
    let resources = sold["resources"].as_array().unwrap();
    assert_eq!(resources[0], "https://v.example/verify/schema");
    assert_eq!(resources.len(), 3);
    assert_eq!(sold["items"][0]["accepts"][0]["amount"], "20000");
    assert_eq!(sold["items"][2]["accepts"][0]["amount"], "10000");
    let free = documents("").manifest.document().unwrap();
    assert_eq!((&free["resources"], &free["free"]), (&serde_json::json!([]), &true.into()));
}

#[test]
fn prices_and_allowance_are_the_configured_ones_everywhere() {
    let text = format!(
        "{SELLS}[allowance]\nper_day = 77\nmax_body_bytes = 1234\n[prices]\nverify = '0.5'\nscore = '0.25'\n"
    );
    let documents = documents(&text);
    for (name, document) in
        [("card", &documents.card), ("llms", &documents.llms), ("openapi", &documents.openapi)]
    {
        for said in ["77", "1234", "$0.50", "$0.25", "Base (eip155:8453)", "https://v.example"] {
            assert!(document.contains(said), "{name} lacks {said}");
        }
        assert!(!document.contains("0.02") && !document.contains("sarnai"), "{name}");
    }
}

#[test]
fn every_code_is_in_the_guide_and_in_openapi() {
    let documents = documents(SELLS);
    for code in codes::all() {
        let row = format!("| `{}` | {} |", code.code, code.status);
        assert!(documents.llms.contains(&row), "{row}");
        assert!(documents.openapi.contains(&format!("`{}`", code.code)), "{}", code.code);
    }
}

#[test]
fn openapi_points_at_nothing_that_is_not_there() {
    for text in ["", SELLS, "[allowance]\nper_day = 5\n"] {
        let document = json(&documents(text).openapi);
        assert_eq!(document["openapi"], "3.1.0");
        let mut references = Vec::new();
        collect(&document, &mut references);
        assert!(references.len() > 20);
        for reference in references {
            let pointer = reference.strip_prefix('#').unwrap();
            assert!(document.pointer(pointer).is_some(), "{reference}");
        }
        let responses = &document["paths"]["/verify/schema"]["post"]["responses"];
        assert_eq!(responses.get("402").is_some(), text == SELLS);
        assert_eq!(responses.get("429").is_some(), text.contains("per_day"));
    }
}

fn collect(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                match member {
                    Value::String(text) if name == "$ref" => found.push(text.clone()),
                    _ => collect(member, found),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| collect(item, found)),
        _ => {}
    }
}

/// The example of the documents is what they say it is.
#[test]
fn the_example_fails_for_the_reason_that_the_guide_gives() {
    use crate::serve::{counter::tests::engine, engine};
    let input = engine::read(super::openapi::example().to_string().as_bytes()).unwrap();
    let prepared = engine().prepare(&input).unwrap();
    let body = json(&engine().run(&prepared, chrono::DateTime::UNIX_EPOCH).unwrap().body);
    assert_eq!(body["result"], "fail");
    assert_eq!(body["hints"][0]["found"], "sum 129.5");
    // A test id: trying it out leaves no record.
    assert!(body["agent_id"].as_str().unwrap().starts_with("test-"));
}

#[test]
fn schemas_describe_what_is_served() {
    use crate::serve::{counter::tests::engine, engine};
    let check = |schema: &Value, body: &str| {
        let request =
            format!(r#"{{"task_id":"t","expected_schema":{schema},"submitted_output":{body}}}"#);
        let input = engine::read(request.as_bytes()).unwrap();
        let prepared = engine().prepare(&input).unwrap();
        let verified = engine().run(&prepared, chrono::DateTime::UNIX_EPOCH).unwrap();
        assert_eq!(json(&verified.body)["result"], "pass", "{}", verified.body);
    };
    let run = |text: &str| {
        let input = engine::read(text.as_bytes()).unwrap();
        let prepared = engine().prepare(&input).unwrap();
        engine().run(&prepared, chrono::DateTime::UNIX_EPOCH).unwrap().body
    };
    let mut example = super::openapi::example();
    check(&schemas::strict_request(), &example.to_string());
    check(&schemas::response(), &run(&example.to_string()));
    example["detail"] = "compact".into();
    check(&schemas::compact(), &run(&example.to_string()));
    let problem = engine::read(b"{").unwrap_err().body().to_string();
    check(&schemas::problem(), &problem);
    let score = agent_output_verifier::score::Score::of(Vec::new(), chrono::DateTime::UNIX_EPOCH);
    check(&schemas::reputation(), &agent_output_verifier::score::reputation("a", &score).to_line());
}

#[test]
fn the_page_is_whole_without_the_internet() {
    let documents = documents("");
    let page = get(&documents, Endpoint::Docs, &[]);
    let text = String::from_utf8(page.body).unwrap();
    assert!(!text.contains("http://") && !text.contains("https://") && !text.contains("//cdn"));
    assert!(page.fields.get("content-security-policy").unwrap().contains("script-src 'self'"));
    let packed = get(&documents, Endpoint::DocsScript, &[("Accept-Encoding", "gzip, br")]);
    assert_eq!(packed.fields.get("content-encoding"), Some("gzip"));
    let plain = get(&documents, Endpoint::DocsScript, &[]);
    assert_eq!((plain.status, plain.fields.get("content-encoding")), (200, None));
    assert!(plain.body.len() > 3 * packed.body.len());
    assert!(String::from_utf8(plain.body).unwrap().contains("openapi-explorer"));
}
