//! A tool that does nothing, under the name of one that results may recommend.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Concurrency, DrawnArgs, Output, Prepared, RenderCx, ResultView, Tool, ToolCx, ToolError};
use crate::view::card::Card;

/// `interactive_bash`.
pub(crate) struct PlaceholderTool;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct NoArgs {}

#[derive(Serialize, Deserialize)]
pub(crate) struct NoDetails {}

impl Tool for PlaceholderTool {
    type Args = NoArgs;
    type Plan = ();
    type Details = NoDetails;

    const NAME: &'static str = "interactive_bash";
    const DESCRIPTION: &'static str = "";
    const CONCURRENCY: Concurrency = Concurrency::Shared;

    async fn prepare(&self, _: NoArgs, _: &ToolCx) -> Result<Prepared<()>, ToolError> {
        Ok(Prepared::new((), Vec::new()))
    }

    async fn execute(&self, (): (), _: &ToolCx) -> Result<Output<NoDetails>, ToolError> {
        Ok(Output::new(Self::NAME, "", NoDetails {}))
    }

    fn render_call(&self, _: DrawnArgs<'_>, _: RenderCx) -> Card {
        Card::new(Self::NAME, "")
    }

    fn render_result(&self, _: ResultView<'_, NoDetails>, _: RenderCx) -> Card {
        Card::new(Self::NAME, "")
    }
}
