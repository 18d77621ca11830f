//! The full texts of tool results that were cut: `<data>/tool-output/<call>.txt`, for seven days, and
//! as long as the session where the conversation refers to one instead of showing it.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::{StoreError, private};
use crate::conversation::CallId;
use crate::private_file;

const KEPT_FOR: Duration = Duration::from_hours(7 * 24);

/// The directory of outputs. Nothing is made before the first is written.
#[derive(Debug, Clone)]
pub struct Outputs {
    dir: PathBuf,
}

/// An output that is being written. Nothing is lost when it is dropped early but what stands in its buffer.
#[derive(Debug)]
pub struct OutputFile {
    path: PathBuf,
    writer: BufWriter<File>,
}

impl Outputs {
    pub fn new(data_dir: &Path) -> Self {
        Self {
            dir: data_dir.join("tool-output"),
        }
    }

    /// Returns the directory of the outputs, which is readable without asking.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Begins the output of a call. An earlier one of the same call is replaced.
    pub fn create(&self, call: &CallId) -> Result<OutputFile, StoreError> {
        private::create_dir(&self.dir)?;
        let path = file_in(&self.dir, call.as_str(), "txt")?;
        let open = || {
            let file = private_file::open(&path)?;
            file.set_len(0)?;
            Ok(file)
        };
        let file = open().map_err(|error| StoreError::io(&path, error))?;
        Ok(OutputFile {
            path,
            writer: BufWriter::new(file),
        })
    }

    /// Writes the text of a call, where no fuller one is there.
    pub fn keep(&self, call: &CallId, text: &str) -> Result<(), StoreError> {
        let path = file_in(&self.dir, call.as_str(), "txt")?;
        if path.exists() {
            return Ok(());
        }
        let mut file = self.create(call)?;
        let written = file.write_all(text.as_bytes());
        written.map_err(|error| StoreError::io(&path, error))?;
        file.finish().inspect_err(|_| self.remove(call))?;
        Ok(())
    }

    /// Removes the output of a call, if there is one. What cannot be removed stays until it is too old.
    pub fn remove(&self, call: &CallId) {
        if let Ok(path) = file_in(&self.dir, call.as_str(), "txt") {
            fs::remove_file(path).ok();
        }
    }

    /// Removes what is older than seven days, but for the outputs of `kept`, and returns how many files that were. What
    /// cannot be removed stays.
    pub fn clean(&self, kept: &HashSet<CallId>) -> usize {
        self.clean_before(SystemTime::now().checked_sub(KEPT_FOR), kept)
    }

    fn clean_before(&self, limit: Option<SystemTime>, kept: &HashSet<CallId>) -> usize {
        let (Ok(entries), Some(limit)) = (fs::read_dir(&self.dir), limit) else {
            return 0;
        };
        let is_old = |entry: &fs::DirEntry| {
            entry
                .metadata()
                .and_then(|metadata| metadata.modified())
                .is_ok_and(|modified| modified < limit)
        };
        let is_kept = |entry: &fs::DirEntry| {
            let name = entry.file_name();
            let call = Path::new(&name)
                .file_stem()
                .and_then(|stem| stem.to_str()?.parse().ok());
            call.is_some_and(|call| kept.contains(&call))
        };
        let old = entries.flatten().filter(|entry| is_old(entry) && !is_kept(entry));
        old.filter(|entry| fs::remove_file(entry.path()).is_ok()).count()
    }
}

impl OutputFile {
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes what is left and returns where it all is.
    pub fn finish(mut self) -> Result<PathBuf, StoreError> {
        self.writer
            .flush()
            .map_err(|error| StoreError::io(&self.path, error))?;
        Ok(self.path)
    }
}

impl Write for OutputFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.writer.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer.flush()
    }
}

/// Returns the path of `<id>.<extension>`. An id that came from a damaged or foreign source cannot leave the directory.
pub(super) fn file_in(dir: &Path, id: &str, extension: &str) -> Result<PathBuf, StoreError> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
    if id.chars().all(is_plain) && !id.starts_with('.') && !id.is_empty() {
        return Ok(dir.join(format!("{id}.{extension}")));
    }
    let source = io::Error::new(io::ErrorKind::InvalidInput, "its name is not an id");
    Err(StoreError::Io {
        path: dir.join(id.escape_debug().to_string()),
        source,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_output_is_written_piece_by_piece() {
        let dir = tempfile::tempdir().unwrap();
        let outputs = Outputs::new(dir.path());
        let call: CallId = "call_abc.2".parse().unwrap();
        for text in ["a longer one", "short"] {
            let mut file = outputs.create(&call).unwrap();
            file.write_all(text.as_bytes()).unwrap();
            let path = file.finish().unwrap();
            assert_eq!(path, dir.path().join("tool-output/call_abc.2.txt"));
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
            #[cfg(unix)]
            {
                use std::os::unix::fs::PermissionsExt;
                assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
            }
        }
    }

    #[test]
    fn only_old_outputs_are_removed() {
        let dir = tempfile::tempdir().unwrap();
        let outputs = Outputs::new(dir.path());
        let kept_id = CallId::new();
        let kept = HashSet::from([kept_id.clone()]);
        assert_eq!(outputs.clean(&kept), 0);
        outputs.keep(&kept_id, "text").unwrap();
        let old = outputs.create(&CallId::new()).unwrap().finish().unwrap();
        let young = outputs.create(&CallId::new()).unwrap().finish().unwrap();
        let referred = outputs.dir().join(format!("{kept_id}.txt"));
        for path in [&old, &referred] {
            let file = File::options().write(true).open(path).unwrap();
            file.set_modified(SystemTime::now() - KEPT_FOR - Duration::from_mins(1))
                .unwrap();
        }
        assert_eq!(outputs.clean(&kept), 1);
        assert!(!old.exists() && young.exists());
        assert_eq!(fs::read_to_string(&referred).unwrap(), "text");
    }

    #[test]
    fn an_id_cannot_leave_the_directory() {
        let dir = tempfile::tempdir().unwrap();
        let foreign: CallId = serde_json::from_str("\"../../evil\"").unwrap();
        assert!(Outputs::new(dir.path()).create(&foreign).is_err());
    }
}
