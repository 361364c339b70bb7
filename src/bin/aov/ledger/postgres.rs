//! The ledger that many servers share: PostgreSQL. Each piece of work is a transaction on one of a
//! few connections; what the database makes of concurrent ones is exact because every decision is
//! one statement on one row, or taken under a lock.

mod address;
mod pool;

use ::postgres::error::SqlState;
use ::postgres::types::{ToSql, Type};
use ::postgres::{Client, GenericClient};

use super::LedgerError;
use super::schema::{self, Dialect};
use super::sql::{Backend, Database, Fault, Row, Value};
use super::store::Store;
use crate::term;

pub(crate) use address::Address;
use pool::Pool;

/// A ledger in a PostgreSQL database.
pub(crate) type Postgres = Store<PostgresBackend>;

/// How often a transaction is tried that was undone through no fault of its own.
const TRIES: usize = 3;
/// The key of the advisory lock under which tables are made: `aov` and 1.
const SCHEMA_LOCK: i64 = 0x616F_7601;
/// The key of the advisory lock under which payments are claimed: `aov` and 2.
const CLAIM_LOCK: i64 = 0x616F_7602;

/// Bytes are what the ids and keys are compared by.
const DIALECT: Dialect = Dialect { text: "TEXT COLLATE \"C\"", keyed: "" };

/// Connections to one database.
#[derive(Debug)]
pub(crate) struct PostgresBackend {
    pool: Pool,
}

impl Postgres {
    /// Connects, and makes or renews the tables.
    pub(crate) fn open(address: Address) -> Result<Self, LedgerError> {
        Self::up_to_date(PostgresBackend { pool: Pool::new(address) })
    }

    /// Connects to a database that has the tables already.
    pub(crate) fn open_existing(address: Address) -> Result<Self, LedgerError> {
        let backend = PostgresBackend { pool: Pool::new(address) };
        if backend.read(|db| version(db))?.is_none() {
            return Err(LedgerError(format!(
                "there is no ledger at {}; aov check --record makes one",
                backend.pool.address
            )));
        }
        Self::up_to_date(backend)
    }

    fn up_to_date(backend: PostgresBackend) -> Result<Self, LedgerError> {
        backend.write(migrate)?.map_err(|error| backend.explain(&error.0))?;
        Ok(Self { backend })
    }
}

/// The version of the tables, if there are any.
fn version(db: &mut dyn Database) -> Result<Option<i64>, Fault> {
    // Not to_regclass, which may answer from before a lock was waited for.
    let found = db.query(
        "SELECT COUNT(*) FROM pg_catalog.pg_class
         WHERE relname = 'aov_schema' AND pg_catalog.pg_table_is_visible(oid)",
        &[],
    )?;
    let there = found.into_iter().next().map(|mut row| row.integer()).transpose()?;
    if there == Some(0) {
        return Ok(None);
    }
    let rows = db.query("SELECT version FROM aov_schema", &[])?;
    rows.into_iter().next().map(|mut row| row.integer()).transpose()
}

/// Brings the tables to the version that is known here; refused if they are beyond it.
fn migrate(db: &mut dyn Database) -> Result<Result<(), LedgerError>, Fault> {
    // A user who may not make tables can use a ledger that is there.
    if version(db)? == Some(schema::VERSION) {
        return Ok(Ok(()));
    }
    lock(db, SCHEMA_LOCK)?;
    let known = version(db)?;
    let steps = match schema::steps_from(known.unwrap_or(0), DIALECT) {
        Ok(steps) => steps,
        Err(error) => return Ok(Err(error)),
    };
    for statement in steps.iter().flat_map(|step| step.split(';')) {
        if !statement.trim().is_empty() {
            db.execute(statement, &[])?;
        }
    }
    if known.is_none() {
        db.execute("CREATE TABLE aov_schema (version BIGINT NOT NULL)", &[])?;
        db.execute("INSERT INTO aov_schema (version) VALUES (0)", &[])?;
    }
    db.execute("UPDATE aov_schema SET version = ?1", &[schema::VERSION.into()])?;
    Ok(Ok(()))
}

/// Until the end of the transaction.
fn lock(db: &mut dyn Database, key: i64) -> Result<(), Fault> {
    // The function has no value, and a cast makes a text of that.
    db.query("SELECT CAST(pg_advisory_xact_lock(?1) AS TEXT)", &[key.into()]).map(drop)
}

impl PostgresBackend {
    fn explain(&self, what: &str) -> LedgerError {
        LedgerError(format!("the ledger {}: {}", self.pool.address, term::safe(what)))
    }

    /// Runs work on a connection, again if it was undone.
    fn run<T>(&self, work: impl Fn(&mut Client) -> Result<T, Broken>) -> Result<T, LedgerError> {
        let mut tries = 1;
        loop {
            let (mut client, slot) = self.pool.lease().map_err(|why| self.explain(&why))?;
            let done = work(&mut client);
            if done.as_ref().is_err_and(|broken| broken.connection) {
                // The others go the same way: the server was restarted, or is out of reach.
                drop((client, slot));
                self.pool.forget_idle();
            } else {
                slot.give_back(client);
            }
            let fault = match done {
                Ok(done) => return Ok(done),
                Err(broken) => broken.fault,
            };
            match fault {
                Fault::Undone(_) if tries < TRIES => tries += 1,
                fault => return Err(self.explain(&fault.into_message())),
            }
        }
    }
}

/// A fault, and whether the connection is of no use any more.
struct Broken {
    fault: Fault,
    connection: bool,
}

impl Backend for PostgresBackend {
    fn write<T: Send + 'static>(
        &self,
        work: impl Fn(&mut dyn Database) -> Result<T, Fault> + Send + 'static,
    ) -> Result<T, LedgerError> {
        self.run(|client| {
            let undone = |error: ::postgres::Error| Broken {
                fault: fault(&error),
                connection: breaks(&error),
            };
            let mut transaction = client.transaction().map_err(undone)?;
            let mut session = Session { client: &mut transaction, broken: false };
            let done =
                work(&mut session).map_err(|fault| Broken { fault, connection: session.broken })?;
            // From here on it may have been carried out although no answer comes: it is not tried
            // again.
            transaction.commit().map_err(|error| {
                let Broken { fault, connection } = undone(error);
                let certain = matches!(fault, Fault::Undone(_)) && !connection;
                let fault = if certain { fault } else { Fault::Failed(fault.into_message()) };
                Broken { fault, connection }
            })?;
            Ok(done)
        })
    }

    fn read<T: Send + 'static>(
        &self,
        work: impl Fn(&mut dyn Database) -> Result<T, Fault> + Send + 'static,
    ) -> Result<T, LedgerError> {
        self.run(|client| {
            let mut session = Session { client, broken: false };
            work(&mut session).map_err(|fault| Broken { fault, connection: session.broken })
        })
    }
}

/// Whatever takes statements, and whether its connection broke.
struct Session<'s, C> {
    client: &'s mut C,
    broken: bool,
}

/// Parameters with their types, so that a statement is one round trip. Only texts can be missing.
fn typed(parameters: &[Value]) -> Vec<(&(dyn ToSql + Sync), Type)> {
    let typed = |value| -> (&(dyn ToSql + Sync), Type) {
        match value {
            &Value::Null => (&None::<&str>, Type::TEXT),
            Value::Integer(value) => (value, Type::INT8),
            Value::Text(text) => (text, Type::TEXT),
        }
    };
    parameters.iter().map(typed).collect()
}

impl<C: GenericClient> Session<'_, C> {
    fn note(&mut self, error: &::postgres::Error) -> Fault {
        self.broken |= breaks(error);
        fault(error)
    }
}

impl<C: GenericClient> Database for Session<'_, C> {
    fn execute(&mut self, sql: &str, parameters: &[Value]) -> Result<u64, Fault> {
        let changed = self.client.execute_typed(&numbered(sql), &typed(parameters));
        changed.map_err(|error| self.note(&error))
    }

    fn query(&mut self, sql: &str, parameters: &[Value]) -> Result<Vec<Row>, Fault> {
        let rows = self.client.query_typed(&numbered(sql), &typed(parameters));
        rows.map_err(|error| self.note(&error))?.iter().map(row).collect()
    }

    fn serialize(&mut self) -> Result<(), Fault> {
        lock(self, CLAIM_LOCK)
    }
}

/// Parameters are `$1` here. No statement has a question mark elsewhere.
fn numbered(sql: &str) -> String {
    sql.replace('?', "$")
}

fn row(row: &::postgres::Row) -> Result<Row, Fault> {
    let value = |(at, column): (usize, &::postgres::Column)| match *column.type_() {
        Type::TEXT => row.try_get::<_, Option<String>>(at).map(Value::from),
        _ => row.try_get::<_, Option<i64>>(at).map(Value::from),
    };
    let values = row.columns().iter().enumerate().map(value);
    Ok(Row::new(values.collect::<Result<_, _>>().map_err(|error| fault(&error))?))
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

/// Whether the connection cannot be used any more.
fn breaks(error: &::postgres::Error) -> bool {
    // 08: connection exceptions; 57P: the server is going down.
    error.as_db_error().is_none_or(|error| {
        error.code().code().starts_with("08") || error.code().code().starts_with("57P")
    })
}

/// Before the end of a transaction, a broken connection undoes it.
fn fault(error: &::postgres::Error) -> Fault {
    let collided = error.code().is_some_and(|code| {
        *code == SqlState::T_R_SERIALIZATION_FAILURE || *code == SqlState::T_R_DEADLOCK_DETECTED
    });
    let message = explain(error);
    if collided || breaks(error) { Fault::Undone(message) } else { Fault::Failed(message) }
}

/// What the server said, or what became of the connection. Neither repeats a password.
fn explain(error: &::postgres::Error) -> String {
    use std::error::Error as _;
    if let Some(error) = error.as_db_error() {
        return format!("{} ({})", error.message(), error.code().code());
    }
    match error.source() {
        Some(cause) => format!("{error}: {cause}"),
        None => error.to_string(),
    }
}
