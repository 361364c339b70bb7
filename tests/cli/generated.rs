//! What the repository carries is what the program generates. `AOV_BLESS=1` brings it up to date.

use std::collections::BTreeMap;
use std::path::Path;

use crate::support::{Sandbox, project};

fn files(folder: &Path) -> BTreeMap<String, String> {
    let Ok(entries) = std::fs::read_dir(folder) else { return BTreeMap::new() };
    entries
        .map(|entry| {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            (name, std::fs::read_to_string(path).unwrap())
        })
        .collect()
}

#[test]
fn completions_and_manual_pages_are_current() {
    let sandbox = Sandbox::new();
    let bless = std::env::var_os("AOV_BLESS").is_some();
    let target = if bless { project() } else { sandbox.path() };
    let ended = sandbox.aov(&["generate", target.to_str().unwrap()]);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    for folder in ["completions", "man"] {
        let (made, kept) = (files(&target.join(folder)), files(&project().join(folder)));
        let names = |files: &BTreeMap<String, String>| files.keys().cloned().collect::<Vec<_>>();
        assert_eq!(names(&made), names(&kept), "{folder}/ has other files than it should");
        for (name, content) in made {
            assert!(
                content == kept[&name],
                "{folder}/{name} is not current; AOV_BLESS=1 cargo test --test cli writes it anew"
            );
        }
    }
}

#[test]
fn every_page_has_exit_status_environment_and_examples() {
    for (name, page) in files(&project().join("man")) {
        for section in ["EXIT STATUS", "ENVIRONMENT", "EXAMPLES"] {
            assert!(
                page.contains(&format!(".SH \"{section}\""))
                    || page.contains(&format!(".SH {section}")),
                "{name}: {section}"
            );
        }
    }
}

/// A script that a shell cannot read helps nobody.
#[test]
fn shells_read_the_completions() {
    let completions = project().join("completions");
    for (shell, flag, name) in
        [("bash", "-n", "aov.bash"), ("zsh", "-n", "_aov"), ("fish", "-n", "aov.fish")]
    {
        let run = std::process::Command::new(shell).arg(flag).arg(completions.join(name)).output();
        match run {
            Ok(output) => assert!(output.status.success(), "{shell}: {output:?}"),
            Err(_) => eprintln!("{shell} is not installed: its completions were not tried"),
        }
    }
}
