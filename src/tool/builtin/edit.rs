//! `edit`: replace text in one file.
//!
//! Finding the place is `text::replace`'s business; `steps` opens, guards and works the change out; this file asks with
//! the whole diff, and writes.

pub(super) mod steps;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use self::steps::{Position, Replacements, RequestedReplacement, identical, prepare};
use crate::provider::EditMode;
use crate::text::replace::Strategy;
use crate::tool::change::{Change, apply, diff_part, growing_diff, with_unlinked};
use crate::tool::{
    Concurrency, DrawnArgs, InitCx, Output, ParamAlias, Prepared, RenderCx, ResultView, Route, Tool, ToolCx,
    ToolError, WrittenFile, plural,
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
}

#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Details {
    path: String,
    strategy: String,
    replacements: usize,
    positions: Vec<Position>,
    additions: usize,
    deletions: usize,
    diff: String,
    created: bool,
    diagnostics: Vec<serde_json::Value>,
    /// Says which files had other names, which keep their text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    unlinked: Vec<String>,
}

pub(super) struct Plan {
    change: Change,
    details: Details,
}

impl Tool for EditTool {
    type Args = Args;
    type Plan = Plan;
    type Details = Details;

    const NAME: &'static str = "edit";
    const ALIASES: &'static [&'static str] = &["str_replace", "replace"];
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

    fn description(&self, _: InitCx<'_>) -> String {
        "Replace text in a file that was read. `old_string` must name one place: give enough lines around it. It is \
         taken literally, without the line numbers that `read` shows."
            .to_owned()
    }

    fn concurrency(&self, _: &Args) -> Concurrency {
        Concurrency::Exclusive
    }

    async fn prepare(&self, args: Args, cx: &ToolCx) -> Result<Prepared<Plan>, ToolError> {
        if args.old_string == args.new_string {
            return Err(identical());
        }
        let wanted = RequestedReplacement {
            old: args.old_string,
            new: args.new_string,
            all: args.replace_all,
        };
        let path = cx.path(&args.file_path)?;
        let prepared = prepare(
            cx,
            path,
            vec![wanted],
            |_, error| error,
            |made| Ok(Plan::of(made)),
        )
        .await?;
        let details = &prepared.plan.details;
        let card = Card::of_file("Edit", FileTarget::shown(&details.path))
            .meta(Fact::changed(details.additions, details.deletions))
            .part(diff_part(
                &details.path,
                &details.diff,
                RenderCx { expanded: true },
            ));
        Ok(prepared.with_card(card))
    }

    async fn execute(&self, plan: Plan, cx: &ToolCx) -> Result<Output<Details>, ToolError> {
        let Plan { change, mut details } = plan;
        let applied = apply(cx, change).await?;
        let Details {
            path,
            strategy,
            replacements,
            additions,
            deletions,
            created,
            ..
        } = &details;
        let created = if *created { ", created" } else { "" };
        let text = format!(
            "Edited {path}: {} ({strategy}), +{additions} -{deletions}{created}",
            plural(*replacements, "replacement")
        );
        let told = applied.tell(&text);
        details.unlinked = applied.unlinked;
        Ok(Output::new(text, told, details))
    }

    fn render_call(&self, args: DrawnArgs<'_>, cx: RenderCx) -> Card {
        let card = args.file_card("Edit", "file_path");
        let (old, new) = (args.text("old_string"), args.text("new_string"));
        growing_diff(card, args.text("file_path"), old, new, cx)
    }

    fn render_result(&self, result: ResultView<'_, Details>, cx: RenderCx) -> Card {
        let details = result.details;
        let place = place(&details.path, &details.positions);
        let card = Card::of_file("Edit", place).meta(Fact::changed(details.additions, details.deletions));
        let card = if is_plain(&details.strategy) {
            card
        } else {
            card.meta(details.strategy)
        };
        let card = with_unlinked(card, &details.unlinked);
        if details.diff.is_empty() {
            card
        } else {
            card.part(diff_part(&details.path, &details.diff, cx))
        }
    }
}

impl Plan {
    fn of(made: Replacements) -> Self {
        let Replacements {
            change,
            mut steps,
            diff,
            created,
        } = made;
        let step = steps.pop();
        let strategy = step.as_ref().map_or(Strategy::Simple, |step| step.strategy);
        let positions = step.map(|step| step.positions).unwrap_or_default();
        let details = Details {
            path: change.path.display.clone(),
            strategy: strategy.name().to_owned(),
            replacements: positions.len(),
            positions,
            additions: diff.additions,
            deletions: diff.deletions,
            diff: diff.text,
            created,
            diagnostics: Vec::new(),
            unlinked: Vec::new(),
        };
        Self { change, details }
    }
}

/// The file, and the first line that an edit found.
pub(super) fn place(path: &str, positions: &[Position]) -> FileTarget {
    FileTarget::shown(path).at(positions.first().map(|first| first.line_start))
}

/// An exact find of one place needs no word.
pub(super) fn is_plain(strategy: &str) -> bool {
    matches!(strategy, "simple" | "")
}

#[cfg(test)]
mod tests;
