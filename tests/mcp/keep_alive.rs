use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;

use serde_json::Value;

use crate::memory::{MAX_GROWTH, resident};
use crate::server::{PATIENCE, Server};
use crate::stdio::verify;
use crate::support::Sandbox;

/// One connection, on which requests follow each other.
struct Connection(BufReader<TcpStream>);

impl Connection {
    fn open(server: &Server) -> Self {
        let stream = TcpStream::connect(server.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.set_nodelay(true).unwrap();
        Self(BufReader::new(stream))
    }

    fn ask(&mut self, message: &Value) -> Value {
        let body = message.to_string();
        let request = format!(
            "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
             Content-Length: {}\r\n\r\n{body}",
            body.len()
        );
        self.0.get_mut().write_all(request.as_bytes()).unwrap();
        let mut length = None;
        let mut line = String::new();
        loop {
            line.clear();
            assert!(self.0.read_line(&mut line).unwrap() > 0, "the connection ended");
            let field = line.trim_end().to_ascii_lowercase();
            assert_ne!(field, "connection: close", "the connection will end");
            if let Some(value) = field.strip_prefix("content-length:") {
                length = Some(value.trim().parse().unwrap());
            }
            if field.is_empty() {
                break;
            }
        }
        let mut answer = vec![0; length.expect("a Content-Length")];
        self.0.read_exact(&mut answer).unwrap();
        serde_json::from_slice(&answer).unwrap()
    }
}

#[test]
fn ten_thousand_calls_on_one_connection_leave_memory_as_it_was() {
    let home = Sandbox::new();
    let server = Server::start(&home, &[]);
    let mut connection = Connection::open(&server);
    for id in 0..500 {
        assert_eq!(connection.ask(&verify(id))["id"], id);
    }
    let before = resident(server.process());
    for id in 500..10_000 {
        let answer = connection.ask(&verify(id));
        assert_eq!(answer["result"]["structuredContent"]["result"], "pass");
    }
    let grown = resident(server.process()).saturating_sub(before);
    assert!(grown < MAX_GROWTH, "{before} KiB grew by {grown} KiB");
}
