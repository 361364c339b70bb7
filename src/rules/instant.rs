//! Dates as instants (SPEC 5.4): `2026-03-01`, `2026-03-01T00:30:00.25+02:00`.

/// A point in time, exact to any number of digits. Ordered as time is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Instant<'t> {
    /// Seconds since 1970-01-01T00:00:00Z, rounded down.
    seconds: i64,
    /// The digits behind the point, without trailing zeros: in this form their order as text is
    /// their order as fractions.
    fraction: &'t str,
}

const MINUTE: i64 = 60;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;

impl<'t> Instant<'t> {
    /// Reads `YYYY-MM-DD`, optionally followed by `T`, `t` or a space and `hh:mm[:ss[.digits]]` and
    /// then optionally by `Z`, `z` or `±hh:mm`. `None` for anything else, and for a day or time
    /// that does not exist (a leap second and `24:00` included).
    pub(super) fn parse(text: &'t str) -> Option<Self> {
        let mut rest = text;
        let days = date(&mut rest)?;
        let mut instant = Self { seconds: days * DAY, fraction: "" };
        if rest.is_empty() {
            return Some(instant);
        }
        rest = rest.strip_prefix(['T', 't', ' '])?;
        instant.seconds += hours_and_minutes(&mut rest)?;
        if let Some(after) = rest.strip_prefix(':') {
            rest = after;
            instant.seconds += number(&mut rest, 2).filter(|second| *second < 60)?;
            if let Some(after) = rest.strip_prefix('.') {
                let digits = after.bytes().take_while(u8::is_ascii_digit).count();
                let (fraction, after) = after.split_at(digits);
                instant.fraction =
                    (!fraction.is_empty()).then(|| fraction.trim_end_matches('0'))?;
                rest = after;
            }
        }
        instant.seconds -= offset(rest)?;
        Some(instant)
    }
}

/// Days since 1970-01-01.
fn date(rest: &mut &str) -> Option<i64> {
    let year = number(rest, 4)?;
    *rest = rest.strip_prefix('-')?;
    let month = number(rest, 2).filter(|month| (1..=12).contains(month))?;
    *rest = rest.strip_prefix('-')?;
    let day = number(rest, 2).filter(|day| (1..=days_in(year, month)).contains(day))?;
    Some(days_before_year(year) + days_before_month(year, month) + day - 1 - days_before_year(1970))
}

fn is_leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

fn days_in(year: i64, month: i64) -> i64 {
    match month {
        4 | 6 | 9 | 11 => 30,
        2 if is_leap(year) => 29,
        2 => 28,
        _ => 31,
    }
}

fn days_before_month(year: i64, month: i64) -> i64 {
    (1..month).map(|earlier| days_in(year, earlier)).sum()
}

/// Days from 0000-01-01 to the first day of `year`, which is not negative.
fn days_before_year(year: i64) -> i64 {
    // The leap years before `year`; year 0 is one.
    let leaps = (year + 3) / 4 - (year + 99) / 100 + (year + 399) / 400;
    year * 365 + leaps
}

/// `hh:mm` in seconds, below 24:00.
fn hours_and_minutes(rest: &mut &str) -> Option<i64> {
    let hours = number(rest, 2).filter(|hours| *hours < 24)?;
    *rest = rest.strip_prefix(':')?;
    let minutes = number(rest, 2).filter(|minutes| *minutes < 60)?;
    Some(hours * HOUR + minutes * MINUTE)
}

/// The offset from UTC in seconds that is all the rest of the text.
fn offset(mut rest: &str) -> Option<i64> {
    if matches!(rest, "" | "Z" | "z") {
        return Some(0);
    }
    let sign = match rest.as_bytes().first()? {
        b'+' => 1,
        b'-' => -1,
        _ => return None,
    };
    rest = &rest[1..];
    let seconds = hours_and_minutes(&mut rest)?;
    rest.is_empty().then_some(sign * seconds)
}

/// Exactly `count` digits.
fn number(rest: &mut &str, count: usize) -> Option<i64> {
    let digits = rest.get(..count).filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()))?;
    *rest = &rest[count..];
    digits.parse().ok()
}

#[cfg(test)]
mod tests {
    use std::cmp::Ordering;

    use proptest::prelude::*;

    use super::*;

    fn instant(text: &str) -> Instant<'_> {
        Instant::parse(text).unwrap_or_else(|| panic!("{text} is a date"))
    }

    #[test]
    fn known_instants() {
        for (text, seconds) in [
            ("1970-01-01", 0),
            ("1969-12-31T23:59:59Z", -1),
            // Well-known values of POSIX time.
            ("2001-09-09T01:46:40Z", 1_000_000_000),
            ("2000-02-29", 951_782_400),
            ("2000-03-01", 951_868_800),
            ("0000-01-01", -62_167_219_200),
            ("9999-12-31T23:59:59Z", 253_402_300_799),
            ("1970-01-01T01:30+01:30", 0),
            ("1970-01-01 00:00:00.000", 0),
            ("1969-12-31t22:30:00-01:30", 0),
            ("1970-01-01T00:00-00:00", 0),
            ("1970-01-02T00:59:00+23:59", 3600),
        ] {
            assert_eq!(instant(text), Instant { seconds, fraction: "" }, "{text}");
        }
    }

    #[test]
    fn fractions_of_any_length_compare_exactly() {
        let at = |fraction: &str| format!("2026-01-01T00:00:00.{fraction}Z");
        let nines = "9".repeat(400);
        let ascending = ["0", "000000000000000000001", "04", "1", "100001", "9", &nines];
        for pair in ascending.windows(2) {
            assert!(instant(&at(pair[0])) < instant(&at(pair[1])), "{pair:?}");
        }
        assert_eq!(instant(&at("5")), instant(&at("5000")));
        assert_eq!(instant(&at("000")), instant("2026-01-01"));
        assert!(instant(&at(&nines)) < instant("2026-01-01T00:00:01Z"));
        // Before 1970 a fraction still counts forward in time.
        assert!(instant("1969-12-31T23:59:59.5Z") < instant("1970-01-01"));
        assert!(instant("1969-12-31T23:59:59.5Z") > instant("1969-12-31T23:59:59.25Z"));
    }

    #[test]
    fn what_is_no_date() {
        for text in [
            "",
            "2026",
            "2026-1-1",
            "20260101",
            "2026-W01-1",
            "2026-001",
            "10000-01-01",
            "26-01-01",
            "-2026-01-01",
            "+026-01-01",
            "2026-00-10",
            "2026-13-01",
            "2026-01-00",
            "2026-04-31",
            "2026-02-29",
            "1900-02-29",
            " 2026-01-01",
            "2026-01-01 ",
            "2026-01-01Z",
            "2026-01-01+01:00",
            "2026-01-01T",
            "2026-01-01T10",
            "2026-01-01T1:00",
            "2026-01-01T24:00",
            "2026-01-01T24:00:00Z",
            "2026-01-01T00:60",
            "2026-12-31T23:59:60Z",
            "2026-01-01  00:00",
            "2026-01-01T00:00:00.",
            "2026-01-01T00:00:00.Z",
            "2026-01-01T00:00:00,5Z",
            "2026-01-01T00:00.5Z",
            "2026-01-01T00:00:00+24:00",
            "2026-01-01T00:00:00+00:60",
            "2026-01-01T00:00:00+0100",
            "2026-01-01T00:00:00+01",
            "2026-01-01T00:00:00 Z",
            "2026-01-01T00:00:00ZZ",
            "2026-01-01T00:00:00\u{2212}01:00",
            "٢٠٢٦-٠١-٠١",
            "2026-01-0é",
        ] {
            assert_eq!(Instant::parse(text), None, "{text:?}");
        }
    }

    /// The Gregorian calendar as a list.
    fn month_length(year: u32, month: u32) -> u32 {
        let leap = match (year.is_multiple_of(400), year.is_multiple_of(100)) {
            (true, _) => true,
            (false, true) => false,
            (false, false) => year.is_multiple_of(4),
        };
        let february = if leap { 29 } else { 28 };
        [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month as usize - 1]
    }

    /// Days since 1970-01-01 the slow way, month by month from the year 0.
    fn count_days(year: u32, month: u32, day: u32) -> i64 {
        let (mut at, mut days) = ((0, 1), -719_528_i64);
        while at != (year, month) {
            days += i64::from(month_length(at.0, at.1));
            at = if at.1 == 12 { (at.0 + 1, 1) } else { (at.0, at.1 + 1) };
        }
        days + i64::from(day) - 1
    }

    /// A date-time as text, and its instant in nanoseconds by separate arithmetic.
    fn written() -> impl Strategy<Value = (String, i128)> {
        let day = (0_u32..=9999, 1_u32..=12, 1_u32..=28);
        let time = (0_i64..24, 0_i64..60, 0_i64..60, 0_u32..1_000_000_000, 0_usize..=9);
        (day, time, -1439_i64..=1439, "[Tt ]").prop_map(|(day, time, offset, separator)| {
            let (year, month, day) = day;
            let (hour, minute, second, nanos, digits) = time;
            let nanos = nanos - nanos % 10_u32.pow(9 - digits as u32);
            let fraction = match digits {
                0 => String::new(),
                _ => format!(".{}", &format!("{nanos:09}")[..digits]),
            };
            let sign = if offset < 0 { '-' } else { '+' };
            let (ahead_hours, ahead_minutes) = (offset.abs() / 60, offset.abs() % 60);
            let text = format!(
                "{year:04}-{month:02}-{day:02}{separator}{hour:02}:{minute:02}:{second:02}{fraction}\
                 {sign}{ahead_hours:02}:{ahead_minutes:02}"
            );
            let minutes = count_days(year, month, day) * 1440 + hour * 60 + minute - offset;
            (text, i128::from(minutes * 60 + second) * 1_000_000_000 + i128::from(nanos))
        })
    }

    proptest! {
        #[test]
        fn order_agrees_with_slow_arithmetic(left in written(), right in written()) {
            let expected: Ordering = left.1.cmp(&right.1);
            prop_assert_eq!(instant(&left.0).cmp(&instant(&right.0)), expected);
            prop_assert_eq!(i128::from(instant(&left.0).seconds), left.1.div_euclid(1_000_000_000));
        }

        #[test]
        fn days_exist_as_in_the_calendar(year in 0_u32..=9999, month in 0_u32..=14, day in 0_u32..=33) {
            let exists = (1..=12).contains(&month) && (1..=month_length(year, month)).contains(&day);
            let parsed = Instant::parse(&format!("{year:04}-{month:02}-{day:02}")).map(|date| date.seconds);
            prop_assert_eq!(parsed, exists.then(|| count_days(year, month, day) * 86_400));
        }

        #[test]
        fn no_text_makes_it_fail(text in "[0-9TtZz :.+-]{0,30}|.{0,20}") {
            _ = Instant::parse(&text);
        }
    }
}
