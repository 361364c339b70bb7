//! Schemas compiled before: clients send the same one again and again. What is kept is bounded,
//! whatever they send.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use agent_output_verifier::schema::Schema;

/// How many are kept.
const MAX: usize = 32;
/// Longer ones are compiled each time: a compiled schema takes many times its text.
const MAX_BYTES: usize = 32 << 10;

/// The schemas, by their text; the one used longest ago in front.
#[derive(Debug, Default)]
pub(crate) struct Schemas {
    kept: Mutex<VecDeque<(Arc<str>, Arc<Schema>)>>,
}

impl Schemas {
    /// The schema of this text, compiled now if it is not at hand. Others are not kept waiting
    /// meanwhile.
    pub(crate) fn get<E>(
        &self,
        text: &str,
        compile: impl FnOnce() -> Result<Schema, E>,
    ) -> Result<Arc<Schema>, E> {
        if text.len() > MAX_BYTES {
            return compile().map(Arc::new);
        }
        if let Some(schema) = self.known(text) {
            return Ok(schema);
        }
        let schema = Arc::new(compile()?);
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() >= MAX {
            kept.pop_front();
        }
        kept.push_back((text.into(), Arc::clone(&schema)));
        Ok(schema)
    }

    fn known(&self, text: &str) -> Option<Arc<Schema>> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let at = kept.iter().rposition(|(known, _)| **known == *text)?;
        let found = kept.remove(at)?;
        let schema = Arc::clone(&found.1);
        kept.push_back(found);
        Some(schema)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use agent_output_verifier::json::{MAX_DEPTH, read};

    /// Asks for these in turn; how often each was compiled.
    fn compiled(schemas: &Schemas, texts: &[String]) -> usize {
        let mut count = 0;
        for text in texts {
            let document = read(text.as_str(), MAX_DEPTH).unwrap();
            let schema = schemas.get(text, || {
                count += 1;
                Schema::compile(document.root())
            });
            assert!(schema.is_ok());
        }
        count
    }

    fn numbered(range: std::ops::Range<usize>) -> Vec<String> {
        range.map(|at| format!(r#"{{"minimum":{at}}}"#)).collect()
    }

    #[test]
    fn a_schema_is_compiled_once_while_it_is_used() {
        let schemas = Schemas::default();
        assert_eq!(compiled(&schemas, &numbered(0..MAX)), MAX);
        assert_eq!(compiled(&schemas, &numbered(0..MAX)), 0);
        // The one used longest ago makes room.
        assert_eq!(compiled(&schemas, &numbered(MAX..MAX + 1)), 1);
        assert_eq!(compiled(&schemas, &numbered(1..MAX + 1)), 0);
        assert_eq!(compiled(&schemas, &numbered(0..1)), 1);
        assert_eq!(schemas.kept.lock().unwrap().len(), MAX);
    }

    #[test]
    fn long_and_faulty_ones_are_not_kept() {
        let schemas = Schemas::default();
        let long = vec![format!(r#"{{"title":"{}"}}"#, "x".repeat(MAX_BYTES)); 2];
        assert_eq!(compiled(&schemas, &long), 2);
        assert!(schemas.get("{", || Err::<Schema, _>("no")).is_err());
        assert_eq!(schemas.kept.lock().unwrap().len(), 0);
    }
}
