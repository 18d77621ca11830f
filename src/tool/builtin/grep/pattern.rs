//! From the pattern as it was written to a matcher, or to an error that says where it breaks.

use grep_matcher::Matcher;
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use serde_json::json;

use crate::conversation::ErrorKind;
use crate::tool::ToolError;

/// Longest pattern in bytes.
const MAX_BYTES: usize = 4096;
/// Largest size in bytes of a compiled pattern, and of what it remembers while it searches.
const MAX_COMPILED: usize = 32 << 20;

/// How a pattern is to be read.
#[derive(Debug, Clone, Copy)]
pub(super) struct PatternReading {
    pub(super) case_sensitive: bool,
    pub(super) literal: bool,
    pub(super) multiline: bool,
}

/// Compiles a pattern, which may take seconds. `$` also matches before `\r\n`, because that is one line break to whoever read the file.
pub(super) fn compile(pattern: &str, reading: PatternReading) -> Result<RegexMatcher, ToolError> {
    if pattern.len() > MAX_BYTES {
        let message = format!(
            "the pattern has {} bytes, and one may have {MAX_BYTES}",
            pattern.len()
        );
        return Err(ToolError::new(ErrorKind::Parse, message)
            .hint("Search for a part of it, and read the files that are found."));
    }
    // A carriage return that the pattern asks for can only be found where it is not part of the break.
    let names_return = pattern.contains('\r') || pattern.contains("\\r") || pattern.contains("\\x0d");
    let built = if reading.multiline || reading.literal || names_return {
        builder(reading).build(pattern)
    } else {
        let crlf = builder(reading).crlf(true).build(pattern);
        crlf.or_else(|_| builder(reading).build(pattern))
    };
    built.map_err(|error| refused(pattern, reading, &error.to_string()))
}

fn builder(reading: PatternReading) -> RegexMatcherBuilder {
    let mut builder = RegexMatcherBuilder::new();
    builder
        .case_insensitive(!reading.case_sensitive)
        .fixed_strings(reading.literal)
        .size_limit(MAX_COMPILED)
        .dfa_size_limit(MAX_COMPILED)
        .multi_line(true);
    if reading.multiline {
        builder.dot_matches_new_line(true);
    } else {
        builder.line_terminator(Some(b'\n'));
    }
    builder
}

fn refused(pattern: &str, reading: PatternReading, error: &str) -> ToolError {
    let (message, position) = explain(pattern, error);
    let place = position.map_or_else(String::new, |position| format!(" at character {position}"));
    let refused = ToolError::new(
        ErrorKind::Parse,
        format!("`{pattern}` is not a regular expression: {message}{place}"),
    )
    .extra(position.map_or_else(|| json!({}), |position| json!({ "position": position })));
    if error.contains("is not allowed in a regex") && !reading.multiline {
        return refused.hint("Pass `multiline: true` to match across lines.");
    }
    let works_literally = PatternReading {
        literal: true,
        ..reading
    };
    if !reading.literal
        && builder(works_literally)
            .build(pattern)
            .is_ok_and(|found| finds(&found, pattern))
    {
        return refused.hint("Pass `literal: true` to search for it as plain text.");
    }
    refused
}

fn finds(matcher: &RegexMatcher, pattern: &str) -> bool {
    matcher.is_match(pattern.as_bytes()).unwrap_or(false)
}

/// Returns the reason and the place, in characters from 1.
///
/// The searching library puts the pattern into a group of its own and would point at that one when a bracket is missing,
/// so the pattern is read once more as it was written.
fn explain(pattern: &str, error: &str) -> (String, Option<usize>) {
    let own = match regex::Regex::new(pattern) {
        Err(regex::Error::Syntax(report)) => Some(report),
        _ => None,
    };
    let report = own.as_deref().unwrap_or(error);
    let Some(reason) = report.lines().rev().find_map(|line| line.strip_prefix("error: ")) else {
        return (report.trim().to_owned(), None);
    };
    let position = own.as_deref().and_then(pointed_at);
    (reason.to_owned(), position)
}

/// Finds the `^` below a pattern of one line, which the report indents.
fn pointed_at(report: &str) -> Option<usize> {
    const INDENT: usize = 4;
    let [_, _, caret, _] = report.lines().collect::<Vec<_>>()[..] else {
        return None;
    };
    Some(caret.find('^')?.saturating_sub(INDENT) + 1)
}
