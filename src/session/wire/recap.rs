//! One line about where a conversation stands, for a person who comes back to it after a day. No model is asked.

use std::sync::Arc;
use std::time::Duration;

use crate::conversation::{Message, MessageState, Role, Todo, TodoStatus};
use crate::session::moment::moment;
use crate::text::count::plural;
use crate::text::sanitize::sanitize_line;
use crate::text::width::truncate;

/// A pause after which nobody is taken to remember.
const PAUSE: Duration = Duration::from_hours(24);
/// Columns of the last message that are repeated.
const COLUMNS: usize = 60;

/// Returns the line, where the last message is a day old. `now` is in milliseconds since the Unix epoch.
pub(super) fn recap(messages: &[Arc<Message>], todos: &[serde_json::Value], now: i64) -> Option<String> {
    let last = messages.last()?;
    let pause = Duration::from_millis(u64::try_from(now - last.created).ok()?);
    if pause < PAUSE {
        return None;
    }
    let mut facts = Vec::new();
    let is_own = |message: &&Arc<Message>| message.role == Role::User && !message.is_reminder();
    let mut own = messages
        .iter()
        .rev()
        .filter(is_own)
        .map(|message| message.typed());
    if let Some(asked) = own.find(|text| !text.trim().is_empty()) {
        let line = sanitize_line(asked.trim()).into_owned();
        facts.push(format!("you said \"{}\"", truncate(&line, COLUMNS)));
    }
    if last.state == MessageState::Cut {
        facts.push("its reply was cut".to_owned());
    }
    let todos = Todo::list(todos);
    let is_open = |todo: &&Todo| matches!(todo.status, TodoStatus::Pending | TodoStatus::InProgress);
    let open: Vec<&Todo> = todos.iter().filter(is_open).collect();
    match open.as_slice() {
        [] => {}
        [first, rest @ ..] => {
            let now = open
                .iter()
                .find(|todo| todo.status == TodoStatus::InProgress)
                .unwrap_or(first);
            let content = sanitize_line(&now.content);
            let more = match rest.len() {
                0 => String::new(),
                count => format!(" and {} more", plural(count, "todo")),
            };
            facts.push(format!("open: {}{more}", truncate(&content, COLUMNS)));
        }
    }
    let when = moment(last.created, &jiff::tz::TimeZone::system());
    Some(match facts.as_slice() {
        [] => format!("Last here {when}."),
        facts => format!("Last here {when}: {}.", facts.join("; ")),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conversation::{MessageId, Part, PartBody, TextPart};

    const DAY: i64 = 24 * 60 * 60 * 1000;

    fn said(role: Role, text: &str, created: i64) -> Arc<Message> {
        let text = text.to_owned();
        Arc::new(Message {
            id: MessageId::new(),
            role,
            state: MessageState::Complete,
            agent: None,
            model: None,
            created,
            parts: vec![Part {
                seq: 1,
                body: PartBody::Text(TextPart { text, native: None }),
            }],
            stop: None,
            usage: None,
        })
    }

    #[test]
    fn after_a_day_it_is_told_where_the_conversation_stands() {
        let mut cut = Message::clone(&said(Role::Assistant, "I be", 5));
        cut.state = MessageState::Cut;
        let messages = [said(Role::User, "fix the\nretry test", 1), cut.into()];
        let todos = Todo::rows(&[
            Todo {
                content: "find the call".to_owned(),
                ..Todo::default()
            },
            Todo {
                content: "inject a clock".to_owned(),
                status: TodoStatus::InProgress,
                ..Todo::default()
            },
        ]);
        assert_eq!(recap(&messages, &todos, DAY), None);
        let told = recap(&messages, &todos, DAY + 5).unwrap();
        let (when, facts) = told.split_once(": ").unwrap();
        assert!(
            when.starts_with("Last here 19") || when.starts_with("Last here 1970"),
            "{told}"
        );
        assert_eq!(
            facts,
            "you said \"fix the retry test\"; its reply was cut; open: inject a clock and 1 todo more."
        );
        assert_eq!(recap(&[], &todos, DAY), None);
    }
}
