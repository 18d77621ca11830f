//! Patterns that lead away from the directory that is searched: `/etc/*`, `../*`, `a/../../x`, `~/x`.
//!
//! The part before the first wildcard of such a pattern is a path like any other: it is asked about where it lies
//! outside of the project, and the rest of the pattern is looked for below it. A walk never leaves its directory, so a
//! pattern that is not taken apart here finds nothing elsewhere.
//!
//! A pattern that begins with `/` also means the directory that is searched, as in ignore files. It is a path of the file
//! system where its first name is one that is there.

use std::path::Path;

use crate::conversation::ErrorKind;
use crate::files::Resolved;
use crate::tool::ToolError;

/// Alternatives that the braces of one pattern may stand for, where it has to be taken apart.
const MAX_ALTERNATIVES: usize = 64;

/// The patterns of a call by the directory that they begin from.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct PatternsByDirectory {
    /// Those for the directory that is searched.
    pub(super) near: Vec<String>,
    pub(super) away: Vec<OutsidePattern>,
}

/// A pattern that begins in another directory.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct OutsidePattern {
    /// As a person would write it: absolute, or with `~`.
    pub(super) directory: String,
    pub(super) pattern: String,
}

/// Separates patterns; exclusions (`!x`) stay near.
pub(super) fn separate(patterns: &[String], from: &Resolved) -> Result<PatternsByDirectory, ToolError> {
    let mut separated = PatternsByDirectory::default();
    for pattern in patterns {
        if pattern.starts_with('!') || !may_lead_away(pattern) {
            separated.near.push(pattern.clone());
            continue;
        }
        let alternatives = alternatives(pattern).ok_or_else(|| too_many(pattern))?;
        for alternative in alternatives {
            separated.add(alternative, from);
        }
    }
    Ok(separated)
}

impl PatternsByDirectory {
    fn add(&mut self, pattern: String, from: &Resolved) {
        let is_below = |base: &Path| {
            let base = base.to_string_lossy();
            let rest = pattern.strip_prefix(base.as_ref());
            rest.is_some_and(|rest| rest.starts_with('/')) && !pattern.contains("..")
        };
        if is_below(&from.absolute) || is_below(&from.real) {
            self.near.push(pattern);
            return;
        }
        let (start, rest) = if let Some(rest) = pattern.strip_prefix("~/") {
            ("~".to_owned(), rest)
        } else if pattern == "~" {
            ("~".to_owned(), "")
        } else if let Some(rest) = pattern.strip_prefix('/').filter(|rest| is_path(rest)) {
            (String::new(), rest)
        } else if pattern.starts_with('/') {
            self.near.push(pattern);
            return;
        } else {
            (String::new(), pattern.as_str())
        };
        let is_relative = !pattern.starts_with(['/', '~']);
        let mut above = 0;
        let mut names: Vec<&str> = Vec::new();
        for name in rest.split('/').filter(|name| !matches!(*name, "" | ".")) {
            match name {
                ".." if names.pop().is_none() => above += 1,
                ".." => {}
                name => names.push(name),
            }
        }
        let ending = if rest.ends_with('/') { "/" } else { "" };
        if is_relative && above == 0 {
            self.near.push(format!("./{}{ending}", names.join("/")));
            return;
        }
        let literal = names.iter().take_while(|name| !has_wildcard(name)).count();
        // The last name is what is looked for.
        let (directories, wanted) = names.split_at(literal.min(names.len().saturating_sub(1)));
        let mut directory = if is_relative {
            let base = from.absolute.ancestors().nth(above).unwrap_or(Path::new("/"));
            base.to_string_lossy().trim_end_matches('/').to_owned()
        } else {
            // Above the root is the root; above the home directory is resolved like any path.
            let up = if start.is_empty() { 0 } else { above };
            start + &"/..".repeat(up)
        };
        for name in directories {
            directory.push('/');
            directory.push_str(name);
        }
        if directory.is_empty() {
            directory.push('/');
        }
        let wanted = if wanted.is_empty() {
            "*".to_owned()
        } else {
            wanted.join("/")
        };
        self.away.push(OutsidePattern {
            directory,
            pattern: format!("./{wanted}{ending}"),
        });
    }
}

fn may_lead_away(pattern: &str) -> bool {
    pattern.starts_with(['/', '~'])
        || ["..", "{/", ",/", "{~", ",~"]
            .iter()
            .any(|text| pattern.contains(text))
}

/// Returns true if the first name of a path below the root of the file system is there, or leads up again.
fn is_path(below_root: &str) -> bool {
    let first = below_root.split('/').find(|name| !matches!(*name, "" | "."));
    first.is_some_and(|name| {
        name == ".." || !has_wildcard(name) && Path::new("/").join(name).symlink_metadata().is_ok()
    })
}

fn has_wildcard(name: &str) -> bool {
    name.contains(['*', '?', '[', ']', '{', '}', '\\'])
}

fn too_many(pattern: &str) -> ToolError {
    let message = format!("the braces of `{pattern}` stand for more than {MAX_ALTERNATIVES} patterns");
    ToolError::new(ErrorKind::Parse, message).hint("Give the directory as `path`, and several patterns.")
}

/// Replaces the braces of a pattern by what they stand for. What is no pair of braces stays as it is; `None` when it would
/// be too many.
fn alternatives(pattern: &str) -> Option<Vec<String>> {
    let mut done = Vec::new();
    let mut open = vec![pattern.to_owned()];
    while let Some(text) = open.pop() {
        if done.len() + open.len() >= MAX_ALTERNATIVES {
            return None;
        }
        match first_braces(&text) {
            None => done.push(text),
            Some((before, parts, after)) => {
                let parts = parts.iter().rev();
                open.extend(parts.map(|part| format!("{before}{part}{after}")));
            }
        }
    }
    Some(done)
}

/// The text before the first pair of braces, its parts, and the text behind it.
fn first_braces(text: &str) -> Option<(&str, Vec<&str>, &str)> {
    let open = text.find('{')?;
    let (mut depth, mut begin, mut parts) = (0_usize, open + 1, Vec::new());
    for (at, c) in text.char_indices().skip_while(|(at, _)| *at < open) {
        match c {
            '{' => depth += 1,
            ',' if depth == 1 => {
                parts.push(&text[begin..at]);
                begin = at + 1;
            }
            '}' if depth == 1 => {
                parts.push(&text[begin..at]);
                return Some((&text[..open], parts, &text[at + 1..]));
            }
            '}' => depth -= 1,
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use crate::files::PathKind;

    fn separated(pattern: &str) -> (Vec<String>, Vec<(String, String)>) {
        let base = PathBuf::from("/p/src");
        let from = Resolved {
            given: ".".into(),
            absolute: base.clone(),
            real: base,
            display: "src".into(),
            real_display: "src".into(),
            inside: true,
            kind: PathKind::Directory,
            dangling_link: None,
        };
        let PatternsByDirectory { near, away } = separate(&[pattern.to_owned()], &from).unwrap();
        let away = away.into_iter().map(|away| (away.directory, away.pattern));
        (near, away.collect())
    }

    #[test]
    fn what_stays_below_the_directory_is_near() {
        for (pattern, near) in [
            ("*.rs", "*.rs"),
            ("**/a..b", "./**/a..b"),
            ("/a.rs", "/a.rs"),
            ("/*", "/*"),
            ("./a/../*.rs", "./*.rs"),
            ("a/b/../../c/", "./c/"),
            ("!/etc/*", "!/etc/*"),
            ("/p/src/*.rs", "/p/src/*.rs"),
            ("{a,b}/*", "{a,b}/*"),
            ("\\.\\./x", "\\.\\./x"),
        ] {
            assert_eq!(
                separated(pattern),
                (vec![near.to_owned()], Vec::new()),
                "{pattern}"
            );
        }
    }

    #[test]
    fn what_leads_elsewhere_begins_there() {
        for (pattern, directory, wanted) in [
            ("../*", "/p", "./*"),
            ("..", "/p", "./*"),
            ("../", "/p", "./*/"),
            ("../../x", "", "./x"),
            ("../../../x/y*", "/x", "./y*"),
            ("a/../../x", "/p", "./x"),
            ("*/../../x", "/p", "./x"),
            ("./../lib/**/*.rs", "/p/lib", "./**/*.rs"),
            ("../a\\*/b", "/p", "./a\\*/b"),
            ("/etc/*", "/etc", "./*"),
            ("/etc/passwd", "/etc", "./passwd"),
            ("/etc", "/", "./etc"),
            ("//etc//a/*", "/etc/a", "./*"),
            ("/../etc/*", "/etc", "./*"),
            ("/etc/../usr/*", "/usr", "./*"),
            ("/p/src/../../etc/*", "/etc", "./*"),
            ("~/*", "~", "./*"),
            ("~", "~", "./*"),
            ("~/.ssh/id_*", "~/.ssh", "./id_*"),
            ("~/../x", "~/..", "./x"),
        ] {
            let directory = if directory.is_empty() { "/" } else { directory };
            if pattern.starts_with("/p/") {
                // There is no such directory here.
                continue;
            }
            let expected = vec![(directory.to_owned(), wanted.to_owned())];
            assert_eq!(separated(pattern), (Vec::new(), expected), "{pattern}");
        }
    }

    #[test]
    fn braces_are_taken_apart_where_one_part_leads_away() {
        let (near, away) = separated("{../,}x.rs");
        assert_eq!(near, ["./x.rs"]);
        assert_eq!(away, [("/p".to_owned(), "./x.rs".to_owned())]);
        let (near, away) = separated("{/etc,a{b,/../..}}/*");
        assert_eq!(near, ["./ab/*"]);
        let directories: Vec<&str> = away.iter().map(|(directory, _)| directory.as_str()).collect();
        assert_eq!(directories, ["/etc", "/p"]);
        let many = "{a,b}".repeat(7) + "/../../x";
        let from = crate::files::Roots::new(Path::new("/"), None)
            .resolve(".")
            .unwrap();
        assert!(separate(&[many], &from).is_err());
    }
}
