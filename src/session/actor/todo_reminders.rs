//! A turn that would end with open todos goes on, as often as `todo.reminders` says and as long as something changes.
//!
//! Within a turn a call counts as a change as well: the model works. From one turn to the next, also of another process, only
//! the list does.

use std::sync::Arc;

use serde_json::Value;

use super::Actor;
use super::todos;
use crate::agent::turn::{Turn, TurnEnd, TurnEvent};
use crate::conversation::Message;
use crate::session::shown_todos::last_shown;
use crate::tool::plural;

/// Reminders of open todos.
#[derive(Debug, Default)]
pub(super) struct TodoReminders {
    /// Number of reminders in the turn that runs.
    count: u32,
    last: Option<LastReminder>,
}

#[derive(Debug)]
struct LastReminder {
    /// The list that it was about.
    todos: Vec<Value>,
    /// Number of messages before it, if it was made in the turn that runs.
    messages: Option<usize>,
}

impl TodoReminders {
    /// Finds the last reminder of a conversation whose list is now `current`.
    pub(super) fn new(messages: &[Arc<Message>], current: &[Value]) -> Self {
        if !current.iter().any(is_open) {
            return Self::default();
        }
        let is_reminder = |message: &Arc<Message>| message.is_reminder() && message.text().ends_with(ENDING);
        let last = messages.iter().rposition(is_reminder).map(|index| {
            let mut later = messages[index + 1..].iter();
            let todos = if later.any(|message| todos::shows(message, current).is_some()) {
                last_shown(messages[..index].iter().map(Arc::as_ref))
            } else {
                current.to_vec()
            };
            LastReminder {
                todos,
                messages: None,
            }
        });
        Self { count: 0, last }
    }

    /// A turn begins. What the last reminder was about is still known.
    pub(super) fn begin_turn(&mut self) {
        self.count = 0;
        if let Some(last) = &mut self.last {
            last.messages = None;
        }
    }
}

impl Actor {
    /// Returns true if the list is as it was at the last reminder, and no call was made since if that was in this turn: another
    /// would change nothing.
    fn is_stuck(&self) -> bool {
        let Some(last) = &self.todo_reminders.last else {
            return false;
        };
        let has_worked = last.messages.is_some_and(|before| {
            let since = self.parts.messages.iter().skip(before);
            since.flat_map(|message| message.calls()).next().is_some()
        });
        last.todos == self.parts.todos && !has_worked
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
        self.todo_reminders.last = Some(LastReminder {
            todos: self.parts.todos.clone(),
            messages: Some(self.parts.messages.len()),
        });
        let message = self.text_message(text(open));
        self.on_turn(TurnEvent::GoOn(Arc::new(message)));
        true
    }
}

/// As `todowrite` keeps it.
fn is_open(todo: &Value) -> bool {
    matches!(todo["status"].as_str(), Some("pending" | "in_progress"))
}

/// The end of every reminder.
const ENDING: &str = "Mark with todowrite what is done or no longer wanted; where you need the user, say so.\n\
                      </system-reminder>";

fn text(open: usize) -> String {
    let todos = plural(open, "todo");
    let (is, them) = if open == 1 { ("is", "it") } else { ("are", "them") };
    format!(
        "{}{todos} of your list {is} still open. Go on with {them}. {ENDING}",
        Message::REMINDER
    )
}
