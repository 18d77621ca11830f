//! Files that must not be read and that a command reaches in ways that the tables do not list.
//!
//! A program that is in no table may read every file in its words. Where it cannot be told which files a reader gets, what
//! the rules close cannot be excluded.

use std::path::{Path, PathBuf};

use super::paths::tokens;
use super::{CommandContext, GatheredAsks, base_name, unclear};
use crate::permission::command::{
    Analysis, DirectorySearch, Simple, changes_directory, files_read, search, shows_files,
};
use crate::permission::{Ask, PermissionKey, Subject};

/// Programs that do not read what is in the files in their words.
const READ_NOTHING: &[&str] = &[
    "rm", "rmdir", "unlink", "shred", "touch", "truncate", "mkdir", "mkfifo", "mknod", "mktemp", "chmod",
    "chown", "chgrp", "ls", "stat", "du", "df", "tree", "realpath", "readlink", "find", "fd", "which",
    "type", "command", "export", "unset", "read", "tee", "kill", "true", "false",
];
/// Programs that choose among the names that come in, or put them in order.
const CHOOSING: &[&str] = &["sort", "uniq", "head", "tail", "tac", "shuf", "grep", "rg"];
/// Names that are put into one command's words.
const MAX_NAMES: usize = 500;

impl CommandContext<'_> {
    /// Gathers what a command of no known form may read. `there` are the words that name something that is there.
    pub(super) fn read_by_words(
        &self,
        command: &Simple,
        analysis: &Analysis,
        directories: Option<&[PathBuf]>,
        there: &[String],
        gathered: &mut GatheredAsks,
    ) {
        let program = base_name(command.program());
        if !READ_NOTHING.contains(&program) && !shows_files(command) && !changes_directory(command) {
            for path in there.iter().filter(|path| Path::new(path).is_file()) {
                gathered.read.extend(self.read_path(path));
            }
        }
        let reads = !files_read(command).is_empty() || search(command).is_some();
        let mut is_known = directories.is_some() || !reads;
        let initiator = command.given_by.and_then(|at| analysis.commands.get(at));
        let initiator = initiator.filter(|initiator| base_name(initiator.program()) == "xargs");
        if let Some(initiator) = initiator.filter(|_| shows_files(command) && program != "git") {
            is_known &= directories.is_some_and(|directories| {
                self.read_by_names(command, initiator, analysis, directories, gathered)
                    .is_some()
            });
        }
        if !is_known {
            gathered
                .read
                .push(unclear(PermissionKey::READ, &command.canonical));
        }
    }

    /// Gathers where the names lead that a command of a known form gets from an `xargs`, and tells something about.
    pub(super) fn listed_by_names(
        &self,
        command: &Simple,
        analysis: &Analysis,
        directories: &[PathBuf],
        gathered: &mut GatheredAsks,
    ) {
        let initiator = command.given_by.and_then(|at| analysis.commands.get(at));
        let Some(initiator) = initiator.filter(|initiator| base_name(initiator.program()) == "xargs") else {
            return;
        };
        if !matches!(base_name(command.program()), "ls" | "stat") {
            return;
        }
        // What is closed for reading is listed all the same.
        let names = self.names_piped_in(initiator, analysis, directories, &mut GatheredAsks::default());
        let Some(names) = names else {
            let subject = Subject::new(&initiator.canonical);
            return gathered
                .outside
                .push(Ask::new(PermissionKey::EXTERNAL_DIRECTORY, subject));
        };
        for directory in directories {
            let asks = names.iter().flat_map(|name| self.outside_path(name, directory));
            gathered.outside.extend(asks);
        }
    }

    /// Gathers what a reader gets from an `xargs`; `None` when that cannot be told.
    fn read_by_names(
        &self,
        command: &Simple,
        initiator: &Simple,
        analysis: &Analysis,
        directories: &[PathBuf],
        gathered: &mut GatheredAsks,
    ) -> Option<()> {
        for name in self.names_piped_in(initiator, analysis, directories, gathered)? {
            for path in self.there(&command.filled(&name), Some(directories))? {
                gathered.outside.extend(self.outside_path(&path, self.workdir));
                gathered.read.extend(self.read_path(path));
            }
        }
        Some(())
    }

    /// The names that an `xargs` gets, beside those of which it is gathered here what the rules say; `None` when they
    /// cannot be told.
    fn names_piped_in(
        &self,
        initiator: &Simple,
        analysis: &Analysis,
        directories: &[PathBuf],
        gathered: &mut GatheredAsks,
    ) -> Option<Vec<String>> {
        let takes_file = |text: &str| text.starts_with("-a") || text.starts_with("--a");
        if !initiator.input.files.is_empty() || initiator.words.iter().any(|word| takes_file(&word.text)) {
            return None;
        }
        let mut names = Vec::new();
        if initiator.input.is_text {
            names.extend(names_in_text(analysis)?);
        } else if initiator.input.piped.is_empty() {
            return None;
        }
        for at in &initiator.input.piped {
            let source = analysis.commands.get(*at)?;
            names.extend(self.names_from(source, analysis, directories, gathered)?);
        }
        (names.len() <= MAX_NAMES).then_some(names)
    }

    /// The names that one command of a pipeline gives on, beside those of which it is gathered here what the rules say.
    fn names_from(
        &self,
        source: &Simple,
        analysis: &Analysis,
        directories: &[PathBuf],
        gathered: &mut GatheredAsks,
    ) -> Option<Vec<String>> {
        if let Some(names) = self.all_names_printed(source, analysis) {
            return Some(names);
        }
        let is_certain = source.given_by.is_none() && source.words.iter().all(|word| !word.is_dynamic());
        let program = base_name(source.program());
        let operands = || {
            source.words[1..]
                .iter()
                .filter(|word| !word.text.starts_with('-'))
        };
        if program == "cat" && operands().next().is_none() {
            return if source.input.is_text {
                names_in_text(analysis)
            } else {
                Some(Vec::new())
            };
        }
        if !is_certain || !source.input.files.is_empty() || source.input.is_text {
            return None;
        }
        if program == "find" {
            gathered.read.extend(self.closed_findings(source, analysis)?);
            return Some(Vec::new());
        }
        if lists_files(source) {
            // What it lists is here, as far as it asks nothing itself.
            self.look_into(&DirectorySearch::everything(false), directories, gathered)?;
            return Some(Vec::new());
        }
        let is_fed = !source.input.piped.is_empty();
        let is_choosing =
            CHOOSING.contains(&program) && files_read(source).is_empty() && search(source).is_none();
        (is_fed && is_choosing).then(Vec::new)
    }
}

/// The names in a text of the command; `None` where it has parts that only the shell knows.
fn names_in_text(analysis: &Analysis) -> Option<Vec<String>> {
    let is_known = !analysis.text.contains(['$', '`']);
    is_known.then(|| tokens(&analysis.text))
}

/// Returns true if a command prints names of files and nothing else.
fn lists_files(source: &Simple) -> bool {
    let has = |names: &[&str]| {
        source
            .words
            .iter()
            .any(|word| names.contains(&word.text.as_str()))
    };
    let has_letter = |letter: char| {
        let is_one = |text: &str| text.starts_with('-') && !text.starts_with("--") && text.contains(letter);
        source.words.iter().any(|word| is_one(&word.text))
    };
    match base_name(source.program()) {
        "fd" | "fdfind" => true,
        "grep" => search(source).is_some() && (has_letter('l') || has(&["--files-with-matches"])),
        "rg" => has_letter('l') || has(&["--files", "--files-with-matches"]),
        "git" => match source.words.get(1).map(|word| word.text.as_str()) {
            Some("ls-files") => true,
            Some("diff" | "show") => has(&["--name-only"]),
            Some("grep") => has_letter('l') || has(&["--name-only", "--files-with-matches"]),
            _ => false,
        },
        _ => false,
    }
}
