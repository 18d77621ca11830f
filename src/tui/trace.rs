//! A trace of the screen's state, one JSON line for each change, for programs that drive it (`LATHE_UI_TRACE`).

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;
use std::time::Instant;

use serde::Serialize;

/// The content of a line, besides the time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct TracedState {
    /// Part of the screen that reads the keys: `composer`, `transcript`, `panel`, `dialog`, `help`, `picker`.
    pub(crate) focus: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) dialog: Option<&'static str>,
    /// How many inputs wait to be sent.
    pub(crate) queue: usize,
    pub(crate) busy: bool,
    /// Number of keys dropped by questions that had just appeared, since the start.
    pub(crate) dropped_keys: u64,
}

#[derive(Serialize)]
struct Line<'a> {
    /// Milliseconds since the screen started.
    ms: u128,
    #[serde(flatten)]
    state: &'a TracedState,
}

pub(crate) struct Trace {
    file: File,
    start: Instant,
    last: Option<TracedState>,
}

impl Trace {
    pub(crate) fn open(path: &Path, start: Instant) -> io::Result<Self> {
        let file = OpenOptions::new().create(true).append(true).open(path)?;
        Ok(Self {
            file,
            start,
            last: None,
        })
    }

    /// Writes a line when something changed.
    pub(crate) fn note(&mut self, state: TracedState, now: Instant) -> io::Result<()> {
        if self.last.as_ref() == Some(&state) {
            return Ok(());
        }
        let ms = now.saturating_duration_since(self.start).as_millis();
        let mut line = serde_json::to_vec(&Line { ms, state: &state })?;
        line.push(b'\n');
        self.last = Some(state);
        self.file.write_all(&line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn each_change_of_state_is_one_line() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let start = Instant::now();
        let mut trace = Trace::open(file.path(), start).unwrap();
        let idle = TracedState {
            focus: "composer",
            dialog: None,
            queue: 0,
            busy: false,
            dropped_keys: 0,
        };
        trace.note(idle.clone(), start).unwrap();
        trace
            .note(idle.clone(), start + Duration::from_millis(5))
            .unwrap();
        let asked = TracedState {
            focus: "dialog",
            dialog: Some("permission"),
            busy: true,
            ..idle
        };
        trace.note(asked, start + Duration::from_millis(7)).unwrap();
        let text = std::fs::read_to_string(file.path()).unwrap();
        let expected = [
            r#"{"ms":0,"focus":"composer","queue":0,"busy":false,"dropped_keys":0}"#,
            r#"{"ms":7,"focus":"dialog","dialog":"permission","queue":0,"busy":true,"dropped_keys":0}"#,
        ];
        assert_eq!(text.lines().collect::<Vec<_>>(), expected);
    }
}
