//! From what a model wrote to what a tool asked for: names, then types.
//!
//! One place for the generosity that every tool gets. Keys become snake case, other names become the parameter's own,
//! and values of a near type become the wanted one, guided by the tool's schema. Free text is never trimmed, unescaped
//! or dropped when it is required. Whatever still does not fit is told by [`explain`].

use serde_json::{Map, Value};

use super::{ParamAlias, ParamTarget};

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
pub struct Normalised {
    pub args: Map<String, Value>,
    /// Keys that no parameter goes by.
    pub ignored: Vec<String>,
}

/// Brings `given` to the names and types of `schema`.
pub fn normalise(given: Map<String, Value>, schema: &Value, aliases: &[ParamAlias]) -> Normalised {
    let properties = schema.get("properties").and_then(Value::as_object);
    let Some(properties) = properties else {
        return Normalised {
            args: Map::new(),
            ignored: given.into_iter().map(|(key, _)| key).collect(),
        };
    };
    let required = required_names(schema);
    let mut names = Names {
        properties,
        aliases,
        args: Map::new(),
        ignored: Vec::new(),
    };
    names.take(given);
    let Names {
        mut args, ignored, ..
    } = names;
    let mut coercion = Coercion { aliases, ignored };
    coercion.coerce_object(&mut args, properties, &required, "");
    Normalised {
        args,
        ignored: coercion.ignored,
    }
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

/// Whether the capital at `at` comes after a small letter, or ends a run of capitals: the `P` of `XMLPath`.
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
    fn coerce_object(
        &mut self,
        args: &mut Map<String, Value>,
        properties: &Map<String, Value>,
        required: &[&str],
        at: &str,
    ) {
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
                    self.coerce_fields(fields, properties, &required_names(schema), at);
                }
            }
            _ => {}
        }
    }

    fn coerce_fields(
        &mut self,
        fields: &mut Map<String, Value>,
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
        names.take(std::mem::take(fields));
        *fields = names.args;
        let ignored = names.ignored.into_iter().map(|key| format!("{at}.{key}"));
        self.ignored.extend(ignored);
        self.coerce_object(fields, properties, required, &format!("{at}."));
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

/// Where one text or several may stand, a text that is a JSON array of texts means several.
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
    if !fits(value, schema) && (schema.get("type").is_some() || alternatives(schema).next().is_some()) {
        faults.push(format!(
            "`{name}` should be {}, got {}",
            describe_type(schema),
            describe_value(value)
        ));
        return;
    }
    if let (Some(values), Some(text)) = (enum_values(schema), value.as_str())
        && !values.contains(&text)
    {
        faults.push(format!(
            "`{name}` should be {}, got {}",
            describe_type(schema),
            describe_value(value)
        ));
    }
    if let (Value::Array(items), Some(item_schema)) = (value, array_items(schema)) {
        for (index, item) in items.iter().enumerate() {
            find_item_faults(&format!("{name}[{index}]"), item, item_schema, faults);
        }
    }
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn schema() -> Value {
        json!({
            "type": "object",
            "properties": {
                "file_path": {"type": "string"},
                "content": {"type": "string"},
                "offset": {"type": "integer"},
                "case_sensitive": {"type": "boolean"},
                "include": {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]},
                "exclude": {"type": "array", "items": {"type": "string"}},
                "mode": {"type": "string", "enum": ["content", "count"]},
                "todos": {"type": "array", "items": {
                    "type": "object",
                    "properties": {"content": {"type": "string"}, "active_form": {"type": "string"}},
                    "required": ["content"]
                }}
            },
            "required": ["file_path", "content"]
        })
    }

    fn normal(given: &Value) -> Value {
        let aliases = [
            ParamAlias::not("i", "case_sensitive"),
            ParamAlias::name("lines", "offset"),
        ];
        Value::Object(normalise(given.as_object().unwrap().clone(), &schema(), &aliases).args)
    }

    #[test]
    fn keys_in_any_case_and_other_names_become_the_parameters_own() {
        for key in [
            "filePath",
            "FilePath",
            "file-path",
            "path",
            "file",
            "filename",
            "FILE_PATH",
        ] {
            assert_eq!(normal(&json!({ key: "a" })), json!({ "file_path": "a" }), "{key}");
        }
        assert_eq!(normal(&json!({ "-i": true })), json!({ "case_sensitive": false }));
        assert_eq!(normal(&json!({ "lines": "12" })), json!({ "offset": 12 }));
    }

    #[test]
    fn a_parameters_own_name_wins_over_an_alias_in_any_order() {
        assert_eq!(
            normal(&json!({ "path": "b", "file_path": "a" })),
            json!({ "file_path": "a" })
        );
        assert_eq!(
            normal(&json!({ "file_path": "a", "path": "b" })),
            json!({ "file_path": "a" })
        );
    }

    #[test]
    fn near_types_become_the_wanted_one() {
        for (given, wanted) in [
            (json!({"offset": "12"}), json!({"offset": 12})),
            (json!({"offset": "12.0"}), json!({"offset": 12})),
            (json!({"offset": 12.0}), json!({"offset": 12})),
            (json!({"case_sensitive": "TRUE"}), json!({"case_sensitive": true})),
            (json!({"case_sensitive": 0}), json!({"case_sensitive": false})),
            (
                json!({"exclude": "[\"a\",\"b\"]"}),
                json!({"exclude": ["a", "b"]}),
            ),
            (json!({"exclude": "a"}), json!({"exclude": ["a"]})),
            (json!({"include": "a"}), json!({"include": "a"})),
            (json!({"mode": "COUNT"}), json!({"mode": "count"})),
            (json!({"mode": ""}), json!({})),
            (json!({"offset": null}), json!({})),
            (json!({"offset": "undefined"}), json!({})),
            (json!({"include": ""}), json!({})),
            (json!({"file_path": ["a"]}), json!({"file_path": "a"})),
            (json!({"file_path": 7}), json!({"file_path": "7"})),
            (json!({"file_path": true}), json!({"file_path": "true"})),
            (json!({"case_sensitive": "1"}), json!({"case_sensitive": true})),
            (
                json!({"case_sensitive": "False"}),
                json!({"case_sensitive": false}),
            ),
            (json!({"exclude": 5}), json!({"exclude": ["5"]})),
            (json!({"include": "null"}), json!({})),
            (json!({"mode": ["COUNT"]}), json!({"mode": "count"})),
            (json!({"case_sensitive": "0"}), json!({"case_sensitive": false})),
            (json!({"case_sensitive": 1}), json!({"case_sensitive": true})),
            (json!({"offset": "null"}), json!({})),
            (json!({"offset": ""}), json!({})),
            (
                json!({"todos": "{\"content\": \"x\"}"}),
                json!({"todos": [{"content": "x"}]}),
            ),
            (
                json!({"todos": {"content": "x"}}),
                json!({"todos": [{"content": "x"}]}),
            ),
            (json!({"limit_lines": 3, "CMD": "x"}), json!({})),
            (
                json!({"todos": [{"content": "x", "activeForm": "y"}]}),
                json!({"todos": [{"content": "x", "active_form": "y"}]}),
            ),
        ] {
            assert_eq!(normal(&given), wanted, "{given}");
        }
    }

    #[test]
    fn each_common_alias_is_taken_where_its_target_is() {
        for (alias, target) in [
            ("path", "file_path"),
            ("file", "file_path"),
            ("filename", "file_path"),
            ("filepath", "file_path"),
            ("dir", "path"),
            ("directory", "path"),
            ("filePath", "path"),
            ("cmd", "command"),
            ("language", "lang"),
            ("agent", "subagent_type"),
            ("subagent", "subagent_type"),
            ("agentType", "subagent_type"),
            ("limitLines", "limit"),
        ] {
            let schema = json!({"properties": {target: {"type": "string"}}});
            let given = json!({ alias: "a" });
            let normal = normalise(given.as_object().unwrap().clone(), &schema, &[]);
            assert_eq!(Value::Object(normal.args), json!({ target: "a" }), "{alias}");
            let normal = normalise(
                given.as_object().unwrap().clone(),
                &json!({"properties": {}}),
                &[],
            );
            assert_eq!(normal.ignored, [alias]);
        }
    }

    #[test]
    fn words_are_told_apart_in_every_spelling() {
        for (key, snake) in [
            ("filePath", "file_path"),
            ("FilePath", "file_path"),
            ("file-path", "file_path"),
            ("file path", "file_path"),
            ("sessionID", "session_id"),
            ("XMLPath", "xml_path"),
            ("-i", "i"),
            ("--ignore-case", "ignore_case"),
            ("arg2Name", "arg2_name"),
            ("ÄndereÖl", "ändere_öl"),
            ("", ""),
        ] {
            assert_eq!(snake_case(key), snake, "{key}");
        }
    }

    #[test]
    fn an_own_name_given_as_null_leaves_the_place_to_an_alias() {
        assert_eq!(
            normal(&json!({ "file_path": null, "path": "a" })),
            json!({ "file_path": "a" })
        );
        assert_eq!(
            normal(&json!({ "file_path": null })),
            json!({ "file_path": null })
        );
    }

    #[test]
    fn optional_free_text_that_says_null_is_absent() {
        let schema = json!({"properties": {"text": {"type": "string"}}});
        for value in [json!(null), json!("null"), json!("undefined")] {
            let given = json!({ "text": value });
            let normal = normalise(given.as_object().unwrap().clone(), &schema, &[]);
            assert!(normal.args.is_empty(), "{given}");
        }
        let given = json!({"text": ""});
        let normal = normalise(given.as_object().unwrap().clone(), &schema, &[]);
        assert_eq!(Value::Object(normal.args), given);
    }

    #[test]
    fn empty_optional_ids_and_paths_are_absent() {
        let schema = json!({"properties": {
            "task_id": {"type": "string"}, "image_path": {"type": "string"}, "id": {"type": "string"},
            "ignore": {"type": "array", "items": {"type": "string"}}, "limit": {"type": "integer"},
            "kind": {"oneOf": [{"const": "one"}, {"const": "two"}]},
        }});
        for key in ["task_id", "image_path", "id", "ignore", "limit", "kind"] {
            let given = json!({ key: "" });
            let normal = normalise(given.as_object().unwrap().clone(), &schema, &[]);
            assert!(normal.args.is_empty(), "{key}");
        }
    }

    #[test]
    fn one_text_or_several_takes_a_list_written_as_text() {
        assert_eq!(
            normal(&json!({"include": "[\"*.rs\", \"*.ts\"]"})),
            json!({"include": ["*.rs", "*.ts"]})
        );
        assert_eq!(normal(&json!({"include": "[ab]*"})), json!({"include": "[ab]*"}));
    }

    #[test]
    fn keys_and_types_of_objects_inside_are_brought_in_order_too() {
        let schema = json!({"properties": {"edits": {"type": "array", "items": {
            "type": "object",
            "properties": {
                "old_string": {"type": "string"},
                "replace_all": {"type": "boolean"},
                "at": {"type": "object", "properties": {"start_line": {"type": "integer"}}}
            },
            "required": ["old_string"]
        }}}});
        let given = json!({"edits": "[{\"oldString\": \"null\", \"replace-all\": \"True\", \"at\": {\"startLine\": \"3\"}}]"});
        let normal = normalise(given.as_object().unwrap().clone(), &schema, &[]);
        assert_eq!(
            Value::Object(normal.args),
            json!({"edits": [{"old_string": "null", "replace_all": true, "at": {"start_line": 3}}]})
        );
    }

    #[test]
    fn names_of_objects_inside_have_the_aliases_of_the_tool() {
        let schema = json!({"properties": {"todos": {"type": "array", "items": {
            "type": "object",
            "properties": {"file_path": {"type": "string"}, "offset": {"type": "integer"}, "case_sensitive": {"type": "boolean"}},
            "required": ["file_path"]
        }}}});
        let aliases = [
            ParamAlias::not("i", "case_sensitive"),
            ParamAlias::name("lines", "offset"),
        ];
        let given = json!({"todos": [{"path": "a", "Lines": "2", "-i": "true", "colour": 1}, {"file_path": "b", "path": "c"}]});
        let normal = normalise(given.as_object().unwrap().clone(), &schema, &aliases);
        assert_eq!(
            Value::Object(normal.args),
            json!({"todos": [{"file_path": "a", "offset": 2, "case_sensitive": false}, {"file_path": "b"}]})
        );
        assert_eq!(normal.ignored, ["todos[0].colour"]);
    }

    #[test]
    fn null_stays_where_it_is_a_value_and_so_does_the_word() {
        let schema = json!({"properties": {"text": {"type": ["string", "null"]}}});
        for text in [json!(null), json!("null"), json!("undefined"), json!("")] {
            let given = json!({ "text": text });
            let normal = normalise(given.as_object().unwrap().clone(), &schema, &[]);
            assert_eq!(Value::Object(normal.args.clone()), given);
            assert_eq!(explain("x", &normal.args, &schema), None);
        }
        let given = json!({"text": 7});
        let normal = normalise(given.as_object().unwrap().clone(), &schema, &[]);
        assert_eq!(Value::Object(normal.args), json!({"text": "7"}));
    }

    #[test]
    fn enums_spelled_as_constants_are_enums() {
        let schema = json!({"properties": {"kind": {"oneOf": [
            {"type": "string", "const": "one"}, {"type": "string", "const": "two"}
        ]}}});
        let given = json!({"kind": "ONE"});
        let normal = normalise(given.as_object().unwrap().clone(), &schema, &[]);
        assert_eq!(Value::Object(normal.args), json!({"kind": "one"}));
        let text = explain("x", json!({"kind": "red"}).as_object().unwrap(), &schema).unwrap();
        assert!(
            text.contains("`kind` should be one of one|two, got string \"red\""),
            "{text}"
        );
    }

    #[test]
    fn required_free_text_is_never_touched() {
        for text in ["null", "", " 12 ", "[1]", "\\n", "undefined"] {
            assert_eq!(normal(&json!({ "content": text })), json!({ "content": text }));
        }
    }

    #[test]
    fn unknown_keys_are_named_and_dropped() {
        let given = json!({"file_path": "a", "Colour": 1});
        let normal = normalise(given.as_object().unwrap().clone(), &schema(), &[]);
        assert_eq!(normal.ignored, ["Colour"]);
        assert_eq!(Value::Object(normal.args), json!({"file_path": "a"}));
    }

    #[test]
    fn a_misfit_names_each_field_and_lists_the_parameters() {
        let args = json!({"file_path": {"a": 1}, "mode": "loud", "todos": [{}]});
        let text = explain("write", args.as_object().unwrap(), &schema()).unwrap();
        for part in [
            "`content` is missing (string)",
            "`file_path` should be string, got object {\"a\":1}",
            "`mode` should be one of content|count, got string \"loud\"",
            "`todos[0].content` is missing",
            "Parameters: file_path (string, required)",
        ] {
            assert!(text.contains(part), "{part}\n{text}");
        }
        let args = json!({"file_path": "a", "content": ""});
        assert_eq!(explain("write", args.as_object().unwrap(), &schema()), None);
    }
}
