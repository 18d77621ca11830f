//! The root of a project, and the directories of it that may bring instructions and configuration.
//!
//! There is one finder for everybody. A root is a git work tree: its `.git` is a repository by git's own measure (`HEAD`,
//! `objects` and `refs`), or a file that names one. A directory above the session's that belongs to another user than
//! us or root is none, and nothing is read from it: whoever can write there could speak for us (git's
//! `safe.directory`).
//!
//! The links of the directories given here are followed already.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use crate::regular_file::RegularFile;
use crate::text::path::without_dots;

/// Largest size in bytes of a `.git` file or of `commondir`: one path.
const MAX_LINK_BYTES: u64 = 16 << 10;

/// Returns the root of the project that a directory lies in: the nearest git work tree, else the directory itself. The
/// whole file system and the home directory (a repository of dot files) are no projects.
pub fn find<'a>(directory: &'a Path, home: Option<&Path>) -> &'a Path {
    let is_ours = |dir: &Path| dir == directory || belongs_to_us(dir);
    let mut candidates = directory.ancestors().filter(|dir| is_ours(dir));
    let root = candidates.find(|dir| git_directories(dir).is_some());
    let is_no_project = |root: &Path| root.parent().is_none() || home.is_some_and(|home| is_same(root, home));
    root.filter(|root| !is_no_project(root)).unwrap_or(directory)
}

/// Returns the identity of a directory, which a rename keeps: its number in the file system and the time when it was made.
/// Numbers are given again, times are not. `None` where the file system does not keep that time.
pub fn identity(directory: &Path) -> Option<String> {
    let data = directory.metadata().ok().filter(std::fs::Metadata::is_dir)?;
    let made = data.created().ok()?.duration_since(UNIX_EPOCH).ok()?;
    (!made.is_zero()).then(|| format!("{}-{}", data.ino(), made.as_nanos()))
}

/// Returns the directories from the root down to the session's, without those of other users.
pub fn directories<'a>(root: &Path, directory: &'a Path) -> Vec<&'a Path> {
    if !directory.starts_with(root) {
        return vec![directory];
    }
    let mut dirs: Vec<&Path> = directory
        .ancestors()
        .take_while(|dir| dir.starts_with(root))
        .filter(|dir| *dir == directory || belongs_to_us(dir))
        .collect();
    dirs.reverse();
    dirs
}

/// The directories that hold a repository. All paths are real.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GitDirectories {
    /// `HEAD` and the index of one work tree.
    pub git: PathBuf,
    /// Objects, refs and configuration; of linked work trees that of the main one, else the same directory.
    pub common: PathBuf,
}

/// Returns the directories of the repository that a work tree has, wherever its `.git` leads. `None` where there is none.
pub fn git_directories(work_tree: &Path) -> Option<GitDirectories> {
    let dot_git = work_tree.join(".git");
    let git = if dot_git.is_dir() {
        dot_git
    } else {
        let text = link_text(&dot_git)?;
        work_tree.join(text.strip_prefix("gitdir:")?.trim())
    };
    let git = git.canonicalize().ok()?;
    let common = match link_text(&git.join("commondir")) {
        Some(text) => git.join(text.trim()).canonicalize().ok()?,
        None => git.clone(),
    };
    let is_repository = git.join("HEAD").symlink_metadata().is_ok()
        && common.join("objects").is_dir()
        && common.join("refs").is_dir();
    is_repository.then_some(GitDirectories { git, common })
}

/// Returns the directories that a `.git` entry names, whether they hold a repository or not: where it leads when it is a
/// file or a link, and where the `commondir` there leads. Links are followed as far as something is there.
pub fn directories_named_by(dot_git: &Path) -> Vec<PathBuf> {
    let real = |path: PathBuf| path.canonicalize().unwrap_or_else(|_| without_dots(&path));
    let is_own = dot_git.symlink_metadata().is_ok_and(|data| data.is_dir());
    let git = if dot_git.is_dir() {
        real(dot_git.to_owned())
    } else {
        let text = link_text(dot_git).unwrap_or_default();
        match (text.strip_prefix("gitdir:"), dot_git.parent()) {
            (Some(named), Some(work_tree)) => real(work_tree.join(named.trim())),
            _ => return Vec::new(),
        }
    };
    let common = link_text(&git.join("commondir")).map(|text| real(git.join(text.trim())));
    let named = Some(git).filter(|_| !is_own);
    named.into_iter().chain(common).collect()
}

fn link_text(path: &Path) -> Option<String> {
    RegularFile::open(path).ok()?.read_text(MAX_LINK_BYTES).ok()
}

fn belongs_to_us(dir: &Path) -> bool {
    let us = rustix::process::geteuid().as_raw();
    std::fs::metadata(dir).is_ok_and(|data| data.uid() == us || data.uid() == 0)
}

fn is_same(one: &Path, other: &Path) -> bool {
    one == other || other.canonicalize().is_ok_and(|other| one == other)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// A directory with a real path, and files in it.
    fn place(files: &[(&str, &str)]) -> (tempfile::TempDir, PathBuf) {
        let held = tempfile::tempdir().unwrap();
        let base = held.path().canonicalize().unwrap();
        for (name, text) in files {
            let path = base.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        (held, base)
    }

    fn make_repository(dir: &Path) {
        for name in ["objects", "refs"] {
            fs::create_dir_all(dir.join(name)).unwrap();
        }
        fs::write(dir.join("HEAD"), "ref: refs/heads/main\n").unwrap();
    }

    #[test]
    fn the_nearest_work_tree_is_the_project() {
        let (_held, base) = place(&[
            ("outer/src/a", ""),
            ("outer/inner/src/a", ""),
            ("outer/empty/src/a", ""),
            ("outer/decoy/.git/HEAD", "ref: refs/heads/main\n"),
            ("outer/decoy/src/a", ""),
            ("outer/note/.git", "this is no link\n"),
            ("outer/nowhere/.git", "gitdir: ../gone\n"),
            ("alone/src/a", ""),
        ]);
        make_repository(&base.join("outer/.git"));
        make_repository(&base.join("outer/inner/.git"));
        fs::create_dir(base.join("outer/empty/.git")).unwrap();
        for (directory, root) in [
            ("outer", "outer"),
            ("outer/src", "outer"),
            ("outer/inner/src", "outer/inner"),
            ("outer/empty/src", "outer"),
            ("outer/decoy/src", "outer"),
            ("outer/note", "outer"),
            ("outer/nowhere", "outer"),
            ("alone/src", "alone/src"),
        ] {
            assert_eq!(find(&base.join(directory), None), base.join(root), "{directory}");
        }
    }

    #[test]
    fn a_git_file_leads_to_the_directories_of_its_repository() {
        let (_held, base) = place(&[("tree/.git", "gitdir: ../main/.git/worktrees/tree\n")]);
        let main = base.join("main/.git");
        make_repository(&main);
        let linked = main.join("worktrees/tree");
        fs::create_dir_all(&linked).unwrap();
        fs::write(linked.join("HEAD"), "ref: refs/heads/x\n").unwrap();
        fs::write(linked.join("commondir"), "../..\n").unwrap();
        let found = git_directories(&base.join("tree")).unwrap();
        assert_eq!(
            found,
            GitDirectories {
                git: linked,
                common: main
            }
        );
        assert_eq!(find(&base.join("tree"), None), base.join("tree"));
    }

    #[test]
    fn the_root_of_the_disk_and_the_home_directory_are_no_projects() {
        let (_held, base) = place(&[("notes/a", ""), ("code/a", "")]);
        make_repository(&base.join(".git"));
        make_repository(&base.join("code/.git"));
        let home = Some(&*base);
        assert_eq!(find(&base.join("notes"), home), base.join("notes"));
        assert_eq!(find(&base.join("notes"), None), base);
        assert_eq!(find(&base.join("code"), home), base.join("code"));
        assert_eq!(find(&base, home), base);
        assert_eq!(find(Path::new("/"), home), Path::new("/"));
    }

    /// Needs root: nobody else can give a directory away.
    #[test]
    fn a_directory_of_another_user_is_no_root_and_brings_nothing() {
        if !rustix::process::geteuid().is_root() {
            return;
        }
        let (_held, base) = place(&[("shared/mine/deep/a", "")]);
        make_repository(&base.join("shared/.git"));
        let (shared, mine) = (base.join("shared"), base.join("shared/mine"));
        let deep = mine.join("deep");
        assert_eq!(find(&deep, None), shared);
        assert_eq!(directories(&shared, &deep), [&*shared, &*mine, &*deep]);
        std::os::unix::fs::chown(&mine, Some(1234), None).unwrap();
        assert_eq!(directories(&shared, &deep), [&*shared, &*deep]);
        std::os::unix::fs::chown(&shared, Some(1234), None).unwrap();
        assert_eq!(find(&deep, None), deep);
        assert_eq!(find(&shared, None), shared, "a session of its own directory");
    }
}
