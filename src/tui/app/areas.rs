//! Layout of a frame: the areas of its parts.

use ratatui::layout::Rect;

use super::Focus;
use super::session_view::SessionView;
use super::view_cx::ViewCx;
use crate::tui::area::rows_at;
use crate::tui::dialog::Dialog;

/// From this height on the composer keeps a second row free, and a blank row parts the title from the transcript.
pub(super) const ROOMY: u16 = 20;

#[derive(Default)]
pub(super) struct Areas {
    pub(super) title: Rect,
    pub(super) transcript: Rect,
    pub(super) queue: Rect,
    pub(super) rule: Rect,
    pub(super) dialog: Rect,
    pub(super) composer: Rect,
    /// Beside all of these but the title; empty where it is not there.
    pub(super) panel: Rect,
    pub(super) hints: Rect,
}

impl SessionView {
    pub(super) fn areas(&mut self, screen: Rect, cx: &mut ViewCx<'_>) -> Areas {
        let is_full = cx.asking.as_deref().is_some_and(Dialog::is_full);
        let panel = if is_full {
            0
        } else {
            self.panel_columns(screen.width)
        };
        let area = Rect {
            width: screen.width - panel,
            ..screen
        };
        let height = area.height;
        if self.focus != Focus::Queue {
            self.queue_list.leave();
        }
        let queue = self.queue_list.rows(self.waiting().len(), height);
        // A draft stays in sight.
        let composer = if cx.asking.is_none() || !self.composer.is_empty() && !is_full {
            self.composer_rows(area)
        } else {
            0
        };
        let top = if height >= ROOMY { 2 } else { 1 };
        // The title, a row of transcript, the rule and the hints are always there.
        let rest = height.saturating_sub(top + 3 + queue + composer);
        let is_low = height < ROOMY;
        let dialog = self
            .with_asking(is_low, cx, |dialog, cx| dialog.rows(area.width, cx))
            .unwrap_or(u16::from(cx.waiting.is_some()));
        if is_full {
            return full_screen(area, composer);
        }
        // On a low screen the question needs what there is.
        let most = if is_low { rest } else { rest.min(height * 2 / 3) };
        let dialog = dialog.min(most);
        let row = |y, height| rows_at(area, y, height);
        let hints = height - 1;
        let composer_top = hints - composer;
        let dialog_top = composer_top - dialog;
        let rule = dialog_top - 1;
        let queue_top = rule - queue.min(rule.saturating_sub(top + 1));
        // What waits is no part of the conversation: where there is room, a blank row parts them.
        let is_parted = queue_top < rule && height >= ROOMY && queue_top > top + 1;
        let above = queue_top - u16::from(is_parted);
        Areas {
            title: Rect { height: 1, ..screen },
            transcript: row(top, above - top),
            queue: row(queue_top, rule - queue_top),
            rule: row(rule, 1),
            dialog: row(dialog_top, dialog),
            composer: row(composer_top, composer),
            panel: Rect {
                x: area.right(),
                y: area.y + top,
                width: panel,
                height: if panel > 0 { hints - top } else { 0 },
            },
            hints: Rect {
                width: screen.width,
                ..row(hints, 1)
            },
        }
    }

    fn composer_rows(&mut self, area: Rect) -> u16 {
        let least = if area.height >= ROOMY { 2 } else { 1 };
        let most = (area.height / 3).max(least);
        self.composer
            .rows_within(area.width.saturating_sub(2), most)
            .max(least)
    }
}

/// Nothing but the question, between the title and the hints.
fn full_screen(area: Rect, composer: u16) -> Areas {
    let row = |y, height| rows_at(area, y, height);
    let hints = area.height - 1;
    let composer_top = hints - composer;
    Areas {
        title: row(0, 1),
        transcript: row(1, 0),
        queue: row(1, 0),
        rule: row(1, 1),
        dialog: row(2, composer_top - 2),
        composer: row(composer_top, composer),
        panel: Rect::default(),
        hints: row(hints, 1),
    }
}
