//! Finding sessions by what was said in them, and looking at the last of it.
//!
//! Every text is read, the newest first: some 100 MB a second, so this belongs to a thread of its own.

use rusqlite::{Row, params};
use serde::{Deserialize, Serialize};

use super::{Store, StoreError, column};
use crate::conversation::{MessageId, Role, SessionId};

/// Bytes of what was said before a match that its excerpt shows.
const BEFORE: usize = 30;
/// Bytes of an excerpt.
const EXCERPT: usize = 160;
/// Characters of a text that a look at a session needs.
const LOOK: i64 = 4000;

/// A message that says what was looked for.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Hit {
    pub session: SessionId,
    pub message: MessageId,
    /// The session's.
    pub title: String,
    pub role: Role,
    /// Milliseconds since the Unix epoch.
    pub created: i64,
    /// One line around the match. What it says is not clean.
    pub excerpt: String,
}

/// A text that was found, and who said it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FoundText {
    pub role: Role,
    pub text: String,
}

impl Store {
    /// Returns the messages that hold this text, the newest first, at most `limit`. Small and capital letters of English
    /// count the same.
    pub fn search(&self, text: &str, limit: usize) -> Result<Vec<Hit>, StoreError> {
        if text.trim().is_empty() {
            return Ok(Vec::new());
        }
        let connection = self.connection();
        // The order of a cross join is kept: the texts are read from the newest on, and reading ends with the limit.
        let mut statement = connection.prepare_cached(
            "SELECT parts.session, messages.id, sessions.title, messages.role, messages.created,
                    json_extract(parts.body, '$.text')
             FROM parts CROSS JOIN messages ON messages.id = parts.message
                 CROSS JOIN sessions ON sessions.id = parts.session
             WHERE parts.kind = 'text' AND messages.state <> 'void'
                 AND json_extract(parts.body, '$.text') LIKE ?1 ESCAPE '\\'
             ORDER BY parts.id DESC LIMIT ?2",
        )?;
        let pattern = format!("%{}%", escape(text));
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let rows = statement.query_map(params![pattern, limit], |row| hit(row, text))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Returns the last texts of a session, in their order, long ones cut.
    pub fn last_words(&self, session: &SessionId, count: usize) -> Result<Vec<FoundText>, StoreError> {
        let connection = self.connection();
        let mut statement = connection.prepare_cached(
            "SELECT messages.role, substr(json_extract(parts.body, '$.text'), 1, ?3)
             FROM parts JOIN messages ON messages.id = parts.message
             WHERE parts.session = ?1 AND parts.kind = 'text' AND messages.state <> 'void'
             ORDER BY parts.seq DESC LIMIT ?2",
        )?;
        let count = i64::try_from(count).unwrap_or(i64::MAX);
        let rows = statement.query_map(params![session.as_str(), count, LOOK], |row| {
            Ok(FoundText {
                role: column::variant(row, 0)?,
                text: row.get::<_, Option<String>>(1)?.unwrap_or_default(),
            })
        })?;
        let mut words = rows.collect::<Result<Vec<_>, _>>()?;
        words.reverse();
        Ok(words)
    }
}

/// Keeps what `LIKE` would read as a pattern.
fn escape(text: &str) -> String {
    text.replace('\\', "\\\\").replace('%', "\\%").replace('_', "\\_")
}

fn hit(row: &Row<'_>, searched: &str) -> Result<Hit, rusqlite::Error> {
    let text: String = row.get(5)?;
    Ok(Hit {
        session: column::parsed(row, 0)?,
        message: column::parsed(row, 1)?,
        title: row.get(2)?,
        role: column::variant(row, 3)?,
        created: row.get(4)?,
        excerpt: excerpt(&text, searched),
    })
}

fn excerpt(text: &str, searched: &str) -> String {
    let place = text
        .to_ascii_lowercase()
        .find(&searched.to_ascii_lowercase())
        .unwrap_or(0);
    let start = text.floor_char_boundary(place.saturating_sub(BEFORE));
    let end = text.floor_char_boundary((start + EXCERPT).min(text.len()));
    let words: Vec<&str> = text[start..end].split_whitespace().collect();
    let dots = if start > 0 { "…" } else { "" };
    format!("{dots}{}", words.join(" "))
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{reply, store_with, text};
    use super::super::{MessageChange, NewSession};
    use super::*;
    use crate::conversation::MessageState;

    fn say(store: &Store, session: &SessionId, seq: u64, state: MessageState, words: &str) {
        let message = reply(state);
        let part = MessageChange::Part {
            message: message.id.clone(),
            part: text(seq, words),
        };
        store
            .write(session, &[MessageChange::Message(message), part])
            .unwrap();
    }

    #[test]
    fn the_newest_words_come_first_and_void_replies_never() {
        let (store, session) = store_with("/p");
        say(
            &store,
            &session,
            1,
            MessageState::Complete,
            "one: 100% of \"a_b\"\nand more",
        );
        say(&store, &session, 2, MessageState::Void, "void: 100%");
        say(&store, &session, 3, MessageState::Complete, "two: also 100% sure");
        let excerpts = |words: &str| -> Vec<String> {
            let hits = store.search(words, 10).unwrap();
            hits.into_iter().map(|hit| hit.excerpt).collect()
        };
        assert_eq!(
            excerpts("100%"),
            ["two: also 100% sure", "one: 100% of \"a_b\" and more"]
        );
        assert_eq!(excerpts("\"A_B\"").len(), 1, "quotes are text, `_` is no pattern");
        assert!(excerpts("a%b").is_empty() && excerpts("axb").is_empty() && excerpts(" ").is_empty());
        assert_eq!(store.search("100%", 1).unwrap().len(), 1);
        let last = store.last_words(&session, 1).unwrap();
        assert_eq!(last[0].text, "two: also 100% sure");
        assert_eq!(store.last_words(&session, 9).unwrap().len(), 2);
        say(
            &store,
            &session,
            4,
            MessageState::Complete,
            &"long ".repeat(10_000),
        );
        assert_eq!(store.last_words(&session, 1).unwrap()[0].text.len(), 4000);
    }

    #[test]
    fn an_excerpt_is_one_line_around_the_match() {
        let text = format!("{}ä the needle\n\nin {}", "hay ".repeat(50), "世".repeat(90));
        let excerpt = excerpt(&text, "NEEDLE");
        assert!(
            excerpt.starts_with('…') && excerpt.contains("ä the needle in 世"),
            "{excerpt}"
        );
    }

    #[test]
    fn children_are_searched_under_their_own_id() {
        let (store, root) = store_with("/p");
        let child = NewSession {
            parent: Some(root),
            ..super::super::fixture::new_session("/p")
        };
        store.create(&child).unwrap();
        say(&store, &child.id, 1, MessageState::Complete, "deep thought");
        assert_eq!(store.search("deep", 5).unwrap()[0].session, child.id);
    }
}
