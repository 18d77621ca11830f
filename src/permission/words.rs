//! Patterns in words, as a person reads them before one is stored.

use crate::text::sanitize::{Revealed, reveal_line};

/// Returns what an allow rule with this key and pattern would cover: ``every `touch` command``.
pub fn in_words(key: &str, pattern: &str) -> Revealed {
    let begins = pattern
        .strip_suffix('*')
        .filter(|rest| !rest.contains(['*', '?']));
    let is_exact = !pattern.contains(['*', '?']);
    let (before, named) = match (key, begins) {
        (_, Some("")) => return Revealed::own("every ").and(every(key)),
        ("bash", Some(rest)) if rest.ends_with(' ') => {
            let named = reveal_line(rest.trim_end());
            return Revealed::own("every `").and(named).and("` command");
        }
        ("bash", None) if is_exact => return Revealed::own("exactly this command"),
        ("external_directory", Some(rest)) => ("everything below ", rest),
        ("webfetch", Some(rest)) => ("every page below ", rest),
        (_, Some(rest)) => ("anything that begins with ", rest),
        ("edit" | "read" | "protected", None) if is_exact => return Revealed::own("this file"),
        ("doom_loop", None) if is_exact => ("every repeated call of ", pattern),
        (_, None) if is_exact => ("every call of ", pattern),
        (_, None) => ("anything that matches ", pattern),
    };
    Revealed::own(before).and("`").and(reveal_line(named)).and("`")
}

fn every(key: &str) -> &'static str {
    match key {
        "edit" => "edit",
        "read" => "read",
        "bash" => "command",
        "webfetch" => "page",
        "websearch" => "search",
        _ => "such call",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_is_told_by_what_it_covers() {
        for (key, pattern, words) in [
            ("edit", "*", "every edit"),
            ("bash", "touch *", "every `touch` command"),
            ("bash", "rm -rf x", "exactly this command"),
            ("read", ".env", "this file"),
            ("external_directory", "/tmp/*", "everything below `/tmp/`"),
            ("webfetch", "https://a.b/*", "every page below `https://a.b/`"),
            ("bash", "git*", "anything that begins with `git`"),
            ("bash", "a*b", "anything that matches `a*b`"),
            ("task", "explore", "every call of `explore`"),
            ("doom_loop", "read", "every repeated call of `read`"),
            ("bash", "a\u{202e}b *", "every `a⟨U+202E⟩b` command"),
        ] {
            assert_eq!(in_words(key, pattern).as_str(), words);
        }
    }
}
