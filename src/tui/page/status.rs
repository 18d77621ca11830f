//! Status page: the session, the model, what was read, the files, the process and the terminal.

use ratatui::text::Line;

use super::rows::{fact, heading, unanswered};
use super::{Page, PageReader, Sheet};
use crate::session::query::{Answer, Query, StatusGroup};
use crate::tui::commands::LayerCommand;
use crate::tui::layer::LayerCx;
use crate::tui::terminal_environment::path_words;

pub(super) static PAGE: Page = Page {
    action: "status",
    leader: &[],
    description: "show the status: session, model, files",
    brief: "status",
    command: LayerCommand {
        name: "status",
        also: &["settings", "config", "memory", "info"],
        about: "Shows the session, its model, the configuration files, directories, memory and the terminal.",
        after: "cost",
    },
    keys: &[],
    open: |_title| Box::new(PageReader::new(&PAGE, "Status", Status)),
};

struct Status;

impl Sheet for Status {
    fn query(&self) -> Option<Query> {
        Some(Query::Status)
    }

    fn lines(&self, answer: Option<&Answer>, width: usize, cx: &LayerCx<'_>) -> Vec<Line<'static>> {
        let mut lines = match answer {
            Some(Answer::Status(groups)) => groups.iter().flat_map(|group| rows(group, width, cx)).collect(),
            _ => unanswered(answer, width, cx),
        };
        if answer.is_none() {
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
