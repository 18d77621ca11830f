//! The files of a repository that decide what git answers, besides its settings and its objects.
//!
//! Objects are named by their content. What git says of commits and trees can therefore change only with what leads to
//! them: references, the index, and, for a shortened hash, an object that is added. [`Sources`] is a closed list of the
//! questions for which this is understood. Everything else has no sources, so that its answer is not kept: revisions by
//! a reflog, a date, a message or an entry of the index, references in another storage, objects of another repository.

use std::fs;
use std::path::{Path, PathBuf};

use super::repository::{Repository, RepositoryFacts};
use crate::regular_file::OpenDirectory;

/// More references as files of their own take longer to look at than git takes to answer.
const MAX_REFERENCES: usize = 500;
/// Entries of git's directory among which shared indexes are looked for.
const MAX_ENTRIES: usize = 500;
/// A file with a reference is a hash or a name.
const MAX_REFERENCE_BYTES: u64 = 4096;

/// Extensions of a repository that leave references, index and objects where they always are.
const KNOWN_EXTENSIONS: &[&str] = &[
    "extensions.noop",
    "extensions.objectformat",
    "extensions.preciousobjects",
    "extensions.relativeworktrees",
    "extensions.worktreeconfig",
];

/// The files that the answer to one question comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sources {
    /// The names that the revisions of a question begin with; `None` when the question is about the index alone.
    names: Option<Vec<String>>,
    index: bool,
}

/// Paths that decide an answer.
#[derive(Debug, Default)]
pub(super) struct WatchedPaths {
    pub(super) files: Vec<PathBuf>,
    /// Directories whose entries count.
    pub(super) listings: Vec<PathBuf>,
}

impl Sources {
    /// The names in the index.
    pub fn index() -> Self {
        Self {
            names: None,
            index: true,
        }
    }

    /// The commits, trees and files that these revisions name, and `HEAD`. `None` when one is not understood.
    pub fn revisions<'a>(revisions: impl IntoIterator<Item = &'a str>) -> Option<Self> {
        let mut names = Vec::new();
        for revision in revisions {
            names.extend(names_in(revision)?.map(str::to_owned));
        }
        Some(Self {
            names: Some(names),
            index: false,
        })
    }

    /// The index as well.
    #[must_use]
    pub fn and_index(self) -> Self {
        Self { index: true, ..self }
    }

    /// The paths to watch; `None` for a repository that is not understood.
    pub(super) fn watched(&self, facts: &RepositoryFacts) -> Option<WatchedPaths> {
        let repository = facts.repository.as_ref()?;
        let is_unknown = |key: &str| key.starts_with("extensions.") && !KNOWN_EXTENSIONS.contains(&key);
        if facts.settings.iter().any(|(key, _)| is_unknown(key)) {
            return None;
        }
        let mut watched = WatchedPaths::default();
        if self.index {
            watched.add_index(&repository.git_dir)?;
        }
        if let Some(names) = &self.names {
            watched.add_references(repository)?;
            for name in names {
                watched.add_name(name, repository)?;
            }
        }
        Some(watched)
    }
}

impl WatchedPaths {
    fn add_index(&mut self, git_dir: &Path) -> Option<()> {
        self.files.push(git_dir.join("index"));
        for (count, entry) in fs::read_dir(git_dir).ok()?.enumerate() {
            let entry = entry.ok().filter(|_| count < MAX_ENTRIES)?;
            if entry.file_name().as_encoded_bytes().starts_with(b"sharedindex.") {
                self.files.push(entry.path());
            }
        }
        Some(())
    }

    /// Watches a path that must not be there.
    fn add_missing(&mut self, path: PathBuf) -> Option<()> {
        path.symlink_metadata().is_err().then(|| self.files.push(path))
    }

    fn add_references(&mut self, repository: &Repository) -> Option<()> {
        let mut places = vec![&repository.common_dir];
        if repository.git_dir != repository.common_dir {
            places.push(&repository.git_dir);
        }
        let mut references = Vec::new();
        for place in places {
            self.add_missing(place.join("reftable"))?;
            references.push(place.join("HEAD"));
            self.find_references(place.join("refs"), &mut references)?;
        }
        if !references.iter().all(|file| is_reference(file)) {
            return None;
        }
        self.files.extend(references);
        let names = ["packed-refs", "shallow", "info/grafts"];
        self.files
            .extend(names.map(|name| repository.common_dir.join(name)));
        Some(())
    }

    /// Finds the references that are files below a directory, and watches the directories for new ones.
    fn find_references(&mut self, refs: PathBuf, references: &mut Vec<PathBuf>) -> Option<()> {
        let mut directories = vec![refs];
        let mut count = 0;
        while let Some(directory) = directories.pop() {
            let entries = match fs::read_dir(&directory) {
                Ok(entries) => entries,
                // A linked work tree has none of its own as a rule.
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                    self.listings.push(directory);
                    continue;
                }
                Err(_) => return None,
            };
            for entry in entries {
                count += 1;
                let entry = entry.ok().filter(|_| count <= MAX_REFERENCES)?;
                let kind = entry.file_type().ok()?;
                if kind.is_dir() {
                    directories.push(entry.path());
                } else if kind.is_file() {
                    references.push(entry.path());
                } else {
                    return None;
                }
            }
            self.listings.push(directory);
        }
        Some(())
    }

    /// Watches what else git takes a name for: a file beside `HEAD`, and the beginning of a hash.
    fn add_name(&mut self, name: &str, repository: &Repository) -> Option<()> {
        for place in [&repository.git_dir, &repository.common_dir] {
            self.files.push(place.join(name));
        }
        if name.len() >= 4 && name.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            let objects = repository.common_dir.join("objects");
            self.listings.push(objects.join(name[..2].to_ascii_lowercase()));
            self.listings.push(objects.join("pack"));
            // A repository elsewhere can get more objects, too.
            self.add_missing(objects.join("info/alternates"))?;
        }
        Some(())
    }
}

/// Returns true if a file holds a hash, or the name of another reference that is watched.
fn is_reference(file: &Path) -> bool {
    let text = read_reference(file).unwrap_or_default();
    let text = text.trim_end();
    let is_hash = matches!(text.len(), 40 | 64) && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_hash
        || text
            .strip_prefix("ref: ")
            .is_some_and(|name| name.starts_with("refs/"))
}

/// Reads a file that is no link: what a link leads to is not watched.
fn read_reference(file: &Path) -> Option<String> {
    let directory = OpenDirectory::open(file.parent()?).ok()?;
    let file = directory.file(file.file_name()?).ok()?;
    file.read_text(MAX_REFERENCE_BYTES).ok()
}

/// The names that a revision begins with: `main` and `HEAD` of `main..HEAD~2`. `None` for one that is not understood.
fn names_in(revision: &str) -> Option<impl Iterator<Item = &str>> {
    let (commits, has_path) = match revision.split_once(':') {
        // Git tries it as a range first.
        Some(_) if revision.contains("..") => return None,
        Some((commit, _)) => (commit, true),
        None => (revision, false),
    };
    let (first, second) = match commits.split_once("..") {
        // One side that is left out is `HEAD`.
        Some((first, second)) => (first, Some(second.strip_prefix('.').unwrap_or(second))),
        None if commits.is_empty() => return None,
        None if has_path => (commits, None),
        None => (commits.strip_prefix('^').unwrap_or(commits), None),
    };
    let first = name_of(first)?;
    let second = match second {
        Some(second) => Some(name_of(second)?),
        None => None,
    };
    Some([Some(first), second].into_iter().flatten())
}

/// The name that one commit or tree begins with: `main` of `main^2~3`.
fn name_of(commit: &str) -> Option<&str> {
    let end = commit.find(['~', '^']).unwrap_or(commit.len());
    let (name, steps) = commit.split_at(end);
    // `^{…}` searches, and `@{…}` reads the reflog.
    let is_step = |c: char| c.is_ascii_digit() || matches!(c, '~' | '^' | '@' | '!' | '-');
    if !steps.chars().all(is_step) {
        return None;
    }
    if matches!(name, "" | "@") {
        return Some("HEAD");
    }
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '/' | '-');
    let is_understood = name.chars().all(is_plain)
        && name.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_')
        // Git takes the rest of `v1.0-3-g1234567` for a hash.
        && !name.rsplit_once("-g").is_some_and(|(_, rest)| rest.bytes().all(|byte| byte.is_ascii_hexdigit()))
        // Other work trees' references.
        && !name.starts_with("main-worktree/")
        && !name.starts_with("worktrees/");
    is_understood.then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(revision: &str) -> Option<Vec<&str>> {
        Some(names_in(revision)?.collect())
    }

    #[test]
    fn revisions_begin_with_names() {
        for (revision, expected) in [
            ("HEAD", &["HEAD"][..]),
            ("@", &["HEAD"]),
            ("@~3", &["HEAD"]),
            ("HEAD^2~1", &["HEAD"]),
            ("HEAD^!", &["HEAD"]),
            ("^main", &["main"]),
            ("origin/main", &["origin/main"]),
            ("v1.0", &["v1.0"]),
            ("main..", &["main", "HEAD"]),
            ("..main", &["HEAD", "main"]),
            ("main...feature/x~2", &["main", "feature/x"]),
            ("HEAD:src/a.rs", &["HEAD"]),
            ("abc1234^", &["abc1234"]),
        ] {
            assert_eq!(names(revision).as_deref(), Some(expected), "{revision}");
        }
    }

    #[test]
    fn what_more_than_references_decides_is_not_understood() {
        for revision in [
            "",
            "HEAD@{1}",
            "@{u}",
            "@{-1}",
            "main@{yesterday}",
            "HEAD^{/fix}",
            "HEAD^{tree}",
            ":/fix",
            ":a.txt",
            ":0:a.txt",
            "a..b:c",
            "HEAD:a..b",
            "-",
            "--since=yesterday",
            "*.rs",
            "./a",
            "/a",
            "v1.0-3-g1234567",
            "worktrees/x/HEAD",
            "main-worktree/HEAD",
            "a b",
        ] {
            assert_eq!(names(revision), None, "{revision}");
        }
    }
}
