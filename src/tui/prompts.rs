//! The history of prompts, as drafts of the composer.

use std::path::PathBuf;
use std::pin::Pin;

use super::composer::Draft;
use crate::session::host::{Host, HostAnswer, HostQuery, Prompt};

/// One draft that was sent, or cleared away.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct PromptDraft {
    pub(crate) draft: Draft,
    /// Project that it was written in.
    pub(crate) project: PathBuf,
    pub(crate) unsent: bool,
}

/// The way to the history, which the host keeps.
pub(super) struct PromptKeeper {
    host: Host,
    reading: Option<Pin<Box<dyn Future<Output = Vec<Prompt>>>>>,
}

impl PromptKeeper {
    pub(super) fn new(host: Host) -> Self {
        Self { host, reading: None }
    }

    pub(super) fn keep(&self, written: &PromptDraft) {
        let draft = written.draft.stored();
        let prompt = Prompt::new(&written.project, draft, written.unsent);
        // It begins at once; that it is done is nobody's concern here.
        drop(self.host.ask(HostQuery::KeepPrompt(prompt)));
    }

    /// Has everything read; [`Self::read`] then returns it.
    pub(super) fn begin_reading(&mut self) {
        let asked = self.host.ask(HostQuery::Prompts);
        self.reading = Some(Box::pin(async move {
            match asked.await {
                Some(HostAnswer::Prompts(prompts)) => prompts,
                _ => Vec::new(),
            }
        }));
    }

    /// Waits for what is being read; forever where nothing is. Cancel safe.
    pub(super) async fn read(&mut self) -> Vec<PromptDraft> {
        match &mut self.reading {
            Some(reading) => {
                let prompts = reading.await;
                self.reading = None;
                prompts.into_iter().map(written).collect()
            }
            None => std::future::pending().await,
        }
    }
}

fn written(prompt: Prompt) -> PromptDraft {
    PromptDraft {
        draft: Draft::from_stored(&prompt.draft),
        project: prompt.project,
        unsent: prompt.unsent,
    }
}
