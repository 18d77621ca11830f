//! The tools that come with lathe: one file each, and the list.

mod apply_patch;
mod bash;
mod batch;
mod conversation;
mod edit;
mod glob;
mod grep;
mod hashline_edit;
mod interactive_bash;
mod invalid;
mod list;
mod look_at;
mod multiedit;
mod plan;
mod question;
mod read;
mod search_path;
mod sessions;
mod task_board;
mod tasks;
mod todos;
mod write;

pub(super) use bash::OwnCommand;

use std::sync::Arc;

use super::{DynTool, RenderCx};
use crate::view::card::{Card, CardPart, FileTarget, Tone, ToneLine, ToneSpan};

/// Every tool there is. The registry sorts them.
pub(super) fn all() -> Vec<Arc<dyn DynTool>> {
    vec![
        Arc::new(apply_patch::ApplyPatchTool),
        Arc::new(tasks::BackgroundCancelTool),
        Arc::new(tasks::BackgroundOutputTool),
        Arc::new(tasks::BackgroundTaskTool),
        Arc::new(bash::BashTool),
        Arc::new(batch::BatchTool),
        Arc::new(tasks::CallOmoAgentTool),
        Arc::new(edit::EditTool),
        Arc::new(glob::GlobTool),
        Arc::new(grep::GrepTool),
        Arc::new(hashline_edit::HashlineEditTool),
        Arc::new(interactive_bash::InteractiveBashTool),
        Arc::new(invalid::InvalidTool),
        Arc::new(list::ListTool),
        Arc::new(look_at::LookAtTool),
        Arc::new(multiedit::MultiEditTool),
        Arc::new(plan::PlanEnterTool),
        Arc::new(plan::PlanExitTool),
        Arc::new(question::QuestionTool),
        Arc::new(read::ReadTool),
        Arc::new(sessions::SessionInfoTool),
        Arc::new(sessions::SessionListTool),
        Arc::new(sessions::SessionReadTool),
        Arc::new(sessions::SessionSearchTool),
        Arc::new(tasks::TaskTool),
        Arc::new(task_board::TaskCreateTool),
        Arc::new(task_board::TaskGetTool),
        Arc::new(task_board::TaskListTool),
        Arc::new(task_board::TaskUpdateTool),
        Arc::new(todos::TodoReadTool),
        Arc::new(todos::TodoWriteTool),
        Arc::new(write::WriteTool),
    ]
}

/// Adds the first six rows to a card, or all of them, each with the file that it names, and says how many of `total` are
/// left out.
fn rows<'a>(
    card: Card,
    rows: impl Iterator<Item = (&'a str, FileTarget)>,
    total: usize,
    cx: RenderCx,
) -> Card {
    const COLLAPSED: usize = 6;
    let most = if cx.expanded { usize::MAX } else { COLLAPSED };
    let lines: Vec<_> = rows
        .take(most)
        .map(|(row, file)| ToneLine::from(ToneSpan::new(Tone::Normal, row)).about(file))
        .collect();
    let shown = lines.len();
    let card = with_lines(card, lines);
    match total.saturating_sub(shown) {
        0 => card,
        more => card.part(CardPart::Omitted(format!("{more} more"))),
    }
}

/// Adds lines to a card, where there are some.
fn with_lines(card: Card, lines: Vec<ToneLine>) -> Card {
    if lines.is_empty() {
        return card;
    }
    card.part(CardPart::Lines(lines))
}

#[cfg(test)]
mod tests;
