//! Places of trees and records in lathe's data directory, and everything that is written there past git.

use std::fs::{self, File, FileTimes, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use super::record::TreeRecord;
use crate::conversation::TaskId;
use crate::files::ContentHash;
use crate::private_file;
use crate::regular_file::{MAX_BYTES, MAX_INDEX_BYTES, ReadError, RegularFile};

/// Characters of a project's name in the name of its directory.
const NAME: usize = 40;
/// Digits of its path's hash there.
const HASH: usize = 8;
/// Tries to take in objects that are packed meanwhile.
const OBJECT_TRIES: usize = 5;

/// The directories of all trees and of their records.
#[derive(Debug, Clone)]
pub(super) struct Storage {
    trees: PathBuf,
    records: PathBuf,
}

/// The directory of one tree's record.
#[derive(Debug, Clone)]
pub(super) struct RecordDir {
    path: PathBuf,
}

impl Storage {
    pub(super) fn new(data: &Path) -> Self {
        let data = real(data);
        Self {
            trees: data.join("worktrees"),
            records: data.join("worktree-records"),
        }
    }

    pub(super) fn trees(&self) -> &Path {
        &self.trees
    }

    pub(super) fn records(&self) -> &Path {
        &self.records
    }

    pub(super) fn tree(&self, project: &Path, task: &TaskId) -> PathBuf {
        self.trees.join(project_name(project)).join(task.as_str())
    }

    pub(super) fn record(&self, task: &TaskId) -> RecordDir {
        RecordDir {
            path: self.records.join(task.as_str()),
        }
    }

    /// Reads a record; `None` where there is none.
    pub(super) fn load(&self, directory: &RecordDir) -> io::Result<Option<TreeRecord>> {
        let Some(record) = directory.load()? else {
            return Ok(None);
        };
        let made_of = record.moved_from.as_ref().unwrap_or(&record.project);
        Ok(Some(TreeRecord {
            tree: self.tree(made_of, &record.task),
            ..record
        }))
    }

    /// The tasks that have a record, the oldest first.
    pub(super) fn recorded(&self) -> io::Result<Vec<TaskId>> {
        let entries = match fs::read_dir(&self.records) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries?,
        };
        let names = entries.flatten().map(|entry| entry.file_name());
        let tasks = names.filter_map(|name| name.to_str()?.parse::<TaskId>().ok());
        let mut tasks: Vec<TaskId> = tasks.collect();
        tasks.sort();
        Ok(tasks)
    }

    /// Returns true if a project has a tree of this record's task.
    pub(super) fn has_tree(&self, record: &RecordDir) -> bool {
        self.trees_of(record).next().is_some()
    }

    /// The trees that are there by the name of a record's task, in whatever project.
    fn trees_of<'a>(&'a self, record: &'a RecordDir) -> impl Iterator<Item = PathBuf> + 'a {
        let projects = fs::read_dir(&self.trees).into_iter().flatten().flatten();
        let trees = projects.filter_map(|project| Some(project.path().join(record.path.file_name()?)));
        trees.filter(|tree| tree.symlink_metadata().is_ok())
    }

    /// The trees without a record, with their tasks: nothing is known of them but that they are there.
    pub(super) fn unrecorded(&self) -> Vec<(TaskId, PathBuf)> {
        let below = |path: &Path| fs::read_dir(path).into_iter().flatten().flatten();
        let trees = below(&self.trees).flat_map(|project| below(&project.path()));
        let mut found: Vec<(TaskId, PathBuf)> = trees
            .filter_map(|tree| Some((tree.file_name().to_str()?.parse().ok()?, tree.path())))
            .filter(|(task, _)| !self.record(task).has_record())
            .collect();
        found.sort();
        found
    }

    /// The task whose tree a directory lies in, by its path, and that tree.
    pub(super) fn around(&self, directory: &Path) -> Option<(TaskId, PathBuf)> {
        let below = directory.strip_prefix(&self.trees).ok()?;
        let mut parts = below.components();
        let (project, name) = (parts.next()?, parts.next()?);
        let task = name.as_os_str().to_str()?.parse::<TaskId>().ok()?;
        Some((task, self.trees.join(project).join(name)))
    }

    /// Puts a finished tree in its place.
    pub(super) fn hand_out(record: &RecordDir, tree: &Path) -> io::Result<()> {
        put_in_place(&record.new_tree(), tree)
    }

    /// Takes a tree out of its place.
    pub(super) fn take_back(record: &RecordDir, tree: &Path) -> io::Result<()> {
        rename_to_new(tree, &record.removing())
    }

    /// Puts a tree that was taken out back into its place.
    pub(super) fn restore(record: &RecordDir, tree: &Path) -> io::Result<()> {
        put_in_place(&record.removing(), tree)
    }

    /// Removes the directory of a project's trees if there are none.
    pub(super) fn tidy(tree: &Path) {
        if let Some(parent) = tree.parent() {
            // It is not empty where the project has other trees.
            let _ = fs::remove_dir(parent);
        }
    }
}

impl RecordDir {
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn repository(&self) -> PathBuf {
        self.path.join("repository")
    }

    pub(super) fn index(&self) -> PathBuf {
        self.path.join("index")
    }

    pub(super) fn references(&self) -> PathBuf {
        self.path.join("references")
    }

    pub(super) fn new_tree(&self) -> PathBuf {
        self.path.join("new")
    }

    pub(super) fn removing(&self) -> PathBuf {
        self.path.join("removing")
    }

    pub(super) fn lock_file(&self) -> PathBuf {
        self.path.join("lock")
    }

    fn record_file(&self) -> PathBuf {
        self.path.join("record.json")
    }

    fn settled_file(&self) -> PathBuf {
        self.path.join("settled")
    }

    /// A path that nothing has yet.
    pub(super) fn scratch(&self, what: &str) -> PathBuf {
        let id = uuid::Uuid::now_v7().simple();
        self.path.join(format!("{what}-{id}"))
    }

    pub(super) fn make(&self) -> io::Result<()> {
        private_file::create_dir(&self.path)
    }

    fn load(&self) -> io::Result<Option<TreeRecord>> {
        let text = match RegularFile::open_real(&self.record_file()) {
            Err(ReadError::Missing) => return Ok(None),
            file => file?.read(MAX_BYTES)?,
        };
        serde_json::from_slice(&text).map(Some).map_err(io::Error::other)
    }

    /// Replaces the record, as a whole and for good.
    pub(super) fn store(&self, record: &TreeRecord) -> io::Result<()> {
        let text = serde_json::to_vec_pretty(record).map_err(io::Error::other)?;
        let unfinished = self.scratch("record");
        let mut file = private_file::options()
            .write(true)
            .create_new(true)
            .open(&unfinished)?;
        file.write_all(&text)?;
        file.sync_all()?;
        fs::rename(&unfinished, self.record_file())?;
        sync(&self.path)
    }

    /// Notes that nothing of the tree on its way out is needed.
    pub(super) fn mark_settled(&self) -> io::Result<()> {
        let file = private_file::open(&self.settled_file())?;
        file.sync_all()?;
        sync(&self.path)
    }

    /// Takes that back.
    pub(super) fn forget_settled(&self) -> io::Result<()> {
        remove(&self.settled_file())
    }

    pub(super) fn has_record(&self) -> bool {
        self.record_file().symlink_metadata().is_ok()
    }

    /// Returns true if somebody is making or removing a tree, or was when they died.
    pub(super) fn is_unfinished(&self) -> bool {
        let is_there = |path: PathBuf| path.symlink_metadata().is_ok();
        !self.has_record() || self.is_settled() || is_there(self.removing()) || is_there(self.new_tree())
    }

    pub(super) fn is_settled(&self) -> bool {
        self.settled_file().symlink_metadata().is_ok()
    }

    /// Writes a file of the record, or of a tree that is not finished.
    pub(super) fn write(&self, file: &Path, bytes: &[u8]) -> io::Result<()> {
        debug_assert!(file.starts_with(&self.path), "it would be written elsewhere");
        if let Some(parent) = file.parent() {
            private_file::create_dir(parent)?;
        }
        let mut file = private_file::options()
            .write(true)
            .create(true)
            .truncate(true)
            .open(file)?;
        file.write_all(bytes)
    }

    /// Makes a directory of a tree that is not finished.
    pub(super) fn make_directory(&self, directory: &Path) -> io::Result<()> {
        debug_assert!(directory.starts_with(&self.path), "it would be made elsewhere");
        private_file::create_dir(directory)
    }

    /// Copies an index into the record. Its time is kept: git goes by it where a file was changed in the same moment.
    pub(super) fn copy_index(&self, from: &Path, to: &Path) -> Result<(), ReadError> {
        let file = RegularFile::open(from)?;
        let modified = file.metadata().modified()?;
        let bytes = file.read(MAX_INDEX_BYTES)?;
        self.write(to, &bytes)?;
        let copy = private_file::open(to)?;
        copy.set_times(FileTimes::new().set_modified(modified))?;
        Ok(())
    }

    /// Takes in the objects of a repository: by hard links where that works, which a clean-up there does not reach. Git never
    /// writes to an object, and nothing but lathe's own git has a way to these.
    pub(super) fn take_objects(&self, from: &Path) -> io::Result<()> {
        let to = self.repository().join("objects");
        for _ in 0..OBJECT_TRIES {
            if take_objects(from, &to)? {
                return Ok(());
            }
        }
        Err(io::Error::other("its objects are being packed again and again"))
    }

    /// Writes what a tree's repository borrows.
    pub(super) fn lend_objects(&self, git_dir: &Path) -> io::Result<()> {
        self.write(&git_dir.join("objects/info/alternates"), &borrowed(self))
    }

    /// Removes a file or directory of the record; one that is not there is no error.
    pub(super) fn discard(&self, path: &Path) -> io::Result<()> {
        debug_assert!(path.starts_with(&self.path), "it would be removed elsewhere");
        remove(path)
    }

    /// Returns true if nothing but the lock is there.
    pub(super) fn is_blank(&self) -> bool {
        let mut entries = fs::read_dir(&self.path).into_iter().flatten().flatten();
        entries.all(|entry| entry.path() == self.lock_file())
    }

    /// Removes the record with everything in it, the lock last of all: who waits for it finds that it is gone. That nothing
    /// in it is needed is noted first, so that a process which dies meanwhile leaves no riddle.
    pub(super) fn remove(&self) -> io::Result<()> {
        self.mark_settled()?;
        for entry in fs::read_dir(&self.path)?.flatten() {
            let path = entry.path();
            if path != self.lock_file() && path != self.settled_file() {
                remove(&path)?;
            }
        }
        remove(&self.path)
    }
}

/// Links or copies the objects of one directory to another. Returns false if some went away meanwhile: they are in
/// another file by now.
fn take_objects(from: &Path, to: &Path) -> io::Result<bool> {
    let mut is_whole = true;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let name = entry.file_name();
        let name = name.to_str().unwrap_or_default();
        let is_loose = name.len() == 2 && name.bytes().all(|byte| byte.is_ascii_hexdigit());
        if !(is_loose || name == "pack") {
            continue;
        }
        let directory = to.join(name);
        let objects = match fs::read_dir(entry.path()) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            objects => objects?,
        };
        private_file::create_dir(&directory)?;
        for object in objects {
            let object = object?;
            let file = object.file_name();
            let is_object = object.file_type()?.is_file() && !file.as_encoded_bytes().starts_with(b"tmp_");
            // An index over several packs is made for the packs of one moment.
            if is_object && file != "multi-pack-index" {
                is_whole &= link_or_copy(&object.path(), &directory.join(file))?;
            }
        }
    }
    Ok(is_whole)
}

/// Returns false if there is no such file any more.
fn link_or_copy(from: &Path, to: &Path) -> io::Result<bool> {
    match fs::hard_link(from, to) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        // Another file system, another owner, or too many links.
        Err(_) => match fs::copy(from, to) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            copied => copied.map(|_| true),
        },
        Ok(()) => Ok(true),
    }
}

/// The real path of a directory that may not be there yet.
fn real(path: &Path) -> PathBuf {
    let there = path.ancestors().find_map(|above| {
        let rest = path.strip_prefix(above).ok()?;
        Some(above.canonicalize().ok()?.join(rest))
    });
    there.unwrap_or_else(|| path.to_owned())
}

/// The text of the file that names borrowed objects.
fn borrowed(record: &RecordDir) -> Vec<u8> {
    let mut text = record
        .repository()
        .join("objects")
        .into_os_string()
        .into_encoded_bytes();
    text.push(b'\n');
    text
}

/// Its name, for people, and a hash that tells it from others of that name.
fn project_name(project: &Path) -> String {
    let name = project.file_name().unwrap_or_default().to_string_lossy();
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let name = name.trim_start_matches('.').chars();
    let name: String = name
        .map(|c| if is_plain(c) { c } else { '-' })
        .take(NAME)
        .collect();
    let hash = ContentHash::of(project.as_os_str().as_encoded_bytes());
    let hash = &hash.as_str()[..HASH];
    format!("{name}-{hash}")
}

/// Moves a tree to where it is found, in a directory that may not be there yet.
fn put_in_place(from: &Path, tree: &Path) -> io::Result<()> {
    if let Some(parent) = tree.parent() {
        private_file::create_dir(parent)?;
    }
    rename_to_new(from, tree)
}

/// Renames a directory, unless something has the new name already.
fn rename_to_new(from: &Path, to: &Path) -> io::Result<()> {
    if to.symlink_metadata().is_ok() {
        return Err(io::Error::new(
            io::ErrorKind::AlreadyExists,
            format!("`{}` already exists", to.display()),
        ));
    }
    fs::rename(from, to)?;
    for directory in [from.parent(), to.parent()].into_iter().flatten() {
        sync(directory)?;
    }
    Ok(())
}

fn remove(path: &Path) -> io::Result<()> {
    let Ok(data) = path.symlink_metadata() else {
        return Ok(());
    };
    if !data.is_dir() {
        return fs::remove_file(path);
    }
    match fs::remove_dir_all(path) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            open_directories(path)?;
            fs::remove_dir_all(path)
        }
        removed => removed,
    }
}

/// Lets every directory of a tree be emptied: some tools make theirs read-only.
fn open_directories(root: &Path) -> io::Result<()> {
    let mut directories = vec![root.to_owned()];
    while let Some(directory) = directories.pop() {
        let mode = directory.symlink_metadata()?.permissions().mode();
        fs::set_permissions(&directory, Permissions::from_mode(mode | 0o700))?;
        for entry in fs::read_dir(&directory)?.flatten() {
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                directories.push(entry.path());
            }
        }
    }
    Ok(())
}

fn sync(directory: &Path) -> io::Result<()> {
    File::open(directory)?.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn projects_of_one_name_have_directories_of_their_own() {
        let names = ["/a/my app", "/b/my app", "/", "/x/.dot"].map(|path| project_name(Path::new(path)));
        assert!(names[0].starts_with("my-app-") && names[1].starts_with("my-app-"));
        assert_ne!(names[0], names[1]);
        assert!(
            names[2].starts_with('-') && names[3].starts_with("dot-"),
            "{names:?}"
        );
    }

    #[test]
    fn the_tree_around_a_directory_is_told_by_its_path() {
        let storage = Storage::new(Path::new("/d"));
        let tree = storage.tree(Path::new("/p"), &"tsk_1".parse().unwrap());
        let found = Some(("tsk_1".parse().unwrap(), tree.clone()));
        assert_eq!(storage.around(&tree), found);
        assert_eq!(storage.around(&tree.join("src/x")), found);
        assert_eq!(storage.around(tree.parent().unwrap()), None);
        assert_eq!(storage.around(Path::new("/d/worktrees/p-1/other/x")), None);
        assert_eq!(storage.around(Path::new("/p")), None);
    }

    #[test]
    fn read_only_directories_go_too() {
        let held = tempfile::tempdir().unwrap();
        let record = RecordDir {
            path: held.path().join("record"),
        };
        record.make().unwrap();
        let deep = record.removing().join("pkg/mod");
        fs::create_dir_all(&deep).unwrap();
        fs::write(deep.join("a"), "x").unwrap();
        for directory in [&deep, &record.removing().join("pkg")] {
            fs::set_permissions(directory, Permissions::from_mode(0o555)).unwrap();
        }
        record.discard(&record.removing()).unwrap();
        assert!(!record.removing().exists());
    }
}
