//! Patterns of rules: `*` any run of characters, `?` one, everything else literal, and the whole text must match.
//!
//! Matching never backtracks: pieces between stars are searched from left to right, each once, so a hostile pattern or
//! a megabyte of command costs time in proportion (a piece with `?` costs its length for each character). A trailing
//! ` *` also matches without arguments, and a leading `~` or `$HOME` stands for the home directory; the pattern as
//! written is tried too, because a command's text keeps its `~`.

use std::fmt;
use std::path::Path;

use serde::{Deserialize, Serialize};
use unicode_normalization::UnicodeNormalization as _;

/// A compiled pattern.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pattern {
    text: String,
    /// Any of them may match.
    globs: Vec<Glob>,
}

/// The pattern that means a class of commands instead of a text.
const READ_ONLY: &str = "@read-only";

impl Pattern {
    pub fn new(text: &str, home: Option<&Path>) -> Self {
        let mut globs = vec![Glob::new(text)];
        let expanded = home.and_then(|home| expand_home(text, home));
        globs.extend(expanded.as_deref().map(Glob::new));
        for text in [Some(text), expanded.as_deref()].into_iter().flatten() {
            globs.extend(text.strip_suffix(" *").map(Glob::new));
        }
        Self {
            text: text.to_owned(),
            globs,
        }
    }

    /// Returns true if it matches every text.
    pub fn is_everything(&self) -> bool {
        !self.text.is_empty() && self.text.bytes().all(|byte| byte == b'*')
    }

    /// A pattern of paths: `./a`, `a/./b` and `a//b` also match what is called `a` and `a/b`, and `a/` matches a directory
    /// with everything below it.
    pub(super) fn of_path(text: &str, home: Option<&Path>) -> Self {
        let mut pattern = Self::new(text, home);
        let forms = unicode_forms(text).into_iter().flat_map(|text| {
            let forms = path_forms(&text);
            std::iter::once(text).chain(forms)
        });
        for form in forms.chain(path_forms(text)) {
            // `./*` is what lies here, and no absolute path.
            let is_relative = !text.starts_with(['/', '~', '$', '*']);
            let globs = Self::new(&form, home).globs.into_iter();
            pattern
                .globs
                .extend(globs.map(|glob| Glob { is_relative, ..glob }));
        }
        pattern
    }

    /// Matches a directory and everything below it, also where its name holds wildcards.
    pub(super) fn directory(dir: &str) -> Self {
        let dir = dir.trim_end_matches('/');
        let below = Glob::literal(format!("{dir}/"), Some(""));
        let itself = Glob::literal(dir.to_owned(), None);
        Self {
            text: format!("{dir}/*"),
            globs: vec![itself, below],
        }
    }

    /// Matches what begins and ends as given, also where the beginning holds wildcards.
    pub(super) fn below_with_suffix(beginning: &str, end: &str) -> Self {
        Self {
            text: format!("{beginning}*{end}"),
            globs: vec![Glob::literal(beginning.to_owned(), Some(end))],
        }
    }

    /// As it was written.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    pub fn matches(&self, text: &str) -> bool {
        self.globs.iter().any(|glob| glob.matches(text))
    }

    /// Returns what a text has to begin or end with to be matched: one of these.
    pub(super) fn anchors(&self) -> impl Iterator<Item = Anchor<'_>> {
        self.globs.iter().map(Glob::anchor)
    }

    /// Returns true if it names the class of commands that only read.
    pub fn is_read_only_class(&self) -> bool {
        self.text == READ_ONLY
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl fmt::Debug for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.text)
    }
}

/// A text that everything which a pattern matches begins or ends with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Anchor<'a> {
    Beginning(&'a str),
    Ending(&'a str),
    None,
}

fn expand_home(text: &str, home: &Path) -> Option<String> {
    let rest = text.strip_prefix('~').or_else(|| text.strip_prefix("$HOME"))?;
    let home = home.to_str()?.trim_end_matches('/');
    (rest.is_empty() || rest.starts_with('/')).then(|| format!("{home}{rest}"))
}

/// The other forms of Unicode in which the names of a path may be written.
fn unicode_forms(text: &str) -> Vec<String> {
    if text.is_ascii() {
        return Vec::new();
    }
    let forms = [text.nfc().collect::<String>(), text.nfd().collect()];
    forms.into_iter().filter(|form| form != text).collect()
}

/// Other spellings that paths have which a pattern means.
fn path_forms(text: &str) -> Vec<String> {
    let root = if text.starts_with('/') { "/" } else { "" };
    let names = text.split('/').filter(|name| !matches!(*name, "" | "."));
    let plain = format!("{root}{}", names.collect::<Vec<_>>().join("/"));
    let is_directory = text.ends_with('/') || text == "." || text.ends_with("/.");
    match (plain.as_str(), is_directory) {
        ("" | "/", false) => Vec::new(),
        ("" | "/", true) => vec![format!("{plain}*")],
        (_, true) => vec![format!("{plain}/*"), plain],
        (_, false) if plain == text => Vec::new(),
        (_, false) => vec![plain],
    }
}

/// A pattern cut at its stars: the text begins with `first` and ends with the last of `rest`.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Glob {
    first: PatternPiece,
    /// Empty when there is no star.
    rest: Vec<PatternPiece>,
    /// True if it matches no absolute path.
    #[serde(default)]
    is_relative: bool,
}

impl Glob {
    /// A beginning and perhaps an end, in which nothing is special, with anything between them.
    fn literal(beginning: String, end: Option<&str>) -> Self {
        let end = end.map(|end| PatternPiece::literal(end.to_owned()));
        Self {
            first: PatternPiece::literal(beginning),
            rest: end.into_iter().collect(),
            is_relative: false,
        }
    }

    fn new(pattern: &str) -> Self {
        let mut pieces = pattern.split('*').map(PatternPiece::new);
        let first = pieces.next().expect("splitting gives at least one piece");
        Self {
            first,
            rest: pieces.collect(),
            is_relative: false,
        }
    }

    fn anchor(&self) -> Anchor<'_> {
        let ending = self.rest.last().map_or("", PatternPiece::literal_end);
        match (self.first.literal_beginning(), ending) {
            ("", "") => Anchor::None,
            ("", ending) => Anchor::Ending(ending),
            (beginning, _) => Anchor::Beginning(beginning),
        }
    }

    fn matches(&self, text: &str) -> bool {
        if self.is_relative && text.starts_with('/') {
            return false;
        }
        let Some(mut text) = self.first.strip_from_start(text) else {
            return false;
        };
        let Some((last, middle)) = self.rest.split_last() else {
            return text.is_empty();
        };
        // The end is taken first, so that the middle cannot use it up; the leftmost place is as good as any.
        let Some(before_last) = last.strip_from_end(text) else {
            return false;
        };
        text = before_last;
        for piece in middle {
            let Some(after) = piece.strip_through(text) else {
                return false;
            };
            text = after;
        }
        true
    }
}

#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
struct PatternPiece {
    text: String,
    has_blank: bool,
}

impl PatternPiece {
    /// A text in which nothing is special.
    fn literal(text: String) -> Self {
        Self {
            text,
            has_blank: false,
        }
    }

    fn new(text: &str) -> Self {
        Self {
            text: text.to_owned(),
            has_blank: text.contains('?'),
        }
    }

    /// The part before the first `?`.
    fn literal_beginning(&self) -> &str {
        let end = self.text.find('?').filter(|_| self.has_blank);
        &self.text[..end.unwrap_or(self.text.len())]
    }

    /// The part behind the last `?`.
    fn literal_end(&self) -> &str {
        let start = self.text.rfind('?').filter(|_| self.has_blank);
        &self.text[start.map_or(0, |at| at + 1)..]
    }

    fn strip_from_start<'a>(&self, text: &'a str) -> Option<&'a str> {
        if !self.has_blank {
            return text.strip_prefix(self.text.as_str());
        }
        let mut chars = text.chars();
        for wanted in self.text.chars() {
            let given = chars.next()?;
            if wanted != '?' && wanted != given {
                return None;
            }
        }
        Some(chars.as_str())
    }

    fn strip_from_end<'a>(&self, text: &'a str) -> Option<&'a str> {
        if !self.has_blank {
            return text.strip_suffix(self.text.as_str());
        }
        let mut chars = text.chars();
        for wanted in self.text.chars().rev() {
            let given = chars.next_back()?;
            if wanted != '?' && wanted != given {
                return None;
            }
        }
        Some(chars.as_str())
    }

    /// Returns the text behind the first match of the piece.
    fn strip_through<'a>(&self, text: &'a str) -> Option<&'a str> {
        if !self.has_blank {
            let at = text.find(&self.text)?;
            return Some(&text[at + self.text.len()..]);
        }
        text.char_indices()
            .find_map(|(at, _)| self.strip_from_start(&text[at..]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(pattern: &str, text: &str) -> bool {
        Pattern::new(pattern, Some(Path::new("/home/u"))).matches(text)
    }

    #[test]
    fn patterns_match_the_whole_text() {
        for (pattern, text, expected) in [
            ("*", "", true),
            ("*", "a/b\nc", true),
            ("", "", true),
            ("", "a", false),
            ("git status*", "git status", true),
            ("git status*", "git statusx -s", true),
            ("git *", "git", true),
            ("git *", "git log", true),
            ("git *", "gitk", false),
            ("git * *", "git a", true),
            ("rm ?", "rm é", true),
            ("rm ?", "rm ab", false),
            ("*.env", "a/.env", true),
            ("*.env", ".envx", false),
            ("a*b*c", "aXbYbZc", true),
            ("a*bc", "abcbc", true),
            ("ab*ba", "aba", false),
            ("a*?b*c", "axbc", true),
            ("a*?b*c", "abc", false),
            ("~", "/home/u", true),
            ("~/x*", "/home/u/xy", true),
            ("$HOME/x", "/home/u/x", true),
            ("~/x", "~/x", true),
            ("~x", "/home/ux", false),
            ("[ab]", "[ab]", true),
            ("[ab]", "a", false),
            ("\\*", "\\anything", true),
        ] {
            assert_eq!(matches(pattern, text), expected, "{pattern:?} on {text:?}");
        }
    }

    #[test]
    fn patterns_of_paths_match_in_every_spelling() {
        let matches =
            |pattern: &str, text: &str| Pattern::of_path(pattern, Some(Path::new("/home/u"))).matches(text);
        for (pattern, text, expected) in [
            ("./secrets/**", "secrets/a", true),
            ("././secrets/*", "secrets/a/b", true),
            ("./secrets/**", "/p/secrets/a", false),
            ("./.env", ".env", true),
            ("./.env", "a/.env", false),
            ("./.env", "./.env", true),
            ("./*", "a/b", true),
            ("./*", "/etc/passwd", false),
            ("./**", "a", true),
            (".", "a/b", true),
            (".", "/etc/passwd", false),
            ("./", "a", true),
            ("a/./b", "a/b", true),
            ("a//b", "a/b", true),
            ("secrets/", "secrets/a/b", true),
            ("secrets/", "secrets", true),
            ("secrets/", "secrets2", false),
            ("secrets/", "/elsewhere/secrets/a", false),
            ("./secrets/", "secrets/a", true),
            ("*/secrets/", "a/secrets/b", true),
            ("*/secrets/", "/p/a/secrets/b", true),
            ("/data/", "/data/a", true),
            ("/data/./x", "/data/x", true),
            ("~/keys/", "/home/u/keys/a", true),
            ("$HOME/keys/", "/home/u/keys/a", true),
            ("secrets", "secrets/a", false),
            ("*", "/etc/passwd", true),
            ("", "", true),
            ("", "a", false),
        ] {
            assert_eq!(matches(pattern, text), expected, "{pattern:?} on {text:?}");
        }
    }

    #[test]
    fn a_directory_matches_itself_and_what_is_below() {
        let pattern = Pattern::directory("/a/b*c");
        assert!(pattern.matches("/a/b*c") && pattern.matches("/a/b*c/d/e"));
        assert!(!pattern.matches("/a/bxc/d") && !pattern.matches("/a/b*cd"));
    }

    #[test]
    fn a_hostile_pattern_on_a_long_text_ends_soon() {
        let text = "a".repeat(1 << 20);
        let started = std::time::Instant::now();
        assert!(!matches(&format!("{}b", "a*".repeat(500)), &text));
        assert!(!matches(&format!("{}b", "*a?".repeat(50)), &text));
        assert!(started.elapsed().as_secs() < 5);
    }

    /// The definition, without a thought for speed.
    fn naive(pattern: &[char], text: &[char]) -> bool {
        match pattern.split_first() {
            None => text.is_empty(),
            Some(('*', rest)) => (0..=text.len()).any(|skip| naive(rest, &text[skip..])),
            Some((wanted, rest)) => text
                .split_first()
                .is_some_and(|(given, after)| (*wanted == '?' || wanted == given) && naive(rest, after)),
        }
    }

    proptest::proptest! {
        #[test]
        fn matching_agrees_with_the_definition(pattern in "[ab?* ]{0,8}", text in "[ab? é]{0,10}") {
            let chars = |s: &str| s.chars().collect::<Vec<_>>();
            let bare = pattern.strip_suffix(" *").is_some_and(|bare| naive(&chars(bare), &chars(&text)));
            let expected = bare || naive(&chars(&pattern), &chars(&text));
            proptest::prop_assert_eq!(matches(&pattern, &text), expected);
        }

        #[test]
        fn a_text_without_wildcards_matches_itself(text in "[^*?~$]{0,40}") {
            proptest::prop_assert!(matches(&text, &text));
        }
    }
}
