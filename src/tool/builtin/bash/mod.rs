//! `bash`: run one shell command to its end.
//!
//! `process` starts and stops it, `command_permissions` says what is asked first, `capture` keeps what it prints,
//! `output_styles` in which colours, `live` shows it as it arrives and `card` draws it; here is what the model reads. The
//! text is cut here and not by the pipeline, because all of it is never in memory.

mod capture;
mod card;
mod git_environment;
mod judged;
mod live;
mod notes;
mod output_styles;
mod person_command;
mod run;
mod sandbox_notes;
#[cfg(test)]
mod tests;
mod traceback;

pub(in crate::tool::builtin) use card::command_question;
pub(in crate::tool::builtin) use judged::{JudgedCommand, Judgement, judge, newly_asked, shell};
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
use crate::process::{CommandOutcome, Confinement, ShellCommand, SpawnError};
use crate::text::truncate::Keep;
use crate::tool::file_name::one_line;
use crate::tool::protected_names::TouchedNames;
use crate::tool::reads_only::ReadsOnly;
use crate::tool::sandbox::{CommandSandbox, reading, sandbox};
use crate::tool::{
    AskingTool, DrawnArgs, InitCx, Output, ParamAlias, Prepared, RenderCx, ResultView, SpilledOutput, Tool,
    ToolCx, ToolError,
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
    /// While it runs: the time after which it is stopped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    limit_ms: Option<u64>,
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
    /// `None` for a person's own command, which nobody judges and nothing confines.
    judged: Option<JudgedCommand>,
    timeout: Duration,
    /// The wanted timeout was longer than allowed.
    clamped: bool,
    /// The session has `interactive_bash`, so it can be recommended.
    has_terminals: bool,
}

impl Tool for BashTool {
    type Args = Args;
    type Plan = Plan;
    type Details = Details;

    const NAME: &'static str = "bash";
    const ALIASES: &'static [&'static str] = &["shell", "run_command", "execute_command"];
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
        let Judgement {
            command: judged,
            asks,
            why,
            ..
        } = judge(&args.command, args.workdir.as_deref(), cx).await?;
        let workdir = judged.workdir.clone();
        let title = match args.description.filter(|text| !text.trim().is_empty()) {
            Some(description) => description,
            None => args.command.trim().lines().next().unwrap_or_default().to_owned(),
        };
        let card = command_question("Bash", &judged.workdir, &args.command, why.as_deref());
        let runs_in = Some(judged.cwd.clone());
        let command = ShellCommand {
            shell: shell(&cx.services)?,
            command: args.command,
            cwd: judged.cwd.clone(),
            environment: cx.services.environment.clone(),
            confinement: None,
        };
        let plan = Plan {
            command,
            title,
            judged: Some(judged),
            workdir,
            timeout,
            clamped,
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
        let watches_files = watches_names && reads_only.is_none();
        let prepared = cx.blocking(move || {
            let began = watches_names.then(|| services.protected_names.before(&services));
            let watch = watches_files.then(|| services.watch_files()).flatten();
            Ok((services.tree.scratch.ensure(), began, watch))
        });
        let (scratch, began, watch) = prepared.await?;
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
            limit_ms: u64::try_from(plan.timeout.as_millis()).ok(),
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
        if let Some(watch) = watch {
            let services = Arc::clone(&cx.services);
            cx.blocking(move || {
                services.enter_changed_files(watch);
                Ok(())
            })
            .await?;
        }
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
            limit_ms: None,
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

/// The sandbox of a command, and what it needs to run confined to reading, when that is all that it does.
async fn confined(plan: &Plan, cx: &ToolCx) -> Result<(CommandSandbox, Option<ReadsOnly>), ToolError> {
    let Some(judged) = &plan.judged else {
        return Ok((CommandSandbox::default(), None));
    };
    let asker = AskingTool {
        tool: BashTool::NAME,
        family: BashTool::FAMILY,
    };
    let reads_only = judged.recheck(asker, cx).await?;
    let reading =
        (reads_only.as_ref()).and_then(|reads_only| reading(&cx.services, reads_only, &plan.command.shell));
    let (services, agent) = (Arc::clone(&cx.services), cx.agent.clone());
    let sandbox = match reading {
        Some(sandbox) => sandbox,
        None => cx.blocking(move || sandbox(&services, &agent)).await?,
    };
    Ok((sandbox, reads_only))
}

fn timeout(given: Option<i64>, default: Duration) -> Result<(Duration, bool), ToolError> {
    match given {
        None => Ok((
            default.min(Duration::from_millis(MAX_TIMEOUT_MS.unsigned_abs())),
            false,
        )),
        Some(..=0) => {
            Err(ToolError::invalid_args("`timeout` must be at least 1 ms")
                .hint("Leave it out for the default."))
        }
        Some(given) => {
            let allowed = given.min(MAX_TIMEOUT_MS);
            Ok((Duration::from_millis(allowed.unsigned_abs()), allowed < given))
        }
    }
}

pub(in crate::tool::builtin) fn not_started(error: &SpawnError) -> ToolError {
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
