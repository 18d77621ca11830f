//! Prompts that were written before: this project's first, then those of others, newest first and each text once.

use std::collections::HashSet;
use std::path::Path;

use ratatui::layout::Size;
use ratatui::text::Line;

use super::{List, OpeningKey, text_preview};
use crate::tui::caret::CaretMove;
use crate::tui::commands::LayerCommand;
use crate::tui::keymap::{Action, Context, Edit, KeyRow};
use crate::tui::layer::LayerRequest;
use crate::tui::picker::{ListContent, Row};
use crate::tui::prompts::PromptDraft;
use crate::view::Look;

/// Bytes of a prompt that are searched: of its first line, and of what follows.
const TITLE: usize = 200;
const DETAIL: usize = 2000;

pub(crate) static LIST: List = List {
    action: "open-prompts",
    keys: &[OpeningKey {
        context: Context::Composer,
        row: KeyRow::new(&["ctrl+r"], Action::OpenList(&LIST), "search your prompt history"),
        after: Some(Action::Edit(Edit::Move(CaretMove::Down))),
    }],
    command: Some(LayerCommand {
        name: "history",
        also: &["prompts"],
        about: "Searches your earlier prompts, this project's first.",
        after: "search",
    }),
    verb: "use it again",
    is_offered: |_| true,
    content: |_| {
        Box::new(PromptRows {
            prompts: None,
            own: 0,
        })
    },
};

pub(crate) struct PromptRows {
    /// `None` while they are being read.
    prompts: Option<Vec<PromptDraft>>,
    /// How many are this project's.
    own: usize,
}

impl PromptRows {
    /// Lists what was read, oldest first.
    pub(crate) fn new(prompts: Vec<PromptDraft>, project: &Path) -> Self {
        let newest_first = prompts.into_iter().rev();
        let (own, others): (Vec<_>, Vec<_>) = newest_first.partition(|prompt| prompt.project == project);
        let mut seen = HashSet::new();
        let mut is_new = |prompt: &PromptDraft| seen.insert(prompt.draft.expanded());
        let mut listed: Vec<PromptDraft> = own.into_iter().filter(&mut is_new).collect();
        let own = listed.len();
        listed.extend(others.into_iter().filter(&mut is_new));
        Self {
            prompts: Some(listed),
            own,
        }
    }

    fn get(&self, row: usize) -> Option<&PromptDraft> {
        self.prompts.as_ref()?.get(row)
    }

    fn row(&self, place: usize, prompt: &PromptDraft) -> Row {
        let text = prompt.draft.expanded();
        let text = text.trim();
        let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
        let elsewhere = (place >= self.own).then(|| prompt.project.file_name()).flatten();
        let elsewhere = elsewhere.map(|name| name.to_string_lossy().into_owned());
        let unsent = prompt.unsent.then(|| "not sent".to_owned());
        let facts: Vec<String> = unsent.into_iter().chain(elsewhere).collect();
        Row::new(cut(first, TITLE))
            .detail(&cut(rest, DETAIL).split_whitespace().collect::<Vec<_>>().join(" "))
            .fact(&facts.join(" · "))
    }
}

fn cut(text: &str, bytes: usize) -> &str {
    &text[..text.floor_char_boundary(bytes)]
}

impl ListContent for PromptRows {
    fn title(&self) -> &'static str {
        "History"
    }

    fn rows(&self) -> Vec<Row> {
        let rows = self.prompts.iter().flatten().enumerate();
        rows.map(|(place, prompt)| self.row(place, prompt)).collect()
    }

    fn nothing(&self) -> &'static str {
        match self.prompts {
            None => "Loading the history.",
            Some(_) => "The history is empty.",
        }
    }

    fn request(&self) -> Option<LayerRequest> {
        Some(LayerRequest::ReadPrompts)
    }

    fn pick(&mut self, row: usize) -> Option<LayerRequest> {
        let prompt = self.get(row)?;
        Some(LayerRequest::WriteDraft(prompt.draft.clone()))
    }

    fn preview(&self, row: usize, size: Size, look: Look<'_>) -> Vec<Line<'static>> {
        let Some(prompt) = self.get(row) else {
            return Vec::new();
        };
        text_preview(&prompt.draft.expanded(), size, look)
    }
}
