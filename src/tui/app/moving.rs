//! A session that goes on in another directory: because the person says so, or because its own is gone.

use std::path::{Path, PathBuf};
use std::time::Instant;

use super::trees::tree_of;
use super::{App, SessionLink};
use crate::conversation::SessionId;
use crate::session::host::HostQuery;
use crate::session::{ErrorReport, ReadOnlyReason};
use crate::text::sanitize::sanitize_line;
use crate::tui::sessions::SessionTarget;
use crate::view::theme::Meaning;

impl App {
    /// Has the session on screen go on in a directory, as `/cd DIR` names it. Without a name it is the directory that lathe
    /// was started in, for a session whose own is gone.
    pub(super) fn change_directory(&mut self, named: &str, now: Instant) {
        let is_gone = self.lacks_directory();
        let view = &self.views.front;
        let Some(session) = view.root.clone().filter(|_| view.task.is_none()) else {
            return self.say(
                "only a session that is open can change its directory",
                Meaning::Warning,
                now,
            );
        };
        if !is_gone && view.link != SessionLink::Open {
            return self.say(
                "the session is open elsewhere; close it there first",
                Meaning::Warning,
                now,
            );
        }
        if named.is_empty() && !is_gone {
            let words = "name the directory: `/cd DIR` has the session go on there";
            return self.say(words, Meaning::Warning, now);
        }
        if let Some(words) = self.cannot_move() {
            return self.say(words, Meaning::Warning, now);
        }
        let directory = if named.is_empty() {
            self.blank.directory.clone()
        } else {
            PathBuf::from(named)
        };
        self.ask_host(HostQuery::Place { session, directory });
    }

    /// Returns true if the directory of the session on screen is gone.
    pub(super) fn lacks_directory(&self) -> bool {
        matches!(
            self.views.front.link,
            SessionLink::ReadOnly(ReadOnlyReason::DirectoryGone(_))
        )
    }

    /// Says what is in the way, if something is: the session is closed and opened again.
    fn cannot_move(&self) -> Option<&'static str> {
        let view = &self.views.front;
        if view.is_busy(tree_of(&self.trees, view)) {
            return Some("not while the session works; stop it or wait first");
        }
        if view.has_no_messages() {
            return Some("this session is new; start lathe in that directory instead");
        }
        None
    }

    /// The host has looked at the directory.
    pub(super) fn on_place(
        &mut self,
        session: &SessionId,
        place: Result<PathBuf, ErrorReport>,
        now: Instant,
    ) {
        let directory = match place {
            Ok(directory) => directory,
            Err(report) => {
                let sentence = report.sentence();
                return self.say(sanitize_line(&sentence).into_owned(), Meaning::Warning, now);
            }
        };
        // It may have begun to work, or have left the screen, meanwhile.
        if self.views.front.id() != Some(session) {
            return;
        }
        if let Some(words) = self.cannot_move() {
            return self.say(words, Meaning::Warning, now);
        }
        let title = self.views.front.facts.title.clone();
        let target = SessionTarget::Moved(session.clone(), directory);
        self.open_instead(target, session, title, now);
    }

    /// Returns the directory that a session without one would go on in, as the composer names it.
    pub(super) fn start_directory(&self) -> &Path {
        &self.blank.directory
    }
}
