//! Answers to commands: the newest result, the todo list, how things stand.

use super::ReaderSession;
use super::messages::waits;
use crate::session::{SessionInfo, is_plan};

impl ReaderSession {
    pub(super) fn show(&mut self) {
        match self.calls.newest() {
            None => self.say("No call has ended yet."),
            Some(lines) => self.output.lines(&lines),
        }
    }

    pub(super) fn say_todos(&mut self) {
        if self.todos.is_empty() {
            return self.say("No todos.");
        }
        for todo in &self.todos {
            self.output
                .line(&format!("{}: {}", todo.status.label(), todo.content));
        }
    }

    pub(super) fn say_status(&mut self) {
        let info = &self.info;
        let mut lines: Vec<String> = self.place().into_iter().collect();
        lines.push(format!("Model {}, {}.", info.model, working_as(info)));
        let before = lines.len();
        lines.extend(self.calls.running());
        if lines.len() == before {
            let state = if self.is_busy {
                "The model is working."
            } else {
                "Nothing is running."
            };
            lines.push(state.to_owned());
        }
        lines.extend(self.tasks_in_short());
        let asks = self.asks.iter();
        lines.extend(asks.map(|asked| format!("A question is waiting: {}.", asked.title())));
        lines.extend(self.queue.iter().map(waits));
        self.output.lines(&lines);
    }
}

/// Agent and mode; `plan` is both and is named once.
pub(super) fn working_as(info: &SessionInfo) -> String {
    if is_plan(&info.agent, info.mode) {
        return format!("agent and mode {}", info.agent);
    }
    format!("agent {}, mode {}", info.agent, info.mode.name())
}
