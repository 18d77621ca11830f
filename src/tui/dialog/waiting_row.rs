//! The row above the composer that stands for questions while the draft has the keys.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::question::{Question, QuestionKind};
use crate::text::sanitize::{Revealed, reveal_line};
use crate::text::width::{str_width, truncate};
use crate::tui::tasks::words::form_words;
use crate::view::Look;
use crate::view::theme::Meaning;

/// Columns that the words of the question keep; in less room the row does not say where the keys go.
const LEAST_WORDS: usize = 16;

/// What the row says.
pub(crate) struct WaitingRow {
    /// Questions that wait.
    pub(crate) count: usize,
    /// The first of them.
    pub(crate) words: Revealed,
    /// It was on screen until somebody typed.
    pub(crate) is_left_by_typing: bool,
    /// The key that leads there; empty where there is none.
    pub(crate) key: String,
}

/// Names a question in the row: `bash git push`.
pub(crate) fn waiting_words(question: &Question) -> Revealed {
    match &question.about {
        QuestionKind::Permission(inquiry) => reveal_line(&inquiry.tool)
            .and(" ")
            .and(reveal_line(inquiry.first_line())),
        QuestionKind::Form(form) => reveal_line(form_words(form)),
    }
}

impl WaitingRow {
    pub(crate) fn draw(&self, area: Rect, buffer: &mut Buffer, look: Look<'_>) {
        let dot = format!(" {} ", look.symbols.dot());
        let verb = if self.count == 1 { "waits" } else { "wait" };
        let count = format!("{} {verb}", self.count);
        let key = match self.key.as_str() {
            "" => String::new(),
            key => format!("{dot}{key} answers"),
        };
        let left = if self.is_left_by_typing {
            format!("{dot}keys go to your draft")
        } else {
            String::new()
        };
        let taken = str_width(&count) + str_width(&dot) + str_width(&key) + " ? ".len() + 1;
        let room = usize::from(area.width).saturating_sub(taken);
        let is_said = room >= str_width(&left) + LEAST_WORDS.min(str_width(self.words.as_str()));
        let left = if is_said { left } else { String::new() };
        let words = truncate(self.words.as_str(), room.saturating_sub(str_width(&left)));
        let style = |meaning| look.theme.style(meaning);
        let mut x = area.x;
        for (text, meaning) in [
            (" ? ", Meaning::StateAsking),
            (&count, Meaning::TextStrong),
            (&dot, Meaning::TextMuted),
            (&words, Meaning::Text),
            (&left, Meaning::TextMuted),
            (&key, Meaning::Accent),
        ] {
            let room = usize::from(area.right().saturating_sub(x));
            x = buffer.set_stringn(x, area.y, text, room, style(meaning)).0;
        }
    }
}
