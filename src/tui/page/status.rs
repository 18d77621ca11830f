//! Status page: the session, the model, what was read, the files, the process and the terminal.

use ratatui::text::Line;

use super::rows::{fact, failure, heading, remark};
use super::{Page, PageReader, Sheet};
use crate::session::query::{Answer, Query, StatusGroup};
use crate::tui::commands::LayerCommand;
use crate::tui::layer::{LayerCx, LayerRequest, LayerUpdate};
use crate::tui::terminal_environment::path_words;

pub(super) static PAGE: Page = Page {
    action: "status",
    name: "status",
    leader: &[],
    description: "status: session, model, places",
    brief: "status",
    command: LayerCommand {
        name: "status",
        also: &[],
        about: "Shows the session, its model, configuration files, places, memory and the terminal.",
        after: "cost",
    },
    keys: &[],
    open: |_title| Box::new(PageReader::new(Status::default())),
};

#[derive(Default)]
pub(super) struct Status {
    answer: Option<Result<Vec<StatusGroup>, String>>,
}

impl Sheet for Status {
    fn page(&self) -> &'static Page {
        &PAGE
    }

    fn title(&self) -> String {
        "Status".to_owned()
    }

    fn request(&self) -> Option<LayerRequest> {
        Some(LayerRequest::Ask(Query::Status))
    }

    fn update(&mut self, news: &LayerUpdate<'_>) {
        if let LayerUpdate::Answer(Query::Status, answer) = news {
            self.answer = match answer {
                Answer::Status(groups) => Some(Ok(groups.clone())),
                Answer::Failed(sentence) => Some(Err(sentence.clone())),
                _ => None,
            };
        }
    }

    fn lines(&self, width: usize, cx: &LayerCx<'_>) -> Vec<Line<'static>> {
        let mut lines = match &self.answer {
            None => remark("Looking.", width, cx),
            Some(Err(sentence)) => failure(sentence, width, cx),
            Some(Ok(groups)) => groups.iter().flat_map(|group| rows(group, width, cx)).collect(),
        };
        if self.answer.is_none() {
            lines.push(Line::default());
        }
        lines.extend(rows(&cx.terminal(), width, cx));
        lines.pop();
        lines
    }
}

fn rows(group: &StatusGroup, width: usize, cx: &LayerCx<'_>) -> Vec<Line<'static>> {
    let mut lines = vec![heading(&group.title, cx)];
    for (name, value) in &group.rows {
        // Places are written as a person would.
        let value = match value.strip_prefix('/') {
            Some(_) => path_words(value.as_ref(), cx.home()),
            None => value.clone(),
        };
        lines.extend(fact(name, &value, width, cx));
    }
    lines.push(Line::default());
    lines
}
