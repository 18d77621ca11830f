//! The todo list, which both the model (with its tool) and a person (by hand) change.
//!
//! The stored list is the one that counts, and both change it there. What a person changed stands until the model was
//! told of it: a list that the model writes before it knew gets the change once more. It is told with the next request,
//! by a message of its own that stays in the conversation, so that each request begins with all of the one before.

use std::sync::Arc;

use serde_json::Value;

use super::Actor;
use crate::conversation::{CallResult, Message, Todo, TodoChange, TodoEdit};
use crate::session::Event;
use crate::session::shown_todos::{TOOLS, shown_by, shown_list};
use crate::store::StoreError;

/// The model's knowledge of the list.
#[derive(Debug, Default)]
pub(super) struct KnownTodos {
    /// It has not seen the list as it is.
    is_behind: bool,
    /// The person's changes since it last saw the list, in order.
    edits: Vec<TodoEdit>,
}

impl KnownTodos {
    /// Finds out whether the conversation shows the list as it is.
    pub(super) fn new(messages: &[Arc<Message>], list: &[Value]) -> Self {
        let newest = messages.iter().rev().find_map(|message| shows(message, list));
        Self {
            is_behind: newest == Some(false),
            edits: Vec::new(),
        }
    }

    fn note(&mut self, edit: TodoEdit) {
        self.is_behind = true;
        let is_status = |edit: &TodoEdit| matches!(edit.change, TodoChange::Status(_));
        match self.edits.last_mut() {
            // On its way to another state it passed this one.
            Some(last) if is_status(last) && is_status(&edit) && last.seen.is_same_entry(&edit.seen) => {
                last.change = edit.change;
            }
            _ => self.edits.push(edit),
        }
    }
}

/// Returns true if the list that a message shows is this one; `None` when it shows none.
pub(super) fn shows(message: &Message, list: &[Value]) -> Option<bool> {
    if message.is_reminder() {
        let text = message.text();
        let tells = text.starts_with(&opening());
        return tells.then(|| text.contains(&Todo::lines(&Todo::list(list))));
    }
    let calls = message
        .calls()
        .flat_map(|call| std::iter::once(call).chain(&call.inner));
    calls.filter_map(shown_by).last().map(|shown| shown == list)
}

impl Actor {
    /// A person changes an entry.
    pub(super) fn edit_todo(&mut self, edit: TodoEdit) {
        if self.is_held() {
            return;
        }
        let changed = self.change_todos(|list| edit.apply(list));
        match changed {
            Ok(true) => {
                self.known_todos.note(edit);
            }
            Ok(false) => {
                let content = &edit.seen.content;
                self.publish(Event::Notice(format!(
                    "The todo \"{content}\" is not in the list any more, so it was not changed."
                )));
            }
            Err(error) => self.check(Err(error)),
        }
    }

    /// The model has written the list. What a person changed and it could not know of is changed once more.
    pub(super) fn take_todos(&mut self, written: Vec<Value>) {
        let edits = std::mem::take(&mut self.known_todos.edits);
        self.parts.todos = written;
        let again = self.change_todos(|list| {
            let before = list.to_vec();
            for edit in &edits {
                edit.apply(list);
            }
            list != before
        });
        self.known_todos.edits = edits;
        if matches!(again, Ok(false)) {
            // Nothing was added to what is stored, which may be newer than what was reported.
            let stored = self.parts.calls.services.tree.store.todos(&self.parts.info.id);
            self.parts.todos = stored.unwrap_or_else(|_| std::mem::take(&mut self.parts.todos));
            self.publish(Event::Todos(self.parts.todos.clone()));
        }
        self.check(again.map(drop));
    }

    /// A call has ended that may have shown the model the list.
    pub(super) fn note_todos(&mut self, tool: &str, result: &CallResult) {
        let Some(shown) = shown_list(tool, result) else {
            return;
        };
        self.known_todos.is_behind = shown != self.parts.todos;
        if !self.known_todos.is_behind {
            self.known_todos.edits.clear();
        }
    }

    /// Tells the model of the list as a person left it, where it does not know.
    pub(super) fn send_todos(&mut self) {
        if !self.known_todos.is_behind || !TOOLS.iter().any(|tool| self.advertised.has(tool)) {
            return;
        }
        self.known_todos.is_behind = false;
        let edits = std::mem::take(&mut self.known_todos.edits);
        let message = self.text_message(text(&edits, &Todo::list(&self.parts.todos)));
        self.add_user_message(message);
    }

    /// Changes the stored list; says whether there was anything to change.
    fn change_todos(&mut self, change: impl FnOnce(&mut [Todo]) -> bool) -> Result<bool, StoreError> {
        let store = &self.parts.calls.services.tree.store;
        let changed = store.change_todos(&self.parts.info.id, |rows| {
            let mut list = Todo::list(rows);
            change(&mut list).then(|| Todo::rows(&list))
        })?;
        let Some(todos) = changed else { return Ok(false) };
        self.parts.todos.clone_from(&todos);
        self.publish(Event::Todos(todos));
        Ok(true)
    }
}

fn opening() -> String {
    format!("{}The user has changed the todo list", Message::REMINDER)
}

fn text(edits: &[TodoEdit], list: &[Todo]) -> String {
    let changes: Vec<String> = edits.iter().map(sentence).collect();
    let changes = if changes.is_empty() {
        String::new()
    } else {
        format!(" ({})", changes.join("; "))
    };
    format!(
        "{}{changes}. It stands as below; go by it, and keep their changes when you write it again.\n{}\n</system-reminder>",
        opening(),
        Todo::lines(list)
    )
}

fn sentence(edit: &TodoEdit) -> String {
    let seen = &edit.seen.content;
    match &edit.change {
        TodoChange::Content(content) => format!("\"{seen}\" is now \"{content}\""),
        TodoChange::Status(status) => format!("\"{seen}\" is {}", status.label()),
    }
}
