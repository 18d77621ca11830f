//! Loads the user's own commands.

use std::sync::Arc;

use super::agents::TOLD;
use super::gates::{request_gate, roots};
use super::{OpenRequest, first_of};
use crate::project::commands::{CommandOwner, CommandPlaces, UserCommand, commands};
use crate::project::frontmatter::SourceProblem;
use crate::unconfirmed::UnconfirmedFiles;

/// All commands, as `lathe commands` lists them, and what could not be read. Where they were looked at before, those that
/// were looked at. Those of a project that is not trusted are text alone.
pub fn user_commands(request: &OpenRequest) -> (Arc<[UserCommand]>, Vec<SourceProblem>) {
    let (found, problems) = match &request.trust.commands {
        Some(found) => found.clone(),
        None => find(request, request.loaded.unconfirmed()),
    };
    if request.trust.is_trusted() {
        return (found, problems);
    }
    let restricted = found.iter().map(|command| match command.owner {
        CommandOwner::User => command.clone(),
        CommandOwner::Project => command.text(),
    });
    (restricted.collect(), problems)
}

/// Reads files and blocks.
pub(super) fn find(
    request: &OpenRequest,
    unconfirmed: &UnconfirmedFiles,
) -> (Arc<[UserCommand]>, Vec<SourceProblem>) {
    let roots = roots(request, &request.directory);
    let (found, problems) = commands(&CommandPlaces {
        config: &request.dirs.config,
        home: request.dirs.home.as_deref(),
        root: roots.project_root(),
        cwd: roots.session_dir(),
        gate: &*request_gate(request, &roots),
        unconfirmed,
    });
    (found.into(), problems)
}

/// Sentences about files that were left out.
pub(super) fn problems(problems: &[SourceProblem]) -> Vec<String> {
    let all = problems.iter().map(ToString::to_string);
    first_of(all, TOLD, " about commands; `lathe commands` lists them")
}
