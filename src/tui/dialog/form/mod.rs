//! A form: questions of a tool, one page each, and a last page that shows the answers before they are sent.
//!
//! Choosing goes on to the next page, so that one question is one key. Whatever was chosen or written stays while
//! the form lies aside, and on the way between the pages; nothing is sent but by the person's key. A form that is
//! about something (a plan) shows that above its question, where it scrolls.

mod draw;

use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::guard::Guard;
use super::{Dialog, DialogCx};
use crate::conversation::CallId;
use crate::question::{Form, FormAnswer, FormQuestion, FormReply, Question};
use crate::tui::composer::Composer;
use crate::tui::keymap::{Action, Context};
use draw::CardLayout;

/// The result of a key.
#[derive(Debug, PartialEq)]
pub(crate) enum Filled {
    NotYet,
    Reply(FormReply),
}

pub(crate) struct FormDialog {
    form: Question<Arc<Form>>,
    guard: Guard,
    /// One for each question.
    pages: Vec<Page>,
    /// The one on screen; beyond the last is the one that shows the answers.
    page: usize,
    is_writing: bool,
    /// Why the last key did nothing.
    remark: Option<&'static str>,
    /// The form's card, as it was laid out, and how far it is scrolled.
    card: Option<CardLayout>,
    card_top: usize,
    /// Rows of the card on screen; 0 before the first frame.
    card_rows: usize,
    list_top: usize,
    /// Rows of the list that did not fit on the last frame.
    list_hidden: usize,
    /// Rows that the answer in own words takes while it is written.
    words_rows: usize,
}

/// An answer on its way.
struct Page {
    row: usize,
    /// Parallel to the options.
    ticks: Vec<bool>,
    /// The answer in own words, also where it does not count now.
    words: Composer,
    counts_words: bool,
}

impl Page {
    fn new(question: &FormQuestion) -> Self {
        let mut ticks = vec![false; question.options.len()];
        if let Some(default) = question.default.filter(|_| question.multiple) {
            ticks[default] = true;
        }
        Self {
            row: question.default.unwrap_or(0),
            ticks,
            words: Composer::default(),
            counts_words: false,
        }
    }

    fn answer(&self) -> FormAnswer {
        let picked = self.ticks.iter().enumerate().filter(|(_, is_ticked)| **is_ticked);
        FormAnswer {
            picked: picked.map(|(place, _)| place).collect(),
            words: Some(self.words.text().trim().to_owned())
                .filter(|words| self.counts_words && !words.is_empty()),
        }
    }

    fn pick_only(&mut self, row: usize) {
        for (place, tick) in self.ticks.iter_mut().enumerate() {
            *tick = place == row;
        }
        self.counts_words = false;
    }
}

impl FormDialog {
    pub(crate) fn new(form: Question<Arc<Form>>, guard: Guard) -> Self {
        let pages = form.about.questions.iter().map(Page::new).collect();
        let mut dialog = Self {
            form,
            guard,
            pages,
            page: 0,
            is_writing: false,
            remark: None,
            card: None,
            card_top: 0,
            card_rows: 0,
            list_top: 0,
            list_hidden: 0,
            words_rows: 1,
        };
        dialog.turn_to(0);
        dialog
    }

    pub(crate) fn form(&self) -> &Question<Arc<Form>> {
        &self.form
    }

    /// Returns true if `esc` leaves the form, and not only what is being written.
    pub(crate) fn is_outermost(&self) -> bool {
        !self.is_writing || self.question().is_none_or(|question| question.options.is_empty())
    }

    pub(crate) fn act(&mut self, action: Action) -> Filled {
        self.remark = None;
        match action {
            Action::FormUp => self.move_row(Way::Back),
            Action::FormDown => self.move_row(Way::On),
            Action::FormTick => self.tick(),
            Action::FormDone => return self.done(),
            Action::FormNext => self.leaf(Way::On),
            Action::FormPrevious => self.leaf(Way::Back),
            Action::FormDismiss => return Filled::Reply(FormReply::Dismissed),
            Action::Edit(edit) => {
                if let Some(page) = self.pages.get_mut(self.page) {
                    page.words.edit(edit);
                }
            }
            _ => {}
        }
        Filled::NotYet
    }

    /// Chooses by number, from 1; 0 is the tenth.
    pub(crate) fn pick(&mut self, digit: char) -> Filled {
        self.remark = None;
        let Some(number) = digit.to_digit(10) else {
            return Filled::NotYet;
        };
        let row = if number == 0 { 9 } else { number as usize - 1 };
        let Some(question) = self.question() else {
            // The answers are shown: a number leads back to its question.
            if row < self.pages.len() {
                self.turn_to(row);
            }
            return Filled::NotYet;
        };
        if row >= rows_of(question) {
            return Filled::NotYet;
        }
        let ticks = question.multiple;
        self.pages[self.page].row = row;
        if ticks {
            self.tick();
            return Filled::NotYet;
        }
        self.done()
    }

    /// Returns the texts that were written and would be lost with the form.
    pub(crate) fn words(&self) -> Option<String> {
        let texts = self.pages.iter().map(|page| page.words.text().trim().to_owned());
        let texts: Vec<String> = texts.filter(|text| !text.is_empty()).collect();
        (!texts.is_empty()).then(|| texts.join("\n"))
    }

    fn last_top(&self) -> usize {
        let rows = self.card.as_ref().map_or(0, |card| card.lines.len());
        rows.saturating_sub(self.card_rows)
    }

    fn questions(&self) -> &[FormQuestion] {
        &self.form.about.questions
    }

    /// The question on screen; none where the answers are shown.
    fn question(&self) -> Option<&FormQuestion> {
        self.questions().get(self.page)
    }

    /// Where the answers are shown, if there is such a page.
    fn last_page(&self) -> usize {
        match self.pages.len() {
            0 | 1 => 0,
            several => several,
        }
    }

    fn move_row(&mut self, way: Way) {
        let Some(rows) = self.question().map(rows_of) else {
            self.scroll(match way {
                Way::Back => -1,
                Way::On => 1,
            });
            return;
        };
        let row = self.pages[self.page].row;
        let next = match way {
            Way::Back => row.saturating_sub(1),
            Way::On => (row + 1).min(rows.saturating_sub(1)),
        };
        if next != row {
            self.keep_words();
            self.is_writing = false;
        }
        self.pages[self.page].row = next;
    }

    fn is_words_row(&self) -> bool {
        let question = self.question();
        question.is_some_and(|question| self.pages[self.page].row == question.options.len())
    }

    fn tick(&mut self) {
        let Some(question) = self.question() else { return };
        let (multiple, is_words) = (question.multiple, self.is_words_row());
        let page = &mut self.pages[self.page];
        let row = page.row;
        match (is_words, multiple) {
            (true, true) if page.counts_words => page.counts_words = false,
            (true, _) => self.is_writing = true,
            (false, true) => page.ticks[row] = !page.ticks[row],
            (false, false) => page.pick_only(row),
        }
    }

    fn done(&mut self) -> Filled {
        let Some(question) = self.question() else {
            return self.send();
        };
        let (multiple, only_words, is_words) = (
            question.multiple,
            question.options.is_empty(),
            self.is_words_row(),
        );
        if self.is_writing {
            self.keep_words();
            if self.pages[self.page].answer().words.is_none() {
                self.remark = Some("nothing is written yet");
                return Filled::NotYet;
            }
            self.is_writing = only_words;
            return if multiple && !only_words {
                Filled::NotYet
            } else {
                self.advance()
            };
        }
        let page = &mut self.pages[self.page];
        if is_words && !(multiple && page.counts_words) {
            self.is_writing = true;
            return Filled::NotYet;
        }
        if !multiple {
            let row = page.row;
            page.pick_only(row);
        } else if page.answer().is_empty() {
            self.remark = Some("nothing is ticked yet");
            return Filled::NotYet;
        }
        self.advance()
    }

    /// Makes the text that is being written count from now on, if it is not blank.
    fn keep_words(&mut self) {
        let multiple = self.question().is_some_and(|question| question.multiple);
        let page = &mut self.pages[self.page];
        if !self.is_writing {
            return;
        }
        let is_blank = page.words.is_blank();
        if !is_blank && !multiple {
            page.ticks.fill(false);
        }
        page.counts_words = !is_blank;
    }

    fn advance(&mut self) -> Filled {
        if self.last_page() == 0 {
            return self.send();
        }
        self.turn_to(self.page + 1);
        Filled::NotYet
    }

    fn leaf(&mut self, way: Way) {
        let pages = self.last_page() + 1;
        if pages == 1 {
            return;
        }
        if self.is_writing {
            self.keep_words();
        }
        let step = match way {
            Way::On => 1,
            Way::Back => pages - 1,
        };
        self.turn_to((self.page + step) % pages);
    }

    /// Where there is nothing to choose from one writes at once.
    fn turn_to(&mut self, page: usize) {
        self.page = page;
        self.list_top = 0;
        self.is_writing = self
            .question()
            .is_some_and(|question| question.options.is_empty());
    }

    fn send(&mut self) -> Filled {
        let answers = self.pages.iter().map(Page::answer).collect();
        Filled::Reply(FormReply::Answers(answers))
    }
}

impl Dialog for FormDialog {
    fn name(&self) -> &'static str {
        "question"
    }

    fn context(&self) -> Context {
        if self.is_writing {
            Context::FormText
        } else {
            Context::Form
        }
    }

    fn guard(&self) -> &Guard {
        &self.guard
    }

    fn guard_mut(&mut self) -> &mut Guard {
        &mut self.guard
    }

    fn call(&self) -> Option<&CallId> {
        Some(&self.form.call)
    }

    fn back(&mut self) -> bool {
        self.remark = None;
        if self.is_outermost() {
            return false;
        }
        self.is_writing = false;
        true
    }

    /// Begins an answer in own words where that is possible.
    fn write(&mut self, text: &str) -> bool {
        let Some(question) = self.question() else {
            return true;
        };
        if question.own_words.is_none() {
            return true;
        }
        let row = question.options.len();
        self.is_writing = true;
        let page = &mut self.pages[self.page];
        page.row = row;
        for c in text.chars() {
            page.words.insert_char(if c.is_control() { ' ' } else { c });
        }
        true
    }

    fn page(&mut self, pages: isize) -> bool {
        let rows = isize::try_from(self.card_rows.max(2) - 1).unwrap_or(1);
        self.scroll(pages * rows)
    }

    /// Scrolls what the form is about, or the answers.
    fn scroll(&mut self, rows: isize) -> bool {
        if self.question().is_none() {
            self.list_top = self.list_top.saturating_add_signed(rows).min(self.list_hidden);
            return self.list_hidden > 0;
        }
        let last = self.last_top();
        self.card_top = self.card_top.saturating_add_signed(rows).min(last);
        last > 0
    }

    fn rows(&mut self, width: u16, cx: &DialogCx<'_>) -> u16 {
        self.rows_wanted(width, cx)
    }

    fn draw(&mut self, area: Rect, buffer: &mut Buffer, cx: &DialogCx<'_>) -> Option<Position> {
        self.draw_in(area, buffer, cx)
    }
}

#[derive(Debug, Clone, Copy)]
enum Way {
    On,
    Back,
}

/// Options, and the row for own words.
fn rows_of(question: &FormQuestion) -> usize {
    question.options.len() + usize::from(question.own_words.is_some())
}
