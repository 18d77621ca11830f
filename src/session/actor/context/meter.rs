//! The size of the context in tokens: what the provider reported last, with an estimate of what came after it.

use std::sync::Arc;

use crate::agent::estimate;
use crate::agent::history::HistoryView;
use crate::conversation::{Message, PartBody, Usage};

/// The part of an estimate that is the least a text can be: about seven bytes to a token. A provider that reports less
/// does not count what it was sent.
const LEAST: f64 = 0.6;

#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct ContextMeter {
    /// The estimate of the last request.
    asked: u64,
    /// Tokens of the last request whose size is known, and its estimate.
    known: Option<(u64, u64)>,
}

impl ContextMeter {
    /// Reads what was reported for the last reply of a stored conversation. `prefix` is the estimate of what stands before
    /// the messages.
    pub(super) fn of(view: &HistoryView, messages: &[Arc<Message>], prefix: u64) -> Self {
        let place = messages.iter().rposition(|message| message.usage.is_some());
        let has_changed = |message: &Arc<Message>| {
            let is_change = |part: &crate::conversation::Part| matches!(part.body, PartBody::Context(_));
            message.parts.iter().any(is_change)
        };
        let mut meter = Self::default();
        let Some(place) = place.filter(|place| !messages[*place..].iter().any(has_changed)) else {
            return meter;
        };
        if let Some(usage) = &messages[place].usage {
            let summary = view.summary().map_or(0, |summary| estimate::message(summary));
            let kept = view
                .kept_sent(&messages[..place])
                .map(|message| estimate::message(message));
            meter.asked(prefix + summary + kept.sum::<u64>());
            meter.reported(usage);
        }
        meter
    }

    /// A request is sent whose estimate is this.
    pub(super) fn asked(&mut self, estimate: u64) {
        self.asked = estimate;
    }

    /// The last request took this.
    pub(super) fn reported(&mut self, usage: &Usage) {
        let tokens = usage.input + usage.cache_read + usage.cache_write;
        if tokens > 0 {
            self.known = Some((tokens, self.asked));
        }
    }

    /// Takes in that what is sent has shrunk from one estimate to another: the provider's count shrinks by the same share.
    pub(super) fn changed(&mut self, from: u64, to: u64) {
        if self.known.is_some() && from > 0 {
            let size = self.size(from) as f64 * to as f64 / from as f64;
            self.known = Some((size as u64, to));
        }
    }

    /// Returns true if the provider reported a size.
    pub(super) fn is_reported(&self) -> bool {
        self.known.is_some()
    }

    /// Returns the size of a request whose estimate is this.
    pub(super) fn size(&self, estimate: u64) -> u64 {
        match self.known {
            None => estimate,
            Some((tokens, known)) => {
                let size = (tokens + estimate).saturating_sub(known);
                size.max((estimate as f64 * LEAST) as u64)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reported(input: u64) -> Usage {
        Usage {
            input,
            ..Usage::default()
        }
    }

    #[test]
    fn without_a_report_the_estimate_counts() {
        let mut meter = ContextMeter::default();
        assert_eq!(meter.size(1_000), 1_000);
        meter.asked(1_000);
        meter.reported(&reported(0));
        assert_eq!(meter.size(1_200), 1_200);
    }

    #[test]
    fn what_came_after_a_report_is_added_to_it() {
        let mut meter = ContextMeter::default();
        meter.asked(1_000);
        meter.reported(&reported(1_500));
        assert_eq!((meter.size(1_000), meter.size(1_400)), (1_500, 1_900));
    }

    #[test]
    fn a_report_shrinks_with_what_is_sent() {
        let mut meter = ContextMeter::default();
        meter.asked(1_000);
        meter.reported(&reported(90_000));
        meter.changed(1_000, 250);
        assert_eq!((meter.size(250), meter.size(350)), (22_500, 22_600));
    }

    #[test]
    fn a_report_of_next_to_nothing_is_not_believed() {
        let mut meter = ContextMeter::default();
        meter.asked(100_000);
        meter.reported(&reported(10));
        assert_eq!(meter.size(110_000), 66_000);
    }
}
