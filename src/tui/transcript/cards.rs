//! Source of the cards.
//!
//! A transcript asks its session's registry. It asks through this trait, so that it can be looked at without one.

use serde_json::Value;

use crate::text::partial_json::PartialJson;
use crate::tool::{Registry, RenderCx, ResultSource};
use crate::view::card::Card;

pub(super) trait CardSource: Send + Sync {
    /// Draws a call that has no result yet.
    fn call(&self, tool: &str, partial: &PartialJson, args: Option<&Value>, cx: RenderCx) -> Card;

    /// Draws a call that runs or has run.
    fn result(
        &self,
        tool: &str,
        partial: &PartialJson,
        args: Option<&Value>,
        result: ResultSource<'_>,
        cx: RenderCx,
    ) -> Card;
}

impl CardSource for Registry {
    fn call(&self, tool: &str, partial: &PartialJson, args: Option<&Value>, cx: RenderCx) -> Card {
        self.render_call(tool, partial, args, cx)
    }

    fn result(
        &self,
        tool: &str,
        partial: &PartialJson,
        args: Option<&Value>,
        result: ResultSource<'_>,
        cx: RenderCx,
    ) -> Card {
        self.render_result(tool, partial, args, result, cx)
    }
}

/// Stands in while no registry is known: the tool's name alone.
pub(super) struct NameOnlyCards;

impl CardSource for NameOnlyCards {
    fn call(&self, tool: &str, _: &PartialJson, _: Option<&Value>, _: RenderCx) -> Card {
        Card::new(tool, "")
    }

    fn result(
        &self,
        tool: &str,
        _: &PartialJson,
        _: Option<&Value>,
        _: ResultSource<'_>,
        _: RenderCx,
    ) -> Card {
        Card::new(tool, "")
    }
}
