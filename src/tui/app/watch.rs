//! The watch grid on the screen.

use std::time::Instant;

use super::App;
use crate::tui::watch::WatchRequest;

impl App {
    pub(super) fn follow_watch_request(&mut self, _request: WatchRequest, _now: Instant) {}
}
