//! Files that an answer comes from, as they were when it was given.
//!
//! A file is the same for as long as its number, size and times are: every change of it, by whatever program, sets the
//! time of its last change, which no program can choose. A clock that counts in steps could hide a change that follows
//! at once; so an answer is only kept when each file had been left alone for a while before the question.

use std::fs::Metadata;
use std::io;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Longer than any step of a kernel's clock.
const SETTLED: Duration = Duration::from_millis(100);

/// Paths with what is there, or with nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fingerprint {
    seen: Vec<(PathBuf, Entries, Option<Identity>)>,
}

/// Treatment of the entries of a directory, which come and go.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Entries {
    Ignored,
    Counted,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Identity {
    device: u64,
    inode: u64,
    owner: u32,
    mode: u32,
    /// `None` for a directory whose entries do not count, and for the device without content.
    content: Option<Content>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Content {
    size: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

impl Fingerprint {
    /// The paths as they were at `asked_at` and still are; `None` where one may have changed since, or is neither a file
    /// nor a directory.
    pub(super) fn of(paths: Vec<PathBuf>, asked_at: SystemTime) -> Option<Self> {
        Self::with_listings(paths, Vec::new(), asked_at)
    }

    /// The same, with directories in which no entry may come or go.
    pub(super) fn with_listings(
        paths: Vec<PathBuf>,
        listings: Vec<PathBuf>,
        asked_at: SystemTime,
    ) -> Option<Self> {
        let paths = paths.into_iter().map(|path| (path, Entries::Ignored));
        let listings = listings.into_iter().map(|path| (path, Entries::Counted));
        let mut paths: Vec<(PathBuf, Entries)> = paths.chain(listings).collect();
        paths.sort_unstable();
        paths.dedup();
        let settled = asked_at.checked_sub(SETTLED)?.duration_since(UNIX_EPOCH).ok()?;
        let mut seen = Vec::with_capacity(paths.len());
        for (path, entries) in paths {
            let found = Identity::of(&path, entries).ok()?;
            let is_settled = match &found {
                Some(identity) => identity
                    .content
                    .is_none_or(|content| is_before(content.changed, settled)),
                // It may have gone since: then its directory has changed.
                None => was_missing(&path, settled),
            };
            if !is_settled {
                return None;
            }
            seen.push((path, entries, found));
        }
        Some(Self { seen })
    }

    pub(super) fn is_unchanged(&self) -> bool {
        self.seen
            .iter()
            .all(|(path, entries, seen)| Identity::of(path, *entries).is_ok_and(|found| found == *seen))
    }
}

impl Identity {
    /// `None` where there is nothing.
    fn of(path: &Path, entries: Entries) -> io::Result<Option<Self>> {
        let data = match path.metadata() {
            Ok(data) => data,
            Err(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
                ) =>
            {
                return Ok(None);
            }
            Err(error) => return Err(error),
        };
        if !data.is_file() && !data.is_dir() && !is_null_device(&data) {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        let has_content = data.is_file() || (data.is_dir() && entries == Entries::Counted);
        let content = has_content.then(|| Content {
            size: data.size(),
            modified: (data.mtime(), data.mtime_nsec()),
            changed: (data.ctime(), data.ctime_nsec()),
        });
        Ok(Some(Self {
            device: data.dev(),
            inode: data.ino(),
            owner: data.uid(),
            mode: data.mode(),
            content,
        }))
    }
}

/// Returns true for `/dev/null`, which stands for a configuration that is empty for good.
fn is_null_device(data: &Metadata) -> bool {
    let null = Path::new("/dev/null").metadata();
    data.file_type().is_char_device() && null.is_ok_and(|null| null.rdev() == data.rdev())
}

fn is_before((seconds, nanoseconds): (i64, i64), time: Duration) -> bool {
    let (Ok(seconds), Ok(nanoseconds)) = (u64::try_from(seconds), u32::try_from(nanoseconds)) else {
        return false;
    };
    Duration::new(seconds, nanoseconds) < time
}

/// Returns true if nothing was there at that time either: the nearest directory above is as it was.
fn was_missing(path: &Path, time: Duration) -> bool {
    if path.is_symlink() {
        // Its target lies elsewhere.
        return false;
    }
    for above in path.ancestors().skip(1) {
        // A link that leads nowhere is an entry too.
        match above.symlink_metadata() {
            Ok(data) if data.is_symlink() => match above.metadata() {
                Ok(data) => return is_before((data.ctime(), data.ctime_nsec()), time),
                Err(_) => return false,
            },
            Ok(data) => return is_before((data.ctime(), data.ctime_nsec()), time),
            Err(_) => {}
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// Files that were last changed long before the question.
    fn later() -> SystemTime {
        SystemTime::now() + Duration::from_secs(1)
    }

    #[test]
    fn a_change_of_any_kind_is_seen() {
        type Change = fn(&Path);
        let changes: [(&str, Change); 6] = [
            ("written", |root| fs::write(root.join("file"), "b").unwrap()),
            ("removed", |root| fs::remove_file(root.join("file")).unwrap()),
            ("replaced", |root| {
                fs::write(root.join("other"), "a").unwrap();
                fs::rename(root.join("other"), root.join("file")).unwrap();
            }),
            ("made", |root| fs::write(root.join("missing"), "").unwrap()),
            ("directory", |root| {
                fs::rename(root.join("directory"), root.join("gone")).unwrap();
                fs::create_dir(root.join("directory")).unwrap();
            }),
            ("below a missing one", |root| {
                fs::create_dir(root.join("deep")).unwrap();
                fs::write(root.join("deep/file"), "").unwrap();
            }),
        ];
        for (name, change) in changes {
            let directory = tempfile::tempdir().unwrap();
            let root = directory.path();
            fs::write(root.join("file"), "a").unwrap();
            fs::create_dir(root.join("directory")).unwrap();
            let paths = ["file", "directory", "missing", "deep/file"].map(|name| root.join(name));
            let witness = Fingerprint::of(paths.into(), later()).unwrap();
            assert!(witness.is_unchanged(), "{name}");
            fs::write(root.join("directory/new"), "").unwrap();
            assert!(
                witness.is_unchanged(),
                "{name}: entries of a directory do not count"
            );
            change(root);
            assert!(!witness.is_unchanged(), "{name}");
        }
    }

    /// Waits until a change has another time than those before.
    fn wait_for_the_next_step_of_the_clock(root: &Path) {
        let now = || {
            fs::write(root.join("clock"), "").unwrap();
            let data = root.join("clock").metadata().unwrap();
            (data.ctime(), data.ctime_nsec())
        };
        let before = now();
        while now() == before {}
    }

    #[test]
    fn entries_of_a_listed_directory_count() {
        type Change = fn(&Path);
        let changes: [(&str, Change); 4] = [
            ("added", |root| fs::write(root.join("listed/new"), "").unwrap()),
            ("removed", |root| {
                fs::remove_file(root.join("listed/file")).unwrap();
            }),
            ("renamed", |root| {
                fs::rename(root.join("listed/file"), root.join("listed/other")).unwrap();
            }),
            ("made", |root| fs::create_dir(root.join("missing")).unwrap()),
        ];
        for (name, change) in changes {
            let directory = tempfile::tempdir().unwrap();
            let root = directory.path();
            fs::create_dir(root.join("listed")).unwrap();
            fs::write(root.join("listed/file"), "a").unwrap();
            let listings = || ["listed", "missing"].map(|name| root.join(name)).to_vec();
            assert_eq!(
                Fingerprint::with_listings(Vec::new(), listings(), SystemTime::now()),
                None,
                "it was made just now"
            );
            let witness = Fingerprint::with_listings(Vec::new(), listings(), later()).unwrap();
            assert!(witness.is_unchanged(), "{name}");
            wait_for_the_next_step_of_the_clock(root);
            change(root);
            assert!(!witness.is_unchanged(), "{name}");
        }
    }

    #[test]
    fn what_changed_at_the_time_of_the_question_is_not_kept() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("file");
        fs::write(&file, "a").unwrap();
        let missing = directory.path().join("missing");
        assert_eq!(Fingerprint::of(vec![file.clone()], SystemTime::now()), None);
        assert_eq!(Fingerprint::of(vec![missing.clone()], SystemTime::now()), None);
        assert!(Fingerprint::of(vec![file, missing], later()).is_some());
        let fifo = directory.path().join("fifo");
        let made = std::process::Command::new("mkfifo").arg(&fifo).status();
        assert!(made.unwrap().success());
        assert_eq!(Fingerprint::of(vec![fifo], later()), None);
        assert_eq!(Fingerprint::of(vec!["/dev/zero".into()], later()), None);
        assert!(
            Fingerprint::of(vec!["/dev/null".into()], later()).is_some_and(|witness| witness.is_unchanged())
        );
    }
}
