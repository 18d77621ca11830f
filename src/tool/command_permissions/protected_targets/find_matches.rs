//! Files that `find` finds now, as far as they may be protected.

use std::collections::{HashMap, VecDeque};
use std::fs;
use std::path::{Path, PathBuf};

use super::{CommandContext, CommandDirectories, ReachedPaths, is_special};
use crate::permission::Ask;
use crate::permission::command::{
    Analysis, FindAction, FindCommand, FoundEntry, PathOperand, Simple, WorkBudget,
};
use crate::tool::protected_names::is_dot_git;

/// Entries that one `find` makes lathe look at.
const MAX_ENTRIES: usize = 100_000;
/// Entries of one repository that are judged: they are all protected alike.
const MAX_OF_REPOSITORY: usize = 50;
/// Other entries that are judged.
const MAX_FOUND: usize = 1000;

/// An entry that an action gets.
#[derive(Debug, Clone)]
pub(super) struct FindMatch {
    pub(super) path: PathBuf,
    /// As `find` names it.
    pub(super) name: String,
}

/// Objects of the actions of a `find`.
#[derive(Debug, Default)]
pub(super) struct FindMatches {
    pub(super) deleted: Vec<FindMatch>,
    pub(super) printed: Vec<FindMatch>,
    /// Files that programs are run on.
    pub(super) run_on: Vec<FindMatch>,
    pub(super) is_too_much: bool,
}

impl CommandContext<'_> {
    pub(super) fn reach_by_find(
        &self,
        command: &Simple,
        places: &CommandDirectories,
        analysis: &Analysis,
        reached: &mut ReachedPaths,
    ) {
        if !command.words.iter().any(|word| word.text == "-delete") {
            return;
        }
        let Some(find) = FindCommand::of(command) else {
            return;
        };
        let findings = self.findings(&find, places, analysis);
        reached.is_too_much |= findings.is_too_much;
        for FindMatch { path, .. } in findings.deleted {
            reached.add(path, false);
        }
    }

    /// Looks for what the actions of a `find` may get, if that may be protected.
    pub(super) fn findings(
        &self,
        find: &FindCommand<'_>,
        places: &CommandDirectories,
        analysis: &Analysis,
    ) -> FindMatches {
        let mut special = RepositoryEntryCount::default();
        self.findings_that(find, places, analysis, &mut |path, is_link| {
            special.counts(path, is_link)
        })
    }

    /// The same for the entries that count: those are told by their path, and whether they are links.
    fn findings_that(
        &self,
        find: &FindCommand<'_>,
        places: &CommandDirectories,
        analysis: &Analysis,
        counts: &mut dyn FnMut(&Path, bool) -> bool,
    ) -> FindMatches {
        let mut walk = FindWalk {
            find,
            waiting: VecDeque::new(),
            left: MAX_ENTRIES,
            work: &self.work,
            counts,
            findings: FindMatches::default(),
        };
        for FindMatch { path, name } in self.starts(find, places, analysis) {
            walk.meet(path, name, 0);
            walk.run();
        }
        walk.findings
    }

    /// The asks for files closed for reading whose names a `find` prints; `None` when there is too much to look at.
    pub(in super::super) fn closed_findings(&self, source: &Simple, analysis: &Analysis) -> Option<Vec<Ask>> {
        let find = FindCommand::of(source)?;
        let readable = self.services.gate.readable();
        let mut asks = Vec::new();
        let places = self.places(&source.place, analysis);
        let findings = self.findings_that(&find, &places, analysis, &mut |path, _| {
            let closed = self.closed(path, &readable);
            let is_closed = !closed.is_empty() && !path.is_dir();
            if is_closed {
                asks.extend(closed);
            }
            is_closed
        });
        (!findings.is_too_much && places.is_certain).then_some(asks)
    }

    fn starts(
        &self,
        find: &FindCommand<'_>,
        places: &CommandDirectories,
        analysis: &Analysis,
    ) -> Vec<FindMatch> {
        let mut starts = Vec::new();
        for directory in &places.directories {
            if find.starts.is_empty() {
                starts.push(FindMatch {
                    path: directory.clone(),
                    name: ".".to_owned(),
                });
            }
            for operand in &find.starts {
                let here = CommandDirectories {
                    directories: vec![directory.clone()],
                    is_certain: false,
                };
                let mut spelled = ReachedPaths::default();
                self.spell(operand, &here, analysis, &mut spelled);
                let paths = spelled.paths.into_iter().map(|candidate| candidate.path);
                starts.extend(paths.map(|path| FindMatch {
                    name: name_of(operand, directory, &path),
                    path,
                }));
            }
        }
        starts
    }
}

fn name_of(operand: &PathOperand, directory: &Path, path: &Path) -> String {
    let is_as_written =
        operand.variable.is_none() && !operand.tilde && !operand.dynamic && operand.wildcards.is_empty();
    if is_as_written {
        return operand.text.clone();
    }
    let is_absolute = operand.text.starts_with('/') || operand.variable.is_some() || operand.tilde;
    let below = path.strip_prefix(directory).ok().filter(|_| !is_absolute);
    below.unwrap_or(path).to_string_lossy().into_owned()
}

struct FindWalk<'f, 'a, 'c> {
    find: &'f FindCommand<'a>,
    /// Directories to be read: path, name, depth.
    waiting: VecDeque<(PathBuf, String, usize)>,
    left: usize,
    work: &'c WorkBudget,
    counts: &'c mut dyn FnMut(&Path, bool) -> bool,
    findings: FindMatches,
}

impl FindWalk<'_, '_, '_> {
    fn run(&mut self) {
        while let Some((path, name, depth)) = self.waiting.pop_front() {
            let Ok(entries) = fs::read_dir(&path) else {
                continue;
            };
            for entry in entries.flatten() {
                let left = self.left.checked_sub(1).filter(|_| self.work.spend(1));
                let Some(left) = left else {
                    self.findings.is_too_much = true;
                    self.waiting.clear();
                    return;
                };
                self.left = left;
                let below = entry.file_name();
                let slash = if name.ends_with('/') { "" } else { "/" };
                let name = format!("{name}{slash}{}", below.to_string_lossy());
                self.meet(entry.path(), name, depth + 1);
            }
        }
    }

    fn meet(&mut self, path: PathBuf, name: String, depth: usize) {
        let Ok(metadata) = path.symlink_metadata() else {
            return;
        };
        let is_link =
            metadata.is_symlink() && !(self.find.follows_links || depth == 0 && name.ends_with('/'));
        let is_directory = metadata.is_dir() || metadata.is_symlink() && !is_link && path.is_dir();
        let mut prunes = false;
        if depth >= self.find.min_depth {
            let is_empty = || {
                if is_directory {
                    fs::read_dir(&path).is_ok_and(|mut entries| entries.next().is_none())
                } else {
                    metadata.len() == 0
                }
            };
            let last = name.trim_end_matches('/').rsplit('/').next().unwrap_or(&name);
            let (actions, is_pruned) = self.find.visit(&FoundEntry {
                path: &name,
                name: last,
                is_directory,
                is_link,
                is_empty: &is_empty,
            });
            prunes = is_pruned;
            if !actions.is_empty() && (self.counts)(&path, is_link) {
                let found = FindMatch {
                    path: path.clone(),
                    name: name.clone(),
                };
                for action in actions {
                    let findings = match action {
                        FindAction::Delete => &mut self.findings.deleted,
                        FindAction::Print => &mut self.findings.printed,
                        FindAction::Run { .. } => &mut self.findings.run_on,
                    };
                    if findings.len() < 2 * MAX_FOUND {
                        findings.push(found.clone());
                    } else {
                        self.findings.is_too_much = true;
                    }
                }
            }
        }
        if is_directory && !prunes && depth < self.find.max_depth {
            // A repository is looked into first, so that it is within the limit.
            if is_dot_git(&path) {
                self.waiting.push_front((path, name, depth));
            } else {
                self.waiting.push_back((path, name, depth));
            }
        }
    }
}

/// The entries of a repository, counted.
#[derive(Default)]
struct RepositoryEntryCount {
    of_repository: HashMap<PathBuf, usize>,
}

impl RepositoryEntryCount {
    /// Returns true for an entry that is to be judged: one that may be protected, and the first of all others.
    fn counts(&mut self, path: &Path, is_link: bool) -> bool {
        let is_of_interest = is_special(path) || is_link;
        let repository = path.ancestors().find(|above| is_dot_git(above));
        let (key, most) = match repository {
            Some(repository) => (repository.to_owned(), MAX_OF_REPOSITORY),
            None if is_of_interest => (PathBuf::new(), 2 * MAX_FOUND),
            None => (PathBuf::from("."), 1),
        };
        let count = self.of_repository.entry(key).or_default();
        *count += 1;
        *count <= most
    }
}
