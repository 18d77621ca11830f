//! Members of a message and of its calls that the protocol does not name, such as `reasoning_details` and
//! `extra_content`. They are put together from the deltas of a stream and sent back as they came.
//!
//! The rule is that of OpenAI's own SDKs for deltas: text is appended, objects are joined member by member, lists item by
//! item where the items have an `index`.

use serde_json::{Map, Value};

/// A text of this length that comes twice in a row is taken for a repetition: some servers send what does not change
/// with each delta.
const REPEATED: usize = 64;

/// Members whose value is a name, which later deltas repeat.
const NAMES: [&str; 6] = ["type", "id", "index", "format", "name", "role"];

/// The members of one object.
#[derive(Debug, Default)]
pub(super) struct ExtraMembers {
    members: Map<String, Value>,
    /// Bytes of the deltas.
    size: usize,
}

impl ExtraMembers {
    /// Adds what a delta has. `null` and empty values say nothing.
    pub(super) fn add(&mut self, delta: Map<String, Value>) {
        for (name, value) in delta {
            if !is_empty(&value) {
                self.size += name.len() + size(&value);
                join_member(&mut self.members, name, value);
            }
        }
    }

    /// Returns the bytes of the deltas so far.
    pub(super) fn size(&self) -> usize {
        self.size
    }

    /// Takes the members as one object; `None` where there are none.
    pub(super) fn take(&mut self) -> Option<Value> {
        let members = std::mem::take(self).members;
        (!members.is_empty()).then_some(Value::Object(members))
    }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(members) => members.is_empty(),
        Value::Bool(_) | Value::Number(_) => false,
    }
}

/// Returns about how many bytes a value has as JSON.
fn size(value: &Value) -> usize {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => 8,
        Value::String(text) => text.len() + 2,
        Value::Array(items) => items.iter().map(size).sum::<usize>() + 2,
        Value::Object(members) => {
            let sizes = members.iter().map(|(name, value)| name.len() + 4 + size(value));
            sizes.sum::<usize>() + 2
        }
    }
}

fn join_member(members: &mut Map<String, Value>, name: String, value: Value) {
    match members.get_mut(&name) {
        Some(whole) if !whole.is_null() => join(whole, value, NAMES.contains(&&*name)),
        _ => {
            // The pieces of a first list may belong together as well.
            let mut whole = if value.is_array() {
                Value::Array(Vec::new())
            } else {
                Value::Null
            };
            join(&mut whole, value, false);
            members.insert(name, whole);
        }
    }
}

fn join(whole: &mut Value, delta: Value, is_name: bool) {
    match (whole, delta) {
        (_, Value::Null) => {}
        (Value::String(text), Value::String(more)) if !is_name => {
            let is_repeated = more.len() >= REPEATED && *text == more;
            if !is_repeated {
                text.push_str(&more);
            }
        }
        (Value::Array(items), Value::Array(more)) => {
            for item in more {
                join_item(items, item);
            }
        }
        (Value::Object(members), Value::Object(more)) => {
            for (name, value) in more {
                join_member(members, name, value);
            }
        }
        (whole, delta) => *whole = delta,
    }
}

/// Adds an item to a list, or joins it to the last one if that has the same index and type.
fn join_item(items: &mut Vec<Value>, item: Value) {
    let same = |last: &&mut Value| {
        let indexed = item.get("index").is_some_and(|index| !index.is_null());
        indexed
            && ["index", "type"]
                .iter()
                .all(|key| last.get(*key) == item.get(*key))
    };
    match items.last_mut().filter(same) {
        Some(last) => join(last, item, false),
        None => items.push(item),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn joined(deltas: &[Value]) -> Option<Value> {
        let mut members = ExtraMembers::default();
        for delta in deltas {
            members.add(delta.as_object().unwrap().clone());
        }
        members.take()
    }

    #[test]
    fn text_is_appended_and_names_are_not() {
        assert_eq!(
            joined(&[
                json!({"reasoning_content": "I sh", "annotations": [], "audio": null}),
                json!({"reasoning_content": "ould"}),
                json!({"reasoning_content": ""}),
            ]),
            Some(json!({"reasoning_content": "I should"}))
        );
        assert_eq!(joined(&[json!({}), json!({"a": null, "b": ""})]), None);
    }

    #[test]
    fn items_with_one_index_are_joined() {
        assert_eq!(
            joined(&[
                json!({"reasoning_details": [{"type": "reasoning.text", "text": "a", "format": "f", "index": 0}]}),
                json!({"reasoning_details": [{"type": "reasoning.text", "text": "b", "format": "f", "index": 0}]}),
                json!({"reasoning_details": [
                    {"type": "reasoning.text", "signature": "s", "format": "f", "index": 0},
                    {"type": "reasoning.encrypted", "data": "x", "index": 1},
                    {"type": "reasoning.encrypted", "data": "y"},
                    {"type": "reasoning.encrypted", "data": "z"},
                ]}),
            ]),
            Some(json!({"reasoning_details": [
                {"type": "reasoning.text", "text": "ab", "format": "f", "index": 0, "signature": "s"},
                {"type": "reasoning.encrypted", "data": "x", "index": 1},
                {"type": "reasoning.encrypted", "data": "y"},
                {"type": "reasoning.encrypted", "data": "z"},
            ]}))
        );
    }

    #[test]
    fn a_long_text_that_is_repeated_is_kept_once() {
        let signature = json!({"extra_content": {"google": {"thought_signature": "s".repeat(80)}}});
        assert_eq!(joined(&[signature.clone(), signature.clone()]), Some(signature));
        assert_eq!(
            joined(&[
                json!({"a": {"b": "ha", "n": 1}}),
                json!({"a": {"b": "ha", "n": 2}})
            ]),
            Some(json!({"a": {"b": "haha", "n": 2}}))
        );
    }
}
