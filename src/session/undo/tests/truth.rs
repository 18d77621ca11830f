//! What really happened to the files of a sequence, and what an undo may have made of them.

use std::collections::{BTreeMap, BTreeSet};

/// Files by path; one that is not there has no entry.
pub(super) type Files = BTreeMap<String, String>;

/// Contents of files before and after an undo, by path.
type Effects = BTreeMap<String, (Option<String>, Option<String>)>;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Author {
    Tool,
    Command,
    Outside,
}

/// One change of one file.
#[derive(Debug, Clone)]
struct Change {
    path: String,
    author: Author,
    before: Option<String>,
    after: Option<String>,
    /// The file from which a tool moved it here.
    moved_from: Option<String>,
    /// First part of the message that it belongs to.
    seq: u64,
    /// Number of the undo that took it back.
    undone: Option<usize>,
}

/// A refused file: the part from which on the undo went back, and the content that has to stay.
#[derive(Debug, Clone)]
struct RefusedFile {
    seq: u64,
    content: Option<String>,
}

#[derive(Debug, Clone, Default)]
pub(super) struct Truth {
    pub(super) files: Files,
    changes: Vec<Change>,
    refused: BTreeMap<String, RefusedFile>,
    /// First parts of the messages that a command ran for.
    commands: BTreeSet<u64>,
    /// What the undos that can be taken back made of files.
    undos: Vec<Effects>,
}

impl Truth {
    /// Notes that a file is another now, if it is.
    pub(super) fn change(
        &mut self,
        (author, seq): (Author, u64),
        path: &str,
        after: Option<String>,
        moved_from: Option<&str>,
    ) {
        let before = self.files.get(path).cloned();
        if before == after {
            return;
        }
        match &after {
            Some(text) => self.files.insert(path.to_owned(), text.clone()),
            None => self.files.remove(path),
        };
        self.refused.clear();
        self.changes.push(Change {
            path: path.to_owned(),
            author,
            before,
            after,
            moved_from: moved_from.map(str::to_owned),
            seq,
            undone: None,
        });
    }

    /// A command runs. A bounded look at the project may take what somebody else did before it for its work.
    pub(super) fn note_command(&mut self, seq: u64) {
        self.commands.insert(seq);
    }

    /// A message is sent: there is no way back to what was undone.
    pub(super) fn forget_undone(&mut self) {
        self.undos.clear();
        self.changes.retain(|change| change.undone.is_none());
    }

    /// Returns the changes of a file since a part that are lathe's and not undone.
    fn own(&self, path: &str, seq: u64) -> Vec<&Change> {
        let changes = self.changes.iter();
        changes
            .filter(|change| change.path == path && change.author != Author::Outside)
            .filter(|change| change.undone.is_none() && change.seq >= seq)
            .collect()
    }

    /// Returns the objections to an undo since part `seq`, which listed `refused` and left the files as they are `now`.
    /// Without objections it is taken in.
    pub(super) fn undo(&mut self, seq: u64, refused: &BTreeSet<String>, now: &Files) -> Vec<String> {
        let mut objections = Vec::new();
        let paths: BTreeSet<String> = self.files.keys().chain(now.keys()).cloned().collect();
        let paths = paths
            .into_iter()
            .chain(self.changes.iter().map(|change| change.path.clone()));
        let mut effects = BTreeMap::new();
        for path in paths.collect::<BTreeSet<String>>() {
            let (before, after) = (self.files.get(&path), now.get(&path));
            let may = self.judge((seq, refused), &path, before, after);
            objections.extend(may.err().map(|why| format!("{path}: {why}")));
            if before != after {
                effects.insert(path.clone(), (before.cloned(), after.cloned()));
            }
        }
        // What a command made stays noted, also where it is gone again.
        let changed = self.changes.iter().map(|change| change.path.clone());
        let stays: BTreeSet<String> = changed
            .filter(|path| refused.contains(path) || is_made(&self.own(path, seq)))
            .collect();
        let number = self.undos.len();
        for change in &mut self.changes {
            let is_taken_back = change.undone.is_none() && change.seq >= seq && !stays.contains(&change.path);
            if is_taken_back && change.author != Author::Outside {
                change.undone = Some(number);
            }
        }
        if !effects.is_empty() {
            // What an earlier undo refused may have become possible.
            self.refused.clear();
        }
        self.note_refused(seq, refused);
        self.files.clone_from(now);
        self.undos.push(effects);
        objections
    }

    /// Takes in an undo of the conversation alone.
    pub(super) fn undo_nothing(&mut self) {
        self.undos.push(BTreeMap::new());
    }

    /// Notes that an undo named files as refused, done or not.
    pub(super) fn note_refused(&mut self, seq: u64, refused: &BTreeSet<String>) {
        for path in refused {
            let content = self.files.get(path).cloned();
            self.refused.insert(path.clone(), RefusedFile { seq, content });
        }
    }

    fn judge(
        &self,
        (seq, refused): (u64, &BTreeSet<String>),
        path: &str,
        before: Option<&String>,
        after: Option<&String>,
    ) -> Result<(), String> {
        let is_refused = refused.contains(path);
        let no_command = self.commands.range(seq..).next().is_none();
        let own = self.own(path, seq);
        let Some(first) = own.first() else {
            let is_named = is_refused && no_command;
            return holds(before == after && !is_named, "lathe did nothing to it");
        };
        let is_whole = own.windows(2).all(|pair| pair[0].after == pair[1].before)
            && own.last().is_some_and(|last| last.after.as_ref() == before);
        let was_moved = own.iter().any(|change| change.moved_from.is_some());
        if is_refused {
            holds(before == after, "it was refused, and changed")?;
            let is_sure = is_whole && no_command && !was_moved;
            return holds(!is_sure, "only tools changed it, and it was refused");
        }
        holds(
            after == first.before.as_ref(),
            &format!(
                "it has to be what it was before the first change: {:?}",
                first.before
            ),
        )?;
        if before == after {
            return Ok(());
        }
        holds(is_whole, "what somebody else wrote is gone")?;
        holds(!is_made(&own), "a command made it, and it was not refused")?;
        holds(
            !self.came_from_lost((seq, refused), path, &mut BTreeSet::new()),
            "it has the content of a file that stays as it is",
        )?;
        let earlier = self.refused.get(path);
        let stays = earlier.is_some_and(|refused| refused.seq >= seq && refused.content.as_ref() == before);
        holds(!stays, "an earlier undo refused it, and this one wrote it")
    }

    /// Returns true if tools moved a file here whose earlier content lathe does not have, also by way of other files.
    fn came_from_lost<'a>(
        &'a self,
        (seq, refused): (u64, &BTreeSet<String>),
        path: &'a str,
        seen: &mut BTreeSet<&'a str>,
    ) -> bool {
        let own = self.own(path, seq);
        let mut sources = own.iter().filter_map(|change| change.moved_from.as_deref());
        sources.any(|from| {
            seen.insert(from)
                && (refused.contains(from)
                    || is_made(&self.own(from, seq))
                    || self.came_from_lost((seq, refused), from, seen))
        })
    }

    /// Returns the objections to a redo that left the files as they are `now`. Without objections it is taken in.
    pub(super) fn redo(&mut self, now: &Files) -> Vec<String> {
        let effects = self.undos.pop().unwrap_or_default();
        self.refused.clear();
        let mut objections = Vec::new();
        for (path, (original, undone)) in &effects {
            let (before, after) = (self.files.get(path), now.get(path));
            let is_as_undone = before == undone.as_ref();
            let expected = if is_as_undone { original.as_ref() } else { before };
            if after != expected {
                objections.push(format!("{path}: is {after:?} and has to be {expected:?}"));
            }
        }
        let is_other =
            |path: &&String| !effects.contains_key(*path) && self.files.get(*path) != now.get(*path);
        let others = self.files.keys().chain(now.keys()).filter(is_other);
        objections.extend(others.map(|path| format!("{path}: the undo did not touch it")));
        let number = self.undos.len();
        for change in &mut self.changes {
            if change.undone == Some(number) {
                change.undone = None;
            }
        }
        self.files.clone_from(now);
        objections
    }

    /// Returns true if there is an undo to take back.
    pub(super) fn has_undone(&self) -> bool {
        !self.undos.is_empty()
    }
}

fn is_made(own: &[&Change]) -> bool {
    let mut by_commands = own.iter().filter(|change| change.author == Author::Command);
    by_commands.any(|change| change.before.is_none())
}

fn holds(holds: bool, why: &str) -> Result<(), String> {
    if holds { Ok(()) } else { Err(why.to_owned()) }
}
