//! The moving parts while something runs: the spinner's frames, and the time since.

use std::time::Duration;

const FRAMES: [&str; 10] = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];

/// The frame of what runs where nothing turns, as in a grid of many conversations.
pub const STILL: usize = usize::MAX;

/// Returns a frame of the one clock; any number is a frame.
pub fn frame(index: usize) -> &'static str {
    match index {
        STILL => "▸",
        index => FRAMES[index % FRAMES.len()],
    }
}

/// Writes a time as `0.1s`, `4.2s`, `1:42` or `1:02:03`.
pub fn elapsed(time: Duration) -> String {
    let seconds = time.as_secs();
    if seconds < 60 {
        return format!("{seconds}.{}s", time.subsec_millis() / 100);
    }
    let (hours, minutes, seconds) = (seconds / 3_600, seconds / 60 % 60, seconds % 60);
    if hours == 0 {
        format!("{minutes}:{seconds:02}")
    } else {
        format!("{hours}:{minutes:02}:{seconds:02}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_short() {
        for (millis, text) in [
            (0, "0.0s"),
            (140, "0.1s"),
            (4_250, "4.2s"),
            (59_999, "59.9s"),
            (60_000, "1:00"),
            (102_000, "1:42"),
            (3_723_000, "1:02:03"),
        ] {
            assert_eq!(elapsed(Duration::from_millis(millis)), text);
        }
    }

    #[test]
    fn frames_come_round() {
        assert_eq!(frame(0), frame(10));
        assert_ne!(frame(0), frame(1));
        assert!(!FRAMES.contains(&frame(STILL)));
    }
}
