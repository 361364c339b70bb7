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

/// Refuses schemas that apply themselves to the same value, or too many to one value.
/// Notes at each schema what an `unevaluated*` costs there.
pub(super) fn ensure_progress(plan: &mut Plan) -> Result<(), Fault> {
    let mut costs: Vec<Cost> = vec![Cost::Unknown; plan.schemas.len()];
    for id in 0..plan.schemas.len() as SchemaId {
        measure(plan, id, &mut costs)?;
    }
    for (schema, cost) in plan.schemas.iter_mut().zip(costs) {
        if let (true, Cost::Known(cost)) = (asks_for_evaluated(schema), cost) {
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
enum Cost {
    Unknown,
    /// On the path that is being followed.
    Open,
    Known(u64),
}

/// Depth first without recursion: a chain of references can be as long as the request.
fn measure(plan: &Plan, start: SchemaId, costs: &mut [Cost]) -> Result<(), Fault> {
    let mut path = vec![start];
    while let Some(&id) = path.last() {
        if let Cost::Known(_) = costs[id as usize] {
            path.pop();
            continue;
        }
        let schema = &plan.schemas[id as usize];
        costs[id as usize] = Cost::Open;
        let mut total = 1_u64;
        let mut waiting = false;
        for next in in_place(schema) {
            match costs[next as usize] {
                Cost::Known(cost) => total = total.saturating_add(cost),
                Cost::Open => {
                    let problem = "refers to itself for the same value, without end";
                    return Err(Fault::costly_schema(&schema.location, problem));
                }
                Cost::Unknown => {
                    path.push(next);
                    waiting = true;
                    break;
                }
            }
        }
        if waiting {
            continue;
        }
        if asks_for_evaluated(schema) {
            // The other validator asks every branch a second time what it evaluates.
            total = total.saturating_mul(2);
        }
        if total > MAX_APPLICATIONS {
            let problem = "applies too many schemas to one value";
            return Err(Fault::costly_schema(&schema.location, problem));
        }
        costs[id as usize] = Cost::Known(total);
        path.pop();
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
