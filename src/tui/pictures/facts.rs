//! Facts about a picture without drawing it.
//!
//! The layout asks for it, so nothing here touches a file or decodes one: it may mean harm, and its size stands in the first
//! bytes of what the conversation has.

use std::io::{BufRead, Cursor, Seek};
use std::panic::{AssertUnwindSafe, catch_unwind};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::text::size::size_words;
use crate::view::Symbols;

/// Characters of base64 that are looked at for the size: headers stand at the beginning, and most are short. A photograph may
/// have much before its size.
const HEADS: [usize; 2] = [1024, 256 * 1024];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PictureFacts {
    format: &'static str,
    /// In pixels, where the file tells.
    pub(crate) size: Option<(u32, u32)>,
    bytes: u64,
}

impl PictureFacts {
    /// Reads the header; `None` for what is no picture that can be drawn. `data` is base64.
    pub(crate) fn read(mime: &str, data: &str) -> Option<Self> {
        let format = match mime {
            "image/png" => "PNG",
            "image/jpeg" => "JPEG",
            "image/gif" => "GIF",
            "image/webp" => "WebP",
            _ => return None,
        };
        Some(Self {
            format,
            size: size_in(data),
            bytes: data.len() as u64 / 4 * 3,
        })
    }

    /// `image shot.png · PNG 640×480 · 12.0 kB`.
    pub(crate) fn caption(&self, name: &str, symbols: Symbols) -> String {
        let dot = symbols.dot();
        let times = symbols.times();
        let size = match self.size {
            Some((width, height)) => format!(" {width}{times}{height}"),
            None => String::new(),
        };
        let bytes = size_words(self.bytes);
        format!("image {name} {dot} {}{size} {dot} {bytes}", self.format)
    }
}

/// Returns how many pixels a picture has, by its header alone; nothing where that says nothing.
pub(in crate::tui) fn size(file: impl BufRead + Seek) -> Option<(u32, u32)> {
    // A header that its reader did not foresee takes no thread down.
    let read = catch_unwind(AssertUnwindSafe(|| imagesize::reader_size(file)));
    let size = read.ok()?.ok()?;
    let (width, height) = (size.width.try_into().ok()?, size.height.try_into().ok()?);
    (width > 0 && height > 0).then_some((width, height))
}

fn size_in(data: &str) -> Option<(u32, u32)> {
    let data = data.as_bytes();
    HEADS.iter().find_map(|head| {
        let head = &data[..data.len().min(*head)];
        size(Cursor::new(STANDARD.decode(head).ok()?))
    })
}

#[cfg(test)]
pub(in crate::tui) mod tests {
    use super::*;

    /// A picture with something on it, so that it does not compress to nothing.
    pub(in crate::tui) fn png(width: u32, height: u32) -> Vec<u8> {
        let picture = image::RgbImage::from_fn(width, height, |x, y| {
            let mixed = (x * 7919 + y * 104_729) ^ (x * y);
            image::Rgb([mixed as u8, (mixed >> 3) as u8, (mixed >> 5) as u8])
        });
        let mut png = Cursor::new(Vec::new());
        picture.write_to(&mut png, image::ImageFormat::Png).unwrap();
        png.into_inner()
    }

    #[test]
    fn the_size_is_read_from_the_header_and_nothing_after_it() {
        for format in [
            image::ImageFormat::Png,
            image::ImageFormat::Jpeg,
            image::ImageFormat::Gif,
            image::ImageFormat::WebP,
        ] {
            let mut file = Cursor::new(Vec::new());
            let picture = image::RgbImage::new(30, 20);
            picture.write_to(&mut file, format).unwrap();
            let bytes = file.into_inner();
            assert_eq!(size(Cursor::new(&bytes)), Some((30, 20)), "{format:?}");
            for end in 0..bytes.len() {
                let cut = size(Cursor::new(&bytes[..end]));
                assert!(
                    cut.is_none() || cut == Some((30, 20)),
                    "{format:?} {end}: {cut:?}"
                );
            }
        }
        // A profile that nobody unpacks.
        let mut profile = png(30, 20);
        profile.truncate(33);
        profile.extend_from_slice(b"\xff\xff\xff\xffiCCPbomb");
        assert_eq!(size(Cursor::new(profile)), Some((30, 20)));
        let mut none = png(30, 20);
        none[16..20].fill(0);
        assert_eq!(size(Cursor::new(none)), None);
    }

    #[test]
    fn a_caption_says_what_it_is() {
        let data = STANDARD.encode(png(64, 48));
        let facts = PictureFacts::read("image/png", &data).unwrap();
        assert_eq!(
            facts.caption("shot.png", Symbols::Unicode),
            format!("image shot.png · PNG 64×48 · {}", size_words(facts.bytes))
        );
        assert!(
            facts
                .caption("a", Symbols::Ascii)
                .starts_with("image a - PNG 64x48 - ")
        );
        let broken = PictureFacts::read("image/webp", "AAAA").unwrap();
        assert_eq!(broken.caption("b", Symbols::Unicode), "image b · WebP · 3 bytes");
        assert_eq!(PictureFacts::read("application/pdf", "AAAA"), None);
    }
}
