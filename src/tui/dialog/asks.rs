//! The rows of a question: what is asked, why, and what "always" would store; while that is put together, its patterns.

use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::draw::{DialogCx, INDENT, indented, one_line};
use super::permission::{Permission, Stage};
use super::proposal::Proposal;
use crate::permission::Row;
use crate::text::width::{str_width, truncate, truncate_middle};
use crate::tui::keymap::{Action, Context};
use crate::view::theme::Meaning;

/// Rows at most; the chosen one stays in sight.
const ROWS: usize = 5;
/// Columns of a tick and the space after it.
const TICK: usize = 4;
/// With fewer columns not everything stands side by side.
const NARROW: usize = 50;

impl Permission {
    /// How many rows there are to show at most.
    pub(super) fn ask_count(&self) -> usize {
        let count = match self.stage {
            Stage::Answering | Stage::Reason | Stage::Call => self.question.inquiry.rows.len(),
            Stage::Always | Stage::Pattern => self.proposals.len(),
        };
        count.clamp(1, ROWS)
    }

    /// Has the body list what is asked where `count` rows do not show all of it.
    pub(super) fn list_asks(&mut self, count: usize) {
        let is_answered = matches!(self.stage, Stage::Answering | Stage::Reason);
        self.lists_asks = is_answered && self.question.inquiry.rows.len() > count;
    }

    /// Draws `count` of them; says in which of these lines a pattern is being written, and from which column on.
    pub(super) fn ask_lines(
        &self,
        count: usize,
        width: u16,
        cx: &DialogCx<'_>,
    ) -> (Vec<Line<'static>>, Option<usize>) {
        let width = usize::from(width);
        match self.stage {
            Stage::Answering | Stage::Reason | Stage::Call => {
                let rows = &self.question.inquiry.rows;
                let is_cut = rows.len() > count;
                let shown =
                    rows.iter()
                        .enumerate()
                        .take(if is_cut { count.saturating_sub(1) } else { count });
                let mut lines: Vec<_> = shown
                    .map(|(place, row)| self.ask_line(place, row, width, cx))
                    .collect();
                if is_cut {
                    let text = format!(
                        "{} {} more asks {} {}",
                        cx.look.symbols.ellipsis(),
                        rows.len() - lines.len(),
                        cx.look.symbols.dot(),
                        cx.keymap.label(Context::Global, Action::PageDown)
                    );
                    lines.push(indented(text, cx.look.theme.style(Meaning::TextMuted)));
                }
                (lines, None)
            }
            Stage::Always | Stage::Pattern => {
                let is_cut = self.proposals.len() > count && count > 1;
                let room = if is_cut { count - 1 } else { count };
                let first = (self.row + 1).saturating_sub(room);
                let shown = self.proposals.iter().enumerate().skip(first).take(room);
                let mut lines: Vec<_> = shown
                    .map(|(place, proposal)| self.proposal_line(place, proposal, width, cx))
                    .collect();
                if is_cut {
                    let text = format!(
                        "{} {} of {}",
                        cx.look.symbols.ellipsis(),
                        self.row + 1,
                        self.proposals.len()
                    );
                    lines.push(indented(text, cx.look.theme.style(Meaning::TextMuted)));
                }
                let written = (self.stage == Stage::Pattern).then(|| self.row - first);
                (lines, written)
            }
        }
    }

    fn ask_line(&self, place: usize, row: &Row, width: usize, cx: &DialogCx<'_>) -> Line<'static> {
        let theme = cx.look.theme;
        let proposals: Vec<_> = self
            .proposals
            .iter()
            .filter(|proposal| proposal.is_for(place))
            .collect();
        let patterns: Vec<_> = proposals
            .iter()
            .map(|proposal| one_line(&proposal.pattern))
            .collect();
        let patterns = patterns.join(", ");
        let (tick, always) = match proposals.first().map(|proposal| proposal.is_ticked) {
            None => ("   ", "always: not offered".to_owned()),
            Some(true) => ("[x]", format!("always: {patterns}")),
            Some(false) => ("[ ]", format!("always: off (would be {patterns})")),
        };
        let room = width.saturating_sub(INDENT + TICK + 1);
        let is_plain = row.key() == self.question.inquiry.tool;
        let key = if is_plain {
            String::new()
        } else {
            format!("{}: ", row.key())
        };
        let pattern = key + &one_line(row.pattern());
        // On a narrow screen what is asked comes first; the patterns are a key away.
        let is_both = room >= NARROW || str_width(&pattern) + 2 + str_width(&always) <= room;
        let always = if is_both {
            truncate(&always, room * 2 / 5).into_owned()
        } else {
            String::new()
        };
        let left = room.saturating_sub(str_width(&always) + if is_both { 2 } else { 0 });
        let why = row.loss().unwrap_or_else(|| row.why());
        let why = format!("  {why}");
        // The pattern gives way down to half of the room, so that one also sees why.
        let beside_why = left.saturating_sub(str_width(&why));
        let is_room = str_width(&pattern) <= beside_why || beside_why >= left / 2;
        let why = if is_room { why } else { String::new() };
        let pattern = truncate_middle(&pattern, left - str_width(&why)).into_owned();
        let gap = left.saturating_sub(str_width(&pattern) + str_width(&why)) + 2;
        let why_style = theme.style(match row.harm() {
            Some(_) => Meaning::Warning,
            None => Meaning::TextMuted,
        });
        Line::from(vec![
            Span::raw(" ".repeat(INDENT)),
            Span::styled(format!("{tick} "), theme.style(Meaning::Accent)),
            Span::styled(pattern, theme.style(Meaning::Text)),
            Span::styled(why, why_style),
            Span::styled(
                format!("{}{always}", " ".repeat(gap)),
                theme.style(Meaning::TextMuted),
            ),
        ])
    }

    fn proposal_line(
        &self,
        place: usize,
        proposal: &Proposal,
        width: usize,
        cx: &DialogCx<'_>,
    ) -> Line<'static> {
        let theme = cx.look.theme;
        let is_chosen = place == self.row;
        let tick = if proposal.is_ticked { "[x] " } else { "[ ] " };
        let (key, pattern) = self.proposal_words(proposal);
        let room = width.saturating_sub(INDENT + TICK + 1);
        let pattern = truncate_middle(&format!("{key}{pattern}"), room).into_owned();
        let remark = proposal.remark(&self.question.inquiry, cx.home);
        let beside = room.saturating_sub(str_width(&pattern) + 2);
        let remark = truncate(&remark, beside).into_owned();
        let pattern_style: Style = theme.style(if is_chosen {
            Meaning::Selection
        } else {
            Meaning::Text
        });
        Line::from(vec![
            Span::raw(" ".repeat(INDENT)),
            Span::styled(tick, theme.style(Meaning::Accent)),
            Span::styled(pattern, pattern_style),
            Span::styled(format!("  {remark}"), theme.style(Meaning::TextMuted)),
        ])
    }

    /// The pattern with its key before it, unless that goes without saying.
    fn proposal_words(&self, proposal: &Proposal) -> (String, String) {
        let key = if proposal.key == self.question.inquiry.tool {
            String::new()
        } else {
            format!("{}: ", proposal.key)
        };
        (key, one_line(&proposal.pattern))
    }

    /// The columns before the pattern that is being written.
    pub(super) fn pattern_column(&self) -> usize {
        let key = self
            .proposals
            .get(self.row)
            .map(|proposal| self.proposal_words(proposal).0);
        INDENT + TICK + key.map_or(0, |key| str_width(&key))
    }
}
