//! The configuration of `aov serve`: read in layers, then decided as a whole. A server that could
//! only half work does not start (SPEC 11.2, X402 rule 23); every problem is reported, not only the
//! first.

mod layers;
mod print;
pub(crate) mod proxies;
mod url;

use std::net::SocketAddr;
use std::path::PathBuf;

use agent_output_verifier::key::GivenKey;

use super::chain::{CHAINS, Chain};
use super::money::MicroUsd;
use crate::signing::SERVICE;
use crate::term;
#[cfg(test)]
use layers::{KEYS, variable};
pub(crate) use layers::{Layers, Settings};
use proxies::{Proxies, ProxyNet};
pub(crate) use url::PublicUrl;

/// Free verifications for each client and day, where payments are taken (seed, "Free allowance").
const PER_DAY: u32 = 1000;
/// The largest body that is free (SPEC 11.1).
const FREE_BODY: usize = 32_768;
/// The largest body (SPEC 11.1).
const MAX_BODY: usize = 1 << 20;

/// What was decided.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Config {
    /// Where clients come in.
    pub(crate) listen: SocketAddr,
    /// Where the operator comes in.
    pub(crate) admin: Option<SocketAddr>,
    /// What clients know; none for the address listened on.
    pub(crate) public_url: Option<PublicUrl>,
    /// The name in receipts.
    pub(crate) service: String,
    /// The signing key; none for that of the data folder.
    pub(crate) key_file: Option<PathBuf>,
    /// Public keys of before.
    pub(crate) old_keys: Vec<GivenKey>,
    /// Where the ledger is; none for that of the data folder.
    pub(crate) ledger: Option<String>,
    /// How requests are logged.
    pub(crate) log: LogFormat,
    /// Origins that `/mcp` takes besides our own.
    pub(crate) allowed_origins: Vec<String>,
    /// Hosts that `/mcp` takes besides our own.
    pub(crate) allowed_hosts: Vec<String>,
    /// Whose word about clients is taken.
    pub(crate) proxies: Proxies,
    /// What is free; none for no limit.
    pub(crate) allowance: Option<Allowance>,
    /// What one server takes.
    pub(crate) limits: Limits,
    /// What is sold; none for a free server.
    pub(crate) sale: Option<Sale>,
}

/// How requests are logged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LogFormat {
    /// A line for people.
    Text,
    /// An object a line.
    Json,
}

/// What each client may have without paying.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Allowance {
    /// Verifications a day.
    pub(crate) per_day: u32,
    /// The largest body.
    pub(crate) max_body_bytes: usize,
}

/// What one server takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Limits {
    /// The largest body of a verification.
    pub(crate) body_bytes: usize,
    /// Connections at once.
    pub(crate) connections: usize,
    /// Connections at once from one address.
    pub(crate) connections_per_address: usize,
    /// Requests worked on at once.
    pub(crate) workers: usize,
    /// Payments not settled at once.
    pub(crate) open_payments: u32,
    /// The same, of one payer.
    pub(crate) open_payments_per_payer: u32,
}

/// What is sold.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Sale {
    /// One verification.
    pub(crate) verify: MicroUsd,
    /// One score.
    pub(crate) score: MicroUsd,
    /// Where it is paid; at least one.
    pub(crate) networks: Vec<Network>,
    /// Whether test networks were to be refused.
    pub(crate) mainnet: bool,
}

/// A chain on which we are paid.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Network {
    /// The chain.
    pub(crate) chain: &'static Chain,
    /// Our wallet.
    pub(crate) pay_to: String,
    /// Who verifies and settles, the first preferred; at least one.
    pub(crate) facilitators: Vec<String>,
    /// The key for facilitators of Coinbase.
    pub(crate) cdp_key_file: Option<PathBuf>,
    /// Who proves settlements whose end is unknown (X402 rule 11).
    pub(crate) rpc_url: Option<String>,
}

impl Config {
    /// Decides, or lists everything that is wrong.
    pub(crate) fn decide(settings: Settings) -> Result<Self, Vec<String>> {
        let mut decision = Decision::default();
        let config = decision.config(settings);
        if decision.problems.is_empty() { Ok(config) } else { Err(decision.problems) }
    }

    /// As the file that would say the same.
    pub(crate) fn to_toml(&self) -> String {
        print::toml(self)
    }

    /// What clients know, once it is clear where we listen.
    pub(crate) fn public_url(&self, listening: SocketAddr) -> Result<PublicUrl, String> {
        match &self.public_url {
            Some(url) => Ok(url.clone()),
            None => PublicUrl::parse(&format!("http://{listening}"))
                .map_err(|problem| format!("public_url {problem}")),
        }
    }
}

/// Problems found so far.
#[derive(Debug, Default)]
struct Decision {
    problems: Vec<String>,
}

impl Decision {
    fn problem(&mut self, problem: impl Into<String>) {
        self.problems.push(problem.into());
    }

    fn config(&mut self, settings: Settings) -> Config {
        let listen = self
            .address("listen", settings.listen.as_deref())
            .unwrap_or_else(|| SocketAddr::from(([127, 0, 0, 1], 8402)));
        let admin = self.address("admin", settings.admin.as_deref());
        let public_url = settings.public_url.as_deref().and_then(|text| {
            PublicUrl::parse(text).map_err(|it| self.problem(format!("public_url {it}"))).ok()
        });
        if settings.public_url.is_none() && !listen.ip().is_loopback() {
            self.problem(
                "public_url is missing: whoever listens on more than this machine has to say under \
                 which https:// address clients find the service, since receipts carry it",
            );
        }
        let service = self.service(settings.service.clone());
        let sale = self.sale(&settings);
        if sale.is_some() && settings.public_url.is_none() && !listen.ip().is_loopback() {
            self.problem("networks need public_url: payment requirements name it");
        }
        let allowance = self.allowance(&settings, sale.is_some());
        Config {
            listen,
            admin,
            public_url,
            service,
            key_file: settings.key_file.map(PathBuf::from),
            old_keys: self.old_keys(&settings.old_keys.unwrap_or_default()),
            ledger: settings.ledger,
            log: match settings.log.as_deref() {
                None | Some("text") => LogFormat::Text,
                Some("json") => LogFormat::Json,
                Some(_) => {
                    self.problem("log is neither \"text\" nor \"json\"");
                    LogFormat::Text
                }
            },
            allowed_origins: self.origins(settings.allowed_origins.unwrap_or_default()),
            allowed_hosts: settings.allowed_hosts.unwrap_or_default(),
            proxies: Proxies {
                trusted: self.trusted(&settings.trusted_proxies.unwrap_or_default()),
                rfc_7239: match settings.proxy_field.as_deref() {
                    None | Some("x-forwarded-for") => false,
                    Some("forwarded") => true,
                    Some(_) => {
                        self.problem(
                            "proxy_field is neither \"x-forwarded-for\" nor \"forwarded\"",
                        );
                        false
                    }
                },
            },
            allowance,
            limits: self.limits(&settings.limits),
            sale,
        }
    }

    fn address(&mut self, key: &str, text: Option<&str>) -> Option<SocketAddr> {
        let text = text?;
        let address = text.parse().ok();
        if address.is_none() {
            self.problem(format!("{key} is not an address with a port, such as 127.0.0.1:8402"));
        }
        address
    }

    fn service(&mut self, name: Option<String>) -> String {
        let name = name.unwrap_or_else(|| SERVICE.to_owned());
        // Payment requirements carry it, and X402 §2.2 allows no more.
        let fits = (1..=32).contains(&name.len())
            && name.bytes().all(|byte| byte == b' ' || byte.is_ascii_graphic());
        if !fits {
            self.problem("service is not 1 to 32 printable ASCII characters");
        }
        name
    }

    fn old_keys(&mut self, lines: &[String]) -> Vec<GivenKey> {
        let mut keys: Vec<GivenKey> = Vec::new();
        for (at, line) in lines.iter().enumerate() {
            match GivenKey::from_text(line) {
                Ok(key) if key.version.is_none() => self.problem(format!(
                    "old_keys[{at}] has no version; write the line that aov keygen printed, aov-public-key-v1:VERSION:KEY"
                )),
                Ok(key) if keys.iter().any(|other| other.version == key.version) => {
                    self.problem(format!("old_keys[{at}] has the version of another"));
                }
                Ok(key) => keys.push(key),
                Err(error) => self.problem(format!("old_keys[{at}]: {error}")),
            }
        }
        keys
    }

    fn origins(&mut self, origins: Vec<String>) -> Vec<String> {
        for (at, origin) in origins.iter().enumerate() {
            let rest = origin.split_once("://").map(|(_, rest)| rest);
            if rest.is_none_or(|rest| rest.is_empty() || rest.contains(['/', '*', ' '])) {
                self.problem(format!("allowed_origins[{at}] is not like https://host"));
            }
        }
        origins
    }

    fn trusted(&mut self, nets: &[String]) -> Vec<ProxyNet> {
        let mut trusted = Vec::new();
        for (at, text) in nets.iter().enumerate() {
            match ProxyNet::parse(text) {
                Some(net) => trusted.push(net),
                None => self.problem(format!(
                    "trusted_proxies[{at}] is not an address or a network such as 10.0.0.0/8"
                )),
            }
        }
        trusted
    }

    fn allowance(&mut self, settings: &Settings, sells: bool) -> Option<Allowance> {
        let body_bytes = settings.limits.body_bytes.unwrap_or(MAX_BODY);
        let given = settings.allowance.max_body_bytes;
        if !sells {
            // Without a price there is nowhere to send who has used up an allowance, or brings a
            // large body: a limit is one that the operator wants.
            if settings.allowance.per_day == Some(0) {
                self.problem("allowance.per_day = 0 without networks would serve nobody");
            }
            if given.is_some() {
                self.problem("allowance.max_body_bytes needs networks: there is nothing to pay for a larger body with; see limits.body_bytes");
            }
            let per_day = settings.allowance.per_day?;
            return Some(Allowance { per_day, max_body_bytes: body_bytes });
        }
        Some(Allowance {
            per_day: settings.allowance.per_day.unwrap_or(PER_DAY),
            max_body_bytes: given.unwrap_or(FREE_BODY),
        })
    }

    fn limits(&mut self, settings: &layers::LimitSettings) -> Limits {
        let processors = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let mut number =
            |key: &str, given: Option<usize>, default, range: std::ops::RangeInclusive<usize>| {
                let value = given.unwrap_or(default);
                if !range.contains(&value) {
                    let (least, most) = (range.start(), range.end());
                    self.problem(format!("limits.{key} is not from {least} to {most}"));
                }
                value
            };
        let size = |number: Option<u32>| number.and_then(|it| usize::try_from(it).ok());
        Limits {
            body_bytes: number("body_bytes", settings.body_bytes, MAX_BODY, 1024..=64 << 20),
            connections: number("connections", settings.connections, 512, 1..=100_000),
            connections_per_address: number(
                "connections_per_address",
                settings.connections_per_address,
                128,
                1..=100_000,
            ),
            workers: number("workers", settings.workers, (processors * 4).max(8), 1..=1024),
            open_payments: u32::try_from(number(
                "open_payments",
                size(settings.open_payments),
                256,
                1..=100_000,
            ))
            .unwrap_or(u32::MAX),
            open_payments_per_payer: u32::try_from(number(
                "open_payments_per_payer",
                size(settings.open_payments_per_payer),
                8,
                1..=100_000,
            ))
            .unwrap_or(u32::MAX),
        }
    }

    fn sale(&mut self, settings: &Settings) -> Option<Sale> {
        let mainnet = settings.mainnet.unwrap_or(false);
        let prices = &settings.prices;
        if settings.networks.is_empty() {
            if prices.verify.is_some() || prices.score.is_some() {
                self.problem("prices without networks: nobody could pay; add [[networks]] or remove the prices");
            }
            if mainnet {
                self.problem("mainnet without networks: nothing is sold");
            }
            return None;
        }
        let verify = self.price("prices.verify", prices.verify.as_deref(), "0.02");
        let score = self.price("prices.score", prices.score.as_deref(), "0.01");
        let mut networks: Vec<Network> = Vec::new();
        for (at, given) in settings.networks.iter().enumerate() {
            let Some(network) = self.network(&format!("networks[{at}]"), given, mainnet) else {
                continue;
            };
            if networks.iter().any(|other| other.chain == network.chain) {
                self.problem(format!("networks[{at}] stands there twice: {}", network.chain.id));
            }
            networks.push(network);
        }
        Some(Sale { verify, score, networks, mainnet })
    }

    fn price(&mut self, key: &str, given: Option<&str>, default: &str) -> MicroUsd {
        let price = MicroUsd::parse(given.unwrap_or(default));
        match price {
            Some(MicroUsd(0)) => {
                self.problem(format!("{key} is 0; what costs nothing is not sold"))
            }
            None => self.problem(format!("{key} is no price in dollars, such as \"0.02\"")),
            Some(_) => {}
        }
        price.unwrap_or(MicroUsd(0))
    }

    fn network(
        &mut self,
        at: &str,
        given: &layers::NetworkSettings,
        mainnet: bool,
    ) -> Option<Network> {
        let Some(chain) = Chain::of(&given.network) else {
            let ids: Vec<_> = CHAINS.iter().map(|chain| chain.id).collect();
            self.problem(format!("{at}.network is none of {}", ids.join(", ")));
            return None;
        };
        if chain.test && mainnet {
            self.problem(format!(
                "{at}.network is {}, where money is worth nothing, and mainnet is set",
                chain.name
            ));
        }
        if let Err(problem) = chain.check_address(&given.pay_to) {
            self.problem(format!("{at}.pay_to {problem}"));
        }
        if given.facilitators.is_empty() {
            self.problem(format!(
                "{at}.facilitators is missing: name who verifies and settles payments on {}",
                chain.name
            ));
        }
        let mut address = |key: &str, text: &str| match url::service_url(text) {
            Ok(text) => text,
            Err(problem) => {
                self.problem(format!("{at}.{key} {problem}"));
                String::new()
            }
        };
        let facilitators =
            given.facilitators.iter().map(|text| address("facilitators", text)).collect();
        let rpc_url = given.rpc_url.as_deref().map(|text| address("rpc_url", text));
        let cdp_key_file = given.cdp_key_file.as_ref().map(PathBuf::from);
        if let Some(path) = cdp_key_file.as_ref().filter(|path| !path.is_file()) {
            self.problem(format!("{at}.cdp_key_file: there is no file {}", term::safe_path(path)));
        }
        Some(Network { chain, pay_to: given.pay_to.clone(), facilitators, cdp_key_file, rpc_url })
    }
}

#[cfg(test)]
mod tests;
