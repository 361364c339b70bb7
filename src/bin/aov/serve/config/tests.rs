use super::*;

const PAY_TO: &str = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";

fn decide(text: &str) -> Result<Config, Vec<String>> {
    let mut layers = Layers::default();
    layers.file("aov.toml".as_ref(), text).map_err(|problem| vec![problem])?;
    Config::decide(layers.settings().unwrap())
}

fn problems(text: &str) -> String {
    decide(text).unwrap_err().join("\n")
}

fn network(more: &str) -> String {
    format!(
        "[[networks]]\nnetwork = 'eip155:8453'\npay_to = '{PAY_TO}'\nfacilitators = ['https://f.example']\n{more}"
    )
}

#[test]
fn without_anything_it_is_free_and_local() {
    let config = decide("").unwrap();
    assert_eq!(config.listen.to_string(), "127.0.0.1:8402");
    assert_eq!((&config.sale, config.allowance, config.admin), (&None, None, None));
    assert_eq!(config.limits.body_bytes, 1_048_576);
    assert_eq!(config.service, "aov");
    let url = config.public_url("127.0.0.1:4711".parse().unwrap()).unwrap();
    assert_eq!(url.as_str(), "http://127.0.0.1:4711");
}

#[test]
fn with_a_network_it_sells_at_the_usual_prices() {
    let config = decide(&network("")).unwrap();
    let sale = config.sale.unwrap();
    assert_eq!((sale.verify.0, sale.score.0), (20_000, 10_000));
    assert_eq!(sale.networks[0].chain.name, "Base");
    let allowance = config.allowance.unwrap();
    assert_eq!((allowance.per_day, allowance.max_body_bytes), (1000, 32_768));
}

#[test]
fn each_layer_covers_the_one_below() {
    let mut layers = Layers::default();
    layers
        .file(
            "aov.toml".as_ref(),
            "service = 'file'\nlog = 'json'\n[limits]\nworkers = 3\nconnections = 7\n[allowance]\nper_day = 1",
        )
        .unwrap();
    let environment = [
        ("AOV_SERVICE", "environment"),
        ("AOV_ALLOWANCE_PER_DAY", "2"),
        ("AOV_TRUSTED_PROXIES", "10.0.0.1, fd00::/8"),
        ("AOV_SECRET_KEY", "a secret"),
        ("AOV_PORT", "tcp://10.0.0.1:80"),
        ("HOME", "/root"),
    ];
    let environment = environment.map(|(name, value)| (name.into(), value.into()));
    let unknown = layers.environment(environment.into_iter(), &["AOV_SECRET_KEY"]).unwrap();
    assert_eq!(unknown, ["AOV_PORT"]);
    layers.flag("allowance.per_day", "3").unwrap();
    layers.flag("limits.workers", "4").unwrap();
    let config = Config::decide(layers.settings().unwrap()).unwrap();
    assert_eq!(config.service, "environment");
    assert_eq!(config.log, LogFormat::Json);
    assert_eq!(config.allowance.unwrap().per_day, 3);
    assert_eq!((config.limits.workers, config.limits.connections), (4, 7));
    assert_eq!(config.proxies.trusted.len(), 2);
}

#[test]
fn networks_can_come_from_a_variable() {
    let mut layers = Layers::default();
    let value = format!(
        "[{{network = 'eip155:84532', pay_to = '{PAY_TO}', facilitators = ['http://127.0.0.1:4020/']}}]"
    );
    let environment = [("AOV_NETWORKS".into(), value.into())];
    layers.environment(environment.into_iter(), &[]).unwrap();
    let config = Config::decide(layers.settings().unwrap()).unwrap();
    assert_eq!(config.sale.unwrap().networks[0].facilitators, ["http://127.0.0.1:4020"]);
}

#[test]
fn unknown_keys_and_wrong_types_are_errors_that_say_where() {
    let at = problems("listen = '127.0.0.1:1'\nlisten_on = 1");
    assert!(at.contains("aov.toml") && at.contains("line 2") && at.contains("listen_on"), "{at}");
    assert!(problems("[limits]\nworker = 1").contains("worker"));
    assert!(problems("[[networks]]\nwallet = 'x'").contains("wallet"));
    assert!(problems("mainnet = 'yes'").contains("boolean"));
    let mut layers = Layers::default();
    assert!(layers.flag("limit.workers", "4").unwrap_err().contains("no key"));
    assert!(layers.flag("limits.workers", "4\nlisten = 'x'").is_err());
    assert!(layers.flag("limits.workers", "four").unwrap_err().contains("--limits.workers"));
    let environment = [("AOV_LIMITS_WORKERS".into(), "-1".into())];
    let error = layers.environment(environment.into_iter(), &[]).unwrap_err();
    assert!(error.contains("AOV_LIMITS_WORKERS"), "{error}");
}

#[test]
fn rule_23_nothing_half_configured_starts() {
    for (text, wanted) in [
        ("[[networks]]\nnetwork = 'eip155:8453'", "pay_to"),
        ("[[networks]]\nnetwork = 'eip155:1'", "networks[0].network is none of"),
        (&network("[prices]\nverify = '0'"), "prices.verify is 0"),
        (&network("[prices]\nscore = '0.0000001'"), "prices.score is no price"),
        (&network("").replace("5aAeb", "5aaeb"), "checksum"),
        (&network("").replace("'https://f.example'", ""), "facilitators is missing"),
        (&network("").replace("https://f", "http://f"), "facilitators begins with http://"),
        (&network("cdp_key_file = '/nonexistent/key'"), "cdp_key_file"),
        (&network(&network("")), "stands there twice"),
        (&format!("mainnet = true\n{}", network("").replace("8453", "84532")), "mainnet"),
        ("mainnet = true", "nothing is sold"),
        ("[prices]\nverify = '0.02'", "nobody could pay"),
        ("listen = '0.0.0.0:8402'", "public_url is missing"),
        ("listen = 'localhost'", "listen is not an address"),
        ("public_url = 'http://verify.example'", "http://"),
        ("service = ''", "service"),
        ("service = 'a name of more than thirty-two ch.'", "service"),
        ("old_keys = ['d2IHH0/Xduci/5J8IewYmauUvgqf+gFIeCEXDwjHUhw=']", "no version"),
        ("old_keys = ['nonsense']", "old_keys[0]"),
        ("trusted_proxies = ['proxy']", "trusted_proxies[0]"),
        ("allowed_origins = ['*']", "allowed_origins[0]"),
        ("proxy_field = 'x-real-ip'", "proxy_field"),
        ("log = 'xml'", "log"),
        ("[allowance]\nper_day = 0", "serve nobody"),
        ("[allowance]\nmax_body_bytes = 1", "needs networks"),
        ("[limits]\nworkers = 0", "limits.workers"),
    ] {
        let found = problems(text);
        assert!(found.contains(wanted), "{text}: {found}");
    }
}

#[test]
fn every_problem_is_reported() {
    let found = decide("listen = 'x'\nlog = 'x'\nservice = ''\n[prices]\nscore = '1'").unwrap_err();
    assert_eq!(found.len(), 4, "{found:?}");
}

#[test]
fn what_is_printed_reads_back_as_the_same() {
    let full = format!(
        "listen = '127.0.0.1:9'\nadmin = '127.0.0.1:10'\npublic_url = 'https://v.example'\nservice = 'a \"b\"'\n\
         old_keys = ['aov-public-key-v1:v1-2026-09c:d2IHH0/Xduci/5J8IewYmauUvgqf+gFIeCEXDwjHUhw=']\n\
         key_file = '/etc/aov.key'\nledger = '/var/lib/l.sqlite'\nlog = 'json'\nmainnet = true\n\
         allowed_origins = ['https://a.example']\nallowed_hosts = ['a']\n\
         trusted_proxies = ['10.0.0.0/8']\nproxy_field = 'forwarded'\n[allowance]\nper_day = 5\n{}",
        network("rpc_url = 'https://rpc.example'\n")
    );
    for text in ["", "[allowance]\nper_day = 5", &full] {
        let config = decide(text).unwrap();
        assert_eq!(decide(&config.to_toml()).unwrap(), config, "{}", config.to_toml());
    }
}

#[test]
fn every_key_has_a_variable_and_is_one() {
    for (key, ..) in KEYS {
        let name = variable(key);
        assert!(name.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_'), "{name}");
    }
    assert_eq!(variable("limits.body_bytes"), "AOV_LIMITS_BODY_BYTES");
}
