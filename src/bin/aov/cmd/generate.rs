//! `aov generate`, hidden: writes the completions and the manual pages that the repository carries.
//! A test runs it and compares, so they are always what the program says of itself.

use std::io;
use std::path::{Path, PathBuf};

use clap::{Command, CommandFactory, ValueEnum};
use clap_complete::Shell;
use clap_mangen::Man;
use clap_mangen::roff::{Roff, bold, roman};

use super::{Failure, MANUAL as MAIN, MANUALS, Session, completions};
use crate::args::Cli;
use crate::exit::Exit;
use crate::manual::{ENVIRONMENT, Manual};
use crate::output;

/// Write completions/ and man/ for a package
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The folder to write them into
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

pub(super) const MANUAL: Manual = Manual {
    examples: &[("Bring the files in the repository up to date", "aov generate .")],
    exits: &[(0, "The files were written."), (2, "One could not be written.")],
};

pub(super) fn run(arguments: Args, _: &mut Session) -> Result<Exit, Failure> {
    let scripts = arguments.folder.join("completions");
    for &shell in Shell::value_variants() {
        write(&scripts, &completions::file_name(shell), &completions::script(shell))?;
    }
    let pages = arguments.folder.join("man");
    let mut command = Cli::command();
    command.build();
    write(&pages, "aov.1", &page(&command, "aov", &MAIN)?)?;
    for verb in command.get_subcommands().filter(|verb| has_page(verb)) {
        if let Some(manual) = manual_of(verb.get_name()) {
            let name = format!("aov-{}", verb.get_name());
            write(&pages, &format!("{name}.1"), &page(verb, &name, manual)?)?;
            for action in verb.get_subcommands().filter(|action| is_action(action)) {
                let name = format!("{name}-{}", action.get_name());
                write(&pages, &format!("{name}.1"), &page(action, &name, manual)?)?;
            }
        }
    }
    Ok(Exit::Ok)
}

fn write(folder: &Path, name: &str, content: &[u8]) -> Result<(), Failure> {
    std::fs::create_dir_all(folder).map_err(|error| {
        Failure::Usage(format!("cannot make the folder {}: {error}", folder.display()))
    })?;
    Ok(output::replace(&folder.join(name), content)?)
}

fn manual_of(verb: &str) -> Option<&'static Manual> {
    let module = verb.replace('-', "_");
    MANUALS.iter().find(|(name, _)| *name == module).map(|(_, manual)| *manual)
}

/// Hidden verbs have none, nor has `help`, which is not ours.
fn has_page(verb: &Command) -> bool {
    !verb.is_hide_set() && manual_of(verb.get_name()).is_some()
}

/// The actions of a verb have its manual.
fn is_action(action: &Command) -> bool {
    !action.is_hide_set() && action.get_name() != "help"
}

fn page(command: &Command, name: &str, manual: &Manual) -> Result<Vec<u8>, Failure> {
    let mut out = Vec::new();
    render(&mut out, command, name, manual)
        .map_err(|error| Failure::Usage(format!("cannot render the page {name}: {error}")))?;
    Ok(out)
}

fn render(
    out: &mut Vec<u8>,
    command: &Command,
    name: &str,
    manual: &Manual,
) -> Result<(), io::Error> {
    let page = Man::new(command.clone())
        .title(name.to_uppercase())
        .source(concat!("aov ", env!("CARGO_PKG_VERSION")))
        .manual("Agent Output Verifier");
    page.render_title(out)?;
    page.render_name_section(out)?;
    page.render_synopsis_section(out)?;
    page.render_description_section(out)?;
    page.render_options_section(out)?;
    verbs(command, name).to_writer(out)?;
    sections(manual, name).to_writer(out)
}

fn verbs(command: &Command, name: &str) -> Roff {
    let mut roff = Roff::default();
    let is_listed = if name == "aov" { has_page } else { is_action };
    let pages = command.get_subcommands().filter(|verb| is_listed(verb));
    for (at, verb) in pages.enumerate() {
        if at == 0 {
            roff.control("SH", ["COMMANDS"]);
        }
        let about = verb.get_about().map(ToString::to_string).unwrap_or_default();
        roff.control("TP", []).text([bold(format!("{name}-{}(1)", verb.get_name()))]);
        roff.text([roman(about)]);
    }
    roff
}

fn sections(manual: &Manual, name: &str) -> Roff {
    let mut roff = Roff::default();
    roff.control("SH", ["EXIT STATUS"]);
    for (code, meaning) in manual.exits {
        roff.control("TP", []).text([bold(code.to_string())]).text([roman(*meaning)]);
    }
    roff.control("SH", ["ENVIRONMENT"]);
    for (variable, meaning) in ENVIRONMENT {
        roff.control("TP", []).text([bold(*variable)]).text([roman(*meaning)]);
    }
    roff.control("SH", ["EXAMPLES"]);
    for (what, command) in manual.examples {
        roff.control("PP", []).text([roman(format!("{what}:"))]);
        roff.control("PP", []).control("RS", ["4"]).control("nf", []);
        roff.text([bold(*command)]);
        roff.control("fi", []).control("RE", []);
    }
    roff.control("SH", ["SEE ALSO"]);
    let mut others = vec!["aov".to_owned()];
    others.extend(MANUALS.iter().map(|(module, _)| format!("aov-{}", module.replace('_', "-"))));
    others.retain(|other| other != name && other != "aov-generate");
    for (at, other) in others.iter().enumerate() {
        let comma = if at + 1 < others.len() { "," } else { "" };
        roff.text([bold(other.as_str()), roman(format!("(1){comma}"))]);
    }
    roff
}
