//! A task's state in words, as tiles and the heading write it.

use crate::conversation::{TaskActivity, TaskRow};
use crate::tui::tasks::TaskMark;
use crate::tui::tasks::words::clock;

/// A wait for the model is told from this time on; shorter ones come and go with every request.
const TOLD_WAIT: i64 = 2_000;

/// Returns the place of a state where tiles are sorted: who asks first, then who works, what waits, what has ended.
pub(super) fn rank(mark: TaskMark) -> u8 {
    match mark {
        TaskMark::Asking => 0,
        TaskMark::Working => 1,
        TaskMark::Waiting => 2,
        TaskMark::Stalled => 3,
        TaskMark::Queued => 4,
        TaskMark::Failed => 5,
        TaskMark::Interrupted => 6,
        TaskMark::Done => 7,
        TaskMark::Cancelled => 8,
    }
}

/// Returns the word that counts and the filter use: what works and what waits for a moment is one count.
pub(super) fn count_word(mark: TaskMark) -> &'static str {
    match mark {
        TaskMark::Working | TaskMark::Waiting => "running",
        other => other.words(),
    }
}

/// Returns true if its time goes on.
pub(super) fn is_live(mark: TaskMark) -> bool {
    rank(mark) <= rank(TaskMark::Queued)
}

/// Returns what a task does, is waiting for or came to, for the first row of its tile. `asks` is what its question is about.
pub(super) fn state_words(row: &TaskRow, mark: TaskMark, asks: Option<&str>, now: i64) -> String {
    let waited = (now - row.since).max(0);
    let because = |word: &str| match row.error.as_deref() {
        None | Some("") => word.to_owned(),
        Some(why) => format!("{word}: {why}"),
    };
    match mark {
        TaskMark::Asking => {
            let what = asks.unwrap_or(&row.now);
            // Beside a call that runs the row does not say since when.
            match row.activity {
                TaskActivity::WaitingForPerson => format!("asks {} · {what}", clock(waited)),
                _ => format!("asks · {what}"),
            }
        }
        TaskMark::Working => row.description.clone(),
        TaskMark::Waiting if waited < TOLD_WAIT => row.description.clone(),
        TaskMark::Waiting if row.activity == TaskActivity::WaitingForTasks => {
            format!("waiting for its agents {}", wait(waited))
        }
        TaskMark::Waiting => format!("waiting for the model {}", wait(waited)),
        TaskMark::Stalled => format!("stalled {} · {}", clock(waited), row.description),
        TaskMark::Queued => format!("queued · {}", row.description),
        TaskMark::Done if row.now.is_empty() => row.description.clone(),
        TaskMark::Done => row.now.clone(),
        TaskMark::Failed => because("failed"),
        TaskMark::Cancelled => because("cancelled"),
        TaskMark::Interrupted => format!("interrupted · {}", row.description),
    }
}

/// Writes a wait, which is short as a rule: `8 s`, from a minute on `1:12`.
fn wait(millis: i64) -> String {
    match millis {
        ..60_000 => format!("{} s", millis.max(0) / 1_000),
        _ => clock(millis),
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample::{NOW, task};
    use super::*;
    use crate::conversation::TaskStatus;

    #[test]
    fn words_say_what_is_waited_for_and_since_when() {
        let words = |change: fn(&mut TaskRow)| {
            let mut row = task(1);
            change(&mut row);
            state_words(&row, TaskMark::of(&row, false), None, NOW)
        };
        for (change, expected) in [
            ((|_| {}) as fn(&mut TaskRow), "who calls backoff()"),
            (
                |row| row.activity = TaskActivity::WaitingForModel,
                "waiting for the model 8 s",
            ),
            (
                |row| (row.activity, row.since) = (TaskActivity::WaitingForModel, NOW - 1_900),
                "who calls backoff()",
            ),
            (
                |row| (row.activity, row.since) = (TaskActivity::WaitingForTasks, NOW - 72_000),
                "waiting for its agents 1:12",
            ),
            (
                |row| {
                    row.activity = TaskActivity::WaitingForPerson;
                    row.now = "git push".to_owned();
                    row.since = NOW - 190_000;
                },
                "asks 3:10 · git push",
            ),
            (
                |row| (row.activity, row.since) = (TaskActivity::Stalled, NOW - 72_000),
                "stalled 1:12 · who calls backoff()",
            ),
            (
                |row| row.status = TaskStatus::Queued,
                "queued · who calls backoff()",
            ),
            (
                |row| {
                    row.status = TaskStatus::Completed;
                    row.now = "Two risks".to_owned();
                },
                "Two risks",
            ),
            (
                |row| {
                    row.status = TaskStatus::Failed;
                    row.error = Some("the key was refused".to_owned());
                },
                "failed: the key was refused",
            ),
            (|row| row.status = TaskStatus::Cancelled, "cancelled"),
            (
                |row| row.status = TaskStatus::Interrupted,
                "interrupted · who calls backoff()",
            ),
        ] {
            assert_eq!(words(change), expected);
        }
    }
}
