//! A file that is written: what it was, how it is written, how that is undone.

use std::ffi::OsString;
use std::fs::{File, Permissions};
use std::io::{self, Read, Seek, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};

use rustix::fs::{Stat, fstat};
use rustix::process::geteuid;

use super::super::directory::Directory;
use super::super::{ContentHash, FileError, FileProblem};
use super::change_log::{FileVersion, LoggedChange};
use super::place::WriteTarget;
use super::undone::Undone;
use super::{CommittedFile, ExpectedContent, NewMode};

/// Mode bits that say who may read, write and execute.
const PERMISSIONS: u32 = 0o777;

pub(super) struct Replacement {
    pub(super) place: WriteTarget,
    /// Name beside it, under which the new content waits for its rename.
    pub(super) temp: OsString,
    pub(super) method: Method,
    pub(super) before: OriginalContent,
    /// Names of the file beside this one, which stay with what it was.
    pub(super) other_names: u64,
    pub(super) new_hash: ContentHash,
    /// Empty in a step that was read from the record of a rename: the temp file has it.
    pub(super) new: Vec<u8>,
    /// Owner and mode bits that a new file gets, where they are not those that all new files get.
    pub(super) attributes: Option<Attributes>,
    /// Permission bits before; `None` where nothing was there, and in a step that was read from a record.
    pub(super) mode_before: Option<u32>,
    /// Mode bits of a file that is there, and those that it gets.
    pub(super) mode: Option<ModeChange>,
}

/// A change of a file's mode bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ModeChange {
    pub(super) before: u32,
    pub(super) new: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Method {
    Rename,
    InPlace,
}

pub(super) enum OriginalContent {
    Absent,
    Bytes(Vec<u8>),
    /// The record of a single rename does not keep it: a rename happened or did not.
    NotKept,
}

/// Attributes of a file beside its content.
#[derive(Debug, Clone, Copy)]
pub(super) struct Attributes {
    mode: u32,
    /// User and group; `None` for those of whoever makes the file.
    owner: Option<(u32, u32)>,
}

/// New content under its temporary name. Dropping it removes it.
pub(super) struct StagedFile {
    directory: Directory,
    name: OsString,
    is_kept: bool,
}

impl Replacement {
    /// Looks at the target, checks what is expected of it and decides how to write it. Changes nothing.
    pub(super) fn inspect(
        place: WriteTarget,
        new: Vec<u8>,
        like: Option<Attributes>,
        expected: &ExpectedContent,
    ) -> Result<Self, FileError> {
        let before = place.read()?;
        expected.check(place.path(), before.as_deref())?;
        let stat = place.stat(place.name())?;
        let (method, other_names) = match (&before, &stat) {
            (Some(_), Some(stat)) => (method(place.existing()?, &place, stat)?, other_names(stat)),
            // What a file that vanished just now had is asked for again when it is placed.
            _ => (Method::Rename, 0),
        };
        Ok(Self {
            temp: temp_name(),
            method,
            other_names,
            // What a replaced file had is what undoing has to bring back.
            attributes: like.filter(|_| before.is_none()),
            mode_before: stat
                .filter(|_| before.is_some())
                .map(|stat| Attributes::of(&stat).permissions()),
            before: before.map_or(OriginalContent::Absent, OriginalContent::Bytes),
            new_hash: ContentHash::of(&new),
            mode: None,
            new,
            place,
        })
    }

    /// The same with other mode bits afterwards.
    pub(super) fn with_mode(mut self, wanted: NewMode) -> Result<Self, FileError> {
        let Some(stat) = self.place.stat(self.place.name())? else {
            if let NewMode::Bits(mode) = wanted {
                self.attributes = Some(Attributes { mode, owner: None });
            }
            return Ok(self);
        };
        let before = Attributes::of(&stat).mode;
        let new = match wanted {
            NewMode::Unchanged => before,
            // Whoever may read it may then execute it.
            NewMode::Executable(true) => before | (before & 0o444) >> 2,
            NewMode::Executable(false) => before & !0o111,
            NewMode::Bits(bits) => before & !PERMISSIONS | bits,
        };
        if new != before && self.is_in_place() {
            return Err(FileError::new(self.place.path(), FileProblem::Denied));
        }
        self.mode = (new != before).then_some(ModeChange { before, new });
        Ok(self)
    }

    pub(super) fn logged(&self) -> LoggedChange<'_> {
        let after = match self.mode {
            Some(mode) => Some(mode.new & PERMISSIONS),
            None => self.mode_before.or(self.attributes.map(Attributes::permissions)),
        };
        LoggedChange {
            path: self.place.path(),
            before: match &self.before {
                OriginalContent::Bytes(bytes) => FileVersion::File {
                    bytes,
                    mode: self.mode_before,
                },
                OriginalContent::Absent | OriginalContent::NotKept => FileVersion::Absent,
            },
            after: FileVersion::File {
                bytes: &self.new,
                mode: after,
            },
            parents: &self.place.parents,
        }
    }

    pub(super) fn is_in_place(&self) -> bool {
        self.method == Method::InPlace
    }

    /// Writes the new content beside the target, where it will be renamed.
    pub(super) fn stage(&mut self) -> Result<Option<StagedFile>, FileError> {
        if self.is_in_place() {
            return Ok(None);
        }
        self.place.make()?;
        self.stage_bytes(&self.new, self.mode.map(|mode| mode.new))
            .map(Some)
    }

    /// Puts the staged content in place, unless the target changed meanwhile.
    pub(super) fn place(&self, staged: Option<StagedFile>) -> Result<(), FileError> {
        let Some(staged) = staged else {
            return self.overwrite(&self.new);
        };
        if let OriginalContent::Bytes(before) = &self.before
            && self.place.read()?.as_ref() != Some(before)
        {
            return Err(self.stale());
        }
        let name = self.place.name();
        let placed = match self.before {
            OriginalContent::Absent => staged.directory.rename_to_new(&staged.name, name),
            _ => staged.directory.rename(&staged.name, name),
        };
        placed.map_err(|error| self.place.failed(error))?;
        staged.keep();
        Ok(())
    }

    /// Brings the target back to what it was, whatever the step had already done.
    pub(super) fn undo(&self) -> Result<Undone, FileError> {
        self.place.remove(&self.temp)?;
        let now = self.place.read()?;
        match (&self.before, now) {
            (OriginalContent::NotKept, _) | (OriginalContent::Absent, None) => Ok(Undone::Nothing),
            (OriginalContent::Absent, Some(now)) if self.is_new(&now) => {
                self.place.remove(self.place.name())?;
                Ok(Undone::Restored)
            }
            (OriginalContent::Bytes(before), Some(now)) if now == *before && !self.has_other_mode()? => {
                Ok(Undone::Nothing)
            }
            (OriginalContent::Bytes(before), Some(now))
                if now == *before || self.is_new(&now) || self.is_torn(before, &now) =>
            {
                self.put_back(before)?;
                Ok(Undone::Restored)
            }
            (OriginalContent::Absent | OriginalContent::Bytes(_), _) => Ok(Undone::Foreign),
        }
    }

    /// Tells whether the target has its new content.
    pub(super) fn is_done(&self) -> Result<bool, FileError> {
        let has_mode = self.mode.is_none() || self.has_other_mode()?;
        Ok(has_mode && self.place.read()?.is_some_and(|now| self.is_new(&now)))
    }

    /// Returns true if the file has got the mode bits that it was to get.
    fn has_other_mode(&self) -> Result<bool, FileError> {
        let Some(mode) = self.mode else { return Ok(false) };
        let stat = self.place.stat(self.place.name())?;
        Ok(stat.is_some_and(|stat| Attributes::of(&stat).mode == mode.new))
    }

    pub(super) fn into_written(self) -> CommittedFile {
        let before = match self.before {
            OriginalContent::Bytes(bytes) => Some(bytes),
            OriginalContent::Absent | OriginalContent::NotKept => None,
        };
        CommittedFile {
            path: self.place.into_path(),
            hash: Some(self.new_hash),
            before,
            other_names: self.other_names,
        }
    }

    fn is_new(&self, now: &[u8]) -> bool {
        ContentHash::of(now) == self.new_hash
    }

    fn is_torn(&self, before: &[u8], now: &[u8]) -> bool {
        self.is_in_place()
            && (is_half_written(before, &self.new, now) || is_half_written(&self.new, before, now))
    }

    fn put_back(&self, before: &[u8]) -> Result<(), FileError> {
        match self.method {
            Method::InPlace => {
                let mut file = self.open_to_overwrite()?;
                overwrite(&mut file, before).map_err(|error| self.failed(error))
            }
            Method::Rename => {
                let staged = self.stage_bytes(before, self.mode.map(|mode| mode.before))?;
                let renamed = staged.directory.rename(&staged.name, self.place.name());
                renamed.map_err(|error| self.place.failed(error))?;
                staged.keep();
                Ok(())
            }
        }
    }

    /// Writes over the file, unless it is another by now than the one that was looked at.
    fn overwrite(&self, new: &[u8]) -> Result<(), FileError> {
        let mut file = self.open_to_overwrite()?;
        let stat = fstat(&file).map_err(|error| self.failed(error.into()))?;
        check_names(&self.place, &stat)?;
        let mut now = Vec::new();
        file.read_to_end(&mut now).map_err(|error| self.failed(error))?;
        if let OriginalContent::Bytes(before) = &self.before
            && now != *before
        {
            return Err(self.stale());
        }
        overwrite(&mut file, new).map_err(|error| self.failed(error))
    }

    fn open_to_overwrite(&self) -> Result<File, FileError> {
        let opened = self.place.existing()?.open_to_overwrite(self.place.name());
        opened.map_err(|problem| FileError::new(self.place.path(), problem))
    }

    fn stage_bytes(&self, bytes: &[u8], mode: Option<u32>) -> Result<StagedFile, FileError> {
        let directory = self.place.existing()?.clone();
        let attributes = match self.attributes {
            Some(attributes) => Some(attributes),
            None => self.place.stat(self.place.name())?.as_ref().map(Attributes::of),
        };
        let attributes = attributes.map(|own| Attributes {
            mode: mode.unwrap_or(own.mode),
            ..own
        });
        // Nobody else reads the new content of a file before it has the old file's permissions.
        let mode = if attributes.is_some() { 0o600 } else { 0o666 };
        let mut file = directory
            .create(&self.temp, mode)
            .map_err(|error| self.place.failed(error))?;
        let staged = StagedFile {
            directory,
            name: self.temp.clone(),
            is_kept: false,
        };
        file.write_all(bytes).map_err(|error| self.failed(error))?;
        if let Some(attributes) = attributes {
            attributes.give(&file).map_err(|error| self.failed(error))?;
        }
        Ok(staged)
    }

    fn stale(&self) -> FileError {
        FileError::new(self.place.path(), FileProblem::Stale)
    }

    fn failed(&self, error: io::Error) -> FileError {
        FileError::io(self.place.path(), error)
    }
}

impl StagedFile {
    /// Leaves the name as it is: the content is in place, or for the next start to find.
    pub(super) fn keep(mut self) {
        self.is_kept = true;
    }
}

impl Drop for StagedFile {
    fn drop(&mut self) {
        if !self.is_kept
            && let Err(error) = self.directory.remove(&self.name)
        {
            tracing::warn!(%error, "the unused content of a change could not be removed");
        }
    }
}

impl Attributes {
    pub(super) fn of(stat: &Stat) -> Self {
        Self {
            mode: stat.st_mode & 0o7777,
            owner: Some((stat.st_uid, stat.st_gid)),
        }
    }

    /// The bits that say who may read, write and execute.
    pub(super) fn permissions(self) -> u32 {
        self.mode & PERMISSIONS
    }

    /// Gives them to a file; owner and group where we may: a group that we are not in cannot be given.
    fn give(self, file: &File) -> io::Result<()> {
        let own = file.metadata()?;
        let (uid, gid) = self.owner.unwrap_or((own.uid(), own.gid()));
        let (uid, gid) = (
            (own.uid() != uid).then_some(uid),
            (own.gid() != gid).then_some(gid),
        );
        if (uid.is_some() || gid.is_some()) && fchown(file, uid, gid).is_err() {
            tracing::debug!("the owner or group of a replaced file could not be kept");
        }
        file.set_permissions(Permissions::from_mode(self.mode))
    }
}

/// Decides how a file that is there is written.
fn method(directory: &Directory, place: &WriteTarget, stat: &Stat) -> Result<Method, FileError> {
    let writable = directory.check_writable(place.name());
    writable.map_err(|problem| FileError::new(place.path(), problem))?;
    let may_keep_owner = geteuid().is_root() || geteuid().as_raw() == stat.st_uid;
    if may_keep_owner && directory.lets_rename() {
        return Ok(Method::Rename);
    }
    check_names(place, stat)?;
    Ok(Method::InPlace)
}

/// Refuses to write over a file with other names: by one of them it may be a file that nobody was asked about.
fn check_names(place: &WriteTarget, stat: &Stat) -> Result<(), FileError> {
    match other_names(stat) {
        0 => Ok(()),
        others => Err(FileError::new(place.path(), FileProblem::OtherNames { others })),
    }
}

#[allow(clippy::useless_conversion)] // Its type differs between systems.
fn other_names(stat: &Stat) -> u64 {
    u64::from(stat.st_nlink).saturating_sub(1)
}

/// Tells whether `now` is `old` with a beginning of `new` written over it.
fn is_half_written(old: &[u8], new: &[u8], now: &[u8]) -> bool {
    let written = now.iter().zip(new).take_while(|(one, two)| one == two).count();
    now[written..] == *old.get(written..).unwrap_or_default()
}

/// Overwrites a file without another name for it. Shortens it last, so that a crash leaves a mixture that
/// `is_half_written` knows.
fn overwrite(file: &mut File, bytes: &[u8]) -> io::Result<()> {
    file.rewind()?;
    file.write_all(bytes)?;
    file.set_len(bytes.len() as u64)
}

/// A hidden name for the same directory, so that the rename stays on one file system. The target's own name is left out:
/// with it the name could become too long.
pub(super) fn temp_name() -> OsString {
    format!(".lathe-{}.tmp", uuid::Uuid::now_v7().simple()).into()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn every_half_written_state_is_known(old in "[ab]{0,12}", new in "[ab]{0,12}", cut in 0usize..13) {
            let cut = cut.min(new.len());
            let mut now = new.as_bytes()[..cut].to_vec();
            now.extend_from_slice(old.as_bytes().get(cut..).unwrap_or_default());
            prop_assert!(is_half_written(old.as_bytes(), new.as_bytes(), &now));
        }
    }
}
