//! `aov`: the command line of the Agent Output Verifier.
//!
//! `main → cmd → {input, output, report} → library`. A verb reads, lets the library work, and has
//! the result reported; the exit code comes from the result.

mod agreed;
mod args;
mod batch;
mod buyer;
mod cache;
mod cmd;
mod exit;
mod input;
mod keyfile;
mod keyring;
mod ledger;
mod manual;
mod net;
mod output;
mod private;
mod recorder;
mod records;
mod report;
mod reporter;
mod requirements;
mod serve;
mod signing;
mod term;
mod usage;
mod wallet;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Parser;

use crate::args::Cli;
use crate::cmd::Session;
use crate::exit::Exit;
use crate::output::Stdout;
use crate::term::Terminal;

/// A validator descends once per level of data and once per `$ref`: a stack that is known holds
/// what the limits of the library allow.
const STACK: usize = 64 << 20;

fn main() -> ExitCode {
    match std::thread::Builder::new().stack_size(STACK).spawn(run) {
        Ok(worker) => match worker.join() {
            Ok(exit) => exit.into(),
            // The message was printed where it happened; 101 follows.
            Err(panic) => std::panic::resume_unwind(panic),
        },
        Err(error) => {
            output::complain(&format!("error: cannot start a thread to work on: {error}\n"));
            Exit::CannotRun.into()
        }
    }
}

fn run() -> Exit {
    let arguments: Vec<OsString> = std::env::args_os().collect();
    let color = term::color_choice(&arguments);
    match Cli::try_parse_from(&arguments) {
        Ok(cli) => Session::new(color).run(cli.verb),
        Err(error) => stop(error, &arguments, color),
    }
}

/// Help and version on standard output, usage errors on standard error.
fn stop(error: clap::Error, arguments: &[OsString], color: anstream::ColorChoice) -> Exit {
    if !error.use_stderr() {
        let text = render(&error, Terminal::stdout(color));
        return match Stdout::default().write(text.as_bytes()) {
            Ok(()) => Exit::Ok,
            Err(error) => {
                output::complain(&format!("error: {error}\n"));
                Exit::CannotRun
            }
        };
    }
    // The message repeats arguments, and those may be file names that somebody else chose: let it
    // be about arguments that are fit for a terminal.
    let arguments: Vec<_> = arguments
        .iter()
        .map(|argument| OsString::from(term::safe(&argument.to_string_lossy()).into_owned()))
        .collect();
    let error = Cli::try_parse_from(&arguments).err().unwrap_or(error);
    output::complain(&render(&error, Terminal::stderr(color)));
    let written =
        usage::report(&arguments, &error).map(|report| Stdout::default().write(report.as_bytes()));
    if let Some(Err(error)) = written {
        output::complain(&format!("error: {error}\n"));
    }
    Exit::CannotRun
}

fn render(error: &clap::Error, terminal: Terminal) -> String {
    let text = error.render();
    if terminal.colour { text.ansi().to_string() } else { text.to_string() }
}
