//! `multiedit`: several replacements in one file as one change, each on what the one before it left.
//!
//! The replacements are those of `edit`; this file is its form with a list. All of them are made, or none.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::edit::steps::{self, Position, Replacements, RequestedReplacement, Step};
use super::edit::{is_plain, place};
use crate::conversation::ErrorKind;
use crate::text::replace::Strategy;
use crate::tool::change::{Change, apply, diff_part, growing_diff, newest_edits, with_unlinked};
use crate::tool::{
    Concurrency, DrawnArgs, InitCx, Output, ParamAlias, Prepared, RenderCx, ResultView, Tool, ToolCx,
    ToolError, ToolSet, WrittenFile, plural,
};
use crate::view::card::{Card, Fact};

pub(super) struct MultiEditTool;

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Args {
    /// Absolute or relative.
    file_path: String,
    /// Made in this order, each on what the one before it left.
    edits: Vec<Item>,
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

#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Details {
    path: String,
    /// The loosest of all edits.
    strategy: String,
    replacements: usize,
    /// Of each edit in the text that it saw.
    positions: Vec<Position>,
    edits: Vec<EditDetails>,
    additions: usize,
    deletions: usize,
    diff: String,
    created: bool,
    diagnostics: Vec<serde_json::Value>,
    /// Says which files had other names, which keep their text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    unlinked: Vec<String>,
}

#[derive(Debug, Serialize, Deserialize)]
struct EditDetails {
    strategy: String,
    replacements: usize,
}

pub(super) struct Plan {
    change: Change,
    details: Details,
}

impl Tool for MultiEditTool {
    type Args = Args;
    type Plan = Plan;
    type Details = Details;

    const NAME: &'static str = "multiedit";
    const ALIASES: &'static [&'static str] = &["multi_edit"];
    const PARAM_ALIASES: &'static [ParamAlias] = steps::ALIASES;
    const SET: ToolSet = ToolSet::Extended;
    const FAMILY: &'static str = "edit";
    const WRITTEN: Option<fn(Details) -> Vec<WrittenFile>> =
        Some(|it| vec![WrittenFile::new(it.path, it.additions, it.deletions)]);

    fn description(&self, _: InitCx<'_>) -> String {
        "Make several replacements in one file that was read, as one change: all or none. Each `old_string` must name \
         one place in what the edits before it left."
            .to_owned()
    }

    fn concurrency(&self, _: &Args) -> Concurrency {
        Concurrency::Exclusive
    }

    async fn prepare(&self, args: Args, cx: &ToolCx) -> Result<Prepared<Plan>, ToolError> {
        let path = cx.path(&args.file_path)?;
        let count = args.edits.len();
        if count == 0 {
            return Err(ToolError::new(
                ErrorKind::InvalidArgs,
                "`edits` is empty; nothing would change",
            ));
        }
        for (index, item) in args.edits.iter().enumerate() {
            let Some(own) = &item.file_path else { continue };
            if cx.path(own)?.resolved.real != path.resolved.real {
                let message = format!(
                    "edit {} of {count} is for `{own}`, and the others for `{}`; one call changes one file",
                    index + 1,
                    path.resolved.display
                );
                return Err(ToolError::new(ErrorKind::InvalidArgs, message));
            }
        }
        let wanted = args.edits.into_iter().map(|item| RequestedReplacement {
            old: item.old_string,
            new: item.new_string,
            all: item.replace_all,
        });
        let told = move |index, error| in_edit(index + 1, count, error);
        let prepared = steps::prepare(cx, path, wanted.collect(), told, Plan::of).await?;
        let card = prepared.plan.details.card(RenderCx { expanded: true });
        Ok(prepared.with_card(card))
    }

    async fn execute(&self, plan: Plan, cx: &ToolCx) -> Result<Output<Details>, ToolError> {
        let Plan { change, mut details } = plan;
        let applied = apply(cx, change).await?;
        let created = if details.created { ", created" } else { "" };
        let text = format!(
            "Edited {}: {}, +{} -{}{created}",
            details.path,
            plural(details.edits.len(), "edit"),
            details.additions,
            details.deletions
        );
        let told = applied.tell(&text);
        details.unlinked = applied.unlinked;
        Ok(Output::new(text, told, details))
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

impl Plan {
    fn of(made: Replacements) -> Result<Self, ToolError> {
        let Replacements {
            change,
            steps,
            diff,
            created,
        } = made;
        if diff.text.is_empty() && !created {
            let message = format!(
                "the edits leave `{}` identical to what it was; nothing was written",
                change.path.display
            );
            return Err(ToolError::new(ErrorKind::Identical, message));
        }
        let details = Details {
            path: change.path.display.clone(),
            strategy: loosest(&steps).name().to_owned(),
            replacements: steps.iter().map(|step| step.positions.len()).sum(),
            edits: steps.iter().map(EditDetails::of).collect(),
            positions: steps.into_iter().flat_map(|step| step.positions).collect(),
            additions: diff.additions,
            deletions: diff.deletions,
            diff: diff.text,
            created,
            diagnostics: Vec::new(),
            unlinked: Vec::new(),
        };
        Ok(Self { change, details })
    }
}

impl EditDetails {
    fn of(step: &Step) -> Self {
        Self {
            strategy: step.strategy.name().to_owned(),
            replacements: step.positions.len(),
        }
    }
}

impl Details {
    fn card(&self, cx: RenderCx) -> Card {
        let card = Card::of_file("Edit", place(&self.path, &self.positions))
            .meta(Fact::changed(self.additions, self.deletions))
            .meta(Fact::count(self.edits.len(), "edit"));
        let card = if is_plain(&self.strategy) {
            card
        } else {
            card.meta(self.strategy.clone())
        };
        let card = with_unlinked(card, &self.unlinked);
        if self.diff.is_empty() {
            card
        } else {
            card.part(diff_part(&self.path, &self.diff, cx))
        }
    }
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

/// Exact finds come first, and then the strategies in their order.
fn loosest(steps: &[Step]) -> Strategy {
    let used = steps.iter().map(|step| step.strategy);
    let rank = |strategy: &Strategy| (*strategy != Strategy::MultiOccurrence, *strategy as usize);
    used.max_by_key(rank).unwrap_or(Strategy::Simple)
}

#[cfg(test)]
mod tests;
