//! The command line as types, and nothing else: what all verbs share. A verb's own arguments stand
//! beside its work in `cmd/`.

use std::path::PathBuf;

use clap::{Args, Parser, ValueEnum};

use crate::cmd::{self, Verb};

/// Check an agent's output against agreed requirements, and prove the answer
///
/// aov answers: does this agent's output meet the agreed requirements, and can I prove it? The
/// requirements are a JSON Schema and, if wanted, bounds and cross-field rules. Nothing is sent
/// anywhere.
#[derive(Debug, Parser)]
#[command(
    name = "aov",
    version,
    max_term_width = 100,
    arg_required_else_help = true,
    subcommand_value_name = "COMMAND",
    after_long_help = cmd::MANUAL.after_long_help(),
)]
pub(crate) struct Cli {
    /// When to colour text for people
    #[arg(
        long,
        global = true,
        value_name = "WHEN",
        value_enum,
        default_value_t,
        display_order = 900
    )]
    pub(crate) color: Color,

    /// What to do
    #[command(subcommand)]
    pub(crate) verb: Verb,
}

/// When to colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum Color {
    // On a terminal, unless the environment says otherwise.
    #[default]
    Auto,
    Always,
    Never,
}

/// How a result is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum Format {
    #[default]
    Human,
    Json,
}

/// How verdicts are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum ReportFormat {
    /// For people; the wording may change
    #[default]
    Human,
    /// One object: the answer, or the error
    Json,
    /// One object a line: an answer or an error per input, and a summary
    Jsonl,
    /// JUnit XML: a suite per input
    Junit,
    /// SARIF 2.1.0, for code scanning
    Sarif,
    /// Workflow annotations of GitHub Actions
    Github,
}

/// The requirements in parts. With any of them the files named are bare outputs, without one they
/// are whole requests.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Requirements")]
pub(crate) struct Parts {
    /// The JSON Schema that the output must satisfy
    #[arg(long, value_name = "FILE", conflicts_with = "template")]
    pub(crate) schema: Option<PathBuf>,

    /// A JSON file with `rules`, `bounds` and `enforce_rules`, each of which may be missing
    #[arg(long, value_name = "FILE", conflicts_with = "template")]
    pub(crate) rules: Option<PathBuf>,

    /// A `verification-template/1` file, which holds schema, rules and bounds
    #[arg(long, value_name = "FILE")]
    pub(crate) template: Option<PathBuf>,
}

/// What a request says besides its requirements and its output.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Requirements")]
pub(crate) struct Terms {
    /// Let findings of rules and bounds fail the result, whether or not the requirements say so
    #[arg(long)]
    pub(crate) enforce_rules: bool,

    /// Let control characters, HTML markup and `javascript:` fail the result
    #[arg(long)]
    pub(crate) strict_content: bool,

    /// The task's id [default with parts: the name of the output's file]
    #[arg(long, value_name = "ID")]
    pub(crate) task_id: Option<String>,

    /// The agent's id [default with parts: none]
    #[arg(long, value_name = "ID")]
    pub(crate) agent_id: Option<String>,

    /// Ignore fields that a request does not have, as the hosted service does; they may be typing
    /// errors that bind nothing
    #[arg(long)]
    pub(crate) allow_unknown_fields: bool,
}

impl Parts {
    /// Whether any of it was given.
    pub(crate) fn is_given(&self) -> bool {
        self.schema.is_some() || self.rules.is_some() || self.template.is_some()
    }
}

impl Terms {
    /// Whether any of it was given.
    pub(crate) fn is_given(&self) -> bool {
        self.enforce_rules
            || self.strict_content
            || self.allow_unknown_fields
            || self.task_id.is_some()
            || self.agent_id.is_some()
    }
}
