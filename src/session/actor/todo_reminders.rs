//! A turn that would end with open todos goes on, as often as `todo.reminders` says.

use std::sync::Arc;

use serde_json::Value;

use super::Actor;
use crate::agent::turn::{Turn, TurnEnd, TurnEvent};
use crate::conversation::Message;
use crate::session::Input;
use crate::tool::plural;

impl Actor {
    /// Reminds of what is open; says whether the turn goes on with that.
    pub(super) fn remind_of_todos(&mut self, end: TurnEnd) -> bool {
        let has_steers = self.turn.as_ref().is_some_and(Turn::has_steers);
        if end != TurnEnd::Stop || self.closing || has_steers || !self.advertised.has("todowrite") {
            return false;
        }
        let open = self.parts.todos.iter().filter(|todo| is_open(todo)).count();
        if open == 0 || self.reminded >= self.parts.reminders {
            return false;
        }
        self.reminded += 1;
        let message = self.user_message(&Input {
            text: text(open),
            ..Input::default()
        });
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
