//! The little of SQL that both databases have: statements with parameters `?1`, `?2`, rows of texts
//! and whole numbers. All of the ledger's meaning is written once over it, in `store`, so that the
//! two cannot differ in it.

use chrono::{DateTime, Utc};

use super::LedgerError;

/// A value in a column. Times are microseconds since 1970 (UTC).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Value {
    /// Nothing.
    Null,
    /// A whole number.
    Integer(i64),
    /// A text.
    Text(String),
}

impl From<i64> for Value {
    fn from(value: i64) -> Self {
        Self::Integer(value)
    }
}

impl From<u32> for Value {
    fn from(value: u32) -> Self {
        Self::Integer(value.into())
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Self::Integer(value.into())
    }
}

impl From<&str> for Value {
    fn from(value: &str) -> Self {
        Self::Text(value.to_owned())
    }
}

impl From<DateTime<Utc>> for Value {
    fn from(value: DateTime<Utc>) -> Self {
        Self::Integer(value.timestamp_micros())
    }
}

impl<T: Into<Value>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

/// A row of an answer, read from the left.
#[derive(Debug)]
pub(crate) struct Row(std::vec::IntoIter<Value>);

impl Row {
    /// Of these columns.
    pub(crate) fn new(values: Vec<Value>) -> Self {
        Self(values.into_iter())
    }

    /// The columns that were not read yet.
    #[cfg(test)]
    pub(crate) fn values(self) -> Vec<Value> {
        self.0.collect()
    }

    /// The next column, which may be empty.
    pub(crate) fn optional_text(&mut self) -> Result<Option<String>, Fault> {
        match self.0.next() {
            Some(Value::Text(text)) => Ok(Some(text)),
            Some(Value::Null) => Ok(None),
            _ => Err(Fault::damaged()),
        }
    }

    /// The next column.
    pub(crate) fn text(&mut self) -> Result<String, Fault> {
        self.optional_text()?.ok_or_else(Fault::damaged)
    }

    /// The next column.
    pub(crate) fn integer(&mut self) -> Result<i64, Fault> {
        match self.0.next() {
            Some(Value::Integer(value)) => Ok(value),
            _ => Err(Fault::damaged()),
        }
    }

    /// The next column, a count.
    pub(crate) fn count<T: TryFrom<i64>>(&mut self) -> Result<T, Fault> {
        T::try_from(self.integer()?).map_err(|_| Fault::damaged())
    }

    /// The next column, a time.
    pub(crate) fn time(&mut self) -> Result<DateTime<Utc>, Fault> {
        DateTime::from_timestamp_micros(self.integer()?).ok_or_else(Fault::damaged)
    }
}

/// Why a statement could not be carried out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Fault {
    /// The transaction is undone, and may succeed if it is tried again: the connection broke before
    /// its end, or it collided with another one.
    Undone(String),
    /// For good.
    Failed(String),
}

impl Fault {
    /// A row that this program did not write.
    pub(crate) fn damaged() -> Self {
        Self::Failed("it holds something that aov did not write".to_owned())
    }

    /// What happened.
    pub(crate) fn into_message(self) -> String {
        match self {
            Self::Undone(message) | Self::Failed(message) => message,
        }
    }
}

/// A transaction that is under way.
pub(crate) trait Database {
    /// Changes something; how many rows.
    fn execute(&mut self, sql: &str, parameters: &[Value]) -> Result<u64, Fault>;

    /// Asks for rows, possibly of something that is changed.
    fn query(&mut self, sql: &str, parameters: &[Value]) -> Result<Vec<Row>, Fault>;

    /// Waits until no other transaction that has asked for this is under way.
    fn serialize(&mut self) -> Result<(), Fault>;
}

/// Something that runs transactions. What has come back `Ok` is on the disk.
pub(crate) trait Backend: Send + Sync {
    /// Changes, in one transaction; undone if `work` fails. It may be run more than once.
    fn write<T: Send + 'static>(
        &self,
        work: impl Fn(&mut dyn Database) -> Result<T, Fault> + Send + 'static,
    ) -> Result<T, LedgerError>;

    /// Questions. What was acknowledged before is in the answers.
    fn read<T: Send + 'static>(
        &self,
        work: impl Fn(&mut dyn Database) -> Result<T, Fault> + Send + 'static,
    ) -> Result<T, LedgerError>;
}
