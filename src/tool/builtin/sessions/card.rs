//! Cards of the tools that look at sessions.

use crate::tool::builtin::{self, COLLAPSED};
use crate::tool::{DrawnArgs, RenderCx};
use crate::view::card::{Card, Fact, Tone, ToneSpan};

pub(super) fn call(about: &str) -> Card {
    Card::new("Sessions", about)
}

/// A call about a session of which only the id is known, which says nothing to a person.
pub(super) fn one(args: DrawnArgs<'_>) -> Card {
    call(match args.text("session_id") {
        "" => "",
        _ => "one session",
    })
}

/// The card of one session, by its title where that is known.
pub(super) fn session(title: &str, args: DrawnArgs<'_>, messages: usize) -> Card {
    match title {
        "" => one(args),
        title => call(title).meta(Fact::count(messages, "message")),
    }
}

/// A list with the number of what it has.
pub(super) fn rows(
    card: Card,
    rows: impl ExactSizeIterator<Item = String>,
    noun: &'static str,
    cx: RenderCx,
) -> Card {
    let count = rows.len();
    let rows = rows.map(|row| ToneSpan::new(Tone::Normal, row).into());
    builtin::rows(card.meta(Fact::count(count, noun)), rows, count, COLLAPSED, cx)
}
