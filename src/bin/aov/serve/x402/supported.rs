//! What can be offered now: the configured networks, as far as a facilitator serves them (X402 §4.3).

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock};

use chrono::{DateTime, Utc};

use super::super::chain::{Chain, Family};
use super::super::money::MicroUsd;
use super::facilitator::{Facilitator, Kind};
use super::proof::Node;
use super::requirements::{MAX_TIMEOUT_SECONDS, Offered, Requirements};

/// How often `/supported` is asked; the seconds after which an answer that failed is asked for again.
pub(crate) const REFRESH_SECONDS: u64 = 600;
/// The same while something is missing.
pub(crate) const RETRY_SECONDS: u64 = 15;
/// How many fee payers are remembered for a facilitator: it picks one of a few, at random.
const MAX_FEE_PAYERS: usize = 64;

/// A network on which we are paid.
#[derive(Debug)]
pub(crate) struct Network {
    /// Which.
    pub(crate) chain: &'static Chain,
    /// Our wallet.
    pub(crate) pay_to: String,
    /// Who verifies and settles, the first preferred.
    pub(crate) facilitators: Vec<Arc<dyn Facilitator>>,
    /// Who can prove a settlement (X402 rule 11).
    pub(crate) node: Option<Arc<dyn Node>>,
}

/// What one facilitator said about one network.
#[derive(Debug, Default, Clone)]
struct Served {
    /// The one to offer, on Solana.
    fee_payer: Option<String>,
    /// Those offered lately.
    fee_payers: Vec<String>,
}

/// The networks with the last good answers about them.
#[derive(Debug)]
pub(crate) struct Networks {
    networks: Vec<Network>,
    /// By network and facilitator, as they are numbered.
    served: RwLock<BTreeMap<(usize, usize), Served>>,
}

impl Networks {
    /// Nothing is offered until [`Networks::refresh`] has succeeded.
    pub(crate) fn new(networks: Vec<Network>) -> Self {
        Self { networks, served: RwLock::default() }
    }

    /// All that are configured.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Network> {
        self.networks.iter()
    }

    /// The one of a chain.
    pub(crate) fn of(&self, chain: &Chain) -> Option<&Network> {
        self.networks.iter().find(|network| network.chain == chain)
    }

    /// Asks every facilitator what it serves and returns what went wrong, for the log. A last good
    /// answer outlives bad ones.
    pub(crate) fn refresh(&self, now: DateTime<Utc>) -> Vec<String> {
        let mut problems = Vec::new();
        for (at, network) in self.networks.iter().enumerate() {
            for (number, facilitator) in network.facilitators.iter().enumerate() {
                // Not under the lock: this takes seconds.
                let told = match facilitator.supported(now) {
                    Ok(kinds) => usable(network, &kinds),
                    Err(why) => {
                        problems.push(format!("{}: /supported: {why}", facilitator.name()));
                        continue;
                    }
                };
                let mut served = self.served.write().unwrap_or_else(PoisonError::into_inner);
                match told {
                    Ok(fee_payer) => served.entry((at, number)).or_default().take(fee_payer),
                    Err(why) => {
                        served.remove(&(at, number));
                        problems.push(format!(
                            "{}: {}: {why}",
                            facilitator.name(),
                            network.chain.id
                        ));
                    }
                }
            }
        }
        problems
    }

    /// The entries of `accepts` for a price. Empty if nobody serves anything.
    pub(crate) fn offers(&self, price: MicroUsd) -> Vec<Offered> {
        let served = self.served.read().unwrap_or_else(PoisonError::into_inner);
        let offer = |(at, network): (usize, &Network)| {
            let of_network = || served.range((at, 0)..=(at, usize::MAX)).map(|(_, served)| served);
            let first = of_network().next()?;
            Some(Offered {
                requirements: Requirements {
                    chain: network.chain,
                    amount: price.atomic(),
                    pay_to: network.pay_to.clone(),
                    max_timeout_seconds: MAX_TIMEOUT_SECONDS,
                    fee_payer: first.fee_payer.clone(),
                },
                fee_payers: of_network().flat_map(|it| it.fee_payers.iter().cloned()).collect(),
            })
        };
        self.networks.iter().enumerate().filter_map(offer).collect()
    }

    /// Who can settle a payment of before: also where `/supported` has not been answered since.
    pub(crate) fn facilitator_for(
        &self,
        chain: &Chain,
        fee_payer: Option<&str>,
    ) -> Option<Arc<dyn Facilitator>> {
        let served = self.served.read().unwrap_or_else(PoisonError::into_inner);
        let (at, network) = self.networks.iter().enumerate().find(|(_, it)| it.chain == chain)?;
        let signs = |number: usize| {
            let known = served.get(&(at, number)).map(|it| &it.fee_payers);
            fee_payer.is_some_and(|it| known.is_some_and(|known| known.iter().any(|at| at == it)))
        };
        let number = (0..network.facilitators.len()).find(|number| signs(*number)).unwrap_or(0);
        network.facilitators.get(number).map(Arc::clone)
    }

    /// Who can verify and settle under these requirements, the preferred first: on Solana only who
    /// signs for the fee payer in them.
    pub(crate) fn facilitators(&self, requirements: &Requirements) -> Vec<Arc<dyn Facilitator>> {
        let served = self.served.read().unwrap_or_else(PoisonError::into_inner);
        let network = self.networks.iter().enumerate();
        let network = network.filter(|(_, network)| network.chain == requirements.chain);
        network
            .flat_map(|(at, network)| {
                network.facilitators.iter().enumerate().map(move |it| (at, it))
            })
            .filter(|(at, (number, _))| {
                served.get(&(*at, *number)).is_some_and(|served| match &requirements.fee_payer {
                    Some(fee_payer) => served.fee_payers.contains(fee_payer),
                    None => true,
                })
            })
            .map(|(_, (_, facilitator))| Arc::clone(facilitator))
            .collect()
    }
}

impl Served {
    fn take(&mut self, fee_payer: Option<String>) {
        if let Some(new) = &fee_payer
            && !self.fee_payers.contains(new)
        {
            self.fee_payers.push(new.clone());
            if self.fee_payers.len() > MAX_FEE_PAYERS {
                self.fee_payers.remove(0);
            }
        }
        self.fee_payer = fee_payer;
    }
}

/// The fee payer of a network, where it has one; or why it is not served.
fn usable(network: &Network, kinds: &[Kind]) -> Result<Option<String>, &'static str> {
    let mut kinds = kinds.iter().filter(|kind| kind.network == network.chain.id);
    let kind = kinds.next().ok_or("it does not serve this network")?;
    match (network.chain.family, &kind.fee_payer) {
        (Family::Evm { .. }, _) => Ok(None),
        (Family::Solana, None) => Err("it names no fee payer"),
        // Whoever pays the fees signs; to be paid by the same account is nothing anybody intends
        // (X402 rule 22).
        (Family::Solana, Some(fee_payer)) if *fee_payer == network.pay_to => {
            Err("its fee payer is our own wallet")
        }
        (Family::Solana, Some(fee_payer)) => Ok(Some(fee_payer.clone())),
    }
}
