//! Measuring the files of a repository that git reads whole, without a limit and whatever they are: a sparse `commondir`
//! fills the memory, and a pipe in the place of `HEAD` makes git wait for ever.
//!
//! [`Git`](super::Git) asks nothing without a [`Measured`], so each of lathe's questions comes by here. What is measured is
//! found as git finds it: the nearest repository above, what its `.git` file and its `commondir` lead to, its linked work
//! trees, its submodules, its references, and the repositories that it borrows objects from. Files of the work tree that
//! no name leads to (a nested repository that is not tracked) are left to the limit of memory that each question has.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::disarmed::Variables;
use crate::regular_file::{MAX_BYTES, MAX_INDEX_BYTES, ReadError, RegularFile};

/// Largest size in bytes of a file that holds one path or one reference.
const MAX_LINK: u64 = 16 << 10;
/// Entries of directories that are looked at for one question: references, modules, work trees.
const MAX_ENTRIES: usize = 20_000;
/// Repositories that objects are borrowed from, one after the other. Git follows five.
const MAX_BORROWED: usize = 16;

/// Files in a git directory that git reads whole.
const FILES: &[(&str, u64)] = &[
    ("HEAD", MAX_LINK),
    ("commondir", MAX_LINK),
    ("gitdir", MAX_LINK),
    ("config", MAX_BYTES),
    ("config.worktree", MAX_BYTES),
    ("info/attributes", MAX_BYTES),
    ("info/exclude", MAX_BYTES),
    ("info/grafts", MAX_BYTES),
    ("info/sparse-checkout", MAX_BYTES),
    ("objects/info/http-alternates", MAX_BYTES),
    ("shallow", MAX_BYTES),
    ("index", MAX_INDEX_BYTES),
    ("packed-refs", MAX_INDEX_BYTES),
    ("FETCH_HEAD", MAX_INDEX_BYTES),
    ("ORIG_HEAD", MAX_LINK),
    ("MERGE_HEAD", MAX_BYTES),
    ("CHERRY_PICK_HEAD", MAX_LINK),
    ("REVERT_HEAD", MAX_LINK),
    ("BISECT_LOG", MAX_BYTES),
    ("BISECT_START", MAX_LINK),
    ("sequencer/todo", MAX_BYTES),
    ("rebase-merge/git-rebase-todo", MAX_BYTES),
    ("rebase-merge/done", MAX_BYTES),
    ("rebase-merge/head-name", MAX_LINK),
    ("rebase-merge/onto", MAX_LINK),
    ("rebase-apply/head-name", MAX_LINK),
    ("rebase-apply/onto", MAX_LINK),
];
/// Files at the top of a work tree that git reads whole. Git itself does not follow links there.
const WORK_TREE_FILES: &[&str] = &[".gitmodules", ".gitattributes", ".gitignore", ".mailmap"];

/// Proof that what git would read for a question is bounded.
#[derive(Debug)]
pub(super) struct Measured(());

/// The first file that is not, with what it is.
type Measurement = Result<(), String>;

/// Names the first file of the repository around a directory that is not regular, or too large, with what it is.
pub fn unbounded_file(directory: &Path) -> Option<String> {
    measure(directory, &Variables::new()).err()
}

/// Measures what git would read in a directory, with these variables.
pub(super) fn measure(directory: &Path, environment: &Variables) -> Result<Measured, String> {
    let mut meter = Meter {
        directory,
        measured: BTreeSet::new(),
        entries_left: MAX_ENTRIES,
    };
    let variable = |name: &str| {
        let mut variables = environment.iter();
        let found = variables.find(|(known, _)| known == name);
        found.map(|(_, value)| directory.join(value))
    };
    if let Some(index) = variable("GIT_INDEX_FILE") {
        meter.file(&index, MAX_INDEX_BYTES)?;
    }
    if let Some(common) = variable("GIT_COMMON_DIR") {
        meter.repository(&common)?;
    }
    match variable("GIT_DIR") {
        Some(git_dir) => meter.repository(&git_dir)?,
        None => meter.nearest()?,
    }
    Ok(Measured(()))
}

struct Meter<'a> {
    /// Paths are shown from here.
    directory: &'a Path,
    /// Directories that were measured, so that none is measured twice.
    measured: BTreeSet<PathBuf>,
    entries_left: usize,
}

impl Meter<'_> {
    /// The repository that git finds, and what it passes by on the way.
    fn nearest(&mut self) -> Measurement {
        let start = self
            .directory
            .canonicalize()
            .unwrap_or_else(|_| self.directory.to_owned());
        for directory in start.ancestors() {
            let dot_git = directory.join(".git");
            if dot_git.symlink_metadata().is_ok() {
                self.work_tree(directory)?;
                if !dot_git.is_dir() || is_repository(&dot_git) {
                    return Ok(());
                }
            }
            let has = |name: &str| directory.join(name).symlink_metadata().is_ok();
            if has("HEAD") && (has("objects") || has("commondir")) {
                self.repository(directory)?;
                if is_repository(directory) {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// A directory with a `.git`, and the submodules that it names.
    fn work_tree(&mut self, top: &Path) -> Measurement {
        let dot_git = top.join(".git");
        if dot_git.is_dir() {
            self.repository(&dot_git)?;
        } else if let Some(text) = self.text(&dot_git, MAX_LINK)? {
            let named = text.strip_prefix(b"gitdir:").unwrap_or_default();
            self.repository(&top.join(OsStr::from_bytes(named.trim_ascii())))?;
        }
        for name in WORK_TREE_FILES {
            let path = top.join(name);
            let size = path.symlink_metadata().map_or(0, |data| data.len());
            if size > MAX_BYTES {
                return Err(self.error(&path, &ReadError::TooLarge { limit: MAX_BYTES }));
            }
        }
        let modules = RegularFile::open(&top.join(".gitmodules")).and_then(|file| file.read(MAX_BYTES));
        for path in module_paths(&modules.unwrap_or_default()) {
            let submodule = top.join(path);
            if submodule.join(".git").symlink_metadata().is_ok() && self.is_new(&submodule) {
                self.work_tree(&submodule)?;
            }
        }
        Ok(())
    }

    /// A git directory with all that git may read there.
    fn repository(&mut self, git_dir: &Path) -> Measurement {
        if !self.is_new(git_dir) {
            return Ok(());
        }
        for (name, limit) in FILES {
            self.file(&git_dir.join(name), *limit)?;
        }
        self.references(git_dir.join("refs"))?;
        self.borrowed(git_dir.join("objects"))?;
        self.repositories_in(&git_dir.join("worktrees"))?;
        self.repositories_in(&git_dir.join("modules"))?;
        if let Some(text) = self.text(&git_dir.join("commondir"), MAX_LINK)? {
            self.repository(&git_dir.join(OsStr::from_bytes(text.trim_ascii())))?;
        }
        Ok(())
    }

    /// Git directories below a directory, whose names may have slashes.
    fn repositories_in(&mut self, directory: &Path) -> Measurement {
        for entry in self.entries(directory)? {
            if !entry.is_dir() {
                continue;
            }
            if entry.join("HEAD").symlink_metadata().is_ok() {
                self.repository(&entry)?;
            } else if self.is_new(&entry) {
                self.repositories_in(&entry)?;
            }
        }
        Ok(())
    }

    /// References that are files of their own.
    fn references(&mut self, directory: PathBuf) -> Measurement {
        let mut directories = vec![directory];
        while let Some(directory) = directories.pop() {
            if !self.is_new(&directory) {
                continue;
            }
            for entry in self.entries(&directory)? {
                if entry.is_dir() {
                    directories.push(entry);
                } else {
                    self.file(&entry, MAX_LINK)?;
                }
            }
        }
        Ok(())
    }

    /// Directories with objects of other repositories, which lead to others in turn.
    fn borrowed(&mut self, objects: PathBuf) -> Measurement {
        let mut directories = vec![objects];
        let mut next = 0;
        while let Some(objects) = directories.get(next).cloned() {
            next += 1;
            let text = self.text(&objects.join("info/alternates"), MAX_BYTES)?;
            for line in text.unwrap_or_default().split(|byte| *byte == b'\n') {
                let named = objects.join(OsStr::from_bytes(line));
                if !line.is_empty() && !directories.contains(&named) && directories.len() < MAX_BORROWED {
                    directories.push(named);
                }
            }
        }
        Ok(())
    }

    /// The content of a file that is bounded; `None` where there is none.
    fn text(&self, path: &Path, limit: u64) -> Result<Option<Vec<u8>>, String> {
        match RegularFile::open(path).and_then(|file| file.read(limit)) {
            Ok(text) => Ok(Some(text)),
            Err(ReadError::Missing) => Ok(None),
            Err(error) => Err(self.error(path, &error)),
        }
    }

    fn file(&self, path: &Path, limit: u64) -> Measurement {
        let error = match fs::metadata(path) {
            Ok(data) if !data.is_file() => ReadError::NotRegular,
            Ok(data) if data.len() > limit => ReadError::TooLarge { limit },
            Ok(_) => return Ok(()),
            Err(error) => match ReadError::from(error) {
                ReadError::Missing => return Ok(()),
                error => error,
            },
        };
        Err(self.error(path, &error))
    }

    fn entries(&mut self, directory: &Path) -> Result<Vec<PathBuf>, String> {
        let listed = match fs::read_dir(directory) {
            Ok(listed) => listed,
            Err(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
                ) =>
            {
                return Ok(Vec::new());
            }
            Err(error) => return Err(self.error(directory, &error.into())),
        };
        let mut found = Vec::new();
        for entry in listed.flatten() {
            let Some(left) = self.entries_left.checked_sub(1) else {
                return Err(format!("{}: it has too many entries", self.shown(directory)));
            };
            self.entries_left = left;
            found.push(entry.path());
        }
        Ok(found)
    }

    /// Returns true where a directory was not measured yet, whatever leads to it.
    fn is_new(&mut self, directory: &Path) -> bool {
        let real = directory.canonicalize();
        self.measured
            .insert(real.unwrap_or_else(|_| directory.to_owned()))
    }

    fn error(&self, path: &Path, error: &ReadError) -> String {
        format!("{}: {error}", self.shown(path))
    }

    fn shown(&self, path: &Path) -> String {
        let real = self.directory.canonicalize();
        let bases = [Some(self.directory), real.as_deref().ok()];
        let mut relative = bases.into_iter().flatten();
        let relative = relative.find_map(|base| path.strip_prefix(base).ok());
        format!("`{}`", relative.unwrap_or(path).display())
    }
}

/// Returns true for a directory that git takes for a repository, and looks no further.
fn is_repository(git_dir: &Path) -> bool {
    let has = |name: &str| git_dir.join(name).symlink_metadata().is_ok();
    has("HEAD") && (has("commondir") || (has("objects") && has("refs")))
}

/// The paths that a `.gitmodules` names, as far as they are written plainly.
fn module_paths(text: &[u8]) -> impl Iterator<Item = &Path> {
    text.split(|byte| *byte == b'\n').filter_map(|line| {
        let value = line.trim_ascii().strip_prefix(b"path")?.trim_ascii();
        let value = value.strip_prefix(b"=")?.trim_ascii();
        let value = value.strip_prefix(b"\"").unwrap_or(value);
        let value = value.strip_suffix(b"\"").unwrap_or(value);
        Some(Path::new(OsStr::from_bytes(value)))
    })
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::os::unix::fs::symlink;

    use super::*;

    fn repository(at: &Path) {
        for name in ["objects/info", "refs/heads", "info"] {
            fs::create_dir_all(at.join(name)).unwrap();
        }
        fs::write(at.join("HEAD"), "ref: refs/heads/main\n").unwrap();
    }

    fn sparse(path: &Path) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        File::create(path).unwrap().set_len(3 << 30).unwrap();
    }

    /// A project with a submodule, a linked work tree and a repository that it borrows from.
    fn project(base: &Path) {
        let git = base.join("main/.git");
        repository(&git);
        repository(&git.join("modules/libs/sub"));
        repository(&base.join("lender/.git"));
        repository(&base.join("main/own/.git"));
        let files = [
            ("main/sub/.git", "gitdir: ../.git/modules/libs/sub\n"),
            ("main/.gitmodules", "[submodule \"o\"]\n\tpath = own\n"),
            (
                "main/.git/objects/info/alternates",
                "../../../lender/.git/objects\n",
            ),
            ("main/.git/worktrees/t/HEAD", "ref: refs/heads/t\n"),
            ("main/.git/worktrees/t/commondir", "../..\n"),
            ("main/.git/worktrees/t/gitdir", "../../../../tree/.git\n"),
            ("tree/.git", "gitdir: ../main/.git/worktrees/t\n"),
        ];
        for (name, text) in files {
            let path = base.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        fs::create_dir_all(base.join("main/src")).unwrap();
    }

    #[test]
    fn a_sparse_file_is_found_wherever_git_would_read_it() {
        for file in [
            "main/.git/HEAD",
            "main/.git/commondir",
            "main/.git/config",
            "main/.git/config.worktree",
            "main/.git/index",
            "main/.git/packed-refs",
            "main/.git/shallow",
            "main/.git/info/exclude",
            "main/.git/info/attributes",
            "main/.git/info/grafts",
            "main/.git/objects/info/alternates",
            "main/.git/refs/heads/main",
            "main/.git/refs/heads/a/b",
            "main/.git/MERGE_HEAD",
            "main/.git/worktrees/t/gitdir",
            "main/.git/worktrees/t/HEAD",
            "main/.git/modules/libs/sub/commondir",
            "main/.git/modules/libs/sub/refs/heads/x",
            "main/own/.git/commondir",
            "main/.gitmodules",
            "main/.gitattributes",
            "main/.mailmap",
            "lender/.git/objects/info/alternates",
        ] {
            let held = tempfile::tempdir().unwrap();
            let base = held.path().canonicalize().unwrap();
            project(&base);
            for from in ["main", "main/src"] {
                assert_eq!(unbounded_file(&base.join(from)), None, "{file}");
            }
            sparse(&base.join(file));
            for from in ["main", "main/src"] {
                let why = unbounded_file(&base.join(from)).unwrap_or_else(|| panic!("{file} from {from}"));
                assert!(why.contains("more than"), "{file}: {why}");
                assert!(why.contains(file.rsplit('/').next().unwrap()), "{file}: {why}");
            }
        }
    }

    #[test]
    fn what_links_and_git_files_lead_to_is_measured() {
        let held = tempfile::tempdir().unwrap();
        let base = held.path().canonicalize().unwrap();
        project(&base);
        for from in ["tree", "main/sub"] {
            assert_eq!(unbounded_file(&base.join(from)), None, "{from}");
        }
        symlink("main/.git", base.join("link")).unwrap();
        fs::create_dir(base.join("linked")).unwrap();
        symlink(base.join("link"), base.join("linked/.git")).unwrap();
        sparse(&base.join("main/.git/packed-refs"));
        for from in ["tree", "linked"] {
            assert!(unbounded_file(&base.join(from)).is_some(), "{from}");
        }
        assert_eq!(unbounded_file(&base.join("main/sub")), None, "it has its own");
        assert_eq!(unbounded_file(&base.join("lender")), None);
        symlink("/dev/zero", base.join("lender/.git/config")).unwrap();
        assert!(
            unbounded_file(&base.join("lender"))
                .unwrap()
                .contains("not a regular file")
        );
        symlink("loop", base.join("loop")).unwrap();
        fs::create_dir(base.join("other")).unwrap();
        fs::write(base.join("other/.git"), "gitdir: ../loop\n").unwrap();
        assert!(unbounded_file(&base.join("other")).is_some());
    }

    #[test]
    fn a_decoy_and_a_bare_repository_are_measured_too() {
        let held = tempfile::tempdir().unwrap();
        let base = held.path().canonicalize().unwrap();
        project(&base);
        sparse(&base.join("main/decoy/.git/HEAD"));
        assert!(unbounded_file(&base.join("main/decoy")).is_some());
        assert_eq!(unbounded_file(&base.join("main")), None);
        repository(&base.join("main/bare"));
        assert_eq!(unbounded_file(&base.join("main/bare")), None);
        sparse(&base.join("main/bare/commondir"));
        assert!(unbounded_file(&base.join("main/bare")).is_some());
    }

    #[test]
    fn references_without_end_are_refused() {
        let held = tempfile::tempdir().unwrap();
        let base = held.path().canonicalize().unwrap();
        project(&base);
        let mut meter = Meter {
            directory: &base,
            measured: BTreeSet::new(),
            entries_left: 3,
        };
        for name in ["a", "b", "c", "d"] {
            fs::write(base.join("main/.git/refs/heads").join(name), "").unwrap();
        }
        let why = meter.repository(&base.join("main/.git")).unwrap_err();
        assert!(why.contains("too many entries"), "{why}");
    }
}
