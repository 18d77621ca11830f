//! Files of a repository that git would read whole, without a limit and whatever they are.

use std::path::Path;

use crate::regular_file::{MAX_BYTES, MAX_INDEX_BYTES, ReadError, RegularFile};

/// Names the first file of the repository around a directory that is not regular, or too large, with what it is. Git
/// would fill the memory with it or wait for ever.
pub fn unbounded_file(directory: &Path) -> Option<String> {
    let git_directory = directory.ancestors().map(|above| above.join(".git"));
    let git_directory = git_directory
        .into_iter()
        .find(|path| path.symlink_metadata().is_ok())?;
    let limits = [
        ("", MAX_BYTES),
        ("HEAD", MAX_BYTES),
        ("config", MAX_BYTES),
        ("commondir", MAX_BYTES),
        ("info/exclude", MAX_BYTES),
        ("index", MAX_INDEX_BYTES),
        ("packed-refs", MAX_INDEX_BYTES),
    ];
    limits.into_iter().find_map(|(name, limit)| {
        let path = git_directory.join(name);
        if name.is_empty() && path.is_dir() {
            return None;
        }
        let error = match RegularFile::open(&path) {
            Ok(file) if file.metadata().len() <= limit => return None,
            Ok(_) => ReadError::TooLarge { limit },
            Err(ReadError::Missing) => return None,
            Err(error) => error,
        };
        let shown = path.strip_prefix(directory).unwrap_or(&path);
        Some(format!("`{}`: {error}", shown.display()))
    })
}
