//! Undo and redo: what would change, file by file with its diff, and the choice what of it is done.
//!
//! Nothing is chosen at first, and nothing is done before `enter`. Files that something else has changed since stay as they
//! are and are named; the session decides again when it does the work.

mod draw;

#[cfg(test)]
mod tests;

use std::path::PathBuf;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::Page;
use super::file_diffs::FileDiffs;
use crate::conversation::MessageId;
use crate::journal::PlannedAction;
use crate::session::host::ForkPoint;
use crate::session::query::{Answer, ChangedFile, FileState, Query};
use crate::session::undo::{UndoDirection, UndoFile, UndoList, UndoRequest, UndoScope};
use crate::tui::commands::LayerCommand;
use crate::tui::keymap::{Action, Context, KeyRow, Keymap, LayerKeys};
use crate::tui::layer::{Layer, LayerCx, LayerKind, LayerReply, LayerRequest, LayerUpdate};
use crate::tui::statusbar::Hints;

pub(super) static UNDO: Page = Page {
    action: "undo",
    leader: &["u"],
    description: "undo changes and messages",
    brief: "undo",
    command: LayerCommand {
        name: "undo",
        also: &[],
        about: "Goes back to before your last message: files, conversation or both. Shows the changes first.",
        after: "diff",
    },
    keys: &[&KEYS],
    open: |_title| Box::new(UndoPage::undo(None)),
};

pub(super) static REDO: Page = Page {
    action: "redo",
    leader: &["U"],
    description: "redo the last undo",
    brief: "redo",
    command: LayerCommand {
        name: "redo",
        also: &[],
        about: "Redoes the last undo, if no message was sent since. Shows the changes first.",
        after: "undo",
    },
    keys: &[&REDO_KEYS],
    open: |_title| Box::new(UndoPage::redo()),
};

static KEYS: LayerKeys = LayerKeys {
    name: "undo",
    title: "Undo",
    takes_text: false,
    rows: &[
        KeyRow::new(&["1"], BOTH, "undo files and conversation"),
        KeyRow::new(&["2"], FILES, "undo only the files"),
        KeyRow::new(&["3"], CONVERSATION, "undo only the conversation"),
        KeyRow::new(&["tab", "right"], NEXT_SCOPE, "next choice"),
        KeyRow::new(&["left"], PREVIOUS_SCOPE, "previous choice"),
        KeyRow::new(&["enter"], CONFIRM, "confirm the choice"),
        KeyRow::new(&["f"], FORK, "fork there instead; nothing changes here"),
        KeyRow::new(&["down", "j"], Action::RowDown, "down"),
        KeyRow::new(&["up", "k"], Action::RowUp, "up"),
        KeyRow::new(&["g", "home"], Action::PageTop, "beginning"),
        KeyRow::new(&["G", "end"], Action::PageEnd, "end"),
        KeyRow::new(&["]"], Action::NextHunk, "next hunk"),
        KeyRow::new(&["["], Action::PreviousHunk, "previous hunk"),
        KeyRow::new(&["}"], NEXT_FILE, "next file"),
        KeyRow::new(&["{"], PREVIOUS_FILE, "previous file"),
        KeyRow::new(&["?"], Action::OpenPage(&super::KEYS), "keys"),
        KeyRow::new(&["q"], Action::ClosePage, "close, nothing changes"),
    ],
};

static REDO_KEYS: LayerKeys = LayerKeys {
    name: "redo",
    title: "Redo",
    takes_text: false,
    rows: &[
        KeyRow::new(&["enter"], CONFIRM, "redo the last undo"),
        KeyRow::new(&["down", "j"], Action::RowDown, "down"),
        KeyRow::new(&["up", "k"], Action::RowUp, "up"),
        KeyRow::new(&["g", "home"], Action::PageTop, "beginning"),
        KeyRow::new(&["G", "end"], Action::PageEnd, "end"),
        KeyRow::new(&["]"], Action::NextHunk, "next hunk"),
        KeyRow::new(&["["], Action::PreviousHunk, "previous hunk"),
        KeyRow::new(&["}"], NEXT_FILE, "next file"),
        KeyRow::new(&["{"], PREVIOUS_FILE, "previous file"),
        KeyRow::new(&["?"], Action::OpenPage(&super::KEYS), "keys"),
        KeyRow::new(&["q"], Action::ClosePage, "close, nothing changes"),
    ],
};

const BOTH: Action = Action::OfLayer("both");
const FILES: Action = Action::OfLayer("files");
const CONVERSATION: Action = Action::OfLayer("conversation");
const NEXT_SCOPE: Action = Action::OfLayer("next-scope");
const PREVIOUS_SCOPE: Action = Action::OfLayer("previous-scope");
const CONFIRM: Action = Action::OfLayer("confirm");
const FORK: Action = Action::OfLayer("fork");
const NEXT_FILE: Action = Action::OfLayer("next-file");
const PREVIOUS_FILE: Action = Action::OfLayer("previous-file");

const SCOPES: [UndoScope; 3] = [UndoScope::Both, UndoScope::Files, UndoScope::Conversation];

pub(crate) struct UndoPage {
    direction: UndoDirection,
    /// The message to go back to before; `None` is the last one.
    to: Option<MessageId>,
    /// What would happen, or why nothing can; `None` while it is being found out.
    found: Option<Result<UndoList, String>>,
    scope: Option<UndoScope>,
    list: FileDiffs,
    is_working: bool,
    /// What came of the last key, or of the work.
    notice: Option<String>,
}

impl UndoPage {
    pub(crate) fn undo(to: Option<MessageId>) -> Self {
        Self::new(UndoDirection::Undo, to)
    }

    fn redo() -> Self {
        Self::new(UndoDirection::Redo, None)
    }

    fn new(direction: UndoDirection, to: Option<MessageId>) -> Self {
        Self {
            direction,
            to,
            found: None,
            scope: None,
            list: FileDiffs::default(),
            is_working: false,
            notice: None,
        }
    }

    fn page(&self) -> &'static Page {
        match self.direction {
            UndoDirection::Undo => &UNDO,
            UndoDirection::Redo => &REDO,
        }
    }

    fn keys(&self) -> &'static LayerKeys {
        match self.direction {
            UndoDirection::Undo => &KEYS,
            UndoDirection::Redo => &REDO_KEYS,
        }
    }

    fn query(&self) -> Query {
        match self.direction {
            UndoDirection::Undo => Query::UndoList(self.to.clone()),
            UndoDirection::Redo => Query::RedoList,
        }
    }

    fn found(&self) -> Option<&UndoList> {
        self.found.as_ref()?.as_ref().ok()
    }

    fn set(&mut self, found: Result<UndoList, String>) {
        match &found {
            Ok(list) => {
                let files = list.files.iter().map(|file| shown(file, list.direction));
                self.list.set(files.collect(), None);
            }
            Err(_) => self.list.clear(),
        }
        self.found = Some(found);
    }

    fn choose(&mut self, scope: UndoScope) {
        self.scope = Some(scope);
    }

    fn step_scope(&mut self, is_next: bool) {
        let count = SCOPES.len();
        let place = self
            .scope
            .and_then(|chosen| SCOPES.iter().position(|scope| *scope == chosen));
        self.scope = Some(match (place, is_next) {
            (None, true) => SCOPES[0],
            (None, false) => SCOPES[count - 1],
            (Some(place), true) => SCOPES[(place + 1) % count],
            (Some(place), false) => SCOPES[(place + count - 1) % count],
        });
    }

    fn confirm(&mut self) -> LayerReply {
        if self.is_working {
            return LayerReply::Done;
        }
        let Some(list) = self.found() else {
            return LayerReply::Done;
        };
        // What is named on the page stays as it is.
        let skips_changed = list.in_the_way().next().is_some();
        let query = match (self.direction, self.scope) {
            (UndoDirection::Redo, _) => Query::Redo { skips_changed },
            (UndoDirection::Undo, None) => {
                self.notice = Some("First choose what to undo: 1, 2 or 3.".to_owned());
                return LayerReply::Done;
            }
            (UndoDirection::Undo, Some(scope)) => Query::Undo(UndoRequest {
                to: list.to.clone(),
                scope,
                skips_changed,
            }),
        };
        self.is_working = true;
        LayerReply::Request(LayerRequest::Ask(query))
    }

    fn fork(&self) -> LayerReply {
        let to = self.found().and_then(|list| list.to.clone());
        match to {
            Some(to) => LayerReply::Close(Some(LayerRequest::Fork(ForkPoint::Before(to)))),
            None => LayerReply::Done,
        }
    }

    fn done(&mut self, answer: &Answer) -> LayerReply {
        self.is_working = false;
        match answer {
            Answer::Undone(outcome) => LayerReply::Close(Some(LayerRequest::Say(match self.direction {
                UndoDirection::Undo if outcome.files == 0 && self.scope.is_some_and(UndoScope::has_files) => {
                    "undone, with 0 files restored; /redo restores it until you send a message"
                }
                UndoDirection::Undo => "undone; /redo restores it until you send a message",
                UndoDirection::Redo => "redone",
            }))),
            Answer::Failed(sentence) => {
                self.notice = Some(sentence.clone());
                // It may be others by now.
                LayerReply::Request(LayerRequest::Ask(self.query()))
            }
            _ => LayerReply::Done,
        }
    }
}

/// A file of the list as one of changed files.
fn shown(file: &UndoFile, direction: UndoDirection) -> ChangedFile {
    let note = match (&file.refused, &file.note) {
        (Some(refused), _) => Some(format!("stays as it is: it {refused}")),
        (None, Some(note)) => Some(note.clone()),
        (None, None) if file.action == PlannedAction::Mode => Some("gets its earlier permissions".to_owned()),
        (None, None) if file.diff.is_empty() && direction == UndoDirection::Undo => {
            Some("its content is not shown: it is empty, not text, or too large".to_owned())
        }
        (None, None) => None,
    };
    ChangedFile {
        path: file.path.clone(),
        real: PathBuf::from(&file.path),
        state: match file.action {
            _ if file.refused.is_some() => FileState::Changed,
            PlannedAction::Restore | PlannedAction::Mode => FileState::Changed,
            PlannedAction::Delete => FileState::Removed,
            PlannedAction::Create => FileState::Added,
        },
        additions: file.additions,
        deletions: file.deletions,
        diff: file.diff.clone(),
        note,
        reverts: false,
    }
}

impl Layer for UndoPage {
    fn kind(&self) -> Option<LayerKind> {
        Some(LayerKind::Page(self.page()))
    }

    fn context(&self) -> Context {
        Context::Layer(self.keys())
    }

    fn request(&self) -> Option<LayerRequest> {
        Some(LayerRequest::Ask(self.query()))
    }

    fn act(&mut self, action: Action) -> LayerReply {
        self.notice = None;
        if self.list.act(action) {
            return LayerReply::Done;
        }
        match action {
            BOTH => self.choose(UndoScope::Both),
            FILES => self.choose(UndoScope::Files),
            CONVERSATION => self.choose(UndoScope::Conversation),
            NEXT_SCOPE => self.step_scope(true),
            PREVIOUS_SCOPE => self.step_scope(false),
            NEXT_FILE => self.list.step_file(true),
            PREVIOUS_FILE => self.list.step_file(false),
            CONFIRM => return self.confirm(),
            FORK => return self.fork(),
            Action::ClosePage => return LayerReply::Close(None),
            _ => return LayerReply::Ignored,
        }
        LayerReply::Done
    }

    fn update(&mut self, news: &LayerUpdate<'_>) -> LayerReply {
        match news {
            LayerUpdate::Answer(query, answer) if **query == self.query() => match answer {
                Answer::UndoList(list) => self.set(Ok((**list).clone())),
                Answer::Failed(sentence) => self.set(Err(sentence.clone())),
                _ => {}
            },
            LayerUpdate::Answer(Query::Undo(_) | Query::Redo { .. }, answer) if self.is_working => {
                return self.done(answer);
            }
            _ => return LayerReply::Ignored,
        }
        LayerReply::Done
    }

    fn scroll(&mut self, rows: isize) -> LayerReply {
        self.list.move_by(rows);
        LayerReply::Done
    }

    fn hints(&self, hints: &mut Hints<'_>, keymap: &Keymap) {
        let key = |action| keymap.label(Context::Layer(self.keys()), action);
        hints.key(
            keymap.label(Context::Global, Action::Escape),
            "closes, nothing changes",
        );
        if self.found().is_none() {
            return;
        }
        if self.direction == UndoDirection::Undo {
            hints.key(key(FORK), "fork instead");
        }
        if !self.list.files().is_empty() {
            hints.pair(key(NEXT_FILE), key(PREVIOUS_FILE), "files");
        }
    }

    fn draw(&mut self, area: Rect, buffer: &mut Buffer, cx: &LayerCx<'_>) -> Option<Position> {
        self.draw_all(area, buffer, cx);
        None
    }
}
