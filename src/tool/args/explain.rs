//! Explains to the model the arguments that still do not fit.

use serde_json::{Map, Value};

use super::{alternatives, array_items, enum_values, fits, required_names};

/// Says what does not fit: each field, what was expected and what was given, and the parameters there are. `None`: it all
/// fits.
pub fn explain(tool: &str, args: &Map<String, Value>, schema: &Value) -> Option<String> {
    let empty = Map::new();
    let properties = schema
        .get("properties")
        .and_then(Value::as_object)
        .unwrap_or(&empty);
    let required = required_names(schema);
    let mut faults = Vec::new();
    for name in &required {
        if !args.contains_key(*name) {
            let kind = properties.get(*name).map(describe_type).unwrap_or_default();
            faults.push(format!("`{name}` is missing ({kind})"));
        }
    }
    for (name, value) in args {
        if let Some(schema) = properties.get(name) {
            find_faults(name, value, schema, &mut faults);
        }
    }
    if faults.is_empty() {
        return None;
    }
    Some(format!(
        "the arguments of `{tool}` do not fit: {}\n{}",
        faults.join("; "),
        parameters(properties, &required)
    ))
}

fn find_faults(name: &str, value: &Value, schema: &Value, faults: &mut Vec<String>) {
    let has_type = schema.get("type").is_some() || alternatives(schema).next().is_some();
    let named = enum_values(schema).zip(value.as_str());
    let is_unknown = named.is_some_and(|(values, text)| !values.contains(&text));
    if has_type && !fits(value, schema) || is_unknown || is_out_of_range(value, schema) {
        faults.push(format!(
            "`{name}` should be {}, got {}",
            describe_type(schema),
            describe_value(value)
        ));
        return;
    }
    if let (Value::Array(items), Some(item_schema)) = (value, array_items(schema)) {
        for (index, item) in items.iter().enumerate() {
            find_item_faults(&format!("{name}[{index}]"), item, item_schema, faults);
        }
    }
}

fn bound(schema: &Value, name: &str) -> Option<f64> {
    schema.get(name).and_then(Value::as_f64)
}

fn is_out_of_range(value: &Value, schema: &Value) -> bool {
    let Some(number) = value.as_f64() else {
        return false;
    };
    bound(schema, "minimum").is_some_and(|least| number < least)
        || bound(schema, "maximum").is_some_and(|most| number > most)
}

fn find_item_faults(name: &str, item: &Value, schema: &Value, faults: &mut Vec<String>) {
    let (Value::Object(fields), Some(properties)) =
        (item, schema.get("properties").and_then(Value::as_object))
    else {
        return find_faults(name, item, schema, faults);
    };
    for wanted in required_names(schema) {
        if !fields.contains_key(wanted) {
            faults.push(format!("`{name}.{wanted}` is missing"));
        }
    }
    for (key, value) in fields {
        if let Some(schema) = properties.get(key) {
            find_faults(&format!("{name}.{key}"), value, schema, faults);
        }
    }
}

/// Lists the parameters of a tool on one line.
pub fn parameters(properties: &Map<String, Value>, required: &[&str]) -> String {
    let listed = properties.iter().map(|(name, schema)| {
        let need = if required.contains(&name.as_str()) {
            ", required"
        } else {
            ""
        };
        format!("{name} ({}{need})", describe_type(schema))
    });
    format!("Parameters: {}", listed.collect::<Vec<_>>().join(", "))
}

fn describe_type(schema: &Value) -> String {
    let kind = describe_kind(schema);
    match (bound(schema, "minimum"), bound(schema, "maximum")) {
        (Some(least), Some(most)) => format!("{kind} from {least} to {most}"),
        (Some(least), None) => format!("{kind} of at least {least}"),
        (None, Some(most)) => format!("{kind} of at most {most}"),
        (None, None) => kind,
    }
}

fn describe_kind(schema: &Value) -> String {
    if let Some(values) = enum_values(schema) {
        return format!("one of {}", values.join("|"));
    }
    match schema.get("type") {
        Some(Value::String(one)) if one == "array" => match array_items(schema) {
            Some(items) => format!("array of {}", describe_type(items)),
            None => one.clone(),
        },
        Some(Value::String(one)) => one.clone(),
        Some(Value::Array(several)) => several
            .iter()
            .filter_map(Value::as_str)
            .filter(|one| *one != "null")
            .collect::<Vec<_>>()
            .join(" or "),
        _ => alternatives(schema)
            .map(describe_type)
            .collect::<Vec<_>>()
            .join(" or "),
    }
}

fn describe_value(value: &Value) -> String {
    let kind = match value {
        Value::Null => return "null".to_owned(),
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    let text: String = value.to_string().chars().take(60).collect();
    format!("{kind} {text}")
}
