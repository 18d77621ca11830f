//! The arguments of a call as operations, from both forms.

use std::ops::RangeInclusive;
use std::time::Duration;

use regex::Regex;
use rustix::process::Signal;

use super::operation::{
    COLS, DEFAULT_SESSION, MAX_NAME, Operation, ROWS, StartRequest, TypedInput, is_session_name,
};
use super::tmux::{self, TmuxError};
use super::{ActionName, Args, SignalName};
use crate::conversation::ErrorKind;
use crate::tool::{OneOrMany, ToolError};

const DEFAULT_TIMEOUT: u64 = 60_000;
const TIMEOUTS: RangeInclusive<u64> = 100..=600_000;
const MAX_SCROLLBACK: u64 = 2000;

/// End of the wait for the screen to settle.
#[derive(Debug, Clone)]
pub(super) struct Wait {
    pub(super) pattern: Option<Regex>,
    pub(super) timeout: Duration,
}

/// The operation that a call requests.
#[derive(Debug)]
pub(super) struct Request {
    pub(super) operations: Vec<Operation>,
    pub(super) wait: Wait,
}

/// Reads the arguments. Nothing is looked up.
pub(super) fn request(args: &Args) -> Result<Request, ToolError> {
    match (args.action, &args.tmux_command) {
        (Some(action), None) => structured(action, args),
        (None, Some(line)) if has_no_other_field(args) => {
            let operations = tmux::parse(line).map_err(|error| {
                let kind = match &error {
                    TmuxError::Refused(_) => ErrorKind::Refused,
                    TmuxError::InvalidArgs(_) => ErrorKind::InvalidArgs,
                };
                ToolError::new(kind, error.to_string())
            })?;
            let wait = wait(args)?;
            Ok(Request { operations, wait })
        }
        (None, Some(_)) => Err(ToolError::invalid_args(
            "`tmux_command` stands alone; only `wait_for` and `timeout` may stand beside it",
        )),
        (Some(_), Some(_)) | (None, None) => {
            Err(ToolError::invalid_args("give either `action` or `tmux_command`"))
        }
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

fn structured(action: ActionName, args: &Args) -> Result<Request, ToolError> {
    let session = name(args.session.as_deref())?;
    let wait = wait(args)?;
    let (cols, rows) = (size(args.cols, "cols", COLS)?, size(args.rows, "rows", ROWS)?);
    let operation = match action {
        ActionName::Start => Operation::Start(StartRequest {
            workdir: args.workdir.clone(),
            ..StartRequest::new(session, args.command.clone(), cols, rows)
        }),
        ActionName::Send => {
            let text = args.text.clone().filter(|text| !text.is_empty());
            let words = args.keys.clone().map(key_names).unwrap_or_default();
            let words = words.into_iter().map(TypedInput::Word);
            let input: Vec<TypedInput> = text.map(TypedInput::Text).into_iter().chain(words).collect();
            if input.is_empty() {
                return Err(ToolError::invalid_args(
                    "there is nothing to send; give `text`, `keys` or both",
                ));
            }
            Operation::Send { session, input }
        }
        ActionName::Read => Operation::Read {
            session,
            scrollback: usize::try_from(args.scrollback.unwrap_or(0).min(MAX_SCROLLBACK)).unwrap_or(0),
        },
        ActionName::Resize if cols.is_none() && rows.is_none() => {
            return Err(ToolError::invalid_args("`resize` needs `cols`, `rows` or both"));
        }
        ActionName::Resize => Operation::Resize { session, cols, rows },
        ActionName::Signal => Operation::Signal {
            session,
            signal: args.signal.unwrap_or(SignalName::Int),
        },
        ActionName::Stop => Operation::Stop { session },
        ActionName::List => Operation::List,
    };
    let operations = vec![operation];
    Ok(Request { operations, wait })
}

fn name(given: Option<&str>) -> Result<String, ToolError> {
    let name = given.unwrap_or(DEFAULT_SESSION);
    if !is_session_name(name) {
        return Err(ToolError::invalid_args(format!(
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
        ToolError::invalid_args(format!("`{field}` is from {least} to {most}, got {given}"))
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

/// One text holds several keys with blanks between them.
fn key_names(given: OneOrMany) -> Vec<String> {
    match given {
        OneOrMany::One(names) => names.split_whitespace().map(str::to_owned).collect(),
        OneOrMany::Many(names) => names,
    }
}
