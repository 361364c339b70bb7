//! The examples of the help texts do what they say.

#![cfg(unix)]

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use crate::support::{Sandbox, end, project};

#[test]
fn every_example_runs() {
    let sandbox = Sandbox::new();
    sandbox.copy(&project().join("fixtures/pass_invoice"));
    std::fs::copy(
        project().join("fixtures/real/final-request.json"),
        sandbox.path().join("request.json"),
    )
    .unwrap();
    let agent = sandbox.file("my-agent", "#!/bin/sh\ncat invoice.json\n");
    std::fs::set_permissions(&agent, std::fs::Permissions::from_mode(0o755)).unwrap();
    for folder in [".local/share/bash-completion/completions", ".zfunc", ".config/fish/completions"]
    {
        std::fs::create_dir_all(sandbox.path().join(folder)).unwrap();
    }
    let program = Path::new(env!("CARGO_BIN_EXE_aov")).parent().unwrap().to_str().unwrap();
    let path = format!("{program}:{}:/usr/bin:/bin", sandbox.path().to_str().unwrap());
    let mut examples = 0;
    for verb in ["", "check", "hash", "completions"] {
        let words: Vec<_> = verb.split_whitespace().chain(["--help"]).collect();
        let help = sandbox.aov(&words).stdout;
        for example in help.lines().filter_map(|line| line.strip_prefix("    $ ")) {
            let mut command = Command::new("/bin/sh");
            command.args(["-c", example]).current_dir(sandbox.path()).env_clear();
            command.env("PATH", &path).env("HOME", sandbox.path());
            let ended = end(&mut command, None);
            assert_eq!(ended.code, Some(0), "{example}: {ended:?}");
            examples += 1;
        }
    }
    assert!(examples >= 10, "{examples}");
}
