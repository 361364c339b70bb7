//! Is there an end to applying a schema to one value? (SPEC 2.4)
//!
//! References and the applicators that stay at a value form a graph. A cycle in it never consumes
//! data ("MUST NOT be run into an infinite loop", JSON Schema core §9.4.1), and a chain of
//! doublings multiplies the work at every value it meets.

use super::fault::Fault;
use super::keyword::{Rule, SchemaId, SchemaNode};
use super::plan::Plan;

/// Applications of schemas that one value may cause without a step into it.
const MAX_APPLICATIONS: u64 = 20_000;

/// How many schemas a tame plan has at most.
const TAME_SCHEMAS: usize = 200;

/// Schemas that apply each other to one value, one inside the other.
const MAX_CHAIN: usize = 900;

/// Refuses schemas that apply themselves to the same value, or too many to one value.
/// Notes at each schema what an `unevaluated*` costs there.
pub(super) fn ensure_progress(plan: &mut Plan) -> Result<(), Fault> {
    let mut states = vec![State::Unknown; plan.schemas.len()];
    for id in 0..plan.schemas.len() as SchemaId {
        measure(plan, id, &mut states)?;
    }
    for (schema, state) in plan.schemas.iter_mut().zip(states) {
        if let (true, State::Known { cost, .. }) = (asks_for_evaluated(schema), state) {
            schema.surcharge = cost;
        }
    }
    plan.tame = is_tame(plan);
    Ok(())
}

/// Whether any validator is through with the plan in time linear in the data: few schemas, each
/// reached in one way only, and patterns on small automata.
fn is_tame(plan: &Plan) -> bool {
    let mut reached = vec![false; plan.schemas.len()];
    let mut once = |id: SchemaId| !std::mem::replace(&mut reached[id as usize], true);
    let keywords = || plan.schemas.iter().flat_map(|schema| &schema.keywords);
    plan.schemas.len() <= TAME_SCHEMAS
        && !plan.tracks
        && keywords().all(|keyword| !matches!(keyword.rule, Rule::Reference(_)))
        && keywords().flat_map(|keyword| keyword.rule.schemas()).all(&mut once)
        && keywords().flat_map(|keyword| keyword.rule.patterns()).all(|pattern| pattern.is_tame())
}

#[derive(Clone, Copy)]
enum State {
    Unknown,
    /// On the path that is being followed.
    Open,
    Known {
        /// Applications, its own included.
        cost: u64,
        /// How many of them stand inside each other.
        chain: usize,
    },
}

/// A schema on the path, and what it applies that was not yet looked at.
struct Visit<'p> {
    id: SchemaId,
    rest: Box<dyn Iterator<Item = SchemaId> + 'p>,
    cost: u64,
    chain: usize,
}

impl<'p> Visit<'p> {
    fn new(plan: &'p Plan, id: SchemaId) -> Self {
        Self { id, rest: Box::new(in_place(&plan.schemas[id as usize])), cost: 1, chain: 1 }
    }

    fn add(&mut self, cost: u64, chain: usize) {
        self.cost = self.cost.saturating_add(cost);
        self.chain = self.chain.max(chain + 1);
    }
}

/// Depth first without recursion: a chain of references can be as long as the request.
fn measure(plan: &Plan, start: SchemaId, states: &mut [State]) -> Result<(), Fault> {
    let fault = |id: SchemaId, problem: &str| {
        let location = plan.locations.text(plan.schemas[id as usize].location);
        Err(Fault::costly_schema(&location, problem))
    };
    if !matches!(states[start as usize], State::Unknown) {
        return Ok(());
    }
    states[start as usize] = State::Open;
    let mut path = vec![Visit::new(plan, start)];
    while let Some(visit) = path.last_mut() {
        if let Some(next) = visit.rest.next() {
            match states[next as usize] {
                State::Known { cost, chain } => visit.add(cost, chain),
                State::Open => {
                    return fault(visit.id, "refers to itself for the same value, without end");
                }
                State::Unknown => {
                    states[next as usize] = State::Open;
                    path.push(Visit::new(plan, next));
                }
            }
            continue;
        }
        let Visit { id, mut cost, chain, .. } = *visit;
        if asks_for_evaluated(&plan.schemas[id as usize]) {
            // The other validator asks every branch a second time what it evaluates.
            cost = cost.saturating_mul(2);
        }
        if cost > MAX_APPLICATIONS {
            return fault(id, "applies too many schemas to one value");
        }
        if chain > MAX_CHAIN {
            return fault(id, "applies schemas too deep inside each other to one value");
        }
        states[id as usize] = State::Known { cost, chain };
        path.pop();
        if let Some(above) = path.last_mut() {
            above.add(cost, chain);
        }
    }
    Ok(())
}

fn asks_for_evaluated(schema: &SchemaNode) -> bool {
    let asks =
        |rule: &Rule| matches!(rule, Rule::UnevaluatedProperties(_) | Rule::UnevaluatedItems(_));
    schema.keywords.iter().any(|keyword| asks(&keyword.rule))
}

/// The schemas that a schema applies to the value itself.
fn in_place(schema: &SchemaNode) -> impl Iterator<Item = SchemaId> + '_ {
    schema
        .keywords
        .iter()
        .filter(|keyword| keyword.rule.stays())
        .flat_map(|keyword| keyword.rule.schemas())
}
