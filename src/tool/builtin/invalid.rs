//! `invalid`: gets the calls whose name or arguments cannot be used. Never advertised.
//!
//! The pipeline answers such calls itself, under the name the model gave; this entry makes the name `invalid` behave the
//! same when it is called.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::conversation::ErrorKind;
use crate::tool::{
    Concurrency, DrawnArgs, Output, Prepared, RenderCx, ResultView, Tool, ToolCx, ToolError, ToolSet,
};
use crate::view::card::Card;

pub(super) struct InvalidTool;

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Args {
    /// The name that was called.
    tool: String,
    /// What was wrong with the call.
    error: String,
}

/// No call succeeds, so there are none; the card of the error is the general one.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Details {}

impl Tool for InvalidTool {
    type Args = Args;
    type Plan = ();
    type Details = Details;

    const NAME: &'static str = "invalid";
    const DESCRIPTION: &'static str = "Do not call this.";
    const CONCURRENCY: Concurrency = Concurrency::Shared;
    const SET: ToolSet = ToolSet::Hidden;
    const MAY_BE_INSIDE: bool = false;

    async fn prepare(&self, args: Args, _: &ToolCx) -> Result<Prepared<()>, ToolError> {
        Err(ToolError::new(
            ErrorKind::UnknownTool,
            format!("`{}` could not be called: {}", args.tool, args.error),
        )
        .extra(serde_json::json!({ "tool": args.tool })))
    }

    async fn execute(&self, (): (), _: &ToolCx) -> Result<Output<Details>, ToolError> {
        Err(ToolError::new(
            ErrorKind::UnknownTool,
            "the call could not be used",
        ))
    }

    fn render_call(&self, args: DrawnArgs<'_>, _: RenderCx) -> Card {
        Card::new(args.text("tool"), "")
    }

    fn render_result(&self, result: ResultView<'_, Details>, _: RenderCx) -> Card {
        match result.details {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::tool::harness::Harness;

    #[tokio::test]
    async fn it_answers_like_a_call_that_could_not_be_used_and_is_not_shown() {
        let project = Harness::new();
        let args = json!({"tool": "reed", "error": "no such tool"});
        let (kind, text) = project.error("invalid", args).await;
        assert_eq!(kind, ErrorKind::UnknownTool);
        assert!(text.contains("`reed`") && text.contains("no such tool"), "{text}");
        let services = &project.services;
        let called = std::collections::BTreeSet::from(["invalid".to_owned()]);
        let permissions = services.gate.permissions();
        let shown = project
            .registry
            .advertised(&services.settings, &permissions, &called);
        assert!(shown.iter().all(|spec| spec.name != "invalid"));
    }
}
