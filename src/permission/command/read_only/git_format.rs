//! The closed form of git's formats: what each field prints is known, and none of them starts a program.
//!
//! `%G?` and `%(signature)` ask another program about a signature, and `%(raw)` prints a file where a tag names one.

use super::table::ParsedOptions;

/// Formats that git brings.
const NAMED: &[&str] = &[
    "email",
    "full",
    "fuller",
    "mboxrd",
    "medium",
    "oneline",
    "raw",
    "reference",
    "short",
];
/// Fields in parentheses, without what stands behind a colon; a `*` before one means what a tag points to.
const IN_PARENTHESES: &[&str] = &[
    "HEAD",
    "align",
    "author",
    "authordate",
    "authoremail",
    "authorname",
    "body",
    "color",
    "committer",
    "committerdate",
    "committeremail",
    "committername",
    "contents",
    "creator",
    "creatordate",
    "decorate",
    "describe",
    "else",
    "end",
    "if",
    "numparent",
    "objectname",
    "objectsize",
    "objecttype",
    "parent",
    "push",
    "refname",
    "subject",
    "symref",
    "tag",
    "tagger",
    "taggerdate",
    "taggeremail",
    "taggername",
    "then",
    "trailers",
    "tree",
    "upstream",
    "version",
    "worktreepath",
];
/// Fields of two letters by their first one.
const OF_TWO_LETTERS: &[(char, &str)] = &[('a', "nNeElLdDrtiIsh"), ('c', "nNeElLdDrtiIsh"), ('g', "dDnNeEs")];

/// Returns true if every format, sort key and group of a command is understood.
pub(super) fn has_known_formats(parsed: &ParsedOptions<'_>) -> bool {
    let is_group = |group: &str| matches!(group, "author" | "committer") || is_known(group, true);
    parsed
        .values(&["format", "pretty"])
        .all(|format| is_known(format, false))
        && parsed.values(&["group"]).all(is_group)
        && parsed.values(&["sort"]).all(is_sort_key)
}

fn is_known(format: &str, has_to_begin: bool) -> bool {
    let text = match format.strip_prefix("format:") {
        Some(text) => text,
        None if has_to_begin => return false,
        None => format.strip_prefix("tformat:").unwrap_or(format),
    };
    if !text.contains('%') {
        return text.is_empty() || NAMED.contains(&format);
    }
    let mut rest = text;
    while let Some(at) = rest.find('%') {
        match behind_field(&rest[at + 1..]) {
            Some(behind) => rest = behind,
            None => return false,
        }
    }
    true
}

/// Returns the text behind the field that this one begins with, after its `%`; `None` where the field is not known.
fn behind_field(text: &str) -> Option<&str> {
    let text = text.strip_prefix(['+', '-', ' ']).unwrap_or(text);
    let mut chars = text.chars();
    let first = chars.next()?;
    if "%nHhTtPpdDsSfbBeNm".contains(first) {
        return Some(chars.as_str());
    }
    if let Some((_, second)) = OF_TWO_LETTERS.iter().find(|(letter, _)| *letter == first) {
        return chars
            .next()
            .is_some_and(|c| second.contains(c))
            .then_some(chars.as_str());
    }
    match first {
        'x' => {
            let is_hex = |c: char| c.is_ascii_hexdigit();
            (chars.next().is_some_and(is_hex) && chars.next().is_some_and(is_hex)).then_some(chars.as_str())
        }
        'C' => {
            let colors = ["(auto)", "reset", "red", "green", "blue"];
            let known = colors.iter().find_map(|color| chars.as_str().strip_prefix(color));
            known.or_else(|| behind_parentheses(chars.as_str(), |color| color.chars().all(is_of_a_color)))
        }
        'w' | '<' | '>' => {
            let is_measure = |text: &str| {
                text.bytes()
                    .all(|b| b.is_ascii_alphanumeric() || b", ".contains(&b))
            };
            behind_parentheses(chars.as_str().trim_start_matches(['|', '>', '<']), is_measure)
        }
        '(' => behind_parentheses(text, is_in_parentheses),
        _ => None,
    }
}

fn is_of_a_color(c: char) -> bool {
    c.is_ascii_alphanumeric() || " #,-".contains(c)
}

fn behind_parentheses(text: &str, is_known: impl Fn(&str) -> bool) -> Option<&str> {
    let (inside, behind) = text.strip_prefix('(')?.split_once(')')?;
    is_known(inside).then_some(behind)
}

fn is_in_parentheses(field: &str) -> bool {
    let field = field.strip_prefix('*').unwrap_or(field);
    let name = field.split(':').next().unwrap_or(field);
    IN_PARENTHESES.contains(&name) && !field.contains(['%', '('])
}

fn is_sort_key(key: &str) -> bool {
    let key = key.strip_prefix('-').unwrap_or(key);
    let key = key
        .strip_prefix("version:")
        .or_else(|| key.strip_prefix("v:"))
        .unwrap_or(key);
    is_in_parentheses(key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_known_one_by_one() {
        for format in [
            "oneline",
            "format:%h %an %s",
            "%C(auto)%h%Creset %<(20)%an %x09%ad%n%%G",
            "%(refname:short) %(upstream:track) %(*objectname)",
            "%(trailers:key=Signed-off-by)",
            "",
        ] {
            assert!(is_known(format, false), "{format}");
        }
        for format in [
            "mine",
            "%G?",
            "%h %+GS",
            "%(signature)",
            "%(signature:key)",
            "%(raw)",
            "%(*raw)",
            "%(if)%(raw)%(end)",
            "%(later)",
            "%C(%G?)",
            "%(refname",
            "%",
            "%xG?",
        ] {
            assert!(!is_known(format, false), "{format}");
        }
    }
}
