//! 10 MB of invoices read, hashed and checked, beside what serde_json takes to read alone.

use std::hint::black_box;
use std::time::Duration;

use agent_output_verifier::check::{Work, check_with};
use agent_output_verifier::content;
use agent_output_verifier::json::{self, jcs};
use agent_output_verifier::receipt::hashes::hashes;
use agent_output_verifier::request::{Detail, Parts, Request, UnknownFields};
use agent_output_verifier::schema::Schema;
use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use sha2::{Digest, Sha256};

#[path = "invoices.rs"]
mod invoices;

const SIZE: usize = 10_000_000;

struct Hashing(Sha256);

impl jcs::Sink for Hashing {
    fn put(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }
}

fn reading(criterion: &mut Criterion) {
    let text = invoices::array(SIZE).into_bytes();
    let mut group = criterion.benchmark_group("read 10 MB");
    group.throughput(Throughput::Bytes(text.len() as u64));
    group.sample_size(20).measurement_time(Duration::from_secs(4));
    group.bench_function("json::read", |bencher| {
        bencher.iter_batched(
            || text.clone(),
            |text| json::read(text, json::MAX_DEPTH),
            BatchSize::PerIteration,
        );
    });
    group.bench_function("serde_json::Value", |bencher| {
        bencher.iter_batched(
            || text.clone(),
            |text| serde_json::from_slice::<serde_json::Value>(&text),
            BatchSize::PerIteration,
        );
    });
    group.finish();
}

fn hashing(criterion: &mut Criterion) {
    let text = invoices::array(SIZE);
    let document = json::read(text.clone(), json::MAX_DEPTH).expect("JSON");
    let mut group = criterion.benchmark_group("hash 10 MB");
    group.throughput(Throughput::Bytes(text.len() as u64));
    group.sample_size(20).measurement_time(Duration::from_secs(4));
    group.bench_function("canonical and SHA-256", |bencher| {
        bencher.iter(|| {
            let mut sink = Hashing(Sha256::new());
            jcs::write(black_box(document.root()), &mut sink).expect("a canonical form");
            sink.0.finalize()
        });
    });
    group.bench_function("SHA-256 of the text alone", |bencher| {
        bencher.iter(|| Sha256::digest(black_box(text.as_bytes())));
    });
    group.finish();
}

fn checking(criterion: &mut Criterion) {
    let schema = format!(
        r#"{{"type": "array", "items": {}}}"#,
        include_str!("invoice.schema.json").replace(DIALECT, "")
    );
    let schema = json::read(schema, json::MAX_DEPTH).expect("JSON");
    let output = json::read(invoices::array(SIZE), json::MAX_DEPTH).expect("JSON");
    let parts = Parts {
        task_id: "bench".to_owned(),
        agent_id: None,
        expected_schema: schema.root(),
        submitted_output: output.root(),
        rules: None,
        strict_content_check: false,
        enforce_rules: false,
        detail: Detail::Full,
    };
    let request = Request::from_parts(parts, UnknownFields::Refuse).expect("a request");
    let schema = Schema::compile(schema.root()).expect("a sound schema");
    let mut group = criterion.benchmark_group("check 10 MB");
    group.throughput(Throughput::Bytes(output.text().len() as u64));
    group.sample_size(20).measurement_time(Duration::from_secs(4));
    group.bench_function("schema", |bencher| {
        bencher.iter(|| schema.check(black_box(output.root())).expect("a verdict"));
    });
    group.bench_function("content", |bencher| {
        bencher.iter(|| content::check(black_box(output.root()), false));
    });
    group.bench_function("hashes", |bencher| bencher.iter(|| hashes(black_box(&request))));
    for (name, work) in [("all, one thread", Work::Inline), ("all, two", Work::TwoThreads)] {
        group.bench_function(name, |bencher| {
            bencher.iter(|| check_with(black_box(&request), &schema, work).expect("a verdict"));
        });
    }
    group.finish();
}

/// What `items` must not repeat.
const DIALECT: &str = r#""$schema": "https://json-schema.org/draft/2020-12/schema","#;

criterion_group!(benches, reading, hashing, checking);
criterion_main!(benches);
