//! `aov hash`: the hashes that a receipt carries, and the bytes they are of.

mod vectors;

use std::path::PathBuf;

use agent_output_verifier::json::jcs::{self, Unhashable};
use agent_output_verifier::json::{self, Document, MAX_DEPTH, Node};
use agent_output_verifier::receipt::hashes::{
    Hashes, Sha256Hex, canonical_request, canonical_rules, hashes,
};
use agent_output_verifier::request::{Part, Request};

use super::{Failure, Session};
use crate::args::{Format, Parts, Terms};
use crate::exit::Exit;
use crate::input::JsonFile;
use crate::manual::Manual;
use crate::output::Stdout;
use crate::report::hashes::{self as report, Listed};
use crate::report::{Rejection, json as report_json};
use crate::requirements::{Requirements, Settings};

/// Print the hashes that a receipt carries
///
/// SHA-256, in lowercase hex, over RFC 8785 canonical JSON: output_hash, schema_hash, rules_hash and
/// request_hash. FILE is a whole request; with --schema, --rules or --template it is a bare output,
/// and may be left out: what can be hashed then is.
#[derive(Debug, clap::Args)]
#[command(override_usage = "aov hash [OPTIONS] [output|schema|rules|request] [FILE]
       aov hash [OPTIONS] --value [FILE]
       aov hash [OPTIONS] --vectors [VECTORS]")]
pub(crate) struct Args {
    /// output, schema, rules or request prints that hash and nothing else; FILE is a request, or an
    /// output; `-` is standard input, and the default where that is no terminal
    #[arg(value_names = ["NAME", "FILE"], num_args = 0..=2)]
    what: Vec<PathBuf>,

    /// FILE is any JSON value, such as a bare output or a schema: print its hash and nothing else
    #[arg(long, conflicts_with_all = ["schema", "rules", "template"])]
    value: bool,

    /// Print the exact bytes that are hashed instead; with a NAME or --value
    #[arg(long)]
    canonical: bool,

    /// Check published request_hash test vectors (a list, or an agent card); without VECTORS the
    /// three built in
    #[arg(
        long,
        value_name = "VECTORS",
        num_args = 0..=1,
        conflicts_with_all = ["what", "value", "canonical", "schema", "rules", "template"]
    )]
    vectors: Option<Option<PathBuf>>,

    #[command(flatten)]
    parts: Parts,

    #[command(flatten)]
    terms: Terms,

    /// How to print; json gives an object, or with a NAME a string
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t, help_heading = "Output")]
    format: Format,
}

/// The name of a hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Name {
    Output,
    Schema,
    Rules,
    Request,
}

impl Name {
    const ALL: [Self; 4] = [Self::Output, Self::Schema, Self::Rules, Self::Request];

    /// The word for it on the command line.
    fn word(self) -> &'static str {
        self.field().trim_end_matches("_hash")
    }

    /// The field of a body.
    pub(crate) fn field(self) -> &'static str {
        match self {
            Self::Output => "output_hash",
            Self::Schema => "schema_hash",
            Self::Rules => "rules_hash",
            Self::Request => "request_hash",
        }
    }
}

pub(super) const MANUAL: Manual = Manual {
    examples: &[
        ("Print the four hashes of a request", "aov hash request.json"),
        ("Print one of them, for a script", "aov hash output request.json"),
        (
            "See that a hash is nothing but SHA-256 of the canonical bytes",
            "aov hash --canonical request request.json | sha256sum",
        ),
        ("Print the hash of an output that stands alone", "aov hash --value invoice.json"),
        ("Check that this program hashes like the hosted service", "aov hash --vectors"),
    ],
    exits: &[
        (0, "The hashes were printed; every test vector matches."),
        (1, "A test vector does not match."),
        (
            2,
            "Usage, invalid request, malformed JSON, unreadable file, or the hash asked for is null.",
        ),
    ],
};

pub(super) fn run(arguments: Args, session: &mut Session) -> Result<Exit, Failure> {
    let format = arguments.format;
    let mut out = Stdout::default();
    let failure = match work(arguments, session, &mut out) {
        Err(failure) if format == Format::Json => failure,
        result => return result,
    };
    match report_json::failure(&failure) {
        Some(body) => {
            out.write(body.as_bytes())?;
            Ok(Exit::CannotRun)
        }
        None => Err(failure),
    }
}

fn work(arguments: Args, session: &mut Session, out: &mut Stdout) -> Result<Exit, Failure> {
    if let Some(file) = &arguments.vectors {
        return vectors::run(file.as_deref(), arguments.format, session, out);
    }
    let what = What::of(&arguments)?;
    if arguments.canonical && what.name.is_none() && !arguments.value {
        return Err(Failure::Usage(
            "--canonical prints the bytes of one hash: put output, schema, rules or request before \
             the file, or use --value"
                .to_owned(),
        ));
    }
    let text = if arguments.value {
        hash_value(&arguments, &what, session)?
    } else {
        hash_request(&arguments, &what, session)?
    };
    out.write(&text)?;
    Ok(Exit::Ok)
}

/// The positional arguments told apart.
struct What {
    name: Option<Name>,
    file: Option<PathBuf>,
}

impl What {
    fn of(arguments: &Args) -> Result<Self, Failure> {
        let mut words = arguments.what.iter();
        let Some(first) = words.next() else { return Ok(Self { name: None, file: None }) };
        let second = words.next().cloned();
        let named = Name::ALL.into_iter().find(|name| first.as_os_str() == name.word());
        match named {
            _ if arguments.value && second.is_none() => {
                Ok(Self { name: None, file: Some(first.clone()) })
            }
            Some(name) if second.is_none() && first.is_file() => Err(Failure::Usage(format!(
                "{0} is the name of a hash and of a file; write ./{0} for the file",
                name.word()
            ))),
            Some(name) if !arguments.value => Ok(Self { name: Some(name), file: second }),
            None if second.is_none() => Ok(Self { name: None, file: Some(first.clone()) }),
            _ => Err(Failure::Usage(format!(
                "{} is no hash; before the file there can be output, schema, rules or request, \
                 and with --value nothing",
                crate::term::safe_path(first)
            ))),
        }
    }
}

fn hash_value(arguments: &Args, what: &What, session: &mut Session) -> Result<Vec<u8>, Failure> {
    let path = session.inputs.file_or_stdin(what.file.as_deref())?;
    let file = session.inputs.read_json(&path, "the value", MAX_DEPTH)?;
    let bytes = jcs::canonical(file.document.root())
        .map_err(|fault| Failure::Usage(report::without_form(&file, &fault)))?;
    if arguments.canonical {
        return Ok(bytes);
    }
    Ok(report::one(Some(&Sha256Hex::of(&bytes)), arguments.format).into_bytes())
}

fn hash_request(arguments: &Args, what: &What, session: &mut Session) -> Result<Vec<u8>, Failure> {
    let Args { parts, terms, .. } = arguments;
    let requirements = Requirements::load(parts, terms, &mut session.inputs)?;
    let path = match &what.file {
        None if !requirements.is_whole() => None,
        file => Some(session.inputs.file_or_stdin(file.as_deref())?),
    };
    let role = if requirements.is_whole() { "the request" } else { "the output" };
    let input = path
        .map(|path| session.inputs.read_json(&path, role, requirements.input_depth()))
        .transpose()?;
    let settings = Settings { terms, detail: None };

    let (no_schema, no_output) = (stand_in("{}")?, stand_in("null")?);
    let request = match (&input, requirements.schema()) {
        (Some(input), Some(_)) => requirements.request(input, &settings),
        (Some(input), None) if requirements.is_whole() => requirements.request(input, &settings),
        (input, schema) => {
            let output = input.as_ref().map_or(no_output.root(), |file| file.document.root());
            let schema = schema.unwrap_or(no_schema.root());
            requirements.with(schema, output, "none".to_owned(), &settings)
        }
    };
    let request = request.map_err(|invalid| {
        let file = |part| requirements.file(part, input.as_ref());
        Rejection::new("there is nothing to hash".to_owned(), invalid, file)
    })?;
    let known = Known {
        requirements: &requirements,
        input: input.as_ref(),
        request: &request,
        hashes: hashes(&request),
    };
    match what.name {
        None => Ok(known.list(arguments.format).into_bytes()),
        Some(name) if arguments.canonical => known.canonical(name),
        Some(name) => known.one(name, arguments.format).map(String::into_bytes),
    }
}

/// What stands where a part is not given; nothing is said about it.
fn stand_in(text: &str) -> Result<Document, Failure> {
    json::read(text, MAX_DEPTH).map_err(|error| Failure::Usage(error.to_string()))
}

/// The hashes, and which of them are about something that was given.
struct Known<'r> {
    requirements: &'r Requirements,
    input: Option<&'r JsonFile>,
    request: &'r Request<'r>,
    hashes: Hashes,
}

impl Known<'_> {
    /// Whether everything is there that this hash is of.
    fn has(&self, name: Name) -> bool {
        let whole = self.requirements.is_whole();
        let schema = whole || self.requirements.schema().is_some();
        match name {
            Name::Output => self.input.is_some(),
            Name::Schema => schema,
            Name::Rules => whole || self.requirements.rules().is_some(),
            Name::Request => self.input.is_some() && schema,
        }
    }

    /// The hash, or why it is null.
    fn get(&self, name: Name) -> Result<&Sha256Hex, String> {
        let without_form = |part: Part, fault: &Unhashable| {
            let file = match part {
                Part::Schema => self.requirements.file(part, self.input),
                _ => self.input,
            };
            file.map_or_else(|| fault.reason.to_string(), |file| report::without_form(file, fault))
        };
        match name {
            Name::Output => {
                self.hashes.output.as_ref().map_err(|fault| without_form(Part::Request, fault))
            }
            Name::Schema => {
                self.hashes.schema.as_ref().map_err(|fault| without_form(Part::Schema, fault))
            }
            Name::Rules => {
                self.hashes.rules.as_ref().ok_or_else(|| "there are no rules and no bounds".to_owned())
            }
            Name::Request => self
                .hashes
                .request
                .as_ref()
                .ok_or_else(|| "a part of the request has no canonical form".to_owned()),
        }
    }

    fn list(&self, format: Format) -> String {
        let listed: Vec<Listed<'_>> = Name::ALL
            .into_iter()
            .filter(|name| self.has(*name))
            .map(|name| (name.field(), self.get(name)))
            .collect();
        report::list(&listed, format)
    }

    fn must_have(&self, name: Name) -> Result<(), Failure> {
        if self.has(name) {
            return Ok(());
        }
        let wants = match name {
            Name::Output => "an output: name its file",
            Name::Schema => "a schema: give --schema",
            Name::Rules => "rules: give --rules",
            Name::Request => "an output and a schema: name the file of one, give --schema for the other",
        };
        Err(Failure::Usage(format!("{} needs {wants}", name.field())))
    }

    fn one(&self, name: Name, format: Format) -> Result<String, Failure> {
        self.must_have(name)?;
        match (self.get(name), format) {
            (Ok(hash), _) => Ok(report::one(Some(hash), format)),
            (Err(_), Format::Json) => Ok(report::one(None, format)),
            (Err(why), Format::Human) => Err(is_null(name, &why)),
        }
    }

    fn canonical(&self, name: Name) -> Result<Vec<u8>, Failure> {
        self.must_have(name)?;
        let of = |node: Node<'_>| jcs::canonical(node).ok();
        let bytes = match name {
            Name::Output => of(self.request.submitted_output),
            Name::Schema => of(self.request.expected_schema),
            Name::Rules => canonical_rules(self.request),
            Name::Request => canonical_request(self.request).ok(),
        };
        bytes.ok_or_else(|| is_null(name, &self.get(name).err().unwrap_or_default()))
    }
}

fn is_null(name: Name, why: &str) -> Failure {
    Failure::Usage(format!("{} is null: {why}", name.field()))
}
