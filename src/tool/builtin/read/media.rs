//! Images and PDFs: handed to the model as attachments, pictures no larger than providers take.

use std::io::Cursor;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use image::{DynamicImage, ImageFormat, ImageReader, ImageResult};

use super::{Details, Kind, Media, io_error};
use crate::conversation::{Attachment, ErrorKind};
use crate::files::{ContentHash, Resolved};
use crate::regular_file::RegularFile;
use crate::tool::builtin::file_name::one_line;
use crate::tool::{Output, ToolError, plural};

const MAX_IMAGE_BYTES: usize = 5 * 1024 * 1024;
const MAX_IMAGE_SIDE: u32 = 2000;
/// A picture this small is not made smaller.
const MIN_IMAGE_SIDE: u32 = 64;
/// Memory that a picture may take while it is scaled.
const MAX_DECODED: u64 = 512 * 1024 * 1024;
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
        let picture = Picture::fit(bytes, media).map_err(|error| {
            let message = format!("`{}` is not a picture that can be shown: {error}", path.display);
            ToolError::new(ErrorKind::Parse, message)
        })?;
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

/// A picture no larger than providers take.
struct Picture {
    bytes: Vec<u8>,
    mime: &'static str,
    /// As it is on disk.
    width: u32,
    height: u32,
}

impl Picture {
    fn fit(bytes: Vec<u8>, media: Media) -> ImageResult<Self> {
        let (width, height) = reader(&bytes)?.into_dimensions()?;
        let (bytes, mime) = if width.max(height) <= MAX_IMAGE_SIDE && bytes.len() <= MAX_IMAGE_BYTES {
            (bytes, media.mime())
        } else {
            scaled(&reader(&bytes)?.decode()?)?
        };
        Ok(Self {
            bytes,
            mime,
            width,
            height,
        })
    }
}

fn reader(bytes: &[u8]) -> ImageResult<ImageReader<Cursor<&[u8]>>> {
    let mut reader = ImageReader::new(Cursor::new(bytes)).with_guessed_format()?;
    let mut limits = image::Limits::default();
    limits.max_alloc = Some(MAX_DECODED);
    reader.limits(limits);
    Ok(reader)
}

/// Without loss when that is small enough, else as JPEG where nothing shines through, else smaller.
fn scaled(picture: &DynamicImage) -> ImageResult<(Vec<u8>, &'static str)> {
    let mut side = MAX_IMAGE_SIDE.min(picture.width().max(picture.height()));
    loop {
        let smaller = picture.thumbnail(side, side);
        let png = encode(&smaller, ImageFormat::Png)?;
        if png.len() <= MAX_IMAGE_BYTES || side <= MIN_IMAGE_SIDE {
            return Ok((png, "image/png"));
        }
        if !smaller.color().has_alpha() {
            let jpeg = encode(&DynamicImage::ImageRgb8(smaller.to_rgb8()), ImageFormat::Jpeg)?;
            if jpeg.len() <= MAX_IMAGE_BYTES {
                return Ok((jpeg, "image/jpeg"));
            }
        }
        side /= 2;
    }
}

fn encode(picture: &DynamicImage, format: ImageFormat) -> ImageResult<Vec<u8>> {
    let mut encoded = Cursor::new(Vec::new());
    picture.write_to(&mut encoded, format)?;
    Ok(encoded.into_inner())
}
