//! What the name of a member says about its values. A name is a hint and never proof: what rests on
//! one is verified against every sample, or reported as a remark.

/// The words of a name in lower case: `lineTotals`, `line_totals` and `line-totals` are the same.
pub(super) fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut open = false;
    let mut previous_lower = false;
    for character in name.chars() {
        if !character.is_alphanumeric() {
            open = false;
            previous_lower = false;
            continue;
        }
        let begins = !open || (previous_lower && character.is_uppercase());
        if begins {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut() {
            word.extend(character.to_lowercase());
        }
        open = true;
        previous_lower = character.is_lowercase() || character.is_ascii_digit();
    }
    words
}

fn any(name: &str, known: &[&str]) -> bool {
    words(name).iter().any(|word| known.contains(&word.as_str()))
}

fn last(name: &str, known: &[&str]) -> bool {
    words(name).last().is_some_and(|word| known.contains(&word.as_str()))
}

/// What there is a whole number of.
const COUNTS: [&str; 24] = [
    "count", "counts", "quantity", "qty", "index", "page", "pages", "year", "port", "attempts",
    "retries", "decimals", "limit", "rank", "position", "block", "nonce", "items", "bytes",
    "chars", "words", "rows", "tokens", "results",
];

/// Whether the values are whole by nature.
pub(super) fn is_count(name: &str) -> bool {
    last(name, &COUNTS) || (any(name, &["count", "number", "num"]) && !is_amount(name))
}

/// Whether the values are money or a sum.
pub(super) fn is_amount(name: &str) -> bool {
    any(
        name,
        &[
            "amount", "price", "cost", "total", "subtotal", "sum", "tax", "vat", "fee", "fees",
            "gross", "paid", "due", "usd", "usdc", "eur", "gbp",
        ],
    )
}

/// Whether the value ought to be the sum of others.
pub(super) fn is_total(name: &str) -> bool {
    let summed = any(name, &["total", "totals", "subtotal", "sum"])
        || matches!(words(name).as_slice(), [.., a, b] if a == "amount" && b == "due");
    summed && !last(name, &COUNTS)
}

/// Whether a value below zero is as good as one above.
pub(super) fn is_signed(name: &str) -> bool {
    any(
        name,
        &[
            "lat",
            "latitude",
            "lon",
            "lng",
            "long",
            "longitude",
            "temperature",
            "temp",
            "delta",
            "change",
            "diff",
            "difference",
            "balance",
            "pnl",
            "profit",
            "loss",
            "return",
            "returns",
            "gain",
            "offset",
            "celsius",
            "fahrenheit",
            "x",
            "y",
            "z",
            "score",
            "sentiment",
            "correlation",
            "adjustment",
            "discount",
            "elevation",
            "altitude",
            "growth",
            "variance",
            "value",
            "min",
            "max",
            "low",
            "high",
            "margin",
            "bps",
            "rate",
            "net",
            "yield",
            "apr",
            "apy",
        ],
    )
}

/// Whether a value below zero makes no sense at all.
pub(super) fn is_never_negative(name: &str) -> bool {
    !is_signed(name)
        && (is_count(name)
            || any(
                name,
                &[
                    "price", "duration", "size", "length", "width", "height", "weight", "age",
                    "distance", "ms", "seconds", "minutes", "hours", "bytes",
                ],
            ))
}

/// The range that the meaning of a name gives, whole numbers inclusive.
pub(super) fn natural_range(name: &str) -> Option<(i32, i32)> {
    if last(name, &["lat", "latitude"]) {
        Some((-90, 90))
    } else if last(name, &["lon", "lng", "longitude"]) {
        Some((-180, 180))
    } else if last(name, &["confidence", "probability", "likelihood"]) {
        Some((0, 1))
    } else {
        None
    }
}

/// Whether the values name things, so that each ought to be there once. `parent` is the name of the
/// array.
pub(super) enum Identity {
    /// The thing itself: `id`, or `event_id` in `events`.
    Own,
    /// Perhaps another thing that each refers to: `customer_id` in `orders`.
    Perhaps,
}

/// See [`Identity`]; `None` for any other name.
pub(super) fn identity(name: &str, parent: &str) -> Option<Identity> {
    let words = words(name);
    let (last, rest) = words.split_last()?;
    match last.as_str() {
        "uuid" | "guid" => Some(Identity::Own),
        "id" | "sku" if rest.is_empty() => Some(Identity::Own),
        "id" | "key" | "sku" | "hash" | "number" | "no" => {
            let parent = parent.to_lowercase();
            let own = rest.iter().any(|word| word.len() > 2 && parent.starts_with(word.as_str()));
            Some(if own { Identity::Own } else { Identity::Perhaps })
        }
        _ => None,
    }
}

/// Words of which the first comes before the second in value or in time.
const ORDERED: [(&str, &str); 35] = [
    ("min", "max"),
    ("minimum", "maximum"),
    ("low", "high"),
    ("lowest", "highest"),
    ("lower", "upper"),
    ("start", "end"),
    ("starts", "ends"),
    ("started", "ended"),
    ("started", "finished"),
    ("started", "completed"),
    ("start", "finish"),
    ("begin", "end"),
    ("begins", "ends"),
    ("from", "to"),
    ("from", "until"),
    ("since", "until"),
    ("first", "last"),
    ("created", "updated"),
    ("created", "modified"),
    ("created", "completed"),
    ("created", "expires"),
    ("published", "updated"),
    ("issued", "expires"),
    ("issued", "due"),
    ("issue", "due"),
    ("issue", "expiry"),
    ("invoice", "due"),
    ("opened", "closed"),
    ("departure", "arrival"),
    ("checkin", "checkout"),
    ("submitted", "completed"),
    ("requested", "completed"),
    ("ordered", "delivered"),
    ("order", "delivery"),
    ("subtotal", "total"),
];

/// Whether the value of `low` ought not to be above that of `high`: the names are the same but for
/// one word.
pub(super) fn is_ordered_pair(low: &str, high: &str) -> bool {
    let (low, high) = (words(low), words(high));
    if low.len() != high.len() {
        // `subtotal` and `grand_total`, `issued` and `due_date` differ in more than a word.
        return matches!((low.as_slice(), high.as_slice()),
            ([low], [grand, total]) if low == "subtotal" && grand == "grand" && total == "total");
    }
    let mut different = low.iter().zip(&high).filter(|(low, high)| low != high);
    let (Some((first, second)), None) = (different.next(), different.next()) else { return false };
    let check = low.first().is_some_and(|word| word == "check");
    ORDERED.iter().any(|(low, high)| first == low && second == high)
        || (check && first == "in" && second == "out")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_fall_into_words() {
        for name in ["line_totals", "lineTotals", "line-totals", "Line Totals", "LineTotals"] {
            assert_eq!(words(name), ["line", "totals"], "{name}");
        }
        assert_eq!(words("ID"), ["id"]);
        assert_eq!(words("change24hPct"), ["change24h", "pct"]);
        assert!(words("$").is_empty() && words("").is_empty());
    }

    #[test]
    fn pairs_are_ordered_by_one_word() {
        for (low, high) in [
            ("min", "max"),
            ("min_c", "max_c"),
            ("startDate", "endDate"),
            ("created_at", "updated_at"),
            ("issue_date", "due_date"),
            ("check_in", "check_out"),
            ("subtotal", "grand_total"),
        ] {
            assert!(is_ordered_pair(low, high), "{low} {high}");
            assert!(!is_ordered_pair(high, low), "{high} {low}");
        }
        for (low, high) in [("min_c", "max_f"), ("a", "b"), ("", ""), ("log_in", "log_out")] {
            assert!(!is_ordered_pair(low, high), "{low} {high}");
        }
    }

    #[test]
    fn totals_are_not_counts() {
        assert!(is_total("total") && is_total("grandTotal") && is_total("amount_due"));
        assert!(!is_total("total_pages") && !is_total("totalCount") && !is_total("summary"));
        assert!(is_count("totalCount") && is_count("number_of_rooms") && !is_count("total"));
    }
}
