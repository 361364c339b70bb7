//! What outputs are checked against, from the files that the command line names: whole requests,
//! or a schema, rules or a template that all outputs of a run share.

use std::path::Path;

use agent_output_verifier::invalid::Invalid;
use agent_output_verifier::json::{Kind, MAX_DEPTH, Node};
use agent_output_verifier::request::{self, Detail, Part, Request, UnknownFields};
use agent_output_verifier::schema::Schema;
use agent_output_verifier::template::{TEMPLATE_DEPTH, Template};
use agent_output_verifier::text;

use crate::args::{Parts, Terms};
use crate::cmd::Failure;
use crate::input::{Inputs, JsonFile};
use crate::report::Rejection;

/// The envelope of a request is one level, and does not count (SPEC 1.4).
pub(crate) const REQUEST_DEPTH: usize = MAX_DEPTH + 1;

/// The files that hold the requirements.
#[derive(Debug)]
pub(crate) enum Requirements {
    /// None: each input is a request, which has its own.
    Whole,
    /// A schema, rules, or both.
    Parts {
        /// The schema.
        schema: Option<Box<JsonFile>>,
        /// `rules`, `bounds` and `enforce_rules`.
        rules: Option<Box<JsonFile>>,
    },
    /// A template, which was found to be one.
    Template(Box<JsonFile>),
}

/// What a request says besides its parts.
#[derive(Debug)]
pub(crate) struct Settings<'a> {
    /// From the command line.
    pub(crate) terms: &'a Terms,
    /// From the command line, if given there.
    pub(crate) detail: Option<Detail>,
}

impl Settings<'_> {
    fn unknown_fields(&self) -> UnknownFields {
        if self.terms.allow_unknown_fields { UnknownFields::Ignore } else { UnknownFields::Refuse }
    }
}

impl Requirements {
    /// Reads the files.
    pub(crate) fn load(parts: &Parts, terms: &Terms, inputs: &mut Inputs) -> Result<Self, Failure> {
        if let Some(path) = &parts.template {
            let file = inputs.read_json(path, "the template", TEMPLATE_DEPTH)?;
            return Self::template(file);
        }
        if parts.schema.is_none() && parts.rules.is_none() {
            if terms.task_id.is_some() || terms.agent_id.is_some() {
                return Err(Failure::Usage(
                    "--task-id and --agent-id go with --schema or --template; \
                     a whole request has its own"
                        .to_owned(),
                ));
            }
            return Ok(Self::Whole);
        }
        let mut read = |path: &Option<_>, role, depth| {
            let read = |path: &Path| inputs.read_json(path, role, depth).map(Box::new);
            path.as_deref().map(read).transpose()
        };
        let schema = read(&parts.schema, "the schema", MAX_DEPTH)?;
        let rules = read(&parts.rules, "the rules", MAX_DEPTH)?;
        Ok(Self::Parts { schema, rules })
    }

    fn template(file: JsonFile) -> Result<Self, Failure> {
        let found = match Template::parse(file.document.root()) {
            Ok(_) => return Ok(Self::Template(Box::new(file))),
            Err(problem) => problem,
        };
        let headline = format!("{} is no template", file.name);
        Err(Rejection::new(headline, Invalid::from(vec![found]), |_| Some(&file)).into())
    }

    /// Whether each input is a request, not an output.
    pub(crate) fn is_whole(&self) -> bool {
        matches!(self, Self::Whole)
    }

    /// How deep an input may be nested.
    pub(crate) fn input_depth(&self) -> usize {
        if self.is_whole() { REQUEST_DEPTH } else { MAX_DEPTH }
    }

    /// The file that a problem of this part points into; `input` is the one being checked.
    pub(crate) fn file<'f>(
        &'f self,
        part: Part,
        input: Option<&'f JsonFile>,
    ) -> Option<&'f JsonFile> {
        match (self, part) {
            (Self::Whole, _) => input,
            (Self::Template(file), _) => Some(file),
            (Self::Parts { rules, .. }, Part::Rules) => rules.as_deref(),
            (Self::Parts { schema, .. }, _) => schema.as_deref(),
        }
    }

    /// The schema that all outputs share.
    pub(crate) fn schema(&self) -> Option<Node<'_>> {
        match self {
            Self::Whole => None,
            Self::Parts { schema, .. } => schema.as_ref().map(|file| file.document.root()),
            Self::Template(file) => file.document.root().get("template")?.get("expected_schema"),
        }
    }

    /// The object with rules and bounds that all outputs share.
    pub(crate) fn rules(&self) -> Option<Node<'_>> {
        match self {
            Self::Whole => None,
            Self::Parts { rules, .. } => rules.as_ref().map(|file| file.document.root()),
            Self::Template(file) => file.document.root().get("template"),
        }
    }

    /// The request that an input is, or that it makes with the parts.
    pub(crate) fn request<'d>(
        &'d self,
        input: &'d JsonFile,
        settings: &Settings<'_>,
    ) -> Result<Request<'d>, Invalid> {
        let root = input.document.root();
        match self.schema() {
            None => {
                let mut request = whole(root, settings.unknown_fields())?;
                request.enforce_rules |= settings.terms.enforce_rules;
                request.strict_content_check |= settings.terms.strict_content;
                request.detail = settings.detail.unwrap_or(request.detail);
                Ok(request)
            }
            Some(schema) => {
                let task_id = settings.terms.task_id.clone();
                self.with(schema, root, task_id.unwrap_or_else(|| default_id(input)), settings)
            }
        }
    }

    /// The request that these make with the rules and the settings.
    pub(crate) fn with<'d>(
        &'d self,
        schema: Node<'d>,
        output: Node<'d>,
        task_id: String,
        settings: &Settings<'_>,
    ) -> Result<Request<'d>, Invalid> {
        let parts = request::Parts {
            task_id,
            agent_id: settings.terms.agent_id.clone(),
            expected_schema: schema,
            submitted_output: output,
            rules: self.rules(),
            strict_content_check: settings.terms.strict_content,
            enforce_rules: settings.terms.enforce_rules,
            detail: settings.detail.unwrap_or_default(),
        };
        Request::from_parts(parts, settings.unknown_fields()).map_err(Invalid::from)
    }
}

/// A whole request, as the command line and the server read it.
pub(crate) fn whole(root: Node<'_>, unknown: UnknownFields) -> Result<Request<'_>, Invalid> {
    request::parse(root, unknown).map_err(|problems| {
        // Everything that is wrong is said at once, the schema's faults too.
        let schema = root.get("expected_schema").filter(|schema| schema.kind() == Kind::Object);
        let faults = schema.and_then(|schema| Some((schema, Schema::compile(schema).err()?)));
        match faults {
            Some((schema, faults)) => {
                Invalid::from(problems).and(Invalid::schema(faults, schema, Part::Request))
            }
            None => Invalid::from(problems),
        }
    })
}

/// The task is called like the output's file and line, as far as an id can be.
pub(crate) fn default_id(input: &JsonFile) -> String {
    let name = input.path.as_deref().and_then(Path::file_name);
    let name = name.map_or("stdin".into(), |name| name.to_string_lossy());
    match input.line {
        None => text::cut(&text::visible(&name), request::MAX_ID).into_owned(),
        Some(line) => {
            let line = format!(":{line}");
            let room = request::MAX_ID - line.len();
            text::cut(&text::visible(&name), room).into_owned() + &line
        }
    }
}
