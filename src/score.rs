//! How far an agent's record can be trusted: SPEC 9.2.
//!
//! Each verification weighs `2^(-age / 30 days)`. The score is the weighted share of passes, and the
//! interval is Wilson's at the effective sample size `(Σw)² / Σw²`. Invariants: the interval holds
//! the score and lies within 0..1; nothing depends on the order of the verifications, nor, since a
//! common factor of all weights cancels out, on when the question is asked. So whoever holds the
//! same verifications gets the same numbers.

use chrono::{DateTime, Utc};

use crate::response::{Json, VerifySection, verify_section};

/// After so many seconds a verification weighs half.
const HALF_LIFE: f64 = 30.0 * 86_400.0;
/// The 97.5 % point of the normal distribution, to the digits of the contract.
const Z: f64 = 1.959_964;
/// The reason of a score that is null.
pub const NO_DATA: &str = "no_data";
/// What `method` says.
pub const METHOD: &str = "share of passes, each verification weighing 2^(-age/30 days); 95% Wilson \
                          interval (z = 1.959964) at the effective sample size (sum w)^2 / (sum w^2)";
/// Agents whose ids begin so are never recorded and have no score (SPEC 9.1).
pub const TEST_PREFIX: &str = "test-";

/// Whether an id is reserved for tests: never recorded, never scored.
#[must_use]
pub fn is_reserved(agent_id: &str) -> bool {
    agent_id.starts_with(TEST_PREFIX)
}

/// One verification, as far as a score depends on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Observation {
    /// When.
    pub at: DateTime<Utc>,
    /// Pass or fail.
    pub passed: bool,
}

/// An agent's record, summed up.
#[derive(Debug, Clone, PartialEq)]
pub struct Score {
    /// Verifications that passed.
    pub passed: u64,
    /// Verifications that failed.
    pub failed: u64,
    /// The latest.
    pub last_seen: Option<DateTime<Utc>>,
    /// What follows from them; nothing from none.
    pub estimate: Option<Estimate>,
}

/// What a record says about the next output.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// The weighted share of passes.
    pub score: f64,
    /// The lower end of the 95 % interval.
    pub low: f64,
    /// The upper end.
    pub high: f64,
    /// How many verifications of equal weight would say as much.
    pub effective_sample_size: f64,
}

impl Score {
    /// Sums up verifications at this time. One that is dated later counts as of now: a wrong clock
    /// must not outweigh everything else.
    #[must_use]
    pub fn of(mut observations: Vec<Observation>, now: DateTime<Utc>) -> Self {
        // Sums of doubles depend on the order.
        observations.sort_unstable_by_key(|it| (std::cmp::Reverse(it.at), it.passed));
        let passed = observations.iter().filter(|it| it.passed).count() as u64;
        Self {
            passed,
            failed: observations.len() as u64 - passed,
            last_seen: observations.first().map(|newest| newest.at),
            estimate: Estimate::of(&observations, now),
        }
    }

    /// How many verifications there were.
    #[must_use]
    pub fn verified(&self) -> u64 {
        self.passed + self.failed
    }
}

impl Estimate {
    /// From verifications, newest first.
    fn of(observations: &[Observation], now: DateTime<Utc>) -> Option<Self> {
        // Weights relative to the newest: those of a record that ended long ago do not all vanish.
        let reference = observations.first()?.at.min(now);
        let (mut weights, mut passes, mut squares) = (0.0, 0.0, 0.0);
        for Observation { at, passed } in observations {
            let age = reference.signed_duration_since(at);
            let age = age.num_seconds() as f64 + f64::from(age.subsec_nanos()) * 1e-9;
            let weight = (-age.max(0.0) / HALF_LIFE).exp2();
            weights += weight;
            squares += weight * weight;
            passes += if *passed { weight } else { 0.0 };
        }
        let (score, size) = (passes / weights, weights * weights / squares);
        let (low, high) = wilson(score, size);
        Some(Self { score, low, high, effective_sample_size: size })
    }
}

/// Wilson's score interval for a share `p` of `n`.
fn wilson(p: f64, n: f64) -> (f64, f64) {
    let z2 = Z * Z;
    let scale = 1.0 + z2 / n;
    let centre = (p + z2 / (2.0 * n)) / scale;
    let half = Z / scale * (p * (1.0 - p) / n + z2 / (4.0 * n * n)).sqrt();
    // At the ends the exact interval touches 0 or 1; doubles may miss it by a little.
    ((centre - half).max(0.0).min(p), (centre + half).min(1.0).max(p))
}

/// UTC with microseconds and `+00:00`, as in every answer (SPEC 7.4).
#[must_use]
pub fn instant(at: DateTime<Utc>) -> String {
    at.format("%Y-%m-%dT%H:%M:%S%.6f+00:00").to_string()
}

/// The body of the answer to a question for a score; without `verify` it is the unsigned one. The
/// attestation comes behind it, over it. Ids that are reserved for tests have no data.
#[must_use]
pub fn body(
    agent_id: &str,
    score: &Score,
    verified_at: &str,
    verify: Option<&VerifySection>,
) -> Json {
    let estimate = score.estimate.as_ref();
    let float = |value: f64| Json::Float(rounded(value));
    let optional = |value: Option<f64>| value.map_or(Json::Null, float);
    let interval = estimate.map(|it| Json::Array(vec![float(it.low), float(it.high)]));
    let mut fields = vec![
        ("agent_id", Json::text(agent_id)),
        ("trust_score", optional(estimate.map(|it| it.score))),
        ("reason", if estimate.is_none() { Json::text(NO_DATA) } else { Json::Null }),
        ("confidence_interval_95", interval.unwrap_or(Json::Null)),
        ("sample_size", Json::Count(score.verified())),
        ("effective_sample_size", float(estimate.map_or(0.0, |it| it.effective_sample_size))),
    ];
    fields.extend(counts(score));
    fields.extend([("method", Json::text(METHOD)), ("verified_at", Json::text(verified_at))]);
    if let Some(verify) = verify {
        fields.push(("verify", verify_section(verify)));
    }
    Json::Object(fields)
}

/// The body of the answer to a question for a reputation: the same counts, and no signature.
#[must_use]
pub fn reputation(agent_id: &str, score: &Score) -> Json {
    let mut fields = vec![("agent_id", Json::text(agent_id))];
    fields.extend(counts(score));
    Json::Object(fields)
}

fn counts(score: &Score) -> [(&'static str, Json); 5] {
    [
        ("verified", Json::Count(score.verified())),
        ("passed", Json::Count(score.passed)),
        ("failed", Json::Count(score.failed)),
        ("last_seen", Json::optional(score.last_seen.map(instant))),
        // An id is a label that the caller of a check chose.
        ("identity_verified", Json::Bool(false)),
    ]
}

/// Six decimals, half to even on the double's exact value (SPEC 7.2).
#[must_use]
pub fn rounded(value: f64) -> f64 {
    format!("{value:.6}").parse().unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn at(text: &str) -> DateTime<Utc> {
        text.parse().unwrap()
    }

    fn seen(text: &str, passed: bool) -> Observation {
        Observation { at: at(text), passed }
    }

    fn close(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-9, "{found} is not {expected}");
    }

    /// A pass today, a fail 30 days ago, a pass 60 days ago: w = 1, 0.5, 0.25.
    ///
    /// Σw = 1.75, Σwx = 1.25, Σw² = 1.3125: score 1.25 / 1.75 = 5/7 = 0.714286, and
    /// n = 1.75² / 1.3125 = 3.0625 / 1.3125 = 7/3 = 2.333333. Wilson, z² = 3.841459:
    /// 1 + z²/n = 1 + 1.646340 = 2.646340;
    /// centre = (0.714286 + 0.823170) / 2.646340 = 0.580974;
    /// p(1-p)/n = 10/49 · 3/7 = 0.087464, z²/4n² = 3.841459 · 9/196 = 0.176393, root of their sum
    /// 0.513670; half = 1.959964 / 2.646340 · 0.513670 = 0.380441.
    /// So 0.580974 ± 0.380441: 0.200534 to 0.961415 (with more digits than written here).
    #[test]
    fn the_example_by_hand() {
        let observations = vec![
            seen("2026-10-02T12:00:00Z", true),
            seen("2026-12-01T12:00:00Z", true),
            seen("2026-11-01T12:00:00Z", false),
        ];
        let score = Score::of(observations, at("2026-12-01T12:00:00Z"));
        let body = body("agent-7", &score, "2026-12-01T12:00:00.000000+00:00", None);
        let expected = format!(
            concat!(
                r#"{{"agent_id":"agent-7","trust_score":0.714286,"reason":null,"#,
                r#""confidence_interval_95":[0.200534,0.961415],"sample_size":3,"#,
                r#""effective_sample_size":2.333333,"verified":3,"passed":2,"failed":1,"#,
                r#""last_seen":"2026-12-01T12:00:00.000000+00:00","identity_verified":false,"#,
                r#""method":"{}","verified_at":"2026-12-01T12:00:00.000000+00:00"}}"#
            ),
            METHOD
        );
        assert_eq!(body.to_line(), expected);
        assert_eq!(
            reputation("agent-7", &score).to_line(),
            concat!(
                r#"{"agent_id":"agent-7","verified":3,"passed":2,"failed":1,"#,
                r#""last_seen":"2026-12-01T12:00:00.000000+00:00","identity_verified":false}"#
            )
        );
    }

    /// One pass: score 1, n 1, and the lower end is n / (n + z²) = 1 / 4.841459 = 0.206549.
    /// One fail: the mirror, up to z² / (n + z²) = 0.793451.
    #[test]
    fn one_verification_says_little() {
        let now = at("2026-12-01T00:00:00Z");
        // However long ago: a common factor of the weights cancels out, and none may be rounded to
        // nothing (2^(-2026 · 365/30) is below the smallest double).
        for when in ["2026-12-01T00:00:00Z", "2026-01-01T00:00:00Z", "0001-01-01T00:00:00Z"] {
            let pass = Score::of(vec![seen(when, true)], now).estimate.unwrap();
            assert_eq!((pass.score, pass.high, pass.effective_sample_size), (1.0, 1.0, 1.0));
            close(pass.low, 1.0 / 4.841_458_881_296);
            let fail = Score::of(vec![seen(when, false)], now).estimate.unwrap();
            assert_eq!((fail.score, fail.low), (0.0, 0.0));
            close(fail.high, 3.841_458_881_296 / 4.841_458_881_296);
        }
    }

    /// A pass now and a fail 15 days ago, w = 1 and r = √½: p = 1 / (1 + r) = 0.585786,
    /// n = (1 + r)² / (1 + r²) = 1.942809.
    #[test]
    fn weights_halve_in_thirty_days() {
        let now = at("2026-12-16T00:00:00Z");
        let both = vec![seen("2026-12-16T00:00:00Z", true), seen("2026-12-01T00:00:00Z", false)];
        let estimate = Score::of(both.clone(), now).estimate.unwrap();
        close(estimate.score, 0.585_786_437_626_905);
        close(estimate.effective_sample_size, 1.942_809_041_582_063_4);
        close(estimate.low, 0.123_364_811_771_843_68);
        close(estimate.high, 0.934_262_763_149_971_4);
        // It is the same a year later.
        let later = Score::of(both, at("2027-12-16T00:00:00Z")).estimate.unwrap();
        assert_eq!(later, estimate);
    }

    /// A verification from the future counts as of now, as much as one of now and no more.
    #[test]
    fn a_wrong_clock_does_not_outweigh_the_rest() {
        let now = at("2026-12-01T00:00:00Z");
        let with =
            |date| Score::of(vec![seen("2026-12-01T00:00:00Z", true), seen(date, false)], now);
        let future = with("2100-01-01T00:00:00Z");
        assert_eq!(future.estimate, with("2026-12-01T00:00:00Z").estimate);
        assert_eq!(future.estimate.unwrap().score, 0.5);
        assert_eq!(future.last_seen, Some(at("2100-01-01T00:00:00Z")));
    }

    #[test]
    fn no_data_is_null_and_says_so() {
        let score = Score::of(Vec::new(), at("2026-12-01T00:00:00Z"));
        let body = body("x", &score, "t", None).to_line();
        let expected = concat!(
            r#"{"agent_id":"x","trust_score":null,"reason":"no_data","confidence_interval_95":null,"#,
            r#""sample_size":0,"effective_sample_size":0.0,"verified":0,"passed":0,"failed":0,"#,
            r#""last_seen":null,"identity_verified":false,"method""#
        );
        assert!(body.starts_with(expected), "{body}");
        assert!(is_reserved("test-x") && !is_reserved("Test-x") && !is_reserved("a test-x"));
    }

    fn record() -> impl Strategy<Value = Vec<Observation>> {
        // From the year 1 to 2201, to the microsecond.
        let observation = (-62_135_596_800_000_000_i64..7_289_654_400_000_000, any::<bool>());
        let observation = observation.prop_map(|(micros, passed)| Observation {
            at: DateTime::from_timestamp_micros(micros).unwrap(),
            passed,
        });
        prop::collection::vec(observation, 1..60)
    }

    proptest! {
        #[test]
        fn the_interval_holds_the_score(observations in record(), turn in any::<prop::sample::Index>()) {
            let now = at("2026-12-01T00:00:00Z");
            let score = Score::of(observations.clone(), now);
            let it = score.estimate.unwrap();
            prop_assert!(0.0 <= it.low && it.low <= it.score);
            prop_assert!(it.score <= it.high && it.high <= 1.0);
            let count = observations.len() as f64;
            prop_assert!(1.0 - 1e-9 <= it.effective_sample_size);
            prop_assert!(it.effective_sample_size <= count + 1e-9);
            // The order in which they come does not matter, to the last bit.
            let mut turned = observations;
            let turn = turn.index(turned.len());
            turned.rotate_left(turn);
            prop_assert_eq!(Score::of(turned, now), score);
        }

        #[test]
        fn a_pass_more_is_never_worse(observations in record()) {
            let now = at("2026-12-01T00:00:00Z");
            let before = Score::of(observations.clone(), now).estimate.unwrap();
            let mut more = observations;
            more.push(Observation { at: now, passed: true });
            let after = Score::of(more, now).estimate.unwrap();
            prop_assert!(after.score >= before.score - 1e-12);
        }
    }
}
