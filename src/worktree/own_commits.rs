//! Work in a tree's own repository that its files do not show: commits on other branches, a stash, and files that are
//! ignored and were put under version control all the same.
//!
//! The repository is at the mercy of whoever works in the tree. It is only read, and one that cannot be read counts as
//! one that holds something.

use std::collections::HashSet;
use std::path::Path;

use super::TreeError;
use super::git::{Name, find, line, names, run, shown};
use super::record::TreeRecord;
use super::storage::RecordDir;
use crate::process::git::{Git, Variables, unbounded_file};
use crate::regular_file::RegularFile;

/// Branches that are looked at.
const MOST: usize = 200;
/// Bytes of the list of branches that the tree began with.
const MAX_REFERENCES: u64 = 64 << 20;

/// Work that is in the repository alone.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct OwnCommits {
    /// Branches and tags with commits that are not on the tree's own branch.
    pub(super) references: Vec<String>,
    /// The git tree of the commit that is checked out.
    pub(super) head_tree: Option<String>,
    /// Ignored files that are tracked.
    pub(super) forced: Vec<Name>,
    /// Why the repository could not be read.
    pub(super) problem: Option<String>,
}

impl OwnCommits {
    /// Looks into the repository of a tree that lies in `files`.
    pub(super) fn find(
        record: &TreeRecord,
        directory: &RecordDir,
        files: &Path,
        environment: &Variables,
    ) -> Self {
        let git_dir = files.join(".git");
        let Ok(data) = git_dir.symlink_metadata() else {
            // With the repository its commits are gone.
            return Self::default();
        };
        let looked = if !data.is_dir() {
            Err("its `.git` is not a directory".to_owned())
        } else if let Some(why) = unbounded_file(files) {
            Err(why)
        } else {
            let look = || {
                let git = find(files, environment)?
                    .with_variable("GIT_DIR", git_dir.as_path())
                    .with_variable("GIT_WORK_TREE", files);
                Self::look(&git, record, directory)
            };
            look().map_err(|error| error.to_string())
        };
        looked.unwrap_or_else(|problem| Self {
            problem: Some(problem),
            ..Self::default()
        })
    }

    fn look(git: &Git, record: &TreeRecord, directory: &RecordDir) -> Result<Self, TreeError> {
        let what = "the tree's repository cannot be read";
        let ask = |words: &[&str]| super::git::ask(git, what, words);
        let words = ["ls-files", "-z", "-c", "-i", "--exclude-standard"];
        let forced = ask(&words)?;
        let head = run(
            git,
            what,
            &["rev-parse", "--verify", "--quiet", "HEAD^{tree}"],
            Vec::new(),
        )?;
        let head_tree = head.is_success.then(|| line(&head.stdout.bytes));
        let known = RegularFile::open_real(&directory.references())
            .and_then(|file| file.read(MAX_REFERENCES))
            .unwrap_or_default();
        let own_branch = format!("refs/heads/lathe/{}", record.task);
        let all = ask(&["for-each-ref", "--format=%(objectname) %(refname)"])?;
        let known_lines: HashSet<&[u8]> = known.split(|byte| *byte == b'\n').collect();
        let new = all
            .split(|byte| *byte == b'\n')
            .filter(|row| !row.is_empty() && !known_lines.contains(row));
        let new: Vec<&[u8]> = new.collect();
        let mut found = Self {
            head_tree,
            forced: names(&forced).map(<[u8]>::to_vec).collect(),
            ..Self::default()
        };
        if new.len() > MOST {
            found.references = vec![format!("{} branches", new.len())];
            return Ok(found);
        }
        let begun = Begun::of(record, &known, found.head_tree.is_some());
        for row in new {
            let mut fields = row.splitn(2, |byte| *byte == b' ');
            let (Some(object), Some(name)) = (fields.next(), fields.next()) else {
                continue;
            };
            let name = shown(name);
            if begun.lacks(git, object)? {
                let shown = match name.as_str() {
                    name if name == own_branch => own_branch.as_str(),
                    "refs/stash" => "the stash",
                    name => name.trim_start_matches("refs/heads/"),
                };
                found.references.push(shown.to_owned());
            }
        }
        Ok(found)
    }
}

/// Commits that are known or checked out.
struct Begun(Vec<u8>);

impl Begun {
    fn of(record: &TreeRecord, references: &[u8], has_head: bool) -> Self {
        let mut not = Vec::new();
        let known = references.split(|byte| *byte == b'\n');
        let known = known.filter_map(|row| row.split(|byte| *byte == b' ').next());
        let known = known.filter(|object| !object.is_empty());
        for object in known.chain([record.base.as_bytes()]) {
            not.extend_from_slice(&[&b"^"[..], object, b"\n"].concat());
        }
        if has_head {
            not.extend_from_slice(b"^HEAD\n");
        }
        Self(not)
    }

    /// Returns true if a commit is not among them.
    fn lacks(&self, git: &Git, object: &[u8]) -> Result<bool, TreeError> {
        let what = "the tree's commits cannot be listed";
        let input = [object, b"\n", &self.0].concat();
        let words = ["rev-list", "--max-count=1", "--ignore-missing", "--stdin"];
        let found = super::git::tell(git, what, &words, input)?;
        Ok(!found.is_empty())
    }
}
