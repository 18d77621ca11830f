//! The leader's table: what may follow it, in columns at the bottom, until a key comes.
//!
//! It is whole at every size: where its sentences do not fit it says the same in a word each. Only keys that a person has
//! put there may be too many for that; then words are cut.

use std::time::{Duration, Instant};

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Clear, Widget};

use crate::text::width::{ELLIPSIS, str_width, truncate};
use crate::tui::area::last_rows;
use crate::tui::keymap::{Action, Context, Keymap, key_name};
use crate::tui::layer::{Layer, LayerCx, LayerReply, LayerRequest};
use crate::tui::statusbar::Hints;
use crate::view::Look;
use crate::view::theme::Meaning;

/// Delay before the table appears; keys are read at once.
const DELAY: Duration = Duration::from_millis(400);

/// Between columns, and between a key and what it does: as wide as there is room for.
const GAPS: [[usize; 2]; 3] = [[3, 2], [2, 1], [1, 1]];

/// The layer that waits for the key after the leader.
pub(crate) struct LeaderTable {
    appears: Instant,
}

impl LeaderTable {
    pub(crate) fn new(now: Instant) -> Self {
        Self { appears: now + DELAY }
    }

    /// Returns the moment at which it appears, if it has not yet.
    pub(crate) fn deadline(&self, now: Instant) -> Option<Instant> {
        Some(self.appears).filter(|at| *at > now)
    }
}

impl Layer for LeaderTable {
    fn context(&self) -> Context {
        Context::Leader
    }

    fn act(&mut self, action: Action) -> LayerReply {
        LayerReply::Close(Some(LayerRequest::Perform(action)))
    }

    fn on_unknown_key(&mut self, _keymap: &Keymap) -> LayerReply {
        LayerReply::Close(None)
    }

    /// A paste is no key.
    fn paste(&mut self, _text: &str) -> LayerReply {
        LayerReply::Ignored
    }

    fn takes_mouse(&self) -> bool {
        false
    }

    fn is_seen(&self, now: Instant) -> bool {
        self.appears <= now
    }

    fn hints(&self, hints: &mut Hints<'_>, keymap: &Keymap) {
        hints.say("press a listed key", Meaning::TextMuted);
        hints.key(keymap.label(Context::Global, Action::Escape), "back");
    }

    fn draw(&mut self, area: Rect, buffer: &mut Buffer, cx: &LayerCx<'_>) -> Option<Position> {
        draw_table(area, buffer, cx);
        None
    }
}

/// Returns true if a key of tasks means something now.
fn is_offered(action: Action, cx: &LayerCx<'_>) -> bool {
    match action {
        Action::ToBackground => !cx.tasks.is_empty(),
        Action::ParentTask | Action::PreviousTask | Action::NextTask => {
            cx.session.is_some_and(|session| cx.tasks.get(session).is_some())
        }
        _ => true,
    }
}

/// Draws what may follow the leader, at the bottom of `area`.
fn draw_table(area: Rect, buffer: &mut Buffer, cx: &LayerCx<'_>) {
    let LayerCx { keymap, look, .. } = *cx;
    let entries = |is_brief: bool| -> Vec<LeaderEntry<'_>> {
        let bindings = keymap.bindings(Context::Leader);
        let bindings = bindings.filter(|binding| is_offered(binding.action, cx));
        let shown = bindings.filter_map(|binding| {
            let brief = binding.brief.filter(|_| is_brief);
            Some(LeaderEntry {
                key: key_name(keymap.key_label(binding)?, look.symbols),
                words: brief.unwrap_or(binding.description),
            })
        });
        shown.collect()
    };
    let (width, height) = (usize::from(area.width), usize::from(area.height));
    let grid = Grid::new(&entries, width.saturating_sub(2), height.saturating_sub(1).max(1));
    let height = u16::try_from(grid.rows + 1).unwrap_or(area.height);
    let table = last_rows(area, height);
    Clear.render(table, buffer);
    let mut rows = table.rows();
    if let Some(row) = rows.next() {
        buffer.set_line(row.x, row.y, &title(keymap, look, row.width), row.width);
    }
    for (index, row) in rows.enumerate() {
        buffer.set_line(row.x, row.y, &grid.line(index, look), row.width);
    }
}

/// A rule that says what was pressed and how to take it back.
fn title(keymap: &Keymap, look: Look<'_>, width: u16) -> Line<'static> {
    let rule = look.symbols.rule();
    let leader = keymap.label(Context::Global, Action::Leader);
    let escape = keymap.label(Context::Global, Action::Escape);
    let (before, back) = (rule.repeat(2), format!(" {escape} back "));
    let used = str_width(leader) + str_width(&back) + 6;
    let between = rule.repeat(usize::from(width).saturating_sub(used));
    let (muted, accent) = (
        look.theme.style(Meaning::TextMuted),
        look.theme.style(Meaning::Accent),
    );
    Line::from(vec![
        Span::styled(before.clone(), muted),
        Span::styled(format!(" {leader} "), accent),
        Span::styled(between, muted),
        Span::styled(back, muted),
        Span::styled(before, muted),
    ])
}

#[derive(Debug, Clone, Copy)]
struct LeaderEntry<'a> {
    key: &'a str,
    words: &'a str,
}

/// How the entries stand: down first, then across.
struct Grid<'a> {
    entries: Vec<LeaderEntry<'a>>,
    rows: usize,
    columns: Vec<Column>,
    gap: usize,
    key_gap: usize,
}

/// How wide its keys and its words are at the most.
#[derive(Debug, Clone, Copy)]
struct Column {
    key: usize,
    words: usize,
}

impl<'a> Grid<'a> {
    /// Fits the entries, which come in sentences or in a word each, into so many columns and rows of text.
    fn new(entries: &dyn Fn(bool) -> Vec<LeaderEntry<'a>>, width: usize, height: usize) -> Self {
        let (whole, brief) = (entries(false), entries(true));
        let least = whole.len().div_ceil(height).max(1);
        let most = (least..=whole.len()).rev();
        let fits = |grid: &Self| grid.width() <= width;
        let in_sentences = most.map(|columns| Self::of(&whole, columns, GAPS[0])).find(fits);
        let in_words = || GAPS.iter().map(|gaps| Self::of(&brief, least, *gaps)).find(fits);
        in_sentences
            .or_else(in_words)
            .unwrap_or_else(|| Self::of(&brief, least, GAPS[2]).cut(width))
    }

    fn of(entries: &[LeaderEntry<'a>], columns: usize, [gap, key_gap]: [usize; 2]) -> Self {
        let rows = entries.len().div_ceil(columns).max(1);
        let widest = |widths: &mut dyn Iterator<Item = usize>| widths.max().unwrap_or(0);
        let columns = entries.chunks(rows).map(|entries| Column {
            key: widest(&mut entries.iter().map(|entry| str_width(entry.key))),
            words: widest(&mut entries.iter().map(|entry| str_width(entry.words))),
        });
        Self {
            entries: entries.to_vec(),
            rows,
            columns: columns.collect(),
            gap,
            key_gap,
        }
    }

    fn width(&self) -> usize {
        let columns = self.columns.iter();
        let cells: usize = columns
            .map(|column| column.key + self.key_gap + column.words)
            .sum();
        cells + self.gap * self.columns.len().saturating_sub(1)
    }

    /// Takes from the widest columns what does not fit.
    fn cut(mut self, width: usize) -> Self {
        while self.width() > width {
            let widest = self.columns.iter_mut().max_by_key(|column| column.words);
            match widest.filter(|column| column.words > 1) {
                Some(column) => column.words -= 1,
                None => break,
            }
        }
        self
    }

    fn line(&self, row: usize, look: Look<'_>) -> Line<'static> {
        let mut spans = vec![Span::raw(" ")];
        for (place, column) in self.columns.iter().enumerate() {
            let Some(entry) = self.entries.get(place * self.rows + row) else {
                break;
            };
            let words = truncate(entry.words, column.words).replace(ELLIPSIS, look.symbols.ellipsis());
            let before = column.key + self.key_gap - str_width(entry.key);
            let after = column.words.saturating_sub(str_width(&words)) + self.gap;
            spans.push(Span::styled(
                entry.key.to_owned(),
                look.theme.style(Meaning::Accent),
            ));
            spans.push(Span::styled(
                format!("{}{words}{}", " ".repeat(before), " ".repeat(after)),
                look.theme.style(Meaning::Text),
            ));
        }
        Line::from(spans)
    }
}
