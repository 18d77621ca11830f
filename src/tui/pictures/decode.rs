//! From the bytes of a file to a picture of the size at which it is drawn.
//!
//! It takes time and memory, and the file may mean harm: so it runs on a thread of its own, within limits, and what the
//! terminal gets is always made anew here and never the file itself.

use std::io::Cursor;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use image::{DynamicImage, ImageFormat, RgbaImage};

use super::{PictureEncoding, PictureJob, sixel};
use crate::picture;

/// As much as a photograph of 8,000 by 5,000 pixels has.
const MOST_PIXELS: u64 = 40_000_000;
/// Characters of base64.
const LONGEST: usize = 64 * 1024 * 1024;

/// Returns the picture as its form has it; nothing where it cannot be drawn.
pub(super) fn draw(job: &PictureJob) -> Option<String> {
    if job.data.len() > LONGEST {
        return None;
    }
    let bytes = STANDARD.decode(job.data.trim()).ok()?;
    let (width, height) = picture::size(&bytes)?;
    if u64::from(width) * u64::from(height) > MOST_PIXELS {
        return None;
    }
    let (width, height) = job.pixels;
    let picture = picture::alone(|alone| alone.thumbnail(&bytes, width, height)).ok()?;
    drop(bytes);
    let picture = picture.into_rgba8();
    match job.form {
        PictureEncoding::Sixel => Some(sixel::encode(&picture)),
        PictureEncoding::Png => as_png(picture),
    }
}

fn as_png(picture: RgbaImage) -> Option<String> {
    let picture = DynamicImage::ImageRgba8(picture);
    let mut png = Cursor::new(Vec::new());
    picture.write_to(&mut png, ImageFormat::Png).ok()?;
    Some(STANDARD.encode(png.into_inner()))
}

#[cfg(test)]
mod tests {
    use super::super::facts::tests::png;
    use super::super::{Grid, PictureEncoding};
    use super::*;

    fn job(bytes: &[u8]) -> PictureJob {
        PictureJob {
            key: 1,
            grid: Grid { columns: 4, rows: 2 },
            form: PictureEncoding::Png,
            pixels: (40, 40),
            data: STANDARD.encode(bytes),
        }
    }

    #[test]
    fn a_picture_is_made_as_small_as_it_is_drawn() {
        let drawn = draw(&job(&png(400, 100))).unwrap();
        let bytes = STANDARD.decode(drawn).unwrap();
        assert_eq!(picture::size(&bytes), Some((40, 10)));
    }

    #[test]
    fn files_that_are_cut_or_lie_are_not_drawn() {
        let whole = png(60, 60);
        assert!(draw(&job(&whole)).is_some());
        assert!(draw(&job(&whole[..whole.len() / 2])).is_none());
        assert!(draw(&job(b"no picture")).is_none());
        let mut bomb = whole.clone();
        // The size in the header, and the checksum that goes with it.
        bomb[16..24].copy_from_slice(&[0, 0, 0xff, 0xff, 0, 0, 0xff, 0xff]);
        assert!(draw(&job(&bomb)).is_none());
        let broken = PictureJob {
            data: "?".to_owned(),
            ..job(b"")
        };
        assert!(draw(&broken).is_none());
    }

    #[test]
    fn a_picture_of_too_many_pixels_is_not_read() {
        // Empty rows compress to little: 8,000 by 6,000 pixels of one bit.
        let side = 8_000_u32;
        let picture = image::GrayImage::new(side, 6_000);
        let mut png = Cursor::new(Vec::new());
        picture.write_to(&mut png, ImageFormat::Png).unwrap();
        let bytes = png.into_inner();
        assert!(bytes.len() < 1_000_000, "{}", bytes.len());
        assert!(draw(&job(&bytes)).is_none());
    }
}
