//! The content of a conversation that has not begun: the version, the place, what the model was told, the keys to begin
//! with and an example.

use std::time::{Duration, Instant};

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::pickers::{ACTIONS, MODELS, SESSIONS, age};
use super::session_view::SessionView;
use super::view_cx::ViewCx;
use crate::text::sanitize::sanitize_line;
use crate::text::width::{pad, str_width, truncate, truncate_start};
use crate::tui::keymap::{Action, Context, key_name};
use crate::tui::tasks::words::tokens;
use crate::tui::terminal_environment::path_words;
use crate::view::Symbols;
use crate::view::theme::Meaning;

/// A request that most projects have a use for.
const EXAMPLE: &str = "For example: find a failing test and fix it";
/// Opening is told of after this long.
pub(super) const OPENING: Duration = Duration::from_millis(400);

/// A key or a name, and what stands beside it.
type Row = (String, String);

/// Rows of the area that stay empty: one below, one above the first row.
const EMPTY_ROWS: usize = 2;

impl SessionView {
    /// Draws at the foot of the area, next to where the person writes. On a low screen, and where something is asked before
    /// it, nothing but the place stays.
    pub(super) fn draw_welcome(&self, area: Rect, buffer: &mut Buffer, cx: &ViewCx<'_>) {
        let room = usize::from(area.width).saturating_sub(2);
        let theme = &cx.appearance.theme;
        let (muted, accent) = (theme.style(Meaning::TextMuted), theme.style(Meaning::Accent));
        let mut lines = vec![
            Line::styled(
                concat!("lathe ", env!("CARGO_PKG_VERSION")),
                theme.style(Meaning::TextStrong),
            ),
            Line::styled(self.place_line(cx, room), muted),
        ];
        let rows = self.rows(cx);
        let height = usize::from(area.height).saturating_sub(EMPTY_ROWS);
        if !cx.is_asking() && rows.len() + lines.len() < height {
            let column = rows.iter().map(|(name, _)| str_width(name)).max().unwrap_or(0) + 3;
            lines.push(Line::default());
            lines.extend(rows.iter().map(|(name, words)| {
                Line::from(vec![
                    Span::styled(pad(name, column).into_owned(), accent),
                    Span::styled(truncate(words, room.saturating_sub(column)).into_owned(), muted),
                ])
            }));
            if lines.len() + 2 <= height {
                lines.push(Line::default());
                lines.push(Line::styled(EXAMPLE, muted));
            }
        }
        let first = usize::from(area.height).saturating_sub(lines.len() + 1);
        for (line, row) in lines.iter().zip(area.rows().skip(first)) {
            buffer.set_line(row.x + 1, row.y, line, room as u16);
        }
    }

    /// `~/src/retry · main · local/test-model`
    fn place_line(&self, cx: &ViewCx<'_>, room: usize) -> String {
        let environment = &cx.appearance.terminal_environment;
        let directory = path_words(&self.directory, environment.home.as_deref());
        let branch = self.surroundings.branch.as_deref();
        let model = Some(self.facts.model.as_str()).filter(|model| !model.is_empty());
        let rest: Vec<_> = branch.into_iter().chain(model).map(sanitize_line).collect();
        let rest: String = rest
            .iter()
            .flat_map(|part| [" ", environment.symbols.dot(), " ", part])
            .collect();
        let directory = sanitize_line(&directory);
        let directory = truncate_start(&directory, room.saturating_sub(str_width(&rest)).max(room / 3));
        format!("{directory}{rest}")
    }

    /// Returns what the model was told, and the ways to begin a session, as far as they have a key. The hint row names what
    /// the composer takes.
    fn rows(&self, cx: &ViewCx<'_>) -> Vec<Row> {
        let symbols = cx.appearance.terminal_environment.symbols;
        let label = |action| key_name(cx.keymap.label(Context::Global, action), symbols).to_owned();
        let earlier = match &self.surroundings.newest {
            Some(newest) => {
                let idle = u64::try_from(cx.unix - newest.updated).unwrap_or(0);
                let age = age(Duration::from_millis(idle));
                format!("{} {} {age}", sanitize_line(&newest.title), symbols.dot())
            }
            None => "earlier sessions".to_owned(),
        };
        let keys = [
            (cx.keymap.after_leader(Action::OpenList(&SESSIONS)), earlier),
            (
                cx.keymap.after_leader(Action::OpenList(&MODELS)),
                "change the model".to_owned(),
            ),
            (label(Action::CycleMode), "permission mode".to_owned()),
            (
                label(Action::OpenList(&ACTIONS)),
                "every action, by name".to_owned(),
            ),
        ];
        let keys = keys.into_iter().filter(|(key, _)| !key.is_empty());
        self.instruction_row(symbols).into_iter().chain(keys).collect()
    }

    /// The instruction files, with their estimated tokens.
    fn instruction_row(&self, symbols: Symbols) -> Option<Row> {
        let files = self.surroundings.instructions.iter();
        let words: Vec<_> = files
            .map(|file| format!("{} {} tokens", sanitize_line(&file.path), tokens(file.tokens)))
            .collect();
        let row = || {
            let words = words.join(&format!(" {} ", symbols.dot()));
            ("instructions".to_owned(), words)
        };
        (!words.is_empty()).then(row)
    }

    /// Stands where a conversation will, once that takes so long that it has to be explained.
    pub(super) fn draw_opening(since: Instant, area: Rect, buffer: &mut Buffer, cx: &ViewCx<'_>) {
        if cx.now < since + OPENING || cx.is_asking() {
            return;
        }
        let y = area.bottom().saturating_sub(2).max(area.y);
        let room = usize::from(area.width).saturating_sub(2);
        let muted = cx.appearance.theme.style(Meaning::TextMuted);
        buffer.set_stringn(area.x + 1, y, "opening the session", room, muted);
    }
}
