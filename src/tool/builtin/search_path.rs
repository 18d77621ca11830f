//! Where a search begins: resolved, existing, and asked for when it lies outside.

use std::path::{Path, PathBuf};

use crate::conversation::ErrorKind;
use crate::files::{PathKind, Resolved};
use crate::permission::Ask;
use crate::tool::{ToolCx, ToolError};

pub(super) struct SearchPath {
    pub(super) path: Resolved,
    pub(super) asks: Vec<Ask>,
}

/// Finds a file or directory to search, and adds its asks to those `before`. Its absence is told after all of them.
pub(super) fn search_path(cx: &ToolCx, given: &str, before: Vec<Ask>) -> Result<SearchPath, ToolError> {
    let path = cx.path(given)?;
    let mut asks = before;
    asks.extend(path.asks);
    let (kind, what) = match path.resolved.kind {
        PathKind::File | PathKind::Directory => {
            return Ok(SearchPath {
                path: path.resolved,
                asks,
            });
        }
        PathKind::Missing => (ErrorKind::NotFound, "does not exist"),
        PathKind::DanglingLink => (ErrorKind::NotFound, "is a symbolic link to nothing"),
        PathKind::Special => (ErrorKind::Io, "is a device, a pipe or a socket"),
    };
    let error = ToolError::new(kind, format!("`{}` {what}", path.resolved.display));
    Err(error
        .hint("Look with `list` or `glob` for what is there.")
        .after(asks))
}

/// Finds a directory to search.
pub(super) fn search_directory(cx: &ToolCx, given: &str, hint: &str) -> Result<SearchPath, ToolError> {
    let found = search_path(cx, given, Vec::new())?;
    if found.path.kind == PathKind::Directory {
        return Ok(found);
    }
    let message = format!("`{}` is not a directory", found.path.display);
    Err(ToolError::new(ErrorKind::NotDirectory, message)
        .hint(hint)
        .after(found.asks))
}

/// A directory that is walked, by its real path, and how what lies in it is named: as it was asked for.
#[derive(Debug, Clone)]
pub(super) struct Base {
    pub(super) real: PathBuf,
    /// A link led here: what lies in it has another name of its own.
    pub(super) is_linked: bool,
    display: String,
}

impl Base {
    pub(super) fn of(path: &Resolved) -> Self {
        Self {
            real: path.real.clone(),
            is_linked: path.real != path.absolute,
            display: path.display.clone(),
        }
    }

    /// Returns how an entry of the directory is shown.
    pub(super) fn name(&self, relative: &Path) -> String {
        let relative = relative.to_string_lossy();
        let relative = if std::path::MAIN_SEPARATOR == '/' {
            relative
        } else {
            relative.replace(std::path::MAIN_SEPARATOR, "/").into()
        };
        match self.display.as_str() {
            "." => relative.into_owned(),
            directory if directory.ends_with('/') => format!("{directory}{relative}"),
            directory => format!("{directory}/{relative}"),
        }
    }
}
