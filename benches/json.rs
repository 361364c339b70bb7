//! One reading of 10 MB, and its canonical form hashed, beside what serde_json takes to read alone.

use std::hint::black_box;
use std::time::Duration;

use agent_output_verifier::json::{self, jcs};
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

criterion_group!(benches, reading, hashing);
criterion_main!(benches);
