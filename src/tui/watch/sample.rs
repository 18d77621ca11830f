//! Tasks for the tests of the grid.

use crate::conversation::{ModelRef, SessionId, TaskActivity, TaskRow, TaskStatus, Usage};

/// The moment of the tests, in milliseconds since the Unix epoch.
pub(super) const NOW: i64 = 1_763_900_000_000;

/// A task that works; its number is in its ids, and it was started that many seconds after the first.
pub(super) fn task(number: u64) -> TaskRow {
    let session: SessionId = format!("ses_{number}").parse().expect("a session's id");
    let created = NOW - 100_000 + i64::try_from(number).expect("a small number") * 1_000;
    TaskRow {
        task: format!("tsk_{number}").parse().expect("a task's id"),
        session,
        parent: "ses_0".parse().expect("a session's id"),
        started_by: "background_task".to_owned(),
        depth: 1,
        agent: "explore".to_owned(),
        category: None,
        description: "who calls backoff()".to_owned(),
        model: ModelRef {
            provider: "local".to_owned(),
            model: "test-model".to_owned(),
        },
        is_background: true,
        status: TaskStatus::Running,
        activity: TaskActivity::Working,
        since: NOW - 8_000,
        now: String::new(),
        calls: 12,
        usage: Usage::default(),
        cost: Some(0.0),
        created,
        started: Some(NOW - 41_000),
        ended: None,
        error: None,
        failure: None,
        worktree: None,
    }
}
