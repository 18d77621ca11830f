//! Pages: what covers the screen between the title and the hints, to be read or worked in, until `esc`.
//!
//! Each is a [`Layer`]. Most pages are text alone. Such a one is a [`Sheet`], which gives lines for a width; [`PageReader`]
//! scrolls and searches.
//!
//! A new page is one file here, with its [`Page`], and its line in [`PAGES`].

mod context;
mod costs;
mod diff;
mod export;
mod file_diffs;
mod hooks;
mod keys;
mod leader;
mod reader;
mod rows;
mod rules;
mod status;
mod tasks;
mod tree_changes;
mod undo;

pub(crate) use diff::PAGE as DIFF;
pub(crate) use export::written;
pub(crate) use hooks::HookRuns;
pub(crate) use keys::PAGE as KEYS;
pub(crate) use leader::LeaderTable;
pub(crate) use reader::{PageReader, Sheet, draw_title, mark_matches};
pub(crate) use tree_changes::{NO_TREE, TaskTree, TreeChangesPage, TreeIntent};
pub(crate) use undo::UndoPage;

use std::hash::{Hash, Hasher};

use super::commands::LayerCommand;
use super::keymap::LayerKeys;
use super::layer::Layer;
use super::{pane, watch};

/// A page: its name, the keys that open it and those that it has, and its `/command`.
#[derive(Debug)]
pub(crate) struct Page {
    /// The end of the name of the action that opens it: `show-keys`.
    pub(crate) action: &'static str,
    /// The keys after the leader that open it. A page without one is opened from the palette alone.
    pub(crate) leader: &'static [&'static str],
    pub(crate) description: &'static str,
    /// The same in a word, where there is little room.
    pub(crate) brief: &'static str,
    pub(crate) command: LayerCommand,
    /// Keys of its own. A page that is only read has none: [`PageReader`] has keys for that.
    pub(crate) keys: &'static [&'static LayerKeys],
    /// Makes it, for a session with this title.
    pub(crate) open: fn(&str) -> Box<dyn Layer>,
}

impl PartialEq for Page {
    fn eq(&self, other: &Self) -> bool {
        self.action == other.action
    }
}

impl Eq for Page {}

impl Hash for Page {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.action.hash(state);
    }
}

/// All pages, in the order of the leader's table and the palette.
pub(crate) static PAGES: &[&Page] = &[
    &watch::PAGE,
    &pane::PAGE,
    &diff::PAGE,
    &undo::UNDO,
    &undo::REDO,
    &hooks::PAGE,
    &tasks::PAGE,
    &rules::PAGE,
    &keys::PAGE,
    &context::PAGE,
    &costs::PAGE,
    &status::PAGE,
    &export::PAGE,
];
