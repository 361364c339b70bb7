//! `aov mcp`: the tools of the server for one agent on this machine, over standard input and output.

use std::io::{self, BufRead, Read as _};
use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;

use agent_output_verifier::receipt::attestation::Context;
use agent_output_verifier::score::{self, Observation, Score};
use chrono::Utc;

use super::{Failure, Session};
use crate::exit::Exit;
use crate::ledger::open::LedgerOption;
use crate::manual::Manual;
use crate::serve::engine::{self, Engine};
use crate::serve::mcp::{Dispatcher, Reply};
use crate::serve::problem::Problem;
use crate::serve::service::{Answer, Call, Question, Served, Service};
use crate::signing::{Signer, Signing, timestamp};

/// The longest message: a request of the largest size, escaped, and what is around it.
const MAX_LINE: u64 = 8 << 20;

/// Serve the checks to an agent over MCP, on standard input and output
///
/// For the configuration of MCP hosts (coding agents, desktop clients). Everything stays on this
/// machine and is free: verify_schema, get_verification_record (of your own ledger), verify_receipt
/// and hash. Answers are signed if a key is given. One JSON-RPC message a line; the end of the input
/// ends the program.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    signing: Signing,

    #[command(flatten)]
    ledger: LedgerOption,
}

pub(super) const MANUAL: Manual = Manual {
    examples: &[
        (
            "Ask for the tools, as a host would",
            r#"echo '{"jsonrpc":"2.0","id":1,"method":"tools/list"}' | aov mcp"#,
        ),
        (
            "Give signed answers",
            "aov mcp --sign-key aov.key --public-url https://verifier.example",
        ),
    ],
    exits: &[
        (0, "The input ended."),
        (2, "Cannot run as asked: the key cannot be used, or standard output is gone."),
    ],
};

pub(super) fn run(arguments: Args, session: &mut Session) -> Result<Exit, Failure> {
    let signer = arguments.signing.signer(&mut session.inputs)?;
    let signed = signer.is_some();
    let local = Local { engine: Engine::new(signer), ledger: arguments.ledger };
    let dispatcher = Dispatcher::new(Arc::new(local), signed);
    converse(io::stdin().lock(), io::stdout().lock(), &dispatcher)
        .map_err(|error| Failure::Other { code: "not_written", message: format!("the conversation broke off: {error}") })?;
    Ok(Exit::Ok)
}

/// One message a line, until the input ends.
fn converse(
    mut input: impl BufRead,
    mut output: impl io::Write,
    dispatcher: &Dispatcher,
) -> io::Result<()> {
    let client = IpAddr::V4(Ipv4Addr::LOCALHOST);
    let mut line = Vec::new();
    loop {
        line.clear();
        let read = input.by_ref().take(MAX_LINE).read_until(b'\n', &mut line)?;
        if read == 0 {
            return Ok(());
        }
        if read as u64 == MAX_LINE && !line.ends_with(b"\n") {
            skip_line(&mut input)?;
            // What was cut off is not JSON.
            line.truncate(1);
            line[0] = b'{';
        }
        if line.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        let messages = match dispatcher.handle(&line, None, client) {
            Reply::Nothing => continue,
            Reply::One(_, message) => vec![message],
            Reply::Stream(messages) => messages,
        };
        for message in messages {
            writeln!(output, "{message}")?;
        }
        output.flush()?;
    }
}

fn skip_line(input: &mut impl BufRead) -> io::Result<()> {
    loop {
        let buffer = input.fill_buf()?;
        if buffer.is_empty() {
            return Ok(());
        }
        let end = memchr::memchr(b'\n', buffer);
        let used = end.map_or(buffer.len(), |end| end + 1);
        input.consume(used);
        if end.is_some() {
            return Ok(());
        }
    }
}

/// The checks of this machine, for nothing. Nothing is recorded: `aov check --record` does that.
struct Local {
    engine: Engine,
    ledger: LedgerOption,
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
        crate::serve::counter::check_agent_id(agent_id)?;
        let now = Utc::now();
        let history = match score::is_reserved(agent_id) {
            true => Vec::new(),
            false => {
                let ledger = self.ledger.location().and_then(|location| location.open_existing());
                let history = ledger.and_then(|ledger| ledger.history(agent_id));
                history.map_err(|error| {
                    let message = format!("There is no ledger to look into: {error}");
                    Problem::new("ledger_unavailable", 503, message).retry(5)
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
