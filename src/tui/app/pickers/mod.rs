//! Lists to pick from. Each says by what it is opened and what is in it then.
//!
//! A new list is one file here, with its [`List`], and its line in [`LISTS`]. What it needs of the screen it reads from
//! [`App`] when it is opened; what takes a while to look up it requests, and is filled when that has come.

mod agents;
mod messages;
mod models;
mod palette;
mod prompts;
mod sessions;
mod themes;

pub(crate) use agents::{LIST as AGENTS, agent_lines};
pub(crate) use messages::LIST as OWN_MESSAGES;
pub(crate) use models::LIST as MODELS;
pub(crate) use palette::LIST as ACTIONS;
#[cfg(test)]
pub(crate) use palette::Palette;
pub(crate) use prompts::LIST as PROMPTS;
pub(crate) use sessions::{LIST as SESSIONS, SessionListRequest, age};
pub(crate) use themes::LIST as THEMES;

pub(super) use prompts::PromptRows;
pub(super) use sessions::{SessionRows, SessionState};

use std::hash::{Hash, Hasher};
use std::time::Instant;

use ratatui::layout::Size;
use ratatui::text::{Line, Span};

use super::App;
use crate::text::wrap::wrap;
use crate::tui::commands::LayerCommand;
use crate::tui::keymap::{Action, Context, KeyRow};
use crate::tui::picker::{ListContent, Picker};
use crate::view::Look;
use crate::view::theme::Meaning;

/// A list to pick from: the keys and the `/command` that open it, and its content.
#[derive(Debug)]
pub(crate) struct List {
    /// The name of the action that opens it.
    pub(crate) action: &'static str,
    pub(crate) keys: &'static [OpeningKey],
    pub(crate) command: Option<LayerCommand>,
    /// The effect of `enter`, as the hints say it.
    pub(crate) verb: &'static str,
    /// Returns true if the palette has it now.
    is_offered: fn(&App) -> bool,
    content: fn(&App) -> Box<dyn ListContent>,
}

/// The keys that open a list in a context.
#[derive(Debug)]
pub(crate) struct OpeningKey {
    pub(crate) context: Context,
    pub(crate) row: KeyRow,
    /// The action of the context behind which it is listed; it is the first where there is none.
    pub(crate) after: Option<Action>,
}

impl PartialEq for List {
    fn eq(&self, other: &Self) -> bool {
        self.action == other.action
    }
}

impl Eq for List {}

impl Hash for List {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.action.hash(state);
    }
}

/// All lists. One that is listed behind another stands behind it here.
pub(crate) static LISTS: &[&List] = &[
    &ACTIONS,
    &SESSIONS,
    &AGENTS,
    &MODELS,
    &THEMES,
    &PROMPTS,
    &OWN_MESSAGES,
];

/// Bytes and lines of a preview; no screen shows more.
const PREVIEW: usize = 16 * 1024;
const PREVIEW_LINES: usize = 200;

/// Wraps a text beside a list.
fn text_preview(text: &str, size: Size, look: Look<'_>) -> Vec<Line<'static>> {
    let text = &text[..text.floor_char_boundary(PREVIEW)];
    let lines = text.lines().take(PREVIEW_LINES).flat_map(|line| {
        let line = line.replace('\t', "    ");
        let pieces = wrap(&line, usize::from(size.width).max(1));
        let style = look.style(Meaning::Text);
        let spans = pieces
            .into_iter()
            .map(|piece| Span::styled(line[piece].to_owned(), style));
        spans.map(Line::from).collect::<Vec<_>>()
    });
    lines.take(PREVIEW_LINES).collect()
}

impl App {
    /// Opens a list; one that is open already is left first.
    pub(super) fn open_list(&mut self, list: &'static List, now: Instant) {
        self.leave_list(now);
        let content = (list.content)(self);
        let request = content.request();
        self.open_layer(Box::new(Picker::new(list, content)), now);
        if let Some(request) = request {
            self.follow_request(request, now);
        }
    }

    /// Fills a list that was opened before there was anything to list.
    pub(super) fn fill_list(&mut self, now: Instant) {
        let bare = self.layers.last_mut().and_then(|layer| layer.as_picker());
        if let Some(list) = bare.filter(|picker| picker.is_bare()).map(|picker| picker.list()) {
            self.open_list(list, now);
        }
    }

    pub(super) fn is_list_offered(&self, list: &List) -> bool {
        (list.is_offered)(self)
    }
}
