//! Files that `cp`, `mv`, `ln` and `install` give another name, under which they may be read or lead elsewhere.
//!
//! The rules may not know it there, so the files of a directory are judged where they are. A link may lead elsewhere from
//! its new place, and the rest of the same call is judged before it is there: a call that brings a link anywhere and
//! names another path is asked about, whatever the link and the path are. A later call is judged by where it leads then.

use crate::permission::PermissionKey;
use std::path::{Path, PathBuf};

use super::paths::is_harmless_device;
use super::written::{BackedUpFiles, OperandPaths};
use super::{CommandContext, GatheredAsks, base_name, may_be_options, unclear};
use crate::permission::command::{
    Analysis, CopiedFiles, DirectorySearch, LinksCopied, PathOperand, PathUse, Simple, Word, brings_files,
    may_unpack_links, moves_files, operand_of, path_use, written,
};
use crate::text::path::without_dots;
use crate::tree_walk::{Flow, IgnoreFiles, Walk};

/// Names that one command may make lathe look at for links.
pub(super) const MAX_NAMES: usize = 100_000;
/// Places behind links that are judged one by one.
const MAX_BEHIND: usize = 1000;

/// Files that get another name, and what is known about links among them.
#[derive(Default)]
struct TransferredFiles {
    sources: Vec<PathBuf>,
    links: Vec<TransferredLink>,
    /// True if a link gets to another place, or may: nobody can tell what the sources are, or they are too many.
    has_link: bool,
    takes_directories: bool,
    /// True if files are copied that the links lead to.
    dereferences: bool,
}

/// How the rest of a call uses the paths that it names.
#[derive(Clone, Copy, Default)]
struct OtherPathUses {
    read: bool,
    write: bool,
}

impl OtherPathUses {
    fn any(self) -> bool {
        self.read || self.write
    }
}

/// A link in its new place.
struct TransferredLink {
    /// The directories that a relative target may be seen from.
    from: Vec<PathBuf>,
    target: PathBuf,
}

impl CommandContext<'_> {
    /// Gathers what a command brings to another name, beside the files in its words. `kept` are files that it makes
    /// backups of.
    pub(super) fn brought(
        &self,
        command: &Simple,
        analysis: &Analysis,
        operand_paths: OperandPaths<'_>,
        kept: &BackedUpFiles,
        gathered: &mut GatheredAsks,
    ) {
        let copies = brings_files(command);
        let unpacks = may_unpack_links(command);
        if !copies && !unpacks && kept.files.is_empty() {
            return;
        }
        let others = self.others(command, analysis);
        let mut brought = if copies {
            self.brought_by(command, operand_paths)
        } else {
            TransferredFiles::default()
        };
        brought.has_link |= unpacks;
        let mut left = self.max_names;
        for file in &kept.files {
            self.find_links(file, true, &kept.names, &mut left, &mut brought);
        }
        let follows = others.any() || brought.dereferences;
        let is_brought = |path: &&PathBuf| follows || !path.is_symlink();
        let mut places: Vec<PathBuf> = Vec::new();
        if brought.takes_directories || others.any() && brought.has_link {
            places.extend(brought.sources.iter().filter(is_brought).cloned());
        }
        let mut asked = OtherPathUses::default();
        if others.any() {
            if brought.has_link || self.moves_where_others_are(command, &brought, analysis) {
                asked = others;
            }
            // It may get in the way of files that are not there yet.
            asked.read |= others.write && keeps_what_is_below(command);
            if brought.has_link {
                places.extend(self.behind(&brought, others, analysis, gathered));
            }
        }
        let is_inside = |place: &PathBuf| {
            let resolved = self.services.roots.resolve_path(place);
            resolved.is_ok_and(|resolved| resolved.inside)
        };
        // Outside of the project is a question of its own, and the links there are no matter of the project's.
        let (inside, outside): (Vec<PathBuf>, Vec<PathBuf>) = places.into_iter().partition(is_inside);
        let looked = [(inside, follows), (outside, false)].map(|(places, follows)| {
            self.look_into(&DirectorySearch::everything(follows), &places, gathered)
        });
        let ask = |key| unclear(key, &command.canonical);
        if looked.contains(&None) || asked.read {
            gathered.read.push(ask(PermissionKey::READ));
        }
        if asked.write {
            gathered.edit.push(ask(PermissionKey::EDIT));
        }
    }

    /// How the rest of the call uses the paths that it names.
    fn others(&self, command: &Simple, analysis: &Analysis) -> OtherPathUses {
        let uses = self
            .path_uses
            .get_or_init(|| analysis.commands.iter().map(path_use).collect());
        let mut others = OtherPathUses::default();
        let mut own = None;
        for (at, (other, found)) in analysis.commands.iter().zip(uses).enumerate() {
            if std::ptr::eq(other, command) {
                own = Some(at);
                continue;
            }
            if command.is_git() && command.given_by == Some(at) {
                continue;
            }
            others.read |= *found == Some(PathUse::Reads);
            others.write |= *found == Some(PathUse::Writes);
        }
        for redirected in &analysis.redirected {
            let target = &redirected.target;
            let is_open_before = analysis.in_order && own.is_some_and(|own| redirected.before.contains(&own));
            if is_open_before || target.is_literal() && is_harmless_device(&target.text) {
                continue;
            }
            others.read |= !redirected.writes;
            others.write |= redirected.writes;
        }
        // It may run more than once; git puts nothing through a link.
        others.write |= !analysis.in_order && !command.is_git();
        others
    }

    /// Returns true if a directory gets another name in which another command of the call may run.
    fn moves_where_others_are(
        &self,
        command: &Simple,
        brought: &TransferredFiles,
        analysis: &Analysis,
    ) -> bool {
        if !moves_files(command) {
            return false;
        }
        let real = |path: &PathBuf| path.canonicalize().unwrap_or_else(|_| without_dots(path));
        let sources: Vec<PathBuf> = brought.sources.iter().map(real).collect();
        let places = analysis.commands.iter().map(|other| &other.place);
        places
            .chain(analysis.redirected.iter().map(|redirected| &redirected.place))
            .any(|place| match self.directories(place).filter(|_| self.spend(5)) {
                Some(directories) => directories
                    .iter()
                    .map(real)
                    .any(|directory| sources.iter().any(|source| directory.starts_with(source))),
                None => true,
            })
    }

    /// Returns the files that a command transfers, by its words.
    fn brought_by(&self, command: &Simple, operand_paths: OperandPaths<'_>) -> TransferredFiles {
        let written = written(command);
        let has_letter = |letter: char| {
            let is_option = |text: &str| text.starts_with('-') && !text.starts_with("--");
            let mut words = command.words.iter();
            words.any(|word| is_option(&word.text) && word.text.contains(letter))
        };
        let mut brought = TransferredFiles {
            has_link: is_unclear(command, operand_paths),
            takes_directories: written.copied.iter().any(|copied| copied.is_recursive),
            dereferences: has_letter('H') || has_letter('L'),
            ..TransferredFiles::default()
        };
        let mut left = self.max_names;
        for copied in &written.copied {
            brought.dereferences |= copied.links == LinksCopied::Followed;
            let Some(destinations) = self.paths_of(&copied.destination, operand_paths.directories) else {
                brought.has_link = true;
                continue;
            };
            let destinations: Vec<PathBuf> = destinations.into_iter().map(PathBuf::from).collect();
            if copied.links == LinksCopied::Made {
                self.made(copied, &destinations, operand_paths, &mut brought);
            }
            let mut sources = Vec::new();
            for source in copied.sources.iter().filter(|source| source.wildcards.is_empty()) {
                match self.paths_of(source, operand_paths.directories) {
                    Some(paths) => sources.extend(paths),
                    None => brought.has_link = true,
                }
            }
            sources.extend(operand_paths.expanded.into_iter().flatten().cloned());
            for source in sources {
                let source = PathBuf::from(source);
                if copied.links == LinksCopied::Kept {
                    // With a `/` behind it, a link is what it leads to for some of the programs.
                    let name: PathBuf = source.components().collect();
                    self.find_links(&name, copied.is_recursive, &destinations, &mut left, &mut brought);
                }
                if !brought.sources.contains(&source) {
                    brought.sources.push(source);
                }
            }
        }
        brought
    }

    /// Adds the new links that are made of the sources.
    fn made(
        &self,
        copied: &CopiedFiles,
        destinations: &[PathBuf],
        operand_paths: OperandPaths<'_>,
        brought: &mut TransferredFiles,
    ) {
        brought.has_link = true;
        let above = destinations.iter().filter_map(|path| path.parent());
        let from: Vec<PathBuf> = destinations
            .iter()
            .cloned()
            .chain(above.map(Path::to_owned))
            .collect();
        let mut add = |target: PathBuf| {
            let from = from.clone();
            brought.links.push(TransferredLink { from, target });
        };
        for source in &copied.sources {
            for base in &from {
                add(self.join(source, base).unwrap_or_default());
            }
        }
        let relative = |path| {
            let mut directories = operand_paths.directories.into_iter().flatten();
            directories.find_map(|from| Path::new(path).strip_prefix(from).ok())
        };
        for path in operand_paths.expanded.into_iter().flatten() {
            add(relative(path).unwrap_or(Path::new(path)).to_owned());
        }
    }

    /// Finds the links at a path and below it.
    fn find_links(
        &self,
        source: &Path,
        goes_down: bool,
        destinations: &[PathBuf],
        left: &mut usize,
        brought: &mut TransferredFiles,
    ) {
        let mut add = |path: &Path| {
            brought.has_link = true;
            let Ok(target) = path.read_link() else { return };
            let below = path.strip_prefix(source).unwrap_or(Path::new(""));
            let inside = destinations
                .iter()
                .filter_map(|to| Some(to.join(source.file_name()?)));
            let places = destinations.iter().cloned().chain(inside);
            let new = places.filter_map(|place| Some(joined(&place, below).parent()?.to_owned()));
            let from = path.parent().map(Path::to_owned).into_iter().chain(new).collect();
            if brought.links.len() < MAX_BEHIND {
                brought.links.push(TransferredLink { from, target });
            }
        };
        if source.is_symlink() {
            add(source);
            return;
        }
        if !goes_down || !source.is_dir() {
            return;
        }
        let readable = self.services.gate.readable();
        let walk = Walk::whole(source, IgnoreFiles::Unread, &readable);
        let mut is_too_much = false;
        walk.each(&|_| true, |entry| {
            let rest = left.checked_sub(1).filter(|_| self.spend(1));
            let Some(rest) = rest else {
                is_too_much = true;
                return Flow::Stop;
            };
            *left = rest;
            match entry {
                Ok(entry) if entry.is_link() => add(entry.path()),
                Ok(_) => {}
                // What cannot be looked into can be moved all the same.
                Err(_) => is_too_much = true,
            }
            Flow::Continue
        });
        brought.has_link |= is_too_much;
    }

    /// Returns the targets of the links, from the old and the new place, so that deny rules count there too. Gathers
    /// those that may not be written. Gathers what may not be written there.
    fn behind(
        &self,
        brought: &TransferredFiles,
        others: OtherPathUses,
        analysis: &Analysis,
        gathered: &mut GatheredAsks,
    ) -> Vec<PathBuf> {
        let mut places: Vec<PathBuf> = Vec::new();
        for link in &brought.links {
            for from in &link.from {
                let target = from.join(&link.target);
                for place in [without_dots(&target), target] {
                    if places.len() < MAX_BEHIND && !places.contains(&place) {
                        places.push(place);
                    }
                }
            }
        }
        let names = self.written_names.get_or_init(|| written_names(analysis));
        let mut left = MAX_BEHIND;
        for place in &places {
            gathered
                .outside
                .extend(self.outside_path(&place.to_string_lossy(), self.workdir));
            if !others.write {
                continue;
            }
            let below = names.iter().map(|name| place.join(name));
            for path in std::iter::once(place.clone()).chain(below).take(left) {
                left -= 1;
                gathered.edit.extend(self.changed_path(&path.to_string_lossy()));
            }
        }
        places
    }
}

/// Returns true if nobody can tell which files a command brings somewhere.
fn is_unclear(command: &Simple, operand_paths: OperandPaths<'_>) -> bool {
    let (Some(directories), Some(expanded)) = (operand_paths.directories, operand_paths.expanded) else {
        return true;
    };
    let is_filled_in = command.words.iter().any(|word| word.text.contains("{}"));
    command.more_operands
        || is_filled_in
        || command.words.iter().any(Word::is_dynamic)
        || may_be_options(command, expanded, directories)
}

/// Returns true if a command copies directories and keeps the files that are in the way.
fn keeps_what_is_below(command: &Simple) -> bool {
    let written = written(command);
    base_name(command.program()) == "cp"
        && written.backup.is_some()
        && written.copied.iter().any(|copied| copied.is_recursive)
}

fn joined(path: &Path, below: &Path) -> PathBuf {
    if below.as_os_str().is_empty() {
        path.to_owned()
    } else {
        path.join(below)
    }
}

/// The last names of what a call writes.
fn written_names(analysis: &Analysis) -> Vec<String> {
    let mut operands: Vec<PathOperand> = Vec::new();
    for command in &analysis.commands {
        let written = written(command);
        operands.extend(written.targets);
        for copied in written.copied {
            operands.push(copied.destination);
            operands.extend(copied.sources);
        }
    }
    let redirected = analysis.redirected.iter().filter(|redirected| redirected.writes);
    operands.extend(redirected.map(|redirected| operand_of(&redirected.target)));
    let mut names: Vec<String> = Vec::new();
    for operand in operands {
        let name = Path::new(&operand.text)
            .file_name()
            .map(|name| name.to_string_lossy().into_owned());
        names.extend(name.filter(|name| !names.contains(name)));
    }
    names
}
