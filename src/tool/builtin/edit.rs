//! `edit`: replace text in one file.
//!
//! Finding the place is `text::replace`'s business; this file resolves, guards, asks with the whole diff, and writes.

use std::ops::Range;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::conversation::ErrorKind;
use crate::files::{Expected, Resolved, TextFile};
use crate::text::diff::{unified, unified_renamed};
use crate::text::replace::{Occurrences, Refusal, ReplaceError, Tolerance, plan};
use crate::tool::change::{
    Change, apply, check_read, diff_part, growing_diff, open_for_change, signed_counts,
};
use crate::tool::{
    CallView, Concurrency, InitCx, Output, ParamAlias, Prepared, RenderCx, ResultView, Tool, ToolCx,
    ToolError, edit_asks, path_asks, plural,
};
use crate::view::card::Card;

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
}

#[derive(Debug, Serialize, Deserialize)]
struct Position {
    line_start: usize,
    line_end: usize,
}

pub(super) struct Plan {
    change: Change,
    details: Details,
}

/// What the edit makes of the file.
struct Edited {
    strategy: &'static str,
    positions: Vec<Position>,
    splices: Vec<(Range<usize>, String)>,
    text: String,
}

const OLD_NAMES: &[&str] = &["old_text", "old", "search", "old_str", "oldString"];
const NEW_NAMES: &[&str] = &["new_text", "new", "replacement", "new_str", "newString"];

impl Tool for EditTool {
    type Args = Args;
    type Plan = Plan;
    type Details = Details;

    const NAME: &'static str = "edit";
    const ALIASES: &'static [&'static str] = &["str_replace", "replace"];
    const PARAM_ALIASES: &'static [ParamAlias] = &[
        ParamAlias::name("old_text", "old_string"),
        ParamAlias::name("old", "old_string"),
        ParamAlias::name("search", "old_string"),
        ParamAlias::name("old_str", "old_string"),
        ParamAlias::name("new_text", "new_string"),
        ParamAlias::name("new", "new_string"),
        ParamAlias::name("replacement", "new_string"),
        ParamAlias::name("new_str", "new_string"),
        ParamAlias::name("all", "replace_all"),
    ];

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
            return Err(ToolError::new(
                ErrorKind::Identical,
                "`old_string` and `new_string` are identical; nothing would change",
            ));
        }
        let path = cx.path(&args.file_path)?;
        let asks = edit_asks(cx, &path);
        let outside = path.asks;
        let target = path.resolved;
        let refused = |error: ToolError| error.after(outside.clone()).unless_denied(asks.clone());
        let opened = {
            let target = target.clone();
            cx.blocking(move || open_for_change(&target)).await
        };
        let file = opened.map_err(refused)?;
        if let Some(file) = &file
            && !(args.old_string.is_empty() && file.bytes().is_empty())
        {
            check_read(cx, &target, file.hash()).map_err(refused)?;
        }
        // What does not fit is told with lines of the file, which are not for everybody to read.
        let mut quoted = outside.clone();
        quoted.extend(path_asks("read", &target));
        let tolerance = cx.services.settings.tolerance;
        let plan = cx
            .blocking(move || plan_change(target, file, args, tolerance))
            .await
            .map_err(|error| error.after(quoted).unless_denied(asks.clone()))?;
        let card = Card::new("Edit", &plan.details.path)
            .meta(signed_counts(plan.details.additions, plan.details.deletions))
            .part(diff_part(
                &plan.details.path,
                &plan.details.diff,
                RenderCx { expanded: true },
            ));
        Ok(Prepared::new(plan, asks).with_card(card))
    }

    async fn execute(&self, plan: Plan, cx: &ToolCx) -> Result<Output<Details>, ToolError> {
        let Plan { change, details } = plan;
        apply(cx, change).await?;
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
        Ok(Output::new(text.clone(), text, details))
    }

    fn render_call(&self, call: CallView<'_, Args>, cx: RenderCx) -> Card {
        let path = call.text("file_path", &["path", "filePath", "file"]);
        let (old, new) = (
            call.text("old_string", OLD_NAMES),
            call.text("new_string", NEW_NAMES),
        );
        growing_diff(Card::new("Edit", path), path, old, new, cx)
    }

    fn render_result(&self, result: ResultView<'_, Args, Details>, cx: RenderCx) -> Card {
        let details = result.details;
        let argument = match details.positions.first() {
            Some(first) => format!("{}:{}", details.path, first.line_start),
            None => details.path.clone(),
        };
        let card = Card::new("Edit", argument).meta(signed_counts(details.additions, details.deletions));
        let card = if is_plain(&details.strategy) {
            card
        } else {
            card.meta(details.strategy)
        };
        if details.diff.is_empty() {
            card
        } else {
            card.part(diff_part(&details.path, &details.diff, cx))
        }
    }
}

/// An exact find of one place needs no word.
fn is_plain(strategy: &str) -> bool {
    matches!(strategy, "simple" | "")
}

fn plan_change(
    path: Resolved,
    file: Option<TextFile>,
    args: Args,
    tolerance: Tolerance,
) -> Result<Plan, ToolError> {
    if args.old_string.is_empty() {
        return create(path, file.as_ref(), args.new_string);
    }
    let Some(file) = file else {
        return Err(
            ToolError::new(ErrorKind::NotFound, format!("`{}` does not exist", path.display))
                .hint("Pass an empty `old_string` to create it, or use `write`."),
        );
    };
    let edited = find(&file, &args, tolerance, &path.display)?;
    let diff = unified(&path.display, file.text(), &edited.text);
    let bytes = file.splice(&edited.splices).map_err(|error| {
        ToolError::new(
            ErrorKind::Internal,
            format!("the edit of `{}` was not made: {error}", path.display),
        )
    })?;
    let details = Details {
        path: path.display.clone(),
        strategy: edited.strategy.to_owned(),
        replacements: edited.positions.len(),
        positions: edited.positions,
        additions: diff.additions,
        deletions: diff.deletions,
        diff: diff.text,
        created: false,
        diagnostics: Vec::new(),
    };
    let expected = Expected::Hash(file.hash().clone());
    Ok(Plan {
        change: Change {
            path,
            bytes,
            expected,
        },
        details,
    })
}

/// An empty `old_string` creates a file, or fills an empty one.
fn create(path: Resolved, file: Option<&TextFile>, content: String) -> Result<Plan, ToolError> {
    let expected = match file {
        None => Expected::Absent,
        Some(file) if file.bytes().is_empty() => Expected::Hash(file.hash().clone()),
        Some(_) => {
            let refusal = ReplaceError::Refused(Refusal::EmptyOld);
            return Err(refused(&refusal, &path.display));
        }
    };
    let name = Some(path.display.as_str());
    let diff = unified_renamed(file.and(name), name, "", &content);
    let lines = content.lines().count();
    let details = Details {
        path: path.display.clone(),
        strategy: "simple".to_owned(),
        replacements: 1,
        positions: vec![Position {
            line_start: 1,
            line_end: lines.max(1),
        }],
        additions: diff.additions,
        deletions: diff.deletions,
        diff: diff.text,
        created: true,
        diagnostics: Vec::new(),
    };
    Ok(Plan {
        change: Change {
            path,
            bytes: content.into_bytes(),
            expected,
        },
        details,
    })
}

fn find(file: &TextFile, args: &Args, tolerance: Tolerance, display: &str) -> Result<Edited, ToolError> {
    let old = args.old_string.replace("\r\n", "\n");
    let new = args.new_string.replace("\r\n", "\n");
    let occurrences = if args.replace_all {
        Occurrences::All
    } else {
        Occurrences::One
    };
    let plan =
        plan(file.text(), &old, &new, occurrences, tolerance).map_err(|error| refused(&error, display))?;
    let lines = plan.line_ranges(file.text());
    Ok(Edited {
        strategy: plan.strategy.name(),
        positions: lines
            .into_iter()
            .map(|(line_start, line_end)| Position { line_start, line_end })
            .collect(),
        text: plan.apply(file.text()),
        splices: plan
            .replacements
            .iter()
            .map(|replacement| (replacement.range.clone(), replacement.text.to_owned()))
            .collect(),
    })
}

fn refused(error: &ReplaceError, display: &str) -> ToolError {
    let kind = match error {
        ReplaceError::Identical => ErrorKind::Identical,
        ReplaceError::Ambiguous { .. } => ErrorKind::Ambiguous,
        ReplaceError::NoMatch { .. } => ErrorKind::NoMatch,
        ReplaceError::Refused(Refusal::EmptyOld | Refusal::TooMuch { .. }) => ErrorKind::Refused,
    };
    ToolError::new(kind, error.to_string()).extra(serde_json::json!({ "path": display }))
}

#[cfg(test)]
mod tests;
