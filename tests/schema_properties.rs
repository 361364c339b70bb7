//! Random schemas and data: verdict, counts and order against a second counting, written here in
//! the plainest way there is (SPEC 4.4).
#![allow(clippy::unwrap_used, reason = "a test ends where its data is not as expected")]

use std::collections::BTreeSet;

use agent_output_verifier::json;
use agent_output_verifier::schema::{Schema, SchemaReport};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

/// The drafts, in their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Draft {
    D4,
    D6,
    D7,
    D2019,
    D2020,
}

use Draft::{D4, D6, D7, D2019, D2020};

impl Draft {
    fn uri(self) -> &'static str {
        match self {
            D4 => "http://json-schema.org/draft-04/schema#",
            D6 => "http://json-schema.org/draft-06/schema#",
            D7 => "http://json-schema.org/draft-07/schema#",
            D2019 => "https://json-schema.org/draft/2019-09/schema",
            D2020 => "https://json-schema.org/draft/2020-12/schema",
        }
    }
}

// ---------------------------------------------------------------------------------------------
// The slow counting.

/// What a schema says about one value.
#[derive(Debug, Default)]
struct Counted {
    passed: u64,
    total: u64,
    valid: bool,
    /// Members and elements that were evaluated.
    names: BTreeSet<String>,
    indices: BTreeSet<usize>,
}

impl Counted {
    fn assert(&mut self, holds: bool) {
        self.total += 1;
        self.passed += u64::from(holds);
        self.valid &= holds;
    }

    /// Takes over the counts of a schema that applies to another value.
    fn child(&mut self, other: &Counted) {
        self.total += other.total;
        self.passed += other.passed;
        self.valid &= other.valid;
    }

    /// The same for the same value, with what it has evaluated if it is valid.
    fn here(&mut self, other: Counted) {
        self.child(&other);
        self.evaluated(other);
    }

    fn evaluated(&mut self, other: Counted) {
        if other.valid {
            self.names.extend(other.names);
            self.indices.extend(other.indices);
        }
    }
}

struct Slow<'s> {
    root: &'s Value,
    draft: Draft,
}

/// All numbers here have at most one decimal place.
fn tenths(number: &Value) -> Option<i64> {
    number.as_f64().filter(|_| number.is_number()).map(|number| (number * 10.0).round() as i64)
}

fn equal(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(_), Value::Number(_)) => tenths(left) == tenths(right),
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len() && left.iter().zip(right).all(|(a, b)| equal(a, b))
        }
        (Value::Object(left), Value::Object(right)) => {
            left.len() == right.len()
                && left.iter().all(|(name, a)| right.get(name).is_some_and(|b| equal(a, b)))
        }
        _ => left == right,
    }
}

/// The patterns that are generated.
fn matches(pattern: &str, text: &str) -> bool {
    match pattern {
        "^a" => text.starts_with('a'),
        "b$" => text.ends_with('b'),
        "^[a-c]+$" => !text.is_empty() && text.chars().all(|c| ('a'..='c').contains(&c)),
        "^(?=.)(?!b)" => !text.is_empty() && !text.starts_with('b'),
        _ => unreachable!("a pattern that is generated"),
    }
}

fn is_type(name: &str, data: &Value, draft: Draft) -> bool {
    match (name, data) {
        ("null", Value::Null) | ("boolean", Value::Bool(_)) | ("string", Value::String(_)) => true,
        ("array", Value::Array(_)) | ("object", Value::Object(_)) => true,
        ("number", Value::Number(_)) => true,
        ("integer", Value::Number(number)) => {
            let whole = tenths(data).unwrap() % 10 == 0;
            if draft == D4 { number.is_i64() } else { whole }
        }
        _ => false,
    }
}

impl Slow<'_> {
    fn count(&self, schema: &Value, data: &Value) -> Counted {
        let mut all = Counted { valid: true, ..Counted::default() };
        let Some(schema) = schema.as_object() else {
            if schema == &Value::Bool(false) {
                all.assert(false);
            }
            return all;
        };
        if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
            let target = self.root.pointer(reference.trim_start_matches('#')).unwrap();
            all.here(self.count(target, data));
            if self.draft < D2019 {
                return all;
            }
        }
        self.scalars(schema, data, &mut all);
        self.groups(schema, data, &mut all);
        match data {
            Value::Object(members) => self.members(schema, data, members, &mut all),
            Value::Array(elements) => self.elements(schema, elements, &mut all),
            _ => {}
        }
        all
    }

    fn scalars(&self, schema: &Map<String, Value>, data: &Value, all: &mut Counted) {
        let draft = self.draft;
        if let Some(types) = schema.get("type") {
            let types = types.as_array().cloned().unwrap_or_else(|| vec![types.clone()]);
            all.assert(types.iter().any(|name| is_type(name.as_str().unwrap(), data, draft)));
        }
        if let Some(values) = schema.get("enum") {
            all.assert(values.as_array().unwrap().iter().any(|value| equal(value, data)));
        }
        if let (Some(value), true) = (schema.get("const"), draft > D4) {
            all.assert(equal(value, data));
        }
        let count = |name: &str| schema.get(name).and_then(Value::as_u64);
        if let Some(number) = tenths(data) {
            let bound = |name: &str| schema.get(name).and_then(tenths);
            let exclusive =
                |name: &str| draft == D4 && schema.get(name) == Some(&Value::Bool(true));
            if let Some(bound) = bound("minimum") {
                let strict = exclusive("exclusiveMinimum");
                all.assert(if strict { number > bound } else { number >= bound });
            }
            if let Some(bound) = bound("maximum") {
                let strict = exclusive("exclusiveMaximum");
                all.assert(if strict { number < bound } else { number <= bound });
            }
            if let (Some(bound), true) = (bound("exclusiveMinimum"), draft > D4) {
                all.assert(number > bound);
            }
            if let (Some(bound), true) = (bound("exclusiveMaximum"), draft > D4) {
                all.assert(number < bound);
            }
            if let Some(step) = bound("multipleOf") {
                all.assert(number % step == 0);
            }
        }
        if let Some(text) = data.as_str() {
            let length = text.chars().count() as u64;
            if let Some(count) = count("minLength") {
                all.assert(length >= count);
            }
            if let Some(count) = count("maxLength") {
                all.assert(length <= count);
            }
            if let Some(pattern) = schema.get("pattern") {
                all.assert(matches(pattern.as_str().unwrap(), text));
            }
        }
        if let Some(elements) = data.as_array() {
            let length = elements.len() as u64;
            if let Some(count) = count("minItems") {
                all.assert(length >= count);
            }
            if let Some(count) = count("maxItems") {
                all.assert(length <= count);
            }
            if schema.get("uniqueItems") == Some(&Value::Bool(true)) {
                let pair = |at: usize| elements[..at].iter().any(|one| equal(one, &elements[at]));
                all.assert(!(0..elements.len()).any(pair));
            }
        }
        if let Some(members) = data.as_object() {
            let length = members.len() as u64;
            if let Some(count) = count("minProperties") {
                all.assert(length >= count);
            }
            if let Some(count) = count("maxProperties") {
                all.assert(length <= count);
            }
            let there = |name: &Value| members.contains_key(name.as_str().unwrap());
            let has_all = |names: &Value| names.as_array().unwrap().iter().all(there);
            if let Some(names) = schema.get("required") {
                all.assert(has_all(names));
            }
            if let (Some(entries), true) = (schema.get("dependentRequired"), draft >= D2019) {
                let holds = |(name, names): (&String, &Value)| {
                    !members.contains_key(name) || has_all(names)
                };
                all.assert(entries.as_object().unwrap().iter().all(holds));
            }
            if let Some(entries) = schema.get("dependencies").and_then(Value::as_object) {
                let names: Vec<_> = entries.iter().filter(|(_, needs)| needs.is_array()).collect();
                if !names.is_empty() {
                    let holds = |(name, names): &(&String, &Value)| {
                        !members.contains_key(*name) || has_all(names)
                    };
                    all.assert(names.iter().all(holds));
                }
            }
        }
    }

    fn groups(&self, schema: &Map<String, Value>, data: &Value, all: &mut Counted) {
        let branches = |name: &str| {
            let list = schema.get(name).and_then(Value::as_array).into_iter().flatten();
            list.map(|branch| self.count(branch, data)).collect::<Vec<_>>()
        };
        for branch in branches("allOf") {
            all.here(branch);
        }
        if schema.contains_key("anyOf") {
            let branches = branches("anyOf");
            all.assert(branches.iter().any(|branch| branch.valid));
            branches.into_iter().for_each(|branch| all.evaluated(branch));
        }
        if schema.contains_key("oneOf") {
            let branches = branches("oneOf");
            all.assert(branches.iter().filter(|branch| branch.valid).count() == 1);
            branches.into_iter().for_each(|branch| all.evaluated(branch));
        }
        if let Some(not) = schema.get("not") {
            all.assert(!self.count(not, data).valid);
        }
        if let (Some(condition), true) = (schema.get("if"), self.draft >= D7) {
            let condition = self.count(condition, data);
            if schema.contains_key("then") || schema.contains_key("else") {
                all.assert(true);
            }
            let branch = schema.get(if condition.valid { "then" } else { "else" });
            all.evaluated(condition);
            if let Some(branch) = branch {
                all.here(self.count(branch, data));
            }
        }
    }

    fn members(
        &self,
        schema: &Map<String, Value>,
        data: &Value,
        members: &Map<String, Value>,
        all: &mut Counted,
    ) {
        let entries =
            |name: &str| schema.get(name).and_then(Value::as_object).cloned().unwrap_or_default();
        let (named, patterned) = (entries("properties"), entries("patternProperties"));
        for (name, value) in members {
            if let Some(schema) = named.get(name) {
                all.child(&self.count(schema, value));
                all.names.insert(name.clone());
            }
            for (pattern, schema) in &patterned {
                if matches(pattern, name) {
                    all.child(&self.count(schema, value));
                    all.names.insert(name.clone());
                }
            }
            if let (Some(schema), true) = (schema.get("propertyNames"), self.draft > D4) {
                all.child(&self.count(schema, &Value::String(name.clone())));
            }
        }
        let dependent = if self.draft >= D2019 { "dependentSchemas" } else { "dependencies" };
        for (name, schema) in entries(dependent) {
            if members.contains_key(&name) && !schema.is_array() {
                all.here(self.count(&schema, data));
            }
        }
        if let Some(additional) = schema.get("additionalProperties") {
            let rest = members.iter().filter(|(name, _)| {
                !named.contains_key(*name)
                    && !patterned.keys().any(|pattern| matches(pattern, name))
            });
            self.rest(additional, rest.map(|(name, value)| (name.clone(), value)), all);
        }
        if let (Some(unevaluated), true) =
            (schema.get("unevaluatedProperties"), self.draft >= D2019)
        {
            let seen = all.names.clone();
            let rest = members.iter().filter(|(name, _)| !seen.contains(*name));
            self.rest(unevaluated, rest.map(|(name, value)| (name.clone(), value)), all);
        }
    }

    /// Members that are left over: `false` counts once for all.
    fn rest<'v>(
        &self,
        schema: &Value,
        rest: impl Iterator<Item = (String, &'v Value)>,
        all: &mut Counted,
    ) {
        let rest: Vec<_> = rest.collect();
        if schema == &Value::Bool(false) {
            all.assert(rest.is_empty());
        } else {
            for (_, value) in &rest {
                all.child(&self.count(schema, value));
            }
        }
        all.names.extend(rest.into_iter().map(|(name, _)| name));
    }

    fn elements(&self, schema: &Map<String, Value>, elements: &[Value], all: &mut Counted) {
        let modern = self.draft >= D2020;
        let items = schema.get("items");
        let (prefix, others) = match items.and_then(Value::as_array).filter(|_| !modern) {
            Some(prefix) => (prefix.clone(), schema.get("additionalItems").map(|one| (one, true))),
            None => {
                let prefix = schema.get("prefixItems").filter(|_| modern).and_then(Value::as_array);
                (prefix.cloned().unwrap_or_default(), items.map(|one| (one, false)))
            }
        };
        for (at, (schema, element)) in prefix.iter().zip(elements).enumerate() {
            all.child(&self.count(schema, element));
            all.indices.insert(at);
        }
        let rest: BTreeSet<usize> = (prefix.len().min(elements.len())..elements.len()).collect();
        match others {
            Some((schema, true)) => self.left_over(schema, elements, rest, all),
            Some((schema, false)) => {
                for at in rest {
                    all.child(&self.count(schema, &elements[at]));
                    all.indices.insert(at);
                }
            }
            None => {}
        }
        if let (Some(contains), true) = (schema.get("contains"), self.draft > D4) {
            let matching: Vec<usize> = (0..elements.len())
                .filter(|at| self.count(contains, &elements[*at]).valid)
                .collect();
            let bound = |name: &str| {
                schema.get(name).and_then(Value::as_u64).filter(|_| self.draft >= D2019)
            };
            let found = matching.len() as u64;
            let enough = found >= bound("minContains").unwrap_or(1);
            all.assert(enough && bound("maxContains").is_none_or(|most| found <= most));
            if modern {
                all.indices.extend(matching);
            }
        }
        if let (Some(unevaluated), true) = (schema.get("unevaluatedItems"), self.draft >= D2019) {
            let rest = (0..elements.len()).filter(|at| !all.indices.contains(at)).collect();
            self.left_over(unevaluated, elements, rest, all);
        }
    }

    fn left_over(
        &self,
        schema: &Value,
        elements: &[Value],
        rest: BTreeSet<usize>,
        all: &mut Counted,
    ) {
        if schema == &Value::Bool(false) {
            all.assert(rest.is_empty());
        } else {
            for at in &rest {
                all.child(&self.count(schema, &elements[*at]));
            }
        }
        all.indices.extend(rest);
    }
}

// ---------------------------------------------------------------------------------------------
// Schemas and data.

fn number() -> impl Strategy<Value = Value> {
    prop_oneof![
        (-1_i64..5).prop_map(Value::from),
        prop::sample::select(vec![json!(1.0), json!(0.5), json!(2.5), json!(-0.0)])
    ]
}

fn text() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["", "a", "b", "ab", "abc", "é"]).prop_map(str::to_owned)
}

fn name() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["a", "b", "ab", "cd"]).prop_map(str::to_owned)
}

fn data() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        1 => Just(Value::Null),
        1 => any::<bool>().prop_map(Value::from),
        3 => number(),
        3 => text().prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 20, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((name(), inner), 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

fn pattern() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["^a", "b$", "^[a-c]+$", "^(?=.)(?!b)"]).prop_map(str::to_owned)
}

fn names() -> impl Strategy<Value = Value> {
    prop::collection::btree_set(name(), 1..3).prop_map(|names| names.into_iter().collect())
}

/// One keyword that looks at the value itself.
fn assertion() -> impl Strategy<Value = (String, Value)> {
    let types = prop::sample::subsequence(
        vec!["null", "boolean", "integer", "number", "string", "array", "object"],
        1..4,
    );
    let count = |name: &'static str| (0_u64..3).prop_map(move |count| (name, Value::from(count)));
    let bound = |name: &'static str| number().prop_map(move |bound| (name, bound));
    prop_oneof![
        types.prop_map(|types| (
            "type",
            if types.len() == 1 { types[0].into() } else { types.into() }
        )),
        prop::collection::vec(data(), 1..3).prop_map(|mut values| {
            // Equal values twice are not allowed in old drafts.
            values.truncate(1 + usize::from(values.len() > 1 && !equal(&values[0], &values[1])));
            ("enum", values.into())
        }),
        data().prop_map(|value| ("const", value)),
        bound("minimum"),
        bound("maximum"),
        bound("exclusiveMinimum"),
        bound("exclusiveMaximum"),
        prop::sample::select(vec![json!(1), json!(2), json!(0.5), json!(1.5)])
            .prop_map(|step| ("multipleOf", step)),
        count("minLength"),
        count("maxLength"),
        pattern().prop_map(|pattern| ("pattern", pattern.into())),
        count("minItems"),
        count("maxItems"),
        any::<bool>().prop_map(|unique| ("uniqueItems", unique.into())),
        count("minProperties"),
        count("maxProperties"),
        names().prop_map(|names| ("required", names)),
        prop::collection::btree_map(name(), names(), 1..3)
            .prop_map(|entries| ("dependentRequired", entries.into_iter().collect())),
        count("minContains"),
        count("maxContains"),
    ]
    .prop_map(|(name, value)| (name.to_owned(), value))
}

/// One keyword that applies schemas; `inner` for the same value, `below` for others.
fn applicator(
    inner: BoxedStrategy<Value>,
    below: BoxedStrategy<Value>,
) -> impl Strategy<Value = Vec<(String, Value)>> {
    let list = |name: &'static str, schema: BoxedStrategy<Value>| {
        prop::collection::vec(schema, 1..4).prop_map(move |list| vec![(name, Value::from(list))])
    };
    let one = |name: &'static str, schema: BoxedStrategy<Value>| {
        schema.prop_map(move |schema| vec![(name, schema)])
    };
    let map = |name: &'static str, key: BoxedStrategy<String>, schema: BoxedStrategy<Value>| {
        prop::collection::btree_map(key, schema, 1..4)
            .prop_map(move |entries| vec![(name, entries.into_iter().collect::<Value>())])
    };
    let maybe = |schema: &BoxedStrategy<Value>| proptest::option::of(schema.clone());
    let groups = prop_oneof![
        list("allOf", inner.clone()),
        list("anyOf", inner.clone()),
        list("oneOf", inner.clone()),
        one("not", inner.clone()),
        map("dependentSchemas", name().boxed(), inner.clone()),
        (inner.clone(), maybe(&inner), maybe(&inner)).prop_map(|(condition, then, otherwise)| {
            let mut all = vec![("if", condition)];
            all.extend(then.map(|schema| ("then", schema)));
            all.extend(otherwise.map(|schema| ("else", schema)));
            all
        }),
    ];
    let children = prop_oneof![
        map("properties", name().boxed(), below.clone()),
        map("patternProperties", pattern().boxed(), below.clone()),
        one("additionalProperties", below.clone()),
        one("propertyNames", below.clone()),
        list("prefixItems", below.clone()),
        one("items", below.clone()),
        one("contains", below.clone()),
        one("unevaluatedProperties", below.clone()),
        one("unevaluatedItems", below),
    ];
    prop_oneof![2 => groups, 3 => children].prop_map(|entries| {
        entries.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
    })
}

/// A schema that may refer to these definitions for the same value, and to the root below it.
fn schema(definitions: &'static [&'static str]) -> BoxedStrategy<Value> {
    let reference = |name: &str| json!({ "$ref": name });
    let to_definitions: Vec<Value> =
        definitions.iter().map(|name| reference(&format!("#/$defs/{name}"))).collect();
    let assertions = prop::collection::vec(assertion(), 0..3)
        .prop_map(|entries| Value::Object(entries.into_iter().collect()));
    let leaf = if to_definitions.is_empty() {
        prop_oneof![8 => assertions, 1 => any::<bool>().prop_map(Value::from)].boxed()
    } else {
        let references = prop::sample::select(to_definitions);
        prop_oneof![8 => assertions, 1 => any::<bool>().prop_map(Value::from), 3 => references]
            .boxed()
    };
    leaf.prop_recursive(3, 24, 3, move |inner| {
        let below = prop_oneof![9 => inner.clone(), 1 => Just(reference("#"))].boxed();
        let applicators = prop::collection::vec(applicator(inner.boxed(), below), 1..4);
        (prop::collection::vec(assertion(), 0..3), applicators).prop_map(
            |(assertions, applicators)| {
                let entries = assertions.into_iter().chain(applicators.into_iter().flatten());
                Value::Object(entries.collect())
            },
        )
    })
    .boxed()
}

/// A whole schema in the words of 2020-12.
fn whole() -> impl Strategy<Value = Value> {
    (schema(&["x", "y", "z"]), schema(&["y", "z"]), schema(&["z"]), schema(&[])).prop_map(
        |(root, x, y, z)| {
            let mut root = match root {
                Value::Object(root) if !root.contains_key("$ref") => root,
                other => Map::from_iter([("allOf".to_owned(), json!([other]))]),
            };
            root.insert("$defs".to_owned(), json!({ "x": x, "y": y, "z": z }));
            Value::Object(root)
        },
    )
}

/// The schema in the words of a draft; keywords that the draft does not know stay, to be ignored.
fn translated(schema: &Value, draft: Draft) -> Value {
    let object = match schema {
        Value::Bool(true) if draft == D4 => return json!({}),
        Value::Bool(false) if draft == D4 => return json!({ "not": {} }),
        Value::Object(object) => object,
        other => return other.clone(),
    };
    let list = |value: &Value| -> Value {
        value.as_array().unwrap().iter().map(|schema| translated(schema, draft)).collect()
    };
    let map = |value: &Value| -> Value {
        let entries = value.as_object().unwrap().iter();
        entries.map(|(name, schema)| (name.clone(), translated(schema, draft))).collect()
    };
    let mut out = Map::new();
    for (name, value) in object {
        let (name, value) = match &**name {
            "allOf" | "anyOf" | "oneOf" => (&**name, list(value)),
            "properties" | "patternProperties" | "$defs" => (&**name, map(value)),
            "dependentSchemas" if draft < D2019 => ("dependencies", map(value)),
            "dependentSchemas" => (&**name, map(value)),
            "dependentRequired" if draft < D2019 => ("dependencies", value.clone()),
            "prefixItems" if draft < D2020 => ("items", list(value)),
            "prefixItems" => (&**name, list(value)),
            "items" if draft < D2020 && object.contains_key("prefixItems") => {
                ("additionalItems", translated(value, draft))
            }
            "additionalProperties" if value.is_boolean() => (&**name, value.clone()),
            "exclusiveMinimum" if draft == D4 => {
                out.entry("minimum").or_insert(value.clone());
                (&**name, Value::Bool(true))
            }
            "exclusiveMaximum" if draft == D4 => {
                out.entry("maximum").or_insert(value.clone());
                (&**name, Value::Bool(true))
            }
            "minimum" | "maximum" if out.contains_key(&**name) => continue,
            "not"
            | "if"
            | "then"
            | "else"
            | "additionalProperties"
            | "propertyNames"
            | "items"
            | "contains"
            | "unevaluatedProperties"
            | "unevaluatedItems" => (&**name, translated(value, draft)),
            other => (other, value.clone()),
        };
        match out.get_mut(name) {
            // Both kinds of dependencies in one.
            Some(Value::Object(known)) if name == "dependencies" => {
                known.extend(value.as_object().unwrap().clone());
            }
            _ => {
                out.insert(name.to_owned(), value);
            }
        }
    }
    Value::Object(out)
}

fn run(schema: &str, data: &str) -> Result<SchemaReport, TestCaseError> {
    let schema = json::read(schema, 200).unwrap();
    let data = json::read(data, 200).unwrap();
    let compiled = Schema::compile(schema.root())
        .map_err(|faults| TestCaseError::fail(format!("not compiled: {faults:?}")))?;
    compiled
        .check(data.root())
        .map_err(|fault| TestCaseError::fail(format!("no verdict: {fault:?}")))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, max_shrink_iters: 20_000, ..ProptestConfig::default() })]

    #[test]
    fn the_walk_agrees_with_the_slow_counting(
        schema in whole(),
        data in data(),
        draft in prop::sample::select(vec![D4, D6, D7, D2019, D2020, D2020]),
    ) {
        let mut schema = translated(&schema, draft);
        schema.as_object_mut().unwrap().insert("$schema".to_owned(), draft.uri().into());
        let (schema_text, data_text) = (schema.to_string(), data.to_string());
        let report = run(&schema_text, &data_text)?;

        let expected = Slow { root: &schema, draft }.count(&schema, &data);
        let counts = (report.assertions.passed, report.assertions.total);
        prop_assert_eq!(counts, (expected.passed, expected.total), "{} on {}: {:?}", schema_text, data_text, report.violations);
        prop_assert_eq!(expected.valid, counts.0 == counts.1);
        prop_assert_eq!(report.violations.is_empty(), expected.valid);
        // A failed assertion has at least one violation, all of them written out.
        prop_assert!(report.violations.len() as u64 >= counts.1 - counts.0);
        prop_assert_eq!(report.unlisted_violations, 0);
        prop_assert!(report.violations.is_sorted_by_key(|violation| violation.node));

        let again = run(&schema_text, &data_text)?;
        prop_assert_eq!(report.violations, again.violations);
        prop_assert_eq!(report.incomplete, again.incomplete);
        prop_assert_eq!((report.assertions, report.completeness), (again.assertions, again.completeness));
    }
}
