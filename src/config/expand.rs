//! `{env:NAME}` and `{file:PATH}` inside the strings of a configuration file.
//!
//! A name that is not there is an error that says which key wanted it: an empty key sent to a server is harder to
//! understand. Keys of objects are never expanded.

use std::collections::HashMap;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// What a named file may hold.
const MAX_BYTES: u64 = 1 << 20;

/// Where the names in one file are looked up.
pub(super) struct Expansion<'a> {
    /// Relative paths count from here.
    pub(super) base: &'a Path,
    pub(super) home: Option<&'a Path>,
    /// Files are only read below this directory, if one is given: a project cannot reach the user's.
    pub(super) confined_to: Option<&'a Path>,
    /// What was read before counts, whatever the files say now.
    pub(super) texts: &'a FileTexts,
}

/// The texts of named files, each read once.
#[derive(Debug, Default)]
pub(super) struct FileTexts(Mutex<HashMap<PathBuf, String>>);

impl FileTexts {
    fn get(&self, path: &Path) -> Option<String> {
        let texts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        texts.get(path).cloned()
    }

    fn keep(&self, path: PathBuf, text: &str) {
        let mut texts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        texts.insert(path, text.to_owned());
    }
}

/// The names of the files that a text wants.
pub(super) fn file_names(text: &str) -> Vec<&str> {
    let mut names = Vec::new();
    let mut rest = text;
    while let Some((_, kind, inside, after)) = next_expansion(rest) {
        if matches!(kind, Kind::File) {
            names.push(inside);
        }
        rest = after;
    }
    names
}

/// Whether the text wants something of the user's environment.
pub(super) fn wants_variable(text: &str) -> bool {
    let mut rest = text;
    while let Some((_, kind, _, after)) = next_expansion(rest) {
        if matches!(kind, Kind::Variable) {
            return true;
        }
        rest = after;
    }
    false
}

impl Expansion<'_> {
    /// Replaces every expansion in the text. The error is a sentence without the key's name.
    pub(super) fn expand(&self, text: &str) -> Result<String, String> {
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        while let Some((before, kind, inside, after)) = next_expansion(rest) {
            out.push_str(before);
            match kind {
                Kind::Variable => out.push_str(&variable(inside)?),
                Kind::File => out.push_str(&self.file(inside)?),
            }
            rest = after;
        }
        out.push_str(rest);
        Ok(out)
    }

    /// Returns the text of a named file. The error is a sentence without the key's name.
    pub(super) fn file(&self, name: &str) -> Result<String, String> {
        let name = name.trim();
        let path = match (name.strip_prefix("~/"), self.home) {
            (Some(below), Some(home)) => home.join(below),
            _ => self.base.join(name),
        };
        let path = self.allowed(path, name)?;
        if let Some(text) = self.texts.get(&path) {
            return Ok(text);
        }
        let unreadable =
            |error: std::io::Error| format!("wants the file `{name}`, which cannot be read: {error}");
        let metadata = std::fs::metadata(&path).map_err(unreadable)?;
        if !metadata.is_file() {
            return Err(format!("wants the file `{name}`, which is not a file"));
        }
        let mut text = String::new();
        std::fs::File::open(&path)
            .and_then(|file| file.take(MAX_BYTES + 1).read_to_string(&mut text))
            .map_err(unreadable)?;
        if text.len() as u64 > MAX_BYTES {
            return Err(format!("wants the file `{name}`, which is larger than 1 MiB"));
        }
        text.truncate(text.trim_end_matches(['\n', '\r']).len());
        self.texts.keep(path, &text);
        Ok(text)
    }

    fn allowed(&self, path: PathBuf, name: &str) -> Result<PathBuf, String> {
        let Some(root) = self.confined_to else {
            return Ok(path);
        };
        let unreadable =
            |error: std::io::Error| format!("wants the file `{name}`, which cannot be read: {error}");
        let real = path.canonicalize().map_err(unreadable)?;
        let root = root.canonicalize().map_err(unreadable)?;
        if real.starts_with(root) {
            return Ok(real);
        }
        Err(format!(
            "wants the file `{name}`, which is outside the project; a project's file cannot read it"
        ))
    }
}

enum Kind {
    Variable,
    File,
}

fn next_expansion(text: &str) -> Option<(&str, Kind, &str, &str)> {
    let mut from = 0;
    while let Some(brace) = text[from..].find('{').map(|at| from + at) {
        let after_brace = &text[brace + 1..];
        let found = if let Some(inside) = after_brace.strip_prefix("env:") {
            Some((Kind::Variable, inside))
        } else {
            after_brace
                .strip_prefix("file:")
                .map(|inside| (Kind::File, inside))
        };
        if let Some((kind, inside)) = found {
            // Without a closing brace there is none further on either.
            let end = inside.find('}')?;
            return Some((&text[..brace], kind, &inside[..end], &inside[end + 1..]));
        }
        from = brace + 1;
    }
    None
}

fn variable(name: &str) -> Result<String, String> {
    let name = name.trim();
    if name.is_empty() || name.contains(['=', '\0']) {
        return Err(format!(
            "wants the environment variable `{name}`, which is not a name"
        ));
    }
    match std::env::var(name) {
        Ok(value) => Ok(value),
        Err(std::env::VarError::NotPresent) => Err(format!(
            "wants the environment variable `{name}`, which is not set"
        )),
        Err(std::env::VarError::NotUnicode(_)) => Err(format!(
            "wants the environment variable `{name}`, which is not valid UTF-8"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expand(dir: &Path, text: &str) -> Result<String, String> {
        Expansion {
            base: dir,
            home: Some(dir),
            confined_to: None,
            texts: &FileTexts::default(),
        }
        .expand(text)
    }

    #[test]
    fn variables_and_files_are_put_in_place() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("key"), "s3cret\n").unwrap();
        let path = std::env::var("PATH").unwrap();
        assert_eq!(
            expand(dir.path(), "a{env:PATH}b {file:key} {file:~/key}{x}{").unwrap(),
            format!("a{path}b s3cret s3cret{{x}}{{")
        );
        assert_eq!(expand(dir.path(), "{env:OPEN").unwrap(), "{env:OPEN");
    }

    #[test]
    fn what_is_not_there_is_named() {
        let dir = tempfile::tempdir().unwrap();
        let error = expand(dir.path(), "{env:LATHE_SURELY_UNSET_1}").unwrap_err();
        assert!(
            error.contains("`LATHE_SURELY_UNSET_1`") && error.contains("not set"),
            "{error}"
        );
        let error = expand(dir.path(), "{file:missing}").unwrap_err();
        assert!(error.contains("`missing`"), "{error}");
        assert!(expand(dir.path(), "{env:}").is_err());
        assert!(expand(dir.path(), "{file:.}").is_err());
    }

    #[test]
    fn a_confined_file_cannot_reach_outside() {
        let dir = tempfile::tempdir().unwrap();
        let project = dir.path().join("project");
        std::fs::create_dir(&project).unwrap();
        std::fs::write(dir.path().join("secret"), "x").unwrap();
        std::fs::write(project.join("own"), "y").unwrap();
        let expansion = Expansion {
            base: &project,
            home: None,
            confined_to: Some(&project),
            texts: &FileTexts::default(),
        };
        assert_eq!(expansion.expand("{file:own}").unwrap(), "y");
        let error = expansion.expand("{file:../secret}").unwrap_err();
        assert!(error.contains("outside the project"), "{error}");
    }

    #[test]
    fn a_file_is_read_once() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("url"), "one").unwrap();
        let expansion = Expansion {
            base: dir.path(),
            home: None,
            confined_to: None,
            texts: &FileTexts::default(),
        };
        assert_eq!(expansion.expand("{file:url}").unwrap(), "one");
        std::fs::write(dir.path().join("url"), "two").unwrap();
        assert_eq!(expansion.expand("{file: url }").unwrap(), "one");
        assert_eq!(file_names("a{file:b}{env:C}{file:d}{file:"), ["b", "d"]);
    }

    proptest::proptest! {
        #[test]
        fn text_without_expansions_stays_as_it_is(text in "[^{]*(\\{[a-d]*\\}?)*") {
            let dir = Path::new("/");
            proptest::prop_assert_eq!(expand(dir, &text).unwrap(), text);
        }
    }
}
