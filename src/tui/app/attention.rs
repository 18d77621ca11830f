//! Tells if somebody looks at the screen, and notifies them when they do not.
//!
//! Terminals that report their focus say so with the first change; until then nobody knows, and half a minute without a
//! key counts as looking elsewhere. Each end of a turn and each question tells once.

use std::time::{Duration, Instant};

use super::{App, Effect, Turn};
use crate::session::Done;
use crate::tui::surroundings::Surroundings;
use crate::tui::transcript::Change;

/// Without reports of the focus: after this long without a key nobody looks.
const AWAY: Duration = Duration::from_secs(30);

#[derive(Debug)]
pub(super) struct Attention {
    focus: Reported,
    /// When the last key came.
    key: Instant,
    /// A notification that is sent unless a key comes first.
    untold: Option<Untold>,
    /// The turn has ended and nobody has looked since.
    has_news: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reported {
    /// The terminal has not said anything of it.
    Nothing,
    Gained,
    Lost,
}

#[derive(Debug)]
struct Untold {
    text: String,
    due: Instant,
}

impl Attention {
    pub(super) fn new(now: Instant) -> Self {
        Self {
            focus: Reported::Nothing,
            key: now,
            untold: None,
            has_news: false,
        }
    }

    /// Somebody is there.
    pub(super) fn seen(&mut self, now: Instant) {
        self.key = now;
        self.untold = None;
        self.has_news = false;
    }

    pub(super) fn due(&self) -> Option<Instant> {
        self.untold.as_ref().map(|untold| untold.due)
    }
}

impl App {
    /// The terminal reports that it has the focus, or has lost it.
    pub(crate) fn focus_changed(&mut self, has_focus: bool, now: Instant) -> Change {
        if has_focus {
            self.attention.seen(now);
            self.attention.focus = Reported::Gained;
        } else {
            self.attention.focus = Reported::Lost;
        }
        // The title says it.
        Change::Soft
    }

    pub(super) fn tell_of_end(&mut self, done: Done, now: Instant) {
        let text = match done {
            Done::Stop | Done::Length | Done::MaxSteps => "the turn has ended",
            Done::Error => "the turn ended with an error",
            Done::Cancelled => return,
        };
        self.attention.has_news = self.attention.focus != Reported::Gained;
        self.tell_away(text.to_owned(), now);
    }

    /// Tells whoever looks elsewhere, at once where that is known.
    pub(super) fn tell_away(&mut self, text: String, now: Instant) {
        let due = match self.attention.focus {
            Reported::Gained => return,
            Reported::Lost => now,
            Reported::Nothing => (self.attention.key + AWAY).max(now),
        };
        self.attention.untold = Some(Untold { text, due });
        self.tell_due(now);
    }

    pub(super) fn tell_due(&mut self, now: Instant) {
        if self.attention.due().is_some_and(|due| due <= now)
            && let Some(untold) = self.attention.untold.take()
        {
            let title = match self.view.facts.title.as_str() {
                "" => "lathe".to_owned(),
                title => format!("lathe · {title}"),
            };
            self.effects.push(Effect::Notify {
                title,
                body: untold.text,
            });
        }
    }

    /// Returns what to write to tell of something.
    pub(crate) fn notification(&self, title: &str, body: &str) -> Vec<u8> {
        let Surroundings { notify, passage, .. } = self.appearance.surroundings;
        notify.sequence(title, body, passage)
    }

    /// Returns what the window is called: what the session is about, behind how it stands. `None` leaves it its name.
    pub(crate) fn terminal_title(&self) -> Option<String> {
        if !self.appearance.surroundings.has_title {
            return None;
        }
        let asks = self.is_asked() || self.trust.is_some();
        let sign = match self.view.turn {
            _ if asks => "? ",
            Turn::Busy => "* ",
            Turn::Idle if self.attention.has_news => "! ",
            Turn::Idle => "",
        };
        Some(match self.view.facts.title.as_str() {
            "" => format!("{sign}lathe"),
            title => format!("{sign}{title} - lathe"),
        })
    }
}
