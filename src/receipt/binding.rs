//! Whether a receipt is about the data in hand (SPEC 8.3): every hash and field that the data
//! lets us compute, held against what the receipt says.
//!
//! Invariant: where data was given, a receipt is bound only if every part of it was there to
//! compare and matched. "Nothing to compare with" is never a match.

use super::fact::{Code, Fact, Status, Subject};
use super::hashes::{Hashes, Sha256Hex, canonical_rules, hashes};
use crate::json::{Kind, Node, jcs};
use crate::request::{Detail, Parts, Problem, Request, UnknownFields};
use crate::text::{MAX_ECHO, cut, visible};

/// The hash that a receipt should carry for a part of the data in hand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Due {
    /// This one.
    Hash(Sha256Hex),
    /// None, since the part is not there: no rules and no bounds.
    Nothing,
    /// None, since the part has no canonical form (SPEC 1.3).
    Unhashable,
}

/// The data that the user has in hand; `None` where it was not given.
#[derive(Debug, Clone, Default)]
pub struct DataInHand {
    /// The output.
    pub output: Option<Due>,
    /// The schema.
    pub schema: Option<Due>,
    /// Rules and bounds.
    pub rules: Option<Due>,
    /// The whole request; the three parts are then given as well.
    pub request: Option<RequestInHand>,
}

/// What only a whole request has.
#[derive(Debug, Clone)]
pub struct RequestInHand {
    /// The hash of it all.
    pub hash: Due,
    /// `task_id`.
    pub task_id: String,
    /// `agent_id`.
    pub agent_id: Option<String>,
    /// `enforce_rules`.
    pub enforce_rules: bool,
    /// `strict_content_check`.
    pub strict_content_check: bool,
}

/// What came of the comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Binding {
    /// Nothing was given.
    NoData,
    /// All of it matches.
    Bound,
    /// Something differs, or could not be compared.
    NotBound,
}

impl Due {
    /// The hash of a value.
    #[must_use]
    pub fn of(value: Node<'_>) -> Self {
        jcs::canonical(value).map_or(Self::Unhashable, |bytes| Self::Hash(Sha256Hex::of(&bytes)))
    }

    fn or_unhashable<E>(hash: Result<Sha256Hex, E>) -> Self {
        hash.map_or(Self::Unhashable, Self::Hash)
    }
}

impl DataInHand {
    /// A whole request.
    #[must_use]
    pub fn of_request(request: &Request<'_>) -> Self {
        let Hashes { output, schema, rules, request: whole } = hashes(request);
        Self {
            output: Some(Due::or_unhashable(output)),
            schema: Some(Due::or_unhashable(schema)),
            rules: Some(rules.map_or(Due::Nothing, Due::Hash)),
            request: Some(RequestInHand {
                hash: whole.map_or(Due::Unhashable, Due::Hash),
                task_id: request.task_id.to_string(),
                agent_id: request.agent_id.as_deref().map(str::to_owned),
                enforce_rules: request.enforce_rules,
                strict_content_check: request.strict_content_check,
            }),
        }
    }

    /// Single parts; `rules` is an object with `rules`, `bounds` and `enforce_rules`, as for
    /// [`Request::from_parts`].
    ///
    /// # Errors
    /// Every problem with the rules.
    pub fn of_parts(
        output: Option<Node<'_>>,
        schema: Option<Node<'_>>,
        rules: Option<Node<'_>>,
        unknown: UnknownFields,
    ) -> Result<Self, Vec<Problem>> {
        Ok(Self {
            output: output.map(Due::of),
            schema: schema.map(Due::of),
            rules: rules.map(|rules| due_rules(rules, unknown)).transpose()?,
            request: None,
        })
    }

    /// Whether nothing was given.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.output.is_none()
            && self.schema.is_none()
            && self.rules.is_none()
            && self.request.is_none()
    }

    /// Compares the receipt with the data, one fact for each comparison.
    #[must_use]
    pub fn compare(&self, receipt: Node<'_>, facts: &mut Vec<Fact>) -> Binding {
        let first = facts.len();
        let parts = [
            (Subject::OutputHash, &self.output),
            (Subject::SchemaHash, &self.schema),
            (Subject::RulesHash, &self.rules),
        ];
        for (subject, due) in parts {
            facts.extend(due.as_ref().map(|due| compare_hash(receipt, subject, due)));
        }
        let parts_end = facts.len();
        let mut options_hold = true;
        if let Some(request) = &self.request {
            facts.push(compare_hash(receipt, Subject::RequestHash, &request.hash));
            facts.extend(compare_options(receipt, request));
            options_hold = options_are_settled(receipt, &facts[parts_end..]);
        }
        let facts = &facts[first..];
        let parts_hold = facts[..parts_end - first].iter().all(|fact| fact.status == Status::Holds);
        let nothing_fails = facts.iter().all(|fact| fact.status != Status::Fails);
        match (self.is_empty(), parts_hold && options_hold && nothing_fails) {
            (true, _) => Binding::NoData,
            (false, true) => Binding::Bound,
            (false, false) => Binding::NotBound,
        }
    }
}

/// The hash of rules that stand alone. A request around them is needed to read them; its schema and
/// output are in no part of their hash, so any object will do.
fn due_rules(rules: Node<'_>, unknown: UnknownFields) -> Result<Due, Vec<Problem>> {
    let request = Request::from_parts(
        Parts {
            task_id: "rules".to_owned(),
            agent_id: None,
            expected_schema: rules,
            submitted_output: rules,
            rules: Some(rules),
            strict_content_check: false,
            enforce_rules: false,
            detail: Detail::Full,
        },
        unknown,
    );
    // What is no object is no schema either; it is the rules that are wrong.
    let request = request.map_err(|problems| {
        problems.into_iter().filter(|it| it.field != "expected_schema").collect::<Vec<_>>()
    })?;
    Ok(canonical_rules(&request).map_or(Due::Nothing, |bytes| Due::Hash(Sha256Hex::of(&bytes))))
}

/// Whether `task_id` and the options are known to be those of the request: by the request hash, or
/// each by itself where the receipt is a compact one, which has no such hash. A request hash of
/// null, though, says that the request checked had no canonical form.
fn options_are_settled(receipt: Node<'_>, facts: &[Fact]) -> bool {
    let holds = |fact: &Fact| fact.status == Status::Holds;
    match facts {
        [hash, _options @ ..] if holds(hash) => true,
        [_, options @ ..] => receipt.get("request_hash").is_none() && options.iter().all(holds),
        [] => true,
    }
}

fn compare_hash(receipt: Node<'_>, subject: Subject, due: &Due) -> Fact {
    let said = receipt.get(subject.as_str()).filter(|said| !said.is_null());
    match (said, due) {
        (Some(said), Due::Hash(hash)) if is_text(said, hash.as_str()) => {
            Fact::new(subject, Status::Holds, Code::Matches)
        }
        (Some(said), due) => {
            let ours = match due {
                Due::Hash(hash) => hash.as_str(),
                Due::Nothing => "none: there are no rules or bounds",
                Due::Unhashable => "none: the data has no canonical form",
            };
            let detail = format!("the receipt has {}, the data in hand {ours}", shown(said));
            Fact::with(subject, Status::Fails, Code::Differs, detail)
        }
        (None, Due::Nothing) if receipt.get(subject.as_str()).is_some() => {
            Fact::new(subject, Status::Holds, Code::NoRules)
        }
        (None, _) => Fact::new(subject, Status::Open, Code::NothingToCompare),
    }
}

fn compare_options(receipt: Node<'_>, request: &RequestInHand) -> [Fact; 4] {
    let flag = |subject: Subject, ours: bool| {
        compare_option(receipt, subject, |said| said.as_bool() == Some(ours), &ours.to_string())
    };
    let agent = request.agent_id.as_deref();
    [
        compare_option(
            receipt,
            Subject::TaskId,
            |said| is_text(said, &request.task_id),
            &echo(&request.task_id),
        ),
        compare_option(
            receipt,
            Subject::AgentId,
            |said| agent.map_or(said.is_null(), |agent| is_text(said, agent)),
            &agent.map_or_else(|| "null".to_owned(), echo),
        ),
        flag(Subject::EnforceRules, request.enforce_rules),
        flag(Subject::StrictContentCheck, request.strict_content_check),
    ]
}

fn compare_option(
    receipt: Node<'_>,
    subject: Subject,
    matches: impl Fn(Node<'_>) -> bool,
    ours: &str,
) -> Fact {
    match receipt.get(subject.as_str()) {
        None => Fact::new(subject, Status::Open, Code::NothingToCompare),
        Some(said) if matches(said) => Fact::new(subject, Status::Holds, Code::Matches),
        Some(said) => {
            let detail = format!("the receipt has {}, the request {ours}", shown(said));
            Fact::with(subject, Status::Fails, Code::Differs, detail)
        }
    }
}

/// Whether a value is exactly this text.
pub(super) fn is_text(node: Node<'_>, text: &str) -> bool {
    node.as_str() == Some(text) && !node.has_lone_surrogate()
}

/// A scalar as it may be shown; hashes in full.
pub(super) fn shown(node: Node<'_>) -> String {
    match node.kind() {
        Kind::String => {
            let text = node.as_str().unwrap_or_default();
            let hash = text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
            if hash { text.to_owned() } else { echo(text) }
        }
        Kind::Array | Kind::Object => format!("an {}", node.kind().name()),
        _ => cut(node.source(), MAX_ECHO).into_owned(),
    }
}

fn echo(text: &str) -> String {
    format!("\"{}\"", cut(&visible(text), MAX_ECHO))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{Document, MAX_DEPTH, read};

    fn document(text: &str) -> Document {
        read(text, MAX_DEPTH).unwrap()
    }

    fn hash(digit: char) -> String {
        digit.to_string().repeat(64)
    }

    fn digest(digit: char) -> Due {
        Due::Hash(Sha256Hex::parse(&hash(digit)).unwrap())
    }

    fn due(digit: char) -> Option<Due> {
        Some(digest(digit))
    }

    /// A request with the hashes aaa…, bbb…, ccc…, ddd….
    fn request() -> DataInHand {
        DataInHand {
            output: due('a'),
            schema: due('b'),
            rules: due('c'),
            request: Some(RequestInHand {
                hash: digest('d'),
                task_id: "t".into(),
                agent_id: None,
                enforce_rules: true,
                strict_content_check: false,
            }),
        }
    }

    fn receipt(request_hash: &str) -> String {
        format!(
            r#"{{"task_id":"t","agent_id":null,"output_hash":"{}","schema_hash":"{}","rules_hash":"{}",{request_hash}"enforce_rules":true,"strict_content_check":false}}"#,
            hash('a'),
            hash('b'),
            hash('c')
        )
    }

    fn full() -> String {
        receipt(&format!("\"request_hash\":\"{}\",", hash('d')))
    }

    fn compare(data: &DataInHand, receipt: &str) -> (Binding, Vec<(Subject, Status, Code)>) {
        let mut facts = vec![Fact::new(Subject::Signature, Status::Fails, Code::SignatureInvalid)];
        let binding = data.compare(document(receipt).root(), &mut facts);
        (binding, facts.iter().skip(1).map(|fact| (fact.subject, fact.status, fact.code)).collect())
    }

    #[test]
    fn full_and_compact_receipts_bind_to_their_request() {
        for text in [full(), receipt("")] {
            let (binding, facts) = compare(&request(), &text);
            assert_eq!(binding, Binding::Bound);
            assert_eq!(facts.len(), 8);
        }
        let (_, facts) = compare(&request(), &receipt(""));
        assert_eq!(facts[3], (Subject::RequestHash, Status::Open, Code::NothingToCompare));
    }

    #[test]
    fn without_data_there_is_no_binding() {
        assert_eq!(compare(&DataInHand::default(), &full()), (Binding::NoData, vec![]));
    }

    #[test]
    fn each_difference_is_named_and_unbinds() {
        for (from, to, subject) in [
            (hash('a'), hash('0'), Subject::OutputHash),
            (hash('b'), hash('0'), Subject::SchemaHash),
            (hash('c'), hash('0'), Subject::RulesHash),
            (hash('d'), hash('0'), Subject::RequestHash),
            (hash('a'), hash('A'), Subject::OutputHash),
            (format!("\"{}\"", hash('a')), "5".into(), Subject::OutputHash),
            ("\"t\"".into(), "\"T\"".into(), Subject::TaskId),
            ("\"agent_id\":null".into(), "\"agent_id\":\"x\"".into(), Subject::AgentId),
            (
                "\"enforce_rules\":true".into(),
                "\"enforce_rules\":false".into(),
                Subject::EnforceRules,
            ),
            (
                "\"strict_content_check\":false".into(),
                "\"strict_content_check\":true".into(),
                Subject::StrictContentCheck,
            ),
        ] {
            let text = full().replacen(&from, &to, 1);
            let (binding, facts) = compare(&request(), &text);
            assert_eq!(binding, Binding::NotBound, "{subject}");
            let failed: Vec<_> = facts.iter().filter(|fact| fact.1 == Status::Fails).collect();
            assert_eq!(failed, [&(subject, Status::Fails, Code::Differs)]);
        }
    }

    #[test]
    fn null_or_missing_is_never_a_match() {
        for name in ["output_hash", "schema_hash", "rules_hash", "request_hash"] {
            let parsed = full();
            let at = parsed.find(&format!("\"{name}\":")).unwrap();
            let end = at + parsed[at..].find(',').unwrap();
            let null = format!("{}\"{name}\":null{}", &parsed[..at], &parsed[end..]);
            let (binding, facts) = compare(&request(), &null);
            assert_eq!(binding, Binding::NotBound, "{name}");
            assert!(facts.iter().any(|fact| fact.0.as_str() == name
                && (fact.1, fact.2) == (Status::Open, Code::NothingToCompare)));
            if name != "request_hash" {
                let missing = format!("{}{}", &parsed[..at], &parsed[end + 1..]);
                assert_eq!(compare(&request(), &missing).0, Binding::NotBound, "{name}");
            }
        }
        // A compact receipt without one of the options leaves it open.
        let text = receipt("").replace(",\"strict_content_check\":false", "");
        assert_eq!(compare(&request(), &text).0, Binding::NotBound);
        // In a full one the request hash covers it.
        let text = full().replace(",\"strict_content_check\":false", "");
        assert_eq!(compare(&request(), &text).0, Binding::Bound);
    }

    #[test]
    fn no_rules_on_either_side_is_a_match() {
        let data = DataInHand { rules: Some(Due::Nothing), ..DataInHand::default() };
        let (binding, facts) = compare(&data, r#"{"rules_hash":null}"#);
        assert_eq!((binding, facts[0].2), (Binding::Bound, Code::NoRules));
        assert_eq!(compare(&data, "{}").0, Binding::NotBound);
        let (binding, facts) = compare(&data, &full());
        assert_eq!((binding, facts[0].2), (Binding::NotBound, Code::Differs));
    }

    #[test]
    fn data_without_canonical_form_never_binds() {
        let data = DataInHand { output: Some(Due::Unhashable), ..DataInHand::default() };
        assert_eq!(compare(&data, &full()).1[0].2, Code::Differs);
        let (binding, facts) = compare(&data, r#"{"output_hash":null}"#);
        assert_eq!((binding, facts[0].2), (Binding::NotBound, Code::NothingToCompare));
    }

    #[test]
    fn rules_alone_hash_as_in_their_request() {
        let request = document(include_str!("../../fixtures/real/draft-request.json"));
        let whole = crate::request::parse(request.root(), UnknownFields::Refuse).unwrap();
        let of_request = DataInHand::of_request(&whole);
        let rules = document(
            r#"{"rules":[{"field":"line_items[].line_total","type":"sum_equals","equals_field":"total"}],"enforce_rules":true}"#,
        );
        let parts = DataInHand::of_parts(
            request.root().get("submitted_output"),
            request.root().get("expected_schema"),
            Some(rules.root()),
            UnknownFields::Refuse,
        )
        .unwrap();
        assert_eq!(parts.rules, of_request.rules);
        assert_eq!((parts.output, parts.schema), (of_request.output, of_request.schema));
        let rules_of = |text: &str| {
            let document = document(text);
            DataInHand::of_parts(None, None, Some(document.root()), UnknownFields::Refuse)
                .map(|data| data.rules)
        };
        assert_eq!(rules_of("{}"), Ok(Some(Due::Nothing)));
        assert_eq!(rules_of("[]").unwrap_err().len(), 1);
        assert_eq!(rules_of(r#"{"rule":[]}"#).unwrap_err()[0].field, "rule");
    }

    #[test]
    fn parts_bind_by_themselves() {
        let data = DataInHand { output: due('a'), ..DataInHand::default() };
        assert_eq!(compare(&data, &full()).0, Binding::Bound);
        let data = DataInHand { output: due('a'), schema: due('0'), ..DataInHand::default() };
        assert_eq!(compare(&data, &full()).0, Binding::NotBound);
    }
}
