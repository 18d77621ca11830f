//! Cards of built-in tools for front ends.
//!
//! A front end may stand in another process than the session, so it holds no registry: it draws the calls of built-in tools
//! with this, which any process can make, and asks the session for the cards of all other calls (`session::query::Query::Card`).

use std::sync::Arc;

use serde_json::Value;

use super::dynamic::{ResultSource, generic_card};
use super::{DrawnArgs, Registry, RenderCx, Resolution, WrittenFile};
use crate::conversation::{CallResult, Json, TaskRow, ToolPart};
use crate::swap::Swappable;
use crate::view::card::Card;

/// Drawing and reading of the calls of built-in tools. Clones share the tools.
#[derive(Clone)]
pub struct BuiltinCards {
    tools: Arc<Registry>,
}

impl BuiltinCards {
    pub fn new() -> Self {
        Self {
            tools: Arc::new(Registry::builtin()),
        }
    }

    /// Returns true if a call is that of a built-in tool.
    pub fn draws(&self, tool: &str, args: &Value) -> bool {
        matches!(self.tools.resolve_call(tool, args), Resolution::Tool(_))
    }

    /// Draws a call, with its result once it runs or has run. That of a tool that is not built in has its name alone, and
    /// the text of its result.
    pub fn card(
        &self,
        tool: &str,
        args: DrawnArgs<'_>,
        result: Option<ResultSource<'_>>,
        cx: RenderCx,
    ) -> Card {
        match result {
            Some(result) => self.tools.render_result(tool, args, result, cx),
            None => self.tools.render_call(tool, args, cx),
        }
    }

    /// Returns a session's card of a call that runs, with the output that has come since.
    pub fn with_output(card: Card, output: &str, cx: RenderCx) -> Card {
        generic_card(card, output, cx)
    }

    /// Returns the name of the built-in tool that a call of the conversation is for, or else the name that the model wrote.
    pub fn tool_of(&self, call: &ToolPart) -> String {
        self.tools.advertised_name_of(call)
    }

    /// Returns the files that a call has written, as its result tells.
    pub fn written(&self, tool: &str, result: &Swappable<CallResult>) -> Vec<WrittenFile> {
        self.tools.written(tool, result)
    }

    /// Returns true if calls of this tool start tasks, whose state their cards show.
    pub fn starts_tasks(&self, tool: &str) -> bool {
        self.tools.starts_tasks(tool)
    }

    /// Returns the details of a call with how a task stands now, if the call has started that.
    pub fn follow_task(&self, tool: &str, details: &Json, row: &TaskRow) -> Option<Value> {
        self.tools.follow_task(tool, details, row)
    }
}

impl Default for BuiltinCards {
    fn default() -> Self {
        Self::new()
    }
}
