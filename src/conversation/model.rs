//! The name of a model: `provider/model`.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// A provider's key in the configuration and the model's name as that provider knows it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ModelRef {
    pub provider: String,
    /// May itself hold slashes (`openrouter/meta/llama-3`).
    pub model: String,
}

impl fmt::Display for ModelRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.provider, self.model)
    }
}

impl FromStr for ModelRef {
    type Err = String;

    fn from_str(given: &str) -> Result<Self, String> {
        match given.split_once('/') {
            Some((provider, model)) if !provider.is_empty() && !model.is_empty() => Ok(Self {
                provider: provider.to_owned(),
                model: model.to_owned(),
            }),
            _ => Err(format!(
                "`{given}` does not name a model; write it as `provider/model`"
            )),
        }
    }
}
