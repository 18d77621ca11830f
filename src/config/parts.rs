//! What a project brings that could run code, send data elsewhere or loosen a rule, as it is written there.
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
use super::features::{GLOBAL_ONLY, NEEDS_TRUST};
use super::layers::is_empty;
use super::places::Texts;
use super::source::{Source, plain};

/// One value of one file of a project.
#[derive(Debug, Clone, PartialEq)]
pub struct ProjectPart {
    pub file: PathBuf,
    /// The names of the keys that lead to it, with dots between.
    pub key: String,
    pub value: Value,
}

/// Whether rules, as `permission` holds them, allow anything.
pub fn allows(rules: &Value) -> bool {
    match rules {
        Value::String(action) => action == "allow",
        Value::Object(entries) => entries.values().any(allows),
        _ => false,
    }
}

/// Finds all parts, in the order of the files. What agents bring is not among them: most of those are no configuration.
pub(super) fn parts(texts: &Texts) -> Vec<ProjectPart> {
    let own = texts
        .sources
        .iter()
        .filter(|source| source.origin == Origin::Project);
    // A file that cannot be read brings nothing.
    let claude = texts.claude.iter().filter_map(|source| source.as_ref().ok());
    own.flat_map(|source| own_parts(source, texts))
        .chain(claude.filter_map(claude_part))
        .collect()
}

fn own_parts(source: &Source, texts: &Texts) -> Vec<ProjectPart> {
    // What does not parse was refused before.
    let Ok(Some(tree)) = source.parse() else {
        return Vec::new();
    };
    let mut parts: Vec<ProjectPart> = NEEDS_TRUST
        .iter()
        .filter_map(|key| {
            let value = plain(at(&tree, key)?);
            (!says_nothing(&value)).then(|| part(&source.path, &key.join("."), value))
        })
        .collect();
    let mut rules = at(&tree, &["permission"]).map_or(Value::Null, plain);
    if let Some(keys) = rules.as_object_mut() {
        // A project has no say about these, trusted or not.
        keys.shift_remove("protected");
    }
    let named: Vec<ProjectPart> = parts
        .iter()
        .flat_map(|part| named_files(&part.value, source, texts))
        .collect();
    if allows(&rules) {
        // All of them: what the others refuse is what these leave.
        parts.push(part(&source.path, "permission", rules));
    }
    parts.extend(named);
    add_wanting(&tree, &mut Vec::new(), source, &mut parts);
    parts
}

/// Adds what wants something of the environment under any other key: it could carry a secret into a prompt.
fn add_wanting<'a>(
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
        let is_apart = NEEDS_TRUST
            .iter()
            .chain(GLOBAL_ONLY)
            .any(|key| path.as_slice() == *key);
        if is_apart {
            // Listed whole, or ignored whole.
        } else if wants_environment(&property.value) {
            parts.push(part(&source.path, &path.join("."), plain(&property.value)));
        } else {
            add_wanting(&property.value, path, source, parts);
        }
        path.pop();
    }
}

/// Whether a value that is no object wants something of the environment.
pub(super) fn wants_environment(node: &Node<'_>) -> bool {
    match node {
        Node::StringLit(text) => wants_variable(&text.value),
        Node::Array(array) => array.elements.iter().any(wants_environment),
        Node::Object(_) | Node::NumberLit(_) | Node::BooleanLit(_) | Node::NullKeyword(_) => false,
    }
}

/// Whether a value changes nothing of what other files say. `null` does: it takes back what the user has set.
fn says_nothing(value: &Value) -> bool {
    !value.is_null() && is_empty(value)
}

/// The files whose text goes into a value. One that cannot be read is told of when it is used.
fn named_files(value: &Value, source: &Source, texts: &Texts) -> Vec<ProjectPart> {
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

fn claude_part(source: &Source) -> Option<ProjectPart> {
    let settings = plain(&source.parse().ok()??);
    let hooks = settings.get("hooks").filter(|hooks| !is_empty(hooks))?;
    let are_off = settings.get("disableAllHooks") == Some(&Value::Bool(true));
    (!are_off).then(|| part(&source.path, "hooks", hooks.clone()))
}

fn part(file: &Path, key: &str, value: Value) -> ProjectPart {
    ProjectPart {
        file: file.to_owned(),
        key: key.to_owned(),
        value,
    }
}

fn at<'a, 'b>(node: &'b Node<'a>, key: &[&str]) -> Option<&'b Node<'a>> {
    key.iter().try_fold(node, |node, step| match node {
        Node::Object(object) => Some(&object.get(step)?.value),
        _ => None,
    })
}
