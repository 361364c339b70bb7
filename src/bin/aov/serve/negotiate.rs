//! Media types: what a client sends, and what it takes.

use super::http::Fields;
use super::problem::Problem;

/// Whether a body may be read as JSON: no type, or `application/json` in UTF-8 (RFC 8259 §8.1),
/// and no encoding.
pub(crate) fn sends_json(fields: &Fields) -> Result<(), Problem> {
    let refused = || {
        Problem::new(
            "unsupported_media_type",
            415,
            "The body is not sent as JSON. Nothing was charged; send it with Content-Type: \
             application/json, in UTF-8 and without Content-Encoding.",
        )
        .action("send_json")
    };
    let encoded = fields.all("content-encoding").flat_map(|it| it.split(','));
    if encoded.map(str::trim).any(|it| !it.is_empty() && !it.eq_ignore_ascii_case("identity")) {
        return Err(refused());
    }
    let mut types = fields.all("content-type");
    match (types.next(), types.next()) {
        (None, _) => Ok(()),
        (Some(media_type), None) if is_json(media_type) => Ok(()),
        _ => Err(refused()),
    }
}

fn is_json(media_type: &str) -> bool {
    let mut parts = media_type.split(';').map(str::trim);
    let name = parts.next().unwrap_or_default().to_ascii_lowercase();
    let json = name == "application/json"
        || name.strip_prefix("application/").is_some_and(|rest| rest.ends_with("+json"));
    let other_charset = |parameter: &str| {
        let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
        name.trim().eq_ignore_ascii_case("charset")
            && !value.trim().trim_matches('"').eq_ignore_ascii_case("utf-8")
            && !value.trim().trim_matches('"').eq_ignore_ascii_case("us-ascii")
    };
    json && !parts.any(other_charset)
}

/// Whether a client takes JSON (RFC 9110 §12.5.1): it does unless it says otherwise.
pub(crate) fn takes_json(fields: &Fields) -> Result<(), Problem> {
    if accepts(fields, "application", "json") {
        return Ok(());
    }
    Err(Problem::new(
        "not_acceptable",
        406,
        "The answer is JSON, which the Accept header excludes. Nothing was charged; allow \
         application/json.",
    )
    .action("accept_json"))
}

/// The most specific range that matches decides.
fn accepts(fields: &Fields, kind: &str, subtype: &str) -> bool {
    let ranges = fields.all("accept").flat_map(|it| it.split(','));
    let mut ranges = ranges.map(str::trim).filter(|it| !it.is_empty()).peekable();
    if ranges.peek().is_none() {
        return true;
    }
    let mut best: Option<(u8, bool)> = None;
    for range in ranges {
        let mut parts = range.split(';').map(str::trim);
        let name = parts.next().unwrap_or_default().to_ascii_lowercase();
        let rank = match name.split_once('/') {
            Some((a, b)) if a == kind && b == subtype => 3,
            Some((a, "*")) if a == kind => 2,
            Some(("*", "*")) => 1,
            _ => continue,
        };
        let mut quality = parts.filter_map(|it| it.split_once('='));
        let quality = quality.find(|(name, _)| name.trim().eq_ignore_ascii_case("q"));
        let wanted =
            quality.is_none_or(|(_, value)| value.trim().parse().is_ok_and(|q: f32| q > 0.0));
        if best.is_none_or(|(at, _)| rank >= at) {
            best = Some((rank, wanted));
        }
    }
    best.is_some_and(|(_, wanted)| wanted)
}

/// Whether a client takes gzip.
pub(crate) fn takes_gzip(fields: &Fields) -> bool {
    let codings = fields.all("accept-encoding").flat_map(|it| it.split(','));
    codings.map(str::trim).any(|coding| {
        let (name, weight) = coding.split_once(';').unwrap_or((coding, "q=1"));
        let quality = weight.trim().strip_prefix("q=").and_then(|it| it.trim().parse::<f32>().ok());
        name.trim().eq_ignore_ascii_case("gzip") && quality.is_some_and(|quality| quality > 0.0)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(name: &str, values: &[&str]) -> Fields {
        let mut fields = Fields::default();
        for value in values {
            fields.add(name, *value);
        }
        fields
    }

    #[test]
    fn json_is_what_is_sent() {
        for good in [
            &[][..],
            &["application/json"],
            &["Application/JSON; Charset=\"UTF-8\""],
            &["application/vnd.api+json"],
        ] {
            assert!(sends_json(&fields("content-type", good)).is_ok(), "{good:?}");
        }
        for bad in [
            &["text/plain"][..],
            &["application/x-www-form-urlencoded"],
            &["application/json; charset=utf-16"],
            &["application/jsonp"],
            &["application/json", "application/json"],
            &[""],
        ] {
            assert_eq!(
                sends_json(&fields("content-type", bad)).unwrap_err().status,
                415,
                "{bad:?}"
            );
        }
        assert!(sends_json(&fields("content-encoding", &["gzip"])).is_err());
        assert!(sends_json(&fields("content-encoding", &["identity"])).is_ok());
    }

    #[test]
    fn json_is_what_is_taken_unless_it_is_excluded() {
        for good in [
            &[][..],
            &["*/*"],
            &["application/*"],
            &["text/html, application/json;q=0.1"],
            &["text/html", "*/*;q=0.8"],
            &["application/json;q=1, */*;q=0"],
        ] {
            assert!(takes_json(&fields("accept", good)).is_ok(), "{good:?}");
        }
        for bad in [
            &["text/html"][..],
            &["application/json;q=0, */*"],
            &["application/xml, text/*"],
            &["application/json;q=nonsense"],
        ] {
            assert_eq!(takes_json(&fields("accept", bad)).unwrap_err().status, 406, "{bad:?}");
        }
    }

    #[test]
    fn gzip_is_sent_to_who_asks() {
        assert!(takes_gzip(&fields("accept-encoding", &["br, gzip;q=0.5"])));
        assert!(!takes_gzip(&fields("accept-encoding", &["gzip;q=0"])));
        assert!(!takes_gzip(&fields("accept-encoding", &[])));
    }
}
