//! Where a PostgreSQL database is, without ever showing the password.

use std::fmt;
use std::time::Duration;

use postgres::Config;
use postgres::config::{Host, SslMode};

/// How long a server may take to let us in.
const CONNECT: Duration = Duration::from_secs(5);
/// How long data may stay without an answer from the other end.
const SILENCE: Duration = Duration::from_secs(10);

/// The beginnings of an address.
const SCHEMES: [&str; 2] = ["postgres://", "postgresql://"];

const NO_TLS: &str = "TLS to the database is not supported: sslmode may be disable or prefer; reach \
                      a distant server through a tunnel or a private network";

/// A database, and how to get in.
#[derive(Clone)]
pub(crate) struct Address {
    config: Config,
    shown: String,
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown)
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown)
    }
}

impl Address {
    /// Whether a text is meant as an address and not as a path.
    pub(crate) fn is_meant(text: &str) -> bool {
        SCHEMES.iter().any(|scheme| text.starts_with(scheme))
    }

    /// Reads an address. The message does not repeat it.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let query = text.split_once('?').map_or("", |(_, query)| query);
        if query.split('&').any(|it| it.starts_with("sslmode=verify")) {
            return Err(NO_TLS.to_owned());
        }
        let mut config: Config = text.parse().map_err(|error: postgres::Error| {
            let cause = std::error::Error::source(&error).map(ToString::to_string);
            let cause = cause.unwrap_or_else(|| error.to_string());
            format!("it is not an address of a PostgreSQL database: {cause}")
        })?;
        if config.get_ssl_mode() == SslMode::Require {
            return Err(NO_TLS.to_owned());
        }
        if config.get_hosts().is_empty() {
            return Err("it names no host".to_owned());
        }
        // A piece of a password would become a part of the host, and be shown.
        let odd = |host: &Host| match host {
            Host::Tcp(name) => name.contains(['@', ':', '/', '?', '#']),
            #[cfg(unix)]
            Host::Unix(_) => false,
        };
        if config.get_hosts().iter().any(odd) {
            return Err(
                "its host cannot be read; write @ : / ? # in a password as %40 %3A %2F %3F \
                        %23, or put the password into PGPASSWORD"
                    .to_owned(),
            );
        }
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(CONNECT);
        }
        if config.get_tcp_user_timeout().is_none() {
            config.tcp_user_timeout(SILENCE);
        }
        if config.get_application_name().is_none() {
            config.application_name("aov");
        }
        let shown = shown(&config);
        Ok(Self { config, shown })
    }

    /// Whether it has a password in it.
    pub(crate) fn has_password(&self) -> bool {
        self.config.get_password().is_some()
    }

    /// With this password, if it has none.
    pub(crate) fn or_password(mut self, password: Option<&[u8]>) -> Self {
        if let (false, Some(password)) = (self.has_password(), password) {
            self.config.password(password);
        }
        self
    }

    pub(super) fn config(&self) -> &Config {
        &self.config
    }
}

/// Hosts and database; not who, and never the password.
fn shown(config: &Config) -> String {
    let ports = config.get_ports();
    let port = |at: usize| ports.get(at).or(ports.first()).copied().unwrap_or(5432);
    let host = |(at, host): (usize, &Host)| match host {
        Host::Tcp(name) => format!("{name}:{}", port(at)),
        #[cfg(unix)]
        Host::Unix(folder) => socket(folder, port(at)),
    };
    let hosts: Vec<_> = config.get_hosts().iter().enumerate().map(host).collect();
    let name = config.get_dbname().or(config.get_user()).unwrap_or_default();
    crate::term::safe(&format!("postgres://{}/{name}", hosts.join(","))).into_owned()
}

#[cfg(unix)]
fn socket(folder: &std::path::Path, port: u16) -> String {
    folder.join(format!(".s.PGSQL.{port}")).display().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_is_never_shown() {
        for text in [
            "postgres://u:hunter2@db.example:5433/aov",
            "postgresql://u@db.example:5433/aov?password=hunter2",
        ] {
            let address = Address::parse(text).unwrap();
            assert!(address.has_password());
            assert_eq!(address.to_string(), "postgres://db.example:5433/aov");
            assert_eq!(format!("{address:?}"), "postgres://db.example:5433/aov");
        }
        // A password with reserved characters that were not escaped.
        for text in [
            "postgres://u:hunter2@hunter2@db.example/aov",
            "postgres://u:pass@hunter2:hunter2:5432/aov",
            "postgres://u:hunter2/hunter2@db.example/aov",
            "postgres://u:hun%zz@hunter2@x/aov",
            "postgres://u:hunter2@db.example/aov?hunter2=1",
        ] {
            let error = Address::parse(text).err().unwrap_or_default();
            assert!(!error.contains("hunter2") || text.ends_with("=1"), "{text}: {error}");
        }
    }

    #[test]
    fn tls_is_refused_by_name() {
        for mode in ["require", "verify-ca", "verify-full"] {
            let error = Address::parse(&format!("postgres://h/d?sslmode={mode}")).unwrap_err();
            assert!(error.contains("TLS") && error.contains("tunnel"), "{error}");
        }
        for mode in ["", "?sslmode=disable", "?sslmode=prefer"] {
            assert!(Address::parse(&format!("postgres://h/d{mode}")).is_ok());
        }
    }

    #[test]
    fn the_environment_gives_a_password_where_the_address_has_none() {
        let with = |text: &str| Address::parse(text).unwrap().or_password(Some(b"other"));
        assert_eq!(with("postgres://u@h/d").config.get_password(), Some(&b"other"[..]));
        assert_eq!(with("postgres://u:own@h/d").config.get_password(), Some(&b"own"[..]));
        assert!(!Address::is_meant("postgres.sqlite") && Address::is_meant("postgresql://h/d"));
        assert!(Address::parse("postgres:///d").is_err());
    }
}
