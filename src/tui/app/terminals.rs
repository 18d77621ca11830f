//! The terminals of the tree in front: what types into them, and the screens that are drawn.

use std::time::Instant;

use termina::event::{KeyCode, KeyEvent, KeyEventKind, Modifiers, MouseEvent, MouseEventKind};

use super::layers::LayerSlot;
use super::trees::tree_of;
use super::{App, Effect};
use crate::conversation::TerminalInput;
use crate::session::query::{Answer, Query};
use crate::session::{Op, TerminalOp};
use crate::tui::keymap::{Action, Context};
use crate::tui::pane::{self, TerminalPane};
use crate::tui::statusbar::Hints;
use crate::tui::transcript::RedrawUrgency;
use crate::view::theme::Meaning;

impl App {
    fn pane_mut(&mut self) -> Option<&mut TerminalPane> {
        self.layers.iter_mut().find_map(|layer| layer.as_terminals())
    }

    /// Tells the pane how the terminals stand. Returns false where it is not open.
    pub(super) fn refresh_terminals(&mut self) -> bool {
        let rows = &tree_of(&self.trees, &self.views.front).terminals;
        let pane = self.layers.iter_mut().find_map(|layer| layer.as_terminals());
        pane.map(|pane| pane.set_rows(rows)).is_some()
    }

    /// Asks for what the frame that was just drawn wants to show next, and does what follows from it.
    pub(super) fn follow_pane(&mut self) {
        let Some(pane) = self.pane_mut() else { return };
        let (wanted, ops) = (pane.wanted(), pane.take_pending());
        let slot = self.views.front.slot;
        let asks = wanted
            .into_iter()
            .map(|(name, seen)| Effect::Ask(slot, Query::Terminal { name, seen }));
        self.effects.extend(asks);
        self.send_to_terminals(ops);
    }

    /// A screen has come.
    pub(super) fn take_terminal(&mut self, name: &str, answer: &Answer, now: Instant) -> RedrawUrgency {
        let screen = match answer {
            Answer::Terminal(screen) => screen.as_deref().cloned(),
            _ => None,
        };
        match self.pane_mut() {
            Some(pane) => pane.take_screen(name, screen, now),
            None => RedrawUrgency::None,
        }
    }

    /// Opens the pane with a terminal that has the keys.
    pub(super) fn show_terminal(&mut self, name: &str, now: Instant) {
        if self.pane_mut().is_none() {
            self.open_page(&pane::PAGE, now);
        }
        if let Some(pane) = self.pane_mut() {
            pane.show(name);
        }
    }

    /// Names the key of the pane where a program runs, and what one waits for.
    pub(super) fn terminal_hints(&self, hints: &mut Hints<'_>) {
        if self.is_covered() {
            return;
        }
        let tree = self.tree();
        let waiting = tree.terminals.iter().find_map(|row| Some((row, row.waits_for?)));
        let words = match waiting {
            Some((row, TerminalInput::Hidden)) => format!("hidden input in terminal {}", row.name),
            Some((row, TerminalInput::Line)) => format!("terminal {} waits for input", row.name),
            None => String::new(),
        };
        if !words.is_empty() {
            hints.say(&words, Meaning::StateAsking);
        }
        if tree.running_terminals() > 0 {
            let key = self.keymap.label(Context::Global, Action::OpenPage(&pane::PAGE));
            hints.key(key, "terminals");
        }
    }

    pub(super) fn send_to_terminals(&mut self, ops: Vec<TerminalOp>) {
        for op in ops {
            self.send(Op::Terminal(op));
        }
    }

    /// Gives a key to a program in a terminal, where that reads the keys. Returns `None` where none does.
    pub(super) fn type_key(
        &mut self,
        key: &KeyEvent,
        received: &[u8],
        now: Instant,
    ) -> Option<RedrawUrgency> {
        let top = self.typing_layer()?;
        if key.kind == KeyEventKind::Release {
            return Some(RedrawUrgency::None);
        }
        let keymap = self.keymap.clone();
        self.with_layer(top, now, |layer| layer.type_key(key, received, &keymap, now))
    }

    /// Gives a key that only programs know to the one that reads the keys.
    pub(crate) fn unknown_key(&mut self, received: &[u8], now: Instant) -> RedrawUrgency {
        let unknown = KeyEvent::new(KeyCode::Null, Modifiers::NONE);
        let change = self.type_key(&unknown, received, now);
        change.unwrap_or(RedrawUrgency::None)
    }

    /// Gives a paste to a program in a terminal, where that reads the keys.
    pub(super) fn type_paste(&mut self, text: &str, now: Instant) -> Option<RedrawUrgency> {
        let top = self.typing_layer()?;
        self.with_layer(top, now, |layer| layer.paste(text))
    }

    /// Gives the mouse to the pane, where that is on top.
    pub(super) fn mouse_in_pane(&mut self, event: MouseEvent, now: Instant) -> Option<RedrawUrgency> {
        let top = self.typing_layer()?;
        let lines = isize::try_from(self.pointer.wheel_lines).unwrap_or(isize::MAX);
        let rows = match event.kind {
            MouseEventKind::ScrollUp => -lines,
            MouseEventKind::ScrollDown => lines,
            _ => 0,
        };
        self.with_layer(top, now, |layer| layer.mouse(event, rows))
    }

    /// Tells a program in a terminal of the focus, where that is on top.
    pub(super) fn focus_in_pane(&mut self, has_focus: bool, now: Instant) {
        if let Some(top) = self.typing_layer() {
            self.with_layer(top, now, |layer| layer.focus_changed(has_focus));
        }
    }

    pub(super) fn typing_layer(&self) -> Option<LayerSlot> {
        let top = self.top()?;
        self.layer(top)?.takes_typing().then_some(top)
    }
}
