//! From the tree of one file to a value: without what the file may not set, and with its strings expanded.
//!
//! Parts that are left out are left out before anything of them is expanded.

use std::path::Path;

use jsonc_parser::ast::Value as Node;
use jsonc_parser::common::Ranged;
use serde_json::{Map, Number, Value};

use super::{ExpandedSecret, Trust, UnsetVariable};
use crate::config::Origin;
use crate::config::diagnose::Problem;
use crate::config::expand::{Expansion, ExpansionError};
use crate::config::features::{OF_THE_MANAGED, answers, is_global_only};
use crate::config::parts::wants_environment;
use crate::config::source::Source;
use crate::config::untrusted::{TrustNeed, trust_need};
use crate::regular_file::FileGate;

/// Keys whose entries count only where they are used: a model is asked, a server is started. Everything else counts from the
/// start, and without a part of it would be another setting.
const FOR_USE: &[&str] = &["providers", "mcp", "lsp"];

/// A file as a value, and what was found out on the way.
#[derive(Default)]
pub(super) struct LayerContent {
    pub(super) value: Value,
    /// Keys that the file has and may not set.
    pub(super) refused: Vec<String>,
    pub(super) secrets: Vec<ExpandedSecret>,
    pub(super) unset: Vec<UnsetVariable>,
    /// Sentences for the user.
    pub(super) warnings: Vec<String>,
    pub(super) problems: Vec<Problem>,
}

/// Turns a tree into a value: leaves out refused keys and expands strings.
pub(super) fn read(
    source: &Source,
    tree: &Node<'_>,
    trust: Trust,
    expansion: Expansion<'_>,
    gate: &dyn FileGate,
) -> LayerContent {
    let mut reader = LayerReader {
        source,
        trust,
        expansion,
        gate,
        content: LayerContent::default(),
        path: Vec::new(),
    };
    let value = reader.value(tree);
    LayerContent {
        value,
        ..reader.content
    }
}

struct LayerReader<'a> {
    source: &'a Source,
    trust: Trust,
    expansion: Expansion<'a>,
    gate: &'a dyn FileGate,
    content: LayerContent,
    path: Vec<String>,
}

impl LayerReader<'_> {
    fn value(&mut self, node: &Node<'_>) -> Value {
        match node {
            Node::Object(object) => {
                let mut map = Map::with_capacity(object.properties.len());
                for property in &object.properties {
                    let name = property.name.as_str().to_owned();
                    self.path.push(name.clone());
                    if is_refused(self.source.origin, &self.path) {
                        self.content.refused.push(self.path.join("."));
                    } else if self.waits_for_trust(&property.value) {
                        // Whoever asks for trust tells of it.
                    } else {
                        map.insert(name, self.value(&property.value));
                    }
                    self.path.pop();
                }
                Value::Object(map)
            }
            Node::Array(array) => {
                let mut items = Vec::with_capacity(array.elements.len());
                for (index, element) in array.elements.iter().enumerate() {
                    self.path.push(index.to_string());
                    items.push(self.value(element));
                    self.path.pop();
                }
                Value::Array(items)
            }
            Node::StringLit(text) => Value::String(self.string(node, &text.value)),
            Node::NumberLit(number) => number.value.parse::<Number>().map_or(Value::Null, Value::Number),
            Node::BooleanLit(boolean) => Value::Bool(boolean.value),
            Node::NullKeyword(_) => Value::Null,
        }
    }

    /// A project that is not trusted sets what is on the closed list, and gets nothing of the environment.
    fn waits_for_trust(&self, node: &Node<'_>) -> bool {
        let is_restricted = self.source.origin == Origin::Project && self.trust == Trust::Withheld;
        is_restricted && (trust_need(&self.path, node) == TrustNeed::Waits || wants_environment(node))
    }

    fn string(&mut self, node: &Node<'_>, text: &str) -> String {
        let everything = |_: &Path| true;
        // Where no model sees the value, its file may hold what is to be kept secret: that is what it is for.
        let gate = if is_secret(&self.path) {
            &everything
        } else {
            self.gate
        };
        match self.expansion.expand(text, gate) {
            Ok(expanded) => {
                let (key, file) = (self.path.join("."), self.source.path.display());
                let withheld = expanded.withheld.iter();
                self.content
                    .warnings
                    .extend(withheld.map(|what| format!("`{key}` in `{file}` {what}")));
                if is_secret(&self.path) {
                    self.content.secrets.push(ExpandedSecret {
                        path: self.path.clone(),
                        written: text.to_owned(),
                        variables: expanded.variables,
                        values: expanded.values,
                    });
                }
                expanded.text
            }
            Err(error) => {
                let is_for_use = matches!(error, ExpansionError::UnsetVariable(_))
                    && self
                        .path
                        .first()
                        .is_some_and(|key| FOR_USE.contains(&key.as_str()));
                let message = format!("`{}` {}", self.path.join("."), error.into_sentence());
                let problem = self.source.problem(node.start(), message);
                if is_for_use {
                    self.content.unset.push(UnsetVariable {
                        path: self.path.clone(),
                        problem,
                    });
                } else {
                    self.content.problems.push(problem);
                }
                String::new()
            }
        }
    }
}

/// Returns true if a key's value is sent to a server and to nobody else.
fn is_secret(path: &[String]) -> bool {
    let path: Vec<&str> = path.iter().map(String::as_str).collect();
    matches!(
        path[..],
        ["providers", _, "api_key" | "base_url"]
            | ["providers", _, "headers", _]
            | ["mcp", _, "url"]
            | ["mcp", _, "headers" | "env", _]
    )
}

/// Returns true if a file of this origin may never say anything under a key.
fn is_refused(origin: Origin, path: &[String]) -> bool {
    match origin {
        Origin::Global => false,
        Origin::Project => is_global_only(path) || answers(path),
        Origin::Extra => is_global_only(path),
        Origin::Managed => path.len() == 1 && !OF_THE_MANAGED.contains(&path[0].as_str()),
    }
}
