//! A session as a text that is kept elsewhere: Markdown for people, JSON for programs (INTERFACE, section 4).

mod markdown;
mod shape;

#[cfg(test)]
pub(crate) use shape::fixture;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::conversation::Message;
use crate::store::SessionRow;

/// Name of the format, written into every exported session.
const FORMAT: &str = "lathe-session-1";

/// Characters of a title that a file's name takes over.
const TITLE: usize = 48;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ExportFormat {
    Markdown,
    Json,
}

impl ExportFormat {
    pub fn extension(self) -> &'static str {
        match self {
            Self::Markdown => "md",
            Self::Json => "json",
        }
    }
}

/// Returns `{session, messages}`. What a retry replaced is left out.
pub fn json(session: &SessionRow, messages: &[Message]) -> Value {
    shape::json(session, messages)
}

/// Returns the whole session as a text in a format.
pub fn text(format: ExportFormat, session: &SessionRow, messages: &[Message]) -> String {
    match format {
        ExportFormat::Markdown => markdown::text(session, messages),
        ExportFormat::Json => {
            let mut value = json(session, messages);
            value["format"] = Value::from(FORMAT);
            format!("{value:#}\n")
        }
    }
}

/// Returns a name for the file of a session with this title: `lathe-fix-the-retry-test.md`.
pub fn file_name(title: &str, format: ExportFormat) -> String {
    let mut words = String::new();
    for c in title.chars().take(TITLE) {
        if c.is_alphanumeric() {
            words.extend(c.to_lowercase());
        } else if !words.ends_with('-') {
            words.push('-');
        }
    }
    let words = words.trim_matches('-');
    let words = if words.is_empty() { "session" } else { words };
    format!("lathe-{words}.{}", format.extension())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_named_after_the_title() {
        let name = |title| file_name(title, ExportFormat::Markdown);
        assert_eq!(name("Fix the “flaky” test!"), "lathe-fix-the-flaky-test.md");
        assert_eq!(name("../..//"), "lathe-session.md");
        assert_eq!(name("größe prüfen"), "lathe-größe-prüfen.md");
    }
}
