//! The screen and the scrollback of a terminal, as front ends ask for them.

use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tokio::time::{Instant, timeout_at};

use crate::process::screen::{Cursor, Modes, Screen, ScreenSize, StyledRun};
use crate::tool::{TerminalSession, Terminals};

/// Longest time for which a picture is held back that the program says is half drawn (mode 2026).
const LONGEST_UPDATE: Duration = Duration::from_millis(100);

/// The screen of a terminal at one instant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TerminalScreen {
    /// Another number after each change.
    pub generation: u64,
    pub size: ScreenSize,
    pub cursor: Cursor,
    pub modes: Modes,
    /// The rows of the screen from top to bottom, without the blanks at their ends.
    pub lines: Vec<Vec<StyledRun>>,
}

/// One line of the scrollback or the screen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TerminalLine {
    pub runs: Vec<StyledRun>,
    /// The next line continues it, which the width has broken.
    pub is_wrapped: bool,
}

impl TerminalScreen {
    fn of(screen: &Screen) -> Self {
        Self {
            generation: screen.generation(),
            size: screen.size(),
            cursor: screen.cursor(),
            modes: screen.modes(),
            lines: screen.screen_lines().map(|line| screen.runs(line)).collect(),
        }
    }
}

/// Waits until the screen is of another generation than the one that was seen, and returns it. `None` where there is no such
/// terminal, or none any more.
pub(in crate::session) async fn next_screen(
    terminals: &Terminals,
    name: &str,
    seen: Option<u64>,
) -> Option<Box<TerminalScreen>> {
    let session = terminals.find_any(name)?;
    let mut changes = session.changes();
    let mut late = None;
    loop {
        let is_late = late.is_some_and(|late| late <= Instant::now());
        match look(&session, seen, is_late) {
            Look::New(screen) => return Some(screen),
            Look::HalfDrawn => {
                let late = *late.get_or_insert_with(|| Instant::now() + LONGEST_UPDATE);
                // Either the rest of it has come, or it is shown as it is.
                let _ = timeout_at(late, changes.changed()).await;
            }
            Look::AsSeen => changes.changed().await.ok()?,
        }
        let found = terminals.find_any(name)?;
        if !Arc::ptr_eq(&found, &session) {
            return None;
        }
    }
}

enum Look {
    New(Box<TerminalScreen>),
    /// The program says that the picture is not whole yet.
    HalfDrawn,
    AsSeen,
}

fn look(session: &TerminalSession, seen: Option<u64>, is_late: bool) -> Look {
    let screen = session.terminal.screen();
    if Some(screen.generation()) == seen {
        Look::AsSeen
    } else if screen.is_updating() && seen.is_some() && !is_late {
        Look::HalfDrawn
    } else {
        Look::New(Box::new(TerminalScreen::of(&screen)))
    }
}

/// Returns all lines of a terminal. Takes a while for a long scrollback.
pub(in crate::session) fn history(terminals: &Terminals, name: &str) -> Option<Vec<TerminalLine>> {
    let session = terminals.find_any(name)?;
    let screen = session.terminal.screen();
    let lines = (0..screen.line_count()).map(|line| TerminalLine {
        runs: screen.runs(line),
        is_wrapped: screen.is_wrapped(line),
    });
    Some(lines.collect())
}
