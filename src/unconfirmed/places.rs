//! The table of the places that a project brings configuration, agents and commands at.
//!
//! Readers (`config`, `project`) take their places from here, and so do the watch of commands and the resolver of protected
//! paths. So a place that is read is also watched and protected; `tests/it/config_places.rs` searches the source for
//! places that are named elsewhere.

use std::path::{Path, PathBuf};

use crate::project_root::directories;

/// What is read at a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlaceKind {
    /// A configuration file of lathe.
    Settings,
    /// A settings file of Claude Code, read at the project's root alone.
    ClaudeSettings,
    /// A directory of agents, each a Markdown file.
    Agents,
    /// A directory of commands, each a Markdown file in it or below it.
    Commands,
}

impl PlaceKind {
    /// Returns true if the place is a directory of files.
    pub fn is_directory(self) -> bool {
        matches!(self, Self::Agents | Self::Commands)
    }
}

/// The program whose format the files of a place have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlaceFormat {
    Lathe,
    Claude,
    OpenCode,
}

/// A place in a directory of the project.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConfigPlace {
    /// Relative to the directory, with `/`.
    pub name: &'static str,
    pub kind: PlaceKind,
    pub format: PlaceFormat,
}

/// All places, those of one kind in the order in which they are read.
pub const PLACES: &[ConfigPlace] = {
    use PlaceFormat::{Claude, Lathe, OpenCode};
    use PlaceKind::{Agents, ClaudeSettings, Commands, Settings};
    const fn place(name: &'static str, kind: PlaceKind, format: PlaceFormat) -> ConfigPlace {
        ConfigPlace { name, kind, format }
    }
    &[
        place("lathe.jsonc", Settings, Lathe),
        place(".lathe/lathe.jsonc", Settings, Lathe),
        place(".claude/settings.json", ClaudeSettings, Claude),
        place(".claude/settings.local.json", ClaudeSettings, Claude),
        // A later one overrides an earlier one.
        place(".claude/agents", Agents, Claude),
        place(".opencode/agent", Agents, OpenCode),
        place(".opencode/agents", Agents, OpenCode),
        place(".lathe/agents", Agents, Lathe),
        // The first of a name counts.
        place(".lathe/commands", Commands, Lathe),
        place(".claude/commands", Commands, Claude),
        place(".opencode/command", Commands, OpenCode),
        place(".opencode/commands", Commands, OpenCode),
    ]
};

/// Returns the places of one kind, in their order.
pub fn places_of(kind: PlaceKind) -> impl DoubleEndedIterator<Item = &'static ConfigPlace> {
    PLACES.iter().filter(move |place| place.kind == kind)
}

/// Returns the paths of all places that count for a session in `directory`, existing or not.
pub fn places_at(root: &Path, directory: &Path) -> Vec<PathBuf> {
    directories(root, directory)
        .into_iter()
        .flat_map(|dir| PLACES.iter().map(|place| dir.join(place.name)))
        .collect()
}

/// Returns true if a path, relative to the project, is or leads to one of the places in some directory of the project.
pub fn is_read(relative: &Path) -> bool {
    let parts: Vec<String> = relative
        .iter()
        .map(|part| part.to_string_lossy().to_lowercase())
        .collect();
    let places: Vec<Vec<&str>> = PLACES
        .iter()
        .map(|place| place.name.split('/').collect())
        .collect();
    (0..parts.len()).any(|start| {
        places.iter().any(|place| {
            let mut pairs = place.iter().zip(&parts[start..]);
            pairs.all(|(one, other)| *one == other.as_str())
        })
    })
}
