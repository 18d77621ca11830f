//! A session as text for people.

use std::fmt::Write as _;

use crate::cli::output::moment;
use crate::conversation::{CallState, Message, MessageState, Part, PartBody, Role, ToolPart};
use crate::session::host::SessionRow;
use crate::text::sanitize::{sanitize, sanitize_line};
use crate::view::Symbols;

pub(super) fn text(session: &SessionRow, messages: &[Message]) -> String {
    let mut text = head(session);
    for message in messages
        .iter()
        .filter(|message| message.state != MessageState::Void)
    {
        let parts: Vec<_> = message.parts.iter().filter_map(part).collect();
        if parts.is_empty() {
            continue;
        }
        let who = match message.role {
            Role::User => "you",
            Role::Assistant => message.agent.as_deref().unwrap_or("assistant"),
        };
        let _ = write!(
            text,
            "\n── {} · {}\n",
            sanitize_line(who),
            moment(message.created)
        );
        for part in parts {
            let _ = writeln!(text, "{}", sanitize(part.trim_end()));
        }
    }
    text
}

fn head(session: &SessionRow) -> String {
    let model = session
        .model
        .as_ref()
        .map_or_else(|| "no model".to_owned(), ToString::to_string);
    let title = sanitize_line(&session.title);
    let directory = session.directory.to_string_lossy();
    let facts = format!("{} · {model} · {} · {directory}", session.id, session.agent);
    format!("{title}\n{}\n", sanitize_line(&facts))
}

/// Reasoning is left out: it is long, and not what was said.
fn part(part: &Part) -> Option<String> {
    match &part.body {
        PartBody::Text(text) if text.text.trim().is_empty() => None,
        PartBody::Text(text) => Some(text.text.clone()),
        PartBody::Reasoning(_) | PartBody::Unknown(_) => None,
        PartBody::Tool(call) => Some(tool(call)),
        PartBody::File(file) => Some(format!("[{} · {}]", file.path, file.mime)),
        PartBody::Notice(notice) => Some(format!("[{}]", notice.text)),
        PartBody::Context(change) => Some(format!("[{}]", change.text())),
    }
}

fn tool(call: &ToolPart) -> String {
    let mark = match call.state {
        CallState::Running => "…",
        state => Symbols::Unicode.status(state.into(), 0),
    };
    let result = call.result();
    let title = result.as_ref().map_or("", |result| &result.title);
    let mut text = format!("{mark} {} {title}", call.tool).trim_end().to_owned();
    for inner in &call.inner {
        text.push_str("\n  ");
        text.push_str(&tool(inner));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::export::fixture;

    #[test]
    fn a_person_reads_who_said_what_and_what_was_done() {
        let text = text(&fixture::row(), &fixture::messages());
        let lines: Vec<_> = text.lines().collect();
        assert_eq!(lines[..2], ["fix it", "ses_1 · local/x · build · /p"]);
        assert!(lines[3].starts_with("── you · "), "{text}");
        assert_eq!(lines[4], "do it");
        assert!(lines[6].starts_with("── assistant · "), "{text}");
        assert_eq!(lines[7..], ["done", "⊘ no_such_tool not allowed"]);
    }
}
