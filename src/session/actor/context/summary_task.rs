//! The task that has a summary written, and reads the files that are shown again beside it.

use serde_json::{Map, json};
use tokio_util::sync::CancellationToken;

use super::super::hook_jobs::OwnedHookContext;
use super::super::user_commands::context;
use crate::agent::compaction::{SummaryJob, SummaryText};
use crate::agent::estimate;
use crate::conversation::{KeptKind, KeptText, Usage};
use crate::hook::HookEvent;
use crate::tool::{CallSettings, NoteTime, pipeline};

/// Bytes of one file that are shown again: about 5,000 tokens.
const LONGEST_FILE: usize = 20_000;

/// What came of a summary.
pub(in crate::session::actor) struct CompactionDone {
    pub(super) text: Result<String, String>,
    pub(super) files: Vec<KeptText>,
    pub(super) usages: Vec<Usage>,
}

/// Everything that a task needs to write a summary.
pub(super) struct CompactionJob {
    pub(super) hooks: OwnedHookContext,
    pub(super) trigger: &'static str,
    pub(super) focus: Option<String>,
    pub(super) summary: SummaryJob,
    /// Paths to be shown again, the newest first.
    pub(super) open: Vec<String>,
    /// Tokens that they may have together.
    pub(super) most: u64,
    pub(super) calls: CallSettings,
    pub(super) cancel: CancellationToken,
}

impl CompactionJob {
    pub(super) async fn run(mut self) -> CompactionDone {
        if let Some(focus) = &self.focus {
            let wish = format!("The person asks for this in the summary above all: {focus}");
            self.summary.instructions.push(wish);
        }
        let hooks = &self.hooks.services.tree.hooks;
        if hooks.has(HookEvent::PreCompact) {
            let scene = self.hooks.scene();
            let told = hooks.pre_compact(scene, self.trigger, self.focus.as_deref(), &self.cancel);
            let told = told.await;
            if let Some(why) = told.block {
                return CompactionDone {
                    text: Err(format!("a hook prevented it: {why}")),
                    files: Vec::new(),
                    usages: Vec::new(),
                };
            }
            self.summary.instructions.extend(told.context);
        }
        let SummaryText { text, usages } = self.summary.write().await;
        let files = read_files(&self.calls, &self.open, self.most, &self.cancel).await;
        CompactionDone {
            text: text.map_err(|error| error.to_string()),
            files,
            usages,
        }
    }
}

/// Reads files as the model would. What it would have to ask for, and what is not there any more, is left out.
async fn read_files(
    calls: &CallSettings,
    paths: &[String],
    most: u64,
    cancel: &CancellationToken,
) -> Vec<KeptText> {
    let mut files = Vec::new();
    let mut size = 0;
    for path in paths {
        let mut cx = context(calls, cancel);
        // It counts as read as it was when the model itself read it.
        cx.noting = NoteTime::later();
        let mut args = Map::new();
        args.insert("file_path".to_owned(), json!(path));
        let Ok(found) = pipeline::find_own(&calls.registry, args, &cx).await else {
            continue;
        };
        if found.would_ask(&cx) {
            continue;
        }
        let Ok(result) = found.read(&cx).await else {
            continue;
        };
        if !result.attachments.is_empty() {
            continue;
        }
        let text = beginning(result.output, LONGEST_FILE.min(most as usize * 2));
        let tokens = estimate::bytes(text.len());
        if size + tokens > most {
            continue;
        }
        size += tokens;
        files.push(KeptText {
            kind: KeptKind::File,
            name: path.clone(),
            text,
        });
    }
    files
}

fn beginning(mut text: String, longest: usize) -> String {
    if text.len() > longest {
        let end = text[..text.floor_char_boundary(longest)].rfind('\n').unwrap_or(0);
        text.truncate(end);
        text.push_str("\n[… cut; read the file for the rest]");
    }
    text
}
