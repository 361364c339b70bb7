//! The name that was probably meant.

/// Names longer than this are not typing errors.
const MAX_LENGTH: usize = 64;

/// The known name nearest to `name`, if one is near enough: few letters differ, or one contains the
/// other. Case and separators do not count.
pub(crate) fn nearest<'k>(name: &str, known: &[&'k str]) -> Option<&'k str> {
    if name.len() > MAX_LENGTH || name.starts_with('$') {
        return None;
    }
    let letters = letters(name);
    let distances = known.iter().map(|name| (distance(&letters, &self::letters(name)), *name));
    let near: Vec<_> = distances
        .filter(|(distance, known)| distance * 3 <= letters.len().max(known.len()))
        .collect();
    let least = near.iter().map(|(distance, _)| *distance).min();
    let mut nearest = near.iter().filter(|(distance, _)| Some(*distance) == least);
    match (nearest.next(), nearest.next()) {
        (None, _) => containing(&letters, known),
        (Some((_, name)), None) => Some(name),
        // Two that are equally near: either might be the wrong one.
        (Some(_), Some(_)) => None,
    }
}

fn letters(name: &str) -> Vec<char> {
    name.chars()
        .filter(|character| character.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect()
}

/// The only known name that contains the letters, or whose letters they contain.
fn containing<'k>(letters: &[char], known: &[&'k str]) -> Option<&'k str> {
    let contains = |long: &[char], short: &[char]| {
        short.len() >= 3 && long.windows(short.len()).any(|window| window == short)
    };
    let mut found = known.iter().filter(|candidate| {
        let candidate = self::letters(candidate);
        contains(&candidate, letters) || contains(letters, &candidate)
    });
    let only = found.next()?;
    found.next().is_none().then_some(only)
}

/// How many letters must be added, removed, changed, or swapped with their neighbour.
fn distance(left: &[char], right: &[char]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=right.len()).collect();
    for (i, a) in left.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, b) in right.iter().enumerate() {
            let mut least = (last[j] + usize::from(a != b)).min(last[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && *a == right[j - 1] && left[i - 1] == *b {
                least = least.min(before[j - 1] + 1);
            }
            row.push(least);
        }
        before = std::mem::replace(&mut last, row);
    }
    last[right.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances() {
        let of = |left: &str, right: &str| distance(&letters(left), &letters(right));
        assert_eq!(of("", "abc"), 3);
        assert_eq!(of("kitten", "sitting"), 3);
        assert_eq!(of("ab", "ba"), 1);
        assert_eq!(of("Enforce-Rules", "enforce_rules"), 0);
    }

    #[test]
    fn what_was_meant() {
        let request = &super::super::FIELDS[..];
        let rule = &super::super::RULE_FIELDS[..];
        let bound = &super::super::BOUND_FIELDS[..];
        for (name, known, expected) in [
            ("enforce_rule", request, Some("enforce_rules")),
            ("enforceRules", request, Some("enforce_rules")),
            ("ENFORCE_RULES", request, Some("enforce_rules")),
            ("bound", request, Some("bounds")),
            ("schema", request, Some("expected_schema")),
            ("output", request, Some("submitted_output")),
            ("strict", request, Some("strict_content_check")),
            ("$schema", request, None),
            ("id", request, None),
            ("comment", request, None),
            ("tolerence", rule, Some("tolerance")),
            ("equal_field", rule, Some("equals_field")),
            ("euqals", rule, Some("equals")),
            ("other", rule, Some("other_field")),
            ("ifPresent", rule, Some("if_present")),
            ("maximum", bound, Some("max")),
            ("minimum", bound, Some("min")),
            ("id", bound, None),
            ("mix", bound, None),
            ("currency", bound, None),
        ] {
            assert_eq!(nearest(name, known), expected, "{name}");
        }
    }
}
