//! The submodules of a repository: `git status` and `git diff` run git within each that is there, by its own
//! configuration.
//!
//! Which they are stands in the index, wherever they came from; `.gitmodules` names only those that want to be named. An
//! index that cannot be read vouches for nothing.

use std::path::{Path, PathBuf};

use super::git_directory::{has_hook, is_there, read_config};
use crate::permission::command::{GitConfig, WORK_TREE, dangerous_keys};
use crate::regular_file::{MAX_BYTES, MAX_INDEX_BYTES, RegularFile};

/// Submodules within submodules.
const MAX_DEPTH: usize = 4;

/// Mode of an index entry that is a commit of another repository.
const GITLINK: u32 = 0o160_000;
/// Times, numbers and sizes before an entry's hash, with the mode among them.
const STAT: usize = 40;
const MODE_AT: usize = 24;

/// Why git could run something within a submodule of this work tree, if it could. `config` is the repository's own.
pub(super) fn danger(work_tree: &Path, git_dir: &Path, config: &str) -> Option<String> {
    within(work_tree, git_dir, config, MAX_DEPTH)
}

/// The submodules of a work tree that are there. The error says why they are not known.
pub(super) fn populated(work_tree: &Path, git_dir: &Path, config: &str) -> Result<Vec<PathBuf>, String> {
    let index = git_dir.join("index");
    if !is_there(&index) {
        return Ok(Vec::new());
    }
    let links = RegularFile::open(&index)
        .and_then(|file| file.read(MAX_INDEX_BYTES))
        .ok()
        .and_then(|index| gitlinks(&index, hash_len(config)));
    let mut links = links.ok_or("its index cannot be read, which names the submodules")?;
    links.retain(|link| is_there(&work_tree.join(link).join(".git")));
    Ok(links)
}

fn within(work_tree: &Path, git_dir: &Path, config: &str, depth: usize) -> Option<String> {
    let populated = match populated(work_tree, git_dir, config) {
        Ok(populated) => populated,
        Err(reason) => return Some(reason),
    };
    populated.iter().find_map(|link| {
        let reason = of_submodule(&work_tree.join(link), depth)?;
        Some(format!("in its submodule `{}`, {reason}", link.display()))
    })
}

fn of_submodule(work_tree: &Path, depth: usize) -> Option<String> {
    let Some(depth) = depth.checked_sub(1) else {
        return Some("there are too many submodules within each other".to_owned());
    };
    let Some(git_dir) = git_dir(&work_tree.join(".git")) else {
        return Some("`.git` cannot be read".to_owned());
    };
    if is_there(&git_dir.join("commondir")) {
        return Some("`.git` is that of a linked work tree".to_owned());
    }
    if has_hook(&git_dir) {
        return Some("there is the hook post-index-change".to_owned());
    }
    let config = match read_config(&git_dir.join("config")) {
        GitConfig::Text(config) => config,
        GitConfig::Unknown(reason) => return Some(reason),
        GitConfig::NoRepository => return None,
    };
    let keys = dangerous_keys(&config);
    if let Some(key) = keys.iter().find(|key| *key != WORK_TREE) {
        return Some(format!("the repository's own configuration sets {key}"));
    }
    within(work_tree, &git_dir, &config, depth)
}

/// Returns the git directory that `.git` stands for: itself, or the one that the file names.
fn git_dir(dot_git: &Path) -> Option<PathBuf> {
    if dot_git.is_dir() {
        return Some(dot_git.to_owned());
    }
    let text = RegularFile::open(dot_git).ok()?.read_text(MAX_BYTES).ok()?;
    let named = text.strip_prefix("gitdir:")?.trim();
    let found = dot_git.parent()?.join(named);
    found.is_dir().then_some(found)
}

fn hash_len(config: &str) -> usize {
    // Whether it is set does not matter: with the wrong length nothing fits, and nothing is vouched for.
    if config.to_ascii_lowercase().contains("sha256") {
        32
    } else {
        20
    }
}

/// The paths of other repositories in an index; `None` when it cannot be read whole.
fn gitlinks(index: &[u8], hash_len: usize) -> Option<Vec<PathBuf>> {
    let version = number(index, 4)?;
    if !index.starts_with(b"DIRC") || !(2..=4).contains(&version) {
        return None;
    }
    let count = number(index, 8)?;
    let (mut at, mut path) = (12, Vec::new());
    let mut found = Vec::new();
    for _ in 0..count {
        let start = at;
        let mode = number(index, start + MODE_AT)?;
        let flags_at = start + STAT + hash_len;
        let is_extended = version > 2 && index.get(flags_at)? & 0x40 != 0;
        at = flags_at + if is_extended { 4 } else { 2 };
        if version == 4 {
            let (dropped, after) = variable_number(index, at)?;
            path.truncate(path.len().checked_sub(dropped)?);
            at = after;
        } else {
            path.clear();
        }
        let len = index.get(at..)?.iter().position(|byte| *byte == 0)?;
        path.extend(&index[at..at + len]);
        at += len + 1;
        if version < 4 {
            // Filled up with zeros to a multiple of eight.
            at = start + (at - start).div_ceil(8) * 8;
        }
        if mode == GITLINK {
            found.push(PathBuf::from(String::from_utf8(path.clone()).ok()?));
        }
    }
    has_all_entries(index, at, hash_len).then_some(found)
}

/// Returns true if no extension says that more entries lie in another file.
fn has_all_entries(index: &[u8], mut at: usize, hash_len: usize) -> bool {
    let end = index.len().saturating_sub(hash_len);
    while at + 8 <= end {
        if index[at..].starts_with(b"link") {
            return false;
        }
        let Some(len) = number(index, at + 4) else {
            return false;
        };
        at += 8 + len as usize;
    }
    at == end
}

fn number(bytes: &[u8], at: usize) -> Option<u32> {
    let four = bytes.get(at..at + 4)?;
    Some(u32::from_be_bytes(four.try_into().ok()?))
}

/// Git's number of as many bytes as it needs, and where it ends.
fn variable_number(bytes: &[u8], mut at: usize) -> Option<(usize, usize)> {
    let mut value = 0_usize;
    loop {
        let byte = *bytes.get(at)?;
        at += 1;
        value = value.checked_mul(128)?.checked_add(usize::from(byte & 0x7f))?;
        if byte & 0x80 == 0 {
            return Some((value, at));
        }
        value = value.checked_add(1)?;
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::process::Command;

    use super::*;

    fn git(dir: &Path, args: &[&str]) {
        let name = ["-c", "user.name=a", "-c", "user.email=a@b"];
        let done = Command::new("git")
            .current_dir(dir)
            .args(name)
            .args(args)
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .output()
            .unwrap();
        assert!(done.status.success(), "{args:?} {done:?}");
    }

    /// A repository with `a.txt` and the submodule `lib/sub`.
    fn repository(init: &[&str]) -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        let sub = dir.path().join("lib/sub");
        fs::create_dir_all(&sub).unwrap();
        for repository in [dir.path(), &sub] {
            git(repository, &[&["init", "-q"], init].concat());
        }
        fs::write(sub.join("b.txt"), "b").unwrap();
        git(&sub, &["add", "."]);
        git(&sub, &["commit", "-qm", "b"]);
        fs::write(dir.path().join("a.txt"), "a").unwrap();
        git(dir.path(), &["add", "."]);
        dir
    }

    fn found(dir: &Path) -> Option<String> {
        let git_dir = dir.join(".git");
        danger(
            dir,
            &git_dir,
            &fs::read_to_string(git_dir.join("config")).unwrap(),
        )
    }

    #[test]
    fn a_submodule_that_names_a_program_is_found_in_every_form_of_the_index() {
        for (init, version) in [
            (&["--object-format=sha1"], "2"),
            (&["--object-format=sha1"], "3"),
            (&["--object-format=sha1"], "4"),
            (&["--object-format=sha256"], "4"),
        ] {
            let dir = repository(init);
            git(dir.path(), &["update-index", "--index-version", version]);
            if version == "3" {
                git(dir.path(), &["rm", "-q", "--cached", "a.txt"]);
                git(dir.path(), &["add", "-N", "a.txt"]);
            }
            assert_eq!(found(dir.path()), None, "{init:?} {version}");
            git(&dir.path().join("lib/sub"), &["config", "core.worktree", "."]);
            assert_eq!(found(dir.path()), None);
            git(&dir.path().join("lib/sub"), &["config", "core.fsmonitor", "./x"]);
            assert_eq!(
                found(dir.path()).unwrap(),
                "in its submodule `lib/sub`, the repository's own configuration sets core.fsmonitor"
            );
        }
    }

    #[test]
    fn a_submodule_may_keep_its_repository_elsewhere_and_have_its_own() {
        let dir = repository(&[]);
        let sub = dir.path().join("lib/sub");
        let modules = dir.path().join(".git/modules");
        fs::create_dir(&modules).unwrap();
        fs::rename(sub.join(".git"), modules.join("sub")).unwrap();
        fs::write(sub.join(".git"), "gitdir: ../../.git/modules/sub\n").unwrap();
        assert_eq!(found(dir.path()), None);
        git(&sub, &["init", "-q", "inner"]);
        git(&sub.join("inner"), &["commit", "-q", "--allow-empty", "-m", "c"]);
        git(&sub, &["add", "inner"]);
        assert_eq!(found(dir.path()), None);
        git(&sub.join("inner"), &["config", "filter.x.clean", "./x"]);
        let reason = found(dir.path()).unwrap();
        assert!(
            reason.contains("`inner`") && reason.contains("filter.*.clean"),
            "{reason}"
        );
        fs::write(sub.join(".git"), "gitdir: ../../nowhere\n").unwrap();
        assert!(found(dir.path()).unwrap().contains("cannot be read"));
    }

    #[test]
    fn an_index_that_cannot_be_read_whole_vouches_for_nothing() {
        let dir = repository(&[]);
        let index = dir.path().join(".git/index");
        let whole = fs::read(&index).unwrap();
        for broken in [&whole[..whole.len() / 2], b"DIRC", b"", b"x"] {
            fs::write(&index, broken).unwrap();
            assert!(found(dir.path()).unwrap().contains("index"), "{broken:?}");
        }
        fs::write(&index, &whole).unwrap();
        git(dir.path(), &["update-index", "--split-index"]);
        assert!(found(dir.path()).unwrap().contains("index"));
        fs::remove_file(index).unwrap();
        assert_eq!(found(dir.path()), None);
    }

    proptest::proptest! {
        #[test]
        fn no_index_makes_it_panic(rest in proptest::collection::vec(proptest::num::u8::ANY, 0..200), version in 2_u32..5) {
            let header = [b"DIRC".as_slice(), &version.to_be_bytes(), &3_u32.to_be_bytes()].concat();
            gitlinks(&[header, rest].concat(), 20);
        }
    }
}
