//! Notices about the state of the setup, such as warnings of the configuration. They hold at every start until somebody
//! changes that, so the person is told each once; `/status` lists them all.

use std::path::Path;

use super::{FrontEndKind, OpenRequest};
use crate::store::ToldNotices;

/// Returns the notices to tell at this start. A run without a person in front tells all of them: nobody can ask it later.
pub(super) fn untold(request: &OpenRequest, project: &Path, standing: &[String]) -> Vec<String> {
    if request.front_end == FrontEndKind::Unattended {
        return standing.to_vec();
    }
    let told = ToldNotices::new(&request.dirs.state);
    told.tell(project, standing).unwrap_or_else(|error| {
        tracing::warn!(%error, "the notices that were told cannot be kept");
        standing.to_vec()
    })
}
