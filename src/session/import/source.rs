//! Finds out which program wrote a file: by the fields of its first JSON object, or of its first lines. Nothing of the
//! file is kept for it.

use std::fmt;
use std::fs::File;
use std::io::{BufReader, Read, Seek};

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::ImportSource;
use super::records::{LineRecord, Lines};

/// Lines that are looked at.
const LINES: usize = 50;
/// Bytes of a text that are looked at.
const BEGINNING: usize = 32;

/// Returns the program that wrote a file.
pub(super) fn detect(file: &File, most: u64) -> Option<ImportSource> {
    of_object(file, most).or_else(|| of_lines(file, most))
}

/// Looks at a file that is one JSON object.
fn of_object(mut file: &File, most: u64) -> Option<ImportSource> {
    file.rewind().ok()?;
    let reader = BufReader::new(file.take(most));
    let fields = Fields::deserialize(&mut serde_json::Deserializer::from_reader(reader)).ok()?;
    if fields.format.starts_with("lathe-session") {
        return Some(ImportSource::Lathe);
    }
    if !fields.messages {
        return None;
    }
    if fields.info {
        return Some(ImportSource::Opencode);
    }
    fields.session.then_some(ImportSource::Lathe)
}

fn of_lines(file: &File, most: u64) -> Option<ImportSource> {
    let lines = Lines::of(file, most).ok()?.map_while(Result::ok).take(LINES);
    lines
        .filter_map(|line| match line {
            LineRecord::Object(line) => Some(line),
            LineRecord::TooLarge => None,
        })
        .find_map(|line| {
            let kind = line["type"].as_str()?;
            if line["payload"].is_object() {
                return Some(ImportSource::Codex);
            }
            let is_claude =
                line.get("sessionId").is_some() || line.get("uuid").is_some() || kind == "summary";
            is_claude.then_some(ImportSource::Claude)
        })
}

/// The fields by which an export is known.
#[derive(Default)]
struct Fields {
    format: String,
    /// True if these are an object, an object and a list.
    info: bool,
    session: bool,
    messages: bool,
}

impl<'de> Deserialize<'de> for Fields {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct FieldsVisitor;
        impl<'de> Visitor<'de> for FieldsVisitor {
            type Value = Fields;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Fields, A::Error> {
                let mut fields = Fields::default();
                while let Some(name) = object.next_key::<String>()? {
                    let shape: Shape = object.next_value()?;
                    match (name.as_str(), shape) {
                        ("format", Shape::Text(text)) => fields.format = text,
                        ("info", Shape::Object) => fields.info = true,
                        ("session", Shape::Object) => fields.session = true,
                        ("messages", Shape::List) => fields.messages = true,
                        _ => {}
                    }
                }
                Ok(fields)
            }
        }
        deserializer.deserialize_map(FieldsVisitor)
    }
}

/// The kind of a value, which is skipped.
enum Shape {
    Object,
    List,
    /// With its beginning.
    Text(String),
    Other,
}

impl<'de> Deserialize<'de> for Shape {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ShapeVisitor;
        impl<'de> Visitor<'de> for ShapeVisitor {
            type Value = Shape;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a value")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Shape, A::Error> {
                while object.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
                Ok(Shape::Object)
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Shape, A::Error> {
                while list.next_element::<IgnoredAny>()?.is_some() {}
                Ok(Shape::List)
            }

            fn visit_str<E>(self, text: &str) -> Result<Shape, E> {
                Ok(Shape::Text(
                    text[..text.floor_char_boundary(BEGINNING)].to_owned(),
                ))
            }

            fn visit_unit<E>(self) -> Result<Shape, E> {
                Ok(Shape::Other)
            }

            fn visit_bool<E>(self, _: bool) -> Result<Shape, E> {
                Ok(Shape::Other)
            }

            fn visit_i64<E>(self, _: i64) -> Result<Shape, E> {
                Ok(Shape::Other)
            }

            fn visit_u64<E>(self, _: u64) -> Result<Shape, E> {
                Ok(Shape::Other)
            }

            fn visit_f64<E>(self, _: f64) -> Result<Shape, E> {
                Ok(Shape::Other)
            }
        }
        deserializer.deserialize_any(ShapeVisitor)
    }
}
