//! What a buyer demands of a receipt beyond its being genuine (SPEC 8.3), and how old it is.

use chrono::{DateTime, TimeDelta, Utc};

use super::binding::{is_text, shown};
use super::fact::{Code, Fact, Status, Subject};
use crate::json::Node;

/// How far ahead of ours the issuer's clock may be.
const CLOCK_SKEW: TimeDelta = TimeDelta::minutes(5);

/// The demands; the default demands nothing.
#[derive(Debug, Clone, Default)]
pub struct Demands {
    /// `result` is `pass`.
    pub pass: bool,
    /// `enforce_rules` is true.
    pub enforced: bool,
    /// `task_id` is this.
    pub task_id: Option<String>,
    /// `agent_id` is this.
    pub agent_id: Option<String>,
    /// Not older than this, and not more than five minutes ahead of us.
    pub max_age: Option<TimeDelta>,
}

impl Demands {
    /// Holds a receipt against the demands, one fact for each; the age is told in any case.
    pub(super) fn hold(
        &self,
        receipt: Node<'_>,
        timestamp: Option<&str>,
        now: DateTime<Utc>,
        facts: &mut Vec<Fact>,
    ) {
        let age = age(timestamp, now);
        facts.push(age_fact(age));
        if self.pass {
            facts.push(demand(
                Subject::RequirePass,
                Code::ResultNotPass,
                receipt.get("result"),
                |said| is_text(said, "pass"),
            ));
        }
        if self.enforced {
            let said = receipt.get("enforce_rules");
            facts.push(demand(Subject::RequireEnforced, Code::NotEnforced, said, |said| {
                said.as_bool() == Some(true)
            }));
        }
        let ids = [
            (Subject::RequireTaskId, Code::OtherTaskId, "task_id", &self.task_id),
            (Subject::RequireAgentId, Code::OtherAgentId, "agent_id", &self.agent_id),
        ];
        for (subject, code, name, wanted) in ids {
            if let Some(wanted) = wanted {
                let said = receipt.get(name);
                facts.push(demand(subject, code, said, |said| is_text(said, wanted)));
            }
        }
        facts.extend(self.max_age.map(|limit| max_age_fact(age, limit)));
    }
}

fn demand(
    subject: Subject,
    unmet: Code,
    said: Option<Node<'_>>,
    meets: impl Fn(Node<'_>) -> bool,
) -> Fact {
    match said {
        Some(said) if meets(said) => Fact::new(subject, Status::Holds, Code::DemandMet),
        Some(said) => {
            let detail = format!("{}: the receipt has {}", unmet.meaning(), shown(said));
            Fact::with(subject, Status::Fails, unmet, detail)
        }
        None => {
            let detail = format!("{}: the receipt does not say", unmet.meaning());
            Fact::with(subject, Status::Fails, unmet, detail)
        }
    }
}

/// The time between the receipt's instant and now; negative for one in the future.
fn age(timestamp: Option<&str>, now: DateTime<Utc>) -> Option<TimeDelta> {
    let instant = DateTime::parse_from_rfc3339(timestamp?).ok()?;
    Some(now.signed_duration_since(instant))
}

fn age_fact(age: Option<TimeDelta>) -> Fact {
    match age {
        None => Fact::new(Subject::Age, Status::Open, Code::AgeUnreadable),
        Some(age) if age < -CLOCK_SKEW => {
            let detail = format!("the receipt's time is {} in the future", duration(-age));
            Fact::with(Subject::Age, Status::Open, Code::AgeInFuture, detail)
        }
        Some(age) => {
            let detail = format!("{} old, by the issuer's clock", duration(age));
            Fact::with(Subject::Age, Status::Holds, Code::AgeKnown, detail)
        }
    }
}

fn max_age_fact(age: Option<TimeDelta>, limit: TimeDelta) -> Fact {
    let subject = Subject::MaxAge;
    match age {
        None => Fact::new(subject, Status::Fails, Code::AgeUnreadable),
        Some(age) if age < -CLOCK_SKEW => Fact::new(subject, Status::Fails, Code::AgeInFuture),
        Some(age) if age > limit => {
            let detail = format!(
                "the receipt is {} old, and {} is demanded",
                duration(age),
                duration(limit)
            );
            Fact::with(subject, Status::Fails, Code::TooOld, detail)
        }
        Some(_) => Fact::new(subject, Status::Holds, Code::DemandMet),
    }
}

/// The two largest units: `3 d 4 h`, `5 min 10 s`.
fn duration(delta: TimeDelta) -> String {
    let seconds = delta.num_seconds().max(0);
    let units = [(86_400, "d"), (3_600, "h"), (60, "min"), (1, "s")];
    let at = units.iter().position(|(size, _)| seconds >= *size).unwrap_or(units.len() - 1);
    let (size, name) = units[at];
    let mut text = format!("{} {name}", seconds / size);
    if let Some((next, name)) = units.get(at + 1)
        && seconds % size >= *next
    {
        text.push_str(&format!(" {} {name}", seconds % size / next));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{MAX_DEPTH, read};

    const RECEIPT: &str = r#"{"result":"fail","enforce_rules":false,"task_id":"t","agent_id":null,"verified_at":"x"}"#;

    fn now() -> DateTime<Utc> {
        DateTime::parse_from_rfc3339("2026-10-08T00:00:00Z").unwrap().to_utc()
    }

    fn hold(demands: &Demands, receipt: &str, timestamp: &str) -> Vec<(Subject, Status, Code)> {
        let document = read(receipt, MAX_DEPTH).unwrap();
        let mut facts = Vec::new();
        demands.hold(document.root(), Some(timestamp), now(), &mut facts);
        facts.iter().map(|fact| (fact.subject, fact.status, fact.code)).collect()
    }

    fn max_age(timestamp: &str) -> (Status, Code) {
        let demands = Demands { max_age: Some(TimeDelta::days(7)), ..Demands::default() };
        let facts = hold(&demands, RECEIPT, timestamp);
        assert_eq!(facts[1].0, Subject::MaxAge);
        (facts[1].1, facts[1].2)
    }

    #[test]
    fn unmet_demands_have_their_codes() {
        let demands = Demands {
            pass: true,
            enforced: true,
            task_id: Some("other".into()),
            agent_id: Some("seller".into()),
            max_age: None,
        };
        let codes = |receipt| {
            let facts = hold(&demands, receipt, "2026-10-07T00:00:00Z");
            facts.iter().skip(1).map(|fact| (fact.1, fact.2)).collect::<Vec<_>>()
        };
        let unmet = [Code::ResultNotPass, Code::NotEnforced, Code::OtherTaskId, Code::OtherAgentId];
        assert_eq!(codes(RECEIPT), unmet.map(|code| (Status::Fails, code)));
        // A score receipt says none of these.
        assert_eq!(codes("{}"), unmet.map(|code| (Status::Fails, code)));
        let loose = r#"{"result":["pass"],"enforce_rules":"true","task_id":1,"agent_id":"Seller"}"#;
        assert_eq!(codes(loose), unmet.map(|code| (Status::Fails, code)));
        let good =
            r#"{"result":"pass","enforce_rules":true,"task_id":"other","agent_id":"seller"}"#;
        assert_eq!(codes(good), [(Status::Holds, Code::DemandMet); 4]);
    }

    #[test]
    fn age_is_measured_to_the_microsecond() {
        assert_eq!(max_age("2026-10-01T00:00:00.000000+00:00"), (Status::Holds, Code::DemandMet));
        assert_eq!(max_age("2026-09-30T23:59:59.999999+00:00"), (Status::Fails, Code::TooOld));
        assert_eq!(max_age("2026-10-01T02:00:00+02:00"), (Status::Holds, Code::DemandMet));
        assert_eq!(max_age("2026-10-08T00:05:00Z"), (Status::Holds, Code::DemandMet));
        assert_eq!(max_age("2026-10-08T00:05:00.000001Z"), (Status::Fails, Code::AgeInFuture));
        for bad in ["yesterday", "2026-10-01", "2026-10-01T00:00:00", ""] {
            assert_eq!(max_age(bad), (Status::Fails, Code::AgeUnreadable), "{bad}");
        }
    }

    #[test]
    fn nothing_demanded_fails_nothing() {
        for time in ["2020-01-01T00:00:00Z", "2030-01-01T00:00:00Z", "?"] {
            let facts = hold(&Demands::default(), RECEIPT, time);
            assert_eq!(facts.len(), 1);
            assert_ne!(facts[0].1, Status::Fails);
        }
    }

    #[test]
    fn durations_in_two_units() {
        for (seconds, text) in
            [(0, "0 s"), (59, "59 s"), (60, "1 min"), (3661, "1 h 1 min"), (90_000, "1 d 1 h")]
        {
            assert_eq!(duration(TimeDelta::seconds(seconds)), text);
        }
    }
}
