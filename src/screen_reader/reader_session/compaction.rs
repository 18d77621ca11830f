//! Making the conversation shorter, in words.

use super::ReaderSession;
use crate::session::query::cost_of_miss;
use crate::session::{ContextReport, ContextReportKind, Op, SummaryDraft};
use crate::text::size::short_count;

impl ReaderSession {
    /// Has a summary written, or decides on the one that was told.
    pub(super) fn compact(&mut self, given: &str) {
        match (given, self.summary.take()) {
            ("use", Some(summary)) => self.send(Op::UseSummary(Some(summary))),
            ("drop", Some(_)) => self.send(Op::UseSummary(None)),
            ("use" | "drop", None) => {
                self.aside("There is no summary yet; /compact writes one.");
            }
            (focus, _) => {
                let focus = Some(focus.to_owned()).filter(|focus| !focus.is_empty());
                self.send(Op::Compact(focus));
            }
        }
    }

    pub(super) fn show_summary(&mut self, draft: &SummaryDraft) {
        self.say(&format!(
            "The summary would make {} of {} tokens:",
            short_count(draft.after),
            short_count(draft.before)
        ));
        let lines: Vec<String> = draft.summary.lines().map(str::to_owned).collect();
        self.output.lines(&lines);
        self.summary = Some(draft.summary.clone());
        self.aside("/compact use replaces the summarised part with it; /compact drop changes nothing.");
    }

    pub(super) fn context_changed(&mut self, report: &ContextReport) {
        let (before, after) = (short_count(report.before), short_count(report.after));
        let cause = report.cause.as_deref().unwrap_or_default();
        match report.kind {
            ContextReportKind::Masked => {
                self.say(&format!(
                    "Old outputs were masked to free context: {before} tokens became {after}."
                ));
            }
            ContextReportKind::Compacted => {
                self.say(&format!(
                    "The conversation was summarised: {before} tokens became {after}."
                ));
            }
            ContextReportKind::Failed => {
                self.say(&format!(
                    "The conversation was not compacted: {cause}. Nothing was changed."
                ));
            }
            // `/context` lists them.
            ContextReportKind::Miss => {
                if report.cost.is_some_and(|cost| cost >= 0.05) {
                    let cost = cost_of_miss(report.before, report.cost);
                    self.say(&format!("Not read from the cache: {cost}, because {cause}."));
                }
            }
        }
    }
}
