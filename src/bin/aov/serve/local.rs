//! The service of `aov mcp`: the checks of this machine, for its user, for nothing.

use agent_output_verifier::receipt::attestation::Context;
use agent_output_verifier::score::{self, Observation, Score};
use chrono::Utc;

use super::counter::check_agent_id;
use super::engine::{self, Engine};
use super::problem::Problem;
use super::service::{Answer, Call, Question, Served, Service};
use crate::ledger::open::LedgerOption;
use crate::signing::{Signer, timestamp};

/// The checks of this machine, for nothing. Nothing is recorded: `aov check --record` does that.
pub(crate) struct Local {
    /// Checks, and signs if there is a key.
    pub(crate) engine: Engine,
    /// Where scores are from.
    pub(crate) ledger: LedgerOption,
}

impl Service for Local {
    fn call(&self, call: &Call<'_>) -> Answer {
        let body = match call.question {
            Question::Verify(body) => self.verify(body),
            Question::Score(agent_id) => self.score(agent_id),
        };
        match body {
            Ok(body) => Answer::Served(Served { body, allowance: None, settlement: None }),
            Err(problem) => Answer::Refused(problem),
        }
    }
}

impl Local {
    fn verify(&self, body: &[u8]) -> Result<String, Problem> {
        let input = engine::read(body)?;
        let prepared = self.engine.prepare(&input)?;
        Ok(self.engine.run(&prepared, Utc::now())?.body)
    }

    fn score(&self, agent_id: &str) -> Result<String, Problem> {
        check_agent_id(agent_id)?;
        let now = Utc::now();
        let history = match score::is_reserved(agent_id) {
            true => Vec::new(),
            false => {
                let ledger = self.ledger.location().and_then(|location| location.open_existing());
                let history = ledger.and_then(|ledger| ledger.history(agent_id));
                history.map_err(|error| {
                    let message = format!("There is no ledger to look into: {error}");
                    Problem::new("ledger_unavailable", 503, message)
                })?
            }
        };
        let seen = history.into_iter().map(|it| Observation { at: it.at, passed: it.passed });
        let found = Score::of(seen.collect(), now);
        let verify = self.engine.signer().map(Signer::section);
        let body = score::body(agent_id, &found, &timestamp(now), verify);
        self.engine.seal(body.to_line(), Context::Score)
    }
}
