//! The question before quitting while other sessions, tasks or programs in terminals are at work.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::choice::Choice;
use crate::text::count::plural;
use crate::text::sanitize::reveal_line;
use crate::tui::keymap::{Action, Context, KeyRow, Keymap, LayerKeys};
use crate::tui::layer::{Layer, LayerCx, LayerKind, LayerReply, LayerRequest};
use crate::tui::statusbar::Hints;

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

/// Counts of what is at work and would be interrupted; they are not all zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct QuitDialog {
    /// Other sessions.
    pub(crate) sessions: usize,
    /// Tasks of the session on screen.
    pub(crate) tasks: usize,
    /// Terminals whose programs run, of all sessions.
    pub(crate) terminals: usize,
}

impl QuitDialog {
    pub(crate) fn is_needed(self) -> bool {
        self.sessions + self.tasks + self.terminals > 0
    }

    /// `2 tasks are at work, and a program runs in a terminal.`
    fn question(self) -> String {
        let programs = match self.terminals {
            0 => None,
            1 => Some("a program runs in a terminal".to_owned()),
            count => Some(format!("programs run in {count} terminals")),
        };
        let at_work = (self.sessions + self.tasks > 0).then(|| self.at_work());
        let parts: Vec<String> = at_work.into_iter().chain(programs).collect();
        let sentence = parts.join(", and ");
        let mut letters = sentence.chars();
        let first = letters.next().map(|first| first.to_ascii_uppercase());
        let sentence: String = first.into_iter().chain(letters).collect();
        format!("{sentence}.")
    }

    fn at_work(self) -> String {
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

impl Layer for QuitDialog {
    fn kind(&self) -> Option<LayerKind> {
        Some(LayerKind::Quit)
    }

    fn context(&self) -> Context {
        Context::Layer(&KEYS)
    }

    fn act(&mut self, action: Action) -> LayerReply {
        match action {
            Action::Redraw | Action::Suspend => LayerReply::Ignored,
            QUIT_ANYWAY | Action::ClearOrQuit => LayerReply::Close(Some(LayerRequest::Quit)),
            STAY => LayerReply::Close(None),
            // A key of the whole screen neither answers nor opens anything over the question.
            _ => LayerReply::Done,
        }
    }

    fn back(&mut self) -> LayerReply {
        LayerReply::Close(None)
    }

    fn hints(&self, hints: &mut Hints<'_>, keymap: &Keymap) {
        hints.key(keymap.label(Context::Global, Action::Escape), "stays");
    }

    fn draw(&mut self, area: Rect, buffer: &mut Buffer, cx: &LayerCx<'_>) -> Option<Position> {
        let choice = Choice {
            question: reveal_line(&self.question()),
            details: Vec::new(),
            keys: &KEYS,
            answers: [(QUIT_ANYWAY, "quits anyway"), (STAY, "stays")],
        };
        choice.draw(area, buffer, cx);
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_question_says_what_is_at_work() {
        for (tasks, sessions, terminals, words) in [
            (0, 1, 0, "Another session is running."),
            (0, 2, 0, "2 other sessions are running."),
            (1, 0, 0, "1 task is running."),
            (3, 0, 0, "3 tasks are running."),
            (2, 1, 0, "2 tasks and another session are running."),
            (0, 0, 1, "A program runs in a terminal."),
            (1, 0, 2, "1 task is running, and programs run in 2 terminals."),
        ] {
            let dialog = QuitDialog {
                sessions,
                tasks,
                terminals,
            };
            assert_eq!(dialog.question(), words);
        }
    }
}
