//! The file of a ledger: private, ours, and of a version that is known.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rusqlite::{Connection, ErrorCode, OpenFlags, TransactionBehavior};

use super::super::LedgerError;
use super::super::schema::{self, Dialect};
use crate::private::{self, Privacy};
use crate::term;

/// How long another process may hold the file.
const PATIENCE: Duration = Duration::from_secs(10);
/// What marks a SQLite file as a ledger: `aov1` (PRAGMA application_id).
const APPLICATION: i64 = 0x616F_7631;
/// Statements that are kept compiled; there are fewer.
const STATEMENTS: usize = 32;

const DIALECT: Dialect = Dialect { text: "TEXT", keyed: " WITHOUT ROWID" };

/// A file that is there and private.
#[derive(Debug)]
pub(super) struct LedgerFile {
    path: PathBuf,
}

impl LedgerFile {
    /// This one, made if it is not there.
    pub(super) fn make(path: &Path) -> Result<Self, LedgerError> {
        let this = Self { path: path.to_owned() };
        let folder = this.folder();
        let failed = |error: io::Error| this.error(&explain(&error));
        private::create_folder(folder).map_err(failed)?;
        match private::create(path) {
            Ok(file) => {
                // The name, too, shall be there after a power cut.
                file.sync_all().map_err(failed)?;
                #[cfg(unix)]
                File::open(folder).and_then(|folder| folder.sync_all()).map_err(failed)?;
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(failed(error)),
        }
        this.checked()
    }

    /// This one, which must be there.
    pub(super) fn find(path: &Path) -> Result<Self, LedgerError> {
        let this = Self { path: path.to_owned() };
        if !path.exists() {
            return Err(LedgerError(format!(
                "there is no ledger at {}; aov check --record makes one",
                term::safe_path(path)
            )));
        }
        this.checked()
    }

    fn folder(&self) -> &Path {
        match self.path.parent() {
            Some(folder) if folder != Path::new("") => folder,
            _ => Path::new("."),
        }
    }

    /// Nobody else may read or write the file, nor put another one in its place.
    fn checked(self) -> Result<Self, LedgerError> {
        let metadata = fs::metadata(&self.path).map_err(|error| self.error(&explain(&error)))?;
        if !metadata.is_file() {
            return Err(self.error("it is not a regular file"));
        }
        let folder = self.folder();
        let above = fs::metadata(folder).map_err(|error| self.error(&explain(&error)))?;
        private::check(&self.path, &metadata, Privacy::Secret)
            .map_err(|loose| LedgerError(format!("the ledger is not used: {}", loose.message)))?;
        // The sticky bit of /tmp is not enough: SQLite believes what lies beside its file.
        private::check(folder, &above, Privacy::Owned).map_err(|_| {
            self.error("other users can put files beside it; use a folder that only you can write")
        })?;
        Ok(self)
    }

    /// Says where it happened.
    pub(super) fn error(&self, what: &str) -> LedgerError {
        LedgerError(format!("the ledger {}: {}", term::safe_path(&self.path), term::safe(what)))
    }

    fn failed(&self, error: &rusqlite::Error) -> LedgerError {
        self.error(&super::fault(error).into_message())
    }

    /// A connection to a ledger that is up to date.
    pub(super) fn connect(&self) -> Result<Connection, LedgerError> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        Connection::open_with_flags(&self.path, flags)
            .and_then(|connection| {
                connection.busy_timeout(PATIENCE)?;
                connection.set_prepared_statement_cache_capacity(STATEMENTS);
                // Power loss included: each commit waits for the disk.
                connection.pragma_update(None, "synchronous", "FULL")?;
                Ok(connection)
            })
            .map_err(|error| self.failed(&error))
    }

    /// The first connection, which makes or renews the tables.
    pub(super) fn connect_and_migrate(&self) -> Result<Connection, LedgerError> {
        let mut connection = self.connect()?;
        // Before anything is changed in a file that may be something else.
        self.is_ledger(&connection)?;
        self.use_wal(&connection)?;
        match migrate(&mut connection).map_err(|error| self.failed(&error))? {
            Ok(()) => Ok(connection),
            Err(LedgerError(why)) => Err(self.error(&why)),
        }
    }

    fn is_ledger(&self, connection: &Connection) -> Result<(), LedgerError> {
        let number = |pragma: &str| connection.query_row(pragma, [], |row| row.get::<_, i64>(0));
        let found = number("PRAGMA application_id").and_then(|application| {
            Ok((application, number("SELECT COUNT(*) FROM sqlite_schema")?))
        });
        match found.map_err(|error| self.failed(&error))? {
            (APPLICATION, _) | (0, 0) => Ok(()),
            _ => Err(self.error("it is a database of something else; name another file")),
        }
    }

    /// The switch to WAL does not wait for other processes by itself.
    fn use_wal(&self, connection: &Connection) -> Result<(), LedgerError> {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let mode = connection.pragma_update_and_check(None, "journal_mode", "WAL", |row| {
                row.get::<_, String>(0)
            });
            match mode {
                Ok(mode) if mode.eq_ignore_ascii_case("wal") => return Ok(()),
                Ok(_) => return Err(self.error("its file system does not allow WAL mode")),
                Err(error)
                    if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy)
                        && Instant::now() < deadline =>
                {
                    std::thread::sleep(Duration::from_millis(5));
                }
                Err(error) => return Err(self.failed(&error)),
            }
        }
    }
}

/// A ledger that ends with its connection.
#[cfg(test)]
pub(super) fn in_memory() -> rusqlite::Result<Connection> {
    let mut connection = Connection::open_in_memory()?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS);
    migrate(&mut connection)?.expect("an empty database");
    Ok(connection)
}

/// Brings the tables to the version that is known here; refused by name if they are beyond it.
fn migrate(connection: &mut Connection) -> rusqlite::Result<Result<(), LedgerError>> {
    let version = |connection: &Connection| {
        connection.query_row("PRAGMA user_version", [], |row| row.get::<_, i64>(0))
    };
    if version(connection)? == schema::VERSION {
        return Ok(Ok(()));
    }
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // Another process may have done it while this one waited.
    let steps = match schema::steps_from(version(&transaction)?, DIALECT) {
        Ok(steps) => steps,
        Err(error) => return Ok(Err(error)),
    };
    for step in steps {
        transaction.execute_batch(&step)?;
    }
    transaction.pragma_update(None, "application_id", APPLICATION)?;
    transaction.pragma_update(None, "user_version", schema::VERSION)?;
    transaction.commit().map(Ok)
}

fn explain(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::PermissionDenied => "it, or its folder, cannot be opened".to_owned(),
        _ => error.to_string(),
    }
}
