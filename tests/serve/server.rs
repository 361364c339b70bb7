use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::process::{Child, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::Value;

use crate::support::Sandbox;

/// No test waits longer than this for anything.
pub(crate) const PATIENCE: Duration = Duration::from_secs(120);

/// A server on a free port of this machine, with a home of its own. It ends with the test.
pub(crate) struct Server {
    child: Child,
    pub(crate) address: SocketAddr,
    /// What it said when it was ready.
    pub(crate) greeting: String,
    /// What it has logged since.
    #[allow(dead_code, reason = "the tests of payments look into it")]
    pub(crate) log: Arc<Mutex<String>>,
}

impl Server {
    /// Starts one whose home is this sandbox, and waits until it listens.
    pub(crate) fn start(home: &Sandbox, arguments: &[&str]) -> Self {
        let mut command = home.command();
        command.env("HOME", home.path()).args(["serve", "--listen", "127.0.0.1:0"]);
        Self::run(command.args(arguments))
    }

    /// The same with a command that is `aov serve` in the end.
    pub(crate) fn run(command: &mut std::process::Command) -> Self {
        command.stdin(Stdio::null()).stderr(Stdio::piped()).stdout(Stdio::null());
        let mut child = command.spawn().expect("the program starts");
        let mut lines = BufReader::new(child.stderr.take().unwrap());
        let mut greeting = String::new();
        let address = loop {
            let mut line = String::new();
            let read = lines.read_line(&mut line).unwrap();
            assert!(read > 0, "it ended: {greeting}");
            greeting.push_str(&line);
            if line.starts_with("  ledger") {
                let first = greeting.lines().find_map(|line| line.strip_prefix("listening on "));
                break first.expect("an address").parse().unwrap();
            }
        };
        // What it logs is read, or it would stop when the pipe is full.
        let log = Arc::<Mutex<String>>::default();
        let written = Arc::clone(&log);
        std::thread::spawn(move || {
            for line in lines.lines().map_while(Result::ok) {
                written.lock().unwrap().push_str(&(line + "\n"));
            }
        });
        Self { child, address, greeting, log }
    }

    /// The id of its process.
    #[allow(dead_code, reason = "one test looks at its memory")]
    pub(crate) fn process(&self) -> u32 {
        self.child.id()
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Sends a request and reads the answer.
    pub(crate) fn ask(&self, method: &str, path: &str, fields: &[&str], body: &[u8]) -> Answer {
        ask(self.address, method, path, fields, body)
    }

    /// Posts a JSON body.
    pub(crate) fn post(&self, path: &str, body: &[u8]) -> Answer {
        self.ask("POST", path, &["Content-Type: application/json"], body)
    }

    /// Gets what is at a path.
    pub(crate) fn get(&self, path: &str) -> Answer {
        self.ask("GET", path, &[], b"")
    }

    /// Ends it without a chance to tidy up.
    /// Its resident set, in KiB.
    #[allow(dead_code, reason = "the siege looks at it")]
    pub(crate) fn memory(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
        line.trim().trim_end_matches(" kB").parse().unwrap()
    }

    /// Asks it to end in order, and waits; its exit code.
    #[allow(dead_code, reason = "the siege ends so")]
    pub(crate) fn terminate(&mut self) -> Option<i32> {
        let sent = std::process::Command::new("kill")
            .args(["-TERM", &self.child.id().to_string()])
            .status();
        assert!(sent.is_ok_and(|status| status.success()));
        self.child.wait().unwrap().code()
    }

    pub(crate) fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Sends a request to this address and reads the answer.
pub(crate) fn ask(
    address: SocketAddr,
    method: &str,
    path: &str,
    fields: &[&str],
    body: &[u8],
) -> Answer {
    let mut head = format!("{method} {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n");
    for field in fields {
        head.push_str(field);
        head.push_str("\r\n");
    }
    if !body.is_empty() || method == "POST" {
        head.push_str(&format!("Content-Length: {}\r\n", body.len()));
    }
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream.set_write_timeout(Some(PATIENCE)).unwrap();
    // A server that refuses a body need not read it to its end.
    let _ = stream.write_all((head + "\r\n").as_bytes()).and_then(|()| stream.write_all(body));
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    Answer::read(&answer)
}

/// An answer.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    head: String,
    pub(crate) body: String,
}

impl Answer {
    fn read(bytes: &[u8]) -> Self {
        let end = bytes.windows(4).position(|window| window == b"\r\n\r\n");
        let end = end.unwrap_or_else(|| panic!("no answer: {:?}", String::from_utf8_lossy(bytes)));
        let head = String::from_utf8(bytes[..end].to_vec()).unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        Self { status, head, body: String::from_utf8_lossy(&bytes[end + 4..]).into_owned() }
    }

    pub(crate) fn field(&self, name: &str) -> Option<&str> {
        let fields = self.head.lines().skip(1).filter_map(|line| line.split_once(':'));
        let mut named = fields.filter(|(at, _)| at.eq_ignore_ascii_case(name));
        named.next().map(|(_, value)| value.trim())
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.body))
    }
}

/// The cases of this kind, from `AOV_CASES` or `shared/cases` beside the checkout.
pub(crate) fn cases(kind: &str) -> Vec<(String, Vec<u8>)> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/cases");
    let folder = std::env::var_os("AOV_CASES").map_or(beside, Into::into).join(kind);
    let Ok(entries) = std::fs::read_dir(&folder) else {
        say(&format!("cases {kind}: not here, skipped"));
        return Vec::new();
    };
    let mut paths: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|it| it == "json"));
    paths.sort();
    let name = |path: &Path| path.file_stem().unwrap().to_string_lossy().into_owned();
    paths.iter().map(|path| (name(path), std::fs::read(path).unwrap())).collect()
}

/// A line that is seen though the test passes.
pub(crate) fn say(line: &str) {
    let _ = std::io::stderr().write_all(format!("{line}\n").as_bytes());
}
