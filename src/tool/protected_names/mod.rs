//! Protected names in the project that a command created or changed: configuration of lathe and of other programs, hooks
//! and new repositories.
//!
//! Nothing keeps an allowed command from creating such a name, so the result of the command tells of it. Lathe itself uses
//! none of them before the person says yes: what it would read is remembered (`unconfirmed`), which looks at the places
//! of the session's own directories one by one, and no hook of a repository is ever run. So the look here may be bounded:
//! the names nearest to the project's root are looked at, up to a number of them, and directories of installed or built
//! files last.
//!
//! Names that were there before are remembered for the session. What is new has also changed since the command began,
//! by the clock that the file system writes times with.

mod repositories;

use crate::permission::PermissionKey;
use std::collections::{HashMap, VecDeque};
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use self::repositories::Repositories;
use super::SessionServices;
use super::file_name::one_line;
use crate::files::FileMoment;
use crate::permission::{Action, may_be_protected, protected_subject};
use crate::store::{FileImage, JournalFile};
use crate::unconfirmed::{CommandWatch, Digests, UnconfirmedRecords, WrittenFile, is_read};

/// Names that one look takes in: less than a millisecond.
const MAX_NAMES: usize = 2000;
/// Files that are looked at in a directory that a link leads to.
const MAX_NAMES_BEHIND: usize = 200;
/// Directories are looked into so far down.
const MAX_DEPTH: usize = 16;
/// Directories that hold many files which nobody wrote here.
const LAST: [&str; 8] = [
    "node_modules",
    "target",
    "vendor",
    "dist",
    "build",
    "venv",
    ".venv",
    "__pycache__",
];

/// Protected names that are known to be in the project.
#[derive(Debug, Default)]
pub struct ProtectedNames {
    state: Mutex<NameState>,
    /// Record of the files that lathe must not read; `None` where none is kept.
    records: Option<UnconfirmedRecords>,
}

#[derive(Debug, Default)]
struct NameState {
    /// `None` before the first command.
    known: Option<FoundNames>,
    repositories: Option<Repositories>,
    digests: Digests,
}

/// Paths of protected names, each with what it is.
type FoundNames = HashMap<PathBuf, Name>;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Name {
    /// A file, or a link.
    File,
    /// A directory that git writes to all the time: only that it is new is told.
    Repository,
}

/// State before a command.
#[derive(Debug)]
pub(in crate::tool) struct CommandStart {
    moment: FileMoment,
    watch: Option<CommandWatch>,
}

impl CommandStart {
    /// Returns true if what a link leads to has changed since: the file, or one in the directory.
    fn is_before_change_behind(&self, link: &Path) -> bool {
        let Some(real) = link.is_symlink().then(|| link.canonicalize().ok()).flatten() else {
            return false;
        };
        if !real.is_dir() {
            return self.moment.is_before_change_of(&real);
        }
        let mut files = FoundNames::new();
        add_below(&real, MAX_DEPTH, &mut { MAX_NAMES_BEHIND }, &mut files);
        files.keys().any(|file| self.moment.is_before_change_of(file))
    }
}

/// Protected names that a command has touched, relative to the project, in order.
#[derive(Debug, Default, PartialEq, Eq)]
pub(in crate::tool) struct TouchedNames {
    pub(in crate::tool) created: Vec<String>,
    pub(in crate::tool) changed: Vec<String>,
    /// Why it could not be remembered that lathe must not read them.
    forgotten: Option<String>,
}

impl ProtectedNames {
    pub fn new(records: UnconfirmedRecords) -> Self {
        Self {
            state: Mutex::default(),
            records: Some(records),
        }
    }

    fn state(&self) -> MutexGuard<'_, NameState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes in what is there before a command. Of the names that lathe does not read itself, only the first time in a
    /// session.
    pub(in crate::tool) fn before(&self, services: &SessionServices) -> CommandStart {
        let mut state = self.state();
        let roots = &services.roots;
        if state.known.is_none() {
            state.known = Some(look(roots.project_root()));
        }
        let records = self.records.as_ref();
        let watch = records
            .map(|records| records.watch(roots.project_root(), roots.session_dir(), &mut state.digests));
        CommandStart {
            moment: FileMoment::now(),
            watch,
        }
    }

    /// Notes the files that a command wrote, wherever they lie: a link may make configuration of them.
    pub(in crate::tool) fn note_written(&self, changed: &[JournalFile]) {
        let Some(records) = &self.records else { return };
        let written: Vec<WrittenFile<'_>> = changed
            .iter()
            .filter(|file| file.after != FileImage::Absent)
            .map(|file| WrittenFile {
                path: &file.path,
                before: match &file.before {
                    FileImage::File { hash, .. } => Some(hash.clone()),
                    FileImage::Absent | FileImage::Link { .. } | FileImage::Unknown => None,
                },
            })
            .collect();
        if written.is_empty() {
            return;
        }
        if let Err(error) = records.note(&written) {
            tracing::warn!(%error, "that a command wrote files could not be noted");
        }
    }

    /// Returns what was created and changed since, and remembers what of it lathe must not read.
    pub(in crate::tool) fn touched_since(
        &self,
        began: CommandStart,
        services: &SessionServices,
    ) -> TouchedNames {
        let root = services.roots.project_root();
        let found = look(root);
        let mut state = self.state();
        state.repositories = Some(Repositories::of(&found, &services.roots));
        let is_protected = is_protected(services);
        let known = state.known.get_or_insert_default();
        let (mut created, mut changed) = (Vec::new(), Vec::new());
        for (path, name) in &found {
            let was_there = known.contains_key(path);
            let is_touched = if was_there {
                *name == Name::File
                    && (began.moment.is_before_change_of(path) || began.is_before_change_behind(path))
            } else {
                began.moment.is_before_arrival_of(path, root)
            };
            if is_touched && is_protected(path) {
                let list = if was_there { &mut changed } else { &mut created };
                list.push(path.clone());
            }
        }
        known.extend(found);
        let mut touched = TouchedNames::default();
        if let Some(watch) = began.watch {
            let is_ours = |path: &&PathBuf| path.strip_prefix(root).is_ok_and(is_read);
            let others: Vec<PathBuf> = created.iter().chain(&changed).filter(is_ours).cloned().collect();
            match watch.end(&others, &mut state.digests, is_protected) {
                Ok(ended) => ended.correct(&mut created, &mut changed),
                Err(error) => touched.forgotten = Some(error.to_string()),
            }
        }
        let shown = |paths: Vec<PathBuf>| {
            let paths = paths.iter().map(|path| services.roots.display(path));
            let mut names: Vec<String> = paths.map(|path| one_line(&path).into_owned()).collect();
            names.sort_unstable();
            names.dedup();
            names
        };
        touched.created = shown(created);
        touched.changed = shown(changed);
        touched
    }
}

/// Says which paths the rules protect, as they are now.
pub(super) fn is_protected(services: &SessionServices) -> impl Fn(&Path) -> bool {
    let (permissions, root) = (services.gate.permissions(), services.roots.project_root());
    move |path| {
        let relative = path.strip_prefix(root).ok().and_then(Path::to_str);
        let subject = protected_subject(path, relative);
        permissions.judge(&PermissionKey::PROTECTED, &subject).action != Action::Allow
    }
}

/// Returns true for the `.git` of a repository, in whatever case it is written.
pub(super) fn is_dot_git(path: &Path) -> bool {
    path.file_name()
        .is_some_and(|name| name.eq_ignore_ascii_case(".git"))
}

/// The protected names of a tree, the outer ones first and up to a limit.
fn look(root: &Path) -> FoundNames {
    let mut found = FoundNames::new();
    let mut left = MAX_NAMES;
    let (mut first, mut last) = (VecDeque::from([(root.to_owned(), 0)]), VecDeque::new());
    while let Some((directory, depth)) = first.pop_front().or_else(|| last.pop_front()) {
        let parent = directory.file_name().unwrap_or_default();
        for entry in fs::read_dir(&directory).into_iter().flatten().flatten() {
            if left == 0 {
                return found;
            }
            left -= 1;
            let name = entry.file_name();
            let is_directory = entry.file_type().is_ok_and(|kind| kind.is_dir());
            if may_be_protected(parent, &name) {
                let path = entry.path();
                if !is_directory {
                    found.insert(path, Name::File);
                } else if name.eq_ignore_ascii_case(".git") {
                    add_hooks(&path.join("hooks"), &mut left, &mut found);
                    found.insert(path, Name::Repository);
                } else {
                    add_below(&path, MAX_DEPTH - depth, &mut left, &mut found);
                }
            } else if is_directory && depth < MAX_DEPTH {
                let is_last = LAST.iter().any(|last| name == OsStr::new(last));
                let queue = if is_last { &mut last } else { &mut first };
                queue.push_back((entry.path(), depth + 1));
            }
        }
    }
    found
}

/// Adds the hooks of a repository that git would run.
fn add_hooks(directory: &Path, left: &mut usize, found: &mut FoundNames) {
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.extension().is_some_and(|extension| extension == "sample") {
            continue;
        }
        if *left == 0 {
            return;
        }
        *left -= 1;
        found.insert(path, Name::File);
    }
}

/// Adds the files below a directory.
fn add_below(directory: &Path, depth: usize, left: &mut usize, found: &mut FoundNames) {
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        if *left == 0 {
            return;
        }
        *left -= 1;
        if !entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            found.insert(entry.path(), Name::File);
        } else if depth > 0 {
            add_below(&entry.path(), depth - 1, left, found);
        }
    }
}

impl TouchedNames {
    /// Names that a sentence lists.
    const NAMED: usize = 10;

    /// The line for the result of the command; `None` when there is nothing to tell.
    pub(in crate::tool) fn note(&self) -> Option<String> {
        let groups = [("created", &self.created), ("changed", &self.changed)];
        let mut left = Self::NAMED;
        let mut parts = Vec::new();
        for (what, names) in groups {
            let shown: Vec<String> = names.iter().take(left).map(|name| format!("`{name}`")).collect();
            left -= shown.len();
            if !shown.is_empty() {
                parts.push(format!("{what} {}", shown.join(", ")));
            }
        }
        let more = (self.created.len() + self.changed.len()).saturating_sub(Self::NAMED);
        if more > 0 {
            parts.push(format!("{more} more"));
        }
        if parts.is_empty() {
            return None;
        }
        let parts = parts.join(", ");
        Some(match &self.forgotten {
            None => format!(
                "[protected: the command {parts}; lathe neither loads nor trusts that before the user says yes]"
            ),
            Some(why) => format!(
                "[protected: the command {parts}; lathe could not remember that ({why}), so the next start may load it]"
            ),
        })
    }

    /// All of them.
    pub(in crate::tool) fn into_names(self) -> Vec<String> {
        let mut names = self.created;
        names.extend(self.changed);
        names
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(files: &[&str]) -> (tempfile::TempDir, PathBuf) {
        let held = tempfile::tempdir().unwrap();
        let base = held.path().canonicalize().unwrap();
        for name in files {
            let path = base.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        (held, base)
    }

    fn names(base: &Path) -> Vec<String> {
        let found = look(base);
        let mut names: Vec<String> = found
            .keys()
            .map(|path| path.strip_prefix(base).unwrap().display().to_string())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn protected_names_are_found_wherever_they_are() {
        let (_held, base) = place(&[
            "lathe.jsonc",
            "a/LATHE.jsonc",
            "a/b/.envrc",
            ".git/config",
            ".git/hooks/pre-commit",
            ".git/hooks/pre-push.sample",
            "new/.git/hooks/post-commit",
            "linked/.git",
            ".claude/agents/x.md",
            ".github/workflows/ci.yml",
            ".github/README.md",
            ".vscode/tasks.json",
            ".vscode/settings.json",
            "src/workflows/a",
            "src/tasks.json",
            "node_modules/x/.mcp.json",
        ]);
        assert_eq!(
            names(&base),
            [
                ".claude/agents/x.md",
                ".git",
                ".git/hooks/pre-commit",
                ".github/workflows/ci.yml",
                ".vscode/tasks.json",
                "a/LATHE.jsonc",
                "a/b/.envrc",
                "lathe.jsonc",
                "linked/.git",
                "new/.git",
                "new/.git/hooks/post-commit",
                "node_modules/x/.mcp.json",
            ]
        );
    }

    #[test]
    fn what_is_installed_is_looked_at_last() {
        let (_held, base) = place(&["z/y/.envrc"]);
        let many = base.join("node_modules");
        fs::create_dir(&many).unwrap();
        for number in 0..MAX_NAMES {
            fs::write(many.join(number.to_string()), "").unwrap();
        }
        assert_eq!(names(&base), ["z/y/.envrc"]);
    }

    #[test]
    fn a_note_names_a_few_and_counts_the_others() {
        let touched = TouchedNames {
            created: (0..11).map(|number| number.to_string()).collect(),
            changed: vec!["x".into()],
            forgotten: None,
        };
        let note = touched.note().unwrap();
        assert!(
            note.starts_with("[protected: the command created `0`, "),
            "{note}"
        );
        assert!(note.contains("`9`, 2 more; "), "{note}");
        assert_eq!(TouchedNames::default().note(), None);
    }
}
