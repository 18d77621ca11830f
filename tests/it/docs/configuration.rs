//! The table of every key of the configuration, from the schema that `lathe config schema` prints.

use std::fmt::Write;

use serde_json::{Map, Value};

use super::tables::{assert_generated, code, table};
use crate::support::{Lathe, Project};

/// Keys with a page of their own.
const ELSEWHERE: [&str; 1] = ["keybinds"];

struct Schema(Value);

type Row = [String; 4];

fn properties(schema: &Value) -> Option<&Map<String, Value>> {
    schema["properties"].as_object()
}

impl Schema {
    /// The schema that a reference leads to; null beside it means that the key can be left out.
    fn resolved<'a>(&'a self, schema: &'a Value) -> &'a Value {
        if let Some(name) = schema["$ref"].as_str() {
            let name = name.strip_prefix("#/$defs/").unwrap();
            return self.resolved(&self.0["$defs"][name]);
        }
        let others: Vec<&Value> = schema["anyOf"]
            .as_array()
            .into_iter()
            .flatten()
            .filter(|choice| choice["type"] != "null")
            .collect();
        match others[..] {
            [only] => self.resolved(only),
            _ => schema,
        }
    }

    /// Rows of all keys below a path.
    fn rows(&self, path: &str, schema: &Value, rows: &mut Vec<Row>) {
        let shape = self.resolved(schema);
        let description = [&schema["description"], &shape["description"]]
            .into_iter()
            .find_map(Value::as_str);
        if let Some(properties) = properties(shape) {
            let mut alike = properties.values().collect::<Vec<_>>();
            alike.dedup();
            if let ([only], true) = (&alike[..], properties.len() > 1) {
                return self.rows(&format!("{path}.EVENT"), only, rows);
            }
            for (name, property) in properties {
                self.rows(&format!("{path}.{name}"), property, rows);
            }
            return;
        }
        let inner = self.resolved(&shape["additionalProperties"]);
        if properties(inner).is_some() {
            return self.rows(&format!("{path}.NAME"), inner, rows);
        }
        let items = self.resolved(&shape["items"]);
        if properties(items).is_some() {
            return self.rows(&format!("{path}[]"), items, rows);
        }
        let description = description.unwrap_or_else(|| panic!("`{path}` has no description"));
        rows.push([
            code(path),
            self.type_of(shape),
            default_of(&schema["default"]),
            description.to_owned(),
        ]);
    }

    fn type_of(&self, shape: &Value) -> String {
        if *shape == self.0["$defs"]["PermissionSetting"] {
            return "[rules](permissions.md#rules)".to_owned();
        }
        if let Some(names) = shape["enum"].as_array() {
            let names: Vec<String> = names.iter().filter_map(Value::as_str).map(code).collect();
            return names.join(", ");
        }
        if let Some(choices) = shape["oneOf"].as_array().or_else(|| shape["anyOf"].as_array()) {
            let mut types: Vec<String> = choices
                .iter()
                .map(|choice| match choice["const"].as_str() {
                    Some(name) => code(name),
                    None => self.type_of(self.resolved(choice)),
                })
                .collect();
            types.dedup();
            return types.join(" or ");
        }
        let name = match &shape["type"] {
            Value::Array(names) => names.iter().find(|name| *name != "null").and_then(Value::as_str),
            name => name.as_str(),
        };
        match name.expect("a type") {
            "array" => format!("list of {}", self.plural_of(&shape["items"])),
            "object" => format!("object of {}", self.plural_of(&shape["additionalProperties"])),
            "boolean" => "true or false".to_owned(),
            name => name.to_owned(),
        }
    }

    fn plural_of(&self, schema: &Value) -> String {
        let name = self.type_of(self.resolved(schema));
        if matches!(name.as_str(), "string" | "integer" | "number") {
            format!("{name}s")
        } else {
            name
        }
    }
}

fn default_of(default: &Value) -> String {
    match default {
        Value::Null => String::new(),
        Value::Array(items) if items.is_empty() => String::new(),
        Value::Object(entries) if entries.is_empty() => String::new(),
        default => code(&default.to_string()),
    }
}

#[test]
fn every_key_of_the_configuration_is_listed() {
    let project = Project::new();
    let printed = Lathe::in_project(&project)
        .args(["config", "schema"])
        .run()
        .success();
    let schema = Schema(printed.json());
    let mut rows = Vec::new();
    let mut sections = Vec::new();
    for (name, property) in properties(&schema.0).expect("keys") {
        if name.starts_with('$') || ELSEWHERE.contains(&name.as_str()) {
            continue;
        }
        let mut own = Vec::new();
        schema.rows(name, property, &mut own);
        if own.len() == 1 {
            rows.append(&mut own);
        } else {
            let about = property["description"].as_str().expect("a description");
            sections.push((name, about.to_owned(), own));
        }
    }
    let heads = ["key", "type", "default", "meaning"];
    let mut text = table(heads, &rows);
    for (name, about, rows) in &sections {
        write!(text, "\n### {name}\n\n{about}\n\n{}", table(heads, rows)).unwrap();
    }
    assert_generated("docs/configuration.md", "keys", &text);
}
