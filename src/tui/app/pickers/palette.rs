//! The palette: everything that can be done now, by its words and with its key.

use super::{List, OpeningKey};
use crate::tui::commands::{self, LayerCommand};
use crate::tui::keymap::{Action, BoundAction, Context, KeyRow, Keymap, key_name};
use crate::tui::layer::LayerRequest;
use crate::tui::picker::{ListContent, Row};
use crate::view::Symbols;

pub(crate) static LIST: List = List {
    action: "palette",
    keys: &[
        OpeningKey {
            context: Context::Global,
            row: KeyRow::new(
                &["ctrl+p"],
                Action::OpenList(&LIST),
                "open the palette: every action",
            ),
            after: Some(Action::Suspend),
        },
        OpeningKey {
            context: Context::Leader,
            row: KeyRow::new(&["p"], Action::OpenList(&LIST), "open the palette: every action")
                .brief("palette"),
            after: None,
        },
    ],
    command: Some(LayerCommand {
        name: "actions",
        also: &["palette"],
        about: "Lists all actions that are possible now, with their keys.",
        after: "mouse",
    }),
    verb: "run",
    // It is open already.
    is_offered: |_| false,
    content: |app| {
        let symbols = app.appearance.terminal_environment.symbols;
        let makes_sense = |binding: &BoundAction| app.makes_sense(binding);
        Box::new(Palette::new(&app.keymap, app.context(), symbols, makes_sense))
    },
};

/// Headings of the palette, in their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, strum::IntoStaticStr)]
enum Section {
    Session,
    Agents,
    Transcript,
    Draft,
    #[strum(serialize = "Pending")]
    Queue,
    Panel,
    Screen,
    Help,
}

impl Section {
    fn of(context: Context, action: Action) -> Self {
        match action {
            Action::NewSession
            | Action::LastSession
            | Action::Fork
            | Action::Init
            | Action::Compact
            | Action::Resend
            | Action::ChangeDirectory
            | Action::Quit
            | Action::Interrupt => Self::Session,
            Action::NextAgent
            | Action::CycleMode
            | Action::Yolo
            | Action::NextAsk
            | Action::ToBackground
            | Action::ParentTask
            | Action::PreviousTask
            | Action::NextTask => Self::Agents,
            Action::Editor
            | Action::MentionFile
            | Action::ListCommands
            | Action::QueueDraft
            | Action::FocusQueue => Self::Draft,
            Action::TogglePanel
            | Action::ToggleMouse
            | Action::Redraw
            | Action::Suspend
            | Action::PageUp
            | Action::PageDown => Self::Screen,
            Action::OpenList(list) => Self::of_layer(list.action),
            Action::OpenPage(page) => Self::of_layer(page.action),
            _ => match context {
                Context::Composer => Self::Draft,
                Context::Queue => Self::Queue,
                Context::Panel => Self::Panel,
                _ => Self::Transcript,
            },
        }
    }

    /// Returns the section of a list or a page, by the name of its action.
    fn of_layer(name: &str) -> Self {
        match name {
            "open-sessions" | "open-own-messages" | "undo" | "redo" | "diff" | "export" => Self::Session,
            "open-models" | "open-agents" | "watch" | "tasks" | "terminals" => Self::Agents,
            "open-prompts" => Self::Draft,
            "open-themes" => Self::Screen,
            _ => Self::Help,
        }
    }
}

/// The parts that the keys can be given to.
const PARTS: [Context; 4] = [
    Context::Composer,
    Context::Transcript,
    Context::Queue,
    Context::Panel,
];

pub(crate) struct Palette {
    entries: Vec<PaletteEntry>,
}

struct PaletteEntry {
    /// Context that reads its key.
    context: Context,
    action: Action,
    section: Section,
    description: &'static str,
    /// Empty where only the palette knows the way.
    key: String,
}

impl Palette {
    /// Gathers what the keymap knows for this context, for everywhere and for the parts of the screen that could have the
    /// keys instead. An action with several keys is there once, with the nearest of them. What the context's own keys do
    /// comes after what can be done anywhere: `enter` alone sends no draft. Actions stand in sections.
    pub(crate) fn new(
        keymap: &Keymap,
        context: Context,
        symbols: Symbols,
        makes_sense: impl Fn(&BoundAction) -> bool,
    ) -> Self {
        let near = [context, Context::Global, Context::Leader, Context::Palette];
        let nearest = |action| {
            let bindings = near.iter().flat_map(|context| keymap.bindings(*context));
            let same: Vec<_> = bindings.filter(|binding| binding.action == action).collect();
            let keyed = same.iter().find(|binding| keymap.key_label(binding).is_some());
            keyed.or(same.first()).copied()
        };
        let shown = [Context::Leader, Context::Palette, Context::Global, context];
        let bindings = shown
            .into_iter()
            .chain(PARTS)
            .flat_map(|context| keymap.bindings(context));
        let mut entries: Vec<PaletteEntry> = Vec::new();
        for binding in bindings.filter(|binding| makes_sense(binding)) {
            let is_known = entries.iter().any(|entry| entry.action == binding.action);
            if !is_known {
                let binding = nearest(binding.action).unwrap_or(binding);
                entries.push(PaletteEntry {
                    context: binding.context,
                    action: binding.action,
                    section: Section::of(binding.context, binding.action),
                    description: binding.description,
                    key: key(keymap, binding, symbols),
                });
            }
        }
        entries.sort_by_key(|entry| entry.section);
        Self { entries }
    }
}

fn key(keymap: &Keymap, binding: &BoundAction, symbols: Symbols) -> String {
    match binding.context {
        Context::Leader => keymap.after_leader(binding.action),
        _ => key_name(keymap.key_label(binding).unwrap_or_default(), symbols).to_owned(),
    }
}

impl ListContent for Palette {
    fn title(&self) -> &'static str {
        "Actions"
    }

    fn rows(&self) -> Vec<Row> {
        let row = |entry: &PaletteEntry| {
            let names = commands::names_of(entry.action);
            let first = names.split(' ').next().filter(|name| !name.is_empty());
            let command = first.map_or_else(String::new, |name| format!("/{name}"));
            let row = Row::new(entry.description).detail(&command).key(&entry.key);
            row.section(entry.section.into()).also(&names)
        };
        self.entries.iter().map(row).collect()
    }

    fn pick(&mut self, row: usize) -> Option<LayerRequest> {
        let entry = self.entries.get(row)?;
        Some(LayerRequest::Act(entry.context, entry.action))
    }

    fn previews(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(context: Context, makes_sense: impl Fn(&BoundAction) -> bool) -> Vec<String> {
        let palette = Palette::new(&Keymap::default(), context, Symbols::Ascii, makes_sense);
        let line = |entry: &PaletteEntry| format!("{} | {}", entry.description, entry.key);
        palette.entries.iter().map(line).collect()
    }

    #[test]
    fn an_action_is_there_once_with_its_nearest_key() {
        let lines = lines(Context::Composer, |binding| {
            matches!(binding.action, Action::Send | Action::Editor | Action::NextAsk)
        });
        assert_eq!(
            lines,
            [
                "answer the next question | ctrl+x .",
                "edit the draft in $EDITOR | ctrl+g",
                "send; in a turn: steer; on an attachment: open it | enter",
            ]
        );
    }

    #[test]
    fn only_what_makes_sense_is_there() {
        assert_eq!(lines(Context::Transcript, |_| false).len(), 0);
        let all = lines(Context::Transcript, |_| true);
        assert!(all.iter().any(|line| line.ends_with("| ctrl+x q")), "{all:?}");
    }
}
