//! Opens sessions after the first one.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::{ForkPoint, HostState};
use crate::conversation::SessionId;
use crate::session::ErrorReport;
use crate::session::import::ImportDirectory;
use crate::session::wire::{self, ModelSource, OpenRequest, SessionChoice};

/// The session that is to be opened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SessionTarget {
    /// As the program was started, with nothing said yet.
    New,
    Session(SessionId),
    /// A stored one, which goes on in this directory from now on. The path may be relative to the session's own directory,
    /// or begin with `~/`.
    Moved(SessionId, PathBuf),
    /// A new one that begins with what was said in this one.
    Fork(SessionId, ForkPoint),
}

impl HostState {
    pub(super) fn open_wanted(&self, wanted: SessionTarget) -> Result<wire::WiredSession, ErrorReport> {
        match wanted {
            SessionTarget::New => wire::open(&self.later_request()),
            SessionTarget::Session(id) => self.open_stored(id),
            SessionTarget::Moved(id, named) => {
                let place = self.move_place(&id, &named)?;
                self.open_relocated(id, &place)
            }
            SessionTarget::Fork(source, point) => {
                let mut forked = self.stored()?.fork(&source, &point)?;
                let mut opened = self.open_stored(forked.session)?;
                opened.notes.events.append(&mut forked.notes);
                Ok(opened)
            }
        }
    }

    /// Returns the directory that a session is to be moved to.
    pub(super) fn move_place(&self, id: &SessionId, named: &Path) -> Result<ImportDirectory, ErrorReport> {
        let request = self.request();
        let home = request.dirs.home.as_deref();
        let of_home = home.and_then(|home| Some(home.join(named.strip_prefix("~").ok()?)));
        let own = self.stored()?.get(id)?.map(|row| row.directory);
        let base = own.filter(|own| own.is_dir()).unwrap_or(request.directory);
        ImportDirectory::of_move(&of_home.unwrap_or_else(|| base.join(named)), home)
    }

    pub(super) fn open_relocated(
        &self,
        id: SessionId,
        place: &ImportDirectory,
    ) -> Result<wire::WiredSession, ErrorReport> {
        self.stored()?.relocate(&id, place)?;
        self.open_stored(id)
    }

    /// As the program was started, but for what was meant for the first session alone.
    fn later_request(&self) -> OpenRequest {
        let request = self.request();
        let source = match request.source {
            // A cassette holds what one session said.
            ModelSource::Record(_) => ModelSource::Network,
            source => source,
        };
        OpenRequest {
            which: SessionChoice::New,
            source,
            ..request
        }
    }

    fn open_stored(&self, id: SessionId) -> Result<wire::WiredSession, ErrorReport> {
        let own = self.later_request();
        let request = self.request_for(&own, id)?;
        let mut opened = wire::open(&request)?;
        let other = Some(request.trust).filter(|trust| trust.root != own.trust.root);
        let left_out = other.and_then(|trust| trust.report());
        opened
            .notes
            .events
            .extend(left_out.map(|report| report.sentence()));
        Ok(opened)
    }

    /// A session of another project is opened with what is configured there; what that project brings and nobody was asked
    /// about stays away.
    fn request_for(&self, own: &OpenRequest, id: SessionId) -> Result<OpenRequest, ErrorReport> {
        let row = self.stored()?.get(&id)?;
        let request = match row.filter(|row| row.directory.is_dir()) {
            Some(row) if row.project != self.project => (self.configure)(own, &row.directory)?,
            _ => own.clone(),
        };
        Ok(OpenRequest {
            which: SessionChoice::Id(id),
            // It goes on as what it was.
            model: None,
            agent: None,
            ..request
        })
    }
}
