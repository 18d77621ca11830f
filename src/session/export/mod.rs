//! A session as a text that is kept elsewhere: Markdown for people, JSON for programs (INTERFACE, section 4).

mod markdown;
mod shape;

#[cfg(test)]
pub(crate) use shape::fixture;

use serde_json::Value;

use crate::conversation::Message;
use crate::store::SessionRow;

/// What an exported session says of itself.
const FORMAT: &str = "lathe-session-1";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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
