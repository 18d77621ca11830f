//! The arguments of a call as a person may change them in the question: the one that names what happens, as plain text,
//! or all of them as JSON.
//!
//! This is data that a front end edits. Whether the tool takes what was written is known where the tool is: the session is
//! asked ([`Questions::fit`](crate::question::Questions::fit)).

use std::borrow::Cow;
use std::fmt::Write;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::text::sanitize::{MarkKind, reveal};

type Args = Map<String, Value>;

/// The part of a call that a person may change.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Editable {
    args: Args,
    /// The parameter that is edited as plain text.
    param: Option<Cow<'static, str>>,
}

/// Looks at arguments as the pipeline will: brings them into the tool's form, or says why they are not the tool's.
pub type Fit = dyn Fn(Args) -> Result<Args, String> + Send + Sync;

impl Editable {
    /// `param` counts where it is a text in which nothing is hidden; else all arguments are edited.
    pub fn new(args: Args, param: Option<&'static str>) -> Self {
        let is_plain = |text: &str| has_no_names(text) && !text.contains('\t');
        let param = param.filter(|param| args.get(*param).and_then(Value::as_str).is_some_and(is_plain));
        Self {
            args,
            param: param.map(Cow::Borrowed),
        }
    }

    /// The text to begin with.
    pub fn text(&self) -> String {
        let plain = self
            .param
            .as_ref()
            .and_then(|param| self.args.get(&**param)?.as_str());
        if let Some(text) = plain {
            return text.to_owned();
        }
        // Serialising a map of plain values does not fail.
        let json = serde_json::to_string_pretty(&self.args).unwrap_or_default();
        escape(&json)
    }

    /// Reads what a person has made of it; `None` when nothing is changed.
    pub fn read(&self, text: &str) -> Result<Option<Args>, String> {
        let args = match &self.param {
            Some(param) if text.trim().is_empty() => {
                return Err(format!("`{param}` is empty; write it, or leave it as it was"));
            }
            Some(param) => {
                let mut args = self.args.clone();
                args.insert(param.to_string(), text.into());
                args
            }
            None => match serde_json::from_str(text) {
                Ok(Value::Object(args)) => args,
                Ok(_) => return Err("the arguments have to be one JSON object".to_owned()),
                Err(error) => return Err(format!("this is not JSON: {error}")),
            },
        };
        Ok((!self.is(&args)).then_some(args))
    }

    /// Returns true if these are the arguments of the call as it stands.
    pub fn is(&self, args: &Args) -> bool {
        self.args == *args
    }
}

fn has_no_names(text: &str) -> bool {
    let revealed = reveal(text);
    revealed.marks().iter().all(|mark| mark.kind != MarkKind::Name)
}

/// Writes what cannot be seen as JSON escapes, so that it is edited as what it is.
fn escape(json: &str) -> String {
    let mut escaped = String::with_capacity(json.len());
    for c in json.chars() {
        // A mark is seen behind a letter.
        if has_no_names(&format!("a{c}")) {
            escaped.push(c);
        } else {
            for unit in c.encode_utf16(&mut [0; 2]) {
                // Writing to a string does not fail.
                let _ = write!(escaped, "\\u{unit:04x}");
            }
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn editable(args: Value, param: Option<&'static str>) -> Editable {
        let Value::Object(args) = args else {
            panic!("arguments are an object")
        };
        Editable::new(args, param)
    }

    #[test]
    fn a_plain_parameter_is_edited_as_it_is() {
        let editable = editable(json!({"command": "ls -l", "timeout": 5}), Some("command"));
        assert_eq!(editable.text(), "ls -l");
        let changed = editable.read("ls -a").unwrap().unwrap();
        assert_eq!(Value::Object(changed), json!({"command": "ls -a", "timeout": 5}));
        assert_eq!(editable.read("ls -l"), Ok(None));
        assert!(editable.read("  ").unwrap_err().contains("empty"));
    }

    #[test]
    fn all_arguments_are_edited_as_json() {
        let editable = editable(json!({"command": "ls"}), None);
        assert_eq!(editable.text(), "{\n  \"command\": \"ls\"\n}");
        assert!(editable.read("{").unwrap_err().starts_with("this is not JSON"));
        assert!(editable.read("[]").unwrap_err().contains("object"));
        let changed = editable.read(r#"{"command": 1}"#).unwrap().unwrap();
        assert_eq!(Value::Object(changed), json!({"command": 1}));
    }

    #[test]
    fn nothing_hidden_is_edited_unseen() {
        let command = "true \u{1b}[8m; rm x\u{202e}\u{1f600}";
        let editable = editable(json!({ "command": command }), Some("command"));
        let text = editable.text();
        assert!(
            text.contains("\\u001b") && text.contains("\\u202e") && text.contains('\u{1f600}'),
            "{text}"
        );
        assert_eq!(editable.read(&text), Ok(None), "escapes mean the same");
    }
}
