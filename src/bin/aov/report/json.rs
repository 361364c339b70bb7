//! For programs: the body of the answer, or the error shape of the hosted service, and nothing else.

use agent_output_verifier::invalid::Invalid;
use agent_output_verifier::request::Problem;
use agent_output_verifier::response::Json;

use crate::cmd::Failure;
use crate::input::InputError;

/// Why there is no answer, if it lies in what was given.
pub(crate) fn failure(failure: &Failure) -> Option<String> {
    match failure {
        Failure::Invalid(rejection) => Some(line(&rejection.invalid.body())),
        Failure::Input(error) => Some(line(&unusable(error).body())),
        Failure::Write(_) | Failure::Usage(_) => None,
    }
}

/// Input that is no JSON, or not there at all.
fn unusable(error: &InputError) -> Invalid {
    let (code, problem, fix) = match error {
        InputError::Unreadable { .. } => {
            ("unreadable_input", "could not be read", "Name a file that can be read.")
        }
        InputError::Json(_) => {
            ("invalid_request", "is not the JSON that is wanted", "Give one JSON value (RFC 8259).")
        }
    };
    Invalid {
        code,
        problems: vec![Problem {
            field: "body".to_owned(),
            problem: format!("{problem}: {error}"),
            fix: fix.to_owned(),
            at: None,
        }],
    }
}

/// Indented, with a line break at the end.
pub(crate) fn line(json: &Json) -> String {
    json.to_pretty() + "\n"
}
