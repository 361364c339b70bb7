//! Whether a receipt agrees with itself (SPEC 8.4). An issuer may sign what contradicts itself: a
//! signature says who said it, not that it makes sense.

use super::attestation::Context;
use super::binding::shown;
use super::fact::{Code, Fact, Status, Subject};
use crate::json::{Kind, Node, Number};

/// A smaller inconsistency: worth a look, and no failure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warning {
    /// The member it is about.
    pub field: &'static str,
    /// What is odd about it.
    pub detail: String,
}

/// Declares the members that are looked at, in the order in which answers have them: so they are
/// found in one pass, where one look-up for each would cost a batch more than all else here.
macro_rules! members {
    ($($name:ident)*) => {
        struct Members<'d> {
            $($name: Option<Node<'d>>,)*
        }

        impl<'d> Members<'d> {
            fn of(receipt: Node<'d>) -> Self {
                let mut finder = receipt.finder();
                Self { $($name: finder.get(stringify!($name).as_bytes()),)* }
            }
        }
    };
}

members! {
    summary result verification_id output_hash schema_hash rules_hash request_hash enforce_rules
    errors errors_total errors_omitted flags flags_total flags_omitted hints hints_total
    hints_omitted schema_compliance integrity_checks overall verify
    trust_score reason verified passed failed
}

/// Holds a receipt against itself.
pub(super) fn check(receipt: Node<'_>, context: Context) -> (Fact, Vec<Warning>) {
    let receipt = Members::of(receipt);
    let mut warnings = Vec::new();
    if let Some(verify) = receipt.verify {
        describe(verify, &mut warnings);
    }
    match context {
        Context::Verification => verification(&receipt, &mut warnings),
        Context::Score => score(&receipt, &mut warnings),
    }
    let fact = match contradiction(&receipt) {
        Some(detail) => Fact::with(
            Subject::Consistency,
            Status::Fails,
            Code::ResultContradiction,
            format!("{}: {detail}", Code::ResultContradiction.meaning()),
        ),
        None if warnings.is_empty() => {
            Fact::new(Subject::Consistency, Status::Holds, Code::Consistent)
        }
        None => Fact::new(Subject::Consistency, Status::Open, Code::Inconsistent),
    };
    (fact, warnings)
}

/// `result` and `summary.result` where both are there.
fn contradiction(receipt: &Members<'_>) -> Option<String> {
    let result = receipt.result?;
    let summary = receipt.summary?.get("result")?;
    (!result.equals(summary))
        .then(|| format!("result is {}, summary.result is {}", shown(result), shown(summary)))
}

/// What every receipt says about how to verify it.
fn describe(verify: Node<'_>, warnings: &mut Vec<Warning>) {
    let constants = [
        ("canonicalization", "RFC 8785 (JCS)", "verify.canonicalization"),
        ("hash_algorithm", "SHA-256", "verify.hash_algorithm"),
    ];
    for (name, value, field) in constants {
        if let Some(said) = verify.get(name)
            && said.as_str() != Some(value)
        {
            warn(warnings, field, format!("{}, where only {value} is known", shown(said)));
        }
    }
}

fn verification(receipt: &Members<'_>, warnings: &mut Vec<Warning>) {
    if let Some(result) = receipt.result {
        let passes = result.as_str() == Some("pass");
        if !passes && result.as_str() != Some("fail") {
            warn(warnings, "result", format!("{}, which is neither pass nor fail", shown(result)));
        }
        blocking_checks(receipt, passes, warnings);
        counts(receipt, passes, warnings);
    }
    shares(receipt, warnings);
    let hashes = [
        ("output_hash", receipt.output_hash),
        ("schema_hash", receipt.schema_hash),
        ("rules_hash", receipt.rules_hash),
        ("request_hash", receipt.request_hash),
    ];
    for (name, said) in hashes {
        if let Some(said) = said
            && !said.is_null()
            && !said.as_str().is_some_and(is_hash)
        {
            warn(warnings, name, "not a SHA-256 hash in lowercase hex".to_owned());
        }
    }
    if let Some(id) = receipt.verification_id
        && !id.as_str().is_some_and(is_uuid)
    {
        warn(warnings, "verification_id", "not a UUID".to_owned());
    }
    if receipt.enforce_rules.and_then(Node::as_bool) == Some(true)
        && receipt.rules_hash.is_some_and(Node::is_null)
    {
        let detail = "true, but there were no rules or bounds to enforce".to_owned();
        warn(warnings, "enforce_rules", detail);
    }
}

fn blocking_checks(receipt: &Members<'_>, passes: bool, warnings: &mut Vec<Warning>) {
    let blocking = receipt.summary.and_then(|summary| summary.get("blocking_checks"));
    let Some(blocking) = blocking else { return };
    if blocking.is_empty() != passes {
        let detail = if passes {
            "not empty, though the result is pass"
        } else {
            "empty, though the result is fail"
        };
        warn(warnings, "summary.blocking_checks", detail.to_owned());
    }
}

/// `errors_total` = `errors` + `errors_omitted`, and none for a pass.
fn counts(receipt: &Members<'_>, passes: bool, warnings: &mut Vec<Warning>) {
    let Members { errors, errors_total, errors_omitted, .. } = *receipt;
    let Members { hints, hints_total, hints_omitted, .. } = *receipt;
    let Members { flags, flags_total, flags_omitted, .. } = *receipt;
    let lists = [
        ("errors_total", errors, errors_total, errors_omitted, false),
        ("hints_total", hints, hints_total, hints_omitted, false),
        ("flags_total", flags, flags_total, flags_omitted, true),
    ];
    for (total, list, total_count, omitted, marked) in lists {
        let Some(list) = list.filter(|list| list.kind() == Kind::Array) else { continue };
        let (Some(total_count), Some(left_out)) = (count(total_count), count(omitted)) else {
            continue;
        };
        // The marker that says so many flags were left out is not a flag.
        let marker = marked && left_out > 0;
        if (list.len() - usize::from(marker && !list.is_empty())) as u64 + left_out != total_count {
            let detail = format!("{total_count}, but {} listed and {left_out} omitted", list.len());
            warn(warnings, total, detail);
        }
    }
    if let Some(errors) = count(errors_total)
        && (errors == 0) != passes
    {
        let result = if passes { "pass" } else { "fail" };
        warn(warnings, "errors_total", format!("{errors}, though the result is {result}"));
    }
}

/// `overall` is the sum of the two others, and a ratio is passed / total to six places.
fn shares(receipt: &Members<'_>, warnings: &mut Vec<Warning>) {
    let named = ["schema_compliance", "integrity_checks", "overall"];
    let nodes = [receipt.schema_compliance, receipt.integrity_checks, receipt.overall];
    let shares = nodes.map(|node| {
        let node = node?;
        Some((count(node.get("passed"))?, count(node.get("total"))?, node.get("ratio")))
    });
    for (name, share) in named.into_iter().zip(shares) {
        let Some((passed, total, ratio)) = share else { continue };
        if passed > total {
            warn(warnings, name, format!("{passed} passed of {total}"));
        } else if let Some(ratio) = ratio
            && !ratio_fits(ratio, passed, total)
        {
            warn(warnings, name, format!("a ratio of {} for {passed} of {total}", shown(ratio)));
        }
    }
    if let [Some(schema), Some(integrity), Some(overall)] = shares
        && (schema.0.checked_add(integrity.0), schema.1.checked_add(integrity.1))
            != (Some(overall.0), Some(overall.1))
    {
        let detail = "not the sum of schema_compliance and integrity_checks".to_owned();
        warn(warnings, "overall", detail);
    }
}

fn ratio_fits(ratio: Node<'_>, passed: u64, total: u64) -> bool {
    if total == 0 {
        return ratio.is_null();
    }
    let said = ratio.as_number().map(Number::to_f64);
    said.is_some_and(|said| (said - passed as f64 / total as f64).abs() <= 1e-6)
}

/// Counts add up, and a score is missing exactly where there is no data (SPEC 9.2).
fn score(receipt: &Members<'_>, warnings: &mut Vec<Warning>) {
    if let (Some(verified), Some(passed), Some(failed)) =
        (count(receipt.verified), count(receipt.passed), count(receipt.failed))
        && passed.checked_add(failed) != Some(verified)
    {
        let detail = format!("{verified}, but {passed} passed and {failed} failed");
        warn(warnings, "verified", detail);
    }
    if let (Some(score), Some(reason)) = (receipt.trust_score, receipt.reason)
        && score.is_null() != (reason.as_str() == Some("no_data"))
    {
        warn(warnings, "trust_score", format!("{}, which the reason does not fit", shown(score)));
    }
}

/// A whole number that is not negative, if this is one.
fn count(node: Option<Node<'_>>) -> Option<u64> {
    let node = node?;
    node.as_number()?;
    node.source().parse().ok()
}

fn is_hash(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

fn is_uuid(text: &str) -> bool {
    text.len() == 36
        && text.bytes().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

fn warn(warnings: &mut Vec<Warning>, field: &'static str, detail: String) {
    warnings.push(Warning { field, detail });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{MAX_DEPTH, read};

    const DRAFT: &str = include_str!("../../fixtures/real/draft-receipt.json");
    const FINAL: &str = include_str!("../../fixtures/real/final-receipt.json");

    fn fields(text: &str) -> (Code, Vec<&'static str>) {
        let document = read(text, MAX_DEPTH).unwrap();
        let (fact, warnings) = check(document.root(), Context::of(document.root()));
        (fact.code, warnings.iter().map(|warning| warning.field).collect())
    }

    #[test]
    fn the_genuine_receipts_are_consistent() {
        assert_eq!(fields(DRAFT), (Code::Consistent, vec![]));
        assert_eq!(fields(FINAL), (Code::Consistent, vec![]));
    }

    #[test]
    fn result_against_summary_is_a_contradiction() {
        let text = FINAL.replacen("\"result\": \"pass\"", "\"result\": \"fail\"", 1);
        assert_eq!(fields(&text), (Code::ResultContradiction, vec![]));
        for odd in [
            r#"{"result":"pass","summary":{"result":null}}"#,
            r#"{"result":"pass","summary":{"result":"PASS"}}"#,
        ] {
            assert_eq!(fields(odd).0, Code::ResultContradiction);
        }
    }

    #[test]
    fn smaller_things_are_warnings_with_their_field() {
        for (text, from, to, field) in [
            (DRAFT, "\"errors_total\": 1", "\"errors_total\": 2", "errors_total"),
            (DRAFT, "\"flags_omitted\": 0", "\"flags_omitted\": 3", "flags_total"),
            (DRAFT, "\"hints_total\": 1", "\"hints_total\": 0", "hints_total"),
            (DRAFT, "\"ratio\": 0.875", "\"ratio\": 0.876", "integrity_checks"),
            (DRAFT, "\"ratio\": 0.875", "\"ratio\": null", "integrity_checks"),
            (DRAFT, "\"passed\": 29", "\"passed\": 31", "overall"),
            (DRAFT, "[\"consistency:sum_equals\"]", "[]", "summary.blocking_checks"),
            (
                FINAL,
                "\"blocking_checks\": []",
                "\"blocking_checks\": [\"type\"]",
                "summary.blocking_checks",
            ),
            (FINAL, "39e3d0a1", "39E3D0A1", "output_hash"),
            (FINAL, "96b4f722-", "96b4f722", "verification_id"),
            (FINAL, "RFC 8785 (JCS)", "JCS", "verify.canonicalization"),
            (FINAL, "SHA-256", "MD5", "verify.hash_algorithm"),
            (
                FINAL,
                "\"2acb6de92b88cfbca279ea6d5bd74b7a1e7dec0839dd093dbe041e25df3364d2\"",
                "null",
                "enforce_rules",
            ),
        ] {
            assert!(text.contains(from), "{from}");
            let (code, fields) = fields(&text.replacen(from, to, 1));
            assert_eq!(code, Code::Inconsistent, "{from}");
            assert!(fields.contains(&field), "{from}: {fields:?}");
        }
    }

    /// The marker of SPEC 7.1 is in no count.
    #[test]
    fn the_marker_of_omitted_flags_is_not_counted() {
        let flags = |listed: usize| {
            let list = vec!["{}"; listed].join(",");
            format!(r#"{{"result":"pass","flags":[{list}],"flags_total":103,"flags_omitted":3}}"#)
        };
        assert_eq!(fields(&flags(101)).1, Vec::<&str>::new());
        assert_eq!(fields(&flags(100)).1, ["flags_total"]);
    }

    #[test]
    fn scores_add_up() {
        let good = r#"{"trust_score":0.5,"reason":null,"verified":2,"passed":1,"failed":1}"#;
        assert_eq!(fields(good), (Code::Consistent, vec![]));
        assert_eq!(fields(&good.replace("\"failed\":1", "\"failed\":2")).1, ["verified"]);
        assert_eq!(fields(&good.replace("0.5", "null")).1, ["trust_score"]);
        let none = r#"{"trust_score":null,"reason":"no_data","verified":0,"passed":0,"failed":0}"#;
        assert_eq!(fields(none), (Code::Consistent, vec![]));
    }

    #[test]
    fn odd_types_do_no_harm() {
        for text in [
            r#"{"result":1,"summary":[],"errors":{},"errors_total":"x","overall":7}"#,
            r#"{"overall":{"passed":-1,"total":1e400,"ratio":[]}}"#,
            r#"{"overall":{"passed":1,"total":1,"ratio":1e400},"verify":"x"}"#,
            r#"{"schema_compliance":{"passed":18446744073709551615,"total":18446744073709551615},"integrity_checks":{"passed":1,"total":1},"overall":{"passed":0,"total":0}}"#,
        ] {
            let _ = fields(text);
        }
    }
}
