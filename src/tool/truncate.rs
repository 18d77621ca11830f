//! Cutting what is too long for the model, with the whole text kept in a file.
//!
//! `text::truncate` knows the rules; this file brings the settings, writes the file and says where it is. When it cannot
//! be written the cut text says so; the call itself is not lost over it.

use std::io::Write;
use std::path::PathBuf;

use super::{DynTool, SpilledOutput, ToolCx, ToolError, TruncateLimits, TruncateSettings};
use crate::conversation::{CallId, CallResult, ErrorKind};
use crate::store::Outputs;
use crate::text::truncate::{Keep, SizeLimits, Truncation, dynamic_budget, truncate};

/// A token is four characters, which have at least a byte each.
const BYTES_PER_TOKEN: usize = 4;

/// An output as the model gets it.
pub(super) struct Cut {
    pub(super) text: String,
    pub(super) truncated: bool,
    pub(super) output_path: Option<String>,
}

impl Cut {
    pub(super) fn whole(text: String) -> Self {
        Self {
            text,
            truncated: false,
            output_path: None,
        }
    }

    /// The tool has done it.
    pub(super) fn by_tool(text: String, spilled: SpilledOutput) -> Self {
        Self {
            text,
            truncated: true,
            output_path: spilled.path.map(|path| path.to_string_lossy().into_owned()),
        }
    }
}

/// Applies the generic rule, and the dynamic one where the tool has it.
pub(super) async fn cut(tool: &dyn DynTool, text: String, cx: &ToolCx) -> Cut {
    let settings = &cx.services.settings.truncate;
    let own = own_limits(settings, tool.name());
    let budget = (settings.dynamic && tool.is_dynamic()).then(|| {
        let max_tokens = own.max_tokens.unwrap_or(settings.dynamic_max_tokens) as u64;
        dynamic_budget(cx.context, settings.dynamic_ratio, max_tokens)
    });
    let Some(truncated) = truncate(&text, limits(settings, tool.name()), tool.keep(), budget) else {
        return Cut::whole(text);
    };
    saved(&truncated, &text, cx).await
}

/// Errors are read from their beginning on, whatever the tool is.
pub(super) async fn cut_error(tool: &str, mut result: CallResult, cx: &ToolCx) -> CallResult {
    let limits = limits(&cx.services.settings.truncate, tool);
    if let Some(truncated) = truncate(&result.output, limits, Keep::Head, None) {
        let cut = saved(&truncated, &result.output, cx).await;
        result.output = cut.text;
        result.truncated = cut.truncated;
        result.output_path = cut.output_path;
    }
    result
}

/// Returns the bounds of the generic rule for a tool. Tokens that it was given for itself bound it too: the dynamic rule,
/// which counts them, is not for every tool.
pub(super) fn limits(settings: &TruncateSettings, tool: &str) -> SizeLimits {
    let own = own_limits(settings, tool);
    let max_bytes = own.max_bytes.unwrap_or(settings.max_bytes);
    let of_tokens = own.max_tokens.unwrap_or(0).saturating_mul(BYTES_PER_TOKEN);
    let given = [max_bytes, of_tokens].into_iter().filter(|bytes| *bytes > 0);
    SizeLimits {
        max_lines: own.max_lines.unwrap_or(settings.max_lines),
        // 0 stands for no limit.
        max_bytes: given.min().unwrap_or(0),
    }
}

fn own_limits(settings: &TruncateSettings, tool: &str) -> TruncateLimits {
    settings.per_tool.get(tool).copied().unwrap_or_default()
}

/// Returns the text that stands for the path of an output that could not be kept.
pub(super) fn not_kept(why: &str) -> String {
    format!("(could not be kept: {why})")
}

async fn saved(truncated: &Truncation<'_>, text: &str, cx: &ToolCx) -> Cut {
    let (outputs, call, whole) = (cx.services.tree.outputs.clone(), cx.call.clone(), text.to_owned());
    let path = cx
        .blocking(move || {
            save(&outputs, &call, &whole).map_err(|error| ToolError::new(ErrorKind::Io, error.to_string()))
        })
        .await;
    let (output_path, shown) = match path {
        Ok(path) => {
            let path = path.to_string_lossy().into_owned();
            (Some(path.clone()), path)
        }
        Err(error) => (None, not_kept(&error.message)),
    };
    Cut {
        text: truncated.render(&shown),
        truncated: true,
        output_path,
    }
}

fn save(outputs: &Outputs, call: &CallId, text: &str) -> std::io::Result<PathBuf> {
    let mut file = outputs.create(call).map_err(std::io::Error::other)?;
    file.write_all(text.as_bytes())?;
    file.finish().map_err(std::io::Error::other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_that_a_tool_was_given_bound_it_whatever_tool_it_is() {
        let bounds = |own: TruncateLimits| {
            let mut settings = TruncateSettings::default();
            settings.per_tool.insert("bash".to_owned(), own);
            let of = |tool: &str| limits(&settings, tool).max_bytes;
            (of("bash"), of("list"))
        };
        let own = TruncateLimits::default();
        let max_tokens = |tokens: usize| TruncateLimits {
            max_tokens: Some(tokens),
            ..own
        };
        assert_eq!(bounds(own), (51_200, 51_200));
        assert_eq!(bounds(max_tokens(100)), (400, 51_200));
        assert_eq!(bounds(max_tokens(50_000)), (51_200, 51_200));
        assert_eq!(bounds(max_tokens(0)), (51_200, 51_200));
        let max_bytes = Some(0);
        assert_eq!(bounds(TruncateLimits { max_bytes, ..own }), (0, 51_200));
        let both = TruncateLimits {
            max_bytes,
            ..max_tokens(100)
        };
        assert_eq!(bounds(both), (400, 51_200));
    }
}
