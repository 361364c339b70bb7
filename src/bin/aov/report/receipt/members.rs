//! For programs: all that was found out about a receipt, as the members of a JSON object.

use agent_output_verifier::receipt::Audited;
use agent_output_verifier::receipt::attestation::Context;
use agent_output_verifier::receipt::replay::Replayed;
use agent_output_verifier::response::Json;
use agent_output_verifier::text::cut;

use super::{SAYS, detail, kind_of, oddity, said, told};
use crate::cmd::verify_receipt::work::Checked;

/// One audit.
pub(super) fn of(checked: &Checked, redact: bool) -> Vec<(&'static str, Json)> {
    let mut members = vec![
        ("receipt", Json::text(&*checked.name)),
        ("line", checked.line.map_or(Json::Null, Json::Count)),
        ("exit_code", Json::Count(checked.exit().code().into())),
    ];
    match &checked.result {
        Err(unread) => {
            let count = |number: usize| Json::Count(number as u64);
            let error = vec![
                ("code", Json::text(unread.code)),
                ("message", Json::text(&*unread.message)),
                ("line", unread.position.map_or(Json::Null, |it| count(it.line))),
                ("column", unread.position.map_or(Json::Null, |it| count(it.column))),
            ];
            members.push(("error", Json::Object(error)));
        }
        Ok(receipt) => members.extend(audit(&receipt.audited, receipt.replayed.as_ref(), redact)),
    }
    members
}

/// All that was found out about a receipt.
pub(crate) fn audit(
    audited: &Audited,
    replayed: Option<&Replayed>,
    redact: bool,
) -> Vec<(&'static str, Json)> {
    let audit = audited.audit();
    let reason = audit.reason().map_or(Json::Null, |fact| {
        Json::Object(vec![
            ("fact", Json::text(fact.subject.as_str())),
            ("code", Json::text(fact.code.as_str())),
        ])
    });
    let facts = audit.facts.iter().map(|fact| {
        let fields = vec![
            ("status", Json::text(fact.status.as_str())),
            ("code", Json::text(fact.code.as_str())),
            ("detail", Json::text(detail(fact, redact))),
        ];
        (fact.subject.as_str(), Json::Object(fields))
    });
    let warnings = audit.warnings.iter().map(|warning| {
        Json::Object(vec![
            ("field", Json::text(warning.field)),
            ("detail", Json::text(oddity(warning, redact))),
        ])
    });
    let not_checked = audit.not_checked.iter().map(|item| {
        Json::Object(vec![
            ("code", Json::text(item.as_str())),
            ("detail", Json::text(item.meaning())),
        ])
    });
    let context = match audit.context {
        Context::Verification => "verification",
        Context::Score => "score",
    };
    let mut members = vec![
        ("verdict", Json::text(audit.verdict.as_str())),
        ("reason", reason),
        ("context", Json::text(context)),
        ("verified", Json::Bool(matches!(audited, Audited::Verified(..)))),
        ("says", says(audited, redact)),
        ("facts", Json::Object(facts.collect())),
        ("warnings", Json::Array(warnings.collect())),
        ("not_checked", Json::Array(not_checked.collect())),
    ];
    members.extend(replayed.map(|replayed| ("replay", replay(replayed, redact))));
    members
}

/// What the receipt says: texts as they are, anything else as JSON in a text; null where it does
/// not say.
fn says(audited: &Audited, redact: bool) -> Json {
    let value = |name| {
        let value = said(audited.says(), name).filter(|value| !value.is_null());
        value.map(|value| cut(&told(name, value, redact), 256).into_owned())
    };
    Json::Object(SAYS.map(|name| (name, Json::optional(value(name)))).to_vec())
}

fn replay(replayed: &Replayed, redact: bool) -> Json {
    let shown = |json: &str| Json::text(if redact { kind_of(json) } else { json });
    let version = replayed.receipt_version.as_deref();
    let version = version.map(|version| if redact { "string" } else { version });
    let differences = replayed.differences.iter().map(|difference| {
        Json::Object(vec![
            ("field", Json::text(&*difference.field)),
            ("receipt", shown(&difference.receipt)),
            ("replay", shown(&difference.replay)),
        ])
    });
    Json::Object(vec![
        ("receipt_version", Json::optional(version)),
        ("replay_version", Json::text(&*replayed.replay_version)),
        ("differences", Json::Array(differences.collect())),
    ])
}
