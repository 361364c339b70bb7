//! The server under attack, in full size, through its real front door (SPEC 11.5): `/health` answers
//! during each attack, memory stays bounded, and everything works afterwards.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on shall fail")]
#![allow(dead_code, reason = "shared with other tests")]

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

#[path = "../serve/server.rs"]
mod server;
#[path = "../support/mod.rs"]
mod support;

use server::{PATIENCE, Server};
use support::Sandbox;

const REQUEST: &str = r#"{"task_id":"t","expected_schema":{},"submitted_output":1}"#;

/// The resident set that no attack may pass, in KiB.
const MEMORY: u64 = 256 << 10;

fn connect(server: &Server) -> TcpStream {
    let stream = TcpStream::connect(server.address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream.set_write_timeout(Some(PATIENCE)).unwrap();
    stream
}

/// While the attack lasts.
fn healthy(server: &Server) {
    let deadline = Instant::now() + PATIENCE;
    // A connection that comes in the middle of a crowd may be shown out once; a monitor asks again.
    loop {
        let mut stream = connect(server);
        let _ = stream.write_all(b"GET /health HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
        let mut answer = String::new();
        let _ = stream.read_to_string(&mut answer);
        if answer.starts_with("HTTP/1.1 200 ") {
            break;
        }
        assert!(Instant::now() < deadline, "/health does not answer: {answer:?}");
    }
    assert!(server.memory() < MEMORY, "{} KiB", server.memory());
}

/// Afterwards.
fn works(server: &Server) {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let mut stream = connect(server);
        let head = format!(
            "POST /verify/schema HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{REQUEST}",
            REQUEST.len()
        );
        let _ = stream.write_all(head.as_bytes());
        let mut answer = String::new();
        let _ = stream.read_to_string(&mut answer);
        if answer.starts_with("HTTP/1.1 200 ") && answer.contains("attestation") {
            return;
        }
        assert!(Instant::now() < deadline, "it does not work again: {answer}");
    }
}

#[test]
fn bodies_that_are_announced_and_never_come() {
    let home = Sandbox::new();
    let server = Server::start(&home, &[]);
    for length in ["40000000000", "9223372036854775807", "1000000000"] {
        for _ in 0..20 {
            let mut stream = connect(&server);
            let head = format!(
                "POST /verify/schema HTTP/1.1\r\nHost: a\r\nContent-Length: {length}\r\n\r\n"
            );
            stream.write_all(head.as_bytes()).unwrap();
            let mut answer = String::new();
            stream.read_to_string(&mut answer).unwrap();
            assert!(answer.starts_with("HTTP/1.1 413 "), "{answer}");
        }
    }
    // Within the limit, and never sent; more than there are workers.
    let held: Vec<_> = (0..64)
        .map(|_| {
            let mut stream = connect(&server);
            stream
                .write_all(
                    b"POST /verify/schema HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n{",
                )
                .unwrap();
            stream
        })
        .collect();
    healthy(&server);
    works(&server);
    drop(held);
}

#[test]
fn five_thousand_half_open_heads() {
    let home = Sandbox::new();
    let server = Server::start(&home, &[]);
    let mut held = Vec::new();
    for number in 0..5_000 {
        // Where files run out here, that many are the attack.
        let Ok(mut stream) = TcpStream::connect(server.address) else { break };
        let _ = stream.write_all(b"GET / HTTP/1.1\r\nHost: a\r\nA: ");
        held.push(stream);
        if held.len() > 800 {
            held.remove(0);
        }
        if number % 500 == 0 {
            healthy(&server);
        }
    }
    healthy(&server);
    drop(held);
    works(&server);
}

#[test]
fn heads_without_end() {
    let home = Sandbox::new();
    let server = Server::start(&home, &[]);
    // One line of 512 MB, and a million fields: what is written after the refusal goes nowhere.
    for piece in [vec![b'a'; 1 << 20], b"A: b\r\n".repeat(170_000)] {
        let mut stream = connect(&server);
        stream.write_all(b"GET / HTTP/1.1\r\nHost: a\r\nX: ").unwrap();
        if piece[0] == b'A' {
            stream.write_all(b"b\r\n").unwrap();
        }
        let mut written = 0;
        while written < 512 << 20 && stream.write_all(&piece).is_ok() {
            written += piece.len();
        }
        assert!(written < 512 << 20, "all of it was taken");
        healthy(&server);
    }
    works(&server);
}

#[test]
fn half_a_million_pipelined_requests() {
    let home = Sandbox::new();
    let server = Server::start(&home, &["--log", "json"]);
    let stream = connect(&server);
    let mut writer = stream.try_clone().unwrap();
    let stop = Arc::new(AtomicBool::new(false));
    let (stopping, sent) = (Arc::clone(&stop), Arc::new(AtomicUsize::new(0)));
    let counting = Arc::clone(&sent);
    // Nobody reads the answers: the client is held back, and then cut off.
    let flood = std::thread::spawn(move || {
        let piece = b"GET /llms.txt HTTP/1.1\r\nHost: a\r\n\r\n".repeat(100);
        while !stopping.load(Ordering::Relaxed) && counting.load(Ordering::Relaxed) < 500_000 {
            if writer.write_all(&piece).is_err() {
                break;
            }
            counting.fetch_add(100, Ordering::Relaxed);
        }
    });
    for _ in 0..20 {
        healthy(&server);
    }
    works(&server);
    stop.store(true, Ordering::Relaxed);
    let _ = stream.shutdown(std::net::Shutdown::Both);
    flood.join().unwrap();
    works(&server);
}

#[test]
fn upgrades_and_bodies_that_nobody_reads() {
    let home = Sandbox::new();
    let server = Server::start(&home, &[]);
    let mut held = Vec::new();
    for number in 0..64 {
        let mut stream = connect(&server);
        let fields =
            if number % 2 == 0 { "Connection: upgrade\r\nUpgrade: websocket\r\n" } else { "" };
        // 404: the handler does not look at the body.
        let head =
            format!("POST /nothing HTTP/1.1\r\nHost: a\r\n{fields}Content-Length: 900000\r\n\r\n");
        stream.write_all(head.as_bytes()).unwrap();
        held.push(stream);
    }
    healthy(&server);
    works(&server);
}

/// Files run out: `accept` fails, and later works again.
#[test]
fn more_connections_than_files() {
    let home = Sandbox::new();
    let mut command = std::process::Command::new("sh");
    command
        .args([
            "-c",
            "ulimit -n 200; exec \"$0\" serve --listen 127.0.0.1:0",
            env!("CARGO_BIN_EXE_aov"),
        ])
        .current_dir(home.path())
        .env_clear()
        .env("HOME", home.path())
        .env("PATH", "/usr/bin:/bin");
    let mut server = Server::run(&mut command);
    let held: Vec<_> = (0..400).filter_map(|_| TcpStream::connect(server.address).ok()).collect();
    healthy(&server);
    drop(held);
    works(&server);
    assert_eq!(server.terminate(), Some(0));
}

#[test]
fn an_orderly_end_under_load_loses_no_answer() {
    let home = Sandbox::new();
    let mut server = Server::start(&home, &[]);
    let address = server.address;
    let (answered, lost) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let clients: Vec<_> = (0..16)
        .map(|_| {
            let (answered, lost) = (Arc::clone(&answered), Arc::clone(&lost));
            std::thread::spawn(move || {
                let head = format!("POST /verify/schema HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{REQUEST}", REQUEST.len());
                // Until nobody takes connections any more.
                while let Ok(mut stream) = TcpStream::connect(address) {
                    stream.set_read_timeout(Some(PATIENCE)).unwrap();
                    if stream.write_all(head.as_bytes()).is_err() {
                        continue;
                    }
                    let mut answer = String::new();
                    let read = stream.read_to_string(&mut answer);
                    let whole = answer.contains("\"attestation\"") && answer.ends_with('}');
                    if answer.starts_with("HTTP/1.1 200 ") && whole {
                        answered.fetch_add(1, Ordering::Relaxed);
                    } else if !answer.is_empty() && !answer.starts_with("HTTP/1.1 503 ") {
                        lost.fetch_add(1, Ordering::Relaxed);
                        panic!("half an answer: {answer:?} {read:?}");
                    }
                }
            })
        })
        .collect();
    let deadline = Instant::now() + PATIENCE;
    while answered.load(Ordering::Relaxed) < 200 {
        assert!(Instant::now() < deadline);
        std::thread::sleep(Duration::from_millis(5));
    }
    assert_eq!(server.terminate(), Some(0));
    for client in clients {
        client.join().unwrap();
    }
    assert_eq!(lost.load(Ordering::Relaxed), 0);
    // What was recorded and signed before is still served after a start.
    let again = Server::start(&home, &[]);
    works(&again);
}
