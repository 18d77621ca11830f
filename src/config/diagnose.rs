//! Mistakes in configuration files, as sentences with a place.
//!
//! A file's syntax tree is checked against the JSON Schema of [`super::Config`], so that every mistake is found in one
//! go and each has its line and column; serde alone would stop at the first and know no place.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use jsonc_parser::ast::{Object, Value as Node};
use jsonc_parser::common::Ranged;
use serde_json::Value;

use super::source::Source;

/// Everything wrong with the configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigError {
    /// At least one.
    pub problems: Vec<Problem>,
}

impl std::error::Error for ConfigError {}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, problem) in self.problems.iter().enumerate() {
            if index > 0 {
                f.write_str("\n")?;
            }
            problem.fmt(f)?;
        }
        Ok(())
    }
}

impl From<Problem> for ConfigError {
    fn from(problem: Problem) -> Self {
        Self {
            problems: vec![problem],
        }
    }
}

/// One mistake: `path:line:col: sentence`, as far as there is a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    pub file: Option<PathBuf>,
    /// Line and column, both from 1; columns count characters.
    pub at: Option<(usize, usize)>,
    pub message: String,
}

impl Problem {
    pub(super) fn general(message: String) -> Self {
        Self {
            file: None,
            at: None,
            message,
        }
    }

    pub(super) fn in_file(file: &Path, message: String) -> Self {
        Self {
            file: Some(file.to_path_buf()),
            at: None,
            message,
        }
    }

    pub(super) fn at(file: &Path, text: &str, offset: usize, message: String) -> Self {
        Self {
            at: Some(place(text, offset)),
            ..Self::in_file(file, message)
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(file) = &self.file {
            write!(f, "{}:", file.display())?;
            if let Some((line, column)) = self.at {
                write!(f, "{line}:{column}:")?;
            }
            f.write_str(" ")?;
        }
        f.write_str(&self.message)
    }
}

fn place(text: &str, offset: usize) -> (usize, usize) {
    let before = text.get(..offset).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let start = before.rfind('\n').map_or(0, |at| at + 1);
    (line, before[start..].chars().count() + 1)
}

/// The schema of a whole file.
pub(super) fn schema() -> &'static Value {
    static SCHEMA: OnceLock<Value> = OnceLock::new();
    SCHEMA.get_or_init(|| schemars::schema_for!(super::Config).to_value())
}

/// Mistakes beyond this many are not listed; the first ones explain the rest.
const MAX_PROBLEMS: usize = 50;

/// Compares a file with the schema.
pub(super) fn check(source: &Source, root: &Node<'_>) -> Vec<Problem> {
    let mut checker = Checker {
        source,
        root: schema(),
        problems: Vec::new(),
    };
    checker.value(root, schema(), &ValuePath { key: "", above: None });
    checker.problems
}

/// The way from the root of the file to a value; written out only for a problem.
struct ValuePath<'a> {
    key: &'a str,
    above: Option<&'a ValuePath<'a>>,
}

impl ValuePath<'_> {
    fn below<'a>(&'a self, key: &'a str) -> ValuePath<'a> {
        ValuePath {
            key,
            above: Some(self),
        }
    }

    /// `providers.local.retry`, or nothing for the root.
    fn path(&self) -> String {
        let mut keys = Vec::new();
        let mut at = Some(self);
        while let Some(step) = at {
            keys.push(step.key);
            at = step.above;
        }
        keys.pop();
        keys.reverse();
        keys.join(".")
    }

    fn owner(&self) -> String {
        match self.path() {
            path if path.is_empty() => "the configuration".to_owned(),
            path => format!("`{path}`"),
        }
    }
}

struct Checker<'a> {
    source: &'a Source,
    root: &'static Value,
    problems: Vec<Problem>,
}

impl Checker<'_> {
    fn report(&mut self, offset: usize, message: String) {
        if self.problems.len() < MAX_PROBLEMS {
            self.problems.push(self.source.problem(offset, message));
        }
    }

    fn value(&mut self, node: &Node<'_>, schema: &'static Value, at: &ValuePath<'_>) {
        let schema = self.resolve(schema);
        if let Some(choices) = choices(schema) {
            return self.choice(node, choices, at);
        }
        let expected = expected_kinds(schema);
        if !expected.is_empty() && !expected.iter().any(|kind| fits(node, kind)) {
            let message = format!(
                "{} must be {}, not {}",
                at.owner(),
                wanted(&expected),
                value_name(node)
            );
            return self.report(node.start(), message);
        }
        match node {
            Node::Object(object) => self.object(object, schema, at),
            Node::Array(array) => {
                let Some(items) = schema.get("items") else { return };
                for (index, element) in array.elements.iter().enumerate() {
                    self.value(element, items, &at.below(&index.to_string()));
                }
            }
            Node::NumberLit(number) => self.range(node, number.value, schema, at),
            Node::StringLit(text) => {
                if let Some(Value::Array(known)) = schema.get("enum") {
                    let known: Vec<&str> = known.iter().filter_map(Value::as_str).collect();
                    self.word(node, &text.value, &known, at);
                }
            }
            Node::BooleanLit(_) | Node::NullKeyword(_) => {}
        }
    }

    fn resolve(&self, schema: &'static Value) -> &'static Value {
        let name = schema.get("$ref").and_then(Value::as_str);
        let name = name.and_then(|name| name.strip_prefix("#/$defs/"));
        name.and_then(|name| self.root.get("$defs")?.get(name))
            .unwrap_or(schema)
    }

    /// Descends into the one alternative that a value of this kind can mean.
    fn choice(&mut self, node: &Node<'_>, choices: &'static [Value], at: &ValuePath<'_>) {
        if let Some(words) = constants(choices) {
            if let Node::StringLit(text) = node {
                return self.word(node, &text.value, &words, at);
            }
            let message = format!(
                "{} must be {}, not {}",
                at.owner(),
                quoted(&words, "or"),
                value_name(node)
            );
            return self.report(node.start(), message);
        }
        let mut expected = Vec::new();
        for choice in choices {
            let choice = self.resolve(choice);
            let kinds = self.kinds_of(choice);
            if kinds.is_empty() || kinds.iter().any(|kind| fits(node, kind)) {
                return self.value(node, choice, at);
            }
            expected.extend(kinds);
        }
        let message = format!(
            "{} must be {}, not {}",
            at.owner(),
            wanted(&expected),
            value_name(node)
        );
        self.report(node.start(), message);
    }

    fn kinds_of(&self, schema: &'static Value) -> Vec<&'static str> {
        match choices(schema) {
            Some(choices) => choices
                .iter()
                .flat_map(|choice| self.kinds_of(self.resolve(choice)))
                .collect(),
            None => expected_kinds(schema),
        }
    }

    fn object(&mut self, object: &Object<'_>, schema: &'static Value, at: &ValuePath<'_>) {
        let properties = schema.get("properties").and_then(Value::as_object);
        let others = schema.get("additionalProperties");
        let mut seen = std::collections::HashSet::with_capacity(object.properties.len());
        for property in &object.properties {
            let name = property.name.as_str();
            let offset = property.range.start;
            if !seen.insert(name) {
                self.report(
                    offset,
                    format!("`{name}` is given twice in {}; keep one of them", at.owner()),
                );
            }
            let known = properties.and_then(|properties| properties.get(name));
            match known.or(others) {
                Some(Value::Bool(false)) => self.unknown(offset, name, properties, at),
                Some(schema) => self.value(&property.value, schema, &at.below(name)),
                None => {}
            }
        }
        let required = schema.get("required").and_then(Value::as_array);
        for name in required.into_iter().flatten().filter_map(Value::as_str) {
            if !seen.contains(name) {
                self.report(
                    object.range.start,
                    format!("{} needs the key `{name}`", at.owner()),
                );
            }
        }
    }

    fn unknown(
        &mut self,
        offset: usize,
        name: &str,
        known: Option<&'static serde_json::Map<String, Value>>,
        at: &ValuePath<'_>,
    ) {
        let known: Vec<&str> = known
            .into_iter()
            .flat_map(serde_json::Map::keys)
            .map(String::as_str)
            .collect();
        let hint = match closest(name, &known) {
            Some(near) => format!("; did you mean `{near}`?"),
            None if known.is_empty() || known.len() > 12 => String::new(),
            None => format!("; known there: {}", quoted(&known, "and")),
        };
        self.report(offset, format!("`{name}` is not a key of {}{hint}", at.owner()));
    }

    fn word(&mut self, node: &Node<'_>, given: &str, known: &[&str], at: &ValuePath<'_>) {
        if known.contains(&given) {
            return;
        }
        let hint = closest(given, known).map(|near| format!("; did you mean `{near}`?"));
        let message = format!(
            "{} must be {}, not `{given}`{}",
            at.owner(),
            quoted(known, "or"),
            hint.unwrap_or_default()
        );
        self.report(node.start(), message);
    }

    fn range(&mut self, node: &Node<'_>, written: &str, schema: &'static Value, at: &ValuePath<'_>) {
        let Ok(number) = written.parse::<f64>() else {
            return;
        };
        if !number.is_finite() {
            return self.report(node.start(), format!("{} is too large a number", at.owner()));
        }
        let bound = |name: &str| schema.get(name).and_then(Value::as_f64);
        if let Some(least) = bound("minimum").filter(|least| number < *least) {
            return self.report(
                node.start(),
                format!("{} must be at least {least}, not {written}", at.owner()),
            );
        }
        let most = bound("maximum").or_else(|| match schema.get("format").and_then(Value::as_str) {
            Some("uint32") => Some(f64::from(u32::MAX)),
            // Whole numbers beyond this lose digits in other programs' JSON.
            Some("uint64") => Some(9_007_199_254_740_991.0),
            _ => None,
        });
        if let Some(most) = most.filter(|most| number > *most) {
            self.report(
                node.start(),
                format!("{} must be at most {most}, not {written}", at.owner()),
            );
        }
    }
}

fn choices(schema: &'static Value) -> Option<&'static [Value]> {
    let list = schema.get("anyOf").or_else(|| schema.get("oneOf"))?;
    list.as_array().map(Vec::as_slice)
}

/// The words of an enum whose values are documented one by one.
fn constants(choices: &'static [Value]) -> Option<Vec<&'static str>> {
    let mut words = Vec::new();
    for choice in choices {
        match (choice.get("const"), choice.get("enum")) {
            (Some(word), _) => words.push(word.as_str()?),
            (None, Some(Value::Array(several))) => words.extend(several.iter().filter_map(Value::as_str)),
            _ => return None,
        }
    }
    Some(words)
}

fn expected_kinds(schema: &'static Value) -> Vec<&'static str> {
    match schema.get("type") {
        Some(Value::String(kind)) => vec![kind],
        Some(Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

fn fits(node: &Node<'_>, kind: &str) -> bool {
    match node {
        Node::Object(_) => kind == "object",
        Node::Array(_) => kind == "array",
        Node::StringLit(_) => kind == "string",
        Node::BooleanLit(_) => kind == "boolean",
        Node::NullKeyword(_) => kind == "null",
        Node::NumberLit(number) => {
            kind == "number" || (kind == "integer" && number.value.parse::<i128>().is_ok())
        }
    }
}

fn wanted(kinds: &[&'static str]) -> String {
    let mut names: Vec<&str> = Vec::new();
    for kind in kinds {
        let name = match *kind {
            "object" => "an object",
            "array" => "a list",
            "string" => "a string",
            "boolean" => "`true` or `false`",
            "integer" => "a whole number",
            "number" => "a number",
            // That `null` unsets a key goes without saying.
            _ => continue,
        };
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names.join(" or ")
}

fn value_name(node: &Node<'_>) -> String {
    match node {
        Node::Object(_) => "an object".to_owned(),
        Node::Array(_) => "a list".to_owned(),
        Node::StringLit(_) => "a string".to_owned(),
        Node::BooleanLit(boolean) => format!("`{}`", boolean.value),
        Node::NullKeyword(_) => "`null`".to_owned(),
        Node::NumberLit(number) => number.value.chars().take(40).collect(),
    }
}

fn quoted(words: &[&str], last: &str) -> String {
    let words: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
    match words.as_slice() {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., end] => format!("{} {last} {end}", first.join(", ")),
    }
}

/// The known word that was probably meant.
fn closest<'a>(given: &str, known: &[&'a str]) -> Option<&'a str> {
    // Comparing is quadratic in the length; nobody misspells a word of this size.
    if given.len() > 64 {
        return None;
    }
    let folded = given.to_lowercase().replace('-', "_");
    let distance = |word: &str| strsim::damerau_levenshtein(&folded, &word.to_lowercase().replace('-', "_"));
    let nearest = known
        .iter()
        .map(|word| (distance(word), *word))
        .min_by_key(|(distance, _)| *distance);
    let (distance, word) = nearest?;
    (distance <= 1 + folded.chars().count() / 4)
        .then_some(word)
        .or_else(|| {
            let begins =
                |word: &&&str| folded.len() >= 4 && (word.starts_with(&folded) || folded.starts_with(**word));
            known.iter().find(begins).copied()
        })
}
