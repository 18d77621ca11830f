//! The question before a task or the program of a terminal is stopped, or all tasks are.

use super::choice::{Choice, ChoiceDialog};
use crate::conversation::{TaskRow, TerminalRow};
use crate::session::{Op, TaskOp, TerminalOp};
use crate::text::sanitize::{Revealed, reveal_line};
use crate::tui::keymap::{Action, KeyRow, LayerKeys};
use crate::tui::layer::LayerRequest;

pub(super) static KEYS: LayerKeys = LayerKeys {
    name: "stopping",
    title: "Stopping a task or a program",
    takes_text: false,
    rows: &[
        KeyRow::new(&["y"], STOP, "stop it"),
        KeyRow::new(&["n"], GO_ON, "let it continue"),
    ],
};

const STOP: Action = Action::OfLayer("stop");
const GO_ON: Action = Action::OfLayer("go-on");

/// Asks before one task is stopped.
pub(crate) fn stop_task(row: &TaskRow) -> ChoiceDialog {
    let question = Revealed::own("Stop ")
        .and(reveal_line(&row.agent))
        .and(" \"")
        .and(reveal_line(&row.description))
        .and("\", and everything that it started?");
    let request = LayerRequest::Send(Op::Task(TaskOp::Cancel(row.task.clone())));
    dialog(question, Vec::new(), request)
}

/// Asks before all running tasks below the session in front are stopped.
pub(crate) fn stop_tasks(count: usize) -> ChoiceDialog {
    let request = LayerRequest::Send(Op::Task(TaskOp::CancelAll));
    dialog(all(count), Vec::new(), request)
}

/// Asks before all running tasks of the tree are stopped, whatever session is in front.
pub(crate) fn stop_tree(count: usize) -> ChoiceDialog {
    let request = LayerRequest::SendToRoot(Op::Task(TaskOp::CancelAll));
    dialog(all(count), Vec::new(), request)
}

/// Asks before a terminal is stopped, with all that runs in it. Its command stands below the question, so that a long one
/// does not hide what is asked.
pub(crate) fn stop_terminal(row: &TerminalRow) -> ChoiceDialog {
    let question = Revealed::own("Stop the program in terminal ")
        .and(reveal_line(&row.name))
        .and("?");
    let details = vec![
        reveal_line(&row.command),
        Revealed::own("A process that detached from the terminal (a background server) ends with lathe."),
    ];
    let request = LayerRequest::Send(Op::Terminal(TerminalOp::Stop(row.name.clone())));
    dialog(question, details, request)
}

fn all(count: usize) -> Revealed {
    match count {
        1 => Revealed::own("Stop the running task?"),
        count => Revealed::own("Stop all ").and(count).and(" tasks?"),
    }
}

fn dialog(question: Revealed, details: Vec<Revealed>, request: LayerRequest) -> ChoiceDialog {
    let choice = Choice::new(question, details, &KEYS, [(STOP, "stops"), (GO_ON, "continues")]);
    ChoiceDialog::new(choice, [Some(request), None], "continues")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::layer::{Layer, LayerReply};

    #[test]
    fn only_its_key_stops() {
        for action in [GO_ON, Action::ClearOrQuit] {
            let reply = stop_tasks(2).act(action);
            assert!(matches!(reply, LayerReply::Close(None)), "{action:?}");
        }
        assert!(matches!(stop_tasks(2).act(Action::Leader), LayerReply::Done));
        let stops = stop_tasks(2).act(STOP);
        assert!(matches!(stops, LayerReply::Close(Some(LayerRequest::Send(_)))));
    }
}
