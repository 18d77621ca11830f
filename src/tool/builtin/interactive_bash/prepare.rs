//! Permission of the operations, looked up before anything is done.
//!
//! A start is judged as `bash` judges its command, and what is typed as `typing` says. A command that `bash` would run
//! without a question is asked about here: there it is confined to reading, and a program that takes input is not.

use std::sync::Arc;
use std::time::Duration;

use super::answer::{ended, exclusive, hidden, no_session};
use super::operation::{Operation, StartRequest};
use super::request::Request;
use super::typed::shown_input;
use super::typing::{JudgedTyping, Typing, always_asked, judge as judge_typing, judge_unstarted, own_ask};
use super::{InteractiveBashTool, Plan};
use crate::permission::Floor;
use crate::process::pty::{InputWait, assess};
use crate::tool::builtin::bash::{JudgedCommand, Judgement, command_question, judge};
use crate::tool::{AskingTool, Prepared, TerminalSession, Tool, ToolCx, ToolError, user_shell};
use crate::view::card::Card;

/// An operation with what was judged.
pub(super) enum Step {
    Start {
        request: StartRequest,
        judged: JudgedCommand,
    },
    Send {
        session: String,
        typing: Typing,
    },
    Other(Operation),
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
    let mut started: Vec<String> = Vec::new();
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
                    .push(own_ask(&request.session, &text).with_floor(Floor::Denied));
                prepared.why = prepared.why.or_else(|| why.clone());
                prepared.runs_in = Some(command.cwd.clone());
                prepared.card.get_or_insert_with(|| {
                    question(
                        &format!("{} in {}", request.session, command.workdir),
                        &text,
                        why.as_deref(),
                    )
                });
                started.push(request.session.clone());
                Step::Start {
                    request,
                    judged: command,
                }
            }
            Operation::Send { session, input } => {
                let card = question(&session, &shown_input(&input), None);
                let judged = if started.contains(&session) {
                    judge_unstarted(&session, input)
                } else {
                    judge_typing(&sendable(&session, cx)?, input, cx).await?
                };
                let JudgedTyping { typing, asks, why } = judged;
                prepared.asks.extend(asks);
                prepared.why = prepared.why.or_else(|| why.clone());
                prepared.card.get_or_insert(card);
                Step::Send { session, typing }
            }
            other => {
                if let Operation::Signal { session, signal } = &other {
                    prepared
                        .asks
                        .push(own_ask(session, &format!("signal {}", signal.name())));
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

fn question(argument: &str, text: &str, why: Option<&str>) -> Card {
    command_question("PTY", argument, text, why)
}
