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

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{DynTool, RenderCx, ToolCx, ToolError};
use crate::store::Store;
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

/// Rows of a card that is not expanded.
const COLLAPSED: usize = 6;

/// Adds rows to a card, `most` of them unless it is expanded, and how many of the `total` are not shown.
fn rows(card: Card, rows: impl Iterator<Item = ToneLine>, total: usize, most: usize, cx: RenderCx) -> Card {
    let most = if cx.expanded { usize::MAX } else { most };
    let lines: Vec<_> = rows.take(most).collect();
    let left_out = total.saturating_sub(lines.len());
    with_lines(card, lines).leaving_out(left_out, |more| format!("{more} more"))
}

/// A row that is about a file.
fn file_row(text: &str, file: FileTarget) -> ToneLine {
    ToneLine::from(ToneSpan::new(Tone::Normal, text)).about(file)
}

/// The limit of a call, or the usual one.
fn limit_of(given: Option<i64>, usual: usize) -> usize {
    given
        .and_then(|limit| usize::try_from(limit).ok())
        .unwrap_or(usual)
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

/// Looks into the database, at sessions of a project; of the session's own where none is given.
async fn in_store<T: Send + 'static>(
    cx: &ToolCx,
    project: Option<PathBuf>,
    work: impl FnOnce(&Store, &Path) -> Result<T, ToolError> + Send + 'static,
) -> Result<T, ToolError> {
    let services = Arc::clone(&cx.services);
    cx.blocking(move || {
        let store = services.tree.disk.open()?;
        let project = match project {
            Some(project) => project,
            None => services.project()?,
        };
        work(store, &project)
    })
    .await
}
