//! The `encoding` parameter of the tools that read and write files, and the encoding that a session knows of a file.
//!
//! A file is in the encoding that a call names. Without one it is in the encoding in which the session last read or wrote
//! it, as long as its content is the same; else the encoding is detected. So an edit after a read with a named encoding is
//! made in that encoding, and a file that another program has changed is looked at afresh.

use std::path::Path;

use super::{SessionServices, ToolError};
use crate::files::ContentHash;
use crate::store::StoreError;
use crate::text::encoding::Encoding;

/// Reads the `encoding` of a call.
pub(super) fn named_encoding(label: Option<&str>) -> Result<Option<Encoding>, ToolError> {
    let Some(label) = label else { return Ok(None) };
    Encoding::named(label).map(Some).ok_or_else(|| {
        let message = format!("`encoding`: `{label}` is not the name of an encoding that files are read and written in");
        ToolError::invalid_args(message)
            .hint("Use a name of the WHATWG's Encoding Standard, such as `windows-1252`, `gbk`, `utf-8` or `utf-16le`.")
    })
}

/// What is known of a file's encoding before its content is.
#[derive(Debug, Clone)]
pub(super) enum KnownEncoding {
    /// By the call.
    Named(Encoding),
    /// That of the content with this hash.
    OfContent(String, Encoding),
    Unknown,
}

impl KnownEncoding {
    pub(super) fn of(
        named: Option<Encoding>,
        real_path: &Path,
        services: &SessionServices,
    ) -> Result<Self, StoreError> {
        if let Some(encoding) = named {
            return Ok(Self::Named(encoding));
        }
        let read = services.tree.store.file_read(&services.session, real_path)?;
        let known = read.and_then(|read| Some((read.hash, Encoding::named(&read.encoding?)?)));
        Ok(match known {
            Some((hash, encoding)) => Self::OfContent(hash, encoding),
            None => Self::Unknown,
        })
    }

    /// Returns the encoding of a content with this hash, if it is known.
    pub(super) fn of_content(&self, hash: &ContentHash) -> Option<Encoding> {
        match self {
            Self::Named(encoding) => Some(*encoding),
            Self::OfContent(known, encoding) => (known == hash.as_str()).then_some(*encoding),
            Self::Unknown => None,
        }
    }

    /// Returns the encoding that the file is in unless its content has changed.
    pub(super) fn expected(&self) -> Option<Encoding> {
        match self {
            Self::Named(encoding) | Self::OfContent(_, encoding) => Some(*encoding),
            Self::Unknown => None,
        }
    }
}
