//! Notices about the state of a project's setup that the person was told at a start. Each is told once for as long as it
//! holds: what is no longer so is forgotten, and told anew if it comes back.
//!
//! The file lies in the state directory, whole in memory: a few sentences for each of the newest projects. Two processes that
//! start at once may both tell the same, which does no harm.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::{StoreError, private};

/// Projects that are remembered.
const PROJECTS: usize = 200;

/// The notices that were told, by project.
#[derive(Debug)]
pub struct ToldNotices {
    dir: PathBuf,
}

#[derive(Debug, Serialize, Deserialize)]
struct ToldEntry {
    project: PathBuf,
    notices: Vec<String>,
}

impl ToldNotices {
    pub fn new(state_dir: &Path) -> Self {
        Self {
            dir: state_dir.to_owned(),
        }
    }

    fn path(&self) -> PathBuf {
        self.dir.join("notices.json")
    }

    /// Returns those of `notices`, which are all that hold for the project now, that were not told yet, and remembers them.
    pub fn tell(&self, project: &Path, notices: &[String]) -> Result<Vec<String>, StoreError> {
        let mut entries = self.read();
        let place = entries.iter().position(|entry| entry.project == project);
        let told = place.map_or_else(Vec::new, |place| entries.remove(place).notices);
        if told == notices {
            return Ok(Vec::new());
        }
        if !notices.is_empty() {
            entries.push(ToldEntry {
                project: project.to_owned(),
                notices: notices.to_vec(),
            });
        }
        let surplus = entries.len().saturating_sub(PROJECTS);
        entries.drain(..surplus);
        self.write(&entries)?;
        let untold = notices.iter().filter(|notice| !told.contains(notice));
        Ok(untold.cloned().collect())
    }

    /// Reads what can be read: a file that is broken only has notices told again.
    fn read(&self) -> Vec<ToldEntry> {
        let bytes = fs::read(self.path()).unwrap_or_default();
        serde_json::from_slice(&bytes).unwrap_or_default()
    }

    fn write(&self, entries: &[ToldEntry]) -> Result<(), StoreError> {
        private::create_dir(&self.dir)?;
        let path = self.path();
        let replace = || -> io::Result<()> {
            let mut file = tempfile::NamedTempFile::new_in(&self.dir)?;
            file.write_all(&serde_json::to_vec(entries)?)?;
            file.persist(&path)?;
            Ok(())
        };
        replace().map_err(|error| StoreError::io(&path, error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_notice_is_told_once_for_each_state_and_project() {
        let dir = tempfile::tempdir().unwrap();
        let told = ToldNotices::new(&dir.path().join("state"));
        let tell = |project: &str, notices: &[&str]| {
            let notices: Vec<String> = notices.iter().copied().map(str::to_owned).collect();
            told.tell(Path::new(project), &notices).unwrap()
        };
        assert_eq!(tell("/p", &["a", "b"]), ["a", "b"]);
        assert!(tell("/p", &["a", "b"]).is_empty());
        assert_eq!(tell("/p", &["a", "c"]), ["c"]);
        assert_eq!(tell("/q", &["a"]), ["a"], "another project");
        assert!(tell("/p", &[]).is_empty());
        assert_eq!(tell("/p", &["a"]), ["a"], "it is so again");
    }

    #[test]
    fn a_broken_file_has_notices_told_again() {
        let dir = tempfile::tempdir().unwrap();
        let told = ToldNotices::new(dir.path());
        fs::write(told.path(), "{").unwrap();
        let notices = ["a".to_owned()];
        assert_eq!(told.tell(Path::new("/p"), &notices).unwrap(), notices);
        assert!(told.tell(Path::new("/p"), &notices).unwrap().is_empty());
    }
}
