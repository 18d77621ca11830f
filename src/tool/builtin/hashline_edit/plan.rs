//! The change in memory: what becomes of the file, and of the place it goes to.

use super::Details;
use super::edits::{Edits, Replace};
use super::regions;
use crate::conversation::ErrorKind;
use crate::files::{ExpectedContent, FileError, FileProblem, PathKind, Resolved, TextFile};
use crate::text::diff::unified_renamed;
use crate::text::encoding::Encoding;
use crate::text::hashline::{PlaceError, place};
use crate::text::replace::{Occurrences, ReplaceError, Tolerance, find};
use crate::tool::ToolError;
use crate::tool::builtin::edit::steps::kind_of;
use crate::tool::change::{Change, ChangeKind, FileChange, check_no_link, not_made};
use crate::tool::write_paths::Originals;

/// The change that is wanted of a file.
pub(super) struct RequestedChange {
    pub(super) path: Resolved,
    /// Another place than `path`.
    pub(super) rename: Option<Resolved>,
    /// The encoding of the file, if the call names it.
    pub(super) encoding: Option<Encoding>,
    pub(super) edits: Edits,
    pub(super) delete: bool,
}

pub(super) struct PlannedChange {
    pub(super) changes: Vec<FileChange>,
    pub(super) details: Details,
    /// The text of the file afterwards.
    pub(super) text: String,
}

/// Works the change out. Blocks: it reads the file.
pub(super) fn plan(wanted: RequestedChange, originals: &Originals) -> Result<PlannedChange, ToolError> {
    let file = originals.open(&wanted.path, wanted.encoding)?;
    match file {
        Some(file) if wanted.delete => remove(wanted.path, &file),
        Some(file) => change(wanted, &file),
        None if wanted.edits.create() && wanted.rename.is_none() => create(wanted),
        None => {
            let missing = FileError::new(&wanted.path.display, FileProblem::NotFound);
            let hint = "Nothing was written. Edits of type `append` or `prepend` alone create a file.";
            Err(ToolError::from(missing).hint(hint))
        }
    }
}

fn remove(path: Resolved, file: &TextFile) -> Result<PlannedChange, ToolError> {
    check_no_link(&path)?;
    let details = details(ChangeKind::Delete, Some(&path.display), None, file.text(), "");
    Ok(PlannedChange {
        details: Details {
            path: path.display.clone(),
            ..details
        },
        changes: vec![FileChange::Remove {
            path,
            expected: ExpectedContent::of(Some(file)),
        }],
        text: String::new(),
    })
}

fn create(wanted: RequestedChange) -> Result<PlannedChange, ToolError> {
    let RequestedChange {
        path,
        edits,
        encoding,
        ..
    } = wanted;
    let empty = TextFile::new_file_in("", encoding.unwrap_or(Encoding::Utf8));
    let empty = empty.map_err(|error| not_made(error, &path.display))?;
    let file = edited(&empty, &edits, &path)?;
    let details = details(ChangeKind::Add, None, Some(&path.display), "", file.text());
    Ok(PlannedChange {
        details: Details {
            path: path.display.clone(),
            edits: edits.count(),
            notes: edits.notes,
            ..details
        },
        text: file.text().to_owned(),
        changes: vec![FileChange::Write(Change {
            path,
            bytes: file.bytes().to_vec(),
            encoding: file.encoding(),
            expected: ExpectedContent::of(None),
        })],
    })
}

fn change(wanted: RequestedChange, before: &TextFile) -> Result<PlannedChange, ToolError> {
    let RequestedChange {
        path, rename, edits, ..
    } = wanted;
    if let Some(target) = &rename {
        check_no_link(&path)?;
        check_free(target)?;
    }
    let after = edited(before, &edits, &path)?;
    if rename.is_none() && before.text() == after.text() {
        let message = format!(
            "the edits leave `{}` identical to what it is; nothing was written",
            path.display
        );
        return Err(ToolError::new(ErrorKind::Identical, message));
    }
    let renamed_to = rename.as_ref().map(|target| target.display.clone());
    let kind = if rename.is_some() {
        ChangeKind::Move
    } else {
        ChangeKind::Update
    };
    let new_name = renamed_to.as_deref().unwrap_or(&path.display);
    let details = details(
        kind,
        Some(&path.display),
        Some(new_name),
        before.text(),
        after.text(),
    );
    Ok(PlannedChange {
        details: Details {
            path: path.display.clone(),
            renamed_to,
            edits: edits.count(),
            notes: edits.notes,
            ..details
        },
        text: after.text().to_owned(),
        changes: changes(path, rename, before, &after),
    })
}

fn changes(path: Resolved, rename: Option<Resolved>, before: &TextFile, after: &TextFile) -> Vec<FileChange> {
    let bytes = after.bytes().to_vec();
    let encoding = after.encoding();
    let expected = ExpectedContent::of(Some(before));
    let Some(target) = rename else {
        return vec![FileChange::Write(Change {
            path,
            bytes,
            encoding,
            expected,
        })];
    };
    let change = Change {
        path: target,
        bytes,
        encoding,
        expected: ExpectedContent::of(None),
    };
    let like = path.real.clone();
    vec![
        FileChange::WriteLike { change, like },
        FileChange::Remove { path, expected },
    ]
}

/// A file is not moved over another one.
fn check_free(target: &Resolved) -> Result<(), ToolError> {
    if target.kind == PathKind::Missing || target.kind == PathKind::DanglingLink {
        let free = target.for_writing();
        return free
            .map(drop)
            .map_err(|error| ToolError::from(error.named(&target.display)));
    }
    let taken = FileError::new(&target.display, FileProblem::Exists);
    Err(ToolError::from(taken).hint("Nothing was written. Choose another name, or remove that file first."))
}

fn details(kind: ChangeKind, old: Option<&str>, new: Option<&str>, before: &str, after: &str) -> Details {
    let diff = unified_renamed(old, new, before, after);
    Details {
        kind,
        positions: regions::changed(&diff.text),
        additions: diff.additions,
        deletions: diff.deletions,
        diff: diff.text,
        ..Details::default()
    }
}

/// Makes the edits by lines, all at once, and then those by text, one after the other.
fn edited(file: &TextFile, edits: &Edits, path: &Resolved) -> Result<TextFile, ToolError> {
    let splices = place(file.text(), &edits.anchored).map_err(|error| not_placed(&error, path))?;
    let bytes = file
        .splice(&splices)
        .map_err(|error| not_made(error, &path.display))?;
    let mut now = file.with_bytes(bytes);
    for replace in &edits.replaces {
        now = replaced(&now, replace, path)?;
    }
    Ok(now)
}

fn replaced(file: &TextFile, replace: &Replace, path: &Resolved) -> Result<TextFile, ToolError> {
    let occurrences = if replace.all {
        Occurrences::All
    } else {
        Occurrences::One
    };
    let found = find(file.text(), &replace.old, occurrences, Tolerance::Strict)
        .map_err(|error| not_found(&error, replace, path))?;
    let splices: Vec<_> = found
        .spans
        .into_iter()
        .map(|span| (span.range, &replace.new))
        .collect();
    let bytes = file
        .splice(&splices)
        .map_err(|error| not_made(error, &path.display))?;
    Ok(file.with_bytes(bytes))
}

fn not_placed(error: &PlaceError, path: &Resolved) -> ToolError {
    let kind = match error {
        PlaceError::Mismatch(_) => ErrorKind::HashMismatch,
        PlaceError::Overlap(..) => ErrorKind::Overlap,
    };
    let told = ToolError::new(kind, error.to_string()).extra(serde_json::json!({ "path": path.display }));
    match error {
        PlaceError::Mismatch(_) => told,
        PlaceError::Overlap(..) => told.hint("Nothing was written. Make one edit of the two."),
    }
}

/// The words are those of `edit`, whose parameters have other names.
fn not_found(error: &ReplaceError, replace: &Replace, path: &Resolved) -> ToolError {
    let told = error.to_string().replacen("`old_string`", "`old_text`", 1);
    ToolError::new(kind_of(error), told)
        .hint(format!("That is edit {}; nothing was written.", replace.number))
        .extra(serde_json::json!({ "path": path.display, "edit": replace.number }))
}
