//! Files that an instruction file names as `@path`, as Claude Code reads them.
//!
//! A name stands behind a blank or at the beginning of a line, and not in code. What is no file stays a word.

use std::path::{Path, PathBuf};

/// How deep files may name others, as in Claude Code.
pub(super) const MAX_DEPTH: usize = 5;

/// Returns the paths that a text names, in their order: relative ones count from the directory of its file.
pub(super) fn imports(text: &str, directory: &Path, home: Option<&Path>) -> Vec<PathBuf> {
    let mut fence = None;
    let mut found = Vec::new();
    for line in text.lines() {
        let start = line.trim_start();
        let mark = ["```", "~~~"].into_iter().find(|mark| start.starts_with(mark));
        match (fence, mark) {
            (None, Some(mark)) => fence = Some(mark),
            (Some(open), Some(mark)) if open == mark => fence = None,
            (Some(_), _) => {}
            // A line that is indented so far is code as well.
            (None, None) if line.starts_with("    ") || line.starts_with('\t') => {}
            (None, None) => found.extend(names(line).filter_map(|name| path(name, directory, home))),
        }
    }
    found
}

/// The words behind `@` outside of code spans.
fn names(line: &str) -> impl Iterator<Item = &str> {
    let outside = line.split('`').step_by(2);
    let words = outside.flat_map(str::split_whitespace);
    words.filter_map(|word| {
        let name = word.strip_prefix('@')?;
        let name = name.trim_end_matches([',', '.', ';', ':', ')', '!', '?']);
        (!name.is_empty()).then_some(name)
    })
}

fn path(name: &str, directory: &Path, home: Option<&Path>) -> Option<PathBuf> {
    match name.strip_prefix("~/") {
        Some(below) => Some(home?.join(below)),
        None => Some(directory.join(name)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(text: &str) -> Vec<String> {
        let paths = imports(text, Path::new("/p"), Some(Path::new("/home/u")));
        paths.iter().map(|path| path.display().to_string()).collect()
    }

    #[test]
    fn names_are_words_behind_a_sign() {
        assert_eq!(
            named("See @README and @docs/git.md.\n- mine: @~/.claude/me.md\n"),
            ["/p/README", "/p/docs/git.md", "/home/u/.claude/me.md"]
        );
        assert_eq!(named("mail me@example.org, or @ me"), [""; 0]);
    }

    #[test]
    fn code_names_nothing() {
        let text = "`@a` @b `@c`\n```\n@d\n~~~\n@e\n```\n    @f\n@g\n";
        assert_eq!(named(text), ["/p/b", "/p/g"]);
    }
}
