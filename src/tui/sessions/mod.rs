//! The sessions that are open at once, of which one is on screen.
//!
//! Each has a slot: a number that the screen gives it when it asks for it to be opened, before the session's own id is
//! known. Who owns what:
//!
//! ```text
//!   App                   what each session shows: one `SessionView` for each slot
//!   slots::SessionSlots   the way to the session of each slot: being opened, or its handle with a receiver
//!   session::Host         opens sessions, and knows those that are stored
//! ```
//!
//! `App` decides: it asks to open, show and close sessions in the order in which things happened, and what was
//! sent before another was shown still goes to the session that was on screen then. The loop performs them and brings back what each
//! session says, under its slot; what a session says that is not on screen is taken in by the same code, as if it were
//! there, so that coming back to it costs nothing and nothing was missed. Only that it wants something (it works, asks, or
//! has ended its turn) reaches the title row.
//!
//! The screen never waits for a session: the host opens, lists, searches and deletes on other threads, and the end of each is
//! an event like any other.

mod slots;

pub(super) use slots::{SessionMessage, SessionSlots};

pub(crate) use crate::session::host::SessionTarget;

/// One of the open sessions. Numbers are not used again.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct SlotId(pub(crate) u32);

impl SlotId {
    /// The session that the program was started with.
    pub(crate) const FIRST: Self = Self(0);
}
