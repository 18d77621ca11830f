//! Changes in the session, in its last turn or in the work tree: the files, then their hunks, one below the other.
//!
//! A row is pointed at. From there a file is opened at its line, a comment is put on the line, a hunk is taken back.
//! Comments are kept until the page is left; then they stand in the draft, and nothing is sent.

mod draw;

#[cfg(test)]
mod tests;

use std::fmt::Write as _;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::Page;
use super::file_diffs::{DiffRow, FileDiffs, hunk_text};
use crate::session::query::{Answer, ChangeScope, Changes, FileState, Query, Revert};
use crate::text::diff::parse_unified;
use crate::text::sanitize::sanitize_line;
use crate::tui::commands::LayerCommand;
use crate::tui::composer::{Composer, Draft};
use crate::tui::keymap::{Action, Context, KeyRow, Keymap, LayerKeys};
use crate::tui::layer::{Layer, LayerCx, LayerKind, LayerReply, LayerRequest, LayerUpdate};
use crate::tui::statusbar::Hints;
use crate::tui::transcript::FilePlace;
use crate::view::theme::Meaning;

pub(crate) static PAGE: Page = Page {
    action: "diff",
    leader: &["d"],
    description: "show what changed (diff)",
    brief: "diff",
    command: LayerCommand {
        name: "diff",
        also: &["changes"],
        about: "Shows what the session, its last turn or the work tree changed. Hunks can be reverted and \
            commented on.",
        after: "sessions",
    },
    keys: &[&KEYS, &COMMENT_KEYS],
    open: |_title| Box::new(Diff::default()),
};

static KEYS: LayerKeys = LayerKeys {
    name: "changes",
    title: "Changes",
    takes_text: false,
    rows: &[
        KeyRow::new(&["down", "j"], Action::RowDown, "down"),
        KeyRow::new(&["up", "k"], Action::RowUp, "up"),
        KeyRow::new(&["g", "home"], Action::PageTop, "beginning"),
        KeyRow::new(&["G", "end"], Action::PageEnd, "end"),
        KeyRow::new(&["]"], Action::NextHunk, "next hunk"),
        KeyRow::new(&["["], Action::PreviousHunk, "previous hunk"),
        KeyRow::new(&["}"], NEXT_FILE, "next file"),
        KeyRow::new(&["{"], PREVIOUS_FILE, "previous file"),
        KeyRow::new(&["tab"], NEXT_SCOPE, "session, last turn or work tree"),
        KeyRow::new(&["enter"], Action::Open, "open the file at the line"),
        KeyRow::new(&["m"], COMMENT, "comment on the line, in the draft"),
        KeyRow::new(&["x"], REVERT_HUNK, "twice: revert the hunk"),
        KeyRow::new(&["?"], Action::OpenPage(&super::KEYS), "keys"),
        KeyRow::new(&["q"], Action::ClosePage, "close"),
    ],
};

static COMMENT_KEYS: LayerKeys = LayerKeys {
    name: "changes-comment",
    title: "Changes, comment",
    takes_text: true,
    rows: &[KeyRow::new(
        &["enter"],
        Action::FinishText,
        "save the comment; empty removes it",
    )],
};

const NEXT_FILE: Action = Action::OfLayer("next-file");
const PREVIOUS_FILE: Action = Action::OfLayer("previous-file");
const NEXT_SCOPE: Action = Action::OfLayer("next-scope");
const COMMENT: Action = Action::OfLayer("comment");
const REVERT_HUNK: Action = Action::OfLayer("revert-hunk");

const SCOPES: [ChangeScope; 3] = [ChangeScope::Session, ChangeScope::Turn, ChangeScope::WorkTree];

pub(super) struct Diff {
    scope: ChangeScope,
    /// A note about all of it, or why it cannot be compared; `None` while it is compared.
    compared: Option<Result<Option<String>, String>>,
    list: FileDiffs,
    comments: Vec<Comment>,
    /// The comment that is being written about the row.
    writing: Option<Composer>,
    /// The hunk that the same key again takes back.
    armed: Option<(usize, usize)>,
    notice: Option<(String, Meaning)>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Comment {
    path: String,
    /// Of the file as it is now, or before where the line is gone.
    line: usize,
    is_gone: bool,
    quote: String,
    text: String,
}

impl Comment {
    /// Returns true if both are about one line.
    fn is_about(&self, other: &Self) -> bool {
        (&self.path, self.line, self.is_gone) == (&other.path, other.line, other.is_gone)
    }
}

impl Default for Diff {
    fn default() -> Self {
        Self {
            scope: ChangeScope::Session,
            compared: None,
            list: FileDiffs::default(),
            comments: Vec::new(),
            writing: None,
            armed: None,
            notice: None,
        }
    }
}

impl Diff {
    fn set(&mut self, compared: Result<Changes, String>) {
        match compared {
            Ok(changes) => {
                self.list.set(changes.files, changes.note.clone());
                self.compared = Some(Ok(changes.note));
            }
            Err(sentence) => {
                self.list.clear();
                self.compared = Some(Err(sentence));
            }
        }
        self.armed = None;
    }

    fn next_scope(&mut self) -> LayerReply {
        let place = SCOPES.iter().position(|scope| *scope == self.scope);
        self.scope = SCOPES[(place.unwrap_or(0) + 1) % SCOPES.len()];
        self.compared = None;
        self.list.clear();
        self.ask()
    }

    fn ask(&self) -> LayerReply {
        LayerReply::Request(LayerRequest::Ask(Query::Changes(self.scope)))
    }

    /// A comment without words on the line that is pointed at.
    fn blank_comment(&self) -> Option<Comment> {
        let DiffRow::Line { file, hunk, line } = self.list.row()? else {
            return None;
        };
        let file = self.list.files().get(file)?;
        let hunks = parse_unified(&file.diff);
        let line = hunks.get(hunk)?.lines.get(line)?;
        Some(Comment {
            path: file.path.clone(),
            line: line.new_line.or(line.old_line)?,
            is_gone: line.new_line.is_none(),
            quote: line.text.to_owned(),
            text: String::new(),
        })
    }

    fn open(&mut self) -> LayerReply {
        if self.list.follow_listed() {
            return LayerReply::Done;
        }
        let place = self.list.place().map(|(file, line)| FilePlace {
            path: file.real.to_string_lossy().into_owned(),
            line: Some(line),
        });
        place.map_or(LayerReply::Done, |place| {
            LayerReply::Request(LayerRequest::Open(place))
        })
    }

    fn begin_comment(&mut self) {
        let Some(blank) = self.blank_comment() else {
            let sentence = "move to a changed line to comment on it".to_owned();
            self.notice = Some((sentence, Meaning::TextMuted));
            return;
        };
        let known = self.comments.iter().find(|comment| comment.is_about(&blank));
        let mut composer = Composer::default();
        composer.set(Draft::from_text(
            known.map_or("", |comment| comment.text.as_str()),
        ));
        self.writing = Some(composer);
    }

    fn finish_comment(&mut self) {
        let written = self.writing.take().map(|composer| composer.text());
        let (Some(text), Some(blank)) = (written, self.blank_comment()) else {
            return;
        };
        self.comments.retain(|comment| !comment.is_about(&blank));
        let text = text.trim().to_owned();
        if !text.is_empty() {
            self.comments.push(Comment { text, ..blank });
        }
    }

    fn comment_at(&self) -> Option<&Comment> {
        let blank = self.blank_comment()?;
        self.comments.iter().find(|comment| comment.is_about(&blank))
    }

    fn revert(&mut self) -> LayerReply {
        let armed = self.armed.take();
        let Some((file, hunk)) = self.list.row().and_then(|row| row.hunk()) else {
            self.say("no hunk to revert here; move to one");
            return LayerReply::Done;
        };
        let Some(changed) = self.list.files().get(file) else {
            return LayerReply::Done;
        };
        if !changed.reverts {
            let why = changed.note.as_deref().unwrap_or("it cannot be compared");
            let sentence = format!("`{}` cannot be reverted here: {why}", changed.path);
            self.say(&sentence);
            return LayerReply::Done;
        }
        if armed != Some((file, hunk)) {
            self.armed = Some((file, hunk));
            return LayerReply::Done;
        }
        LayerReply::Request(LayerRequest::Ask(Query::Revert(Revert {
            path: changed.path.clone(),
            real: changed.real.clone(),
            hunk: hunk_text(&changed.diff, hunk),
            is_added: changed.state == FileState::Added,
        })))
    }

    fn say(&mut self, sentence: &str) {
        self.notice = Some((sentence.to_owned(), Meaning::Warning));
    }

    /// All comments as a draft quotes them.
    fn draft(&self) -> Option<String> {
        let mut text = String::new();
        for comment in &self.comments {
            if !text.is_empty() {
                text.push('\n');
            }
            // Writing to a string cannot fail.
            let _ = write!(
                text,
                "> {}:{}\n> {}\n{}\n",
                sanitize_line(&comment.path),
                comment.line,
                sanitize_line(comment.quote.trim()),
                comment.text
            );
        }
        (!text.is_empty()).then_some(text)
    }
}

impl Layer for Diff {
    fn kind(&self) -> Option<LayerKind> {
        Some(LayerKind::Page(&PAGE))
    }

    fn context(&self) -> Context {
        match self.writing {
            Some(_) => Context::Layer(&COMMENT_KEYS),
            None => Context::Layer(&KEYS),
        }
    }

    fn request(&self) -> Option<LayerRequest> {
        Some(LayerRequest::Ask(Query::Changes(self.scope)))
    }

    fn act(&mut self, action: Action) -> LayerReply {
        if action != REVERT_HUNK {
            self.armed = None;
        }
        self.notice = None;
        if self.list.act(action) {
            return LayerReply::Done;
        }
        match action {
            NEXT_FILE => self.list.step_file(true),
            PREVIOUS_FILE => self.list.step_file(false),
            NEXT_SCOPE => return self.next_scope(),
            Action::Open => return self.open(),
            COMMENT => self.begin_comment(),
            Action::FinishText => self.finish_comment(),
            REVERT_HUNK => return self.revert(),
            Action::Edit(edit) => {
                if let Some(writing) = &mut self.writing {
                    writing.edit(edit);
                }
            }
            Action::ClosePage => return LayerReply::Close(self.close()),
            _ => return LayerReply::Ignored,
        }
        LayerReply::Done
    }

    fn write(&mut self, text: &str) -> LayerReply {
        if let Some(writing) = &mut self.writing {
            let line = sanitize_line(text);
            line.chars().for_each(|c| writing.insert_char(c));
        }
        LayerReply::Done
    }

    fn update(&mut self, news: &LayerUpdate<'_>) -> LayerReply {
        match news {
            LayerUpdate::Answer(Query::Changes(scope), answer) if *scope == self.scope => match answer {
                Answer::Changes(changes) => self.set(Ok(changes.clone())),
                Answer::Failed(sentence) => self.set(Err(sentence.clone())),
                _ => {}
            },
            LayerUpdate::Answer(Query::Revert(_), answer) => {
                self.notice = match answer {
                    Answer::Reverted(path) => {
                        Some((format!("The hunk in `{path}` is reverted."), Meaning::Success))
                    }
                    Answer::Failed(sentence) => Some((sentence.clone(), Meaning::Warning)),
                    _ => None,
                };
                return LayerReply::keep_open(self.request());
            }
            _ => return LayerReply::Ignored,
        }
        LayerReply::Done
    }

    fn back(&mut self) -> LayerReply {
        if self.writing.take().is_some() || self.armed.take().is_some() {
            return LayerReply::Done;
        }
        LayerReply::Close(self.close())
    }

    fn close(&mut self) -> Option<LayerRequest> {
        self.draft().map(LayerRequest::AddToDraft)
    }

    fn scroll(&mut self, rows: isize) -> LayerReply {
        self.list.move_by(rows);
        LayerReply::Done
    }

    fn hints(&self, hints: &mut Hints<'_>, keymap: &Keymap) {
        let escape = keymap.label(Context::Global, Action::Escape);
        if self.writing.is_some() {
            hints.key(
                keymap.label(Context::Layer(&COMMENT_KEYS), Action::FinishText),
                "saves the comment",
            );
            return hints.key(escape, "back");
        }
        let key = |action| keymap.label(Context::Layer(&KEYS), action);
        if self.armed.is_some() {
            let again = format!("{} again reverts this hunk", key(REVERT_HUNK));
            hints.say(&again, Meaning::Warning);
        }
        if let Some((said, meaning)) = &self.notice {
            hints.say(said, *meaning);
        }
        match self.comments.len() {
            0 => hints.key(escape, "closes"),
            1 => hints.key(escape, "closes, adds 1 comment to the draft"),
            count => hints.key(escape, &format!("closes, adds {count} comments to the draft")),
        }
        hints.key(key(NEXT_SCOPE), "session, turn, tree");
        if self.list.files().is_empty() {
            return;
        }
        let pair = |one, other| format!("{} {}", key(one), key(other));
        hints.key(&pair(Action::NextHunk, Action::PreviousHunk), "hunks");
        hints.key(key(COMMENT), "comment");
        hints.key(key(REVERT_HUNK), "revert");
        hints.key(key(Action::Open), "open");
        hints.key(&pair(NEXT_FILE, PREVIOUS_FILE), "files");
    }

    fn draw(&mut self, area: Rect, buffer: &mut Buffer, cx: &LayerCx<'_>) -> Option<Position> {
        self.draw_all(area, buffer, cx)
    }
}
