//! Draws a command: its text, then what answers "did it do the right thing".
//!
//! While it runs, its last lines; when it ended well, fewer of them; when it did not, the lines that say why, with their
//! real numbers in the whole output. What the command printed in colours is drawn in them.

use std::time::Duration;

use super::Details;
use super::capture::after_gap;
use super::output_styles::{self, LineRun};
use super::traceback;
use crate::text::count::grouped;
use crate::tool::plural;
use crate::tool::{RenderCx, ResultView};
use crate::view::card::{Card, CardPart, Code, Fact, Tone, ToneLine, ToneSpan};

/// Lines of output while the command runs, and below them the one that it is in.
const LIVE: usize = 8;
/// Lines of output of a command that ended well.
const ENDED: usize = 3;
/// Lines of a long command that are shown unless the card is expanded.
const COMMAND: usize = 6;
/// A failed command that printed no more than this is shown whole.
const SHORT: usize = 6;

/// The whole command in the place where it would run, for the person who is to judge it.
pub(in crate::tool::builtin) fn command_question(
    title: &str,
    argument: &str,
    command: &str,
    why: Option<&str>,
) -> Card {
    let card = Card::new(title, argument).part(CardPart::Code(code(command)));
    match why {
        Some(why) => card.part(CardPart::Lines(vec![ToneSpan::new(Tone::Warning, why).into()])),
        None => card,
    }
}

/// A command as far as it has come.
pub(super) fn call(command: &str, cx: RenderCx) -> Card {
    let command = command.trim_matches('\n');
    let mut lines = command.lines();
    let card = Card::new("Bash", lines.next().unwrap_or_default().trim()).written_in("bash");
    let total = 1 + lines.count();
    if cx.expanded && !command.is_empty() {
        let whole = Code {
            wraps: true,
            ..code(command)
        };
        return card.part(CardPart::Code(whole));
    }
    if total == 1 {
        return card;
    }
    let shown: Vec<&str> = command.lines().take(COMMAND).collect();
    let card = card.part(CardPart::Code(code(&shown.join("\n"))));
    card.leaving_out(total - shown.len(), |more| {
        format!("{} of the command", plural(more, "more line"))
    })
}

pub(super) fn result(view: &ResultView<'_, Details>, cx: RenderCx) -> Card {
    let details = &view.details;
    let card = facts(call(&details.command, cx), view);
    if view.running {
        let limit = details.limit_ms.map(Duration::from_millis);
        return running(Card { limit, ..card }, view, cx);
    }
    let lines = output_lines(view.text, details);
    let before = details.first_line.map_or(0, |first| first.saturating_sub(1));
    let printed = OutputLines::new(&lines, before, &details.styles);
    if cx.expanded {
        let card = match details.first_line {
            Some(1) => card.part(CardPart::Omitted("the beginning of the line".to_owned())),
            _ => above(card, before),
        };
        return text(card, printed);
    }
    if card.look {
        return failure(card, printed);
    }
    let last = printed.last(ENDED);
    text(above(card, last.before), last)
}

/// Lines of an output that follow each other, and how they look.
#[derive(Clone, Copy)]
struct OutputLines<'a> {
    lines: &'a [&'a str],
    /// So many lines of the output came before.
    before: u64,
    styles: &'a [LineRun],
}

impl<'a> OutputLines<'a> {
    fn new(lines: &'a [&'a str], before: u64, styles: &'a [LineRun]) -> Self {
        Self {
            lines,
            before,
            styles: output_styles::within(styles, before, lines.len()),
        }
    }

    fn last(self, most: usize) -> Self {
        let cut = self.lines.len().saturating_sub(most);
        Self::new(&self.lines[cut..], self.before + cut as u64, self.styles)
    }

    /// Returns one of the lines.
    fn line(self, at: usize) -> Vec<ToneSpan> {
        let runs = output_styles::within(self.styles, self.before + at as u64, 1);
        output_styles::spans(self.lines[at], runs)
    }
}

/// How it ended, how much it printed, and how much of that the model has seen.
fn facts(mut card: Card, view: &ResultView<'_, Details>) -> Card {
    let details = &view.details;
    if view.running {
        return card;
    }
    card.look = details.exit != Some(0);
    if details.timed_out {
        card = card.meta(Fact::TimedOut);
    } else if let Some(signal) = details.signal {
        card = card.meta(Fact::Signal(signal));
    } else if let Some(exit) = details.exit.filter(|exit| *exit != 0) {
        card = card.meta(Fact::Exit(exit));
    }
    if details.lines > ENDED as u64 {
        card = card.meta(Fact::Printed(details.lines));
    }
    if let Some(first) = details.first_line {
        card = card.meta(Fact::Seen((details.lines + 1).saturating_sub(first)));
    }
    card
}

fn running(card: Card, view: &ResultView<'_, Details>, cx: RenderCx) -> Card {
    let details = &view.details;
    let mut lines: Vec<&str> = after_gap(view.text).lines().collect();
    // What is kept of a long output is its end; the capture knows how much there was.
    let before = details.lines.max(lines.len() as u64) - lines.len() as u64;
    let mut most = if cx.expanded { usize::MAX } else { LIVE };
    if !details.pending.is_empty() {
        lines.push(&details.pending);
        most = most.saturating_add(1);
    }
    let last = OutputLines::new(&lines, before, &details.styles).last(most);
    text(above(card, last.before), last)
}

/// Returns the output of the command, without the lines that lathe put around it.
fn output_lines<'a>(text: &'a str, details: &Details) -> Vec<&'a str> {
    let lines: Vec<&str> = text.lines().collect();
    let end = lines.len().saturating_sub(details.notes_after);
    let shown = lines.get(details.notes_before..end).unwrap_or_default();
    if details.bytes == 0 {
        return Vec::new();
    }
    shown.to_vec()
}

fn text(card: Card, printed: OutputLines<'_>) -> Card {
    if printed.lines.is_empty() {
        card
    } else if printed.styles.is_empty() {
        card.part(CardPart::Text(printed.lines.join("\n")))
    } else {
        let lines = (0..printed.lines.len()).map(|at| ToneLine::from(printed.line(at)));
        card.part(CardPart::Printed(lines.collect()))
    }
}

/// Says how many lines are left out here.
fn above(card: Card, lines: u64) -> Card {
    match lines {
        0 => card,
        1 => card.part(CardPart::Omitted("1 line above".to_owned())),
        more => card.part(CardPart::Omitted(format!("{} lines above", grouped(more)))),
    }
}

/// The first line that speaks of a failure, the first panic with the assertion below it, and the last line, with their
/// numbers. What lies between is counted, and so is what in it speaks of a failure too.
fn failure(card: Card, printed: OutputLines<'_>) -> Card {
    let (lines, before) = (printed.lines, printed.before);
    if lines.len() <= SHORT && before == 0 {
        return text(card, printed);
    }
    let Some(last) = lines.len().checked_sub(1) else {
        return card;
    };
    let frames = traceback::frames(lines);
    let positions = |is_wanted: fn(&str) -> bool| -> Vec<usize> {
        let found = positions(lines, is_wanted);
        found
            .filter(|at| !frames.iter().any(|frames| frames.contains(at)))
            .collect()
    };
    let (failures, mut panics) = (positions(is_failure), positions(is_panic));
    panics.extend(traceback::exceptions(lines, &frames));
    panics.sort_unstable();
    let mut picked = vec![last];
    picked.extend(failures.first());
    if let Some(panic) = panics.first() {
        picked.push(*panic);
        picked.extend(panics.iter().find(|at| **at == panic + 1));
    }
    picked.sort_unstable();
    picked.dedup();
    let mut card = card;
    let (mut rows, mut next) = (Vec::new(), 0);
    for at in picked {
        let above = if next == 0 { before } else { 0 };
        let left_out = above + (at - next) as u64;
        if left_out > 0 {
            if !rows.is_empty() {
                card = card.part(CardPart::Lines(std::mem::take(&mut rows)));
            }
            let of_failure = failures
                .iter()
                .filter(|failure| (next..at).contains::<usize>(failure));
            card = card.part(gap(left_out, next == 0, of_failure.count()));
        }
        let number = format!("{:>5} ", before + at as u64 + 1);
        let mut row = vec![ToneSpan::aside(Tone::Muted, number)];
        row.extend(printed.line(at));
        rows.push(row.into());
        next = at + 1;
    }
    card.part(CardPart::Lines(rows))
}

/// `1,106 lines above`, `69 lines between, 2 tell of a failure`
fn gap(lines: u64, is_first: bool, failures: usize) -> CardPart {
    let place = if is_first { "above" } else { "between" };
    let noun = if lines == 1 { "line" } else { "lines" };
    let told = match failures {
        0 => String::new(),
        1 => ", 1 mentions a failure".to_owned(),
        more => format!(", {} mention a failure", grouped(more as u64)),
    };
    CardPart::Omitted(format!("{} {noun} {place}{told}", grouped(lines)))
}

fn positions<'a>(lines: &'a [&str], is_wanted: fn(&str) -> bool) -> impl Iterator<Item = usize> + 'a {
    let wanted = move |(at, line): (usize, &&str)| is_wanted(&line.to_lowercase()).then_some(at);
    lines.iter().enumerate().filter_map(wanted)
}

fn is_failure(line: &str) -> bool {
    let counts_none = ["0 fail", "fail 0", "0 errors", "no error"];
    ["fail", "error", "not ok", "fatal"]
        .iter()
        .any(|word| line.contains(word))
        && !counts_none.iter().any(|words| line.contains(words))
}

fn is_panic(line: &str) -> bool {
    ["panicked", "assert", "exception"]
        .iter()
        .any(|word| line.contains(word))
}

fn code(command: &str) -> Code {
    Code {
        text: command.to_owned(),
        language: "bash".to_owned(),
        ..Code::default()
    }
}
