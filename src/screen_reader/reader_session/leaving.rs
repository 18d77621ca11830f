//! Leaving while tasks are at work: it is asked about once, and takes place when it is asked for again after that could
//! be heard.

use super::notice::SpokenNotice;
use super::{Effect, ReaderSession};
use crate::screen_reader::tasks::words;
use crate::text::count::plural;

impl ReaderSession {
    /// Leaves, or asks first where tasks are at work.
    pub(super) fn leave(&mut self) {
        let is_meant = self.leaving.as_ref().is_some_and(SpokenNotice::is_heard);
        if is_meant || !self.has_active_tasks() {
            return self.effects.push(Effect::Leave);
        }
        if self.leaving.is_some() {
            return self.say("That came before you could hear what leaving ends, so you are still here.");
        }
        self.rounds += 1;
        self.leaving = Some(SpokenNotice::new(self.rounds));
        let active: Vec<String> = self
            .tree
            .tasks
            .active()
            .map(|(number, row)| format!("Task {number}: {}.", words::named(row)))
            .collect();
        let (are, end) = if active.len() == 1 {
            ("is", "ends")
        } else {
            ("are", "end")
        };
        self.say(&format!(
            "{} {are} at work and {end} when you leave.",
            plural(active.len(), "task")
        ));
        self.output.lines(&active);
    }
}
