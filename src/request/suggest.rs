//! "Did you mean": the known name that an unknown one is most like.

/// The nearest of `known`, if it is near enough to be a slip of the fingers.
pub(crate) fn nearest<'k>(name: &str, known: &[&'k str]) -> Option<&'k str> {
    // What is much longer than any field is no slip; distances are quadratic.
    if name.len() > 64 {
        return None;
    }
    let lower = name.to_lowercase();
    let allowed = 2.max(lower.chars().count() / 3);
    known
        .iter()
        .map(|candidate| (distance(&lower, candidate), *candidate))
        .filter(|(distance, _)| *distance <= allowed)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// Levenshtein distance in code points.
fn distance(left: &str, right: &str) -> usize {
    let right: Vec<char> = right.chars().collect();
    let mut previous: Vec<usize> = (0..=right.len()).collect();
    for (row, a) in left.chars().enumerate() {
        let mut current = vec![row + 1];
        for (column, b) in right.iter().enumerate() {
            let change = previous[column] + usize::from(a != *b);
            current.push(change.min(previous[column + 1] + 1).min(current[column] + 1));
        }
        previous = current;
    }
    previous[right.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_find_their_name() {
        let known = ["enforce_rules", "rules", "bounds", "equals_field", "equals"];
        assert_eq!(nearest("enforce_rule", &known), Some("enforce_rules"));
        assert_eq!(nearest("enforceRules", &known), Some("enforce_rules"));
        assert_eq!(nearest("Bound", &known), Some("bounds"));
        assert_eq!(nearest("equal_field", &known), Some("equals_field"));
        assert_eq!(nearest("comment", &known), None);
    }
}
