//! One line a request on standard error (SPEC 11.6): who, what, how it ended. No bodies, no header
//! fields, no queries, no keys.

use std::net::IpAddr;
use std::time::Duration;

use chrono::{DateTime, SecondsFormat, Utc};
use serde_json::json;

use super::config::LogFormat;
use super::route::shown;
use crate::term;

/// A request that was answered.
#[derive(Debug, Clone)]
pub(crate) struct Entry<'r> {
    /// When.
    pub(crate) at: DateTime<Utc>,
    /// Who was at the other end of the connection.
    pub(crate) peer: IpAddr,
    /// As written; empty where there was none.
    pub(crate) method: &'r str,
    /// As written, without the query.
    pub(crate) path: &'r str,
    /// The status of the answer.
    pub(crate) status: u16,
    /// The length of its body.
    pub(crate) bytes: usize,
    /// How long it took.
    pub(crate) took: Duration,
}

impl Entry<'_> {
    /// The line, with its end.
    pub(crate) fn line(&self, format: LogFormat) -> String {
        let at = self.at.to_rfc3339_opts(SecondsFormat::Millis, true);
        let millis = self.took.as_secs_f64() * 1000.0;
        let method = agent_output_verifier::text::cut(self.method, 20);
        let (method, path) = (term::safe(&method).into_owned(), shown(self.path));
        let Self { peer, status, bytes, .. } = self;
        match format {
            LogFormat::Text => {
                format!("{at} {peer} {method} {path} {status} {bytes} {millis:.1}ms\n")
            }
            LogFormat::Json => {
                let line = json!({
                    "at": at,
                    "peer": peer.to_string(),
                    "method": method,
                    "path": path,
                    "status": status,
                    "bytes": bytes,
                    "ms": (millis * 1000.0).round() / 1000.0,
                });
                format!("{line}\n")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(path: &str) -> Entry<'_> {
        Entry {
            at: "2026-11-30T12:00:00.123456Z".parse().unwrap(),
            peer: [203, 0, 113, 9].into(),
            method: "GET",
            path,
            status: 200,
            bytes: 17,
            took: Duration::from_micros(1500),
        }
    }

    #[test]
    fn a_request_is_one_line() {
        assert_eq!(
            entry("/health").line(LogFormat::Text),
            "2026-11-30T12:00:00.123Z 203.0.113.9 GET /health 200 17 1.5ms\n"
        );
        let json = entry("/health").line(LogFormat::Json);
        let value: serde_json::Value = serde_json::from_str(&json).unwrap();
        assert_eq!((&value["status"], &value["ms"]), (&200.into(), &1.5.into()));
        assert_eq!(json.lines().count(), 1);
    }

    #[test]
    fn nobody_writes_lines_of_their_own() {
        let path = format!("/a\n\u{1b}[31m\u{202e}{}", "x".repeat(5000));
        for format in [LogFormat::Text, LogFormat::Json] {
            let line = entry(&path).line(format);
            assert_eq!(line.lines().count(), 1);
            assert!(!line.contains(['\u{1b}', '\u{202e}']) && line.len() < 600, "{line}");
        }
    }
}
