//! Cards of tasks: who works, on what, what they do right now.

use std::time::Duration;

use super::Details;
use crate::conversation::{TaskActivity, TaskStatus};
use crate::text::size::short_count;
use crate::tool::builtin::with_lines;
use crate::tool::{DrawnArgs, RenderCx, ResultView, plural};
use crate::view::card::{Card, CardPart, Fact, Tone, ToneLine, ToneSpan};

/// Lines of a result in a card that is not opened.
const COLLAPSED: usize = 3;

/// A call that has not begun.
pub(super) fn call(title: &str, args: DrawnArgs<'_>) -> Card {
    let who = [args.text("category"), args.text("subagent_type")];
    let who = who.into_iter().find(|name| !name.is_empty()).unwrap_or_default();
    let what = match args.text("description") {
        "" => super::first_words(args.text("prompt")),
        description => description.to_owned(),
    };
    of_task(title, who, &what)
}

/// Several tasks are told apart by what they were asked, so that stays before the facts.
fn of_task(title: &str, who: &str, what: &str) -> Card {
    Card {
        keeps_argument: true,
        ..Card::new(title, named(who, what))
    }
}

fn named(who: &str, what: &str) -> String {
    match (who.is_empty(), what.is_empty()) {
        (false, false) => format!("{who}: {what}"),
        (false, true) => who.to_owned(),
        (true, _) => what.to_owned(),
    }
}

/// A task while its call waits, and what came of it.
pub(super) fn result(title: &str, view: &ResultView<'_, Details>, cx: RenderCx) -> Card {
    let details = &view.details;
    let mut card = of_task(title, &details.agent, &details.description);
    card.session = Some(details.session_id.clone());
    card = facts(card, details, is_known(view));
    if view.running || details.is_live {
        // One that has ended keeps its row, so that nothing moves.
        return with_lines(card, vec![activity(details)]);
    }
    if !details.status.is_ended() {
        return card;
    }
    answer(card, view.text, cx)
}

/// The task that `background_output` has read.
pub(super) fn output(view: &ResultView<'_, Details>, cx: RenderCx) -> Card {
    let details = &view.details;
    let mut card = of_task("Output", &details.agent, &details.description);
    card.session = Some(details.session_id.clone());
    if view.running {
        return card;
    }
    answer(facts(card, details, true), view.text, cx)
}

/// Returns true if the details tell how the task stands now.
fn is_known(view: &ResultView<'_, Details>) -> bool {
    view.running || view.details.is_live || view.details.status.is_ended()
}

/// `is_known`: they are not from when the task was started, which says nothing of what became of it.
fn facts(mut card: Card, details: &Details, is_known: bool) -> Card {
    let tokens = details.usage.input + details.usage.output + details.usage.cache_write;
    if !is_known {
        return card.meta("started");
    }
    card = card.meta(details.status.name());
    if details.tool_calls > 0 {
        let calls = usize::try_from(details.tool_calls).unwrap_or(usize::MAX);
        card = card.meta(plural(calls, "call"));
    }
    if tokens > 0 {
        card = card.meta(format!("{} tok", short_count(tokens)));
    }
    if let Some(tokens) = details.resumed_with {
        card = card.meta(format!("resumed with {} tok of context", short_count(tokens)));
    }
    if let Some(tree) = details.worktree.as_ref().filter(|tree| tree.files > 0) {
        card = card.meta(format!("+{} −{}", tree.additions, tree.deletions));
    }
    if details
        .worktree
        .as_ref()
        .is_some_and(|tree| !tree.submodules.is_empty())
    {
        card = card.meta("without submodules");
    }
    if details.status.is_ended() {
        let took = u64::try_from(details.duration_ms).unwrap_or(0);
        card = card.meta(Fact::Took(Duration::from_millis(took)));
    }
    card.look = details.status == TaskStatus::Failed;
    card
}

/// The line that says what the agent does right now, or did last.
fn activity(details: &Details) -> ToneLine {
    let (sign, spoken, tone) = match (details.status, details.activity) {
        (TaskStatus::Queued, _) => ("· ", "queued: ", Tone::Muted),
        (TaskStatus::Completed, _) => ("✓ ", "done: ", Tone::Success),
        (TaskStatus::Failed, _) => ("✗ ", "failed: ", Tone::Danger),
        (TaskStatus::Cancelled, _) => ("⊘ ", "cancelled: ", Tone::Muted),
        (TaskStatus::Interrupted, _) => ("■ ", "interrupted: ", Tone::Warning),
        (TaskStatus::Running, TaskActivity::Working) => ("▸ ", "working: ", Tone::Accent),
        (TaskStatus::Running, TaskActivity::WaitingForPerson) => ("? ", "asks: ", Tone::Warning),
        (TaskStatus::Running, TaskActivity::Stalled) => ("~ ", "stalled: ", Tone::Warning),
        (TaskStatus::Running, TaskActivity::WaitingForModel | TaskActivity::WaitingForTasks) => {
            ("◌ ", "waiting: ", Tone::Muted)
        }
    };
    let text = match (details.status, details.activity) {
        (TaskStatus::Queued, _) => "waits for a free slot".to_owned(),
        (TaskStatus::Interrupted, _) => "lathe ended while it was running".to_owned(),
        (TaskStatus::Running, TaskActivity::WaitingForTasks) => "waits for its own tasks".to_owned(),
        (TaskStatus::Running, TaskActivity::WaitingForModel) if details.now.is_empty() => {
            "waits for the model".to_owned()
        }
        _ => match details.reason.as_ref().filter(|_| details.status.is_ended()) {
            Some(error) => error.clone(),
            None if !details.now.is_empty() => details.now.clone(),
            None if details.status.is_ended() => details.status.name().to_owned(),
            None => "writes".to_owned(),
        },
    };
    vec![
        ToneSpan::sign(tone, sign, spoken),
        ToneSpan::new(Tone::Normal, text),
    ]
    .into()
}

/// The text between the tags, as Markdown.
fn answer(card: Card, text: &str, cx: RenderCx) -> Card {
    let inside = ["task_result", "task_error"].into_iter().find_map(|tag| {
        let (_, rest) = text.split_once(&format!("<{tag}>\n"))?;
        Some(rest.rsplit_once(&format!("\n</{tag}>"))?.0)
    });
    beginning_of_answer(card, inside.unwrap_or_default(), cx)
}

/// Adds the answer of an agent, or its first lines.
pub(in crate::tool::builtin) fn beginning_of_answer(card: Card, answer: &str, cx: RenderCx) -> Card {
    let inside = answer.trim();
    if inside.is_empty() {
        return card;
    }
    if cx.expanded {
        return card.part(CardPart::Markdown(inside.to_owned()));
    }
    let lines: Vec<&str> = inside.lines().filter(|line| !line.trim().is_empty()).collect();
    let shown = lines[..lines.len().min(COLLAPSED)].join("\n");
    let card = card.part(CardPart::Markdown(shown));
    card.leaving_out(lines.len().saturating_sub(COLLAPSED), |more| {
        plural(more, "more line")
    })
}
