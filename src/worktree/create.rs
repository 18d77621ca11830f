//! Makes a tree: the repository of the record first, then the tree beside it, and last its place.

use std::io;
use std::path::{Path, PathBuf};

use super::git::{Name, RecordGit, find, tell};
use super::lock::{Alone, MOMENT};
use super::record::{TreeRecord, VERSION};
use super::snapshot::{Files, Snapshot, snapshot};
use super::source::{Source, add};
use super::storage::{RecordDir, Storage};
use super::{TreeError, Worktrees};
use crate::conversation::TaskId;
use crate::process::git::WritableDirs;
use crate::regular_file::{MAX_BYTES, ReadError, RegularFile};

/// Files are bytes: no line ending, no filter, no keyword changes them on their way in or out.
const ATTRIBUTES: &[u8] =
    b"* -text !eol -ident -filter !working-tree-encoding !diff !merge\n# Written by lathe: files here are bytes.\n";

/// Settings of the record's repository, whatever the person has set for theirs.
const SETTINGS: &[(&str, &str)] = &[
    ("gc.auto", "0"),
    ("maintenance.auto", "false"),
    ("core.autocrlf", "false"),
    ("core.safecrlf", "false"),
    ("core.untrackedCache", "false"),
    ("core.splitIndex", "false"),
    ("core.sparseCheckout", "false"),
    ("core.ignoreStat", "false"),
    ("core.trustctime", "true"),
    ("core.checkStat", "default"),
    ("index.sparse", "false"),
    ("core.logAllRefUpdates", "false"),
    ("user.name", "lathe"),
    ("user.email", "lathe@localhost"),
    ("user.useConfigOnly", "false"),
    ("i18n.commitEncoding", "UTF-8"),
];
/// Settings of the project that hold in the tree as well. Section and last part are in small letters.
const FROM_PROJECT: &[&str] = &[
    "core.filemode",
    "core.symlinks",
    "core.ignorecase",
    "core.precomposeunicode",
];
/// Settings of the tree's own repository: nothing goes on there by itself, and files are bytes.
const OF_TREE: &[(&str, &str)] = &[
    ("gc.auto", "0"),
    ("maintenance.auto", "false"),
    ("core.autocrlf", "false"),
];
/// How often the directory of a record is begun that others clear away.
const BEGIN_TRIES: usize = 10;
/// Settings by which the agent commits.
const IDENTITY: &[&str] = &["user.name", "user.email"];

/// A tree to be made.
#[derive(Debug, Clone)]
pub struct NewTree {
    pub task: TaskId,
    /// A few words of the task.
    pub title: String,
    /// The work tree whose files it begins with.
    pub source: PathBuf,
    /// The project that its changes are applied to; the same as `source`, unless that is another task's tree.
    pub project: PathBuf,
}

impl Worktrees {
    /// Returns the paths of a project's submodules, whose files are in no tree, or says why a tree cannot be made.
    pub fn check(&self, source: &Path) -> Result<Vec<String>, TreeError> {
        let inspection = Source::open(source, &self.environment)?.inspect()?;
        Ok(inspection.submodules)
    }

    /// Makes a task's tree and returns its directory. One that is there already stays as it is.
    pub fn create(&self, new: &NewTree) -> Result<PathBuf, TreeError> {
        for path in [&new.project, &new.source] {
            if path.to_str().is_none() {
                return Err(TreeError::PathNotText(path.clone()));
            }
        }
        let tree = self.storage.tree(&new.project, &new.task);
        let record = self.storage.record(&new.task);
        let _lock = self.begin_record(&record, &new.task)?;
        if tree.symlink_metadata().is_ok() {
            return Ok(tree);
        }
        let made = self.make(new, &record, &tree);
        if made.is_err() {
            // Nothing of it was handed out. What cannot be removed now is at the next look.
            let _ = record.remove();
        }
        made.map(|()| tree)
    }

    /// Makes the directory of a record, and holds its lock alone. A tree that was on its way out when a process died is
    /// somebody's work, and comes back; one that was never handed out goes with its record, and another is begun.
    fn begin_record(&self, record: &RecordDir, task: &TaskId) -> Result<Alone, TreeError> {
        for _ in 0..BEGIN_TRIES {
            record.make().map_err(TreeError::io(record.path()))?;
            let lock = match Alone::take(record, MOMENT) {
                // Somebody cleared it away just now.
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                lock => lock.map_err(TreeError::io(record.path()))?,
            };
            let lock = lock.ok_or_else(|| TreeError::Live(task.clone()))?;
            if record.is_blank() {
                return Ok(lock);
            }
            self.storage
                .recover(record)
                .map_err(TreeError::io(record.path()))?;
            if record.has_record() {
                return Ok(lock);
            }
        }
        Err(TreeError::Changed(task.clone()))
    }

    fn make(&self, new: &NewTree, record: &RecordDir, tree: &Path) -> Result<(), TreeError> {
        let source = Source::open(&new.source, &self.environment)?;
        let inspection = source.inspect()?;
        let maker = Maker {
            worktrees: self,
            record,
            source: &source,
        };
        maker.copy_repository()?;
        let taken = maker.take_files()?;
        let base = maker.commit(&taken)?;
        maker.check_out(&base, &inspection.included)?;
        maker.make_repository(&new.task, &base)?;
        let stored = TreeRecord {
            version: VERSION,
            task: new.task.clone(),
            session: new.task.session(),
            project: new.project.clone(),
            moved_from: None,
            tree: tree.to_owned(),
            title: new.title.clone(),
            base,
            base_tree: taken.tree.clone(),
            applied: taken.tree,
            submodules: inspection.submodules,
            created: jiff::Timestamp::now().as_millisecond(),
            known: None,
        };
        record.store(&stored).map_err(TreeError::io(record.path()))?;
        Storage::hand_out(record, tree).map_err(TreeError::io(tree))
    }
}

/// The parts that a tree is made from.
struct Maker<'a> {
    worktrees: &'a Worktrees,
    record: &'a RecordDir,
    source: &'a Source,
}

impl Maker<'_> {
    fn git(&self) -> Result<RecordGit, TreeError> {
        RecordGit::new(self.record, &self.worktrees.environment)
    }

    /// Makes the record's repository, with the project's objects.
    fn copy_repository(&self) -> Result<(), TreeError> {
        let what = "the project's repository cannot be copied";
        let git = self.git()?;
        let format = self.object_format();
        let words = ["init", "--bare", "--quiet", "--template="].into_iter();
        let words: Vec<&str> = words.chain(format.as_deref()).collect();
        git.ask(what, &words)?;
        let of_project = FROM_PROJECT
            .iter()
            .filter_map(|key| Some((*key, self.source.setting(key)?)));
        let settings: Vec<(&str, &str)> = SETTINGS.iter().copied().chain(of_project).collect();
        self.add_settings(&self.record.repository(), &settings)?;
        for objects in self.source.objects()? {
            self.record
                .take_objects(&objects)
                .map_err(TreeError::io(objects))?;
        }
        if let Some(shallow) = self.of_repository("shallow")? {
            self.write(&self.record.repository().join("shallow"), &shallow)?;
        }
        let info = self.record.repository().join("info");
        self.write(&info.join("attributes"), ATTRIBUTES)?;
        self.write(&info.join("exclude"), &self.excludes()?)
    }

    /// The option for a repository whose objects are named by other hashes than is usual; older versions of git know neither.
    fn object_format(&self) -> Option<String> {
        let format = self.source.setting("extensions.objectformat")?;
        Some(format!("--object-format={format}"))
    }

    /// Adds settings to those that git has given a new repository.
    fn add_settings(&self, repository: &Path, settings: &[(&str, &str)]) -> Result<(), TreeError> {
        let file = repository.join("config");
        let read = RegularFile::open_real(&file).and_then(|file| file.read(MAX_BYTES));
        let mut text = read.map_err(|error| TreeError::io(file.clone())(error.into()))?;
        for (key, value) in settings {
            text.extend_from_slice(setting_text(key, value).as_bytes());
        }
        self.write(&file, &text)
    }

    fn write(&self, file: &Path, bytes: &[u8]) -> Result<(), TreeError> {
        self.record.write(file, bytes).map_err(TreeError::io(file))
    }

    /// Reads the patterns that the project ignores beside its `.gitignore` files.
    fn excludes(&self) -> Result<Vec<u8>, TreeError> {
        Ok(self.of_repository("info/exclude")?.unwrap_or_default())
    }

    /// Reads a file of the project's repository, if there is one.
    fn of_repository(&self, name: &str) -> Result<Option<Vec<u8>>, TreeError> {
        let file = self.source.repository.common_dir.join(name);
        match RegularFile::open(&file).and_then(|file| file.read(MAX_BYTES)) {
            Err(ReadError::Missing) => Ok(None),
            read => read.map(Some).map_err(|error| TreeError::io(file)(error.into())),
        }
    }

    /// Takes in the project's files as they are, by a copy of its index.
    fn take_files(&self) -> Result<Snapshot, TreeError> {
        let index = self.record.path().join("taken");
        let own = &self.source.repository.git_dir;
        let copied = |from: &Path, to: &Path| match self.record.copy_index(from, to) {
            // Nothing is in it.
            Err(ReadError::Missing) => Ok(()),
            copied => copied.map_err(|error| TreeError::io(from)(error.into())),
        };
        copied(&own.join("index"), &index)?;
        // Parts of an index that git looks for beside a repository.
        let shared = std::fs::read_dir(own).into_iter().flatten().flatten();
        for entry in shared {
            let name = entry.file_name();
            if name.as_encoded_bytes().starts_with(b"sharedindex.") {
                copied(&entry.path(), &self.record.repository().join(name))?;
            }
        }
        let git = self.git()?.over(&self.source.top, &index);
        let files = Files {
            root: &self.source.top,
            submodules: &[],
            forced: &[],
        };
        let taken = snapshot(&git, files)?;
        match taken.nested.first() {
            Some(nested) => Err(TreeError::EmbeddedRepository(nested.clone())),
            None => Ok(taken),
        }
    }

    /// Returns the commit that the tree begins with.
    fn commit(&self, taken: &Snapshot) -> Result<String, TreeError> {
        let what = "the project's state cannot be kept";
        let git = self.git()?;
        let head = &self.source.head;
        let is_head = git.line(what, &["rev-parse", &format!("{head}^{{tree}}")])? == taken.tree;
        let base = if is_head {
            head.clone()
        } else {
            let words = [
                "commit-tree",
                "-p",
                head,
                "-m",
                "Changes that were not committed",
                &taken.tree,
            ];
            git.line(what, &words)?
        };
        git.ask(what, &["update-ref", "refs/lathe/base", &base])?;
        Ok(base)
    }

    /// Writes the files of the base, and those that are ignored and go along.
    fn check_out(&self, base: &str, included: &[Name]) -> Result<(), TreeError> {
        let what = "the files of the work tree cannot be written";
        let tree = self.record.new_tree();
        self.record.make_directory(&tree).map_err(TreeError::io(&tree))?;
        let git = self.git()?;
        git.over(&tree, &self.record.index())
            .ask(what, &["read-tree", "-u", "--reset", base])?;
        if included.is_empty() {
            return Ok(());
        }
        let index = self.record.path().join("included");
        add(&git.over(&self.source.top, &index), included)?;
        git.over(&tree, &index)
            .ask(what, &["checkout-index", "--all", "--quiet"])
            .map(drop)
    }

    /// Makes the tree's own repository, with branches of its own on objects that are the record's.
    fn make_repository(&self, task: &TaskId, base: &str) -> Result<(), TreeError> {
        let what = "the repository of the work tree cannot be made";
        let tree = self.record.new_tree();
        let git_dir = tree.join(".git");
        let environment = &self.worktrees.environment;
        let git = find(self.record.path(), environment)?
            .at(tree.clone())
            .with_variable("GIT_DIR", git_dir.as_path())
            .with_variable("GIT_WORK_TREE", tree.as_path())
            .with_variable("GIT_DEFAULT_REF_FORMAT", "files")
            .writing(WritableDirs::to(vec![self.record.path().to_owned()]));
        let run = |words: &[&str]| tell(&git, what, words, Vec::new()).map(drop);
        let format = self.object_format();
        let words = ["init", "--quiet", "--template="].into_iter();
        run(&words.chain(format.as_deref()).collect::<Vec<_>>())?;
        let hooks = git_dir.join("hooks");
        self.record
            .make_directory(&hooks)
            .map_err(TreeError::io(&hooks))?;
        self.record
            .lend_objects(&git_dir)
            .map_err(TreeError::io(&git_dir))?;
        if let Some(shallow) = self.of_repository("shallow")? {
            self.write(&git_dir.join("shallow"), &shallow)?;
        }
        self.write(&git_dir.join("info/attributes"), ATTRIBUTES)?;
        self.write(&git_dir.join("info/exclude"), &self.excludes()?)?;
        let references = self.source.references(&self.git()?)?;
        self.write(&self.record.references(), &references)?;
        self.write(&git_dir.join("packed-refs"), &references)?;
        let of_project = FROM_PROJECT.iter().chain(IDENTITY);
        let of_project = of_project.filter_map(|key| Some((*key, self.source.setting(key)?)));
        let settings: Vec<(&str, &str)> = of_project.chain(OF_TREE.iter().copied()).collect();
        self.add_settings(&git_dir, &settings)?;
        run(&["symbolic-ref", "HEAD", &format!("refs/heads/lathe/{task}")])?;
        run(&["update-ref", "HEAD", base])?;
        let index = git_dir.join("index");
        self.record
            .copy_index(&self.record.index(), &index)
            .map_err(|error| TreeError::io(index)(error.into()))
    }
}

/// One setting as a configuration file has it.
fn setting_text(key: &str, value: &str) -> String {
    let (section, name) = key.split_once('.').unwrap_or(("lathe", key));
    let mut quoted = String::new();
    for c in value.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            c => quoted.push(c),
        }
    }
    format!("[{section}]\n\t{name} = \"{quoted}\"\n")
}
