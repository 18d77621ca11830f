//! Files and image data that are to be looked at, and their kinds.

use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

use crate::conversation::ErrorKind;
use crate::files::{PathKind, Resolved, looks_binary};
use crate::picture;
use crate::tool::ToolError;
use crate::tool::builtin::read::{beginning, extension, is_pdf};
use crate::tool::file_name::one_line;

/// Bytes that may be looked at together.
pub(super) const MOST_BYTES: u64 = 20_000_000;
/// Extensions of files that are text.
const TEXT: &[&str] = &["svg", "txt", "md", "csv", "json", "html"];

/// How something is shown to a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SourceKind {
    /// In a form that providers take.
    Image,
    /// In a form that has to be converted.
    Bitmap,
    Pdf,
    Text,
}

impl SourceKind {
    pub(super) fn is_image(self) -> bool {
        matches!(self, Self::Image | Self::Bitmap)
    }
}

/// Something that is to be looked at.
#[derive(Debug)]
pub(super) enum Source {
    File {
        path: Resolved,
        name: String,
        kind: SourceKind,
    },
    Data {
        name: String,
        bytes: Vec<u8>,
        kind: SourceKind,
    },
}

impl Source {
    pub(super) fn kind(&self) -> SourceKind {
        match self {
            Self::File { kind, .. } | Self::Data { kind, .. } => *kind,
        }
    }

    /// The name under which the person and the model know it, on one line.
    pub(super) fn name(&self) -> &str {
        match self {
            Self::File { name, .. } | Self::Data { name, .. } => name,
        }
    }
}

/// Refuses what is on the web.
pub(super) fn refuse_url(given: &str) -> Result<(), ToolError> {
    let scheme = given
        .trim_start()
        .split_once("://")
        .map(|(scheme, _)| scheme.to_ascii_lowercase());
    if !matches!(scheme.as_deref(), Some("http" | "https")) {
        return Ok(());
    }
    Err(ToolError::invalid_args(format!(
        "`{}` is a URL; look_at looks at files",
        one_line(given.trim())
    ))
    .hint("Fetch it into a file first, and look at that."))
}

/// Finds the files, decodes the data, and checks kinds and sizes. Blocks.
pub(super) fn find(paths: Vec<Resolved>, images: &[String]) -> Result<Vec<Source>, ToolError> {
    let mut total = 0;
    let mut sources = Vec::new();
    for path in paths {
        let name = one_line(&path.display).into_owned();
        let (head, size) = beginning_of_file(&path)?;
        total += size;
        check_size(&name, total)?;
        let kind = kind(&head, &extension(&path.real)).ok_or_else(|| unknown(&name))?;
        sources.push(Source::File { path, name, kind });
    }
    for (index, given) in images.iter().enumerate() {
        let name = match images.len() {
            1 => "image_data".to_owned(),
            _ => format!("image_data {}", index + 1),
        };
        // Three bytes are four characters.
        check_size(&name, total + given.len() as u64 / 4 * 3)?;
        let bytes = decoded(given, &name)?;
        total += bytes.len() as u64;
        let kind = kind(&bytes, "").ok_or_else(|| unknown(&name))?;
        sources.push(Source::Data { name, bytes, kind });
    }
    Ok(sources)
}

fn check_size(name: &str, total: u64) -> Result<(), ToolError> {
    if total <= MOST_BYTES {
        return Ok(());
    }
    let most = MOST_BYTES / 1_000_000;
    Err(ToolError::new(
        ErrorKind::TooLarge,
        format!("with `{name}` it would be more than the {most} MB that are looked at in one call"),
    )
    .hint("Look at fewer files at once, or make a smaller copy."))
}

fn beginning_of_file(path: &Resolved) -> Result<(Vec<u8>, u64), ToolError> {
    if path.kind == PathKind::Directory {
        return Err(ToolError::new(
            ErrorKind::IsDirectory,
            format!("`{}` is a directory", path.display),
        )
        .hint("Name the files in it that are to be looked at."));
    }
    beginning(path)
}

/// By the first bytes; text by its extension.
fn kind(head: &[u8], extension: &str) -> Option<SourceKind> {
    if picture::mime_of(head).is_some() {
        return Some(SourceKind::Image);
    }
    if is_pdf(head, extension) {
        return Some(SourceKind::Pdf);
    }
    if picture::is_bitmap(head) {
        return Some(SourceKind::Bitmap);
    }
    (TEXT.contains(&extension) && !looks_binary(head)).then_some(SourceKind::Text)
}

fn unknown(name: &str) -> ToolError {
    ToolError::new(
        ErrorKind::Binary,
        format!("`{name}` is of no kind that can be looked at"),
    )
    .hint(
        "look_at takes png, jpg, gif, webp, bmp, pdf, svg, txt, md, csv, json and html, by what is in the file; read \
         shows other text.",
    )
}

/// Returns the bytes of base64 or of a data URL.
fn decoded(given: &str, name: &str) -> Result<Vec<u8>, ToolError> {
    let refused = |why: String| {
        ToolError::invalid_args(format!("`{name}` cannot be read: {why}")).hint(
            "Give base64 or a data URL such as `data:image/png;base64,…`, or name a file with `file_path`.",
        )
    };
    let given = given.trim();
    let is_url = given
        .get(..5)
        .is_some_and(|scheme| scheme.eq_ignore_ascii_case("data:"));
    let encoded = if is_url {
        let (head, encoded) = given
            .split_once(',')
            .ok_or_else(|| refused("the data URL has no data".to_owned()))?;
        if !head.to_ascii_lowercase().ends_with(";base64") {
            return Err(refused("the data URL is not base64".to_owned()));
        }
        encoded
    } else {
        given
    };
    let config = GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent);
    let letters: String = encoded.chars().filter(|c| !c.is_ascii_whitespace()).collect();
    let bytes = GeneralPurpose::new(&STANDARD, config).decode(letters);
    bytes.map_err(|error| refused(format!("it is no base64: {error}")))
}
