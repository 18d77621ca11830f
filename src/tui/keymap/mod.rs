//! Which key means what, and where: one table.
//!
//! A key is looked up in the context that has the focus and then in [`Context::Global`], whose keys no other context may
//! use (only `shift+tab` leads back in a form, as it does in every form); a test proves that no key has two meanings in
//! one context. Hints and the help screen are made from this table,
//! so they cannot be wrong. Characters that the table does not know are text, where text is taken.

mod action;
mod chord;
mod context;
mod table;

pub(crate) use action::{Action, Edit, List, Stretch};
pub(crate) use chord::{Chord, typed};
pub(crate) use context::Context;

use std::collections::HashMap;

use crossterm::event::KeyEvent;

use crate::view::Symbols;

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
    bindings: Vec<&'static Binding>,
    by_key: HashMap<(Context, Chord), Action>,
}

impl Default for Keymap {
    fn default() -> Self {
        let bindings: Vec<&'static Binding> = table::bindings().collect();
        let rows = bindings.iter().flat_map(|binding| {
            let chords = binding.keys.iter().filter_map(|key| Chord::parse(key));
            chords.map(|chord| ((binding.context, chord), binding.action))
        });
        Self {
            by_key: rows.collect(),
            bindings,
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
        label_in(self.bindings.iter().copied(), context, action)
    }

    pub(crate) fn bindings(&self, context: Context) -> impl Iterator<Item = &'static Binding> {
        let bindings = self.bindings.iter().copied();
        bindings.filter(move |binding| binding.context == context)
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
    label_in(table::bindings(), context, action)
}

fn label_in(
    mut bindings: impl Iterator<Item = &'static Binding>,
    context: Context,
    action: Action,
) -> &'static str {
    let binding = bindings.find(|binding| binding.context == context && binding.action == action);
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
        for binding in table::bindings() {
            for key in binding.keys {
                let chord = Chord::parse(key).unwrap_or_else(|| panic!("`{key}` is not a key"));
                let before = seen.insert((binding.context, chord), binding.description);
                assert_eq!(before, None, "`{key}` in {:?}", binding.context);
            }
        }
        for (context, chord) in seen.keys() {
            let back = Chord::parse("shift+tab").unwrap();
            let leads_back = matches!(context, Context::Form | Context::FormText) && *chord == back;
            // Where there is one row after the other `ctrl+p` goes up, as it does everywhere.
            let up = Chord::parse("ctrl+p").unwrap();
            let goes_up = matches!(context, Context::Picker | Context::Search) && *chord == up;
            let is_shadowed = !matches!(context, Context::Global | Context::Leader)
                && !leads_back
                && !goes_up
                && seen.contains_key(&(Context::Global, *chord));
            assert!(!is_shadowed, "{chord:?} of {context:?} is taken everywhere");
        }
    }

    #[test]
    fn keys_kept_for_the_terminal_stay_unbound() {
        for key in ["ctrl+b", "ctrl+s", "ctrl+q"] {
            let chord = Chord::parse(key).unwrap();
            let bound = table::bindings().any(|b| b.keys.iter().any(|k| Chord::parse(k) == Some(chord)));
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
