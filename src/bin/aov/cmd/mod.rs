//! The verbs. Each is a file of one shape: its arguments (`Args`), the texts of its manual
//! (`MANUAL`), and `run(Args, &mut Session) -> Result<Exit, Failure>`. A line in the list below
//! makes it a verb, everywhere: command line, help, completions, manual pages.

use std::fmt;
use std::path::PathBuf;

use anstream::ColorChoice;

use crate::cache::Cache;
use crate::exit::{self, Exit};
use crate::input::{InputError, Inputs};
use crate::keyring;
use crate::ledger::LedgerError;
use crate::manual::Manual;
use crate::net::Net;
use crate::output::{self, WriteError};
use crate::report::{self, Rejection};
use crate::term::Terminal;

macro_rules! verbs {
    ($($verb:ident($module:ident) $(#[$attribute:meta])*,)+) => {
        $(pub(crate) mod $module;)+

        /// What to do.
        #[derive(Debug, clap::Subcommand)]
        pub(crate) enum Verb {
            $(
                #[allow(missing_docs, reason = "the text stands at the arguments")]
                #[command(after_long_help = $module::MANUAL.after_long_help())]
                $(#[$attribute])*
                $verb($module::Args),
            )+
        }

        impl Verb {
            fn run(self, session: &mut Session) -> Result<Exit, Failure> {
                match self {
                    $(Self::$verb(arguments) => $module::run(arguments, session),)+
                }
            }
        }

        /// The manual of each verb, by the name of its file.
        const MANUALS: &[(&str, &Manual)] = &[$((stringify!($module), &$module::MANUAL),)+];
    };
}

verbs! {
    Check(check),
    Hash(hash),
    VerifyReceipt(verify_receipt),
    Score(score),
    Keygen(keygen),
    Template(template),
    Serve(serve),
    Mcp(mcp),
    Ledger(ledger),
    Completions(completions),
    Generate(generate) #[command(hide = true)],
}

/// The manual of `aov` itself.
pub(crate) const MANUAL: Manual = Manual {
    examples: &[
        ("Check a whole request", "aov check request.json"),
        (
            "Check an output against a schema and rules",
            "aov check --schema schema.json --rules rules.json invoice.json",
        ),
        ("Print the hashes that a receipt carries", "aov hash request.json"),
    ],
    exits: &exit::MEANINGS,
};

/// What one run of the program has in hand.
#[derive(Debug)]
pub(crate) struct Session {
    /// What can be read.
    pub(crate) inputs: Inputs,
    /// The colour that was asked for.
    pub(crate) color: ColorChoice,
    /// What can be fetched.
    pub(crate) net: Net,
    /// Agent cards of before.
    pub(crate) cache: Cache,
    /// The user's own trust file.
    pub(crate) trust_file: Option<PathBuf>,
}

impl Session {
    /// At the start of a run.
    pub(crate) fn new(color: ColorChoice) -> Self {
        Self {
            inputs: Inputs::default(),
            color,
            net: Net::system(),
            cache: Cache::of_user(),
            trust_file: keyring::trust_file(),
        }
    }

    /// Does the work of a verb and says how it ended.
    pub(crate) fn run(mut self, verb: Verb) -> Exit {
        verb.run(&mut self).unwrap_or_else(|failure| {
            self.complain(&failure, false);
            Exit::CannotRun
        })
    }

    /// Tells people, on standard error, why something could not be done; with `redact` without the
    /// text of what could not be read.
    pub(crate) fn complain(&self, failure: &Failure, redact: bool) {
        output::complain(&report::human::failure(failure, redact, Terminal::stderr(self.color)));
    }
}

/// Why what was asked cannot be done. It ends with exit code 2.
#[derive(Debug)]
pub(crate) enum Failure {
    /// An input is not fit for use.
    Input(InputError),
    /// A result could not be written.
    Write(WriteError),
    /// The request, or a part of it, is not valid.
    Invalid(Box<Rejection>),
    /// The arguments do not fit together, or not to what was found.
    Usage(String),
    /// Anything else.
    Other {
        /// What programs are told.
        code: &'static str,
        /// What people are told.
        message: String,
    },
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Input(error) => error.fmt(f),
            Self::Write(error) => error.fmt(f),
            Self::Invalid(rejection) => f.write_str(&rejection.invalid.message()),
            Self::Usage(message) | Self::Other { message, .. } => f.write_str(message),
        }
    }
}

impl From<InputError> for Failure {
    fn from(error: InputError) -> Self {
        Self::Input(error)
    }
}

impl From<Rejection> for Failure {
    fn from(rejection: Rejection) -> Self {
        Self::Invalid(Box::new(rejection))
    }
}

impl From<LedgerError> for Failure {
    fn from(LedgerError(message): LedgerError) -> Self {
        Self::Other { code: "ledger_unavailable", message }
    }
}

impl From<WriteError> for Failure {
    fn from(error: WriteError) -> Self {
        Self::Write(error)
    }
}
