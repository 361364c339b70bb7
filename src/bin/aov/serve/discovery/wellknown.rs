//! `/.well-known/x402`: what can be bought and how (X402 §7.1). Prices and networks are those that a
//! payment is asked for with, from the same place.

use std::sync::Arc;

use serde_json::{Value, json};

use super::super::counter::{Gate, Offer, Operation};
use super::super::problem::Problem;
use super::super::service::Resource;
use super::facts::{Facts, PURPOSE};

/// Makes the manifest.
pub(super) struct Manifest {
    base: String,
    instructions: String,
    sale: Option<(Arc<dyn Gate>, Vec<Item>)>,
}

struct Item {
    offer: Offer<'static>,
    method: &'static str,
    path: &'static str,
    description: String,
}

impl Manifest {
    pub(super) fn new(facts: &Facts<'_>, gate: Option<Arc<dyn Gate>>) -> Self {
        let instructions = match facts.sale {
            None => format!(
                "This service is free: nothing is sold. Read {}.",
                facts.url.at("/llms.txt")
            ),
            Some(_) => format!(
                "Send the request without a payment first: what the free allowance covers is answered \
                 at once, anything else with 402 and the Payment-Required header. Read {}.",
                facts.url.at("/llms.txt")
            ),
        };
        let items = facts.sale.map(|sale| {
            let item = |operation, price, method, path, description: String| Item {
                offer: Offer { operation, price, resource: Resource::Rest { method, path } },
                method,
                path,
                description,
            };
            vec![
                item(Operation::Verify, sale.verify, "POST", "/verify/schema", PURPOSE.to_owned()),
                item(
                    Operation::Verify,
                    sale.verify,
                    "POST",
                    "/verify/deliverable",
                    "The same check as POST /verify/schema, under a second name.".to_owned(),
                ),
                item(
                    Operation::Score,
                    sale.score,
                    "GET",
                    "/score/{agent_id}",
                    "An agent's record of verifications, with a score and its 95 % interval, signed."
                        .to_owned(),
                ),
            ]
        });
        Self { base: facts.url.as_str().to_owned(), instructions, sale: gate.zip(items) }
    }

    /// The manifest as of now: who pays the fee of a Solana payment changes.
    pub(super) fn document(&self) -> Result<Value, Problem> {
        let mut items = Vec::new();
        if let Some((gate, offers)) = &self.sale {
            for item in offers {
                let required = gate.required(&item.offer, "Payment required")?;
                items.push(json!({
                    "resource": format!("{}{}", self.base, item.path),
                    "type": "http",
                    "method": item.method,
                    "price": format!("${}", item.offer.price),
                    "description": item.description,
                    "accepts": required["accepts"],
                }));
            }
        }
        let resources: Vec<_> = items.iter().map(|item| item["resource"].clone()).collect();
        Ok(json!({
            "version": 1,
            "x402Version": 2,
            "resources": resources,
            "items": items,
            "free": self.sale.is_none(),
            "instructions": self.instructions,
        }))
    }
}
