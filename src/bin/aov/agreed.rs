//! Requirements made ready: what all inputs share is read, compiled and complained about once.

use agent_output_verifier::check::{Outcome, Work, check_with};
use agent_output_verifier::invalid::Invalid;
use agent_output_verifier::request::{Part, Request};
use agent_output_verifier::schema::Schema;

use crate::cmd::Failure;
use crate::input::JsonFile;
use crate::report::Rejection;
use crate::requirements::{Requirements, Settings, default_id};

/// Schemas of whole requests that are kept, each thread its own.
const MAX_KEPT: usize = 16;
/// No schema of more bytes is kept.
const MAX_KEPT_BYTES: usize = 1 << 20;

/// The requirements of a run.
#[derive(Debug)]
pub(crate) struct Agreed<'r> {
    /// Where they stand.
    pub(crate) requirements: &'r Requirements,
    settings: &'r Settings<'r>,
    /// The request without its output and the compiled schema, where all outputs share them.
    shared: Option<(Request<'r>, Schema)>,
}

/// Schemas that were compiled before, by their text.
#[derive(Debug, Default)]
pub(crate) struct Kept {
    schemas: Vec<(String, Schema)>,
}

impl<'r> Agreed<'r> {
    /// Makes them ready, or says what is wrong with them.
    pub(crate) fn new(
        requirements: &'r Requirements,
        settings: &'r Settings<'r>,
    ) -> Result<Self, Failure> {
        if requirements.is_whole() {
            return Ok(Self { requirements, settings, shared: None });
        }
        let Some(node) = requirements.schema() else {
            return Err(Failure::Usage("--rules needs --schema as well".to_owned()));
        };
        // The schema stands in for the output, which is not looked at yet.
        let task_id = settings.terms.task_id.clone().unwrap_or_else(|| "task".to_owned());
        let request = requirements.with(node, node, task_id, settings);
        let schema = Schema::compile(node);
        let part =
            if let Requirements::Template(_) = requirements { Part::Rules } else { Part::Schema };
        let invalid = match (request, schema) {
            (Ok(request), Ok(schema)) => {
                return Ok(Self { requirements, settings, shared: Some((request, schema)) });
            }
            (Err(invalid), Ok(_)) => invalid,
            (Ok(_), Err(faults)) => Invalid::schema(faults, node, part),
            (Err(invalid), Err(faults)) => invalid.and(Invalid::schema(faults, node, part)),
        };
        let headline = "the requirements cannot be used".to_owned();
        Err(Rejection::new(headline, invalid, |part| requirements.file(part, None)).into())
    }

    /// Checks an input. `kept` is for those that bring a schema of their own.
    pub(crate) fn check<'i>(
        &'i self,
        input: &'i JsonFile,
        work: Work,
        kept: &mut Kept,
    ) -> Result<(Request<'i>, Outcome), Invalid> {
        let Some((shared, schema)) = &self.shared else {
            let request = self.requirements.request(input, self.settings)?;
            let node = request.expected_schema;
            let outcome = kept
                .schema(node.source(), || Schema::compile(node))
                .and_then(|schema| check_with(&request, schema, work))
                .map_err(|faults| Invalid::schema(faults, node, Part::Schema))?;
            return Ok((request, outcome));
        };
        let mut request: Request<'i> = shared.clone();
        request.submitted_output = input.document.root();
        if self.settings.terms.task_id.is_none() {
            request.task_id = default_id(input).into();
        }
        let outcome = check_with(&request, schema, work)
            .map_err(|faults| Invalid::schema(faults, request.expected_schema, Part::Schema))?;
        Ok((request, outcome))
    }
}

impl Kept {
    /// The schema of this text, compiled now if it is not at hand.
    fn schema<E>(
        &mut self,
        text: &str,
        compile: impl FnOnce() -> Result<Schema, E>,
    ) -> Result<&Schema, E> {
        let at = self.schemas.iter().position(|(known, _)| known == text);
        let at = match at {
            Some(at) => at,
            None => {
                let schema = compile()?;
                if self.schemas.len() >= MAX_KEPT || text.len() > MAX_KEPT_BYTES {
                    self.schemas.clear();
                }
                self.schemas.push((text.to_owned(), schema));
                self.schemas.len() - 1
            }
        };
        Ok(&self.schemas[at].1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use agent_output_verifier::json::{MAX_DEPTH, read};

    #[test]
    fn a_schema_is_compiled_once_for_each_text() {
        let mut kept = Kept::default();
        let mut compiled = 0;
        let texts: Vec<_> = (0..MAX_KEPT).map(|at| format!(r#"{{"minimum":{at}}}"#)).collect();
        for text in texts.iter().chain(&texts).chain(&texts) {
            let document = read(text.as_str(), MAX_DEPTH).unwrap();
            let schema = kept.schema(text, || {
                compiled += 1;
                Schema::compile(document.root())
            });
            assert!(schema.is_ok());
        }
        assert_eq!(compiled, MAX_KEPT);
        assert!(kept.schema("{", || Err::<Schema, _>("no")).is_err());
        assert_eq!(kept.schemas.len(), MAX_KEPT);
    }
}
