//! Tasks of the tree: listed, entered, stopped, and told when they start, ask and end.

use std::sync::Arc;

use super::queries::number;
use super::{Effect, ReaderSession};
use crate::conversation::{SessionId, TaskRow};
use crate::screen_reader::host_requests::HostRequest;
use crate::screen_reader::questions::PendingQuestion;
use crate::screen_reader::tasks::words::{self, ListFacts};
use crate::screen_reader::tasks::{TaskChange, TaskList, TaskNumber};
use crate::session::{Op, TaskOp};
use crate::text::count::plural;
use crate::text::sanitize::{Revealed, reveal_line};

/// The tree of sessions, and which of its conversations the person is in.
pub(super) struct TreeState {
    /// The session of the main conversation.
    pub(super) root: SessionId,
    /// Agent of the main conversation.
    pub(super) main_agent: String,
    pub(super) tasks: TaskList,
    /// The task that the person is in; `None` in the main conversation.
    pub(super) front: Option<SessionId>,
}

impl ReaderSession {
    pub(super) fn look_at_tasks(&mut self, given: &str) {
        match (number(given), given) {
            (Some(number), _) => self.enter_numbered(number),
            (None, "" | "all") => self.say_tasks(given == "all"),
            (None, _) => self.say("/tasks takes nothing, all, or the number of a task."),
        }
    }

    fn say_tasks(&mut self, is_whole: bool) {
        let asks = |session: &SessionId| {
            let of_task = |asked: &&dyn PendingQuestion| asked.session() == session;
            self.asks.iter().find(of_task).map(PendingQuestion::brief)
        };
        let lines = words::list(
            &self.tree.tasks,
            &ListFacts {
                asks: &asks,
                front: self.tree.front.as_ref(),
                is_whole,
                now: self.now,
            },
        );
        self.output.lines(&lines);
    }

    fn enter_numbered(&mut self, number: TaskNumber) {
        let Some(row) = self.tree.tasks.with_number(number) else {
            return self.say(&format!("There is no task {number}; /tasks lists them."));
        };
        if self.tree.front.as_ref() == Some(&row.session) {
            return self.say("You are in that task.");
        }
        let session = row.session.clone();
        self.go_within_tree(HostRequest::Enter(session));
    }

    /// `/stop` with what stands behind it: the turn, a task, or all of them.
    pub(super) fn stop(&mut self, given: &str) {
        match (number(given), given) {
            (None, "") => self.stop_turn(),
            (None, "all") => self.stop_all_tasks(),
            (Some(number), _) => self.stop_task(number),
            (None, _) => self.say("/stop takes nothing, the number of a task, or all for every task."),
        }
    }

    fn stop_turn(&mut self) {
        if self.runs_something() {
            self.send(Op::Interrupt);
            return self.say("Interrupting.");
        }
        let front = self.tree.front.as_ref();
        if let Some(number) = front.and_then(|session| self.tree.tasks.number(session)) {
            // It may wait for tasks of its own, or for a slot.
            return self.stop_task(number);
        }
        match self.hold_automation() {
            Some(held) => self.say(&format!("Nothing is running in this conversation. {held}")),
            None => self.say("Nothing is running."),
        }
    }

    fn stop_task(&mut self, number: TaskNumber) {
        match self.tree.tasks.with_number(number) {
            None => self.say(&format!("There is no task {number}; /tasks lists them.")),
            Some(row) if row.status.is_ended() => self.say(&format!("Task {number} has ended already.")),
            Some(row) => {
                let task = row.task.clone();
                self.send(Op::Task(TaskOp::Cancel(task)));
                self.say(&format!("Stopping task {number}."));
            }
        }
    }

    fn stop_all_tasks(&mut self) {
        if !self.has_active_tasks() {
            return self.say("No task is running.");
        }
        self.send(Op::Task(TaskOp::CancelAll));
        self.say(match self.tree.front {
            None => "Stopping all tasks.",
            Some(_) => "Stopping all tasks that this one started.",
        });
    }

    /// Lets what the turn waits for go on in the background.
    pub(super) fn send_to_background(&mut self) {
        let is_waited_for = |row: &TaskRow| row.parent == self.info.id && !row.is_background;
        if self.tree.tasks.active().any(|(_, row)| is_waited_for(row)) {
            self.send(Op::Task(TaskOp::ToBackground));
        } else {
            self.say("No turn here waits for a task, so there is nothing to move to the background.");
        }
    }

    /// Holds the ends of tasks for the person, and says so, if tasks are at work and nothing runs in the main conversation.
    pub(super) fn hold_automation(&mut self) -> Option<String> {
        let count = self.tree.tasks.active().count();
        if count == 0 || self.tree.front.is_some() {
            return None;
        }
        self.send(Op::Interrupt);
        let (are, theirs) = if count == 1 {
            ("is", "its end waits")
        } else {
            ("are", "their ends wait")
        };
        Some(format!(
            "{} {are} running, and {theirs} until you send something; /stop all stops them.",
            plural(count, "task")
        ))
    }

    /// Returns true if the person is not in the main conversation.
    pub(in crate::screen_reader) fn is_in_task(&self) -> bool {
        self.tree.front.is_some()
    }

    pub(super) fn has_active_tasks(&self) -> bool {
        self.tree.tasks.active().next().is_some()
    }

    /// Takes in how a task stands now, and tells what deserves a line.
    pub(super) fn on_task(&mut self, row: &Arc<TaskRow>) {
        let (change, group) = self.tree.tasks.note(row);
        let tasks = &self.tree.tasks;
        let above = tasks.number(&row.parent);
        let mut lines = Vec::new();
        if let (Some(change), Some(number)) = (change, tasks.number(&row.session))
            && !self.is_told_otherwise(row, &change)
        {
            lines.push(words::change(row, number, above, &change));
        }
        lines.extend(group.and_then(|group| words::finished(&group, above)));
        if !lines.is_empty() {
            self.output.lines(&lines);
            self.prompt();
        }
    }

    /// Returns true if the conversation that the person is in tells of a change itself: the call that waits for a task
    /// has its result, and a task that one is in says what it does.
    fn is_told_otherwise(&self, row: &TaskRow, change: &TaskChange) -> bool {
        let is_waited_for = row.parent == self.info.id && !row.is_background;
        match change {
            TaskChange::Ended => is_waited_for || self.tree.front.as_ref() == Some(&row.session),
            TaskChange::WentOn => self.tree.front.as_ref() == Some(&row.session),
            TaskChange::Started | TaskChange::ToBackground => false,
        }
    }

    /// Returns a line that says which task the person is in.
    pub(super) fn place(&self) -> Option<String> {
        let session = self.tree.front.as_ref()?;
        let (number, row) = (self.tree.tasks.number(session)?, self.tree.tasks.get(session)?);
        Some(format!(
            "You are in task {number}, {}; /back returns.",
            words::named(row)
        ))
    }

    /// Returns a line about the tasks, where there are any.
    pub(super) fn tasks_in_short(&self) -> Option<String> {
        let tasks = &self.tree.tasks;
        if tasks.is_empty() {
            return None;
        }
        let active = tasks.active().count();
        let count = plural(tasks.numbered().count(), "task");
        Some(format!("{count}, {active} running; /tasks lists them."))
    }

    /// Returns the line that begins a question: who asks, unless that is the main conversation.
    pub(super) fn titled(&self, asked: &dyn PendingQuestion) -> Revealed {
        let title = asked.title();
        let end = if title.as_str().ends_with('.') { "" } else { "." };
        let begin = match self.asker(asked.session()) {
            Some(who) => Revealed::own("Question from ").and(who).and(": "),
            None => Revealed::own("Question: "),
        };
        begin.and(title).and(end)
    }

    /// `task 2, explore, "who calls it", which works for build`
    fn asker(&self, session: &SessionId) -> Option<Revealed> {
        let tasks = &self.tree.tasks;
        let row = tasks.get(session)?;
        let mut asker = Revealed::own("task ")
            .and(tasks.number(session)?)
            .and(", ")
            .and(reveal_line(&words::named(row)));
        let mut above = &row.parent;
        // A row names a task before it as its parent, so the way up ends.
        for _ in 0..row.depth {
            let Some(parent) = tasks.get(above) else { break };
            asker = asker.and(", which works for ").and(reveal_line(&parent.agent));
            above = &parent.parent;
        }
        Some(
            asker
                .and(", which works for ")
                .and(reveal_line(&self.tree.main_agent)),
        )
    }

    /// Goes to another conversation of the tree, unless a message would be lost sight of.
    pub(super) fn go_within_tree(&mut self, request: HostRequest) {
        if !self.sent.is_empty() && !std::mem::replace(&mut self.was_told_to_wait, true) {
            return self.say(
                "Your message is still being delivered. Try again when it has arrived, or at once to \
                go anyway.",
            );
        }
        self.was_told_to_wait = false;
        self.is_moving = true;
        self.effects.push(Effect::Begin(request));
    }
}
