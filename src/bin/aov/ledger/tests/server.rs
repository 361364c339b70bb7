//! A PostgreSQL server of one test: its own data, reached through a socket in its own folder.

use std::ffi::OsStr;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const PASSWORD: &str = "p@ss/word";
const PASSWORD_IN_URL: &str = "p%40ss%2Fword";

/// A server, stopped with its handle.
pub(crate) struct Server {
    folder: tempfile::TempDir,
    programs: PathBuf,
    /// Whom it runs as, if not as us.
    user: Option<&'static str>,
    process: Option<Child>,
}

fn skip(why: &str) -> Option<Server> {
    // Not `eprintln`, which would be kept back when all is well.
    let _ = std::io::stderr().write_all(format!("PostgreSQL: skipped, {why}\n").as_bytes());
    None
}

/// The newest that is installed, or the one on the path.
fn programs() -> Option<PathBuf> {
    let mut found: Vec<_> = std::fs::read_dir("/usr/lib/postgresql")
        .into_iter()
        .flatten()
        .filter_map(|entry| Some(entry.ok()?.path().join("bin")))
        .collect();
    found.sort();
    let path = std::env::var_os("PATH").unwrap_or_default();
    found.extend(std::env::split_paths(&path));
    let has = |folder: &Path, name: &str| folder.join(name).is_file();
    found.into_iter().find(|folder| has(folder, "initdb") && has(folder, "postgres"))
}

impl Server {
    /// One that runs, or none, with a line that says why.
    pub(crate) fn start() -> Option<Self> {
        let Some(programs) = programs() else {
            return skip("initdb and postgres are not installed");
        };
        let folder = tempfile::tempdir().unwrap();
        // PostgreSQL refuses to run as root.
        let root = rustix::process::geteuid().is_root();
        let user = root.then_some("nobody");
        let mut server = Self { folder, programs, user, process: None };
        if let Some(user) = user {
            let given = Command::new("chown").arg(user).arg(server.folder.path()).status();
            if !given.is_ok_and(|status| status.success()) {
                return skip("as root it needs a user nobody");
            }
        }
        std::fs::write(server.folder.path().join("password"), PASSWORD).unwrap();
        let made = server
            .command("initdb")
            .args(["--no-sync", "--no-locale", "--encoding=UTF8", "--username=aov"])
            .args(["--auth=scram-sha-256", "--pwfile=password", "data"])
            .output();
        match made {
            Ok(made) if made.status.success() => {}
            Ok(made) => return skip(&String::from_utf8_lossy(&made.stderr)),
            Err(error) => return skip(&error.to_string()),
        }
        server.run();
        Some(server)
    }

    /// A program of PostgreSQL, as a user that may run it.
    fn command(&self, program: &str) -> Command {
        let program = self.programs.join(program);
        let mut command = match self.user {
            None => Command::new(program),
            Some(user) => {
                let mut command = Command::new("setpriv");
                command.args(["--reuid", user, "--clear-groups", "--"]).arg(program);
                command
            }
        };
        command.current_dir(self.folder.path()).env_clear().stdin(Stdio::null());
        command.env("PATH", std::env::var_os("PATH").as_deref().unwrap_or(OsStr::new("/usr/bin")));
        command
    }

    /// Starts it and waits until it takes connections.
    pub(super) fn run(&mut self) {
        let deadline = Instant::now() + Duration::from_secs(60);
        let config: postgres::Config = self.url("postgres").parse().unwrap();
        loop {
            // One that finds remains of a crash still alive ends at once.
            let ended = self.process.as_mut().is_none_or(|it| it.try_wait().unwrap().is_some());
            if ended {
                self.process = Some(self.spawn());
            }
            let Err(error) = config.connect(postgres::NoTls) else { return };
            let log = || std::fs::read_to_string(self.folder.path().join("log"));
            assert!(Instant::now() < deadline, "{error}: {:?}", log());
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    fn spawn(&self) -> Child {
        let folder = self.folder.path().display().to_string();
        let log = std::fs::File::create(self.folder.path().join("log")).unwrap();
        // Without fsync, a killed process still loses nothing; only a power cut would.
        self.command("postgres")
            .args(["-D", "data", "-k", &folder, "-c", "listen_addresses="])
            .args(["-c", "fsync=off", "-c", "max_connections=100"])
            .stdout(Stdio::null())
            .stderr(log)
            .spawn()
            .unwrap()
    }

    /// Ends it as a crash would: it does not get to say goodbye to anybody.
    pub(super) fn crash(&mut self) {
        let Some(mut process) = self.process.take() else { return };
        process.kill().unwrap();
        process.wait().unwrap();
    }

    /// Makes an empty database; its address, with the password.
    pub(crate) fn database(&self, name: &str) -> String {
        self.execute("postgres", &format!("CREATE DATABASE {name}"));
        self.url(name)
    }

    /// Runs a statement in a database.
    pub(super) fn execute(&self, database: &str, sql: &str) {
        let config: postgres::Config = self.url(database).parse().unwrap();
        config.connect(postgres::NoTls).unwrap().batch_execute(sql).unwrap();
    }

    pub(super) fn url(&self, database: &str) -> String {
        let folder = self.folder.path().display().to_string().replace('/', "%2F");
        format!("postgres://aov:{PASSWORD_IN_URL}@{folder}/{database}")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let Some(mut process) = self.process.take() else { return };
        let stopped =
            self.command("pg_ctl").args(["stop", "-D", "data", "-m", "immediate"]).output();
        if !stopped.is_ok_and(|stopped| stopped.status.success()) {
            let _ = process.kill();
        }
        let _ = process.wait();
    }
}
