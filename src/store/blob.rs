//! Contents of files by their SHA-256: `<data>/journal/<two digits>/<hash>`, compressed.
//!
//! A content that is there is not written again, only its time is renewed: [`Blobs::clean`] leaves alone what is younger
//! than a limit, so that nothing goes between the moment in which it is put here and the moment in which it is referred to.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;

use super::{StoreError, private};
use crate::private_file;

const UNFINISHED: &str = "new";
/// Digits of a SHA-256.
const DIGITS: usize = 64;

/// The directory of contents. Nothing is made before the first is written.
#[derive(Debug, Clone)]
pub struct Blobs {
    dir: PathBuf,
}

/// A content on disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredBlob {
    pub hash: String,
    /// As it lies on disk, in bytes.
    pub size: u64,
    pub modified: SystemTime,
    path: PathBuf,
}

impl Blobs {
    pub fn new(data_dir: &Path) -> Self {
        Self {
            dir: data_dir.join("journal"),
        }
    }

    /// Keeps a content whose SHA-256 is `hash`, and returns the bytes that this took on disk.
    pub fn put(&self, hash: &str, bytes: &[u8]) -> Result<u64, StoreError> {
        let path = self.path(hash)?;
        let failed = |error| StoreError::io(&path, error);
        if let Ok(file) = File::options().write(true).open(&path) {
            file.set_modified(SystemTime::now()).map_err(failed)?;
            return Ok(0);
        }
        private::create_dir(path.parent().unwrap_or(&self.dir))?;
        let unfinished = path.with_extension(format!("{}.{UNFINISHED}", uuid::Uuid::now_v7().simple()));
        let written = (|| {
            let file = private_file::options()
                .write(true)
                .create_new(true)
                .open(&unfinished)?;
            let mut encoder = ZlibEncoder::new(file, Compression::fast());
            encoder.write_all(bytes)?;
            let size = encoder.finish()?.metadata()?.len();
            fs::rename(&unfinished, &path)?;
            Ok(size)
        })();
        written
            .inspect_err(|_: &io::Error| {
                fs::remove_file(&unfinished).ok();
            })
            .map_err(failed)
    }

    /// Returns a content; `None` where it is not kept. One that was damaged is not handed out: the caller compares its hash.
    pub fn get(&self, hash: &str) -> Result<Option<Vec<u8>>, StoreError> {
        let path = self.path(hash)?;
        let file = match File::open(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            file => file.map_err(|error| StoreError::io(&path, error))?,
        };
        let mut bytes = Vec::new();
        match ZlibDecoder::new(file).read_to_end(&mut bytes) {
            Ok(_) => Ok(Some(bytes)),
            Err(error) => {
                tracing::warn!(%error, path = %path.display(), "a kept content is damaged");
                Ok(None)
            }
        }
    }

    /// Returns all contents that are kept.
    pub fn list(&self) -> Vec<StoredBlob> {
        let directories = fs::read_dir(&self.dir).into_iter().flatten().flatten();
        let files = directories.flat_map(|directory| fs::read_dir(directory.path()).into_iter().flatten());
        let stored = files.flatten().filter_map(|file| {
            let metadata = file.metadata().ok()?;
            Some(StoredBlob {
                hash: file.file_name().to_str()?.to_owned(),
                size: metadata.len(),
                modified: metadata.modified().ok()?,
                path: file.path(),
            })
        });
        stored.collect()
    }

    /// Removes what is not in `kept` and was put here before `limit`; returns the bytes that this freed.
    pub fn clean(&self, kept: &HashSet<String>, limit: SystemTime) -> u64 {
        let unused = self
            .list()
            .into_iter()
            .filter(|blob| blob.modified < limit && !kept.contains(&blob.hash));
        let removed = unused.filter(|blob| fs::remove_file(&blob.path).is_ok());
        removed.map(|blob| blob.size).sum()
    }

    fn path(&self, hash: &str) -> Result<PathBuf, StoreError> {
        let is_hash = hash.len() == DIGITS && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
        if is_hash {
            return Ok(self.dir.join(&hash[..2]).join(hash));
        }
        let source = io::Error::new(io::ErrorKind::InvalidInput, "its name is not a hash");
        Err(StoreError::io(&self.dir, source))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    const HASH: &str = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

    #[test]
    fn a_content_is_kept_once_and_given_back_whole() {
        let dir = tempfile::tempdir().unwrap();
        let blobs = Blobs::new(dir.path());
        assert_eq!(blobs.get(HASH).unwrap(), None);
        let text = b"abc".repeat(10_000);
        let size = blobs.put(HASH, &text).unwrap();
        assert!(size > 0 && size < 1000, "{size}");
        assert_eq!(blobs.put(HASH, &text).unwrap(), 0);
        assert_eq!(blobs.get(HASH).unwrap(), Some(text));
        assert_eq!(blobs.list().len(), 1);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = fs::metadata(&blobs.list()[0].path).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
        }
    }

    #[test]
    fn only_old_contents_that_nothing_refers_to_go() {
        let dir = tempfile::tempdir().unwrap();
        let blobs = Blobs::new(dir.path());
        let size = blobs.put(HASH, b"abc").unwrap();
        let now = SystemTime::now();
        let later = now + Duration::from_mins(1);
        assert_eq!(blobs.clean(&HashSet::new(), now - Duration::from_mins(1)), 0);
        assert_eq!(blobs.clean(&HashSet::from([HASH.to_owned()]), later), 0);
        assert_eq!(blobs.clean(&HashSet::new(), later), size);
        assert_eq!(blobs.get(HASH).unwrap(), None);
    }

    #[test]
    fn what_is_no_hash_leads_nowhere_and_what_is_damaged_is_not_given() {
        let dir = tempfile::tempdir().unwrap();
        let blobs = Blobs::new(dir.path());
        assert!(blobs.put("../../evil", b"x").is_err());
        blobs.put(HASH, b"abc").unwrap();
        fs::write(&blobs.list()[0].path, "no longer").unwrap();
        assert_eq!(blobs.get(HASH).unwrap(), None);
    }
}
