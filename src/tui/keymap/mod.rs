//! The keymap: one table of keys, their contexts and their actions.
//!
//! A key is looked up in the context that has the focus and then in [`Context::Global`], whose keys no other context may
//! use (`table` says which do nevertheless). `settings` makes a keymap from the table and the user's own keys, or says what
//! is wrong with them. Hints, the palette and the help screen are made from the live keymap, so they cannot be wrong.
//! Characters that the keymap does not know are text, where text is taken.

mod action;
mod chord;
mod context;
mod name;
mod preset;
mod settings;
mod table;

pub(crate) use action::{Action, Edit};
pub(crate) use chord::{Chord, typed};
pub(crate) use context::{Context, KeyRow, LayerKeys};
pub use settings::{KeyAction, KeyProblem, key_actions, key_presets};

use std::collections::HashMap;

use termina::event::KeyEvent;

use crate::tui::terminal_environment::KeyReporting;
use crate::view::Symbols;

/// One line of the table.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Binding {
    context: Context,
    row: KeyRow,
}

/// An action with its keys.
#[derive(Debug, Clone)]
pub(crate) struct BoundAction {
    pub(crate) context: Context,
    pub(crate) action: Action,
    pub(crate) description: &'static str,
    pub(crate) brief: Option<&'static str>,
    pub(crate) keys: Vec<Key>,
}

/// A key and how it is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Key {
    pub(crate) name: String,
    chord: Chord,
}

impl From<Chord> for Key {
    fn from(chord: Chord) -> Self {
        Self {
            name: chord.to_string(),
            chord,
        }
    }
}

impl BoundAction {
    fn of(binding: &Binding) -> Self {
        let Binding { context, row } = *binding;
        let keys = row.keys.iter().filter_map(|key| Chord::parse(key).ok());
        Self {
            context,
            action: row.action,
            description: row.description,
            brief: row.brief,
            keys: keys.map(Key::from).collect(),
        }
    }

    /// Returns true if `keybinds` means it by this name.
    fn has_name(&self, given: &str) -> bool {
        name::name(self.context, self.action) == given
    }
}

/// The meaning of keys in each context, for this user and this terminal.
#[derive(Debug, Clone)]
pub struct Keymap {
    bindings: Vec<BoundAction>,
    by_key: HashMap<(Context, Chord), Action>,
    heard: KeyReporting,
}

impl Default for Keymap {
    fn default() -> Self {
        Self::of(table::rows().map(|row| BoundAction::of(&row)).collect())
    }
}

impl Keymap {
    fn of(bindings: Vec<BoundAction>) -> Self {
        let rows = bindings.iter().flat_map(|binding| {
            let chords = binding.keys.iter().map(|key| key.chord);
            chords.map(|chord| ((binding.context, chord), binding.action))
        });
        Self {
            by_key: rows.collect(),
            bindings,
            heard: KeyReporting::Plain,
        }
    }

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

    /// Returns true if a key means something in this very context.
    pub(crate) fn has(&self, context: Context, key: KeyEvent) -> bool {
        self.by_key.contains_key(&(context, Chord::from_key(key)))
    }

    /// Learns from a key what the terminal can send.
    pub(crate) fn record_key(&mut self, key: KeyEvent) {
        if !Chord::from_key(key).is_universal() {
            self.heard = KeyReporting::All;
        }
    }

    /// Returns which keys have come so far.
    pub(crate) fn key_reporting(&self) -> KeyReporting {
        self.heard
    }

    /// Returns the key that hints show for an action: the first that the terminal can send. Empty where there is none.
    pub(crate) fn label(&self, context: Context, action: Action) -> &str {
        let mut bindings = self.bindings(context);
        let binding = bindings.find(|binding| binding.action == action);
        binding
            .and_then(|binding| self.key_label(binding))
            .unwrap_or_default()
    }

    /// Returns the key of an action with the leader before it: `ctrl+x .`. Empty where there is none.
    pub(crate) fn after_leader(&self, action: Action) -> String {
        let leader = self.label(Context::Global, Action::Leader);
        let key = self.label(Context::Leader, action);
        if leader.is_empty() || key.is_empty() {
            return String::new();
        }
        format!("{leader} {key}")
    }

    /// Returns the first key that the terminal can send.
    pub(crate) fn key_label<'a>(&self, binding: &'a BoundAction) -> Option<&'a str> {
        let mut keys = binding.keys.iter();
        let key = keys.find(|key| self.heard == KeyReporting::All || key.chord.is_universal())?;
        Some(&key.name)
    }

    pub(crate) fn bindings(&self, context: Context) -> impl Iterator<Item = &BoundAction> {
        self.bindings
            .iter()
            .filter(move |binding| binding.context == context)
    }
}

/// Returns a key's name as hints write it.
pub(crate) fn key_name(key: &str, symbols: Symbols) -> &str {
    match (symbols, key) {
        (Symbols::Unicode, "enter") => "⏎",
        (Symbols::Unicode, "up") => "↑",
        (Symbols::Unicode, "down") => "↓",
        (Symbols::Unicode, "left") => "←",
        (Symbols::Unicode, "right") => "→",
        (_, key) => key,
    }
}

#[cfg(test)]
mod tests {
    use termina::event::{KeyCode, Modifiers};

    use super::*;

    #[test]
    fn the_table_is_a_keymap() {
        for row in table::rows() {
            for key in row.row.keys {
                let chord = Chord::parse(key);
                assert_eq!(
                    chord.map(|chord| chord.to_string()),
                    Ok((*key).to_owned()),
                    "{row:?}"
                );
            }
            let is_universal = row
                .row
                .keys
                .first()
                .is_none_or(|key| Chord::parse(key).unwrap().is_universal());
            assert!(
                is_universal,
                "not every terminal can send the first key of {row:?}"
            );
        }
        // No key has two meanings in one context, or one that it has anywhere.
        Keymap::configured([]).unwrap();
    }

    #[test]
    fn keys_kept_for_the_terminal_stay_unbound() {
        for key in ["ctrl+b", "ctrl+s", "ctrl+q"] {
            let bound = table::rows().any(|row| row.row.keys.contains(&key));
            assert!(!bound, "{key}");
        }
    }

    #[test]
    fn hints_show_a_key_that_the_terminal_can_send() {
        let mut keymap = Keymap::configured([(
            "composer-newline",
            vec!["shift+enter".to_owned(), "ctrl+j".to_owned()],
        )])
        .unwrap();
        let shown = |keymap: &Keymap| keymap.label(Context::Composer, Action::Newline).to_owned();
        assert_eq!(shown(&keymap), "ctrl+j");
        keymap.record_key(KeyEvent::new(KeyCode::Enter, Modifiers::NONE));
        assert_eq!(shown(&keymap), "ctrl+j");
        keymap.record_key(KeyEvent::new(KeyCode::Enter, Modifiers::SHIFT));
        assert_eq!(shown(&keymap), "shift+enter");
    }

    #[test]
    fn every_action_of_a_hint_has_a_key() {
        let keymap = Keymap::default();
        assert_eq!(keymap.label(Context::Composer, Action::Send), "enter");
        assert_eq!(keymap.label(Context::Global, Action::CycleMode), "shift+tab");
        assert_eq!(keymap.label(Context::Leader, Action::NextAsk), ".");
    }
}
