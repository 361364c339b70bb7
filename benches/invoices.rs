//! Invoices to measure with: always the same ones, each different from the others.
//!
//! `cargo run --release --example invoices -- BYTES FILE` writes a JSON array of at least so many
//! bytes; 0 bytes give a single invoice, without the array. With COUNT`l` for BYTES there are so
//! many invoices, one a line and nothing around them.

use std::fmt::Write as _;
use std::io::Write as _;

/// A JSON array of invoices, at least `bytes` long, one invoice a line.
pub(crate) fn array(bytes: usize) -> String {
    let mut out = String::with_capacity(bytes + 2048);
    let mut numbers = Numbers(7731);
    out.push_str("[\n");
    for serial in 0.. {
        if serial > 0 {
            out.push_str(",\n");
        }
        push_invoice(serial, &mut numbers, &mut out);
        if out.len() + 3 >= bytes {
            break;
        }
    }
    out.push_str("\n]\n");
    out
}

/// One invoice.
pub(crate) fn single() -> String {
    let mut out = String::new();
    push_invoice(7731, &mut Numbers(7731), &mut out);
    out.push('\n');
    out
}

const TEXTS: [&str; 6] = [
    "Crawl of 12,000 product pages, robots.txt respected, results as JSON Lines",
    "Überprüfung der Lieferadressen (Köln, Zürich, 東京)",
    "Summary of the \\\"Q3\\\" call, two pages\\nwith a table of the figures",
    "Translation EN\\u2192FR, 1,200 words, second reader included",
    "Image labels, 3 classes, 500 images",
    "Data cleaning: duplicates out, dates to ISO 8601, currencies to EUR",
];

fn push_invoice(serial: u32, numbers: &mut Numbers, out: &mut String) {
    let currency = ["USD", "EUR"][numbers.below(2) as usize];
    let number = serial % 10_000;
    let _ = write!(out, r#"{{"invoice_id": "INV-{number:04}", "currency": "{currency}", "#);
    out.push_str(r#""line_items": ["#);
    let mut total = 0;
    for line in 0..=numbers.below(6) {
        if line > 0 {
            out.push_str(", ");
        }
        let quantity = numbers.below(9) + 1;
        let cents = quantity * (numbers.below(20_000) + 1);
        total += cents;
        let sku = numbers.below(900) + 100;
        let _ = write!(out, r#"{{"sku": "CRWL-{sku}", "qty": {quantity}, "#);
        if numbers.below(3) == 0 {
            let text = TEXTS[numbers.below(TEXTS.len() as u32) as usize];
            let _ = write!(out, r#""description": "{text}", "#);
        }
        let _ = write!(out, r#""line_total": {}}}"#, Money(cents));
    }
    let _ = write!(out, r#"], "total": {}}}"#, Money(total));
}

/// Cents, printed as agents print them: `42.5`, `87.0`, `12.34`.
struct Money(u32);

impl std::fmt::Display for Money {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (whole, cents) = (self.0 / 100, self.0 % 100);
        if cents % 10 == 0 {
            write!(f, "{whole}.{}", cents / 10)
        } else {
            write!(f, "{whole}.{cents:02}")
        }
    }
}

/// A linear congruential generator (Knuth, MMIX): the same numbers on every machine.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: u32) -> u32 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % u64::from(bound)) as u32
    }
}

#[allow(dead_code, reason = "the benchmarks use the functions alone")]
fn write_lines(count: u32, file: &str) -> std::io::Result<()> {
    let mut out = std::io::BufWriter::new(std::fs::File::create(file)?);
    let mut numbers = Numbers(7731);
    for serial in 0..count {
        let mut line = String::new();
        push_invoice(serial, &mut numbers, &mut line);
        writeln!(out, "{line}")?;
    }
    out.flush()
}

#[allow(dead_code, reason = "the benchmarks use the functions alone")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let [bytes, file] = arguments.as_slice() else {
        return Err("usage: invoices BYTES FILE".into());
    };
    if let Some(count) = bytes.strip_suffix('l') {
        return Ok(write_lines(count.parse()?, file)?);
    }
    let text = match bytes.parse()? {
        0 => single(),
        bytes => array(bytes),
    };
    Ok(std::fs::write(file, text)?)
}
