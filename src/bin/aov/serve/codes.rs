//! Every error code, in one table: the server's own documents are made from it, and a test holds the
//! code of the server to it.

/// One code.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Code {
    /// The code.
    pub(crate) code: &'static str,
    /// Its HTTP status.
    pub(crate) status: u16,
    /// Whether the same request can succeed later.
    pub(crate) retryable: bool,
    /// When it comes, and what to do.
    pub(crate) meaning: &'static str,
}

const fn code(code: &'static str, status: u16, retryable: bool, meaning: &'static str) -> Code {
    Code { code, status, retryable, meaning }
}

/// All but those of payments.
pub(crate) const CODES: &[Code] = &[
    code(
        "invalid_request",
        422,
        false,
        "The request has a fault; fields lists every one, with its fix. Mend them and send it again.",
    ),
    code(
        "pattern_too_costly",
        422,
        false,
        "A pattern of expected_schema needs too many steps; there is no verdict. Write a simpler one.",
    ),
    code(
        "schema_too_costly",
        422,
        false,
        "expected_schema can only be evaluated at unreasonable cost; there is no verdict. Write a simpler one.",
    ),
    code("not_found", 404, false, "There is no such path; /llms.txt lists those there are."),
    code(
        "method_not_allowed",
        405,
        false,
        "The path takes other methods; the Allow header lists them.",
    ),
    code("not_acceptable", 406, false, "The Accept header excludes application/json. Allow it."),
    code(
        "unsupported_media_type",
        415,
        false,
        "The body is not sent as application/json without an encoding. Send it so.",
    ),
    code("payload_too_large", 413, false, "The body is longer than limit_bytes. Send less."),
    code(
        "rate_limited",
        429,
        true,
        "Today's free checks of this address are used up, and this server sells none. Wait for retry_after.",
    ),
    code(
        "ledger_unavailable",
        503,
        true,
        "The server's ledger does not answer. Nothing was checked.",
    ),
    code("unavailable", 503, true, "The server is busy or shutting down. Try again."),
    code("internal_error", 500, false, "A fault in the server. Tell its operator."),
    code(
        "no_agreement",
        500,
        false,
        "The two ways in which the server evaluates schemas disagree, so there is no verdict. Tell its operator.",
    ),
    code(
        "bad_request",
        400,
        false,
        "The request breaks the rules of HTTP. The connection is closed.",
    ),
    code("head_too_large", 431, false, "The header fields are too long or too many."),
    code("request_timeout", 408, true, "The request did not arrive in time."),
    code(
        "expectation_failed",
        417,
        false,
        "The Expect header asks for something else than 100-continue.",
    ),
    code("not_implemented", 501, false, "A transfer coding other than chunked."),
    code("unsupported_version", 505, false, "Another version of HTTP than 1.0 and 1.1."),
];

/// Those of payments. With the status 402 the body is the PaymentRequired object of x402 instead.
pub(crate) const PAYMENT_CODES: &[Code] = &[
    code(
        "invalid_payload",
        400,
        false,
        "The Payment-Signature header is not one base64 JSON object of x402 v2. Nothing was charged.",
    ),
    code(
        "invalid_x402_version",
        400,
        false,
        "The payment is of another version than 2. Nothing was charged.",
    ),
    code(
        "payment_already_used",
        409,
        false,
        "The payment was used for another request. Sign a new one.",
    ),
    code(
        "payment_in_progress",
        409,
        true,
        "The same payment is being worked on. Send the same request with the same payment again.",
    ),
    code(
        "invalid_payment_identifier",
        400,
        false,
        "The id of the extension payment-identifier is not one. Nothing was charged.",
    ),
    code(
        "too_many_open_payments",
        503,
        true,
        "Too many payments are being worked on. Nothing was charged.",
    ),
    code(
        "payments_unavailable",
        503,
        true,
        "No facilitator answers, so payments cannot be taken now. Nothing was charged.",
    ),
    code(
        "facilitator_unavailable",
        503,
        true,
        "Payments cannot be verified now. Nothing was charged.",
    ),
    code(
        "settlement_unknown",
        504,
        true,
        "It is not known whether the payment went through (charged is null). Send the same request with the same payment again; never sign a new one.",
    ),
];

/// All.
pub(crate) fn all() -> impl Iterator<Item = &'static Code> {
    CODES.iter().chain(PAYMENT_CODES)
}

/// The table in Markdown.
pub(crate) fn markdown(codes: &[Code]) -> String {
    let mut out = "| code | status | retryable | meaning |\n|---|---|---|---|\n".to_owned();
    for Code { code, status, retryable, meaning } in codes {
        let retryable = if *retryable { "yes" } else { "no" };
        out.push_str(&format!("| `{code}` | {status} | {retryable} | {meaning} |\n"));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_stands_there_once() {
        let mut codes: Vec<_> = all().map(|code| code.code).collect();
        codes.sort_unstable();
        let count = codes.len();
        codes.dedup();
        assert_eq!(codes.len(), count);
    }

    /// Where the README has the table, it is this one.
    #[test]
    fn the_readme_has_the_same_table() {
        let readme = include_str!("../../../../README.md");
        let head = markdown(&[]);
        if readme.contains(&*head) {
            for code in all() {
                let row = markdown(&[*code]);
                let row = row.strip_prefix(&*head).unwrap();
                assert!(readme.contains(row), "the README lacks {row}");
            }
        }
    }

    /// Every `Problem::new("code", status` of the server's sources is in the table as it stands there.
    #[test]
    fn the_table_holds_every_code_that_the_server_uses() {
        fn visit(folder: &std::path::Path, found: &mut Vec<(String, String)>) {
            for entry in std::fs::read_dir(folder).unwrap().flatten() {
                let path = entry.path();
                if path.is_dir() {
                    visit(&path, found);
                } else if path.extension().is_some_and(|it| it == "rs")
                    && !path.ends_with("codes.rs")
                {
                    let text = std::fs::read_to_string(&path).unwrap();
                    for piece in text.split("Problem::new(").skip(1) {
                        let mut words = piece.trim_start().splitn(3, ',');
                        let (Some(code), Some(status)) = (words.next(), words.next()) else {
                            continue;
                        };
                        if let Some(code) =
                            code.strip_prefix('"').and_then(|it| it.strip_suffix('"'))
                        {
                            found.push((code.to_owned(), status.trim().to_owned()));
                        }
                    }
                }
            }
        }
        let mut found = Vec::new();
        visit(
            std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/src/bin/aov/serve")),
            &mut found,
        );
        assert!(found.len() > 5, "{found:?}");
        for (name, status) in found {
            let listed = all().find(|code| code.code == name);
            let listed = listed.unwrap_or_else(|| panic!("{name} is not in the table"));
            if let Ok(status) = status.parse::<u16>() {
                assert_eq!(listed.status, status, "{name}");
            }
        }
    }
}
