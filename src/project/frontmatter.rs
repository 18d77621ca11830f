//! Markdown files that begin with YAML between two lines `---`.
//!
//! The YAML is read by `serde-saphyr`, which never panics and keeps the place of every value; other readers of YAML are no longer kept or know no places. Values stay untyped here, each with its line, so
//! that whoever knows what a key means can say what is wrong with it and where. Anchors and aliases are refused: a few
//! plain values have no use for them, and with them a small file becomes a large value.
//!
//! Files of other programs need not be YAML: [`parse_lenient`] reads those by lines.

mod lines;

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use serde_json::Value;
use serde_saphyr::budget::BudgetBreach;

/// A file taken apart.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FrontMatter {
    pub fields: BTreeMap<String, Field>,
    /// The text behind the front matter, as it is written.
    pub body: String,
}

/// The value of one key.
#[derive(Debug, Clone, PartialEq)]
pub struct Field {
    pub value: Value,
    pub at: SourcePosition,
}

/// Line and column in the whole file, both from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SourcePosition {
    pub line: usize,
    pub column: usize,
}

impl SourcePosition {
    pub(super) const START: Self = Self { line: 1, column: 1 };
}

/// A mistake in a file: `path:line:column: sentence`, as far as there is a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceProblem {
    pub file: PathBuf,
    pub at: Option<SourcePosition>,
    pub message: String,
}

impl SourceProblem {
    /// Makes a problem of a whole file.
    pub(super) fn new(file: impl Into<PathBuf>, message: impl Into<String>) -> Self {
        Self {
            file: file.into(),
            at: None,
            message: message.into(),
        }
    }

    /// Makes a problem of what its front matter says.
    pub(super) fn placed(file: &Path, error: FrontMatterError) -> Self {
        Self {
            at: Some(error.at),
            ..Self::new(file, error.message)
        }
    }
}

impl fmt::Display for SourceProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:", self.file.display())?;
        if let Some(SourcePosition { line, column }) = self.at {
            write!(f, "{line}:{column}:")?;
        }
        write!(f, " {}", self.message)
    }
}

/// The front matter cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct FrontMatterError {
    pub at: SourcePosition,
    pub message: String,
}

/// Nobody writes more by hand; more would only cost time.
const MAX_BYTES: usize = 64 << 10;
const FENCE: &str = "---";

/// Takes a text apart. Without a first line `---` all of it is body.
pub fn parse(text: &str) -> Result<FrontMatter, FrontMatterError> {
    parse_with(text, yaml_fields)
}

/// Takes a text apart whose front matter was written for a program that reads it line by line.
pub fn parse_lenient(text: &str) -> Result<FrontMatter, FrontMatterError> {
    parse_with(text, |yaml| {
        let Ok(mut fields) = yaml_fields(yaml) else {
            return lines::fields(yaml);
        };
        lines::restore_texts(yaml, &mut fields);
        Ok(fields)
    })
}

fn parse_with(
    text: &str,
    fields: impl FnOnce(&str) -> Result<BTreeMap<String, Field>, FrontMatterError>,
) -> Result<FrontMatter, FrontMatterError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let Some((yaml, body)) = split(text)? else {
        return Ok(FrontMatter {
            fields: BTreeMap::new(),
            body: text.to_owned(),
        });
    };
    Ok(FrontMatter {
        fields: fields(yaml)?,
        body: body.to_owned(),
    })
}

/// Returns the size in bytes of the front matter that [`parse`] would read.
pub(super) fn size(text: &str) -> usize {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    split(text).ok().flatten().map_or(0, |(yaml, _)| yaml.len())
}

/// The YAML and what follows it.
fn split(text: &str) -> Result<Option<(&str, &str)>, FrontMatterError> {
    let mut lines = text.split_inclusive('\n');
    let Some(first) = lines.next().filter(|line| line.trim_end() == FENCE) else {
        return Ok(None);
    };
    let start = first.len();
    let mut end = start;
    for line in lines {
        if line.trim_end() == FENCE {
            let yaml = &text[start..end];
            if yaml.len() > MAX_BYTES {
                return Err(broken(
                    SourcePosition::START,
                    format!("the front matter is larger than {} KiB", MAX_BYTES >> 10),
                ));
            }
            return Ok(Some((yaml, &text[end + line.len()..])));
        }
        end += line.len();
    }
    Err(broken(
        SourcePosition::START,
        "the front matter that begins here has no second line `---`".to_owned(),
    ))
}

fn yaml_fields(yaml: &str) -> Result<BTreeMap<String, Field>, FrontMatterError> {
    type SpannedValue = serde_saphyr::Spanned<Value>;
    let options = serde_saphyr::options! {
        budget: serde_saphyr::budget! {
            max_anchors: 0,
            max_aliases: 0,
            max_merge_keys: 0,
        },
    };
    let read = serde_saphyr::from_str_with_options::<Option<BTreeMap<String, SpannedValue>>>(yaml, options);
    let read = read.map_err(|error| {
        let at = error.location().map_or(SourcePosition::START, place);
        let message = match error.without_snippet() {
            serde_saphyr::Error::Budget {
                breach: BudgetBreach::Anchors { .. } | BudgetBreach::Aliases { .. },
                ..
            } => "anchors and aliases (`&a`, `*a`) are not read here; write the value out".to_owned(),
            _ => format!("the front matter is not valid YAML: {}", sentence(&error)),
        };
        broken(at, message)
    })?;
    let field = |(key, spanned): (String, SpannedValue)| {
        let at = place(spanned.referenced);
        (
            key,
            Field {
                value: spanned.value,
                at,
            },
        )
    };
    Ok(read.unwrap_or_default().into_iter().map(field).collect())
}

/// The YAML begins on the file's second line.
fn place(location: serde_saphyr::Location) -> SourcePosition {
    let number = |number: u64| usize::try_from(number).unwrap_or(usize::MAX).max(1);
    SourcePosition {
        line: number(location.line()).saturating_add(1),
        column: number(location.column()),
    }
}

/// The first line of what the reader says, without the place, which stands in front already.
fn sentence(error: &serde_saphyr::Error) -> String {
    let text = error.without_snippet().to_string();
    let line = text.lines().next().unwrap_or_default();
    let line = line.split(" at line ").next().unwrap_or(line);
    let mut chars = line.trim_end_matches('.').chars();
    let first = chars.next().map(|c| c.to_lowercase().to_string());
    format!("{}{}", first.unwrap_or_default(), chars.as_str())
}

pub(super) fn broken(at: SourcePosition, message: String) -> FrontMatterError {
    FrontMatterError { at, message }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write;

    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn value(text: &str, key: &str) -> Option<Value> {
        parse(text)
            .unwrap()
            .fields
            .get(key)
            .map(|field| field.value.clone())
    }

    #[test]
    fn keys_stand_between_two_lines_and_the_rest_is_body() {
        let text = "---\ndescription: a\ntools:\n  write: false\n---\n\n# Body\n---\n";
        assert_eq!(value(text, "description"), Some(json!("a")));
        assert_eq!(value(text, "tools"), Some(json!({"write": false})));
        assert_eq!(parse(text).unwrap().body, "\n# Body\n---\n");
    }

    #[test]
    fn a_text_without_a_first_fence_is_all_body() {
        for text in [
            "",
            "hello",
            " ---\na: b\n---\n",
            "----\na\n----\n",
            "hello\n---\na: b\n---\n",
        ] {
            let read = parse(text).unwrap();
            assert!(read.fields.is_empty() && read.body == text, "{text:?}");
        }
    }

    #[test]
    fn windows_line_ends_and_a_byte_order_mark_change_nothing() {
        let text = "\u{feff}---\r\nname: x\r\n---\r\nBody\r\n";
        assert_eq!(value(text, "name"), Some(json!("x")));
        assert_eq!(parse(text).unwrap().body, "Body\r\n");
    }

    #[test]
    fn empty_front_matter_has_no_keys() {
        for text in ["---\n---\nx", "---\n\n# only a comment\n---\nx"] {
            assert!(parse(text).unwrap().fields.is_empty(), "{text:?}");
        }
    }

    #[test]
    fn the_order_of_patterns_is_kept() {
        let text = "---\npermission:\n  bash:\n    z: allow\n    \"*\": ask\n    a: deny\n---\n";
        let rules = value(text, "permission").unwrap();
        let keys: Vec<_> = rules["bash"].as_object().unwrap().keys().collect();
        assert_eq!(keys, ["z", "*", "a"]);
    }

    #[test]
    fn every_value_knows_its_place_in_the_file() {
        let read = parse("---\nmode: all\nmodel:   a/b\n---\n").unwrap();
        assert_eq!(read.fields["mode"].at, SourcePosition { line: 2, column: 7 });
        assert_eq!(read.fields["model"].at, SourcePosition { line: 3, column: 10 });
    }

    #[test]
    fn what_is_no_yaml_is_told_with_its_line() {
        for (text, line) in [
            ("---\na: b\n", 1),
            ("---\na: b\nc: [1\n---\n", 3),
            ("---\na: b\na: c\n---\n", 3),
            ("---\n- a\n---\n", 2),
            ("---\njust words\n---\n", 2),
            ("---\na: *nothing\n---\n", 2),
        ] {
            let error = parse(text).unwrap_err();
            assert!(
                error.at.line >= line && error.at.line <= line + 1,
                "{text:?}: {error:?}"
            );
            assert!(
                !error.message.contains('\n') && !error.message.ends_with('.'),
                "{error:?}"
            );
        }
    }

    #[test]
    fn huge_front_matter_and_aliases_that_blow_up_are_refused_quickly() {
        let huge = format!("---\na: {}\n---\n", "x".repeat(MAX_BYTES + 1));
        assert!(parse(&huge).is_err());
        let mut bomb = String::from("---\na0: &a0 [x,x,x,x,x,x,x,x,x]\n");
        for level in 1..12 {
            let before = level - 1;
            let many = vec![format!("*a{before}"); 9].join(",");
            writeln!(bomb, "a{level}: &a{level} [{many}]").unwrap();
        }
        bomb.push_str("---\n");
        assert!(parse(&bomb).is_err());
        for yaml in ["a: &x b", "a: &x b\nc: *x", "a: &x {b: c}\nd:\n  <<: *x"] {
            let error = parse(&format!("---\n{yaml}\n---\n")).unwrap_err();
            assert!(error.message.contains("anchors and aliases"), "{yaml}: {error}");
        }
        let deep = format!("---\na: {}{}\n---\n", "[".repeat(20_000), "]".repeat(20_000));
        assert!(parse(&deep).is_err());
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "(---\n)?(.|\n){0,200}(\n---\n)?(.|\n){0,50}") {
            let _ = parse(&text);
        }

        #[test]
        fn yaml_of_any_shape_makes_it_no_panic(yaml in "([a-z&*!|>?:,{}\\[\\]#'\" \n-]|\t){0,120}") {
            let _ = parse(&format!("---\n{yaml}\n---\n"));
        }
    }
}
