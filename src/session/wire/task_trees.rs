//! Work trees of tasks: what a session in one may do, and what is told of those that hold changes.
//!
//! A session works in a tree when its directory lies in one, whoever opened it: so the tasks of an isolated task are held
//! to the same tree.

use std::path::Path;

use super::environment::environment;
use super::{OpenRequest, first_of};
use crate::conversation::SessionId;
use crate::files::Roots;
use crate::tool::{SandboxMode, SandboxSettings, TaskTree, records_dir, sandbox};
use crate::worktree::Worktrees;

/// Trees that a line names.
const NAMED: usize = 3;

pub(super) fn worktrees(request: &OpenRequest, session: &SessionId) -> Worktrees {
    let data = &request.dirs.data;
    Worktrees::new(data, records_dir(data), environment(request, session))
}

/// Returns the tree that a session's directory lies in.
pub(super) fn tree_of(request: &OpenRequest, session: &SessionId, directory: &Path) -> Option<TaskTree> {
    let place = worktrees(request, session).around(directory)?;
    Some(TaskTree {
        // Without its record nobody knows the project; nothing but the tree is written all the same.
        project: place.project.unwrap_or_else(|| place.root.clone()),
        root: place.root,
        objects: place.objects,
        kept: place.kept,
    })
}

/// The roots of a session in a tree. Reading the project is free where the kernel keeps commands from writing to it.
pub(super) fn tree_roots(request: &OpenRequest, tree: &TaskTree, directory: &Path) -> Roots {
    let is_confined = mode(request) == SandboxMode::WorkspaceWrite;
    let readable = is_confined.then(|| tree.project.clone());
    Roots::of_tree(&tree.root, directory, readable, request.dirs.home.as_deref())
}

/// Holds the commands of a session to its tree.
pub(super) fn confine(request: &OpenRequest, tree: TaskTree, settings: &mut SandboxSettings) {
    settings.mode = mode(request);
    settings.tree = Some(tree);
}

/// The mode of the sandbox in a tree, whatever is set for other sessions.
fn mode(request: &OpenRequest) -> SandboxMode {
    let may_be_free = request.loaded.config.background.worktree.unconfined;
    if may_be_free && sandbox::check_workspace().is_err() {
        SandboxMode::Off
    } else {
        SandboxMode::WorkspaceWrite
    }
}

/// One line about the trees of a project that hold changes which nobody applied; `None` where there are none.
pub(super) fn note(request: &OpenRequest, session: &SessionId, project: &Path) -> Option<String> {
    let unapplied = worktrees(request, session).unapplied(project);
    let named = first_of(unapplied.iter().map(|task| format!("`{task}`")), NAMED, "");
    let (holds, of) = match unapplied.len() {
        0 => return None,
        1 => ("1 work tree holds".to_owned(), "task"),
        count => (format!("{count} work trees hold"), "tasks"),
    };
    Some(format!(
        "{holds} changes that are not applied, of ended {of} {}; `/tasks` on the screen and `lathe worktrees` show and apply them",
        named.join(", ")
    ))
}
