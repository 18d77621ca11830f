//! Trees of files, walked on several threads by the ignore rules that are found on the way.
//!
//! The walker of the `ignore` crate opens ignore files by itself, without a limit and whatever they are. This one reads
//! them with [`crate::regular_file`] alone and leaves the matching to that crate. A file that cannot be read so is left
//! out, with everything that it would have ignored, and [`Walk::run`] says which ones those were.
//!
//! Rules count as they do for ripgrep: `.ignore` before `.gitignore` before `.git/info/exclude` before the user's own
//! excludes; within each of them the nearest directory first, up to the root of the file system.
//!
//! A directory is read as a whole, then told, then its entries are met. Entries come in no order.

mod excludes;
mod queue;
mod rules;

use std::ffi::OsStr;
use std::fs::{self, FileType, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use self::queue::{Queue, Turn};
use self::rules::{IgnoreContext, Present, Rules};
use crate::regular_file::FileGate;

/// Files of one directory that a thread takes at once, so that the others have work in a large directory too.
const FILES_AT_ONCE: usize = 64;

/// Ignore files that a walk obeys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IgnoreFiles {
    /// None, neither those of the tree nor those of the user.
    Unread,
    /// All of them; those of git also where there is no repository.
    Everywhere,
    /// `.ignore` everywhere, and those of git inside of a repository, as `rg` does by itself.
    InRepositories,
}

/// A walk that is to be done.
pub struct Walk<'a> {
    pub root: &'a Path,
    pub ignore_files: IgnoreFiles,
    /// Files and directories whose names begin with a dot are left out, unless a rule brings them back.
    pub skips_hidden: bool,
    pub follows_links: bool,
    /// The root has depth 0; what lies deeper than this is not met.
    pub max_depth: usize,
    pub threads: usize,
    /// Judges ignore files that are links.
    pub gate: &'a (dyn FileGate + Sync),
}

/// One file, directory or other entry that a walk meets.
#[derive(Debug)]
pub struct Entry {
    path: PathBuf,
    file_type: FileType,
    is_link: bool,
    depth: usize,
}

impl Entry {
    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn name(&self) -> &OsStr {
        self.path.file_name().unwrap_or_default()
    }

    /// The root has depth 0.
    pub fn depth(&self) -> usize {
        self.depth
    }

    pub fn is_directory(&self) -> bool {
        self.file_type.is_dir()
    }

    pub fn is_file(&self) -> bool {
        self.file_type.is_file()
    }

    /// Returns true for a link, also for one that the walk follows.
    pub fn is_link(&self) -> bool {
        self.is_link
    }

    /// The entry's metadata; that of the target where the walk follows links.
    pub fn metadata(&self) -> io::Result<Metadata> {
        if self.is_link && !self.file_type.is_symlink() {
            fs::metadata(&self.path)
        } else {
            fs::symlink_metadata(&self.path)
        }
    }
}

/// The answer of a visit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flow {
    Continue,
    /// Ends the walk on all threads.
    Stop,
}

/// An ignore file whose rules were not applied.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct LeftOut {
    pub path: PathBuf,
    pub why: String,
}

impl<'a> Walk<'a> {
    /// A walk of everything that lies below the root, on one thread.
    pub fn whole(root: &'a Path, ignore_files: IgnoreFiles, gate: &'a (dyn FileGate + Sync)) -> Self {
        Self {
            root,
            ignore_files,
            skips_hidden: false,
            follows_links: false,
            max_depth: usize::MAX,
            threads: 1,
            gate,
        }
    }

    /// Walks the tree on several threads and returns the ignore files that were left out, by path.
    ///
    /// `enters` is asked about each entry that no rule ignores, before it is visited and before a directory is read. A
    /// visit function is made for each thread. It is given each entry, a directory after it was read, and the errors.
    pub fn run<V>(
        &self,
        enters: &(dyn Fn(&Entry) -> bool + Sync),
        mut visitor: impl FnMut() -> V,
    ) -> Vec<LeftOut>
    where
        V: FnMut(io::Result<&Entry>) -> Flow + Send,
    {
        let mut own = visitor();
        let others: Vec<V> = (1..self.threads.max(1)).map(|_| visitor()).collect();
        let shared = match SharedWalk::new(self, enters) {
            Ok(shared) => shared,
            Err(error) => {
                own(Err(error));
                return Vec::new();
            }
        };
        std::thread::scope(|scope| {
            for visit in others {
                let worker = || {
                    let mut visit = visit;
                    shared.work(&mut visit);
                };
                let thread = std::thread::Builder::new().name("walk".to_owned());
                // With fewer threads it takes longer.
                if let Err(error) = thread.spawn_scoped(scope, worker) {
                    tracing::warn!(%error, "a thread of a walk did not begin");
                }
            }
            shared.work(&mut own);
        });
        shared.context.into_left_out()
    }

    /// Walks the tree on the calling thread, as [`Self::run`] does on several.
    pub fn each(
        &self,
        enters: &(dyn Fn(&Entry) -> bool + Sync),
        mut visit: impl FnMut(io::Result<&Entry>) -> Flow,
    ) -> Vec<LeftOut> {
        match SharedWalk::new(self, enters) {
            Ok(shared) => {
                shared.work(&mut visit);
                shared.context.into_left_out()
            }
            Err(error) => {
                visit(Err(error));
                Vec::new()
            }
        }
    }
}

enum Work {
    Directory(Directory),
    Files(Vec<Entry>),
}

struct Directory {
    entry: Entry,
    /// Those of the directories above.
    rules: Option<Arc<Rules>>,
    /// Kept where links are followed.
    ancestors: Option<Arc<Ancestor>>,
}

/// A directory on the way to another, by which a link that leads back is known.
struct Ancestor {
    device: u64,
    inode: u64,
    parent: Option<Arc<Ancestor>>,
}

impl Ancestor {
    fn of(entry: &Entry, parent: Option<Arc<Self>>) -> Option<Arc<Self>> {
        let metadata = fs::metadata(entry.path()).ok()?;
        Some(Arc::new(Self {
            device: metadata.dev(),
            inode: metadata.ino(),
            parent,
        }))
    }

    fn is_among(&self, ancestors: Option<&Arc<Self>>) -> bool {
        let mut next = ancestors;
        while let Some(ancestor) = next {
            if (ancestor.device, ancestor.inode) == (self.device, self.inode) {
                return true;
            }
            next = ancestor.parent.as_ref();
        }
        false
    }
}

/// State that the threads of one walk share.
struct SharedWalk<'a> {
    walk: &'a Walk<'a>,
    enters: &'a (dyn Fn(&Entry) -> bool + Sync),
    context: IgnoreContext<'a>,
    queue: Queue<Work>,
}

impl<'a> SharedWalk<'a> {
    fn new(walk: &'a Walk<'a>, enters: &'a (dyn Fn(&Entry) -> bool + Sync)) -> io::Result<Self> {
        let entry = Entry {
            path: walk.root.to_owned(),
            file_type: fs::metadata(walk.root)?.file_type(),
            is_link: false,
            depth: 0,
        };
        let context = IgnoreContext::new(walk.ignore_files, walk.root, walk.gate);
        let root = Work::Directory(Directory {
            ancestors: walk.follows_links.then(|| Ancestor::of(&entry, None)).flatten(),
            entry,
            rules: context.above(walk.root),
        });
        Ok(Self {
            walk,
            enters,
            context,
            queue: Queue::new(root),
        })
    }

    fn work(&self, visit: &mut impl FnMut(io::Result<&Entry>) -> Flow) {
        while let Some(turn) = self.queue.take() {
            let flow = match turn.work {
                Work::Directory(ref directory) => self.directory(directory, &turn, visit),
                Work::Files(ref files) => self.files(files, visit),
            };
            if flow == Flow::Stop {
                self.queue.stop();
            }
        }
    }

    fn files(&self, files: &[Entry], visit: &mut impl FnMut(io::Result<&Entry>) -> Flow) -> Flow {
        for file in files {
            if self.queue.is_stopped() || visit(Ok(file)) == Flow::Stop {
                return Flow::Stop;
            }
        }
        Flow::Continue
    }

    fn directory(
        &self,
        directory: &Directory,
        turn: &Turn<'_, Work>,
        visit: &mut impl FnMut(io::Result<&Entry>) -> Flow,
    ) -> Flow {
        let read = if directory.entry.depth < self.walk.max_depth {
            read_directory(directory.entry.path())
        } else {
            Ok((Vec::new(), Vec::new()))
        };
        let (listed, mut errors) = read.unwrap_or_else(|error| (Vec::new(), vec![error]));
        let present = Present::among(listed.iter().map(fs::DirEntry::file_name));
        let above = directory.rules.as_ref();
        let rules = self.context.below(above, directory.entry.path(), present);
        if visit(Ok(&directory.entry)) == Flow::Stop {
            return Flow::Stop;
        }
        let mut files = Vec::new();
        for listed in listed {
            match self.meet(&listed, directory, rules.as_ref()) {
                Ok(Some(Work::Directory(directory))) => turn.add(Work::Directory(directory)),
                Ok(Some(Work::Files(met))) => files.extend(met),
                Ok(None) => {}
                Err(error) => errors.push(error),
            }
        }
        while files.len() > FILES_AT_ONCE {
            let rest = files.split_off(files.len() - FILES_AT_ONCE);
            turn.add(Work::Files(rest));
        }
        for error in errors {
            if visit(Err(error)) == Flow::Stop {
                return Flow::Stop;
            }
        }
        self.files(&files, visit)
    }

    /// Makes work of an entry of a directory, unless it is ignored or left out.
    fn meet(
        &self,
        listed: &fs::DirEntry,
        directory: &Directory,
        rules: Option<&Arc<Rules>>,
    ) -> io::Result<Option<Work>> {
        let mut entry = Entry {
            file_type: listed.file_type()?,
            path: listed.path(),
            is_link: false,
            depth: directory.entry.depth + 1,
        };
        entry.is_link = entry.file_type.is_symlink();
        if entry.is_link && self.walk.follows_links {
            entry.file_type = fs::metadata(&entry.path)?.file_type();
        }
        if self.is_left_out(&entry, rules) || !(self.enters)(&entry) {
            return Ok(None);
        }
        if !entry.is_directory() {
            return Ok(Some(Work::Files(vec![entry])));
        }
        let mut ancestors = None;
        if self.walk.follows_links {
            ancestors = Ancestor::of(&entry, directory.ancestors.clone());
            let leads_back = |ancestor: &Arc<Ancestor>| ancestor.is_among(directory.ancestors.as_ref());
            if entry.is_link && ancestors.as_ref().is_some_and(leads_back) {
                return Err(io::Error::other(format!("`{}` leads back", entry.path.display())));
            }
        }
        Ok(Some(Work::Directory(Directory {
            entry,
            rules: rules.cloned(),
            ancestors,
        })))
    }

    fn is_left_out(&self, entry: &Entry, rules: Option<&Arc<Rules>>) -> bool {
        let verdict = self
            .context
            .judge(rules.map(Arc::as_ref), entry.path(), entry.is_directory());
        let is_hidden = self.walk.skips_hidden && entry.name().as_encoded_bytes().starts_with(b".");
        verdict.unwrap_or(is_hidden)
    }
}

/// Lists a directory; the second are the entries that could not be read.
fn read_directory(path: &Path) -> io::Result<(Vec<fs::DirEntry>, Vec<io::Error>)> {
    let (mut listed, mut errors) = (Vec::new(), Vec::new());
    for entry in fs::read_dir(path)? {
        match entry {
            Ok(entry) => listed.push(entry),
            Err(error) => errors.push(error),
        }
    }
    Ok((listed, errors))
}

#[cfg(test)]
mod tests;
