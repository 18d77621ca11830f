//! Protected names that the text of a command reaches, wherever in it they stand.
//!
//! What a command writes by plain operands in a known directory is judged in `written`. Here is the rest of what the text tells:
//! every directory that any of its commands may change to, where it is not known which one holds; wildcards on the way; words that
//! are known in part; what `find` finds and `xargs` is given; files that scripts, patches and options for outputs name. Too
//! many paths do no harm, because only those count that are protected. A name that stands nowhere in the text and in no file
//! that it names is not known here.

mod find_matches;
mod passed_names;
mod patched;

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use super::wildcards::Wildcards;
use super::written::may_get_into;
use super::{CommandContext, GatheredAsks, base_name, unclear};
use crate::permission::command::{
    Analysis, PathOperand, PossibleDirectories, RedirectedFile, Simple, Word, analyse, named_in_script,
    operand_of, outputs, written,
};
use crate::permission::{PermissionKey, may_be_protected};
use crate::text::path::without_dots;

/// Directories in which a command may run whose place is not known.
const MAX_PLACES: usize = 64;
/// Paths that are judged for one command.
const MAX_PATHS: usize = 4000;
const SHELLS: &[&str] = &["bash", "sh", "zsh", "dash", "ksh"];

/// Paths that a command may write.
#[derive(Debug, Default)]
struct ReachedPaths {
    paths: Vec<ReachedPath>,
    known: HashSet<ReachedPath>,
    is_too_much: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct ReachedPath {
    path: PathBuf,
    /// True if all of it stands in the text, so that the rules of `edit` count, too.
    is_certain: bool,
}

impl ReachedPaths {
    fn add(&mut self, path: PathBuf, is_certain: bool) {
        let candidate = ReachedPath { path, is_certain };
        if self.paths.len() >= MAX_PATHS {
            self.is_too_much = true;
        } else if self.known.insert(candidate.clone()) {
            self.paths.push(candidate);
        }
    }
}

/// Directories in which a command may run.
struct CommandDirectories {
    directories: Vec<PathBuf>,
    is_certain: bool,
}

impl CommandContext<'_> {
    /// Gathers the protected names among what a command may write.
    pub(super) fn reached(&self, command: &Simple, analysis: &Analysis, gathered: &mut GatheredAsks) {
        let places = self.places(&command.place, analysis);
        let mut reached = ReachedPaths::default();
        let (operands, has_unknown) = self.reach_by_words(command, &places, analysis, &mut reached);
        self.reach_by_find(command, &places, analysis, &mut reached);
        self.reach_by_names(
            command,
            &places,
            analysis,
            has_unknown || operands == 0,
            &mut reached,
        );
        let is_read = self.reach_by_patch(command, &places, analysis, &mut reached);
        if !is_read || reached.is_too_much {
            gathered
                .edit
                .push(unclear(PermissionKey::EDIT, &command.canonical));
        }
        self.judge(reached, gathered);
        if let Some(text) = not_followed(command) {
            // The analysis has followed the texts in it already.
            let inner = analyse(text);
            for command in inner
                .commands
                .iter()
                .filter(|command| not_followed(command).is_none())
            {
                self.reached(command, &inner, gathered);
            }
            for redirected in &inner.redirected {
                self.reached_by_redirection(redirected, &inner, gathered);
            }
        }
    }

    /// The same for a redirection.
    pub(super) fn reached_by_redirection(
        &self,
        redirected: &RedirectedFile,
        analysis: &Analysis,
        gathered: &mut GatheredAsks,
    ) {
        if !redirected.writes {
            return;
        }
        let places = self.places(&redirected.place, analysis);
        let mut reached = ReachedPaths::default();
        self.spell(&operand_of(&redirected.target), &places, analysis, &mut reached);
        self.judge(reached, gathered);
    }

    fn judge(&self, reached: ReachedPaths, gathered: &mut GatheredAsks) {
        for ReachedPath { path, is_certain } in reached.paths {
            let asks = self.changed_path(&path.to_string_lossy());
            gathered.edit.extend(
                asks.into_iter()
                    .filter(|ask| is_certain || ask.key == PermissionKey::PROTECTED),
            );
        }
    }

    /// The directories in which a command may run: those that are known, or all that the text names.
    fn places(&self, place: &PossibleDirectories, analysis: &Analysis) -> CommandDirectories {
        if let Some(directories) = self.directories(place) {
            return CommandDirectories {
                directories,
                is_certain: true,
            };
        }
        // They are the same for every command of the text.
        let known = self.unknown_places.borrow().get(&analysis.text).cloned();
        let directories = known.unwrap_or_else(|| {
            let directories = self.named_places(analysis);
            let mut known = self.unknown_places.borrow_mut();
            known.insert(analysis.text.clone(), directories.clone());
            directories
        });
        CommandDirectories {
            directories,
            is_certain: false,
        }
    }

    /// The directories that a text names, one from another.
    fn named_places(&self, analysis: &Analysis) -> Vec<PathBuf> {
        let mut directories = vec![self.workdir.to_owned()];
        let mut at = 0;
        while at < directories.len() {
            let here = CommandDirectories {
                directories: vec![directories[at].clone()],
                is_certain: false,
            };
            at += 1;
            let mut next = ReachedPaths::default();
            for step in &analysis.steps {
                self.spell(step, &here, analysis, &mut next);
            }
            for ReachedPath { path, .. } in next.paths {
                let path = without_dots(&path);
                if !self.spend(3) {
                    return directories;
                }
                if path.is_dir() && !directories.contains(&path) && directories.len() < MAX_PLACES {
                    directories.push(path);
                }
            }
        }
        directories
    }

    /// Collects the paths that a command writes by its words. Returns how many of them say so, and whether one of those
    /// is not known.
    fn reach_by_words(
        &self,
        command: &Simple,
        places: &CommandDirectories,
        analysis: &Analysis,
        reached: &mut ReachedPaths,
    ) -> (usize, bool) {
        let begin = reached.paths.len();
        let written = written(command);
        let mut operands = written.targets;
        operands.extend(outputs(command));
        let takes_trees = matches!(base_name(command.program()), "rm" | "rmdir" | "mv");
        for operand in &operands {
            let first = reached.paths.len();
            self.spell(operand, places, analysis, reached);
            if takes_trees {
                self.add_repository(first, reached);
            }
        }
        for operand in named_in_script(command) {
            self.spell_as(&operand, places, analysis, false, reached);
        }
        let mut has_unknown = operands.iter().any(|operand| operand.dynamic);
        for copied in &written.copied {
            has_unknown |= copied.destination.dynamic;
            let mut destinations = ReachedPaths::default();
            self.spell(&copied.destination, places, analysis, &mut destinations);
            let names = copied.sources.iter().map(|source| {
                let text = format!("{}{}", source.text, source.wildcards);
                text.trim_end_matches('/')
                    .rsplit('/')
                    .next()
                    .unwrap_or_default()
                    .to_owned()
            });
            let names: Vec<String> = names.collect();
            for ReachedPath { path, is_certain } in destinations.paths {
                let names = Some(&names).filter(|_| may_get_into(copied, &path, analysis));
                for name in names.into_iter().flatten() {
                    reached.add(path.join(name), is_certain && !name.contains(['*', '?', '[']));
                }
                reached.add(path, is_certain);
            }
        }
        let endings = written.backup.map(|backup| backup.suffixes).unwrap_or_default();
        for path in backup_names(&endings, &reached.paths[begin..]) {
            reached.add(path, false);
        }
        let count = operands.len() + written.copied.len();
        (count, has_unknown)
    }

    /// Adds the project's repository where a directory that holds the project goes.
    fn add_repository(&self, first: usize, reached: &mut ReachedPaths) {
        let project = self.services.roots.project_root();
        let holds = |candidate: &ReachedPath| {
            project.starts_with(without_dots(&candidate.path))
                || candidate
                    .path
                    .canonicalize()
                    .is_ok_and(|real| project.starts_with(real))
        };
        if reached.paths[first..].iter().any(holds) {
            reached.add(project.join(".git"), false);
        }
    }

    /// Adds every path that an operand may stand for.
    fn spell(
        &self,
        operand: &PathOperand,
        places: &CommandDirectories,
        analysis: &Analysis,
        reached: &mut ReachedPaths,
    ) {
        self.spell_as(operand, places, analysis, places.is_certain, reached);
    }

    fn spell_as(
        &self,
        operand: &PathOperand,
        places: &CommandDirectories,
        analysis: &Analysis,
        is_certain: bool,
        reached: &mut ReachedPaths,
    ) {
        for directory in &places.directories {
            if !self.spend(2) {
                return;
            }
            if operand.dynamic {
                for part in &operand.known_parts {
                    self.spell_text(directory, &directory.join(part), analysis, false, reached);
                }
                continue;
            }
            let Some(path) = self.join(operand, directory) else {
                continue;
            };
            let mut text = path.into_os_string();
            text.push(&operand.wildcards);
            let is_certain = is_certain && operand.wildcards.is_empty();
            if operand.wildcards.is_empty() {
                reached.add(PathBuf::from(&text), is_certain);
                reached.add(without_dots(Path::new(&text)), is_certain);
            } else {
                self.spell_text(directory, Path::new(&text), analysis, is_certain, reached);
            }
        }
    }

    fn spell_text(
        &self,
        directory: &Path,
        pattern: &Path,
        analysis: &Analysis,
        is_certain: bool,
        reached: &mut ReachedPaths,
    ) {
        let Some(pattern) = pattern.to_str() else { return };
        let mut shortened = without_dots(Path::new(pattern)).to_string_lossy().into_owned();
        if pattern.ends_with('/') {
            shortened.push('/');
        }
        for text in [pattern, &shortened] {
            let match_hidden = self.wildcards_match_hidden(analysis);
            let mut wildcards = Wildcards::new(&self.work).for_writing(match_hidden);
            if wildcards.below(directory, text).is_none() {
                reached.is_too_much = true;
            }
            for path in wildcards.found {
                reached.add(PathBuf::from(path), is_certain);
            }
        }
    }
}

/// The names that backups of files get.
fn backup_names(endings: &[String], files: &[ReachedPath]) -> Vec<PathBuf> {
    let with_ending = |file: &ReachedPath, ending: &str| {
        let name = file.path.file_name()?.to_string_lossy();
        Some(file.path.with_file_name(if ending.contains('*') {
            ending.replace('*', &name)
        } else {
            format!("{name}{ending}")
        }))
    };
    let endings = endings.iter().filter(|ending| !ending.is_empty());
    endings
        .flat_map(|ending| {
            files
                .iter()
                .filter_map(|file| with_ending(file, ending))
                .collect::<Vec<_>>()
        })
        .collect()
}

/// The text that a shell runs where only the shell before it knows all of it.
fn not_followed(command: &Simple) -> Option<&str> {
    let is_open = |word: &&Word| word.is_dynamic() || word.glob_at.is_some();
    let text = command
        .words
        .iter()
        .find(|word| word.text.contains([' ', '$', '>']))?;
    (is_shell(command) && is_open(&text)).then_some(&text.text)
}

fn is_shell(command: &Simple) -> bool {
    SHELLS.contains(&base_name(command.program())) && command.words.iter().any(|word| word.text.contains('c'))
}

/// Returns true if a path has a name in it that may be protected.
fn is_special(path: &Path) -> bool {
    let mut above = std::ffi::OsStr::new("");
    path.iter().any(|name| {
        let is_special = may_be_protected(above, name);
        above = name;
        is_special
    })
}
