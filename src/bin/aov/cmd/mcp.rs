//! `aov mcp`: the tools of the server for one agent on this machine, over standard input and output.

use std::io::{self, BufRead, Read as _};
use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;

use super::{Failure, Session};
use crate::exit::Exit;
use crate::ledger::open::LedgerOption;
use crate::manual::Manual;
use crate::serve::engine::Engine;
use crate::serve::local::Local;
use crate::serve::mcp::{Dispatcher, Reply};
use crate::signing::Signing;

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

    /// Said by some hosts; there is no other transport
    #[arg(long, hide = true)]
    stdio: bool,
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
