//! A form: questions of a tool, one page each, and a last page that shows the answers before they are sent.
//!
//! Choosing goes on to the next page, so that one question is one key. Whatever was chosen or written stays while
//! the form lies aside, and on the way between the pages; nothing is sent but by the person's key. A form that is
//! about something (a plan) shows that above its question, where it scrolls.

mod draw;

use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::scrolled_lines::ScrolledLines;
use super::{ActionEffect, Dialog};
use crate::conversation::CallId;
use crate::question::{self, Form, FormAnswer, FormQuestion, FormReply, Question};
use crate::tui::composer::Composer;
use crate::tui::keymap::{Action, Context, Keymap};
use crate::tui::layer::{Layer, LayerCx, LayerReply, LayerRequest};
use crate::tui::statusbar::Hints;
use crate::view::LookKey;

pub(super) struct FormDialog {
    form: Question<Arc<Form>>,
    /// One for each question.
    pages: Vec<FormPage>,
    /// The one on screen; beyond the last is the one that shows the answers.
    page: usize,
    is_writing: bool,
    /// Why the last key did nothing.
    remark: Option<&'static str>,
    /// The form's card.
    card: ScrolledLines<(u16, LookKey)>,
    list_top: usize,
    /// Rows of the list that did not fit on the last frame.
    list_hidden: usize,
    /// Rows that the answer in own words takes while it is written.
    words_rows: usize,
}

/// An answer on its way.
struct FormPage {
    row: usize,
    /// Parallel to the options.
    ticks: Vec<bool>,
    /// The answer in own words, also where it does not count now.
    words: Composer,
    counts_words: bool,
}

impl FormPage {
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
    pub(super) fn new(form: Question<Arc<Form>>) -> Self {
        let pages = form.about.questions.iter().map(FormPage::new).collect();
        let mut dialog = Self {
            form,
            pages,
            page: 0,
            is_writing: false,
            remark: None,
            card: ScrolledLines::default(),
            list_top: 0,
            list_hidden: 0,
            words_rows: 1,
        };
        dialog.turn_to(0);
        dialog
    }

    /// Returns true if `esc` leaves the form, and not only what is being written.
    fn is_outermost(&self) -> bool {
        !self.is_writing || self.question().is_none_or(|question| question.options.is_empty())
    }

    fn answer(&mut self, action: Action) -> LayerReply {
        let remark = self.remark.take();
        match action {
            Action::FormUp => self.move_row(StepDirection::Back),
            Action::FormDown => self.move_row(StepDirection::On),
            Action::FormTick => self.tick(),
            Action::FormDone => return self.done(),
            Action::FormNext => self.leaf(StepDirection::On),
            Action::FormPrevious => self.leaf(StepDirection::Back),
            Action::FormDismiss => return self.reply(FormReply::Dismissed),
            Action::Edit(edit) => {
                if let Some(page) = self.pages.get_mut(self.page) {
                    page.words.edit(edit);
                }
            }
            // It is one of the whole screen.
            _ => {
                self.remark = remark;
                return LayerReply::Ignored;
            }
        }
        LayerReply::Done
    }

    /// Chooses by number, from 1; 0 is the tenth.
    fn choose(&mut self, digit: char) -> LayerReply {
        self.remark = None;
        let Some(number) = digit.to_digit(10) else {
            return LayerReply::Done;
        };
        let row = if number == 0 { 9 } else { number as usize - 1 };
        let Some(question) = self.question() else {
            // The answers are shown: a number leads back to its question.
            if row < self.pages.len() {
                self.turn_to(row);
            }
            return LayerReply::Done;
        };
        if row >= rows_of(question) {
            return LayerReply::Done;
        }
        let ticks = question.multiple;
        self.pages[self.page].row = row;
        if ticks {
            self.tick();
            return LayerReply::Done;
        }
        self.done()
    }

    /// Returns the texts that were written and would be lost with the form.
    fn written_text(&self) -> Option<String> {
        let texts = self.pages.iter().map(|page| page.words.text().trim().to_owned());
        let texts: Vec<String> = texts.filter(|text| !text.is_empty()).collect();
        (!texts.is_empty()).then(|| texts.join("\n"))
    }

    fn questions(&self) -> &[FormQuestion] {
        &self.form.about.questions
    }

    /// The question on screen; none where the answers are shown.
    fn question(&self) -> Option<&FormQuestion> {
        self.questions().get(self.page)
    }

    /// Index of the page that shows the answers, if there is one.
    fn last_page(&self) -> usize {
        match self.pages.len() {
            0 | 1 => 0,
            several => several,
        }
    }

    fn move_row(&mut self, way: StepDirection) {
        let Some(rows) = self.question().map(rows_of) else {
            self.scroll_by(match way {
                StepDirection::Back => -1,
                StepDirection::On => 1,
            });
            return;
        };
        let row = self.pages[self.page].row;
        let next = match way {
            StepDirection::Back => row.saturating_sub(1),
            StepDirection::On => (row + 1).min(rows.saturating_sub(1)),
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

    fn done(&mut self) -> LayerReply {
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
                return LayerReply::Done;
            }
            self.is_writing = only_words;
            return if multiple && !only_words {
                LayerReply::Done
            } else {
                self.advance()
            };
        }
        let page = &mut self.pages[self.page];
        if is_words && !(multiple && page.counts_words) {
            self.is_writing = true;
            return LayerReply::Done;
        }
        if !multiple {
            let row = page.row;
            page.pick_only(row);
        } else if page.answer().is_empty() {
            self.remark = Some("nothing is ticked yet");
            return LayerReply::Done;
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

    fn advance(&mut self) -> LayerReply {
        if self.last_page() == 0 {
            return self.send();
        }
        self.turn_to(self.page + 1);
        LayerReply::Done
    }

    fn leaf(&mut self, way: StepDirection) {
        let pages = self.last_page() + 1;
        if pages == 1 {
            return;
        }
        if self.is_writing {
            self.keep_words();
        }
        let step = match way {
            StepDirection::On => 1,
            StepDirection::Back => pages - 1,
        };
        self.turn_to((self.page + step) % pages);
    }

    /// Shows a page. On one without options the text field has the keys at once.
    fn turn_to(&mut self, page: usize) {
        self.page = page;
        self.list_top = 0;
        self.is_writing = self
            .question()
            .is_some_and(|question| question.options.is_empty());
    }

    fn send(&mut self) -> LayerReply {
        let answers = self.pages.iter().map(FormPage::answer).collect();
        self.reply(FormReply::Answers(answers))
    }

    fn reply(&self, reply: FormReply) -> LayerReply {
        LayerReply::Close(Some(LayerRequest::Answer {
            question: self.form.id,
            text: self.written_text().filter(|_| reply == FormReply::Dismissed),
            reply: question::Reply::Form(reply),
        }))
    }

    /// Scrolls what the form is about, or the answers; says whether there is more than fits.
    fn scroll_by(&mut self, rows: isize) -> bool {
        if self.question().is_none() {
            self.list_top = self.list_top.saturating_add_signed(rows).min(self.list_hidden);
            return self.list_hidden > 0;
        }
        self.card.scroll_by(rows)
    }
}

impl Layer for FormDialog {
    fn name(&self) -> Option<&'static str> {
        Some("question")
    }

    fn context(&self) -> Context {
        if self.is_writing {
            Context::FormText
        } else {
            Context::Form
        }
    }

    fn act(&mut self, action: Action) -> LayerReply {
        let page = self.card.page_rows();
        match action {
            Action::PageUp => self.scroll(-page),
            Action::PageDown => self.scroll(page),
            action => self.answer(action),
        }
    }

    fn pick(&mut self, digit: char) -> LayerReply {
        self.choose(digit)
    }

    fn comes_after_marks(&self) -> bool {
        true
    }

    fn opens_by_itself(&self) -> bool {
        true
    }

    fn back(&mut self) -> LayerReply {
        self.remark = None;
        if self.is_outermost() {
            return LayerReply::Request(LayerRequest::PutOff);
        }
        self.is_writing = false;
        LayerReply::Done
    }

    /// Begins an answer in own words where that is possible.
    fn write(&mut self, text: &str) -> LayerReply {
        let Some(row) = self
            .question()
            .and_then(|question| question.own_words.as_ref().map(|_| question.options.len()))
        else {
            return LayerReply::Done;
        };
        self.is_writing = true;
        let page = &mut self.pages[self.page];
        page.row = row;
        for c in text.chars() {
            page.words.insert_char(if c.is_control() { ' ' } else { c });
        }
        LayerReply::Done
    }

    fn scroll(&mut self, rows: isize) -> LayerReply {
        LayerReply::done_if(self.scroll_by(rows))
    }

    fn takes_mouse(&self) -> bool {
        false
    }

    fn hints(&self, hints: &mut Hints<'_>, keymap: &Keymap) {
        let esc = keymap.label(Context::Global, Action::Escape);
        hints.key(esc, if self.is_outermost() { "later" } else { "back" });
    }

    fn draw(&mut self, area: Rect, buffer: &mut Buffer, cx: &LayerCx<'_>) -> Option<Position> {
        self.draw_in(area, buffer, cx)
    }
}

impl Dialog for FormDialog {
    fn call(&self) -> Option<&CallId> {
        Some(&self.form.call)
    }

    fn unsent_text(&self) -> Option<String> {
        self.written_text()
    }

    fn leave(&mut self) {
        self.remark = None;
    }

    fn effect(&self, action: Action) -> ActionEffect {
        match action {
            Action::FormDone => ActionEffect::Answers,
            Action::FormDismiss => ActionEffect::Commits,
            _ => ActionEffect::Looks,
        }
    }

    fn rows(&mut self, width: u16, cx: &LayerCx<'_>) -> u16 {
        self.rows_wanted(width, cx)
    }
}

#[derive(Debug, Clone, Copy)]
enum StepDirection {
    On,
    Back,
}

/// Options, and the row for own words.
fn rows_of(question: &FormQuestion) -> usize {
    question.options.len() + usize::from(question.own_words.is_some())
}
