//! `{env:NAME}` and `{file:PATH}` inside the strings of a configuration file.
//!
//! A name that is not there is an error that says which key wanted it: an empty key sent to a server is harder to
//! understand. Of a provider it is one only when the provider is used. A file that its caller's gate withholds is left out. Keys of objects are never expanded.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use crate::regular_file::{FileGate, MAX_BYTES, ReadError};
use crate::unconfirmed::UnconfirmedFiles;

/// Base directory and limits for resolving the names in one file.
pub(super) struct Expansion<'a> {
    /// Relative paths count from here.
    pub(super) base: &'a Path,
    pub(super) home: Option<&'a Path>,
    /// Files are only read below this directory, if one is given: a project cannot reach the user's.
    pub(super) confined_to: Option<&'a Path>,
    /// The files that wait for the person's approval; `None` for files that are not a project's.
    pub(super) judged: Option<&'a UnconfirmedFiles>,
    /// Texts of files as they were read before; they count, whatever the files say now.
    pub(super) texts: &'a FileTexts,
}

/// The texts of named files, each read once.
#[derive(Debug, Default)]
pub(super) struct FileTexts(Mutex<HashMap<PathBuf, NamedFile>>);

/// A file that was read, and the path it really had.
#[derive(Debug, Clone)]
struct NamedFile {
    real: PathBuf,
    text: String,
    /// True if an agent or a command wrote it and the person has not approved it.
    is_unconfirmed: bool,
}

impl FileTexts {
    fn get(&self, path: &Path) -> Option<NamedFile> {
        let texts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        texts.get(path).cloned()
    }

    fn keep(&self, path: PathBuf, file: &NamedFile) {
        let mut texts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        texts.insert(path, file.clone());
    }
}

/// A text with its expansions made.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct ExpandedText {
    pub(super) text: String,
    /// Names of the variables whose values it holds.
    pub(super) variables: Vec<String>,
    /// Pieces that were put in place.
    pub(super) values: Vec<String>,
    /// Sentences, without the key's name, about files that the gate withholds. Nothing stands in their place.
    pub(super) withheld: Vec<String>,
}

/// The reason why a text could not be expanded.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum ExpansionError {
    /// A sentence about a variable that is not set, without the key's name.
    UnsetVariable(String),
    /// A sentence about anything else, without the key's name.
    Other(String),
}

impl ExpansionError {
    pub(super) fn into_sentence(self) -> String {
        match self {
            Self::UnsetVariable(sentence) | Self::Other(sentence) => sentence,
        }
    }
}

impl From<String> for ExpansionError {
    fn from(sentence: String) -> Self {
        Self::Other(sentence)
    }
}

/// The names of the files that a text wants.
pub(super) fn file_names(text: &str) -> Vec<&str> {
    let mut names = Vec::new();
    let mut rest = text;
    while let Some((_, kind, inside, after)) = next_expansion(rest) {
        if matches!(kind, VariableKind::File) {
            names.push(inside);
        }
        rest = after;
    }
    names
}

/// Returns true if the text wants something of the user's environment.
pub(super) fn wants_variable(text: &str) -> bool {
    let mut rest = text;
    while let Some((_, kind, _, after)) = next_expansion(rest) {
        if matches!(kind, VariableKind::Variable) {
            return true;
        }
        rest = after;
    }
    false
}

impl Expansion<'_> {
    /// Replaces every expansion in the text.
    pub(super) fn expand(&self, text: &str, gate: &dyn FileGate) -> Result<ExpandedText, ExpansionError> {
        let mut expanded = ExpandedText::default();
        let mut rest = text;
        while let Some((before, kind, inside, after)) = next_expansion(rest) {
            expanded.text.push_str(before);
            match kind {
                VariableKind::Variable => {
                    let value = variable(inside)?;
                    expanded.text.push_str(&value);
                    expanded.variables.push(inside.trim().to_owned());
                    expanded.values.push(value);
                }
                VariableKind::File => {
                    let file = self.named(inside)?;
                    if file.is_unconfirmed {
                        let name = inside.trim();
                        expanded.withheld.push(format!(
                            "needs the file `{name}`, which was left out: an agent or a command created or changed it and \
                             nobody has approved it since"
                        ));
                    } else if gate.lets_read(&file.real) {
                        expanded.text.push_str(&file.text);
                        expanded.values.push(file.text);
                    } else {
                        let error = ReadError::Withheld { real: file.real };
                        let name = inside.trim();
                        let sentence = format!("needs the file `{name}`, which was left out: {error}");
                        expanded.withheld.push(sentence);
                    }
                }
            }
            rest = after;
        }
        expanded.text.push_str(rest);
        Ok(expanded)
    }

    /// Returns the text of a named file, for a hash of it. The error is a sentence without the key's name.
    pub(super) fn file(&self, name: &str) -> Result<String, String> {
        self.named(name).map(|file| file.text)
    }

    fn named(&self, name: &str) -> Result<NamedFile, String> {
        let name = name.trim();
        let path = match (name.strip_prefix("~/"), self.home) {
            (Some(below), Some(home)) => home.join(below),
            _ => self.base.join(name),
        };
        if let Some(file) = self.texts.get(&path) {
            return self.allowed(file, name);
        }
        let unreadable = |error: ReadError| format!("needs the file `{name}`, which cannot be read: {error}");
        let everything = |_: &Path| true;
        let file = everything.open(&path).map_err(unreadable)?;
        let real = file.real_path().to_path_buf();
        let mut text = file.read_text(MAX_BYTES).map_err(unreadable)?;
        let is_unconfirmed = self
            .judged
            .is_some_and(|judged| !judged.lets_read_named(&path, &text));
        text.truncate(text.trim_end_matches(['\n', '\r']).len());
        let file = NamedFile {
            real,
            text,
            is_unconfirmed,
        };
        self.texts.keep(path, &file);
        self.allowed(file, name)
    }

    fn allowed(&self, file: NamedFile, name: &str) -> Result<NamedFile, String> {
        let is_inside = |root: &Path| root.canonicalize().is_ok_and(|root| file.real.starts_with(root));
        if self.confined_to.is_none_or(is_inside) {
            return Ok(file);
        }
        Err(format!(
            "needs the file `{name}`, which is outside the project; a project's file cannot read it"
        ))
    }
}

enum VariableKind {
    Variable,
    File,
}

fn next_expansion(text: &str) -> Option<(&str, VariableKind, &str, &str)> {
    let mut from = 0;
    while let Some(brace) = text[from..].find('{').map(|at| from + at) {
        let after_brace = &text[brace + 1..];
        let found = if let Some(inside) = after_brace.strip_prefix("env:") {
            Some((VariableKind::Variable, inside))
        } else {
            after_brace
                .strip_prefix("file:")
                .map(|inside| (VariableKind::File, inside))
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

fn variable(name: &str) -> Result<String, ExpansionError> {
    let name = name.trim();
    if name.is_empty() || name.contains(['=', '\0']) {
        let sentence = format!("needs the environment variable `{name}`, which is not a valid name");
        return Err(ExpansionError::Other(sentence));
    }
    match std::env::var(name) {
        Ok(value) => Ok(value),
        Err(std::env::VarError::NotPresent) => Err(ExpansionError::UnsetVariable(format!(
            "needs the environment variable `{name}`, which is not set"
        ))),
        Err(std::env::VarError::NotUnicode(_)) => Err(ExpansionError::Other(format!(
            "needs the environment variable `{name}`, which is not valid UTF-8"
        ))),
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
            judged: None,
            texts: &FileTexts::default(),
        }
        .expand(text, &|_: &Path| true)
        .map(|expanded| expanded.text)
        .map_err(ExpansionError::into_sentence)
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
            judged: None,
            texts: &FileTexts::default(),
        };
        let all = |_: &Path| true;
        assert_eq!(expansion.expand("{file:own}", &all).unwrap().text, "y");
        let error = expansion
            .expand("{file:../secret}", &all)
            .unwrap_err()
            .into_sentence();
        assert!(error.contains("outside the project"), "{error}");
    }

    #[test]
    fn a_file_that_the_gate_withholds_is_left_out_under_every_name() {
        let dir = tempfile::tempdir().unwrap();
        let base = dir.path().canonicalize().unwrap();
        std::fs::write(base.join(".env"), "S=1").unwrap();
        std::os::unix::fs::symlink(".env", base.join("prompt.md")).unwrap();
        let expansion = Expansion {
            base: &base,
            home: None,
            confined_to: None,
            judged: None,
            texts: &FileTexts::default(),
        };
        let gate = |real: &Path| !real.ends_with(".env");
        // The second time the text is known already.
        for _ in 0..2 {
            let expanded = expansion.expand("a{file:prompt.md}b{file:.env}c", &gate).unwrap();
            assert_eq!((expanded.text.as_str(), expanded.withheld.len()), ("abc", 2));
            assert!(
                expanded.withheld[0].contains("`prompt.md`, which was left out"),
                "{expanded:?}"
            );
        }
        assert_eq!(expansion.file(".env").unwrap(), "S=1");
    }

    #[test]
    fn a_file_is_read_once() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("url"), "one").unwrap();
        let expansion = Expansion {
            base: dir.path(),
            home: None,
            confined_to: None,
            judged: None,
            texts: &FileTexts::default(),
        };
        let all = |_: &Path| true;
        assert_eq!(expansion.expand("{file:url}", &all).unwrap().text, "one");
        std::fs::write(dir.path().join("url"), "two").unwrap();
        assert_eq!(expansion.expand("{file: url }", &all).unwrap().text, "one");
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
