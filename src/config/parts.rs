//! The part of a project's configuration that is not on the closed list (`untrusted`), as it is written there.
//!
//! Such parts count only where the project is trusted. Nothing in them is expanded: what was looked at, not what the
//! environment made of it, is what is recognised again, and no key from the environment is written down with it. A file
//! that one of them names with `{file:PATH}` is a part of its own, by the hash of its text.

use std::path::{Path, PathBuf};

use jsonc_parser::ast::Value as Node;
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::Origin;
use super::expand::{file_names, wants_variable};
use super::features::{answers, is_global_only};
use super::places::ConfigTexts;
use super::source::{Source, is_empty, plain};
use super::untrusted::{TrustNeed, trust_need};

/// One value of one file of a project.
#[derive(Debug, Clone, PartialEq)]
pub struct ProjectPart {
    pub file: PathBuf,
    /// The names of the keys that lead to it, with dots between.
    pub key: String,
    pub value: Value,
}

/// Returns true if rules, as `permission` holds them, allow anything.
pub fn allows(rules: &Value) -> bool {
    match rules {
        Value::String(action) => action == "allow",
        Value::Object(entries) => entries.values().any(allows),
        _ => false,
    }
}

/// Finds all parts, in the order of the files. What agents bring is not among them: most of those are no configuration.
pub(super) fn parts(texts: &ConfigTexts) -> Vec<ProjectPart> {
    let is_of_project = |source: &&Source| source.origin == Origin::Project;
    let own = texts.sources.iter().filter(is_of_project);
    let claude = texts.claude.iter().filter(is_of_project);
    own.flat_map(|source| own_parts(source, texts))
        .chain(claude.flat_map(claude_parts))
        .collect()
}

fn own_parts(source: &Source, texts: &ConfigTexts) -> Vec<ProjectPart> {
    // What does not parse was refused before.
    let Ok(Some(tree)) = source.parse() else {
        return Vec::new();
    };
    let mut parts = Vec::new();
    add_waiting(&tree, &mut Vec::new(), source, &mut parts);
    let named: Vec<ProjectPart> = parts
        .iter()
        .flat_map(|part| named_files(&part.value, source, texts))
        .collect();
    parts.extend(named);
    parts
}

/// Adds what waits for trust.
fn add_waiting<'a>(
    node: &'a Node<'_>,
    path: &mut Vec<&'a str>,
    source: &Source,
    parts: &mut Vec<ProjectPart>,
) {
    let Node::Object(object) = node else {
        return;
    };
    for property in &object.properties {
        path.push(property.name.as_str());
        let value = &property.value;
        // What only the global file may set does not count, trusted or not.
        if !is_global_only(path) {
            match trust_need(path, value) {
                TrustNeed::Waits => add(path, waiting_value(path, value), source, parts),
                TrustNeed::Allowed | TrustNeed::Mixed if wants_environment(value) => {
                    add(path, plain(value), source, parts);
                }
                TrustNeed::Allowed if *path == ["permission"] => {
                    let rules = rules(value);
                    if allows(&rules) {
                        // All of them: what the others refuse is what these leave.
                        add(path, rules, source, parts);
                    }
                }
                TrustNeed::Allowed | TrustNeed::Mixed => add_waiting(value, path, source, parts),
            }
        }
        path.pop();
    }
}

fn add(path: &[&str], value: Value, source: &Source, parts: &mut Vec<ProjectPart>) {
    if !is_empty_value(&value) {
        parts.push(part(&source.path, &path.join("."), value));
    }
}

/// A value without what never counts.
fn waiting_value(path: &[&str], node: &Node<'_>) -> Value {
    let mut value = plain(node);
    if let (["keybinds"], Some(keys)) = (path, value.as_object_mut()) {
        keys.retain(|action, _| !answers(&["keybinds", action]));
    }
    value
}

fn rules(node: &Node<'_>) -> Value {
    let mut rules = plain(node);
    if let Some(keys) = rules.as_object_mut() {
        keys.retain(|key, _| !is_global_only(&["permission", key]));
    }
    rules
}

/// Returns true if a value that is no object wants something of the environment.
pub(super) fn wants_environment(node: &Node<'_>) -> bool {
    match node {
        Node::StringLit(text) => wants_variable(&text.value),
        Node::Array(array) => array.elements.iter().any(wants_environment),
        Node::Object(_) | Node::NumberLit(_) | Node::BooleanLit(_) | Node::NullKeyword(_) => false,
    }
}

/// Returns true if a value changes nothing of what other files say. `null` does: it takes back what the user has set.
fn is_empty_value(value: &Value) -> bool {
    !value.is_null() && is_empty(value)
}

/// The files whose text goes into a value. One that cannot be read is told of when it is used.
fn named_files(value: &Value, source: &Source, texts: &ConfigTexts) -> Vec<ProjectPart> {
    let expansion = texts.expansion(source);
    let below = |value| named_files(value, source, texts);
    match value {
        Value::String(text) => file_names(text)
            .into_iter()
            .filter_map(|name| {
                let hash = Sha256::digest(expansion.file(name).ok()?);
                let hash = Value::from(format!("sha256:{hash:x}"));
                Some(part(&source.base().join(name.trim()), "text", hash))
            })
            .collect(),
        Value::Array(items) => items.iter().flat_map(below).collect(),
        Value::Object(entries) => entries.values().flat_map(below).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) => Vec::new(),
    }
}

/// The hooks of a settings file of Claude Code, and what it allows. One that cannot be read brings nothing.
fn claude_parts(source: &Source) -> Vec<ProjectPart> {
    let Ok(Some(tree)) = source.parse() else {
        return Vec::new();
    };
    let settings = plain(&tree);
    let hooks_are_on = settings.get("disableAllHooks") != Some(&Value::Bool(true));
    let hooks = settings.get("hooks").filter(|_| hooks_are_on);
    let allowed = settings.get("permissions").and_then(|rules| rules.get("allow"));
    [("hooks", hooks), ("permissions.allow", allowed)]
        .into_iter()
        .filter_map(|(key, value)| Some((key, value.filter(|value| !is_empty(value))?)))
        .map(|(key, value)| part(&source.path, key, value.clone()))
        .collect()
}

fn part(file: &Path, key: &str, value: Value) -> ProjectPart {
    ProjectPart {
        file: file.to_owned(),
        key: key.to_owned(),
        value,
    }
}
