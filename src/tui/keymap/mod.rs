//! Which key means what, and where: one table.
//!
//! A key is looked up in the context that has the focus and then in [`Context::Global`], whose keys no other context may
//! use; a test proves that no key has two meanings in one context. Hints and the help screen are made from this table,
//! so they cannot be wrong. Characters that the table does not know are text, where text is taken.

mod chord;
mod table;

pub(crate) use chord::{Chord, typed};

use std::collections::HashMap;

use crossterm::event::KeyEvent;

use crate::view::Symbols;

/// Who reads the keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Context {
    /// Everywhere.
    Global,
    /// After `ctrl+x`.
    Leader,
    Composer,
    Transcript,
    /// A permission question.
    Question,
    /// The same, while `always` is being put together.
    QuestionAlways,
    /// The line that says why not.
    QuestionReason,
    Help,
}

impl Context {
    /// In the order of the help screen.
    pub(crate) const ALL: [Self; 8] = [
        Self::Composer,
        Self::Global,
        Self::Leader,
        Self::Transcript,
        Self::Question,
        Self::QuestionAlways,
        Self::QuestionReason,
        Self::Help,
    ];

    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::Global => "Anywhere",
            Self::Leader => "After the leader",
            Self::Composer => "Composer",
            Self::Transcript => "Transcript",
            Self::Question => "Permission",
            Self::QuestionAlways => "Permission, always",
            Self::QuestionReason => "Permission, no because",
            Self::Help => "This screen",
        }
    }
}

/// What a key does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Action {
    // Anywhere.
    Escape,
    ClearOrQuit,
    Leader,
    Editor,
    Redraw,
    CycleMode,
    PageUp,
    PageDown,
    Suspend,
    // After the leader.
    FocusTranscript,
    NextAsk,
    QueueDraft,
    ShowHelp,
    CopyAnswer,
    // Composer.
    Send,
    Queue,
    Newline,
    HelpOrType,
    Edit(Edit),
    // Transcript.
    NextBlock,
    PreviousBlock,
    FirstBlock,
    LastBlock,
    NextOwn,
    PreviousOwn,
    NextFailure,
    PreviousFailure,
    ToggleReasoning,
    ToggleFold,
    ToggleAll,
    CopyBlock,
    FocusComposer,
    // Permission.
    AllowOnce,
    AllowAlways,
    StoreAlways,
    Reject,
    RejectBecause,
    SendReason,
    Why,
    RowUp,
    RowDown,
    Tick,
    Scope,
    NextHunk,
    PreviousHunk,
    AnotherAsk,
    // Help.
    CloseHelp,
    ScrollUp,
    ScrollDown,
}

/// A change of the text or a move of the caret.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Edit {
    Left,
    Right,
    Up,
    Down,
    WordLeft,
    WordRight,
    LineStart,
    LineEnd,
    Top,
    Bottom,
    DeleteLeft,
    DeleteRight,
    DeleteWordLeft,
    DeleteWordRight,
    DeleteToStart,
    DeleteToEnd,
    Yank,
    Undo,
    Redo,
}

/// One line of the table.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Binding {
    pub(crate) context: Context,
    /// The first one is what hints show.
    pub(crate) keys: &'static [&'static str],
    pub(crate) action: Action,
    pub(crate) description: &'static str,
}

#[derive(Debug)]
pub(crate) struct Keymap {
    bindings: &'static [Binding],
    by_key: HashMap<(Context, Chord), Action>,
}

impl Default for Keymap {
    fn default() -> Self {
        let bindings = table::BINDINGS;
        let rows = bindings.iter().flat_map(|binding| {
            let chords = binding.keys.iter().filter_map(|key| Chord::parse(key));
            chords.map(|chord| ((binding.context, chord), binding.action))
        });
        Self {
            bindings,
            by_key: rows.collect(),
        }
    }
}

impl Keymap {
    /// Returns what a key means in this context or anywhere.
    pub(crate) fn action(&self, context: Context, key: KeyEvent) -> Option<Action> {
        let chord = Chord::from_key(key);
        let own = self.by_key.get(&(context, chord));
        // After the leader a key means what the leader's table says, or nothing.
        if context == Context::Leader {
            return own.copied();
        }
        own.or_else(|| self.by_key.get(&(Context::Global, chord)))
            .copied()
    }

    /// Returns the key that hints show for an action.
    pub(crate) fn label(&self, context: Context, action: Action) -> &'static str {
        label_in(self.bindings, context, action)
    }

    pub(crate) fn bindings(&self, context: Context) -> impl Iterator<Item = &'static Binding> {
        self.bindings
            .iter()
            .filter(move |binding| binding.context == context)
    }
}

/// Returns a key's name as hints write it.
pub(crate) fn words(key: &str, symbols: Symbols) -> &str {
    match (symbols, key) {
        (Symbols::Unicode, "enter") => "⏎",
        (Symbols::Unicode, "up") => "↑",
        (Symbols::Unicode, "down") => "↓",
        (_, key) => key,
    }
}

/// Returns the same for what is drawn without a keymap at hand.
pub(crate) fn label(context: Context, action: Action) -> &'static str {
    label_in(table::BINDINGS, context, action)
}

fn label_in(bindings: &[Binding], context: Context, action: Action) -> &'static str {
    let binding = bindings
        .iter()
        .find(|binding| binding.context == context && binding.action == action);
    binding
        .and_then(|binding| binding.keys.first())
        .copied()
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_key_has_two_meanings_in_one_context() {
        let mut seen: HashMap<(Context, Chord), &str> = HashMap::new();
        for binding in table::BINDINGS {
            for key in binding.keys {
                let chord = Chord::parse(key).unwrap_or_else(|| panic!("`{key}` is not a key"));
                let before = seen.insert((binding.context, chord), binding.description);
                assert_eq!(before, None, "`{key}` in {:?}", binding.context);
            }
        }
        for (context, chord) in seen.keys() {
            let is_shadowed = !matches!(context, Context::Global | Context::Leader)
                && seen.contains_key(&(Context::Global, *chord));
            assert!(!is_shadowed, "{chord:?} of {context:?} is taken everywhere");
        }
    }

    #[test]
    fn keys_kept_for_the_terminal_stay_unbound() {
        for key in ["ctrl+b", "ctrl+s", "ctrl+q"] {
            let chord = Chord::parse(key).unwrap();
            let bound = table::BINDINGS
                .iter()
                .any(|b| b.keys.iter().any(|k| Chord::parse(k) == Some(chord)));
            assert!(!bound, "{key}");
        }
    }

    #[test]
    fn every_action_of_a_hint_has_a_key() {
        let keymap = Keymap::default();
        assert_eq!(keymap.label(Context::Composer, Action::Send), "enter");
        assert_eq!(keymap.label(Context::Global, Action::CycleMode), "shift+tab");
        assert_eq!(keymap.label(Context::Leader, Action::NextAsk), ".");
    }
}
