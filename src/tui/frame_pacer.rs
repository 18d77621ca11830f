//! Schedules frames: at once for what a person did or waits for, thirty times a second for what streams, never for
//! nothing.

use std::time::{Duration, Instant};

use super::transcript::RedrawUrgency;

/// The shortest time between two frames of streaming.
const SOFT: Duration = Duration::from_millis(33);

#[derive(Debug, Default)]
pub(crate) struct FramePacer {
    pending: RedrawUrgency,
    last: Option<Instant>,
}

impl FramePacer {
    pub(crate) fn mark(&mut self, change: RedrawUrgency) {
        self.pending = self.pending.max(change);
    }

    /// Returns true if a frame will be drawn, now or soon.
    pub(crate) fn is_pending(&self) -> bool {
        self.pending != RedrawUrgency::None
    }

    /// Returns when the frame is to be drawn.
    pub(crate) fn due(&self, now: Instant) -> Option<Instant> {
        match (self.pending, self.last) {
            (RedrawUrgency::None, _) => None,
            (RedrawUrgency::Soft, Some(last)) => Some(last + SOFT),
            (RedrawUrgency::Soft, None) | (RedrawUrgency::Urgent, _) => Some(now),
        }
    }

    pub(crate) fn drawn(&mut self, now: Instant) {
        self.pending = RedrawUrgency::None;
        self.last = Some(now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_delta_is_drawn_at_once_and_the_next_with_its_frame() {
        let start = Instant::now();
        let mut pace = FramePacer::default();
        assert_eq!(pace.due(start), None);
        pace.mark(RedrawUrgency::Soft);
        assert_eq!(pace.due(start), Some(start));
        pace.drawn(start);
        assert!(!pace.is_pending());
        pace.mark(RedrawUrgency::Soft);
        let now = start + Duration::from_millis(5);
        assert_eq!(pace.due(now), Some(start + SOFT));
        pace.mark(RedrawUrgency::Urgent);
        pace.mark(RedrawUrgency::Soft);
        assert_eq!(pace.due(now), Some(now), "a key does not wait for the frame");
    }

    #[test]
    fn two_hundred_deltas_a_second_cost_about_thirty_frames() {
        let start = Instant::now();
        let mut pace = FramePacer::default();
        let mut frames = 0;
        for step in 0..200 {
            let now = start + Duration::from_millis(step * 5);
            pace.mark(RedrawUrgency::Soft);
            if pace.due(now).is_some_and(|due| due <= now) {
                pace.drawn(now);
                frames += 1;
            }
        }
        assert!((25..=31).contains(&frames), "{frames}");
    }
}
