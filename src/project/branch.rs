//! The branch a work tree is on, without running git.

use std::path::Path;

use crate::project_root::git_directories;
use crate::regular_file::FileGate;

/// Largest size in bytes of a `HEAD`, which is one line.
const MAX_HEAD_BYTES: u64 = 4096;

/// Returns the branch, or the first digits of the commit when none is checked out. `None` without a repository, and where
/// `HEAD` holds anything else: it stands in the prompt.
pub fn branch(root: &Path, gate: &dyn FileGate) -> Option<String> {
    let head = gate.open(&git_directories(root)?.git.join("HEAD")).ok()?;
    let head = head.read_text(MAX_HEAD_BYTES).ok()?;
    let head = head.trim_end();
    match head.strip_prefix("ref: refs/") {
        Some(name) if is_ref(name) => Some(name.strip_prefix("heads/").unwrap_or(name).to_owned()),
        Some(_) => None,
        None => is_commit(head).then(|| head.chars().take(12).collect()),
    }
}

fn is_ref(name: &str) -> bool {
    !name.is_empty() && !name.contains(|c: char| c.is_whitespace() || c.is_control())
}

/// SHA-1 or SHA-256.
fn is_commit(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn the_branch_is_read_from_head() {
        let directory = tempfile::tempdir().unwrap();
        let all = |_: &Path| true;
        let branch = || branch(directory.path(), &all);
        assert_eq!(branch(), None);
        for name in ["objects", "refs"] {
            fs::create_dir_all(directory.path().join(".git").join(name)).unwrap();
        }
        let head = |text: &str| fs::write(directory.path().join(".git/HEAD"), text).unwrap();
        head("ref: refs/heads/fix/retry\n");
        assert_eq!(branch().as_deref(), Some("fix/retry"));
        head(&format!("{}\n", "0123456789".repeat(4)));
        assert_eq!(branch().as_deref(), Some("012345678901"));
        for text in [
            "SECRET=hunter2\n",
            "ref: SECRET=hunter2\n",
            "ref: refs/heads/a\nb\n",
            "",
        ] {
            head(text);
            assert_eq!(branch(), None, "{text}");
        }
    }

    #[test]
    fn a_head_that_may_not_be_read_names_no_branch() {
        let directory = tempfile::tempdir().unwrap();
        for name in ["objects", "refs"] {
            fs::create_dir_all(directory.path().join(".git").join(name)).unwrap();
        }
        fs::write(directory.path().join(".env"), "ref: refs/heads/secret\n").unwrap();
        std::os::unix::fs::symlink("../.env", directory.path().join(".git/HEAD")).unwrap();
        assert_eq!(
            branch(directory.path(), &|real: &Path| !real.ends_with(".env")),
            None
        );
    }
}
