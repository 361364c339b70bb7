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
        Failure::Write(_) | Failure::Usage(_) | Failure::Other { .. } => None,
    }
}

/// Why there is no answer, whatever it is.
pub(crate) fn error(failure: &Failure) -> Json {
    let failed = |code, problem: &str, fix: &str| Invalid {
        code,
        problems: vec![Problem {
            field: "body".to_owned(),
            problem: format!("{problem}: {failure}"),
            fix: fix.to_owned(),
            at: None,
        }],
    };
    match failure {
        Failure::Invalid(rejection) => rejection.invalid.body(),
        Failure::Input(error) => unusable(error).body(),
        Failure::Write(_) => {
            failed("unwritable_output", "got no answer", "Name a file that can be written.").body()
        }
        Failure::Other { code, .. } => failed(*code, "got no answer", "See aov --help.").body(),
        Failure::Usage(_) => failed("usage", "is not what was asked for", "See aov --help.").body(),
    }
}

/// The code of that.
pub(crate) fn code(failure: &Failure) -> &'static str {
    match failure {
        Failure::Invalid(rejection) => rejection.invalid.code,
        Failure::Input(error) => unusable(error).code,
        Failure::Write(_) => "unwritable_output",
        Failure::Usage(_) => "usage",
        Failure::Other { code, .. } => code,
    }
}

/// Input that is no JSON, or not there at all.
pub(crate) fn unusable(error: &InputError) -> Invalid {
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
