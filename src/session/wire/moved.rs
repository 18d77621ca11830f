//! Sessions whose project was moved, or whose directory is gone.
//!
//! A session opens its directory to the model, so it changes it only where that is meant: with the project itself, which is
//! recognised by the identity of its root; within the project; or because the person said so.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::gates::roots;
use super::task_trees::worktrees;
use super::{ErrorReport, FrontEndKind, OpenRequest, ReportKind};
use crate::conversation::SessionId;
use crate::store::{LockError, Relocation, SessionLock, SessionRow, Store};

/// Has the sessions of the project go on here where it was moved since.
pub(super) fn follow_project(
    request: &OpenRequest,
    store: &Store,
    notes: &mut Vec<String>,
) -> Result<(), ErrorReport> {
    let roots = roots(request, &request.directory);
    let project = roots.project_root();
    for old in store.earlier_places(project)? {
        if !is_gone(&old) {
            continue;
        }
        let moved = move_sessions(request, store, &old, project)?;
        if moved > 0 {
            notes.push(format!(
                "the project was moved here from `{}`, and its sessions with it ({moved})",
                old.display(),
            ));
        }
    }
    Ok(())
}

/// Returns true if nothing is there. A place that cannot be looked at may come back.
fn is_gone(place: &Path) -> bool {
    let looked = place.symlink_metadata();
    looked.is_err_and(|error| error.kind() == ErrorKind::NotFound)
}

/// Returns the number of sessions that were moved. One that another process has stays.
fn move_sessions(request: &OpenRequest, store: &Store, old: &Path, new: &Path) -> Result<usize, ErrorReport> {
    let rows = store.list(Some(old))?;
    let (mut moved, mut is_whole) = (0, true);
    for row in rows.into_iter().filter(|row| row.parent.is_none()) {
        let _lock = match SessionLock::take(&request.dirs.data, &row.id) {
            Ok(lock) => lock,
            Err(LockError::Held { .. }) => {
                is_whole = false;
                continue;
            }
            Err(error) => return Err(error.into()),
        };
        let below = row.directory.strip_prefix(old).map(|below| new.join(below));
        let directory = below.ok().filter(|directory| directory.is_dir());
        let relocation = Relocation {
            new_directory: directory.unwrap_or_else(|| new.to_owned()),
            new_project: new.to_owned(),
            old_project: row.project,
            old_directory: row.directory,
        };
        store.relocate(&row.id, &relocation)?;
        moved += 1;
    }
    if is_whole {
        worktrees(request, &SessionId::new()).follow(old, new, |_| true)?;
        store.forget_project(old)?;
    }
    Ok(moved)
}

/// The place of a session whose directory is gone.
pub(super) enum PlaceOfLost {
    /// It goes on in the directory of the request.
    Here(SessionRow),
    /// It can only be read, until the person says where it goes on.
    Unknown {
        /// With the directory of the request; nothing runs in it.
        row: SessionRow,
        /// The directory that it had.
        gone: PathBuf,
    },
}

/// Finds where a session goes on whose directory is gone: within its project in the directory of the request. Elsewhere
/// the person is asked first, and where nobody watches it is refused. The caller has its lock.
pub(super) fn without_directory(
    request: &OpenRequest,
    store: &Store,
    row: SessionRow,
    notes: &mut Vec<String>,
) -> Result<PlaceOfLost, ErrorReport> {
    let roots = roots(request, &request.directory);
    let here = Relocation {
        new_project: roots.project_root().to_owned(),
        new_directory: roots.session_dir().to_owned(),
        old_project: row.project.clone(),
        old_directory: row.directory.clone(),
    };
    let moved = SessionRow {
        project: here.new_project.clone(),
        directory: here.new_directory.clone(),
        ..row
    };
    if here.new_project == here.old_project {
        store.relocate(&moved.id, &here)?;
        notes.push(format!(
            "the directory `{}` is gone; the session goes on in `{}`",
            here.old_directory.display(),
            here.new_directory.display()
        ));
        return Ok(PlaceOfLost::Here(moved));
    }
    if request.front_end == FrontEndKind::Unattended {
        return Err(refusal(&moved.id, &here.old_directory));
    }
    Ok(PlaceOfLost::Unknown {
        row: moved,
        gone: here.old_directory,
    })
}

fn refusal(id: &SessionId, gone: &Path) -> ErrorReport {
    let message = format!("the directory `{}` of session `{id}` is gone", gone.display());
    ErrorReport::new(ReportKind::Storage, message).hinted(format!(
        "`lathe sessions move {id} DIR` has it go on in another directory; `lathe -s {id}` asks."
    ))
}
