//! Draws the pane: a row that names the terminals, and below it one screen or a grid of them.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Clear, Widget};

use super::draw_screen::draw_screen;
use super::{TerminalPane, TerminalPlace};
use crate::conversation::{TerminalInput, TerminalOwner, TerminalRow, TerminalStatus, Typist};
use crate::text::sanitize::sanitize_line;
use crate::text::width::{str_width, truncate};
use crate::tui::area::below;
use crate::tui::layer::LayerCx;
use crate::tui::tile_grid::{Grid, tiles_on_page};
use crate::view::theme::Meaning;
use crate::view::{Look, Symbols};

/// Columns of a name in the row of names.
const NAME: usize = 16;

impl TerminalPane {
    pub(super) fn draw_pane(
        &mut self,
        area: Rect,
        buffer: &mut Buffer,
        cx: &LayerCx<'_>,
    ) -> Option<Position> {
        Clear.render(area, buffer);
        self.area = area;
        self.places = self.lay_out(area);
        self.draw_heading(Rect { height: 1, ..area }, buffer, cx.look);
        if self.rows.is_empty() {
            draw_nothing(area, buffer, cx.look);
            self.release();
            return None;
        }
        if let [only] = self.places.as_slice() {
            let TerminalPlace { name, screen, .. } = only.clone();
            self.fit(&name, screen);
        } else {
            self.release();
        }
        let mut cursor = None;
        for place in &self.places {
            if place.tile != place.screen {
                self.draw_tile_heading(place, buffer, cx.look);
            }
            let Some(screen) = self.screens.get(&place.name) else {
                continue;
            };
            let has_keys = self.chosen.as_ref() == Some(&place.name);
            let at = draw_screen(screen, place.screen, has_keys, buffer, cx.look);
            if has_keys {
                cursor = at;
            }
        }
        cursor.filter(|_| self.chosen_row().is_some_and(|row| row.status.is_running()))
    }

    /// Returns where each screen stands: one in the whole area, or the page of the grid that has the chosen one.
    fn lay_out(&self, area: Rect) -> Vec<TerminalPlace> {
        let body = below(area, 1);
        let Some(chosen) = self.chosen_place() else {
            return Vec::new();
        };
        let alone = |place: usize| TerminalPlace {
            name: self.rows[place].name.clone(),
            tile: body,
            screen: body,
        };
        let on_page = tiles_on_page(self.rows.len(), body);
        if !self.is_grid || self.rows.len() == 1 || on_page == 1 {
            return vec![alone(chosen)];
        }
        let first = chosen / on_page * on_page;
        let names = self.rows.iter().skip(first).take(on_page);
        let grid = Grid::new(names.len(), body);
        let places = names.zip(&grid.tiles).map(|(row, tile)| TerminalPlace {
            name: row.name.clone(),
            tile: *tile,
            screen: below(*tile, 1),
        });
        places.collect()
    }

    /// `1 dev   2 tests ?   3 own 1 ✓` and, on the right, how the chosen one stands.
    fn draw_heading(&self, area: Rect, buffer: &mut Buffer, look: Look<'_>) {
        let tabs = self.tabs(look.symbols);
        let mut left = vec![Span::styled(" Terminals", look.style(Meaning::TextStrong))];
        for (place, tab) in tabs.iter().enumerate() {
            left.push(Span::raw("  "));
            let is_chosen = self.chosen_place() == Some(place);
            left.push(Span::styled(
                tab.clone(),
                tab_style(&self.rows[place], is_chosen, look),
            ));
        }
        let left = Line::from(left);
        let taken = left.width();
        buffer.set_line(area.x, area.y, &left, area.width);
        let Some(row) = self.chosen_row() else { return };
        let facts = self.facts(row);
        let room = usize::from(area.width).saturating_sub(taken + 3);
        let mut kept = facts.len();
        let dot = format!(" {} ", look.symbols.dot());
        while kept > 1 && str_width(&facts[..kept].join(&dot)) > room {
            kept -= 1;
        }
        let text = facts[..kept].join(&dot);
        let text = truncate(&text, room).replace('…', look.symbols.ellipsis());
        let columns = u16::try_from(str_width(&text)).unwrap_or(u16::MAX);
        if columns > 0 {
            let x = area.right().saturating_sub(columns + 1);
            buffer.set_string(x, area.y, text, look.style(Meaning::TextMuted));
        }
    }

    /// Returns the place of the terminal whose name stands in a column of the heading.
    pub(super) fn tab_at(&self, column: u16) -> Option<usize> {
        let mut x = usize::from(self.area.x) + str_width(" Terminals");
        // Marks are as wide in ASCII.
        for (place, tab) in self.tabs(Symbols::Unicode).iter().enumerate() {
            let end = x + 2 + str_width(tab);
            if (x..end).contains(&usize::from(column)) {
                return Some(place);
            }
            x = end;
        }
        None
    }

    fn tabs(&self, symbols: Symbols) -> Vec<String> {
        let tab = |(place, row): (usize, &TerminalRow)| {
            let name = sanitize_line(&row.name);
            let mark = mark(row, symbols);
            let gap = if mark.is_empty() { "" } else { " " };
            format!("{} {}{gap}{mark}", place + 1, truncate(&name, NAME))
        };
        self.rows.iter().enumerate().map(tab).collect()
    }

    /// Returns the facts beside the name of a terminal, the most important first.
    fn facts(&self, row: &TerminalRow) -> Vec<String> {
        let mut facts = Vec::new();
        match (row.status, row.waits_for) {
            (TerminalStatus::Running, Some(TerminalInput::Hidden)) => facts.push("hidden input".to_owned()),
            (TerminalStatus::Running, Some(TerminalInput::Line)) => {
                facts.push("waiting for input".to_owned());
            }
            (TerminalStatus::Running, None) => {}
            (ended, _) => facts.push(ended.words()),
        }
        match (row.owner, row.is_exclusive) {
            (TerminalOwner::Person, _) => facts.push("your own".to_owned()),
            (TerminalOwner::Shared, true) => facts.push("in your control".to_owned()),
            (TerminalOwner::Shared, false) => {}
        }
        match row.typed_by {
            Some(Typist::Agent) => facts.push("the agent typed last".to_owned()),
            Some(Typist::Person) => facts.push("you typed last".to_owned()),
            None => {}
        }
        facts.push(sanitize_line(row.title.as_ref().unwrap_or(&row.command)).into_owned());
        if let Some(screen) = self.screens.get(&row.name) {
            facts.push(format!("{}x{}", screen.size.cols, screen.size.rows));
        }
        facts
    }

    fn draw_tile_heading(&self, place: &TerminalPlace, buffer: &mut Buffer, look: Look<'_>) {
        let Some(number) = self.rows.iter().position(|row| row.name == place.name) else {
            return;
        };
        let row = &self.rows[number];
        let is_chosen = self.chosen.as_ref() == Some(&place.name);
        let tab = self.tabs(look.symbols).swap_remove(number);
        let dot = format!(" {} ", look.symbols.dot());
        let facts = self.facts(row).join(&dot);
        let width = usize::from(place.tile.width);
        let taken = str_width(&tab) + 2;
        let facts = truncate(&facts, width.saturating_sub(taken)).replace('…', look.symbols.ellipsis());
        let rule = look.symbols.rule();
        let fill = width.saturating_sub(taken + str_width(&facts) + 1);
        let line = Line::from(vec![
            Span::styled(rule, look.style(Meaning::Rule)),
            Span::styled(tab, tab_style(row, is_chosen, look)),
            Span::raw(" "),
            Span::styled(facts, look.style(Meaning::TextMuted)),
            Span::styled(format!(" {}", rule.repeat(fill)), look.style(Meaning::Rule)),
        ]);
        buffer.set_line(place.tile.x, place.tile.y, &line, place.tile.width);
        if place.tile.right() < buffer.area.right() {
            for y in place.tile.y..place.tile.bottom() {
                let style = look.style(Meaning::Rule);
                buffer.set_string(place.tile.right(), y, look.symbols.divider(), style);
            }
        }
    }
}

/// The mark behind a name: nothing while a program just runs.
fn mark(row: &TerminalRow, symbols: Symbols) -> &'static str {
    let (unicode, ascii) = match (row.status, row.waits_for) {
        (TerminalStatus::Running, Some(_)) => ("?", "?"),
        (TerminalStatus::Running, None) => ("", ""),
        (TerminalStatus::Exited(0), _) => ("✓", "+"),
        _ => ("✗", "x"),
    };
    symbols.pick(unicode, ascii)
}

fn tab_style(row: &TerminalRow, is_chosen: bool, look: Look<'_>) -> Style {
    let style = match (row.waits_for, row.status.is_running()) {
        (Some(_), true) => look.style(Meaning::StateAsking),
        (None, true) => look.style(Meaning::Text),
        (_, false) => look.style(Meaning::TextMuted),
    };
    if is_chosen {
        look.style(Meaning::Accent)
            .patch(style)
            .add_modifier(Modifier::BOLD | Modifier::REVERSED)
    } else {
        style
    }
}

fn draw_nothing(area: Rect, buffer: &mut Buffer, look: Look<'_>) {
    let sentences = [
        "No terminal runs.",
        "Agents start them with interactive_bash; c starts your own.",
    ];
    let rows = Rect {
        x: area.x + 2,
        y: area.y + 2,
        width: area.width.saturating_sub(4),
        height: area.height.saturating_sub(3),
    };
    for (row, sentence) in rows.rows().zip(sentences) {
        let text = truncate(sentence, row.width.into()).replace('…', look.symbols.ellipsis());
        buffer.set_string(row.x, row.y, text, look.style(Meaning::TextMuted));
    }
}
