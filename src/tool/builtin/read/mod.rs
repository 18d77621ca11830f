//! `read`: show a file, a directory, an image or a PDF.
//!
//! `identify` says what a path leads to; `text`, `directory` and `media` show it. UTF-8 is read once, whatever its size:
//! hashed whole for the record of what the session knows, but only the wanted lines are kept. It pages by itself, so what
//! it shows is cut by the generic rule only where that allows less than its own limits.

mod card;
mod directory;
mod identify;
mod instructions;
mod media;
#[cfg(test)]
mod tests;
mod text;
mod window;

use crate::permission::PermissionKey;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use self::text::{Prefix, TextView};
use self::window::Window;
use crate::conversation::ErrorKind;
use crate::files::Resolved;
use crate::provider::EditMode;
use crate::regular_file::{ReadError, RegularFile};
use crate::text::encoding::Encoding;
use crate::tool::file_encoding::{KnownEncoding, named_encoding};
use crate::tool::truncate::limits;
use crate::tool::{
    Concurrency, DrawnArgs, InitCx, Output, ParamAlias, Prepared, RenderCx, ResultView, Tool, ToolCx,
    ToolError, path_asks,
};
use crate::view::card::Card;

pub(super) use identify::{beginning, extension, is_pdf};

pub(super) struct ReadTool;

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Args {
    /// File or directory; absolute or relative.
    file_path: String,
    /// First line, from 1.
    #[serde(default)]
    offset: Option<i64>,
    /// Lines (default 2000).
    #[serde(default)]
    limit: Option<i64>,
    /// Encoding of a text, where the detected one is wrong; later edits keep to it.
    #[serde(default)]
    encoding: Option<String>,
}

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Details {
    path: String,
    kind: Kind,
    line_start: usize,
    line_end: usize,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    total_lines: Option<usize>,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    hash: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    eol: String,
    bom: bool,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    encoding: String,
    /// Some bytes do not decode, and are shown as `U+FFFD`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    has_broken_bytes: bool,
    hashline: bool,
    loaded: Vec<String>,
}

impl Details {
    /// Names the encoding of a text that is anything but flawless UTF-8.
    fn unusual_encoding(&self) -> Option<String> {
        match (self.encoding.as_str(), self.has_broken_bytes) {
            ("" | "utf-8", false) => None,
            ("unknown", _) => Some("unknown encoding".to_owned()),
            (encoding, false) => Some(encoding.to_owned()),
            (encoding, true) => Some(format!("{encoding} with broken bytes")),
        }
    }
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Kind {
    #[default]
    File,
    Directory,
    Image,
    Pdf,
}

pub(super) struct Plan {
    path: Resolved,
    window: Window,
    what: What,
    encoding: KnownEncoding,
}

/// The kind of content at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum What {
    Text,
    Directory,
    Media(Media),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Media {
    Png,
    Jpeg,
    Gif,
    Webp,
    Pdf,
}

impl Tool for ReadTool {
    type Args = Args;
    type Plan = Plan;
    type Details = Details;

    const NAME: &'static str = "read";
    const ALIASES: &'static [&'static str] = &["read_file", "view"];
    const CONCURRENCY: Concurrency = Concurrency::Shared;
    const PARAM_ALIASES: &'static [ParamAlias] = &[
        ParamAlias::name("start_line", "offset"),
        ParamAlias::name("lines", "limit"),
    ];

    fn description(&self, cx: InitCx<'_>) -> String {
        let lines = match cx.settings.edit_mode {
            EditMode::Hashline => "a tag before each line (`LINE:HASH|text`)",
            EditMode::Replace | EditMode::Patch => "line numbers",
        };
        format!(
            "Read a file with {lines}, a directory's entries, an image or a PDF. At most 2000 lines or 50 KB at once: \
             go on with `offset`."
        )
    }

    async fn prepare(&self, args: Args, cx: &ToolCx) -> Result<Prepared<Plan>, ToolError> {
        let named = named_encoding(args.encoding.as_deref())?;
        let path = cx.path(&args.file_path)?;
        let mut asks = path.asks;
        asks.extend(path_asks(&PermissionKey::READ, &path.resolved));
        let path = path.resolved;
        let found = {
            let path = path.clone();
            let services = std::sync::Arc::clone(&cx.services);
            let identified = move || {
                let encoding = KnownEncoding::of(named, &path.real, &services)?;
                let what = identify::identify(&path, encoding.expected())?;
                Ok((what, encoding))
            };
            cx.blocking(identified).await
        };
        let (what, encoding) = found
            .and_then(|found| is_able(found.0, cx, &path).map(|()| found))
            .map_err(|error| error.after(asks.clone()))?;
        let plan = Plan {
            path,
            window: Window::new(args.offset, args.limit),
            what,
            encoding,
        };
        Ok(Prepared::new(plan, asks))
    }

    async fn execute(&self, plan: Plan, cx: &ToolCx) -> Result<Output<Details>, ToolError> {
        let Plan {
            path,
            window,
            what,
            encoding,
        } = plan;
        let services = std::sync::Arc::clone(&cx.services);
        let noting = cx.noting.clone();
        let cancel = cx.cancel.clone();
        let prefix = match cx.edit_mode {
            EditMode::Hashline => Prefix::Tag,
            EditMode::Replace | EditMode::Patch => Prefix::Number,
        };
        let limits = limits(&cx.services.settings.truncate, Self::NAME);
        let fits = |own: usize, limit: usize| limit == 0 || own <= limit;
        let is_paged = fits(window.limit, limits.max_lines) && fits(window::BYTE_BUDGET, limits.max_bytes);
        let output = cx.blocking(move || {
            if !services.roots.leads_where_it_did(&path) {
                return Err(moved(&path));
            }
            let mut output = match what {
                What::Text => text::read(
                    &path,
                    &TextView {
                        window,
                        prefix,
                        encoding,
                    },
                    &cancel,
                )?,
                What::Directory => directory::read(&path, window)?,
                What::Media(kind) => media::read(&path, kind)?,
            };
            if what != What::Directory {
                let Details { hash, encoding, .. } = &output.details;
                let encoding = Encoding::named(encoding).map(Encoding::name);
                noting.file(&path.real, hash, encoding, &services)?;
            }
            if what == What::Text {
                instructions::add(&mut output, &path.real, &services, &noting);
            }
            Ok(output)
        });
        let mut output = output.await?;
        output.paged = is_paged;
        Ok(output)
    }

    fn render_call(&self, args: DrawnArgs<'_>, _: RenderCx) -> Card {
        card::call(args)
    }

    fn render_result(&self, result: ResultView<'_, Details>, cx: RenderCx) -> Card {
        card::result(&result.details, result.text, cx)
    }
}

/// Checks that the model takes what the file holds.
fn is_able(what: What, cx: &ToolCx, path: &Resolved) -> Result<(), ToolError> {
    let (able, kind) = match what {
        What::Text | What::Directory => return Ok(()),
        What::Media(Media::Pdf) => (cx.abilities.pdf, "PDFs"),
        What::Media(_) => (cx.abilities.images, "images"),
    };
    if able {
        return Ok(());
    }
    let message = format!("`{}` cannot be shown: this model takes no {kind}", path.display);
    let error = ToolError::new(ErrorKind::Unavailable, message);
    Err(if cx.offers("look_at") {
        error.hint("Use look_at, which asks a model that does.")
    } else {
        error
    })
}

/// A link may have been put in the way since it was asked about.
pub(super) fn moved(path: &Resolved) -> ToolError {
    let message = format!(
        "`{}` leads to another place than when it was asked about, so it was not read",
        path.display
    );
    ToolError::new(ErrorKind::Stale, message).hint("Read it again.")
}

/// Opens the file that was judged, and no other that a link leads to by now.
pub(super) fn open(path: &Resolved) -> Result<RegularFile, ToolError> {
    RegularFile::open_real(&path.real).map_err(|error| unread(path, error))
}

fn unread(path: &Resolved, error: ReadError) -> ToolError {
    match error {
        ReadError::Redirected => moved(path),
        error => io_error(path, &error.into()),
    }
}

pub(super) fn io_error(path: &Resolved, error: &std::io::Error) -> ToolError {
    let message = format!("`{}` could not be read: {error}", path.display);
    ToolError::new(ErrorKind::Io, message)
}
