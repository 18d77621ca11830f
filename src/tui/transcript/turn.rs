//! The turn that runs: what goes on in it now, since when, and what it has used.

use std::time::{Duration, Instant};

/// A reply that says nothing for so long is waited for.
const STALL: Duration = Duration::from_secs(3);

/// State of the turn that runs.
#[derive(Default)]
pub(super) struct RunningTurn {
    pub(super) is_busy: bool,
    pub(super) started: Option<Instant>,
    pub(super) calls: usize,
    /// Blocks of the calls that have no result yet, in the order they came.
    pub(super) open: Vec<usize>,
    /// The block of the reply that grows.
    pub(super) growing: Option<usize>,
    pub(super) wait: TurnWait,
    /// Since when a summary is being written, whether a turn runs or not.
    pub(super) summary: Option<Instant>,
    pub(super) retry: Option<PendingRetry>,
    /// Tokens of the requests so far, counted as those of a task are.
    pub(super) tokens: u64,
    /// The time for which nothing went on because the person was asked.
    pub(super) person: Duration,
    /// Since when that is so again.
    pub(super) person_since: Option<Instant>,
}

/// The wait that counts while nothing else goes on.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct TurnWait {
    on: WaitTarget,
    /// Not known for what came with a snapshot.
    since: Option<Instant>,
}

/// A request that is sent again.
#[derive(Debug, Clone, Copy)]
pub(super) struct PendingRetry {
    pub(super) attempt: u32,
    pub(super) most: u32,
    pub(super) due: Instant,
    /// The block that tells of it.
    pub(super) block: usize,
}

/// Subject of a wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum WaitTarget {
    #[default]
    Model,
    /// Shell commands in a command of the user's own, which run before it is sent.
    Shell,
    /// A summary of the conversation.
    Summary,
}

/// The state of the turn that runs, as the status line tells it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TurnProgress {
    pub(crate) activity: TurnActivity,
    /// Not known where the turn began before it was on screen.
    pub(crate) started: Option<Instant>,
    pub(crate) tokens: u64,
}

/// Current activity of a turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum TurnActivity {
    Waiting {
        on: WaitTarget,
        since: Option<Instant>,
    },
    Retry {
        attempt: u32,
        most: u32,
        due: Instant,
    },
    Thinking,
    Writing,
    /// A call runs, or its arguments are being written; `others` run beside it.
    Call {
        words: String,
        /// The time after which it is stopped.
        limit: Option<Duration>,
        others: usize,
    },
    /// A call waits for an answer.
    Asking {
        since: Option<Instant>,
    },
}

impl RunningTurn {
    pub(super) fn started(now: Instant) -> Self {
        Self {
            is_busy: true,
            started: Some(now),
            wait: TurnWait::since(WaitTarget::Model, now),
            ..Self::default()
        }
    }

    /// Notes if nothing goes on now but a question to the person.
    pub(super) fn note_person(&mut self, is_waited_for: bool, now: Instant) {
        match (self.person_since, is_waited_for) {
            (None, true) => self.person_since = Some(now),
            (Some(since), false) => {
                self.person += now.saturating_duration_since(since);
                self.person_since = None;
            }
            (None, false) | (Some(_), true) => {}
        }
    }

    /// Returns the time that the turn has taken, without that for which the person was waited for.
    pub(super) fn time(&self, now: Instant) -> Option<Duration> {
        let waiting = self
            .person_since
            .map(|since| now.saturating_duration_since(since));
        let person = self.person + waiting.unwrap_or_default();
        let took = now.saturating_duration_since(self.started?);
        Some(took.saturating_sub(person))
    }

    /// Something came, or ended, after which the model is waited for until more comes.
    pub(super) fn heard(&mut self, now: Instant) {
        self.wait = TurnWait::since(WaitTarget::Model, now);
    }

    /// A part of a reply grows.
    pub(super) fn grows(&mut self, block: usize, now: Instant) {
        self.heard(now);
        self.growing = Some(block);
    }

    /// Returns true if what grows has been silent for long.
    pub(super) fn is_stalled(&self, now: Instant) -> bool {
        self.wait
            .since
            .is_none_or(|since| now.saturating_duration_since(since) >= STALL)
    }

    pub(super) fn waiting(&self) -> TurnActivity {
        let TurnWait { on, since } = self.wait;
        TurnActivity::Waiting { on, since }
    }
}

impl TurnWait {
    pub(super) fn since(on: WaitTarget, moment: Instant) -> Self {
        Self {
            on,
            since: Some(moment),
        }
    }
}

impl WaitTarget {
    pub(crate) fn label(self) -> &'static str {
        match self {
            Self::Model => "waiting for the model",
            Self::Shell => "waiting for the command's shell",
            Self::Summary => "summarising the conversation",
        }
    }
}
