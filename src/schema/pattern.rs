//! Regular expressions of ECMA-262 with a bound on what a match may cost (SPEC 2.4, 4.2).
//!
//! A pattern is translated to the dialect of the Rust engines once. Without look-around and
//! back-references it runs on a lazy automaton, in linear time; where that gives up, on a Pike
//! machine whose cost is known beforehand. Otherwise it backtracks within limits. A match that
//! would cost more than the budget is [`PatternError`], never "no match": under `not` that would
//! be a pass.

use std::sync::OnceLock;

use fancy_regex::RegexBuilder;
use regex_automata::hybrid::dfa::{Cache, DFA};
use regex_automata::nfa::thompson::{self, NFA, pikevm::PikeVM};
use regex_automata::util::pool::Pool;
use regex_automata::util::syntax;
use regex_automata::{Input, nfa::thompson::WhichCaptures};

use super::budget::Budget;
use super::ecma::{WORD_BOUNDARY, WORD_BOUNDARY_BY_LOOKING, translate};

/// The largest compiled automaton, in bytes: `^.{1,4000}$` fits, `(x{1,1000}){1,1000}` does not.
const MAX_AUTOMATON: usize = 4 << 20;

/// States of an automaton that is cheap on any text.
const TAME_STATES: usize = 300;

/// Backtracking steps tried in turn, so that a cheap match is charged little.
const BACKTRACK_LIMITS: [usize; 3] = [200, 10_000, 1_000_000];

/// Bytes that backtracking may scan: its steps times the length of the text.
const MAX_BACKTRACK_SCAN: u64 = 1 << 31;

/// Why a pattern gives no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PatternError {
    /// Not a regular expression of ECMA-262.
    Invalid,
    /// Its automaton, or one match, would cost too much.
    TooCostly,
}

/// A compiled pattern.
pub(super) struct Pattern {
    source: String,
    engine: Engine,
}

enum Engine {
    Linear(Box<Linear>),
    Backtracking(Box<Backtracking>),
}

struct Linear {
    dfa: DFA,
    caches: Pool<Cache, MakeCache>,
    nfa: NFA,
}

struct Backtracking {
    translated: String,
    /// One engine for each of [`BACKTRACK_LIMITS`], built when it is first needed.
    rungs: [OnceLock<Rung>; BACKTRACK_LIMITS.len()],
}

type MakeCache =
    Box<dyn Fn() -> Cache + Send + Sync + std::panic::UnwindSafe + std::panic::RefUnwindSafe>;
type Rung = Option<fancy_regex::Regex>;

impl std::fmt::Debug for Pattern {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Pattern").field(&self.source).finish()
    }
}

impl Pattern {
    /// Compiles a pattern as written in a schema.
    pub(super) fn compile(source: &str) -> Result<Self, PatternError> {
        let translated = translate(source).ok_or(PatternError::Invalid)?;
        let engine = match linear(&translated) {
            Ok(engine) => engine,
            Err(PatternError::TooCostly) => return Err(PatternError::TooCostly),
            Err(PatternError::Invalid) => backtracking(translated)?,
        };
        Ok(Self { source: source.to_owned(), engine })
    }

    /// The pattern as written.
    pub(super) fn source(&self) -> &str {
        &self.source
    }

    /// Whether a match costs little whatever the text.
    pub(super) fn is_tame(&self) -> bool {
        matches!(&self.engine, Engine::Linear(linear) if linear.nfa.states().len() <= TAME_STATES)
    }

    /// What the compiled pattern holds in memory, in bytes.
    pub(super) fn memory(&self) -> usize {
        match &self.engine {
            Engine::Linear(linear) => linear.nfa.memory_usage(),
            Engine::Backtracking(engine) => engine.translated.len() * 64,
        }
    }

    /// Whether the pattern matches anywhere in the text.
    pub(super) fn is_match(&self, text: &str, budget: &mut Budget) -> Result<bool, PatternError> {
        let charge = |budget: &mut Budget, steps: u64| {
            budget.charge(steps).map_err(|_| PatternError::TooCostly)
        };
        match &self.engine {
            Engine::Linear(linear) => {
                let Linear { dfa, caches, nfa } = &**linear;
                charge(budget, 4 + text.len() as u64 / 8)?;
                let input = Input::new(text).earliest(true);
                if let Ok(found) = dfa.try_search_fwd(&mut caches.get(), &input) {
                    return Ok(found.is_some());
                }
                let states = nfa.states().len() as u64;
                charge(budget, states.saturating_mul(text.len() as u64))?;
                let machine =
                    PikeVM::new_from_nfa(nfa.clone()).map_err(|_| PatternError::TooCostly)?;
                Ok(machine.is_match(&mut machine.create_cache(), input))
            }
            Engine::Backtracking(engine) => {
                let Backtracking { translated, rungs } = &**engine;
                for (rung, limit) in rungs.iter().zip(BACKTRACK_LIMITS) {
                    let scan = (limit as u64).saturating_mul(text.len() as u64);
                    charge(budget, limit as u64 / 8 + scan.min(MAX_BACKTRACK_SCAN) / 4096)?;
                    let regex = rung.get_or_init(|| build_fancy(translated, limit).ok());
                    let Some(regex) = regex else { return Err(PatternError::TooCostly) };
                    if let Ok(found) = regex.is_match(text) {
                        return Ok(found);
                    }
                    if scan > MAX_BACKTRACK_SCAN {
                        break;
                    }
                }
                Err(PatternError::TooCostly)
            }
        }
    }
}

/// The automaton of a pattern; `Invalid` where the pattern is not regular.
fn linear(translated: &str) -> Result<Engine, PatternError> {
    let nfa = thompson::Compiler::new()
        .syntax(syntax::Config::new().unicode(true).utf8(true))
        .configure(
            thompson::Config::new()
                .nfa_size_limit(Some(MAX_AUTOMATON))
                .which_captures(WhichCaptures::None),
        )
        .build(translated)
        .map_err(|error| match error.size_limit() {
            Some(_) => PatternError::TooCostly,
            None => PatternError::Invalid,
        })?;
    // Giving up means many states built for little text; then the cost is charged in full.
    let config = DFA::config()
        .cache_capacity(4 << 20)
        .skip_cache_capacity_check(true)
        .minimum_cache_clear_count(Some(2))
        .minimum_bytes_per_state(Some(10));
    let dfa = DFA::builder()
        .configure(config)
        .build_from_nfa(nfa.clone())
        .map_err(|_| PatternError::TooCostly)?;
    let maker = dfa.clone();
    let make: MakeCache = Box::new(move || maker.create_cache());
    Ok(Engine::Linear(Box::new(Linear { dfa, caches: Pool::new(make), nfa })))
}

fn backtracking(translated: String) -> Result<Engine, PatternError> {
    // This engine has no ASCII word boundary, but it has look-around.
    let translated = translated.replace(WORD_BOUNDARY, WORD_BOUNDARY_BY_LOOKING);
    let first = build_fancy(&translated, BACKTRACK_LIMITS[0]).map_err(|error| match error {
        fancy_regex::Error::CompileError(error) if size_exceeded(&error) => PatternError::TooCostly,
        _ => PatternError::Invalid,
    })?;
    let rungs: [OnceLock<Rung>; BACKTRACK_LIMITS.len()] = Default::default();
    let _ = rungs[0].set(Some(first));
    Ok(Engine::Backtracking(Box::new(Backtracking { translated, rungs })))
}

fn build_fancy(translated: &str, limit: usize) -> Result<fancy_regex::Regex, fancy_regex::Error> {
    RegexBuilder::new(translated)
        .backtrack_limit(limit)
        .delegate_size_limit(1 << 18)
        .delegate_dfa_size_limit(1 << 20)
        .build()
}

fn size_exceeded(error: &fancy_regex::CompileError) -> bool {
    matches!(error, fancy_regex::CompileError::InnerError(inner) if inner.size_limit().is_some())
}
