//! Reads a JSON text while it streams in: the arguments of a tool call, shown from their first byte on.
//!
//! Every byte is read once and the values live in one growing arena, so a string of a megabyte that comes in pieces of
//! 16 bytes costs no more than one that comes at once, and looking at what is there copies nothing. How the text was
//! cut into pieces never changes the answer.
//!
//! A value appears as soon as it is certain what kind it is: a string with its opening quote, a number with its first
//! digit, `true`, `false` and `null` once whole; a member of an object when its value does. The grammar is strict: the
//! first byte that is no JSON ends the reading and is remembered, and what was read before it stays. A lone surrogate
//! escape becomes `U+FFFD`. This is for showing; the finished arguments are parsed anew by whoever executes the call.
//!
//! ```
//! use lathe::text::partial_json::PartialJson;
//!
//! let mut arguments = PartialJson::new();
//! arguments.feed(r#"{"file_path": "src/ma"#);
//! let path = arguments.string("file_path").unwrap();
//! assert_eq!((path.text, path.complete), ("src/ma", false));
//! ```

mod reader;
mod value;

pub use value::{PartialStr, PartialValue};

use reader::JsonReader;

/// Deeper nesting than this is refused.
pub const MAX_DEPTH: usize = 200;

/// A JSON text as far as it has come.
#[derive(Debug, Clone, Default)]
pub struct PartialJson {
    reader: JsonReader,
    error: Option<usize>,
    read: usize,
}

impl PartialJson {
    pub fn new() -> Self {
        Self::default()
    }

    /// Reads the next piece of the text. Does nothing after an error.
    pub fn feed(&mut self, piece: &str) {
        if self.error.is_some() {
            return;
        }
        if let Err(at) = self.reader.read(piece) {
            self.error = Some(self.read + at);
        }
        self.read += piece.len();
    }

    /// Returns the top value, once its first byte is there.
    pub fn root(&self) -> Option<PartialValue<'_>> {
        self.reader.arena.root()
    }

    /// Returns a member of the top object as far as it has come.
    pub fn get(&self, key: &str) -> Option<PartialValue<'_>> {
        self.root()?.get(key)
    }

    /// Returns a string member of the top object as far as it has come.
    pub fn string(&self, key: &str) -> Option<PartialStr<'_>> {
        self.get(key)?.as_string()
    }

    /// Copies everything read so far; `null` while there is nothing.
    pub fn value(&self) -> serde_json::Value {
        self.root()
            .map_or(serde_json::Value::Null, PartialValue::to_value)
    }

    /// Tells whether the top value has ended.
    pub fn is_complete(&self) -> bool {
        self.root().is_some_and(PartialValue::is_complete)
    }

    /// Returns the position of the first byte that is no JSON, counted from the start of the whole text.
    pub fn error(&self) -> Option<usize> {
        self.error
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::{Number, Value, json};

    fn read(text: &str) -> PartialJson {
        let mut json = PartialJson::new();
        json.feed(text);
        json
    }

    #[test]
    fn strings_are_there_as_far_as_they_came() {
        let mut json = read(r#"{"path": "src/m"#);
        assert_eq!(
            json.string("path"),
            Some(PartialStr {
                text: "src/m",
                complete: false
            })
        );
        json.feed(r#"ain.rs", "old"#);
        assert_eq!(
            json.string("path"),
            Some(PartialStr {
                text: "src/main.rs",
                complete: true
            })
        );
        assert_eq!(json.string("old"), None);
        json.feed(r#"": ""#);
        assert_eq!(
            json.string("old"),
            Some(PartialStr {
                text: "",
                complete: false
            })
        );
        assert!(!json.is_complete());
        json.feed("\"}");
        assert!(json.is_complete());
        assert_eq!(json.value(), json!({"path": "src/main.rs", "old": ""}));
    }

    #[test]
    fn escapes_are_decoded_across_pieces() {
        let mut json = PartialJson::new();
        for piece in [
            r#"{"a":"x\"#,
            r"n\u00",
            r"e9\ud8",
            r"3d\",
            "ude",
            r"00\\\/\b\f\r\t",
            "\\\"\"}",
        ] {
            json.feed(piece);
        }
        assert_eq!(
            json.string("a"),
            Some(PartialStr {
                text: "x\né😀\\/\u{8}\u{c}\r\t\"",
                complete: true
            })
        );
        assert_eq!(json.error(), None);
    }

    #[test]
    fn half_a_surrogate_pair_waits_for_the_other_half() {
        let mut json = read(r#"{"a":"x\ud83d"#);
        assert_eq!(
            json.string("a"),
            Some(PartialStr {
                text: "x",
                complete: false
            })
        );
        json.feed(r"\ude00");
        assert_eq!(
            json.string("a"),
            Some(PartialStr {
                text: "x😀",
                complete: false
            })
        );
    }

    #[test]
    fn lone_surrogates_become_replacement_characters() {
        assert_eq!(
            read(r#"{"a":"\ud83dx"}"#).string("a"),
            Some(PartialStr {
                text: "\u{FFFD}x",
                complete: true
            })
        );
        assert_eq!(
            read(r#"{"a":"\ud83d\n"}"#).string("a"),
            Some(PartialStr {
                text: "\u{FFFD}\n",
                complete: true
            })
        );
        assert_eq!(
            read(r#"{"a":"\ude00"}"#).string("a"),
            Some(PartialStr {
                text: "\u{FFFD}",
                complete: true
            })
        );
        assert_eq!(
            read(r#"{"a":"\ud83d\ud83d\ude00"}"#).string("a"),
            Some(PartialStr {
                text: "\u{FFFD}😀",
                complete: true
            })
        );
        assert_eq!(
            read(r#"{"a":"\ud83d"}"#).string("a"),
            Some(PartialStr {
                text: "\u{FFFD}",
                complete: true
            })
        );
    }

    #[test]
    fn nested_values_are_seen_before_they_end() {
        let json = read(r#"{"edits": [{"old": "a", "all": true}, {"old": "b"#);
        let edits = json.get("edits").unwrap();
        assert!(!edits.is_complete());
        let items: Vec<_> = edits.items().collect();
        assert!(items[0].is_complete());
        assert_eq!(items[0].get("all").unwrap().as_bool(), Some(true));
        assert_eq!(
            items[1].get("old").unwrap().as_string(),
            Some(PartialStr {
                text: "b",
                complete: false
            })
        );
        assert_eq!(
            json.value(),
            json!({"edits": [{"old": "a", "all": true}, {"old": "b"}]})
        );
    }

    #[test]
    fn numbers_end_with_the_byte_behind_them() {
        let mut json = read(r#"{"n": 12"#);
        assert_eq!(json.value(), json!({"n": 12}));
        assert!(!json.get("n").unwrap().is_complete());
        json.feed("3.5e");
        assert_eq!(json.value(), json!({"n": null}));
        json.feed("1,");
        assert_eq!(json.get("n").unwrap().as_number(), Number::from_f64(1235.0));
        assert!(json.get("n").unwrap().is_complete());
    }

    #[test]
    fn the_last_of_equal_keys_wins() {
        let json = read(r#"{"a": 1, "a": "two"}"#);
        assert_eq!(
            json.string("a"),
            Some(PartialStr {
                text: "two",
                complete: true
            })
        );
        assert_eq!(json.value(), json!({"a": "two"}));
    }

    #[test]
    fn the_first_malformed_byte_is_remembered_and_ends_the_reading() {
        for (text, at) in [
            ("{]", 1),
            ("{\"a\" 1}", 5),
            ("{\"a\":01}", 6),
            ("{\"a\":-}", 6),
            ("{\"a\":1.}", 7),
            ("{\"a\":truE}", 8),
            ("{\"a\":1,}", 7),
            ("[1,]", 3),
            ("{\"a\":\"\n\"}", 6),
            ("{\"a\":\"\\x\"}", 7),
            ("{\"a\":\"\\u12g4\"}", 10),
            ("{} x", 3),
            ("x", 0),
        ] {
            assert_eq!(read(text).error(), Some(at), "{text:?}");
        }
        let mut json = read(r#"{"a": "kept", "b": x"#);
        json.feed(r#" "c": 1}"#);
        assert_eq!(json.value(), json!({"a": "kept"}));
        assert!(!json.is_complete());
    }

    #[test]
    fn nesting_has_a_limit() {
        assert_eq!(read(&"[".repeat(200)).error(), None);
        assert_eq!(read(&"[".repeat(201)).error(), Some(200));
        let mut closed = "[".repeat(200);
        closed.push_str(&"]".repeat(200));
        assert!(read(&closed).is_complete());
    }

    #[test]
    fn a_large_string_in_small_pieces_is_read_in_linear_time() {
        let mut json = read(r#"{"content": ""#);
        for _ in 0..(1 << 16) {
            json.feed("sixteen bytes..\\");
            json.feed("n");
            assert!(json.string("content").is_some());
        }
        assert_eq!(json.string("content").unwrap().text.len(), 1 << 20);
    }

    fn any_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            (-1.0e9..1.0e9).prop_map(Value::from),
            "\\PC{0,8}|[\\x00-\\x1f\"\\\\]{0,4}".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 40, 6, |inner| {
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
                proptest::collection::vec(("[a-c\u{e9}\"]{0,3}", inner), 0..5)
                    .prop_map(|members| Value::Object(members.into_iter().collect())),
            ]
        })
    }

    fn in_pieces(text: &str, size: usize) -> PartialJson {
        let mut json = PartialJson::new();
        let chars: Vec<char> = text.chars().collect();
        for piece in chars.chunks(size) {
            json.feed(&piece.iter().collect::<String>());
        }
        json
    }

    proptest! {
        #[test]
        fn reads_what_serde_reads_in_any_pieces(value in any_json(), size in 1_usize..7, pretty in any::<bool>()) {
            let mut text = if pretty { serde_json::to_string_pretty(&value) } else { serde_json::to_string(&value) }.unwrap();
            text.push('\n');
            let json = in_pieces(&text, size);
            prop_assert_eq!(json.error(), None);
            prop_assert!(json.is_complete());
            prop_assert_eq!(json.value(), serde_json::from_str::<Value>(&text).unwrap());
        }

        #[test]
        fn pieces_never_change_the_answer(text in "[\\[\\]{}\",:\\\\u0-9a-eE.tr-]{0,40}", size in 1_usize..5) {
            let (whole, cut) = (read(&text), in_pieces(&text, size));
            prop_assert_eq!(whole.error(), cut.error());
            prop_assert_eq!(whole.value(), cut.value());
            prop_assert_eq!(whole.is_complete(), cut.is_complete());
        }

        #[test]
        fn accepts_and_refuses_what_serde_does(text in "[\\[\\]{}\",:\\\\u0-2a-cE.e -]{0,12}") {
            let json = read(&format!("{text}\n"));
            let accepted = json.error().is_none() && json.is_complete();
            prop_assert_eq!(accepted, serde_json::from_str::<Value>(&text).is_ok() || accepted && text.contains("\\u"));
        }
    }
}
