use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener};

use crate::support::Sandbox;

/// A facilitator of this machine that supports Base and settles nothing: enough for what is asked
/// before anybody pays. It lasts as long as the tests.
pub(crate) fn start() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let mut reader = BufReader::new(stream);
            let (mut line, mut length, mut first) = (String::new(), 0, String::new());
            while reader.read_line(&mut line).is_ok_and(|read| read > 2) {
                if first.is_empty() {
                    first.clone_from(&line);
                }
                if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                    length = value.trim().parse().unwrap();
                }
                line.clear();
            }
            let _ = reader.read_exact(&mut vec![0; length]);
            let body = if first.starts_with("GET /supported") {
                r#"{"kinds":[{"x402Version":2,"scheme":"exact","network":"eip155:8453"}],"extensions":[],"signers":{}}"#
            } else {
                r#"{"isValid":false,"invalidReason":"invalid_exact_evm_signature"}"#
            };
            let answer = format!(
                "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
                body.len()
            );
            let _ = reader.into_inner().write_all(answer.as_bytes());
        }
    });
    address
}

/// The configuration of a server that sells, in this folder; its name.
pub(crate) fn configuration(home: &Sandbox, more: &str) -> String {
    let text = format!(
        "[[networks]]\nnetwork = 'eip155:8453'\npay_to = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'\n\
         facilitators = ['http://{}']\n{more}",
        start()
    );
    home.file("selling.toml", text).to_str().unwrap().to_owned()
}
