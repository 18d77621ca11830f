//! Rules that deny, for a text that cannot be read as a whole: each word in it may be a path that it changes or shows.
//!
//! A word counts as one that is changed only beside a program that changes files: a person is asked and sees the whole
//! text. In `yolo` nobody looks, so there every word counts, and wildcards are replaced, too.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::CommandContext;
use super::wildcards::Wildcards;
use crate::permission::command::{Analysis, PathOperand};
use crate::permission::{Ask, Floor, Mode, PermissionKey};

/// Directories in the text from which its words are looked at, too: it may change to them.
const MAX_DIRECTORIES: usize = 8;
/// With more words only those of the call's own directory are looked at.
const MAX_WORDS: usize = 500;
/// Programs that change the files in their words.
const WRITERS: &[&str] = &[
    "chmod", "chown", "cp", "dd", "install", "ln", "mkdir", "mv", "patch", "rm", "rmdir", "rsync", "sed",
    "sort", "split", "tar", "tee", "touch", "truncate", "unzip",
];

impl CommandContext<'_> {
    /// Gathers the asks for whatever the words may be.
    pub(super) fn possible_asks(&self, analysis: &Analysis) -> Vec<Ask> {
        let is_yolo = self.services.gate.mode() == Mode::Yolo;
        let Some(words) = analysis.possible_paths() else {
            // Any of them may be what a rule closes.
            return self.possible_path(&self.workdir.join(".git/config"));
        };
        let may_write = is_yolo || WRITERS.iter().any(|program| words.contains(*program));
        let mut asks = Vec::new();
        for path in self.possible_places(&words, is_yolo) {
            asks.extend(self.possible_path(&path));
        }
        if is_yolo && self.work.is_spent() {
            // Nobody looks at what was not looked up.
            self.work.renew();
            asks.extend(self.possible_path(&self.workdir.join(".git/config")));
        }
        asks.retain(|ask| may_write || ask.key != PermissionKey::PROTECTED);
        for target in analysis.possible_targets() {
            let path = self.workdir.join(target);
            let protected = self.possible_path(&path).into_iter();
            asks.extend(protected.filter(|ask| ask.key == PermissionKey::PROTECTED));
        }
        for ask in &mut asks {
            // What is understood but for a word asks by its commands.
            if ask.key != PermissionKey::PROTECTED || analysis.refusal.is_none() {
                ask.floor = Floor::Denied;
                ask.always.clear();
            }
        }
        asks
    }

    fn possible_places(&self, words: &BTreeSet<String>, with_wildcards: bool) -> BTreeSet<PathBuf> {
        let places = |directory: &Path| -> Vec<PathBuf> {
            let words = words.iter();
            words
                .flat_map(|word| self.places_of(word, directory, with_wildcards))
                .collect()
        };
        let mut found: BTreeSet<PathBuf> = places(self.workdir).into_iter().collect();
        if words.len() <= MAX_WORDS {
            let directories = found.iter().filter(|path| path.is_dir()).cloned();
            let directories: Vec<PathBuf> = directories.take(MAX_DIRECTORIES).collect();
            found.extend(directories.iter().flat_map(|directory| places(directory)));
        }
        found
    }

    /// The paths that a word may stand for. Of one with an expansion, the directory that it begins with.
    fn places_of(&self, word: &str, directory: &Path, with_wildcards: bool) -> Vec<PathBuf> {
        let known = &word[..word.find('$').unwrap_or(word.len())];
        let is_set = known.contains(']');
        let wildcard = known.find(|c| matches!(c, '*' | '?') || c == '[' && is_set);
        let beginning = &known[..wildcard.unwrap_or(known.len())];
        let Some(path) = self.join(&PathOperand::of_text(beginning), directory) else {
            return Vec::new();
        };
        let mut places = Vec::new();
        if with_wildcards && wildcard.is_some() {
            let mut wildcards = Wildcards::new(&self.work).for_writing(true);
            // As far as it was looked at: a word stands for a path only perhaps.
            let _ = wildcards.below(
                directory,
                &format!("{}{}", path.display(), &known[beginning.len()..]),
            );
            places.extend(wildcards.found.into_iter().map(PathBuf::from));
        }
        if !beginning.is_empty() {
            places.push(path);
        }
        places
    }

    fn possible_path(&self, path: &Path) -> Vec<Ask> {
        let Some(path) = path.to_str() else {
            return Vec::new();
        };
        let mut asks = self.write_path(path);
        asks.extend(self.read_path(path));
        asks.extend(self.outside_path(path, self.workdir));
        asks
    }
}
