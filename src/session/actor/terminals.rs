//! Terminals of the tree, as the person uses them.

use std::sync::Arc;

use super::Actor;
use crate::process::pty::PtySize;
use crate::session::{Event, TerminalOp};
use crate::tool::{SandboxMode, TerminalSession};

impl Actor {
    pub(super) fn on_terminal_op(&mut self, op: TerminalOp) {
        if let Err(problem) = self.try_terminal_op(op) {
            self.publish(Event::Notice(problem));
        }
    }

    fn try_terminal_op(&self, op: TerminalOp) -> Result<(), String> {
        match op {
            TerminalOp::Type { name, bytes } => self
                .terminal(&name)?
                .type_for_person(&bytes.0)
                .map_err(|error| format!("Terminal `{name}` did not get what you typed: {error}.")),
            TerminalOp::Resize { name, cols, rows } => self
                .terminal(&name)?
                .terminal
                .resize(PtySize { cols, rows })
                .map_err(|error| format!("Terminal `{name}` keeps its size: {error}.")),
            TerminalOp::Stop(name) => {
                let session = self.terminal(&name)?;
                let services = Arc::clone(&self.parts.calls.services);
                tokio::spawn(async move { services.tree.terminals.stop(session).await });
                Ok(())
            }
            TerminalOp::Start { cols, rows } => {
                let services = &self.parts.calls.services;
                let size = PtySize { cols, rows };
                let started = services.tree.terminals.start_own(services, size);
                started
                    .map(drop)
                    .map_err(|error| format!("No terminal was started: {error}."))
            }
            TerminalOp::HandOver(name) => self.hand_over(&name),
            TerminalOp::SetExclusive { name, is_exclusive } => {
                self.terminal(&name)?.set_exclusive(is_exclusive);
                self.parts.calls.services.tree.terminals.note_change();
                Ok(())
            }
        }
    }

    /// Lets agents use a terminal of the person's own. Refused where the configuration confines what agents run: the
    /// person's own terminals are not confined.
    fn hand_over(&self, name: &str) -> Result<(), String> {
        let services = &self.parts.calls.services;
        if services.settings.sandbox.mode != SandboxMode::Off {
            return Err(format!(
                "Terminal `{name}` stays yours: `sandbox.mode` confines what agents run, and your own terminals are not \
                 confined."
            ));
        }
        let session = self.terminal(name)?;
        if !session.is_shared() {
            services.tree.terminals.hand_over(&session, services);
        }
        Ok(())
    }

    fn terminal(&self, name: &str) -> Result<Arc<TerminalSession>, String> {
        let terminals = &self.parts.calls.services.tree.terminals;
        let found = terminals.find_any(name);
        found.ok_or_else(|| format!("There is no terminal `{name}` any more."))
    }
}
