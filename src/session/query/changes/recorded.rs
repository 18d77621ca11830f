//! Changes that edits of the session made to files, from the diffs that were stored with them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::{ChangeScope, ChangedFile, Changes, ChangesQuery, FileState};
use crate::conversation::{Message, MessageState, Role, ToolPart};
use crate::files::{FileProblem, TextFile};
use crate::text::diff::{FileDiff, parse_unified, split_files, unapply_loosely, unified_renamed};

pub(super) fn changes(asked: &ChangesQuery) -> Changes {
    let diffs = diffs(asked);
    let edits: Vec<FileDiff<'_>> = diffs.iter().flat_map(|diff| split_files(diff)).collect();
    let root = asked.services.roots.project_root();
    let mut walk = ReverseEdits {
        root,
        files: Vec::new(),
    };
    for edit in edits.iter().rev() {
        walk.take_back(edit);
    }
    let files: BTreeMap<String, ChangedFile> = walk
        .files
        .into_iter()
        .filter_map(|file| file.changed(root))
        .map(|file| (file.path.clone(), file))
        .collect();
    Changes {
        scope: asked.scope,
        files: files.into_values().collect(),
        note: has_commands(asked)
            .then(|| "Changes by commands are not recorded; see the work tree.".to_owned()),
    }
}

/// Messages of the scope that count.
fn messages(asked: &ChangesQuery) -> impl Iterator<Item = &Message> {
    let begin = match (asked.scope, asked.turn) {
        (ChangeScope::Turn, Some(turn)) => asked.messages.iter().position(|message| message.created >= turn),
        (ChangeScope::Turn, None) => asked
            .messages
            .iter()
            .rposition(|message| message.role == Role::User),
        _ => Some(0),
    };
    let scope = &asked.messages[begin.unwrap_or(asked.messages.len())..];
    scope
        .iter()
        .map(|message| &**message)
        .filter(|message| message.state != MessageState::Void)
}

fn calls(asked: &ChangesQuery) -> impl Iterator<Item = &ToolPart> {
    let outer = messages(asked).flat_map(Message::calls);
    outer.flat_map(|call| std::iter::once(call).chain(&call.inner))
}

fn diffs(asked: &ChangesQuery) -> Vec<String> {
    let results = calls(asked).filter_map(ToolPart::result);
    let diffs = results
        .filter(|result| result.ok)
        .filter_map(|result| Some(result.details.value()["diff"].as_str()?.to_owned()));
    diffs.collect()
}

/// Returns true if something ran that may have changed files without saying so.
fn has_commands(asked: &ChangesQuery) -> bool {
    calls(asked).any(|call| {
        let result = call.result();
        result.is_some_and(|result| result.details.value().get("exit").is_some())
    })
}

/// The way back through the edits.
struct ReverseEdits<'a> {
    root: &'a Path,
    files: Vec<ReversedFile>,
}

/// One file as far as the way back has come.
struct ReversedFile {
    /// Its name then.
    name: String,
    /// Its name now.
    now_name: String,
    /// Its text then; `None` where it was not there.
    then: Option<String>,
    now: Option<String>,
    /// The diffs, the newest first.
    edits: Vec<String>,
    /// Why the way back ended.
    lost: Option<&'static str>,
}

impl ReverseEdits<'_> {
    fn take_back(&mut self, edit: &FileDiff<'_>) {
        let Some(after) = edit.new.or(edit.old) else {
            return;
        };
        let place = self.files.iter().position(|file| file.name == after);
        let place = place.unwrap_or_else(|| {
            self.files.push(ReversedFile::begin(after, self.root));
            self.files.len() - 1
        });
        self.files[place].take_back(edit);
    }
}

impl ReversedFile {
    fn begin(name: &str, root: &Path) -> Self {
        let (now, lost) = match TextFile::open(&root.join(name)) {
            Ok(file) => (Some(file.text().to_owned()), None),
            Err(error) => match error.problem() {
                FileProblem::NotFound | FileProblem::NotDirectory => (None, None),
                _ => (
                    None,
                    Some("cannot be read now; these are the edits as they were made"),
                ),
            },
        };
        Self {
            name: name.to_owned(),
            now_name: name.to_owned(),
            then: now.clone(),
            now,
            edits: Vec::new(),
            lost,
        }
    }

    fn take_back(&mut self, edit: &FileDiff<'_>) {
        self.edits.push(edit.text.to_owned());
        if let Some(old) = edit.old {
            old.clone_into(&mut self.name);
        }
        if self.lost.is_some() {
            return;
        }
        let hunks = parse_unified(edit.text);
        let text = self.then.as_deref().unwrap_or_default();
        match (unapply_loosely(text, &hunks), edit.old) {
            (Some(_), None) => self.then = None,
            (Some(before), Some(_)) => self.then = Some(before),
            (None, _) => {
                self.lost =
                    Some("was changed by something else since; these are the edits as they were made");
            }
        }
    }

    fn changed(self, root: &Path) -> Option<ChangedFile> {
        let real: PathBuf = root.join(&self.now_name);
        let state = match (&self.then, &self.now) {
            (None, Some(_)) => FileState::Added,
            (Some(_), None) => FileState::Removed,
            _ if self.name != self.now_name => FileState::Moved(self.name.clone()),
            _ => FileState::Changed,
        };
        if let Some(note) = self.lost {
            let diff: String = self.edits.iter().rev().map(String::as_str).collect();
            let (additions, deletions) = count(&diff);
            return Some(ChangedFile {
                path: self.now_name,
                real,
                state: FileState::Changed,
                additions,
                deletions,
                diff,
                note: Some(note.to_owned()),
                reverts: false,
            });
        }
        let old_name = self.then.as_ref().map(|_| self.name.as_str());
        let new_name = self.now.as_ref().map(|_| self.now_name.as_str());
        let (then, now) = (self.then.as_deref(), self.now.as_deref());
        let diff = unified_renamed(
            old_name,
            new_name,
            then.unwrap_or_default(),
            now.unwrap_or_default(),
        );
        // Made and taken back again is no change.
        let is_same = diff.text.is_empty() && then.is_some() == now.is_some();
        if is_same && !matches!(state, FileState::Moved(_)) {
            return None;
        }
        Some(ChangedFile {
            reverts: true,
            path: self.now_name,
            real,
            state,
            additions: diff.additions,
            deletions: diff.deletions,
            diff: diff.text,
            note: None,
        })
    }
}

/// Lines added and removed.
pub(super) fn count(diff: &str) -> (usize, usize) {
    let hunks = parse_unified(diff);
    let lines = || hunks.iter().flat_map(|hunk| &hunk.lines);
    (
        lines().filter(|line| line.old_line.is_none()).count(),
        lines().filter(|line| line.new_line.is_none()).count(),
    )
}
