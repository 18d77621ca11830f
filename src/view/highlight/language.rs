//! The grammars, and the name of a language in all the ways people write it.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::LazyLock;

use syntect::parsing::{ParseState, SyntaxReference, SyntaxSet};

static SYNTAXES: LazyLock<SyntaxSet> = LazyLock::new(two_face::syntax::extra_newlines);

/// Names that no grammar lists.
const ALIASES: &[(&str, &str)] = &[
    ("c++", "cpp"),
    ("console", "bash"),
    ("docker", "dockerfile"),
    ("golang", "go"),
    ("javascriptreact", "jsx"),
    ("jsonc", "json"),
    ("jsonl", "json"),
    ("make", "makefile"),
    ("node", "js"),
    ("objc", "m"),
    ("patch", "diff"),
    ("powershell", "ps1"),
    ("protobuf", "proto"),
    ("py3", "py"),
    ("python3", "py"),
    ("shell", "bash"),
    ("shell-session", "bash"),
    ("terraform", "tf"),
    ("typescriptreact", "tsx"),
    ("udiff", "diff"),
    ("viml", "vim"),
    ("vimscript", "vim"),
    ("zsh", "bash"),
];

/// Names of no language, for which no grammar need be loaded.
const PLAIN: &[&str] = &["", "text", "txt", "plain", "plaintext", "output", "log", "none"];

#[derive(Debug, Clone, Copy)]
pub(super) struct Language(&'static SyntaxReference);

impl Language {
    pub(super) fn parse_state(self) -> ParseState {
        ParseState::new(self.0)
    }

    pub(super) fn key(self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.0.name.hash(&mut hasher);
        hasher.finish()
    }
}

pub(super) fn syntaxes() -> &'static SyntaxSet {
    &SYNTAXES
}

/// Finds a language by a fence's info (`rust,ignore`), a name, an extension or a path.
pub(super) fn find(given: &str) -> Option<Language> {
    let word = token(given);
    if PLAIN.contains(&word.as_str()) {
        return None;
    }
    let by_token = |token: &str| SYNTAXES.find_syntax_by_token(token).map(Language);
    let name = word.rsplit(['/', '\\']).next().unwrap_or(&word);
    let alias = ALIASES.iter().find(|(alias, _)| *alias == name);
    if let Some((_, token)) = alias {
        return by_token(token);
    }
    let extension = || {
        name.rsplit_once('.')
            .and_then(|(_, extension)| by_token(extension))
    };
    by_token(name).or_else(extension)
}

/// Returns the word that names the language, in lower case.
pub(crate) fn token(given: &str) -> String {
    let word = given.trim().trim_start_matches(['{', '.']);
    let end = word.find(|c: char| c.is_whitespace() || matches!(c, ',' | '}' | ':' | '{'));
    let word = &word[..end.unwrap_or(word.len())];
    // Only the end of a path is looked at, and no grammar has a long name.
    let start = word.len().saturating_sub(200);
    let start = (start..=word.len()).find(|at| word.is_char_boundary(*at));
    word[start.unwrap_or(0)..].to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(given: &str) -> Option<&'static str> {
        find(given).map(|language| language.0.name.as_str())
    }

    #[test]
    fn languages_are_found_however_they_are_written() {
        for (given, expected) in [
            ("rust", "Rust"),
            ("Rust,ignore", "Rust"),
            ("rs", "Rust"),
            ("src/view/mod.rs", "Rust"),
            ("{.python}", "Python"),
            ("python3", "Python"),
            ("tsx", "TypeScriptReact"),
            ("ts", "TypeScript"),
            ("sh", "Bourne Again Shell (bash)"),
            ("console", "Bourne Again Shell (bash)"),
            ("Cargo.toml", "TOML"),
            ("Dockerfile", "Dockerfile"),
            ("docker/Makefile", "Makefile"),
            ("c++", "C++"),
            ("json", "JSON"),
            ("diff", "Diff"),
        ] {
            assert_eq!(name(given), Some(expected), "{given}");
        }
        for given in ["", "text", "no-such-language", "a/b/cc99", "…"] {
            assert_eq!(name(given), None, "{given}");
        }
    }
}
