//! A hundred files and a patch that does something to each, slow enough to be killed in the middle.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::time::SystemTime;

use crate::support::{Project, Random};

const UPDATED: usize = 50;
const DELETED: usize = 20;
const MOVED: usize = 20;
const ADDED: usize = 10;
/// Number of steps of a whole patch, one after the other: a moved file comes and goes.
pub(super) const STEPS: usize = UPDATED + DELETED + 2 * MOVED + ADDED;
/// New contents that wait beside their places.
const STAGED: usize = UPDATED + MOVED + ADDED;

/// A hundred files of a hundred kilobytes, and a patch that does something to each.
pub(super) struct Landscape {
    pub(super) project: Project,
    old: BTreeMap<String, Vec<u8>>,
    new: BTreeMap<String, Vec<u8>>,
    pub(super) patch: String,
}

impl Landscape {
    pub(super) fn new(project: Project) -> Self {
        let filler = "The quick brown fox jumps over the lazy dog.\n".repeat(2200);
        let content = |word: &str, number: usize| format!("{word} {number}\n{filler}").into_bytes();
        let (mut old, mut new) = (BTreeMap::new(), BTreeMap::new());
        let mut patch = "*** Begin Patch\n".to_owned();
        for number in 0..UPDATED {
            let name = format!("src/{number}.txt");
            let change = format!("-old {number}\n+renewed {number}");
            writeln!(patch, "*** Update File: {name}\n@@\n{change}").unwrap();
            old.insert(name.clone(), content("old", number));
            new.insert(name, content("renewed", number));
        }
        for number in 0..DELETED {
            let name = format!("gone/{number}.txt");
            writeln!(patch, "*** Delete File: {name}").unwrap();
            old.insert(name, content("old", number));
        }
        for number in 0..MOVED {
            let (from, to) = (format!("from/{number}.txt"), format!("to/deep/{number}.txt"));
            let change = format!("-old {number}\n+moved {number}");
            writeln!(patch, "*** Update File: {from}\n*** Move to: {to}\n@@\n{change}").unwrap();
            old.insert(from, content("old", number));
            new.insert(to, content("moved", number));
        }
        for number in 0..ADDED {
            let name = format!("added/{number}.txt");
            writeln!(patch, "*** Add File: {name}\n+added {number}").unwrap();
            new.insert(name, format!("added {number}\n").into_bytes());
        }
        patch.push_str("*** End Patch\n");
        let landscape = Self {
            project,
            old,
            new,
            patch,
        };
        landscape.reset();
        landscape
    }

    /// Brings all files back to what they were.
    pub(super) fn reset(&self) {
        for name in files(&self.project).keys() {
            fs::remove_file(self.project.path(name)).unwrap();
        }
        for (name, content) in &self.old {
            self.project.write(name, content);
        }
    }

    /// How many steps have been taken, told by names and sizes alone: quick enough to look all the time.
    pub(super) fn taken(&self) -> usize {
        let length = |name: &String| {
            fs::metadata(self.project.path(name))
                .map(|found| found.len())
                .ok()
        };
        let is_changed =
            |name: &&String| length(name) != self.old.get(*name).map(|content| content.len() as u64);
        let come = self.new.keys().filter(is_changed).count();
        let gone = self.old.keys().filter(|name| !self.new.contains_key(*name));
        come + gone.filter(is_changed).count()
    }

    /// New contents beside their places, and old ones.
    fn hidden(&self) -> usize {
        let names = ["src", "gone", "from", "to/deep", "added"];
        let entries = names
            .iter()
            .filter_map(|name| fs::read_dir(self.project.path(name)).ok());
        let hidden = entries
            .flatten()
            .filter_map(Result::ok)
            .filter(|entry| entry.file_name().to_string_lossy().starts_with(".lathe-"));
        hidden.count()
    }

    /// After a start of lathe: everything is old or everything is new, and nothing lies about.
    #[track_caller]
    pub(super) fn assert_whole(&self, story: &str) -> bool {
        let found = files(&self.project);
        let is_new = found == self.new;
        if !is_new && found != self.old {
            let told = |files: &BTreeMap<String, Vec<u8>>| {
                let lines = files.iter().map(|(name, content)| {
                    let head = &content[..content.len().min(12)];
                    format!("{name} {} {:?}", content.len(), String::from_utf8_lossy(head))
                });
                lines.collect::<Vec<_>>().join("\n")
            };
            panic!("{story}: half of a patch\n{}", told(&found));
        }
        assert_eq!(records(&self.project), [""; 0], "{story}");
        is_new
    }
}

/// A moment of a patch.
#[derive(Debug, Clone, Copy)]
pub(super) enum Moment {
    RecordBegun,
    Recorded,
    Staged(usize),
    Placed(usize),
    /// The old files are going.
    Tidying(usize),
}

impl Moment {
    pub(super) fn random(random: &mut Random, round: usize) -> Self {
        match round % 8 {
            0 => Self::RecordBegun,
            1 => Self::Recorded,
            2 => Self::Staged(1 + random.below(STAGED)),
            3 => Self::Tidying(random.below(DELETED + MOVED)),
            _ => Self::Placed(1 + random.below(STEPS)),
        }
    }

    pub(super) fn has_come(self, landscape: &Landscape) -> bool {
        let ends_with = |end: &str| records(&landscape.project).iter().any(|name| name.ends_with(end));
        match self {
            Self::RecordBegun => !records(&landscape.project).is_empty(),
            Self::Recorded => ends_with(".record"),
            Self::Staged(count) => landscape.hidden() >= count,
            Self::Placed(count) => landscape.taken() >= count,
            Self::Tidying(left) => landscape.taken() == STEPS && landscape.hidden() <= left,
        }
    }
}

/// Numbers that are seeded by the clock: each run kills at other moments, and a failure names them.
pub(super) fn random_by_the_clock() -> Random {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap();
    Random::new(u64::from(since.subsec_nanos()))
}

/// All files of the project, with their content.
pub(super) fn files(project: &Project) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    collect(&project.root(), "", &mut found);
    found
}

fn collect(directory: &Path, prefix: &str, found: &mut BTreeMap<String, Vec<u8>>) {
    for entry in fs::read_dir(directory).unwrap().map(Result::unwrap) {
        let name = format!("{prefix}{}", entry.file_name().to_str().unwrap());
        if entry.file_type().unwrap().is_dir() {
            collect(&entry.path(), &format!("{name}/"), found);
        } else {
            found.insert(name, fs::read(entry.path()).unwrap());
        }
    }
}

/// The records of transactions, finished (`.record`) or still being written (`.new`).
pub(super) fn records(project: &Project) -> Vec<String> {
    let entries = fs::read_dir(project.data_dir().join("transactions"));
    let names = entries
        .into_iter()
        .flatten()
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    names.filter(|name| name != "lock").collect()
}
