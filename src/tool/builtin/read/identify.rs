//! Identifies the file at a path: by its kind, its first bytes and then its extension.

use std::fs::DirEntry;
use std::path::Path;

use super::{Media, What, io_error, open};
use crate::conversation::ErrorKind;
use crate::files::{PathKind, Resolved, looks_binary};
use crate::text::encoding::Encoding;
use crate::tool::ToolError;
use crate::tool::file_name::one_line;

/// Bytes that say what a file is.
const HEAD: u64 = 4096;
/// Siblings that are looked at for a name like the missing one.
const MAX_SIBLINGS: usize = 10_000;
const SUGGESTIONS: usize = 3;

/// Never text, whatever the first bytes look like.
const BINARY_EXTENSIONS: &[&str] = &[
    "zip", "tar", "gz", "7z", "exe", "dll", "so", "dylib", "a", "o", "lib", "class", "jar", "war", "pyc",
    "pyo", "wasm", "bin", "dat", "obj", "doc", "docx", "xls", "xlsx", "ppt", "pptx", "odt", "ods", "odp",
];

/// Identifies the file at a path. `encoding` is the one that it is known to be in.
pub(super) fn identify(path: &Resolved, encoding: Option<Encoding>) -> Result<What, ToolError> {
    if path.kind == PathKind::Directory {
        return Ok(What::Directory);
    }
    let (head, _) = beginning(path)?;
    if let Some(media) = media(&head) {
        return Ok(What::Media(media));
    }
    let extension = extension(&path.real);
    if is_pdf(&head, &extension) {
        return Ok(What::Media(Media::Pdf));
    }
    // The NUL bytes of UTF-16 are no sign of a binary file.
    let is_text = encoding.is_some_and(Encoding::is_utf16);
    if BINARY_EXTENSIONS.contains(&extension.as_str()) || !is_text && looks_binary(&head) {
        let message = format!("`{}` is a binary file", path.display);
        return Err(ToolError::new(ErrorKind::Binary, message)
            .hint("Look at it with a program that knows its format, through bash."));
    }
    Ok(What::Text)
}

/// Returns the first bytes of the file at a path and its size, or says why there is none to be read.
pub(in crate::tool::builtin) fn beginning(path: &Resolved) -> Result<(Vec<u8>, u64), ToolError> {
    match path.kind {
        PathKind::Missing | PathKind::DanglingLink => return Err(not_found(path)),
        PathKind::Special => {
            let message = format!(
                "`{}` is a device, a pipe or a socket; it was not opened",
                path.display
            );
            return Err(ToolError::new(ErrorKind::Io, message));
        }
        PathKind::File | PathKind::Directory => {}
    }
    let file = open(path)?;
    let size = file.metadata().len();
    let head = file.read_beginning(HEAD);
    Ok((head.map_err(|error| io_error(path, &error.into()))?, size))
}

/// Returns true if a file with these first bytes and this extension is a PDF. Some writers put something before the mark;
/// readers look for it in the first kilobyte.
pub(in crate::tool::builtin) fn is_pdf(head: &[u8], extension: &str) -> bool {
    let mark = b"%PDF-";
    head.starts_with(mark) || extension == "pdf" && contains(&head[..head.len().min(1024)], mark)
}

/// By the first bytes. What has a picture's name and not its bytes is shown as what it is: a pointer file, a web page that
/// was saved by mistake.
fn media(head: &[u8]) -> Option<Media> {
    match infer::get(head)?.mime_type() {
        "image/png" => Some(Media::Png),
        "image/jpeg" => Some(Media::Jpeg),
        "image/gif" => Some(Media::Gif),
        "image/webp" => Some(Media::Webp),
        "application/pdf" => Some(Media::Pdf),
        _ => None,
    }
}

fn contains(bytes: &[u8], wanted: &[u8]) -> bool {
    bytes.windows(wanted.len()).any(|window| window == wanted)
}

/// Returns the extension of a file in small letters, empty without one.
pub(in crate::tool::builtin) fn extension(path: &Path) -> String {
    path.extension()
        .map(|extension| extension.to_string_lossy().to_lowercase())
        .unwrap_or_default()
}

fn not_found(path: &Resolved) -> ToolError {
    let what = match path.kind {
        PathKind::DanglingLink => "is a symbolic link to nothing",
        _ => "does not exist",
    };
    let error = ToolError::new(ErrorKind::NotFound, format!("`{}` {what}", path.display));
    let near = siblings_like(path);
    if near.is_empty() {
        return error;
    }
    error.hint(format!("Did you mean:\n{}", near.join("\n")))
}

/// Names up to three siblings that look alike, the nearest first.
fn siblings_like(path: &Resolved) -> Vec<String> {
    let (Some(name), Some(parent)) = (path.absolute.file_name(), path.absolute.parent()) else {
        return Vec::new();
    };
    let own = name;
    let name = name.to_string_lossy().to_lowercase();
    let entries = std::fs::read_dir(parent).into_iter().flatten().flatten();
    let mut near: Vec<(usize, String)> = Vec::new();
    // A link to nothing is there under the very name that was asked for; no other one leads further either.
    let leads_somewhere = |entry: &DirEntry| entry.file_name() != own && entry.path().exists();
    for entry in entries.take(MAX_SIBLINGS) {
        let sibling = entry.file_name().to_string_lossy().into_owned();
        let lower = sibling.to_lowercase();
        let distance = strsim::levenshtein(&lower, &name);
        let is_like = distance <= 2 || lower.contains(&name) || name.contains(&lower);
        if is_like && leads_somewhere(&entry) {
            near.push((distance, sibling));
        }
    }
    near.sort();
    let directory = path.display.rsplit_once('/').map(|(directory, _)| directory);
    let shown = near.iter().take(SUGGESTIONS).map(|(_, sibling)| match directory {
        Some(directory) => one_line(&format!("{directory}/{sibling}")).into_owned(),
        None => one_line(sibling).into_owned(),
    });
    shown.collect()
}
