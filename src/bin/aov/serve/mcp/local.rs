//! The tools that cost nothing and ask nobody: what is in the arguments is all they look at.

use agent_output_verifier::invalid::Invalid;
use agent_output_verifier::json::{Kind, MAX_DEPTH, Node, jcs, read};
use agent_output_verifier::key::GivenKey;
use agent_output_verifier::receipt::card::CardKeys;
use agent_output_verifier::receipt::fact::Code;
use agent_output_verifier::receipt::hashes::{Sha256Hex, hashes};
use agent_output_verifier::receipt::{Answer, DataInHand, Demands, Questions, UnverifiedReceipt};
use agent_output_verifier::request::{Problem as Field, UnknownFields, parse};
use agent_output_verifier::response::Json;
use agent_output_verifier::trust::{Given, KeyDecision, KeySource, Lookup, Refusal, TrustList};
use chrono::Utc;
use serde_json::{Value, json};

use crate::report::receipt::members;
use crate::serve::problem::Problem;

fn invalid(field: &str, problem: &str, fix: &str) -> Problem {
    let field = Field {
        field: field.to_owned(),
        problem: problem.to_owned(),
        fix: fix.to_owned(),
        at: None,
    };
    Problem::from(&Invalid::from(vec![field]))
}

/// An argument that is a text.
pub(super) fn text<'d>(arguments: Option<Node<'d>>, name: &str) -> Result<&'d str, Problem> {
    let found = arguments.and_then(|arguments| arguments.get(name));
    let found = found.ok_or_else(|| invalid(name, "is missing", "Add it: a string."))?;
    found
        .as_str()
        .filter(|_| !found.has_lone_surrogate())
        .ok_or_else(|| invalid(name, "is not a string", "Give a string."))
}

/// `hash`: of any value, or those of a whole request.
pub(super) fn hash(arguments: Option<Node<'_>>) -> Result<Value, Problem> {
    let of = |name| arguments.and_then(|arguments| arguments.get(name));
    match (of("value"), of("request")) {
        (Some(value), None) => {
            let canonical = jcs::canonical(value).map_err(|fault| {
                invalid(
                    "value",
                    &format!("has {}, and so no hash", fault.reason),
                    "Leave that out.",
                )
            })?;
            Ok(json!({
                "sha256": Sha256Hex::of(&canonical).as_str(),
                "canonical": String::from_utf8_lossy(&canonical),
            }))
        }
        (None, Some(request)) => {
            let request = parse(request, UnknownFields::Ignore)
                .map_err(|problems| Problem::from(&Invalid::from(problems)))?;
            let hashes = hashes(&request);
            let text = |hash: Option<&Sha256Hex>| hash.map(|hash| hash.as_str().to_owned());
            Ok(json!({
                "output_hash": text(hashes.output.as_ref().ok()),
                "schema_hash": text(hashes.schema.as_ref().ok()),
                "rules_hash": text(hashes.rules.as_ref()),
                "request_hash": text(hashes.request.as_ref()),
            }))
        }
        _ => Err(invalid("value", "is missing", "Give either value or request, and not both.")),
    }
}

/// `verify_receipt`: against pinned keys, or a card or key in the arguments. Nothing is fetched.
pub(super) fn verify_receipt(arguments: Option<Node<'_>>) -> Result<Value, Problem> {
    let of = |name| arguments.and_then(|arguments| arguments.get(name));
    let receipt = of("receipt").ok_or_else(|| {
        invalid("receipt", "is missing", "Give the receipt: the whole signed answer.")
    })?;
    let not_json = || invalid("receipt", "is not JSON", "Give the signed answer as an object.");
    let receipt = match receipt.kind() {
        Kind::String => UnverifiedReceipt::read(receipt.as_str().unwrap_or_default()),
        _ => UnverifiedReceipt::read(receipt.source()),
    };
    let receipt = receipt.map_err(|_| not_json())?;
    let questions =
        Questions { context: None, data: data(of("request"))?, demands: demands(arguments)? };
    let given = given(of("public_key"), of("agent_card"))?;
    let trust = TrustList::built_in();
    let decision = match receipt.key_claim() {
        None => KeyDecision::Untrusted(Refusal::new(Code::IssuerUnnamed)),
        Some(claim) => match trust.look_up(claim, &given) {
            Lookup::Settled(decision) => decision,
            Lookup::Fetch(_) => KeyDecision::Unavailable(Refusal::new(Code::Offline)),
        },
    };
    let audited = receipt.audit(&decision, &questions, Utc::now());
    let accepted = audited.audit().answer() == Answer::Yes;
    let mut found = members::audit(&audited, None, false);
    found.insert(1, ("accepted", Json::Bool(accepted)));
    let body = Json::Object(found).to_line();
    Ok(serde_json::from_str(&body).unwrap_or_default())
}

fn data(request: Option<Node<'_>>) -> Result<DataInHand, Problem> {
    let Some(request) = request else { return Ok(DataInHand::default()) };
    let request = parse(request, UnknownFields::Ignore)
        .map_err(|problems| Problem::from(&Invalid::from(problems)))?;
    Ok(DataInHand::of_request(&request))
}

fn demands(arguments: Option<Node<'_>>) -> Result<Demands, Problem> {
    let of = |name| arguments.and_then(|arguments| arguments.get(name));
    let flag = |name| match of(name).map(|node| (node.is_null(), node.as_bool())) {
        None | Some((true, _)) => Ok(false),
        Some((_, Some(flag))) => Ok(flag),
        Some(_) => Err(invalid(name, "is not true or false", "Give true or false.")),
    };
    let id = |name| match of(name).filter(|node| !node.is_null()) {
        None => Ok(None),
        Some(_) => text(arguments, name).map(|id| Some(id.to_owned())),
    };
    Ok(Demands {
        pass: flag("require_pass")?,
        enforced: flag("require_enforced")?,
        task_id: id("task_id")?,
        agent_id: id("agent_id")?,
        ..Demands::default()
    })
}

fn given(key: Option<Node<'_>>, card: Option<Node<'_>>) -> Result<Given, Problem> {
    let key = key.filter(|key| !key.is_null()).map(|key| {
        key.as_str().and_then(|text| GivenKey::from_text(text).ok()).ok_or_else(|| {
            invalid(
                "public_key",
                "is not a public key",
                "Give base64 of 32 bytes, or aov-public-key-v1:…",
            )
        })
    });
    let card = card.filter(|card| !card.is_null()).map(|card| -> Result<_, Problem> {
        let keys = read(card.source(), MAX_DEPTH).ok().and_then(|card| CardKeys::of(&card).ok());
        let keys = keys.ok_or_else(|| {
            invalid("agent_card", "is not an agent card with keys", "Give the issuer's agent card.")
        })?;
        Ok((keys, KeySource::CardFile))
    });
    Ok(Given { key: key.transpose()?, card: card.transpose()? })
}
