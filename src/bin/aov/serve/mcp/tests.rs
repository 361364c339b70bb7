//! The tables of both eras, against a dispatcher over a small service.

use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;

use agent_output_verifier::check::{Work, check};
use agent_output_verifier::json::{MAX_DEPTH, read};
use agent_output_verifier::request::{Detail, Parts, Request as Check, UnknownFields};
use serde_json::{Value, json};

use super::{Dispatcher, Headers, Reply};
use crate::serve::engine::{self, Engine};
use crate::serve::problem::Problem;
use crate::serve::service::{
    Answer, Call, Payment, PaymentRequired, Question, Resource, Served, Service,
};

/// The check itself, unsigned; scores are for sale, and one payment does.
struct Shop(Engine);

impl Service for Shop {
    fn call(&self, call: &Call<'_>) -> Answer {
        let served = |body| Answer::Served(Served { body, allowance: None, settlement: None });
        match call.question {
            Question::Verify(body) => {
                let checked = engine::read(body).and_then(|input| {
                    let prepared = self.0.prepare(&input)?;
                    self.0.run(&prepared, "2026-11-30T12:00:00Z".parse().unwrap())
                });
                checked.map_or_else(Answer::Refused, |verified| served(verified.body))
            }
            Question::Score("unknown-end") => {
                let mut problem = Problem::new("settlement_unknown", 504, "unknown").retry(5);
                problem.charged = None;
                Answer::Refused(problem)
            }
            Question::Score(_) => match &call.payment {
                Some(Payment::Meta(payment)) if payment["paid"] == true => {
                    assert_eq!(call.resource, Resource::Tool("get_verification_record"));
                    Answer::Served(Served {
                        body: r#"{"trust_score":1.0}"#.to_owned(),
                        allowance: None,
                        settlement: Some(json!({ "success": true })),
                    })
                }
                payment => Answer::PaymentRequired(PaymentRequired {
                    required: json!({ "x402Version": 2, "error": "no", "resource": {}, "accepts": [{}] }),
                    free_trial: Some(json!({ "code": "free_trial_exhausted" })),
                    settlement: payment.as_ref().map(|_| json!({ "success": false })),
                }),
            },
        }
    }
}

fn dispatcher() -> Dispatcher {
    Dispatcher::new(Arc::new(Shop(Engine::new(None))), false)
}

const CLIENT: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

fn say(message: &Value, headers: Option<Headers<'_>>) -> Reply {
    dispatcher().handle(message.to_string().as_bytes(), headers, CLIENT)
}

fn one(reply: Reply) -> (u16, Value) {
    match reply {
        Reply::One(status, message) => (status, message),
        other => panic!("{other:?}"),
    }
}

/// Over HTTP, without headers of MCP: the legacy rules.
fn legacy(method: &str, params: Value) -> Value {
    let message = json!({ "jsonrpc": "2.0", "id": 7, "method": method, "params": params });
    let (status, answer) = one(say(&message, Some(Headers::default())));
    assert_eq!((status, &answer["id"]), (200, &json!(7)));
    answer
}

fn modern_params(mut params: Value) -> Value {
    params["_meta"]["io.modelcontextprotocol/protocolVersion"] = "2026-07-28".into();
    params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = json!({});
    params
}

fn modern(method: &str, params: Value) -> (u16, Value) {
    let params = modern_params(params);
    let name = params["name"].as_str().map(str::to_owned);
    let message = json!({ "jsonrpc": "2.0", "id": "a", "method": method, "params": params });
    let headers =
        Headers { version: Some("2026-07-28"), method: Some(method), name: name.as_deref() };
    one(say(&message, Some(headers)))
}

fn call(name: &str, arguments: Value) -> Value {
    let result = legacy("tools/call", json!({ "name": name, "arguments": arguments }));
    let result = result["result"].clone();
    let text: Value = serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap();
    assert_eq!(text, result["structuredContent"], "the same twice");
    assert_fits(name, &result["structuredContent"]);
    result
}

/// Held to the tool's own output schema, by our own check.
fn assert_fits(name: &str, answer: &Value) {
    let list = dispatcher().tools.list().to_vec();
    let tool = list.iter().find(|tool| tool["name"] == name).unwrap();
    let (schema, answer) = (tool["outputSchema"].to_string(), answer.to_string());
    let (schema, answer) = (read(schema, MAX_DEPTH).unwrap(), read(answer, MAX_DEPTH).unwrap());
    let parts = Parts {
        task_id: "t".to_owned(),
        agent_id: None,
        expected_schema: schema.root(),
        submitted_output: answer.root(),
        rules: None,
        strict_content_check: false,
        enforce_rules: false,
        detail: Detail::Full,
    };
    let request = Check::from_parts(parts, UnknownFields::Refuse).unwrap();
    let outcome = check(&request, Work::TwoThreads).unwrap();
    assert_eq!(outcome.schema.violations, [], "{name}");
}

#[test]
fn the_handshake_of_old() {
    for version in ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"] {
        let answer =
            legacy("initialize", json!({ "protocolVersion": version, "capabilities": {} }));
        assert_eq!(answer["result"]["protocolVersion"], version);
        assert_eq!(answer["result"]["serverInfo"]["name"], "aov");
        assert!(answer["result"]["capabilities"]["tools"].is_object());
    }
    // Never an error: the newest of that kind.
    for unknown in
        [json!({ "protocolVersion": "1999-01-01" }), json!({}), json!({ "protocolVersion": 1 })]
    {
        assert_eq!(legacy("initialize", unknown)["result"]["protocolVersion"], "2025-11-25");
    }
    assert_eq!(legacy("ping", json!({}))["result"], json!({}));
    assert_eq!(legacy("resources/list", json!({}))["error"]["code"], -32601);
    assert_eq!(legacy("server/discover", json!({}))["error"]["code"], -32601);
}

#[test]
fn notifications_and_answers_get_nothing() {
    for message in [
        json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }),
        json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 1 } }),
        json!({ "jsonrpc": "2.0", "method": "tools/list" }),
        json!({ "jsonrpc": "2.0", "id": 1, "result": {} }),
        json!({ "jsonrpc": "2.0", "id": 1, "error": {} }),
    ] {
        assert_eq!(say(&message, None), Reply::Nothing, "{message}");
        assert_eq!(say(&message, Some(Headers::default())), Reply::Nothing, "{message}");
    }
}

#[test]
fn what_is_no_request() {
    let reply = |text: &str| one(dispatcher().handle(text.as_bytes(), None, CLIENT));
    for text in ["", "{", "nonsense", "{\"a\":1,\"a\":2}", "\u{0}", "{}{}"] {
        let (status, answer) = reply(text);
        assert_eq!((status, &answer["error"]["code"]), (400, &json!(-32700)), "{text}");
        assert!(answer.get("id").is_none(), "ids that cannot be read are left out");
    }
    // JSON to other readers: who sent it is told, and does not wait.
    let (status, answer) = reply(
        r#"{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"hash","arguments":{"value":{"a":1,"a":2}}}}"#,
    );
    assert_eq!((status, &answer["error"]["code"], &answer["id"]), (400, &json!(-32700), &json!(5)));
    for text in [
        "[]",
        r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#,
        "1",
        "null",
        "{}",
        r#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#,
        r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#,
        r#"{"jsonrpc":"2.0","id":true,"method":"ping"}"#,
        r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#,
        r#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#,
        r#"{"jsonrpc":"2.0","id":1}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":5}"#,
    ] {
        let (status, answer) = reply(text);
        assert_eq!((status, &answer["error"]["code"]), (400, &json!(-32600)), "{text}");
    }
    let (_, answer) = reply(r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}"#);
    assert_eq!(answer["error"]["code"], -32602);
    // An id comes back exactly.
    let (_, answer) =
        reply(r#"{"jsonrpc":"2.0","id":123456789012345678901234567890,"method":"ping"}"#);
    assert_eq!(answer["id"].to_string(), "123456789012345678901234567890");
}

#[test]
fn modern_requests_stand_alone() {
    let (status, answer) = modern("server/discover", json!({}));
    let result = &answer["result"];
    assert_eq!((status, &result["resultType"]), (200, &json!("complete")));
    assert_eq!(result["supportedVersions"][0], "2026-07-28");
    assert!(result["ttlMs"].is_u64() && result["cacheScope"] == "public");
    assert_eq!(result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "aov");
    let (_, list) = modern("tools/list", json!({}));
    assert!(list["result"]["ttlMs"].is_u64());
    assert_eq!(list["result"]["tools"], legacy("tools/list", json!({}))["result"]["tools"]);
    for gone in ["initialize", "ping", "logging/setLevel", "resources/subscribe", "x"] {
        let (status, answer) = modern(gone, json!({}));
        assert_eq!((status, &answer["error"]["code"]), (404, &json!(-32601)), "{gone}");
        assert_eq!(answer["id"], "a");
    }
    let (status, answer) = modern("tools/call", json!({ "name": "nothing" }));
    assert_eq!((status, &answer["error"]["code"]), (200, &json!(-32602)));
}

#[test]
fn modern_requests_say_what_they_are() {
    let ask = |params: Value, headers: Option<Headers<'_>>| {
        let message =
            json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
        let (status, answer) = one(say(&message, headers));
        (status, answer["error"]["code"].as_i64(), answer)
    };
    let good =
        Headers { version: Some("2026-07-28"), method: Some("tools/call"), name: Some("hash") };
    let params = modern_params(json!({ "name": "hash", "arguments": { "value": 1 } }));
    assert_eq!(ask(params.clone(), Some(good)).1, None);
    assert_eq!(
        ask(params.clone(), Some(Headers { name: Some("=?base64?aGFzaA==?="), ..good })).1,
        None
    );
    for headers in [
        Headers { version: None, ..good },
        Headers { version: Some("2025-11-25"), ..good },
        Headers { method: None, ..good },
        Headers { method: Some("Tools/Call"), ..good },
        Headers { name: None, ..good },
        Headers { name: Some("verify_schema"), ..good },
        Headers { name: Some("=?base64?aGFzaA?="), ..good },
    ] {
        let (status, code, _) = ask(params.clone(), Some(headers));
        assert_eq!((status, code), (400, Some(-32020)), "{headers:?}");
    }
    // Over stdio there are no headers.
    assert_eq!(ask(params.clone(), None).1, None);
    for key in
        ["io.modelcontextprotocol/protocolVersion", "io.modelcontextprotocol/clientCapabilities"]
    {
        let mut lacking = params.clone();
        lacking["_meta"].as_object_mut().unwrap().remove(key);
        let (status, code, _) = ask(lacking, Some(good));
        assert_eq!((status, code), (400, Some(-32602)), "{key}");
    }
    let mut other = params;
    other["_meta"]["io.modelcontextprotocol/protocolVersion"] = "2099-01-01".into();
    let (status, code, answer) = ask(other, Some(Headers { version: Some("2099-01-01"), ..good }));
    assert_eq!((status, code), (400, Some(-32022)));
    assert_eq!(answer["error"]["data"]["requested"], "2099-01-01");
    assert_eq!(answer["error"]["data"]["supported"][0], "2026-07-28");
}

#[test]
fn a_subscription_to_nothing_ends_at_once() {
    let message = json!({ "jsonrpc": "2.0", "id": 9, "method": "subscriptions/listen", "params": modern_params(json!({})) });
    let Reply::Stream(messages) = say(&message, None) else { panic!("no stream") };
    assert_eq!(messages[0]["method"], "notifications/subscriptions/acknowledged");
    assert_eq!(messages[0]["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"], 9);
    assert_eq!(
        (&messages[1]["id"], &messages[1]["result"]["resultType"]),
        (&json!(9), &json!("complete"))
    );
}

#[test]
fn a_fail_is_an_answer_and_a_refusal_an_error() {
    let arguments = |output: Value| json!({ "task_id": "t", "expected_schema": { "type": "string" }, "submitted_output": output });
    for (output, result) in [(json!("x"), "pass"), (json!(1.0), "fail")] {
        for detail in ["full", "compact"] {
            let mut arguments = arguments(output.clone());
            arguments["detail"] = detail.into();
            let answer = call("verify_schema", arguments);
            assert_eq!(
                (&answer["isError"], &answer["structuredContent"]["result"]),
                (&json!(false), &json!(result))
            );
        }
    }
    for wrong in [
        json!({}),
        json!({ "task_id": 5 }),
        json!({ "task_id": "t", "expected_schema": { "type": "x" }, "submitted_output": 1 }),
    ] {
        let answer = call("verify_schema", wrong);
        assert_eq!(
            (&answer["isError"], &answer["structuredContent"]["code"]),
            (&json!(true), &json!("invalid_request"))
        );
    }
}

/// Numbers reach the check as they were sent: as doubles these two would be equal.
#[test]
fn arguments_arrive_as_they_were_written() {
    let message = br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"verify_schema","arguments":
        {"task_id":"t","expected_schema":{"const":9007199254740993},"submitted_output":9007199254740992}}}"#;
    let (_, answer) = one(dispatcher().handle(message, None, CLIENT));
    assert_eq!(answer["result"]["structuredContent"]["result"], "fail");
}

#[test]
fn payments_travel_in_meta() {
    let ask = |agent: &str, meta: Value| {
        legacy("tools/call", json!({ "name": "get_verification_record", "arguments": { "agent_id": agent }, "_meta": meta }))["result"].clone()
    };
    let unpaid = ask("a", json!({}));
    assert_eq!(unpaid["isError"], true);
    assert_eq!(unpaid["structuredContent"]["x402Version"], 2);
    assert_eq!(unpaid["_meta"]["free_trial"]["code"], "free_trial_exhausted");
    let text: Value = serde_json::from_str(unpaid["content"][0]["text"].as_str().unwrap()).unwrap();
    assert_eq!(text, unpaid["structuredContent"]);
    let failed = ask("a", json!({ "x402/payment": { "paid": false } }));
    assert_eq!(failed["structuredContent"]["error"], "Settlement failed: no");
    assert!(failed["_meta"].get("x402/payment-response").is_none());
    let paid = ask("a", json!({ "x402/payment": { "paid": true } }));
    assert_eq!(
        (&paid["isError"], &paid["_meta"]["x402/payment-response"]["success"]),
        (&json!(false), &json!(true))
    );
    // A client takes anything with these two for "pay now".
    let unknown = ask("unknown-end", json!({ "x402/payment": { "paid": true } })).to_string();
    assert!(!unknown.contains("x402Version") && !unknown.contains("accepts"));
    assert!(!unknown.contains("structuredContent"));
    assert!(unknown.contains("\\\"charged\\\":null"), "{unknown}");
}

#[test]
fn free_tools() {
    // RFC 8785: 1.0 is 1. The hash is that of the one byte "1".
    let hash = call("hash", json!({ "value": 1.0 }));
    assert_eq!(hash["structuredContent"]["canonical"], "1");
    assert_eq!(
        hash["structuredContent"]["sha256"],
        "6b86b273ff34fce19d6b804eff5a3f5747ada4eaa22f1d49c01e52ddb7875b4b"
    );
    let request: Value =
        serde_json::from_str(include_str!("../../../../../fixtures/real/draft-request.json"))
            .unwrap();
    let receipt: Value =
        serde_json::from_str(include_str!("../../../../../fixtures/real/draft-receipt.json"))
            .unwrap();
    let hashes = call("hash", json!({ "request": request }));
    assert_eq!(hashes["structuredContent"]["request_hash"], receipt["request_hash"]);
    let verdict = |arguments: Value| {
        call("verify_receipt", arguments)["structuredContent"]["verdict"].clone()
    };
    assert_eq!(verdict(json!({ "receipt": receipt, "request": request })), "genuine_bound");
    assert_eq!(verdict(json!({ "receipt": receipt.to_string() })), "genuine_not_bound");
    let mut forged = receipt.clone();
    forged["result"] = "pass".into();
    assert_eq!(verdict(json!({ "receipt": forged })), "not_genuine");
    // The receipt is one of a fail.
    let demanded = call(
        "verify_receipt",
        json!({ "receipt": receipt, "request": request, "require_pass": true }),
    );
    assert_eq!(demanded["structuredContent"]["accepted"], false);
    let bound = call("verify_receipt", json!({ "receipt": receipt, "request": request }));
    assert_eq!(bound["structuredContent"]["accepted"], true);
    for wrong in [
        json!({}),
        json!({ "receipt": "{" }),
        json!({ "receipt": receipt, "public_key": "x" }),
        json!({ "receipt": receipt, "require_pass": 1 }),
    ] {
        assert_eq!(call("verify_receipt", wrong)["isError"], true);
    }
    assert_eq!(call("hash", json!({}))["isError"], true);
}

mod fuzz {
    use proptest::prelude::*;

    use super::*;

    fn any_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<f64>().prop_map(|number| json!(number)),
            ".{0,12}".prop_map(Value::from),
            prop::sample::select(vec![
                "2.0",
                "tools/call",
                "verify_schema",
                "hash",
                "2026-07-28",
                "ping"
            ])
            .prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 24, 5, |inner| {
            let names = prop::sample::select(vec![
                "id",
                "method",
                "params",
                "_meta",
                "name",
                "arguments",
                "task_id",
                "expected_schema",
                "submitted_output",
                "receipt",
                "value",
                "io.modelcontextprotocol/protocolVersion",
            ]);
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
                prop::collection::vec((names, inner), 0..6).prop_map(|members| {
                    members
                        .into_iter()
                        .map(|(name, value)| (name.to_owned(), value))
                        .collect::<serde_json::Map<_, _>>()
                        .into()
                }),
            ]
        })
    }

    proptest! {
        /// Whatever comes, what goes out is JSON-RPC, and no fault of ours.
        #[test]
        fn every_message_gets_a_json_rpc_answer_or_none(
            id in any_json(), method in any_json(), params in any_json(), arguments in any_json(),
            shape in 0..4,
        ) {
            let message = match shape {
                0 => json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }),
                1 => json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": { "name": method, "arguments": arguments } }),
                2 => json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": { "name": "verify_schema", "arguments": arguments, "_meta": params } }),
                _ => params,
            };
            for headers in [None, Some(Headers { version: Some("2026-07-28"), method: Some("tools/call"), name: Some("hash") })] {
                match say(&message, headers) {
                    Reply::Nothing => {}
                    Reply::One(status, answer) => {
                        prop_assert!(status < 500);
                        prop_assert_eq!(&answer["jsonrpc"], "2.0");
                        prop_assert!(answer.get("result").is_some() != answer.get("error").is_some());
                        prop_assert!(!answer.to_string().contains("internal_error"));
                    }
                    Reply::Stream(messages) => prop_assert_eq!(messages.len(), 2),
                }
            }
        }

        #[test]
        fn any_bytes_are_survived(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = dispatcher().handle(&bytes, None, CLIENT);
        }
    }

    #[test]
    fn depth_is_bounded() {
        for open in ["[", "{\"a\":"] {
            let text = open.repeat(100_000);
            let (status, answer) = one(dispatcher().handle(text.as_bytes(), None, CLIENT));
            assert_eq!((status, &answer["error"]["code"]), (400, &json!(-32700)));
        }
    }
}
