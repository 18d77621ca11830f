//! JSON that most never look at.

use std::borrow::Cow;
use std::fmt;
use std::ops::{Deref, DerefMut};
use std::sync::OnceLock;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use serde_json::value::RawValue;

/// A JSON value that stays the text it was stored as until somebody looks into it.
///
/// A long session holds thousands of arguments and details, and shows few. As values they take several times the memory
/// of their text, and longer to read than all that is said around them. [`Json::read`] reads them as what they are and
/// keeps nothing; what uses them as a [`Value`] has them read once and kept.
#[derive(Clone, Default)]
pub struct Json {
    /// Its syntax is right. Empty when there is only the value.
    text: Box<str>,
    value: OnceLock<Box<Value>>,
}

impl Json {
    /// Reads fields of an object, without keeping anything; `None` where it is none, or they are others.
    pub fn fields<T: DeserializeOwned>(&self) -> Option<T> {
        let is_object = match self.value.get() {
            Some(value) => value.is_object(),
            None => self.text.starts_with('{'),
        };
        is_object.then(|| self.read().ok()).flatten()
    }

    /// Reads it as a `T`, without keeping anything.
    pub fn read<T: DeserializeOwned>(&self) -> Result<T, serde_json::Error> {
        match self.value.get() {
            Some(value) => T::deserialize(&**value),
            None if self.text.is_empty() => T::deserialize(Value::Null),
            None => serde_json::from_str(&self.text),
        }
    }

    /// Returns the value, without keeping it. Text that looks like JSON and is no value is null: half a surrogate pair, a
    /// number beyond all measure, or more than 127 levels.
    pub fn value(&self) -> Cow<'_, Value> {
        match self.value.get() {
            Some(value) => Cow::Borrowed(value),
            None => Cow::Owned(self.read().unwrap_or_default()),
        }
    }

    /// Returns the bytes of its text.
    pub fn text_len(&self) -> usize {
        match self.value.get() {
            Some(value) if self.text.is_empty() => value.to_string().len(),
            _ => self.text.len(),
        }
    }

    pub fn into_value(mut self) -> Value {
        std::mem::take(&mut *self)
    }
}

impl Deref for Json {
    type Target = Value;

    fn deref(&self) -> &Value {
        self.value
            .get_or_init(|| Box::new(self.read().unwrap_or_default()))
    }
}

impl DerefMut for Json {
    fn deref_mut(&mut self) -> &mut Value {
        if self.value.get().is_none() {
            self.value = OnceLock::from(Box::new(self.value().into_owned()));
        }
        self.text = Box::default();
        self.value.get_mut().expect("it was set above")
    }
}

impl From<Value> for Json {
    fn from(value: Value) -> Self {
        Self {
            text: Box::default(),
            value: OnceLock::from(Box::new(value)),
        }
    }
}

impl From<&RawValue> for Json {
    fn from(raw: &RawValue) -> Self {
        Self {
            text: raw.get().into(),
            value: OnceLock::new(),
        }
    }
}

impl PartialEq for Json {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl PartialEq<Value> for Json {
    fn eq(&self, other: &Value) -> bool {
        **self == *other
    }
}

impl fmt::Debug for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&*self.value(), f)
    }
}

impl fmt::Display for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&*self.value(), f)
    }
}

impl Serialize for Json {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.value().serialize(serializer)
    }
}

/// Reads a value: text can be borrowed only where the whole is JSON text ([`RawValue`]).
impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Value::deserialize(deserializer).map(Self::from)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn stored(text: &str) -> Json {
        Json::from(serde_json::from_str::<&RawValue>(text).unwrap())
    }

    #[test]
    fn text_and_value_compare_equal() {
        let value = json!({ "z": 1, "a": [null, "é\n", 0.5] });
        let (text, made) = (stored(&value.to_string()), Json::from(value.clone()));
        assert_eq!(text, made);
        assert_eq!(text["a"][1], "é\n");
        assert_eq!(serde_json::to_string(&text).unwrap(), value.to_string());
        assert_eq!(text.clone().into_value(), value);
        assert_eq!(Json::default(), Value::Null);
    }

    #[test]
    fn reading_keeps_nothing_and_looking_keeps_the_value() {
        #[derive(Deserialize)]
        struct Head {
            a: u8,
        }
        let json = stored(r#"{"a": 7, "b": {"c": 1}}"#);
        assert_eq!(json.read::<Head>().unwrap().a, 7);
        assert!(json.value.get().is_none());
        assert_eq!(json["b"]["c"], 1);
        assert!(json.value.get().is_some());
        assert_eq!(json.read::<Head>().unwrap().a, 7);
        assert!(json.read::<Vec<u8>>().is_err());
        assert_eq!(json.fields::<Head>().map(|head| head.a), Some(7));
        for other in ["[7]", "7", "null", r#"{"a": "7"}"#, "{}"] {
            let text = stored(other);
            assert!(text.fields::<Head>().is_none(), "{other}");
            assert!(
                Json::from(text.into_value()).fields::<Head>().is_none(),
                "{other}"
            );
        }
        assert_eq!(Json::default().read::<Option<u8>>().unwrap(), None);
    }

    #[test]
    fn what_is_changed_is_no_longer_the_text() {
        let mut json = stored(r#"{"a": 7}"#);
        json["a"] = Value::from(8);
        assert_eq!(serde_json::to_string(&json).unwrap(), r#"{"a":8}"#);
        assert_eq!(json.clone(), json!({ "a": 8 }));
        let mut empty = Json::default();
        empty["a"] = Value::from(1);
        assert_eq!(empty, json!({ "a": 1 }));
    }

    #[test]
    fn text_that_is_no_value_is_null() {
        assert_eq!(stored(r#"{"a": "\ud800"}"#), Value::Null);
        assert_eq!(stored("1e999"), Value::Null);
    }
}
