//! The record of one run of a hook: when, how it ended, and what came of it.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::HookEvent;

/// One run of one hook.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HookRun {
    pub event: HookEvent,
    pub command: String,
    /// The file that brought it.
    pub source: String,
    /// The tool whose call it was run for.
    pub tool: Option<String>,
    /// Milliseconds since the Unix epoch.
    pub started: i64,
    /// Crosses as `took_ns`, whole nanoseconds.
    #[serde(rename = "took_ns", with = "nanoseconds")]
    pub took: Duration,
    pub exit: HookExit,
    pub effect: HookEffect,
    /// Its output in one line, unless it wants that kept quiet.
    pub output: String,
    /// Sentences for the user: the hook's own, and what went wrong with it.
    pub messages: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HookExit {
    Code(i32),
    Signal(i32),
    TimedOut,
    Cancelled,
    NotStarted,
}

impl fmt::Display for HookExit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Code(code) => write!(f, "exit {code}"),
            Self::Signal(signal) => write!(f, "signal {signal}"),
            Self::TimedOut => f.write_str("timed out"),
            Self::Cancelled => f.write_str("cancelled"),
            Self::NotStarted => f.write_str("not started"),
        }
    }
}

/// The effect of a run: the gravest, where there are several.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HookEffect {
    #[default]
    Nothing,
    /// Words for the model.
    Added,
    Allowed,
    /// Arguments or a result.
    Changed,
    /// It failed, and the work goes on.
    Warned,
    Asked,
    /// A turn goes on that had ended.
    Continued,
    /// A call or a prompt.
    Denied,
    /// The turn.
    Stopped,
}

impl fmt::Display for HookEffect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Nothing => "nothing",
            Self::Added => "added context",
            Self::Allowed => "allowed",
            Self::Changed => "changed",
            Self::Warned => "failed",
            Self::Asked => "asked",
            Self::Continued => "continued",
            Self::Denied => "denied",
            Self::Stopped => "ended the turn",
        })
    }
}

/// A duration as a whole number of nanoseconds.
mod nanoseconds {
    use std::time::Duration;

    use serde::{Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(duration: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
        // A `u64` holds more than 500 years of them.
        serializer.serialize_u64(u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
        u64::deserialize(deserializer).map(Duration::from_nanos)
    }
}
