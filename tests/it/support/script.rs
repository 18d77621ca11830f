//! The turns of a scripted model, and the faults before them.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use super::deadline::{DEADLINE, Watched};

/// A wire protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Protocol {
    OpenAiChat,
    OpenAiResponses,
    Anthropic,
    Gemini,
}

impl Protocol {
    pub(crate) const ALL: [Self; 4] = [
        Self::OpenAiChat,
        Self::OpenAiResponses,
        Self::Anthropic,
        Self::Gemini,
    ];

    /// The name in the configuration.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::OpenAiChat => "openai-chat",
            Self::OpenAiResponses => "openai-responses",
            Self::Anthropic => "anthropic",
            Self::Gemini => "gemini",
        }
    }
}

/// One part of a reply.
#[derive(Debug, Clone)]
pub(super) enum Part {
    Text(String),
    Reasoning(String),
    /// The arguments as the model writes them, which need not be JSON.
    Call {
        name: String,
        arguments: String,
    },
}

/// Why the model stops.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ending {
    /// `tool calls` when there are any, `stop` otherwise.
    Natural,
    Length,
}

/// Token counts of one reply. `input` counts what no cache served.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Usage {
    pub(crate) input: u64,
    pub(crate) cache_read: u64,
    pub(crate) cache_write: u64,
    /// With reasoning.
    pub(crate) output: u64,
    pub(crate) reasoning: u64,
}

impl Default for Usage {
    fn default() -> Self {
        Self {
            input: 1000,
            cache_read: 0,
            cache_write: 0,
            output: 20,
            reasoning: 0,
        }
    }
}

/// A fault of one attempt at a turn, in place of the turn.
#[derive(Debug, Clone)]
pub(crate) enum Fault {
    /// An answer without a stream.
    Http { status: u16, retry_after: Option<u32> },
    /// An answer with status 400 and these words.
    Refused { message: String },
    /// The connection is cut after so many deltas.
    Drop { after: usize },
    /// After so many deltas, data that is not JSON.
    Malformed { after: usize },
    /// After so many deltas, the protocol's own error event.
    ErrorEvent { after: usize, message: String },
    /// After so many deltas, silence until the client leaves.
    Stall { after: usize },
    /// One event with so many bytes of text.
    Giant { bytes: usize },
    /// These bytes as the whole stream, which then ends well.
    Raw { stream: String },
}

impl Fault {
    /// Another server's stream, an event a line.
    pub(crate) fn events<S: AsRef<str>>(events: &[S]) -> Self {
        let events = events.iter().map(|event| format!("data: {}\n\n", event.as_ref()));
        Self::Raw {
            stream: events.collect(),
        }
    }

    pub(crate) fn status(status: u16) -> Self {
        Self::Http {
            status,
            retry_after: None,
        }
    }
}

/// Something that a stream waits at, until the test opens it.
///
/// Clones are the same gate.
#[derive(Debug, Clone, Default)]
pub(crate) struct Gate(Arc<Watched<GateState>>);

#[derive(Debug, Default)]
struct GateState {
    open: bool,
    reached: bool,
}

impl Gate {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// Lets the stream go on, now or when it comes here.
    pub(crate) fn open(&self) {
        self.0.update(|state| state.open = true);
    }

    /// Waits until a stream stands at the gate: everything before it was sent.
    #[track_caller]
    pub(crate) fn wait_until_reached(&self) {
        let reached = self.0.wait_for(DEADLINE, |state| state.reached.then_some(()));
        assert!(reached.is_some(), "no stream reached the gate in {DEADLINE:?}");
    }

    pub(super) fn arrive(&self) {
        self.0.update(|state| state.reached = true);
    }

    /// Returns true if it opens within this time.
    pub(super) fn opens_within(&self, patience: Duration) -> bool {
        self.0
            .wait_for(patience, |state| state.open.then_some(()))
            .is_some()
    }
}

/// One reply of the model, and the faults before it.
#[derive(Debug, Clone)]
pub(crate) struct Turn {
    pub(super) parts: Vec<Part>,
    pub(super) usage: Usage,
    /// Characters in a text delta.
    pub(super) piece: usize,
    /// Characters in a delta of arguments.
    pub(super) argument_piece: usize,
    /// Deltas a second; as fast as they are read when it is `None`.
    pub(super) rate: Option<f64>,
    /// Stands before the delta with this number.
    pub(super) gates: Vec<(usize, Gate)>,
    pub(super) faults: VecDeque<Fault>,
    pub(super) ending: Ending,
}

impl Turn {
    /// An empty reply, to which parts are added in order.
    pub(crate) fn new() -> Self {
        Self {
            parts: Vec::new(),
            usage: Usage::default(),
            piece: 5,
            argument_piece: 12,
            rate: None,
            gates: Vec::new(),
            faults: VecDeque::new(),
            ending: Ending::Natural,
        }
    }

    pub(crate) fn text(text: &str) -> Self {
        Self::new().say(text)
    }

    pub(crate) fn tool(name: &str, arguments: Value) -> Self {
        Self::new().call(name, arguments)
    }

    #[must_use]
    pub(crate) fn say(self, text: &str) -> Self {
        self.part(Part::Text(text.into()))
    }

    #[must_use]
    pub(crate) fn reasoning(self, text: &str) -> Self {
        self.part(Part::Reasoning(text.into()))
    }

    /// Several calls of one turn are parallel.
    #[must_use]
    #[allow(
        clippy::needless_pass_by_value,
        reason = "a literal reads better without a borrow"
    )]
    pub(crate) fn call(self, name: &str, arguments: Value) -> Self {
        self.raw_args(name, &arguments.to_string())
    }

    /// A call whose arguments are not checked: they may be no JSON at all.
    ///
    /// Gemini sends arguments as an object, so there the text becomes `{"_raw": text}` when it is none.
    #[must_use]
    pub(crate) fn raw_args(self, name: &str, arguments: &str) -> Self {
        self.part(Part::Call {
            name: name.into(),
            arguments: arguments.into(),
        })
    }

    #[must_use]
    pub(crate) fn usage(mut self, usage: Usage) -> Self {
        self.usage = usage;
        self
    }

    #[must_use]
    pub(crate) fn piece(mut self, characters: usize) -> Self {
        self.piece = characters.max(1);
        self
    }

    #[must_use]
    pub(crate) fn rate(mut self, deltas_per_second: f64) -> Self {
        self.rate = Some(deltas_per_second);
        self
    }

    /// Holds the stream after so many deltas (of text, reasoning or arguments) until the gate is opened.
    #[must_use]
    pub(crate) fn gate(mut self, after: usize, gate: &Gate) -> Self {
        self.gates.push((after, gate.clone()));
        self
    }

    /// One more attempt that fails before the turn is served.
    #[must_use]
    pub(crate) fn fail(mut self, fault: Fault) -> Self {
        self.faults.push_back(fault);
        self
    }

    /// Ends for want of output tokens.
    #[must_use]
    pub(crate) fn cut_by_length(mut self) -> Self {
        self.ending = Ending::Length;
        self
    }

    fn part(mut self, part: Part) -> Self {
        self.parts.push(part);
        self
    }

    pub(super) fn has_calls(&self) -> bool {
        self.parts.iter().any(|part| matches!(part, Part::Call { .. }))
    }
}
