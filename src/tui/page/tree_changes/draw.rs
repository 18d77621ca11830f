//! The page on screen: whose tree it is, what the service said, the files beside or above the hunks, and the question.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Clear, Widget};

use super::super::rows::{INDENT, MARGIN, changed_file, draw_listed, failure, remark, sentence};
use super::rows::ChangeRow;
use super::{KnownTree, TickCounts, TickState, TreeChangesPage};
use crate::session::host::{ChangeKind, TreeFile};
use crate::text::count::plural;
use crate::text::diff::parse_unified;
use crate::text::sanitize::{reveal_line, sanitize_line};
use crate::text::width::{str_width, truncate, truncate_middle};
use crate::tui::area::{below, top_in_sight};
use crate::tui::layer::LayerCx;
use crate::view::diff::HunkPart;
use crate::view::styled_text::{columns, draw_lines};
use crate::view::theme::Meaning;

/// Columns of a tick box, with the space after it.
const BOX: usize = 4;
/// Columns that a hunk stands further in than its file.
const STEP: usize = 2;
/// Columns of a file's row at most: the figures stand near the names, where the eye finds them.
const LISTED: usize = 76;
/// From this width on the files stand beside the hunks.
const BESIDE: u16 = 110;
/// Columns of that list at most.
const LIST_COLUMNS: u16 = 48;
/// From this height on they stand above the hunks on a narrower screen.
const ABOVE: u16 = 16;
/// Rows of that list at most.
const LIST_ROWS: u16 = 5;
/// Columns of the rule between that list and the hunks, with an empty one on either side.
const RULE: u16 = 3;
/// Rows of what the service said, at most.
const OUTCOME_ROWS: usize = 6;
/// Lines that are drawn together.
const PIECE: usize = 128;
/// Pieces that are kept.
const PIECES: usize = 64;

impl TreeChangesPage {
    pub(super) fn draw_all(&mut self, area: Rect, buffer: &mut Buffer, cx: &LayerCx<'_>) {
        Clear.render(area, buffer);
        let heading = self.heading(usize::from(area.width), cx);
        buffer.set_line(area.x, area.y, &heading, area.width);
        let mut rest = below(area, 2);
        let notices = self.notices(usize::from(area.width), cx);
        if !notices.is_empty() {
            draw_lines(&notices, rest, buffer);
            let rows = u16::try_from(notices.len() + 1).unwrap_or(u16::MAX);
            rest = below(rest, rows);
        }
        if self.rows.is_empty() {
            (self.body, self.list) = (Rect::default(), Rect::default());
            draw_lines(&self.nothing(usize::from(area.width), cx), rest, buffer);
        } else {
            self.lay_out(rest);
            self.draw_list(buffer, cx);
            if self.list.width > 0 {
                self.draw_rule(buffer, cx);
            }
            let height = usize::from(self.body.height);
            self.top = top_in_sight(self.top, self.at, self.rows.len(), height);
            self.draw_rows(buffer, cx);
        }
        self.draw_question(area, buffer, cx);
    }

    /// Shares the place out between the files and their hunks. One file needs no list.
    fn lay_out(&mut self, area: Rect) {
        (self.list, self.body) = (Rect::default(), area);
        let files = u16::try_from(self.files().len()).unwrap_or(u16::MAX);
        if files < 2 {
            return;
        }
        if area.width >= BESIDE {
            let width = LIST_COLUMNS.min(area.width / 3);
            self.list = Rect { width, ..area };
            self.body = Rect {
                x: area.x + width + RULE,
                width: area.width - width - RULE,
                ..area
            };
        } else if area.height >= ABOVE {
            let height = files.min(LIST_ROWS);
            self.list = Rect { height, ..area };
            self.body = below(area, height + 1);
        }
    }

    fn draw_rule(&self, buffer: &mut Buffer, cx: &LayerCx<'_>) {
        let (style, symbols) = (cx.look.style(Meaning::Rule), cx.look.symbols);
        if self.body.x > self.list.x {
            for row in self.list.rows() {
                buffer.set_string(row.right() + 1, row.y, symbols.divider(), style);
            }
        } else {
            let rule = symbols.rule().repeat(usize::from(self.list.width));
            buffer.set_string(self.list.x, self.list.bottom(), rule, style);
        }
    }

    /// ` Changes of helper "look around" · 1 of 3 hunks ticked · 2 files +6 −2`
    fn heading(&self, width: usize, cx: &LayerCx<'_>) -> Line<'static> {
        let files = self.files();
        let dot = format!(" {} ", cx.look.symbols.dot());
        let muted = cx.look.style(Meaning::TextMuted);
        let mut facts = Vec::new();
        if !files.is_empty() {
            let counts = self.ticks.counts(files);
            let hunks: usize = files.iter().map(|file| file.hunks.len()).sum();
            let ticked = match counts {
                TickCounts { files: 0, .. } => "nothing ticked".to_owned(),
                TickCounts {
                    hunks: ticked,
                    without_hunks: 0,
                    ..
                } => format!("{ticked} of {} ticked", plural(hunks, "hunk")),
                TickCounts { files: ticked, .. } => {
                    format!("{ticked} of {} ticked", plural(files.len(), "file"))
                }
            };
            let meaning = if counts.files == 0 {
                Meaning::TextMuted
            } else {
                Meaning::Accent
            };
            facts.push(Span::styled(format!("{dot}{ticked}"), cx.look.style(meaning)));
            let sum = |count: fn(&TreeFile) -> u64| files.iter().map(count).sum::<u64>();
            let sums = format!(
                "{dot}{} +{} {}{}",
                plural(files.len(), "file"),
                sum(|file| file.additions),
                cx.look.symbols.minus(),
                sum(|file| file.deletions)
            );
            facts.push(Span::styled(sums, muted));
        }
        let begin = " Changes of ";
        let name = reveal_line(&self.tree.name);
        while facts.len() > 1 && begin.len() + str_width(name.as_str()).min(24) + columns(&facts) > width {
            facts.pop();
        }
        let room = width.saturating_sub(begin.len() + columns(&facts));
        let name = truncate(name.as_str(), room).replace('…', cx.look.symbols.ellipsis());
        let mut spans = vec![Span::styled(
            format!("{begin}{name}"),
            cx.look.style(Meaning::TextStrong),
        )];
        spans.extend(facts);
        Line::from(spans)
    }

    /// Returns what the service said last, and what in the tree is no change of a file.
    fn notices(&self, width: usize, cx: &LayerCx<'_>) -> Vec<Line<'static>> {
        let outcome = self.outcome.iter();
        let mut lines: Vec<_> = outcome
            .flat_map(|(told, meaning)| sentence(told, INDENT, *meaning, width, cx))
            .collect();
        if lines.len() > OUTCOME_ROWS {
            let more = lines.len() - OUTCOME_ROWS + 1;
            lines.truncate(OUTCOME_ROWS - 1);
            let text = format!("   {} {more} more", cx.look.symbols.ellipsis());
            lines.push(Line::styled(text, cx.look.style(Meaning::TextMuted)));
        }
        if let KnownTree::Compared(changes) = &self.known
            && let Some(note) = &changes.note
        {
            lines.extend(remark(&format!("The tree {note}."), width, cx));
        }
        lines
    }

    /// Returns the lines in the place of changes.
    fn nothing(&self, width: usize, cx: &LayerCx<'_>) -> Vec<Line<'static>> {
        match &self.known {
            KnownTree::Unknown => remark("Comparing the work tree with its base.", width, cx),
            KnownTree::Failed(sentence) => failure(sentence, width, cx),
            KnownTree::Gone => Vec::new(),
            KnownTree::Compared(_) => remark("The work tree has no unapplied changes.", width, cx),
        }
    }

    fn draw_list(&mut self, buffer: &mut Buffer, cx: &LayerCx<'_>) {
        let current = self.file_at().unwrap_or(0);
        let height = usize::from(self.list.height);
        self.list_top = top_in_sight(self.list_top, current, self.files().len(), height);
        // As wide as the rows of the hunks, which keep a column free at their end.
        let width = usize::from(self.list.width)
            .saturating_sub(MARGIN + 1)
            .min(LISTED + BOX);
        for (row, file) in self.list.rows().zip(self.list_top..self.files().len()) {
            let meaning = if file == current {
                Meaning::TextStrong
            } else {
                Meaning::Text
            };
            let line = self.file_row(file, width, meaning, cx);
            draw_listed(&line, file == current, row, buffer, cx);
        }
    }

    fn draw_rows(&mut self, buffer: &mut Buffer, cx: &LayerCx<'_>) {
        let area = self.body;
        let width = usize::from(area.width).saturating_sub(MARGIN + 1);
        let wanted = Some((width, cx.look.key()));
        if self.drawn_for != wanted {
            self.drawn.clear();
            self.drawn_for = wanted;
        }
        for (row, place) in area.rows().zip(self.top..self.rows.len()) {
            let line = self.row(self.rows[place], width, cx);
            draw_listed(&line, place == self.at, row, buffer, cx);
        }
    }

    fn row(&mut self, row: ChangeRow, width: usize, cx: &LayerCx<'_>) -> Line<'static> {
        match row {
            ChangeRow::Blank => Line::default(),
            ChangeRow::File(file) => self.file_row(file, width.min(LISTED + BOX), Meaning::TextStrong, cx),
            ChangeRow::Note(file) => {
                let note = self.files()[file].note.clone().unwrap_or_default();
                let note = format!("{}{}", " ".repeat(BOX), sanitize_line(&note));
                Line::styled(
                    truncate(&note, width).into_owned(),
                    cx.look.style(Meaning::TextMuted),
                )
            }
            ChangeRow::Hunk { file, hunk } => self.hunk_row(file, hunk, width.min(LISTED + BOX), cx),
            ChangeRow::Line { file, hunk, line } => {
                let piece = self.piece((file, hunk, line / PIECE), width.saturating_sub(BOX), cx);
                let mut drawn = piece.get(line % PIECE).cloned().unwrap_or_default();
                drawn.spans.insert(0, Span::raw(" ".repeat(BOX)));
                drawn
            }
        }
    }

    /// `[x] src/a.rs · new        +6 −2`
    fn file_row(&self, file: usize, width: usize, meaning: Meaning, cx: &LayerCx<'_>) -> Line<'static> {
        let changed = &self.files()[file];
        let dot = cx.look.symbols.dot();
        let state = match (changed.kind, &changed.from) {
            (ChangeKind::Changed, _) => String::new(),
            (ChangeKind::Added, _) => format!(" {dot} new"),
            (ChangeKind::Removed, _) => format!(" {dot} removed"),
            (ChangeKind::Moved, None) => format!(" {dot} moved"),
            (ChangeKind::Moved, Some(from)) => format!(" {dot} was {}", reveal_line(from).as_str()),
        };
        let (conflict, meaning) = if self
            .conflicts
            .iter()
            .any(|conflict| conflict.path == changed.path)
        {
            (format!(" {dot} conflict"), Meaning::Warning)
        } else {
            (String::new(), meaning)
        };
        let (configures, meaning) = if changed.configures {
            (format!(" {dot} configures lathe"), Meaning::Warning)
        } else {
            (String::new(), meaning)
        };
        let path = reveal_line(&changed.path);
        let name = format!("{}{configures}{state}{conflict}", path.as_str());
        let mut spans = vec![tick(self.ticks.of_file(file), cx)];
        let room = width.saturating_sub(BOX);
        match (changed.additions, changed.deletions) {
            (0, 0) => {
                let name = truncate_middle(&name, room).replace('…', cx.look.symbols.ellipsis());
                spans.push(Span::styled(name, cx.look.style(meaning)));
            }
            figures => spans.extend(changed_file(&name, figures, room, meaning, cx)),
        }
        Line::from(spans)
    }

    /// `  [ ] line 41 · fn backoff()      +2 −1`
    fn hunk_row(&self, file: usize, hunk: usize, width: usize, cx: &LayerCx<'_>) -> Line<'static> {
        let (shape, changed) = (&self.shapes[file][hunk], &self.files()[file].hunks[hunk]);
        let mut name = format!("line {}", shape.start);
        if !shape.heading.is_empty() {
            let heading = reveal_line(&shape.heading);
            name = format!("{name} {} {}", cx.look.symbols.dot(), heading.as_str());
        }
        let figures = (changed.additions, changed.deletions);
        let mut spans = vec![
            Span::raw(" ".repeat(STEP)),
            tick(self.ticks.of_hunk(file, hunk), cx),
        ];
        let room = width.saturating_sub(STEP + BOX);
        spans.extend(changed_file(&name, figures, room, Meaning::TextMuted, cx));
        Line::from(spans)
    }

    /// Returns the rows of some lines of a hunk.
    fn piece(&mut self, key: (usize, usize, usize), width: usize, cx: &LayerCx<'_>) -> &[Line<'static>] {
        if !self.drawn.contains_key(&key) {
            if self.drawn.len() >= PIECES {
                self.drawn.clear();
            }
            let (file, hunk, piece) = key;
            let last_line = self.shapes[file].iter().map(|shape| shape.end).max().unwrap_or(1);
            let changed = &self.files()[file];
            let hunks = parse_unified(&changed.hunks[hunk].text);
            let rows = hunks.first().map_or_else(Vec::new, |hunk| {
                let part = HunkPart {
                    path: &changed.path,
                    hunk,
                    lines: piece * PIECE..(piece + 1) * PIECE,
                    last_line,
                };
                part.rows(width, cx.look)
            });
            self.drawn.insert(key, rows);
        }
        &self.drawn[&key]
    }
}

fn tick(state: TickState, cx: &LayerCx<'_>) -> Span<'static> {
    let meaning = match state {
        TickState::None => Meaning::TextMuted,
        TickState::Some | TickState::All => Meaning::Accent,
    };
    Span::styled(format!("{} ", state.sign()), cx.look.style(meaning))
}
