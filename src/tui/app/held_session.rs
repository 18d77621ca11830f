//! A session that can only be read here. One that another process has is forked or waited for, one whose directory is gone
//! goes on in another.

use std::time::{Duration, Instant};

use super::session_view::SessionView;
use super::{App, SessionLink};
use crate::conversation::SessionId;
use crate::session::ReadOnlyReason;
use crate::session::host::HostQuery;
use crate::text::sanitize::sanitize_line;
use crate::tui::dialog::{TypeAheadGuard, directory_gone, held_session};
use crate::tui::terminal_environment::path_words;
use crate::view::theme::Meaning;

/// The time between two looks at whether it is free.
const PAUSE: Duration = Duration::from_secs(1);

impl SessionView {
    /// Returns the text in the empty composer where the session can only be read. `key` sends.
    pub(super) fn read_only_words(&self, key: &str) -> Option<String> {
        let holder = match &self.link {
            SessionLink::ReadOnly(ReadOnlyReason::OpenIn(holder)) => sanitize_line(holder),
            SessionLink::ReadOnly(ReadOnlyReason::DirectoryGone(_)) if key.is_empty() => {
                return Some("Its directory is gone: /cd DIR continues elsewhere.".to_owned());
            }
            SessionLink::ReadOnly(ReadOnlyReason::DirectoryGone(_)) => {
                return Some(format!(
                    "Its directory is gone: {key} offers to continue here, /cd DIR elsewhere."
                ));
            }
            SessionLink::Opening | SessionLink::Open | SessionLink::Gone => return None,
        };
        Some(match self.waits_for_holder {
            Some(_) => format!("Waiting until {holder} closes this session."),
            None if key.is_empty() => format!("Open in {holder}, read only."),
            None => format!("Open in {holder}, read only: {key} forks it or waits."),
        })
    }
}

impl App {
    /// Opens the question what to do with a session that can only be read.
    pub(super) fn ask_about_read_only(&mut self, reason: &ReadOnlyReason, now: Instant) {
        let guard = TypeAheadGuard::begin(now);
        let dialog = match reason {
            ReadOnlyReason::OpenIn(holder) => held_session(holder, guard),
            ReadOnlyReason::DirectoryGone(gone) => {
                let home = self.appearance.terminal_environment.home.as_deref();
                let here = path_words(self.start_directory(), home);
                directory_gone(gone, &here, guard)
            }
        };
        self.open_layer(Box::new(dialog), now);
    }

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
            self.views.front.link = SessionLink::ReadOnly(ReadOnlyReason::OpenIn(holder));
            return;
        }
        let title = self.views.front.facts.title.clone();
        self.views.front.waits_for_holder = None;
        self.go_to_session(session, &title, now);
        self.say("the session is free: you have it now", Meaning::Success, now);
    }
}
