//! The work trees of the tasks of one tree of sessions: who gets one, and where it lies.

use std::path::{Path, PathBuf};

use super::ErrorReport;
use super::children::ChildSessions;
use super::gates::roots;
use super::task_trees::worktrees;
use crate::conversation::{ErrorKind, Isolation, SessionId, TaskId, TaskRow, WorktreeChanges};
use crate::session::tasks::{TaskTrees, TreeStart};
use crate::tool::{CheckedOrder, TaskCaller, ToolError, TreeReport, sandbox};
use crate::worktree::{Lease, NewTree, TreeError, TreeSize, Worktrees};

impl TaskTrees for ChildSessions {
    fn plan_tree(
        &self,
        session: &SessionId,
        caller: &TaskCaller,
        order: &CheckedOrder,
    ) -> Result<Option<WorktreeChanges>, ToolError> {
        if order.isolation != Isolation::Worktree || order.resumes.is_some() {
            return Ok(None);
        }
        let request = &self.parts.request;
        if !request.loaded.config.background.worktree.unconfined {
            sandbox::check_workspace().map_err(|why| no_sandbox(&why))?;
        }
        let (project, directory) = self.place(&caller.session);
        let trees = self.trees();
        let submodules = trees
            .check(&self.top(&directory))
            .map_err(|error| unavailable(&error))?;
        let path = trees.path(&project, &TaskId::of(session));
        Ok(Some(WorktreeChanges {
            path: path.to_string_lossy().into_owned(),
            submodules,
            ..WorktreeChanges::default()
        }))
    }

    fn make_tree(&self, row: &TaskRow) -> Result<TreeStart, ErrorReport> {
        let Some(planned) = &row.worktree else {
            return Ok(TreeStart::Found);
        };
        if Path::new(&planned.path).is_dir() {
            return Ok(TreeStart::Found);
        }
        let (project, directory) = self.place(&row.parent);
        let made = self.trees().create(&NewTree {
            task: row.task.clone(),
            title: row.description.clone(),
            source: self.top(&directory),
            project: project.clone(),
        })?;
        let config = &self.parts.request.loaded.config.background.worktree;
        Ok(TreeStart::Made {
            setup: config.setup.clone().filter(|setup| !setup.trim().is_empty()),
            note: format!(
                "<system-reminder>\nYou work in `{}`: a repository of your own, made from the project `{}` with all that \
                 was not committed there. Change files and run commands below your directory alone; the project itself \
                 you can only read, and a path of it in your task means the same file in your tree. Your commits stay \
                 here: the user applies the files as you leave them.{}\n</system-reminder>",
                made.display(),
                project.display(),
                without_submodules(planned),
            ),
        })
    }

    fn lease_tree(&self, session: &SessionId) -> Result<Option<Lease>, ErrorReport> {
        let stored = self.parts.store.get(session)?;
        let trees = self.trees();
        let place = stored.and_then(|stored| trees.around(&stored.directory));
        let Some(place) = place else { return Ok(None) };
        let lease = trees.lease(&place.task)?;
        trees.begin(&place.task)?;
        Ok(Some(lease))
    }

    fn measure_tree(&self, row: &TaskRow) -> Option<TreeReport> {
        let planned = row.worktree.as_ref()?;
        let measured = self.trees().measure(&row.task);
        let (measured, problem) = match measured {
            Ok(measured) => (measured, None),
            Err(error) => (TreeSize::default(), Some(error.to_string())),
        };
        Some(TreeReport {
            changes: WorktreeChanges {
                path: planned.path.clone(),
                additions: measured.additions,
                deletions: measured.deletions,
                files: measured.files.len() as u64,
                submodules: planned.submodules.clone(),
            },
            files: measured.files,
            problem,
        })
    }

    fn settle_tree(&self, row: &TaskRow) {
        if row.worktree.is_some()
            && let Err(error) = self.trees().settle(&row.task)
        {
            tracing::warn!(%error, task = %row.task, "how a task left its work tree was not noted");
        }
    }
}

impl ChildSessions {
    /// The directory of a new session: the same place in the tree as that of the session that starts it has in its own.
    pub(super) fn tree_directory(&self, session: &SessionId, project: &Path, directory: &Path) -> PathBuf {
        let tree = self.trees().path(project, &TaskId::of(session));
        let top = self.top(directory);
        tree.join(directory.strip_prefix(&top).unwrap_or(Path::new("")))
    }

    fn trees(&self) -> Worktrees {
        worktrees(&self.parts.request, &self.parts.root)
    }

    /// The work tree that a session's directory lies in.
    fn top(&self, directory: &Path) -> PathBuf {
        let around = self.trees().around(directory).map(|place| place.root);
        around.unwrap_or_else(|| roots(&self.parts.request, directory).project_root().to_owned())
    }
}

/// Tells the agent that submodules are empty in its tree; nothing where the project has none.
fn without_submodules(planned: &WorktreeChanges) -> String {
    let Some(missing) = planned.missing_submodules() else {
        return String::new();
    };
    format!(" Note that {missing}: read them in the project, and write nothing in their place.")
}

fn no_sandbox(why: &str) -> ToolError {
    ToolError::new(
        ErrorKind::Unavailable,
        format!("a task with a work tree of its own needs the sandbox, which cannot be enforced here: {why}"),
    )
    .hint(
        "Start it without `isolation`. `lathe doctor` says what the system offers; with `background.worktree.unconfined` \
         the user lets tasks work in their trees without it.",
    )
}

fn unavailable(error: &TreeError) -> ToolError {
    ToolError::new(error.kind(), error.to_string())
        .hint("Start it without `isolation`, or tell the user what stands in the way.")
}
