//! Styles of a command's output, kept beside its text.
//!
//! A place is told by the line's number in the whole output, which no cutting at the front changes. What is kept is
//! bounded: the inks of the last lines, which are those that are shown.

use std::borrow::Cow;
use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use crate::text::sanitize::sanitize;
use crate::text::sgr::{SgrRun, SgrStyle};
use crate::view::card::{Tone, ToneSpan};

/// Runs that are kept at most. With two for each line, that is half of what the model sees.
const MOST_RUNS: usize = 2048;
/// Of a running command, so many of the last lines are shown in colour.
const LIVE_LINES: u64 = 100;

/// A piece of a line that is not plain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(
    from = "(u64, usize, usize, SgrStyle)",
    into = "(u64, usize, usize, SgrStyle)"
)]
pub(super) struct LineRun {
    /// Counted from 0 in the whole output.
    pub(super) line: u64,
    /// In bytes of the line.
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) sgr: SgrStyle,
}

impl From<(u64, usize, usize, SgrStyle)> for LineRun {
    fn from((line, start, end, sgr): (u64, usize, usize, SgrStyle)) -> Self {
        Self {
            line,
            start,
            end,
            sgr,
        }
    }
}

impl From<LineRun> for (u64, usize, usize, SgrStyle) {
    fn from(run: LineRun) -> Self {
        (run.line, run.start, run.end, run.sgr)
    }
}

/// The runs of the last lines, in their order.
#[derive(Default)]
pub(super) struct OutputStyles(VecDeque<LineRun>);

impl OutputStyles {
    /// Adds the runs of a text that begins with this line, at its start.
    pub(super) fn push(&mut self, text: &str, runs: &[SgrRun], first_line: u64) {
        let (mut line, mut line_start) = (first_line, 0);
        let mut seen = 0;
        for SgrRun { range, sgr } in runs {
            let between = &text[seen..range.start];
            if let Some(newline) = between.rfind('\n') {
                line += between.bytes().filter(|byte| *byte == b'\n').count() as u64;
                line_start = seen + newline + 1;
            }
            seen = range.start;
            if self.0.len() == MOST_RUNS {
                self.0.pop_front();
            }
            self.0.push_back(LineRun {
                line,
                start: range.start - line_start,
                end: range.end - line_start,
                sgr: *sgr,
            });
        }
    }

    /// Returns the runs of the lines that are shown of a running command which has printed so many.
    pub(super) fn live(&self, lines: u64) -> Vec<LineRun> {
        self.since(lines.saturating_sub(LIVE_LINES))
    }

    /// Returns the runs of this line and those after it.
    pub(super) fn since(&self, line: u64) -> Vec<LineRun> {
        let first = self.0.partition_point(|run| run.line < line);
        self.0.range(first..).copied().collect()
    }
}

/// Returns the runs that touch these lines.
pub(super) fn within(runs: &[LineRun], first: u64, count: usize) -> &[LineRun] {
    let start = runs.partition_point(|run| run.line < first);
    let end = runs.partition_point(|run| run.line < first.saturating_add(count as u64));
    runs.get(start..end).unwrap_or_default()
}

/// Cuts a line where its look changes. Runs that do not fit it are left out. A line in which something has to be named or
/// taken out before it is shown stays whole: that depends on what stands beside it.
pub(super) fn spans(text: &str, runs: &[LineRun]) -> Vec<ToneSpan> {
    let runs = if let Cow::Owned(_) = sanitize(text) {
        &[]
    } else {
        runs
    };
    let mut spans = Vec::new();
    let mut seen = 0;
    let mut push = |tone, text: &str| {
        if !text.is_empty() {
            spans.push(ToneSpan::new(tone, text));
        }
    };
    for run in runs.iter().filter(|run| run.start < run.end) {
        let (Some(before), Some(inked)) = (text.get(seen..run.start), text.get(run.start..run.end)) else {
            continue;
        };
        push(Tone::Normal, before);
        push(Tone::Printed(run.sgr), inked);
        seen = run.end;
    }
    push(Tone::Normal, &text[seen..]);
    spans
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::sanitize::OutputDecoder;

    fn run(line: u64, start: usize, end: usize, sgr: &str) -> LineRun {
        (line, start, end, SgrStyle::from(sgr.to_owned())).into()
    }

    #[test]
    fn a_run_is_placed_by_its_line() {
        let mut output_styles = OutputStyles::default();
        let mut decoder = OutputDecoder::new();
        let first = decoder.push(b"a \x1b[31mb\x1b[m \x1b[1mc\n\nd\x1b[m\n");
        output_styles.push(&first.text, &first.runs, 0);
        let second = decoder.push("é\n\x1b[32mé\x1b[m\n".as_bytes());
        output_styles.push(&second.text, &second.runs, 3);
        assert_eq!(
            output_styles.since(0),
            [
                run(0, 2, 3, "31"),
                run(0, 4, 5, "1"),
                run(2, 0, 1, "1"),
                run(4, 0, 2, "32")
            ]
        );
        assert_eq!(output_styles.since(1).len(), 2);
        assert_eq!(output_styles.live(104), output_styles.since(4));
    }

    #[test]
    fn only_the_last_runs_are_kept() {
        let mut output_styles = OutputStyles::default();
        for line in 0..10_000 {
            let runs = OutputDecoder::new().push(b"\x1b[31mx\x1b[my\x1b[1mz\n").runs;
            output_styles.push("xyz\n", &runs, line);
        }
        let kept = output_styles.since(0);
        assert_eq!(kept.len(), MOST_RUNS);
        assert_eq!(kept.last(), Some(&run(9_999, 2, 3, "1")));
    }

    #[test]
    fn what_is_stored_is_short_and_read_again() {
        let runs = vec![run(7, 0, 3, "1;38;5;208")];
        let stored = serde_json::to_string(&runs).unwrap();
        assert_eq!(stored, r#"[[7,0,3,"1;38;5;208"]]"#);
        assert_eq!(serde_json::from_str::<Vec<LineRun>>(&stored).unwrap(), runs);
    }

    #[test]
    fn runs_that_do_not_fit_the_line_are_left_out() {
        let printed = |sgr: &str| Tone::Printed(SgrStyle::from(sgr.to_owned()));
        let runs = [
            run(0, 3, 3, "1"),
            run(0, 1, 3, "31"),
            run(0, 2, 4, "32"),
            run(0, 4, 5, "33"),
            run(0, 5, 6, "34"),
            run(0, 6, 99, "35"),
            run(0, 9, 2, "36"),
        ];
        assert_eq!(
            spans("a世bc", &runs[1..]),
            [
                ToneSpan::new(Tone::Normal, "a世"),
                ToneSpan::new(printed("33"), "b"),
                ToneSpan::new(printed("34"), "c"),
            ]
        );
        let joined = "a\u{200d}b";
        assert_eq!(
            spans(joined, &[run(0, 0, 1, "31")]),
            [ToneSpan::new(Tone::Normal, joined)]
        );
        assert_eq!(spans("plain", &[]), [ToneSpan::new(Tone::Normal, "plain")]);
        assert_eq!(spans("", &runs), []);
        assert_eq!(within(&runs, 0, 1).len(), runs.len());
        assert_eq!(within(&runs, 1, 1), []);
    }
}
