//! `-f`: files that go with a prompt. Text goes as it is, images and PDFs as base64; anything else is refused, because no
//! model could read it.

use std::fs;
use std::path::{Path, PathBuf};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::failure::Failure;
use crate::conversation::FilePart;
use crate::picture;
use crate::regular_file::RegularFile;
use crate::session::wire::{OpenRequest, attachment_refusal};

/// Maximum size in bytes of one file that the providers take, base64 included.
const MAX_BYTES: u64 = 20 << 20;
const MEDIA: [&str; 5] = ["image/png", "image/jpeg", "image/gif", "image/webp", PDF];
const PDF: &str = "application/pdf";

/// Reads the files in the order in which they were named, as far as the rules let them go along.
pub(super) fn attach(request: &OpenRequest, paths: &[PathBuf]) -> Result<Vec<FilePart>, Failure> {
    let mut parts = Vec::with_capacity(paths.len());
    for path in paths {
        if let Some(why) = attachment_refusal(request, path)? {
            return Err(Failure::usage(format!("`{}` {why}", path.display())));
        }
        parts.push(read(path)?);
    }
    Ok(parts)
}

fn read(path: &Path) -> Result<FilePart, Failure> {
    let name = path.display();
    let failed = |error| Failure::usage(format!("`{name}` cannot be attached: {error}"));
    let metadata = fs::metadata(path).map_err(failed)?;
    if metadata.is_dir() {
        return Err(Failure::usage(format!(
            "`{name}` is a directory; name it in the prompt, or attach its files"
        )));
    }
    if !metadata.is_file() {
        return Err(Failure::usage(format!(
            "`{name}` is not a file, so it cannot be attached"
        )));
    }
    if metadata.len() > MAX_BYTES {
        return Err(Failure::usage(format!(
            "`{name}` is larger than 20 MiB; name it in the prompt instead"
        )));
    }
    let read = RegularFile::open(path).and_then(|file| file.read(MAX_BYTES));
    let bytes = read.map_err(|error| failed(error.into()))?;
    let (mime, data) = content(bytes).map_err(|why| Failure::usage(format!("`{name}` {why}")))?;
    Ok(FilePart {
        path: path.to_string_lossy().into_owned(),
        mime,
        data,
        label: None,
    })
}

/// Returns the media type and the content of a file. The type follows from its bytes, not from its name.
fn content(bytes: Vec<u8>) -> Result<(String, String), String> {
    let kind = infer::get(&bytes)
        .map(|kind| kind.mime_type())
        .filter(|mime| MEDIA.contains(mime));
    match kind {
        Some(PDF) => Ok((PDF.to_owned(), STANDARD.encode(&bytes))),
        Some(_) => {
            let fitted = picture::alone(|alone| alone.fit(bytes))
                .map_err(|error| format!("cannot be attached: {error}"))?;
            Ok((fitted.mime.to_owned(), STANDARD.encode(&fitted.bytes)))
        }
        None => {
            let text = String::from_utf8(bytes).ok().filter(|text| !text.contains('\0'));
            let text = text.ok_or("is not text, an image or a PDF, so a model cannot read it")?;
            Ok(("text/plain".to_owned(), text))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn attached(name: &str, bytes: &[u8]) -> Result<FilePart, String> {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(name);
        fs::write(&path, bytes).unwrap();
        read(&path).map_err(|failure| format!("{failure:?}"))
    }

    #[test]
    fn text_goes_as_it_is() {
        let part = attached("a.rs", "fn a() { \"é\" }\n".as_bytes()).unwrap();
        assert_eq!((&*part.mime, &*part.data), ("text/plain", "fn a() { \"é\" }\n"));
        assert!(part.path.ends_with("a.rs"));
    }

    #[test]
    fn images_and_pdfs_are_known_by_their_bytes() {
        let png = include_bytes!("../../tests/it/vectors/pixel.png");
        let part = attached("picture.txt", png).unwrap();
        assert_eq!(
            (part.mime, part.data),
            ("image/png".to_owned(), STANDARD.encode(png))
        );
        assert_eq!(attached("a", b"%PDF-1.7\n").unwrap().mime, "application/pdf");
    }

    #[test]
    fn a_picture_is_scaled_and_one_that_is_too_large_refused_with_its_size() {
        let mut png = std::io::Cursor::new(Vec::new());
        image::DynamicImage::new_rgb8(9000, 9)
            .write_to(&mut png, image::ImageFormat::Png)
            .unwrap();
        let mut png = png.into_inner();
        let part = attached("wide.png", &png).unwrap();
        assert_eq!(
            picture::size(&STANDARD.decode(part.data).unwrap()),
            Some((2000, 2))
        );
        png[16..24].copy_from_slice(&[0, 0, 0x40, 0, 0, 0, 0x40, 0]);
        let error = attached("large.png", &png).unwrap_err();
        assert!(error.contains("16384x16384"), "{error}");
    }

    #[test]
    fn what_no_model_reads_is_refused() {
        assert!(
            attached("a.bin", &[0, 1, 2])
                .unwrap_err()
                .contains("is not text, an image or a PDF")
        );
        assert!(attached("a.txt", &[0xff, 0xfe, b'a']).is_err());
    }

    #[test]
    fn a_file_that_is_missing_or_no_file_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let gone = format!("{:?}", read(&dir.path().join("gone")).unwrap_err());
        assert!(gone.contains("gone` cannot be attached"), "{gone}");
        assert!(format!("{:?}", read(dir.path()).unwrap_err()).contains("is a directory"));
    }
}
