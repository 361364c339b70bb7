//! What only a database server can do: go away, come back, and be of another version.

use super::super::postgres::Address;
use super::super::sql::{Backend, Database, Value};
use super::server::Server;
use super::{Location, NamedBy, Place, Postgres, Taken, at_once, day, seen};

fn location(url: &str) -> Location {
    Location::named(url.as_ref(), NamedBy::Setting).unwrap()
}

#[test]
fn postgres_goes_and_comes_back() {
    let Some(mut server) = Server::start() else { return };
    let url = server.database("restart");
    let ledger = Place::database(&url).open();
    let today = day("2026-11-30");
    at_once(32, |_| ledger.take("a", today, 100).unwrap());
    ledger.record(&seen("1", "a", "2026-11-30T00:00:00Z", true)).unwrap();
    server.crash();
    let error = ledger.take("a", today, 100).unwrap_err().0;
    assert!(error.starts_with("the ledger postgres://") && !error.contains("p@ss"), "{error}");
    assert!(ledger.ping().is_err());
    server.run();
    // The same handle, whose connections are all dead.
    assert_eq!(ledger.take("a", today, 100).unwrap(), Taken::Yes { remaining: 67 });
    assert_eq!(ledger.history("a").unwrap().len(), 1);
    let again = at_once(32, |_| ledger.take("a", today, 100).unwrap());
    assert!(again.iter().all(|taken| *taken != Taken::Exhausted));
    assert_eq!(ledger.used("a", today).unwrap(), 65);

    // A connection that the server ends costs nobody anything.
    let kill = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                WHERE application_name = 'aov'";
    server.execute("restart", kill);
    assert_eq!(ledger.take("a", today, 100).unwrap(), Taken::Yes { remaining: 34 });
    assert_eq!(ledger.used("a", today).unwrap(), 66);

    // Made by two at once; not made by asking; not touched if it is of a later version.
    let url = server.database("versions");
    let error = location(&url).open_existing().err().unwrap().0;
    assert!(error.contains("there is no ledger at postgres://"), "{error}");
    at_once(8, |_| location(&url).open().unwrap());
    assert_eq!(location(&url).open_existing().unwrap().history("a").unwrap(), []);
    server.execute("versions", "UPDATE aov_schema SET version = 99");
    for error in [location(&url).open().err(), location(&url).open_existing().err()] {
        let error = error.unwrap().0;
        assert!(error.contains("version 99") && error.contains("newer aov"), "{error}");
    }

    // A wrong password, and a database that is not there.
    for (wrong, word) in [
        (url.replace("p%40ss", "wrong"), "password authentication failed"),
        (server.url("nothing"), "does not exist"),
    ] {
        let error = location(&wrong).open().err().unwrap().0;
        assert!(error.contains(word) && !error.contains("ss/word"), "{error}");
    }
}

/// A database that is set up to acknowledge before the disk has it does not do so for us.
#[test]
fn postgres_commits_wait_for_the_disk() {
    let Some(server) = Server::start() else { return };
    for (name, setting, used) in
        [("loose", "off", "on"), ("strict", "remote_apply", "remote_apply")]
    {
        let url = server.database(name);
        server.execute(name, &format!("ALTER DATABASE {name} SET synchronous_commit = {setting}"));
        let ledger = Postgres::open(Address::parse(&url).unwrap()).unwrap();
        let row = |db: &mut dyn Database| {
            Ok(db.query("SHOW synchronous_commit", &[])?.remove(0).values())
        };
        assert_eq!(ledger.backend.write(row).unwrap(), [Value::from(used)]);
    }
}
