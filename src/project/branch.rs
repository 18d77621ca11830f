//! The branch a work tree is on, without running git.

use std::path::{Path, PathBuf};

use crate::regular_file::{MAX_BYTES, RegularFile};

/// Returns the branch, or the first digits of the commit when none is checked out. `None` without a repository.
pub fn branch(root: &Path) -> Option<String> {
    let head = read(&git_dir(root)?.join("HEAD"))?;
    let head = head.trim();
    match head.strip_prefix("ref: ") {
        Some(name) => Some(name.strip_prefix("refs/heads/").unwrap_or(name).to_owned()),
        None => Some(head.chars().take(12).collect()),
    }
}

/// `.git` is a directory, or a file that says where it is (linked work trees, submodules).
fn git_dir(root: &Path) -> Option<PathBuf> {
    let dot_git = root.join(".git");
    if dot_git.is_dir() {
        return Some(dot_git);
    }
    let text = read(&dot_git)?;
    let named = text.strip_prefix("gitdir: ")?.trim();
    Some(root.join(named))
}

fn read(path: &Path) -> Option<String> {
    RegularFile::open(path).ok()?.read_text(MAX_BYTES).ok()
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_head_that_is_no_file_names_no_branch() {
        let directory = tempfile::tempdir().unwrap();
        fs::create_dir(directory.path().join(".git")).unwrap();
        let head = directory.path().join(".git/HEAD");
        symlink("/dev/zero", &head).unwrap();
        assert_eq!(branch(directory.path()), None);
        fs::remove_file(&head).unwrap();
        let made = std::process::Command::new("mkfifo").arg(&head).status().unwrap();
        assert!(made.success());
        assert_eq!(branch(directory.path()), None);
        fs::remove_file(&head).unwrap();
        fs::File::create(&head).unwrap().set_len(20 << 30).unwrap();
        assert_eq!(branch(directory.path()), None);
    }

    #[test]
    fn the_branch_is_read_from_head() {
        let directory = tempfile::tempdir().unwrap();
        assert_eq!(branch(directory.path()), None);
        fs::create_dir(directory.path().join(".git")).unwrap();
        fs::write(directory.path().join(".git/HEAD"), "ref: refs/heads/fix/retry\n").unwrap();
        assert_eq!(branch(directory.path()).as_deref(), Some("fix/retry"));
        fs::write(directory.path().join(".git/HEAD"), "0123456789abcdef0123\n").unwrap();
        assert_eq!(branch(directory.path()).as_deref(), Some("0123456789ab"));
    }
}
