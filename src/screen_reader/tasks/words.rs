//! Tasks in words: a line in the list, and a line for each change. A description and a result are the model's words and
//! stand behind lathe's own on the same line.

use super::{FinishedGroup, TaskChange, TaskList, TaskNumber};
use crate::conversation::{SessionId, TaskActivity, TaskRow, TaskStatus, WorktreeChanges};
use crate::text::count::{noun_of, plural};
use crate::text::size::short_count;

/// Ended tasks that a list tells unasked.
const ENDED: usize = 10;

/// Context of a list of tasks.
pub(in crate::screen_reader) struct ListFacts<'a> {
    /// Returns what the open question of a session is about.
    pub(in crate::screen_reader) asks: &'a dyn Fn(&SessionId) -> Option<String>,
    /// The task that the person is in.
    pub(in crate::screen_reader) front: Option<&'a SessionId>,
    /// Every task that has ended is told, too.
    pub(in crate::screen_reader) is_whole: bool,
    pub(in crate::screen_reader) now: i64,
}

/// Returns a line for each task, those that ask first, and one above them that counts.
pub(in crate::screen_reader) fn list(tasks: &TaskList, facts: &ListFacts<'_>) -> Vec<String> {
    if tasks.is_empty() {
        return vec!["No tasks yet in this session.".to_owned()];
    }
    let asks = |row: &TaskRow| (facts.asks)(&row.session);
    let (mut asking, mut others) = (Vec::new(), Vec::new());
    let ended: Vec<_> = tasks
        .numbered()
        .filter(|(_, row)| row.status.is_ended())
        .collect();
    let most = if facts.is_whole { usize::MAX } else { ENDED };
    let left_out = ended.len().saturating_sub(most);
    let hidden: Vec<TaskNumber> = ended[..left_out].iter().map(|(number, _)| *number).collect();
    for (number, row) in tasks.numbered().filter(|(number, _)| !hidden.contains(number)) {
        match asks(row) {
            Some(question) => asking.push(line(tasks, number, Some(&question), facts)),
            None => others.push(line(tasks, number, None, facts)),
        }
    }
    let mut lines = vec![counts(tasks, asking.len())];
    lines.append(&mut asking);
    lines.append(&mut others);
    if left_out > 0 {
        lines.push(format!("{left_out} more ended earlier; /tasks all lists them."));
    }
    lines.push("/tasks with a number opens one; /stop with a number stops one.".to_owned());
    lines
}

/// `2 at work, 1 question, 1 queued, 3 ended.`
fn counts(tasks: &TaskList, asking: usize) -> String {
    let count = |is_it: fn(&TaskRow) -> bool| tasks.numbered().filter(|(_, row)| is_it(row)).count();
    let mut facts = vec![format!(
        "{} running",
        count(|row| row.status == TaskStatus::Running)
    )];
    if asking > 0 {
        facts.push(plural(asking, "question"));
    }
    for (number, word) in [
        (count(|row| row.status == TaskStatus::Queued), "queued"),
        (count(|row| row.status.is_ended()), "ended"),
    ] {
        if number > 0 {
            facts.push(format!("{number} {word}"));
        }
    }
    format!(
        "{}: {}.",
        plural(tasks.numbered().count(), "task"),
        facts.join(", ")
    )
}

/// `2 asks for 58 seconds: general, "tidy the fixtures". It asks: bash wants to run: rm a. 3 calls, 9.1k tokens, 1 minute.`
pub(in crate::screen_reader) fn line(
    tasks: &TaskList,
    number: TaskNumber,
    asks: Option<&str>,
    facts: &ListFacts<'_>,
) -> String {
    let Some(row) = tasks.with_number(number) else {
        return String::new();
    };
    let state = state(row, asks.is_some(), facts.now);
    let mut who = vec![named(row)];
    who.extend(tasks.number(&row.parent).map(|above| format!("for task {above}")));
    if !row.is_background && !row.status.is_ended() {
        who.push("in the foreground".to_owned());
    }
    if facts.front == Some(&row.session) {
        who.push("you are in it".to_owned());
    }
    let mut sentences = vec![format!("{number} {state}: {}.", who.join(", "))];
    sentences.extend(said(row, asks).as_deref().map(ended_sentence));
    sentences.push(format!("{}.", spent(row, facts.now)));
    sentences.join(" ")
}

/// Returns what a task asks, does or came to.
fn said(row: &TaskRow, asks: Option<&str>) -> Option<String> {
    let why = row.error.as_deref().unwrap_or_default();
    let (how, what) = match row.status {
        TaskStatus::Running => match asks {
            Some(question) => ("It asks", question),
            None => ("Last it did", row.now.as_str()),
        },
        TaskStatus::Completed => ("It says", row.now.as_str()),
        TaskStatus::Failed | TaskStatus::Cancelled => ("Why", why),
        TaskStatus::Queued | TaskStatus::Interrupted => return None,
    };
    (!what.is_empty()).then(|| format!("{how}: {what}"))
}

/// `12 calls, 18.2k tokens, 41 seconds`
fn spent(row: &TaskRow, now: i64) -> String {
    let usage = row.usage;
    let tokens = usage.input + usage.cache_write + usage.output;
    let calls = usize::try_from(row.calls).unwrap_or(usize::MAX);
    let mut facts = vec![
        plural(calls, "call"),
        format!("{} tokens", short_count(tokens)),
        duration(row.elapsed(now)),
    ];
    facts.extend(row.worktree.as_ref().and_then(changed));
    facts.join(", ")
}

/// `18 lines added and 4 removed in its work tree`
fn changed(tree: &WorktreeChanges) -> Option<String> {
    let WorktreeChanges {
        additions, deletions, ..
    } = tree;
    let added = usize::try_from(*additions).unwrap_or(usize::MAX);
    (additions + deletions > 0).then(|| {
        format!(
            "{} added and {deletions} removed in its work tree",
            plural(added, "line")
        )
    })
}

/// Returns what a task does or waits for, and where that takes its time since when.
fn state(row: &TaskRow, asks: bool, now: i64) -> String {
    let word = match row.status {
        TaskStatus::Queued => "queued",
        TaskStatus::Running if asks => "asks",
        TaskStatus::Running => match row.activity {
            TaskActivity::Working => "working",
            TaskActivity::WaitingForModel => "waits for the model",
            TaskActivity::WaitingForPerson => "asks",
            TaskActivity::WaitingForTasks => "waits for its tasks",
            TaskActivity::Stalled => "stalled",
        },
        ended => return ended_word(ended).to_owned(),
    };
    // Beside a call that runs the row does not say since when it asks.
    let is_since = match word {
        "working" => false,
        "asks" => row.activity == TaskActivity::WaitingForPerson,
        _ => true,
    };
    let waited = now - row.since;
    if is_since && waited >= 1_000 {
        format!("{word} for {}", duration(waited))
    } else {
        word.to_owned()
    }
}

fn ended_word(status: TaskStatus) -> &'static str {
    match status {
        TaskStatus::Queued | TaskStatus::Running => "running",
        TaskStatus::Completed => "done",
        TaskStatus::Failed => "failed",
        TaskStatus::Cancelled => "cancelled",
        TaskStatus::Interrupted => "interrupted",
    }
}

/// `explore, "who calls backoff()"`
pub(in crate::screen_reader) fn named(row: &TaskRow) -> String {
    format!("{}, \"{}\"", row.agent, row.description)
}

/// Returns the line for a change of a task. `above` is the task that started it, where that was one.
pub(in crate::screen_reader) fn change(
    row: &TaskRow,
    number: TaskNumber,
    above: Option<TaskNumber>,
    change: &TaskChange,
) -> String {
    let name = named(row);
    let above = above.map_or_else(String::new, |above| format!(", for task {above}"));
    match change {
        TaskChange::Started => format!("Task {number} has started: {name}{above}."),
        TaskChange::WentOn => format!("Task {number} continues: {name}{above}."),
        TaskChange::ToBackground => format!("Task {number} continues in the background: {name}."),
        TaskChange::Ended => {
            let took = match row.started {
                Some(_) => format!(", after {}", duration(row.elapsed(0))),
                None => String::new(),
            };
            let word = ended_word(row.status);
            let is = if row.status == TaskStatus::Failed {
                "has"
            } else {
                "is"
            };
            let line = format!("Task {number} {is} {word}: {name}{above}{took}.");
            match said(row, None) {
                Some(said) => format!("{line} {}", ended_sentence(&said)),
                None if row.status == TaskStatus::Completed => format!("{line} It gave no answer."),
                None => line,
            }
        }
    }
}

/// `All 3 tasks have ended: 2 done, 1 failed.`; nothing of a single one, whose own line says it.
pub(in crate::screen_reader) fn finished(group: &FinishedGroup, above: Option<TaskNumber>) -> Option<String> {
    if group.rows.len() < 2 {
        return None;
    }
    let mut counts: Vec<(&str, usize)> = Vec::new();
    for row in &group.rows {
        let word = ended_word(row.status);
        match counts.iter_mut().find(|(known, _)| *known == word) {
            Some((_, count)) => *count += 1,
            None => counts.push((word, 1)),
        }
    }
    let counts: Vec<String> = counts
        .iter()
        .map(|(word, count)| format!("{count} {word}"))
        .collect();
    let whose = above.map_or_else(String::new, |above| format!(" of task {above}"));
    let count = group.rows.len();
    Some(format!(
        "All {count} {}{whose} in the background have ended: {}.",
        noun_of(count, "task"),
        counts.join(", ")
    ))
}

/// Ends what may be a sentence already.
fn ended_sentence(text: &str) -> String {
    if text.ends_with(['.', '!', '?', '…', ':']) {
        text.to_owned()
    } else {
        format!("{text}.")
    }
}

/// `41 seconds`, `1 minute 42 seconds`, `2 hours 5 minutes`
pub(in crate::screen_reader) fn duration(millis: i64) -> String {
    let seconds = usize::try_from(millis / 1_000).unwrap_or(0);
    let (hours, minutes, seconds) = (seconds / 3_600, seconds / 60 % 60, seconds % 60);
    let two = |larger: String, count: usize, unit: &str| match count {
        0 => larger,
        _ => format!("{larger} {}", plural(count, unit)),
    };
    match (hours, minutes) {
        (0, 0) => plural(seconds, "second"),
        (0, _) => two(plural(minutes, "minute"), seconds, "second"),
        _ => two(plural(hours, "hour"), minutes, "minute"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conversation::task_sample::task;

    fn told(tasks: &TaskList, asking: &[SessionId], is_whole: bool) -> Vec<String> {
        let asks = |session: &SessionId| {
            asking
                .contains(session)
                .then(|| "bash wants to run: rm -r fixtures".to_owned())
        };
        list(
            tasks,
            &ListFacts {
                asks: &asks,
                front: None,
                is_whole,
                now: 58_000,
            },
        )
    }

    const GOES: &str = "/tasks with a number opens one; /stop with a number stops one.";

    #[test]
    fn who_asks_is_told_first_with_the_question_and_numbers_stay() {
        let root = SessionId::new();
        let working = task(&root, "who calls backoff()").doing(TaskActivity::Working, "Grep backoff(");
        let asking = task(&root, "tidy the fixtures").background();
        let asking = asking.doing(TaskActivity::WaitingForPerson, "").spent(3, 9_100);
        let below = task(&working.session(), "tokio time").background();
        let done = task(&root, "review")
            .ended(TaskStatus::Completed)
            .later(41_000)
            .with("Two risks.");
        let failed = task(&root, "look")
            .ended(TaskStatus::Failed)
            .later(41_000)
            .with("the user refused one of its calls");
        let mut tasks = TaskList::default();
        tasks.reset(&[
            working.spent(12, 18_200).row(),
            asking.row(),
            below.row(),
            done.row(),
            failed.row(),
        ]);
        assert_eq!(
            told(&tasks, &[asking.session()], false),
            [
                "5 tasks: 2 running, 1 question, 1 queued, 2 ended.",
                "2 asks for 58 seconds: explore, \"tidy the fixtures\". It asks: bash wants to run: rm -r fixtures. \
                 3 calls, 9.1k tokens, 58 seconds.",
                "1 working: explore, \"who calls backoff()\", in the foreground. Last it did: Grep backoff(. \
                 12 calls, 18.2k tokens, 58 seconds.",
                "3 queued for 58 seconds: explore, \"tokio time\", for task 1. 0 calls, 0 tokens, 0 seconds.",
                "4 done: explore, \"review\". It says: Two risks. 0 calls, 0 tokens, 41 seconds.",
                "5 failed: explore, \"look\". Why: the user refused one of its calls. 0 calls, 0 tokens, 41 seconds.",
                GOES,
            ]
        );
        assert_eq!(
            told(&TaskList::default(), &[], false),
            ["No tasks yet in this session."]
        );
    }

    #[test]
    fn of_many_that_ended_the_newest_are_told() {
        let root = SessionId::new();
        let rows: Vec<_> = (0..12)
            .map(|_| task(&root, "x").ended(TaskStatus::Completed).later(41_000).row())
            .collect();
        let mut tasks = TaskList::default();
        tasks.reset(&rows);
        let lines = told(&tasks, &[], false);
        assert!(lines[1].starts_with("3 done: "), "{lines:?}");
        assert_eq!(lines[11], "2 more ended earlier; /tasks all lists them.");
        assert_eq!(told(&tasks, &[], true).len(), 14);
    }

    #[test]
    fn changes_are_a_line_each() {
        let root = SessionId::new();
        let one = task(&root, "who calls it");
        let line = |sample: &crate::conversation::task_sample::Sample, above, of: TaskChange| {
            change(&sample.row(), 2, above, &of)
        };
        assert_eq!(
            line(&one, Some(1), TaskChange::Started),
            "Task 2 has started: explore, \"who calls it\", for task 1."
        );
        let done = one.clone().ended(TaskStatus::Completed).later(41_000);
        assert_eq!(
            line(&done, None, TaskChange::Ended),
            "Task 2 is done: explore, \"who calls it\", after 41 seconds. It gave no answer."
        );
        assert_eq!(
            line(&done.with("Two places"), None, TaskChange::Ended),
            "Task 2 is done: explore, \"who calls it\", after 41 seconds. It says: Two places."
        );
        assert_eq!(
            line(
                &one.clone()
                    .ended(TaskStatus::Failed)
                    .later(41_000)
                    .with("no model"),
                None,
                TaskChange::Ended
            ),
            "Task 2 has failed: explore, \"who calls it\", after 41 seconds. Why: no model."
        );
        let group = |statuses: &[TaskStatus]| FinishedGroup {
            rows: statuses
                .iter()
                .map(|status| one.clone().ended(*status).later(41_000).row())
                .collect(),
        };
        let three = group(&[TaskStatus::Completed, TaskStatus::Failed, TaskStatus::Completed]);
        assert_eq!(
            finished(&three, None).unwrap(),
            "All 3 tasks in the background have ended: 2 done, 1 failed."
        );
        assert_eq!(finished(&group(&[TaskStatus::Completed]), None), None);
    }

    #[test]
    fn times_are_words() {
        let told = [0, 1_999, 102_000, 120_000, 7_500_000].map(duration);
        assert_eq!(
            told,
            [
                "0 seconds",
                "1 second",
                "1 minute 42 seconds",
                "2 minutes",
                "2 hours 5 minutes"
            ]
        );
    }
}
