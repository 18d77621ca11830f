//! Delays before a request is tried again. Trying again is the agent's business.

use std::time::Duration;

/// The longest wait that a server can ask for and get; a user would have given up before.
const MAX_RETRY_AFTER: Duration = Duration::from_mins(5);

/// How often and how patiently a failed request is tried again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetrySettings {
    /// Attempts after the first.
    pub max: u32,
    /// The wait before the first of them; it doubles each time.
    pub base: Duration,
    pub max_delay: Duration,
}

impl Default for RetrySettings {
    fn default() -> Self {
        Self {
            max: 5,
            base: Duration::from_secs(1),
            max_delay: Duration::from_secs(30),
        }
    }
}

impl RetrySettings {
    /// Returns the wait before retry number `attempt`, which counts from 1.
    ///
    /// A wait that the server asked for wins, up to five minutes. Otherwise the wait doubles up to `max_delay` and
    /// loses up to a quarter by `jitter_seed`, so that several sessions do not come back at the same moment.
    pub fn delay(&self, attempt: u32, retry_after: Option<Duration>, jitter_seed: u64) -> Duration {
        if let Some(asked) = retry_after {
            return asked.min(MAX_RETRY_AFTER);
        }
        let doublings = attempt.saturating_sub(1).min(31);
        let full = self.base.saturating_mul(1 << doublings).min(self.max_delay);
        let spread = scrambled(jitter_seed ^ u64::from(attempt)) as f64 / u64::MAX as f64;
        full.mul_f64(1.0 - spread / 4.0)
    }
}

/// One step of `SplitMix64`: neighbouring seeds give unrelated numbers.
fn scrambled(seed: u64) -> u64 {
    let mut z = seed.wrapping_add(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_wait_doubles_up_to_its_cap_and_loses_at_most_a_quarter() {
        let retry = RetrySettings::default();
        for (attempt, full) in [
            (1, 1000),
            (2, 2000),
            (3, 4000),
            (5, 16_000),
            (6, 30_000),
            (400, 30_000),
        ] {
            for seed in 0..50 {
                let delay = retry.delay(attempt, None, seed).as_millis();
                assert!(delay <= full && delay >= full * 3 / 4, "{attempt}: {delay}");
            }
        }
        assert_ne!(retry.delay(1, None, 1), retry.delay(1, None, 2));
    }

    #[test]
    fn what_the_server_asks_for_wins_within_reason() {
        let retry = RetrySettings::default();
        assert_eq!(
            retry.delay(1, Some(Duration::from_mins(1)), 0),
            Duration::from_mins(1)
        );
        assert_eq!(retry.delay(4, Some(Duration::ZERO), 0), Duration::ZERO);
        assert_eq!(retry.delay(1, Some(Duration::from_hours(24)), 0), MAX_RETRY_AFTER);
    }
}
