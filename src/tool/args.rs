//! From what a model wrote to what a tool asked for: names, then types.
//!
//! One place for the generosity that every tool gets. Keys become snake case, other names become the parameter's own,
//! and values of a near type become the wanted one, guided by the tool's schema. Free text is never trimmed, unescaped
//! or dropped when it is required. Whatever still does not fit is told by [`mod@explain`].

mod explain;
#[cfg(test)]
mod tests;

use serde_json::{Map, Value};

use super::{ParamAlias, ParamTarget};
pub use explain::{explain, parameters};

/// Parameters whose text is taken as it is when it is required.
const FREE_TEXT: &[&str] = &[
    "content",
    "old_string",
    "new_string",
    "text",
    "old_text",
    "new_text",
    "patch_text",
    "prompt",
    "command",
    "query",
];

/// Optional parameters of these names hold paths, globs and ids, where an empty string means nothing was given. So do
/// those whose names end with `_path` or `_id`.
const EMPTY_IS_ABSENT: &[&str] = &[
    "path", "paths", "workdir", "include", "exclude", "ignore", "globs", "id", "session", "rename",
];

/// Aliases that every tool has which has the target.
const COMMON: &[(&str, &[&str])] = &[
    ("path", &["file_path"]),
    ("file", &["file_path"]),
    ("filename", &["file_path"]),
    ("filepath", &["file_path"]),
    ("dir", &["path"]),
    ("directory", &["path"]),
    ("file_path", &["path"]),
    ("cmd", &["command"]),
    ("language", &["lang"]),
    ("agent", &["subagent_type"]),
    ("subagent", &["subagent_type"]),
    ("agent_type", &["subagent_type"]),
    ("limit_lines", &["limit"]),
];

/// Arguments that fit the names of a schema.
#[derive(Debug, Clone, PartialEq)]
pub struct NormalizedArgs {
    pub args: Map<String, Value>,
    /// Keys that no parameter goes by.
    pub ignored: Vec<String>,
}

/// Brings `given` to the names and types of `schema`.
pub fn normalise(given: Map<String, Value>, schema: &Value, aliases: &[ParamAlias]) -> NormalizedArgs {
    let properties = schema.get("properties").and_then(Value::as_object);
    let Some(properties) = properties else {
        return NormalizedArgs {
            args: Map::new(),
            ignored: given.into_iter().map(|(key, _)| key).collect(),
        };
    };
    let mut args = given;
    let mut coercion = Coercion {
        aliases,
        ignored: Vec::new(),
    };
    coercion.coerce_fields(&mut args, properties, &required_names(schema), "");
    NormalizedArgs {
        args,
        ignored: coercion.ignored,
    }
}

/// Finds a parameter among arguments in a model's spelling, and returns it with the name that it has there.
pub fn find<'a>(
    given: &'a Map<String, Value>,
    name: &str,
    aliases: &[ParamAlias],
) -> Option<(&'a str, &'a Value)> {
    let is_meant = |key: &str| {
        let snake = snake_case(key);
        let mut own = aliases
            .iter()
            .filter(|alias| alias.alias == key || alias.alias == snake);
        match own.next() {
            _ if snake == name => true,
            Some(alias) => matches!(alias.target, ParamTarget::Name(target) if target == name),
            None => COMMON
                .iter()
                .any(|(alias, targets)| *alias == snake && targets.contains(&name)),
        }
    };
    let found = given.get_key_value(name);
    let found = found.or_else(|| given.iter().find(|(key, _)| is_meant(key)));
    found.map(|(key, value)| (key.as_str(), value))
}

fn required_names(schema: &Value) -> Vec<&str> {
    let listed = schema.get("required").and_then(Value::as_array);
    listed.into_iter().flatten().filter_map(Value::as_str).collect()
}

/// Turns `filePath`, `FilePath`, `file-path` and `-i` into `file_path` and `i`; the letters of `XMLPath` and `sessionID`
/// stay together.
pub fn snake_case(key: &str) -> String {
    let letters: Vec<char> = key.trim_start_matches('-').chars().collect();
    let mut snake = String::with_capacity(key.len() + 4);
    for (at, c) in letters.iter().enumerate() {
        match c {
            '-' | ' ' => snake.push('_'),
            c if c.is_uppercase() => {
                if begins_a_word(&letters, at) {
                    snake.push('_');
                }
                snake.extend(c.to_lowercase());
            }
            c => snake.push(*c),
        }
    }
    snake
}

/// Returns true if the capital at `at` comes after a small letter, or ends a run of capitals: the `P` of `XMLPath`.
fn begins_a_word(letters: &[char], at: usize) -> bool {
    let Some(before) = at.checked_sub(1).map(|before| letters[before]) else {
        return false;
    };
    let is_before_small = letters.get(at + 1).is_some_and(|next| next.is_lowercase());
    before.is_lowercase() || before.is_ascii_digit() || (before.is_uppercase() && is_before_small)
}

struct Names<'a> {
    properties: &'a Map<String, Value>,
    aliases: &'a [ParamAlias],
    args: Map<String, Value>,
    ignored: Vec<String>,
}

impl Names<'_> {
    /// Own names first, so that a parameter's own name wins over an alias. One that is given as `null` is not given.
    fn take(&mut self, given: Map<String, Value>) {
        let mut others = Vec::new();
        let mut nulls = Vec::new();
        for (key, value) in given {
            let own = snake_case(&key);
            if self.properties.contains_key(&own) && !key.starts_with('-') {
                if value.is_null() {
                    nulls.push(own);
                } else {
                    self.args.entry(own).or_insert(value);
                }
            } else {
                others.push((key, own, value));
            }
        }
        for (key, snake, value) in others {
            if !self.take_alias(&key, &snake, value) {
                self.ignored.push(key);
            }
        }
        for own in nulls {
            self.args.entry(own).or_insert(Value::Null);
        }
    }

    fn take_alias(&mut self, key: &str, snake: &str, value: Value) -> bool {
        let own = self
            .aliases
            .iter()
            .find(|alias| alias.alias == key || alias.alias == snake);
        if let Some(alias) = own {
            return match alias.target {
                ParamTarget::Name(name) => self.put(name, value),
                ParamTarget::Not(name) => match as_boolean(&value) {
                    Some(value) => self.put(name, Value::Bool(!value)),
                    None => false,
                },
            };
        }
        let common = COMMON.iter().find(|(alias, _)| *alias == snake);
        let target =
            common.and_then(|(_, targets)| targets.iter().find(|name| self.properties.contains_key(**name)));
        target.is_some_and(|name| self.put(name, value))
    }

    fn put(&mut self, name: &str, value: Value) -> bool {
        if !self.properties.contains_key(name) {
            return false;
        }
        if !value.is_null() {
            self.args.entry(name).or_insert(value);
        }
        true
    }
}

/// Brings values to their types, and objects inside to their names, which have the tool's aliases too.
struct Coercion<'a> {
    aliases: &'a [ParamAlias],
    ignored: Vec<String>,
}

impl Coercion<'_> {
    /// Brings the fields of an object to the names and types of its schema; `at` stands before their names where they
    /// are told.
    fn coerce_fields(
        &mut self,
        args: &mut Map<String, Value>,
        properties: &Map<String, Value>,
        required: &[&str],
        at: &str,
    ) {
        let mut names = Names {
            properties,
            aliases: self.aliases,
            args: Map::new(),
            ignored: Vec::new(),
        };
        names.take(std::mem::take(args));
        *args = names.args;
        let ignored = names.ignored.into_iter().map(|key| format!("{at}{key}"));
        self.ignored.extend(ignored);
        let keys: Vec<String> = args.keys().cloned().collect();
        for key in keys {
            let Some(schema) = properties.get(&key) else {
                continue;
            };
            let is_required = required.contains(&key.as_str());
            let Some(value) = args.get_mut(&key) else { continue };
            if !is_required && means_absent(&key, value, schema) {
                args.shift_remove(&key);
            } else if !(is_required && value.is_string() && FREE_TEXT.contains(&key.as_str())) {
                self.coerce(value, schema, &format!("{at}{key}"));
            }
        }
    }

    /// Brings one value to the type that its schema wants; leaves it alone when no rule leads there.
    fn coerce(&mut self, value: &mut Value, schema: &Value, at: &str) {
        // The one text of a list may still need the letter case of an enum.
        for _ in 0..2 {
            if let Some(replacement) = replacement(value, schema) {
                *value = replacement;
            }
        }
        match value {
            Value::Array(items) => {
                if let Some(item_schema) = array_items(schema) {
                    for (index, item) in items.iter_mut().enumerate() {
                        self.coerce(item, item_schema, &format!("{at}[{index}]"));
                    }
                }
            }
            Value::Object(fields) => {
                if let Some(properties) = schema.get("properties").and_then(Value::as_object) {
                    self.coerce_fields(fields, properties, &required_names(schema), &format!("{at}."));
                }
            }
            _ => {}
        }
    }
}

fn means_absent(key: &str, value: &Value, schema: &Value) -> bool {
    match value {
        // Where `null` says something, so may the word.
        Value::Null | Value::String(_) if wants(schema, "null") => false,
        Value::Null => true,
        Value::String(text) if matches!(text.as_str(), "null" | "undefined") => true,
        Value::String(text) if text.is_empty() => {
            EMPTY_IS_ABSENT.contains(&key)
                || key.ends_with("_path")
                || key.ends_with("_id")
                || enum_values(schema).is_some()
                || wants(schema, "integer")
                || wants(schema, "number")
                || wants(schema, "boolean")
        }
        _ => false,
    }
}

fn wants(schema: &Value, kind: &str) -> bool {
    match schema.get("type") {
        Some(Value::String(one)) => one == kind,
        Some(Value::Array(several)) => several.iter().any(|one| one == kind),
        _ => alternatives(schema).any(|schema| wants(schema, kind)),
    }
}

fn alternatives(schema: &Value) -> impl Iterator<Item = &Value> {
    ["anyOf", "oneOf"]
        .into_iter()
        .filter_map(|key| schema.get(key)?.as_array())
        .flatten()
}

/// The texts that an enum allows, however its schema spells them.
fn enum_values(schema: &Value) -> Option<Vec<&str>> {
    if let Some(values) = schema.get("enum").and_then(Value::as_array) {
        return Some(values.iter().filter_map(Value::as_str).collect());
    }
    let constant = |choice| Value::as_str(Value::get(choice, "const")?);
    let values: Option<Vec<&str>> = alternatives(schema).map(constant).collect();
    values.filter(|values| !values.is_empty())
}

fn array_items(schema: &Value) -> Option<&Value> {
    schema
        .get("items")
        .or_else(|| alternatives(schema).find_map(|schema| schema.get("items")))
}

fn replacement(value: &Value, schema: &Value) -> Option<Value> {
    if fits(value, schema) {
        return as_enum(value, schema).or_else(|| as_list_of_texts(value, schema));
    }
    if wants(schema, "integer")
        && let Some(number) = as_integer(value)
    {
        return Some(number);
    }
    if wants(schema, "number")
        && let Some(number) = value.as_str().and_then(|text| text.trim().parse::<f64>().ok())
        && number.is_finite()
    {
        return Some(Value::from(number));
    }
    if wants(schema, "boolean")
        && let Some(truth) = as_boolean(value)
    {
        return Some(Value::Bool(truth));
    }
    if let Value::String(text) = value
        && (wants(schema, "array") || wants(schema, "object"))
        && let Ok(parsed) = serde_json::from_str::<Value>(text)
        && fits(&parsed, schema)
    {
        return Some(parsed);
    }
    if let (true, Value::Array(items)) = (wants(schema, "string"), value)
        && let [Value::String(only)] = items.as_slice()
    {
        return Some(Value::String(only.clone()));
    }
    if wants(schema, "string") && (value.is_number() || value.is_boolean()) {
        return Some(Value::String(value.to_string()));
    }
    if wants(schema, "array") && !value.is_array() && !value.is_null() {
        return Some(Value::Array(vec![value.clone()]));
    }
    None
}

fn fits(value: &Value, schema: &Value) -> bool {
    match value {
        Value::String(_) => wants(schema, "string"),
        Value::Bool(_) => wants(schema, "boolean"),
        Value::Array(_) => wants(schema, "array"),
        Value::Object(_) => wants(schema, "object"),
        Value::Number(number) if number.is_f64() => wants(schema, "number"),
        Value::Number(_) => wants(schema, "integer") || wants(schema, "number"),
        Value::Null => wants(schema, "null"),
    }
}

/// Returns the enum's own spelling of a value in another letter case.
fn as_enum(value: &Value, schema: &Value) -> Option<Value> {
    let text = value.as_str()?;
    let values = enum_values(schema)?;
    if values.contains(&text) {
        return None;
    }
    let found = values.into_iter().find(|one| one.eq_ignore_ascii_case(text));
    found.map(Value::from)
}

/// Reads a text that is a JSON array as several texts, for a parameter that takes one text or several.
fn as_list_of_texts(value: &Value, schema: &Value) -> Option<Value> {
    let text = value.as_str()?.trim();
    if !text.starts_with('[') || !wants(schema, "array") {
        return None;
    }
    let texts: Vec<String> = serde_json::from_str(text).ok()?;
    Some(Value::from(texts))
}

fn as_integer(value: &Value) -> Option<Value> {
    let whole = |number: f64| (number.fract() == 0.0 && number.abs() < 9e15).then_some(number as i64);
    let number = match value {
        Value::String(text) => {
            let text = text.trim();
            text.parse::<i64>()
                .ok()
                .or_else(|| text.parse().ok().and_then(whole))?
        }
        Value::Number(number) => number.as_i64().or_else(|| number.as_f64().and_then(whole))?,
        _ => return None,
    };
    Some(Value::from(number))
}

fn as_boolean(value: &Value) -> Option<bool> {
    match value {
        Value::Bool(truth) => Some(*truth),
        Value::String(text) if text.eq_ignore_ascii_case("true") || text == "1" => Some(true),
        Value::String(text) if text.eq_ignore_ascii_case("false") || text == "0" => Some(false),
        Value::Number(number) => match number.as_f64() {
            Some(1.0) => Some(true),
            Some(0.0) => Some(false),
            _ => None,
        },
        _ => None,
    }
}
