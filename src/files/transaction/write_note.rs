//! Notes the paths of a transaction where configuration is read by: what lathe wrote is no configuration before a yes.

use std::io;
use std::path::Path;

use super::super::{ContentHash, FileError};
use super::change_log::{FileVersion, LoggedChange};
use super::step::Step;
use crate::unconfirmed::{NotedWrites, UnconfirmedRecords, WrittenFile};

/// The note of what a transaction writes.
pub(super) struct WriteNote {
    records: UnconfirmedRecords,
    noted: NotedWrites,
}

impl WriteNote {
    /// Notes the files before they are written. The notes lie beside the directory of the records.
    pub(super) fn begin(steps: &[Step], records: &Path) -> Result<Self, FileError> {
        let failed = |error| FileError::io(records, error);
        let data = records
            .parent()
            .ok_or_else(|| failed(io::ErrorKind::NotADirectory.into()))?;
        let unconfirmed = UnconfirmedRecords::new(data);
        let changes: Vec<LoggedChange<'_>> = steps.iter().map(Step::logged).collect();
        let written: Vec<WrittenFile<'_>> = changes
            .iter()
            .filter(|change| change.after != FileVersion::Absent)
            .map(|change| WrittenFile {
                path: change.path,
                before: match change.before {
                    FileVersion::File { bytes, .. } => Some(ContentHash::of(bytes).to_string()),
                    FileVersion::Absent | FileVersion::Link(_) => None,
                },
            })
            .collect();
        let noted = unconfirmed.note(&written).map_err(failed)?;
        Ok(Self {
            records: unconfirmed,
            noted,
        })
    }

    pub(super) fn end(&self) {
        // The note from before the change is there unless another lathe rewrote it in these milliseconds.
        if let Err(error) = self.records.note_again(&self.noted) {
            tracing::warn!(%error, "that files were written could not be noted again");
        }
    }
}
