//! Text of an answer, the details behind it, and errors with the screen in them.

use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{CursorPosition, Details, WaitingFor};
use crate::conversation::{ErrorKind, TerminalStatus};
use crate::process::pty::SettleOutcome;
use crate::process::screen::{CellStyle, Color, Rgb, StyledRun};
use crate::tool::{TerminalSession, ToolCx, ToolError};

/// End of a wait.
#[derive(Debug, Clone, Copy)]
pub(super) struct Settled {
    pub(super) outcome: SettleOutcome,
    pub(super) timeout: Duration,
    pub(super) has_pattern: bool,
}

/// Text of one style. Colours are `#rrggbb` or the number of an entry of the palette.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct ScreenRun {
    pub(super) t: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) fg: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) bg: Option<String>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) b: bool,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) i: bool,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) u: bool,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) r: bool,
}

impl From<StyledRun> for ScreenRun {
    fn from(StyledRun { text, style }: StyledRun) -> Self {
        let CellStyle {
            foreground,
            background,
            is_bold,
            is_italic,
            is_underlined,
            is_reversed,
            ..
        } = style;
        Self {
            t: text,
            fg: color(foreground),
            bg: color(background),
            b: is_bold,
            i: is_italic,
            u: is_underlined,
            r: is_reversed,
        }
    }
}

fn color(color: Color) -> Option<String> {
    match color {
        Color::Default => None,
        Color::Indexed(index) => Some(index.to_string()),
        Color::Rgb(Rgb(red, green, blue)) => Some(format!("#{red:02x}{green:02x}{blue:02x}")),
    }
}

/// The terminal as it stands.
pub(super) fn details(session: &TerminalSession, outcome: SettleOutcome, cx: &ToolCx) -> Details {
    let exit = session.terminal.exit();
    let screen = session.terminal.screen();
    let (size, cursor) = (screen.size(), screen.cursor());
    let mut rows: Vec<Vec<ScreenRun>> = screen
        .screen_lines()
        .map(|line| screen.runs(line).into_iter().map(ScreenRun::from).collect())
        .collect();
    let kept = rows
        .iter()
        .rposition(|row| !row.is_empty())
        .map_or(0, |last| last + 1);
    rows.truncate(kept);
    Details {
        session: session.name(),
        command: session.command.clone(),
        running: exit.is_none(),
        exit: exit.and_then(|exit| exit.code),
        signal: exit.and_then(|exit| exit.signal),
        cols: size.cols,
        rows: size.rows,
        cursor: CursorPosition {
            row: cursor.row + 1,
            col: cursor.col + 1,
            visible: cursor.is_visible,
        },
        title: screen.title().map(str::to_owned),
        alt_screen: screen.modes().alternate_screen,
        waiting: match outcome {
            SettleOutcome::WaitsForLine => Some(WaitingFor::Line),
            SettleOutcome::HiddenInput => Some(WaitingFor::Hidden),
            _ => None,
        },
        screen: rows,
        sessions: cx.services.tree.terminals.live_names(),
        protected: Vec::new(),
    }
}

/// The screen as the model reads it, with how the wait ended.
pub(super) fn text(
    session: &TerminalSession,
    details: &Details,
    settled: &Settled,
    scrollback: usize,
) -> String {
    let mut lines = vec![header(details)];
    lines.extend(session.terminal.screen().scrollback_text(scrollback));
    lines.extend(rows(details));
    lines.extend(note(settled));
    lines.join("\n")
}

/// `[omo-dev · running · 120x40 · cursor 2,5]`
fn header(details: &Details) -> String {
    let Details {
        session,
        cols,
        rows,
        cursor,
        ..
    } = details;
    let state = state(details);
    let cursor = if details.running {
        format!(" · cursor {},{}", cursor.row, cursor.col)
    } else {
        String::new()
    };
    format!("[{session} · {state} · {cols}x{rows}{cursor}]")
}

fn state(details: &Details) -> String {
    let status = match (details.running, details.exit, details.signal) {
        (true, ..) => TerminalStatus::Running,
        (false, Some(exit), _) => TerminalStatus::Exited(exit),
        (false, None, Some(signal)) => TerminalStatus::Killed(signal),
        (false, None, None) => TerminalStatus::Ended,
    };
    status.words()
}

fn rows(details: &Details) -> impl Iterator<Item = String> {
    details.screen.iter().map(|row| {
        let text: String = row.iter().map(|run| run.t.as_str()).collect();
        text.trim_end().to_owned()
    })
}

fn note(settled: &Settled) -> Option<String> {
    let seconds = settled.timeout.as_secs_f64();
    match settled.outcome {
        SettleOutcome::WaitsForLine => Some("[waiting for input]".to_owned()),
        SettleOutcome::HiddenInput => Some("[hidden input: only the user can type it]".to_owned()),
        SettleOutcome::TimedOut if settled.has_pattern => {
            Some(format!("[wait_for not seen within {seconds} s]"))
        }
        SettleOutcome::TimedOut => Some("[still running]".to_owned()),
        SettleOutcome::Ended if settled.has_pattern => {
            Some("[wait_for not seen before the program ended]".to_owned())
        }
        SettleOutcome::Ended | SettleOutcome::Quiet | SettleOutcome::PatternSeen => None,
    }
}

pub(super) fn live_line(names: &[String]) -> String {
    let names = if names.is_empty() {
        "none".to_owned()
    } else {
        names.join(", ")
    };
    format!("[live sessions: {names}]")
}

pub(super) fn title(details: &Details) -> String {
    if details.session.is_empty() {
        return "terminals".to_owned();
    }
    format!("{} · {}", details.session, state(details))
}

/// A line for each terminal.
pub(super) fn list(sessions: &[Arc<TerminalSession>]) -> String {
    if sessions.is_empty() {
        return "(no sessions)".to_owned();
    }
    let line = |session: &Arc<TerminalSession>| {
        let state = session.status().words();
        format!("{} {state}  {}", session.name(), session.command)
    };
    sessions.iter().map(line).collect::<Vec<_>>().join("\n")
}

pub(super) fn no_session(name: &str, cx: &ToolCx) -> ToolError {
    let live = live_line(&cx.services.tree.terminals.live_names());
    ToolError::new(
        ErrorKind::NotFound,
        format!("there is no terminal `{name}`; {live}"),
    )
    .hint("Start it with `action: \"start\"`.")
}

/// The program has ended, so something could not be done to it.
pub(super) fn ended(session: &TerminalSession, undone: &str, cx: &ToolCx) -> ToolError {
    let (name, screen) = named_screen(session, SettleOutcome::Ended, cx);
    let message = format!(
        "the program of the terminal `{name}` has ended, so nothing was {undone}; its last screen:\n{screen}"
    );
    ToolError::new(ErrorKind::NotFound, message).hint("Start it again with `action: \"start\"`.")
}

pub(super) fn exists(session: &TerminalSession, cx: &ToolCx) -> ToolError {
    let (name, screen) = named_screen(session, SettleOutcome::Quiet, cx);
    let message = format!("a terminal `{name}` runs already, so nothing was started; its screen:\n{screen}");
    ToolError::new(ErrorKind::Exists, message).hint("Send to it, stop it first, or give another `session`.")
}

pub(super) fn hidden(session: &TerminalSession, cx: &ToolCx) -> ToolError {
    let (name, screen) = named_screen(session, SettleOutcome::HiddenInput, cx);
    let message = format!(
        "the program of the terminal `{name}` hides what is typed, so nothing was sent: only the user can type it; the \
         screen:\n{screen}"
    );
    ToolError::new(ErrorKind::Refused, message)
        .hint("Ask the user to type it, or stop the program and find a way without a secret.")
}

/// The person has taken the terminal for themselves.
pub(super) fn exclusive(name: &str, undone: &str) -> ToolError {
    let message = format!("the user has taken control of the terminal `{name}`, so nothing was {undone}");
    ToolError::new(ErrorKind::Refused, message)
        .hint("Read it to see what happens there; the user gives it back, or use another `session`.")
}

/// The name of a terminal, and what it shows.
fn named_screen(session: &TerminalSession, outcome: SettleOutcome, cx: &ToolCx) -> (String, String) {
    let details = details(session, outcome, cx);
    let lines = [header(&details)].into_iter().chain(rows(&details));
    (session.name(), lines.collect::<Vec<_>>().join("\n"))
}
