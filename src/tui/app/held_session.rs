//! A session that another process has: it is read here, forked, or waited for.

use std::time::{Duration, Instant};

use super::session_view::SessionView;
use super::{App, SessionLink};
use crate::conversation::SessionId;
use crate::session::host::HostQuery;
use crate::text::sanitize::sanitize_line;
use crate::view::theme::Meaning;

/// The time between two looks at whether it is free.
const PAUSE: Duration = Duration::from_secs(1);

impl SessionView {
    /// Returns the text in the empty composer where another process has the session. `key` sends.
    pub(super) fn holder_words(&self, key: &str) -> Option<String> {
        let SessionLink::ReadOnly(holder) = &self.link else {
            return None;
        };
        let holder = sanitize_line(holder);
        Some(match self.waits_for_holder {
            Some(_) => format!("Waiting until {holder} closes this session."),
            None if key.is_empty() => format!("Open in {holder}, read only."),
            None => format!("Open in {holder}, read only: {key} forks it or waits."),
        })
    }
}

impl App {
    /// Asks whether the session that is waited for is free, once a second.
    pub(super) fn ask_for_holder(&mut self, now: Instant) {
        if self.views.front.waits_for_holder.is_none_or(|at| at > now) {
            return;
        }
        self.views.front.waits_for_holder = Some(now + PAUSE);
        if let Some(session) = self.views.front.id().cloned() {
            self.ask_host(HostQuery::Holder(session));
        }
    }

    /// The process has it still, or the session can be opened.
    pub(super) fn on_holder(&mut self, session: &SessionId, holder: Option<String>, now: Instant) {
        let is_waited_for =
            self.views.front.waits_for_holder.is_some() && self.views.front.id() == Some(session);
        if !is_waited_for {
            return;
        }
        if let Some(holder) = holder {
            self.views.front.link = SessionLink::ReadOnly(holder);
            return;
        }
        let title = self.views.front.facts.title.clone();
        self.views.front.waits_for_holder = None;
        self.go_to_session(session, &title, now);
        self.say("the session is free: you have it now", Meaning::Success, now);
    }
}
