//! Making the conversation in front shorter.

use std::time::Instant;

use super::App;
use crate::session::{Op, SummaryDraft};
use crate::tui::dialog::SummaryDialog;

impl App {
    /// Has a summary written, or shows the one that waits for the person's word.
    pub(super) fn compact(&mut self, focus: &str, now: Instant) {
        let waiting = self.views.front.summary.clone();
        if let Some(draft) = waiting.filter(|_| focus.is_empty()) {
            return self.show_summary(&draft, now);
        }
        self.views.front.summary = None;
        let focus = Some(focus.to_owned()).filter(|focus| !focus.is_empty());
        self.send(Op::Compact(focus));
    }

    pub(super) fn show_summary(&mut self, draft: &SummaryDraft, now: Instant) {
        let typed = self.views.front.typed;
        self.open_layer(Box::new(SummaryDialog::new(draft, now, typed)), now);
    }
}
