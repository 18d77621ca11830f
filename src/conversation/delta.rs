//! Pieces of a provider's stream, in a form that all four protocols share.

use super::{Native, Stop, Usage};

/// One event of a reply. Blocks are numbered in wire order from 0; a block is opened once, grows, and is closed once.
#[derive(Debug, Clone, PartialEq)]
pub enum StreamEvent {
    TextStart {
        block: usize,
    },
    ReasoningStart {
        block: usize,
    },
    /// A call's name is known from its first event on. `provider_id` may be missing (Gemini).
    CallStart {
        block: usize,
        provider_id: Option<String>,
        name: String,
    },
    /// Text of a text or reasoning block, or a piece of a call's JSON arguments.
    Delta {
        block: usize,
        delta: String,
    },
    /// The block is whole. `native` is the provider's own form of it, where it has to be sent back unchanged.
    End {
        block: usize,
        native: Option<Native>,
    },
    /// Figures so far; a later one replaces an earlier one.
    Usage(Usage),
    /// The reason, in the provider's own words, of a refusal that [`Stop::Refusal`] ends.
    Refusal(String),
    /// The reply ended well. A stream that ends without it was cut.
    Stop(Stop),
}
