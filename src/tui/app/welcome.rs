//! The content of a conversation that has not begun: where it will take place, and the keys to begin with.

use std::time::{Duration, Instant};

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::pickers::{ACTIONS, MODELS, SESSIONS};
use super::session_view::SessionView;
use super::view_cx::ViewCx;
use crate::text::sanitize::sanitize_line;
use crate::text::width::{str_width, truncate_start};
use crate::tui::keymap::{Action, Context, key_name};
use crate::tui::terminal_environment::path_words;
use crate::view::theme::Meaning;

/// Opening is told of after this long.
pub(super) const OPENING: Duration = Duration::from_millis(400);

/// A key and what it leads to.
type Row = (String, &'static str);

impl SessionView {
    /// Draws at the foot of the area, next to where the person writes. The keys are left out on a low screen, and where
    /// something is asked before them.
    pub(super) fn draw_welcome(&self, area: Rect, buffer: &mut Buffer, cx: &ViewCx<'_>) {
        let room = usize::from(area.width).saturating_sub(2);
        let mut rows = first_keys(cx);
        let height = u16::try_from(rows.len()).unwrap_or(u16::MAX);
        // A row for the directory, and an empty one above, between and below.
        if area.height < height.saturating_add(4) || cx.is_asking() {
            rows.clear();
        }
        let (muted, accent) = (
            cx.appearance.theme.style(Meaning::TextMuted),
            cx.appearance.theme.style(Meaning::Accent),
        );
        let column = rows.iter().map(|(key, _)| str_width(key)).max().unwrap_or(0) + 3;
        let mut y = area.bottom().saturating_sub(2).max(area.y);
        for (key, what) in rows.iter().rev() {
            buffer.set_stringn(area.x + 1, y, key, room, accent);
            let indent = u16::try_from(column).unwrap_or(u16::MAX);
            buffer.set_stringn(
                (area.x + 1).saturating_add(indent),
                y,
                what,
                room.saturating_sub(column),
                muted,
            );
            y = y.saturating_sub(1);
        }
        if !rows.is_empty() {
            y = y.saturating_sub(1);
        }
        let directory = path_words(
            &self.directory,
            cx.appearance.terminal_environment.home.as_deref(),
        );
        let directory = sanitize_line(&directory);
        buffer.set_stringn(area.x + 1, y, truncate_start(&directory, room), room, muted);
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

/// Returns the ways to begin a session, as far as they have a key. The hint row names what the composer takes.
fn first_keys(cx: &ViewCx<'_>) -> Vec<Row> {
    let symbols = cx.appearance.terminal_environment.symbols;
    let label = |action| key_name(cx.keymap.label(Context::Global, action), symbols).to_owned();
    let rows = [
        (
            cx.keymap.after_leader(Action::OpenList(&SESSIONS)),
            "earlier sessions",
        ),
        (cx.keymap.after_leader(Action::OpenList(&MODELS)), "another model"),
        (label(Action::CycleMode), "how much is asked first"),
        (label(Action::OpenList(&ACTIONS)), "everything, by name"),
    ];
    rows.into_iter().filter(|(key, _)| !key.is_empty()).collect()
}
