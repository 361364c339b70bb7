//! What the program says about itself, and about a command line it cannot use.

use crate::support::Sandbox;

/// Help texts of every verb, short and long, as snapshots.
#[test]
fn help_texts() {
    let sandbox = Sandbox::new();
    let verbs = verbs(&sandbox);
    assert!(verbs.len() > 1);
    for verb in std::iter::once("aov".to_owned()).chain(verbs) {
        let words: Vec<&str> = if verb == "aov" { vec![] } else { vec![&verb] };
        for flag in ["-h", "--help"] {
            let ended = sandbox.aov(&[&words[..], &[flag]].concat());
            assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""));
            insta::assert_snapshot!(
                format!("help_{verb}_{}", flag.trim_matches('-')),
                ended.stdout
            );
        }
    }
}

/// The verbs that the main help lists.
fn verbs(sandbox: &Sandbox) -> Vec<String> {
    let help = sandbox.aov(&["-h"]).stdout;
    help.lines()
        .skip_while(|line| *line != "Commands:")
        .skip(1)
        .take_while(|line| !line.is_empty())
        .filter_map(|line| line.split_whitespace().next())
        .filter(|verb| *verb != "help")
        .map(str::to_owned)
        .collect()
}

#[test]
fn long_help_has_examples_and_exit_status() {
    let sandbox = Sandbox::new();
    for verb in verbs(&sandbox) {
        let help = sandbox.aov(&[&verb, "--help"]).stdout;
        for heading in ["\nExamples:\n", "\nExit status:\n", "\nEnvironment:\n"] {
            assert!(help.contains(heading), "{verb}: {heading}");
        }
    }
}

#[test]
fn version_is_that_of_the_package() {
    let ended = Sandbox::new().aov(&["--version"]);
    assert_eq!(ended.stdout, concat!("aov ", env!("CARGO_PKG_VERSION"), "\n"));
    assert_eq!(ended.code, Some(0));
}

#[test]
fn no_argument_is_help_on_standard_error() {
    let ended = Sandbox::new().aov(&[]);
    assert_eq!((ended.code, ended.stdout.as_str()), (Some(2), ""));
    assert!(ended.stderr.contains("Usage: aov"));
}

#[test]
fn a_usage_error_is_2_and_suggests_the_nearest() {
    let ended = Sandbox::new().aov(&["completions", "--colour", "never", "bash"]);
    assert_eq!((ended.code, ended.stdout.as_str()), (Some(2), ""));
    assert!(ended.stderr.contains("--color"), "{}", ended.stderr);
}

#[test]
fn a_usage_error_cannot_write_on_the_terminal() {
    let ended = Sandbox::new().aov(&["completions", "bash\u{1b}[2J\u{202e}\nfake"]);
    assert_eq!(ended.code, Some(2));
    assert!(ended.stderr.contains("bash\\u001b[2J\\u202e\\u000afake"), "{}", ended.stderr);
    assert!(!ended.stderr.contains('\u{1b}') && !ended.stderr.contains('\u{202e}'));
}

#[test]
fn colour_obeys_flag_then_environment() {
    let sandbox = Sandbox::new();
    let coloured = |arguments: &[&str], environment: &[(&str, &str)]| {
        let mut command = sandbox.command();
        command.args(arguments).envs(environment.iter().copied());
        crate::support::end(&mut command, None).stdout.contains('\u{1b}')
    };
    assert!(!coloured(&["--help"], &[]));
    assert!(coloured(&["--color", "always", "--help"], &[]));
    assert!(coloured(&["--color=always", "--help"], &[("NO_COLOR", "1")]));
    assert!(coloured(&["--help"], &[("CLICOLOR_FORCE", "1")]));
    assert!(!coloured(&["--help"], &[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")]));
    assert!(!coloured(&["--color=never", "--help"], &[("CLICOLOR_FORCE", "1")]));
}
