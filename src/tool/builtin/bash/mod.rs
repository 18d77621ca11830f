//! `bash`: run one shell command to its end.
//!
//! `process` starts and stops it, `command_permissions` says what is asked first, `capture` keeps what it prints,
//! `output_styles` in which colours, `live` shows it as it arrives and `card` draws it; here is what the model reads. The
//! text is cut here and not by the pipeline, because all of it is never in memory.

mod capture;
mod card;
mod git_environment;
mod live;
mod notes;
mod output_styles;
mod person_command;
mod run;
mod sandbox_notes;
#[cfg(test)]
mod tests;

pub(in crate::tool) use person_command::OwnCommand;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use self::capture::CapturedOutput;
use self::live::LiveOutput;
use self::output_styles::LineRun;
use self::run::FinishedCommand;
use crate::conversation::ErrorKind;
use crate::files::PathKind;
use crate::permission::Ask;
use crate::process::{CommandOutcome, Confinement, Shell, ShellCommand, SpawnError};
use crate::text::truncate::Keep;
use crate::tool::command_permissions::{CommandPermissions, command_permissions, count_deleted};
use crate::tool::file_name::one_line;
use crate::tool::protected_names::TouchedNames;
use crate::tool::reads_only::ReadsOnly;
use crate::tool::sandbox::{CommandSandbox, reading, sandbox};
use crate::tool::{
    AskingTool, Concurrency, DrawnArgs, InitCx, Output, ParamAlias, Prepared, RenderCx, ResultView,
    SessionServices, SpilledOutput, Tool, ToolCx, ToolError,
};
use crate::view::card::Card;

/// The tool for programs that need a terminal or keep running.
const TERMINALS: &str = "interactive_bash";
const MAX_TIMEOUT_MS: i64 = 600_000;

pub(super) struct BashTool;

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Args {
    /// Run by bash, or sh where there is none.
    command: String,
    /// What it does, in 5 to 10 words.
    #[serde(default)]
    description: Option<String>,
    /// Milliseconds, at most 600000.
    #[serde(default)]
    timeout: Option<i64>,
    /// Directory to run in (default: the session's).
    #[serde(default)]
    workdir: Option<String>,
}

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Details {
    command: String,
    exit: Option<i32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    signal: Option<i32>,
    duration_ms: u64,
    timed_out: bool,
    workdir: String,
    bytes: u64,
    lines: u64,
    pid: u32,
    /// The sandbox mode that confined the command, when one did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    sandbox: Option<String>,
    /// Protected names that it created or changed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    protected: Vec<String>,
    /// The first line of the output that the model saw, when it did not see all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    first_line: Option<u64>,
    /// Lines of the result's text before and after what the command printed.
    #[serde(default, skip_serializing_if = "is_zero")]
    notes_before: usize,
    #[serde(default, skip_serializing_if = "is_zero")]
    notes_after: usize,
    /// While it runs: the line that has not ended yet.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pending: String,
    /// How the last lines look, where they are not plain. The model knows nothing of it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    styles: Vec<LineRun>,
}

#[allow(clippy::trivially_copy_pass_by_ref)] // serde asks for this signature
fn is_zero(count: &usize) -> bool {
    *count == 0
}

pub(super) struct Plan {
    command: ShellCommand,
    title: String,
    workdir: String,
    /// The asks of the command by the files that were there when it was judged. How many it would delete is none of it:
    /// that may change while somebody thinks.
    asked: Vec<Ask>,
    timeout: Duration,
    /// The wanted timeout was longer than allowed.
    clamped: bool,
    initiator: Initiator,
    /// The session has `interactive_bash`, so it can be recommended.
    has_terminals: bool,
}

/// Initiator of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Initiator {
    Model,
    /// Nothing confines what a person does themselves.
    Person,
}

impl Tool for BashTool {
    type Args = Args;
    type Plan = Plan;
    type Details = Details;

    const NAME: &'static str = "bash";
    const ALIASES: &'static [&'static str] = &["shell", "run_command", "execute_command"];
    const CONCURRENCY: Concurrency = Concurrency::Exclusive;
    const PARAM_ALIASES: &'static [ParamAlias] = &[ParamAlias::name("cwd", "workdir")];
    const KEEP: Keep = Keep::Tail;
    const EDITED: Option<&'static str> = Some("command");
    /// TERM, three seconds, KILL, and half a second to read what is left.
    const CANCEL_GRACE: Duration = Duration::from_millis(3500);

    fn description(&self, cx: InitCx<'_>) -> String {
        let seconds = cx.settings.bash.timeout.as_secs();
        format!(
            "Run a shell command to its end and get its output (stdout and stderr together, the end of it when it is \
             long). No terminal and no input: nothing can be answered. Each call is a new shell in the session's \
             directory; `$TMPDIR` is for temporary files. Stopped after {seconds} s unless `timeout` says otherwise. Prefer read, grep, glob and edit to \
             cat, grep, find and sed."
        )
    }

    async fn prepare(&self, args: Args, cx: &ToolCx) -> Result<Prepared<Plan>, ToolError> {
        let (timeout, clamped) = timeout(args.timeout, cx.services.settings.bash.timeout)?;
        if args.command.trim().is_empty() {
            return Err(ToolError::new(
                ErrorKind::InvalidArgs,
                "`command` is empty; give the command to run",
            ));
        }
        if args.command.contains('\0') {
            return Err(not_started(&SpawnError::Nul));
        }
        let path = cx.path(args.workdir.as_deref().unwrap_or("."))?;
        let mut asks = path.asks;
        let error = match path.resolved.kind {
            PathKind::Directory => None,
            PathKind::Missing | PathKind::DanglingLink => Some((ErrorKind::NotFound, "does not exist")),
            PathKind::File | PathKind::Special => Some((ErrorKind::NotDirectory, "is not a directory")),
        };
        if let Some((kind, what)) = error {
            let message = format!("`{}` {what}, so the command was not run", path.resolved.display);
            return Err(ToolError::new(kind, message)
                .hint("Give an existing directory as `workdir`.")
                .after(asks));
        }
        let services = &cx.services;
        let shell = shell(services)?;
        let cwd = path.resolved.real;
        let (services, text, directory) = (Arc::clone(services), args.command.clone(), cwd.clone());
        let judged = cx.blocking(move || {
            let CommandPermissions { asks: asked, why, .. } =
                command_permissions(&services, &text, &directory);
            let mut shown = asked.clone();
            count_deleted(&services, &text, &directory, &mut shown);
            Ok((asked, shown, why))
        });
        let (asked, shown, why) = judged.await?;
        asks.extend(shown);
        let title = match args.description.filter(|text| !text.trim().is_empty()) {
            Some(description) => description,
            None => args.command.trim().lines().next().unwrap_or_default().to_owned(),
        };
        let card = card::question(&args.command, &path.resolved.display, why.as_deref());
        let runs_in = Some(cwd.clone());
        let command = ShellCommand {
            shell,
            command: args.command,
            cwd,
            environment: cx.services.environment.clone(),
            confinement: None,
        };
        let plan = Plan {
            command,
            title,
            workdir: path.resolved.display,
            asked,
            timeout,
            clamped,
            initiator: Initiator::Model,
            has_terminals: cx.offers(TERMINALS),
        };
        let mut prepared = Prepared::new(plan, asks).with_card(card);
        prepared.why = why;
        prepared.runs_in = runs_in;
        Ok(prepared)
    }

    async fn execute(&self, plan: Plan, cx: &ToolCx) -> Result<Output<Details>, ToolError> {
        let (sandbox, reads_only) = confined(&plan, cx).await?;
        let mut command = ShellCommand {
            confinement: sandbox.confinement.clone(),
            ..plan.command.clone()
        };
        let services = Arc::clone(&cx.services);
        // What is confined to reading creates nothing.
        let watches_names = !sandbox.confinement.as_ref().is_some_and(Confinement::is_reading);
        let prepared = cx.blocking(move || {
            let began = watches_names.then(|| services.protected_names.before(&services));
            Ok((services.tree.scratch.ensure(), began))
        });
        let (scratch, began) = prepared.await?;
        if let Err(error) = scratch {
            tracing::warn!(%error, "there is no scratch directory");
            command.environment.retain(|(name, _)| name != "TMPDIR");
        }
        let is_listed = reads_only.is_some();
        let filters = reads_only.and_then(|reads_only| git_environment::disarm(&mut command, &reads_only));
        let running = command.spawn().map_err(|error| not_started(&error))?;
        let details = Details {
            command: plan.command.command.clone(),
            workdir: plan.workdir.clone(),
            pid: running.pid(),
            sandbox: sandbox
                .confinement
                .is_some()
                .then(|| sandbox.mode.name().to_owned()),
            ..Details::default()
        };
        let live = LiveOutput::start(&details, cx);
        let sink = |bytes: &[u8]| live.push(bytes);
        let ended = tokio::select! {
            biased;
            ended = run::to_the_end(running, plan.timeout, is_listed, &cx.cancel, sink) => ended,
            never = live.show(&details, cx) => match never {},
        };
        let captured = live.finish(&details, cx);
        let services = Arc::clone(&cx.services);
        let touched = match began {
            Some(began) => {
                let look = move || Ok(services.protected_names.touched_since(began, &services));
                cx.blocking(look).await?
            }
            None => TouchedNames::default(),
        };
        let notes: Vec<String> = filters
            .filter(|_| !captured.text.is_empty())
            .into_iter()
            .chain(touched.note())
            .collect();
        let details = Details {
            protected: touched.into_names(),
            ..details
        };
        Ok(answer(&plan, &sandbox, notes, &ended, captured, details))
    }

    fn render_call(&self, args: DrawnArgs<'_>, cx: RenderCx) -> Card {
        card::call(args.text("command"), cx)
    }

    fn render_result(&self, result: ResultView<'_, Details>, cx: RenderCx) -> Card {
        card::result(&result, cx)
    }
}

/// Finds what runs commands.
fn shell(services: &SessionServices) -> Result<Shell, ToolError> {
    let variable = services.environment.iter().find(|(name, _)| name == "PATH");
    let path = variable.map(|(_, value)| value.as_os_str());
    Shell::find(services.settings.bash.shell.as_deref(), path)
        .map_err(|error| ToolError::new(ErrorKind::Unavailable, error.to_string()))
}

/// The sandbox of a command, and what it needs to run confined to reading, when that is all that it does.
async fn confined(plan: &Plan, cx: &ToolCx) -> Result<(CommandSandbox, Option<ReadsOnly>), ToolError> {
    if plan.initiator == Initiator::Person {
        return Ok((CommandSandbox::default(), None));
    }
    check_place(plan)?;
    let reads_only = check_reach(plan, cx).await?;
    let reading =
        (reads_only.as_ref()).and_then(|reads_only| reading(&cx.services, reads_only, &plan.command.shell));
    let (services, agent) = (Arc::clone(&cx.services), cx.agent.clone());
    let sandbox = match reading {
        Some(sandbox) => sandbox,
        None => cx.blocking(move || sandbox(&services, &agent)).await?,
    };
    Ok((sandbox, reads_only))
}

/// Refuses to run where the person was not asked about: a link may have been put in the way since.
fn check_place(plan: &Plan) -> Result<(), ToolError> {
    let cwd = &plan.command.cwd;
    match cwd.canonicalize() {
        Ok(now) if now != *cwd => Err(ToolError::new(
            ErrorKind::Stale,
            format!(
                "`{}` leads to another place than when it was asked about, so the command was not run",
                plan.workdir
            ),
        )),
        // That it is gone is said by the attempt to start there.
        _ => Ok(()),
    }
}

/// Refuses to run where files changed so that the command would touch something that nobody has allowed: a link leads
/// elsewhere, a wildcard stands for more. Returns what the command needs to run confined to reading, as things are.
async fn check_reach(plan: &Plan, cx: &ToolCx) -> Result<Option<ReadsOnly>, ToolError> {
    let (services, command) = (Arc::clone(&cx.services), plan.command.clone());
    let now = cx.blocking(move || Ok(command_permissions(&services, &command.command, &command.cwd)));
    let CommandPermissions {
        asks: mut new,
        reads_only,
        ..
    } = now.await?;
    new.retain(|ask| !plan.asked.contains(ask));
    let asker = AskingTool {
        tool: BashTool::NAME,
        family: BashTool::FAMILY,
    };
    if new.is_empty() || cx.services.gate.allows(asker, &new) {
        return Ok(reads_only);
    }
    let touched: Vec<String> = new.iter().map(|ask| format!("`{}`", ask.subject.text)).collect();
    let message = format!(
        "files changed after the command was judged: it would now touch {}, so it was not run",
        touched.join(", ")
    );
    Err(ToolError::new(ErrorKind::Stale, message).hint("Send it again to have it judged as things are."))
}

fn timeout(given: Option<i64>, default: Duration) -> Result<(Duration, bool), ToolError> {
    match given {
        None => Ok((
            default.min(Duration::from_millis(MAX_TIMEOUT_MS.unsigned_abs())),
            false,
        )),
        Some(..=0) => Err(
            ToolError::new(ErrorKind::InvalidArgs, "`timeout` must be at least 1 ms")
                .hint("Leave it out for the default."),
        ),
        Some(given) => {
            let allowed = given.min(MAX_TIMEOUT_MS);
            Ok((Duration::from_millis(allowed.unsigned_abs()), allowed < given))
        }
    }
}

fn not_started(error: &SpawnError) -> ToolError {
    let kind = match error {
        SpawnError::NoDirectory(_) => ErrorKind::NotFound,
        SpawnError::NoShell(_) => ErrorKind::Unavailable,
        SpawnError::Nul | SpawnError::TooLong(_) => ErrorKind::InvalidArgs,
        SpawnError::Interrupted => ErrorKind::Interrupted,
        SpawnError::System(_) => ErrorKind::Io,
    };
    ToolError::new(kind, error.to_string())
}

/// Puts together what the model reads: what went wrong, how much is missing, the output, how it ended.
fn answer(
    plan: &Plan,
    sandbox: &CommandSandbox,
    more: Vec<String>,
    ended: &FinishedCommand,
    captured: CapturedOutput,
    details: Details,
) -> Output<Details> {
    let outcome = &ended.outcome;
    let failure = ended.failure();
    let what = ended.error(|path| shown_from(&plan.command.cwd, path));
    let is_cut = captured.note.is_some();
    let before: Vec<String> = what.into_iter().chain(captured.note).collect();
    let mut after = notes::notes(plan, ended, &captured.text);
    after.extend(sandbox_notes::notes(
        sandbox,
        outcome,
        &captured.text,
        &plan.command.cwd,
    ));
    after.extend(more);
    let count = |texts: &[String]| texts.iter().map(|text| text.lines().count()).sum();
    let details = Details {
        exit: outcome.exit,
        signal: outcome.signal,
        duration_ms: u64::try_from(outcome.duration.as_millis()).unwrap_or(u64::MAX),
        timed_out: outcome.timed_out,
        bytes: captured.bytes,
        lines: captured.lines,
        first_line: is_cut.then_some(captured.first_line),
        notes_before: count(&before),
        notes_after: count(&after),
        styles: captured.runs,
        ..details
    };
    let printed = if captured.text.is_empty() {
        "(no output)".to_owned()
    } else {
        captured.text
    };
    let parts: Vec<String> = before.into_iter().chain([printed]).chain(after).collect();
    Output {
        title: plan.title.clone(),
        text: parts.join("\n"),
        details,
        attachments: Vec::new(),
        spilled: is_cut.then_some(SpilledOutput { path: captured.path }),
        failure,
        paged: false,
    }
}

/// Returns a path as it is named in the directory of a command.
fn shown_from(directory: &Path, path: &Path) -> String {
    let path = path.strip_prefix(directory).unwrap_or(path);
    one_line(&path.to_string_lossy()).into_owned()
}
