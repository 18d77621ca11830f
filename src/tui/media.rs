//! Pictures and PDFs that are pasted: by their paths, as files come that are dropped on the terminal, or from the clipboard.
//!
//! A terminal writes a path plain, in quotes, with backslashes or as a URL, and several in one paste. So a paste is read
//! in each of these ways, and taken for files only where they are there. Everything here that looks at files or runs a
//! command does so on another thread than the screen's.

use std::fs;
use std::io::BufReader;
use std::path::Path;

use crate::regular_file::{ReadError, RegularFile};
use crate::session::MOST_FILES_BYTES;
use crate::text::size::size_words;
use crate::tui::pictures::facts;

/// A picture may have more than is sent of it: it is made smaller.
pub(super) const MOST_BYTES: u64 = 20 << 20;
/// A PDF is sent whole, as base64, which has four bytes for three.
const MOST_PDF_BYTES: u64 = MOST_FILES_BYTES as u64 / 4 * 3;
/// Pastes of more are text.
const LONGEST_PASTE: usize = 16 * 1024;
/// More than anybody shows a model at once.
const MOST_FILES: usize = 20;
const ENDINGS: [&str; 6] = ["png", "jpg", "jpeg", "gif", "webp", "pdf"];

/// A picture or a PDF that is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Media {
    pub(crate) path: String,
    pub(crate) kind: MediaKind,
    /// Width and height of a picture.
    pub(crate) pixels: Option<(u32, u32)>,
    pub(crate) bytes: u64,
}

/// The kind of a file, as a model sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MediaKind {
    Image,
    Pdf,
}

impl MediaKind {
    /// As labels have it.
    pub(crate) fn noun(self) -> &'static str {
        match self {
            Self::Image => "image",
            Self::Pdf => "pdf",
        }
    }
}

impl Media {
    /// Returns the facts that tell it from others of its name: `640×480`, or a PDF's size.
    pub(crate) fn facts(&self, times: &str) -> String {
        match self.pixels {
            Some((width, height)) => format!("{width}{times}{height}"),
            None => size_words(self.bytes),
        }
    }
}

/// Returns what a paste may name, if it could be pictures and PDFs alone: each way to read it, the likeliest first.
pub(crate) fn pasted_paths(pasted: &str) -> Vec<Vec<String>> {
    let pasted = pasted.trim();
    if pasted.is_empty() || pasted.len() > LONGEST_PASTE {
        return Vec::new();
    }
    let mut ways = Vec::new();
    if !pasted.contains('\n') {
        ways.push(vec![pasted.to_owned()]);
    }
    ways.extend(shell_words(pasted));
    ways.push(pasted.lines().map(|line| line.trim().to_owned()).collect());
    let mut read: Vec<Vec<String>> = Vec::new();
    for way in ways {
        let paths: Option<Vec<_>> = way.iter().map(|word| media_path(word)).collect();
        let paths = paths.filter(|paths| !paths.is_empty() && paths.len() <= MOST_FILES);
        read.extend(paths.filter(|paths| !read.contains(paths)));
    }
    read
}

/// Returns the path that a word is, where it is written out and ends as those of pictures and PDFs do.
fn media_path(word: &str) -> Option<String> {
    let path = if word.starts_with("file:") {
        crate::files::local_path(word)?
            .into_os_string()
            .into_string()
            .ok()?
    } else {
        word.to_owned()
    };
    let is_written_out = ["/", "~/", "./", "../"]
        .iter()
        .any(|start| path.starts_with(start));
    let ending = Path::new(&path).extension()?.to_str()?.to_lowercase();
    (is_written_out && ENDINGS.contains(&ending.as_str())).then_some(path)
}

/// Splits a text as a shell would; nothing where a quote is left open.
fn shell_words(text: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote: Option<char> = None;
    let mut characters = text.chars();
    while let Some(c) = characters.next() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (Some('\''), c) => word.get_or_insert_default().push(c),
            (_, '\\') => word.get_or_insert_default().push(characters.next()?),
            (None, '\'' | '"') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, c) if c.is_whitespace() => words.extend(word.take()),
            (_, c) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    quote.is_none().then_some(words)
}

/// Looks at a file. `None` where there is none; an error says why no model could take it.
pub(crate) fn inspect(path: &Path) -> Option<Result<Media, String>> {
    let metadata = fs::metadata(path).ok().filter(fs::Metadata::is_file)?;
    let shown = path.to_str()?.to_owned();
    Some(look(path, shown, metadata.len()))
}

fn look(path: &Path, shown: String, bytes: u64) -> Result<Media, String> {
    let name = path
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    let check = |kind: &str, most: u64| {
        if bytes <= most {
            return Ok(());
        }
        let (bytes, most) = (size_words(bytes), most >> 20);
        Err(format!(
            "`{name}` has {bytes}; {kind} may have at most {most} MiB"
        ))
    };
    check("a file", MOST_BYTES)?;
    let unreadable = |error: ReadError| format!("`{name}` cannot be read: {error}");
    let open = || RegularFile::open(path).map_err(unreadable);
    let head = open()?.read_beginning(8192).map_err(unreadable)?;
    let kind = kind_of(&head).ok_or_else(|| format!("`{name}` does not contain an image or a PDF"))?;
    let pixels = match kind {
        MediaKind::Pdf => {
            check("a PDF", MOST_PDF_BYTES)?;
            None
        }
        MediaKind::Image => {
            let pixels = facts::size(BufReader::new(open()?.into_file()));
            Some(pixels.ok_or_else(|| format!("`{name}` is a broken image: its size cannot be read"))?)
        }
    };
    Ok(Media {
        path: shown,
        kind,
        pixels,
        bytes,
    })
}

/// Returns the kind of a file. It follows from its bytes, not from its name.
pub(super) fn kind_of(head: &[u8]) -> Option<MediaKind> {
    match infer::get(head)?.mime_type() {
        "application/pdf" => Some(MediaKind::Pdf),
        "image/png" | "image/jpeg" | "image/gif" | "image/webp" => Some(MediaKind::Image),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn png() -> Vec<u8> {
        let mut bytes = std::io::Cursor::new(Vec::new());
        image::DynamicImage::new_rgb8(3, 2)
            .write_to(&mut bytes, image::ImageFormat::Png)
            .unwrap();
        bytes.into_inner()
    }

    #[test]
    fn a_paste_that_is_a_path_is_known_in_every_form() {
        for (pasted, path) in [
            ("/tmp/a.png\n", "/tmp/a.png"),
            ("'/tmp/my shot.PNG'", "/tmp/my shot.PNG"),
            ("'/tmp/it'\\''s.png'", "/tmp/it's.png"),
            ("\"/tmp/a b.pdf\"", "/tmp/a b.pdf"),
            ("\"/tmp/it's.pdf\"", "/tmp/it's.pdf"),
            ("/tmp/my\\ shot\\(1\\).jpg ", "/tmp/my shot(1).jpg"),
            ("file:///tmp/my%20shot.webp", "/tmp/my shot.webp"),
            ("/tmp/my shot.png", "/tmp/my shot.png"),
            ("~/a.gif", "~/a.gif"),
        ] {
            let ways = pasted_paths(pasted);
            assert!(ways.contains(&vec![path.to_owned()]), "{pasted}: {ways:?}");
        }
        for pasted in [
            "",
            "/tmp/a.rs",
            "two\n/tmp/a.png",
            "a.png",
            "see a.png.",
            "'/tmp/a.png",
        ] {
            assert_eq!(pasted_paths(pasted), Vec::<Vec<String>>::new(), "{pasted}");
        }
    }

    #[test]
    fn several_files_may_come_in_one_paste() {
        let both = ["/tmp/a b.png", "/tmp/c.pdf"].map(str::to_owned).to_vec();
        for pasted in [
            "'/tmp/a b.png' '/tmp/c.pdf'",
            "/tmp/a\\ b.png /tmp/c.pdf ",
            "/tmp/a b.png\n/tmp/c.pdf",
            "file:///tmp/a%20b.png\r\nfile:///tmp/c.pdf",
        ] {
            assert!(
                pasted_paths(pasted).contains(&both),
                "{pasted}: {:?}",
                pasted_paths(pasted)
            );
        }
    }

    #[test]
    fn a_picture_is_known_by_what_is_in_it() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str, bytes: &[u8]| {
            let path = dir.path().join(name);
            fs::write(&path, bytes).unwrap();
            inspect(&path).unwrap()
        };
        let media = at("shot.png", &png()).unwrap();
        assert_eq!(
            (media.kind, media.facts("×")),
            (MediaKind::Image, "3×2".to_owned())
        );
        let pdf = at("a.pdf", b"%PDF-1.7\n").unwrap();
        assert_eq!((pdf.kind, pdf.facts("×")), (MediaKind::Pdf, "9 bytes".to_owned()));
        assert!(
            at("text.png", b"hello")
                .unwrap_err()
                .contains("does not contain an image or a PDF")
        );
        let broken = at("broken.png", &png()[..20]).unwrap_err();
        assert!(broken.contains("broken image"), "{broken}");
        let large = dir.path().join("large.pdf");
        for (bytes, words) in [
            (MOST_PDF_BYTES, None),
            (
                MOST_PDF_BYTES + 1,
                Some("`large.pdf` has 15.7 MB; a PDF may have at most 15 MiB"),
            ),
            (
                MOST_BYTES + 1,
                Some("`large.pdf` has 21.0 MB; a file may have at most 20 MiB"),
            ),
        ] {
            fs::write(&large, b"%PDF-1.7\n").unwrap();
            let file = fs::OpenOptions::new().write(true).open(&large).unwrap();
            file.set_len(bytes).unwrap();
            let looked = inspect(&large).unwrap();
            assert_eq!(looked.err().as_deref(), words);
            let encoded = usize::try_from(bytes.div_ceil(3) * 4).unwrap();
            assert_eq!(
                words.is_none(),
                encoded <= MOST_FILES_BYTES,
                "one that is taken can be sent"
            );
        }
        assert_eq!(inspect(&dir.path().join("gone.png")), None);
        assert_eq!(inspect(dir.path()), None);
    }
}
