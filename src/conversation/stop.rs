//! Why a model's reply ended.

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stop {
    /// The model had said what it wanted.
    End,
    /// It waits for the results of its calls.
    ToolCalls,
    /// The output limit was reached; what is there may be cut.
    Length,
    /// The provider's filter ended it.
    Refusal,
}
