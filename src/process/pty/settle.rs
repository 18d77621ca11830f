//! Decides when a terminal has settled: the program has gone quiet, a pattern was seen, the program ended or waits for a
//! person, or time is up. Pure: the caller brings the clock and the facts.

use std::time::{Duration, Instant};

use super::waiting::{InputWait, LINE_SILENCE};

/// Silence after which a program has said what it had to say.
pub(super) const QUIET: Duration = Duration::from_millis(300);
/// Silence after which a program that has ended has nothing more to print, while others hold its terminal open.
pub(super) const DRAIN: Duration = Duration::from_millis(100);

/// Waiting for a terminal to settle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Settle {
    started: Instant,
    deadline: Instant,
    /// Silence is not enough: a pattern is waited for.
    has_pattern: bool,
}

/// State of the terminal at one moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SettleEvents {
    /// Since the last output.
    pub silence: Duration,
    pub is_pattern_seen: bool,
    pub has_ended: bool,
    pub input: InputWait,
}

/// Why waiting is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SettleOutcome {
    Quiet,
    PatternSeen,
    Ended,
    WaitsForLine,
    HiddenInput,
    TimedOut,
}

/// Next step of a wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SettleStep {
    Over(SettleOutcome),
    /// Look again at the next output, and at this time at the latest.
    LookAgain(Instant),
}

impl Settle {
    pub fn new(started: Instant, timeout: Duration, has_pattern: bool) -> Self {
        Self {
            started,
            deadline: started + timeout,
            has_pattern,
        }
    }

    /// Looks at the terminal.
    pub fn step(&self, now: Instant, events: SettleEvents) -> SettleStep {
        use SettleOutcome::{Ended, HiddenInput, PatternSeen, Quiet, TimedOut, WaitsForLine};
        // Output from before the wait tells nothing about what was just typed.
        let silence = events.silence.min(now.saturating_duration_since(self.started));
        let is_quiet = silence >= QUIET;
        let over = match events.input {
            _ if events.is_pattern_seen => Some(PatternSeen),
            _ if events.has_ended => Some(Ended),
            // A moment's mode, as between two prompts, is not reported.
            InputWait::Hidden if is_quiet => Some(HiddenInput),
            InputWait::Line if silence >= LINE_SILENCE => Some(WaitsForLine),
            _ if now >= self.deadline => Some(TimedOut),
            // Soon it is known whether a person is waited for.
            InputWait::Maybe | InputWait::Line => None,
            InputWait::No | InputWait::Hidden if is_quiet && !self.has_pattern => Some(Quiet),
            InputWait::No | InputWait::Hidden => None,
        };
        over.map_or_else(
            || SettleStep::LookAgain(self.look_again(now, silence)),
            SettleStep::Over,
        )
    }

    /// The next time at which something may be known that no output tells.
    fn look_again(&self, now: Instant, silence: Duration) -> Instant {
        let remaining = [QUIET, LINE_SILENCE]
            .into_iter()
            .find_map(|limit| limit.checked_sub(silence).filter(|rest| !rest.is_zero()))
            // Modes change without output.
            .unwrap_or(QUIET);
        (now + remaining).min(self.deadline)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TIMEOUT: Duration = Duration::from_secs(10);

    fn events(silence: u64) -> SettleEvents {
        SettleEvents {
            silence: Duration::from_millis(silence),
            is_pattern_seen: false,
            has_ended: false,
            input: InputWait::No,
        }
    }

    /// The step at so many milliseconds after the start.
    fn step(at: u64, has_pattern: bool, events: SettleEvents) -> Result<SettleOutcome, u64> {
        let started = Instant::now();
        let settle = Settle::new(started, TIMEOUT, has_pattern);
        match settle.step(started + Duration::from_millis(at), events) {
            SettleStep::Over(outcome) => Ok(outcome),
            SettleStep::LookAgain(when) => Err((when - started).as_millis().try_into().unwrap()),
        }
    }

    #[test]
    fn silence_settles_when_no_pattern_is_waited_for() {
        assert_eq!(step(100, false, events(100)), Err(300));
        assert_eq!(step(300, false, events(300)), Ok(SettleOutcome::Quiet));
        assert_eq!(step(900, false, events(10)), Err(1190));
        assert_eq!(step(900, true, events(900)), Err(1000));
        assert_eq!(step(5000, true, events(5000)), Err(5300));
    }

    #[test]
    fn silence_from_before_the_wait_does_not_count() {
        assert_eq!(step(10, false, events(60_000)), Err(300));
        let line = SettleEvents {
            input: InputWait::Line,
            ..events(60_000)
        };
        assert_eq!(step(500, false, line), Err(1000));
        assert_eq!(step(1000, false, line), Ok(SettleOutcome::WaitsForLine));
    }

    #[test]
    fn a_pattern_and_the_end_settle_at_once() {
        let seen = SettleEvents {
            is_pattern_seen: true,
            ..events(0)
        };
        assert_eq!(step(1, true, seen), Ok(SettleOutcome::PatternSeen));
        let ended = SettleEvents {
            has_ended: true,
            ..events(0)
        };
        assert_eq!(step(1, true, ended), Ok(SettleOutcome::Ended));
    }

    #[test]
    fn time_is_up_in_the_end() {
        assert_eq!(step(10_000, true, events(3)), Ok(SettleOutcome::TimedOut));
        assert_eq!(step(9_900, true, events(3)), Err(10_000));
    }

    #[test]
    fn who_waits_for_a_person_cuts_the_wait_short() {
        let hidden = |silence| SettleEvents {
            input: InputWait::Hidden,
            ..events(silence)
        };
        assert_eq!(step(5000, true, hidden(50)), Err(5250));
        assert_eq!(step(5000, true, hidden(300)), Ok(SettleOutcome::HiddenInput));
        let maybe = |silence| SettleEvents {
            input: InputWait::Maybe,
            ..events(silence)
        };
        assert_eq!(step(400, false, maybe(400)), Err(1000));
        let line = |silence| SettleEvents {
            input: InputWait::Line,
            ..events(silence)
        };
        assert_eq!(step(5000, true, line(1000)), Ok(SettleOutcome::WaitsForLine));
    }
}
