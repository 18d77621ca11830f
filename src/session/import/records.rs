//! The records of a file of a session: its lines, or the messages of one JSON object, read one after the other.
//!
//! A file may be as large as it likes and hold what it likes, so never more than one record is in memory, and a record has
//! a limit in bytes and in values: an empty list takes three bytes in the file and seventy here.

use std::cell::Cell;
use std::fmt;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, Take};
use std::rc::Rc;

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

/// Largest record in bytes: a message with several pictures.
pub(super) const RECORD_BYTES: u64 = 64 << 20;
/// Values in a record.
const RECORD_VALUES: usize = 200_000;

const TOO_LARGE: &str = "a message in it is larger than 64 MiB or has more than 200,000 values";

/// The number of values that a record may still have.
pub(super) struct ValueLimit(usize);

impl Default for ValueLimit {
    fn default() -> Self {
        Self(RECORD_VALUES)
    }
}

impl ValueLimit {
    /// Reads a value. `None` if it is no JSON, or has more values than are left.
    pub(super) fn read(&mut self, text: &str) -> Option<Value> {
        let mut deserializer = serde_json::Deserializer::from_str(text);
        let value = BoundedValue(&mut self.0).deserialize(&mut deserializer).ok()?;
        deserializer.end().ok()?;
        Some(value)
    }

    pub(super) fn is_exceeded(&self) -> bool {
        self.0 == 0
    }
}

/// Reads a value that has at most so many values in it.
struct BoundedValue<'a>(&'a mut usize);

impl<'de> DeserializeSeed<'de> for BoundedValue<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        *self.0 = self.0.saturating_sub(1);
        if *self.0 == 0 {
            return Err(D::Error::custom(TOO_LARGE));
        }
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for BoundedValue<'_> {
    type Value = Value;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, is_true: bool) -> Result<Value, E> {
        Ok(is_true.into())
    }

    fn visit_i64<E>(self, number: i64) -> Result<Value, E> {
        Ok(number.into())
    }

    fn visit_u64<E>(self, number: u64) -> Result<Value, E> {
        Ok(number.into())
    }

    fn visit_f64<E>(self, number: f64) -> Result<Value, E> {
        Ok(number.into())
    }

    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        Ok(text.into())
    }

    fn visit_string<E>(self, text: String) -> Result<Value, E> {
        Ok(text.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element_seed(BoundedValue(self.0))? {
            list.push(item);
        }
        Ok(list.into())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some(name) = fields.next_key::<String>()? {
            object.insert(name, fields.next_value_seed(BoundedValue(self.0))?);
        }
        Ok(object.into())
    }
}

/// A line of a file.
#[derive(Debug, PartialEq)]
pub(super) enum LineRecord {
    Object(Value),
    TooLarge,
}

/// The lines of a file that are JSON objects; others, such as a torn last one, are skipped.
pub(super) struct Lines {
    file: BufReader<Take<File>>,
    line: Vec<u8>,
}

impl Lines {
    /// Reads a file from its beginning.
    pub(super) fn of(file: &File, most: u64) -> io::Result<Self> {
        Ok(Self {
            file: BufReader::new(from_start(file, most)?),
            line: Vec::new(),
        })
    }

    /// Reads the next line into `line`. `None` at the end; `Some(false)` if it is too long, and skipped.
    fn read_line(&mut self) -> io::Result<Option<bool>> {
        self.line.clear();
        let mut beginning = (&mut self.file).take(RECORD_BYTES);
        if beginning.read_until(b'\n', &mut self.line)? == 0 {
            return Ok(None);
        }
        if self.line.ends_with(b"\n") || (self.line.len() as u64) < RECORD_BYTES {
            return Ok(Some(true));
        }
        self.line.clear();
        loop {
            let rest = self.file.fill_buf()?;
            let (end, is_over) = match rest.iter().position(|byte| *byte == b'\n') {
                Some(end) => (end + 1, true),
                None => (rest.len(), rest.is_empty()),
            };
            self.file.consume(end);
            if is_over {
                return Ok(Some(false));
            }
        }
    }
}

impl Iterator for Lines {
    type Item = io::Result<LineRecord>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            match self.read_line() {
                Err(error) => return Some(Err(error)),
                Ok(None) => return None,
                Ok(Some(false)) => return Some(Ok(LineRecord::TooLarge)),
                Ok(Some(true)) => {}
            }
            let mut limit = ValueLimit::default();
            match limit.read(&String::from_utf8_lossy(&self.line)) {
                Some(value) if value.is_object() => return Some(Ok(LineRecord::Object(value))),
                None if limit.is_exceeded() => return Some(Ok(LineRecord::TooLarge)),
                Some(_) | None => {}
            }
        }
    }
}

fn from_start(mut file: &File, most: u64) -> io::Result<Take<File>> {
    file.rewind()?;
    Ok(file.try_clone()?.take(most))
}

/// Reads a JSON object with a list `messages`: `record` is given each of them, and the
/// field `about`.
pub(super) fn read_object<E>(
    file: &File,
    most: u64,
    about: &str,
    mut record: impl FnMut(ObjectRecord) -> Result<(), E>,
) -> Result<(), ObjectError<E>> {
    let read = Rc::new(Cell::new(0));
    let file = RecordReader {
        file: from_start(file, most).map_err(ObjectError::Io)?,
        read: Rc::clone(&read),
    };
    let mut deserializer = serde_json::Deserializer::from_reader(BufReader::new(file));
    let mut failure = None;
    let object = ObjectVisitor {
        about,
        read,
        record: &mut |given| record(given).map_err(|error| failure = Some(error)).is_ok(),
    };
    let outcome = deserializer
        .deserialize_map(object)
        .and_then(|()| deserializer.end());
    match (failure, outcome) {
        (Some(failure), _) => Err(ObjectError::Record(failure)),
        (None, Err(error)) => Err(ObjectError::Json(error)),
        (None, Ok(())) => Ok(()),
    }
}

/// A part of a JSON object.
pub(super) enum ObjectRecord {
    About(Value),
    Message(Value),
}

/// Why a JSON object was not read to its end.
pub(super) enum ObjectError<E> {
    Io(io::Error),
    Json(serde_json::Error),
    /// What takes the records failed.
    Record(E),
}

/// Counts what is read for one record.
struct RecordReader {
    file: Take<File>,
    read: Rc<Cell<u64>>,
}

impl Read for RecordReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.read.get() > RECORD_BYTES {
            return Err(io::Error::other(TOO_LARGE));
        }
        let count = self.file.read(buffer)?;
        self.read.set(self.read.get() + count as u64);
        Ok(count)
    }
}

struct ObjectVisitor<'a> {
    about: &'a str,
    read: Rc<Cell<u64>>,
    /// Returns false to end the reading.
    record: &'a mut dyn FnMut(ObjectRecord) -> bool,
}

impl<'de> Visitor<'de> for ObjectVisitor<'_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<(), A::Error> {
        while let Some(name) = object.next_key::<String>()? {
            if name == "messages" {
                object.next_value_seed(MessagesVisitor {
                    read: &self.read,
                    record: self.record,
                })?;
            } else if name == self.about {
                let value = object.next_value_seed(BoundedValue(&mut ValueLimit::default().0))?;
                if !(self.record)(ObjectRecord::About(value)) {
                    return Err(A::Error::custom("ended"));
                }
            } else {
                object.next_value::<IgnoredAny>()?;
            }
        }
        Ok(())
    }
}

struct MessagesVisitor<'a> {
    read: &'a Cell<u64>,
    record: &'a mut dyn FnMut(ObjectRecord) -> bool,
}

impl<'de> DeserializeSeed<'de> for MessagesVisitor<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for MessagesVisitor<'_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a list of messages")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut messages: A) -> Result<(), A::Error> {
        loop {
            self.read.set(0);
            let mut limit = ValueLimit::default();
            let Some(message) = messages.next_element_seed(BoundedValue(&mut limit.0))? else {
                return Ok(());
            };
            if !(self.record)(ObjectRecord::Message(message)) {
                return Err(A::Error::custom("ended"));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use serde_json::json;

    use super::*;

    fn file(text: &str) -> File {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(text.as_bytes()).unwrap();
        file
    }

    fn lines(text: &str) -> Vec<LineRecord> {
        let lines = Lines::of(&file(text), u64::MAX).unwrap();
        lines.map(Result::unwrap).collect()
    }

    #[test]
    fn lines_that_are_objects_are_read_and_others_skipped() {
        let text = "{\"a\": [1, -2, 1.5, null, true, \"x\"]}\n\n[1]\nno\n{\"b\": {}}\r\n{\"c\": ";
        assert_eq!(
            lines(text),
            [
                LineRecord::Object(json!({"a": [1, -2, 1.5, null, true, "x"]})),
                LineRecord::Object(json!({"b": {}}))
            ]
        );
    }

    #[test]
    fn a_record_of_very_many_values_is_named_and_the_next_is_read() {
        let many = format!("{{\"a\": [{}0]}}\n{{\"b\": 1}}\n", "[],".repeat(RECORD_VALUES));
        assert_eq!(
            lines(&many),
            [LineRecord::TooLarge, LineRecord::Object(json!({"b": 1}))]
        );
    }

    #[test]
    fn a_line_without_end_is_skipped_unread() {
        let mut file = file("{\"a\": 1}\n");
        file.seek(io::SeekFrom::End(0)).unwrap();
        let end = file.stream_position().unwrap() + RECORD_BYTES * 2;
        file.set_len(end).unwrap();
        file.seek(io::SeekFrom::End(0)).unwrap();
        file.write_all(b"\n{\"b\": 1}\n").unwrap();
        let read: Vec<_> = Lines::of(&file, u64::MAX).unwrap().map(Result::unwrap).collect();
        assert_eq!(
            read,
            [
                LineRecord::Object(json!({"a": 1})),
                LineRecord::TooLarge,
                LineRecord::Object(json!({"b": 1}))
            ]
        );
    }

    fn messages(text: &str) -> Result<Vec<Value>, String> {
        let mut read = Vec::new();
        let outcome = read_object::<()>(&file(text), u64::MAX, "info", |record| {
            read.push(match record {
                ObjectRecord::About(value) => json!({ "about": value }),
                ObjectRecord::Message(message) => message,
            });
            Ok(())
        });
        match outcome {
            Ok(()) => Ok(read),
            Err(ObjectError::Json(error)) => Err(error.to_string()),
            Err(ObjectError::Io(_) | ObjectError::Record(())) => unreachable!(),
        }
    }

    #[test]
    fn messages_come_one_by_one_and_unknown_fields_go() {
        let text = r#"{"x": [[[1]]], "messages": [{"a": 1}, 2], "info": {"title": "t"}}"#;
        assert_eq!(
            messages(text),
            Ok(vec![json!({"a": 1}), json!(2), json!({"about": {"title": "t"}})])
        );
        for broken in [
            r#"{"messages": [1"#,
            r#"{"messages": []} x"#,
            "[]",
            r#"{"messages": 1}"#,
        ] {
            assert!(messages(broken).is_err(), "{broken}");
        }
        let many = format!("{{\"messages\": [[{}0]]}}", "[],".repeat(RECORD_VALUES));
        assert!(messages(&many).unwrap_err().contains("200,000 values"));
    }
}
