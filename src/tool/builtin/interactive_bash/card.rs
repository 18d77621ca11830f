//! Draws a terminal: its name with the program or the keys, its screen with the cursor, its state.

use super::answer::ScreenRun;
use super::operation::Operation;
use super::request::request;
use super::typed::shown_input;
use super::{Args, Details, WaitingFor};
use crate::text::sgr::SgrStyle;
use crate::text::width::{prefix, str_width};
use crate::tool::builtin::with_lines;
use crate::tool::{DrawnArgs, RenderCx, ResultView, plural};
use crate::view::card::{Card, CardPart, Fact, Tone, ToneLine, ToneSpan};

/// Rows of the screen that are shown unless the card is expanded.
const ROWS: usize = 8;

/// A call as far as it has come.
pub(super) fn call(args: DrawnArgs<'_>) -> Card {
    let operation = args
        .typed::<Args>()
        .and_then(|args| request(&args).ok()?.operations.into_iter().next());
    let argument = match operation {
        Some(operation) => argument(&operation),
        None => partial_argument(args),
    };
    Card::new("PTY", argument)
}

fn argument(operation: &Operation) -> String {
    let what = match operation {
        Operation::Start(request) => request.command.clone().unwrap_or_else(|| "shell".to_owned()),
        Operation::Send { input, .. } => shown_input(input),
        Operation::Read { .. } => "read".to_owned(),
        Operation::Resize { .. } => "resize".to_owned(),
        Operation::Signal { signal, .. } => format!("signal {}", signal.name()),
        Operation::Stop { .. } => "stop".to_owned(),
        Operation::Has { .. } => "look".to_owned(),
        Operation::List => return "list".to_owned(),
        Operation::StopAll => return "stop all".to_owned(),
    };
    let name = operation.session().unwrap_or_default();
    format!("{name}: {}", what.lines().next().unwrap_or_default())
}

/// Arguments that are still coming in, or do not fit.
fn partial_argument(args: DrawnArgs<'_>) -> String {
    let line = args.text("tmux_command");
    if !line.is_empty() {
        return line.to_owned();
    }
    let name = args.text("session");
    let (text, keys) = (args.text("text"), args.texts("keys"));
    let what = match args.text("command") {
        "" if text.is_empty() && keys.is_empty() => args.text("action").to_owned(),
        "" => format!("{text} {keys}").trim().to_owned(),
        command => command.to_owned(),
    };
    match name {
        "" => what,
        name => format!("{name}: {what}"),
    }
}

pub(super) fn result(view: &ResultView<'_, Details>, cx: RenderCx) -> Card {
    let details = &view.details;
    let mut card = call(view.args);
    if details.session.is_empty() {
        return match view.text.trim() {
            "" => card,
            text => card.part(CardPart::Text(text.to_owned())),
        };
    }
    card = state(card, details);
    let rows: Vec<ToneLine> = grid(details);
    let above = if cx.expanded {
        0
    } else {
        rows.len().saturating_sub(ROWS)
    };
    card = card.leaving_out(above, |above| format!("{} above", plural(above, "row")));
    with_lines(card, rows.into_iter().skip(above).collect())
}

fn state(mut card: Card, details: &Details) -> Card {
    if details.running {
        let state = match details.waiting {
            Some(WaitingFor::Hidden) => "hidden input",
            Some(WaitingFor::Line) => "waiting for input",
            None => "running",
        };
        return card.meta(Fact::Text(state.to_owned()));
    }
    card.look = details.exit != Some(0);
    match (details.exit, details.signal) {
        (Some(exit), _) => card.meta(Fact::Exit(exit)),
        (None, Some(signal)) => card.meta(Fact::Signal(signal)),
        (None, None) => card.meta(Fact::Text("ended".to_owned())),
    }
}

/// The rows of the screen, the cursor as a reversed cell.
fn grid(details: &Details) -> Vec<ToneLine> {
    let shows_cursor = details.running && details.cursor.visible;
    let cursor = (
        details.cursor.row.saturating_sub(1),
        details.cursor.col.saturating_sub(1),
    );
    let last = if shows_cursor { cursor.0 + 1 } else { 0 };
    let count = details.screen.len().max(last).min(details.rows.into());
    let row = |at: usize| {
        let runs = details.screen.get(at).map(Vec::as_slice).unwrap_or_default();
        let spans = if shows_cursor && at == cursor.0 {
            with_cursor(runs, cursor.1)
        } else {
            runs.iter().map(|run| span(run, &run.t, false)).collect()
        };
        ToneLine::from(spans)
    };
    (0..count).map(row).collect()
}

fn with_cursor(runs: &[ScreenRun], col: usize) -> Vec<ToneSpan> {
    let mut spans = Vec::new();
    let mut at = 0;
    let mut is_drawn = false;
    for run in runs {
        let width = str_width(&run.t);
        if is_drawn || at + width <= col {
            spans.push(span(run, &run.t, false));
            at += width;
            continue;
        }
        let (before, rest) = run.t.split_at(prefix(&run.t, col - at).len());
        let first = rest.chars().next().map_or(0, char::len_utf8);
        let parts = [(before, false), (&rest[..first], true), (&rest[first..], false)];
        let shown = parts.into_iter().filter(|(text, _)| !text.is_empty());
        spans.extend(shown.map(|(text, is_cursor)| span(run, text, is_cursor)));
        is_drawn = true;
    }
    if !is_drawn {
        let plain = ScreenRun::default();
        spans.push(span(&plain, &" ".repeat(col.saturating_sub(at)), false));
        spans.push(span(&plain, " ", true));
    }
    spans
}

fn span(run: &ScreenRun, text: &str, is_cursor: bool) -> ToneSpan {
    let mut codes: Vec<String> = Vec::new();
    let flags = [
        (run.b, "1"),
        (run.i, "3"),
        (run.u, "4"),
        (run.r != is_cursor, "7"),
    ];
    codes.extend(
        flags
            .into_iter()
            .filter(|(is_set, _)| *is_set)
            .map(|(_, code)| code.to_owned()),
    );
    codes.extend(run.fg.as_deref().and_then(|color| parameters(38, color)));
    codes.extend(run.bg.as_deref().and_then(|color| parameters(48, color)));
    if codes.is_empty() {
        return ToneSpan::new(Tone::Normal, text);
    }
    ToneSpan::new(Tone::Printed(SgrStyle::from(codes.join(";"))), text)
}

/// The parameters of a style sequence for a colour.
fn parameters(code: u8, color: &str) -> Option<String> {
    let Some(digits) = color.strip_prefix('#') else {
        let index: u8 = color.parse().ok()?;
        return Some(format!("{code};5;{index}"));
    };
    let part = |range| u8::from_str_radix(digits.get(range)?, 16).ok();
    let (red, green, blue) = (part(0..2)?, part(2..4)?, part(4..6)?);
    Some(format!("{code};2;{red};{green};{blue}"))
}
