//! The file that values are written to: it has no name and only grows at its end.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Values begin at multiples of this, so that the blocks of each can be given back: the block size of most file systems.
const BLOCK: usize = 4096;

/// Clones are the same file.
#[derive(Clone)]
pub(super) struct ScratchFile {
    shared: Arc<Shared>,
}

struct Shared {
    file: File,
    end: AtomicU64,
}

/// A range of the file.
pub(super) struct Place {
    file: ScratchFile,
    start: u64,
    len: usize,
}

impl ScratchFile {
    pub(super) fn in_directory(directory: &Path) -> io::Result<Self> {
        let shared = Shared {
            file: tempfile::tempfile_in(directory)?,
            end: AtomicU64::new(0),
        };
        Ok(Self {
            shared: Arc::new(shared),
        })
    }

    pub(super) fn write(&self, bytes: &[u8]) -> io::Result<Place> {
        let start = self.shared.end.fetch_add(on_disk(bytes.len()), Ordering::Relaxed);
        let place = Place {
            file: self.clone(),
            start,
            len: bytes.len(),
        };
        let written = self.shared.file.write_all_at(bytes, start);
        written.inspect_err(|_| place.free())?;
        Ok(place)
    }

    #[cfg(test)]
    pub(super) fn blocks(&self) -> u64 {
        use std::os::unix::fs::MetadataExt;
        self.shared
            .file
            .metadata()
            .map_or(0, |metadata| metadata.blocks())
    }
}

/// Returns the bytes of whole blocks.
fn on_disk(len: usize) -> u64 {
    len.next_multiple_of(BLOCK) as u64
}

impl Place {
    pub(super) fn read(&self) -> io::Result<Vec<u8>> {
        let mut bytes = vec![0; self.len];
        self.file.shared.file.read_exact_at(&mut bytes, self.start)?;
        Ok(bytes)
    }

    /// Gives its blocks back to the file system. One that cannot take them keeps them until the process ends.
    pub(super) fn free(&self) {
        #[cfg(target_os = "linux")]
        {
            use rustix::fs::{FallocateFlags, fallocate};
            let flags = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
            fallocate(&self.file.shared.file, flags, self.start, on_disk(self.len)).ok();
        }
    }
}
