//! `apply_patch`: add, update, move and delete several files in one text.
//!
//! Reading the text and finding its places is `text::patch`'s business. `tree` carries the sections out in memory, one
//! after the other, and says what changes in the end; nothing is written unless all of it fits. Then one question names
//! every path, and one transaction writes all files or none.

mod card;
mod errors;
mod tree;

use std::fmt::Write;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use self::tree::{PatchSources, PlannedPatch, Target, plan};
use crate::conversation::PermissionKey;
use crate::provider::EditMode;
use crate::text::patch::{Operation, parse};
use crate::tool::change::{ChangeKind, FileChange, apply_all, with_unlinked};
use crate::tool::file_encoding::named_encoding;
use crate::tool::write_paths::{Originals, WritePaths};
use crate::tool::{
    DrawnArgs, Output, ParamAlias, Prepared, RenderCx, ResultView, Tool, ToolCx, ToolError, WrittenFile,
    plural,
};
use crate::view::card::Card;

pub(super) struct ApplyPatchTool;

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Args {
    /// The whole patch, from `*** Begin Patch` to `*** End Patch`.
    patch_text: String,
    /// The files' encoding, where the detected one is wrong.
    #[serde(default)]
    encoding: Option<String>,
}

#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Details {
    files: Vec<FileDetails>,
    /// Those of all files, one after the other.
    diff: String,
    diagnostics: Vec<serde_json::Value>,
    /// Says which files had other names, which keep their text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    unlinked: Vec<String>,
}

#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct FileDetails {
    path: String,
    #[serde(rename = "type")]
    kind: ChangeKind,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    move_path: Option<String>,
    /// True if a file that was there has been replaced by another one.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    replaces: bool,
    /// How exactly its chunks were found.
    level: String,
    /// Compares the indentation of the patch and of the file, if lines were added with one that the file does not have.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    indentation: Option<String>,
    additions: usize,
    deletions: usize,
    diff: String,
    /// It is still being written, and its lines have no numbers yet.
    #[serde(skip)]
    is_unplaced: bool,
}

impl ChangeKind {
    fn letter(self) -> char {
        match self {
            Self::Add => 'A',
            Self::Update => 'M',
            Self::Delete => 'D',
            Self::Move => 'R',
        }
    }
}

pub(super) struct Plan {
    changes: Vec<FileChange>,
    details: Details,
}

impl Tool for ApplyPatchTool {
    type Args = Args;
    type Plan = Plan;
    type Details = Details;

    const NAME: &'static str = "apply_patch";
    const ALIASES: &'static [&'static str] = &["patch"];
    const DESCRIPTION: &'static str = "\
        Add, update, move and delete files in one patch; all of it is applied or nothing.\n\
        *** Begin Patch\n\
        *** Add File: PATH, then each line after `+`\n\
        *** Delete File: PATH\n\
        *** Update File: PATH, then perhaps *** Move to: PATH, then chunks: `@@` or `@@ a line that stands before`, then \
        lines after a blank (context), `-` (goes) or `+` (comes); `*** End of File` when they are the last ones\n\
        *** End Patch\n\
        No line numbers: give three lines of context around a change, and chunks in file order. A file to delete or to \
        replace must have been read.";
    const PARAM_ALIASES: &'static [ParamAlias] = &[
        ParamAlias::name("patch", "patch_text"),
        ParamAlias::name("input", "patch_text"),
    ];
    const FAMILY: &'static PermissionKey = &PermissionKey::EDIT;
    const EDIT_MODES: &'static [EditMode] = &[EditMode::Patch];
    const WRITTEN: Option<fn(Details) -> Vec<WrittenFile>> = Some(|details| {
        let files = details.files.into_iter().map(|file| WrittenFile {
            moved_to: file.move_path,
            is_gone: file.kind == ChangeKind::Delete,
            ..WrittenFile::new(file.path, file.additions, file.deletions)
        });
        files.collect()
    });

    async fn prepare(&self, args: Args, cx: &ToolCx) -> Result<Prepared<Plan>, ToolError> {
        let encoding = named_encoding(args.encoding.as_deref())?;
        let mut paths = WritePaths::default();
        let mut targets = Vec::new();
        for section in parse(&args.patch_text).map_err(|error| errors::parse(&error))? {
            let path = cx.path(section.path)?;
            paths.add(cx, &path, matches!(section.operation, Operation::Delete));
            let move_to = match section.operation {
                Operation::Update {
                    move_to: Some(target),
                    ..
                } => Some(cx.path(target)?),
                Operation::Update { .. } | Operation::Add { .. } | Operation::Delete => None,
            };
            if let Some(target) = &move_to {
                paths.add(cx, target, false);
            }
            targets.push(Target {
                path: path.resolved,
                move_to: move_to.map(|target| target.resolved),
            });
        }
        let work = move |originals: &Originals| {
            let sources = PatchSources { originals, encoding };
            let PlannedPatch { changes, files } = plan(sources, &args.patch_text, targets)?;
            let details = Details {
                diff: files.iter().map(|file| file.diff.as_str()).collect(),
                files,
                diagnostics: Vec::new(),
                unlinked: Vec::new(),
            };
            Ok(Plan { changes, details })
        };
        let prepared = paths.prepare(cx, work).await?;
        let card = card::of_files(&prepared.plan.details.files, RenderCx::EXPANDED);
        Ok(prepared.with_card(card))
    }

    async fn execute(&self, plan: Plan, cx: &ToolCx) -> Result<Output<Details>, ToolError> {
        let Plan { changes, mut details } = plan;
        let applied = apply_all(cx, changes).await?;
        let title = format!("Applied patch: {}", plural(details.files.len(), "file"));
        let mut text = title.clone();
        for file in &details.files {
            let _ = write!(text, "\n{} {}", file.kind.letter(), file.path);
            if let Some(move_path) = &file.move_path {
                let _ = write!(text, " -> {move_path}");
            }
        }
        for file in &details.files {
            if let Some(indentation) = &file.indentation {
                let path = file.move_path.as_ref().unwrap_or(&file.path);
                let _ = write!(
                    text,
                    "\nThe indentation of the patch is not that of {path} ({indentation}). The lines after `+` were \
                     written as given: check their indentation."
                );
            }
        }
        let text = applied.append_unlinked(&text);
        details.unlinked = applied.unlinked;
        Ok(Output::new(title, text, details))
    }

    fn render_call(&self, args: DrawnArgs<'_>, cx: RenderCx) -> Card {
        card::of_text(args.text("patch_text"), cx)
    }

    fn render_result(&self, result: ResultView<'_, Details>, cx: RenderCx) -> Card {
        let card = card::of_files(&result.details.files, cx);
        with_unlinked(card, &result.details.unlinked)
    }
}

#[cfg(test)]
mod tests;
