//! Work trees of earlier sessions on the page of tasks: those of the project that somebody works in, or that hold changes
//! which are not applied.

use std::path::Path;
use std::sync::Arc;

use ratatui::text::{Line, Span};

use super::super::rows::changed_file;
use super::{ROWS, SIGNS};
use crate::conversation::TaskRow;
use crate::session::ErrorReport;
use crate::session::host::{TreeState, TreeSummary};
use crate::text::count::plural;
use crate::text::sanitize::sanitize_line;
use crate::text::width::{pad, truncate, truncate_middle};
use crate::tui::layer::LayerCx;
use crate::view::theme::Meaning;

/// Columns of the first row at most: the figures stand near the title.
const FIRST_ROW: usize = 76;

#[derive(Default)]
pub(super) struct TreeSection {
    listed: Vec<TreeSummary>,
    /// Reason why there is no list.
    failure: Option<String>,
    /// Trees in the last frame.
    shown: Vec<TreeSummary>,
}

impl TreeSection {
    pub(super) fn set(&mut self, listed: &Result<Vec<TreeSummary>, ErrorReport>) {
        match listed {
            Ok(listed) => (self.listed, self.failure) = (listed.clone(), None),
            Err(error) => self.failure = Some(error.sentence()),
        }
    }

    /// Leaves out the trees of these tasks, which have rows of their own, and those of other projects.
    pub(super) fn choose(&mut self, tasks: &[Arc<TaskRow>], directory: &Path) {
        let is_shown = |tree: &&TreeSummary| {
            let is_of_interest =
                matches!(tree.state, TreeState::Unapplied | TreeState::Live) || tree.note.is_some();
            let is_here = tree
                .project
                .as_ref()
                .is_none_or(|project| directory.starts_with(project));
            is_of_interest && is_here && !tasks.iter().any(|row| row.task == tree.task)
        };
        self.shown = self.listed.iter().filter(is_shown).cloned().collect();
    }

    pub(super) fn shown(&self) -> &[TreeSummary] {
        &self.shown
    }

    pub(super) fn failure(&self) -> Option<&str> {
        self.failure.as_deref()
    }
}

/// The rows above the trees.
pub(super) fn heading(width: usize, cx: &LayerCx<'_>) -> [Line<'static>; ROWS] {
    let text = truncate(" Work trees of earlier sessions, not applied", width).into_owned();
    [
        Line::default(),
        Line::styled(text, cx.look.style(Meaning::TextStrong)),
    ]
}

pub(super) fn lines(
    tree: &TreeSummary,
    is_chosen: bool,
    width: usize,
    cx: &LayerCx<'_>,
) -> [Line<'static>; ROWS] {
    let symbols = cx.look.symbols;
    let pointer = if is_chosen { symbols.pointer() } else { " " };
    let meaning = if is_chosen {
        Meaning::TextStrong
    } else {
        Meaning::Text
    };
    let title = match tree.title.as_str() {
        "" => tree.task.to_string(),
        title => sanitize_line(title).into_owned(),
    };
    let mut first = vec![Span::styled(
        pad(&format!(" {pointer}"), SIGNS).into_owned(),
        cx.look.style(Meaning::Accent),
    )];
    let figures = (tree.additions, tree.deletions);
    let room = width.min(FIRST_ROW).saturating_sub(SIGNS + 1);
    first.extend(changed_file(&title, figures, room, meaning, cx));
    let files = usize::try_from(tree.files).unwrap_or(usize::MAX);
    let mut facts = vec![
        match tree.state {
            TreeState::Live => "in use".to_owned(),
            state => state.name().to_owned(),
        },
        plural(files, "file"),
    ];
    facts.extend(tree.note.as_deref().map(|note| sanitize_line(note).into_owned()));
    facts.push(sanitize_line(&tree.path.to_string_lossy()).into_owned());
    let facts = facts.join(&format!(" {} ", symbols.dot()));
    let facts = truncate_middle(&facts, width.saturating_sub(SIGNS + 1)).into_owned();
    let second = vec![
        Span::raw(" ".repeat(SIGNS)),
        Span::styled(facts, cx.look.style(Meaning::TextMuted)),
    ];
    [Line::from(first), Line::from(second)]
}
