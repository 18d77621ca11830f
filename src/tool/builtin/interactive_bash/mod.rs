//! `interactive_bash`: programs in terminals of lathe's own, which keep running between calls.
//!
//! `request` reads both forms of arguments into operations, `prepare` judges them (`typing` what is typed, `lines` what a
//! shell reads of it), `run` carries them out (`sending` what is typed) and waits until the screen has settled, `answer` says what the model reads, `card` draws the screen. The terminals themselves belong to
//! the session tree ([`crate::tool::Terminals`]); `process::pty` and `process::screen` know nothing of tools.

mod answer;
mod card;
mod keys;
mod lines;
mod operation;
mod prepare;
mod request;
mod run;
mod sending;
mod tmux;
mod typed;
mod typing;

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use self::answer::ScreenRun;
use self::operation::Operation;
use self::prepare::Step;
use self::request::Wait;
use crate::permission::PermissionKey;
use crate::text::truncate::Keep;
use crate::tool::{
    Concurrency, DrawnArgs, OneOrMany, Output, ParamAlias, Prepared, RenderCx, ResultView, Tool, ToolCx,
    ToolError,
};
use crate::view::card::Card;

pub(super) struct InteractiveBashTool;

#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
pub(super) struct Args {
    /// Give this or `tmux_command`.
    #[serde(default)]
    action: Option<ActionName>,
    /// Name of the terminal (default: omo-1).
    #[serde(default)]
    session: Option<String>,
    /// start: the program (default: the user's shell).
    #[serde(default)]
    command: Option<String>,
    /// start: directory.
    #[serde(default)]
    workdir: Option<String>,
    /// send: typed literally.
    #[serde(default)]
    text: Option<String>,
    /// send: after `text`, keys separated by blanks: Enter, Escape, Up, F1, C-c, M-x.
    #[serde(default)]
    keys: Option<OneOrMany>,
    /// Wait until this regex matches the screen.
    #[serde(default)]
    wait_for: Option<String>,
    /// Milliseconds to wait at most (default 60000).
    #[serde(default)]
    timeout: Option<u64>,
    /// start, resize: 20 to 500 (default 120).
    #[serde(default)]
    cols: Option<i64>,
    /// start, resize: 5 to 200 (default 40).
    #[serde(default)]
    rows: Option<i64>,
    /// signal: default INT.
    #[serde(default)]
    signal: Option<SignalName>,
    /// read: lines above the screen, at most 2000.
    #[serde(default)]
    scrollback: Option<u64>,
    /// In place of `action`: new-session, send-keys, kill-session … as for tmux.
    #[serde(default)]
    tmux_command: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum ActionName {
    Start,
    Send,
    Read,
    Resize,
    Signal,
    Stop,
    List,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
enum SignalName {
    Int,
    Term,
    Kill,
    Hup,
    Quit,
    Tstp,
    Cont,
    Usr1,
    Usr2,
    Winch,
}

/// The screen as the call has left it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Details {
    session: String,
    command: String,
    running: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    exit: Option<i32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    signal: Option<i32>,
    cols: u16,
    rows: u16,
    cursor: CursorPosition,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    alt_screen: bool,
    /// Input that the program waits for, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    waiting: Option<WaitingFor>,
    screen: Vec<Vec<ScreenRun>>,
    /// Names of the live terminals.
    sessions: Vec<String>,
    /// Protected names that were created or changed since the last answer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    protected: Vec<String>,
}

/// Position of the cursor, counted from 1.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
struct CursorPosition {
    row: usize,
    col: usize,
    visible: bool,
}

/// Input that the program waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum WaitingFor {
    Line,
    /// A secret, which only the user types.
    Hidden,
}

pub(super) struct Plan {
    steps: Vec<Step>,
    wait: Wait,
}

impl Tool for InteractiveBashTool {
    type Args = Args;
    type Plan = Plan;
    type Details = Details;

    const NAME: &'static str = "interactive_bash";
    const DESCRIPTION: &'static str = "\
        Run programs that need a terminal or keep running: start, send keys, read. Every answer shows the screen once \
        the output is quiet; `wait_for` waits for a text. No tmux is needed.";
    const FAMILY: &'static PermissionKey = &PermissionKey::BASH;
    const KEEP: Keep = Keep::Tail;
    const DYNAMIC: bool = true;
    const PARAM_ALIASES: &'static [ParamAlias] = &[
        ParamAlias::name("cwd", "workdir"),
        ParamAlias::name("session_name", "session"),
    ];
    /// HUP, three seconds, KILL.
    const CANCEL_GRACE: Duration = Duration::from_secs(4);

    fn concurrency(&self, args: &Args) -> Concurrency {
        if only_looks(args) {
            Concurrency::Shared
        } else {
            Concurrency::Exclusive
        }
    }

    fn is_loop_checked(&self, args: &Args) -> bool {
        !only_looks(args)
    }

    async fn prepare(&self, args: Args, cx: &ToolCx) -> Result<Prepared<Plan>, ToolError> {
        prepare::prepare(request::request(&args)?, cx).await
    }

    async fn execute(&self, plan: Plan, cx: &ToolCx) -> Result<Output<Details>, ToolError> {
        run::run(plan, cx).await
    }

    fn render_call(&self, args: DrawnArgs<'_>, _: RenderCx) -> Card {
        card::call(args)
    }

    fn render_result(&self, result: ResultView<'_, Details>, cx: RenderCx) -> Card {
        card::result(&result, cx)
    }
}

fn only_looks(args: &Args) -> bool {
    request::request(args).is_ok_and(|asked| asked.operations.iter().all(Operation::only_looks))
}
