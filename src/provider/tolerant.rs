//! Reading of fields that providers and their imitations do not agree on: counts that are null or fractions, text that
//! is sometimes an object.

use serde::{Deserialize, Deserializer};
use serde_json::Number;
use serde_json::value::RawValue;

/// Reads a count; null and nonsense are 0.
pub(crate) fn count<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    Ok(some_count(deserializer)?.unwrap_or(0))
}

/// Reads a count that may be null.
pub(crate) fn some_count<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
    let number = Option::<Number>::deserialize(deserializer)?;
    Ok(number.map(|number| {
        number
            .as_u64()
            .or(number.as_f64().map(|float| float as u64))
            .unwrap_or(0)
    }))
}

/// Returns the string that `raw` is, if it is one and not empty.
pub(crate) fn text(raw: Option<&RawValue>) -> Option<String> {
    let json = raw?.get();
    if !json.starts_with('"') {
        return None;
    }
    serde_json::from_str::<String>(json)
        .ok()
        .filter(|text| !text.is_empty())
}

/// Returns the string that `raw` is, or else its JSON text: arguments come either way.
pub(crate) fn text_or_json(raw: Option<&RawValue>) -> Option<String> {
    match raw?.get() {
        "null" | "" => None,
        json if json.starts_with('"') => text(raw),
        json => Some(json.to_owned()),
    }
}
