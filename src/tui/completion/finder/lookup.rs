//! Lookups in the file system for one question. Any of them may take forever where a disk does not answer.

use std::fs;
use std::path::PathBuf;

use super::FinderPaths;
use crate::regular_file::RegularFile;
use crate::tui::editor;
use crate::tui::media::{self, Media};

/// Entries of a directory that is named by its own path.
const MOST_ENTRIES: usize = 200;
/// Number of bytes that are read of a file for its preview.
const LOOK_BYTES: u64 = 64 * 1024;

/// Returns what a path names by its own beginning, hidden and ignored files too: what is in a directory that is written
/// out, or the one file of this very name.
pub(super) fn by_own_path(places: &FinderPaths, text: &str) -> Vec<String> {
    if text.is_empty() {
        return Vec::new();
    }
    let (directory, begun) = split(text);
    let Ok(entries) = fs::read_dir(absolute(places, directory)) else {
        return Vec::new();
    };
    let mut paths = Vec::new();
    for entry in entries.flatten() {
        let Ok(name) = entry.file_name().into_string() else {
            continue;
        };
        let is_meant = if directory.is_empty() {
            name == begun
        } else {
            name.starts_with(begun) && (begun.starts_with('.') || !name.starts_with('.'))
        };
        if is_meant && name != ".git" {
            let end = if entry.path().is_dir() { "/" } else { "" };
            paths.push(format!("{directory}{name}{end}"));
        }
        if paths.len() >= MOST_ENTRIES {
            break;
        }
    }
    paths.sort_unstable();
    paths
}

/// Splits a path into its directory, which ends with a slash where there is one, and the beginning of a name in it.
pub(super) fn split(path: &str) -> (&str, &str) {
    path.split_at(path.rfind('/').map_or(0, |slash| slash + 1))
}

/// Looks at the files that a paste names.
pub(super) fn inspect(places: &FinderPaths, pasted: &str) -> Option<Result<Vec<Media>, String>> {
    let mut ways = media::pasted_paths(pasted).into_iter();
    ways.find_map(|paths| {
        let found = paths.iter().map(|path| media::inspect(&absolute(places, path)));
        let found: Option<Vec<_>> = found.collect();
        found.map(|files| files.into_iter().collect())
    })
}

/// Returns the absolute path of a path that begins in the session's directory, at home or at the root.
fn absolute(places: &FinderPaths, path: &str) -> PathBuf {
    editor::absolute(path, &places.directory, places.home.as_deref())
}

/// Reads the beginning of a file; nothing where it is no text.
pub(super) fn look(places: &FinderPaths, path: &str) -> Option<String> {
    let path = absolute(places, path);
    if path.is_dir() {
        let entries = fs::read_dir(&path).ok()?.flatten();
        let mut names: Vec<_> = entries
            .filter_map(|entry| entry.file_name().into_string().ok())
            .collect();
        names.sort_unstable();
        names.truncate(MOST_ENTRIES);
        return Some(names.join("\n"));
    }
    let bytes = RegularFile::open(&path).ok()?.read_beginning(LOOK_BYTES).ok()?;
    if bytes.contains(&0) {
        return None;
    }
    Some(String::from_utf8_lossy(&bytes).into_owned())
}
