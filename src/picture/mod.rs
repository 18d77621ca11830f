//! Pictures within bounds: measured by their header, decoded one at a time, made as small as providers take.
//!
//! A small file may hold a picture that fills the memory, and several may be read at once. So nothing else in the crate
//! decodes one: what is too large by its header is refused before, what a decoder may allocate is limited, and the pixels
//! of one picture are in memory at a time, from its decoder until it is made smaller. Some decoders know no limit; by the
//! number of pixels the largest, of a progressive JPEG with four channels, takes about 800 MB.

use std::io::Cursor;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Mutex, PoisonError};
use std::thread;

use image::metadata::Orientation;
use image::{DynamicImage, ImageDecoder as _, ImageFormat, ImageReader, Limits};

/// Photographs of telephones have up to 50 million pixels.
pub const MOST_PIXELS: u64 = 50_000_000;
/// Memory that a decoded picture may take, and a decoder besides.
const MOST_MEMORY: u64 = 256 * 1024 * 1024;
/// The longest side of a picture that was made smaller.
pub const MOST_SIDE: u32 = 2000;
/// Anthropic takes 5 MB of base64, the strictest of the providers; base64 has four bytes for three.
pub const MOST_BASE64: usize = 5_000_000;
const MOST_BYTES: usize = MOST_BASE64 / 4 * 3;
/// A picture this small is not made smaller.
const LEAST_SIDE: u32 = 64;

/// Held while a picture is in memory. The memory that it bounds is the process's, so it is the process's too.
static IN_MEMORY: Mutex<()> = Mutex::new(());

/// The right to have a large picture in memory, which one thread has at a time.
#[derive(Debug)]
pub struct Alone(());

/// Why a picture cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PictureError {
    #[error("it measures {width}x{height} pixels, more than can be decoded")]
    TooLarge { width: u32, height: u32 },
    #[error("{0}")]
    Unreadable(String),
}

/// A picture in a form that providers take.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FittedPicture {
    pub bytes: Vec<u8>,
    pub mime: &'static str,
    /// As the picture measured before.
    pub width: u32,
    pub height: u32,
}

/// Returns the kind of picture that the bytes begin as, where it is one that providers take.
pub fn mime_of(head: &[u8]) -> Option<&'static str> {
    match infer::get(head)?.mime_type() {
        "image/png" => Some("image/png"),
        "image/jpeg" => Some("image/jpeg"),
        "image/gif" => Some("image/gif"),
        "image/webp" => Some("image/webp"),
        _ => None,
    }
}

/// Returns true if the bytes begin as a picture in the form that Windows has: no provider takes it, and it can be recoded.
pub fn is_bitmap(head: &[u8]) -> bool {
    infer::get(head).is_some_and(|kind| kind.mime_type() == "image/bmp")
}

/// Returns how many pixels a picture has, by its header alone; nothing where that says nothing.
pub fn size(bytes: &[u8]) -> Option<(u32, u32)> {
    // A header that its reader did not foresee takes no thread down.
    let read = catch_unwind(AssertUnwindSafe(|| imagesize::blob_size(bytes)));
    let size = read.ok()?.ok()?;
    let (width, height) = (u32::try_from(size.width).ok()?, u32::try_from(size.height).ok()?);
    (width > 0 && height > 0).then_some((width, height))
}

/// Does this when no other thread has a large picture in memory.
///
/// It is done on a thread of its own that ends with it: the C library keeps what a thread has freed for the next one, and
/// would keep the size of a picture for each of many threads.
pub fn alone<T: Send>(work: impl FnOnce(&Alone) -> T + Send) -> T {
    let _alone = IN_MEMORY.lock().unwrap_or_else(PoisonError::into_inner);
    let done = thread::scope(|scope| scope.spawn(|| work(&Alone(()))).join());
    done.unwrap_or_else(|panic| resume_unwind(panic))
}

impl Alone {
    /// Returns the picture as it is where it can be decoded and providers take it, else scaled, without loss where that is small enough.
    pub fn fit(&self, bytes: Vec<u8>) -> Result<FittedPicture, PictureError> {
        let mime = mime_of(&bytes)
            .ok_or_else(|| PictureError::Unreadable("it is not a PNG, JPEG, GIF or WebP image".to_owned()))?;
        let (width, height) = size(&bytes)
            .ok_or_else(|| PictureError::Unreadable("it is broken: its size cannot be read".to_owned()))?;
        check(width, height)?;
        if width.max(height) <= MOST_SIDE && bytes.len() <= MOST_BYTES {
            // One that is cut short or has no pixels is refused by providers, each time that it is sent.
            decode(self, &bytes)?;
            return Ok(FittedPicture {
                bytes,
                mime,
                width,
                height,
            });
        }
        self.recode(&bytes)
    }

    /// Returns the picture scaled and as PNG or JPEG, of an animation the first one.
    pub fn recode(&self, bytes: &[u8]) -> Result<FittedPicture, PictureError> {
        let (picture, orientation) = decode(self, bytes)?;
        let (width, height) = (picture.width(), picture.height());
        let (bytes, mime) =
            scaled(&picture, orientation).map_err(|error| PictureError::Unreadable(error.to_string()))?;
        Ok(FittedPicture {
            bytes,
            mime,
            width,
            height,
        })
    }

    /// Returns the pixels of the picture, of an animation those of the first one, scaled to fit into so many.
    pub fn thumbnail(&self, bytes: &[u8], width: u32, height: u32) -> Result<DynamicImage, PictureError> {
        let (picture, _) = decode(self, bytes)?;
        Ok(if picture.width() > width || picture.height() > height {
            picture.thumbnail(width, height)
        } else {
            picture
        })
    }
}

/// Returns the pixels. Only what is made of them is handed out: they may not outlive the right to have them.
fn decode(_: &Alone, bytes: &[u8]) -> Result<(DynamicImage, Orientation), PictureError> {
    let unreadable = |error: image::ImageError| PictureError::Unreadable(error.to_string());
    if let Some((width, height)) = size(bytes) {
        check(width, height)?;
    }
    let mut limits = Limits::default();
    limits.max_alloc = Some(MOST_MEMORY);
    let mut reader = ImageReader::new(Cursor::new(bytes))
        .with_guessed_format()
        .map_err(|error| PictureError::Unreadable(error.to_string()))?;
    reader.limits(limits.clone());
    let mut decoder = reader.into_decoder().map_err(unreadable)?;
    let (width, height) = decoder.dimensions();
    check(width, height)?;
    if decoder.total_bytes() > MOST_MEMORY {
        return Err(PictureError::TooLarge { width, height });
    }
    let orientation = decoder.orientation().unwrap_or(Orientation::NoTransforms);
    decoder.set_limits(limits).map_err(unreadable)?;
    let picture = DynamicImage::from_decoder(decoder).map_err(|error| match error {
        image::ImageError::Limits(_) => PictureError::TooLarge { width, height },
        error => unreadable(error),
    })?;
    Ok((picture, orientation))
}

fn check(width: u32, height: u32) -> Result<(), PictureError> {
    if u64::from(width) * u64::from(height) > MOST_PIXELS {
        return Err(PictureError::TooLarge { width, height });
    }
    Ok(())
}

/// Without loss when that is small enough, else as JPEG where nothing shines through, else smaller.
fn scaled(picture: &DynamicImage, orientation: Orientation) -> image::ImageResult<(Vec<u8>, &'static str)> {
    let mut side = MOST_SIDE.min(picture.width().max(picture.height()));
    loop {
        let mut smaller = picture.thumbnail(side, side);
        smaller.apply_orientation(orientation);
        let png = encode(&smaller, ImageFormat::Png)?;
        if png.len() <= MOST_BYTES || side <= LEAST_SIDE {
            return Ok((png, "image/png"));
        }
        if !smaller.color().has_alpha() {
            let jpeg = encode(&DynamicImage::ImageRgb8(smaller.to_rgb8()), ImageFormat::Jpeg)?;
            if jpeg.len() <= MOST_BYTES {
                return Ok((jpeg, "image/jpeg"));
            }
        }
        side /= 2;
    }
}

fn encode(picture: &DynamicImage, format: ImageFormat) -> image::ImageResult<Vec<u8>> {
    let mut encoded = Cursor::new(Vec::new());
    picture.write_to(&mut encoded, format)?;
    Ok(encoded.into_inner())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fitted(bytes: Vec<u8>) -> Result<FittedPicture, PictureError> {
        alone(|alone| alone.fit(bytes))
    }

    fn decoded(bytes: &[u8]) -> Result<DynamicImage, PictureError> {
        alone(|alone| alone.thumbnail(bytes, u32::MAX, u32::MAX))
    }

    fn written(picture: &DynamicImage, format: ImageFormat) -> Vec<u8> {
        encode(picture, format).unwrap()
    }

    /// A PNG whose header tells of these pixels and which has none.
    fn telling(width: u32, height: u32) -> Vec<u8> {
        let mut png = written(&DynamicImage::new_rgb8(3, 2), ImageFormat::Png);
        png[16..20].copy_from_slice(&width.to_be_bytes());
        png[20..24].copy_from_slice(&height.to_be_bytes());
        png
    }

    #[test]
    fn a_picture_that_is_small_enough_stays_as_it_is() {
        for (format, mime) in [
            (ImageFormat::Png, "image/png"),
            (ImageFormat::Jpeg, "image/jpeg"),
            (ImageFormat::Gif, "image/gif"),
            (ImageFormat::WebP, "image/webp"),
        ] {
            let bytes = written(&DynamicImage::new_rgb8(30, 20), format);
            let fitted = fitted(bytes.clone()).unwrap();
            assert_eq!((fitted.bytes, fitted.mime), (bytes, mime));
            assert_eq!((fitted.width, fitted.height), (30, 20));
        }
    }

    #[test]
    fn too_many_pixels_are_refused_by_the_header() {
        for (width, height) in [(13_000, 13_000), (u32::MAX, u32::MAX), (1, 60_000_000)] {
            let bytes = telling(width, height);
            let expected = Err(PictureError::TooLarge { width, height });
            assert_eq!(fitted(bytes.clone()), expected);
            assert_eq!(
                decoded(&bytes).map(|_| ()),
                Err(PictureError::TooLarge { width, height })
            );
        }
    }

    #[test]
    fn too_much_memory_is_refused_although_the_pixels_would_do() {
        // Four channels of 16 bits: eight bytes a pixel. Empty rows compress to little.
        let (width, height) = (8_000, 5_000);
        let bytes = written(
            &DynamicImage::ImageLuma8(image::GrayImage::new(width, height)),
            ImageFormat::Png,
        );
        assert!(bytes.len() < 600_000);
        assert!(decoded(&bytes).is_ok());
        let mut deep = bytes;
        // The depth and the kind of the colours.
        deep[24..26].copy_from_slice(&[16, 6]);
        let crc = crc32(&deep[12..29]);
        deep[29..33].copy_from_slice(&crc.to_be_bytes());
        assert_eq!(
            decoded(&deep).map(|_| ()),
            Err(PictureError::TooLarge { width, height })
        );
    }

    fn crc32(bytes: &[u8]) -> u32 {
        let step = |crc: u32| {
            (0..8).fold(crc, |crc, _| {
                if crc & 1 == 1 {
                    (crc >> 1) ^ 0xedb8_8320
                } else {
                    crc >> 1
                }
            })
        };
        !bytes.iter().fold(!0, |crc, byte| {
            let table = step((crc ^ u32::from(*byte)) & 0xff);
            (crc >> 8) ^ table
        })
    }

    #[test]
    fn a_wide_or_heavy_picture_is_scaled_below_the_limit_of_base64() {
        let wide = fitted(written(&DynamicImage::new_rgb8(3000, 30), ImageFormat::Png)).unwrap();
        assert_eq!(
            (wide.width, wide.height, size(&wide.bytes)),
            (3000, 30, Some((2000, 20)))
        );
        let mut seed = 1_u32;
        let noise = image::RgbImage::from_fn(1200, 1200, |_, _| {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            image::Rgb([(seed >> 8) as u8, (seed >> 16) as u8, (seed >> 24) as u8])
        });
        let png = written(&DynamicImage::ImageRgb8(noise), ImageFormat::Png);
        // Below five MB on disk, above it as base64.
        assert!(png.len() > MOST_BYTES && png.len() < 5_000_000, "{}", png.len());
        let heavy = fitted(png).unwrap();
        assert_eq!(heavy.mime, "image/jpeg");
        assert!(heavy.bytes.len().div_ceil(3) * 4 <= MOST_BASE64);
    }

    #[test]
    fn what_is_no_picture_or_broken_says_so() {
        for bytes in [b"no picture".to_vec(), b"\x89PNG\r\n\x1a\n".to_vec(), Vec::new()] {
            assert!(matches!(fitted(bytes), Err(PictureError::Unreadable(_))));
        }
        let mut cut = written(&DynamicImage::new_rgb8(2100, 60), ImageFormat::Png);
        cut.truncate(60);
        assert!(matches!(fitted(cut), Err(PictureError::Unreadable(_))));
    }
}
