//! The question before quitting while other sessions, tasks or programs in terminals run.

use super::choice::{Choice, ChoiceDialog};
use crate::text::count::plural;
use crate::text::sanitize::reveal_line;
use crate::tui::keymap::{Action, KeyRow, LayerKeys};
use crate::tui::layer::{LayerKind, LayerRequest};

pub(super) static KEYS: LayerKeys = LayerKeys {
    name: "leaving",
    title: "Quitting",
    takes_text: false,
    rows: &[
        KeyRow::new(&["y"], QUIT_ANYWAY, "quit and end all of it"),
        KeyRow::new(&["n"], STAY, "stay"),
    ],
};

const QUIT_ANYWAY: Action = Action::OfLayer("quit-anyway");
const STAY: Action = Action::OfLayer("stay");

/// Counts of what is running and would be interrupted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RunningWork {
    /// Other sessions.
    pub(crate) sessions: usize,
    /// Tasks of the session on screen.
    pub(crate) tasks: usize,
    /// Terminals whose programs run, of all sessions.
    pub(crate) terminals: usize,
}

impl RunningWork {
    /// Asks before it ends; none where nothing runs.
    pub(crate) fn dialog(self) -> Option<ChoiceDialog> {
        if self.sessions + self.tasks + self.terminals == 0 {
            return None;
        }
        let answers = [(QUIT_ANYWAY, "quits anyway"), (STAY, "stays")];
        let choice = Choice::new(reveal_line(&self.question()), Vec::new(), &KEYS, answers);
        Some(ChoiceDialog {
            kind: Some(LayerKind::Quit),
            interrupt: Some(LayerRequest::Quit),
            ..ChoiceDialog::new(choice, [Some(LayerRequest::Quit), None], "stays")
        })
    }

    /// `2 tasks are running, and a program runs in a terminal.`
    fn question(self) -> String {
        let programs = match self.terminals {
            0 => None,
            1 => Some("a program runs in a terminal".to_owned()),
            count => Some(format!("programs run in {count} terminals")),
        };
        let running = (self.sessions + self.tasks > 0).then(|| self.running());
        let parts: Vec<String> = running.into_iter().chain(programs).collect();
        let sentence = parts.join(", and ");
        let mut letters = sentence.chars();
        let first = letters.next().map(|first| first.to_ascii_uppercase());
        let sentence: String = first.into_iter().chain(letters).collect();
        format!("{sentence}.")
    }

    fn running(self) -> String {
        let sessions = match self.sessions {
            1 => "another session".to_owned(),
            count => format!("{count} other sessions"),
        };
        let are = |count: usize| if count == 1 { "is" } else { "are" };
        let (who, are) = match (self.tasks, self.sessions) {
            (0, count) => (sessions, are(count)),
            (count, 0) => (plural(count, "task"), are(count)),
            (count, _) => (format!("{} and {sessions}", plural(count, "task")), "are"),
        };
        format!("{who} {are} running")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::layer::{Layer, LayerReply};

    #[test]
    fn ctrl_c_quits_and_nothing_running_asks_nothing() {
        let work = RunningWork {
            sessions: 0,
            tasks: 1,
            terminals: 0,
        };
        let reply = work.dialog().unwrap().act(Action::ClearOrQuit);
        assert!(matches!(reply, LayerReply::Close(Some(LayerRequest::Quit))));
        assert!(RunningWork { tasks: 0, ..work }.dialog().is_none());
    }

    #[test]
    fn the_question_names_what_is_running() {
        for (tasks, sessions, terminals, words) in [
            (0, 1, 0, "Another session is running."),
            (0, 2, 0, "2 other sessions are running."),
            (1, 0, 0, "1 task is running."),
            (3, 0, 0, "3 tasks are running."),
            (2, 1, 0, "2 tasks and another session are running."),
            (0, 0, 1, "A program runs in a terminal."),
            (1, 0, 2, "1 task is running, and programs run in 2 terminals."),
        ] {
            let work = RunningWork {
                sessions,
                tasks,
                terminals,
            };
            assert_eq!(work.question(), words);
        }
    }
}
