//! Files and directories that only their owner may read.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::Path;

use super::StoreError;

/// Makes a directory and its parents, 0700. One that exists keeps its permissions.
pub(super) fn create_dir(path: &Path) -> Result<(), StoreError> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path).map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists | io::ErrorKind::NotADirectory => {
            StoreError::NotDirectory(path.to_path_buf())
        }
        _ => StoreError::io(path, error),
    })
}

/// Opens a file for reading and writing and makes it, 0600, when it is missing. Its content stays.
pub(super) fn open_file(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}
