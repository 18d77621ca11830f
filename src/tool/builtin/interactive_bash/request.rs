//! The arguments of a call as operations, from both forms.

use std::ops::RangeInclusive;
use std::time::Duration;

use regex::Regex;
use rustix::process::Signal;

use super::tmux::{self, COLS, ROWS, TmuxCommand, TmuxError, TmuxKeys, TmuxStart};
use super::{ActionName, Args, SignalName};
use crate::conversation::ErrorKind;
use crate::process::pty::PtySize;
use crate::tool::{OneOrMany, ToolError};

/// Terminal of calls that name none.
const DEFAULT_SESSION: &str = "omo-1";
const DEFAULT_TIMEOUT: u64 = 60_000;
const TIMEOUTS: RangeInclusive<u64> = 100..=600_000;
const DEFAULT_SIZE: PtySize = PtySize { cols: 120, rows: 40 };
const MAX_SCROLLBACK: u64 = 2000;
const MAX_NAME: usize = 64;

/// One step of a call.
#[derive(Debug, Clone)]
pub(super) enum Operation {
    Start(StartRequest),
    Send {
        session: String,
        input: Vec<TypedInput>,
        wait: Wait,
    },
    Read {
        session: String,
        scrollback: usize,
        wait: Wait,
    },
    Resize {
        session: String,
        cols: Option<u16>,
        rows: Option<u16>,
        wait: Wait,
    },
    Signal {
        session: String,
        signal: SignalName,
        wait: Wait,
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
#[derive(Debug, Clone)]
pub(super) struct StartRequest {
    pub(super) session: String,
    /// `None` is the user's shell.
    pub(super) command: Option<String>,
    pub(super) workdir: Option<String>,
    pub(super) environment: Vec<(String, String)>,
    pub(super) size: PtySize,
    pub(super) wait: Wait,
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

/// End of the wait for the screen to settle.
#[derive(Debug, Clone)]
pub(super) struct Wait {
    pub(super) pattern: Option<Regex>,
    pub(super) timeout: Duration,
}

impl Default for Wait {
    fn default() -> Self {
        Self {
            pattern: None,
            timeout: Duration::from_millis(DEFAULT_TIMEOUT),
        }
    }
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

/// Reads the arguments. Nothing is looked up.
pub(super) fn operations(args: &Args) -> Result<Vec<Operation>, ToolError> {
    match (args.action, &args.tmux_command) {
        (Some(action), None) => Ok(vec![structured(action, args)?]),
        (None, Some(line)) if has_no_other_field(args) => {
            let commands = tmux::parse(line).map_err(|error| {
                let kind = match &error {
                    TmuxError::Refused(_) => ErrorKind::Refused,
                    TmuxError::InvalidArgs(_) => ErrorKind::InvalidArgs,
                };
                ToolError::new(kind, error.to_string())
            })?;
            let wait = wait(args)?;
            Ok(commands
                .into_iter()
                .map(|command| of_tmux(command, &wait))
                .collect())
        }
        (None, Some(_)) => Err(invalid(
            "`tmux_command` stands alone; only `wait_for` and `timeout` may stand beside it",
        )),
        (Some(_), Some(_)) | (None, None) => Err(invalid("give either `action` or `tmux_command`")),
    }
}

fn has_no_other_field(args: &Args) -> bool {
    let texts = [&args.session, &args.command, &args.workdir, &args.text];
    texts.iter().all(|text| text.is_none())
        && args.keys.is_none()
        && args.cols.is_none()
        && args.rows.is_none()
        && args.signal.is_none()
        && args.scrollback.is_none()
}

fn structured(action: ActionName, args: &Args) -> Result<Operation, ToolError> {
    let session = name(args.session.as_deref())?;
    let wait = wait(args)?;
    let (cols, rows) = (size(args.cols, "cols", COLS)?, size(args.rows, "rows", ROWS)?);
    Ok(match action {
        ActionName::Start => Operation::Start(StartRequest {
            session,
            command: args.command.clone().filter(|command| !command.trim().is_empty()),
            workdir: args.workdir.clone(),
            environment: Vec::new(),
            size: PtySize {
                cols: cols.unwrap_or(DEFAULT_SIZE.cols),
                rows: rows.unwrap_or(DEFAULT_SIZE.rows),
            },
            wait,
            reads_existing: false,
        }),
        ActionName::Send => {
            let text = args.text.clone().filter(|text| !text.is_empty());
            let words = args.keys.clone().map(key_names).unwrap_or_default();
            let words = words.into_iter().map(TypedInput::Word);
            let input: Vec<TypedInput> = text.map(TypedInput::Text).into_iter().chain(words).collect();
            if input.is_empty() {
                return Err(invalid("there is nothing to send; give `text`, `keys` or both"));
            }
            Operation::Send { session, input, wait }
        }
        ActionName::Read => Operation::Read {
            session,
            scrollback: usize::try_from(args.scrollback.unwrap_or(0).min(MAX_SCROLLBACK)).unwrap_or(0),
            wait,
        },
        ActionName::Resize if cols.is_none() && rows.is_none() => {
            return Err(invalid("`resize` needs `cols`, `rows` or both"));
        }
        ActionName::Resize => Operation::Resize {
            session,
            cols,
            rows,
            wait,
        },
        ActionName::Signal => Operation::Signal {
            session,
            signal: args.signal.unwrap_or(SignalName::Int),
            wait,
        },
        ActionName::Stop => Operation::Stop { session },
        ActionName::List => Operation::List,
    })
}

fn of_tmux(command: TmuxCommand, wait: &Wait) -> Operation {
    let named = |session: Option<String>| session.unwrap_or_else(|| DEFAULT_SESSION.to_owned());
    match command {
        TmuxCommand::Start(TmuxStart {
            session,
            command,
            workdir,
            environment,
            cols,
            rows,
            reads_existing,
        }) => Operation::Start(StartRequest {
            session: named(session),
            command: command.filter(|command| !command.trim().is_empty()),
            workdir,
            environment,
            size: PtySize {
                cols: cols.unwrap_or(DEFAULT_SIZE.cols),
                rows: rows.unwrap_or(DEFAULT_SIZE.rows),
            },
            wait: wait.clone(),
            reads_existing,
        }),
        TmuxCommand::Send { session, keys } => Operation::Send {
            session: named(session),
            input: keys
                .into_iter()
                .map(|key| match key {
                    TmuxKeys::Word(word) => TypedInput::Word(word),
                    TmuxKeys::Literal(text) => TypedInput::Text(text),
                    TmuxKeys::Character(character) => TypedInput::Text(character.into()),
                })
                .collect(),
            wait: wait.clone(),
        },
        TmuxCommand::Stop { session } => Operation::Stop {
            session: named(session),
        },
        TmuxCommand::Has { session } => Operation::Has {
            session: named(session),
        },
        TmuxCommand::List => Operation::List,
        TmuxCommand::Resize { session, cols, rows } => Operation::Resize {
            session: named(session),
            cols,
            rows,
            wait: wait.clone(),
        },
        TmuxCommand::StopAll => Operation::StopAll,
    }
}

fn name(given: Option<&str>) -> Result<String, ToolError> {
    let name = given.unwrap_or(DEFAULT_SESSION);
    let is_known = |character: char| character.is_ascii_alphanumeric() || "_-".contains(character);
    if name.is_empty() || name.len() > MAX_NAME || !name.chars().all(is_known) {
        return Err(invalid(format!(
            "`session` is 1 to {MAX_NAME} letters, digits, `_` and `-`, got `{name}`"
        )));
    }
    Ok(name.to_owned())
}

fn size(given: Option<i64>, field: &str, range: RangeInclusive<u16>) -> Result<Option<u16>, ToolError> {
    let Some(given) = given else {
        return Ok(None);
    };
    let size = u16::try_from(given).ok().filter(|size| range.contains(size));
    size.map(Some).ok_or_else(|| {
        let (least, most) = range.into_inner();
        invalid(format!("`{field}` is from {least} to {most}, got {given}"))
    })
}

fn wait(args: &Args) -> Result<Wait, ToolError> {
    let pattern = args
        .wait_for
        .as_deref()
        .filter(|pattern| !pattern.is_empty())
        .map(|pattern| {
            // `^` and `$` are the ends of a row, as a person sees them.
            let pattern = regex::RegexBuilder::new(pattern).multi_line(true).build();
            pattern.map_err(|error| {
                ToolError::new(
                    ErrorKind::Parse,
                    format!("`wait_for` is not a regular expression: {error}"),
                )
                .hint("Escape special characters with `\\`.")
            })
        })
        .transpose()?;
    let timeout = args.timeout.unwrap_or(DEFAULT_TIMEOUT);
    let timeout = timeout.clamp(*TIMEOUTS.start(), *TIMEOUTS.end());
    Ok(Wait {
        pattern,
        timeout: Duration::from_millis(timeout),
    })
}

impl SignalName {
    pub(super) fn name(self) -> String {
        format!("{self:?}").to_uppercase()
    }

    pub(super) fn signal(self) -> Signal {
        match self {
            Self::Int => Signal::INT,
            Self::Term => Signal::TERM,
            Self::Kill => Signal::KILL,
            Self::Hup => Signal::HUP,
            Self::Quit => Signal::QUIT,
            Self::Tstp => Signal::TSTP,
            Self::Cont => Signal::CONT,
            Self::Usr1 => Signal::USR1,
            Self::Usr2 => Signal::USR2,
            Self::Winch => Signal::WINCH,
        }
    }
}

fn invalid(message: impl Into<String>) -> ToolError {
    ToolError::new(ErrorKind::InvalidArgs, message.into())
}

/// One text holds several keys with blanks between them.
fn key_names(given: OneOrMany) -> Vec<String> {
    match given {
        OneOrMany::One(names) => names.split_whitespace().map(str::to_owned).collect(),
        OneOrMany::Many(names) => names,
    }
}
