//! Describes for the model the problem with a patch: where in the patch, what was looked for, and what there is
//! instead.

use std::fmt::Write;

use serde_json::json;

use crate::conversation::ErrorKind;
use crate::text::patch::{ParseError, PlaceError, PlaceProblem};
use crate::text::replace::Region;
use crate::tool::ToolError;

/// Lines of the patch that are quoted when they were not found.
const QUOTED_LINES: usize = 20;

pub(super) fn parse(error: &ParseError) -> ToolError {
    ToolError::new(ErrorKind::Parse, error.to_string())
        .hint("Nothing was written. Send the whole patch again.")
        .extra(json!({ "line": error.line }))
}

/// Says that a chunk has no place in the file that is shown as `display`.
pub(super) fn place(error: &PlaceError, display: &str) -> ToolError {
    let line = error.line;
    let chunk = format!("for the chunk at line {line} of the patch");
    let (kind, mut message, nearest) = match &error.problem {
        PlaceProblem::Header { header, nearest } => {
            let message = format!(
                "Could not find the line that `@@` names in `{display}`, {chunk}:\n{}",
                quote(std::slice::from_ref(header))
            );
            (ErrorKind::NoMatch, message, nearest)
        }
        PlaceProblem::Lines { old, nearest, from } => {
            let behind = match from {
                1 => String::new(),
                from => format!(" from line {from} on (chunks come in file order)"),
            };
            let message = format!(
                "Could not find these lines in `{display}`{behind}, {chunk}:\n{}",
                quote(old)
            );
            (ErrorKind::NoMatch, message, nearest)
        }
        PlaceProblem::NotAtEnd { old, nearest } => {
            let message = format!(
                "Could not find these lines at the end of `{display}`, where `*** End of File` puts them, {chunk}:\n{}",
                quote(old)
            );
            (ErrorKind::NoMatch, message, nearest)
        }
        PlaceProblem::TooMuch => {
            let message =
                format!("looking through `{display}` was given up, {chunk}: its lines come too often");
            (ErrorKind::Limit, message, &None)
        }
    };
    if let Some(region) = nearest {
        push_region(&mut message, region);
    }
    ToolError::new(kind, message)
        .hint("Nothing was written. Read the file, and quote its lines as they are.")
        .extra(json!({ "path": display, "line": line }))
}

fn push_region(message: &mut String, region: &Region) {
    let Region {
        line_start,
        line_end,
        text,
    } = region;
    let _ = write!(message, "\nNearest: lines {line_start}-{line_end}\n{text}");
}

fn quote(lines: &[String]) -> String {
    let shown: Vec<&str> = lines.iter().take(QUOTED_LINES).map(String::as_str).collect();
    let mut text = shown.join("\n");
    if lines.len() > QUOTED_LINES {
        let _ = write!(text, "\n… {} more", lines.len() - QUOTED_LINES);
    }
    text
}
