//! Reads what is to be looked at into what the model takes: pictures of a size that providers take, PDFs whole or as
//! their text, text within the model's context.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::{SETTING, Source, SourceKind, looker};
use crate::conversation::{ErrorKind, FilePart};
use crate::files::TextFile;
use crate::pdf::{self, PdfError};
use crate::picture::{self, FittedPicture, PictureError};
use crate::tool::builtin::read::{io_error, moved, open};
use crate::tool::{SessionServices, TaskModel, ToolCx, ToolError, plural};

use super::source::MOST_BYTES;

/// Base64 that one message may have: the providers take requests of 20 to 32 MB.
const MOST_BASE64: usize = 20 << 20;
/// Text that a file must have room for.
const LEAST_ROOM: usize = 2000;
/// A token has about four bytes, and half of the context is for text.
const TEXT_PER_TOKEN: usize = 2;

/// Everything that goes with the prompt.
pub(super) struct Content {
    pub(super) parts: Vec<FilePart>,
    /// Descriptions of them for the prompt.
    pub(super) labels: Vec<String>,
}

/// A source in memory.
enum SourceBytes {
    Picture(FittedPicture),
    Bytes(Vec<u8>),
}

/// Room that is left in the message.
struct Room {
    base64: usize,
    text: usize,
}

/// Reads the sources in their order.
pub(super) async fn read(sources: Vec<Source>, model: &TaskModel, cx: &ToolCx) -> Result<Content, ToolError> {
    let mut room = Room {
        base64: MOST_BASE64,
        text: usize::try_from(model.context)
            .unwrap_or(usize::MAX)
            .saturating_mul(TEXT_PER_TOKEN),
    };
    let mut content = Content {
        parts: Vec::new(),
        labels: Vec::new(),
    };
    for (index, source) in sources.into_iter().enumerate() {
        let (name, kind) = (source.name().to_owned(), source.kind());
        let services = std::sync::Arc::clone(&cx.services);
        let loaded = cx.blocking(move || load(source, &services)).await?;
        let (part, label) = match (loaded, kind) {
            (SourceBytes::Picture(picture), _) => image(&name, index + 1, &picture, &mut room)?,
            (SourceBytes::Bytes(bytes), SourceKind::Pdf) => {
                document(&name, bytes, model, &mut room, cx).await?
            }
            (SourceBytes::Bytes(bytes), _) => {
                let text = TextFile::decode(bytes).text().to_owned();
                written(&name, text, &mut room)?
            }
        };
        content.parts.push(part);
        content.labels.push(label);
    }
    Ok(content)
}

/// Reads a source. Of pictures one at a time is in memory.
fn load(source: Source, services: &SessionServices) -> Result<SourceBytes, ToolError> {
    let (name, kind) = (source.name().to_owned(), source.kind());
    if !kind.is_image() {
        return bytes(source, services).map(SourceBytes::Bytes);
    }
    picture::alone(|alone| {
        let bytes = bytes(source, services)?;
        let fitted = match kind {
            SourceKind::Bitmap => alone.recode(&bytes),
            SourceKind::Image | SourceKind::Pdf | SourceKind::Text => alone.fit(bytes),
        };
        fitted
            .map(SourceBytes::Picture)
            .map_err(|error| unusable(&name, &error))
    })
}

fn bytes(source: Source, services: &SessionServices) -> Result<Vec<u8>, ToolError> {
    let path = match source {
        Source::Data { bytes, .. } => return Ok(bytes),
        Source::File { path, .. } => path,
    };
    // A link may have been put in the way since it was asked about.
    if !services.roots.leads_where_it_did(&path) {
        return Err(moved(&path));
    }
    let read = open(&path)?.read(MOST_BYTES);
    read.map_err(|error| io_error(&path, &error.into()))
}

fn unusable(name: &str, error: &PictureError) -> ToolError {
    let kind = match error {
        PictureError::TooLarge { .. } => ErrorKind::TooLarge,
        PictureError::Unreadable(_) => ErrorKind::Parse,
    };
    ToolError::new(
        kind,
        format!("`{name}` is no picture that can be looked at: {error}"),
    )
    .hint("Make another copy of it with a program of the system, and look at that.")
}

fn image(
    name: &str,
    number: usize,
    picture: &FittedPicture,
    room: &mut Room,
) -> Result<(FilePart, String), ToolError> {
    let label = format!("[image {number}: {name} {}×{}]", picture.width, picture.height);
    let data = STANDARD.encode(&picture.bytes);
    if data.len() > room.base64 {
        return Err(no_room(name));
    }
    room.base64 -= data.len();
    let part = FilePart {
        path: name.to_owned(),
        mime: picture.mime.to_owned(),
        data,
        label: Some(label.clone()),
    };
    Ok((part, label))
}

/// A PDF as it is where the model takes it, else its text.
async fn document(
    name: &str,
    bytes: Vec<u8>,
    model: &TaskModel,
    room: &mut Room,
    cx: &ToolCx,
) -> Result<(FilePart, String), ToolError> {
    let fits = bytes.len().div_ceil(3) * 4 <= room.base64;
    if model.abilities.pdf && fits {
        let data = STANDARD.encode(&bytes);
        room.base64 -= data.len();
        let part = FilePart {
            path: name.to_owned(),
            mime: "application/pdf".to_owned(),
            data,
            label: None,
        };
        return Ok((part, name.to_owned()));
    }
    let why = if fits {
        "takes no PDFs"
    } else {
        "takes no PDFs of this size"
    };
    if room.text < LEAST_ROOM {
        return Err(no_room(name));
    }
    let read = pdf::text(bytes, room.text, &cx.cancel).await;
    let read = read.map_err(|error| unread(name, &error, model, why))?;
    let cut = match read.pages.saturating_sub(read.read) {
        0 => String::new(),
        _ => format!("; cut after page {}", read.read),
    };
    let pages = plural(read.pages, "page");
    let label = format!("{name} (the text of a PDF of {pages}, without its pictures{cut})");
    let (part, _) = written(name, read.text, room)?;
    Ok((part, label))
}

/// Says why the text of a PDF cannot stand for it.
fn unread(name: &str, error: &PdfError, model: &TaskModel, why: &str) -> ToolError {
    let kind = match error {
        PdfError::Encrypted | PdfError::NoText => ErrorKind::Unavailable,
        PdfError::Broken(_) | PdfError::Failed => ErrorKind::Parse,
        PdfError::TooLong => ErrorKind::Timeout,
        PdfError::TooLarge => ErrorKind::TooLarge,
        PdfError::System(_) => ErrorKind::Io,
        PdfError::Cancelled => return ToolError::new(ErrorKind::Cancelled, error.to_string()),
    };
    let message = format!(
        "`{name}` cannot be looked at: {error}, and {} {why}",
        looker(model)
    );
    ToolError::new(kind, message).hint(format!("Set `{SETTING}` to a model that takes PDFs."))
}

/// A text, cut to the room that is left.
fn written(name: &str, mut text: String, room: &mut Room) -> Result<(FilePart, String), ToolError> {
    let whole = text.len();
    if whole > room.text {
        if room.text < LEAST_ROOM {
            return Err(no_room(name));
        }
        text.truncate(text.floor_char_boundary(room.text));
    }
    room.text -= text.len();
    let label = if text.len() < whole {
        format!("{name} (cut: the first {} of {whole} bytes)", text.len())
    } else {
        name.to_owned()
    };
    let part = FilePart {
        path: name.to_owned(),
        mime: "text/plain".to_owned(),
        data: text,
        label: None,
    };
    Ok((part, label))
}

fn no_room(name: &str) -> ToolError {
    ToolError::new(
        ErrorKind::TooLarge,
        format!("`{name}` does not fit into one message with the files before it"),
    )
    .hint("Look at fewer files at once.")
}
