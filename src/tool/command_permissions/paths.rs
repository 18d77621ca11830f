//! The paths that a command may name: where they lead from its directories, and what is asked for each.

use std::path::{Component, Path, PathBuf};

use super::super::path_asks::{outside_asks, path_asks};
use super::{CommandContext, unclear};
use crate::files::Resolved;
use crate::permission::command::{
    Analysis, Directory, PathOperand, PossibleDirectories, Simple, Variable, Word, changes_directory,
    files_read, possible_paths, possible_paths_in_no_text, search, shows_files, written,
};
use crate::permission::{Ask, Floor, PermissionKey, Subject};
use crate::text::path::without_dots;

/// Words of one command that are looked at for being paths.
const MAX_POSSIBLE: usize = 4000;
/// Directories in which one command may run.
const MAX_DIRECTORIES: usize = 32;
/// Bytes of the longest name that a file can have.
const MAX_NAME: usize = 255;

impl CommandContext<'_> {
    /// Returns the directories in which a command may start, as spelled; `None` if unknown.
    pub(super) fn directories(&self, place: &PossibleDirectories) -> Option<Vec<PathBuf>> {
        let PossibleDirectories::Known(known) = place else {
            return None;
        };
        if !self.spend(known.iter().map(|steps| 1 + 10 * steps.len()).sum()) {
            return None;
        }
        let searches = self
            .services
            .variable("CDPATH")
            .is_some_and(|path| !path.is_empty());
        let mut found = Vec::new();
        for steps in known {
            if searches && !steps.is_empty() {
                return None;
            }
            add_new(&mut found, self.stepped(steps)?);
        }
        (found.len() <= MAX_DIRECTORIES).then_some(found)
    }

    /// Returns the possible targets of these steps: `cd` removes `..` lexically, `cd -P` after following links.
    fn stepped(&self, steps: &Directory) -> Option<Vec<PathBuf>> {
        let mut directories = vec![self.workdir.to_owned()];
        for step in steps {
            let mut next = Vec::new();
            for directory in &directories {
                let path = self.join(step, directory)?;
                // `cd ..` alone goes by the letters, if nothing makes it go by the links.
                if goes_down_and_up(&step.text) && goes_up_unseen(&path) {
                    return None;
                }
                add_new(&mut next, [without_dots(&path), followed(&path)]);
            }
            if next.len() > MAX_DIRECTORIES {
                return None;
            }
            directories = next;
        }
        Some(directories)
    }

    /// An operand as a path, seen from a directory.
    pub(super) fn join(&self, operand: &PathOperand, directory: &Path) -> Option<PathBuf> {
        let text = operand_text(operand);
        let joined = match operand.variable {
            _ if operand.dynamic => return None,
            None if operand.tilde => {
                let rest = text.strip_prefix('~').unwrap_or_default().trim_start_matches('/');
                self.home.as_ref()?.join(rest)
            }
            None => directory.join(text),
            Some(variable) => {
                let mut beginning = self.value(variable, directory)?.into_os_string();
                beginning.push(&text);
                directory.join(beginning)
            }
        };
        Some(joined)
    }

    /// The directory that a variable names. `None` also where the shell would make other words of it than one, because it
    /// has blanks or wildcards.
    pub(super) fn value(&self, named: Variable, directory: &Path) -> Option<PathBuf> {
        let value = match named {
            Variable::Home => self.home.clone(),
            Variable::WorkingDirectory => Some(directory.to_owned()),
            Variable::Temporary => Some(PathBuf::from(self.services.variable("TMPDIR")?)),
        }?;
        let is_plain = |c: char| c.is_alphanumeric() || "/._-+@%,:=~#".contains(c);
        value.to_str()?.chars().all(is_plain).then_some(value)
    }

    /// Every path that an operand may stand for; `None` when that is not known.
    pub(super) fn paths_of(
        &self,
        operand: &PathOperand,
        directories: Option<&[PathBuf]>,
    ) -> Option<Vec<String>> {
        let is_fixed =
            operand.text.starts_with('/') || operand.tilde || operand.variable == Some(Variable::Home);
        let start = [self.workdir.to_owned()];
        let directories = directories.or(Some(&start).filter(|_| is_fixed).map(|start| &start[..]))?;
        if !self.spend(2 * directories.len()) {
            return None;
        }
        let mut found = Vec::new();
        for directory in directories {
            let path = self.join(operand, directory)?.to_str()?.to_owned();
            if !found.contains(&path) {
                found.push(path);
            }
        }
        Some(found)
    }

    /// The path as the session sees it.
    pub(super) fn resolve(&self, path: &str, directory: &Path) -> Option<Resolved> {
        self.services.roots.resolve(directory.join(path).to_str()?).ok()
    }

    /// The path as the system sees it: links are followed before `..` is taken away.
    pub(super) fn resolve_links(&self, path: &str, directory: &Path) -> Option<Resolved> {
        let path = directory.join(path);
        let found = goes_up(&path).then(|| self.services.roots.resolve_path(&followed(&path)));
        found?.ok()
    }

    /// Returns true if a path is in the project, whether or not its links are followed first.
    pub(super) fn is_inside(&self, path: &str, directory: &Path) -> bool {
        let resolved = self.resolve(path, directory);
        let followed = self.resolve_links(path, directory);
        resolved.is_some_and(|resolved| resolved.inside) && followed.is_none_or(|followed| followed.inside)
    }

    pub(super) fn outside(&self, operand: &PathOperand, directories: Option<&[PathBuf]>) -> Vec<Ask> {
        if !operand.dynamic && operand.text.is_empty() && operand.variable.is_none() {
            // All of it is a wildcard, or nothing at all: the directory itself.
            return Vec::new();
        }
        match self.paths_of(operand, directories) {
            Some(paths) => {
                let asks = paths
                    .iter()
                    .flat_map(|path| self.outside_path(path, self.workdir));
                asks.collect()
            }
            None => vec![Ask::new(
                PermissionKey::EXTERNAL_DIRECTORY,
                Subject::new(&operand.text),
            )],
        }
    }

    pub(super) fn outside_path(&self, path: &str, directory: &Path) -> Vec<Ask> {
        if !self.spend(steps_of(path)) {
            return Vec::new();
        }
        let Some(resolved) = self.resolve(path, directory) else {
            return vec![Ask::new(PermissionKey::EXTERNAL_DIRECTORY, Subject::new(path))];
        };
        if resolved.absolute == Path::new("/dev/null") {
            return Vec::new();
        }
        let mut asks = outside_asks(&self.services.roots, &resolved);
        if let Some(followed) = self.resolve_links(path, directory) {
            asks.extend(outside_asks(&self.services.roots, &followed));
        }
        asks
    }

    pub(super) fn write(&self, operand: &PathOperand, directories: Option<&[PathBuf]>) -> Vec<Ask> {
        match self.paths_of(operand, directories) {
            Some(paths) => {
                let asks = paths.iter().flat_map(|path| self.write_path(path));
                asks.collect()
            }
            None => vec![unclear(PermissionKey::EDIT, &operand.text)],
        }
    }

    pub(super) fn write_path(&self, path: &str) -> Vec<Ask> {
        if is_harmless_device(path) || !self.spend(2 * steps_of(path)) {
            return Vec::new();
        }
        let resolved = [
            self.resolve(path, self.workdir),
            self.resolve_links(path, self.workdir),
        ];
        let mut asks = Vec::new();
        for resolved in resolved.iter().flatten() {
            asks.extend(path_asks(&PermissionKey::EDIT, resolved));
            asks.extend(self.services.protected_asks(resolved));
        }
        asks
    }

    /// The asks for a path that a command writes by its operands: what is protected, and rules that deny.
    pub(super) fn changed_path(&self, path: &str) -> Vec<Ask> {
        let mut asks = self.write_path(path);
        for ask in asks.iter_mut().filter(|ask| ask.key == PermissionKey::EDIT) {
            ask.floor = Floor::Denied;
            ask.always.clear();
        }
        asks
    }

    /// The asks for showing what is in a file: by the name under which a command reaches it, and by the path that it
    /// really has. Whatever finds files that a command may show asks here.
    pub(super) fn read_path(&self, path: impl AsRef<Path>) -> Vec<Ask> {
        let path = self.workdir.join(path);
        if !self.spend(steps_of(&path.to_string_lossy())) {
            return Vec::new();
        }
        self.read_asks(&path)
    }

    /// The same without regard to the work, for one of the names that a look at a directory finds.
    pub(super) fn read_asks(&self, path: &Path) -> Vec<Ask> {
        let mut names = vec![path.to_owned()];
        if goes_up(path) {
            names.push(followed(path));
        }
        let mut asks = Vec::new();
        for name in names {
            match self.services.roots.resolve_path(&name) {
                Ok(resolved) => asks.extend(path_asks(&PermissionKey::READ, &resolved)),
                Err(_) => asks.push(self.unfollowed(&without_dots(&name))),
            }
        }
        asks
    }

    /// The ask for a path whose links cannot be followed to their end, though the command may get there step by step.
    fn unfollowed(&self, path: &Path) -> Ask {
        let can_exist = path
            .components()
            .all(|component| component.as_os_str().len() <= MAX_NAME);
        let subject = Subject::new(self.services.roots.display(path)).also(path.to_string_lossy());
        Ask {
            floor: if can_exist { Floor::Ask } else { Floor::Rules },
            ..Ask::new(PermissionKey::READ, subject)
        }
    }

    /// The words of a command that name something that is there; `None` when they are too many to look at.
    pub(super) fn there(&self, command: &Simple, directories: Option<&[PathBuf]>) -> Option<Vec<String>> {
        let possible = possible_paths(command);
        if possible.len() > MAX_POSSIBLE {
            return None;
        }
        let paths = possible
            .iter()
            .filter_map(|operand| self.paths_of(operand, directories))
            .flatten();
        Some(
            paths
                .filter(|path| Path::new(path).symlink_metadata().is_ok())
                .collect(),
        )
    }
}

impl CommandContext<'_> {
    /// Returns true if a word of a command is a path whose `..` nobody can tell before the call has run.
    pub(super) fn has_unseen(&self, command: &Simple, directories: &[PathBuf]) -> bool {
        let length: usize = command.words.iter().map(|word| word.text.len()).sum();
        if !self.spend(directories.len() * (command.words.len() + length / 8)) {
            return true;
        }
        let words = command.words.iter().skip(1);
        let wildcards: Vec<&Word> = words
            .filter(|word| word.glob_at.is_some() && !word.is_dynamic())
            .collect();
        let operands = possible_paths_in_no_text(command);
        directories.iter().any(|directory| {
            let named = operands
                .iter()
                .filter_map(|operand| self.join(operand, directory));
            let expanded = wildcards
                .iter()
                .filter_map(|word| self.with_wildcards(word, directory));
            named
                .chain(expanded.map(|text| directory.join(text)))
                .any(|path| goes_up_unseen(&path))
        })
    }

    /// The asks for a command with such a word: for what it shows, what it changes, and where it leads the next one.
    pub(super) fn unseen_asks(command: &Simple, analysis: &Analysis) -> Vec<Ask> {
        let ask = |key| vec![unclear(key, &command.canonical)];
        let written = written(command);
        let reads = shows_files(command) || search(command).is_some() || !files_read(command).is_empty();
        if changes_directory(command) {
            let goes_by_links = analysis.commands.iter().any(|other| {
                let is_builtin = matches!(other.program(), "set" | "shopt" | "cd" | "pushd" | "popd");
                let mut words = other.words.iter();
                is_builtin && words.any(|word| word.text.starts_with('-') && word.text != "--")
            });
            let steps = command.words.iter().skip(1);
            let goes_up = steps.into_iter().any(|word| goes_down_and_up(&word.text));
            return if goes_by_links || goes_up {
                ask(PermissionKey::READ)
            } else {
                Vec::new()
            };
        }
        if reads || !written.copied.is_empty() {
            return ask(PermissionKey::READ);
        }
        let makes = matches!(command.program(), "mkdir" | "touch");
        if !makes && (!written.targets.is_empty() || written.by_wildcard) {
            return ask(PermissionKey::EDIT);
        }
        Vec::new()
    }
}

/// Steps for following a path to its end.
fn steps_of(path: &str) -> usize {
    10 + path.len() / 8
}

fn goes_down_and_up(path: &str) -> bool {
    let names = Path::new(path)
        .components()
        .skip_while(|component| !matches!(component, Component::Normal(_)));
    names
        .into_iter()
        .any(|component| component == Component::ParentDir)
}

/// Returns true if a path goes up through a directory that is not there, or that a wildcard stands for: it may lead
/// elsewhere once it is there. A wildcard behind the last `..` does not count.
pub(super) fn goes_up_unseen(path: &Path) -> bool {
    let mut above = PathBuf::new();
    for component in path.components() {
        if component != Component::ParentDir {
            above.push(component);
            continue;
        }
        match above.canonicalize() {
            Ok(real) if real.is_dir() => above = real,
            _ => return true,
        }
        above.pop();
    }
    false
}

fn add_new(paths: &mut Vec<PathBuf>, more: impl IntoIterator<Item = PathBuf>) {
    for path in more {
        if !paths.contains(&path) {
            paths.push(path);
        }
    }
}

fn goes_up(path: &Path) -> bool {
    path.components()
        .any(|component| component == Component::ParentDir)
}

/// Takes `..` away as the system does, which follows the links before it. The other links stay.
fn followed(path: &Path) -> PathBuf {
    let mut followed = PathBuf::new();
    for component in path.components() {
        match component {
            Component::ParentDir => {
                followed = followed.canonicalize().unwrap_or(followed);
                followed.pop();
            }
            other => followed.push(other),
        }
    }
    followed
}

/// A quoted `~` is a file's name, and so is `file:`.
fn operand_text(operand: &PathOperand) -> String {
    let is_name = operand.text.starts_with('~') && !operand.tilde;
    let is_url = operand
        .text
        .get(..5)
        .is_some_and(|scheme| scheme.eq_ignore_ascii_case("file:"));
    if is_name || is_url {
        format!("./{}", operand.text)
    } else {
        operand.text.clone()
    }
}

/// Devices that hold nothing of anybody's.
pub(super) fn is_harmless_device(path: &str) -> bool {
    let path = Path::new(path);
    let known = [
        "/dev/null",
        "/dev/stdin",
        "/dev/stdout",
        "/dev/stderr",
        "/dev/tty",
    ];
    known.iter().any(|known| path == Path::new(known)) || path.parent() == Some(Path::new("/dev/fd"))
}

/// Parts of a text that could be names.
pub(super) fn tokens(text: &str) -> Vec<String> {
    let text = text
        .replace("\\n", "\n")
        .replace("\\0", "\n")
        .replace("\\t", "\t");
    let is_separator = |c: char| c.is_whitespace() || "\"'`;|&()<>".contains(c);
    let parts = text.split(is_separator).filter(|part| !part.is_empty());
    parts.map(str::to_owned).collect()
}
