//! A turn that would end with open todos goes on, as often as `todo.reminders` says and as long as something changes.

use std::sync::Arc;

use serde_json::Value;

use super::Actor;
use crate::agent::turn::{Turn, TurnEnd, TurnEvent};
use crate::conversation::Message;
use crate::tool::plural;

/// Reminders of open todos in the turn that runs.
#[derive(Debug, Default)]
pub(super) struct TodoReminders {
    count: u32,
    /// The list and the number of messages at the last one.
    last: Option<(Vec<Value>, usize)>,
}

impl Actor {
    /// Returns true if the list is as it was at the last reminder and no call was made since: another would change nothing.
    fn is_stuck(&self) -> bool {
        self.todo_reminders
            .last
            .as_ref()
            .is_some_and(|(todos, messages)| {
                let since = self.parts.messages.iter().skip(*messages);
                *todos == self.parts.todos && since.flat_map(|message| message.calls()).next().is_none()
            })
    }

    /// Reminds of what is open; says whether the turn goes on with that.
    pub(super) fn remind_of_todos(&mut self, end: TurnEnd) -> bool {
        let has_steers = self.turn.as_ref().is_some_and(Turn::has_steers);
        if end != TurnEnd::Stop || self.closing || has_steers || !self.advertised.has("todowrite") {
            return false;
        }
        let open = self.parts.todos.iter().filter(|todo| is_open(todo)).count();
        if open == 0 || self.todo_reminders.count >= self.parts.reminders || self.is_stuck() {
            return false;
        }
        if self.parts.tasks.has_running_in_background(&self.parts.info.id) {
            // It waits for them, and is woken when they have ended.
            return false;
        }
        self.todo_reminders.count += 1;
        self.todo_reminders.last = Some((self.parts.todos.clone(), self.parts.messages.len()));
        let message = self.text_message(text(open));
        self.on_turn(TurnEvent::GoOn(Arc::new(message)));
        true
    }
}

/// As `todowrite` keeps it.
fn is_open(todo: &Value) -> bool {
    matches!(todo["status"].as_str(), Some("pending" | "in_progress"))
}

fn text(open: usize) -> String {
    let todos = plural(open, "todo");
    let (is, them) = if open == 1 { ("is", "it") } else { ("are", "them") };
    format!(
        "{}{todos} of your list {is} still open. Go on with {them}. Mark with todowrite what is done or \
         no longer wanted; where you need the user, say so.\n</system-reminder>",
        Message::REMINDER
    )
}
