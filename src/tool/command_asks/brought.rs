//! What `cp`, `mv`, `ln` and `install` bring to another name, where it may be read.
//!
//! The rules may not know it there, so the files of a directory are judged where they are. A link may lead elsewhere from
//! its new place; a later call is judged by where it leads then, but the rest of the same call is judged before it is there.

use std::path::{Path, PathBuf};

use super::paths::goes_up_unseen;
use super::{Gathered, Setting, base_name};
use crate::permission::command::{Analysis, PathOperand, Search, Simple, files_read, search, written};
use crate::permission::{Ask, Floor, Subject};
use crate::text::path::without_dots;
use crate::tree_walk::{Entry, Flow, IgnoreFiles, Walk};

const COPYING: &[&str] = &["cp", "mv", "ln", "install"];
/// Names that one command may make lathe look at for links.
const MAX_NAMES: usize = 100_000;

impl Setting<'_> {
    /// Gathers what a command brings to another name, beside the files in its words. `expanded` is what its wildcards stand
    /// for.
    pub(super) fn brought(
        &self,
        command: &Simple,
        analysis: &Analysis,
        expanded: &[String],
        gathered: &mut Gathered,
    ) {
        let program = base_name(command.program());
        if !COPYING.contains(&program) {
            return;
        }
        let Some(directories) = self.directories(&command.place) else {
            // It is asked about for its operands.
            return;
        };
        let moved = Moved::by(self, command, expanded, &directories);
        let reads_more = reads_more(analysis);
        let follows = reads_more || moved.dereferences;
        let is_brought = |path: &&PathBuf| follows || !path.is_symlink();
        let mut places: Vec<PathBuf> = Vec::new();
        if moved.takes_directories && (reads_more || program != "ln") {
            places.extend(moved.sources.iter().filter(is_brought).cloned());
        }
        let mut is_known = true;
        if reads_more {
            let targets = moved.targets();
            let takes_links = targets.as_ref().is_some_and(|targets| !targets.is_empty());
            is_known = !moved.is_unseen
                && targets.is_some()
                && !(takes_links && self.is_taken_on(command, &moved, analysis));
            for target in targets.unwrap_or_default() {
                let text = target.to_string_lossy();
                gathered.outside.extend(self.outside_path(&text, self.workdir));
                places.push(target);
            }
        }
        let is_inside = |place: &PathBuf| {
            let resolved = self.services.roots.resolve_path(place);
            resolved.is_ok_and(|resolved| resolved.inside)
        };
        // Outside of the project is a question of its own, and the links there are no matter of the project's.
        let (inside, outside): (Vec<PathBuf>, Vec<PathBuf>) = places.into_iter().partition(is_inside);
        let looked = [(inside, follows), (outside, false)]
            .map(|(places, follows)| self.look_into(&Search::everything(follows), &places, gathered));
        if !is_known || looked.contains(&None) {
            gathered.read.push(Ask {
                floor: Floor::Ask,
                ..Ask::new("read", Subject::new(&command.canonical))
            });
        }
    }
}

impl Setting<'_> {
    /// Returns true if another command of the call takes what this one brings somewhere to a third place.
    fn is_taken_on(&self, command: &Simple, moved: &Moved<'_>, analysis: &Analysis) -> bool {
        let real = |path: &PathBuf| {
            let resolved = self.services.roots.resolve_path(path);
            resolved.map_or_else(|_| path.clone(), |resolved| resolved.real)
        };
        let sources = moved.sources.iter().flat_map(|source| moved.places_of(source));
        let places: Vec<PathBuf> = sources.map(|place| real(&place)).collect();
        let others = analysis
            .commands
            .iter()
            .filter(|other| COPYING.contains(&base_name(other.program())) && !std::ptr::eq(*other, command));
        others.into_iter().any(|other| {
            let Some(directories) = self.directories(&other.place) else {
                return true;
            };
            let sources = Moved::by(self, other, &[], &directories).sources;
            sources.iter().map(real).any(|source| {
                let is_there = |place: &PathBuf| source.starts_with(place) || place.starts_with(&source);
                places.iter().any(is_there)
            })
        })
    }
}

/// Sources of a command, and where they get to.
struct Moved<'a> {
    setting: &'a Setting<'a>,
    sources: Vec<PathBuf>,
    /// The directories that they may get into, or the name that the only one may get.
    destinations: Vec<PathBuf>,
    /// Operands that a new link is made of, seen from where it is.
    linked: Vec<PathBuf>,
    /// True if one of those goes up through a directory that is not there.
    is_unseen: bool,
    takes_directories: bool,
    /// True if it copies what links lead to.
    dereferences: bool,
}

impl<'a> Moved<'a> {
    fn by(setting: &'a Setting<'a>, command: &Simple, expanded: &[String], directories: &[PathBuf]) -> Self {
        let program = base_name(command.program());
        let has_letter = |letter: char| {
            let is_option = |text: &str| text.starts_with('-') && !text.starts_with("--");
            let mut words = command.words.iter();
            words.any(|word| is_option(&word.text) && word.text.contains(letter))
        };
        let has_long = |name: &str| command.words.iter().any(|word| word.text.starts_with(name));
        let written = written(command);
        let takes_directories = match &written.copied {
            Some(copied) => copied.is_recursive || program == "ln",
            None => true,
        };
        let (sources, destinations) = match written.copied {
            Some(copied) => (copied.sources, vec![copied.destination]),
            // An option that is not known: each of its words may be one or the other.
            None => (written.targets.clone(), written.targets),
        };
        let paths = |operands: &[PathOperand], from: &[PathBuf]| -> Vec<PathBuf> {
            let named = operands
                .iter()
                .filter_map(|operand| setting.paths_of(operand, Some(from)));
            named.flatten().map(PathBuf::from).collect()
        };
        let mut moved = Self {
            setting,
            sources: paths(&sources, directories),
            destinations: paths(&destinations, directories),
            linked: Vec::new(),
            is_unseen: false,
            takes_directories,
            dereferences: has_letter('L') || has_letter('H') || has_long("--deref"),
        };
        if program == "ln" || program == "cp" && (has_letter('s') || has_long("--sym")) {
            let bases = moved.bases();
            let above: Vec<PathBuf> = moved
                .names()
                .filter_map(Path::parent)
                .map(Path::to_owned)
                .collect();
            moved.linked = paths(&sources, &bases);
            moved.is_unseen = paths(&sources, &above).iter().any(|path| goes_up_unseen(path));
            let relative = |path| {
                directories
                    .iter()
                    .find_map(|from| Path::new(path).strip_prefix(from).ok())
            };
            let expanded: Vec<&Path> = expanded.iter().filter_map(relative).collect();
            for base in bases {
                moved.linked.extend(expanded.iter().map(|path| base.join(path)));
            }
        }
        moved.sources.extend(expanded.iter().map(PathBuf::from));
        moved
    }

    /// The directories in which its sources get their names.
    fn bases(&self) -> Vec<PathBuf> {
        let above = self.names().filter_map(Path::parent).map(Path::to_owned);
        self.destinations.iter().cloned().chain(above).collect()
    }

    /// Destinations that may be a new name and no directory.
    fn names(&self) -> impl Iterator<Item = &Path> {
        let may_be_name = |path: &&Path| {
            let text = path.to_string_lossy();
            !["/", "/.", "/.."].iter().any(|end| text.ends_with(end))
        };
        self.destinations.iter().map(PathBuf::as_path).filter(may_be_name)
    }

    /// Where the links that it makes or takes along will lead; `None` when there are too many to look at.
    fn targets(&self) -> Option<Vec<PathBuf>> {
        let mut targets = self.linked.clone();
        let mut left = MAX_NAMES;
        for source in &self.sources {
            for (below, target) in self.links(source, &mut left)? {
                for place in self.places_of(source) {
                    let link = if below.as_os_str().is_empty() {
                        place
                    } else {
                        place.join(&below)
                    };
                    targets.extend(link.parent().map(|parent| parent.join(&target)));
                }
            }
        }
        // Directories on the way may be made by the same call.
        let by_letters: Vec<PathBuf> = targets.iter().map(|target| without_dots(target)).collect();
        targets.extend(by_letters);
        Some(targets)
    }

    /// The paths that a source may get.
    fn places_of(&self, source: &Path) -> Vec<PathBuf> {
        let inside = |destination: &PathBuf| Some(destination.join(source.file_name()?));
        let inside = self.destinations.iter().filter_map(inside);
        self.names().map(Path::to_owned).chain(inside).collect()
    }

    /// The relative links at a path and below it, each with its target.
    fn links(&self, source: &Path, left: &mut usize) -> Option<Vec<(PathBuf, PathBuf)>> {
        let target = |path: &Path| path.read_link().ok().filter(|target| target.is_relative());
        if let Some(target) = target(source) {
            return Some(vec![(PathBuf::new(), target)]);
        }
        if !source.is_dir() || !self.takes_directories {
            return Some(Vec::new());
        }
        let readable = self.setting.services.gate.readable();
        let walk = Walk {
            root: source,
            ignore_files: IgnoreFiles::Unread,
            skips_hidden: false,
            follows_links: false,
            max_depth: usize::MAX,
            threads: 1,
            gate: &readable,
        };
        let mut found = Vec::new();
        let mut is_too_much = false;
        walk.each(&|_| true, |entry| {
            let Some(rest) = left.checked_sub(1) else {
                is_too_much = true;
                return Flow::Stop;
            };
            *left = rest;
            let link = entry.ok().filter(|entry| entry.is_link()).map(Entry::path);
            if let Some((path, target)) = link.and_then(|path| Some((path, target(path)?)))
                && let Ok(below) = path.strip_prefix(source)
            {
                found.push((below.to_owned(), target));
            }
            Flow::Continue
        });
        (!is_too_much).then_some(found)
    }
}

/// Returns true if a call reads files that it names, in more than one command.
fn reads_more(analysis: &Analysis) -> bool {
    let reads = |command: &&Simple| !files_read(command).is_empty() || search(command).is_some();
    let commands = analysis.commands.iter().filter(reads).count();
    let redirected = analysis
        .redirected
        .iter()
        .filter(|redirected| !redirected.writes)
        .count();
    commands + redirected > 1
}
