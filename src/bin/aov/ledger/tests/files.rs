//! What only a file can be: loose, something else, damaged, of another version.

use std::fs;
use std::path::Path;

use super::super::sql::{Backend, Database, Value};
use super::{Ledger, Sqlite, at_once, seen};

fn refused(path: &Path) -> String {
    Sqlite::open(path).map(drop).unwrap_err().0
}

#[cfg(unix)]
#[test]
fn a_ledger_is_private() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("aov/ledger.sqlite");
    let ledger = Sqlite::open(&path).unwrap();
    ledger.record(&seen("1", "a", "2026-11-30T00:00:00Z", true)).unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&path), mode(path.parent().unwrap())), (0o600, 0o700));
    for beside in ["aov/ledger.sqlite-wal", "aov/ledger.sqlite-shm"] {
        assert_eq!(mode(&folder.path().join(beside)), 0o600, "{beside}");
    }
    drop(ledger);
    let set = |path: &Path, mode| {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    };
    set(&path, 0o640);
    assert!(refused(&path).contains("chmod 600"), "{}", refused(&path));
    set(&path, 0o600);
    for loose in [0o777, 0o1777, 0o770] {
        set(path.parent().unwrap(), loose);
        assert!(refused(&path).contains("only you can write"), "{}", refused(&path));
    }
    set(path.parent().unwrap(), 0o755);
    assert_eq!(Sqlite::open(&path).unwrap().history("a").unwrap().len(), 1);
}

#[test]
fn a_ledger_is_not_made_by_asking() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("typo.sqlite");
    let error = Sqlite::open_existing(&path).map(drop).unwrap_err().0;
    assert!(error.contains("there is no ledger at"), "{error}");
    assert!(!path.exists());
}

#[test]
fn what_is_no_ledger_stays_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x");
    crate::private::write_new(&path, b"a text of somebody, longer than the head of a database\n")
        .unwrap();
    let before = fs::read(&path).unwrap();
    assert!(refused(&path).contains("not a SQLite database"), "{}", refused(&path));
    assert_eq!(fs::read(&path).unwrap(), before);

    let path = folder.path().join("other.sqlite");
    crate::private::create(&path).unwrap();
    let other = rusqlite::Connection::open(&path).unwrap();
    other.execute_batch("CREATE TABLE notes (text TEXT)").unwrap();
    drop(other);
    let before = fs::read(&path).unwrap();
    assert!(refused(&path).contains("something else"), "{}", refused(&path));
    assert_eq!(fs::read(&path).unwrap(), before);

    assert!(refused(folder.path()).contains("not a regular file"));
}

#[test]
fn a_later_version_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ledger.sqlite");
    at_once(8, |_| Sqlite::open(&path).unwrap());
    let later = rusqlite::Connection::open(&path).unwrap();
    later.pragma_update(None, "user_version", 99).unwrap();
    drop(later);
    let error = refused(&path);
    assert!(error.contains("version 99") && error.contains("newer aov"), "{error}");
}

/// One piece of work that fails is undone alone; the others of its transaction are kept.
#[test]
fn a_failure_is_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ledger.sqlite");
    let ledger = Sqlite::open(&path).unwrap();
    let sabotage = rusqlite::Connection::open(&path).unwrap();
    sabotage
        .execute_batch(
            "CREATE TRIGGER no BEFORE INSERT ON aov_verification WHEN NEW.agent_id = 'bad'
             BEGIN SELECT RAISE(ABORT, 'no'); END",
        )
        .unwrap();
    let done = at_once(64, |number| {
        let bad = number % 4 == 0;
        let good = seen(&format!("{number}-good"), "good", "2026-11-30T00:00:00Z", true);
        let agent = if bad { "bad" } else { "good" };
        let second = seen(&format!("{number}-{agent}"), agent, "2026-11-30T00:00:00Z", true);
        ledger.record_all(&if bad { vec![good, second] } else { vec![good] }).is_ok()
    });
    assert_eq!(done.iter().filter(|done| **done).count(), 48);
    assert_eq!(ledger.history("good").unwrap().len(), 48);
    assert_eq!(ledger.history("bad").unwrap(), []);
}

/// What keeps acknowledged commits through a power cut (SQLite: "synchronous = FULL" in WAL mode).
#[test]
fn commits_wait_for_the_disk() {
    let folder = tempfile::tempdir().unwrap();
    let ledger = Sqlite::open(&folder.path().join("ledger.sqlite")).unwrap();
    let ask = |sql: &'static str| -> (Value, Value) {
        let row = move |db: &mut dyn Database| Ok(db.query(sql, &[])?.remove(0).values());
        (ledger.backend.write(row).unwrap().remove(0), ledger.backend.read(row).unwrap().remove(0))
    };
    let full = Value::Integer(2);
    assert_eq!(ask("PRAGMA synchronous"), (full.clone(), full));
    let wal = Value::from("wal");
    assert_eq!(ask("PRAGMA journal_mode"), (wal.clone(), wal));
}
