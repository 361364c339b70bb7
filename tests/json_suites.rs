//! The reader against JSONTestSuite, the canonical form against the test data of RFC 8785.
//!
//! Both are read from `AOV_SUITES` or `../shared/suites`; the run says which were there. What the
//! RFC prints itself is checked in any case.

#[path = "support/suites.rs"]
mod suites;

use std::fs;
use std::path::Path;

use agent_output_verifier::json::{self, Document, MAX_DEPTH, ReadErrorKind, jcs};
use suites::suite;

/// The files of a folder in the order of their names.
fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let entries = fs::read_dir(folder).expect("a readable folder");
    let mut files: Vec<_> = entries
        .map(|entry| {
            let path = entry.expect("a readable entry").path();
            let name = path.file_name().expect("a name").to_string_lossy().into_owned();
            (name, fs::read(&path).expect("a readable file"))
        })
        .collect();
    files.sort();
    files
}

/// A reading in a form that can be compared.
fn told(reading: &Result<Document, json::ReadError>) -> String {
    match reading {
        Ok(document) => {
            format!("{:?} {:?}", jcs::canonical(document.root()), document.root().span())
        }
        Err(error) => format!("{error:?}"),
    }
}

#[test]
fn json_parsing() {
    /// `y_` files that RFC 8259 leaves open and SPEC 1.2 refuses.
    const DUPLICATES: [&str; 2] =
        ["y_object_duplicated_key.json", "y_object_duplicated_key_and_value.json"];

    let Some(folder) = suite("json-parsing") else { return };
    let files = files(&folder.join("test_parsing"));
    let (mut accepted, mut refused, mut open) = (0, 0, 0);
    for (name, bytes) in &files {
        let reading = json::read(bytes.as_slice(), MAX_DEPTH);
        if DUPLICATES.contains(&name.as_str()) {
            let error = reading.expect_err("duplicate names are refused");
            assert_eq!(error.kind, ReadErrorKind::DuplicateName("a".into()), "{name}");
            continue;
        }
        match &name[..2] {
            "y_" => {
                assert!(reading.is_ok(), "{name} must be accepted: {}", told(&reading));
                accepted += 1;
            }
            "n_" => {
                let error = reading.err().unwrap_or_else(|| panic!("{name} must be refused"));
                assert!(error.offset <= bytes.len(), "{name}: offset {}", error.offset);
                refused += 1;
            }
            "i_" => {
                let again = json::read(bytes.as_slice(), MAX_DEPTH);
                assert_eq!(told(&reading), told(&again), "{name} must be read the same again");
                open += 1;
            }
            _ => panic!("{name}: no such class"),
        }
    }
    assert!(accepted > 90 && refused > 180 && open > 30, "the suite is not complete");
}

/// What the suite leaves open is decided by SPEC 1.1 and 1.3.
#[test]
fn json_parsing_left_open() {
    let Some(folder) = suite("json-parsing") else { return };
    for (name, bytes) in files(&folder.join("test_parsing")) {
        if !name.starts_with("i_") {
            continue;
        }
        let utf8 = std::str::from_utf8(&bytes).is_ok();
        let deep = name == "i_structure_500_nested_arrays.json";
        // The one file that is UTF-8 by accident: UTF-16 without a mark, full of U+0000.
        let utf16 =
            name == "i_string_utf16BE_no_BOM.json" || name == "i_string_utf16LE_no_BOM.json";
        let reading = json::read(bytes.as_slice(), MAX_DEPTH);
        assert_eq!(reading.is_ok(), utf8 && !deep && !utf16, "{name}: {}", told(&reading));
    }
}

#[test]
fn canonical_form_of_the_published_data() {
    let Some(folder) = suite("jcs") else { return };
    let folder = folder.join("testdata");
    let inputs = files(&folder.join("input"));
    for (name, input) in &inputs {
        let expected = fs::read(folder.join("output").join(name)).expect("an output file");
        let hexadecimal = name.replace(".json", ".txt");
        let hexadecimal =
            fs::read_to_string(folder.join("outhex").join(hexadecimal)).expect("an outhex file");
        assert_eq!(unhex(&hexadecimal), expected, "{name}: the suite contradicts itself");
        assert_canonical(name, input, &expected);
        // The canonical form is its own.
        assert_canonical(name, &expected, &expected);
    }
    assert!(inputs.len() >= 6, "the suite is not complete");
}

/// RFC 8785 appendix B, which the suite does not hold as a file.
#[test]
fn canonical_numbers_of_the_rfc() {
    for (bits, expected) in [
        (0x0000_0000_0000_0000, "0"),
        (0x8000_0000_0000_0000, "0"),
        (0x0000_0000_0000_0001, "5e-324"),
        (0x8000_0000_0000_0001, "-5e-324"),
        (0x7fef_ffff_ffff_ffff, "1.7976931348623157e+308"),
        (0xffef_ffff_ffff_ffff, "-1.7976931348623157e+308"),
        (0x4340_0000_0000_0000, "9007199254740992"),
        (0xc340_0000_0000_0000, "-9007199254740992"),
        (0x4430_0000_0000_0000, "295147905179352830000"),
        (0x44b5_2d02_c7e1_4af5, "9.999999999999997e+22"),
        (0x44b5_2d02_c7e1_4af6, "1e+23"),
        (0x44b5_2d02_c7e1_4af7, "1.0000000000000001e+23"),
        (0x444b_1ae4_d6e2_ef4e, "999999999999999700000"),
        (0x444b_1ae4_d6e2_ef4f, "999999999999999900000"),
        (0x444b_1ae4_d6e2_ef50, "1e+21"),
        (0x3eb0_c6f7_a0b5_ed8c, "9.999999999999997e-7"),
        (0x3eb0_c6f7_a0b5_ed8d, "0.000001"),
        (0x41b3_de43_5555_5553, "333333333.3333332"),
        (0x41b3_de43_5555_5554, "333333333.33333325"),
        (0x41b3_de43_5555_5555, "333333333.3333333"),
        (0x41b3_de43_5555_5556, "333333333.3333334"),
        (0x41b3_de43_5555_5557, "333333333.33333343"),
        (0xbecb_f647_612f_3696, "-0.0000033333333333333333"),
        (0x4314_3ff3_c1cb_0959, "1424953923781206.2"),
    ] {
        // With an exponent it is a float literal (SPEC 1.1).
        let literal = format!("{:e}", f64::from_bits(bits));
        assert_canonical("RFC 8785 appendix B", literal.as_bytes(), expected.as_bytes());
    }
}

/// The example of RFC 8785 §3.2.2 to §3.2.4 and the sorting example of §3.2.3.
#[test]
fn canonical_form_of_the_rfc() {
    assert_canonical(
        "RFC 8785 §3.2.2",
        br#"{
          "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
          "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
          "literals": [null, true, false]
        }"#,
        "{\"literals\":[null,true,false],\"numbers\":[333333333.3333333,1e+30,4.5,0.002,1e-27],\
         \"string\":\"\u{20ac}$\\u000f\\nA'B\\\"\\\\\\\\\\\"/\"}"
            .as_bytes(),
    );
    assert_canonical(
        "RFC 8785 §3.2.3",
        br#"{
          "\u20ac": "Euro Sign",
          "\r": "Carriage Return",
          "\ufb33": "Hebrew Letter Dalet With Dagesh",
          "1": "One",
          "\ud83d\ude00": "Emoji: Grinning Face",
          "\u0080": "Control",
          "\u00f6": "Latin Small Letter O With Diaeresis"
        }"#,
        "{\"\\r\":\"Carriage Return\",\"1\":\"One\",\"\u{80}\":\"Control\",\
         \"\u{f6}\":\"Latin Small Letter O With Diaeresis\",\"\u{20ac}\":\"Euro Sign\",\
         \"\u{1F600}\":\"Emoji: Grinning Face\",\"\u{fb33}\":\"Hebrew Letter Dalet With Dagesh\"}"
            .as_bytes(),
    );
}

/// SPEC 3.1: integers keep every digit, where the RFC would round.
#[test]
fn canonical_integers_keep_their_digits() {
    assert_canonical(
        "SPEC 3.1",
        b"[9007199254740993, 123456789012345678901234567890, -0, -1]",
        b"[9007199254740993,123456789012345678901234567890,0,-1]",
    );
}

#[track_caller]
fn assert_canonical(name: &str, input: &[u8], expected: &[u8]) {
    let document = json::read(input, MAX_DEPTH).unwrap_or_else(|error| panic!("{name}: {error}"));
    let canonical = jcs::canonical(document.root()).expect("a canonical form");
    assert_eq!(String::from_utf8_lossy(&canonical), String::from_utf8_lossy(expected), "{name}");
    assert_eq!(canonical, expected, "{name}");
}

fn unhex(text: &str) -> Vec<u8> {
    text.split_whitespace()
        .map(|byte| u8::from_str_radix(byte, 16).expect("two hexadecimal digits"))
        .collect()
}
