//! Reads the model's items as edits: which fields a type needs, references read, texts cut into lines.

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer};

use crate::text::hashline::{Edit, NumberedEdit, Reference, new_lines, without_echo};
use crate::tool::{ToolError, text_or_null};

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Item {
    /// What is done.
    #[serde(rename = "type")]
    kind: Kind,
    /// The line, as LINE:HASH.
    #[serde(default)]
    line: Option<String>,
    /// The first line, as LINE:HASH.
    #[serde(default)]
    start_line: Option<String>,
    /// The last line, as LINE:HASH.
    #[serde(default)]
    end_line: Option<String>,
    /// The new lines; `null` removes the old ones.
    #[serde(default)]
    #[schemars(schema_with = "text_or_null")]
    text: NewText,
    /// Exact text to replace.
    #[serde(default)]
    #[schemars(schema_with = "text_or_null")]
    old_text: Option<String>,
    /// What takes its place.
    #[serde(default)]
    #[schemars(schema_with = "text_or_null")]
    new_text: Option<String>,
    /// Replace every occurrence.
    #[serde(default)]
    replace_all: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Kind {
    SetLine,
    ReplaceLines,
    InsertAfter,
    InsertBefore,
    Append,
    Prepend,
    Delete,
    Replace,
}

/// The new text of an edit. A field that is left out differs from one that is `null`.
#[derive(Debug, Default)]
enum NewText {
    #[default]
    LeftOut,
    Null,
    Lines(String),
}

impl<'de> Deserialize<'de> for NewText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let given = Option::<String>::deserialize(deserializer)?;
        Ok(given.map_or(Self::Null, Self::Lines))
    }
}

/// Text to replace once everything else is done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Replace {
    /// Among all edits of the call, from 1.
    pub(super) number: usize,
    pub(super) old: String,
    pub(super) new: String,
    pub(super) all: bool,
}

/// The edits of a call; those that are equal are there once.
#[derive(Debug, Default)]
pub(super) struct Edits {
    pub(super) anchored: Vec<NumberedEdit>,
    pub(super) replaces: Vec<Replace>,
    /// Notes about mistakes that were mended.
    pub(super) notes: Vec<String>,
}

impl Edits {
    pub(super) fn parse(items: Vec<Item>) -> Result<Self, ToolError> {
        let count = items.len();
        let mut edits = Self::default();
        for (item, number) in items.into_iter().zip(1..) {
            let parsed = edits.add(item, number);
            parsed.map_err(|why| {
                let message = format!("edit {number} of {count}: {why}");
                ToolError::invalid_args(message).hint("Nothing was written.")
            })?;
        }
        Ok(edits)
    }

    pub(super) fn count(&self) -> usize {
        self.anchored.len() + self.replaces.len()
    }

    /// Returns true if the edits can make a file that is not there.
    pub(super) fn create(&self) -> bool {
        let is_at_end =
            |numbered: &NumberedEdit| matches!(numbered.edit, Edit::Append { .. } | Edit::Prepend { .. });
        self.count() > 0 && self.replaces.is_empty() && self.anchored.iter().all(is_at_end)
    }

    fn add(&mut self, item: Item, number: usize) -> Result<(), String> {
        if item.kind == Kind::Replace {
            let replace = replace(item, number)?;
            let same = |other: &&Replace| {
                (&other.old, &other.new, other.all) == (&replace.old, &replace.new, replace.all)
            };
            match self.replaces.iter().find(same).map(|other| other.number) {
                Some(other) => self.note_twice(number, other),
                None => self.replaces.push(replace),
            }
            return Ok(());
        }
        let edit = self.anchored(&item, number)?;
        let same = |other: &&NumberedEdit| other.edit == edit;
        match self.anchored.iter().find(same).map(|other| other.number) {
            Some(other) => self.note_twice(number, other),
            None => self.anchored.push(NumberedEdit { number, edit }),
        }
        Ok(())
    }

    fn note_twice(&mut self, number: usize, other: usize) {
        self.notes.push(format!(
            "edit {number} is the same as edit {other} and was made once"
        ));
    }

    fn anchored(&mut self, item: &Item, number: usize) -> Result<Edit, String> {
        let text = &item.text;
        match item.kind {
            Kind::SetLine => {
                let line = reference("line", item.line.as_deref())?;
                let lines = self.lines_or_none(text, number)?;
                Ok(change(line, line, lines))
            }
            Kind::ReplaceLines => {
                let (first, last) = range(item)?;
                let lines = self.lines_or_none(text, number)?;
                Ok(change(first, last, lines))
            }
            Kind::Delete => {
                let (first, last) = match given_text(item.line.as_deref()) {
                    Some(_) if is_range(item) => {
                        return Err("give `line`, or `start_line` and `end_line`, not all of them".to_owned());
                    }
                    Some(line) => (reference("line", Some(line))?, reference("line", Some(line))?),
                    None if is_range(item) => range(item)?,
                    None => return Err("`line`, or `start_line` and `end_line`, is missing".to_owned()),
                };
                Ok(change(first, last, Vec::new()))
            }
            Kind::InsertAfter => Ok(Edit::InsertAfter {
                line: reference("line", item.line.as_deref())?,
                lines: self.lines(text, number)?,
            }),
            Kind::InsertBefore => Ok(Edit::InsertBefore {
                line: reference("line", item.line.as_deref())?,
                lines: self.lines(text, number)?,
            }),
            Kind::Append => {
                no_line(item, "append", "insert_after")?;
                let lines = self.lines(text, number)?;
                Ok(Edit::Append { lines })
            }
            Kind::Prepend | Kind::Replace => {
                no_line(item, "prepend", "insert_before")?;
                let lines = self.lines(text, number)?;
                Ok(Edit::Prepend { lines })
            }
        }
    }

    fn lines_or_none(&mut self, text: &NewText, number: usize) -> Result<Vec<String>, String> {
        match text {
            NewText::LeftOut => Err("`text` is missing; `null` removes the lines".to_owned()),
            NewText::Null => Ok(Vec::new()),
            NewText::Lines(text) => Ok(self.cut(text, number)),
        }
    }

    fn lines(&mut self, text: &NewText, number: usize) -> Result<Vec<String>, String> {
        match text {
            NewText::LeftOut | NewText::Null => Err("`text` is missing".to_owned()),
            NewText::Lines(text) => Ok(self.cut(text, number)),
        }
    }

    fn cut(&mut self, text: &str, number: usize) -> Vec<String> {
        let text = text.replace("\r\n", "\n");
        match without_echo(&text) {
            None => new_lines(&text),
            Some(stripped) => {
                let note = format!("the tags before the lines of edit {number} were taken away");
                self.notes.push(note);
                new_lines(&stripped)
            }
        }
    }
}

fn change(first: Reference, last: Reference, lines: Vec<String>) -> Edit {
    Edit::Change { first, last, lines }
}

/// Some models write every field and leave those empty that they do not mean.
fn given_text(text: Option<&str>) -> Option<&str> {
    text.filter(|text| !text.trim().is_empty())
}

fn is_range(item: &Item) -> bool {
    given_text(item.start_line.as_deref()).is_some() || given_text(item.end_line.as_deref()).is_some()
}

fn reference(name: &str, given: Option<&str>) -> Result<Reference, String> {
    let given = given.ok_or_else(|| format!("`{name}` is missing; write it as LINE:HASH, such as `5:89`"))?;
    given.parse().map_err(|error| format!("`{name}`: {error}"))
}

fn range(item: &Item) -> Result<(Reference, Reference), String> {
    let first = reference("start_line", item.start_line.as_deref())?;
    let last = reference("end_line", item.end_line.as_deref())?;
    if first.line > last.line {
        return Err(format!("`start_line` {first} is behind `end_line` {last}"));
    }
    Ok((first, last))
}

/// Text for the end of a file that names a line may be meant for that line.
fn no_line(item: &Item, kind: &str, other: &str) -> Result<(), String> {
    match given_text(item.line.as_deref()) {
        None => Ok(()),
        Some(line) => Err(format!(
            "`{kind}` takes no `line`; to put text beside `{line}`, use `{other}`"
        )),
    }
}

fn replace(item: Item, number: usize) -> Result<Replace, String> {
    let old = item
        .old_text
        .ok_or("`old_text` is missing")?
        .replace("\r\n", "\n");
    let new = item
        .new_text
        .ok_or("`new_text` is missing")?
        .replace("\r\n", "\n");
    if old.is_empty() {
        return Err("`old_text` is empty and names no place".to_owned());
    }
    Ok(Replace {
        number,
        old,
        new,
        all: item.replace_all,
    })
}
