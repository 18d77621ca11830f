//! Source of the cards.
//!
//! A transcript asks its session's registry. It asks through this trait, so that it can be looked at without one.

use crate::tool::{DrawnArgs, Registry, RenderCx, ResultSource};
use crate::view::card::Card;

pub(super) trait CardSource: Send + Sync {
    /// Draws a call, with what came of it once it runs or has run.
    fn card(&self, tool: &str, args: DrawnArgs<'_>, result: Option<ResultSource<'_>>, cx: RenderCx) -> Card;
}

impl CardSource for Registry {
    fn card(&self, tool: &str, args: DrawnArgs<'_>, result: Option<ResultSource<'_>>, cx: RenderCx) -> Card {
        match result {
            Some(result) => self.render_result(tool, args, result, cx),
            None => self.render_call(tool, args, cx),
        }
    }
}

/// Stands in while no registry is known: the tool's name alone.
pub(super) struct NameOnlyCards;

impl CardSource for NameOnlyCards {
    fn card(&self, tool: &str, _: DrawnArgs<'_>, _: Option<ResultSource<'_>>, _: RenderCx) -> Card {
        Card::new(tool, "")
    }
}
