//! Effects of the passing of time: what turns, what was armed, what is due. The moments come from outside.

use std::iter;
use std::time::{Duration, Instant};

use super::welcome::OPENING;
use super::{AGAIN, App, DraftState, SessionLink};
use crate::session::Op;
use crate::tui::terminal_environment::Motion;
use crate::tui::transcript::{RedrawUrgency, Transcript};

/// The clock of everything that turns.
const SPINNER: Duration = Duration::from_millis(100);
/// The same where nothing turns: clocks still count.
const SECOND: Duration = Duration::from_secs(1);

impl App {
    /// Returns true if something on screen moves with the clock.
    pub(crate) fn is_animated(&self) -> bool {
        if self.is_covered() {
            return false;
        }
        let has_status_line = self.watch_place().is_none();
        let moves =
            |transcript: &Transcript| transcript.animated() || has_status_line && transcript.is_at_work();
        self.seen_transcripts().any(moves)
    }

    /// Returns true if a text on screen is not laid out to its end yet.
    pub(crate) fn is_laying_out(&self) -> bool {
        !self.is_covered() && self.seen_transcripts().any(Transcript::is_behind)
    }

    fn seen_transcripts(&self) -> impl Iterator<Item = &Transcript> {
        let behind = self.views.behind.iter();
        let seen = behind.filter(|view| self.shown.views.contains(&view.slot));
        iter::once(&self.views.front)
            .chain(seen)
            .map(|view| &view.transcript)
    }

    /// Returns the next moment at which something changes by itself.
    pub(crate) fn deadline(&self, now: Instant) -> Option<Instant> {
        let spinner = self.is_animated().then(|| self.next_turn(now));
        let again = |since: Option<Instant>| since.map(|since| since + AGAIN);
        let draft = match self.views.front.draft {
            DraftState::Due(at) if self.views.front.link == SessionLink::Open => Some(at),
            _ => None,
        };
        let table = self.leader.as_ref().and_then(|table| table.deadline(now));
        let clock = self.shows_clocks().then(|| self.next_second(now));
        let times = [
            spinner,
            clock,
            self.is_layer_working().then_some(now),
            again(self.views.front.esc.armed),
            again(self.quit_armed),
            self.views.front.remark.as_ref().map(|remark| remark.until),
            self.views.front.mode_rests,
            self.views.front.waits_for_holder,
            self.hearing.until(),
            self.question_opens_at(now),
            draft,
            table,
            self.attention.due(),
            self.held.until(),
            self.views
                .front
                .reopens
                .map(|since| since + OPENING)
                .filter(|at| *at > now),
        ];
        times.into_iter().flatten().min()
    }

    /// Lets time pass: what was armed is not any more, what is due is done. `since` is when this was last called.
    pub(crate) fn pass_time(&mut self, since: Instant, now: Instant) -> RedrawUrgency {
        let mut change = self.layer_work(now).max(self.release_late_keys(now));
        let is_over = |armed: Option<Instant>| armed.is_some_and(|armed| armed + AGAIN <= now);
        if is_over(self.views.front.esc.armed) {
            self.views.front.esc.armed = None;
            change = RedrawUrgency::Urgent;
        }
        if is_over(self.quit_armed) {
            self.quit_armed = None;
            change = RedrawUrgency::Urgent;
        }
        if self
            .views
            .front
            .remark
            .as_ref()
            .is_some_and(|remark| remark.until <= now)
        {
            self.views.front.remark = None;
            change = RedrawUrgency::Urgent;
        }
        if self.views.front.mode_rests.is_some_and(|at| at <= now) {
            self.views.front.mode_rests = None;
            if self.tree().questions.has_permissions() {
                self.send(Op::Rejudge);
            }
        }
        self.ask_for_holder(now);
        change = change.max(self.press_due_key(now));
        change = change.max(self.open_resting_question(now));
        let table = self.leader.as_ref().and_then(|table| table.deadline(since));
        if table.is_some_and(|at| at <= now) {
            change = RedrawUrgency::Urgent;
        }
        let seconds = |at: Instant| at.saturating_duration_since(self.start).as_secs();
        if self.shows_clocks() && seconds(since) != seconds(now) {
            change = change.max(RedrawUrgency::Soft);
        }
        let opening = self.views.front.reopens.map(|opens| opens + OPENING);
        if opening.is_some_and(|at| since < at && at <= now) {
            change = change.max(RedrawUrgency::Soft);
        }
        self.notify_due(now);
        if matches!(self.views.front.draft, DraftState::Due(at) if at <= now) {
            self.store_draft();
        }
        if self.is_animated() && self.frame(since) != self.frame(now) {
            change = change.max(RedrawUrgency::Soft);
        }
        change
    }

    pub(super) fn frame(&self, at: Instant) -> u128 {
        at.saturating_duration_since(self.start).as_millis() / self.turn_time().as_millis()
    }

    fn next_turn(&self, now: Instant) -> Instant {
        let turns = u32::try_from(self.frame(now) + 1).unwrap_or(u32::MAX);
        self.start + self.turn_time() * turns
    }

    /// Returns true if a call waits for an answer; its card counts the seconds.
    pub(super) fn is_asked(&self) -> bool {
        !self.tree().questions.is_empty()
    }

    /// Returns true if something on screen counts seconds besides what turns.
    fn shows_clocks(&self) -> bool {
        self.is_asked() || self.shows_tasks() && self.tree().is_at_work()
    }

    fn next_second(&self, now: Instant) -> Instant {
        let passed = now.saturating_duration_since(self.start).as_secs();
        self.start + Duration::from_secs(passed + 1)
    }

    fn turn_time(&self) -> Duration {
        match self.appearance.terminal_environment.motion {
            Motion::Full => SPINNER,
            Motion::Reduced => SECOND,
        }
    }
}
