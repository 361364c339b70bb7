//! The whole template against every sample, by the check that gives verdicts. What rejects a sample
//! is taken out until nothing does.

use serde_json::Value;

use super::{Draft, Ledger};
use crate::check::{Work, check_with};
use crate::json::{Node, read};
use crate::schema::Schema;
use crate::template::{TEMPLATE_DEPTH, Template};
use crate::text::{MAX_ECHO, cut, visible};

/// How many keywords may turn out wrong one by one before the schema is given up as a whole.
const MAX_REPAIRS: usize = 100;

/// Why a template cannot stay as it is.
enum Culprit {
    /// A keyword of the schema: a JSON Pointer behind `#`.
    Keyword(String),
    /// The schema as a whole.
    Schema(String),
    /// The bounds and rules.
    Clauses,
}

/// The text of the template that is left when it accepts every sample.
pub(super) fn accepted_by_all(
    mut draft: Draft,
    samples: &[Node<'_>],
    ledger: &mut Ledger,
) -> String {
    for attempt in 0.. {
        let text = draft.to_text();
        let reason = match judge(&text, samples) {
            Ok(()) => return text,
            Err(Culprit::Keyword(location)) if attempt < MAX_REPAIRS => {
                match remove(&mut draft.expected_schema, &location) {
                    true => {
                        let shown = cut(&location, 2 * MAX_ECHO);
                        format!("{}: it rejected a sample", visible(&shown))
                    }
                    false => draft.give_up_schema("it rejected a sample"),
                }
            }
            Err(Culprit::Keyword(_)) => draft.give_up_schema("too much of it rejected samples"),
            Err(Culprit::Schema(reason)) => {
                if draft.is_bare() {
                    // Nothing is left that could reject anything.
                    return text;
                }
                draft.give_up_schema(&reason)
            }
            Err(Culprit::Clauses) => {
                draft.bounds.clear();
                draft.rules.clear();
                "all bounds and rules: together they rejected a sample".to_owned()
            }
        };
        ledger.left_out.push(reason);
    }
    draft.to_text()
}

impl Draft {
    fn is_bare(&self) -> bool {
        self.expected_schema.as_object().is_some_and(serde_json::Map::is_empty)
    }

    fn give_up_schema(&mut self, reason: &str) -> String {
        self.expected_schema = Value::Object(serde_json::Map::new());
        format!("the whole schema: {reason}")
    }
}

fn judge(text: &str, samples: &[Node<'_>]) -> Result<(), Culprit> {
    let unusable = |reason: &str| Culprit::Schema(reason.to_owned());
    let document = read(text, TEMPLATE_DEPTH).map_err(|_| unusable("it cannot be read back"))?;
    let template =
        Template::parse(document.root()).map_err(|_| unusable("it cannot be read back"))?;
    let schema = Schema::compile(template.expected_schema()).map_err(|faults| {
        let fault = faults.first().map(|fault| fault.problem.as_str());
        unusable(fault.unwrap_or("it is not sound"))
    })?;
    for &sample in samples {
        let request = template.request(sample).map_err(|_| Culprit::Clauses)?;
        let outcome = check_with(&request, &schema, Work::Inline).map_err(|faults| {
            let fault = faults.first().map(|fault| fault.problem.as_str());
            unusable(fault.unwrap_or("there is no verdict on a sample"))
        })?;
        if let Some(violation) = outcome.schema.violations.first() {
            return Err(Culprit::Keyword(violation.schema_location.clone()));
        }
        if !outcome.rules.findings.is_empty() {
            return Err(Culprit::Clauses);
        }
    }
    Ok(())
}

/// Removes the keyword at a JSON Pointer behind `#`.
fn remove(schema: &mut Value, location: &str) -> bool {
    let Some((parent, keyword)) = location.strip_prefix('#').and_then(|at| at.rsplit_once('/'))
    else {
        return false;
    };
    let keyword = keyword.replace("~1", "/").replace("~0", "~");
    let parent = schema.pointer_mut(parent).and_then(Value::as_object_mut);
    parent.is_some_and(|parent| parent.shift_remove(&keyword).is_some())
}
