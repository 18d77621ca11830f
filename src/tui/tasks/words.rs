//! Words of rows and tiles about a task.

use crate::conversation::{TaskActivity, TaskRow, TaskStatus};
use crate::question::{Form, Question, QuestionKind};
use crate::text::count::plural;
use crate::text::sanitize::sanitize_line;
use crate::view::Symbols;

/// A wait for the model that is shorter than this many milliseconds is not told: it would come and go with every step.
const TOLD_WAIT: i64 = 3_000;

/// Writes milliseconds as `0:41` or `1:02:03`.
pub(crate) fn clock(millis: i64) -> String {
    let seconds = millis.max(0) / 1_000;
    let (hours, minutes, seconds) = (seconds / 3_600, seconds / 60 % 60, seconds % 60);
    if hours == 0 {
        format!("{minutes}:{seconds:02}")
    } else {
        format!("{hours}:{minutes:02}:{seconds:02}")
    }
}

/// Writes a number of tokens as `812`, `9.6k`, `18k` or `1.2M`.
pub(crate) fn tokens(count: u64) -> String {
    match count {
        0..1_000 => count.to_string(),
        1_000..10_000 => format!("{:.1}k", count as f64 / 1e3),
        10_000..1_000_000 => format!("{}k", count / 1_000),
        _ => format!("{:.1}M", count as f64 / 1e6),
    }
}

/// The tokens that a task has taken: what was sent without the cache, what was written to it, and replies.
pub(crate) fn taken(row: &TaskRow) -> u64 {
    row.usage.input + row.usage.cache_write + row.usage.output
}

/// Returns what a task has used, as far as it has: its calls, tokens and dollars.
pub(crate) fn figures(row: &TaskRow) -> [Option<String>; 3] {
    let calls = usize::try_from(row.calls).unwrap_or(usize::MAX);
    let taken = taken(row);
    let cost = row.cost.filter(|cost| *cost >= 0.005);
    [
        (calls > 0).then(|| plural(calls, "call")),
        (taken > 0).then(|| format!("{} tok", tokens(taken))),
        cost.map(|cost| format!("${cost:.2}")),
    ]
}

/// Returns the name of a task's agent, behind a step for every task above it.
pub(crate) fn agent(row: &TaskRow, symbols: Symbols) -> String {
    let steps = usize::try_from(row.depth.saturating_sub(1)).unwrap_or(0);
    let name = sanitize_line(&row.agent);
    format!("{}{name}", format!("{} ", symbols.step()).repeat(steps))
}

/// Returns what a task does right now, or why it ended; `unix` is now. Questions have words of their own.
pub(crate) fn doing(row: &TaskRow, unix: i64) -> String {
    let waited = (unix - row.since).max(0);
    let last = |otherwise: &str| match row.now.as_str() {
        "" => otherwise.to_owned(),
        now => sanitize_line(now).into_owned(),
    };
    match row.status {
        TaskStatus::Queued => "waits for a free slot".to_owned(),
        TaskStatus::Running => match row.activity {
            TaskActivity::WaitingForModel if waited >= TOLD_WAIT => {
                format!("waiting for the model {} s", waited / 1_000)
            }
            TaskActivity::WaitingForTasks => "waits for its own tasks".to_owned(),
            TaskActivity::Stalled => format!("no response for {}", clock(waited)),
            TaskActivity::Working | TaskActivity::WaitingForModel | TaskActivity::WaitingForPerson => {
                last("starting")
            }
        },
        TaskStatus::Interrupted => "lathe ended while it was running; a message resumes it".to_owned(),
        TaskStatus::Completed | TaskStatus::Failed | TaskStatus::Cancelled => match &row.error {
            Some(error) => sanitize_line(error).into_owned(),
            None if row.status == TaskStatus::Completed => last("finished"),
            None if row.status == TaskStatus::Failed => last("failed"),
            None => last("stopped"),
        },
    }
}

/// The prompt of a task that has ended and is to go on, unless the person says something else.
pub(crate) fn go_on(status: TaskStatus) -> &'static str {
    match status {
        TaskStatus::Completed => "Go on.",
        _ => "Go on where you stopped.",
    }
}

/// Returns the first question of a form.
pub(crate) fn form_words(form: &Form) -> &str {
    form.questions
        .first()
        .map_or(&form.title, |first| &first.question)
}

/// The question itself: `bash wants: git push`.
pub(crate) fn question(question: &Question) -> String {
    let words = match &question.about {
        QuestionKind::Permission(inquiry) => format!("{} wants: {}", inquiry.tool, inquiry.first_line()),
        QuestionKind::Form(form) => form_words(form).to_owned(),
    };
    sanitize_line(&words).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conversation::SessionId;
    use crate::conversation::task_sample::task;

    #[test]
    fn clocks_count_seconds_and_tokens_are_round() {
        let clocks = [-5, 0, 41_999, 102_000, 3_723_000].map(clock);
        assert_eq!(clocks, ["0:00", "0:00", "0:41", "1:42", "1:02:03"]);
        let counts = [812, 9_640, 18_400, 1_230_000].map(tokens);
        assert_eq!(counts, ["812", "9.6k", "18k", "1.2M"]);
    }

    #[test]
    fn a_short_wait_for_the_model_does_not_hide_what_was_done() {
        let sample = task(&SessionId::new(), "who calls backoff()").at(1_000);
        let waiting = sample
            .doing(TaskActivity::WaitingForModel, "Grep \"backoff(\"")
            .row();
        assert_eq!(doing(&waiting, 2_000), "Grep \"backoff(\"");
        assert_eq!(doing(&waiting, 9_500), "waiting for the model 8 s");
    }
}
