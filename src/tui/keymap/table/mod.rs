//! The table, one file a part of the screen. The first key of a line is the one that hints show; it works in every
//! terminal.

mod anywhere;
mod composer;
mod dialog;
mod list;
mod page;
mod queue;
mod transcript;

use super::{Action, Binding, Context};

const PARTS: [&[Binding]; 7] = [
    anywhere::ROWS,
    composer::ROWS,
    queue::ROWS,
    transcript::ROWS,
    dialog::ROWS,
    list::ROWS,
    page::ROWS,
];

pub(super) fn bindings() -> impl Iterator<Item = &'static Binding> {
    PARTS.into_iter().flatten()
}

const fn bind(
    context: Context,
    keys: &'static [&'static str],
    action: Action,
    description: &'static str,
) -> Binding {
    Binding {
        context,
        keys,
        action,
        description,
    }
}
