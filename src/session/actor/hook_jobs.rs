//! The hooks of one moment as a task beside the session's loop: what it is given, and what it brings back.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use super::Parts;
use crate::conversation::SessionId;
use crate::hook::{Prompted, Scene, Stopped};
use crate::session::Input;
use crate::tool::SessionServices;

/// Hooks that the session waits for.
pub(super) enum Job {
    Begin { source: &'static str },
    Prompts { inputs: Vec<Input>, way: Way },
    Stop { is_again: bool },
}

/// How a prompt came in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    StartsTurn,
    Steers,
}

/// The answers of the hooks of one job.
pub(super) enum HookDone {
    Begun(Vec<String>),
    Prompted(Vec<(Input, Prompted)>, Way),
    Stopped(Stopped),
}

/// A scene that a task can own.
pub(super) struct Stage {
    pub(super) services: Arc<SessionServices>,
    session: SessionId,
    agent: String,
}

impl Stage {
    pub(super) fn of(parts: &Parts) -> Self {
        Self {
            services: Arc::clone(&parts.calls.services),
            session: parts.info.id.clone(),
            agent: parts.info.agent.clone(),
        }
    }

    pub(super) fn scene(&self) -> Scene<'_> {
        Scene {
            session: self.session.as_str(),
            cwd: self.services.roots.session_dir(),
            mode: self.services.gate.mode().name(),
            agent: &self.agent,
        }
    }

    /// Runs the hooks of a job to their end.
    pub(super) async fn perform(self, job: Job, cancel: CancellationToken) -> HookDone {
        let hooks = &self.services.tree.hooks;
        match job {
            Job::Begin { source } => {
                HookDone::Begun(hooks.session_start(self.scene(), source, &cancel).await)
            }
            Job::Prompts { inputs, way } => {
                let mut prompted = Vec::with_capacity(inputs.len());
                for input in inputs {
                    let said = hooks.prompt(self.scene(), &input.spoken(), &cancel).await;
                    prompted.push((input, said));
                }
                HookDone::Prompted(prompted, way)
            }
            Job::Stop { is_again } => HookDone::Stopped(hooks.stop(self.scene(), is_again, &cancel).await),
        }
    }
}
