//! The revisions of git that are understood by their letters: a closed form.
//!
//! Left out are a date, a message or a search in a reflog or a history (`@{yesterday}`, `:/text`, `^{/text}`), whose
//! meaning depends on the clock and the locale, and kinds of objects (`^{tree}`).

/// Ranges of commits that a command may be given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ranges {
    None,
    /// `A..B` and `A...B`.
    OfLog,
    /// These, and `A^!`, `A^@`, `A^-`.
    OfDiff,
}

/// Returns true if a word is a name, a hash or a path, where git has no other meaning for it than these letters say: with
/// steps to ancestors (`~2`, `^`), and entries of a reflog by their number (`@{1}`).
pub(super) fn is_understood(word: &str, ranges: Ranges) -> bool {
    match word.split_once("...").or_else(|| word.split_once("..")) {
        // A path that leads up.
        Some(("", rest)) if rest.is_empty() || rest.starts_with('/') => true,
        Some((before, rest)) if before.ends_with('/') && rest.starts_with('/') => true,
        Some((from, to)) => {
            let is_end = |end: &str| end.is_empty() || is_revision(end) && !end.contains("..");
            ranges != Ranges::None && is_end(from) && is_end(to)
        }
        None if ranges == Ranges::OfDiff => {
            let ends = ["^!", "^@", "^-"].iter();
            is_revision(ends.fold(word, |word, end| word.strip_suffix(end).unwrap_or(word)))
        }
        None => is_revision(word),
    }
}

fn is_revision(word: &str) -> bool {
    let is_step = |(at, c): &(usize, char)| match c {
        '^' | '~' => true,
        '@' => word[at + 1..].starts_with('{'),
        _ => false,
    };
    let at = word.char_indices().find(is_step).map_or(word.len(), |(at, _)| at);
    let (name, mut steps) = word.split_at(at);
    if name.contains(['{', '}']) || name.is_empty() && !steps.starts_with('@') {
        return false;
    }
    while !steps.is_empty() {
        let rest = if let Some(entry) = steps.strip_prefix("@{") {
            let entry = entry.split_once('}');
            let entry = entry.filter(|(number, _)| is_entry(number.strip_prefix('-').unwrap_or(number)));
            entry.map(|(_, rest)| rest)
        } else {
            let rest = steps.strip_prefix(['^', '~']);
            rest.map(|rest| rest.trim_start_matches(|c: char| c.is_ascii_digit()))
        };
        let Some(rest) = rest else { return false };
        steps = rest;
    }
    true
}

/// A longer number is a time.
fn is_entry(text: &str) -> bool {
    (1..=6).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_steps_and_numbers_are_understood() {
        for word in [
            "HEAD",
            "@",
            "a/b.c",
            "HEAD~2",
            "HEAD^2~1",
            "@^",
            "@{1}",
            "stash@{0}",
            "HEAD@{2}^",
            "../a",
            "..",
            "a/../b",
            "user@host",
        ] {
            assert!(is_understood(word, Ranges::None), "{word}");
        }
        for word in [
            "",
            "^HEAD",
            "@{yesterday}",
            "@{1700000000}",
            "HEAD@{2026-11-02 13",
            "HEAD^{tree}",
            "HEAD^{/x}",
            "HEAD~x",
            "a{b}",
            "A..B",
            "A..",
            "..B",
            "HEAD^!",
            "HEAD^@",
        ] {
            assert!(!is_understood(word, Ranges::None), "{word}");
        }
    }

    #[test]
    fn ranges_have_two_ends() {
        for word in ["A..B", "A...B", "A~1..B^2", "A..", "..B"] {
            assert!(is_understood(word, Ranges::OfLog), "{word}");
        }
        for word in ["A..B..C", "A..^B", "A@{now}..B", "HEAD^!"] {
            assert!(!is_understood(word, Ranges::OfLog), "{word}");
        }
        for word in ["HEAD^!", "HEAD^@", "HEAD~2^-"] {
            assert!(is_understood(word, Ranges::OfDiff), "{word}");
        }
        assert!(!is_understood("^!", Ranges::OfDiff));
    }
}
