//! The grid as a layer: what its keys do.

use std::time::Instant;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::keys::{
    CHANGES, ENTER, LEFT, MESSAGE, NEXT_PAGE, PREVIOUS_PAGE, RESUME, RIGHT, SORT, STOP, STOP_ALL, TEXT,
    TILES, TO_BACKGROUND,
};
use super::{PAGE, Stage, Watch, WatchRequest};
use crate::conversation::{TaskId, TaskRow, TaskStatus};
use crate::tui::composer::Draft;
use crate::tui::keymap::{Action, Context, Keymap};
use crate::tui::layer::{Layer, LayerCx, LayerKind, LayerReply, LayerRequest, say};
use crate::tui::page::{NO_TREE, TaskTree, TreeIntent};
use crate::tui::statusbar::Hints;
use crate::tui::tasks::{TaskMark, words};
use crate::tui::tile_grid::Direction;

impl Layer for Watch {
    fn kind(&self) -> Option<LayerKind> {
        Some(LayerKind::Page(&PAGE))
    }

    fn context(&self) -> Context {
        Context::Layer(match self.stage {
            Stage::Browsing => &TILES,
            Stage::Filter | Stage::Message(_) | Stage::Reason(_) => &TEXT,
        })
    }

    fn act(&mut self, action: Action) -> LayerReply {
        match self.stage {
            Stage::Browsing => self.browse(action),
            Stage::Filter | Stage::Message(_) | Stage::Reason(_) => self.act_on_text(action),
        }
    }

    fn pick(&mut self, digit: char) -> LayerReply {
        let number = digit.to_digit(10).and_then(|digit| usize::try_from(digit).ok());
        self.choose_on_page(number.unwrap_or(0));
        self.last_letter = None;
        LayerReply::Done
    }

    fn on_unknown_key(&mut self, _keymap: &Keymap) -> LayerReply {
        self.note_letter();
        LayerReply::Done
    }

    fn write(&mut self, text: &str) -> LayerReply {
        let is_filter = self.stage == Stage::Filter;
        let written = match self.stage {
            Stage::Filter => &mut self.filter,
            Stage::Message(_) | Stage::Reason(_) => &mut self.text,
            Stage::Browsing => return LayerReply::Done,
        };
        for c in text.chars() {
            written.insert_char(if c.is_control() { ' ' } else { c });
        }
        if is_filter {
            self.filter_anew();
        }
        LayerReply::Done
    }

    fn pass_guard(&mut self, now: Instant) -> bool {
        // Each question has a guard of its own, which keeps off the keys that answer it and no other.
        self.key_time = Some(now);
        true
    }

    fn back(&mut self) -> LayerReply {
        match self.stage {
            Stage::Browsing if self.filter.is_empty() => LayerReply::Close(self.close()),
            Stage::Browsing | Stage::Filter => {
                self.stage = Stage::Browsing;
                self.filter.clear();
                self.filter_anew();
                LayerReply::Done
            }
            // What is written to an agent stays until it is sent.
            Stage::Message(_) | Stage::Reason(_) => {
                self.stage = Stage::Browsing;
                LayerReply::Done
            }
        }
    }

    fn close(&mut self) -> Option<LayerRequest> {
        let unsent = self.text_for.take().map(|_| self.text.take());
        let unsent = unsent.filter(|text| !text.trim().is_empty());
        unsent.map(LayerRequest::AddToDraft)
    }

    fn scroll(&mut self, rows: isize) -> LayerReply {
        self.with_chosen(|row| WatchRequest::Scroll(row.session.clone(), rows))
    }

    fn press(&mut self, column: u16, row: u16) -> LayerReply {
        match self.last.grid.tile_at(column, row) {
            Some(place) => {
                // What is written is for the tile that was chosen.
                self.stage = Stage::Browsing;
                self.last_letter = None;
                self.choose_on_page(place + 1);
                LayerReply::Done
            }
            None => LayerReply::Ignored,
        }
    }

    fn clear(&mut self) -> LayerReply {
        match self.stage {
            Stage::Browsing => LayerReply::Close(self.close()),
            Stage::Filter => self.back(),
            Stage::Message(_) | Stage::Reason(_) if !self.text.is_empty() => {
                self.text.clear();
                LayerReply::Done
            }
            Stage::Message(_) | Stage::Reason(_) => self.back(),
        }
    }

    fn shows_tasks(&self) -> bool {
        true
    }

    fn covers_title(&self) -> bool {
        true
    }

    fn hints(&self, hints: &mut Hints<'_>, keymap: &Keymap) {
        let escape = keymap.label(Context::Global, Action::Escape);
        match &self.stage {
            Stage::Browsing => self.browsing_hints(hints, keymap),
            Stage::Filter => {
                hints.key(keymap.label(Context::Layer(&TEXT), Action::FinishText), "keep");
                hints.key(escape, "clear");
            }
            Stage::Message(_) => {
                hints.key(keymap.label(Context::Layer(&TEXT), Action::FinishText), "send");
                hints.key(escape, "back");
            }
            Stage::Reason(_) => {
                let finish = keymap.label(Context::Layer(&TEXT), Action::FinishText);
                hints.key(finish, "no, with this reason");
                hints.key(escape, "back");
            }
        }
    }

    fn draw(&mut self, area: Rect, buffer: &mut Buffer, cx: &LayerCx<'_>) -> Option<Position> {
        self.draw_frame(area, buffer, cx)
    }

    fn as_watch(&mut self) -> Option<&mut Watch> {
        Some(self)
    }
}

impl Watch {
    fn browse(&mut self, action: Action) -> LayerReply {
        match action {
            Action::AllowOnce | Action::Reject | Action::RejectBecause | Action::AllowAlways => {
                return self.answer(action);
            }
            SORT | CHANGES | MESSAGE | RESUME | STOP | STOP_ALL | TO_BACKGROUND | Action::Search => {
                self.note_letter();
            }
            LEFT | RIGHT | Action::RowUp | Action::RowDown | Action::AnotherAsk => self.last_letter = None,
            _ => {}
        }
        match action {
            LEFT => self.step(Direction::Left),
            RIGHT => self.step(Direction::Right),
            Action::RowUp => self.step(Direction::Up),
            Action::RowDown => self.step(Direction::Down),
            PREVIOUS_PAGE => self.turn_page(Direction::Left),
            NEXT_PAGE => self.turn_page(Direction::Right),
            SORT => self.sort(),
            Action::Search => self.stage = Stage::Filter,
            Action::AnotherAsk => {
                if !self.choose_next_ask() {
                    return LayerReply::Request(LayerRequest::Perform(Action::NextAsk));
                }
            }
            Action::PageUp => return self.page(-1),
            Action::PageDown => return self.page(1),
            CHANGES => return self.show_changes(),
            ENTER => return self.with_chosen(|row| WatchRequest::Enter(row.session.clone())),
            MESSAGE | RESUME | STOP | STOP_ALL | TO_BACKGROUND => return self.act_on_task(action),
            _ => return LayerReply::Ignored,
        }
        LayerReply::Done
    }

    fn act_on_task(&mut self, action: Action) -> LayerReply {
        let Some(row) = self.chosen_row().cloned() else {
            return LayerReply::Done;
        };
        let is_ended = row.status.is_ended();
        match action {
            MESSAGE if row.status == TaskStatus::Queued => {
                return say("it waits for a free slot and reads no messages before it starts");
            }
            MESSAGE => self.begin_message(&row.task),
            RESUME if is_ended => {
                self.begin_message(&row.task);
                if self.text.is_blank() {
                    self.text.set(Draft::from_text(words::go_on(row.status)));
                }
            }
            RESUME => return say("it has not ended; a message reaches it with its next step"),
            STOP if is_ended => return say("it has ended already"),
            STOP => return LayerReply::Request(LayerRequest::StopTask(row)),
            STOP_ALL if !self.has_clock() => return say("no agent is running"),
            STOP_ALL => return request(WatchRequest::StopAll),
            TO_BACKGROUND if is_ended => return say("it has ended already"),
            TO_BACKGROUND if row.is_background => return say("it already runs in the background"),
            TO_BACKGROUND => {
                return request(WatchRequest::ToBackground(row.parent.clone()));
            }
            _ => return LayerReply::Ignored,
        }
        LayerReply::Done
    }

    fn show_changes(&self) -> LayerReply {
        let Some(row) = self.chosen_row() else {
            return LayerReply::Done;
        };
        match TaskTree::of(row) {
            Some(tree) => LayerReply::Request(LayerRequest::ShowTree(tree, TreeIntent::Apply)),
            None => say(NO_TREE),
        }
    }

    /// Goes on with a message that was begun for this task; one for another is let go.
    fn begin_message(&mut self, task: &TaskId) {
        if self.text_for.as_ref() != Some(task) {
            self.text.take();
        }
        self.text_for = Some(task.clone());
        self.stage = Stage::Message(task.clone());
    }

    /// Turns pages of the chosen agent's conversation.
    fn page(&self, pages: isize) -> LayerReply {
        self.with_chosen(|row| WatchRequest::Page(row.session.clone(), pages))
    }

    fn with_chosen(&self, to: impl Fn(&TaskRow) -> WatchRequest) -> LayerReply {
        match self.chosen_row() {
            Some(row) => request(to(row)),
            None => LayerReply::Done,
        }
    }

    fn act_on_text(&mut self, action: Action) -> LayerReply {
        match (action, self.stage.clone()) {
            (Action::FinishText, Stage::Filter) => self.stage = Stage::Browsing,
            (Action::FinishText, Stage::Message(task)) => return self.send_message(&task),
            (Action::FinishText, Stage::Reason(question)) => return self.reject_because(question),
            (Action::Edit(edit), stage) => {
                let is_filter = stage == Stage::Filter;
                let text = if is_filter {
                    &mut self.filter
                } else {
                    &mut self.text
                };
                text.edit(edit);
                if is_filter {
                    self.filter_anew();
                }
            }
            (Action::PageUp, _) => return self.page(-1),
            (Action::PageDown, _) => return self.page(1),
            _ => return LayerReply::Ignored,
        }
        LayerReply::Done
    }

    fn send_message(&mut self, task: &TaskId) -> LayerReply {
        if self.text.is_blank() {
            return LayerReply::Done;
        }
        self.stage = Stage::Browsing;
        self.text_for = None;
        let text = self.text.take();
        request(WatchRequest::Message(task.session(), text.trim().to_owned()))
    }

    fn browsing_hints(&self, hints: &mut Hints<'_>, keymap: &Keymap) {
        let key = |action| keymap.label(Context::Layer(&TILES), action);
        let escape = keymap.label(Context::Global, Action::Escape);
        let Some(row) = self.chosen_row() else {
            return hints.key(escape, "back");
        };
        hints.key(key(ENTER), "go in");
        let others_ask = self
            .rows
            .iter()
            .any(|other| other.task != row.task && self.mark(other) == TaskMark::Asking);
        if others_ask {
            hints.key(key(Action::AnotherAsk), "next ask");
        }
        hints.key(escape, "back");
        match row.status {
            TaskStatus::Queued | TaskStatus::Running => {
                hints.key(key(MESSAGE), "message");
                hints.key(key(STOP), "stop");
                if !row.is_background {
                    hints.key(key(TO_BACKGROUND), "to background");
                }
            }
            _ => hints.key(key(RESUME), "resume"),
        }
        if row.worktree.is_some() {
            hints.key(key(CHANGES), "changes");
        }
        if self.page_number().1 > 1 {
            hints.pair(key(PREVIOUS_PAGE), key(NEXT_PAGE), "pages");
        }
        hints.key(key(SORT), "sort");
        hints.key(key(Action::Search), "filter");
        if self.rows.iter().any(|row| !row.status.is_ended()) {
            hints.key(key(STOP_ALL), "stop all");
        }
        hints.key(key(Action::OpenPage(&crate::tui::page::KEYS)), "keys");
    }
}

fn request(request: WatchRequest) -> LayerReply {
    LayerReply::Request(LayerRequest::Watch(request))
}
