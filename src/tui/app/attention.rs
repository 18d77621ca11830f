//! Tells if somebody looks at the screen, and notifies them when they do not.
//!
//! Terminals that report their focus say so with the first change; until then nobody knows, and half a minute without a
//! key counts as looking elsewhere. Each end of a turn and each question tells once.

use std::time::{Duration, Instant};

use super::{App, Effect, TurnStatus};
use crate::tui::terminal_environment::TerminalEnvironment;
use crate::tui::transcript::RedrawUrgency;

/// Without reports of the focus: after this long without a key nobody looks.
const AWAY: Duration = Duration::from_secs(30);

#[derive(Debug)]
pub(super) struct Attention {
    focus: FocusReport,
    /// When the last key came.
    key: Instant,
    /// A notification that is sent unless a key comes first.
    pending: Option<PendingNotification>,
    /// The turn has ended and nobody has looked since.
    has_news: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FocusReport {
    /// The terminal has not said anything of it.
    Nothing,
    Gained,
    Lost,
}

#[derive(Debug)]
struct PendingNotification {
    text: String,
    due: Instant,
}

impl Attention {
    pub(super) fn new(now: Instant) -> Self {
        Self {
            focus: FocusReport::Nothing,
            key: now,
            pending: None,
            has_news: false,
        }
    }

    /// Somebody is there.
    pub(super) fn seen(&mut self, now: Instant) {
        self.key = now;
        self.pending = None;
        self.has_news = false;
    }

    pub(super) fn due(&self) -> Option<Instant> {
        self.pending.as_ref().map(|pending| pending.due)
    }

    /// The turn has ended.
    pub(super) fn note_turn_end(&mut self) {
        self.has_news = self.focus != FocusReport::Gained;
    }

    /// Has whoever looks elsewhere told, at once where that is known.
    pub(super) fn notify_if_away(&mut self, text: String, now: Instant) {
        let due = match self.focus {
            FocusReport::Gained => return,
            FocusReport::Lost => now,
            FocusReport::Nothing => (self.key + AWAY).max(now),
        };
        self.pending = Some(PendingNotification { text, due });
    }

    /// Returns the notification that is due, if one is, for a session of this title.
    pub(super) fn take_due(&mut self, now: Instant, title: &str) -> Option<Effect> {
        let pending = self.pending.take_if(|pending| pending.due <= now)?;
        let title = match title {
            "" => "lathe".to_owned(),
            title => format!("lathe · {title}"),
        };
        Some(Effect::Notify {
            title,
            body: pending.text,
        })
    }
}

impl App {
    /// The terminal reports that it has the focus, or has lost it.
    pub(crate) fn focus_changed(&mut self, has_focus: bool, now: Instant) -> RedrawUrgency {
        if has_focus {
            self.attention.seen(now);
            self.attention.focus = FocusReport::Gained;
        } else {
            self.attention.focus = FocusReport::Lost;
        }
        self.focus_in_pane(has_focus, now);
        // The title says it.
        RedrawUrgency::Soft
    }

    pub(super) fn notify_due(&mut self, now: Instant) {
        let due = self.attention.take_due(now, &self.views.front.facts.title);
        self.effects.extend(due);
    }

    /// Returns what to write to tell of something.
    pub(crate) fn notification(&self, title: &str, body: &str) -> Vec<u8> {
        let TerminalEnvironment {
            notify, multiplexer, ..
        } = self.appearance.terminal_environment;
        notify.sequence(title, body, multiplexer)
    }

    /// Returns what the window is called: what the session is about, behind how it stands. `None` leaves it its name.
    pub(crate) fn terminal_title(&self) -> Option<String> {
        if !self.appearance.terminal_environment.has_title {
            return None;
        }
        let asks = self.is_asked() || self.trust.is_some();
        let sign = match self.views.front.turn {
            _ if asks => "? ",
            TurnStatus::Busy => "* ",
            TurnStatus::Idle if self.attention.has_news => "! ",
            TurnStatus::Idle => "",
        };
        Some(match self.views.front.facts.title.as_str() {
            "" => format!("{sign}lathe"),
            title => format!("{sign}{title} - lathe"),
        })
    }
}
