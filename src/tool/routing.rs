//! Calls whose arguments tell that another tool is meant than the one that is named.

use std::borrow::Cow;

use serde_json::Value;

use super::Route;
use super::args::snake_case;

/// Returns true if arguments as a model wrote them, as far as they have come or in their final form, are for the route's
/// tool.
pub(super) fn is_for(route: &Route, args: &Value) -> bool {
    let given = args.as_object().into_iter().flatten();
    let array = given
        .filter(|(key, _)| snake_case(key) == route.array)
        .map(|(_, value)| value);
    array.map(unwrapped).any(|array| {
        let items = match &*array {
            Value::Array(items) => items.as_slice(),
            one => std::slice::from_ref(one),
        };
        let mut keys = items
            .iter()
            .filter_map(Value::as_object)
            .flat_map(|item| item.keys());
        keys.any(|key| route.keys.contains(&snake_case(key).as_str()))
    })
}

/// Some models send the array as a string of JSON.
fn unwrapped(value: &Value) -> Cow<'_, Value> {
    let parsed = value.as_str().and_then(|text| serde_json::from_str(text).ok());
    parsed.map_or(Cow::Borrowed(value), Cow::Owned)
}
