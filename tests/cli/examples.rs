//! The examples of the help texts do what they say.

#![cfg(unix)]

use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use flate2::Compression;
use flate2::write::GzEncoder;

use crate::support::{Sandbox, end, project};

#[test]
fn every_example_runs() {
    let sandbox = Sandbox::new();
    sandbox.copy(&project().join("fixtures/pass_invoice"));
    sandbox.copy(&project().join("fixtures/pass_template_infer"));
    std::fs::copy(
        project().join("fixtures/real/final-request.json"),
        sandbox.path().join("request.json"),
    )
    .unwrap();
    std::fs::create_dir(sandbox.path().join("outputs")).unwrap();
    let invoice = std::fs::read_to_string(sandbox.path().join("invoice.json")).unwrap();
    sandbox.file("outputs/one.json", &invoice);
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    packed.write_all((invoice.replace('\n', " ") + "\n").repeat(3).as_bytes()).unwrap();
    sandbox.file("outputs.jsonl.gz", packed.finish().unwrap());
    let agent = sandbox.file("my-agent", "#!/bin/sh\ncat invoice.json\n");
    std::fs::set_permissions(&agent, std::fs::Permissions::from_mode(0o755)).unwrap();
    for folder in [".local/share/bash-completion/completions", ".zfunc", ".config/fish/completions"]
    {
        std::fs::create_dir_all(sandbox.path().join(folder)).unwrap();
    }
    // For the example that signs.
    assert_eq!(sandbox.aov(&["keygen", "aov.key"]).code, Some(0));
    let program = Path::new(env!("CARGO_BIN_EXE_aov")).parent().unwrap().to_str().unwrap();
    let path = format!("{program}:{}:/usr/bin:/bin", sandbox.path().to_str().unwrap());
    let mut examples = 0;
    for verb in ["", "check", "hash", "template", "completions"] {
        let words: Vec<_> = verb.split_whitespace().chain(["--help"]).collect();
        let help = sandbox.aov(&words).stdout;
        // Those that ask a server have tests of their own.
        for example in commands(&help).into_iter().filter(|it| !it.contains(" --url ")) {
            let mut command = Command::new("/bin/sh");
            command.args(["-c", &example]).current_dir(sandbox.path()).env_clear();
            command.env("PATH", &path).env("HOME", sandbox.path());
            let ended = end(&mut command, None);
            assert_eq!(ended.code, Some(0), "{example}: {ended:?}");
            examples += 1;
        }
    }
    assert!(examples >= 10, "{examples}");
}

/// The commands in a help text; lines behind a command, up to an empty one, belong to it.
pub(crate) fn commands(help: &str) -> Vec<String> {
    let examples = help.split("Examples:\n").nth(1).unwrap_or_default();
    let examples = examples.split("\nExit status:").next().unwrap_or_default();
    examples
        .split("\n\n")
        .filter_map(|example| Some(example.split_once("\n    $ ")?.1.to_owned()))
        .collect()
}
