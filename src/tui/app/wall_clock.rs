//! The time of day for what the engine tells in it: the screen itself counts in moments that come from outside.

use std::time::Instant;

use super::App;

/// A moment, and the time of day at it in milliseconds since the Unix epoch.
#[derive(Debug, Clone, Copy)]
pub(super) struct WallClock {
    at: Instant,
    unix: i64,
}

impl WallClock {
    pub(super) fn new(at: Instant, unix: i64) -> Self {
        Self { at, unix }
    }

    /// The time of day at a later moment.
    pub(super) fn at(self, moment: Instant) -> i64 {
        let passed = moment.saturating_duration_since(self.at).as_millis();
        self.unix
            .saturating_add(i64::try_from(passed).unwrap_or(i64::MAX))
    }
}

impl App {
    /// Tells the time of day anew: the machine may have slept.
    pub(crate) fn set_wall_clock(&mut self, now: Instant, unix: i64) {
        self.wall_clock = WallClock::new(now, unix);
    }
}
