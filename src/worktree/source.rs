//! A project that a tree is to be made from: whether it can be, and what of it is not committed.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::TreeError;
use super::error::{FileGroup, a_few};
use super::git::{Name, ask, find, line, list, names, run, shown};
use crate::process::git::{Git, Repository, RepositoryCache, Variables, unbounded_file};
use crate::project_root::git_directories;
use crate::regular_file::{MAX_BYTES, ReadError, RegularFile};

/// Bytes of one file that is taken in: untracked, changed, or named by `.worktreeinclude`.
const LARGEST: u64 = 50 << 20;
/// Bytes of all of them.
const MOST: u64 = 500 << 20;
/// Names the ignored files that go along.
const INCLUDE: &str = ".worktreeinclude";
/// Repositories that objects are borrowed from; git follows fewer.
const MOST_ALTERNATES: usize = 20;
/// The mode of a submodule.
const SUBMODULE: &[u8] = b"160000 ";

/// A repository with a work tree and a commit.
#[derive(Debug)]
pub(super) struct Source {
    pub(super) top: PathBuf,
    git: Git,
    pub(super) repository: Repository,
    settings: Vec<(String, String)>,
    pub(super) head: String,
}

/// Facts about what is not committed.
#[derive(Debug)]
pub(super) struct Inspection {
    /// Paths of submodules, which are clean.
    pub(super) submodules: Vec<String>,
    /// Ignored files that are to go along.
    pub(super) included: Vec<Name>,
}

impl Source {
    pub(super) fn open(top: &Path, environment: &Variables) -> Result<Self, TreeError> {
        let git = find(top, environment)?;
        if git_directories(top).is_none() {
            return Err(TreeError::NoRepository(top.to_owned()));
        }
        if let Some(why) = unbounded_file(top) {
            return Err(TreeError::Unreadable(why));
        }
        let facts = RepositoryCache::default().facts(&git);
        let facts = facts.ok_or_else(|| TreeError::Git {
            what: "a work tree cannot be made",
            said: "git's settings cannot be read".to_owned(),
        })?;
        let repository = facts.repository.clone();
        let repository = repository.filter(|found| found.top.as_deref() == Some(top));
        let repository = repository.ok_or_else(|| TreeError::NoRepository(top.to_owned()))?;
        let git = git.without(&facts.drivers);
        let words = ["rev-parse", "--verify", "--quiet", "HEAD^{commit}"];
        let head = run(
            &git,
            "the project's last commit cannot be found",
            &words,
            Vec::new(),
        )?;
        if !head.is_success {
            return Err(TreeError::Unborn);
        }
        Ok(Self {
            top: top.to_owned(),
            head: line(&head.stdout.bytes),
            settings: facts.settings.clone(),
            git,
            repository,
        })
    }

    /// The last value of a setting. Section and last part of its key are in small letters.
    pub(super) fn setting(&self, key: &str) -> Option<&str> {
        let mut settings = self.settings.iter().rev();
        settings
            .find(|(known, _)| known == key)
            .map(|(_, value)| value.as_str())
    }

    /// Looks at what is not committed, and refuses what a tree could not have.
    pub(super) fn inspect(&self) -> Result<Inspection, TreeError> {
        let what = "the project's files cannot be listed";
        let unmerged = ask(&self.git, what, &["ls-files", "-u", "-z"])?;
        let unmerged: HashSet<String> = names(&unmerged).map(|entry| shown(path_of(entry))).collect();
        if !unmerged.is_empty() {
            let mut unmerged: Vec<String> = unmerged.into_iter().collect();
            unmerged.sort();
            return Err(TreeError::Unmerged(a_few(&unmerged)));
        }
        let submodules = self.submodules(&self.git, &self.top)?;
        let untracked = ask(&self.git, what, &["ls-files", "-z", "-o", "--exclude-standard"])?;
        let untracked: Vec<&[u8]> = names(&untracked).collect();
        let embedded = untracked
            .iter()
            .find(|name| name.ends_with(b"/") || has_git_part(name));
        if let Some(name) = embedded {
            return Err(TreeError::EmbeddedRepository(shown(name)));
        }
        // Git reads all of what it takes in, and of what it compares.
        let changed = ask(
            &self.git,
            what,
            &["diff-files", "-z", "--name-only", "--no-renames"],
        )?;
        let changed: Vec<&[u8]> = names(&changed).collect();
        let included = self.included(&untracked)?;
        let included_names: Vec<&[u8]> = included.iter().map(Vec::as_slice).collect();
        self.check_sizes(&[
            (FileGroup::Untracked, &untracked),
            (FileGroup::Changed, &changed),
            (FileGroup::Included, &included_names),
        ])?;
        Ok(Inspection { submodules, included })
    }

    /// Refuses files that are too large, alone or together, before git reads any.
    fn check_sizes(&self, files: &[(FileGroup, &[&[u8]])]) -> Result<(), TreeError> {
        let mut sum = 0;
        let files = files
            .iter()
            .flat_map(|(group, names)| names.iter().map(|name| (*group, name)));
        for (group, name) in files {
            let path = self.top.join(OsStr::from_bytes(name));
            // One that is gone by now is not taken either.
            let size = path.symlink_metadata().map_or(0, |data| data.len());
            if size > LARGEST {
                return Err(TreeError::LargeFile {
                    group,
                    path: shown(name),
                    limit: LARGEST >> 20,
                });
            }
            sum += size;
        }
        if sum > MOST {
            return Err(TreeError::LargeFiles { limit: MOST >> 20 });
        }
        Ok(())
    }

    /// The ignored files that `.worktreeinclude` names.
    fn included(&self, untracked: &[&[u8]]) -> Result<Vec<Name>, TreeError> {
        let include = self.top.join(INCLUDE);
        let Ok(data) = include.symlink_metadata() else {
            return Ok(Vec::new());
        };
        if !data.is_file() {
            return Ok(Vec::new());
        }
        if data.len() > MAX_BYTES {
            return Err(TreeError::LargeList {
                limit: MAX_BYTES >> 20,
            });
        }
        let what = "the files that `.worktreeinclude` names cannot be listed";
        let exclude = format!("--exclude-from={INCLUDE}");
        let named = ask(&self.git, what, &["ls-files", "-z", "-o", "-i", &exclude])?;
        let untracked: HashSet<&[u8]> = untracked.iter().copied().collect();
        let is_ignored_file =
            |name: &&[u8]| !name.ends_with(b"/") && !has_git_part(name) && !untracked.contains(name);
        Ok(names(&named)
            .filter(is_ignored_file)
            .map(<[u8]>::to_vec)
            .collect())
    }

    /// The paths of the submodules of a repository. One with changes of its own is refused.
    fn submodules(&self, git: &Git, top: &Path) -> Result<Vec<String>, TreeError> {
        let what = "the project's submodules cannot be listed";
        let entries = ask(git, what, &["ls-files", "-s", "-z"])?;
        let mut found = Vec::new();
        for entry in names(&entries).filter(|entry| entry.starts_with(SUBMODULE)) {
            let commit = entry[SUBMODULE.len()..].split(|byte| *byte == b' ').next();
            let path = path_of(entry);
            let directory = top.join(OsStr::from_bytes(path));
            let shown = shown(
                directory
                    .strip_prefix(&self.top)
                    .map_or(path, |path| path.as_os_str().as_bytes()),
            );
            if !self.is_clean(&directory, commit.unwrap_or_default())? {
                return Err(TreeError::DirtySubmodule(shown));
            }
            found.push(shown);
        }
        Ok(found)
    }

    /// Returns true if a submodule is as its commit, or was never fetched.
    fn is_clean(&self, directory: &Path, commit: &[u8]) -> Result<bool, TreeError> {
        let Ok(mut entries) = fs::read_dir(directory) else {
            return Ok(directory.symlink_metadata().is_err());
        };
        if git_directories(directory).is_none() {
            return Ok(entries.next().is_none());
        }
        if unbounded_file(directory).is_some() {
            return Ok(false);
        }
        let git = self.git.at(directory.to_owned());
        let Some(facts) = RepositoryCache::default().facts(&git) else {
            return Ok(false);
        };
        let git = git.without(&facts.drivers);
        let what = "the project's submodules cannot be looked at";
        let head = run(&git, what, &["rev-parse", "HEAD"], Vec::new())?;
        if !head.is_success || line(&head.stdout.bytes).as_bytes() != commit {
            return Ok(false);
        }
        let words = ["status", "--porcelain", "-z", "--ignore-submodules=all"];
        let status = run(&git, what, &words, Vec::new())?;
        if !status.is_success || !status.stdout.bytes.is_empty() {
            return Ok(false);
        }
        // Those within it.
        match self.submodules(&git, directory) {
            Ok(_) => Ok(true),
            Err(TreeError::DirtySubmodule(_)) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// The directories with the repository's objects, those that it borrows from included.
    pub(super) fn objects(&self) -> Result<Vec<PathBuf>, TreeError> {
        let mut found = vec![self.repository.common_dir.join("objects")];
        let mut next = 0;
        while let Some(objects) = found.get(next).cloned() {
            next += 1;
            let file = objects.join("info/alternates");
            let text = match RegularFile::open(&file).and_then(|file| file.read(MAX_BYTES)) {
                Err(ReadError::Missing) => continue,
                text => text.map_err(|error| TreeError::io(file)(error.into()))?,
            };
            let lines = text.split(|byte| *byte == b'\n');
            for line in lines.filter(|line| !line.is_empty() && !line.starts_with(b"#")) {
                let borrowed = objects.join(OsStr::from_bytes(line));
                if !found.contains(&borrowed) && found.len() < MOST_ALTERNATES {
                    found.push(borrowed);
                }
            }
        }
        Ok(found)
    }

    /// Branches, tags and what is known of remotes, as a repository stores them; those whose objects `record` has.
    pub(super) fn references(&self, record: &super::git::RecordGit) -> Result<Vec<u8>, TreeError> {
        let what = "the project's branches cannot be listed";
        let format = "--format=%(symref)%00%(objectname)%00%(refname)";
        let places = ["refs/heads", "refs/tags", "refs/remotes"];
        let words = [&["for-each-ref", format][..], &places[..]].concat();
        let answer = ask(&self.git, what, &words)?;
        let mut found: Vec<(&[u8], &[u8])> = Vec::new();
        for row in answer.split(|byte| *byte == b'\n') {
            let mut fields = row.split(|byte| *byte == 0);
            if let (Some(b""), Some(object), Some(name)) = (fields.next(), fields.next(), fields.next()) {
                found.push((object, name));
            }
        }
        let objects = found.iter().map(|(object, _)| [object, &b"\n"[..]].concat());
        let there = record.tell(
            "the project's branches cannot be looked at",
            &["cat-file", "--batch-check=%(objecttype)"],
            objects.collect::<Vec<_>>().concat(),
        )?;
        let kinds = there.split(|byte| *byte == b'\n');
        let mut text = Vec::new();
        for ((object, name), kind) in found.iter().zip(kinds) {
            if !kind.ends_with(b"missing") {
                text.extend_from_slice(&[object, &b" "[..], name, b"\n"].concat());
            }
        }
        Ok(text)
    }
}

/// Puts files into an index.
pub(super) fn add(git: &super::git::RecordGit, files: &[Name]) -> Result<(), TreeError> {
    if files.is_empty() {
        return Ok(());
    }
    let words = ["update-index", "--add", "--replace", "-z", "--stdin"];
    git.tell("the files cannot be taken in", &words, list(files))?;
    Ok(())
}

/// The path of an entry as `ls-files -s` tells it, behind a tab.
fn path_of(entry: &[u8]) -> &[u8] {
    let tab = entry.iter().position(|byte| *byte == b'\t');
    tab.map_or(entry, |tab| &entry[tab + 1..])
}

/// Returns true if a part of a path is `.git`, which git takes from nobody.
pub(super) fn has_git_part(name: &[u8]) -> bool {
    name.split(|byte| *byte == b'/')
        .any(|part| part.eq_ignore_ascii_case(b".git"))
}
