//! `aov completions`: what a shell needs to complete the command line.

use clap::{Command, CommandFactory};
use clap_complete::{Generator as _, Shell};

use super::{Failure, Session};
use crate::args::Cli;
use crate::exit::Exit;
use crate::manual::Manual;
use crate::output::Stdout;

/// Print the completions for a shell
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

pub(super) const MANUAL: Manual = Manual {
    examples: &[
        ("For bash, in the folder it looks into", "aov completions bash > ~/.local/share/bash-completion/completions/aov"),
        ("For zsh, in a folder of $fpath", "aov completions zsh > ~/.zfunc/_aov"),
        ("For fish", "aov completions fish > ~/.config/fish/completions/aov.fish"),
    ],
    exits: &[(0, "The completions were printed."), (2, "They could not be written, or the shell is not known.")],
};

pub(super) fn run(arguments: Args, _: &mut Session) -> Result<Exit, Failure> {
    Stdout::default().write(&script(arguments.shell))?;
    Ok(Exit::Ok)
}

/// The script for a shell.
pub(super) fn script(shell: Shell) -> Vec<u8> {
    let all = Cli::command();
    // Hidden verbs are not to be offered.
    let mut command = Command::new("aov")
        .version(env!("CARGO_PKG_VERSION"))
        .args(all.get_arguments().cloned())
        .subcommands(all.get_subcommands().filter(|verb| !verb.is_hide_set()).cloned());
    let mut out = Vec::new();
    clap_complete::generate(shell, &mut command, "aov", &mut out);
    out
}

/// The name under which a shell looks for it.
pub(super) fn file_name(shell: Shell) -> String {
    shell.file_name("aov")
}
