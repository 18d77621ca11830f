//! The rows of a question: what is asked, why, and what "always" would store; while that is put together, its patterns.

use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::draw::{DialogCx, INDENT, indented, one_line};
use super::permission::{Permission, Stage};
use super::proposal::Proposal;
use crate::permission::Row;
use crate::text::width::{pad, str_width, truncate, truncate_middle};
use crate::tui::keymap::{Action, Context};
use crate::view::theme::Meaning;

/// Rows at most; the chosen one stays in sight.
const ROWS: usize = 5;
/// Columns of a tick and the space after it.
const TICK: usize = 4;
/// With fewer columns not everything stands side by side.
const NARROW: usize = 50;
/// Between the parts of a row.
const GAP: usize = 2;
/// Fewer columns do not say why.
const LEAST_WHY: usize = 10;

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
                let shown = if is_cut {
                    count.saturating_sub(1)
                } else {
                    rows.len()
                };
                let mut lines = self.ask_rows(&rows[..shown], width, cx);
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

    /// One line for each of these rows, in columns: what is asked, why, and at the right what "always" would store.
    fn ask_rows(&self, rows: &[Row], width: usize, cx: &DialogCx<'_>) -> Vec<Line<'static>> {
        let asked = rows.iter().enumerate();
        let asked: Vec<Asked> = asked.map(|(place, row)| self.asked(place, row)).collect();
        // Where nothing can be ticked there is no column for it.
        let has_ticks = asked.iter().any(|asked| asked.tick.is_some());
        let tick = if has_ticks { TICK } else { 0 };
        let columns = Columns::of(&asked, tick, width.saturating_sub(INDENT + tick + 1));
        asked.iter().map(|asked| columns.line(asked, cx)).collect()
    }

    fn asked(&self, place: usize, row: &Row) -> Asked {
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
        let (tick, always, short) = match proposals.first().map(|proposal| proposal.is_ticked) {
            None => (None, "always: not offered".to_owned(), "not offered".to_owned()),
            Some(true) => (
                Some("[x]"),
                format!("always: {patterns}"),
                format!("always: {patterns}"),
            ),
            Some(false) => {
                let always = format!("always: off (would be {patterns})");
                (Some("[ ]"), always, format!("off: {patterns}"))
            }
        };
        let is_plain = row.key() == self.question.inquiry.tool;
        let key = if is_plain {
            String::new()
        } else {
            format!("{}: ", row.key())
        };
        Asked {
            tick,
            pattern: key + &one_line(row.pattern()),
            why: row.loss().unwrap_or_else(|| row.short_why()),
            is_harm: row.harm().is_some(),
            always,
            short,
        }
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
        let room = width.saturating_sub(INDENT + TICK + 1);
        let words = self
            .proposals
            .iter()
            .map(|proposal| self.proposal_words(proposal));
        let widest = words
            .map(|(key, pattern)| str_width(&key) + str_width(&pattern))
            .max();
        let (key, pattern) = self.proposal_words(proposal);
        let pattern = truncate_middle(&format!("{key}{pattern}"), room).into_owned();
        // What is said stands in a column, as long as that leaves it half of the room.
        let column = widest.unwrap_or(0).min(room / 2).max(str_width(&pattern));
        let gap = " ".repeat(column - str_width(&pattern) + GAP);
        let (remark, is_harm) = proposal.remark(&self.question.inquiry, cx.home);
        let remark = truncate(&remark, room.saturating_sub(column + GAP)).into_owned();
        let pattern_style: Style = theme.style(if is_chosen && self.stage == Stage::Always {
            Meaning::Selection
        } else {
            Meaning::Text
        });
        let pointer = if is_chosen { cx.look.symbols.pointer() } else { " " };
        Line::from(vec![
            Span::styled(format!(" {pointer} "), theme.style(Meaning::Accent)),
            Span::styled(tick, theme.style(Meaning::Accent)),
            Span::styled(pattern, pattern_style),
            Span::styled(format!("{gap}{remark}"), theme.style(why_meaning(is_harm))),
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

/// What one row says.
struct Asked {
    /// Nothing where "always" is not offered.
    tick: Option<&'static str>,
    pattern: String,
    why: String,
    is_harm: bool,
    always: String,
    /// The same where there is little room.
    short: String,
}

/// How many columns each part of the rows has; 0 for a part that is left out.
struct Columns {
    is_short: bool,
    /// Why it is asked is told only where something is destroyed.
    only_harm: bool,
    tick: usize,
    room: usize,
    pattern: usize,
    why: usize,
    always: usize,
}

impl Columns {
    fn of(asked: &[Asked], tick: usize, room: usize) -> Self {
        let widest = |part: fn(&Asked) -> &str| asked.iter().map(|row| str_width(part(row))).max();
        let pattern = widest(|row| &row.pattern).unwrap_or(0);
        let why = widest(|row| &row.why).unwrap_or(0);
        let long = widest(|row| &row.always).unwrap_or(0);
        let short = widest(|row| &row.short).unwrap_or(0);
        for (always, is_short) in [(long, false), (short, true)] {
            if pattern + GAP + why + GAP + always <= room {
                return Self {
                    is_short,
                    only_harm: false,
                    tick,
                    room,
                    pattern,
                    why,
                    always,
                };
            }
        }
        if room < NARROW {
            // On a narrow screen what is asked comes first, then what it destroys; the patterns are a key away.
            let harms = asked.iter().any(|row| row.is_harm);
            let kept = if harms { GAP + LEAST_WHY } else { 0 };
            let pattern = pattern.min(room.saturating_sub(kept));
            let rest = room.saturating_sub(pattern + GAP);
            let (why, always) = match harms {
                true if rest >= LEAST_WHY => (rest, 0),
                false if rest >= short => (0, short),
                _ => (0, 0),
            };
            return Self {
                is_short: true,
                only_harm: true,
                tick,
                room,
                pattern,
                why,
                always,
            };
        }
        let always = short.min(room * 2 / 5);
        let left = room - always - GAP;
        // The pattern gives way down to half of the room, so that one also sees why.
        let pattern = pattern.min((left / 2).max(left.saturating_sub(why + GAP)));
        let why = left.saturating_sub(pattern + GAP);
        Self {
            is_short: true,
            only_harm: false,
            tick,
            room,
            pattern,
            why,
            always,
        }
    }

    fn line(&self, asked: &Asked, cx: &DialogCx<'_>) -> Line<'static> {
        let theme = cx.look.theme;
        let pattern = truncate_middle(&asked.pattern, self.pattern);
        let pattern = pad(&pattern, self.pattern + GAP).into_owned();
        let why = if self.only_harm && !asked.is_harm {
            String::new()
        } else {
            truncate(&asked.why, self.why).into_owned()
        };
        let always = if self.is_short {
            &asked.short
        } else {
            &asked.always
        };
        let always = truncate(always, self.always).into_owned();
        let used = str_width(&pattern) + str_width(&why) + str_width(&always);
        let gap = " ".repeat(self.room.saturating_sub(used));
        Line::from(vec![
            Span::raw(" ".repeat(INDENT)),
            Span::styled(
                pad(asked.tick.unwrap_or_default(), self.tick).into_owned(),
                theme.style(Meaning::Accent),
            ),
            Span::styled(pattern, theme.style(Meaning::Text)),
            Span::styled(why, theme.style(why_meaning(asked.is_harm))),
            Span::styled(format!("{gap}{always}"), theme.style(Meaning::TextMuted)),
        ])
    }
}

fn why_meaning(is_harm: bool) -> Meaning {
    if is_harm {
        Meaning::Warning
    } else {
        Meaning::TextMuted
    }
}
