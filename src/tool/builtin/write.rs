//! `write`: create or replace one file.

use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::conversation::{ErrorKind, PermissionKey};
use crate::files::{ExpectedContent, Resolved, TextFile};
use crate::provider::EditMode;
use crate::text::diff::unified_renamed;
use crate::text::encoding::Encoding;
use crate::text::hashline::without_echo;
use crate::tool::change::{Change, ChangeEffects, apply, not_made, with_diff, with_unlinked};
use crate::tool::file_encoding::named_encoding;
use crate::tool::write_paths::WritePaths;
use crate::tool::{
    DrawnArgs, InitCx, Output, ParamAlias, Prepared, RenderCx, ResultView, Tool, ToolCx, ToolError,
    WrittenFile, plural,
};
use crate::view::card::{Card, CardPart, Code, Fact, FileTarget};

/// Lines of content that a card shows while it streams.
const TAIL: usize = 8;
/// Lines of a new file that a card shows.
const HEAD: usize = 12;

pub(super) struct WriteTool;

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Args {
    /// Absolute or relative; missing directories are made.
    file_path: String,
    /// The whole new content.
    content: String,
    /// The encoding to write, if not the file's own (UTF-8 for a new file).
    #[serde(default)]
    encoding: Option<String>,
}

#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Details {
    path: String,
    created: bool,
    bytes: usize,
    lines: usize,
    additions: usize,
    deletions: usize,
    diff: String,
    diagnostics: Vec<serde_json::Value>,
    /// Says which files had other names, which keep their text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    unlinked: Vec<String>,
}

pub(super) struct Plan {
    /// `None`: the file has that content already.
    change: Option<Change>,
    /// Line endings and encoding of the file that differ from those of the content.
    kept: Vec<String>,
    /// The encoding that the file did not have before, where the call names it.
    new_encoding: Option<&'static str>,
    details: Details,
}

impl Tool for WriteTool {
    type Args = Args;
    type Plan = Plan;
    type Details = Details;

    const NAME: &'static str = "write";
    const ALIASES: &'static [&'static str] = &["write_file", "create_file"];
    const PARAM_ALIASES: &'static [ParamAlias] = &[
        ParamAlias::name("contents", "content"),
        ParamAlias::name("text", "content"),
    ];
    const FAMILY: &'static PermissionKey = &PermissionKey::EDIT;
    const EDIT_MODES: &'static [EditMode] = &[EditMode::Replace, EditMode::Hashline];
    const WRITTEN: Option<fn(Details) -> Vec<WrittenFile>> =
        Some(|it| vec![WrittenFile::new(it.path, it.additions, it.deletions)]);

    fn description(&self, cx: InitCx<'_>) -> String {
        let edit = match cx.settings.edit_mode {
            EditMode::Replace => "edit",
            EditMode::Hashline => "hashline_edit",
            EditMode::Patch => "apply_patch",
        };
        format!(
            "Create a file or replace all of it. An existing file must have been read. Prefer `{edit}` for changes."
        )
    }

    async fn prepare(&self, args: Args, cx: &ToolCx) -> Result<Prepared<Plan>, ToolError> {
        if cx.edit_mode == EditMode::Hashline {
            check_tags(&args.content)?;
        }
        let encoding = named_encoding(args.encoding.as_deref())?;
        let path = cx.path(&args.file_path)?;
        let target = path.resolved.clone();
        let prepared = WritePaths::one(cx, &path)
            .prepare(cx, move |originals| {
                let file = originals.open(&target, None)?;
                if let Some(file) = &file {
                    originals.check_read(&target, file.hash())?;
                }
                plan_change(target, file.as_ref(), &args.content, encoding)
            })
            .await?;
        let details = &prepared.plan.details;
        let card = Card::of_file("Write", FileTarget::shown(&details.path))
            .meta(Fact::changed(details.additions, details.deletions));
        let card = with_diff(card, &details.path, &details.diff, RenderCx::EXPANDED);
        Ok(prepared.with_card(card))
    }

    async fn execute(&self, plan: Plan, cx: &ToolCx) -> Result<Output<Details>, ToolError> {
        let Plan {
            change,
            kept,
            new_encoding,
            mut details,
        } = plan;
        let is_change = change.is_some();
        let applied = match change {
            Some(change) => apply(cx, change).await?,
            None => ChangeEffects::default(),
        };
        let what = if !is_change {
            "unchanged".to_owned()
        } else if details.created {
            format!("{}, created", plural(details.lines, "line"))
        } else {
            format!(
                "{}, +{} -{}",
                plural(details.lines, "line"),
                details.additions,
                details.deletions
            )
        };
        let text = format!("Wrote {} ({what})", details.path);
        let mut told = applied.append_unlinked(&text);
        if !kept.is_empty() {
            let _ = write!(told, "\nThe file keeps its {}.", kept.join(" and its "));
        }
        if let Some(encoding) = new_encoding {
            let _ = write!(told, "\nThe file is in {encoding}.");
        }
        details.unlinked = applied.unlinked;
        Ok(Output::new(text, told, details))
    }

    fn render_call(&self, args: DrawnArgs<'_>, cx: RenderCx) -> Card {
        let content = args.text("content");
        let card = args.file_card("Write", "file_path");
        if content.is_empty() {
            return card;
        }
        let total = content.lines().count();
        let skip = if cx.expanded {
            0
        } else {
            total.saturating_sub(TAIL)
        };
        let shown: Vec<&str> = content.lines().skip(skip).collect();
        let card = card.meta(Fact::count(total, "line"));
        let card = card.leaving_out(skip, |skip| format!("{} above", plural(skip, "line")));
        let code = Code {
            text: shown.join("\n"),
            language: args.text("file_path").to_owned(),
            first_line: Some(skip + 1),
            wraps: false,
        };
        card.part(CardPart::Code(code))
    }

    fn render_result(&self, result: ResultView<'_, Details>, cx: RenderCx) -> Card {
        let details = result.details;
        let card = Card::of_file("Write", FileTarget::shown(&details.path))
            .meta(Fact::changed(details.additions, details.deletions));
        let card = with_unlinked(card, &details.unlinked);
        if !details.created {
            return with_diff(card, &details.path, &details.diff, cx);
        }
        let card = card.meta("created");
        let content = result.args.text("content");
        let most = if cx.expanded { usize::MAX } else { HEAD };
        let shown: Vec<&str> = content.lines().take(most).collect();
        let left_out = content.lines().count() - shown.len();
        if shown.is_empty() {
            return card;
        }
        let code = Code {
            text: shown.join("\n"),
            language: details.path,
            first_line: Some(1),
            wraps: false,
        };
        let card = card.part(CardPart::Code(code));
        card.leaving_out(left_out, |more| plural(more, "more line"))
    }
}

/// Refuses content with the tags of a read, which are no part of any file.
fn check_tags(content: &str) -> Result<(), ToolError> {
    if without_echo(content).is_none() {
        return Ok(());
    }
    Err(ToolError::new(
        ErrorKind::Refused,
        "every line of `content` begins with a tag, such as `1:77|`, which `read` shows and no file has",
    )
    .hint("Nothing was written. Send the content without the tags, or change lines with hashline_edit."))
}

fn plan_change(
    path: Resolved,
    file: Option<&TextFile>,
    content: &str,
    named: Option<Encoding>,
) -> Result<Plan, ToolError> {
    let after = match file {
        Some(file) => file.rewritten_in(content, named.unwrap_or(file.encoding())),
        None => TextFile::new_file_in(content, named.unwrap_or(Encoding::Utf8)),
    };
    let after = after.map_err(|error| not_made(error, &path.display))?;
    let name = Some(path.display.as_str());
    let old = file.map(TextFile::text);
    let diff = unified_renamed(old.and(name), name, old.unwrap_or_default(), content);
    let details = Details {
        path: path.display.clone(),
        created: file.is_none(),
        bytes: after.bytes().len(),
        lines: content.lines().count(),
        additions: diff.additions,
        deletions: diff.deletions,
        diff: diff.text,
        diagnostics: Vec::new(),
        unlinked: Vec::new(),
    };
    let is_same = file.is_some_and(|file| file.bytes() == after.bytes());
    let expected = ExpectedContent::of(file);
    let change = (!is_same).then(|| Change {
        path,
        bytes: after.bytes().to_vec(),
        encoding: after.encoding(),
        expected,
    });
    let keeps_encoding = file.is_some_and(|file| file.encoding() == after.encoding());
    Ok(Plan {
        change,
        kept: file.map(|file| kept(file, &after, content)).unwrap_or_default(),
        new_encoding: named.filter(|_| !keeps_encoding).map(|_| after.encoding().name()),
        details,
    })
}

/// Names what a file keeps although the content, taken as it is, would be written otherwise.
fn kept(file: &TextFile, after: &TextFile, content: &str) -> Vec<String> {
    let mut kept = Vec::new();
    if file.keeps_crlf(content) && content.contains('\n') {
        kept.push("CRLF line endings".to_owned());
    }
    if file.encoding() != Encoding::Utf8 && file.encoding() == after.encoding() {
        kept.push(format!("encoding {}", file.encoding().name()));
    }
    kept
}

#[cfg(test)]
mod tests;
