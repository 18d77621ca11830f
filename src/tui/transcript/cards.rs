//! Source of the cards.
//!
//! A transcript has built-in tools draw their calls. It asks through this trait, so that it can be looked at without them.

use serde_json::Value;

use crate::conversation::{Json, TaskRow};
use crate::tool::{BuiltinCards, DrawnArgs, RenderCx, ResultSource};
use crate::view::card::Card;

pub(super) trait CardSource: Send + Sync {
    /// Draws a call, with what came of it once it runs or has run.
    fn card(&self, tool: &str, args: DrawnArgs<'_>, result: Option<ResultSource<'_>>, cx: RenderCx) -> Card;

    /// Returns true if it knows the tool of a call. The session draws that of any other.
    fn draws(&self, _tool: &str, _args: &Value) -> bool {
        true
    }

    /// Returns true if calls of a tool start tasks.
    fn starts_tasks(&self, _tool: &str) -> bool {
        false
    }

    /// Returns the details of a call with how a task stands now, if the call has started that.
    fn follow_task(&self, _tool: &str, _details: &Json, _row: &TaskRow) -> Option<Value> {
        None
    }
}

impl CardSource for BuiltinCards {
    fn card(&self, tool: &str, args: DrawnArgs<'_>, result: Option<ResultSource<'_>>, cx: RenderCx) -> Card {
        Self::card(self, tool, args, result, cx)
    }

    fn draws(&self, tool: &str, args: &Value) -> bool {
        Self::draws(self, tool, args)
    }

    fn starts_tasks(&self, tool: &str) -> bool {
        Self::starts_tasks(self, tool)
    }

    fn follow_task(&self, tool: &str, details: &Json, row: &TaskRow) -> Option<Value> {
        Self::follow_task(self, tool, details, row)
    }
}

/// Stands in while no session is open: the tool's name alone.
pub(super) struct NameOnlyCards;

impl CardSource for NameOnlyCards {
    fn card(&self, tool: &str, _: DrawnArgs<'_>, _: Option<ResultSource<'_>>, _: RenderCx) -> Card {
        Card::new(tool, "")
    }
}
