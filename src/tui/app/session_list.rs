//! The list of sessions: what was looked up for it, and what its keys do.
//!
//! Everything is looked up elsewhere and comes back as a [`HostAnswer`]. Of searches and looks one is under way at a time, and
//! of those that were wanted meanwhile only the last follows: however fast a person types, nothing piles up.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use jiff::tz::TimeZone;

use super::pickers::{SESSIONS, SessionListRequest, SessionRows, SessionState};
use super::{App, Effect, SessionLink};
use crate::conversation::SessionId;
use crate::session::Op;
use crate::session::host::{HostAnswer, HostQuery, ListedSession, OldSessions, SessionRow};
use crate::text::count::plural;
use crate::text::sanitize::sanitize_line;
use crate::tui::layer::LayerUpdate;
use crate::tui::picker::Picker;
use crate::tui::transcript::RedrawUrgency;
use crate::view::theme::Meaning;

/// The stored sessions, as far as they are known.
#[derive(Default)]
pub(super) struct SessionList {
    listed: Option<Arc<Vec<ListedSession>>>,
    /// The root of the project that the screen was started in.
    project: PathBuf,
    shows_all: bool,
    /// Those that are too old were asked to be removed.
    has_removed_old: bool,
    searches: OneByOne<String>,
    looks: OneByOne<SessionLook>,
}

/// A session, and what is looked for in it.
struct SessionLook {
    session: SessionId,
    searched: String,
}

impl From<SessionLook> for HostQuery {
    fn from(SessionLook { session, searched }: SessionLook) -> Self {
        Self::Look { session, searched }
    }
}

/// At most one under way, at most one waiting.
struct OneByOne<T> {
    is_under_way: bool,
    next: Option<T>,
}

impl<T> Default for OneByOne<T> {
    fn default() -> Self {
        Self {
            is_under_way: false,
            next: None,
        }
    }
}

impl<T> OneByOne<T> {
    /// Returns what is to be done now.
    fn want(&mut self, what: T) -> Option<T> {
        if self.is_under_way {
            self.next = Some(what);
            return None;
        }
        self.is_under_way = true;
        Some(what)
    }

    /// One is done. Returns the next.
    fn done(&mut self) -> Option<T> {
        let next = self.next.take();
        self.is_under_way = next.is_some();
        next
    }
}

impl App {
    /// Lists what is known.
    pub(super) fn known_sessions(&self) -> SessionRows {
        let list = &self.session_list;
        let rows = SessionRows::new(
            list.listed.clone(),
            self.open_sessions(),
            list.project.clone(),
            list.shows_all,
        );
        rows.drawn_with(
            self.appearance.terminal_environment.home.as_deref(),
            self.appearance.terminal_environment.symbols,
            TimeZone::system(),
        )
    }

    /// How the sessions stand that are open here and that nobody else holds.
    fn open_sessions(&self) -> HashMap<SessionId, SessionState> {
        let mut open: HashMap<SessionId, SessionState> = self.other_states().collect();
        let own = self.root_view().id();
        open.extend(own.map(|id| (id.clone(), SessionState::OnScreen)));
        open
    }

    /// Lists anew what is listed already.
    pub(super) fn list_sessions_anew(&mut self, now: Instant) {
        if self.open_picker(&SESSIONS).is_none() {
            return;
        }
        let place = Box::new(self.known_sessions());
        self.with_list(&SESSIONS, now, |picker| picker.list_anew(place));
        let picker = self.open_picker(&SESSIONS);
        let query = picker.map(|picker| picker.query().to_owned());
        self.search_sessions(query.unwrap_or_default());
    }

    fn search_sessions(&mut self, text: String) {
        if text.trim().is_empty() {
            return;
        }
        let search = self.session_list.searches.want(text);
        self.ask_next(search.map(HostQuery::Search));
    }

    pub(super) fn ask_host(&mut self, request: HostQuery) {
        self.effects.push(Effect::AskHost(request));
    }

    fn ask_next(&mut self, request: Option<HostQuery>) {
        self.effects.extend(request.map(Effect::AskHost));
    }

    pub(super) fn follow_session_request(&mut self, request: SessionListRequest, now: Instant) {
        match request {
            SessionListRequest::List => {
                self.ask_host(HostQuery::List);
                self.with_list(&SESSIONS, now, Picker::look);
            }
            SessionListRequest::GoTo { session, title } => self.go_to_session(&session, &title, now),
            SessionListRequest::Look { session, searched } => {
                let look = self.session_list.looks.want(SessionLook { session, searched });
                self.ask_next(look.map(HostQuery::from));
            }
            SessionListRequest::Search(text) => {
                self.search_sessions(text);
                self.with_list(&SESSIONS, now, Picker::look);
            }
            SessionListRequest::Widen => {
                self.session_list.shows_all = !self.session_list.shows_all;
                self.list_sessions_anew(now);
            }
            SessionListRequest::Rename { session, title } => self.rename_session(session, title, now),
            SessionListRequest::Pin(session, is_pinned) => self.ask_host(HostQuery::Pin(session, is_pinned)),
            SessionListRequest::Tag(session, tags) => self.ask_host(HostQuery::Tag(session, tags)),
            SessionListRequest::Delete(session) => {
                // It is at rest, so nothing of it is lost but what is to be.
                self.close_session(&session);
                self.ask_host(HostQuery::Delete(session));
            }
            SessionListRequest::Say(words) => self.say(words, Meaning::Warning, now),
        }
    }

    /// One that is open is told; of any other the name is stored.
    fn rename_session(&mut self, session: SessionId, title: String, now: Instant) {
        let is_on_screen = self.views.front.root.as_ref() == Some(&session);
        let effect = if is_on_screen && self.views.front.link == SessionLink::Open {
            Effect::Send(Op::Rename(title.clone()))
        } else if let Some(slot) = self.slot_of(&session) {
            Effect::SendTo(slot, Op::Rename(title.clone()))
        } else {
            return self.ask_host(HostQuery::Rename(session, title));
        };
        self.effects.push(effect);
        self.listed_as(&session, &title, now);
    }

    fn listed_as(&mut self, session: &SessionId, title: &str, now: Instant) {
        self.change_listed(session, |row| title.clone_into(&mut row.title), now);
    }

    /// Changes a row of the list, where it is there.
    fn change_listed(&mut self, session: &SessionId, change: impl FnOnce(&mut SessionRow), now: Instant) {
        if let Some(listed) = &mut self.session_list.listed {
            let mut rows = Arc::make_mut(listed).iter_mut();
            if let Some(listed) = rows.find(|listed| listed.row.id == *session) {
                change(&mut listed.row);
            }
        }
        self.list_sessions_anew(now);
    }

    /// Once, when the first session is on screen, which is then none of those that are removed.
    pub(super) fn remove_old_sessions(&mut self) {
        if !std::mem::replace(&mut self.session_list.has_removed_old, true) {
            self.ask_host(HostQuery::RemoveOld);
        }
    }

    /// Says which sessions were removed for their age, and how many will be.
    fn tell_of_old(&mut self, old: &OldSessions) {
        let days = plural((old.kept_for.as_secs() / 86_400) as usize, "day");
        if old.removed > 0 {
            let removed = plural(old.removed, "session");
            self.views
                .front
                .transcript
                .push_notice(format!("Removed {removed} with no message for {days}."));
        }
        if old.announced > 0 {
            let announced = plural(old.announced, "session");
            self.views.front.transcript.push_notice(format!(
                "{announced} with no message for {days} will be removed at the first start after one day \
                (`retention.sessions_days`). `/sessions removed` lists them; pin one to keep it."
            ));
        }
    }

    /// Something was looked up, or done.
    pub(crate) fn answered_by_host(&mut self, answer: HostAnswer, now: Instant) -> RedrawUrgency {
        match answer {
            HostAnswer::Listed { project, sessions } => {
                self.session_list.project = project;
                match sessions {
                    Ok(sessions) => self.session_list.listed = Some(Arc::new(sessions)),
                    Err(error) => self.warn(&error.sentence(), now),
                }
                self.list_sessions_anew(now);
            }
            HostAnswer::Found { searched, sessions } => {
                let next = self.session_list.searches.done();
                self.ask_next(next.map(HostQuery::Search));
                match sessions {
                    Ok(sessions) => {
                        self.with_list(&SESSIONS, now, |picker| picker.found_inside(&searched, &sessions));
                    }
                    Err(error) => self.warn(&error.sentence(), now),
                }
            }
            HostAnswer::Looked {
                session,
                searched,
                words,
            } => {
                let next = self.session_list.looks.done();
                self.ask_next(next.map(HostQuery::from));
                match words {
                    Ok(words) => {
                        if let Some(picker) = self.open_picker(&SESSIONS) {
                            picker.looked(&session, &searched, words);
                        }
                    }
                    Err(error) => self.warn(&error.sentence(), now),
                }
            }
            HostAnswer::Holder { session, holder } => self.on_holder(&session, holder, now),
            HostAnswer::Place { session, place } => self.on_place(&session, place, now),
            HostAnswer::Renamed { session, title } => match title {
                Ok(title) => self.listed_as(&session, &title, now),
                Err(error) => self.warn(&error.sentence(), now),
            },
            HostAnswer::Marked { session, marks } => match marks {
                Ok(marks) => {
                    self.change_listed(&session, |row| row.marks = marks, now);
                    self.ask_host(HostQuery::List);
                }
                Err(error) => self.warn(&error.sentence(), now),
            },
            HostAnswer::OldRemoved(None) => {}
            HostAnswer::OldRemoved(Some(Ok(old))) => self.tell_of_old(&old),
            HostAnswer::OldRemoved(Some(Err(error))) => self.warn(&error.sentence(), now),
            HostAnswer::Deleted { session, done } => match done {
                Ok(()) => {
                    if let Some(listed) = &mut self.session_list.listed {
                        Arc::make_mut(listed).retain(|listed| listed.row.id != session);
                    }
                    self.list_sessions_anew(now);
                    self.say("deleted, with its stored outputs", Meaning::TextMuted, now);
                }
                Err(error) => self.warn(&error.sentence(), now),
            },
            HostAnswer::Tree(answer) => self.update_layers(&LayerUpdate::Tree(&answer), now),
            HostAnswer::Open(_) | HostAnswer::Prompts(_) | HostAnswer::PromptKept => {}
        }
        RedrawUrgency::Urgent
    }

    fn warn(&mut self, sentence: &str, now: Instant) {
        self.say(sanitize_line(sentence).into_owned(), Meaning::Warning, now);
    }

    pub(super) fn other_states(&self) -> impl Iterator<Item = (SessionId, SessionState)> {
        self.other_trees().filter_map(|(other, tree)| {
            let state = match () {
                () if !tree.questions.is_empty() => SessionState::Asking,
                () if other.is_busy(tree) => SessionState::Working,
                () if other.has_news => SessionState::Ended,
                () => SessionState::AtRest,
            };
            let is_ours = !matches!(other.link, SessionLink::ReadOnly(_) | SessionLink::Gone);
            Some((other.id()?.clone(), state)).filter(|_| is_ours)
        })
    }
}
