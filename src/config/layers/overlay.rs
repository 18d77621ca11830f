//! One file laid over those before it, key by key at every depth.

use serde_json::{Map, Value};

/// Treatment of an array that an earlier file has as well.
#[derive(Clone, Copy)]
enum Arrays {
    Replaced,
    Joined,
}

/// Leaves out what the managed file switches on: that is not on when somebody else switched it off.
pub(super) fn keep_switched_off(object: &mut Map<String, Value>) {
    if let Some(Value::Object(tools)) = object.get_mut("tools") {
        tools.retain(|_, on| *on == Value::Bool(false));
    }
}

/// Lays one file over the ones before it.
pub(super) fn merge_file(base: &mut Map<String, Value>, over: Map<String, Value>) {
    for (key, value) in over {
        let arrays = match key.as_str() {
            "hooks" | "instructions" | "custom_tools" => Arrays::Joined,
            _ => Arrays::Replaced,
        };
        merge_entry(base, key, value, arrays);
    }
}

fn merge_entry(base: &mut Map<String, Value>, key: String, value: Value, arrays: Arrays) {
    match (base.get_mut(&key), value) {
        (Some(Value::Object(base)), Value::Object(over)) => {
            for (key, value) in over {
                merge_entry(base, key, value, arrays);
            }
        }
        (Some(Value::Array(base)), Value::Array(mut over)) if matches!(arrays, Arrays::Joined) => {
            base.append(&mut over);
        }
        (Some(place), value) => *place = value,
        (None, value) => {
            base.insert(key, value);
        }
    }
}
