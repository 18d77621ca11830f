//! Reading of fields that providers and their imitations do not agree on: counts that are strings or fractions, text
//! that is an object or comes in parts, fields of another kind than the protocol says.
//!
//! Text for a person or a tool is never dropped: it is read in whatever form it comes, or the event is an error.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use serde_json::value::RawValue;

use super::budget::BLOCKS;

/// More than anybody counts; sums of such counts do not overflow.
const MOST_COUNT: u64 = 1 << 48;

/// Reads a count; null and nonsense are 0.
pub(crate) fn count<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    Ok(some_count(deserializer)?.unwrap_or(0))
}

/// Reads a count that may be null, a fraction, or a number in a string.
pub(crate) fn some_count<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
    let value = Value::deserialize(deserializer)?;
    let whole = |number: f64| (number >= 0.0).then_some(number as u64);
    let count = match &value {
        Value::Number(number) => number.as_u64().or_else(|| number.as_f64().and_then(whole)),
        Value::String(text) => text
            .trim()
            .parse()
            .ok()
            .or_else(|| text.trim().parse().ok().and_then(whole)),
        _ => None,
    };
    Ok(count.map(|count| count.min(MOST_COUNT)))
}

/// Reads a name or an id: a string, or a number as its digits. Anything else is none.
pub(crate) fn some_name<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    Ok(match Value::deserialize(deserializer)? {
        Value::String(name) => Some(name),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    })
}

/// Reads an object that only tells something about the reply; one of another shape is none.
pub(crate) fn some_object<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: DeserializeOwned,
{
    let raw = Option::<&RawValue>::deserialize(deserializer)?;
    Ok(raw.and_then(|raw| serde_json::from_str(raw.get()).ok()))
}

/// Reads a list; null and what is no list are empty. One that is longer than a reply may be is an error.
pub(crate) fn list<'de, D>(deserializer: D) -> Result<Vec<&'de RawValue>, D::Error>
where
    D: Deserializer<'de>,
{
    let raw = Option::<&'de RawValue>::deserialize(deserializer)?;
    let list: Vec<&'de RawValue> = raw
        .and_then(|raw| serde_json::from_str(raw.get()).ok())
        .unwrap_or_default();
    if list.len() > BLOCKS {
        return Err(too_long());
    }
    Ok(list)
}

/// Reads a list of things that a reply may have at most [`BLOCKS`] of; null is empty.
pub(crate) fn short_list<'de, D, T>(deserializer: D) -> Result<Vec<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    struct Items<T>(std::marker::PhantomData<T>);
    impl<'de, T: Deserialize<'de>> serde::de::Visitor<'de> for Items<T> {
        type Value = Vec<T>;

        fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            formatter.write_str("a list")
        }

        fn visit_unit<E>(self) -> Result<Vec<T>, E> {
            Ok(Vec::new())
        }

        fn visit_seq<A: serde::de::SeqAccess<'de>>(self, mut items: A) -> Result<Vec<T>, A::Error> {
            let mut list = Vec::new();
            while let Some(item) = items.next_element()? {
                if list.len() == BLOCKS {
                    return Err(too_long());
                }
                list.push(item);
            }
            Ok(list)
        }
    }
    deserializer.deserialize_any(Items(std::marker::PhantomData))
}

fn too_long<E: serde::de::Error>() -> E {
    E::custom(format_args!("a list has more than {BLOCKS} items"))
}

/// Text of a reply, as it is meant for the person.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct ReplyText {
    pub(crate) text: String,
    pub(crate) reasoning: String,
    pub(crate) refusal: String,
}

/// Reads text that comes as a string, as an object with one, or as an array of such parts. Parts that hold no text are
/// skipped.
pub(crate) fn reply_text(raw: Option<&RawValue>) -> Result<ReplyText, serde_json::Error> {
    let mut words = ReplyText::default();
    let Some(raw) = raw else { return Ok(words) };
    if raw.get().starts_with('"') {
        words.text = serde_json::from_str(raw.get())?;
    } else if raw.get() != "null" {
        collect(&serde_json::from_str(raw.get())?, &mut words);
    }
    Ok(words)
}

fn collect(value: &Value, words: &mut ReplyText) {
    match value {
        Value::String(text) => words.text.push_str(text),
        Value::Array(parts) => parts.iter().for_each(|part| collect(part, words)),
        Value::Object(part) => {
            let kind = part.get("type").and_then(Value::as_str).unwrap_or_default();
            if let Some(refusal) = part.get("refusal").and_then(Value::as_str) {
                words.refusal.push_str(refusal);
            } else if kind == "thinking" || kind.contains("reasoning") {
                let inner = ["thinking", "text", "reasoning"]
                    .iter()
                    .find_map(|key| part.get(*key));
                words.reasoning.push_str(&inner.map(plain).unwrap_or_default());
            } else if let Some(inner) = part.get("text").or_else(|| part.get("value")) {
                collect(inner, words);
            }
        }
        Value::Number(_) | Value::Bool(_) => words.text.push_str(&value.to_string()),
        Value::Null => {}
    }
}

fn plain(value: &Value) -> String {
    let mut words = ReplyText::default();
    collect(value, &mut words);
    words.text
}

/// Returns the text that `raw` is in any of its forms; nothing where it is empty.
pub(crate) fn text(raw: Option<&RawValue>) -> Result<Option<String>, serde_json::Error> {
    let ReplyText {
        text,
        reasoning,
        refusal,
    } = reply_text(raw)?;
    let text = text + &reasoning + &refusal;
    Ok((!text.is_empty()).then_some(text))
}

/// Returns the string that `raw` is, or else its JSON text: arguments come either way.
pub(crate) fn text_or_json(raw: Option<&RawValue>) -> Result<Option<String>, serde_json::Error> {
    match raw.map(RawValue::get) {
        None | Some("null") => Ok(None),
        Some(json) if json.starts_with('"') => {
            let text: String = serde_json::from_str(json)?;
            Ok((!text.is_empty()).then_some(text))
        }
        Some(json) => Ok(Some(json.to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_read_in_every_form() {
        #[derive(Deserialize)]
        struct Figures {
            #[serde(default, deserialize_with = "count")]
            n: u64,
        }
        for (json, expected) in [
            (r#"{"n":7}"#, 7),
            (r#"{"n":"7"}"#, 7),
            (r#"{"n":" 7.0 "}"#, 7),
            (r#"{"n":7.9}"#, 7),
            (r#"{"n":null}"#, 0),
            (r#"{"n":-3}"#, 0),
            (r#"{"n":"many"}"#, 0),
            (r#"{"n":{"m":1}}"#, 0),
            ("{}", 0),
        ] {
            assert_eq!(
                serde_json::from_str::<Figures>(json).unwrap().n,
                expected,
                "{json}"
            );
        }
    }

    #[test]
    fn text_is_read_in_every_form() {
        for (json, expected) in [
            (r#""a""#, Some("a")),
            (r#""""#, None),
            ("null", None),
            ("[]", None),
            (
                r#"[{"type":"text","text":"a"},{"type":"text","text":{"value":"b"}},"c"]"#,
                Some("abc"),
            ),
            (r#"{"text":"a"}"#, Some("a")),
            (r#"[{"type":"image_url","image_url":{}}]"#, None),
            ("7", Some("7")),
        ] {
            let raw: Box<RawValue> = serde_json::from_str(json).unwrap();
            assert_eq!(text(Some(&raw)).unwrap().as_deref(), expected, "{json}");
        }
        let json = r#"[{"type":"thinking","thinking":[{"type":"text","text":"hm"}]},{"type":"text","text":"a"},{"type":"refusal","refusal":"no"}]"#;
        let raw: Box<RawValue> = serde_json::from_str(json).unwrap();
        let words = reply_text(Some(&raw)).unwrap();
        assert_eq!(
            (&*words.reasoning, &*words.text, &*words.refusal),
            ("hm", "a", "no")
        );
    }
}
