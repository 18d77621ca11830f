//! The text that tells a session of its tasks that ended.

use std::fmt::Write as _;
use std::time::Duration;

use crate::agent::background::Notice;
use crate::conversation::{Message, TaskStatus};
use crate::tool::plural;
use crate::view::spinner;

/// Returns one reminder for all of them; `None` where there are none. `running` are still at work.
pub(super) fn text(notices: &[Notice], running: usize, now: i64) -> Option<String> {
    if notices.is_empty() {
        return None;
    }
    let mut text = Message::REMINDER.to_owned();
    for Notice { row } in notices {
        let elapsed = u64::try_from(row.elapsed(now)).unwrap_or(0);
        let took = spinner::elapsed(Duration::from_millis(elapsed));
        let _ = write!(
            text,
            "Task {} ({}, agent {}) is {} after {took}.",
            row.task,
            row.description,
            row.agent,
            row.status.name(),
        );
        if let Some(error) = &row.error {
            let _ = write!(text, " Reason: {}.", error.trim_end_matches('.'));
        }
        text.push_str(match row.status {
            TaskStatus::Completed => " Use background_output to read its result.\n",
            TaskStatus::Interrupted => {
                " Lathe ended while it was unfinished. Use background_output to read what it had found, or task with \
                 its task_id to let it go on.\n"
            }
            _ => " Use background_output to read what it had found.\n",
        });
    }
    let _ = match running {
        0 => writeln!(text, "No other task of yours is running."),
        _ => writeln!(text, "{} of yours still running.", plural(running, "task")),
    };
    text.push_str("</system-reminder>");
    Some(text)
}
