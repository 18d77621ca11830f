//! The turn that runs, and what it waits for.

use std::time::{Duration, Instant};

/// A reply that has begun and says nothing for so long is waited for.
const STALL: Duration = Duration::from_secs(3);

/// The turn that runs.
#[derive(Default)]
pub(super) struct RunningTurn {
    pub(super) is_busy: bool,
    pub(super) started: Option<Instant>,
    pub(super) calls: usize,
    /// Parts that stream and calls that have no result yet.
    pub(super) open: usize,
    pub(super) waiting: Option<TurnWait>,
}

/// Nothing happens but that something is waited for.
#[derive(Debug, Clone, Copy)]
pub(super) struct TurnWait {
    pub(super) on: WaitTarget,
    /// Not known for what came with a snapshot.
    pub(super) since: Option<Instant>,
    kind: WaitKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum WaitKind {
    /// Nothing is there yet.
    Begin,
    /// A reply has begun; that nothing more of it came is said once that is long.
    GoOn,
}

#[derive(Debug, Clone, Copy)]
pub(super) enum WaitTarget {
    Model,
    /// Shell commands in a command of the user's own, which run before it is sent.
    Shell,
    /// A summary of the conversation is being written.
    Summary,
}

impl RunningTurn {
    pub(super) fn started(now: Instant) -> Self {
        Self {
            is_busy: true,
            started: Some(now),
            waiting: Some(TurnWait::since(now)),
            ..Self::default()
        }
    }

    /// Returns what is waited for, where that is to be said.
    pub(super) fn waiting(&self, now: Instant) -> Option<TurnWait> {
        let is_due = |waiting: &TurnWait| waiting.shown_from().is_none_or(|from| from <= now);
        self.wait().filter(is_due)
    }

    /// Returns when it will be said, where it is not yet.
    pub(super) fn waits_from(&self, now: Instant) -> Option<Instant> {
        let from = self.wait().and_then(|waiting| waiting.shown_from());
        from.filter(|from| *from > now)
    }

    fn wait(&self) -> Option<TurnWait> {
        // A call that has begun says itself what it does.
        let is_wait = |waiting: &TurnWait| waiting.kind == WaitKind::Begin || self.open == 0;
        let is_summary = |waiting: &TurnWait| matches!(waiting.on, WaitTarget::Summary);
        self.waiting
            .filter(|waiting| is_summary(waiting) || self.is_busy && is_wait(waiting))
    }
}

impl TurnWait {
    pub(super) fn since(moment: Instant) -> Self {
        Self {
            since: Some(moment),
            ..Self::since_before()
        }
    }

    /// Waits since nobody knows when.
    pub(super) fn since_before() -> Self {
        Self {
            on: WaitTarget::Model,
            since: None,
            kind: WaitKind::Begin,
        }
    }

    /// Waits from now on for the rest of a reply.
    pub(super) fn resumed(now: Instant) -> Self {
        Self {
            kind: WaitKind::GoOn,
            ..Self::since(now)
        }
    }

    /// Returns from when on it is shown, where that is known.
    fn shown_from(&self) -> Option<Instant> {
        match self.kind {
            WaitKind::Begin => self.since,
            WaitKind::GoOn => self.since.map(|since| since + STALL),
        }
    }
}

impl WaitTarget {
    pub(super) fn label(self) -> &'static str {
        match self {
            Self::Model => "waiting for the model",
            Self::Shell => "waiting for the command's shell",
            Self::Summary => "summarising the conversation to make room",
        }
    }
}
