//! The grammars of source, loaded beside the screen.

use std::future::pending;

use tokio::sync::oneshot;

use crate::view::highlight;

/// Grammars that most conversations need.
const LANGUAGES: &[&str] = &["rust", "python", "typescript", "bash", "json", "go"];

/// Grammars take memory and time, so they are loaded when there is something to colour, on a thread of their own.
pub(super) enum Grammars {
    Unwanted,
    Loading(oneshot::Receiver<()>),
    Loaded,
}

impl Grammars {
    pub(super) fn load(&mut self) {
        let (done, loaded) = oneshot::channel();
        let thread = std::thread::Builder::new().name("grammars".to_owned());
        let begun = thread.spawn(move || {
            highlight::load(LANGUAGES);
            // The screen may be gone by now.
            let _ = done.send(());
        });
        if let Err(error) = begun {
            tracing::warn!(%error, "no thread begins to load the grammars");
        }
        *self = Self::Loading(loaded);
    }

    /// Waits until they are loaded.
    pub(super) async fn loaded(&mut self) {
        match self {
            // A loader that panicked leaves source plain where its grammar is at fault.
            Self::Loading(loaded) => drop(loaded.await),
            Self::Unwanted | Self::Loaded => pending().await,
        }
    }
}
