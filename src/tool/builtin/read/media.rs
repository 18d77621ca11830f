//! Images and PDFs: handed to the model as attachments, pictures no larger than providers take.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::{Details, Kind, Media, io_error, open};
use crate::conversation::{Attachment, ErrorKind};
use crate::files::{ContentHash, Resolved};
use crate::picture::{self, Alone, PictureError};
use crate::regular_file::RegularFile;
use crate::tool::file_name::one_line;
use crate::tool::{Output, ToolError, plural};

const MAX_FILE: u64 = 32 * 1024 * 1024;

pub(super) fn read(path: &Resolved, media: Media) -> Result<Output<Details>, ToolError> {
    let file = open(path)?;
    let size = file.metadata().len();
    if size > MAX_FILE {
        let message = format!(
            "`{}` has {} MiB, more than the {} MiB that can be shown",
            path.display,
            size / 1024 / 1024,
            MAX_FILE / 1024 / 1024
        );
        return Err(ToolError::new(ErrorKind::TooLarge, message));
    }
    let shown = if media == Media::Pdf {
        pdf(path, file)?
    } else {
        // Before it is read: many calls at once would have as many files in memory.
        picture::alone(|alone| image(path, file, alone))?
    };
    let details = Details {
        path: path.display.clone(),
        kind: shown.kind,
        hash: shown.hash,
        ..Details::default()
    };
    let mut output = Output::new(shown.text.clone(), shown.text, details);
    output.attachments.push(shown.attachment);
    Ok(output)
}

/// A file as it is shown.
struct ShownFile {
    kind: Kind,
    text: String,
    hash: String,
    attachment: Attachment,
}

fn pdf(path: &Resolved, file: RegularFile) -> Result<ShownFile, ToolError> {
    let (bytes, hash) = whole(path, file)?;
    let pages = match count_pages(&bytes) {
        0 => String::new(),
        pages => format!(", {}", plural(pages, "page")),
    };
    let text = format!("PDF read: {}{pages}", one_line(&path.display));
    Ok(ShownFile {
        kind: Kind::Pdf,
        text,
        hash,
        attachment: attachment("application/pdf", &bytes),
    })
}

fn image(path: &Resolved, file: RegularFile, alone: &Alone) -> Result<ShownFile, ToolError> {
    let (bytes, hash) = whole(path, file)?;
    let picture = alone.fit(bytes).map_err(|error| unusable(path, &error))?;
    let (width, height) = (picture.width, picture.height);
    let text = format!("Image read: {}, {width}x{height}", one_line(&path.display));
    Ok(ShownFile {
        kind: Kind::Image,
        text,
        hash,
        attachment: attachment(picture.mime, &picture.bytes),
    })
}

/// The bytes of a file and their hash.
fn whole(path: &Resolved, file: RegularFile) -> Result<(Vec<u8>, String), ToolError> {
    let bytes = file
        .read(MAX_FILE)
        .map_err(|error| io_error(path, &error.into()))?;
    let hash = ContentHash::of(&bytes).to_string();
    Ok((bytes, hash))
}

fn unusable(path: &Resolved, error: &PictureError) -> ToolError {
    let name = &path.display;
    match error {
        PictureError::TooLarge { .. } => {
            ToolError::new(ErrorKind::TooLarge, format!("`{name}` cannot be shown: {error}"))
                .hint("Make a smaller copy of it with a program of the system, and read that.")
        }
        PictureError::Unreadable(_) => ToolError::new(
            ErrorKind::Parse,
            format!("`{name}` is not a picture that can be shown: {error}"),
        ),
    }
}

fn attachment(mime: &str, bytes: &[u8]) -> Attachment {
    Attachment {
        mime: mime.to_owned(),
        data: STANDARD.encode(bytes),
    }
}

/// Counts the page objects; 0 when they are packed away in compressed streams.
fn count_pages(bytes: &[u8]) -> usize {
    let pattern = regex::bytes::Regex::new(r"/Type\s*/Page(?:[^A-Za-z]|$)")
        .expect("the pattern is a constant that compiles");
    pattern.find_iter(bytes).count()
}
