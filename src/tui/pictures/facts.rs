//! What there is to say of a picture without drawing it.

use std::io::Cursor;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use image::ImageReader;

use crate::text::size::size_words;
use crate::view::Symbols;

/// Characters of base64 that are looked at for the size: headers stand at the beginning.
const HEAD: usize = 256 * 1024;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Facts {
    format: &'static str,
    /// In pixels, where the file tells.
    pub(crate) size: Option<(u32, u32)>,
    bytes: u64,
}

impl Facts {
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
            size: size(data),
            bytes: data.len() as u64 / 4 * 3,
        })
    }

    /// `image shot.png · PNG 640×480 · 12.0 kB`.
    pub(crate) fn caption(&self, name: &str, symbols: Symbols) -> String {
        let dot = symbols.dot();
        let times = match symbols {
            Symbols::Unicode => "×",
            Symbols::Ascii => "x",
        };
        let size = match self.size {
            Some((width, height)) => format!(" {width}{times}{height}"),
            None => String::new(),
        };
        let bytes = size_words(self.bytes);
        format!("image {name} {dot} {}{size} {dot} {bytes}", self.format)
    }
}

fn size(data: &str) -> Option<(u32, u32)> {
    let head = data.as_bytes();
    let head = &head[..head.len().min(HEAD)];
    let bytes = STANDARD.decode(head).ok()?;
    let reader = ImageReader::new(Cursor::new(bytes)).with_guessed_format().ok()?;
    let size = reader.into_dimensions().ok()?;
    (size.0 > 0 && size.1 > 0).then_some(size)
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
    fn a_caption_says_what_it_is() {
        let data = STANDARD.encode(png(64, 48));
        let facts = Facts::read("image/png", &data).unwrap();
        assert_eq!(
            facts.caption("shot.png", Symbols::Unicode),
            format!("image shot.png · PNG 64×48 · {}", size_words(facts.bytes))
        );
        assert!(
            facts
                .caption("a", Symbols::Ascii)
                .starts_with("image a - PNG 64x48 - ")
        );
        let broken = Facts::read("image/webp", "AAAA").unwrap();
        assert_eq!(broken.caption("b", Symbols::Unicode), "image b · WebP · 3 bytes");
        assert_eq!(Facts::read("application/pdf", "AAAA"), None);
    }
}
