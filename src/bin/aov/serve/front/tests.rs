//! The rows of the attack tables, against a door with a small handler. Deadlines of tests are only
//! upper bounds for waiting.

use std::io::{Read as _, Write as _};
use std::net::{IpAddr, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::super::http::{Request, Response};
use super::{Front, Limits};

/// No test waits longer for anything.
const PATIENCE: Duration = Duration::from_secs(60);

/// Small, but long enough for a slow machine where time is not what is tested.
fn limits() -> Limits {
    Limits {
        connections: 24,
        per_address: 16,
        lobby: 4,
        workers: 3,
        reserved: 1,
        stack: 1 << 20,
        body_bytes: 64 << 10,
        body_told: 64 << 10,
        head: Duration::from_secs(20),
        lobby_head: Duration::from_secs(20),
        body: Duration::from_secs(20),
        idle: Duration::from_secs(20),
        wait: Duration::from_secs(20),
        write: Duration::from_secs(20),
        linger: Duration::from_millis(300),
        ..Limits::default()
    }
}

/// Says what it was asked.
fn echo(request: &Request) -> Response {
    assert!(request.path != "/panic", "asked to");
    let fields: Vec<_> = request.fields.iter().map(|(name, value)| json!([name, value])).collect();
    let said = json!({
        "method": request.method,
        "path": request.path,
        "query": request.query,
        "fields": fields,
        "body": String::from_utf8_lossy(&request.body),
        "peer": request.peer.to_string(),
    });
    Response::json(200, said.to_string())
}

struct Door {
    front: Option<Front>,
    at: SocketAddr,
}

impl Door {
    fn open(limits: Limits) -> Self {
        Self::with(limits, echo)
    }

    fn with(
        limits: Limits,
        handler: impl Fn(&Request) -> Response + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let front = Front::open(listener, limits, Arc::new(handler), Box::new(|_| {})).unwrap();
        let at = front.local_addr();
        Self { front: Some(front), at }
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.at).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.set_write_timeout(Some(PATIENCE)).unwrap();
        stream
    }

    /// Everything the server says to this, until it closes.
    fn say(&self, bytes: &[u8]) -> String {
        let mut stream = self.connect();
        // It may refuse before it has read everything.
        let _ = stream.write_all(bytes);
        rest(&mut stream)
    }

    /// That `/health` is answered, and that other requests are.
    fn works(&self) {
        self.is_healthy();
        let answer = self.say(
            b"POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nConnection: close\r\n\r\nhi",
        );
        assert_eq!(said(&answer)["body"], "hi", "{answer}");
    }

    fn is_healthy(&self) {
        let answer = self.say(b"GET /health HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
        assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
    }

    fn drain(&mut self) -> bool {
        self.front.take().unwrap().drain(Instant::now() + PATIENCE)
    }
}

fn rest(stream: &mut TcpStream) -> String {
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    String::from_utf8(answer).unwrap()
}

/// One answer of a connection that stays open.
fn one(stream: &mut TcpStream) -> String {
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") {
        assert_eq!(stream.read(&mut byte).unwrap(), 1, "{}", String::from_utf8_lossy(&head));
        head.push(byte[0]);
    }
    let mut text = String::from_utf8(head).unwrap();
    let length = field(&text, "content-length").map_or(0, |length| length.parse().unwrap());
    let mut body = vec![0; length];
    stream.read_exact(&mut body).unwrap();
    text.push_str(std::str::from_utf8(&body).unwrap());
    text
}

fn status(answer: &str) -> u16 {
    answer
        .get(9..12)
        .and_then(|status| status.parse().ok())
        .unwrap_or_else(|| panic!("no answer: {answer:?}"))
}

fn field<'a>(answer: &'a str, name: &str) -> Option<&'a str> {
    let head = answer.split("\r\n\r\n").next()?;
    head.lines().filter_map(|line| line.split_once(": ")).find(|(at, _)| *at == name).map(|it| it.1)
}

fn said(answer: &str) -> Value {
    let body = answer.split_once("\r\n\r\n").map_or("", |(_, body)| body);
    serde_json::from_str(body).unwrap_or_else(|_| panic!("no JSON: {answer}"))
}

/// Refused with this status, in the one shape, and the connection closed: nothing behind it is taken
/// for a request.
fn assert_refused(answer: &str, expected: u16, what: &str) {
    assert_eq!(status(answer), expected, "{what}: {answer}");
    assert_eq!(answer.matches("\r\nserver: aov/").count(), 1, "{what}: {answer}");
    assert_eq!(field(answer, "connection"), Some("close"), "{what}");
    let problem = said(answer);
    assert_eq!(problem["status"], expected, "{what}");
    assert_eq!(problem["charged"], false, "{what}");
    assert!(problem["code"].is_string() && problem["message"].is_string(), "{what}");
}

#[test]
fn what_could_be_read_in_two_ways_is_refused() {
    let door = Door::open(limits());
    let behind = "GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n";
    for fields in [
        "Content-Length: 5\r\nTransfer-Encoding: chunked",
        "Transfer-Encoding: chunked\r\nContent-Length: 5",
        "Transfer-Encoding: identity",
        "Transfer-Encoding: xchunked",
        "Transfer-Encoding: chunked, identity",
        "Transfer-Encoding: gzip, chunked",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked",
        "Transfer-Encoding : chunked",
        "Transfer-Encoding:\tchunked,",
        "Content-Length: 5\r\nContent-Length: 5",
        "Content-Length: 5\r\ncontent-length: 6",
        "Content-Length: abc",
        "Content-Length: -1",
        "Content-Length: +5",
        "Content-Length: 5, 5",
        "Content-Length: 0x5",
        "Content-Length: ",
        "Content-Length: 5 5",
        "Content-Length : 5",
        "A: b\r\n c",
        "A: b\r\n\tc",
        "Host: b",
        "A: \0",
        "A: b\rc",
        "A: b\nB: c",
        ": b",
        "A b: c",
        "A: \x7f",
        "no colon",
        "Connection: content-length\r\nContent-Length: 5",
        "Connection: host",
        "Connection: payment-signature",
    ] {
        let request = format!("POST /x HTTP/1.1\r\nHost: a\r\n{fields}\r\n\r\nhello{behind}");
        assert_refused(&door.say(request.as_bytes()), 400, fields);
    }
    door.works();
}

#[test]
fn what_is_no_request_line_is_refused() {
    let door = Door::open(limits());
    for (line, expected) in [
        ("GET  / HTTP/1.1", 400),
        ("GET / HTTP/1.1 junk", 400),
        ("GET /HTTP/1.1", 400),
        (" GET / HTTP/1.1", 400),
        ("G(T / HTTP/1.1", 400),
        ("GET x HTTP/1.1", 400),
        ("GET ftp://a/ HTTP/1.1", 400),
        ("GET http:///x HTTP/1.1", 400),
        ("GET /#f HTTP/1.1", 400),
        ("GET * HTTP/1.1", 400),
        ("GET / http/1.1", 400),
        ("CONNECT a:80 HTTP/1.1", 501),
        ("GET / HTTP/2.0", 505),
        ("GET / HTTP/1.2", 505),
        ("GET / HTTP/0.9", 505),
        ("PRI * HTTP/2.0", 505),
    ] {
        let request = format!("{line}\r\nHost: a\r\n\r\n");
        assert_refused(&door.say(request.as_bytes()), expected, line);
    }
    assert_refused(
        &door.say("GET /\u{e9} HTTP/1.1\r\nHost: a\r\n\r\n".as_bytes()),
        400,
        "not ASCII",
    );
    assert_refused(&door.say(b"GET / HTTP/1.1\r\n\r\n"), 400, "no Host");
    assert_refused(&door.say(b"GET / HTTP/1.1\r\nHost: a@b\r\n\r\n"), 400, "user in Host");
    assert_refused(&door.say(b"GET / HTTP/1.1\nHost: a\n\n"), 400, "bare LF");
    assert_refused(&door.say(b"\r\n\r\n\r\n"), 400, "empty lines");
    door.works();
}

#[test]
fn chunks_are_as_strict() {
    let door = Door::open(limits());
    let ask = |chunks: &str| {
        let head = "POST /x HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n";
        door.say(format!("{head}{chunks}GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n").as_bytes())
    };
    for bad in [
        "+5\r\nhello\r\n0\r\n\r\n",
        "0x5\r\nhello\r\n0\r\n\r\n",
        "\r\nhello\r\n0\r\n\r\n",
        "5\nhello\n0\n\n",
        "5\r\nhelloo\r\n0\r\n\r\n",
        "-1\r\n\r\n",
        "5 \r\nhello\r\n0\r\n\r\n",
        "g\r\n\r\n",
        "0\r\n A: b\r\n\r\n",
    ] {
        assert_refused(&ask(bad), 400, bad);
    }
    for big in ["fffffffffffffffff\r\n", "ffffffff\r\n", "10001\r\n"] {
        assert_refused(&ask(big), 413, big);
    }
    let answer = ask("5;note=x\r\nhello\r\n1\r\n!\r\n0\r\nTrailer: t\r\n\r\n");
    assert_eq!(status(&answer), 200);
    assert_eq!(said(&answer)["body"], "hello!");
    door.works();
}

#[test]
fn announced_bodies_are_refused_before_they_come() {
    let door = Door::open(limits());
    for length in [
        "65537",
        "40000000000",
        "9223372036854775807",
        "18446744073709551616",
        "99999999999999999999999",
    ] {
        // Nothing of the body is sent.
        let request = format!("POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: {length}\r\n\r\n");
        let answer = door.say(request.as_bytes());
        assert_refused(&answer, 413, length);
        assert_eq!(said(&answer)["limit_bytes"], 64 << 10);
    }
    let body = "x".repeat(64 << 10);
    let whole = format!(
        "POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    );
    assert_eq!(said(&door.say(whole.as_bytes()))["body"], body);
    door.works();
}

#[test]
fn heads_have_bounds() {
    let door = Door::open(limits());
    let fields = |count: usize| "A: b\r\n".repeat(count - 1);
    let ask =
        |lines: &str| door.say(format!("GET / HTTP/1.1\r\nHost: a\r\n{lines}\r\n").as_bytes());
    assert_refused(&ask(&fields(101)), 431, "101 fields");
    assert_refused(&ask(&fields(5_000)), 431, "5,000 fields");
    assert_refused(&ask(&format!("A: {}\r\n", "b".repeat(33 << 10))), 431, "a long field");
    assert_refused(&ask(&format!("A: {}\r\n", "b".repeat(8 << 20))), 431, "a very long field");
    assert_eq!(status(&ask(&(fields(99) + "Connection: close\r\n"))), 200);
    let signature = format!("Payment-Signature: {}\r\nConnection: close\r\n", "b".repeat(16 << 10));
    assert_eq!(status(&ask(&signature)), 200);
    door.works();
}

#[test]
fn expectations() {
    let door = Door::open(limits());
    let mut stream = door.connect();
    stream
        .write_all(b"POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n")
        .unwrap();
    let mut go_on = [0; 25];
    stream.read_exact(&mut go_on).unwrap();
    assert_eq!(&go_on, b"HTTP/1.1 100 Continue\r\n\r\n");
    stream.write_all(b"hi").unwrap();
    assert_eq!(said(&rest(&mut stream))["body"], "hi");
    let other = b"POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nExpect: x\r\n\r\n";
    assert_refused(&door.say(other), 417, "another expectation");
    let too_large =
        b"POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 70000\r\nExpect: 100-continue\r\n\r\n";
    assert_refused(&door.say(too_large), 413, "no 100 for what is refused");
}

#[test]
fn what_concerns_one_connection_goes_no_further() {
    let door = Door::open(limits());
    let answer = door.say(
        b"GET http://b/p?q=1 HTTP/1.1\r\nHost: a\r\nConnection: close, X-One\r\nX-One: 1\r\nX-Two: 2\r\n\
          Keep-Alive: 3\r\nTE: trailers\r\nUpgrade: websocket\r\nProxy-Connection: x\r\nAov-Peer: 9.9.9.9\r\n\r\n",
    );
    let said = said(&answer);
    let fields: Vec<_> =
        said["fields"].as_array().unwrap().iter().map(|field| field[0].as_str().unwrap()).collect();
    assert_eq!(fields, ["host", "x-two", "content-length"]);
    // The absolute form says which host is meant (RFC 9112 §3.2.2).
    assert_eq!(said["fields"][0][1], "b");
    assert_eq!((&said["path"], &said["query"]), (&json!("/p"), &json!("q=1")));
    assert_eq!(said["peer"], "127.0.0.1");
    assert_eq!(field(&answer, "server"), Some(concat!("aov/", env!("CARGO_PKG_VERSION"))));
    assert!(field(&answer, "date").is_some_and(|date| date.ends_with(" GMT") && date.len() == 29));
}

#[test]
fn connections_are_kept_and_closed_by_the_rules() {
    let door = Door::open(limits());
    let mut stream = door.connect();
    for number in 0..20 {
        write!(stream, "GET /{number} HTTP/1.1\r\nHost: a\r\n\r\n").unwrap();
        let answer = one(&mut stream);
        assert_eq!(said(&answer)["path"], format!("/{number}"));
        assert_eq!(field(&answer, "connection"), Some("keep-alive"));
    }
    let old = door.say(b"GET / HTTP/1.0\r\n\r\n");
    assert_eq!((status(&old), field(&old, "connection")), (200, Some("close")));
    let mut old = door.connect();
    old.write_all(b"GET /1 HTTP/1.0\r\nConnection: keep-alive\r\n\r\nGET /2 HTTP/1.0\r\n\r\n")
        .unwrap();
    assert_eq!(said(&one(&mut old))["path"], "/1");
    assert_eq!(said(&rest(&mut old))["path"], "/2");
    // HEAD has the length and not the body.
    let head = door.say(b"HEAD /x HTTP/1.1\r\nHost: a\r\n\r\nGET /y HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    assert_eq!(head.matches("HTTP/1.1 200").count(), 2, "{head}");
    assert!(field(&head, "content-length").is_some_and(|length| length != "0"));
    assert_eq!(head.matches("\"path\":\"/x\"").count(), 0);
}

#[test]
fn pipelined_requests_are_answered_one_at_a_time_and_in_order() {
    let now = Arc::new(AtomicUsize::new(0));
    let own = Arc::clone(&now);
    let door = Door::with(limits(), move |request| {
        assert_eq!(own.fetch_add(1, Ordering::SeqCst), 0, "two of one connection at once");
        let response = echo(request);
        own.fetch_sub(1, Ordering::SeqCst);
        response
    });
    let mut stream = door.connect();
    let all: String =
        (0..500).map(|number| format!("GET /{number} HTTP/1.1\r\nHost: a\r\n\r\n")).collect();
    let mut writer = stream.try_clone().unwrap();
    let sending = std::thread::spawn(move || writer.write_all(all.as_bytes()).unwrap());
    for number in 0..500 {
        assert_eq!(said(&one(&mut stream))["path"], format!("/{number}"));
    }
    sending.join().unwrap();
}

#[test]
fn a_panic_is_one_answer() {
    let door = Door::open(limits());
    for _ in 0..10 {
        let answer = door.say(b"GET /panic HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
        assert_eq!(status(&answer), 500);
        assert_eq!(said(&answer)["code"], "internal_error");
    }
    // Nobody knows how far it had come, so nobody says that nothing was charged.
    let paid = door.say(
        b"GET /panic HTTP/1.1\r\nHost: a\r\nPayment-Signature: x\r\nConnection: close\r\n\r\n",
    );
    assert_eq!((status(&paid), &said(&paid)["code"]), (504, &json!("settlement_unknown")));
    assert_eq!(said(&paid)["charged"], Value::Null);
    door.works();
}

#[test]
fn who_is_slow_is_cut_off_and_nobody_else_waits() {
    let short = Duration::from_millis(700);
    let door = Door::open(Limits { head: short, body: short, idle: short, ..limits() });
    let drip = |start: &[u8]| {
        let mut stream = door.connect();
        stream.write_all(start).unwrap();
        let mut writer = stream.try_clone().unwrap();
        // A byte now and then does not move the deadline.
        std::thread::spawn(move || {
            while writer.write_all(b"x").is_ok() {
                std::thread::sleep(Duration::from_millis(50));
            }
        });
        stream
    };
    let mut slow: Vec<_> = (0..6)
        .map(|_| drip(b"POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 60000\r\n\r\n"))
        .chain((0..6).map(|_| drip(b"GET / HTTP/1.1\r\nHost: a\r\nA: ")))
        .collect();
    door.works();
    for stream in &mut slow {
        assert_refused(&rest(stream), 408, "dripping");
    }
    // Without a request there is nothing to answer.
    let mut idle = door.connect();
    idle.write_all(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n").unwrap();
    assert_eq!(status(&one(&mut idle)), 200);
    assert_eq!(rest(&mut idle), "");
    door.works();
}

#[test]
fn a_client_that_never_reads_is_cut_off() {
    let door = Door::with(Limits { write: Duration::from_millis(500), ..limits() }, |request| {
        if request.path == "/health" {
            echo(request)
        } else {
            Response::json(200, vec![b' '; 32 << 20])
        }
    });
    let mut streams: Vec<_> = (0..8).map(|_| door.connect()).collect();
    for stream in &mut streams {
        stream.write_all(b"GET /large HTTP/1.1\r\nHost: a\r\n\r\n").unwrap();
    }
    door.is_healthy();
    // Their seats become free.
    wait_until(|| door.front.as_ref().is_some_and(|front| front.door.seats.count() == 0));
    door.is_healthy();
}

fn wait_until(mut done: impl FnMut() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !done() {
        assert!(Instant::now() < deadline, "it never came true");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn health_is_answered_while_half_open_heads_hold_every_seat() {
    let door = Door::open(limits());
    let mut held = Vec::new();
    for _ in 0..60 {
        let mut stream = door.connect();
        let _ = stream.write_all(b"GET / HTTP/1.1\r\nHost: a\r\nA: ");
        held.push(stream);
        door.is_healthy();
    }
    // Nothing else is answered in the lobby.
    let other = door.say(b"GET /x HTTP/1.1\r\nHost: a\r\n\r\n");
    assert_refused(&other, 503, "no seat");
    assert!(field(&other, "retry-after").is_some());
    drop(held);
    wait_until(|| door.front.as_ref().is_some_and(|front| front.door.seats.count() == 0));
    door.works();
}

#[test]
fn health_is_answered_while_every_worker_is_busy() {
    let (gate, handler_gate) = {
        let gate = Arc::new((Mutex::new(false), Condvar::new()));
        (Arc::clone(&gate), gate)
    };
    let door = Door::with(limits(), move |request| {
        if request.path == "/slow" {
            let open = handler_gate.0.lock().unwrap();
            drop(handler_gate.1.wait_while(open, |open| !*open).unwrap());
        }
        echo(request)
    });
    let mut slow: Vec<_> = (0..8).map(|_| door.connect()).collect();
    for stream in &mut slow {
        stream.write_all(b"GET /slow HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n").unwrap();
    }
    wait_until(|| door.front.as_ref().is_some_and(|front| front.door.pool.busy() == 3));
    door.is_healthy();
    *gate.0.lock().unwrap() = true;
    gate.1.notify_all();
    for stream in &mut slow {
        assert_eq!(status(&rest(stream)), 200);
    }
}

/// As many requests as there are workers are worked on at once, also when they all come at once.
#[test]
fn every_worker_is_within_reach() {
    for _ in 0..5 {
        let all = Arc::new(std::sync::Barrier::new(12));
        let own = Arc::clone(&all);
        let mut door =
            Door::with(Limits { workers: 12, reserved: 2, ..limits() }, move |request| {
                // Only goes on when all of them are here.
                own.wait();
                echo(request)
            });
        let mut streams: Vec<_> = (0..12).map(|_| door.connect()).collect();
        for stream in &mut streams {
            stream.write_all(b"GET /x HTTP/1.1\r\nHost: a\r\n\r\n").unwrap();
        }
        for stream in &mut streams {
            assert_eq!(status(&one(stream)), 200);
        }
        drop(streams);
        assert!(door.drain());
    }
}

#[test]
fn draining_answers_what_is_under_way_and_refuses_what_is_new() {
    let gate = Arc::new((Mutex::new(false), Condvar::new()));
    let own = Arc::clone(&gate);
    let mut door = Door::with(limits(), move |request| {
        let open = own.0.lock().unwrap();
        drop(own.1.wait_while(open, |open| !*open).unwrap());
        echo(request)
    });
    let mut under_way = door.connect();
    under_way.write_all(b"GET /slow HTTP/1.1\r\nHost: a\r\n\r\n").unwrap();
    wait_until(|| door.front.as_ref().is_some_and(|front| front.door.pool.busy() == 1));
    door.front.as_ref().unwrap().start_draining();
    assert_refused(&door.say(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n"), 503, "a new one");
    *gate.0.lock().unwrap() = true;
    gate.1.notify_all();
    let at = door.at;
    assert!(door.drain());
    let answer = rest(&mut under_way);
    assert_eq!((status(&answer), field(&answer, "connection")), (200, Some("close")));
    assert!(TcpStream::connect(at).is_err(), "it is closed");
}

#[test]
fn connections_that_vanish_do_no_harm() {
    let door = Door::open(limits());
    for number in 0..300 {
        let mut stream = door.connect();
        match number % 3 {
            0 => drop(stream),
            1 => {
                let _ = stream.write_all(b"GET / HTTP/1.1\r\nHo");
            }
            _ => {
                // An answer that nobody takes: closing resets the connection.
                let _ = stream.write_all(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n");
            }
        }
    }
    wait_until(|| door.front.as_ref().is_some_and(|front| front.door.seats.count() == 0));
    door.works();
}

#[test]
fn seats_are_counted_by_client() {
    use super::seats::Seats;
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let stream = Arc::new(TcpStream::connect(listener.local_addr().unwrap()).unwrap());
    let seats = Seats::new(&Limits { connections: 3, per_address: 2, lobby: 1, ..limits() });
    let take = |address: &str| seats.take(address.parse::<IpAddr>().unwrap(), &stream).unwrap();
    // Addresses of one /64 are one client.
    let first = take("2001:db8::1");
    let second = take("2001:db8::2");
    let third = take("2001:db8::3");
    assert_eq!([&first, &second, &third].map(|seat| seat.is_lobby()), [false, false, true]);
    let other = take("2001:db8:0:1::1");
    assert!(!other.is_lobby());
    assert!(take("192.0.2.1").is_lobby(), "three are all");
    drop(first);
    assert!(!take("192.0.2.1").is_lobby());
    drop((second, third, other));
    assert_eq!(seats.count(), 0);
}
