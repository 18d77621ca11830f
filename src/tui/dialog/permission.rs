//! The permission question: what is asked, and the keys that answer it.
//!
//! `enter` alone does nothing: `always` has to be opened with its own key first, and stores what is ticked there.

use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::body::BodyKey;
use super::proposal::Proposal;
use super::scrolled_lines::ScrolledLines;
use super::{ActionEffect, Dialog};
use crate::conversation::CallId;
use crate::permission::{ChosenScopes, Inquiry, PermissionReply, Scope};
use crate::question::{self, Question};
use crate::session::query::{Answer, Query};
use crate::text::sanitize::{Revealed, reveal_line};
use crate::tui::composer::{Composer, Draft};
use crate::tui::keymap::{Action, Context, Keymap};
use crate::tui::layer::{Layer, LayerCx, LayerReply, LayerRequest, LayerUpdate};
use crate::tui::statusbar::Hints;

/// Stage of the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stage {
    Answering,
    /// `always` is being put together.
    Always,
    /// One of its patterns is being written.
    Pattern,
    /// The reason for a no is being written.
    Reason,
    /// The call itself is being edited.
    Call,
}

pub(super) struct Permission {
    pub(super) question: Question<Arc<Inquiry>>,
    pub(super) stage: Stage,
    pub(super) proposals: Vec<Proposal>,
    /// The chosen proposal.
    pub(super) row: usize,
    pub(super) scope: Scope,
    /// The person has moved to a row of "always" or chosen the scope, so that `enter` may store beyond the session.
    has_moved: bool,
    pub(super) reason: Composer,
    pub(super) pattern: Composer,
    pub(super) call: Composer,
    /// The session looks at the call as it was edited.
    is_fitting: bool,
    pub(super) explains: bool,
    is_full: bool,
    /// The last frame had no room for all keys.
    is_low: bool,
    /// Why the last key did nothing.
    pub(super) remark: Option<Revealed>,
    /// The one of the keys that answer which the arrows have moved to.
    pub(super) choice: Option<usize>,
    /// The next frame begins where the explanation does.
    pub(super) seeks_why: bool,
    pub(super) body: ScrolledLines<BodyKey>,
    /// Rows of the body at which a hunk of a diff begins.
    pub(super) hunks: Vec<usize>,
    /// The row of the body at which the explanation begins.
    pub(super) why_at: usize,
}

impl Permission {
    pub(super) fn new(question: Question<Arc<Inquiry>>) -> Self {
        Self {
            proposals: Proposal::all(&question.about),
            question,
            stage: Stage::Answering,
            row: 0,
            scope: Scope::default(),
            has_moved: false,
            reason: Composer::default(),
            pattern: Composer::default(),
            call: Composer::default(),
            is_fitting: false,
            explains: false,
            is_full: false,
            is_low: false,
            remark: None,
            choice: None,
            seeks_why: false,
            body: ScrolledLines::default(),
            hunks: Vec::new(),
            why_at: 0,
        }
    }

    fn answer(&mut self, action: Action) -> LayerReply {
        let remark = self.remark.take();
        match action {
            Action::AllowOnce => return self.reply(PermissionReply::Once),
            Action::Reject => return self.reply(PermissionReply::Reject(None)),
            Action::AnotherAsk => return LayerReply::Request(LayerRequest::NextQuestion),
            Action::StoreAlways => return self.store(),
            Action::FinishText => return self.finish(),
            Action::NextAnswer => self.choose(Direction::Down),
            Action::PreviousAnswer => self.choose(Direction::Up),
            Action::TakeAnswer => return self.take_choice(),
            Action::AllowAlways => self.open_always(),
            Action::EditPattern => self.open_pattern(),
            Action::EditCall => self.open_call(),
            Action::Newline if self.stage == Stage::Call => self.call.newline(),
            Action::RejectBecause => self.stage = Stage::Reason,
            Action::Why => self.explain(),
            Action::FullScreen => self.is_full = !self.is_full,
            Action::RowUp => self.row = self.row.saturating_sub(1),
            Action::RowDown => self.row = (self.row + 1).min(self.proposals.len().saturating_sub(1)),
            Action::Tick => {
                if let Some(proposal) = self.proposals.get_mut(self.row) {
                    proposal.is_ticked = !proposal.is_ticked;
                }
            }
            Action::Scope => {
                self.scope = next_scope(self.scope);
                self.has_moved = true;
            }
            Action::NextHunk => self.hunk(Direction::Down),
            Action::PreviousHunk => self.hunk(Direction::Up),
            Action::ScrollUp => drop(self.body.scroll_by(-1)),
            Action::ScrollDown => drop(self.body.scroll_by(1)),
            Action::Edit(edit) => {
                self.text().map(|text| text.edit(edit));
            }
            Action::Newline => {}
            // It is one of the whole screen.
            _ => {
                self.remark = remark;
                return LayerReply::Ignored;
            }
        }
        LayerReply::Done
    }

    fn reply(&self, reply: PermissionReply) -> LayerReply {
        LayerReply::Close(Some(LayerRequest::Answer {
            question: self.question.id,
            reply: question::Reply::Permission(reply),
            text: None,
        }))
    }

    /// Returns the text that is being written.
    fn text(&mut self) -> Option<&mut Composer> {
        match self.stage {
            Stage::Answering | Stage::Always => None,
            Stage::Pattern => Some(&mut self.pattern),
            Stage::Reason => Some(&mut self.reason),
            Stage::Call => Some(&mut self.call),
        }
    }

    /// Moves along the row of keys; the first arrow only begins there, at the first key or the last.
    fn choose(&mut self, direction: Direction) {
        let last = self.answers(false).len() - 1;
        self.choice = Some(match (self.choice, direction) {
            (None, Direction::Down) => 0,
            (None, Direction::Up) => last,
            (Some(place), Direction::Down) => (place + 1).min(last),
            (Some(place), Direction::Up) => place.saturating_sub(1),
        });
    }

    /// Presses the key that was chosen; before an arrow that is none.
    fn take_choice(&mut self) -> LayerReply {
        let answers = self.answers(false);
        let chosen = self.choice.and_then(|place| answers.get(place));
        match chosen.map(|(action, _)| *action) {
            Some(action) => self.answer(action),
            None => LayerReply::Done,
        }
    }

    fn open_call(&mut self) {
        let Some(editable) = &self.question.about.editable else {
            self.remark = Some("this call has already started, so it cannot be edited".into());
            return;
        };
        // What was left there with `esc` is still there.
        if self.call.is_empty() {
            self.call.set(Draft::from_text(editable.text()));
        }
        self.stage = Stage::Call;
    }

    fn revise(&mut self) -> LayerReply {
        let editable = self.question.about.editable.as_ref();
        match editable.map(|editable| editable.read(&self.call.text())) {
            Some(Ok(Some(args))) => {
                self.is_fitting = true;
                return LayerReply::Request(LayerRequest::Ask(Query::Fit {
                    question: self.question.id,
                    args,
                }));
            }
            Some(Err(why)) => self.remark = Some(reveal_line(&why)),
            Some(Ok(None)) | None => self.stage = Stage::Answering,
        }
        LayerReply::Done
    }

    /// Takes the answer to what was asked of the session. It counts for the text that it was asked for: one that was
    /// left or changed meanwhile stays as it is.
    fn on_answer(&mut self, query: &Query, answer: &Answer) -> LayerReply {
        let Query::Fit { question, args } = query else {
            return LayerReply::Done;
        };
        if *question != self.question.id || !std::mem::take(&mut self.is_fitting) {
            return LayerReply::Done;
        }
        let Some(editable) = &self.question.about.editable else {
            return LayerReply::Done;
        };
        let is_as_asked = editable.read(&self.call.text()).ok().flatten().as_ref() == Some(args);
        match answer {
            _ if !is_as_asked => {}
            Answer::Fits(args) if editable.is(args) => self.stage = Stage::Answering,
            Answer::Fits(args) => return self.reply(PermissionReply::Revised(args.clone())),
            Answer::Unfit(why) | Answer::Failed(why) => self.remark = Some(reveal_line(why)),
            _ => {}
        }
        LayerReply::Done
    }

    fn explain(&mut self) {
        self.explains = !self.explains;
        self.seeks_why = self.explains;
        self.body.top = 0;
    }

    fn open_always(&mut self) {
        if self.proposals.is_empty() {
            self.remark = Some("always is not offered here: each of these has to be reviewed".into());
        } else {
            self.stage = Stage::Always;
            self.has_moved = false;
        }
    }

    fn open_pattern(&mut self) {
        let Some(proposal) = self.proposals.get(self.row) else {
            return;
        };
        if reveal_line(&proposal.pattern).as_str() == proposal.pattern {
            self.pattern.set(Draft::from_text(&proposal.pattern));
            self.stage = Stage::Pattern;
        } else {
            self.remark = Some("this pattern contains characters that an editor does not show".into());
        }
    }

    fn finish(&mut self) -> LayerReply {
        match self.stage {
            Stage::Answering | Stage::Always => LayerReply::Done,
            Stage::Pattern => {
                let pattern = self.pattern.text();
                let edited = self.proposals.get_mut(self.row).map(|row| row.edit(&pattern));
                if let Some(Err(too_wide)) = edited {
                    self.remark = Some(Revealed::own("not stored: ").and(reveal_line(&too_wide.to_string())));
                } else {
                    // Whoever wrote a pattern means it.
                    self.stage = Stage::Always;
                    self.has_moved = true;
                }
                LayerReply::Done
            }
            Stage::Reason => {
                let reason = self.reason.take();
                let reason = reason.trim();
                let reason = (!reason.is_empty()).then(|| reason.to_owned());
                self.reply(PermissionReply::Reject(reason))
            }
            Stage::Call => self.revise(),
        }
    }

    fn store(&mut self) -> LayerReply {
        let ticked = self.proposals.iter().filter(|proposal| proposal.is_ticked);
        let patterns: Vec<_> = ticked
            .map(|proposal| (proposal.key.clone(), proposal.pattern.clone()))
            .collect();
        if patterns.is_empty() {
            self.remark = Some("nothing is ticked".into());
            return LayerReply::Done;
        }
        if self.scope != Scope::Session && !self.has_moved {
            let scope = Revealed::own("not stored yet: to store it for ").and(match self.scope {
                Scope::Session | Scope::Project => "this project",
                Scope::Everywhere => "every project",
            });
            self.remark = Some(scope.and(", choose a row with an arrow or its number first"));
            return LayerReply::Done;
        }
        self.reply(PermissionReply::Always {
            patterns,
            scope: self.scope,
        })
    }

    fn hunk(&mut self, direction: Direction) {
        let top = self.body.top;
        let found = match direction {
            Direction::Down => self.hunks.iter().find(|row| **row > top),
            Direction::Up => self.hunks.iter().rfind(|row| **row < top),
        };
        if let Some(row) = found {
            self.body.top = (*row).min(self.body.last_top());
        }
    }
}

impl Layer for Permission {
    fn name(&self) -> Option<&'static str> {
        Some("permission")
    }

    fn context(&self) -> Context {
        match self.stage {
            Stage::Answering => Context::Question,
            Stage::Always => Context::QuestionAlways,
            Stage::Pattern | Stage::Reason | Stage::Call => Context::QuestionText,
        }
    }

    fn act(&mut self, action: Action) -> LayerReply {
        let page = self.body.page_rows();
        match action {
            Action::PageUp => self.scroll(-page),
            Action::PageDown => self.scroll(page),
            action => self.answer(action),
        }
    }

    fn comes_after_marks(&self) -> bool {
        true
    }

    fn opens_by_itself(&self) -> bool {
        true
    }

    fn pick(&mut self, digit: char) -> LayerReply {
        self.remark = None;
        let row = digit
            .to_digit(10)
            .and_then(|digit| (digit as usize).checked_sub(1));
        if let Some(row) = row.filter(|row| *row < self.proposals.len()) {
            self.row = row;
            self.has_moved = true;
        }
        LayerReply::Done
    }

    fn back(&mut self) -> LayerReply {
        self.remark = None;
        let (before, was_full) = (self.stage, self.is_full);
        self.stage = match before {
            Stage::Pattern => Stage::Always,
            Stage::Answering | Stage::Always | Stage::Reason | Stage::Call => Stage::Answering,
        };
        if before != Stage::Answering {
            self.is_fitting = false;
            return LayerReply::Done;
        }
        if self.explains {
            self.explain();
            return LayerReply::Done;
        }
        self.is_full = false;
        if was_full {
            LayerReply::Done
        } else {
            LayerReply::Request(LayerRequest::PutOff)
        }
    }

    fn on_unknown_key(&mut self, keymap: &Keymap) -> LayerReply {
        if self.stage != Stage::Answering {
            return LayerReply::Ignored;
        }
        let key = |action| reveal_line(keymap.label(Context::Question, action));
        let yes = key(Action::AllowOnce).and(" allows · ");
        self.remark = Some(yes.and(key(Action::Reject)).and(" refuses"));
        LayerReply::Done
    }

    fn write(&mut self, text: &str) -> LayerReply {
        if self.context() != Context::QuestionText {
            return LayerReply::Done;
        }
        self.remark = None;
        if self.stage == Stage::Call {
            self.call.paste(text);
        } else if let Some(written) = self.text() {
            for c in text.chars() {
                written.insert_char(if c.is_control() { ' ' } else { c });
            }
        }
        LayerReply::Done
    }

    fn scroll(&mut self, rows: isize) -> LayerReply {
        LayerReply::done_if(self.body.scroll_by(rows))
    }

    fn takes_mouse(&self) -> bool {
        false
    }

    fn update(&mut self, news: &LayerUpdate<'_>) -> LayerReply {
        match news {
            LayerUpdate::Answer(query, answer) => self.on_answer(query, answer),
            LayerUpdate::Grants(_) | LayerUpdate::Tree(_) => LayerReply::Ignored,
        }
    }

    fn hints(&self, hints: &mut Hints<'_>, keymap: &Keymap) {
        // Where there is room the dialog says it itself.
        if self.is_low {
            hints.key(keymap.label(Context::Global, Action::Escape), self.escape_verb());
        }
    }

    fn draw(&mut self, area: Rect, buffer: &mut Buffer, cx: &LayerCx<'_>) -> Option<Position> {
        self.is_low = cx.is_low;
        self.draw_in(area, buffer, cx)
    }
}

impl Dialog for Permission {
    fn appear(&mut self, scopes: &ChosenScopes) {
        // What the session says of an edited call came too late for it.
        self.is_fitting = false;
        if self.stage == Stage::Answering {
            let keys = self.proposals.iter().map(|proposal| &proposal.key);
            self.scope = scopes.first_for(keys);
        }
        self.choice = None;
        self.remark = None;
    }

    fn leave(&mut self) {
        if self.stage == Stage::Always {
            self.stage = Stage::Answering;
        }
        self.explains = false;
        self.is_full = false;
        self.choice = None;
        self.remark = None;
    }

    fn moved(&mut self) {
        self.has_moved |= self.stage == Stage::Always;
    }

    fn effect(&self, action: Action) -> ActionEffect {
        match action {
            Action::AllowOnce | Action::Reject | Action::TakeAnswer | Action::StoreAlways => {
                ActionEffect::Answers
            }
            Action::RejectBecause | Action::EditCall | Action::EditPattern => ActionEffect::Commits,
            _ => ActionEffect::Looks,
        }
    }

    fn call(&self) -> Option<&CallId> {
        Some(&self.question.call)
    }

    fn is_full(&self) -> bool {
        self.is_full
    }

    fn editable(&self) -> Option<String> {
        (self.stage == Stage::Call).then(|| self.call.text())
    }

    fn set_edited(&mut self, text: &str) {
        self.call.set(Draft::from_text(text));
    }

    fn rows(&mut self, width: u16, cx: &LayerCx<'_>) -> u16 {
        self.rows_wanted(width, cx)
    }
}

#[derive(Debug, Clone, Copy)]
enum Direction {
    Up,
    Down,
}

fn next_scope(scope: Scope) -> Scope {
    match scope {
        Scope::Session => Scope::Project,
        Scope::Project => Scope::Everywhere,
        Scope::Everywhere => Scope::Session,
    }
}
