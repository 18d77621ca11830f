//! One configuration file as text and as a syntax tree that knows where everything stands.

use std::path::{Path, PathBuf};

use jsonc_parser::ast::Value as Node;
use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};
use serde_json::Value;

use super::{Origin, Problem};
use crate::regular_file::{FileGate, MAX_BYTES, ReadError, RegularFile};

/// A file that was read.
#[derive(Debug)]
pub(super) struct Source {
    pub(super) origin: Origin,
    pub(super) path: PathBuf,
    pub(super) text: String,
}

/// A file that was not read.
#[derive(Debug)]
pub(super) enum SourceFault {
    /// It could not be opened, or is not what lathe opens.
    Unopened {
        error: ReadError,
        problem: Problem,
    },
    NotText(Problem),
}

impl From<SourceFault> for Problem {
    fn from(fault: SourceFault) -> Self {
        match fault {
            SourceFault::Unopened { problem, .. } | SourceFault::NotText(problem) => problem,
        }
    }
}

impl Source {
    /// Reads the file; a missing one is `None`. Under another name than its own it must pass the gate.
    pub(super) fn read(
        origin: Origin,
        path: PathBuf,
        gate: &dyn FileGate,
    ) -> Result<Option<Self>, SourceFault> {
        let opened = RegularFile::open(&path).and_then(|file| {
            let real = file.real_path();
            if real.file_name() == path.file_name() || gate.lets_read(real) {
                Ok(file)
            } else {
                let real = real.to_owned();
                Err(ReadError::Withheld { real })
            }
        });
        let bytes = match opened.and_then(|file| file.read(MAX_BYTES)) {
            Ok(bytes) => bytes,
            Err(ReadError::Missing) => return Ok(None),
            Err(error) => {
                let what = match &error {
                    ReadError::NotRegular => {
                        "this is not a file; remove it or put a file in its place".to_owned()
                    }
                    ReadError::TooLarge { .. } => "the file is larger than 1 MiB and was not read".to_owned(),
                    error => format!("the file cannot be read: {error}"),
                };
                let problem = Problem::in_file(&path, what);
                return Err(SourceFault::Unopened { error, problem });
            }
        };
        let text = String::from_utf8(bytes).map_err(|error| {
            let valid = &error.as_bytes()[..error.utf8_error().valid_up_to()];
            let before = String::from_utf8_lossy(valid);
            let message = "the file is not valid UTF-8 from here on; save it as UTF-8".to_owned();
            SourceFault::NotText(Problem::at(&path, &before, before.len(), message))
        })?;
        let text = match text.strip_prefix('\u{feff}') {
            Some(rest) => rest.to_owned(),
            None => text,
        };
        Ok(Some(Self { origin, path, text }))
    }

    /// The tree of JSON with comments and trailing commas; an empty file has none.
    pub(super) fn parse(&self) -> Result<Option<Node<'_>>, Problem> {
        let options = ParseOptions {
            allow_comments: true,
            allow_trailing_commas: true,
            allow_loose_object_property_names: false,
            allow_missing_commas: false,
            allow_single_quoted_strings: false,
            allow_hexadecimal_numbers: false,
            allow_unary_plus_numbers: false,
            allow_bare_decimal_point_numbers: false,
            allow_non_finite_numbers: false,
            allow_extended_string_escapes: false,
        };
        match parse_to_ast(&self.text, &CollectOptions::default(), &options) {
            Ok(parsed) => Ok(parsed.value),
            Err(error) => Err(self.problem(error.range().start, syntax_message(&error.kind().to_string()))),
        }
    }

    pub(super) fn problem(&self, offset: usize, message: String) -> Problem {
        Problem::at(&self.path, &self.text, offset, message)
    }

    /// Relative names in the file count from here: its directory, or the one above `.lathe`.
    pub(super) fn base(&self) -> &Path {
        let dir = self.path.parent().unwrap_or(&self.path);
        match dir.parent() {
            Some(above) if self.origin == Origin::Project && dir.ends_with(".lathe") => above,
            _ => dir,
        }
    }
}

/// The parser's sentence in our form: lower case, no full stop.
fn syntax_message(given: &str) -> String {
    let mut chars = given.trim_end_matches('.').chars();
    let first = chars
        .next()
        .map(|c| c.to_lowercase().to_string())
        .unwrap_or_default();
    format!("this is not valid JSON with comments: {first}{}", chars.as_str())
}

/// The value as it stands there, with nothing expanded.
pub(super) fn plain(node: &Node<'_>) -> Value {
    match node {
        Node::StringLit(string) => Value::from(&*string.value),
        Node::NumberLit(number) => number.value.parse().map_or(Value::Null, Value::Number),
        Node::BooleanLit(boolean) => Value::Bool(boolean.value),
        Node::NullKeyword(_) => Value::Null,
        Node::Array(array) => array.elements.iter().map(plain).collect(),
        Node::Object(object) => {
            let fields = object.properties.iter();
            fields
                .map(|field| (field.name.as_str().to_owned(), plain(&field.value)))
                .collect()
        }
    }
}

/// Returns the offset of the value (or, for the last step, of the key) at a path; of the deepest that exists.
pub(super) fn locate(root: &Node<'_>, path: &[String]) -> Option<usize> {
    let mut node = root;
    let mut found = None;
    for step in path {
        let next = match node {
            Node::Object(object) => object.get(step).map(|property| {
                found = Some(property.range.start);
                &property.value
            }),
            Node::Array(array) => step
                .parse::<usize>()
                .ok()
                .and_then(|index| array.elements.get(index)),
            _ => None,
        };
        let Some(next) = next else { break };
        node = next;
    }
    match node {
        Node::Object(_) | Node::Array(_) => found,
        leaf => found.map(|_| leaf.start()),
    }
}

/// Returns true if a value says nothing.
pub(super) fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(items) => items.is_empty(),
        Value::Object(entries) => entries.is_empty(),
        Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}
