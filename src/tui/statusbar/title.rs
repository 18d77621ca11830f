//! The title row: session on the left; model, agent, mode, context and cost on the right.
//!
//! Where it gets narrow, the cost goes first, then the agent, then the model, then the context, then how many other sessions
//! want something; the mode and what waits for an answer never do.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::Span;

use crate::permission::Mode;
use crate::session::{ContextReport, ContextReportKind, PLAN, RequestUsage, SessionInfo};
use crate::text::count::plural;
use crate::text::sanitize::sanitize_line;
use crate::text::width::{str_width, truncate};
use crate::view::Symbols;
use crate::view::theme::{Meaning, Theme};

/// Columns that the session's title keeps while the right side has something to give up.
const TITLE_COLUMNS: usize = 16;
/// Between the two sides.
const GAP: usize = 2;

/// The facts in the row.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct SessionFacts {
    pub(crate) title: String,
    /// `provider/model`.
    pub(crate) model: String,
    pub(crate) agent: String,
    pub(crate) mode: Mode,
    pub(crate) is_demo: bool,
    /// A stored rule allows every edit, so that mode `ask` does not ask before one.
    pub(crate) allows_edits: bool,
    /// Another process holds the session.
    pub(crate) is_read_only: bool,
    pub(crate) context_used: u64,
    pub(crate) context_limit: Option<u64>,
    /// US dollars; `None` while a price is unknown.
    pub(crate) cost: Option<f64>,
    /// Questions that were put off.
    pub(crate) asks: usize,
    /// Terminals of its tree whose programs wait for input.
    pub(crate) waiting_terminals: usize,
}

impl SessionFacts {
    pub(crate) fn set_info(&mut self, info: &SessionInfo) {
        self.title.clone_from(&info.title);
        self.model = info.model.to_string();
        self.agent.clone_from(&info.agent);
        self.mode = info.mode;
        self.allows_edits = info.allows_edits;
        self.context_used = info.context_used;
        self.context_limit = info.context_limit;
        self.cost = info.cost;
        self.is_read_only = info.read_only.is_some();
        self.is_demo |= info.demo;
    }

    pub(crate) fn pay(&mut self, request: &RequestUsage) {
        self.context_used = request.context_used.unwrap_or(self.context_used);
        self.cost = self.cost.zip(request.cost).map(|(sum, cost)| sum + cost);
    }

    pub(crate) fn context_changed(&mut self, report: &ContextReport) {
        if matches!(
            report.kind,
            ContextReportKind::Masked | ContextReportKind::Compacted
        ) {
            self.context_used = report.after;
        }
    }

    /// `◔ 34%`, `context 84%` where that is a warning, or tokens where the window's size is unknown.
    fn context(&self, symbols: Symbols) -> Option<String> {
        if self.context_used == 0 {
            return None;
        }
        let Some(limit) = self.context_limit.filter(|limit| *limit > 0) else {
            return Some(format!("{} tok", tokens(self.context_used)));
        };
        let percent = (self.context_used * 100 / limit).min(100);
        if percent >= NEARLY_FULL {
            return Some(format!("context {percent}%"));
        }
        Some(match symbols {
            Symbols::Unicode => {
                // The nearest quarter.
                let quarter = usize::try_from((percent + 12) / 25).unwrap_or(4);
                let sign = ["○", "◔", "◑", "◕", "●"][quarter];
                format!("{sign} {percent}%")
            }
            Symbols::Ascii => format!("{percent}%"),
        })
    }

    /// Returns true if the conversation will soon be compacted, or has to be.
    fn is_nearly_full(&self) -> bool {
        let limit = self.context_limit.filter(|limit| *limit > 0);
        limit.is_some_and(|limit| self.context_used * 100 / limit >= NEARLY_FULL)
    }

    /// The cost; where the price is unknown nothing, never zero.
    fn price(&self) -> Option<String> {
        self.cost
            .filter(|_| self.context_used > 0)
            .map(|cost| format!("${cost:.2}"))
    }
}

/// The share of the window from which on the context is a warning, in per cent.
const NEARLY_FULL: u64 = 80;

fn tokens(count: u64) -> String {
    match count {
        0..1000 => count.to_string(),
        1000..1_000_000 => format!("{}k", count / 1000),
        _ => format!("{:.1}M", count as f64 / 1e6),
    }
}

/// Counts of the sessions that want something and are not on screen.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct OtherSessionCounts {
    /// Those that are at work, ask, or have ended their turn.
    pub(crate) sessions: usize,
    pub(crate) asks: usize,
}

pub(crate) struct TitleRow<'a> {
    pub(crate) facts: &'a SessionFacts,
    /// The agents on the way down to the one of a task, its own last; empty in the conversation of a root.
    pub(crate) path: &'a [String],
    pub(crate) elsewhere: OtherSessionCounts,
    pub(crate) theme: &'a Theme,
    pub(crate) symbols: Symbols,
}

type TitlePiece = (String, Style);

impl TitleRow<'_> {
    pub(crate) fn draw(&self, area: Rect, buffer: &mut Buffer) {
        let width = usize::from(area.width).saturating_sub(2);
        let title = sanitize_line(&self.facts.title).into_owned();
        let name = self.name(width);
        let used = columns(&name);
        let wanted = if title.is_empty() {
            used
        } else {
            used + 3 + str_width(&title).min(TITLE_COLUMNS)
        };
        let most = width.saturating_sub(used + GAP);
        let right = self.right(width.saturating_sub(wanted + GAP), most);
        let right_width = columns(&right);
        let mut left = name;
        let room = width.saturating_sub(right_width + GAP);
        if !title.is_empty() && room > used + 4 {
            left.push((format!(" {} ", self.symbols.dot()), self.muted()));
            left.push((
                truncate(&title, room - used - 3).into_owned(),
                self.theme.style(Meaning::Text),
            ));
        }
        draw_line(left, area.x + 1, area, buffer);
        let start = area
            .right()
            .saturating_sub(1)
            .saturating_sub(u16::try_from(right_width).unwrap_or(u16::MAX));
        draw_line(right, start.max(area.x), area, buffer);
    }

    /// `lathe · build › explore`; where there is little room, the last agent alone.
    fn name(&self, width: usize) -> Vec<TitlePiece> {
        let mut pieces = vec![("lathe".to_owned(), self.theme.style(Meaning::Accent))];
        if self.facts.is_demo {
            pieces.push((" demo".to_owned(), self.theme.style(Meaning::Warning)));
        }
        let Some((own, above)) = self.path.split_last() else {
            return pieces;
        };
        let step = format!(" {} ", self.symbols.step());
        let above: Vec<String> = above
            .iter()
            .map(|agent| format!("{}{step}", sanitize_line(agent)))
            .collect();
        let above = above.concat();
        let own = sanitize_line(own).into_owned();
        let above = if str_width(&above) + str_width(&own) > width / 3 {
            format!("{}{step}", self.symbols.ellipsis())
        } else {
            above
        };
        pieces.push((format!(" {} {above}", self.symbols.dot()), self.muted()));
        pieces.push((own, self.theme.style(Meaning::TextStrong)));
        pieces
    }

    /// Returns what fits beside the title, and at most what fits without it.
    fn right(&self, room: usize, most: usize) -> Vec<TitlePiece> {
        let mut kept = [true; 5];
        // The title gives up its columns before the other sessions go.
        let rooms = [room, room, room, room, room.max(most)];
        for (given_up, room) in rooms.into_iter().enumerate() {
            if let Some(index) = usize::checked_sub(given_up, 1) {
                kept[index] = false;
            }
            let pieces = self.right_with(kept);
            if columns(&pieces) <= room {
                return pieces;
            }
        }
        self.right_with([false; 5])
    }

    /// `kept`: cost, agent, model, context, other sessions.
    fn right_with(&self, [cost, agent, model, context, others]: [bool; 5]) -> Vec<TitlePiece> {
        let facts = self.facts;
        let text = self.theme.style(Meaning::Text);
        let mut parts: Vec<TitlePiece> = Vec::new();
        if others && self.elsewhere.sessions > 0 {
            let count = plural(self.elsewhere.sessions, "other");
            parts.push((count, self.theme.style(Meaning::StateRunning)));
        }
        let asks = facts.asks + self.elsewhere.asks;
        if asks > 0 {
            parts.push((plural(asks, "question"), self.theme.style(Meaning::StateAsking)));
        }
        if facts.waiting_terminals > 0 {
            let count = plural(facts.waiting_terminals, "terminal");
            let verb = if facts.waiting_terminals == 1 {
                "waits"
            } else {
                "wait"
            };
            parts.push((format!("{count} {verb}"), self.theme.style(Meaning::StateAsking)));
        }
        if facts.is_read_only {
            parts.push(("read only".to_owned(), self.theme.style(Meaning::Warning)));
        }
        if model && !facts.model.is_empty() {
            parts.push((sanitize_line(&facts.model).into_owned(), text));
        }
        // Agent and mode `plan` are one thing. In a turn that runs the mode changes before the agent does.
        let plans = facts.agent == PLAN || facts.mode == Mode::Plan;
        if agent && !facts.agent.is_empty() && !plans && self.path.is_empty() {
            parts.push((sanitize_line(&facts.agent).into_owned(), text));
        }
        parts.push((
            facts.mode.name().to_owned(),
            self.theme.style(mode_meaning(facts.mode)),
        ));
        if facts.allows_edits && facts.mode == Mode::Ask {
            parts.push(("edits allowed".to_owned(), self.theme.style(Meaning::ModeAccept)));
        }
        let mut pieces = self.joined(parts);
        let is_nearly_full = facts.is_nearly_full();
        let style = if is_nearly_full {
            self.theme.style(Meaning::Warning)
        } else {
            self.muted()
        };
        let context = facts.context(self.symbols).filter(|_| context || is_nearly_full);
        let context = context.map(|context| (context, style));
        let price = facts.price().filter(|_| cost).map(|price| (price, self.muted()));
        let figure_parts: Vec<TitlePiece> = context.into_iter().chain(price).collect();
        if !figure_parts.is_empty() {
            pieces.push(("   ".to_owned(), self.muted()));
            pieces.extend(self.joined(figure_parts));
        }
        pieces
    }

    fn joined(&self, parts: Vec<TitlePiece>) -> Vec<TitlePiece> {
        let mut pieces = Vec::new();
        for part in parts {
            if !pieces.is_empty() {
                pieces.push((format!(" {} ", self.symbols.dot()), self.muted()));
            }
            pieces.push(part);
        }
        pieces
    }

    fn muted(&self) -> Style {
        self.theme.style(Meaning::TextMuted)
    }
}

/// Returns the colour of a mode.
pub(crate) fn mode_meaning(mode: Mode) -> Meaning {
    match mode {
        Mode::Ask => Meaning::ModeAsk,
        Mode::AcceptEdits => Meaning::ModeAccept,
        Mode::Plan => Meaning::ModePlan,
        Mode::Yolo => Meaning::ModeYolo,
    }
}

fn columns(pieces: &[TitlePiece]) -> usize {
    pieces.iter().map(|(text, _)| str_width(text)).sum()
}

fn draw_line(pieces: Vec<TitlePiece>, x: u16, area: Rect, buffer: &mut Buffer) {
    let spans = pieces.into_iter().map(|(text, style)| Span::styled(text, style));
    let width = area.right().saturating_sub(x);
    buffer.set_line(x, area.y, &spans.collect(), width);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts() -> SessionFacts {
        SessionFacts {
            title: "fix the flaky retry test".to_owned(),
            model: "anthropic/claude-sonnet".to_owned(),
            allows_edits: false,
            agent: "build".to_owned(),
            mode: Mode::Ask,
            is_demo: false,
            is_read_only: false,
            context_used: 68_000,
            context_limit: Some(200_000),
            cost: Some(0.42),
            asks: 0,
            waiting_terminals: 0,
        }
    }

    fn row(facts: &SessionFacts, width: u16) -> String {
        row_with(facts, OtherSessionCounts::default(), width)
    }

    fn row_with(facts: &SessionFacts, elsewhere: OtherSessionCounts, width: u16) -> String {
        let theme = Theme::default();
        let area = Rect::new(0, 0, width, 1);
        let mut buffer = Buffer::empty(area);
        TitleRow {
            facts,
            path: &[],
            elsewhere,
            theme: &theme,
            symbols: Symbols::Unicode,
        }
        .draw(area, &mut buffer);
        buffer
            .content()
            .iter()
            .map(ratatui::buffer::Cell::symbol)
            .collect::<String>()
            .trim_end()
            .to_owned()
    }

    #[test]
    fn a_wide_row_tells_everything() {
        let row = row(&facts(), 120);
        assert!(row.starts_with(" lathe · fix the flaky retry test  "), "{row}");
        assert!(
            row.ends_with("  anthropic/claude-sonnet · build · ask   ◔ 34% · $0.42"),
            "{row}"
        );
    }

    #[test]
    fn a_context_that_is_nearly_full_is_told_in_words_and_not_given_up() {
        let mut facts = facts();
        facts.context_used = 159_999;
        assert!(row(&facts, 120).ends_with("79% · $0.42"));
        facts.context_used = 160_000;
        assert!(row(&facts, 120).ends_with("context 80% · $0.42"));
        assert!(row(&facts, 40).contains("context 80%"), "{}", row(&facts, 40));
    }

    #[test]
    fn in_a_task_the_way_down_to_it_is_named_and_the_agent_once() {
        let theme = Theme::default();
        let facts = SessionFacts {
            title: "who calls backoff()".to_owned(),
            agent: "explore".to_owned(),
            ..facts()
        };
        let path = ["build", "general", "explore"].map(str::to_owned);
        let shown = |width: u16| {
            let area = Rect::new(0, 0, width, 1);
            let mut buffer = Buffer::empty(area);
            let row = TitleRow {
                facts: &facts,
                path: &path,
                elsewhere: OtherSessionCounts::default(),
                theme: &theme,
                symbols: Symbols::Unicode,
            };
            row.draw(area, &mut buffer);
            let cells = buffer.content().iter().map(ratatui::buffer::Cell::symbol);
            cells.collect::<String>()
        };
        let wide = shown(120);
        assert!(
            wide.starts_with(" lathe · build › general › explore · who calls backoff()  "),
            "{wide}"
        );
        assert!(wide.contains("  anthropic/claude-sonnet · ask   ◔"), "{wide}");
        let narrow = shown(60);
        assert!(narrow.starts_with(" lathe · … › explore · who calls"), "{narrow}");
    }

    #[test]
    fn agent_and_mode_plan_are_named_once() {
        let plan = SessionFacts {
            agent: "plan".to_owned(),
            mode: Mode::Plan,
            ..facts()
        };
        let shown = |facts: &SessionFacts| row(facts, 120);
        assert!(
            shown(&plan).contains("  anthropic/claude-sonnet · plan   ◔"),
            "{}",
            shown(&plan)
        );
        // Until the next step of a turn that runs.
        let coming = SessionFacts {
            agent: "build".to_owned(),
            ..plan.clone()
        };
        assert_eq!(shown(&coming), shown(&plan));
        let leaving = SessionFacts {
            mode: Mode::Ask,
            ..plan
        };
        assert!(
            shown(&leaving).contains("  anthropic/claude-sonnet · ask   ◔"),
            "{}",
            shown(&leaving)
        );
    }

    #[test]
    fn what_matters_least_goes_first_and_the_mode_never() {
        let mut facts = facts();
        facts.asks = 1;
        let shown = |width| row(&facts, width);
        assert!(
            shown(90).contains("1 question · anthropic/claude-sonnet · build · ask   ◔ 34%"),
            "{}",
            shown(90)
        );
        for (width, right) in [
            (
                94,
                "1 question · anthropic/claude-sonnet · build · ask   ◔ 34% · $0.42",
            ),
            (89, "1 question · anthropic/claude-sonnet · build · ask   ◔ 34%"),
            (79, "1 question · anthropic/claude-sonnet · ask   ◔ 34%"),
            (54, "1 question · ask   ◔ 34%"),
            (26, "1 question · ask"),
        ] {
            assert!(shown(width).ends_with(&format!("  {right}")), "{}", shown(width));
        }
    }

    #[test]
    fn other_sessions_are_counted_with_what_they_ask() {
        let elsewhere = OtherSessionCounts { sessions: 2, asks: 1 };
        let shown = |width| row_with(&facts(), elsewhere, width);
        assert!(
            shown(120).contains("  2 others · 1 question · anthropic/claude-sonnet · build · ask  "),
            "{}",
            shown(120)
        );
        assert!(
            shown(44).ends_with("2 others · 1 question · ask"),
            "{}",
            shown(44)
        );
        assert!(shown(24).ends_with("1 question · ask"), "{}", shown(24));
        let own = SessionFacts { asks: 1, ..facts() };
        assert!(row_with(&own, elsewhere, 120).contains("2 others · 2 questions"));
        let alone = OtherSessionCounts { sessions: 1, asks: 0 };
        assert!(row_with(&facts(), alone, 120).contains("  1 other · anthropic"));
    }

    #[test]
    fn an_unknown_price_shows_tokens_and_never_zero() {
        let row = row(
            &SessionFacts {
                cost: None,
                context_limit: None,
                ..facts()
            },
            120,
        );
        assert!(row.ends_with("ask   68k tok"), "{row}");
    }

    #[test]
    fn the_demo_is_labelled() {
        assert!(
            row(
                &SessionFacts {
                    is_demo: true,
                    ..facts()
                },
                120
            )
            .starts_with(" lathe demo · fix")
        );
    }
}
