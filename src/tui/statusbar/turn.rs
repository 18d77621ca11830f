//! The status line of a turn: what goes on now, since when, and the key that stops it. It stands on the rule above the
//! composer, so that nothing moves when a turn begins or ends.

use std::time::{Duration, Instant};

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::Span;

use crate::text::sanitize::sanitize_line;
use crate::text::width::{ELLIPSIS, str_width, truncate};
use crate::tui::tasks::words::{clock, tokens};
use crate::tui::transcript::{TurnActivity, TurnProgress};
use crate::view::card::CardStatus;
use crate::view::styled_text::StyledText;
use crate::view::theme::Meaning;
use crate::view::{Look, spinner, status_meaning};

/// Columns of the rule left of the line, and at least right of it.
const RULE: usize = 2;
/// Columns that the activity keeps before a fact beside it is left out.
const LEAST_WORDS: usize = 24;

pub(crate) struct TurnLine<'a> {
    pub(crate) progress: &'a TurnProgress,
    /// Stops the turn; empty where no key does.
    pub(crate) stop_key: &'a str,
    pub(crate) look: Look<'a>,
    /// Of the spinner.
    pub(crate) frame: usize,
    pub(crate) now: Instant,
}

impl TurnLine<'_> {
    /// Draws the line from the left, and returns the columns that it takes.
    pub(crate) fn draw(&self, area: Rect, buffer: &mut Buffer) -> u16 {
        let status = match self.progress.activity {
            TurnActivity::Asking { .. } => CardStatus::Asking,
            TurnActivity::Retry { .. } => CardStatus::Look,
            _ => CardStatus::Running,
        };
        let Look { theme, symbols, .. } = self.look;
        let rule = symbols.rule().repeat(RULE);
        let sign = format!(" {} ", symbols.status(status, self.frame));
        let width = usize::from(area.width);
        let room = width.saturating_sub(2 * RULE + str_width(&sign) + 1);
        let words = self.words();
        let facts = self.facts(&words, room);
        let words = truncate(&words, room.saturating_sub(str_width(&facts)));
        let words = words.replace(ELLIPSIS, symbols.ellipsis());
        let mut line = StyledText::default();
        line.push_clean(&rule, theme.style(Meaning::Rule));
        line.push_clean(&sign, theme.style(status_meaning(status)));
        line.push_clean(&words, theme.style(Meaning::Text));
        line.push_clean(&format!("{facts} "), theme.style(Meaning::TextMuted));
        let spans: Vec<Span<'_>> = line.cut(width, symbols.ellipsis());
        let (end, _) = buffer.set_line(area.x, area.y, &spans.into(), area.width);
        end - area.x
    }

    fn words(&self) -> String {
        match &self.progress.activity {
            TurnActivity::Waiting { on, since } => format!("{}{}", on.label(), self.waited(*since)),
            TurnActivity::Retry { attempt, most, due } => {
                let left = due.saturating_duration_since(self.now).as_millis().div_ceil(1000);
                format!("retry {attempt} of {most} in {left} s")
            }
            TurnActivity::Thinking => "thinking".to_owned(),
            TurnActivity::Writing => "writing".to_owned(),
            TurnActivity::Call { words, others, .. } => {
                let words = sanitize_line(words);
                let words = words.trim();
                match others {
                    0 => words.to_owned(),
                    others => format!("{words} and {others} more"),
                }
            }
            TurnActivity::Asking { since } => format!("waiting for your answer{}", self.waited(*since)),
        }
    }

    /// ` 8 s`, from the first whole second on.
    fn waited(&self, since: Option<Instant>) -> String {
        let seconds = since.map_or(0, |since| self.now.saturating_duration_since(since).as_secs());
        match seconds {
            0 => String::new(),
            1..60 => format!(" {seconds} s"),
            _ => format!(" {}", spinner::elapsed(Duration::from_secs(seconds))),
        }
    }

    /// Returns what stands behind the words: time, tokens and the key, of which the key goes last when there is no room.
    fn facts(&self, words: &str, room: usize) -> String {
        let dot = self.look.symbols.dot();
        let elapsed = self.progress.started.map(|started| {
            let millis = self.now.saturating_duration_since(started).as_millis();
            clock(i64::try_from(millis).unwrap_or(i64::MAX))
        });
        let used = match self.progress.tokens {
            0 => None,
            count => Some(format!("{} tokens", tokens(count))),
        };
        let stop = match self.stop_key {
            "" => None,
            key => Some(format!("{key} stops")),
        };
        let limit = match self.progress.activity {
            TurnActivity::Call { limit, .. } => limit.map(|limit| format!("limit {}", limit_words(limit))),
            _ => None,
        };
        let least = str_width(words).min(LEAST_WORDS);
        let choices = [
            vec![&elapsed, &limit, &used, &stop],
            vec![&elapsed, &limit, &stop],
            vec![&elapsed, &stop],
            vec![&stop],
        ];
        let lines = choices.into_iter().map(|facts| {
            let facts = facts.into_iter().flatten().map(String::as_str);
            let pieces = facts.flat_map(|fact| [" ", dot, " ", fact]);
            pieces.collect::<String>()
        });
        let mut lines = lines.filter(|line| str_width(line) + least <= room);
        lines.next().unwrap_or_default()
    }
}

/// Writes a limit: `90 ms`, `2:00`.
fn limit_words(limit: Duration) -> String {
    match limit.as_secs() {
        0 => format!("{} ms", limit.as_millis()),
        _ => clock(i64::try_from(limit.as_millis()).unwrap_or(i64::MAX)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::test_look::TestLook;

    #[test]
    fn the_limit_of_a_running_command_stands_beside_the_time_as_long_as_there_is_room() {
        let now = Instant::now();
        let progress = TurnProgress {
            activity: TurnActivity::Call {
                words: "Bash cargo test".to_owned(),
                limit: Some(Duration::from_mins(2)),
                others: 0,
            },
            started: Some(now),
            tokens: 1_200,
        };
        let plain = TestLook::default();
        let drawn = |width: u16| {
            let line = TurnLine {
                progress: &progress,
                stop_key: "esc esc",
                look: plain.look(),
                frame: 0,
                now,
            };
            let area = Rect::new(0, 0, width, 1);
            let mut buffer = Buffer::empty(area);
            line.draw(area, &mut buffer);
            let cells = buffer.content().iter().map(ratatui::buffer::Cell::symbol);
            cells.collect::<String>()
        };
        assert!(
            drawn(80).contains("Bash cargo test · 0:00 · limit 2:00 · 1.2k tokens · esc esc stops"),
            "{}",
            drawn(80)
        );
        assert!(
            drawn(60).contains("Bash cargo test · 0:00 · limit 2:00 · esc esc stops"),
            "{}",
            drawn(60)
        );
        assert!(
            drawn(46).contains("Bash cargo test · 0:00 · esc esc stops"),
            "{}",
            drawn(46)
        );
    }
}
