//! Numbers of things in words.

/// Returns `1 file`, `2 files`, `3 matches`, `4 entries`.
pub fn plural(count: usize, noun: &str) -> String {
    format!("{count} {}", noun_of(count, noun))
}

/// Returns the noun as it stands behind a number: `file` behind 1, `files` behind any other.
pub fn noun_of(count: usize, noun: &str) -> String {
    let stem = noun.strip_suffix('y').filter(|stem| !stem.ends_with(['a', 'o']));
    match (count, stem) {
        (1, _) => noun.to_owned(),
        (_, Some(stem)) => format!("{stem}ies"),
        (_, None) if noun.ends_with("ch") => format!("{noun}es"),
        (_, None) => format!("{noun}s"),
    }
}

/// Returns a number in groups of three digits: `3,012`.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_noun_agrees_with_the_number() {
        let words = [plural(1, "entry"), plural(0, "entry"), plural(2, "match")];
        assert_eq!(words, ["1 entry", "0 entries", "2 matches"]);
        let words = [plural(1, "file"), plural(3, "file"), plural(2, "day")];
        assert_eq!(words, ["1 file", "3 files", "2 days"]);
    }

    #[test]
    fn digits_stand_in_threes() {
        let words = [7, 999, 1000, 1_234_567].map(grouped);
        assert_eq!(words, ["7", "999", "1,000", "1,234,567"]);
    }
}
