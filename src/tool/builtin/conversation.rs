//! A conversation as text, for a model that did not take part in it.

use std::borrow::Cow;

use crate::conversation::{ErrorKind, Message, MessageState, Part, PartBody, Role};
use crate::tool::ToolError;
use std::fmt::Write as _;

/// The part of the conversation that is wanted.
pub(super) struct ConversationQuery {
    /// Id of the message after which it begins.
    pub(super) since: Option<String>,
    pub(super) limit: usize,
    /// The newest messages instead of the oldest.
    pub(super) is_from_end: bool,
    pub(super) with_thinking: bool,
    pub(super) with_results: bool,
    /// Messages are named by their ids.
    pub(super) with_ids: bool,
    /// Characters of each part; `None` shows all of it.
    pub(super) cut: Option<PartCut>,
}

/// Characters that are shown of a part.
#[derive(Debug, Clone, Copy)]
pub(super) struct PartCut {
    pub(super) thinking: usize,
    pub(super) input: usize,
    pub(super) result: usize,
}

/// Returns a block for each message: who says it, when, its id, and what it holds.
pub(super) fn render(
    messages: &[Message],
    agent: &str,
    query: &ConversationQuery,
) -> Result<String, ToolError> {
    let start = match &query.since {
        None => 0,
        Some(id) => {
            let place = messages.iter().position(|message| message.id.as_str() == id);
            place.ok_or_else(|| unknown(id))? + 1
        }
    };
    let is_shown = |message: &&Message| message.state != MessageState::Void;
    let shown: Vec<&Message> = messages[start..].iter().filter(is_shown).collect();
    let left_out = shown.len().saturating_sub(query.limit);
    let page = if query.is_from_end {
        &shown[left_out..]
    } else {
        &shown[..shown.len() - left_out]
    };
    let blocks: Vec<String> = page.iter().map(|message| block(message, agent, query)).collect();
    let mut text = blocks.join("\n\n");
    if left_out > 0 {
        let which = if query.is_from_end { "earlier" } else { "later" };
        let _ = write!(text, "\n\n[{left_out} {which} messages left out]");
    }
    Ok(text)
}

fn block(message: &Message, agent: &str, query: &ConversationQuery) -> String {
    let who = match message.role {
        Role::User => "user".to_owned(),
        Role::Assistant => {
            let agent = message.agent.as_deref().unwrap_or(agent);
            format!("assistant ({agent})")
        }
    };
    let time = jiff::Timestamp::from_millisecond(message.created).map_or_else(
        |_| String::new(),
        |time| time.strftime("%Y-%m-%d %H:%M:%S").to_string(),
    );
    let parts = message.parts.iter().filter_map(|part| line(part, query));
    let parts: Vec<String> = parts.collect();
    let id = if query.with_ids {
        format!(" id={}", message.id)
    } else {
        String::new()
    };
    format!("[{who}] {time}{id}\n{}", parts.join("\n"))
}

fn line(part: &Part, query: &ConversationQuery) -> Option<String> {
    match &part.body {
        PartBody::Text(text) => Some(text.text.clone()),
        PartBody::Reasoning(reasoning) if query.with_thinking => {
            let text = shortened(&reasoning.text, query.cut.map(|cut| cut.thinking));
            Some(format!("[thinking] {text}"))
        }
        PartBody::Tool(call) => {
            let input = shortened(&call.raw_args, query.cut.map(|cut| cut.input));
            let mut text = format!("[tool: {}] {input}", call.tool);
            if let Some(result) = query.with_results.then(|| call.result()).flatten() {
                let output = shortened(&result.output, query.cut.map(|cut| cut.result));
                let _ = write!(text, "\n[tool result] {output}");
            }
            Some(text)
        }
        PartBody::File(file) => Some(format!("[file: {}]", file.path)),
        PartBody::Notice(notice) => Some(format!("[{}]", notice.text)),
        PartBody::Context(change) => Some(format!("[{}]", change.sentence())),
        PartBody::Reasoning(_) | PartBody::Unknown(_) => None,
    }
}

fn shortened(text: &str, most: Option<usize>) -> Cow<'_, str> {
    match most.and_then(|most| text.char_indices().nth(most)) {
        Some((end, _)) => Cow::Owned(format!("{}…", &text[..end])),
        None => Cow::Borrowed(text),
    }
}

fn unknown(id: &str) -> ToolError {
    ToolError::new(ErrorKind::NotFound, format!("the task has no message `{id}`"))
        .hint("`since_message_id` is the id that stands in the header of a message.")
}
