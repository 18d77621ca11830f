//! Tells the stream of a tree how its terminals stand.
//!
//! Output wakes it, and while a program runs so does a clock: that a program waits for input, or hides it, is a fact of the
//! kernel of which nobody is told. A row that is as it was told last is not told again, so output alone tells nothing.

use std::sync::{Arc, Weak};
use std::time::Duration;

use tokio::time::{sleep, timeout};
use tokio_util::task::AbortOnDropHandle;

use super::Event;
use super::tree::SessionTree;
use crate::conversation::SessionId;
use crate::tool::TreeServices;

/// Shortest time between two looks, however much is printed.
const GATHER: Duration = Duration::from_millis(100);
/// Longest time between two looks while a program runs.
const LOOK: Duration = Duration::from_secs(1);
/// The same once nothing has happened for a while: hidden input is to be told within two seconds.
const LATER_LOOK: Duration = Duration::from_millis(1800);
/// Looks without a change after which they become rarer.
const LOOKS: u32 = 5;

/// Tells the tree of this root until the handle is dropped.
pub(super) fn tell(
    services: Arc<TreeServices>,
    tree: Weak<SessionTree>,
    root: SessionId,
) -> AbortOnDropHandle<()> {
    AbortOnDropHandle::new(tokio::spawn(async move {
        let terminals = &services.terminals;
        let mut changes = terminals.changes();
        let mut told = Vec::new();
        let mut idle_looks = 0;
        loop {
            let next = changes.changed();
            if terminals.has_live() {
                let look = if idle_looks < LOOKS { LOOK } else { LATER_LOOK };
                let is_change = timeout(look, next).await.is_ok();
                idle_looks = if is_change { 0 } else { idle_looks + 1 };
            } else if next.await.is_err() {
                return;
            }
            let looked = Arc::clone(&services);
            let Ok(rows) = tokio::task::spawn_blocking(move || looked.terminals.rows()).await else {
                return;
            };
            if rows != told {
                let Some(tree) = tree.upgrade() else { return };
                tree.publish(&root, Event::Terminals(Arc::new(rows.clone())));
                told = rows;
            }
            sleep(GATHER).await;
        }
    }))
}
