//! The directories of the store, which only their owner may read.

use std::io;
use std::path::Path;

use super::StoreError;
use crate::private_file;

/// Makes a directory and its parents, 0700. One that exists keeps its permissions.
pub(super) fn create_dir(path: &Path) -> Result<(), StoreError> {
    private_file::create_dir(path).map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists | io::ErrorKind::NotADirectory => {
            StoreError::NotDirectory(path.to_path_buf())
        }
        _ => StoreError::io(path, error),
    })
}
