//! The pane as a layer: what keys, pastes and the mouse do.

use std::time::Instant;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use termina::event::{KeyCode, KeyEvent, MouseButton, MouseEvent, MouseEventKind};

use super::keys::{
    AFTER_LEADER, CONTROL, COPY, HAND_OVER, LEADER, LEAVE, NEXT, SCROLL, START, STOP, TYPING, ZOOM,
};
use super::{PAGE, Stage, TerminalPane, TerminalPlace, encode};
use crate::conversation::{TerminalInput, TerminalOwner, TerminalRow};
use crate::process::screen::{CursorShape, StyledRun};
use crate::session::TerminalOp;
use crate::tui::keymap::{Action, Context, Keymap, typed};
use crate::tui::layer::{Layer, LayerCx, LayerKind, LayerReply, LayerRequest, say};
use crate::tui::statusbar::Hints;
use crate::tui::terminal::CaretShape;
use crate::view::theme::Meaning;

/// Byte of the leader, for a program that wants it.
const LEADER_BYTE: u8 = 0x1d;
/// Size of a terminal that is started before there is a place for it.
const NEW_SIZE: (u16, u16) = (120, 40);

impl Layer for TerminalPane {
    fn kind(&self) -> Option<LayerKind> {
        Some(LayerKind::Page(&PAGE))
    }

    fn context(&self) -> Context {
        Context::Layer(match self.stage {
            Stage::Typing => &TYPING,
            Stage::AfterLeader => &AFTER_LEADER,
        })
    }

    fn takes_typing(&self) -> bool {
        true
    }

    fn type_key(&mut self, key: &KeyEvent, received: &[u8], keymap: &Keymap, now: Instant) -> LayerReply {
        self.key_time = Some(now);
        let is_leader = keymap.has(Context::Layer(&TYPING), *key);
        match std::mem::take(&mut self.stage) {
            Stage::Typing if is_leader => {
                self.stage = Stage::AfterLeader;
                LayerReply::Done
            }
            Stage::Typing => self.type_to_program(key, received, now),
            Stage::AfterLeader if is_leader => self.send(vec![LEADER_BYTE]),
            Stage::AfterLeader => self.act_after_leader(key, keymap),
        }
    }

    fn focus_changed(&mut self, has_focus: bool) -> LayerReply {
        let wants = self.modes().is_some_and(|modes| modes.focus_reports);
        if !wants || !self.is_chosen_live() {
            return LayerReply::Ignored;
        }
        let report: &[u8] = if has_focus { b"\x1b[I" } else { b"\x1b[O" };
        self.send(report.to_vec())
    }

    fn caret_shape(&self) -> CaretShape {
        match self.chosen_screen().map(|screen| screen.cursor.shape) {
            Some(CursorShape::Bar) => CaretShape::Bar,
            Some(CursorShape::Underline) => CaretShape::Underline,
            Some(CursorShape::Block) => CaretShape::Block,
            None => CaretShape::Own,
        }
    }

    fn act(&mut self, action: Action) -> LayerReply {
        match action {
            LEADER => self.stage = Stage::AfterLeader,
            LEAVE => return LayerReply::Close(self.close()),
            NEXT => {
                let next = self.chosen_place().map_or(0, |place| place + 1);
                self.choose(if next < self.rows.len() { next } else { 0 });
            }
            ZOOM => self.is_grid = !self.is_grid,
            SCROLL => return self.with_chosen(|name, _| LayerRequest::ScrollTerminal(name)),
            COPY => return self.copy(),
            CONTROL => {
                return self.with_chosen(|name, row| {
                    LayerRequest::Terminals(vec![TerminalOp::SetExclusive {
                        name,
                        is_exclusive: !row.is_exclusive,
                    }])
                });
            }
            START => {
                self.starting = self.key_time;
                let size = (self.area.width, self.area.height.saturating_sub(1));
                let (cols, rows) = if size.1 == 0 { NEW_SIZE } else { size };
                return LayerReply::Request(LayerRequest::Terminals(vec![TerminalOp::Start { cols, rows }]));
            }
            HAND_OVER => return self.hand_over(),
            STOP => return self.stop(),
            Action::OpenPage(_) => return LayerReply::Request(LayerRequest::Perform(action)),
            _ => return LayerReply::Ignored,
        }
        LayerReply::Done
    }

    fn pick(&mut self, digit: char) -> LayerReply {
        let number = digit.to_digit(10).and_then(|digit| usize::try_from(digit).ok());
        self.choose(number.unwrap_or(0).saturating_sub(1));
        LayerReply::Done
    }

    fn paste(&mut self, text: &str) -> LayerReply {
        self.stage = Stage::Typing;
        match self.modes() {
            Some(modes) if self.is_chosen_live() => self.send(encode::paste(text, modes)),
            None if self.is_chosen_live() => say("nothing was pasted: the terminal is not on screen yet"),
            _ => say("nothing was pasted: no program runs there"),
        }
    }

    fn close(&mut self) -> Option<LayerRequest> {
        self.places.clear();
        self.release();
        let pending = self.take_pending();
        (!pending.is_empty()).then_some(LayerRequest::Terminals(pending))
    }

    fn mouse(&mut self, event: MouseEvent, wheel_rows: isize) -> LayerReply {
        let is_press = matches!(event.kind, MouseEventKind::Down(_));
        if matches!(event.kind, MouseEventKind::Up(_) | MouseEventKind::Drag(_)) {
            return self.follow_press(event);
        }
        let cell = Position::new(event.column, event.row);
        if is_press && event.row >= self.area.bottom() {
            // The hint of the leader.
            self.stage = Stage::AfterLeader;
            return LayerReply::Done;
        }
        let at = self
            .places
            .iter()
            .find(|place| place.tile.contains(cell))
            .cloned();
        let Some(place) = at else {
            return self.press_heading(event, is_press);
        };
        if is_press && self.chosen.as_deref() != Some(place.name.as_str()) {
            self.chosen = Some(place.name);
            return LayerReply::Done;
        }
        if is_press && place.screen.contains(cell) {
            self.pressed = Some(place.name.clone());
        }
        self.mouse_on_screen(event, &place, wheel_rows)
    }

    fn hints(&self, hints: &mut Hints<'_>, keymap: &Keymap) {
        match self.stage {
            Stage::Typing => self.typing_hints(hints, keymap),
            Stage::AfterLeader => {
                let key = |action| keymap.label(Context::Layer(&AFTER_LEADER), action);
                for (action, verb) in [
                    (LEAVE, "leave"),
                    (STOP, "stop"),
                    (SCROLL, "scroll"),
                    (ZOOM, if self.is_grid { "one" } else { "all" }),
                    (CONTROL, "control"),
                    (START, "new"),
                    (HAND_OVER, "hand over"),
                    (NEXT, "next"),
                    (COPY, "copy"),
                ] {
                    hints.key(key(action), verb);
                }
                hints.key(keymap.label(Context::Layer(&TYPING), LEADER), "sends itself");
            }
        }
    }

    fn draw(&mut self, area: Rect, buffer: &mut Buffer, cx: &LayerCx<'_>) -> Option<Position> {
        self.draw_pane(area, buffer, cx)
    }

    fn as_terminals(&mut self) -> Option<&mut TerminalPane> {
        Some(self)
    }
}

impl TerminalPane {
    fn is_chosen_live(&self) -> bool {
        self.chosen_row().is_some_and(|row| row.status.is_running())
    }

    fn type_to_program(&mut self, key: &KeyEvent, received: &[u8], now: Instant) -> LayerReply {
        if self.starting.is_some_and(|since| now < since + super::START) {
            return say("the terminal is being started; the key was not sent");
        }
        if !self.is_chosen_live() {
            // What was meant for a program that has just ended does nothing else.
            return match key.code {
                KeyCode::Escape => LayerReply::Close(self.close()),
                KeyCode::Char('c') if self.rows.is_empty() => self.act(START),
                _ if self.rows.is_empty() => say("no terminal runs"),
                _ => say("the program has ended, so the key was not sent"),
            };
        }
        self.typed = Some(now);
        // Who types ahead of the first picture means the program that comes.
        let modes = self.modes().unwrap_or_default();
        self.send(encode::key(key, received, modes))
    }

    fn send(&mut self, bytes: Vec<u8>) -> LayerReply {
        match self.typing(bytes) {
            Some(op) => LayerReply::Request(LayerRequest::Terminals(vec![op])),
            None => LayerReply::Done,
        }
    }

    fn act_after_leader(&mut self, key: &KeyEvent, keymap: &Keymap) -> LayerReply {
        let context = Context::Layer(&AFTER_LEADER);
        let action = keymap.action(context, *key).filter(|_| keymap.has(context, *key));
        match (action, typed(*key)) {
            (Some(Action::FormPick), Some(digit)) => self.pick(digit),
            (Some(action), _) => self.act(action),
            (None, _) if key.code == KeyCode::Escape => LayerReply::Done,
            (None, _) => say("that key does nothing after the leader"),
        }
    }

    fn with_chosen(&self, request: impl FnOnce(String, &TerminalRow) -> LayerRequest) -> LayerReply {
        match self.chosen_row() {
            Some(row) => LayerReply::Request(request(row.name.clone(), row)),
            None => say("no terminal runs"),
        }
    }

    /// Copies the text of the screen, without the empty rows at its end.
    fn copy(&self) -> LayerReply {
        let Some(screen) = self.chosen_screen() else {
            return say("there is no screen to copy");
        };
        let rows: Vec<String> = screen.lines.iter().map(|line| line_text(line)).collect();
        let text = rows.join("\n").trim_end().to_owned();
        if text.is_empty() {
            return say("the screen is empty");
        }
        LayerReply::Request(LayerRequest::Copy {
            text,
            what: "the screen",
        })
    }

    fn hand_over(&self) -> LayerReply {
        match self.chosen_row() {
            Some(row) if row.owner == TerminalOwner::Person => LayerReply::Request(LayerRequest::Terminals(
                vec![TerminalOp::HandOver(row.name.clone())],
            )),
            Some(_) => say("the agents have this terminal already"),
            None => say("no terminal runs"),
        }
    }

    /// Asks before a program is stopped; one that has ended is forgotten.
    fn stop(&self) -> LayerReply {
        self.with_chosen(|name, row| {
            if row.status.is_running() {
                LayerRequest::StopTerminal(row.clone())
            } else {
                LayerRequest::Terminals(vec![TerminalOp::Stop(name)])
            }
        })
    }

    fn press_heading(&mut self, event: MouseEvent, is_press: bool) -> LayerReply {
        let is_left = event.kind == MouseEventKind::Down(MouseButton::Left);
        if is_press
            && is_left
            && event.row == self.area.y
            && let Some(place) = self.tab_at(event.column)
        {
            self.choose(place);
        }
        LayerReply::Done
    }

    /// Tells the program in which the button was pressed of a drag or the release, at the nearest cell of its screen. One
    /// that got no press is told of neither.
    fn follow_press(&mut self, mut event: MouseEvent) -> LayerReply {
        let is_release = matches!(event.kind, MouseEventKind::Up(_));
        let pressed = if is_release {
            self.pressed.take()
        } else {
            self.pressed.clone()
        };
        let place = pressed
            .filter(|name| self.chosen.as_ref() == Some(name))
            .and_then(|name| self.places.iter().find(|place| place.name == name).cloned());
        let Some(place) = place else {
            return LayerReply::Done;
        };
        let Rect { x, y, .. } = place.screen;
        event.column = event
            .column
            .clamp(x, place.screen.right().saturating_sub(1).max(x));
        event.row = event.row.clamp(y, place.screen.bottom().saturating_sub(1).max(y));
        self.mouse_on_screen(event, &place, 0)
    }

    fn mouse_on_screen(&mut self, event: MouseEvent, place: &TerminalPlace, wheel_rows: isize) -> LayerReply {
        let Some(screen) = self.chosen_screen() else {
            return LayerReply::Done;
        };
        let is_live = self.is_chosen_live();
        let scrolled = super::draw_screen::scrolled(screen, place.screen, true);
        let told = encode::mouse(event, place.screen, scrolled, screen.modes).filter(|_| is_live);
        if let Some(bytes) = told {
            return self.send(bytes);
        }
        if wheel_rows == 0 {
            return LayerReply::Done;
        }
        match encode::wheel_as_arrows(wheel_rows, screen.modes).filter(|_| is_live) {
            Some(bytes) => self.send(bytes),
            None if wheel_rows < 0 && !screen.modes.alternate_screen => {
                LayerReply::Request(LayerRequest::ScrollTerminal(place.name.clone()))
            }
            None => LayerReply::Done,
        }
    }

    fn typing_hints(&self, hints: &mut Hints<'_>, keymap: &Keymap) {
        let leader = keymap.label(Context::Layer(&TYPING), LEADER);
        match self.chosen_row() {
            Some(row) if row.waits_for == Some(TerminalInput::Hidden) => {
                hints.say(
                    "hidden input: what you type is not recorded",
                    Meaning::StateAsking,
                );
            }
            Some(row) if !row.status.is_running() => hints.say("the program has ended", Meaning::TextMuted),
            _ => {}
        }
        let escape = keymap.label(Context::Global, Action::Escape);
        let after = |action| keymap.label(Context::Layer(&AFTER_LEADER), action);
        if self.chosen_row().is_none() {
            hints.key(escape, "leaves");
            return hints.key(after(START), "starts a terminal of your own");
        }
        if self.is_chosen_live() {
            hints.key(&format!("{leader} {}", after(LEAVE)), "leaves");
        } else {
            hints.key(escape, "leaves");
        }
        hints.key(leader, "more keys");
        if self.is_chosen_live() {
            hints.say("all other keys go to the program", Meaning::TextMuted);
        }
    }
}

/// Returns the text of a line.
pub(super) fn line_text(line: &[StyledRun]) -> String {
    let text: String = line.iter().map(|run| run.text.as_str()).collect();
    text.trim_end().to_owned()
}
