//! Images and PDFs: handed to the model as attachments, pictures no larger than providers take.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::{Details, Kind, Media, io_error};
use crate::conversation::{Attachment, ErrorKind};
use crate::files::{ContentHash, Resolved};
use crate::picture::{self, PictureError};
use crate::regular_file::RegularFile;
use crate::tool::builtin::file_name::one_line;
use crate::tool::{Output, ToolError, plural};

const MAX_FILE: u64 = 32 * 1024 * 1024;

impl Media {
    fn mime(self) -> &'static str {
        match self {
            Self::Png => "image/png",
            Self::Jpeg => "image/jpeg",
            Self::Gif => "image/gif",
            Self::Webp => "image/webp",
            Self::Pdf => "application/pdf",
        }
    }
}

pub(super) fn read(path: &Resolved, media: Media) -> Result<Output<Details>, ToolError> {
    let meta = path.real.metadata().map_err(|error| io_error(path, &error))?;
    if meta.len() > MAX_FILE {
        let message = format!(
            "`{}` has {} MiB, more than the {} MiB that can be shown",
            path.display,
            meta.len() / 1024 / 1024,
            MAX_FILE / 1024 / 1024
        );
        return Err(ToolError::new(ErrorKind::TooLarge, message));
    }
    let read = RegularFile::open(&path.real).and_then(|file| file.read(MAX_FILE));
    let bytes = read.map_err(|error| io_error(path, &error.into()))?;
    let hash = ContentHash::of(&bytes).to_string();
    let shown = one_line(&path.display);
    let (kind, text, attachment) = if media == Media::Pdf {
        let pages = match count_pages(&bytes) {
            0 => String::new(),
            pages => format!(", {}", plural(pages, "page")),
        };
        let text = format!("PDF read: {shown}{pages}");
        (Kind::Pdf, text, attachment(media.mime(), &bytes))
    } else {
        let picture = picture::fit(bytes).map_err(|error| unusable(path, &error))?;
        let text = format!("Image read: {shown}, {}x{}", picture.width, picture.height);
        (Kind::Image, text, attachment(picture.mime, &picture.bytes))
    };
    let details = Details {
        path: path.display.clone(),
        kind,
        hash,
        ..Details::default()
    };
    let mut output = Output::new(text.clone(), text, details);
    output.attachments.push(attachment);
    Ok(output)
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
