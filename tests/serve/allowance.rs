use std::sync::atomic::{AtomicUsize, Ordering};

use crate::server::Server;
use crate::support::Sandbox;

const VALID: &[u8] =
    br#"{"task_id":"t","agent_id":"seller","expected_schema":{},"submitted_output":1}"#;

/// Whether a request that says it is forwarded for this address is served.
fn served(server: &Server, forwarded: &str) -> bool {
    let fields = ["Content-Type: application/json", &format!("X-Forwarded-For: {forwarded}")];
    match server.ask("POST", "/verify/schema", &fields, VALID).status {
        200 => true,
        429 => false,
        other => panic!("{other}"),
    }
}

/// Waits out the last seconds of a day, in which counts could begin anew between two requests.
fn away_from_midnight() {
    use std::time::{SystemTime, UNIX_EPOCH};
    let seconds = || SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs() % 86_400;
    while seconds() > 86_400 - 30 {
        std::thread::sleep(std::time::Duration::from_millis(200));
    }
}

#[test]
fn a_trusted_proxy_tells_clients_apart() {
    away_from_midnight();
    let home = Sandbox::new();
    let arguments = ["--free-per-day", "1", "--set", "trusted_proxies=127.0.0.1"];
    let server = Server::start(&home, &arguments);
    assert!(served(&server, "203.0.113.1"));
    assert!(!served(&server, "203.0.113.1"));
    // What stands further left was written by the client.
    assert!(!served(&server, "198.51.100.9, 203.0.113.1"));
    assert!(!served(&server, "::ffff:203.0.113.1"));
    assert!(served(&server, "2001:db8:1:2::1"));
    assert!(!served(&server, "2001:db8:1:2:ffff::9"));
    assert!(served(&server, "2001:db8:1:3::1"));
}

#[test]
fn nobody_else_is_believed() {
    away_from_midnight();
    let home = Sandbox::new();
    let server = Server::start(&home, &["--free-per-day", "1"]);
    assert!(served(&server, "203.0.113.1"));
    assert!(!served(&server, "203.0.113.2"));
}

#[test]
fn two_processes_on_one_ledger_give_exactly_the_allowance() {
    away_from_midnight();
    let home = Sandbox::new();
    let servers = [(); 2].map(|()| Server::start(&home, &["--free-per-day", "40"]));
    let free = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for caller in 0..64 {
            let (server, free) = (&servers[caller % 2], &free);
            scope.spawn(move || {
                for _ in 0..2 {
                    if served(server, "203.0.113.1") {
                        free.fetch_add(1, Ordering::Relaxed);
                    }
                }
            });
        }
    });
    assert_eq!(free.into_inner(), 40);
    // Each was recorded once.
    assert_eq!(servers[1].get("/reputation/seller").json()["verified"], 40);
}
