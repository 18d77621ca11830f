//! The files of a patch in memory: what they are, what each section makes of them, what changes in the end.
//!
//! Sections are carried out in order, so a later one sees what an earlier one did. A file is read from disk once, when
//! the first section names it; files are told apart by their real path. Only what differs at the end from what was read
//! becomes a change. Directories come with the files in them and never go.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{FileDetails, errors};
use crate::files::{ExpectedContent, FileError, FileProblem, Resolved, TextFile};
use crate::text::diff::unified_renamed;
use crate::text::encoding::Encoding;
use crate::text::patch::{Chunk, IndentationMismatch, Level, Operation, parse, place};
use crate::tool::ToolError;
use crate::tool::change::{Change, ChangeKind, FileChange, check_no_link, not_made};
use crate::tool::write_paths::Originals;

/// Resolved paths of a section.
pub(super) struct Target {
    pub(super) path: Resolved,
    pub(super) move_to: Option<Resolved>,
}

/// Where the files of a patch come from.
#[derive(Clone, Copy)]
pub(super) struct PatchSources<'a> {
    pub(super) originals: &'a Originals,
    /// The encoding of all files, if the call names it.
    pub(super) encoding: Option<Encoding>,
}

pub(super) struct PlannedPatch {
    pub(super) changes: Vec<FileChange>,
    pub(super) files: Vec<FileDetails>,
}

/// Carries a patch out in memory. `targets` has one for each section. Blocks: it reads the files.
pub(super) fn plan(
    sources: PatchSources<'_>,
    patch: &str,
    targets: Vec<Target>,
) -> Result<PlannedPatch, ToolError> {
    // The sections borrow from the text, so they cannot come from where the paths were resolved.
    let sections = parse(patch).map_err(|error| errors::parse(&error))?;
    let mut tree = PatchedTree {
        sources,
        nodes: BTreeMap::new(),
        entries: Vec::new(),
    };
    for (section, target) in sections.iter().zip(targets) {
        tree.carry_out(&section.operation, target)?;
    }
    Ok(PlannedPatch {
        files: tree.entries.iter().map(TreeEntry::details).collect(),
        changes: tree.into_changes(),
    })
}

struct PatchedTree<'a> {
    sources: PatchSources<'a>,
    /// By real path, so that what lies below a path stands behind it.
    nodes: BTreeMap<PathBuf, Node>,
    entries: Vec<TreeEntry>,
}

/// A file that the patch names.
struct Node {
    path: Resolved,
    original: Option<Arc<TextFile>>,
    now: Option<Arc<TextFile>>,
    /// The file on disk that this one is moved from.
    like: Option<PathBuf>,
    /// The entry that tells of it, while it is there.
    entry: Option<usize>,
}

/// The result's facts about one file.
struct TreeEntry {
    kind: ChangeKind,
    path: String,
    move_path: Option<String>,
    replaces: bool,
    level: Level,
    indentation: Option<IndentationMismatch>,
    before: Option<Arc<TextFile>>,
    after: Option<Arc<TextFile>>,
}

impl PatchedTree<'_> {
    fn carry_out(&mut self, operation: &Operation<'_>, target: Target) -> Result<(), ToolError> {
        let Target { path, move_to } = target;
        match operation {
            Operation::Add { lines } => self.add(&path, lines),
            Operation::Delete => self.delete(&path),
            Operation::Update { chunks, .. } => match move_to.filter(|target| target.real != path.real) {
                Some(target) => self.move_to(&path, &target, chunks),
                None => self.update(&path, chunks),
            },
        }
    }

    fn add(&mut self, path: &Resolved, lines: &[&str]) -> Result<(), ToolError> {
        let before = self.free_place(path)?;
        let mut content = lines.join("\n");
        if !lines.is_empty() {
            content.push('\n');
        }
        let after = match &before {
            Some(file) => file.rewritten_in(&content, self.sources.encoding.unwrap_or(file.encoding())),
            None => TextFile::new_file_in(&content, self.sources.encoding.unwrap_or(Encoding::Utf8)),
        };
        let after = Arc::new(after.map_err(|error| not_made(error, &path.display))?);
        let entry = TreeEntry {
            kind: ChangeKind::Add,
            replaces: before.is_some(),
            before,
            after: Some(Arc::clone(&after)),
            ..TreeEntry::of(path)
        };
        self.put(path, after, entry)
    }

    fn delete(&mut self, path: &Resolved) -> Result<(), ToolError> {
        let before = self.there(path)?;
        check_no_link(path)?;
        self.check_known(path)?;
        self.node(path)?.take_away();
        self.entries.push(TreeEntry {
            kind: ChangeKind::Delete,
            before: Some(before),
            ..TreeEntry::of(path)
        });
        Ok(())
    }

    fn update(&mut self, path: &Resolved, chunks: &[Chunk<'_>]) -> Result<(), ToolError> {
        let before = self.there(path)?;
        let Edited {
            file: after,
            level,
            indentation,
        } = edited(&before, path, chunks)?;
        let node = self.node(path)?;
        node.now = Some(Arc::clone(&after));
        if let Some(entry) = node.entry {
            // Told of already: one file, one diff.
            let entry = &mut self.entries[entry];
            entry.after = Some(after);
            entry.level = entry.level.max(level);
            entry.indentation = entry.indentation.take().or(indentation);
            return Ok(());
        }
        let entry = TreeEntry {
            kind: ChangeKind::Update,
            level,
            indentation,
            before: Some(before),
            after: Some(Arc::clone(&after)),
            ..TreeEntry::of(path)
        };
        self.put(path, after, entry)
    }

    fn move_to(&mut self, path: &Resolved, target: &Resolved, chunks: &[Chunk<'_>]) -> Result<(), ToolError> {
        let before = self.there(path)?;
        check_no_link(path)?;
        let Edited {
            file: after,
            level,
            indentation,
        } = edited(&before, path, chunks)?;
        let replaced = self.free_place(target)?;
        let entry = TreeEntry {
            kind: ChangeKind::Move,
            move_path: Some(target.display.clone()),
            replaces: replaced.is_some(),
            level,
            indentation,
            before: Some(before),
            after: Some(Arc::clone(&after)),
            ..TreeEntry::of(path)
        };
        let like = self.node(path)?.take_away();
        self.put(target, after, entry)?;
        self.node(target)?.like = like;
        Ok(())
    }

    /// Returns what the patch has of a path; the first time that is what the disk has.
    fn node(&mut self, path: &Resolved) -> Result<&mut Node, ToolError> {
        if !self.nodes.contains_key(&path.real) {
            let original = self
                .sources
                .originals
                .open(path, self.sources.encoding)?
                .map(Arc::new);
            let node = Node {
                path: path.clone(),
                now: original.clone(),
                original,
                like: None,
                entry: None,
            };
            self.nodes.insert(path.real.clone(), node);
        }
        Ok(self.nodes.get_mut(&path.real).expect("it was put there just now"))
    }

    /// Returns a file that has to be there.
    fn there(&mut self, path: &Resolved) -> Result<Arc<TextFile>, ToolError> {
        if let Some(file) = &self.node(path)?.now {
            return Ok(Arc::clone(file));
        }
        self.check_place(path)?;
        let error = FileError::new(&path.display, FileProblem::NotFound);
        Err(ToolError::from(error).hint("Nothing was written. Use `*** Add File:` to create it."))
    }

    /// Returns what a file that is put there will replace, if the session knows it.
    fn free_place(&mut self, path: &Resolved) -> Result<Option<Arc<TextFile>>, ToolError> {
        let now = self.node(path)?.now.clone();
        if now.is_some() {
            self.check_known(path)?;
        } else {
            self.check_place(path)?;
        }
        Ok(now)
    }

    /// Refuses to lose what this session has not read. What the patch itself has put there it knows.
    fn check_known(&mut self, path: &Resolved) -> Result<(), ToolError> {
        let original = self.node(path)?.original.clone();
        match original {
            Some(file) => self.sources.originals.check_read(path, file.hash()),
            None => Ok(()),
        }
    }

    /// Refuses a place below a file, and one that is a directory by what the patch puts below it.
    fn check_place(&self, path: &Resolved) -> Result<(), ToolError> {
        let failed = |problem| Err(FileError::new(&path.display, problem).into());
        let mut above = path.real.ancestors().skip(1);
        let is_file_here = |above: &Path| self.nodes.get(above).is_some_and(|node| node.now.is_some());
        if above.clone().any(is_file_here) {
            return failed(FileProblem::NotDirectory);
        }
        let deepest = above.find_map(|above| fs::metadata(above).ok());
        if deepest.is_some_and(|metadata| !metadata.is_dir()) {
            return failed(FileProblem::NotDirectory);
        }
        let mut below = self
            .nodes
            .range(path.real.clone()..)
            .take_while(|(other, _)| other.starts_with(&path.real));
        if below.any(|(other, node)| *other != path.real && node.now.is_some()) {
            return failed(FileProblem::IsDirectory);
        }
        Ok(())
    }

    fn put(&mut self, path: &Resolved, file: Arc<TextFile>, entry: TreeEntry) -> Result<(), ToolError> {
        let place = self.entries.len();
        let node = self.node(path)?;
        node.now = Some(file);
        node.entry = Some(place);
        self.entries.push(entry);
        Ok(())
    }

    fn into_changes(self) -> Vec<FileChange> {
        self.nodes.into_values().filter_map(Node::into_change).collect()
    }
}

impl Node {
    /// Takes the file out of its place and names the one on disk that it is.
    fn take_away(&mut self) -> Option<PathBuf> {
        self.now = None;
        self.entry = None;
        let own = || self.original.as_ref().map(|_| self.path.real.clone());
        self.like.take().or_else(own)
    }

    fn into_change(self) -> Option<FileChange> {
        let expected = ExpectedContent::of(self.original.as_deref());
        let Some(now) = self.now else {
            return self.original.map(|_| FileChange::Remove {
                path: self.path,
                expected,
            });
        };
        if self
            .original
            .is_some_and(|original| original.bytes() == now.bytes())
        {
            return None;
        }
        let change = Change {
            path: self.path,
            bytes: now.bytes().to_vec(),
            encoding: now.encoding(),
            expected,
        };
        Some(match self.like {
            Some(like) => FileChange::WriteLike { change, like },
            None => FileChange::Write(change),
        })
    }
}

impl TreeEntry {
    fn of(path: &Resolved) -> Self {
        Self {
            kind: ChangeKind::Update,
            path: path.display.clone(),
            move_path: None,
            replaces: false,
            level: Level::Exact,
            indentation: None,
            before: None,
            after: None,
        }
    }

    fn details(&self) -> FileDetails {
        let new_path = self.move_path.as_ref().unwrap_or(&self.path);
        let text = |file: &Option<Arc<TextFile>>| file.as_ref().map_or("", |file| file.text()).to_owned();
        let diff = unified_renamed(
            self.before.as_ref().map(|_| self.path.as_str()),
            self.after.as_ref().map(|_| new_path.as_str()),
            &text(&self.before),
            &text(&self.after),
        );
        FileDetails {
            path: self.path.clone(),
            kind: self.kind,
            move_path: self.move_path.clone(),
            replaces: self.replaces,
            level: self.level.as_str().to_owned(),
            indentation: self.indentation.as_ref().map(ToString::to_string),
            additions: diff.additions,
            deletions: diff.deletions,
            diff: diff.text,
            is_unplaced: false,
        }
    }
}

/// A file after its chunks.
struct Edited {
    file: Arc<TextFile>,
    /// The loosest way in which one of the chunks was found.
    level: Level,
    indentation: Option<IndentationMismatch>,
}

fn edited(file: &TextFile, path: &Resolved, chunks: &[Chunk<'_>]) -> Result<Edited, ToolError> {
    let placed = place(file.text(), chunks).map_err(|error| errors::place(&error, &path.display))?;
    let bytes = file
        .splice(&placed.splices)
        .map_err(|error| not_made(error, &path.display))?;
    Ok(Edited {
        file: Arc::new(file.with_bytes(bytes)),
        level: placed.level,
        indentation: placed.indentation,
    })
}
