//! Operations of the person on terminals.

use std::fmt;

use serde::{Deserialize, Serialize};

/// An operation of the person on a terminal of the tree. What cannot be done is told as a notice.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TerminalOp {
    /// Types bytes as a terminal sends them. Nothing of them is recorded.
    Type { name: String, bytes: TypedBytes },
    /// Changes the size of the screen.
    Resize { name: String, cols: u16, rows: u16 },
    /// Ends everything that runs in the terminal, and forgets it.
    Stop(String),
    /// Starts the user's shell in a terminal of the person's own.
    Start { cols: u16, rows: u16 },
    /// Lets agents use a terminal of the person's own.
    HandOver(String),
    /// Takes the terminal for the person alone, or gives it back.
    SetExclusive { name: String, is_exclusive: bool },
}

/// Bytes that a person typed. They may be a secret, so that no debugging output has them.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TypedBytes(pub Vec<u8>);

impl fmt::Debug for TypedBytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes", self.0.len())
    }
}
