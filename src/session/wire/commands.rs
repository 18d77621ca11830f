//! Which commands of the user's own there are here.

use std::sync::Arc;

use super::OpenRequest;
use super::services::roots;
use crate::project::commands::{CommandPlaces, CommandProblem, UserCommand, commands};

/// All commands, as `lathe commands` lists them, and what could not be read. Where they were looked at before, those that
/// were looked at.
pub fn user_commands(request: &OpenRequest) -> (Arc<[UserCommand]>, Vec<CommandProblem>) {
    match &request.trust.commands {
        Some(found) => found.clone(),
        None => find(request),
    }
}

/// Reads files and blocks.
pub(super) fn find(request: &OpenRequest) -> (Arc<[UserCommand]>, Vec<CommandProblem>) {
    let roots = roots(request, &request.directory);
    let (found, problems) = commands(&CommandPlaces {
        config: &request.dirs.config,
        home: request.dirs.home.as_deref(),
        root: roots.project_root(),
        cwd: roots.session_dir(),
    });
    (found.into(), problems)
}
