//! Starts hooks, hears them out and tells what they did. Which are run when, and what their answers mean, is
//! in `call` and `turn`.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::decision::{HookJson, HookOutcome, outcome};
use super::event::{HookContext, HookEvent};
use super::matcher::Matcher;
use super::run::{HookEffect, HookExit, HookRun};
use crate::process::{PipedCommand, PipedOutcome, Shell, ShellCommand};
use crate::text::sanitize::sanitize_line;
use crate::text::width::truncate;

/// Bytes of each output that are used.
const OUTPUT: usize = 64 * 1024;
/// Columns of a run's output in the list.
const OUTPUT_COLUMNS: usize = 200;
/// Columns of a command in a warning.
const COMMAND_COLUMNS: usize = 60;

/// One configured command.
#[derive(Debug, Clone)]
pub struct Hook {
    pub event: HookEvent,
    pub matcher: Matcher,
    pub command: String,
    /// `None`: the event's own.
    pub timeout: Option<Duration>,
    /// The file it comes from, as the user knows it.
    pub source: String,
}

/// The hooks and everything they are run with.
#[derive(Debug, Clone, Default)]
pub struct HookSettings {
    /// In the order in which they run.
    pub hooks: Vec<Hook>,
    /// Directory that hooks run in.
    pub project_root: PathBuf,
    /// All of their environment but the variables that name the project.
    pub environment: Vec<(OsString, OsString)>,
    /// Transcript file that hooks may read.
    pub transcript: Option<PathBuf>,
}

/// All hooks of a session. Without any it does nothing at no cost.
pub struct Hooks {
    settings: HookSettings,
    tell: Box<dyn Fn(HookRun) + Send + Sync>,
}

/// The meaning of one run for its event.
#[derive(Default)]
pub(super) struct RunMeaning {
    effect: HookEffect,
    /// Sentences for the user.
    pub(super) messages: Vec<String>,
}

impl RunMeaning {
    pub(super) fn note(&mut self, effect: HookEffect) {
        self.effect = self.effect.max(effect);
    }
}

/// A run that has ended and was not told yet.
pub(super) struct HookRunOutcome {
    pub(super) heard: HookOutcome,
    exit: HookExit,
    output: String,
    started: i64,
    took: Duration,
}

impl Hooks {
    /// `tell` hears of every run as it ends. It must not block.
    pub fn new(settings: HookSettings, tell: impl Fn(HookRun) + Send + Sync + 'static) -> Self {
        Self {
            settings,
            tell: Box::new(tell),
        }
    }

    pub fn has(&self, event: HookEvent) -> bool {
        self.settings.hooks.iter().any(|hook| hook.event == event)
    }

    /// Returns true if a hook for the event matches the tool.
    pub fn has_for_tool(&self, event: HookEvent, tool: &str) -> bool {
        self.of_tool(event, tool).next().is_some()
    }

    /// Returns the path of the transcript for hooks; `None` without hooks.
    pub fn transcript(&self) -> Option<&Path> {
        self.settings.transcript.as_deref()
    }

    pub(super) fn of(&self, event: HookEvent) -> impl Iterator<Item = &Hook> {
        self.settings.hooks.iter().filter(move |hook| hook.event == event)
    }

    pub(super) fn of_tool<'a>(&'a self, event: HookEvent, tool: &'a str) -> impl Iterator<Item = &'a Hook> {
        self.of(event).filter(move |hook| hook.matcher.matches_tool(tool))
    }

    /// Events without a tool are told apart by the word that says what it is about.
    pub(super) fn of_word<'a>(&'a self, event: HookEvent, word: &'a str) -> impl Iterator<Item = &'a Hook> {
        self.of(event).filter(move |hook| hook.matcher.matches(word))
    }

    pub(super) async fn run(
        &self,
        hook: &Hook,
        scene: HookContext<'_>,
        fields: Value,
        cancel: &CancellationToken,
    ) -> HookRunOutcome {
        let started = jiff::Timestamp::now().as_millisecond();
        let began = Instant::now();
        let timeout = hook.timeout.unwrap_or_else(|| hook.event.timeout());
        let input = scene.input(hook.event, self.settings.transcript.as_deref(), fields);
        let (heard, exit, output) = match self.exchange(hook, input, timeout, cancel).await {
            Some(Ok(exchanged)) => (
                outcome(&exchanged, timeout),
                exit(&exchanged),
                printed(&exchanged),
            ),
            Some(Err(why)) => {
                let heard = HookOutcome::Failed(format!("the hook did not start: {why}"));
                (heard, HookExit::NotStarted, String::new())
            }
            None => (HookOutcome::Cancelled, HookExit::Cancelled, String::new()),
        };
        HookRunOutcome {
            heard,
            exit,
            output,
            started,
            took: began.elapsed(),
        }
    }

    /// `None` when the work that the hook belongs to was stopped. Whoever stops it waits for no hook, so that is killed at
    /// once, with its group, when the future is dropped.
    async fn exchange(
        &self,
        hook: &Hook,
        input: Vec<u8>,
        timeout: Duration,
        cancel: &CancellationToken,
    ) -> Option<Result<PipedOutcome, String>> {
        let exchange = async {
            let exchange = PipedCommand {
                command: self.command(hook)?,
                input,
                keep: OUTPUT,
            };
            let never = CancellationToken::new();
            exchange
                .run(timeout, &never)
                .await
                .map_err(|error| error.to_string())
        };
        tokio::select! {
            biased;
            () = cancel.cancelled() => None,
            exchanged = exchange => Some(exchanged),
        }
    }

    fn command(&self, hook: &Hook) -> Result<ShellCommand, String> {
        let settings = &self.settings;
        let mut environment = settings.environment.clone();
        let path = environment.iter().find(|(name, _)| name == "PATH");
        let shell =
            Shell::find(None, path.map(|(_, value)| OsStr::new(value))).map_err(|error| error.to_string())?;
        for name in ["CLAUDE_PROJECT_DIR", "LATHE_PROJECT_DIR"] {
            environment.retain(|(known, _)| known != name);
            environment.push((name.into(), settings.project_root.clone().into()));
        }
        Ok(ShellCommand {
            shell,
            command: hook.command.clone(),
            cwd: settings.project_root.clone(),
            environment,
            // The user's own command; the sandbox is for the model's.
            confinement: None,
        })
    }

    pub(super) fn note(&self, hook: &Hook, tool: Option<&str>, ran: HookRunOutcome, meaning: RunMeaning) {
        let quiet = matches!(&ran.heard, HookOutcome::Answered(answer) if answer.said.hides_output());
        let run = HookRun {
            event: hook.event,
            command: hook.command.clone(),
            source: hook.source.clone(),
            tool: tool.map(str::to_owned),
            started: ran.started,
            took: ran.took,
            exit: ran.exit,
            effect: meaning.effect,
            output: if quiet { String::new() } else { ran.output },
            messages: meaning.messages,
        };
        tracing::info!(event = %run.event, command = run.command, exit = %run.exit, effect = %run.effect,
            took = ?run.took, "a hook ran");
        (self.tell)(run);
    }
}

pub(super) fn add_context(words: Option<String>, context: &mut Vec<String>, meaning: &mut RunMeaning) {
    if words.is_some() {
        meaning.note(HookEffect::Added);
    }
    context.extend(words);
}

/// Notes what a hook says to the user, and whether it ends the turn.
pub(super) fn stop(said: &HookJson, into: &mut Option<String>, meaning: &mut RunMeaning) {
    meaning.messages.extend(said.message());
    if let Some(why) = said.stop() {
        meaning.note(HookEffect::Stopped);
        if into.is_none() {
            meaning.messages.push(format!("A hook ended the turn: {why}"));
        }
        into.get_or_insert(why);
    }
}

/// Outside of calls that are about to happen, a hook that fails is told of and no more.
pub(super) fn warn(heard: &HookOutcome, hook: &Hook, meaning: &mut RunMeaning) {
    let why = match heard {
        HookOutcome::Answered(_) | HookOutcome::Cancelled => return,
        HookOutcome::Refused(why) | HookOutcome::TimedOut(why) | HookOutcome::Failed(why) => why,
    };
    meaning.note(HookEffect::Warned);
    let command = sanitize_line(&hook.command);
    let command = truncate(&command, COMMAND_COLUMNS);
    meaning
        .messages
        .push(format!("The {} hook `{command}` failed: {why}", hook.event));
}

fn exit(exchanged: &PipedOutcome) -> HookExit {
    let outcome = &exchanged.outcome;
    match (outcome.exit, outcome.signal) {
        _ if outcome.timed_out => HookExit::TimedOut,
        _ if outcome.cancelled => HookExit::Cancelled,
        (Some(code), _) => HookExit::Code(code),
        (None, Some(signal)) => HookExit::Signal(signal),
        (None, None) => HookExit::TimedOut,
    }
}

/// The first line of what was printed.
fn printed(exchanged: &PipedOutcome) -> String {
    let kept = [&exchanged.stderr.bytes, &exchanged.stdout.bytes];
    let printed = kept.into_iter().find(|bytes| !bytes.is_empty());
    let text = String::from_utf8_lossy(printed.map_or(&[][..], Vec::as_slice));
    let line = text.lines().next().unwrap_or_default();
    truncate(&sanitize_line(line), OUTPUT_COLUMNS).into_owned()
}
