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

/// A model as the one string that people write, for serde.
pub mod model_name {
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};

    use super::ModelRef;

    #[allow(clippy::ref_option, clippy::missing_errors_doc)] // The form that serde calls.
    pub fn serialize<S: Serializer>(model: &Option<ModelRef>, to: S) -> Result<S::Ok, S::Error> {
        match model {
            Some(model) => to.collect_str(model),
            None => to.serialize_none(),
        }
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<ModelRef>, D::Error> {
        let name = Option::<String>::deserialize(from)?;
        name.map(|name| name.parse().map_err(D::Error::custom))
            .transpose()
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
