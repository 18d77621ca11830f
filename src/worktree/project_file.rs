//! A file of the project as it is now, looked at without following a link.

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use crate::regular_file::{ReadError, RegularFile};

/// Something that is there, or not, under the name of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ProjectFile {
    Absent,
    File {
        bytes: Vec<u8>,
        executable: bool,
    },
    Link {
        target: Vec<u8>,
    },
    /// Neither, in words.
    Other(String),
}

impl ProjectFile {
    /// Looks at a path below the project's real root.
    pub(super) fn read(root: &Path, path: &Path) -> Self {
        if let Some(other) = in_the_way(root, path) {
            return Self::Other(other);
        }
        let Ok(data) = path.symlink_metadata() else {
            return Self::Absent;
        };
        if data.is_symlink() {
            return match fs::read_link(path) {
                Ok(target) => Self::Link {
                    target: target.as_os_str().as_bytes().to_vec(),
                },
                Err(error) => Self::Other(format!("a link that cannot be read: {error}")),
            };
        }
        if data.is_dir() {
            return Self::Other("a directory".to_owned());
        }
        let opened = RegularFile::open_real(path);
        match opened.and_then(|file| {
            let mode = file.metadata().permissions().mode();
            Ok((file.read(u64::MAX)?, mode & 0o100 != 0))
        }) {
            Ok((bytes, executable)) => Self::File { bytes, executable },
            Err(ReadError::Missing) => Self::Absent,
            Err(error) => Self::Other(format!("a file that cannot be read: {error}")),
        }
    }
}

/// Says what stands where a directory on the way would have to be.
fn in_the_way(root: &Path, path: &Path) -> Option<String> {
    let above = path.ancestors().skip(1);
    for directory in above.take_while(|above| above.starts_with(root) && *above != root) {
        let Ok(data) = directory.symlink_metadata() else {
            continue;
        };
        if !data.is_dir() {
            let shown = directory.strip_prefix(root).unwrap_or(directory);
            let kind = if data.is_symlink() { "a link" } else { "a file" };
            return Some(format!("behind `{}`, which is {kind}", shown.display()));
        }
    }
    None
}
