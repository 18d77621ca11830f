//! The result of a call, before and after it is cut to what a model may be sent.

use std::borrow::Cow;

use serde_json::Value;

use crate::conversation::{CallResult, TITLE_COLUMNS};
use crate::text::sanitize::{sanitize_line, strip_controls};
use crate::text::width::truncate;
use crate::tool::truncate::{Cut, cut, cut_error};
use crate::tool::{DynTool, Output, SpilledOutput, ToolCx, ToolError, output};

/// Says that the call went to `invalid`; that is no part of `details.error`, so it is put beside.
pub(super) const RESOLVED: &str = "resolved";

/// A result whose text has not been cut yet.
pub(super) struct UncutResult {
    pub(super) result: CallResult,
    pub(super) size: TextLength,
}

/// Knowledge about the length of a text.
pub(super) enum TextLength {
    Unknown,
    /// The tool keeps to limits of its own.
    Kept,
    /// The tool has cut it.
    Cut(SpilledOutput),
    /// It is an error's.
    Error,
}

impl UncutResult {
    pub(super) fn of(output: Output<Value>) -> Self {
        let mut details = output.details;
        if let Some(kind) = output.failure
            && details.get("error").is_none()
        {
            details["error"] = output::error_details(kind);
        }
        let text = match strip_controls(&output.text) {
            Cow::Owned(clean) => clean,
            Cow::Borrowed(_) => output.text,
        };
        let size = match output.spilled {
            Some(spilled) => TextLength::Cut(spilled),
            None if output.paged => TextLength::Kept,
            None => TextLength::Unknown,
        };
        let result = CallResult {
            ok: output.failure.is_none(),
            title: output.title,
            output: text,
            details: details.into(),
            truncated: false,
            output_path: None,
            duration_ms: 0,
            attachments: output.attachments,
        };
        Self { result, size }
    }

    pub(super) fn failed(error: ToolError) -> Self {
        Self {
            result: error_result(error),
            size: TextLength::Error,
        }
    }

    /// Cuts the text to what a model may be sent.
    pub(super) async fn cut(self, tool: &dyn DynTool, cx: &ToolCx) -> CallResult {
        let Self { mut result, size } = self;
        let text = std::mem::take(&mut result.output);
        let cut = match size {
            TextLength::Cut(spilled) => Cut::by_tool(text, spilled),
            TextLength::Kept => Cut::whole(text),
            TextLength::Unknown => cut(tool, text, cx).await,
            TextLength::Error => {
                result.output = text;
                return cut_error(tool.name(), result, cx).await;
            }
        };
        result.output = cut.text;
        result.truncated = cut.truncated;
        result.output_path = cut.output_path;
        clean(&mut result);
        result
    }
}

/// Turns an error into a result whose texts are clean. Some facts stand beside `details.error`, not in it.
pub(super) fn error_result(error: ToolError) -> CallResult {
    let mut result = error.into_result();
    for key in [RESOLVED, "ignored_params"] {
        let beside = result.details["error"]
            .as_object_mut()
            .and_then(|error| error.shift_remove(key));
        if let Some(value) = beside {
            result.details[key] = value;
        }
    }
    clean(&mut result);
    result
}

/// No control characters reach the model or a title.
fn clean(result: &mut CallResult) {
    result.title = truncate(&sanitize_line(&result.title), TITLE_COLUMNS).into_owned();
    if let Cow::Owned(clean) = strip_controls(&result.output) {
        result.output = clean;
    }
}
