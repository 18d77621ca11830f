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
        TaskMark::Working | TaskMark::Waiting => row.description.clone(),
        TaskMark::Stalled => format!("stalled {} · {}", clock(waited), row.description),
        TaskMark::Queued => format!("queued · {}", row.description),
        TaskMark::Done if row.now.is_empty() => row.description.clone(),
        TaskMark::Done => row.now.clone(),
        TaskMark::Failed => because("failed"),
        TaskMark::Cancelled => because("cancelled"),
        TaskMark::Interrupted => format!("interrupted · {}", row.description),
    }
}

/// Returns what a task has been waiting for, the longer form first, where there is room behind what it was asked.
pub(super) fn wait_words(row: &TaskRow, mark: TaskMark, now: i64) -> Option<[String; 2]> {
    let waited = (now - row.since).max(0);
    if mark != TaskMark::Waiting || waited < TOLD_WAIT {
        return None;
    }
    let whom = match row.activity {
        TaskActivity::WaitingForTasks => "its agents",
        _ => "the model",
    };
    let waited = wait(waited);
    Some([
        format!("waiting for {whom} {waited}"),
        format!("waiting {waited}"),
    ])
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
                "who calls backoff()",
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

    #[test]
    fn a_wait_is_told_from_two_seconds_on_with_what_is_waited_for() {
        let words = |activity, waited: i64| {
            let mut row = task(1);
            (row.activity, row.since) = (activity, NOW - waited);
            wait_words(&row, TaskMark::of(&row, false), NOW).map(|[long, short]| format!("{long}, {short}"))
        };
        assert_eq!(words(TaskActivity::Working, 9_000), None);
        assert_eq!(words(TaskActivity::WaitingForModel, 1_900), None);
        assert_eq!(
            words(TaskActivity::WaitingForModel, 8_000).unwrap(),
            "waiting for the model 8 s, waiting 8 s"
        );
        assert_eq!(
            words(TaskActivity::WaitingForTasks, 72_000).unwrap(),
            "waiting for its agents 1:12, waiting 1:12"
        );
    }
}
