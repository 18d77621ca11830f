//! The rows of a question: what is asked and why; while "always" is put together, what it would store.

use ratatui::text::Line;

use super::permission::{Permission, Stage};
use super::proposal::Proposal;
use crate::permission::InquiryRow;
use crate::text::sanitize::{Revealed, reveal_line};
use crate::tui::keymap::{Action, Context};
use crate::tui::layer::LayerCx;
use crate::view::approval::{INDENT, indent};
use crate::view::card::CardPart;
use crate::view::theme::Meaning;

/// Rows that the asks have at least where there is little room; the body lists all of them then.
const ROWS: usize = 5;
/// Between the parts of a row.
const GAP: usize = 2;
/// Columns of what leads a proposal: the pointer, and the tick.
const TICK: usize = 4;

/// The rows below the body.
pub(super) struct AskRows {
    pub(super) lines: Vec<Line<'static>>,
    /// The row and the column of the pattern that is being written.
    pub(super) written: Option<(usize, usize)>,
}

impl Permission {
    /// Shares out the rows between the asks, which it returns, and the body.
    pub(super) fn share(&mut self, room: usize, width: u16, cx: &LayerCx<'_>) -> AskRows {
        let blocks = self.ask_blocks(width, cx);
        let total: usize = blocks.iter().map(Vec::len).sum();
        self.list_asks(self.is_grouped(), width, cx);
        let least = match self.stage {
            // What is ticked is what is looked at.
            Stage::Always | Stage::Pattern => room.saturating_sub(1).min(2 * ROWS),
            // Where there is little room the body has half of it, if it needs that.
            Stage::Answering | Stage::Reason | Stage::Call => ROWS.min(room / 2),
        };
        let most = room.saturating_sub(self.body.len()).max(least).max(1);
        let is_cut = total > most;
        self.list_asks(is_cut || self.is_grouped(), width, cx);
        let asks = if is_cut {
            self.cut(blocks, most, width, cx)
        } else {
            self.written_in(&blocks, 0)
        };
        self.body.height = match self.stage {
            Stage::Call => room.saturating_sub(asks.lines.len()),
            _ => self.body.len().min(room.saturating_sub(asks.lines.len())),
        };
        asks
    }

    /// Returns true if a row stands for several asks, which the body lists then.
    pub(super) fn is_grouped(&self) -> bool {
        self.ask_texts().len() < self.question.about.rows.len()
    }

    /// Returns the number of rows in which all of them stand whole.
    pub(super) fn ask_rows(&self, width: u16, cx: &LayerCx<'_>) -> usize {
        self.ask_blocks(width, cx).iter().map(Vec::len).sum()
    }

    /// Returns the asks that are one row, each with the rows it takes.
    pub(super) fn ask_blocks(&self, width: u16, cx: &LayerCx<'_>) -> Vec<Vec<Line<'static>>> {
        let width = usize::from(width);
        match self.stage {
            // The explanation has all of them.
            Stage::Answering if self.explains => Vec::new(),
            Stage::Answering | Stage::Reason | Stage::Call => {
                let asked = self.ask_texts();
                let room = width.saturating_sub(INDENT + 1).max(1);
                let widest = asked.iter().map(|asked| asked.what.width()).max().unwrap_or(0);
                let whys = asked.iter().map(|asked| asked.why.width()).max().unwrap_or(0);
                let column = (widest + GAP + whys <= room).then_some(widest + GAP);
                if let [only] = asked.as_slice()
                    && column.is_none()
                    && self.is_in_body(only)
                {
                    let why = cx.text(&only.why, only.why_meaning());
                    return vec![why.indented(width)];
                }
                let asked = asked.iter();
                asked.map(|asked| asked.lines(column, room, cx)).collect()
            }
            Stage::Always | Stage::Pattern => {
                let proposals = self.proposals.iter().enumerate();
                proposals
                    .map(|(place, proposal)| self.proposal_lines(place, proposal, width, cx))
                    .collect()
            }
        }
    }

    /// Returns true if the body is what is asked, to the letter.
    fn is_in_body(&self, asked: &AskText) -> bool {
        let card = &self.question.about.card;
        let text = match card.body.first() {
            Some(CardPart::Code(code)) => &code.text,
            _ => &card.argument,
        };
        [text.as_str(), text.trim()]
            .iter()
            .any(|text| reveal_line(text) == asked.what)
    }

    /// Returns as many of the asks as fit, and how many more there are. While "always" is put together the chosen one stays
    /// in sight.
    fn cut(&self, blocks: Vec<Vec<Line<'static>>>, most: usize, width: u16, cx: &LayerCx<'_>) -> AskRows {
        let count = blocks.len();
        let room = most.saturating_sub(1);
        let chosen = match self.stage {
            Stage::Always | Stage::Pattern => self.row,
            Stage::Answering | Stage::Reason | Stage::Call => 0,
        };
        let fits =
            |first: usize, last: usize| blocks[first..=last].iter().map(Vec::len).sum::<usize>() <= room;
        let first = (0..=chosen).find(|first| fits(*first, chosen)).unwrap_or(chosen);
        let mut shown: Vec<_> = blocks.into_iter().skip(first).collect();
        let mut rows = 0;
        shown.retain(|block| {
            rows += block.len();
            rows <= room
        });
        if shown.is_empty() && matches!(self.stage, Stage::Always | Stage::Pattern) {
            shown.push(self.ask_blocks(width, cx).swap_remove(chosen));
            shown[0].truncate(room.max(1));
        }
        let left = count - shown.len();
        let dots = Revealed::own(cx.look.symbols.ellipsis()).and(" ");
        let text = match self.stage {
            Stage::Always | Stage::Pattern => dots.and(self.row + 1).and(" of ").and(count),
            Stage::Answering | Stage::Reason | Stage::Call => {
                let harms = self
                    .ask_texts()
                    .iter()
                    .skip(shown.len())
                    .filter(|asked| asked.is_harm)
                    .count();
                let more = dots.and(left).and(" more asks");
                let more = if harms > 0 {
                    more.and(", ").and(harms).and(" destroy")
                } else {
                    more
                };
                more.and(cx.dot()).and(cx.key(Context::Global, Action::PageDown))
            }
        };
        let mut asks = self.written_in(&shown, first);
        asks.lines
            .extend(cx.text(text, Meaning::TextMuted).indented(usize::from(width)));
        asks
    }

    /// Finds the pattern that is being written among rows that begin with a proposal.
    fn written_in(&self, blocks: &[Vec<Line<'static>>], first: usize) -> AskRows {
        let before = blocks.iter().take(self.row.saturating_sub(first));
        let row = before.map(Vec::len).sum();
        let column = self
            .proposals
            .get(self.row)
            .map(|proposal| self.key_before(proposal).width());
        let written = column.filter(|_| self.stage == Stage::Pattern);
        AskRows {
            lines: blocks.concat(),
            written: written.map(|column| (row, INDENT + TICK + column)),
        }
    }

    /// Returns what is asked; equal asks are one.
    fn ask_texts(&self) -> Vec<AskText> {
        let mut groups: Vec<(AskText, Vec<&InquiryRow>)> = Vec::new();
        for row in &self.question.about.rows {
            let asked = AskText::of(row);
            let group = groups
                .iter_mut()
                .find(|(known, rows)| known.is_like(&asked) && are_equal(rows[0], row));
            match group {
                Some((_, rows)) => rows.push(row),
                None => groups.push((asked, vec![row])),
            }
        }
        let tool = &self.question.about.tool;
        let groups = groups.into_iter().map(|(asked, rows)| asked.of_all(&rows, tool));
        groups.collect()
    }

    fn proposal_lines(
        &self,
        place: usize,
        proposal: &Proposal,
        width: usize,
        cx: &LayerCx<'_>,
    ) -> Vec<Line<'static>> {
        let is_chosen = place == self.row;
        let tick = if proposal.is_ticked { "[x] " } else { "[ ] " };
        let pointer = if is_chosen { cx.look.symbols.pointer() } else { " " };
        let lead = cx
            .text(" ", Meaning::Accent)
            .and(pointer, Meaning::Accent)
            .and(" ", Meaning::Accent)
            .and(tick, Meaning::Accent);
        let meaning = if is_chosen && self.stage == Stage::Always {
            Meaning::Selection
        } else {
            Meaning::Text
        };
        let (remark, is_harm) = proposal.remark(&self.question.about, cx.home());
        let words = proposal.in_words(self.scope);
        let remark = reveal_line(&remark);
        let column = self.proposal_column(width, cx);
        let named = self.proposal_name(proposal).width();
        let gap = column.map_or(GAP, |column| column - named);
        let text = lead
            .and(self.key_before(proposal), Meaning::TextMuted)
            .and(reveal_line(&proposal.pattern), meaning)
            .gap(gap);
        let text = match () {
            () if is_chosen && self.stage == Stage::Pattern => text,
            () if remark.is_empty() => text.and(words, Meaning::TextMuted),
            () if is_harm => text
                .and(words.and(cx.dot()), Meaning::TextMuted)
                .and(remark, why_meaning(is_harm)),
            // A pattern that misses the call says that alone.
            () => text.and(remark, why_meaning(is_harm)),
        };
        text.rows(width.saturating_sub(1), INDENT + TICK)
    }

    /// Returns the key and the pattern of a proposal, as its row begins.
    fn proposal_name(&self, proposal: &Proposal) -> Revealed {
        self.key_before(proposal).and(reveal_line(&proposal.pattern))
    }

    /// Returns the column at which the words of all proposals begin, where all of them have room there.
    fn proposal_column(&self, width: usize, cx: &LayerCx<'_>) -> Option<usize> {
        let names = self.proposals.iter().map(|each| self.proposal_name(each).width());
        let words = self.proposals.iter().map(|each| {
            let (remark, _) = each.remark(&self.question.about, cx.home());
            let words = each.in_words(self.scope).and(cx.dot());
            words.and(reveal_line(&remark)).width()
        });
        let column = names.max()? + GAP;
        (INDENT + TICK + column + words.max()? < width).then_some(column)
    }

    /// The key before a pattern, unless that goes without saying.
    fn key_before(&self, proposal: &Proposal) -> Revealed {
        key_before(proposal.key.as_str(), &self.question.about.tool)
    }
}

/// The texts of one row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct AskText {
    what: Revealed,
    pub(super) why: Revealed,
    is_harm: bool,
}

impl AskText {
    pub(super) fn of(row: &InquiryRow) -> Self {
        Self {
            what: reveal_line(row.pattern()),
            why: reveal_line(&row.loss().unwrap_or_else(|| row.short_why())),
            is_harm: row.harm().is_some(),
        }
    }

    pub(super) fn why_meaning(&self) -> Meaning {
        why_meaning(self.is_harm)
    }

    /// Returns true if another one is asked for the same reason.
    fn is_like(&self, other: &Self) -> bool {
        self.why == other.why && self.is_harm == other.is_harm
    }

    /// Names what all of these rows ask: one by its pattern, more by their number and the first.
    fn of_all(self, rows: &[&InquiryRow], tool: &str) -> Self {
        let key = rows.first().map_or("", |row| row.key().as_str());
        let what = match rows {
            [] | [_] => key_before(key, tool).and(&self.what),
            _ => key_before(key, tool)
                .and(rows.len())
                .and(noun(key))
                .and(": ")
                .and(&self.what)
                .and(" …"),
        };
        Self { what, ..self }
    }

    /// Lays it out in columns where all rows have room for them, else one behind the other.
    fn lines(&self, column: Option<usize>, room: usize, cx: &LayerCx<'_>) -> Vec<Line<'static>> {
        let what = cx.text(&self.what, Meaning::Text);
        let gap = column.map_or(GAP, |column| column - self.what.width());
        let text = what.gap(gap).and(&self.why, self.why_meaning());
        text.rows(room, GAP).into_iter().map(indent).collect()
    }
}

/// Returns true if these ask the same thing of different objects.
fn are_equal(one: &InquiryRow, other: &InquiryRow) -> bool {
    let is_path = |key: &str| matches!(key, "edit" | "read" | "protected" | "external_directory");
    one.key() == other.key() && (one.ask.always == other.ask.always || is_path(one.key().as_str()))
}

fn noun(key: &str) -> &'static str {
    match key {
        "edit" | "read" | "protected" => " files",
        "external_directory" => " directories",
        "bash" => " commands",
        "webfetch" => " addresses",
        _ => " asks",
    }
}

fn key_before(key: &str, tool: &str) -> Revealed {
    if key == tool {
        Revealed::default()
    } else {
        reveal_line(key).and(": ")
    }
}

fn why_meaning(is_harm: bool) -> Meaning {
    if is_harm {
        Meaning::Warning
    } else {
        Meaning::TextMuted
    }
}
