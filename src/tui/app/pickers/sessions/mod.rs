//! Stored sessions: those of this project, or all.
//!
//! The sessions that are open here, and how they stand, come from the screen; the rest from the store. The last that
//! was said is shown beside the list as soon as it was looked up.

mod preview;

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use ratatui::layout::Size;
use ratatui::text::Line;

use super::{List, OpeningKey};
use crate::conversation::SessionId;
use crate::session::host::{FoundText, ListedSession, in_order};
use crate::text::sanitize::sanitize_line;
use crate::text::width::str_width;
use crate::tui::commands::LayerCommand;
use crate::tui::keymap::{Action, Context, KeyRow};
use crate::tui::layer::LayerRequest;
use crate::tui::picker::{ListContent, Row};
use crate::tui::terminal_environment::path_words;
use crate::view::card::CardStatus;
use crate::view::theme::Meaning;
use crate::view::{Look, Symbols, status_meaning};

pub(crate) static LIST: List = List {
    action: "open-sessions",
    keys: &[OpeningKey {
        context: Context::Leader,
        row: KeyRow::new(&["s"], Action::OpenList(&LIST), "open an earlier session").brief("sessions"),
        after: Some(Action::NextAsk),
    }],
    command: Some(LayerCommand {
        name: "sessions",
        also: &["resume", "continue"],
        about: "Lists sessions, to open, rename, tag, pin or delete. Text after the name filters the list.",
        after: "new",
    }),
    verb: "open",
    is_offered: |_| true,
    content: |app| Box::new(app.known_sessions()),
};

/// Requests about sessions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum SessionListRequest {
    /// Looks them up anew.
    List,
    GoTo {
        session: SessionId,
        title: String,
    },
    /// Looks up what was said around this text, or last where it is empty.
    Look {
        session: SessionId,
        searched: String,
    },
    Search(String),
    /// Lists those of all projects, or of this one again.
    Widen,
    Rename {
        session: SessionId,
        title: String,
    },
    Pin(SessionId, bool),
    /// Gives it the tags that stand in a text.
    Tag(SessionId, String),
    Delete(SessionId),
    /// It cannot be done.
    Say(String),
}

/// How a session stands that is open here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SessionState {
    OnScreen,
    AtRest,
    Working,
    Asking,
    /// Its turn ended since it was on screen.
    Ended,
}

pub(crate) struct SessionRows {
    /// Of all projects, the newest first. `None` until they were looked up.
    pub(crate) listed: Option<Arc<Vec<ListedSession>>>,
    pub(crate) open: HashMap<SessionId, SessionState>,
    pub(crate) project: PathBuf,
    pub(crate) shows_all: bool,
    pub(crate) home: Option<PathBuf>,
    pub(crate) symbols: Symbols,
    /// Time zone in which days begin and end.
    zone: TimeZone,
    /// Places in `listed`, by row.
    order: Vec<usize>,
    /// The text that is looked for.
    searched: String,
    /// By session, with what was looked for in it.
    looked: HashMap<SessionId, (String, Vec<FoundText>)>,
}

impl SessionRows {
    pub(crate) fn new(
        listed: Option<Arc<Vec<ListedSession>>>,
        open: HashMap<SessionId, SessionState>,
        project: PathBuf,
        shows_all: bool,
    ) -> Self {
        let order = listed
            .as_deref()
            .map(|listed| in_order(listed, &project, shows_all))
            .unwrap_or_default();
        Self {
            listed,
            open,
            project,
            shows_all,
            home: None,
            symbols: Symbols::Unicode,
            zone: TimeZone::UTC,
            order,
            searched: String::new(),
            looked: HashMap::new(),
        }
    }

    /// For words on screen.
    pub(crate) fn drawn_with(mut self, home: Option<&Path>, symbols: Symbols, zone: TimeZone) -> Self {
        self.home = home.map(Path::to_owned);
        self.symbols = symbols;
        self.zone = zone;
        self
    }

    fn session(&self, row: usize) -> Option<&ListedSession> {
        self.listed.as_ref()?.get(*self.order.get(row)?)
    }

    /// Returns the tags of a project, those of most sessions first.
    fn tags_of(&self, project: &Path) -> Vec<&str> {
        let listed = self.listed.iter().flat_map(|listed| listed.iter());
        let own = listed.filter(|session| session.row.project == project);
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for tag in own.flat_map(|session| &session.row.marks.tags) {
            *counts.entry(tag).or_default() += 1;
        }
        let mut tags: Vec<(&str, usize)> = counts.into_iter().collect();
        tags.sort_by_key(|(_, count)| Reverse(*count));
        tags.into_iter().map(|(tag, _)| tag).collect()
    }

    fn state(&self, session: &ListedSession) -> Option<SessionState> {
        self.open.get(&session.row.id).copied()
    }

    fn row(&self, session: &ListedSession) -> Row {
        let state = self.state(session);
        let row = &session.row;
        let cost = row.cost.filter(|cost| *cost > 0.0);
        let cost = cost.map(|cost| format!("${cost:.2}")).unwrap_or_default();
        let fact = format!("{:>4} msg {cost:>7} {:>4}", row.messages, age(session.idle));
        let is_elsewhere = self.shows_all && row.project != self.project;
        let place = is_elsewhere.then(|| path_words(&row.project, self.home.as_deref()));
        let dot = format!(" {} ", self.symbols.dot());
        let pinned = if row.marks.pinned { " pinned" } else { "" };
        let words = state_words(state, session).map(str::to_owned);
        let kept: Vec<String> = words.into_iter().chain(removal_words(session)).collect();
        let kept = kept.join(&dot);
        let tags = row.marks.tags.iter().map(|tag| format!("#{tag}"));
        let tags = Some(tags.collect::<Vec<_>>().join(" ")).filter(|tags| !tags.is_empty());
        let detail: Vec<String> = Some(kept.clone())
            .filter(|kept| !kept.is_empty())
            .into_iter()
            .chain(tags)
            .chain(place)
            .collect();
        let listed = Row::new(session.title())
            .detail(&detail.join(&dot))
            .keep(str_width(&kept))
            .also(&format!("{}{pinned}", date_words(session, &self.zone)))
            .fact(&fact)
            .current_if(state == Some(SessionState::OnScreen));
        match status(state, session) {
            Some(status) => listed.sign(self.symbols.status(status, 0), status_meaning(status)),
            None if row.marks.pinned => listed.sign(self.symbols.pin(), Meaning::Accent),
            None => listed,
        }
    }
}

fn status(state: Option<SessionState>, session: &ListedSession) -> Option<CardStatus> {
    match state {
        Some(SessionState::Working) => Some(CardStatus::Running),
        Some(SessionState::Asking) => Some(CardStatus::Asking),
        Some(SessionState::Ended) => Some(CardStatus::Done),
        Some(SessionState::OnScreen | SessionState::AtRest) => None,
        None => session.held.as_ref().map(|_| CardStatus::Denied),
    }
}

fn state_words(state: Option<SessionState>, session: &ListedSession) -> Option<&'static str> {
    match state {
        Some(SessionState::Working) => Some("running"),
        Some(SessionState::Asking) => Some("asks"),
        Some(SessionState::Ended) => Some("turn ended"),
        Some(SessionState::OnScreen | SessionState::AtRest) => None,
        None => session.held.as_ref().map(|_| "open elsewhere"),
    }
}

/// Says when it will be removed for its age, where that is soon.
fn removal_words(session: &ListedSession) -> Option<String> {
    let left = session.removed_in?;
    let hours = left.as_secs().div_ceil(3600);
    Some(match hours {
        0 => "removed at the next start".to_owned(),
        1..48 => format!("removed in {hours}h"),
        _ => format!("removed in {}d", hours / 24),
    })
}

/// The day of its last message.
fn date(session: &ListedSession, zone: &TimeZone) -> Date {
    time(session).to_zoned(zone.clone()).date()
}

fn time(session: &ListedSession) -> Timestamp {
    Timestamp::from_millisecond(session.row.updated).unwrap_or_default()
}

/// By what a date finds it: `yesterday 2026-11-21 26h`. Today is the day on which it was listed.
fn date_words(session: &ListedSession, zone: &TimeZone) -> String {
    let date = date(session, zone);
    let listed = time(session).saturating_add(SignedDuration::try_from(session.idle).unwrap_or_default());
    let today = listed.map_or(date, |listed| listed.to_zoned(zone.clone()).date());
    let day = match () {
        () if date == today => "today",
        () if today.yesterday().is_ok_and(|yesterday| yesterday == date) => "yesterday",
        () => "",
    };
    format!("{day} {date} {}", age(session.idle))
}

/// In the largest unit that says something.
pub(crate) fn age(idle: Duration) -> String {
    let minutes = idle.as_secs() / 60;
    match minutes {
        0 => "now".to_owned(),
        1..60 => format!("{minutes}m"),
        60..1440 => format!("{}h", minutes / 60),
        1440..20160 => format!("{}d", minutes / 1440),
        20160..524_160 => format!("{}w", minutes / 10080),
        _ => format!("{}y", minutes / 525_600),
    }
}

impl ListContent for SessionRows {
    fn title(&self) -> &'static str {
        if self.shows_all {
            "Sessions of all projects"
        } else {
            "Sessions of this project"
        }
    }

    fn rows(&self) -> Vec<Row> {
        let rows = (0..self.order.len()).filter_map(|row| self.session(row));
        rows.map(|session| self.row(session)).collect()
    }

    fn nothing(&self) -> &'static str {
        match &self.listed {
            None => "Loading.",
            Some(_) if self.shows_all => "No session is stored yet.",
            Some(_) => "No session of this project is stored yet.",
        }
    }

    fn nothing_matches(&self) -> &'static str {
        if self.shows_all {
            "Nothing matches."
        } else {
            "Nothing in this project matches."
        }
    }

    fn request(&self) -> Option<LayerRequest> {
        Some(LayerRequest::Session(SessionListRequest::List))
    }

    fn pick(&mut self, row: usize) -> Option<LayerRequest> {
        let session = self.session(row)?;
        Some(LayerRequest::Session(SessionListRequest::GoTo {
            session: session.row.id.clone(),
            title: session.row.title.clone(),
        }))
    }

    fn pass(&mut self, row: usize) -> Option<LayerRequest> {
        let session = &self.session(row)?.row.id;
        let known = self.looked.get(session);
        let is_known = known.is_some_and(|(searched, _)| *searched == self.searched);
        (!is_known).then(|| {
            LayerRequest::Session(SessionListRequest::Look {
                session: session.clone(),
                searched: self.searched.clone(),
            })
        })
    }

    fn key(&self, row: usize) -> Option<&str> {
        Some(self.session(row)?.row.id.as_str())
    }

    fn typed(&mut self, text: &str) -> Option<LayerRequest> {
        text.clone_into(&mut self.searched);
        Some(LayerRequest::Session(SessionListRequest::Search(text.to_owned())))
    }

    fn widen(&mut self) -> Option<LayerRequest> {
        Some(LayerRequest::Session(SessionListRequest::Widen))
    }

    fn widen_verb(&self) -> Option<&'static str> {
        Some(if self.shows_all {
            "this project"
        } else {
            "all projects"
        })
    }

    fn is_editable(&self) -> bool {
        true
    }

    fn delete(&mut self, row: usize) -> Option<LayerRequest> {
        let session = self.session(row)?;
        let why_not = match (self.state(session), &session.held) {
            (Some(SessionState::OnScreen), _) => {
                Some("it is on screen: open another session to delete it".to_owned())
            }
            (Some(SessionState::Working | SessionState::Asking), _) => {
                Some("it is running: open it and interrupt it first".to_owned())
            }
            (None, Some(held)) => Some(format!("it is open in {held}: close it there first")),
            _ => None,
        };
        Some(LayerRequest::Session(match why_not {
            Some(words) => SessionListRequest::Say(words),
            None => SessionListRequest::Delete(session.row.id.clone()),
        }))
    }

    fn name(&self, row: usize) -> Option<Result<String, LayerRequest>> {
        let session = self.session(row)?;
        Some(match (self.state(session), &session.held) {
            (None, Some(held)) => {
                let words = format!("it is open in {held}: rename it there");
                Err(LayerRequest::Session(SessionListRequest::Say(words)))
            }
            _ => Ok(sanitize_line(&session.row.title).into_owned()),
        })
    }

    fn rename(&mut self, row: usize, name: &str) -> Option<LayerRequest> {
        let session = self.session(row)?;
        if name.is_empty() || name == session.row.title {
            return None;
        }
        Some(LayerRequest::Session(SessionListRequest::Rename {
            session: session.row.id.clone(),
            title: name.to_owned(),
        }))
    }

    fn pin(&mut self, row: usize) -> Option<LayerRequest> {
        let row = &self.session(row)?.row;
        let pin = SessionListRequest::Pin(row.id.clone(), !row.marks.pinned);
        Some(LayerRequest::Session(pin))
    }

    fn tags(&self, row: usize) -> Option<(String, String)> {
        let row = &self.session(row)?.row;
        let known = self.tags_of(&row.project);
        let remark = if known.is_empty() {
            String::new()
        } else {
            format!("in this project: {}", known.join(" "))
        };
        Some((row.marks.tags.join(" "), remark))
    }

    fn tag(&mut self, row: usize, tags: &str) -> Option<LayerRequest> {
        let session = self.session(row)?.row.id.clone();
        Some(LayerRequest::Session(SessionListRequest::Tag(
            session,
            tags.to_owned(),
        )))
    }

    fn looked(&mut self, session: &SessionId, searched: &str, words: Vec<FoundText>) {
        self.looked.insert(session.clone(), (searched.to_owned(), words));
    }

    fn preview(&self, row: usize, size: Size, look: Look<'_>) -> Vec<Line<'static>> {
        preview::lines(self, row, size, look)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_age_is_told_in_its_largest_unit() {
        let told = |minutes: u64| age(Duration::from_secs(minutes * 60 + 59));
        let all = [0, 5, 60, 1439, 1440, 30_000, 600_000].map(told);
        assert_eq!(all, ["now", "5m", "1h", "23h", "1d", "2w", "1y"]);
    }
}
