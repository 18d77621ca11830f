//! The value read so far.

use serde_json::Value;

/// A value whose end may not have been read. Whatever is still open is the newest value of the one around it.
#[derive(Debug, Clone, Default)]
pub(super) struct OpenTree {
    /// None while nothing was read.
    pub(super) root: Option<Value>,
    /// How many containers are open, one inside the other.
    pub(super) depth: usize,
}

impl OpenTree {
    /// Returns the innermost open container.
    pub(super) fn container(&mut self) -> Option<&mut Value> {
        self.newest(self.depth.checked_sub(1)?)
    }

    /// Adds a value to the innermost open container, in an object under the key; as the root when there is none.
    pub(super) fn add(&mut self, key: Option<String>, value: Value) {
        match self.container() {
            Some(Value::Object(members)) => {
                let key = key.unwrap_or_default();
                // The last of equal keys counts, and is the newest.
                members.shift_remove(&key);
                members.insert(key, value);
            }
            Some(Value::Array(items)) => items.push(value),
            Some(_) => unreachable!("only containers are open"),
            None => self.root = Some(value),
        }
    }

    /// Adds to the string that was added last.
    pub(super) fn push_str(&mut self, text: &str) {
        match self.newest(self.depth) {
            Some(Value::String(newest)) => newest.push_str(text),
            _ => unreachable!("it was added as a string"),
        }
    }

    /// Returns the newest value inside so many containers.
    fn newest(&mut self, depth: usize) -> Option<&mut Value> {
        (0..depth).try_fold(self.root.as_mut()?, |value, _| match value {
            Value::Array(items) => items.last_mut(),
            Value::Object(members) => members.values_mut().next_back(),
            _ => None,
        })
    }
}
