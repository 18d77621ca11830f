//! Reads a JSON text while it streams in: the arguments of a tool call, shown from their first byte on.
//!
//! Every byte is read once and added to one growing value, so a string of a megabyte that comes in pieces of 16 bytes
//! costs no more than one that comes at once, and looking at what is there copies nothing. How the text was cut into
//! pieces never changes the answer.
//!
//! An object, an array and a string are there from their first byte on, numbers, `true`, `false` and `null` once whole; a
//! member of an object when its value is. The grammar is strict: the first byte that is no JSON ends the reading and is
//! remembered, and what was read before it stays. A lone surrogate escape becomes `U+FFFD`. This is for showing; the
//! finished arguments are parsed anew by whoever executes the call.
//!
//! ```
//! use lathe::text::partial_json::PartialJson;
//!
//! let arguments = PartialJson::of(r#"{"file_path": "src/ma"#);
//! assert_eq!(arguments.value()["file_path"], "src/ma");
//! assert!(arguments.is_open("file_path"));
//! ```

mod reader;
mod tree;

use reader::JsonReader;
use serde_json::Value;

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

    /// Reads the beginning of a text, or all of it.
    pub fn of(text: &str) -> Self {
        let mut json = Self::new();
        json.feed(text);
        json
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

    /// Returns everything read so far; `null` while there is nothing.
    pub fn value(&self) -> &Value {
        self.reader.tree.root.as_ref().unwrap_or(&Value::Null)
    }

    /// Tells whether this member of the top object is there and has not ended.
    pub fn is_open(&self, key: &str) -> bool {
        let is_newest_open = match self.reader.tree.depth {
            0 => false,
            1 => self.reader.is_in_string,
            _ => true,
        };
        let newest = self
            .value()
            .as_object()
            .and_then(|members| members.keys().next_back());
        is_newest_open && newest.is_some_and(|newest| newest == key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::{Value, json};

    impl PartialJson {
        /// Tells whether the top value has ended.
        fn is_complete(&self) -> bool {
            let tree = &self.reader.tree;
            tree.root.is_some() && tree.depth == 0 && !self.reader.is_in_string
        }

        /// Returns the position of the first byte that is no JSON, counted from the start of the whole text.
        fn error(&self) -> Option<usize> {
            self.error
        }
    }

    #[test]
    fn strings_are_there_as_far_as_they_came() {
        let mut json = PartialJson::of(r#"{"path": "src/m"#);
        assert_eq!(*json.value(), json!({"path": "src/m"}));
        assert!(json.is_open("path"));
        json.feed(r#"ain.rs", "old"#);
        assert_eq!(*json.value(), json!({"path": "src/main.rs"}));
        assert!(!json.is_open("path") && !json.is_open("old"));
        json.feed(r#"": ""#);
        assert_eq!(*json.value(), json!({"path": "src/main.rs", "old": ""}));
        assert!(json.is_open("old") && !json.is_open("path") && !json.is_complete());
        json.feed("\"}");
        assert!(json.is_complete() && !json.is_open("old"));
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
        assert_eq!(json.value()["a"], "x\né😀\\/\u{8}\u{c}\r\t\"");
        assert!(json.is_complete() && json.error().is_none());
    }

    #[test]
    fn half_a_surrogate_pair_waits_for_the_other_half() {
        let mut json = PartialJson::of(r#"{"a":"x\ud83d"#);
        assert_eq!(json.value()["a"], "x");
        json.feed(r"\ude00");
        assert_eq!(json.value()["a"], "x😀");
    }

    #[test]
    fn lone_surrogates_become_replacement_characters() {
        for (text, a) in [
            (r#"{"a":"\ud83dx"}"#, "\u{FFFD}x"),
            (r#"{"a":"\ud83d\n"}"#, "\u{FFFD}\n"),
            (r#"{"a":"\ude00"}"#, "\u{FFFD}"),
            (r#"{"a":"\ud83d\ud83d\ude00"}"#, "\u{FFFD}😀"),
            (r#"{"a":"\ud83d"}"#, "\u{FFFD}"),
        ] {
            assert_eq!(PartialJson::of(text).value()["a"], a, "{text}");
        }
    }

    #[test]
    fn nested_values_are_seen_before_they_end() {
        let mut json = PartialJson::of(r#"{"edits": [{"old": "a", "all": true}, {"old": "b"#);
        let seen = json!({"edits": [{"old": "a", "all": true}, {"old": "b"}]});
        assert_eq!(*json.value(), seen);
        assert!(json.is_open("edits") && !json.is_open("old"));
        json.feed("\"}]");
        assert_eq!(*json.value(), seen);
        assert!(!json.is_open("edits") && !json.is_complete());
    }

    #[test]
    fn numbers_end_with_the_byte_behind_them() {
        let mut json = PartialJson::of(r#"{"n": 12"#);
        assert_eq!(*json.value(), json!({}));
        json.feed("3.5e");
        assert_eq!(*json.value(), json!({}));
        json.feed("1,");
        assert_eq!(*json.value(), json!({"n": 1235.0}));
    }

    #[test]
    fn the_last_of_equal_keys_wins() {
        let mut json = PartialJson::of(r#"{"a": 1, "b": 2, "a": "tw"#);
        json.feed("o");
        assert_eq!(*json.value(), json!({"a": "two", "b": 2}));
        assert!(json.is_open("a"));
    }

    #[test]
    fn what_breaks_off_in_a_string_leaves_it_open() {
        let json = PartialJson::of("{\"a\": \"x\n\"}");
        assert_eq!((json.error(), &json.value()["a"]), (Some(8), &json!("x")));
        assert!(json.is_open("a") && !json.is_complete());
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
            assert_eq!(PartialJson::of(text).error(), Some(at), "{text:?}");
        }
        let mut json = PartialJson::of(r#"{"a": "kept", "b": x"#);
        json.feed(r#" "c": 1}"#);
        assert_eq!(*json.value(), json!({"a": "kept"}));
        assert!(!json.is_complete());
    }

    #[test]
    fn nesting_has_a_limit() {
        assert_eq!(PartialJson::of(&"[".repeat(200)).error(), None);
        assert_eq!(PartialJson::of(&"[".repeat(201)).error(), Some(200));
        let mut closed = "[".repeat(200);
        closed.push_str(&"]".repeat(200));
        assert!(PartialJson::of(&closed).is_complete());
    }

    #[test]
    fn a_large_string_in_small_pieces_is_read_in_linear_time() {
        let mut json = PartialJson::of(r#"{"content": ""#);
        for _ in 0..(1 << 16) {
            json.feed("sixteen bytes..\\");
            json.feed("n");
            assert!(json.value()["content"].is_string());
        }
        assert_eq!(json.value()["content"].as_str().unwrap().len(), 1 << 20);
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
            prop_assert_eq!(json.value(), &serde_json::from_str::<Value>(&text).unwrap());
        }

        #[test]
        fn pieces_never_change_the_answer(text in "[\\[\\]{}\",:\\\\u0-9a-eE.tr-]{0,40}", size in 1_usize..5) {
            let (whole, cut) = (PartialJson::of(&text), in_pieces(&text, size));
            prop_assert_eq!(whole.error(), cut.error());
            prop_assert_eq!(whole.value(), cut.value());
            prop_assert_eq!(whole.is_complete(), cut.is_complete());
        }

        #[test]
        fn accepts_and_refuses_what_serde_does(text in "[\\[\\]{}\",:\\\\u0-2a-cE.e -]{0,12}") {
            let json = PartialJson::of(&format!("{text}\n"));
            let accepted = json.error().is_none() && json.is_complete();
            prop_assert_eq!(accepted, serde_json::from_str::<Value>(&text).is_ok() || accepted && text.contains("\\u"));
        }
    }
}
