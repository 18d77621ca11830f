//! Which outputs are not worth their room any more.

use std::sync::Arc;

use crate::agent::estimate;
use crate::agent::history::HistoryView;
use crate::conversation::{Message, Role, ToolPart};

/// A shorter output is hardly longer than the line that would stand for it.
const SHORTEST: usize = 1_000;

/// Tools whose results are what the conversation goes by.
const KEPT: [&str; 7] = [
    "todowrite",
    "todoread",
    "plan_enter",
    "plan_exit",
    "question",
    "skill",
    "task_list",
];

/// Returns the calls in `messages` whose outputs can be masked, the oldest first, with the tokens that each would free.
/// Errors stay: they are short, and what was learned from them is learned again without them.
pub fn maskable<'a>(view: &HistoryView, messages: &'a [Arc<Message>]) -> Vec<(&'a ToolPart, u64)> {
    let replies = messages.iter().filter(|message| message.role == Role::Assistant);
    let calls = replies.flat_map(|message| message.calls().map(move |call| (message, call)));
    let open = calls.filter(|(message, call)| !view.is_masked(&message.id, call) && is_maskable(call));
    open.map(|(_, call)| (call, freed(call))).collect()
}

fn is_maskable(call: &ToolPart) -> bool {
    let Some(result) = call.result() else { return false };
    let is_large = result.output.len() >= SHORTEST || !result.attachments.is_empty();
    result.ok && is_large && !KEPT.contains(&call.tool.as_str())
}

/// Returns what masking a call frees: all but the line that stands for it.
fn freed(call: &ToolPart) -> u64 {
    estimate::call(call).saturating_sub(estimate::bytes(call.raw_args.len() + call.tool.len() + 200))
}
