//! `multiedit`: several replacements in one file as one change, each on what the one before it left.
//!
//! The replacements are those of `edit`; this file is its form with a list. All of them are made, or none.

use schemars::JsonSchema;
use serde::Deserialize;

use super::edit::steps::{self, Details, Plan, RequestedEdits, RequestedReplacement};
use crate::conversation::{ErrorKind, PermissionKey};
use crate::tool::change::{growing_diff, newest_edits};
use crate::tool::file_encoding::named_encoding;
use crate::tool::{
    DrawnArgs, Output, ParamAlias, Prepared, RenderCx, ResultView, Tool, ToolCx, ToolError, ToolSet,
    WrittenFile,
};
use crate::view::card::{Card, Fact};

pub(super) struct MultiEditTool;

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Args {
    /// Absolute or relative.
    file_path: String,
    /// Made in this order, each on what the one before it left.
    edits: Vec<Item>,
    /// The file's encoding, where the detected one is wrong.
    #[serde(default)]
    encoding: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Item {
    /// The exact text to replace, unique at its turn; empty in the first edit to create a file.
    old_string: String,
    /// What takes its place.
    new_string: String,
    /// Replace every occurrence.
    #[serde(default)]
    replace_all: bool,
    /// The same as outside, if at all.
    #[serde(default)]
    file_path: Option<String>,
}

impl Tool for MultiEditTool {
    type Args = Args;
    type Plan = Plan;
    type Details = Details;

    const NAME: &'static str = "multiedit";
    const ALIASES: &'static [&'static str] = &["multi_edit"];
    const DESCRIPTION: &'static str = "\
        Make several replacements in one file that was read, as one change: all or none. Each `old_string` must name \
        one place in what the edits before it left.";
    const PARAM_ALIASES: &'static [ParamAlias] = steps::ALIASES;
    const SET: ToolSet = ToolSet::Extended;
    const FAMILY: &'static PermissionKey = &PermissionKey::EDIT;
    const WRITTEN: Option<fn(Details) -> Vec<WrittenFile>> =
        Some(|it| vec![WrittenFile::new(it.path, it.additions, it.deletions)]);

    async fn prepare(&self, args: Args, cx: &ToolCx) -> Result<Prepared<Plan>, ToolError> {
        let encoding = named_encoding(args.encoding.as_deref())?;
        let path = cx.path(&args.file_path)?;
        let count = args.edits.len();
        if count == 0 {
            return Err(ToolError::invalid_args("`edits` is empty; nothing would change"));
        }
        for (index, item) in args.edits.iter().enumerate() {
            let Some(own) = &item.file_path else { continue };
            if cx.path(own)?.resolved.real != path.resolved.real {
                let message = format!(
                    "edit {} of {count} is for `{own}`, and the others for `{}`; one call changes one file",
                    index + 1,
                    path.resolved.display
                );
                return Err(ToolError::invalid_args(message));
            }
        }
        let replacements = args.edits.into_iter().map(|item| RequestedReplacement {
            old: item.old_string,
            new: item.new_string,
            all: item.replace_all,
        });
        let wanted = RequestedEdits {
            path,
            encoding,
            replacements: replacements.collect(),
        };
        let told = move |index, error| in_edit(index + 1, count, error);
        let prepared = steps::prepare(cx, wanted, told, check_changes).await?;
        let card = prepared.plan.details.card(RenderCx::EXPANDED);
        Ok(prepared.with_card(card))
    }

    async fn execute(&self, plan: Plan, cx: &ToolCx) -> Result<Output<Details>, ToolError> {
        plan.carry_out(cx).await
    }

    fn render_call(&self, args: DrawnArgs<'_>, cx: RenderCx) -> Card {
        let items: Vec<_> = args.items("edits").collect();
        let card = args.file_card("Edit", "file_path");
        let card = match items.len() {
            0 => card,
            count => card.meta(Fact::count(count, "edit")),
        };
        let (card, shown) = newest_edits(card, items, cx);
        shown.into_iter().fold(card, |card, item| {
            let (old, new) = (item.text("old_string"), item.text("new_string"));
            growing_diff(card, args.text("file_path"), old, new, cx)
        })
    }

    fn render_result(&self, result: ResultView<'_, Details>, cx: RenderCx) -> Card {
        result.details.card(cx)
    }
}

/// Refuses edits that take one another back.
fn check_changes(plan: Plan) -> Result<Plan, ToolError> {
    let details = &plan.details;
    if details.diff.is_empty() && !details.created {
        let message = format!(
            "the edits leave `{}` identical to what it was; nothing was written",
            details.path
        );
        return Err(ToolError::new(ErrorKind::Identical, message));
    }
    Ok(plan)
}

/// Says in which edit it went wrong, behind words that say what.
fn in_edit(number: usize, count: usize, error: ToolError) -> ToolError {
    let place = format!("That is edit {number} of {count}; none of them was made.");
    let hint = match &error.hint {
        Some(hint) => format!("{place} {hint}"),
        None => place,
    };
    error.hint(hint)
}

#[cfg(test)]
mod tests;
