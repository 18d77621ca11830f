//! The todo list as calls of a conversation showed it to the model.

use serde_json::Value;

use crate::conversation::{CallResult, Message, ToolPart};

/// The tools whose results show the model the list.
pub(super) const TOOLS: [&str; 2] = ["todowrite", "todoread"];

/// The list that messages showed the model last; empty where none did.
pub(super) fn last_shown<'a>(messages: impl DoubleEndedIterator<Item = &'a Message>) -> Vec<Value> {
    let calls = messages.rev().flat_map(|message| {
        let calls: Vec<_> = message.calls().collect();
        calls.into_iter().rev()
    });
    let mut all = calls.flat_map(|call| call.inner.iter().rev().chain(std::iter::once(call)));
    all.find_map(shown_by).unwrap_or_default()
}

/// The list that a call showed the model.
pub(super) fn shown_by(call: &ToolPart) -> Option<Vec<Value>> {
    // Others are not looked into: their results may have to be read from a file.
    let result = TOOLS.contains(&call.tool.as_str()).then(|| call.result())??;
    shown_list(&call.tool, &result).map(<[Value]>::to_vec)
}

/// The list that a result shows the model.
pub(super) fn shown_list<'a>(tool: &str, result: &'a CallResult) -> Option<&'a [Value]> {
    let is_shown = result.ok && TOOLS.contains(&tool);
    let list = is_shown.then(|| result.details.get("todos"))??.as_array()?;
    Some(list.as_slice())
}
