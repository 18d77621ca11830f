//! The table, one file a part of the screen. The first key of a line is the one that hints show; it works in every
//! terminal.

mod composer;
mod dialog;
mod global;
mod list;
mod page;
mod panel;
mod queue;
mod tasks;
mod transcript;

use super::{Action, Binding, Context, KeyRow, LayerKeys};
use crate::tui::app::pickers::{LISTS, OpeningKey};
use crate::tui::dialog as dialogs;
use crate::tui::page::{PAGES, Page};

/// The rows of one context.
type ContextRows = (Context, &'static [KeyRow]);

const PARTS: [&[ContextRows]; 9] = [
    global::ROWS,
    composer::ROWS,
    queue::ROWS,
    transcript::ROWS,
    dialog::ROWS,
    panel::ROWS,
    tasks::ROWS,
    list::ROWS,
    page::ROWS,
];

/// Returns all bindings. The keys of lists stand behind the actions that they name. Pages that have a key after the leader stand behind the other keys of the leader, the others
/// at the end of the palette.
pub(super) fn rows() -> impl Iterator<Item = Binding> {
    let [anywhere, parts @ ..] = PARTS;
    let (in_palette, with_key): (Vec<_>, Vec<_>) = PAGES
        .iter()
        .map(|page| opens(page))
        .partition(|opens| opens.row.keys.is_empty());
    let own = parts.into_iter().flat_map(bindings);
    let of_layers = layers().flat_map(LayerKeys::bindings);
    let anywhere = bindings(anywhere).chain(with_key);
    let mut rows: Vec<_> = anywhere.chain(own).chain(of_layers).chain(in_palette).collect();
    for key in LISTS.iter().flat_map(|list| list.keys) {
        let OpeningKey { context, row, after } = *key;
        let place = match after {
            None => rows.iter().position(|row| row.context == context),
            Some(after) => {
                let is_before = |row: &Binding| row.context == context && row.row.action == after;
                rows.iter().position(is_before).map(|before| before + 1)
            }
        };
        rows.insert(place.unwrap_or(rows.len()), Binding { context, row });
    }
    rows.into_iter()
}

/// Returns the keys that layers bring along.
pub(super) fn layers() -> impl Iterator<Item = &'static LayerKeys> {
    let of_pages = PAGES.iter().flat_map(|page| page.keys);
    of_pages.chain(dialogs::KEYS).copied()
}

/// Returns the binding that opens a page: a key after the leader, or only its entry in the palette.
fn opens(page: &'static Page) -> Binding {
    let context = match page.leader {
        [] => Context::Palette,
        _ => Context::Leader,
    };
    let row = KeyRow::new(page.leader, Action::OpenPage(page), page.description).brief(page.brief);
    Binding { context, row }
}

/// Returns true if an action may have a key in its context that has another meaning anywhere: where there is one row
/// after the other `ctrl+p` goes up, as it does everywhere.
pub(super) fn may_cover(context: Context, action: Action) -> bool {
    match action {
        Action::RowUp => matches!(context, Context::Picker | Context::Completion | Context::Layer(_)),
        Action::PreviousMatch => context == Context::Search,
        _ => false,
    }
}

const fn row(keys: &'static [&'static str], action: Action, description: &'static str) -> KeyRow {
    KeyRow::new(keys, action, description)
}

/// Returns the bindings of a part of the table.
fn bindings(part: &'static [ContextRows]) -> impl Iterator<Item = Binding> {
    let of_context = |(context, rows): &'static ContextRows| {
        rows.iter().map(|row| Binding {
            context: *context,
            row: *row,
        })
    };
    part.iter().flat_map(of_context)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The keys that the design of the screen promises. `tests/it/screen_keys.rs` presses them. Vim has its own.
    const PROMISED: &[(Context, &str)] = &[
        (
            Context::Global,
            "ctrl+p ctrl+t ctrl+g ctrl+l shift+tab pgup pgdn ctrl+z ctrl+c esc ctrl+x",
        ),
        (
            Context::Leader,
            "p w e b [ o . q m a c d y r M ? s n tab & u U up left right",
        ),
        (
            Context::Composer,
            "enter alt+enter ctrl+j shift+enter tab up down left right home end ctrl+r ctrl+_ ? ctrl+a ctrl+e ctrl+f ctrl+d \
             ctrl+h ctrl+k ctrl+u ctrl+w ctrl+y alt+b alt+f alt+d ctrl+left ctrl+right alt+left alt+right alt+backspace \
             delete backspace",
        ),
        (
            Context::Transcript,
            "j k up down g G { } ] [ o space O enter y c Y e f u / n N v t i ?",
        ),
        (Context::Question, "y a n N e d f tab ] ["),
        (Context::QuestionAlways, "up down space e s enter"),
        (Context::Panel, "j k space enter e x A D"),
        (Context::Queue, "enter x K J tab"),
        (Context::Picker, "up down ctrl+n ctrl+p enter ctrl+r ctrl+d"),
        (Context::Search, "enter up down ctrl+n ctrl+p"),
        (Context::Completion, "enter tab up down"),
    ];

    /// The same of layers with keys of their own, by their names.
    const PROMISED_OF_LAYERS: &[(&str, &str)] = &[
        ("rules", "up down ctrl+n ctrl+p ctrl+d"),
        ("changes", "] [ x m"),
        ("undo", "1 2 3 enter f ] [ q"),
        ("tasks", "enter x X r c D"),
        ("task-changes", "j k space enter a x n p ] ["),
        (
            "watch",
            "left right up down enter 1 9 < > tab y n N a m x X b r c s /",
        ),
    ];

    #[test]
    fn the_keys_of_a_list_stand_behind_the_action_that_they_name() {
        for key in LISTS.iter().flat_map(|list| list.keys) {
            let of_context: Vec<_> = rows().filter(|row| row.context == key.context).collect();
            let own = of_context.iter().position(|row| row.row.action == key.row.action);
            let before = own.unwrap().checked_sub(1);
            assert_eq!(before.map(|before| of_context[before].row.action), key.after);
        }
    }

    #[test]
    fn every_promised_key_is_bound() {
        let layer = |name| Context::Layer(layers().find(|keys| keys.name == name).unwrap());
        let of_layers = PROMISED_OF_LAYERS
            .iter()
            .map(|(name, keys)| (layer(*name), *keys));
        for (context, keys) in PROMISED.iter().copied().chain(of_layers) {
            for key in keys.split_whitespace() {
                let is_bound = rows().any(|row| row.context == context && row.row.keys.contains(&key));
                assert!(is_bound, "`{key}` does nothing in {context:?}");
            }
        }
    }
}
