//! Where a project begins.

use std::path::{Path, PathBuf};

/// The git work tree that contains a directory, else the directory itself. A work tree that is the whole file system or
/// the home directory (a repository of dot files) does not make everything in it one project.
pub fn find_root(cwd: &Path, home: Option<&Path>) -> PathBuf {
    let found = cwd.ancestors().find(|dir| is_work_tree(dir));
    let root = found.filter(|root| root.parent().is_some() && !home.is_some_and(|home| is_same(root, home)));
    root.unwrap_or(cwd).to_path_buf()
}

fn is_work_tree(dir: &Path) -> bool {
    let git = dir.join(".git");
    // Linked work trees and submodules have a file there. An empty directory of that name is none of git's.
    git.is_file() || git.join("HEAD").symlink_metadata().is_ok()
}

fn is_same(one: &Path, other: &Path) -> bool {
    one == other || matches!((one.canonicalize(), other.canonicalize()), (Ok(one), Ok(other)) if one == other)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn make(root: &Path, names: &[&str]) {
        for name in names {
            let path = root.join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "x").unwrap();
        }
    }

    #[test]
    fn the_nearest_work_tree_is_the_project() {
        let dir = tempfile::tempdir().unwrap();
        let top = dir.path();
        make(
            top,
            &[
                "outer/.git/HEAD",
                "outer/inner/.git",
                "outer/inner/src/a",
                "outer/empty/src/a",
                "alone/src/a",
            ],
        );
        std::fs::create_dir(top.join("outer/empty/.git")).unwrap();
        for (cwd, root) in [
            ("outer", "outer"),
            ("outer/inner/src", "outer/inner"),
            ("outer/empty/src", "outer"),
            ("alone/src", "alone/src"),
        ] {
            assert_eq!(find_root(&top.join(cwd), None), top.join(root), "{cwd}");
        }
    }

    #[test]
    fn a_repository_of_dot_files_is_not_a_project() {
        let dir = tempfile::tempdir().unwrap();
        make(dir.path(), &[".git/HEAD", "notes/a", "code/.git/HEAD"]);
        let home = Some(dir.path());
        assert_eq!(
            find_root(&dir.path().join("notes"), home),
            dir.path().join("notes")
        );
        assert_eq!(find_root(&dir.path().join("code"), home), dir.path().join("code"));
        assert_eq!(find_root(dir.path(), home), dir.path());
        assert_eq!(find_root(Path::new("/"), home), Path::new("/"));
    }
}
