//! One frame, back to front.
//!
//! From top to bottom: the title row, the transcript, what waits to be sent, a rule, the composer or the question in its
//! place, the hint row. Lists, the help and the table of the leader's keys lie above. Under 40 columns or 10 rows one sentence
//! says what is needed.

use std::time::Instant;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Clear, Widget};

use super::{App, Focus, LEADER_TABLE, Link, Permission, Turn};
use crate::text::width::str_width;
use crate::tui::completion;
use crate::tui::composer;
use crate::tui::dialog::{DialogCx, FormDialog, Guard, Trust};
use crate::tui::keymap::{Action, Context, Edit, words};
use crate::tui::page::{self, PageKind};
use crate::tui::panel::WIDE;
use crate::tui::statusbar::{Hints, TitleRow};
use crate::tui::surroundings::{Motion, path_words};
use crate::tui::transcript::{CaretMove, DrawCx};
use crate::view::Look;
use crate::view::theme::Meaning;

const LEAST_COLUMNS: u16 = 40;
const LEAST_ROWS: u16 = 10;
/// From this height on the composer keeps a second row free, and a blank row parts the title from the transcript.
const ROOMY: u16 = 20;

/// Where things stood on the last frame, for the mouse.
#[derive(Debug, Default)]
pub(super) struct Shown {
    pub(super) dialog: Rect,
    pub(super) composer: Rect,
    pub(super) queue: Rect,
    /// Of the whole screen.
    pub(super) width: u16,
    /// The list above the composer, with its head.
    pub(super) completion: Rect,
    /// There is room for the beginning of a file beside the list.
    pub(super) is_wide: bool,
}

struct Areas {
    title: Rect,
    transcript: Rect,
    queue: Rect,
    rule: Rect,
    dialog: Rect,
    composer: Rect,
    /// Beside all of these but the title; empty where it is not there.
    panel: Rect,
    hints: Rect,
}

impl App {
    /// Draws everything, and returns where the terminal's cursor stands.
    pub(crate) fn draw(&mut self, area: Rect, buffer: &mut Buffer, now: Instant) -> Option<Position> {
        self.pictures.begin();
        let caret = self.draw_layers(area, buffer, now);
        // Only now it is known what stands over them.
        self.pictures.finish(buffer);
        caret
    }

    fn draw_layers(&mut self, area: Rect, buffer: &mut Buffer, now: Instant) -> Option<Position> {
        if area.width < LEAST_COLUMNS || area.height < LEAST_ROWS {
            refuse(area, buffer);
            return None;
        }
        let areas = self.areas(area);
        self.shown = Shown {
            dialog: areas.dialog,
            composer: areas.composer,
            queue: areas.queue,
            width: area.width,
            completion: Rect::default(),
            is_wide: area.width >= completion::WIDE,
        };
        let symbols = self.surroundings.symbols;
        TitleRow {
            facts: &self.facts,
            elsewhere: self.elsewhere(),
            theme: &self.theme,
            symbols,
        }
        .draw(areas.title, buffer);
        self.draw_transcript(areas.transcript, buffer, now);
        self.settle_selection(now);
        self.draw_queue(areas.queue, buffer);
        self.draw_rule(areas.rule, buffer);
        let mut caret = self.draw_dialog(areas.dialog, area.height < ROOMY, buffer);
        caret = self.draw_composer(areas.composer, buffer).or(caret);
        let conversation = areas.transcript.union(areas.queue);
        caret = self.draw_panel(areas.panel, conversation, buffer).or(caret);
        // Before its hints: they tell of what was found and of what does not fit.
        if !self.pages.is_empty() {
            caret = self.draw_page(between(area), buffer);
        }
        if self.context() == Context::Completion {
            let above = Rect {
                height: areas.rule.y - area.y - 1,
                y: area.y + 1,
                ..areas.rule
            };
            self.shown.completion = self.draw_completion(above, buffer);
        }
        if self.search.is_some() {
            caret = self.draw_search(areas.hints, buffer);
        } else {
            self.hints().draw(areas.hints, buffer);
        }
        if self.context() == Context::Select {
            caret = self.transcript.caret();
        }
        if self.picker.is_some() {
            caret = self.draw_list(between(area), buffer);
        }
        if self.draw_leader(between(area), buffer, now) {
            caret = None;
        }
        let Some(leaving) = self.leaving else {
            return caret;
        };
        leaving.draw(between(area), buffer, self.look(), &self.keymap);
        None
    }

    fn look(&self) -> Look<'_> {
        Look {
            theme: &self.theme,
            symbols: self.surroundings.symbols,
            highlighter: &self.highlighter,
        }
    }

    fn areas(&mut self, screen: Rect) -> Areas {
        let is_full = self.dialog.as_ref().is_some_and(Permission::is_full);
        let panel = if is_full {
            0
        } else {
            self.panel_columns(screen.width)
        };
        let area = Rect {
            width: screen.width - panel,
            ..screen
        };
        let height = area.height;
        if self.focus != Focus::Queue {
            self.queue_list.leave();
        }
        let queue = self.queue_list.rows(self.waiting().len(), height);
        let shows_composer = self.asking_guard().is_none_or(Guard::is_typing);
        let composer = if shows_composer {
            self.composer_rows(area)
        } else {
            0
        };
        let top = if height >= ROOMY { 2 } else { 1 };
        // The title, a row of transcript, the rule and the hints are always there.
        let rest = height.saturating_sub(top + 3 + queue + composer);
        let is_low = height < ROOMY;
        let dialog = match self.with_trust(|trust, look| trust.rows(area.width, look)) {
            Some(rows) => rows,
            None => self
                .with_dialog(is_low, |dialog, cx| dialog.rows(area.width, cx))
                .or_else(|| self.with_form(is_low, |form, cx| form.rows(area.width, cx)))
                .unwrap_or(0),
        };
        if is_full {
            return full_screen(area, composer);
        }
        let dialog = dialog.min(rest.min(height * 2 / 3));
        let row = |y: u16, height: u16| Rect {
            y: area.y + y,
            height,
            ..area
        };
        let hints = height - 1;
        let composer_top = hints - composer;
        let dialog_top = composer_top - dialog;
        let rule = dialog_top - 1;
        let queue_top = rule - queue.min(rule.saturating_sub(top + 1));
        Areas {
            title: Rect { height: 1, ..screen },
            transcript: row(top, queue_top - top),
            queue: row(queue_top, rule - queue_top),
            rule: row(rule, 1),
            dialog: row(dialog_top, dialog),
            composer: row(composer_top, composer),
            panel: Rect {
                x: area.right(),
                y: area.y + top,
                width: panel,
                height: if panel > 0 { hints - top } else { 0 },
            },
            hints: Rect {
                width: screen.width,
                ..row(hints, 1)
            },
        }
    }

    fn composer_rows(&mut self, area: Rect) -> u16 {
        let least = if area.height >= ROOMY { 2 } else { 1 };
        let most = (area.height / 3).max(least);
        self.composer
            .rows_within(area.width.saturating_sub(2), most)
            .max(least)
    }

    fn with_dialog<T>(
        &mut self,
        is_low: bool,
        body: impl FnOnce(&mut Permission, &DialogCx<'_>) -> T,
    ) -> Option<T> {
        let dialog = self.dialog.as_mut()?;
        let id = dialog.question().id;
        let place = self
            .questions
            .iter()
            .position(|question| question.id == id)
            .map_or(1, |place| place + 1);
        let look = Look {
            theme: &self.theme,
            symbols: self.surroundings.symbols,
            highlighter: &self.highlighter,
        };
        let place = (place, self.questions.len());
        let cx = DialogCx {
            look,
            keymap: &self.keymap,
            home: self.surroundings.home.as_deref(),
            place,
            is_low,
        };
        Some(body(dialog, &cx))
    }

    fn with_trust<T>(&mut self, body: impl FnOnce(&mut Trust, Look<'_>) -> T) -> Option<T> {
        let look = Look {
            theme: &self.theme,
            symbols: self.surroundings.symbols,
            highlighter: &self.highlighter,
        };
        self.trust.as_mut().map(|trust| body(trust, look))
    }

    fn with_form<T>(
        &mut self,
        is_low: bool,
        body: impl FnOnce(&mut FormDialog, &DialogCx<'_>) -> T,
    ) -> Option<T> {
        let place = (
            self.questions.len() + self.forms.place(),
            self.questions.len() + self.forms.len(),
        );
        let form = self.forms.shown_mut()?;
        let look = Look {
            theme: &self.theme,
            symbols: self.surroundings.symbols,
            highlighter: &self.highlighter,
        };
        let cx = DialogCx {
            look,
            keymap: &self.keymap,
            home: self.surroundings.home.as_deref(),
            place,
            is_low,
        };
        Some(body(form, &cx))
    }

    fn draw_transcript(&mut self, area: Rect, buffer: &mut Buffer, now: Instant) {
        if area.is_empty() {
            return;
        }
        if self.transcript.is_empty() && self.turn == Turn::Idle {
            self.draw_welcome(area, buffer);
        }
        self.prepare_pictures(area);
        let focused = self.focus == Focus::Transcript && !self.is_asking();
        let frame = match self.surroundings.motion {
            Motion::Full => usize::try_from(self.frame(now)).unwrap_or(0),
            Motion::Reduced => 0,
        };
        let look = Look {
            theme: &self.theme,
            symbols: self.surroundings.symbols,
            highlighter: &self.highlighter,
        };
        // In the transcript `esc` leads to the composer.
        let end_key = if focused {
            self.keymap.label(Context::Global, Action::ClearOrQuit).to_owned()
        } else {
            match self.keymap.label(Context::Global, Action::Escape) {
                "" => String::new(),
                escape => format!("{escape} {escape}"),
            }
        };
        let cx = DrawCx {
            look,
            frame,
            now,
            focused,
            end_key: &end_key,
            fold_key: self.keymap.label(Context::Transcript, Action::ToggleFold),
        };
        self.transcript.draw(area, buffer, &cx);
        self.draw_pictures(buffer);
    }

    /// The rule above the composer; it also says what came below what is read.
    fn draw_rule(&self, area: Rect, buffer: &mut Buffer) {
        let symbols = self.surroundings.symbols;
        let style = self.theme.style(Meaning::Rule);
        let rule = symbols.rule().repeat(usize::from(area.width));
        buffer.set_stringn(area.x, area.y, rule, usize::from(area.width), style);
        let unseen = self.transcript.unseen();
        if unseen > 0 {
            let arrow = if symbols == crate::view::Symbols::Unicode {
                "↓"
            } else {
                "v"
            };
            let text = format!(" {arrow} {unseen} new ");
            let x = area
                .right()
                .saturating_sub(u16::try_from(str_width(&text)).unwrap_or(0) + 2);
            buffer.set_stringn(x, area.y, &text, text.len(), self.theme.style(Meaning::Accent));
        }
    }

    fn draw_dialog(&mut self, area: Rect, is_low: bool, buffer: &mut Buffer) -> Option<Position> {
        if let Some(trust) = &mut self.trust {
            let look = Look {
                theme: &self.theme,
                symbols: self.surroundings.symbols,
                highlighter: &self.highlighter,
            };
            let project = path_words(trust.root(), self.surroundings.home.as_deref());
            trust.draw(area, buffer, look, &self.keymap, &project);
            return None;
        }
        if self.dialog.is_none() {
            let drawn = self.with_form(is_low, |form, cx| form.draw(area, buffer, cx));
            return drawn.flatten();
        }
        self.with_dialog(is_low, |dialog, cx| dialog.draw(area, buffer, cx))
            .flatten()
    }

    fn draw_composer(&mut self, area: Rect, buffer: &mut Buffer) -> Option<Position> {
        if area.is_empty() {
            return None;
        }
        let has_focus = self.focus == Focus::Composer;
        let bar = if has_focus { Meaning::Accent } else { Meaning::Rule };
        let text = self.theme.style(Meaning::Text);
        let look = composer::Look {
            text,
            bar: self.surroundings.symbols.bar(),
            bar_style: self.theme.style(bar),
            chip: self.theme.style(Meaning::Accent),
            invitation: match self.turn {
                Turn::Idle => "Ask for a change, or about the code.",
                Turn::Busy => "Add something while it works.",
            },
            muted: self.theme.style(Meaning::TextMuted),
        };
        let inner = Rect {
            x: area.x + 1,
            width: area.width.saturating_sub(2),
            ..area
        };
        self.composer
            .set_selection_style(self.theme.style(Meaning::Selection));
        self.composer.draw(inner, buffer, &look).filter(|_| has_focus)
    }

    fn draw_completion(&mut self, area: Rect, buffer: &mut Buffer) -> Rect {
        let look = Look {
            theme: &self.theme,
            symbols: self.surroundings.symbols,
            highlighter: &self.highlighter,
        };
        self.completion.draw(area, buffer, look)
    }

    fn draw_list(&mut self, area: Rect, buffer: &mut Buffer) -> Option<Position> {
        let look = Look {
            theme: &self.theme,
            symbols: self.surroundings.symbols,
            highlighter: &self.highlighter,
        };
        self.picker.as_mut()?.draw(area, buffer, look)
    }

    /// The table of the leader's keys, once it is looked for.
    /// Says whether the table is there.
    fn draw_leader(&self, area: Rect, buffer: &mut Buffer, now: Instant) -> bool {
        let is_there = self.leader.is_some_and(|since| since + LEADER_TABLE <= now);
        if is_there {
            page::draw_leader(area, buffer, &self.keymap, self.look());
        }
        is_there
    }

    fn hints(&self) -> Hints<'_> {
        let mut hints = Hints::new(&self.theme, self.surroundings.symbols);
        let put_off = self.put_off.len() + self.forms.put_off();
        if put_off > 0 {
            // Where there is room the sign stands as the dialog's does.
            let words = match self.shown.width {
                WIDE.. => format!("? {put_off} waiting"),
                _ => format!("{put_off} asks"),
            };
            hints.say(&words, Meaning::StateAsking);
            hints.key(&self.keymap.after_leader(Action::NextAsk), "answers");
        }
        if let Some(remark) = &self.remark {
            hints.say(&remark.text, remark.meaning);
        }
        if self.quit_armed.is_some() {
            let key = self.keymap.label(Context::Global, Action::ClearOrQuit);
            hints.say(&format!("{key} again quits"), Meaning::Warning);
            return hints;
        }
        match self.context() {
            Context::Page | Context::Rules | Context::Export | Context::Diff | Context::Comment => {
                self.page_hints(&mut hints);
            }
            Context::Search if !self.pages.is_empty() => self.page_hints(&mut hints),
            Context::Picker => self.list_hints(&mut hints),
            Context::Transcript => self.transcript_hints(&mut hints),
            Context::Queue => self.queue_hints(&mut hints),
            Context::Panel | Context::PanelText => self.panel_hints(&mut hints),
            Context::Completion => self.completion_hints(&mut hints),
            Context::Question
            | Context::QuestionAlways
            | Context::QuestionText
            | Context::Form
            | Context::FormText => {
                self.question_hints(&mut hints);
            }
            Context::Trust => self.trust_hints(&mut hints),
            Context::Leaving => {
                let esc = self.keymap.label(Context::Global, Action::Escape);
                hints.key(esc, "stays");
            }
            Context::Select => self.select_hints(&mut hints),
            // Its own row takes the place of the hints.
            Context::Search => {}
            Context::Composer | Context::Global | Context::Leader | Context::Palette => {
                self.composer_hints(&mut hints);
            }
        }
        hints
    }

    fn transcript_hints(&self, hints: &mut Hints<'_>) {
        let key = |action| self.keymap.label(Context::Transcript, action);
        if let Some(words) = self.search_words() {
            hints.say(&words, Meaning::Match);
            let keys = format!("{} {}", key(Action::NextMatch), key(Action::PreviousMatch));
            hints.key(&keys, "matches");
        }
        if self.turn == Turn::Busy {
            hints.key(self.keymap.label(Context::Global, Action::Escape), "composer");
        } else {
            hints.key(key(Action::FocusComposer), "composer");
        }
        hints.key(
            &format!("{} {}", key(Action::NextBlock), key(Action::PreviousBlock)),
            "blocks",
        );
        hints.key(key(Action::ToggleFold), "fold");
        hints.key(key(Action::ToggleAll), "all");
        hints.key(key(Action::CopyBlock), "copy");
        hints.key(key(Action::Open), "open");
        hints.key(key(Action::Search), "search");
        hints.key(key(Action::Select), "select");
        hints.key(key(Action::OpenPage(PageKind::Keys)), "keys");
    }

    fn select_hints(&self, hints: &mut Hints<'_>) {
        let key = |action| self.keymap.label(Context::Select, action);
        hints.say("selecting", Meaning::TextStrong);
        hints.key(key(Action::CopySelection), "copy");
        hints.key(key(Action::Open), "open");
        let pair = |one, other| format!("{} {}", key(Action::SelectTo(one)), key(Action::SelectTo(other)));
        hints.key(&pair(CaretMove::Down, CaretMove::Up), "rows");
        hints.key(&pair(CaretMove::WordRight, CaretMove::WordLeft), "words");
        hints.key(self.keymap.label(Context::Global, Action::Escape), "back");
    }

    fn question_hints(&self, hints: &mut Hints<'_>) {
        if self.asking_guard().is_some_and(Guard::is_typing) {
            hints.say("keys go to your draft until you pause", Meaning::TextMuted);
        }
        let is_form = self.dialog.is_none();
        if is_form {
            self.form_hints(hints);
        } else {
            let esc = self.keymap.label(Context::Global, Action::Escape);
            let is_first = self.context() == Context::Question;
            hints.key(esc, if is_first { "later" } else { "back" });
        }
        if self.can_interrupt() {
            hints.key(
                self.keymap.label(Context::Global, Action::ClearOrQuit),
                "interrupt",
            );
        }
        if is_form {
            return;
        }
        hints.key(self.keymap.label(Context::Global, Action::CycleMode), "mode");
    }

    fn trust_hints(&self, hints: &mut Hints<'_>) {
        let global = |action| self.keymap.label(Context::Global, action);
        hints.key(global(Action::Escape), "not now");
        hints.key(global(Action::PageDown), "reads on");
        hints.key(global(Action::ClearOrQuit), "quits");
    }

    fn composer_hints(&self, hints: &mut Hints<'_>) {
        let key = |action| self.keymap.label(Context::Composer, action);
        let global = |action| self.keymap.label(Context::Global, action);
        self.vim_hints(hints);
        let is_on_chip = self.composer.is_on_chip();
        if is_on_chip {
            let is_file = self.composer.is_on_file();
            hints.key(
                key(Action::Send),
                if is_file { "what it is" } else { "open the paste" },
            );
        }
        if self.composer.has_selection() {
            hints.key(key(Action::CopyText), "copy");
            hints.key(key(Action::Edit(Edit::DeleteWordLeft)), "cut");
        }
        if self.can_interrupt() {
            let esc = global(Action::Escape);
            if self.esc.armed.is_some() {
                hints.say(&format!("{esc} again interrupts"), Meaning::Warning);
            } else {
                hints.key(esc, "interrupt");
            }
        }
        if self.composer.begins_with('!') {
            if !is_on_chip {
                hints.key(key(Action::Send), "run in the shell");
            }
        } else if self.turn == Turn::Busy {
            self.busy_hints(hints);
        } else {
            self.idle_hints(hints);
        }
        self.panel_offer(hints);
        if self.composer.is_empty() {
            hints.key(key(Action::HelpOrType), "keys");
        }
        hints.key(global(Action::CycleMode), "mode");
        if self.turn == Turn::Idle && !self.composer.is_empty() {
            hints.key(key(Action::Newline), "newline");
        }
    }

    fn busy_hints(&self, hints: &mut Hints<'_>) {
        let key = |action| self.keymap.label(Context::Composer, action);
        if !self.composer.is_on_chip() {
            hints.key(key(Action::Send), "steer");
        }
        hints.key(key(Action::Queue), "queue");
        if !self.queue.is_empty() {
            let up = words(key(Action::Edit(Edit::Up)), self.surroundings.symbols);
            hints.key(up, "what waits");
        }
    }

    fn idle_hints(&self, hints: &mut Hints<'_>) {
        let key = |action| self.keymap.label(Context::Composer, action);
        match &self.link {
            Link::ReadOnly(reason) => hints.say(reason, Meaning::Warning),
            Link::Gone => hints.say("no session is open", Meaning::Warning),
            Link::Opening | Link::Open => {
                let held = self.held();
                let verb = if held > 0 && self.composer.is_blank() {
                    format!("send {held} held")
                } else {
                    "send".to_owned()
                };
                if !self.composer.is_on_chip() {
                    hints.key(key(Action::Send), &verb);
                }
            }
        }
        if self.agents.len() > 1 {
            hints.key(key(Action::NextAgent), "agent");
        }
        if matches!(self.link, Link::Opening | Link::Open) {
            self.sign_hints(hints);
        }
    }

    /// Signs that begin something else than words. A command begins a message.
    fn sign_hints(&self, hints: &mut Hints<'_>) {
        hints.key("@", "file");
        if self.composer.is_empty() {
            hints.key("/", "command");
            hints.key("!", "shell");
        }
    }
}

/// Nothing but the question, between the title and the hints.
fn full_screen(area: Rect, composer: u16) -> Areas {
    let row = |y: u16, height: u16| Rect {
        y: area.y + y,
        height,
        ..area
    };
    let hints = area.height - 1;
    let composer_top = hints - composer;
    Areas {
        title: row(0, 1),
        transcript: row(1, 0),
        queue: row(1, 0),
        rule: row(1, 1),
        dialog: row(2, composer_top - 2),
        composer: row(composer_top, composer),
        panel: Rect::default(),
        hints: row(hints, 1),
    }
}

/// All but the title and the hints.
fn between(area: Rect) -> Rect {
    Rect {
        y: area.y + 1,
        height: area.height - 2,
        ..area
    }
}

fn refuse(area: Rect, buffer: &mut Buffer) {
    Clear.render(area, buffer);
    let text = format!(
        "lathe needs {LEAST_COLUMNS}×{LEAST_ROWS}; this is {}×{}",
        area.width, area.height
    );
    buffer.set_line(area.x, area.y, &Line::from(Span::raw(text)), area.width);
}
