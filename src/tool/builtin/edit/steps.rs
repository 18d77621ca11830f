//! Replacements in one file, each on what the one before it left, written as one change: what `edit` does with one and
//! `multiedit` with several.

use serde::{Deserialize, Serialize};

use crate::conversation::ErrorKind;
use crate::files::{Eol, ExpectedContent, Resolved, TextFile};
use crate::text::diff::{UnifiedDiff, unified_renamed};
use crate::text::encoding::Encoding;
use crate::text::replace::{self, Occurrences, ReplaceError, Strategy, Tolerance};
use crate::tool::change::{Change, apply, not_made, with_diff, with_unlinked};
use crate::tool::write_paths::{Originals, WritePaths};
use crate::tool::{Output, ParamAlias, PathAsk, Prepared, RenderCx, ToolCx, ToolError, plural};
use crate::view::card::{Card, Fact, FileTarget};

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

/// Follows the result of an edit of a file that a command changed after it was read.
const AFTER_COMMAND: &str = "\nA command changed the file after it was read, so other parts of it may be \
                             different from what was read.";

/// A replacement that was asked for.
#[derive(Debug, Clone)]
pub(crate) struct RequestedReplacement {
    pub(crate) old: String,
    pub(crate) new: String,
    pub(crate) all: bool,
}

/// The replacements that a call asks for, in one file.
pub(crate) struct RequestedEdits {
    pub(crate) path: PathAsk,
    /// The encoding of the file, if the call names it.
    pub(crate) encoding: Option<Encoding>,
    pub(crate) replacements: Vec<RequestedReplacement>,
}

/// Lines of the text that a replacement saw, or of a new file.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Position {
    pub(crate) line_start: usize,
    pub(crate) line_end: usize,
}

/// How one replacement was made.
#[derive(Debug)]
struct EditStep {
    strategy: Strategy,
    positions: Vec<Position>,
}

/// All replacements made, in memory, and what is told of them.
pub(crate) struct Plan {
    change: Change,
    /// A command changed the file after it was read.
    is_after_command: bool,
    pub(crate) details: Details,
}

#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Details {
    pub(crate) path: String,
    /// The loosest of all edits.
    strategy: String,
    replacements: usize,
    /// Of each edit in the text that it saw.
    positions: Vec<Position>,
    /// Each edit of `multiedit`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) edits: Vec<EditDetails>,
    pub(crate) additions: usize,
    pub(crate) deletions: usize,
    pub(crate) diff: String,
    /// The file was not there, or was empty.
    pub(crate) created: bool,
    diagnostics: Vec<serde_json::Value>,
    /// Says which files had other names, which keep their text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    unlinked: Vec<String>,
}

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct EditDetails {
    strategy: String,
    replacements: usize,
}

impl Plan {
    /// Writes the file.
    pub(crate) async fn carry_out(self, cx: &ToolCx) -> Result<Output<Details>, ToolError> {
        let Self {
            change,
            is_after_command,
            mut details,
        } = self;
        let applied = apply(cx, change).await?;
        let what = if details.edits.is_empty() {
            let replacements = plural(details.replacements, "replacement");
            format!("{replacements} ({})", details.strategy)
        } else {
            plural(details.edits.len(), "edit")
        };
        let created = if details.created { ", created" } else { "" };
        let text = format!(
            "Edited {}: {what}, +{} -{}{created}",
            details.path, details.additions, details.deletions
        );
        let mut told = applied.append_unlinked(&text);
        if is_after_command {
            told.push_str(AFTER_COMMAND);
        }
        details.unlinked = applied.unlinked;
        Ok(Output::new(text, told, details))
    }

    /// Returns true if every old text is in the file exactly once, as it was given.
    fn is_certain(&self) -> bool {
        let mut edits = self.details.edits.iter();
        edits.all(|edit| edit.strategy == Strategy::Simple.name() && edit.replacements == 1)
    }
}

impl Details {
    fn new(path: &str, steps: Vec<EditStep>, diff: UnifiedDiff, created: bool) -> Self {
        let edit = |step: &EditStep| EditDetails {
            strategy: step.strategy.name().to_owned(),
            replacements: step.positions.len(),
        };
        Self {
            path: path.to_owned(),
            strategy: loosest(&steps).name().to_owned(),
            replacements: steps.iter().map(|step| step.positions.len()).sum(),
            edits: steps.iter().map(edit).collect(),
            positions: steps.into_iter().flat_map(|step| step.positions).collect(),
            additions: diff.additions,
            deletions: diff.deletions,
            diff: diff.text,
            created,
            diagnostics: Vec::new(),
            unlinked: Vec::new(),
        }
    }

    /// Draws the diff, at the first line that an edit found.
    pub(crate) fn card(&self, cx: RenderCx) -> Card {
        let first = self.positions.first().map(|first| first.line_start);
        let mut card = Card::of_file("Edit", FileTarget::shown(&self.path).at(first))
            .meta(Fact::changed(self.additions, self.deletions));
        if !self.edits.is_empty() {
            card = card.meta(Fact::count(self.edits.len(), "edit"));
        }
        if let Some(fact) = self.strategy_fact() {
            card = card.meta(fact);
        }
        with_diff(with_unlinked(card, &self.unlinked), &self.path, &self.diff, cx)
    }
}

impl Details {
    /// Tells a person how the text was found; an exact find of one place needs no word.
    fn strategy_fact(&self) -> Option<Fact> {
        let words = match self.strategy.parse().ok()? {
            Strategy::Simple => return None,
            Strategy::MultiOccurrence => return Some(Fact::count(self.replacements, "place")),
            Strategy::LineTrimmed | Strategy::WhitespaceNormalized | Strategy::TrimmedBoundary => {
                "white space differed"
            }
            Strategy::IndentationFlexible => "indentation differed",
            Strategy::EscapeNormalized => "escapes differed",
            Strategy::BlockAnchor | Strategy::ContextAware => "matched by first and last line",
        };
        Some(words.into())
    }
}

/// Exact finds come first, and then the strategies in their order.
fn loosest(steps: &[EditStep]) -> Strategy {
    let used = steps.iter().map(|step| step.strategy);
    let rank = |strategy: &Strategy| (*strategy != Strategy::MultiOccurrence, *strategy as usize);
    used.max_by_key(rank).unwrap_or(Strategy::Simple)
}

/// Opens the file, looks whether it may be changed, works all replacements out and has the plan looked through by `finish`.
/// An error of one of them goes through `told`, with its place in `replacements`.
pub(crate) async fn prepare(
    cx: &ToolCx,
    wanted: RequestedEdits,
    told: impl Fn(usize, ToolError) -> ToolError + Send + 'static,
    finish: impl FnOnce(Plan) -> Result<Plan, ToolError> + Send + 'static,
) -> Result<Prepared<Plan>, ToolError> {
    let paths = WritePaths::one(cx, &wanted.path);
    let tolerance = cx.services.settings.tolerance;
    let work = move |originals: &Originals| {
        let RequestedEdits {
            path,
            encoding,
            replacements,
        } = wanted;
        let target = path.resolved;
        let file = originals.open(&target, encoding)?;
        let creates = replacements.first().is_some_and(|first| first.old.is_empty());
        let mut stale = None;
        if let Some(file) = &file
            && !(creates && file.bytes().is_empty())
        {
            stale = originals.check_read_or_command(&target, file.hash())?;
        }
        let edited = EditedFile {
            path: target,
            new_encoding: encoding.unwrap_or(Encoding::Utf8),
            file,
        };
        let planned = plan(edited, &replacements, tolerance, told);
        let Some(stale) = stale else {
            return finish(planned?);
        };
        match planned {
            Ok(plan) if plan.is_certain() => finish(Plan {
                is_after_command: true,
                ..plan
            }),
            Ok(_) | Err(_) => Err(stale),
        }
    };
    paths.prepare(cx, work).await
}

/// The file that replacements are made in; there need not be one yet.
struct EditedFile {
    path: Resolved,
    file: Option<TextFile>,
    /// The encoding that a file gets that the replacements create.
    new_encoding: Encoding,
}

fn plan(
    edited: EditedFile,
    wanted: &[RequestedReplacement],
    tolerance: Tolerance,
    told: impl Fn(usize, ToolError) -> ToolError,
) -> Result<Plan, ToolError> {
    let mut now: Option<TextFile> = None;
    let mut steps = Vec::new();
    for (index, wanted) in wanted.iter().enumerate() {
        let made = step(&edited, now.as_ref(), wanted, tolerance);
        let (step, after) = made.map_err(|error| told(index, error))?;
        now = Some(after);
        steps.push(step);
    }
    let EditedFile {
        path,
        file,
        new_encoding,
    } = edited;
    let old = file.as_ref().map_or("", TextFile::text);
    let new = now.as_ref().map_or("", TextFile::text);
    let name = Some(path.display.as_str());
    let diff = unified_renamed(file.as_ref().and(name), name, old, new);
    let expected = ExpectedContent::of(file.as_ref());
    let created = file.is_none_or(|file| file.bytes().is_empty());
    Ok(Plan {
        details: Details::new(&path.display, steps, diff, created),
        is_after_command: false,
        change: Change {
            path,
            encoding: now.as_ref().map_or(new_encoding, TextFile::encoding),
            bytes: now.map(|file| file.bytes().to_vec()).unwrap_or_default(),
            expected,
        },
    })
}

/// Works one replacement out in what those before it left. An empty old text creates the file, or fills an empty one.
fn step(
    edited: &EditedFile,
    now: Option<&TextFile>,
    wanted: &RequestedReplacement,
    tolerance: Tolerance,
) -> Result<(EditStep, TextFile), ToolError> {
    let file = now.or(edited.file.as_ref());
    let display = &edited.path.display;
    if wanted.old == wanted.new {
        return Err(identical());
    }
    let has_bytes = file.is_some_and(|file| !file.bytes().is_empty());
    if wanted.old.is_empty() && !has_bytes {
        return created(&wanted.new, edited);
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

/// Text is LF while it is compared, so a change of line endings alone is none.
fn only_line_endings_differ(file: &TextFile, display: &str) -> ToolError {
    let breaks = match file.eol() {
        Eol::Lf => "LF line endings",
        Eol::Crlf => "CRLF line endings",
        Eol::Mixed => "LF and CRLF line endings",
    };
    let message = format!(
        "`old_string` and `new_string` differ only in their line endings, which edits do not change: `{display}` keeps its \
         {breaks}"
    );
    ToolError::new(ErrorKind::Refused, message)
        .hint("Nothing was written. Change the line endings of a file with a command.")
}

fn created(content: &str, edited: &EditedFile) -> Result<(EditStep, TextFile), ToolError> {
    let position = Position {
        line_start: 1,
        line_end: content.lines().count().max(1),
    };
    let step = EditStep {
        strategy: Strategy::Simple,
        positions: vec![position],
    };
    let file = TextFile::new_file_in(content, edited.new_encoding);
    Ok((step, file.map_err(|error| not_made(error, &edited.path.display))?))
}

fn replaced(
    file: &TextFile,
    wanted: &RequestedReplacement,
    tolerance: Tolerance,
    display: &str,
) -> Result<(EditStep, TextFile), ToolError> {
    let old = wanted.old.replace("\r\n", "\n");
    let new = wanted.new.replace("\r\n", "\n");
    if old == new {
        return Err(only_line_endings_differ(file, display));
    }
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
    let step = EditStep {
        strategy: plan.strategy,
        positions: positions
            .map(|(line_start, line_end)| Position { line_start, line_end })
            .collect(),
    };
    Ok((step, file.with_bytes(bytes)))
}

fn refused(error: &ReplaceError, display: &str) -> ToolError {
    ToolError::new(kind_of(error), error.to_string()).extra(serde_json::json!({ "path": display }))
}

pub(crate) fn kind_of(error: &ReplaceError) -> ErrorKind {
    match error {
        ReplaceError::Identical => ErrorKind::Identical,
        ReplaceError::Ambiguous { .. } => ErrorKind::Ambiguous,
        ReplaceError::NoMatch { .. } => ErrorKind::NoMatch,
        ReplaceError::Refused(_) => ErrorKind::Refused,
    }
}

#[cfg(test)]
mod tests {
    use strum::VariantNames as _;

    use super::*;

    #[test]
    fn a_card_names_no_strategy_by_its_identifier() {
        let fact = |strategy: &str| {
            let details = Details {
                strategy: strategy.to_owned(),
                replacements: 3,
                ..Details::default()
            };
            details.strategy_fact().map(|fact| fact.to_string())
        };
        assert_eq!(fact("simple"), None);
        assert_eq!(fact("multi_occurrence").unwrap(), "3 places");
        for strategy in Strategy::VARIANTS {
            let words = fact(strategy).unwrap_or_default();
            assert!(!words.contains('_'), "{words}");
        }
    }
}
