//! The steps of a call, whichever way they were asked for.

use std::ops::RangeInclusive;

use super::SignalName;
use crate::process::pty::PtySize;

/// Terminal of calls that name none.
pub(super) const DEFAULT_SESSION: &str = "omo-1";
const DEFAULT_SIZE: PtySize = PtySize { cols: 120, rows: 40 };
/// Columns and rows that a terminal may have.
pub(super) const COLS: RangeInclusive<u16> = 20..=500;
pub(super) const ROWS: RangeInclusive<u16> = 5..=200;
/// Longest name of a session.
pub(super) const MAX_NAME: usize = 64;

/// One step of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Operation {
    Start(StartRequest),
    Send {
        session: String,
        input: Vec<TypedInput>,
    },
    Read {
        session: String,
        scrollback: usize,
    },
    Resize {
        session: String,
        cols: Option<u16>,
        rows: Option<u16>,
    },
    Signal {
        session: String,
        signal: SignalName,
    },
    Stop {
        session: String,
    },
    /// Asks for an error where it does not run.
    Has {
        session: String,
    },
    List,
    StopAll,
}

/// A program to be started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct StartRequest {
    pub(super) session: String,
    /// For a shell; `None` is the user's shell itself.
    pub(super) command: Option<String>,
    pub(super) workdir: Option<String>,
    pub(super) environment: Vec<(String, String)>,
    pub(super) size: PtySize,
    /// One that runs already is read.
    pub(super) reads_existing: bool,
}

/// Input to be typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum TypedInput {
    Text(String),
    /// The name of a key, or else text.
    Word(String),
}

impl Operation {
    /// Name of the terminal that it is about, where it is about one.
    pub(super) fn session(&self) -> Option<&str> {
        match self {
            Self::Start(StartRequest { session, .. })
            | Self::Send { session, .. }
            | Self::Read { session, .. }
            | Self::Resize { session, .. }
            | Self::Signal { session, .. }
            | Self::Stop { session }
            | Self::Has { session } => Some(session),
            Self::List | Self::StopAll => None,
        }
    }

    /// Returns true if it only looks.
    pub(super) fn only_looks(&self) -> bool {
        matches!(self, Self::Read { .. } | Self::List | Self::Has { .. })
    }
}

impl StartRequest {
    pub(super) fn new(
        session: String,
        command: Option<String>,
        cols: Option<u16>,
        rows: Option<u16>,
    ) -> Self {
        Self {
            session,
            command: command.filter(|command| !command.trim().is_empty()),
            workdir: None,
            environment: Vec::new(),
            size: PtySize {
                cols: cols.unwrap_or(DEFAULT_SIZE.cols),
                rows: rows.unwrap_or(DEFAULT_SIZE.rows),
            },
            reads_existing: false,
        }
    }
}

/// Returns true if a session may have this name.
pub(super) fn is_session_name(name: &str) -> bool {
    let is_known = |character: char| character.is_ascii_alphanumeric() || "_-".contains(character);
    !name.is_empty() && name.len() <= MAX_NAME && name.chars().all(is_known)
}
