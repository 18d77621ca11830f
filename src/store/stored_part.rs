//! A part on its way out of the database.
//!
//! Parts of a row that most readers never look at stay text ([`Json`]): arguments and details are more than half of a
//! long session, and the screen shows those of a few calls.

use rusqlite::Row;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::column;
use crate::conversation::{CallId, CallResult, CallState, Json, Native, Part, PartBody, ToolPart};
use crate::swap::Swappable;

/// A part as it lies in the database.
pub(super) struct StoredPart {
    /// Of its message, among those that are loaded.
    pub(super) place: usize,
    seq: u64,
    kind: String,
    body: String,
}

impl StoredPart {
    /// The column that holds the body.
    const BODY: usize = 3;

    pub(super) fn of(place: usize, row: &Row<'_>) -> Result<Self, rusqlite::Error> {
        Ok(Self {
            place,
            seq: row.get::<_, i64>(1)? as u64,
            kind: row.get(2)?,
            body: row.get(Self::BODY)?,
        })
    }

    /// Reads the body as what its kind says it is, which spares looking for that in the body.
    pub(super) fn read(&self) -> Result<Part, rusqlite::Error> {
        let text = self.body.as_str();
        let by_kind = match self.kind.as_str() {
            "text" => serde_json::from_str(text).map(PartBody::Text),
            "reasoning" => serde_json::from_str(text).map(PartBody::Reasoning),
            "tool" => serde_json::from_str::<StoredTool<'_>>(text)
                .and_then(ToolPart::try_from)
                .map(PartBody::Tool),
            "file" => serde_json::from_str(text).map(PartBody::File),
            "notice" => serde_json::from_str(text).map(PartBody::Notice),
            "context" => serde_json::from_str(text).map(PartBody::Context),
            _ => serde_json::from_str(text),
        };
        // A newer lathe may have given a known kind another shape.
        let body = by_kind.or_else(|_| column::from_json(text, Self::BODY))?;
        Ok(Part { seq: self.seq, body })
    }
}

/// A [`ToolPart`] whose JSON is not read, and its result neither.
#[derive(Deserialize)]
struct StoredTool<'a> {
    call: CallId,
    #[serde(default)]
    provider_id: Option<String>,
    tool: String,
    raw_args: String,
    #[serde(default, borrow)]
    args: Option<&'a RawValue>,
    state: CallState,
    #[serde(default, borrow)]
    result: Option<&'a RawValue>,
    #[serde(default)]
    native: Option<Native>,
    #[serde(default, borrow)]
    inner: Vec<StoredTool<'a>>,
}

impl TryFrom<StoredTool<'_>> for ToolPart {
    type Error = serde_json::Error;

    fn try_from(stored: StoredTool<'_>) -> Result<Self, serde_json::Error> {
        let inner = stored.inner.into_iter().map(Self::try_from);
        Ok(Self {
            call: stored.call,
            provider_id: stored.provider_id,
            tool: stored.tool,
            raw_args: stored.raw_args,
            args: stored.args.map(Json::from),
            state: stored.state,
            result: stored.result.map(result).transpose()?,
            native: stored.native,
            inner: inner.collect::<Result<_, _>>()?,
        })
    }
}

/// Most results of a long session are never looked at again.
fn result(raw: &RawValue) -> serde_json::Result<Swappable<CallResult>> {
    match Swappable::unread(raw.get().as_bytes()) {
        Some(unread) => Ok(unread),
        None => CallResult::from_json(raw.get()).map(Swappable::new),
    }
}
