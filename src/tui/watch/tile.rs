//! The first row of a tile: its number, the agent, what it does or asks, and for how long.

use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::TileConversation;
use super::task_words::{state_words, wait_words};
use crate::conversation::{TaskActivity, TaskRow};
use crate::text::sanitize::sanitize_line;
use crate::text::width::{pad, str_width, truncate};
use crate::tui::tasks::TaskMark;
use crate::tui::tasks::words::clock;
use crate::view::styled_text::columns;
use crate::view::theme::Meaning;
use crate::view::{Look, Symbols};

/// Columns in which agents' names stand, so that what they do begins below each other.
const NAME: usize = 9;
/// Under this width a name takes only the columns that it needs.
const ROOMY: usize = 48;
/// Between the parts of the row.
const GAP: usize = 2;

pub(super) struct TileHead<'a> {
    /// From 1, on its page.
    pub(super) number: usize,
    pub(super) row: &'a TaskRow,
    pub(super) mark: TaskMark,
    /// The subject of its question, in a line.
    pub(super) asks: Option<&'a str>,
    pub(super) seen: TileConversation,
    pub(super) is_chosen: bool,
}

impl TileHead<'_> {
    /// Returns the row, which fills so many columns.
    pub(super) fn line(&self, width: usize, now: i64, look: Look<'_>) -> Line<'static> {
        let style = |meaning: Meaning| look.style(meaning);
        let mut left = vec![
            Span::styled(format!(" {} ", self.number), style(Meaning::TextMuted)),
            Span::styled(self.mark.sign(look.symbols), style(self.mark.meaning())),
            Span::raw(" "),
            Span::styled(self.name(width, look.symbols), style(Meaning::TextStrong)),
            Span::raw(" ".repeat(GAP)),
        ];
        let mut right = self.right(now, look);
        if !right.is_empty() {
            right.insert(0, Span::raw(" ".repeat(GAP)));
        }
        right.push(Span::raw(" "));
        let room = width.saturating_sub(columns(&left) + columns(&right));
        let mut words = sanitize_line(&state_words(self.row, self.mark, self.asks, now)).into_owned();
        let mut waits = wait_words(self.row, self.mark, now).into_iter().flatten();
        if let Some(wait) = waits.find(|wait| str_width(&words) + str_width(wait) + 3 <= room) {
            words = format!("{words} · {wait}");
        }
        let words = truncate(&words, room).into_owned();
        let gap = room.saturating_sub(str_width(&words));
        left.push(Span::styled(words, style(self.words_meaning())));
        left.push(Span::raw(" ".repeat(gap)));
        left.extend(right);
        if self.is_chosen {
            let selection = style(Meaning::Selection);
            for span in &mut left {
                span.style = selected(span.style, selection);
            }
        }
        Line::from(left)
    }

    /// Returns all that the row says, to be compared.
    pub(super) fn text(&self, now: i64) -> String {
        let words = state_words(self.row, self.mark, self.asks, now);
        let wait = wait_words(self.row, self.mark, now);
        let Self { row, mark, seen, .. } = self;
        let changes = row.worktree.as_ref();
        let changes = changes.map(|changes| (changes.additions, changes.deletions, changes.files));
        let time = clock(row.elapsed(now));
        format!(
            "{mark:?} {} {words} {wait:?} {seen:?} {changes:?} {time}",
            row.agent
        )
    }

    fn words_meaning(&self) -> Meaning {
        match self.mark {
            TaskMark::Asking => Meaning::StateAsking,
            TaskMark::Failed => Meaning::StateFailed,
            TaskMark::Working | TaskMark::Stalled => Meaning::Text,
            TaskMark::Waiting
            | TaskMark::Queued
            | TaskMark::Done
            | TaskMark::Interrupted
            | TaskMark::Cancelled => Meaning::TextMuted,
        }
    }

    /// Returns the agent's name; of a task that another task started behind a sign for that.
    fn name(&self, width: usize, symbols: Symbols) -> String {
        let agent = sanitize_line(&self.row.agent);
        let name = match self.row.depth {
            0 | 1 => agent.into_owned(),
            _ => format!("{} {agent}", symbols.step()),
        };
        if width >= ROOMY {
            return pad(&truncate(&name, width / 3), NAME).into_owned();
        }
        truncate(&name, width / 3).into_owned()
    }

    /// Returns what stands at the right end: what came below, changed lines and the time.
    fn right(&self, now: i64, look: Look<'_>) -> Vec<Span<'static>> {
        let mut pieces: Vec<Vec<Span<'static>>> = Vec::new();
        if self.seen.queued > 0 {
            let text = format!("{} queued", self.seen.queued);
            pieces.push(vec![Span::styled(text, look.style(Meaning::Accent))]);
        }
        if self.seen.unseen > 0 {
            let arrow = look.symbols.pick("↓", "v");
            let text = format!("{arrow} {} new", self.seen.unseen);
            pieces.push(vec![Span::styled(text, look.style(Meaning::Accent))]);
        }
        let changes = self.row.worktree.as_ref();
        if let Some(changes) = changes.filter(|changes| changes.files > 0) {
            pieces.push(vec![
                Span::styled(format!("+{}", changes.additions), look.style(Meaning::DiffAdded)),
                Span::raw(" "),
                Span::styled(
                    format!("{}{}", look.symbols.minus(), changes.deletions),
                    look.style(Meaning::DiffRemoved),
                ),
            ]);
        }
        let says_time = self.mark == TaskMark::Asking && self.row.activity == TaskActivity::WaitingForPerson;
        if !says_time && self.row.started.is_some() {
            let time = clock(self.row.elapsed(now));
            pieces.push(vec![Span::styled(time, look.style(Meaning::TextMuted))]);
        }
        pieces.join(&Span::raw(" ".repeat(GAP)))
    }
}

/// Returns the style of a piece of the chosen tile's row. Where the theme has no ground for it, the piece is reversed whole.
fn selected(own: Style, selection: Style) -> Style {
    match selection.bg {
        None => selection,
        Some(_) => own.patch(selection),
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample::{NOW, task};
    use super::*;
    use crate::conversation::{TaskStatus, WorktreeChanges};
    use crate::view::test_look::{TestLook, picture};

    fn head(row: &TaskRow) -> TileHead<'_> {
        TileHead {
            number: 1,
            row,
            mark: TaskMark::of(row, false),
            asks: None,
            seen: TileConversation::default(),
            is_chosen: false,
        }
    }

    fn drawn(head: &TileHead<'_>, width: usize) -> String {
        let test = TestLook::default();
        let line = head.line(width, NOW, test.look());
        assert_eq!(line.width(), width, "the row fills its tile");
        picture(&[line]).trim_end().to_owned()
    }

    #[test]
    fn it_says_who_works_on_what_and_for_how_long() {
        let row = task(1);
        assert_eq!(
            drawn(&head(&row), 50),
            " 1 ▸ explore    who calls backoff()          0:41"
        );
        assert_eq!(drawn(&head(&row), 39), " 1 ▸ explore  who calls backoff…  0:41");
        assert_eq!(drawn(&head(&row), 30), " 1 ▸ explore  who call…  0:41");
    }

    #[test]
    fn it_is_the_question_of_an_agent_that_asks() {
        let mut row = task(1);
        row.agent = "general".to_owned();
        row.activity = TaskActivity::WaitingForPerson;
        row.since = NOW - 58_000;
        let head = TileHead {
            number: 2,
            asks: Some("git checkout -- tests/fixtures"),
            ..head(&row)
        };
        assert_eq!(
            drawn(&head, 50),
            " 2 ? general    asks 0:58 · git checkout -- test…"
        );
    }

    #[test]
    fn what_came_below_and_changed_lines_stand_at_its_end() {
        let mut row = task(1);
        row.agent = "multimodal-looker".to_owned();
        row.depth = 2;
        row.worktree = Some(WorktreeChanges {
            additions: 18,
            deletions: 4,
            files: 2,
            ..WorktreeChanges::default()
        });
        let head = TileHead {
            seen: TileConversation {
                unseen: 3,
                queued: 1,
                context: 0,
            },
            ..head(&row)
        };
        assert_eq!(
            drawn(&head, 72),
            " 1 ▸ › multimodal-looker  who calls b…  1 queued  ↓ 3 new  +18 −4  0:41"
        );
    }

    #[test]
    fn text_of_others_is_no_control_sequence() {
        let mut row = task(1);
        row.status = TaskStatus::Completed;
        row.now = "Two\u{1b}[2J risks\nbelow".to_owned();
        let text = drawn(&head(&row), 60);
        assert!(!text.contains('\u{1b}') && !text.contains('\n'), "{text}");
    }

    #[test]
    fn the_chosen_tile_is_plain_to_see_with_and_without_colours() {
        let row = task(1);
        let head = TileHead {
            is_chosen: true,
            ..head(&row)
        };
        for depth in [
            crate::view::theme::ColorDepth::TrueColor,
            crate::view::theme::ColorDepth::None,
        ] {
            let theme = crate::view::theme::Theme::default().at_depth(depth);
            let test = TestLook::default();
            let look = Look {
                theme: &theme,
                ..test.look()
            };
            let selection = theme.style(Meaning::Selection);
            let line = head.line(50, NOW, look);
            let is_marked = |span: &Span<'_>| {
                span.style.bg == selection.bg && span.style.add_modifier.contains(selection.add_modifier)
            };
            assert!(line.spans.iter().all(is_marked), "{line:?}");
        }
    }
}
