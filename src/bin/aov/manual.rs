//! What `--help` and the manual pages say beyond the options: examples, exit status, environment.
//! Both render the same data.

use clap::builder::styling::Style;

/// The texts of one verb.
#[derive(Debug)]
pub(crate) struct Manual {
    /// What it shows, and the command.
    pub(crate) examples: &'static [(&'static str, &'static str)],
    /// The code, and when it comes.
    pub(crate) exits: &'static [(u8, &'static str)],
}

/// The environment variables that are read, and nothing else is.
pub(crate) const ENVIRONMENT: &[(&str, &str)] = &[
    ("AOV_SECRET_KEY", "The signing key, where --sign-key names no file."),
    ("AOV_WALLET_KEY", "The key of the account that pays, where --wallet-key-file names no file."),
    (
        "AOV_CDP_KEY",
        "The API key of Coinbase for aov serve, as JSON, where no cdp_key_file is named.",
    ),
    (
        "XDG_CONFIG_HOME",
        "The folder with aov/trust.json, the issuers you trust [default: ~/.config].",
    ),
    (
        "AOV_LEDGER",
        "The ledger, a path or postgres://…, where --ledger names none; it may hold a password.",
    ),
    ("AOV_CONFIG", "The configuration of aov serve, where --config names none."),
    ("AOV_…", "Any key of that configuration, in capitals: AOV_LISTEN, AOV_LIMITS_WORKERS."),
    ("PGPASSWORD", "The password of a PostgreSQL ledger whose address has none."),
    (
        "XDG_DATA_HOME",
        "The folder with aov/ledger.sqlite and aov/aov.key [default: ~/.local/share].",
    ),
    ("XDG_CACHE_HOME", "The folder for fetched agent cards [default: ~/.cache]."),
    ("HOME", "Your home folder, where one of the three above is not set."),
    ("NO_COLOR", "If set and not empty, no colour unless --color says otherwise."),
    ("CLICOLOR_FORCE", "If set and not 0, colour even where the output is no terminal."),
    ("CLICOLOR", "If 0, no colour."),
    ("TERM", "If dumb, no colour."),
    ("COLUMNS", "How wide --help is printed, where the terminal does not say."),
];

impl Manual {
    /// The end of `--help`.
    pub(crate) fn after_long_help(&self) -> String {
        let mut out = String::new();
        heading(&mut out, "Examples");
        for (at, (what, command)) in self.examples.iter().enumerate() {
            let gap = if at == 0 { "" } else { "\n" };
            // A command of several lines stays one that can be copied.
            let command = command.replace('\n', "\n        ");
            out.push_str(&format!("{gap}  {what}:\n    $ {command}\n"));
        }
        out.push('\n');
        heading(&mut out, "Exit status");
        for (code, meaning) in self.exits {
            out.push_str(&format!("  {code}  {meaning}\n"));
        }
        out.push('\n');
        heading(&mut out, "Environment");
        for (name, meaning) in ENVIRONMENT {
            out.push_str(&format!("  {name:<17}{meaning}\n"));
        }
        out.truncate(out.trim_end().len());
        out
    }
}

/// In the style that clap gives its own headings.
fn heading(out: &mut String, text: &str) {
    let style = Style::new().bold().underline();
    out.push_str(&format!("{style}{text}:{style:#}\n"));
}
