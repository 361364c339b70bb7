//! Which ledger is meant, and opening it.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use clap::builder::{OsStringValueParser, TypedValueParser as _};

use super::postgres::Address;
use super::{Ledger, LedgerError, Postgres, Sqlite};
use crate::{private, term};

/// The variable that may name the ledger instead of the option.
pub(crate) const VARIABLE: &str = "AOV_LEDGER";
/// The variable that may hold the password of a PostgreSQL database.
const PASSWORD: &str = "PGPASSWORD";

/// Names a ledger on a command line.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct LedgerOption {
    /// The ledger: a SQLite file, or postgres://USER@HOST/DATABASE, whose password is taken from
    /// PGPASSWORD [default: what AOV_LEDGER names, else ledger.sqlite in the data folder]
    #[arg(long, value_name = "PATH|URL", value_parser = OsStringValueParser::new().map(Named))]
    pub(crate) ledger: Option<Named>,
}

/// What was typed; there may be a password in it.
#[derive(Clone)]
pub(crate) struct Named(OsString);

impl fmt::Debug for Named {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Named")
    }
}

/// Who named a ledger: what stands on a command line is seen by every user of the machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NamedBy {
    /// An option.
    CommandLine,
    /// The environment, or a file of configuration.
    Setting,
}

/// Where a ledger is.
#[derive(Debug, Clone)]
pub(crate) enum Location {
    /// In this file.
    File(PathBuf),
    /// In this database.
    Database(Box<Address>),
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => f.write_str(&term::safe_path(path)),
            Self::Database(address) => address.fmt(f),
        }
    }
}

impl LedgerOption {
    /// The ledger that is meant: by the option, the environment, or nobody.
    pub(crate) fn location(&self) -> Result<Location, LedgerError> {
        if let Some(Named(named)) = &self.ledger {
            return Location::named(named, NamedBy::CommandLine);
        }
        match std::env::var_os(VARIABLE).filter(|named| !named.is_empty()) {
            Some(named) => Location::named(&named, NamedBy::Setting),
            None => Location::of_user(),
        }
    }
}

impl Location {
    /// A path, or the address of a PostgreSQL database.
    pub(crate) fn named(named: &OsStr, by: NamedBy) -> Result<Self, LedgerError> {
        let refused = |why: &str| LedgerError(format!("this ledger cannot be used: {why}"));
        let text = named.to_str().unwrap_or_default();
        if named.is_empty() {
            return Err(refused("its name is empty"));
        }
        if !Address::is_meant(text) {
            if text.contains("://") {
                return Err(refused("it is neither a path nor an address postgres://…"));
            }
            return Ok(Self::File(PathBuf::from(named)));
        }
        let address = Address::parse(text).map_err(|why| refused(&term::safe(&why)))?;
        if address.has_password() && by == NamedBy::CommandLine {
            return Err(refused(&format!(
                "a password on the command line can be seen by every user of this machine; put it \
                 into {PASSWORD}, or the whole address into {VARIABLE}"
            )));
        }
        let password = std::env::var_os(PASSWORD);
        let password = password.as_ref().map(|password| password.as_encoded_bytes());
        Ok(Self::Database(Box::new(address.or_password(password))))
    }

    /// The user's own.
    pub(crate) fn of_user() -> Result<Self, LedgerError> {
        let folder = private::xdg_folder("XDG_DATA_HOME", ".local/share").ok_or_else(|| {
            LedgerError(format!(
                "there is no place for a ledger: neither XDG_DATA_HOME nor HOME is set; name a file \
                 with --ledger or {VARIABLE}"
            ))
        })?;
        Ok(Self::File(folder.join("ledger.sqlite")))
    }

    /// Opens it, and makes it if it is not there.
    pub(crate) fn open(&self) -> Result<Arc<dyn Ledger>, LedgerError> {
        Ok(match self {
            Self::File(path) => Arc::new(Sqlite::open(path)?),
            Self::Database(address) => Arc::new(Postgres::open((**address).clone())?),
        })
    }

    /// Opens it if it is there: nothing is asked of a ledger that was made by a typing error.
    pub(crate) fn open_existing(&self) -> Result<Arc<dyn Ledger>, LedgerError> {
        Ok(match self {
            Self::File(path) => Arc::new(Sqlite::open_existing(path)?),
            Self::Database(address) => Arc::new(Postgres::open_existing((**address).clone())?),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_on_the_command_line_is_refused() {
        let url = OsStr::new("postgres://u:hunter2@db.example/aov");
        let error = Location::named(url, NamedBy::CommandLine).unwrap_err().0;
        assert!(error.contains("PGPASSWORD") && !error.contains("hunter2"), "{error}");
        let location = Location::named(url, NamedBy::Setting).unwrap();
        assert_eq!(location.to_string(), "postgres://db.example:5432/aov");
        assert!(!format!("{location:?}").contains("hunter2"));
    }

    #[test]
    fn paths_and_addresses() {
        let named = |text: &str| Location::named(OsStr::new(text), NamedBy::Setting);
        assert!(matches!(named("a/ledger.sqlite"), Ok(Location::File(_))));
        assert!(matches!(named("postgresql://h/d"), Ok(Location::Database(_))));
        for bad in ["", "mysql://h/d", "https://h"] {
            assert!(named(bad).is_err(), "{bad}");
        }
    }
}
