//! Carries out operations, one after the other, and waits until the screen has settled.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::watch;
use tokio::time::{sleep, sleep_until};

use super::answer::{self, Settled};
use super::operation::{Operation, StartRequest};
use super::prepare::{Step, asker, controllable, live, sendable};
use super::request::Wait;
use super::sending::Sender;
use super::typing::Typing;
use super::{Details, Plan, answer::details};
use crate::conversation::ErrorKind;
use crate::process::ShellCommand;
use crate::process::pty::{PtySize, Settle, SettleEvents, SettleOutcome, SettleStep};
use crate::process::without_history;
use crate::tool::builtin::bash::{JudgedCommand, not_started, shell};
use crate::tool::sandbox::sandbox;
use crate::tool::{Output, TerminalSession, TerminalStartError, ToolCx, ToolError};

/// How long output is gathered before it is looked at and shown.
const LOOK_EVERY: Duration = Duration::from_millis(50);

pub(super) async fn run(plan: Plan, cx: &ToolCx) -> Result<Output<Details>, ToolError> {
    let mut texts = Vec::new();
    let mut shown = Details::default();
    let Plan { steps, wait } = plan;
    for step in steps {
        let (text, details) = match step {
            Step::Start { request, judged } => start(request, judged, &wait, cx).await?,
            Step::Send { session, typing } => send(&session, typing, &wait, cx).await?,
            Step::Other(operation) => other(operation, &wait, cx).await?,
        };
        texts.push(text);
        shown = details.unwrap_or(shown);
    }
    let live = cx.services.tree.terminals.live_names();
    texts.push(answer::live_line(&live));
    shown.sessions = live;
    let title = answer::title(&shown);
    Ok(Output::new(title, texts.join("\n"), shown))
}

type StepAnswer = (String, Option<Details>);

async fn start(
    request: StartRequest,
    judged: JudgedCommand,
    wait: &Wait,
    cx: &ToolCx,
) -> Result<StepAnswer, ToolError> {
    judged.recheck(asker(), cx).await?;
    let (services, agent) = (Arc::clone(&cx.services), cx.agent.clone());
    let (sandbox, scratch, began) = cx
        .blocking(move || {
            let began = services.protected_names.before(&services);
            Ok((sandbox(&services, &agent)?, services.tree.scratch.ensure(), began))
        })
        .await?;
    let mut environment = without_history(&cx.services.terminal_environment);
    if let Err(error) = scratch {
        tracing::warn!(%error, "there is no scratch directory");
        environment.retain(|(name, _)| name != "TMPDIR");
    }
    let command = ShellCommand {
        shell: shell(&cx.services)?,
        command: judged.text.clone(),
        cwd: judged.cwd.clone(),
        environment,
        confinement: sandbox.confinement,
    };
    let terminals = &cx.services.tree.terminals;
    let session = terminals
        .start(&request.session, &judged.text, &command, request.size)
        .map_err(|error| start_error(&error, cx))?;
    session.watch_names(began);
    let generation = session.terminal.screen().generation();
    answered(session, wait, Some(generation), 0, cx).await
}

fn start_error(error: &TerminalStartError, cx: &ToolCx) -> ToolError {
    match error {
        TerminalStartError::Exists(session) => answer::exists(session, cx),
        TerminalStartError::Limit => ToolError::new(ErrorKind::Limit, error.to_string()).hint(format!(
            "Stop one that is not needed any more: {}.",
            cx.services.tree.terminals.live_names().join(", ")
        )),
        TerminalStartError::Closing => ToolError::new(ErrorKind::Cancelled, error.to_string()),
        TerminalStartError::Spawn(error) => not_started(error),
    }
}

async fn send(name: &str, typing: Typing, wait: &Wait, cx: &ToolCx) -> Result<StepAnswer, ToolError> {
    let session = sendable(name, cx)?;
    let generation = session.terminal.screen().generation();
    let sender = Sender {
        session: &session,
        timeout: wait.timeout,
        cx,
    };
    sender.send(typing).await?;
    answered(session, wait, Some(generation), 0, cx).await
}

async fn other(operation: Operation, wait: &Wait, cx: &ToolCx) -> Result<StepAnswer, ToolError> {
    let terminals = &cx.services.tree.terminals;
    let find = |name: &str| terminals.find(name).ok_or_else(|| answer::no_session(name, cx));
    match operation {
        Operation::Start(request) => {
            let session = find(&request.session)?;
            answered(session, wait, None, 0, cx).await
        }
        Operation::Read { session, scrollback } => {
            let session = find(&session)?;
            answered(session, wait, None, scrollback, cx).await
        }
        Operation::Resize { session, cols, rows } => {
            let session = controllable(&session, "resized", cx)?;
            let size = session.terminal.screen().size();
            let size = PtySize {
                cols: cols.unwrap_or(size.cols),
                rows: rows.unwrap_or(size.rows),
            };
            let resized = session.terminal.resize(size);
            resized.map_err(|error| ToolError::new(ErrorKind::Io, error.to_string()))?;
            answered(session, wait, None, 0, cx).await
        }
        Operation::Signal { session, signal } => {
            let session = controllable(&session, "sent", cx)?;
            let sent = session.terminal.signal(signal.signal());
            sent.map_err(|error| ToolError::new(ErrorKind::Io, format!("the signal was not sent: {error}")))?;
            answered(session, wait, None, 0, cx).await
        }
        Operation::Stop { session } => {
            let session = find(&session)?;
            let name = session.name();
            if session.is_exclusive() && session.is_live() {
                return Err(answer::exclusive(&name, "stopped"));
            }
            terminals.stop(session).await;
            Ok((format!("[{name} · stopped]"), None))
        }
        Operation::Has { session } => {
            let session = live(&session, "found", cx)?;
            Ok((format!("[{} · running]", session.name()), None))
        }
        Operation::List => Ok((answer::list(&terminals.all()), None)),
        Operation::StopAll => {
            let all = terminals.all();
            let kept = all
                .iter()
                .find(|session| session.is_exclusive() && session.is_live());
            if let Some(kept) = kept {
                return Err(answer::exclusive(&kept.name(), "stopped"));
            }
            terminals.stop_all().await;
            Ok(("[all terminals are stopped]".to_owned(), None))
        }
        // Sent by its own step.
        Operation::Send { session, .. } => Err(answer::no_session(&session, cx)),
    }
}

/// The screen as it stands now, and the protected names that were touched since the last answer.
async fn answered(
    session: Arc<TerminalSession>,
    wait: &Wait,
    before: Option<u64>,
    scrollback: usize,
    cx: &ToolCx,
) -> Result<StepAnswer, ToolError> {
    let settled = settle(&session, wait, before, cx).await?;
    let (looked, services) = (Arc::clone(&session), Arc::clone(&cx.services));
    let touched = cx.blocking(move || Ok(looked.touched_names(&services))).await?;
    let mut details = details(&session, settled.outcome, cx);
    let mut text = answer::text(&session, &details, &settled, scrollback);
    if let Some(note) = touched.note() {
        text = format!("{text}\n{note}");
    }
    details.protected = touched.into_names();
    Ok((text, Some(details)))
}

/// Waits until the screen has settled, and shows it meanwhile. A pattern counts on a screen of another generation than
/// `before`, so that what stood there before the keys is not taken for their effect.
async fn settle(
    session: &Arc<TerminalSession>,
    wait: &Wait,
    before: Option<u64>,
    cx: &ToolCx,
) -> Result<Settled, ToolError> {
    let mut changes = session.changes();
    let settle = Settle::new(Instant::now(), wait.timeout, wait.pattern.is_some());
    let mut shown = None;
    loop {
        let (looked, pattern) = (Arc::clone(session), wait.pattern.clone());
        let look = move || {
            // Before the screen, so that what a program has printed by its end is on it.
            let now = Instant::now();
            let events = looked.terminal.settle_events(now, false);
            let screen = looked.terminal.screen();
            let generation = screen.generation();
            let text = pattern.is_some().then(|| screen.text().join("\n"));
            drop(screen);
            let is_pattern_seen = Some(generation) != before
                && pattern
                    .zip(text)
                    .is_some_and(|(pattern, text)| pattern.is_match(&text));
            let events = SettleEvents {
                is_pattern_seen,
                ..events
            };
            Ok((settle.step(now, events), generation))
        };
        let (step, generation) = cx.blocking(look).await?;
        if shown.replace(generation) != Some(generation) {
            show(session, cx);
        }
        let until = match step {
            SettleStep::Over(outcome) => {
                return Ok(Settled {
                    outcome,
                    timeout: wait.timeout,
                    has_pattern: wait.pattern.is_some(),
                });
            }
            SettleStep::LookAgain(until) => until,
        };
        tokio::select! {
            biased;
            () = cx.cancel.cancelled() => return Err(cancelled(&session.name())),
            () = gather(&mut changes) => {}
            () = sleep_until(until.into()) => {}
        }
    }
}

/// Waits for a change, and for what comes right after it.
async fn gather(changes: &mut watch::Receiver<()>) {
    // The session has the sender, so there is one.
    let _ = changes.changed().await;
    sleep(LOOK_EVERY).await;
}

fn cancelled(name: &str) -> ToolError {
    let message = format!("waiting for the terminal `{name}` was cancelled; its program goes on");
    ToolError::new(ErrorKind::Cancelled, message)
}

fn show(session: &TerminalSession, cx: &ToolCx) {
    let details = details(session, SettleOutcome::Quiet, cx);
    cx.show_details(&details);
}
