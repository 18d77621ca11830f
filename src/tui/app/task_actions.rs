//! Actions of a person on the tasks of the session in front: sends them to the background, holds what they would set off,
//! lets one go on, and is told of groups that have ended; the panel and the hint row list them.

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Instant;

use super::session_view::SessionView;
use super::{App, SessionLink, TurnStatus};
use crate::conversation::{SessionId, TaskRow, TaskStatus, TerminalRow};
use crate::session::{Op, TaskOp};
use crate::text::count::plural;
use crate::text::sanitize::sanitize_line;
use crate::tui::composer::Draft;
use crate::tui::dialog::{stop_task, stop_tasks};
use crate::tui::statusbar::Hints;
use crate::tui::tasks::{FinishedGroup, TaskList, words};
use crate::view::theme::Meaning;

impl App {
    /// Asks before all tasks below the session in front are stopped.
    pub(super) fn ask_to_stop_all(&mut self, now: Instant) {
        let active = self.active_below().count();
        if active == 0 {
            return self.say_while("no task is running", Meaning::TextMuted, now);
        }
        self.open_layer(Box::new(stop_tasks(active)), now);
    }

    /// The tasks below the session in front that have not ended.
    fn active_below(&self) -> impl Iterator<Item = &TaskRow> {
        self.views.front.active_below(&self.tree().tasks)
    }

    /// How many tasks the calls of the session in front wait for.
    pub(super) fn tasks_waited_for(&self) -> usize {
        let own = self.views.front.root.as_ref();
        let active = self.active_below();
        active
            .filter(|row| !row.is_background && Some(&row.parent) == own)
            .count()
    }

    /// Lets the tasks that calls wait for go on in the background.
    pub(super) fn send_to_background(&mut self, now: Instant) {
        match self.tasks_waited_for() {
            0 => self.say_while("no call here is waiting for a task", Meaning::TextMuted, now),
            count => {
                self.send(Op::Task(TaskOp::ToBackground));
                let words = format!("{} in the background now", plural(count, "task"));
                self.say(words, Meaning::TextMuted, now);
            }
        }
    }

    /// Returns true if the end of a task would set the session in front to work.
    pub(super) fn waits_for_tasks(&self) -> bool {
        self.views.front.waits_for_tasks(&self.tree().tasks)
    }

    /// Returns true if that is all that would, and the person has not said that it should not.
    pub(super) fn can_hold(&self) -> bool {
        let is_idle = self.views.front.turn == TurnStatus::Idle && self.views.front.link == SessionLink::Open;
        is_idle && !self.views.front.is_held && self.waits_for_tasks()
    }

    /// Nothing goes on by itself until the person sends something; tasks work on.
    pub(super) fn hold(&mut self, now: Instant) {
        self.send(Op::Interrupt);
        self.views.front.esc.ignores_keys_until = Some(now + super::ESCAPE_PAUSE);
    }

    /// Goes into a task that has ended, with words to go on at hand.
    pub(super) fn resume_task(&mut self, session: &SessionId, now: Instant) {
        let row = self.tree().tasks.get(session).cloned();
        let Some(row) = row.filter(|row| row.status.is_ended()) else {
            return self.say_while("that task is running", Meaning::TextMuted, now);
        };
        self.ask_task(session, words::go_on(row.status), now);
    }

    /// Goes into a task with words for its agent at hand, where nothing is written there yet.
    pub(super) fn ask_task(&mut self, session: &SessionId, words: &str, now: Instant) {
        if self.tree().tasks.get(session).is_none() {
            return self.say("that task no longer exists here", Meaning::Warning, now);
        }
        self.enter_task(session, now);
        if self.views.front.composer.is_blank() {
            self.views.front.composer.set(Draft::from_text(words));
            self.draft_changed(now);
        }
        let words = "enter sends it; the task continues with its full context";
        self.say(words, Meaning::TextMuted, now);
    }

    /// Tells once of a group of background tasks that has ended, in the conversation that started it.
    pub(super) fn tell_of_group(&mut self, group: &FinishedGroup) {
        let parent = Some(&group.parent);
        if let Some(view) = self.views.iter_mut().find(|view| view.root.as_ref() == parent) {
            view.transcript.push_notice(group_words(&group.rows));
        }
    }

    /// Returns why nothing can be said to the task in front, if so.
    pub(super) fn refuses_words(&self) -> Option<&'static str> {
        let row = self.tree().tasks.get(self.views.front.task.as_ref()?)?;
        let is_queued = row.status == TaskStatus::Queued;
        is_queued.then_some("not sent: the task waits for a free slot; the draft stays here")
    }

    /// Has the panel list the tasks and the terminals of the tree as they are now.
    pub(super) fn list_tasks(&mut self, now: Instant) {
        let model = self.root_view().facts.model.clone();
        self.views.front.panel.set_root_model(model);
        self.front(now).list_tasks();
        let terminals = Arc::clone(&self.tree().terminals);
        let waits = |row: &&TerminalRow| row.waits_for.is_some();
        self.views.front.facts.waiting_terminals = terminals.iter().filter(waits).count();
        self.views.front.panel.set_terminals(terminals);
    }

    /// Asks before a task is stopped.
    pub(super) fn ask_to_stop(&mut self, row: &TaskRow, now: Instant) {
        self.open_layer(Box::new(stop_task(row)), now);
    }

    /// `2 tasks`, where no panel says so.
    pub(super) fn count_tasks(&self, hints: &mut Hints<'_>) {
        let active = self.tree().tasks.counts().active();
        if active > 0 && !self.is_panel_drawn() {
            hints.say(&plural(active, "task"), Meaning::StateRunning);
        }
    }
}

impl FinishedGroup {
    /// Returns false if the person, or their agent, wanted its end.
    pub(super) fn is_of_interest(&self) -> bool {
        !self.rows.iter().all(|row| row.status == TaskStatus::Cancelled)
    }

    /// `3 tasks have ended: 2 done, 1 failed`
    pub(super) fn headline(&self) -> String {
        let words = group_words(&self.rows);
        words.lines().next().unwrap_or_default().to_owned()
    }
}

impl SessionView {
    /// The tasks below the session that have not ended.
    pub(super) fn active_below<'t>(&'t self, tasks: &'t TaskList) -> impl Iterator<Item = &'t TaskRow> {
        let own = self.root.as_ref();
        let entries = tasks.entries().iter().map(|entry| &*entry.row);
        entries.filter(move |row| {
            !row.status.is_ended() && own.is_some_and(|own| tasks.is_below(&row.session, own))
        })
    }

    /// Returns true if the end of a task would set the session to work.
    pub(super) fn waits_for_tasks(&self, tasks: &TaskList) -> bool {
        let own = self.root.as_ref();
        let mut active = self.active_below(tasks);
        active.any(|row| row.is_background && Some(&row.parent) == own)
    }
}

/// `3 tasks have ended: 2 done, 1 failed`, and a line for each that did not do what it was for.
fn group_words(rows: &[Arc<TaskRow>]) -> String {
    let of = |status: TaskStatus| rows.iter().filter(move |row| row.status == status);
    let states = [
        (TaskStatus::Completed, "done"),
        (TaskStatus::Failed, "failed"),
        (TaskStatus::Cancelled, "cancelled"),
        (TaskStatus::Interrupted, "interrupted"),
    ];
    let counts = states.iter().map(|(status, name)| (of(*status).count(), *name));
    let counts: Vec<String> = counts
        .filter(|(count, _)| *count > 0)
        .map(|(count, name)| format!("{count} {name}"))
        .collect();
    let name = |row: &TaskRow| {
        format!(
            "{} \"{}\"",
            sanitize_line(&row.agent),
            sanitize_line(&row.description)
        )
    };
    let mut text = match rows {
        [row] => match row.status {
            TaskStatus::Completed => format!("{} is done.", name(row)),
            _ => format!("{} has ended.", name(row)),
        },
        _ => format!(
            "{} have ended: {}.",
            plural(rows.len(), "task"),
            counts.join(", ")
        ),
    };
    for row in rows.iter().filter(|row| row.status != TaskStatus::Completed) {
        let why = row
            .error
            .as_deref()
            .map_or_else(String::new, |why| format!(": {}", sanitize_line(why)));
        let _ = write!(text, "\n{} {}{why}", name(row), row.status.name());
    }
    text
}
