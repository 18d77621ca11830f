//! One frame, back to front.
//!
//! From top to bottom: the title row, the transcript, what waits to be sent, a rule, the composer or the question in its
//! place, the hint row. The help and the table of the leader's keys lie above. Under 40 columns or 10 rows one sentence
//! says what is needed.

use std::time::Instant;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Clear, Widget};

use super::{App, Focus, LEADER_TABLE, Link, Turn};
use crate::session::{Op, QueuedKind};
use crate::text::width::{str_width, truncate_start};
use crate::tui::composer;
use crate::tui::dialog::DialogCx;
use crate::tui::help;
use crate::tui::keymap::{Action, Context};
use crate::tui::queue_list::{self, Waiting};
use crate::tui::statusbar::{Hints, TitleRow};
use crate::tui::surroundings::Motion;
use crate::tui::transcript::DrawCx;
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
}

struct Areas {
    title: Rect,
    transcript: Rect,
    queue: Rect,
    rule: Rect,
    dialog: Rect,
    composer: Rect,
    hints: Rect,
}

impl App {
    /// Draws everything, and returns where the terminal's cursor stands.
    pub(crate) fn draw(&mut self, area: Rect, buffer: &mut Buffer, now: Instant) -> Option<Position> {
        if area.width < LEAST_COLUMNS || area.height < LEAST_ROWS {
            refuse(area, buffer);
            return None;
        }
        let areas = self.areas(area);
        self.shown = Shown { dialog: areas.dialog };
        let symbols = self.surroundings.symbols;
        TitleRow {
            facts: &self.facts,
            theme: &self.theme,
            symbols,
        }
        .draw(areas.title, buffer);
        self.draw_transcript(areas.transcript, buffer, now);
        queue_list::draw(&self.waiting(), areas.queue, buffer, &self.theme, symbols);
        self.draw_rule(areas.rule, buffer);
        let mut caret = self.draw_dialog(areas.dialog, buffer);
        caret = self.draw_composer(areas.composer, buffer).or(caret);
        self.hints().draw(areas.hints, buffer);
        let is_covered = self.draw_above(area, buffer, now);
        caret.filter(|_| !is_covered)
    }

    fn areas(&mut self, area: Rect) -> Areas {
        let height = area.height;
        let queue = queue_list::rows(self.waiting().len());
        let shows_composer = self.dialog.as_ref().is_none_or(|dialog| dialog.guard.is_typing());
        let composer = if shows_composer {
            self.composer_rows(area)
        } else {
            0
        };
        let top = if height >= ROOMY { 2 } else { 1 };
        // The title, a row of transcript, the rule and the hints are always there.
        let rest = height.saturating_sub(top + 3 + queue + composer);
        let directory = self.directory_words();
        let dialog = self
            .with_dialog(&directory, |dialog, cx| dialog.rows(area.width, cx))
            .unwrap_or(0);
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
            title: row(0, 1),
            transcript: row(top, queue_top - top),
            queue: row(queue_top, rule - queue_top),
            rule: row(rule, 1),
            dialog: row(dialog_top, dialog),
            composer: row(composer_top, composer),
            hints: row(hints, 1),
        }
    }

    fn composer_rows(&mut self, area: Rect) -> u16 {
        let least = if area.height >= ROOMY { 2 } else { 1 };
        self.composer
            .rows(area.width.saturating_sub(2))
            .clamp(least, (area.height / 3).max(least))
    }

    /// The home directory as `~`.
    fn directory_words(&self) -> String {
        let home = self.surroundings.home.as_deref();
        match home.and_then(|home| self.directory.strip_prefix(home).ok()) {
            Some(rest) if rest.as_os_str().is_empty() => "~".to_owned(),
            Some(rest) => format!("~/{}", rest.display()),
            None => self.directory.display().to_string(),
        }
    }

    fn with_dialog<T>(
        &mut self,
        directory: &str,
        body: impl FnOnce(&mut super::Permission, &DialogCx<'_>) -> T,
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
            directory,
            place,
        };
        Some(body(dialog, &cx))
    }

    fn draw_transcript(&mut self, area: Rect, buffer: &mut Buffer, now: Instant) {
        if self.transcript.is_empty() && self.turn == Turn::Idle {
            self.draw_welcome(area, buffer);
        }
        let focused = self.focus == Focus::Transcript && self.dialog.is_none();
        let frame = match self.surroundings.motion {
            Motion::Full => usize::try_from(self.frame(now)).unwrap_or(0),
            Motion::Reduced => 0,
        };
        let look = Look {
            theme: &self.theme,
            symbols: self.surroundings.symbols,
            highlighter: &self.highlighter,
        };
        let cx = DrawCx {
            look,
            frame,
            now,
            focused,
        };
        self.transcript.draw(area, buffer, &cx);
    }

    fn draw_welcome(&self, area: Rect, buffer: &mut Buffer) {
        let directory = self.directory_words();
        let room = usize::from(area.width).saturating_sub(2);
        let words = crate::text::sanitize::sanitize_line(&directory).into_owned();
        let row = area.y + area.height.saturating_sub(2);
        let line = truncate_start(&words, room);
        buffer.set_stringn(
            area.x + 1,
            row,
            line.as_ref(),
            room,
            self.theme.style(Meaning::TextMuted),
        );
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

    fn draw_dialog(&mut self, area: Rect, buffer: &mut Buffer) -> Option<Position> {
        let directory = self.directory_words();
        self.with_dialog(&directory, |dialog, cx| dialog.draw(area, buffer, cx))
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
        self.composer.draw(inner, buffer, &look).filter(|_| has_focus)
    }

    /// What lies above everything; says whether it takes the keys.
    fn draw_above(&mut self, area: Rect, buffer: &mut Buffer, now: Instant) -> bool {
        let symbols = self.surroundings.symbols;
        let between = Rect {
            y: area.y + 1,
            height: area.height - 2,
            ..area
        };
        if let Some(help) = &mut self.help {
            help.draw(between, buffer, &self.keymap, &self.theme, symbols);
            return true;
        }
        if self.leader.is_some_and(|since| since + LEADER_TABLE <= now) {
            help::draw_leader(between, buffer, &self.keymap, &self.theme, symbols);
        }
        false
    }

    fn waiting(&self) -> Vec<Waiting<'_>> {
        let unsent = self.unsent.iter().filter_map(|op| match op {
            Op::Submit(input) | Op::Queue(input) => Some(Waiting {
                label: "opens",
                text: input.text.as_str(),
            }),
            _ => None,
        });
        self.queue.iter().map(Waiting::of).chain(unsent).collect()
    }

    fn hints(&self) -> Hints<'_> {
        let mut hints = Hints::new(&self.theme, self.surroundings.symbols);
        let put_off = self.put_off.len();
        if put_off > 0 {
            hints.say(&format!("? {put_off} waiting"), Meaning::StateAsking);
            let key = format!(
                "{} {}",
                self.keymap.label(Context::Global, Action::Leader),
                self.keymap.label(Context::Leader, Action::NextAsk)
            );
            hints.key(&key, "answers");
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
            Context::Help => self.help_hints(&mut hints),
            Context::Transcript => self.transcript_hints(&mut hints),
            Context::Question | Context::QuestionAlways | Context::QuestionReason => {
                self.question_hints(&mut hints);
            }
            Context::Composer | Context::Global | Context::Leader => self.composer_hints(&mut hints),
        }
        hints
    }

    fn help_hints(&self, hints: &mut Hints<'_>) {
        hints.key(self.keymap.label(Context::Help, Action::CloseHelp), "closes");
        hints.key(self.keymap.label(Context::Global, Action::PageDown), "scrolls");
    }

    fn transcript_hints(&self, hints: &mut Hints<'_>) {
        let key = |action| self.keymap.label(Context::Transcript, action);
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
        hints.key(key(Action::ShowHelp), "keys");
    }

    fn question_hints(&self, hints: &mut Hints<'_>) {
        let is_typing = self
            .dialog
            .as_ref()
            .is_some_and(|dialog| dialog.guard.is_typing());
        if is_typing {
            hints.say("keys go to your draft until you pause", Meaning::TextMuted);
        }
        let esc = self.keymap.label(Context::Global, Action::Escape);
        let is_first = self.context() == Context::Question;
        hints.key(esc, if is_first { "later" } else { "back" });
        if self.turn == Turn::Busy {
            hints.key(
                self.keymap.label(Context::Global, Action::ClearOrQuit),
                "interrupt",
            );
        }
        hints.key(self.keymap.label(Context::Global, Action::CycleMode), "mode");
    }

    fn composer_hints(&self, hints: &mut Hints<'_>) {
        let key = |action| self.keymap.label(Context::Composer, action);
        let global = |action| self.keymap.label(Context::Global, action);
        match self.turn {
            Turn::Busy => {
                let esc = global(Action::Escape);
                if self.esc.armed.is_some() {
                    hints.say(&format!("{esc} again interrupts"), Meaning::Warning);
                } else {
                    hints.key(esc, "interrupt");
                }
                hints.key(key(Action::Send), "steer");
                hints.key(key(Action::Queue), "queue");
            }
            Turn::Idle => {
                match &self.link {
                    Link::ReadOnly(reason) => hints.say(reason, Meaning::Warning),
                    Link::Gone => hints.say("no session is open", Meaning::Warning),
                    Link::Opening | Link::Open => {
                        let held = self
                            .queue
                            .iter()
                            .filter(|queued| queued.kind == QueuedKind::Held)
                            .count();
                        let verb = if held > 0 {
                            format!("send {held} held")
                        } else {
                            "send".to_owned()
                        };
                        hints.key(key(Action::Send), &verb);
                    }
                }
                hints.key(key(Action::Newline), "newline");
            }
        }
        hints.key(global(Action::CycleMode), "mode");
        if self.composer.is_empty() {
            hints.key(key(Action::HelpOrType), "keys");
        }
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
