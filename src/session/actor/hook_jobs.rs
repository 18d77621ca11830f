//! The hooks of one moment as a task beside the session's loop: what it is given, and what it brings back.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use super::SessionParts;
use crate::conversation::{SessionId, TaskId};
use crate::hook::{HookContext, PromptVerdict, StopVerdict};
use crate::session::Input;
use crate::tool::SessionServices;

/// Hooks that the session waits for.
pub(super) enum HookJob {
    Begin { source: &'static str },
    Prompts { inputs: Vec<Input>, way: PromptRoute },
    Stop { is_again: bool },
}

/// How a prompt came in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PromptRoute {
    StartsTurn,
    Steers,
}

/// The answers of the hooks of one job.
pub(super) enum HookDone {
    Begun(Vec<String>),
    Prompted(Vec<(Input, PromptVerdict)>, PromptRoute),
    Stopped(StopVerdict),
}

/// A scene that a task can own.
pub(super) struct OwnedHookContext {
    pub(super) services: Arc<SessionServices>,
    session: SessionId,
    agent: String,
    /// The session works on a task.
    is_task: bool,
}

impl OwnedHookContext {
    pub(super) fn of(parts: &SessionParts) -> Self {
        Self {
            services: Arc::clone(&parts.calls.services),
            session: parts.info.id.clone(),
            agent: parts.info.agent.clone(),
            is_task: parts.is_task,
        }
    }

    pub(super) fn scene(&self) -> HookContext<'_> {
        HookContext {
            session: self.session.as_str(),
            cwd: self.services.roots.session_dir(),
            mode: self.services.gate.mode().name(),
            agent: &self.agent,
        }
    }

    /// Runs the hooks of a job to their end.
    pub(super) async fn perform(self, job: HookJob, cancel: CancellationToken) -> HookDone {
        let hooks = &self.services.tree.hooks;
        match job {
            HookJob::Begin { source } => {
                HookDone::Begun(hooks.session_start(self.scene(), source, &cancel).await)
            }
            HookJob::Prompts { inputs, way } => {
                let mut prompted = Vec::with_capacity(inputs.len());
                for input in inputs {
                    let said = hooks.prompt(self.scene(), &input.full_text(), &cancel).await;
                    prompted.push((input, said));
                }
                HookDone::Prompted(prompted, way)
            }
            HookJob::Stop { is_again } => {
                let task = self.is_task.then(|| TaskId::of(&self.session));
                let task = task.as_ref().map(TaskId::as_str);
                HookDone::Stopped(hooks.stop(self.scene(), task, is_again, &cancel).await)
            }
        }
    }
}
