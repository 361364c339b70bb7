//! The ledger in a file: SQLite in WAL mode, every commit on the disk before it is acknowledged.
//!
//! A commit costs a wait for the disk, so one thread writes for all: whatever waits when it begins
//! goes into one transaction, each piece in a savepoint of its own, and all callers are told when
//! that is committed. Other processes may use the file at the same time.

mod file;

use std::fmt;
use std::path::Path;
use std::sync::mpsc::{self, Receiver, Sender, SyncSender};
use std::sync::{Mutex, PoisonError};
use std::thread::JoinHandle;

use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{Connection, ErrorCode, ToSql};

use super::LedgerError;
use super::sql::{Backend, Database, Fault, Row, Value};
use super::store::Store;
use file::LedgerFile;

/// A ledger in a file, or in memory.
pub(crate) type Sqlite = Store<SqliteBackend>;

/// The most pieces of work in one transaction.
const MAX_BATCH: usize = 512;
/// Connections that are kept for reading.
const MAX_READERS: usize = 4;

/// The writer's side, and readers beside it.
pub(crate) struct SqliteBackend {
    /// Nothing once the store is being closed.
    jobs: Option<Sender<Job>>,
    writer: Option<JoinHandle<()>>,
    /// Where it is; in memory there is only the writer's own connection.
    file: Option<LedgerFile>,
    readers: Mutex<Vec<Connection>>,
}

impl fmt::Debug for SqliteBackend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SqliteBackend").field("file", &self.file).finish_non_exhaustive()
    }
}

/// Work for the writer, in a transaction if one could be begun. It gives what is to be done with
/// the end of that transaction.
type Job = Box<dyn FnOnce(Result<&Connection, Fault>) -> Acknowledge + Send>;
type Acknowledge = Box<dyn FnOnce(Result<(), Fault>)>;

impl Sqlite {
    /// Opens the ledger in this file, and makes it if it is not there.
    pub(crate) fn open(path: &Path) -> Result<Self, LedgerError> {
        Self::of_file(LedgerFile::make(path)?)
    }

    /// Opens the ledger in this file, which must be there.
    pub(crate) fn open_existing(path: &Path) -> Result<Self, LedgerError> {
        Self::of_file(LedgerFile::find(path)?)
    }

    fn of_file(file: LedgerFile) -> Result<Self, LedgerError> {
        let connection = file.connect_and_migrate()?;
        Self::start(connection, Some(file))
    }

    /// One that ends with the process.
    #[cfg(test)]
    pub(crate) fn in_memory() -> Self {
        let connection = file::in_memory().expect("a database in memory");
        Self::start(connection, None).expect("a thread")
    }

    fn start(connection: Connection, file: Option<LedgerFile>) -> Result<Self, LedgerError> {
        let (jobs, waiting) = mpsc::channel();
        let writer = std::thread::Builder::new()
            .name("ledger".to_owned())
            .spawn(move || write_all(connection, &waiting))
            .map_err(|error| LedgerError(format!("cannot start the ledger's thread: {error}")))?;
        let backend = SqliteBackend {
            jobs: Some(jobs),
            writer: Some(writer),
            file,
            readers: Mutex::default(),
        };
        Ok(Self { backend })
    }
}

impl Drop for SqliteBackend {
    fn drop(&mut self) {
        self.jobs = None;
        if let Some(writer) = self.writer.take() {
            // What was acknowledged is on the disk, however the thread ended.
            let _ = writer.join();
        }
    }
}

/// Until nobody can ask any more.
fn write_all(connection: Connection, waiting: &Receiver<Job>) {
    while let Ok(first) = waiting.recv() {
        let more = std::iter::from_fn(|| waiting.try_recv().ok());
        let batch = std::iter::once(first).chain(more.take(MAX_BATCH - 1));
        write_batch(&connection, batch.collect());
    }
}

fn write_batch(connection: &Connection, batch: Vec<Job>) {
    let mut state = connection.execute_batch("BEGIN IMMEDIATE").map_err(|error| fault(&error));
    let mut acknowledge = Vec::with_capacity(batch.len());
    for job in batch {
        acknowledge.push(job(state.clone().map(|()| connection)));
        if state.is_ok() && connection.is_autocommit() {
            // A full disk, for one, ends the whole transaction.
            state = Err(Fault::Failed("a write failed, and others with it".to_owned()));
        }
    }
    let ended = state.and_then(|()| {
        let committed = connection.execute_batch("COMMIT").map_err(|error| fault(&error));
        if committed.is_err() && !connection.is_autocommit() {
            // The next batch begins anew, whatever comes of this.
            let _ = connection.execute_batch("ROLLBACK");
        }
        committed
    });
    for tell in acknowledge {
        tell(ended.clone());
    }
}

/// Runs work so that it is undone if it fails, and the work of others is not.
fn in_savepoint<T>(
    connection: &Connection,
    work: impl Fn(&mut dyn Database) -> Result<T, Fault>,
) -> Result<T, Fault> {
    let run = |sql: &str| {
        let run = connection.prepare_cached(sql).and_then(|mut statement| statement.execute([]));
        run.map(drop).map_err(|error| fault(&error))
    };
    run("SAVEPOINT work")?;
    let done = work(&mut Session(connection));
    if done.is_err() && !connection.is_autocommit() {
        run("ROLLBACK TO work")?;
    }
    if !connection.is_autocommit() {
        run("RELEASE work")?;
    }
    done
}

impl SqliteBackend {
    fn explain(&self, fault: Fault) -> LedgerError {
        let message = fault.into_message();
        match &self.file {
            Some(file) => file.error(&message),
            None => LedgerError(message),
        }
    }

    fn reader(&self, file: &LedgerFile) -> Result<Connection, LedgerError> {
        let kept = self.readers.lock().unwrap_or_else(PoisonError::into_inner).pop();
        kept.map_or_else(|| file.connect(), Ok)
    }

    fn keep(&self, connection: Connection) {
        let mut readers = self.readers.lock().unwrap_or_else(PoisonError::into_inner);
        if readers.len() < MAX_READERS {
            readers.push(connection);
        }
    }
}

impl Backend for SqliteBackend {
    fn write<T: Send + 'static>(
        &self,
        work: impl Fn(&mut dyn Database) -> Result<T, Fault> + Send + 'static,
    ) -> Result<T, LedgerError> {
        let (tell, told): (SyncSender<Result<T, Fault>>, _) = mpsc::sync_channel(1);
        let job: Job = Box::new(move |connection| {
            let done = connection.and_then(|connection| in_savepoint(connection, work));
            Box::new(move |ended| {
                // Whoever asked waits for this; nobody else does.
                let _ = tell.send(ended.and(done));
            })
        });
        let gone = || Fault::Failed("it is closed".to_owned());
        let sent = self.jobs.as_ref().is_some_and(|jobs| jobs.send(job).is_ok());
        let done = if sent { told.recv().unwrap_or_else(|_| Err(gone())) } else { Err(gone()) };
        done.map_err(|fault| self.explain(fault))
    }

    fn read<T: Send + 'static>(
        &self,
        work: impl Fn(&mut dyn Database) -> Result<T, Fault> + Send + 'static,
    ) -> Result<T, LedgerError> {
        let Some(file) = &self.file else { return self.write(work) };
        let connection = self.reader(file)?;
        let done = work(&mut Session(&connection));
        if done.is_ok() {
            self.keep(connection);
        }
        done.map_err(|fault| self.explain(fault))
    }
}

/// A connection as the store sees it.
struct Session<'c>(&'c Connection);

impl ToSql for Value {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self {
            Self::Null => ValueRef::Null,
            Self::Integer(value) => ValueRef::Integer(*value),
            Self::Text(text) => ValueRef::Text(text.as_bytes()),
        }))
    }
}

impl Database for Session<'_> {
    fn execute(&mut self, sql: &str, parameters: &[Value]) -> Result<u64, Fault> {
        let changed = self
            .0
            .prepare_cached(sql)
            .and_then(|mut statement| statement.execute(rusqlite::params_from_iter(parameters)));
        changed.map(|changed| changed as u64).map_err(|error| fault(&error))
    }

    fn query(&mut self, sql: &str, parameters: &[Value]) -> Result<Vec<Row>, Fault> {
        let mut statement = self.0.prepare_cached(sql).map_err(|error| fault(&error))?;
        let columns = statement.column_count();
        let mut rows = statement
            .query(rusqlite::params_from_iter(parameters))
            .map_err(|error| fault(&error))?;
        let mut found = Vec::new();
        while let Some(row) = rows.next().map_err(|error| fault(&error))? {
            let values = (0..columns).map(|at| value(row.get_ref(at)));
            found.push(Row::new(values.collect::<Result<_, _>>()?));
        }
        Ok(found)
    }

    fn serialize(&mut self) -> Result<(), Fault> {
        // There is one writer at a time anyway.
        Ok(())
    }
}

fn value(found: rusqlite::Result<ValueRef<'_>>) -> Result<Value, Fault> {
    match found.map_err(|error| fault(&error))? {
        ValueRef::Null => Ok(Value::Null),
        ValueRef::Integer(value) => Ok(Value::Integer(value)),
        ValueRef::Text(text) => {
            let text = std::str::from_utf8(text).map_err(|_| Fault::damaged())?;
            Ok(Value::Text(text.to_owned()))
        }
        ValueRef::Real(_) | ValueRef::Blob(_) => Err(Fault::damaged()),
    }
}

/// Our words for what went wrong, where they help.
fn fault(error: &rusqlite::Error) -> Fault {
    let words = match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
            "another process has held it for too long".to_owned()
        }
        Some(ErrorCode::DiskFull) => "the disk is full".to_owned(),
        Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => {
            "it, or its folder, cannot be written".to_owned()
        }
        Some(ErrorCode::NotADatabase) => "it is not a SQLite database".to_owned(),
        Some(ErrorCode::DatabaseCorrupt) => {
            "it is damaged; put a copy of it in its place".to_owned()
        }
        _ => error.to_string(),
    };
    Fault::Failed(words)
}
