//! Replacements in one file, each on what the one before it left, written as one change: what `edit` does with one and
//! `multiedit` with several.

use serde::{Deserialize, Serialize};

use crate::conversation::ErrorKind;
use crate::files::{Expected, Resolved, TextFile};
use crate::text::diff::{UnifiedDiff, unified_renamed};
use crate::text::replace::{self, Occurrences, Refusal, ReplaceError, Strategy, Tolerance};
use crate::tool::change::{Change, not_made};
use crate::tool::write_paths::{Originals, WritePaths};
use crate::tool::{ParamAlias, PathAsk, Prepared, ToolCx, ToolError};

pub(crate) const ALIASES: &[ParamAlias] = &[
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

/// A replacement that was asked for.
#[derive(Debug, Clone)]
pub(crate) struct RequestedReplacement {
    pub(crate) old: String,
    pub(crate) new: String,
    pub(crate) all: bool,
}

/// Lines of the text that a replacement saw, or of a new file.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Position {
    pub(crate) line_start: usize,
    pub(crate) line_end: usize,
}

/// How one replacement was made.
#[derive(Debug)]
pub(crate) struct Step {
    pub(crate) strategy: Strategy,
    pub(crate) positions: Vec<Position>,
}

/// All replacements made, in memory.
#[derive(Debug)]
pub(crate) struct Replacements {
    pub(crate) change: Change,
    pub(crate) steps: Vec<Step>,
    pub(crate) diff: UnifiedDiff,
    /// The file was not there, or was empty.
    pub(crate) created: bool,
}

/// Opens the file, looks whether it may be changed, works all replacements out and makes a plan of them with `finish`. An
/// error of one of them goes through `told`, with its place in `wanted`.
pub(crate) async fn prepare<P: Send + 'static>(
    cx: &ToolCx,
    path: PathAsk,
    wanted: Vec<RequestedReplacement>,
    told: impl Fn(usize, ToolError) -> ToolError + Send + 'static,
    finish: impl FnOnce(Replacements) -> Result<P, ToolError> + Send + 'static,
) -> Result<Prepared<P>, ToolError> {
    let paths = WritePaths::one(cx, &path);
    let target = path.resolved;
    let tolerance = cx.services.settings.tolerance;
    let work = move |originals: &Originals| {
        let file = originals.open(&target)?;
        let creates = wanted.first().is_some_and(|first| first.old.is_empty());
        if let Some(file) = &file
            && !(creates && file.bytes().is_empty())
        {
            originals.check_read(&target, file.hash())?;
        }
        finish(plan(target, file, &wanted, tolerance, told)?)
    };
    paths.prepare(cx, work).await
}

fn plan(
    path: Resolved,
    file: Option<TextFile>,
    wanted: &[RequestedReplacement],
    tolerance: Tolerance,
    told: impl Fn(usize, ToolError) -> ToolError,
) -> Result<Replacements, ToolError> {
    let mut now: Option<TextFile> = None;
    let mut steps = Vec::new();
    for (index, wanted) in wanted.iter().enumerate() {
        let before = now.as_ref().or(file.as_ref());
        let (step, bytes) =
            step(before, wanted, tolerance, &path.display).map_err(|error| told(index, error))?;
        now = Some(TextFile::decode(bytes));
        steps.push(step);
    }
    let old = file.as_ref().map_or("", TextFile::text);
    let new = now.as_ref().map_or("", TextFile::text);
    let name = Some(path.display.as_str());
    let diff = unified_renamed(file.as_ref().and(name), name, old, new);
    let expected = match &file {
        Some(file) => Expected::Hash(file.hash().clone()),
        None => Expected::Absent,
    };
    Ok(Replacements {
        change: Change {
            path,
            bytes: now.map(|file| file.bytes().to_vec()).unwrap_or_default(),
            expected,
        },
        steps,
        diff,
        created: file.is_none_or(|file| file.bytes().is_empty()),
    })
}

/// Works one replacement out; `None` is a file that is not there. An empty old text creates it, or fills an empty one.
fn step(
    file: Option<&TextFile>,
    wanted: &RequestedReplacement,
    tolerance: Tolerance,
    display: &str,
) -> Result<(Step, Vec<u8>), ToolError> {
    if wanted.old == wanted.new {
        return Err(identical());
    }
    let has_bytes = file.is_some_and(|file| !file.bytes().is_empty());
    if wanted.old.is_empty() && !has_bytes {
        return Ok(created(&wanted.new));
    }
    let Some(file) = file else {
        return Err(
            ToolError::new(ErrorKind::NotFound, format!("`{display}` does not exist"))
                .hint("Pass an empty `old_string` to create it, or use `write`."),
        );
    };
    replaced(file, wanted, tolerance, display)
}

pub(super) fn identical() -> ToolError {
    ToolError::new(
        ErrorKind::Identical,
        "`old_string` and `new_string` are identical; nothing would change",
    )
}

fn created(content: &str) -> (Step, Vec<u8>) {
    let position = Position {
        line_start: 1,
        line_end: content.lines().count().max(1),
    };
    let step = Step {
        strategy: Strategy::Simple,
        positions: vec![position],
    };
    (step, content.as_bytes().to_vec())
}

fn replaced(
    file: &TextFile,
    wanted: &RequestedReplacement,
    tolerance: Tolerance,
    display: &str,
) -> Result<(Step, Vec<u8>), ToolError> {
    let old = wanted.old.replace("\r\n", "\n");
    let new = wanted.new.replace("\r\n", "\n");
    let occurrences = if wanted.all {
        Occurrences::All
    } else {
        Occurrences::One
    };
    let plan = replace::plan(file.text(), &old, &new, occurrences, tolerance)
        .map_err(|error| refused(&error, display))?;
    let splices: Vec<_> = plan
        .replacements
        .iter()
        .map(|replacement| (replacement.range.clone(), replacement.text))
        .collect();
    let bytes = file.splice(&splices).map_err(|error| not_made(error, display))?;
    let positions = plan.line_ranges(file.text()).into_iter();
    let step = Step {
        strategy: plan.strategy,
        positions: positions
            .map(|(line_start, line_end)| Position { line_start, line_end })
            .collect(),
    };
    Ok((step, bytes))
}

fn refused(error: &ReplaceError, display: &str) -> ToolError {
    let kind = match error {
        ReplaceError::Identical => ErrorKind::Identical,
        ReplaceError::Ambiguous { .. } => ErrorKind::Ambiguous,
        ReplaceError::NoMatch { .. } => ErrorKind::NoMatch,
        ReplaceError::Refused(Refusal::EmptyOld | Refusal::TooMuch { .. } | Refusal::TooMany) => {
            ErrorKind::Refused
        }
    };
    ToolError::new(kind, error.to_string()).extra(serde_json::json!({ "path": display }))
}
