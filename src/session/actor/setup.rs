//! The command that prepares the work tree of a task, before its agent begins.
//!
//! It is a message with one part, a call of `bash`, as a command of the person's own is; but it is judged like any call of
//! the agent's, because a configuration names it. The prompt waits for its end, and where it fails the task does.

use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::Actor;
use super::attachments::MessageRoute;
use crate::conversation::{CallId, CallResult, CallState, ErrorKind};
use crate::session::Input;

/// Milliseconds that it may take, the most that `bash` allows.
const TIMEOUT: u64 = 600_000;
/// Lines of its output that the failure of the task quotes.
const QUOTED: usize = 20;

/// A command that runs, and the prompt that waits for it.
pub(super) struct Setup {
    call: CallId,
    then: Input,
}

impl Actor {
    pub(super) fn set_up(&mut self, command: &str, then: Input) {
        let call = CallId::new();
        let args = json!({ "command": command, "timeout": TIMEOUT });
        let message = self.command_message(&call, args, CallState::Pending);
        let part = message.calls().next().cloned();
        self.begin_message(message, Vec::new());
        let Some(part) = part else { return };
        let cancel = CancellationToken::new();
        self.shells.insert(call.clone(), cancel.clone());
        self.setup = Some(Setup { call, then });
        let settings = self.parts.calls.clone();
        self.parts.driver.run_apart(part, settings, cancel);
    }

    /// Goes on with the prompt if the command that has ended prepared the tree.
    pub(super) fn end_setup(&mut self, call: &CallId, result: &CallResult) {
        let Some(setup) = self.setup.take_if(|setup| setup.call == *call) else {
            return;
        };
        if has_succeeded(result) {
            return self.take_input(MessageRoute::Submitted, setup.then);
        }
        let why = match result.error_kind() {
            Some(ErrorKind::Cancelled) => "the setup of its work tree was cancelled".to_owned(),
            _ => format!("the setup of its work tree failed: {}", end_of(&result.output)),
        };
        self.parts.tasks.fail(&self.parts.info.id, why);
    }
}

/// A command that ran and said that it failed is no failed call.
fn has_succeeded(result: &CallResult) -> bool {
    #[derive(serde::Deserialize)]
    struct Exit {
        exit: Option<i32>,
    }
    let exit = result.details.fields::<Exit>().and_then(|details| details.exit);
    result.ok && exit == Some(0)
}

fn end_of(output: &str) -> String {
    let lines: Vec<&str> = output.trim().lines().collect();
    lines[lines.len().saturating_sub(QUOTED)..].join("\n")
}
