//! The work trees of isolated tasks while those run: made before the session begins, leased for as long as the task works,
//! and measured after its calls and at its end.

use std::sync::Arc;
use std::time::Duration;

use super::runner::Job;
use super::{Tasks, TasksState};
use crate::conversation::{SessionId, TaskRow, TaskStatus};
use crate::session::{ErrorReport, Event, ReportKind};
use crate::tool::TreeReport;

/// Between a call and the measuring of what it changed: others that follow at once are measured with it.
const MEASURE_AFTER: Duration = Duration::from_secs(1);

/// State in which a task finds its work tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::session) enum TreeStart {
    /// It has none, or it is there already.
    Found,
    Made {
        /// A command line that runs first.
        setup: Option<String>,
        /// Told to the agent behind its prompt.
        note: String,
    },
}

impl Tasks {
    /// Makes a task's tree where it has to have one, and takes the right to work in it.
    pub(super) async fn enter_tree(&self, session: &SessionId) -> Result<TreeStart, ErrorReport> {
        let found = self.lock().sessions_and_row(session);
        let Some((sessions, row)) = found else {
            return Ok(TreeStart::Found);
        };
        let work = move || {
            let start = sessions.make_tree(&row)?;
            Ok((start, sessions.lease_tree(&row.session)?))
        };
        let done = tokio::task::spawn_blocking(work).await;
        let (start, lease) = done.unwrap_or_else(|_| Err(lost()))?;
        if let Some(lease) = lease {
            self.lock().leases.insert(session.clone(), lease);
        }
        Ok(start)
    }

    /// A person goes on with a task that has ended: its tree is in use again.
    pub(super) async fn lease_again(self: &Arc<Self>, session: &SessionId) {
        let sessions = self.lock().sessions.clone();
        let Some(sessions) = sessions else { return };
        let of = session.clone();
        let leased = tokio::task::spawn_blocking(move || sessions.lease_tree(&of)).await;
        match leased {
            Ok(Ok(Some(lease))) => {
                let mut state = self.lock();
                let is_running = state.scheduler.row(session).is_some_and(is_running);
                if is_running {
                    state.leases.insert(session.clone(), lease);
                }
            }
            Ok(Ok(None)) => {}
            // Its calls will say that the tree is not there.
            Ok(Err(error)) => tracing::warn!(error = %error.sentence(), "a work tree could not be leased"),
            Err(error) => tracing::error!(%error, "a work tree could not be leased"),
        }
    }

    /// A call of a task has ended: what it changed in its tree is measured in a moment.
    pub(super) fn note_call(&self, state: &mut TasksState, session: &SessionId, event: &Event) {
        if !matches!(event, Event::CallEnded { .. }) {
            return;
        }
        let has_tree = |row: &TaskRow| row.worktree.is_some() && is_running(row);
        if state.scheduler.row(session).is_some_and(has_tree) && state.measuring.insert(session.clone()) {
            // Nobody listens any more while the process ends.
            let _ = self.jobs.send(Job::Measure(session.clone(), MEASURE_AFTER));
        }
    }

    /// Measures a task's tree, and notes how it stands where the task has ended.
    pub(super) async fn measure(self: &Arc<Self>, session: &SessionId, after: Duration) {
        tokio::time::sleep(after).await;
        let found = {
            let mut state = self.lock();
            state.measuring.remove(session);
            state.sessions_and_row(session)
        };
        let Some((sessions, row)) = found else {
            return;
        };
        let work = move || {
            let report = sessions.measure_tree(&row);
            if row.status.is_ended() {
                sessions.settle_tree(&row);
            }
            report
        };
        let Ok(Some(report)) = tokio::task::spawn_blocking(work).await else {
            return;
        };
        let mut state = self.lock();
        state.scheduler.set_worktree(session, report.changes);
        self.perform(&mut state);
    }

    /// Returns what is changed in a task's tree now.
    pub(super) fn tree_report(&self, session: &SessionId) -> Option<TreeReport> {
        let (sessions, row) = self.lock().sessions_and_row(session)?;
        sessions.measure_tree(&row)
    }
}

impl TasksState {
    /// Follows a task's status: who has ended gives its tree back, to be measured; who goes on takes it again.
    pub(super) fn follow_tree(&mut self, row: &TaskRow) -> Option<Job> {
        let session = &row.session;
        if row.status.is_ended() {
            self.leases.remove(session)?;
            return Some(Job::Measure(session.clone(), Duration::ZERO));
        }
        // One that is about to be opened takes it then.
        let goes_on =
            is_running(row) && self.live.contains_key(session) && !self.leases.contains_key(session);
        goes_on.then(|| Job::Lease(session.clone()))
    }
}

/// Tasks that a restart found unfinished, whose trees nobody has measured.
pub(super) fn unmeasured<'a>(rows: impl Iterator<Item = &'a TaskRow>) -> Vec<Job> {
    let cut = rows.filter(|row| row.status == TaskStatus::Interrupted && row.worktree.is_some());
    cut.map(|row| Job::Measure(row.session.clone(), Duration::ZERO))
        .collect()
}

fn is_running(row: &TaskRow) -> bool {
    row.status == TaskStatus::Running
}

fn lost() -> ErrorReport {
    let message = "lathe failed while it made the work tree of a task; the log says why";
    ErrorReport::new(ReportKind::Internal, message)
}
