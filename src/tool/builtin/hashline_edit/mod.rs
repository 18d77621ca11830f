//! `hashline_edit`: change one file by the tags of its lines.
//!
//! Tags and the places of edits are defined in `text::hashline`. `edits` reads what the model wrote, `plan` works the
//! change out in memory, `regions` finds the lines to show with their new tags. Tags prove that the model has seen what
//! it changes, so no read has to be on record.

mod card;
mod edits;
mod plan;
mod regions;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use self::edits::{Edits, Item};
use self::plan::{PlannedChange, RequestedChange};
use super::edit::steps::Position;
use crate::conversation::PermissionKey;
use crate::files::Resolved;
use crate::provider::EditMode;
use crate::tool::change::{ChangeKind, FileChange, apply_all};
use crate::tool::file_encoding::named_encoding;
use crate::tool::write_paths::{Originals, WritePaths};
use crate::tool::{
    DrawnArgs, Output, ParamAlias, Prepared, RenderCx, ResultView, Tool, ToolCx, ToolError, WrittenFile,
    plural,
};
use crate::view::card::Card;

pub(super) struct HashlineEditTool;

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Args {
    /// Absolute or relative.
    file_path: String,
    /// All by the lines as they were read; `replace` comes after the others.
    #[serde(default)]
    edits: Vec<Item>,
    /// Remove the file; takes no `edits`.
    #[serde(default)]
    delete: bool,
    /// Write the result to this path and remove the old file.
    #[serde(default)]
    rename: Option<String>,
    /// The file's encoding, where the detected one is wrong.
    #[serde(default)]
    encoding: Option<String>,
}

#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Details {
    path: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    renamed_to: Option<String>,
    #[serde(rename = "type")]
    kind: ChangeKind,
    /// How many were made.
    edits: usize,
    /// Lines of the new text that changed.
    positions: Vec<Position>,
    additions: usize,
    deletions: usize,
    diff: String,
    /// Notes about mistakes that were mended on the way.
    notes: Vec<String>,
    diagnostics: Vec<serde_json::Value>,
    /// Says which files had other names, which keep their text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    unlinked: Vec<String>,
}

pub(super) struct Plan {
    changes: Vec<FileChange>,
    details: Details,
    /// The lines that the model is shown behind the first line.
    excerpt: String,
}

impl Tool for HashlineEditTool {
    type Args = Args;
    type Plan = Plan;
    type Details = Details;

    const NAME: &'static str = "hashline_edit";
    const DESCRIPTION: &'static str = "\
        Edit a file by the tags that `read` puts before its lines: `5:89|const y = 2` is the line 5:89. Types: \
        `set_line` (line, text), `replace_lines` (start_line, end_line, text), `insert_after` and `insert_before` (line, \
        text), `append` and `prepend` (text; they create a file), `delete` (line, or start_line and end_line), `replace` \
        (old_text, new_text, replace_all). `text` is the new lines, without tags. All tags are those of the file as it \
        is: nothing is written unless all of them fit. The result shows the new ones.";
    const PARAM_ALIASES: &'static [ParamAlias] = &[
        ParamAlias::name("op", "type"),
        ParamAlias::name("move_to", "rename"),
        ParamAlias::name("old_string", "old_text"),
        ParamAlias::name("new_string", "new_text"),
        ParamAlias::name("all", "replace_all"),
    ];
    const FAMILY: &'static PermissionKey = &PermissionKey::EDIT;
    const EDIT_MODES: &'static [EditMode] = &[EditMode::Hashline];
    const WRITTEN: Option<fn(Details) -> Vec<WrittenFile>> = Some(|details| {
        vec![WrittenFile {
            moved_to: details.renamed_to,
            is_gone: details.kind == ChangeKind::Delete,
            ..WrittenFile::new(details.path, details.additions, details.deletions)
        }]
    });

    async fn prepare(&self, args: Args, cx: &ToolCx) -> Result<Prepared<Plan>, ToolError> {
        check_shape(&args)?;
        let encoding = named_encoding(args.encoding.as_deref())?;
        let edits = Edits::parse(args.edits)?;
        let mut paths = WritePaths::default();
        let path = cx.path(&args.file_path)?;
        let rename = args.rename.map(|target| cx.path(&target)).transpose()?;
        paths.add(cx, &path, args.delete);
        if let Some(target) = &rename {
            paths.add(cx, target, false);
        }
        let path = path.resolved;
        let rename = rename
            .map(|target| target.resolved)
            .filter(|target| target.real != path.real);
        let may_be_read = std::iter::once(&path)
            .chain(&rename)
            .all(|path| may_be_read(cx, path));
        let wanted = RequestedChange {
            path,
            rename,
            encoding,
            edits,
            delete: args.delete,
        };
        let work = move |originals: &Originals| {
            let PlannedChange {
                changes,
                details,
                text,
            } = plan::plan(wanted, originals)?;
            let excerpt = if may_be_read {
                regions::excerpt(&text, &details.positions)
            } else {
                String::new()
            };
            Ok(Plan {
                changes,
                details,
                excerpt,
            })
        };
        let prepared = paths.prepare(cx, work).await?;
        let card = card::of_details(&prepared.plan.details, RenderCx::EXPANDED);
        Ok(prepared.with_card(card))
    }

    async fn execute(&self, plan: Plan, cx: &ToolCx) -> Result<Output<Details>, ToolError> {
        let Plan {
            changes,
            mut details,
            excerpt,
        } = plan;
        let applied = apply_all(cx, changes).await?;
        let title = details.sentence();
        let text = applied.append_unlinked(&title) + &excerpt;
        details.unlinked = applied.unlinked;
        Ok(Output::new(title, text, details))
    }

    fn render_call(&self, args: DrawnArgs<'_>, cx: RenderCx) -> Card {
        card::of_call(args, cx)
    }

    fn render_result(&self, result: ResultView<'_, Details>, cx: RenderCx) -> Card {
        card::of_details(&result.details, cx)
    }
}

impl Details {
    fn sentence(&self) -> String {
        let counts = format!(
            "{}, +{} -{}",
            plural(self.edits, "edit"),
            self.additions,
            self.deletions
        );
        let path = &self.path;
        match (self.kind, &self.renamed_to) {
            (ChangeKind::Add, _) => format!("Created {path}: {counts}"),
            (ChangeKind::Delete, _) => format!("Deleted {path}"),
            (ChangeKind::Move, Some(target)) if self.edits == 0 => format!("Moved {path} to {target}"),
            (ChangeKind::Move, Some(target)) => format!("Moved {path} to {target}: {counts}"),
            (ChangeKind::Update | ChangeKind::Move, _) => format!("Updated {path}: {counts}"),
        }
    }
}

/// Returns true if lines of the file may be shown: by its name, and by that of the file that a link leads to.
fn may_be_read(cx: &ToolCx, path: &Resolved) -> bool {
    let readable = cx.services.gate.readable();
    let real = cx.services.roots.display(&path.real);
    readable.allows(&path.display, &path.absolute) && readable.allows(&real, &path.real)
}

/// Says what of the arguments does not go together.
fn check_shape(args: &Args) -> Result<(), ToolError> {
    let why = match (args.delete, args.edits.is_empty(), &args.rename) {
        (true, false, _) => {
            "`delete` removes the whole file, so `edits` has to be empty; to remove lines, give edits of type `delete` alone"
        }
        (true, true, Some(_)) => "`delete` and `rename` exclude each other",
        (false, true, None) => "`edits` is missing; give at least one edit, or `rename`, or `delete`",
        (true, true, None) | (false, _, _) => return Ok(()),
    };
    Err(ToolError::invalid_args(why))
}

#[cfg(test)]
mod tests;
