//! `edit`: replace text in one file.
//!
//! Finding the place is `text::replace`'s business; `steps` opens, guards and works the change out; this file asks with
//! the whole diff, and writes.

pub(super) mod steps;

use schemars::JsonSchema;
use serde::Deserialize;

use self::steps::{Details, Plan, RequestedEdits, RequestedReplacement, identical, prepare};
use crate::provider::EditMode;
use crate::tool::change::{diff_part, growing_diff};
use crate::tool::file_encoding::named_encoding;
use crate::tool::{
    DrawnArgs, Output, ParamAlias, Prepared, RenderCx, ResultView, Route, Tool, ToolCx, ToolError,
    WrittenFile,
};
use crate::view::card::{Card, Fact, FileTarget};

pub(super) struct EditTool;

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Args {
    /// Absolute or relative.
    file_path: String,
    /// The exact text to replace, unique in the file; empty to create a file.
    old_string: String,
    /// What takes its place.
    new_string: String,
    /// Replace every occurrence.
    #[serde(default)]
    replace_all: bool,
    /// The file's encoding, where the detected one is wrong.
    #[serde(default)]
    encoding: Option<String>,
}

impl Tool for EditTool {
    type Args = Args;
    type Plan = Plan;
    type Details = Details;

    const NAME: &'static str = "edit";
    const ALIASES: &'static [&'static str] = &["str_replace", "replace"];
    const DESCRIPTION: &'static str = "\
        Replace text in a file that was read. `old_string` must name one place: give enough lines around it. It is \
        taken literally, without the line numbers that `read` shows.";
    const PARAM_ALIASES: &'static [ParamAlias] = steps::ALIASES;
    const ROUTES: &'static [Route] = &[
        Route {
            array: "edits",
            keys: &["type", "op"],
            tool: "hashline_edit",
        },
        Route {
            array: "edits",
            keys: &["old_string", "old_text", "old", "search", "old_str"],
            tool: "multiedit",
        },
    ];
    const EDIT_MODES: &'static [EditMode] = &[EditMode::Replace];
    const WRITTEN: Option<fn(Details) -> Vec<WrittenFile>> =
        Some(|it| vec![WrittenFile::new(it.path, it.additions, it.deletions)]);

    async fn prepare(&self, args: Args, cx: &ToolCx) -> Result<Prepared<Plan>, ToolError> {
        if args.old_string == args.new_string {
            return Err(identical());
        }
        let wanted = RequestedReplacement {
            old: args.old_string,
            new: args.new_string,
            all: args.replace_all,
        };
        let wanted = RequestedEdits {
            encoding: named_encoding(args.encoding.as_deref())?,
            path: cx.path(&args.file_path)?,
            replacements: vec![wanted],
        };
        let alone = |mut plan: Plan| {
            plan.details.edits.clear();
            Ok(plan)
        };
        let prepared = prepare(cx, wanted, |_, error| error, alone).await?;
        let details = &prepared.plan.details;
        let card = Card::of_file("Edit", FileTarget::shown(&details.path))
            .meta(Fact::changed(details.additions, details.deletions))
            .part(diff_part(&details.path, &details.diff, RenderCx::EXPANDED));
        Ok(prepared.with_card(card))
    }

    async fn execute(&self, plan: Plan, cx: &ToolCx) -> Result<Output<Details>, ToolError> {
        plan.carry_out(cx).await
    }

    fn render_call(&self, args: DrawnArgs<'_>, cx: RenderCx) -> Card {
        let card = args.file_card("Edit", "file_path");
        let (old, new) = (args.text("old_string"), args.text("new_string"));
        growing_diff(card, args.text("file_path"), old, new, cx)
    }

    fn render_result(&self, result: ResultView<'_, Details>, cx: RenderCx) -> Card {
        result.details.card(cx)
    }
}

#[cfg(test)]
mod tests;
