//! Leaving while tasks are at work or programs run in terminals: it is asked about once, and takes place when it is asked for again after that could
//! be heard.

use super::notice::SpokenNotice;
use super::{Effect, ReaderSession};
use crate::screen_reader::tasks::words;
use crate::text::count::plural;
use crate::text::sanitize::sanitize_line;

impl ReaderSession {
    /// Leaves, or asks first where tasks are at work or programs run in terminals.
    pub(super) fn leave(&mut self) {
        let is_meant = self.leaving.as_ref().is_some_and(SpokenNotice::is_heard);
        let running = self.terminals.iter().filter(|row| row.status.is_running());
        let programs: Vec<String> = running
            .map(|row| {
                let (name, command) = (sanitize_line(&row.name), sanitize_line(&row.command));
                format!("Terminal {name}: {command}.")
            })
            .collect();
        if is_meant || !self.has_active_tasks() && programs.is_empty() {
            return self.effects.push(Effect::Leave);
        }
        if self.leaving.is_some() {
            return self
                .say("That came before you could hear what quitting ends, so lathe is still running.");
        }
        self.rounds += 1;
        self.leaving = Some(SpokenNotice::new(self.rounds));
        let active: Vec<String> = self
            .tree
            .tasks
            .active()
            .map(|(number, row)| format!("Task {number}: {}.", words::named(row)))
            .collect();
        if !active.is_empty() {
            let (are, end) = if active.len() == 1 {
                ("is", "ends")
            } else {
                ("are", "end")
            };
            self.say(&format!(
                "{} {are} running and {end} when you quit.",
                plural(active.len(), "task")
            ));
            self.output.lines(&active);
        }
        if !programs.is_empty() {
            let (runs, ends) = if programs.len() == 1 {
                ("runs in a terminal", "ends")
            } else {
                ("run in terminals", "end")
            };
            self.say(&format!(
                "{} {runs} and {ends} when you quit.",
                plural(programs.len(), "program")
            ));
            self.output.lines(&programs);
        }
    }
}
