//! Opens sessions after the first one.

use std::path::PathBuf;

use crate::cli::failure::Failure;
use crate::cli::place::Place;
use crate::conversation::SessionId;
use crate::files::Roots;
use crate::session::wire::{self, ModelSource, OpenRequest, Which};
use crate::session::{ErrorReport, StoredSessions, Wanted};
use crate::store::Store;

pub(in crate::cli) struct Opener {
    /// As the program was started, but for what was meant for the first session alone.
    pub(super) request: OpenRequest,
    extra: Option<PathBuf>,
}

impl Opener {
    pub(in crate::cli) fn new(request: OpenRequest, extra: Option<PathBuf>) -> Self {
        let source = match request.source {
            // A cassette holds what one session said.
            ModelSource::Record(_) => ModelSource::Network,
            source => source,
        };
        Self {
            request: OpenRequest {
                which: Which::New,
                source,
                ..request
            },
            extra,
        }
    }

    pub(in crate::cli) fn open(&self, wanted: Wanted) -> Result<wire::Opened, ErrorReport> {
        match wanted {
            Wanted::New => wire::open(&self.request),
            Wanted::Session(id) => self.open_stored(id),
            Wanted::Fork(source, point) => {
                let stored = StoredSessions::open(&self.request.dirs.data)?;
                let mut forked = stored.fork(&source, &point)?;
                let mut opened = self.open_stored(forked.session)?;
                opened.notes.append(&mut forked.notes);
                Ok(opened)
            }
        }
    }

    fn open_stored(&self, id: SessionId) -> Result<wire::Opened, ErrorReport> {
        let request = self.request_for(id)?;
        let mut opened = wire::open(&request)?;
        let other = Some(request.trust).filter(|trust| trust.root != self.request.trust.root);
        let left_out = other.and_then(|trust| trust.report());
        opened.notes.extend(left_out.map(|report| report.sentence()));
        Ok(opened)
    }

    /// A session of another project is opened with what is configured there; what that project brings and nobody was asked
    /// about stays away.
    fn request_for(&self, id: SessionId) -> Result<OpenRequest, ErrorReport> {
        let store = Store::open(&self.request.dirs.data)?;
        let row = store.get(&id)?;
        let own = Roots::new(&self.request.directory, self.request.dirs.home.as_deref());
        let request = match row.filter(|row| row.directory.is_dir()) {
            Some(row) if row.project != own.project_root() => {
                let place = Place::new(self.request.dirs.clone(), &row.directory);
                let request = place.request_like(&self.request, self.extra.as_deref());
                request.map_err(Failure::into_report)?
            }
            _ => self.request.clone(),
        };
        Ok(OpenRequest {
            which: Which::Id(id),
            // It goes on as what it was.
            model: None,
            agent: None,
            ..request
        })
    }
}
