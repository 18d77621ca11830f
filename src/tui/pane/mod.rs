//! The terminals of a session tree as panes: the person sees each as a terminal and types into it.
//!
//! [`TerminalPane`] is the layer. It shows one terminal in the whole area, or all of them in a grid, and knows which one has
//! the keys. Keys go to the program as the person's terminal sends them ([`encode`]), except the leader. Screens come from
//! the session: the pane tells which ones it wants ([`TerminalPane::wanted`]), and the answer to that waits until the screen
//! has changed. What is not drawn is not wanted, so a hidden terminal costs nothing.

mod draw;
mod draw_screen;
mod encode;
mod history;
mod keys;
mod layer;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::time::{Duration, Instant};

use ratatui::layout::Rect;

pub(crate) use history::TerminalHistory;

use super::commands::LayerCommand;
use super::page::Page;
use super::transcript::RedrawUrgency;
use crate::conversation::{TerminalOwner, TerminalRow};
use crate::process::screen::{Modes, ScreenSize};
use crate::session::query::TerminalScreen;
use crate::session::{TerminalOp, TypedBytes};

pub(crate) static PAGE: Page = Page {
    action: "terminals",
    leader: &[],
    description: "show the terminals",
    brief: "terminals",
    command: LayerCommand {
        name: "terminals",
        also: &["terminal", "pty"],
        about: "Shows the terminals that agents have started, to watch and to type into, and starts one of your own.",
        after: "watch",
    },
    keys: &[&keys::TYPING, &keys::AFTER_LEADER, &history::KEYS],
    open: |_title| Box::new(TerminalPane::default()),
};

/// For this long after a key, what the terminal shows is drawn at once.
const ECHO: Duration = Duration::from_millis(250);

/// For this long a terminal that was asked for is waited for: what is typed meanwhile is meant for it.
const START: Duration = Duration::from_secs(2);

/// The terminals on screen.
#[derive(Default)]
pub(crate) struct TerminalPane {
    rows: Vec<TerminalRow>,
    /// Name of the terminal that has the keys.
    chosen: Option<String>,
    screens: HashMap<String, TerminalScreen>,
    /// Names of those whose next screen was asked for.
    asked: Vec<String>,
    /// All of them, in a grid, where there are several.
    is_grid: bool,
    stage: Stage,
    /// The terminals of the last frame: where the screen of each stands.
    places: Vec<TerminalPlace>,
    area: Rect,
    fitted: Option<FittedTerminal>,
    /// Operations that follow from what was drawn.
    pending: Vec<TerminalOp>,
    /// The terminal in which a button of the mouse was pressed: drags and the release are told to its program alone.
    pressed: Option<String>,
    /// When the last key came, whatever it was for.
    key_time: Option<Instant>,
    /// When a key was last typed to a program.
    typed: Option<Instant>,
    /// When a terminal of the person's own was asked for; it is chosen once it is there.
    starting: Option<Instant>,
}

/// The meaning of the next key.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Stage {
    /// It goes to the program.
    #[default]
    Typing,
    /// The leader came before it.
    AfterLeader,
}

/// A terminal in the last frame.
#[derive(Debug, Clone, PartialEq, Eq)]
struct TerminalPlace {
    name: String,
    /// Its heading and its screen.
    tile: Rect,
    screen: Rect,
}

/// The terminal that was given the size of its place on screen.
#[derive(Debug, Clone, PartialEq, Eq)]
struct FittedTerminal {
    name: String,
    /// The size that it was given.
    size: ScreenSize,
    /// The size that it had before.
    before: ScreenSize,
}

impl TerminalPane {
    /// Takes the terminals of the tree as they are now.
    pub(crate) fn set_rows(&mut self, rows: &[TerminalRow]) {
        let newest = rows.iter().rfind(|row| row.owner == TerminalOwner::Person);
        let is_new = newest.is_some_and(|newest| self.row(&newest.name).is_none());
        if is_new && self.starting.take().is_some() {
            self.chosen = newest.map(|row| row.name.clone());
        }
        let place = self.chosen_place();
        self.rows = rows.to_vec();
        if self.chosen_row().is_none() {
            // The one that took its place: it may have another name by now, or be gone.
            let last = self.rows.len().checked_sub(1);
            let place = place.or_else(|| self.most_wanted()).zip(last);
            let row = place.map(|(place, last)| &self.rows[place.min(last)]);
            self.chosen = row.map(|row| row.name.clone());
        }
        let is_there = |name: &String| rows.iter().any(|row| row.name == *name);
        self.screens.retain(|name, _| is_there(name));
    }

    /// The place of the terminal that somebody who opens the pane wants: the one that waits for input, else the newest that
    /// runs.
    fn most_wanted(&self) -> Option<usize> {
        let waits = self.rows.iter().position(|row| row.waits_for.is_some());
        let runs = || self.rows.iter().rposition(|row| row.status.is_running());
        waits.or_else(runs).or(self.rows.len().checked_sub(1))
    }

    fn row(&self, name: &str) -> Option<&TerminalRow> {
        self.rows.iter().find(|row| row.name == name)
    }

    fn chosen_row(&self) -> Option<&TerminalRow> {
        self.row(self.chosen.as_deref()?)
    }

    fn chosen_place(&self) -> Option<usize> {
        let chosen = self.chosen.as_deref()?;
        self.rows.iter().position(|row| row.name == chosen)
    }

    /// The screen of the terminal that has the keys, if it was drawn.
    fn chosen_screen(&self) -> Option<&TerminalScreen> {
        self.screens.get(self.chosen.as_deref()?)
    }

    fn modes(&self) -> Option<Modes> {
        self.chosen_screen().map(|screen| screen.modes)
    }

    /// Gives another terminal the keys.
    fn choose(&mut self, place: usize) {
        if let Some(row) = self.rows.get(place) {
            self.chosen = Some(row.name.clone());
        }
    }

    /// Gives the terminal of this name the keys.
    pub(crate) fn show(&mut self, name: &str) {
        if let Some(place) = self.rows.iter().position(|row| row.name == name) {
            self.choose(place);
            self.is_grid = false;
        }
    }

    /// Returns the names of the screens that the last frame wants, each with the generation that it shows, once for each
    /// answer.
    pub(crate) fn wanted(&mut self) -> Vec<(String, Option<u64>)> {
        let shown = self.places.iter().map(|place| place.name.clone());
        let wanted: Vec<String> = shown.filter(|name| !self.asked.contains(name)).collect();
        self.asked.extend(wanted.iter().cloned());
        let seen = |name: String| {
            let generation = self.screens.get(&name).map(|screen| screen.generation);
            (name, generation)
        };
        wanted.into_iter().map(seen).collect()
    }

    /// Takes a screen that was asked for. It is drawn at once where somebody types and waits to see it.
    pub(crate) fn take_screen(
        &mut self,
        name: &str,
        screen: Option<TerminalScreen>,
        now: Instant,
    ) -> RedrawUrgency {
        self.asked.retain(|asked| asked != name);
        match screen {
            Some(screen) => drop(self.screens.insert(name.to_owned(), screen)),
            None => drop(self.screens.remove(name)),
        }
        let is_typed_to = self.typed.is_some_and(|typed| now < typed + ECHO);
        if is_typed_to && self.chosen.as_deref() == Some(name) {
            RedrawUrgency::Urgent
        } else {
            RedrawUrgency::Soft
        }
    }

    /// Returns the operations that follow from the last frame.
    pub(crate) fn take_pending(&mut self) -> Vec<TerminalOp> {
        std::mem::take(&mut self.pending)
    }

    /// Gives a terminal the size of the place where it is drawn alone, once: whoever changes it later has reasons.
    fn fit(&mut self, name: &str, area: Rect) {
        let size = ScreenSize {
            cols: area.width,
            rows: area.height,
        };
        let is_live = self.row(name).is_some_and(|row| row.status.is_running());
        let is_fitted = |fitted: &FittedTerminal| fitted.name == name && fitted.size == size;
        let Some(screen) = self.screens.get(name).filter(|_| is_live) else {
            return;
        };
        if self.fitted.as_ref().is_some_and(is_fitted) {
            return;
        }
        let before = match &self.fitted {
            Some(fitted) if fitted.name == name => fitted.before,
            _ => screen.size,
        };
        if screen.size != size {
            self.pending.push(TerminalOp::Resize {
                name: name.to_owned(),
                cols: size.cols,
                rows: size.rows,
            });
        }
        self.release();
        self.fitted = Some(FittedTerminal {
            name: name.to_owned(),
            size,
            before,
        });
    }

    /// Gives the terminal that was fitted the size back that it had, unless it is drawn alone still.
    fn release(&mut self) {
        let alone = self.places.first().filter(|_| self.places.len() == 1);
        let is_shown = |fitted: &FittedTerminal| alone.is_some_and(|place| place.name == fitted.name);
        let Some(fitted) = self.fitted.take_if(|fitted| !is_shown(fitted)) else {
            return;
        };
        let is_own_size = self
            .screens
            .get(&fitted.name)
            .is_some_and(|screen| screen.size == fitted.size);
        if is_own_size && fitted.before != fitted.size {
            self.pending.push(TerminalOp::Resize {
                name: fitted.name,
                cols: fitted.before.cols,
                rows: fitted.before.rows,
            });
        }
    }

    /// The operation that types bytes into the terminal that has the keys.
    fn typing(&self, bytes: Vec<u8>) -> Option<TerminalOp> {
        let name = self.chosen.clone().filter(|_| !bytes.is_empty())?;
        Some(TerminalOp::Type {
            name,
            bytes: TypedBytes(bytes),
        })
    }
}
