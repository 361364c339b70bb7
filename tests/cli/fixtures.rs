//! Runs the cases of `fixtures/`: a folder `pass_*`, `fail_*` or `invalid_*` with inputs, a `cmd`
//! (the command line; a final `< file` is standard input), the exit `code`, and, where they matter,
//! `stdout` and `stderr` (see [`crate::support::matches`] for the wildcards). A case without either
//! has its output as a snapshot.

use std::fs;
use std::path::Path;

use crate::support::{Ended, Sandbox, end, matches, project};

#[test]
fn every_fixture_ends_as_it_says() {
    let mut cases = 0;
    let mut faults = Vec::new();
    for entry in fs::read_dir(project().join("fixtures")).unwrap() {
        let folder = entry.unwrap().path();
        if !folder.join("cmd").is_file() {
            continue;
        }
        cases += 1;
        if let Err(fault) = try_case(&folder) {
            faults.push(format!("{}: {fault}", folder.file_name().unwrap().to_string_lossy()));
        }
    }
    assert!(cases > 0, "there are no fixtures");
    assert!(faults.is_empty(), "{} of {cases}:\n{}", faults.len(), faults.join("\n"));
}

fn try_case(folder: &Path) -> Result<(), String> {
    let read = |name: &str| fs::read_to_string(folder.join(name));
    let code: i32 = read("code").unwrap().trim().parse().unwrap();
    let name = folder.file_name().unwrap().to_string_lossy().into_owned();
    let by_name = ["pass_", "fail_", "invalid_"].iter().position(|start| name.starts_with(start));
    if by_name.and_then(|code| i32::try_from(code).ok()) != Some(code) {
        return Err(format!("the name of the folder does not go with exit code {code}"));
    }
    let ended = run(folder, &read("cmd").unwrap());
    if ended.code != Some(code) {
        return Err(format!("exit code {:?}, expected {code}; {ended:?}", ended.code));
    }
    let mut stated = false;
    for (stream, text) in [("stdout", &ended.stdout), ("stderr", &ended.stderr)] {
        if let Ok(pattern) = read(stream) {
            stated = true;
            if !matches(&pattern, text) {
                return Err(format!("{stream} is\n{text}\nexpected\n{pattern}"));
            }
        }
    }
    if !stated {
        let Ended { stdout, stderr, .. } = ended;
        insta::assert_snapshot!(name, format!("{stdout}==== standard error\n{stderr}"));
    }
    Ok(())
}

fn run(folder: &Path, command: &str) -> Ended {
    let sandbox = Sandbox::new();
    sandbox.copy(folder);
    let mut words = words(command);
    assert_eq!(words.first().map(String::as_str), Some("aov"), "{command}");
    let stdin = match words.iter().position(|word| word == "<") {
        Some(at) => {
            let file = words.split_off(at).pop().unwrap();
            Some(fs::read(sandbox.path().join(file)).unwrap())
        }
        None => None,
    };
    end(sandbox.command().args(&words[1..]), stdin.as_deref())
}

/// Words apart by white space; single quotes keep it.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quoted = false;
    for character in line.chars() {
        match character {
            '\'' => {
                quoted = !quoted;
                word.get_or_insert_default();
            }
            space if space.is_whitespace() && !quoted => words.extend(word.take()),
            other => word.get_or_insert_default().push(other),
        }
    }
    words.extend(word);
    words
}

#[test]
fn words_are_split_like_a_shell_does() {
    assert_eq!(words("aov check 'a b' --x=''\n"), ["aov", "check", "a b", "--x="]);
}
