//! Makes room in the context: which old outputs are masked, where a summary ends, and what is kept beside it.
//!
//! Everything here but [`summary`] is computed from messages alone. When it is done and what becomes of the result is up to
//! the session.

mod kept;
mod mask;
pub mod summary;
mod tail;

pub use kept::{instructions, last_compaction, open_files, plan, words};
pub use mask::maskable;
pub use summary::{SummaryJob, SummaryText};
pub use tail::tail_start;

/// Sizes in tokens that a context is kept within.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContextBudget {
    /// The model's window.
    pub window: u64,
    /// Tokens of one reply, to plan with.
    pub output: u64,
    /// The share of the window that may be used.
    pub threshold: f64,
}

impl ContextBudget {
    /// Returns the size at which something has to go: the threshold, and never so much that no reply fits.
    pub fn full(&self) -> u64 {
        let threshold = (self.window as f64 * self.threshold) as u64;
        threshold.min(self.window - self.output.min(self.window / 20))
    }

    /// Returns the most that stays word for word at the end of the conversation.
    pub fn tail(&self) -> u64 {
        self.window / 4
    }

    /// Returns the least that a batch of masked outputs frees. Each batch has the provider read anew what follows, so it has to be large:
    /// a quarter of the window costs as much as some ten requests with it in the cache. Where the provider has forgotten it
    /// anyway, and where the window is full, less will do.
    pub fn batch(&self, is_free: bool) -> u64 {
        if is_free {
            self.window / 10
        } else {
            self.window / 4
        }
    }

    /// Returns the size from which on masking is worth looking at.
    pub fn masking_starts(&self) -> u64 {
        self.window / 2
    }

    /// Returns the most of one kind of text that is kept beside a summary: a tenth of the window, at most 20,000 tokens.
    pub fn kept(&self) -> u64 {
        (self.window / 10).min(20_000)
    }
}
