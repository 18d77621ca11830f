//! Tokens and what they cost.

use serde::{Deserialize, Serialize};

/// Tokens of one model request, or a sum over several.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Usage {
    /// Input that was not read from a cache.
    pub input: u64,
    /// Output, with reasoning.
    pub output: u64,
    /// The part of `output` that was reasoning, where the provider says so.
    pub reasoning: u64,
    pub cache_read: u64,
    pub cache_write: u64,
}

impl Usage {
    /// Returns all tokens that stand in the context after the request.
    pub fn context(&self) -> u64 {
        self.input + self.cache_read + self.cache_write + self.output
    }
}

impl std::ops::AddAssign for Usage {
    fn add_assign(&mut self, other: Self) {
        self.input += other.input;
        self.output += other.output;
        self.reasoning += other.reasoning;
        self.cache_read += other.cache_read;
        self.cache_write += other.cache_write;
    }
}

/// US dollars per million tokens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Price {
    pub input: f64,
    pub output: f64,
    pub cache_read: f64,
    pub cache_write: f64,
}

impl Price {
    /// Returns the price of `usage` in US dollars.
    pub fn of(&self, usage: &Usage) -> f64 {
        let per_million = |tokens: u64, price: f64| tokens as f64 * price / 1_000_000.0;
        per_million(usage.input, self.input)
            + per_million(usage.output, self.output)
            + per_million(usage.cache_read, self.cache_read)
            + per_million(usage.cache_write, self.cache_write)
    }
}
