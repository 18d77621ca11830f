//! Writes of a command through its operands: protected names, rules that deny, and whether accepted edits include them.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use super::paths::tokens;
use super::{CommandContext, GatheredAsks, base_name, may_be_options, unclear};
use crate::permission::command::{
    Analysis, Backup, CopiedFiles, DirectorySearch, PathOperand, Simple, WorkBudget, WrittenPaths, is_edit,
    is_plain, written,
};
use crate::permission::{PermissionKey, may_be_protected};

/// Files of a directory that are judged when it is copied as a whole; those with names that could be protected always are.
const MAX_COPIED: usize = 4000;
/// Names of a directory that are looked at for that.
const MAX_LISTED: usize = 100_000;
/// The variable that says what stands behind the name of a backup, where the command does not.
const SUFFIX: &str = "SIMPLE_BACKUP_SUFFIX";
/// Parts of a text that are tried as suffixes.
const MAX_SUFFIXES: usize = 50;
/// The ending of the first backup where they are numbered.
const NUMBERED: &str = ".~1~";

/// The operands of a command as paths.
#[derive(Clone, Copy)]
pub(super) struct OperandPaths<'a> {
    /// Directories in which the command may run; `None` if unknown.
    pub(super) directories: Option<&'a [PathBuf]>,
    /// Expansion of its wildcards; `None` when there are too many.
    pub(super) expanded: Option<&'a [String]>,
}

/// Changes that a command makes through its operands.
#[derive(Debug, Default)]
pub(super) struct OperandChanges {
    /// True if it changes files in the project and does nothing else.
    pub(super) is_edit: bool,
    pub(super) kept: BackedUpFiles,
}

/// Files that are in the way of others and get the names of backups.
#[derive(Debug, Default)]
pub(super) struct BackedUpFiles {
    pub(super) files: Vec<PathBuf>,
    pub(super) names: Vec<PathBuf>,
}

/// The names that files get.
#[derive(Default)]
struct GivenNames {
    all: Vec<String>,
    /// Those among them that a source gets by itself, so that whatever is there has to go.
    of_sources: Vec<String>,
    /// True if a directory has more files than are looked at.
    is_too_much: bool,
    /// True if none is missing.
    are_certain: bool,
}

/// Returns true if files may get into a destination, and not in its place. Another command of the call may make a directory of
/// it first.
pub(super) fn may_get_into(copied: &CopiedFiles, destination: &Path, analysis: &Analysis) -> bool {
    let is_alone =
        analysis.commands.len() == 1 && analysis.possible_commands.is_empty() && analysis.refusal.is_none();
    !copied.is_name && (copied.is_directory || !is_alone || destination.is_dir())
}

impl CommandContext<'_> {
    /// Gathers what may not be written.
    pub(super) fn changed(
        &self,
        command: &Simple,
        analysis: &Analysis,
        operand_paths: OperandPaths<'_>,
        gathered: &mut GatheredAsks,
    ) -> OperandChanges {
        let written = written(command);
        let mut names = self.names(&written, analysis, operand_paths);
        let mut kept = BackedUpFiles::default();
        let mut is_unclear = names.is_too_much;
        if let Some(backup) = written.backup {
            let backup = self.completed(backup, analysis);
            is_unclear |= !backup.is_certain;
            let directories = operand_paths.directories.unwrap_or_default();
            kept = kept_by(command, &backup, &names, directories, &self.work);
            for path in &kept.names {
                names.all.push(path.to_string_lossy().into_owned());
            }
            is_unclear |= self.keep(&kept, gathered).is_none();
        }
        let writes = !names.all.is_empty();
        let places = operand_paths.directories.zip(operand_paths.expanded);
        is_unclear |= writes
            && places.is_some_and(|(directories, expanded)| may_be_options(command, expanded, directories));
        if is_unclear {
            gathered
                .edit
                .push(unclear(PermissionKey::EDIT, &command.canonical));
        }
        let is_known = names.are_certain && operand_paths.expanded.is_some();
        let is_here = is_known && writes && names.all.iter().all(|path| self.is_inside(path, self.workdir));
        for path in &names.all {
            gathered.edit.extend(self.changed_path(path));
        }
        if matches!(base_name(command.program()), "rm" | "rmdir" | "mv") {
            self.backups(&written.targets, operand_paths, gathered);
        }
        OperandChanges {
            is_edit: is_here && is_edit(command) && self.program(command.program()).is_some(),
            kept,
        }
    }

    /// The names that the files get which a command writes, without those of backups.
    fn names(
        &self,
        written: &WrittenPaths,
        analysis: &Analysis,
        operand_paths: OperandPaths<'_>,
    ) -> GivenNames {
        let mut names = GivenNames {
            are_certain: operand_paths.directories.is_some(),
            ..GivenNames::default()
        };
        for target in &written.targets {
            match self.paths_of(target, operand_paths.directories) {
                Some(found) => names.all.extend(found),
                None => names.are_certain = false,
            }
        }
        for copied in &written.copied {
            let Some(found) = self.paths_of(&copied.destination, operand_paths.directories) else {
                names.are_certain = false;
                continue;
            };
            for destination in found {
                let is_directory = Path::new(&destination).is_dir();
                if copied.is_name || !is_directory {
                    names.of_sources.push(destination.clone());
                    names.all.push(destination.clone());
                }
                let is_in = may_get_into(copied, Path::new(&destination), analysis);
                self.copied_to(copied, &destination, is_in, operand_paths, &mut names);
                names.all.push(destination);
            }
        }
        if written.by_wildcard {
            let expanded = operand_paths.expanded.into_iter().flatten();
            names.all.extend(expanded.cloned());
        }
        names
    }

    /// Whatever holds the project's repository takes it along.
    fn backups(&self, targets: &[PathOperand], operand_paths: OperandPaths<'_>, gathered: &mut GatheredAsks) {
        let project = self.services.roots.project_root();
        let gone = targets
            .iter()
            .filter(|target| target.wildcards.is_empty())
            .filter_map(|target| self.paths_of(target, operand_paths.directories));
        let holds = |path: &String| {
            Path::new(path)
                .canonicalize()
                .is_ok_and(|real| project.starts_with(real))
        };
        if gone.flatten().any(|path| holds(&path)) {
            let repository = project.join(".git");
            gathered
                .edit
                .extend(self.changed_path(&repository.to_string_lossy()));
        }
    }

    /// The names that files get at a destination, in it if it `is_in`, and those that they bring.
    fn copied_to(
        &self,
        copied: &CopiedFiles,
        destination: &str,
        is_in: bool,
        operand_paths: OperandPaths<'_>,
        names: &mut GivenNames,
    ) {
        let paths = |source: &PathOperand| {
            let is_plain = source.wildcards.is_empty();
            self.paths_of(source, operand_paths.directories)
                .filter(|_| is_plain)
        };
        let mut sources: Vec<String> = copied.sources.iter().filter_map(paths).flatten().collect();
        sources.extend(operand_paths.expanded.into_iter().flatten().cloned());
        let destination = Path::new(destination);
        for source in &sources {
            let source = Path::new(source);
            let mut into = vec![match source.file_name() {
                Some(name) if is_in => destination.join(name),
                _ => destination.to_owned(),
            }];
            if copied.keeps_parents {
                let start = operand_paths.directories.into_iter().flatten();
                let relative = start
                    .filter_map(|start| source.strip_prefix(start).ok())
                    .chain(source.strip_prefix("/").ok());
                into.extend(relative.map(|path| destination.join(path)));
            }
            for path in &into {
                let path = path.to_string_lossy().into_owned();
                names.of_sources.push(path.clone());
                names.all.push(path);
            }
            if !copied.is_recursive || !source.is_dir() {
                continue;
            }
            // `cp -r a/. b` brings what is in `a` to `b` itself.
            let text = source.to_string_lossy();
            let contents = text.ends_with("/.") || text.ends_with('/');
            if contents || copied.is_name || source.file_name().is_none() || !destination.exists() {
                into.push(destination.to_owned());
            }
            let (below, is_whole) = below(source, &self.work);
            names.is_too_much |= !is_whole;
            for below in below {
                names.all.extend(
                    into.iter()
                        .map(|path| path.join(&below).to_string_lossy().into_owned()),
                );
            }
        }
    }
}

impl CommandContext<'_> {
    /// A backup with what the environment says about its name.
    fn completed(&self, mut backup: Backup, analysis: &Analysis) -> Backup {
        if !backup.is_default {
            return backup;
        }
        if let Some(suffix) = self.services.variable(SUFFIX) {
            let suffix = suffix.to_string_lossy();
            backup.is_certain &= is_plain(&suffix);
            backup.suffixes.push(suffix.into_owned());
        }
        let lasting = analysis.lasting.contains(SUFFIX);
        let words = analysis.commands.iter().flat_map(|command| {
            let words = command.words.iter().map(|word| word.text.as_str());
            words.chain([command.canonical.as_str()])
        });
        let mut is_assigned = false;
        for text in words.chain([analysis.text.as_str()]) {
            for (_, behind) in text
                .match_indices(SUFFIX)
                .map(|(at, name)| text.split_at(at + name.len()))
            {
                is_assigned = true;
                let Some(value) = behind.strip_prefix('=') else {
                    continue;
                };
                let value = value.chars().filter(|letter| !['\'', '"', '\\'].contains(letter));
                let suffix: String = value
                    .take_while(|letter| is_plain(letter.encode_utf8(&mut [0; 4])))
                    .collect();
                backup.suffixes.push(suffix);
            }
        }
        if lasting || is_assigned {
            backup.is_certain = false;
            // It may stand anywhere in the text.
            let tokens = tokens(&analysis.text);
            backup.suffixes.extend(tokens.into_iter().take(MAX_SUFFIXES));
        }
        backup
    }

    /// Gathers what is in the files that get the names of backups; `None` when it is too much to look at.
    fn keep(&self, kept: &BackedUpFiles, gathered: &mut GatheredAsks) -> Option<()> {
        for file in &kept.files {
            gathered.read.extend(self.read_path(file));
        }
        let is_directory = |path: &&PathBuf| path.is_dir() && !path.is_symlink();
        let directories: Vec<PathBuf> = kept.files.iter().filter(is_directory).cloned().collect();
        self.look_into(&DirectorySearch::everything(false), &directories, gathered)
    }
}

/// The files that a command keeps under other names when it writes these.
fn kept_by(
    command: &Simple,
    backup: &Backup,
    names: &GivenNames,
    directories: &[PathBuf],
    work: &WorkBudget,
) -> BackedUpFiles {
    let moves_directories = base_name(command.program()) == "mv";
    let of_sources: HashSet<&String> = names.of_sources.iter().collect();
    let mut kept = BackedUpFiles::default();
    let mut seen = HashSet::new();
    for written in &names.all {
        let path: PathBuf = Path::new(written).components().collect();
        let found = path.symlink_metadata();
        let is_directory = found.as_ref().is_ok_and(std::fs::Metadata::is_dir);
        if is_directory && !(moves_directories && of_sources.contains(written)) || !seen.insert(written) {
            continue;
        }
        let mut new_names = vec![with_ending(&path, NUMBERED)];
        for suffix in &backup.suffixes {
            if suffix.contains('*') {
                new_names.extend(filled_in(suffix, written, directories));
            } else {
                new_names.push(with_ending(&path, suffix));
            }
        }
        if is_directory {
            let (below, _) = below(&path, work);
            let inside = |name: &PathBuf| below.iter().map(|below| name.join(below)).collect::<Vec<_>>();
            kept.names.extend(new_names.iter().flat_map(inside));
        }
        kept.names.extend(new_names);
        if found.is_ok() {
            kept.files.push(path);
        }
    }
    kept
}

fn with_ending(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}

/// The names that `sed` may make of a suffix with a `*`, which stands for the operand as it is written, as a whole or
/// without its directory. They begin where it runs or where the file lies.
fn filled_in(suffix: &str, path: &str, directories: &[PathBuf]) -> Vec<PathBuf> {
    let mut operands = vec![path];
    operands.extend(path.rsplit('/').next());
    for directory in directories {
        let directory = directory.to_string_lossy();
        let below = path.strip_prefix(&*directory);
        operands.extend(below.map(|below| below.strip_prefix('/').unwrap_or(below)));
    }
    let above = Path::new(path).parent();
    let starts = || directories.iter().map(PathBuf::as_path).chain(above);
    let names = operands.iter().map(|operand| suffix.replace('*', operand));
    names
        .flat_map(|name| starts().map(move |start| start.join(&name)).collect::<Vec<_>>())
        .collect()
}

/// `git checkout NAME`, where that is a file: it takes the file as it was.
pub(super) fn overwrites_a_file(command: &Simple, there: &[String]) -> bool {
    let is_checkout = command.words.iter().any(|word| word.text == "checkout");
    let makes_a_branch = command
        .words
        .iter()
        .any(|word| matches!(word.text.as_str(), "-b" | "--orphan"));
    command.program() == "git" && is_checkout && !makes_a_branch && !there.is_empty()
}

/// Lists what a directory holds that could be protected: relative paths, up to a limit. The second is false if it holds
/// more names than are looked at.
fn below(directory: &Path, work: &WorkBudget) -> (Vec<PathBuf>, bool) {
    let mut found = Vec::new();
    let mut waiting = vec![PathBuf::new()];
    let mut left = MAX_LISTED;
    while let Some(relative) = waiting.pop() {
        let Ok(entries) = std::fs::read_dir(directory.join(&relative)) else {
            continue;
        };
        let above = directory.join(&relative);
        for entry in entries.flatten() {
            let Some(rest) = left.checked_sub(1).filter(|_| work.spend(1)) else {
                return (found, false);
            };
            left = rest;
            let path = relative.join(entry.file_name());
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                waiting.push(path.clone());
            }
            let name = entry.file_name();
            if found.len() < MAX_COPIED || may_be_protected(above.file_name().unwrap_or_default(), &name) {
                found.push(path);
            }
        }
    }
    (found, true)
}
