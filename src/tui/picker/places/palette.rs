//! The palette: everything that can be done now, by its words and with its key.

use super::{Place, Row, Wish};
use crate::tui::keymap::{Action, Bound, Context, Keymap, words};
use crate::view::Symbols;

pub(crate) struct Palette {
    entries: Vec<Entry>,
}

struct Entry {
    action: Action,
    description: &'static str,
    /// Empty where only the palette knows the way.
    key: String,
}

impl Palette {
    /// Gathers what the keymap knows for this context and everywhere. An action with several keys is there once, with the
    /// nearest of them. What the context's own keys do comes last: `enter` alone sends no draft.
    pub(crate) fn new(
        keymap: &Keymap,
        context: Context,
        symbols: Symbols,
        makes_sense: impl Fn(&Bound) -> bool,
    ) -> Self {
        let near = [context, Context::Global, Context::Leader, Context::Palette];
        let nearest = |action| {
            let bindings = near.iter().flat_map(|context| keymap.bindings(*context));
            let same: Vec<_> = bindings.filter(|binding| binding.action == action).collect();
            let keyed = same.iter().find(|binding| keymap.shown(binding).is_some());
            keyed.or(same.first()).copied()
        };
        let shown = [Context::Leader, Context::Palette, Context::Global, context];
        let bindings = shown.iter().flat_map(|context| keymap.bindings(*context));
        let mut entries: Vec<Entry> = Vec::new();
        for binding in bindings.filter(|binding| makes_sense(binding)) {
            let is_known = entries.iter().any(|entry| entry.action == binding.action);
            if let Some(binding) = nearest(binding.action).filter(|_| !is_known) {
                entries.push(Entry {
                    action: binding.action,
                    description: binding.description,
                    key: key(keymap, binding, symbols),
                });
            }
        }
        Self { entries }
    }
}

fn key(keymap: &Keymap, binding: &Bound, symbols: Symbols) -> String {
    match binding.context {
        Context::Leader => keymap.after_leader(binding.action),
        _ => words(keymap.shown(binding).unwrap_or_default(), symbols).to_owned(),
    }
}

impl Place for Palette {
    fn title(&self) -> &'static str {
        "Actions"
    }

    fn verb(&self) -> &'static str {
        "do it"
    }

    fn rows(&self) -> Vec<Row> {
        let row = |entry: &Entry| Row::new(entry.description).key(&entry.key);
        self.entries.iter().map(row).collect()
    }

    fn pick(&mut self, row: usize) -> Option<Wish> {
        self.entries.get(row).map(|entry| Wish::Act(entry.action))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(context: Context, makes_sense: impl Fn(&Bound) -> bool) -> Vec<String> {
        let palette = Palette::new(&Keymap::default(), context, Symbols::Ascii, makes_sense);
        let line = |entry: &Entry| format!("{} | {}", entry.description, entry.key);
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
                "answer what waits | ctrl+x .",
                "write in $EDITOR | ctrl+g",
                "send; in a turn: steer; on a chip: open it | enter",
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
