//! Permission of the operations, looked up before anything is done.
//!
//! A start is judged as `bash` judges its command. What is typed is asked under the tool's own key, and where a shell reads
//! commands in the terminal each line that Enter completes is judged as a command too. A command that `bash` would run
//! without a question is asked about here: there it is confined to reading, and a program that takes input is not.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use super::answer::{ended, exclusive, hidden, no_session};
use super::keys;
use super::operation::{Operation, StartRequest, TypedInput};
use super::request::Request;
use super::{InteractiveBashTool, Plan};
use crate::permission::command::analyse;
use crate::permission::{Ask, Floor, PermissionKey, Subject};
use crate::process::pty::{InputWait, assess, is_shell};
use crate::process::screen::KeyModes;
use crate::tool::builtin::bash::{JudgedCommand, Judgement, command_question, judge};
use crate::tool::command_permissions::{CommandPermissions, command_permissions};
use crate::tool::{
    AskingTool, CompletedLine, Prepared, TerminalSession, Tool, ToolCx, ToolError, TypedLine, user_shell,
};
use crate::view::card::Card;

const KEY: PermissionKey = PermissionKey::own(InteractiveBashTool::NAME);

/// An operation with what was judged.
pub(super) enum Step {
    Start {
        request: StartRequest,
        judged: JudgedCommand,
    },
    Send {
        session: String,
        input: Vec<TypedInput>,
        /// The lines that a shell would run; `None` where no shell reads.
        lines: Option<JudgedLines>,
    },
    Other(Operation),
}

/// Lines that were judged as commands.
pub(super) struct JudgedLines {
    pub(super) lines: Vec<CompletedLine>,
    pub(super) directory: PathBuf,
    pub(super) asked: Vec<Ask>,
}

/// Commands are asked about as those of `bash`.
pub(super) fn asker() -> AskingTool<'static> {
    AskingTool {
        tool: InteractiveBashTool::FAMILY.as_str(),
        family: InteractiveBashTool::FAMILY,
    }
}

pub(super) async fn prepare(request: Request, cx: &ToolCx) -> Result<Prepared<Plan>, ToolError> {
    let Request { operations, wait } = request;
    let mut started: Vec<(StartRequest, PathBuf)> = Vec::new();
    let steps = Vec::new();
    let mut prepared = Prepared::new(Plan { steps, wait }, Vec::new());
    for operation in operations {
        let step = match operation {
            Operation::Start(request) if !reads_existing(&request, cx) => {
                let text = command_text(&request, cx);
                let Judgement { command, asks, why } = judge(&text, request.workdir.as_deref(), cx).await?;
                prepared.asks.extend(asks.into_iter().map(always_asked));
                // A rule that denies the tool's own key holds for a start as well; nothing is asked under it.
                prepared
                    .asks
                    .push(ask(&request.session, &text).with_floor(Floor::Denied));
                prepared.why = prepared.why.or_else(|| why.clone());
                prepared.runs_in = Some(command.cwd.clone());
                prepared.card.get_or_insert_with(|| {
                    question(
                        &format!("{} in {}", request.session, command.workdir),
                        &text,
                        why.as_deref(),
                    )
                });
                started.push((request.clone(), command.cwd.clone()));
                Step::Start {
                    request,
                    judged: command,
                }
            }
            Operation::Send { session, input } => {
                let (lines, asks) = send(&session, &input, &started, cx).await?;
                prepared.asks.extend(asks);
                prepared
                    .card
                    .get_or_insert_with(|| question(&session, &shown_input(&input), None));
                Step::Send {
                    session,
                    input,
                    lines,
                }
            }
            other => {
                if let Operation::Signal { session, signal } = &other {
                    prepared
                        .asks
                        .push(ask(session, &format!("signal {}", signal.name())));
                }
                Step::Other(other)
            }
        };
        prepared.plan.steps.push(step);
    }
    Ok(prepared)
}

fn reads_existing(request: &StartRequest, cx: &ToolCx) -> bool {
    let live = || cx.services.tree.terminals.find(&request.session);
    request.reads_existing && live().is_some_and(|session| session.is_live())
}

/// The command with its variables, as it is judged and run.
fn command_text(request: &StartRequest, cx: &ToolCx) -> String {
    let command = request.command.clone();
    let command = command.unwrap_or_else(|| user_shell(&cx.services.terminal_environment).to_owned());
    let exports = request.environment.iter().map(|(name, value)| {
        let value = value.replace('\'', r"'\''");
        format!("export {name}='{value}'; ")
    });
    exports.chain([command]).collect()
}

/// Nothing that runs in a terminal is confined to reading.
fn always_asked(mut ask: Ask) -> Ask {
    if ask.key == PermissionKey::BASH && ask.floor != Floor::Denied {
        ask.subject.read_only = false;
    }
    ask
}

fn ask(session: &str, text: &str) -> Ask {
    Ask::new(KEY, Subject::new(format!("{session}: {text}"))).always(format!("{session}: *"))
}

/// Judges what is to be typed.
async fn send(
    name: &str,
    input: &[TypedInput],
    started: &[(StartRequest, PathBuf)],
    cx: &ToolCx,
) -> Result<(Option<JudgedLines>, Vec<Ask>), ToolError> {
    let asks = vec![ask(name, &shown_input(input))];
    let bytes = encode(input, KeyModes::default());
    let of_chain = started.iter().rfind(|(request, _)| request.session == name);
    let (mut typed, shell_directory) = if let Some((request, directory)) = of_chain {
        let reads = request.command.as_deref().is_none_or(may_read_commands);
        (TypedLine::default(), reads.then(|| directory.clone()))
    } else {
        let session = sendable(name, cx)?;
        let typed = session.typed_line().clone();
        let looked = Arc::clone(&session);
        let directory = cx.blocking(move || Ok(shell_directory(&looked))).await?;
        (typed, directory)
    };
    let Some(directory) = shell_directory else {
        return Ok((None, asks));
    };
    let lines = typed.take(&bytes);
    let (services, judged, place) = (Arc::clone(&cx.services), lines.clone(), directory.clone());
    let of_lines = cx.blocking(move || {
        let text = known_text(&judged);
        let mut asks: Vec<Ask> = Vec::new();
        if !text.is_empty() {
            let CommandPermissions { asks: of_known, .. } = command_permissions(&services, &text, &place);
            asks.extend(of_known);
        }
        let unknown = judged.iter().filter(|line| !line.is_known);
        asks.extend(unknown.map(|line| edited_line(&line.text)));
        Ok(asks)
    });
    let asked = of_lines.await?;
    let of_lines = asked.iter().cloned().map(always_asked);
    let asks = of_lines.chain(asks).collect();
    let lines = JudgedLines {
        lines,
        directory,
        asked,
    };
    Ok((Some(lines), asks))
}

/// The known lines as one text for a shell.
pub(super) fn known_text(lines: &[CompletedLine]) -> String {
    let known: Vec<&str> = lines
        .iter()
        .filter(|line| line.is_known)
        .map(|line| line.text.as_str())
        .collect();
    known.join("\n")
}

/// A line that keys have edited: nobody can say what the shell will run.
fn edited_line(text: &str) -> Ask {
    let mut ask = analyse(text).whole();
    let shown = format!("{text} (a line edited with keys)");
    shown.trim_start().clone_into(&mut ask.subject.text);
    ask
}

/// Returns a terminal that can be typed to.
pub(super) fn sendable(name: &str, cx: &ToolCx) -> Result<Arc<TerminalSession>, ToolError> {
    let session = controllable(name, "sent", cx)?;
    let is_hidden = session
        .terminal
        .input_facts()
        .is_some_and(|facts| assess(facts, Duration::ZERO) == InputWait::Hidden);
    if is_hidden {
        return Err(hidden(&session, cx));
    }
    Ok(session)
}

/// Returns a terminal whose program runs.
pub(super) fn live(name: &str, undone: &str, cx: &ToolCx) -> Result<Arc<TerminalSession>, ToolError> {
    let terminals = &cx.services.tree.terminals;
    let session = terminals.find(name).ok_or_else(|| no_session(name, cx))?;
    if session.is_live() {
        Ok(session)
    } else {
        Err(ended(&session, undone, cx))
    }
}

/// Returns a terminal whose program runs, and which the person does not keep to themselves.
pub(super) fn controllable(name: &str, undone: &str, cx: &ToolCx) -> Result<Arc<TerminalSession>, ToolError> {
    let session = live(name, undone, cx)?;
    if session.is_exclusive() {
        Err(exclusive(name, undone))
    } else {
        Ok(session)
    }
}

/// The directory of the shell that reads commands in the terminal, if there is one.
pub(super) fn shell_directory(session: &TerminalSession) -> Option<PathBuf> {
    let shells = session.terminal.shells();
    let shell = shells.last()?;
    Some(
        shell
            .directory
            .clone()
            .unwrap_or_else(|| session.directory.clone()),
    )
}

/// Returns true if a shell may read commands once the command runs. Rather too often than too seldom.
fn may_read_commands(command: &str) -> bool {
    is_shell(command.split_whitespace()) || command.contains(';') || command.contains('&') || {
        // Behind wrappers and in subshells.
        let words = command.split(|c: char| c.is_whitespace() || "()|'\"".contains(c));
        words.into_iter().any(|word| is_shell([word]))
    }
}

/// The bytes that a terminal sends for the input.
pub(super) fn encode(input: &[TypedInput], modes: KeyModes) -> Vec<u8> {
    let bytes = |input: &TypedInput| match input {
        // The Enter key sends a carriage return.
        TypedInput::Text(text) => text.replace("\r\n", "\r").replace('\n', "\r").into_bytes(),
        TypedInput::Word(word) => keys::encode(word, modes),
    };
    input.iter().flat_map(bytes).collect()
}

/// The input as the person reads it.
pub(super) fn shown_input(input: &[TypedInput]) -> String {
    let shown = input.iter().map(|input| match input {
        TypedInput::Text(text) | TypedInput::Word(text) => text.as_str(),
    });
    shown.collect::<Vec<_>>().join(" ")
}

fn question(argument: &str, text: &str, why: Option<&str>) -> Card {
    command_question("PTY", argument, text, why)
}
