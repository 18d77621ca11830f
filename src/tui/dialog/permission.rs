//! The permission question: what is asked, and the keys that answer it.
//!
//! `enter` alone does nothing: `always` has to be opened with its own key first, and stores what is ticked there.

use std::sync::Arc;
use std::time::Instant;

use super::draw::Laid;
use super::guard::Guard;
use crate::permission::{Question, Reply, Scope};
use crate::tui::composer::Composer;
use crate::tui::keymap::{Action, Context};

/// How far the answer has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stage {
    Answering,
    /// `always` is being put together.
    Always,
    /// The reason for a no is being written.
    Reason,
}

/// What a key led to.
#[derive(Debug, PartialEq)]
pub(crate) enum Outcome {
    Stays,
    Replied(Reply),
    /// Another question, please.
    Next,
}

pub(crate) struct Permission {
    pub(super) question: Arc<Question>,
    pub(crate) guard: Guard,
    pub(super) stage: Stage,
    /// Parallel to the question's rows.
    pub(super) ticks: Vec<bool>,
    pub(super) row: usize,
    pub(super) scope: Scope,
    pub(super) reason: Composer,
    pub(super) explains: bool,
    /// Why the last key did nothing.
    pub(super) remark: Option<&'static str>,
    pub(super) top: usize,
    pub(super) laid: Option<Laid>,
    /// Rows of the body on screen; 0 before the first frame.
    pub(super) body_rows: usize,
}

impl Permission {
    pub(crate) fn new(question: Arc<Question>, guard: Guard) -> Self {
        let ticks = question.inquiry.rows.iter().map(|row| row.preticked).collect();
        Self {
            question,
            guard,
            stage: Stage::Answering,
            ticks,
            row: 0,
            scope: Scope::Session,
            reason: Composer::default(),
            explains: false,
            remark: None,
            top: 0,
            laid: None,
            body_rows: 0,
        }
    }

    pub(crate) fn question(&self) -> &Arc<Question> {
        &self.question
    }

    pub(crate) fn stage(&self) -> Stage {
        self.stage
    }

    pub(crate) fn context(&self) -> Context {
        match self.stage {
            Stage::Answering => Context::Question,
            Stage::Always => Context::QuestionAlways,
            Stage::Reason => Context::QuestionReason,
        }
    }

    pub(crate) fn act(&mut self, action: Action) -> Outcome {
        self.remark = None;
        match action {
            Action::AllowOnce => return Outcome::Replied(Reply::Once),
            Action::Reject => return Outcome::Replied(Reply::Reject(None)),
            Action::AnotherAsk => return Outcome::Next,
            Action::StoreAlways => return self.store(),
            Action::SendReason => {
                let reason = self.reason.take();
                let reason = reason.trim();
                let reason = (!reason.is_empty()).then(|| reason.to_owned());
                return Outcome::Replied(Reply::Reject(reason));
            }
            Action::AllowAlways => self.open_always(),
            Action::RejectBecause => self.stage = Stage::Reason,
            Action::Why => self.explains = !self.explains,
            Action::RowUp => self.row = self.row.saturating_sub(1),
            Action::RowDown => self.row = (self.row + 1).min(self.ticks.len().saturating_sub(1)),
            Action::Tick => self.tick(),
            Action::Scope => self.scope = next_scope(self.scope),
            Action::NextHunk => self.hunk(Direction::Down),
            Action::PreviousHunk => self.hunk(Direction::Up),
            Action::Edit(edit) => {
                self.reason.edit(edit);
            }
            _ => {}
        }
        Outcome::Stays
    }

    /// Goes back one stage; says whether there was one.
    pub(crate) fn back(&mut self) -> bool {
        let is_deeper = self.stage != Stage::Answering;
        self.stage = Stage::Answering;
        self.remark = None;
        is_deeper
    }

    /// Adds to the reason.
    pub(crate) fn write(&mut self, text: &str) {
        let line = crate::text::sanitize::sanitize_line(text);
        line.chars().for_each(|c| self.reason.insert_char(c));
    }

    /// Scrolls the body by pages; says whether it has more than fits.
    pub(crate) fn page(&mut self, pages: isize) -> bool {
        let rows = isize::try_from(self.body_rows.max(2) - 1).unwrap_or(1);
        self.scroll(pages * rows)
    }

    /// Scrolls the body by rows; says whether it has more than fits.
    pub(crate) fn scroll(&mut self, rows: isize) -> bool {
        let last = self.last_top();
        self.top = self.top.saturating_add_signed(rows).min(last);
        last > 0
    }

    /// Ends the guard when its time has come; says whether it did.
    pub(crate) fn pass_time(&mut self, now: Instant) -> bool {
        self.guard.pass_time(now)
    }

    pub(super) fn last_top(&self) -> usize {
        let rows = self.laid.as_ref().map_or(0, |laid| laid.lines.len());
        rows.saturating_sub(self.body_rows)
    }

    /// Returns the first row for which an answer can be stored.
    pub(super) fn first_storable(&self) -> Option<usize> {
        let rows = &self.question.inquiry.rows;
        rows.iter().position(|row| !row.ask.always.is_empty())
    }

    fn open_always(&mut self) {
        match self.first_storable() {
            Some(first) => {
                self.stage = Stage::Always;
                self.row = first;
            }
            None => self.remark = Some("always is not offered here: each of these has to be looked at"),
        }
    }

    fn tick(&mut self) {
        match (
            self.ticks.get_mut(self.row),
            self.question.inquiry.rows.get(self.row),
        ) {
            (Some(tick), Some(row)) if !row.ask.always.is_empty() => *tick = !*tick,
            _ => self.remark = Some("this one has to be asked each time"),
        }
    }

    fn store(&mut self) -> Outcome {
        let rows = self.question.inquiry.rows.iter().zip(&self.ticks);
        let ticked = rows.filter(|(_, is_ticked)| **is_ticked);
        let patterns: Vec<(String, String)> = ticked
            .flat_map(|(row, _)| {
                row.ask
                    .always
                    .iter()
                    .map(|pattern| (row.key().to_owned(), pattern.clone()))
            })
            .collect();
        if patterns.is_empty() {
            self.remark = Some("nothing is ticked");
            return Outcome::Stays;
        }
        Outcome::Replied(Reply::Always {
            patterns,
            scope: self.scope,
        })
    }

    fn hunk(&mut self, direction: Direction) {
        let Some(laid) = &self.laid else { return };
        let found = match direction {
            Direction::Down => laid.hunks.iter().find(|row| **row > self.top),
            Direction::Up => laid.hunks.iter().rfind(|row| **row < self.top),
        };
        if let Some(row) = found {
            self.top = (*row).min(self.last_top());
        }
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
