//! Runs of hooks, newest first: when, how long, how it ended and what came of it.
//!
//! Kept from the events of the session as long as the screen is open. A screen that fell behind and attached anew misses
//! the runs between; the log has them all.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use ratatui::text::{Line, Span};

use super::{Page, PageReader, Sheet};
use crate::hook::{HookEffect, HookRun};
use crate::session::query::Answer;
use crate::text::sanitize::sanitize_line;
use crate::text::wrap::wrap;
use crate::tui::commands::LayerCommand;
use crate::tui::layer::LayerCx;
use crate::view::Symbols;
use crate::view::theme::{Meaning, Theme};

pub(super) static PAGE: Page = Page {
    action: "hooks",
    leader: &["h"],
    description: "show the hooks that ran",
    brief: "hooks",
    command: LayerCommand {
        name: "hooks",
        also: &[],
        about: "Shows the hooks that ran in this session, and their results.",
        after: "reasoning",
    },
    keys: &[],
    open: |_title| Box::new(PageReader::new(&PAGE, "Hooks", Hooks)),
};

/// Runs that are kept.
const KEPT: usize = 200;
/// From this width on what happened is one row.
const WIDE: usize = 76;
/// Below the event's name, and on narrow screens below the time.
const INDENTS: [&str; 2] = ["             ", "     "];

pub(super) struct Hooks;

impl Sheet for Hooks {
    fn lines(&self, _: Option<&Answer>, width: usize, cx: &LayerCx<'_>) -> Vec<Line<'static>> {
        cx.hooks.lines(width, &cx.zone(), cx.look.theme, cx.look.symbols)
    }
}

#[derive(Debug, Default)]
pub(crate) struct HookRuns {
    runs: VecDeque<Arc<HookRun>>,
}

impl HookRuns {
    pub(crate) fn add(&mut self, run: Arc<HookRun>) {
        self.runs.truncate(KEPT - 1);
        self.runs.push_front(run);
    }

    fn lines(&self, width: usize, zone: &TimeZone, theme: &Theme, symbols: Symbols) -> Vec<Line<'static>> {
        let mut lines = Vec::new();
        if self.runs.is_empty() {
            lines.push(Line::styled(
                "   No hook has run yet.",
                theme.style(Meaning::TextMuted),
            ));
        }
        for run in &self.runs {
            lines.extend(rows(run, width, zone, theme, symbols));
        }
        lines
    }
}

/// Returns the rows of one run: the event and its end, the command with where it comes from, and its output.
fn rows(run: &HookRun, width: usize, zone: &TimeZone, theme: &Theme, symbols: Symbols) -> Vec<Line<'static>> {
    let dot = symbols.dot();
    let time = Timestamp::from_millisecond(run.started)
        .unwrap_or_default()
        .to_zoned(zone.clone())
        .strftime("%H:%M:%S")
        .to_string();
    let tool = run.tool.as_deref().map(|tool| format!(" {dot} {tool}"));
    let what = format!("{}{}", run.event, tool.unwrap_or_default());
    let how = format!("{} {dot} {}", run.exit, seconds(run.took));
    let muted = theme.style(Meaning::TextMuted);
    let time = Span::styled(format!("   {time}  "), muted);
    let effect = Span::styled(run.effect.to_string(), theme.style(meaning(run.effect)));
    let text = theme.style(Meaning::Text);
    let [below_name, below_time] = INDENTS;
    let indent = if width >= WIDE { below_name } else { below_time };
    let mut rows = if width >= WIDE {
        let what = Span::styled(format!("{what:<32}"), text);
        let how = Span::styled(format!("  {how:<20}  "), muted);
        vec![Line::from(vec![time, what, how, effect])]
    } else {
        let how = Span::styled(format!("{indent}{how} {dot} "), muted);
        vec![
            Line::from(vec![time, Span::styled(what, text)]),
            Line::from(vec![how, effect]),
        ]
    };
    let command = format!("{} {dot} {}", run.command, run.source);
    for text in [command, run.output.clone()]
        .iter()
        .filter(|text| !text.is_empty())
    {
        let clean = sanitize_line(text);
        let ranges = wrap(&clean, width.saturating_sub(indent.len() + 1).max(1));
        let row = |text: &str| Line::styled(format!("{indent}{}", text.trim_end()), muted);
        rows.extend(ranges.into_iter().map(|range| row(&clean[range])));
    }
    rows
}

fn seconds(took: Duration) -> String {
    format!("{:.2} s", took.as_secs_f64())
}

fn meaning(effect: HookEffect) -> Meaning {
    match effect {
        HookEffect::Nothing => Meaning::TextMuted,
        HookEffect::Added | HookEffect::Allowed | HookEffect::Changed | HookEffect::Continued => {
            Meaning::Text
        }
        HookEffect::Warned | HookEffect::Asked => Meaning::Warning,
        HookEffect::Denied | HookEffect::Stopped => Meaning::Danger,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hook::{HookEvent, HookExit};

    fn run(command: &str) -> Arc<HookRun> {
        Arc::new(HookRun {
            event: HookEvent::PreToolUse,
            command: command.to_owned(),
            source: "lathe.jsonc".to_owned(),
            tool: Some("bash".to_owned()),
            started: 0,
            took: Duration::from_millis(12),
            exit: HookExit::Code(2),
            effect: HookEffect::Denied,
            output: "no".to_owned(),
            messages: Vec::new(),
        })
    }

    fn text(list: &HookRuns) -> Vec<String> {
        let lines = list.lines(80, &TimeZone::UTC, &Theme::default(), Symbols::Unicode);
        lines.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_run_is_told_with_time_exit_and_effect() {
        let mut list = HookRuns::default();
        assert_eq!(text(&list), ["   No hook has run yet."]);
        list.add(run("./check.sh\u{1b}[2J"));
        assert_eq!(
            text(&list),
            [
                "   00:00:00  PreToolUse · bash                 exit 2 · 0.01 s       denied",
                "             ./check.sh · lathe.jsonc",
                "             no",
            ]
        );
    }

    #[test]
    fn the_newest_is_first_and_only_so_many_are_kept() {
        let mut list = HookRuns::default();
        (0..500).for_each(|number| list.add(run(&number.to_string())));
        let text = text(&list);
        assert_eq!(text.len(), 3 * KEPT);
        assert!(text[1].trim_start().starts_with("499"), "{}", text[1]);
    }
}
