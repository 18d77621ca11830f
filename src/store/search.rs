//! Finding sessions by what was said in them, and looking at the last of it.
//!
//! An index has every three characters of what was said. It takes a while all the same where much is found, so this belongs
//! to a thread of its own.

use std::path::PathBuf;

use rusqlite::{Row, params};
use serde::{Deserialize, Serialize};

use super::statement::rows;
use super::{Store, StoreError, column, path_text};
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

/// Bounds of a search.
#[derive(Debug, Clone, Default)]
pub struct SearchScope {
    pub project: Option<PathBuf>,
    pub session: Option<SessionId>,
}

/// A message that has what was looked for, with all of its text.
#[derive(Debug, Clone, PartialEq)]
pub struct TextMatch {
    pub session: SessionId,
    pub message: MessageId,
    /// The session's.
    pub title: String,
    pub role: Role,
    /// Milliseconds since the Unix epoch.
    pub created: i64,
    pub text: String,
}

/// A text that was found, and who said it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FoundText {
    pub role: Role,
    pub text: String,
}

/// Characters that the index of the text knows together. What is shorter is looked for in every text, some 100 MB a second.
const INDEXED: usize = 3;

macro_rules! hits {
    ($from:literal, $wanted:literal, $order:literal) => {
        concat!(
            "SELECT parts.session, messages.id, sessions.title, messages.role, messages.created, ",
            "json_extract(parts.body, '$.text') FROM ",
            $from,
            " CROSS JOIN messages ON messages.id = parts.message CROSS JOIN sessions ON sessions.id = parts.session ",
            "WHERE parts.kind = 'text' AND messages.state <> 'void' AND messages.undo IS NULL AND ",
            $wanted,
            " AND (?3 IS NULL OR sessions.project = ?3) AND (?4 IS NULL OR parts.session = ?4) ORDER BY ",
            $order,
            " DESC LIMIT ?2"
        )
    };
}

/// The newest text of each session among those that `$found` finds.
macro_rules! sessions_with {
    ($found:literal) => {
        concat!(
            "WITH found (id) AS MATERIALIZED (",
            $found,
            " DESC LIMIT ?2), newest (session, id) AS MATERIALIZED (
                 SELECT parts.session, max(found.id) FROM found
                 CROSS JOIN parts ON parts.id = found.id CROSS JOIN messages ON messages.id = parts.message
                 WHERE parts.kind = 'text' AND messages.state <> 'void' AND messages.undo IS NULL
                 GROUP BY parts.session
             ) SELECT newest.session, json_extract(parts.body, '$.text') FROM newest
             JOIN parts ON parts.id = newest.id ORDER BY newest.id DESC"
        )
    };
}

impl Store {
    /// Returns the messages that hold this text, the newest first, at most `limit`. Small and capital letters count the same;
    /// for one or two characters those of English do.
    pub fn search(&self, text: &str, limit: usize) -> Result<Vec<Hit>, StoreError> {
        let found = self.matches(text, &SearchScope::default(), limit)?;
        let hit = |found: TextMatch| Hit {
            excerpt: excerpt(&found.text, text),
            session: found.session,
            message: found.message,
            title: found.title,
            role: found.role,
            created: found.created,
        };
        Ok(found.into_iter().map(hit).collect())
    }

    /// Returns the sessions in which this was said, each with one line of where it was said last; first the one in which that
    /// is newest. The newest `limit` texts that hold it are looked at.
    pub fn sessions_saying(&self, text: &str, limit: usize) -> Result<Vec<(SessionId, String)>, StoreError> {
        if text.trim().is_empty() {
            return Ok(Vec::new());
        }
        let (sql, pattern) = if text.chars().count() < INDEXED {
            (
                sessions_with!(
                    "SELECT id FROM parts WHERE json_extract(body, '$.text') LIKE ?1 ESCAPE '\\' ORDER BY id"
                ),
                format!("%{}%", escape(text)),
            )
        } else {
            (
                sessions_with!("SELECT rowid FROM texts WHERE texts.text MATCH ?1 ORDER BY rowid"),
                phrase(text),
            )
        };
        let values = params![pattern, as_count(limit)];
        rows(&self.connection(), sql, values, |row| {
            let said: String = row.get(1)?;
            Ok((column::parsed(row, 0)?, excerpt(&said, text)))
        })
    }

    /// The same within bounds, with the whole texts.
    pub fn matches(
        &self,
        text: &str,
        scope: &SearchScope,
        limit: usize,
    ) -> Result<Vec<TextMatch>, StoreError> {
        if text.trim().is_empty() {
            return Ok(Vec::new());
        }
        // The order of a cross join is kept: what is found is read from the newest on, and reading ends with the limit.
        let (sql, pattern) = if text.chars().count() < INDEXED {
            (
                hits!(
                    "parts",
                    "json_extract(parts.body, '$.text') LIKE ?1 ESCAPE '\\'",
                    "parts.id"
                ),
                format!("%{}%", escape(text)),
            )
        } else {
            (
                hits!(
                    "texts CROSS JOIN parts ON parts.id = texts.rowid",
                    "texts.text MATCH ?1",
                    "texts.rowid"
                ),
                phrase(text),
            )
        };
        let project = scope.project.as_deref().map(path_text);
        let session = scope.session.as_ref().map(SessionId::as_str);
        let values = params![pattern, as_count(limit), project, session];
        rows(&self.connection(), sql, values, text_match)
    }

    /// Returns the last texts of a session, in their order, long ones cut.
    pub fn last_words(&self, session: &SessionId, count: usize) -> Result<Vec<FoundText>, StoreError> {
        let mut words = rows(
            &self.connection(),
            "SELECT messages.role, substr(json_extract(parts.body, '$.text'), 1, ?3)
             FROM parts JOIN messages ON messages.id = parts.message
             WHERE parts.session = ?1 AND parts.kind = 'text' AND messages.state <> 'void' AND messages.undo IS NULL
             ORDER BY parts.seq DESC LIMIT ?2",
            params![session.as_str(), as_count(count), LOOK],
            |row| {
                Ok(FoundText {
                    role: column::variant(row, 0)?,
                    text: row.get::<_, Option<String>>(1)?.unwrap_or_default(),
                })
            },
        )?;
        words.reverse();
        Ok(words)
    }

    /// Returns the newest text of a session that holds `searched`, from a little before that on, with the text before it and
    /// so many after it; nothing where there is none.
    pub fn words_around(
        &self,
        session: &SessionId,
        searched: &str,
        count: usize,
    ) -> Result<Vec<FoundText>, StoreError> {
        let scope = SearchScope {
            session: Some(session.clone()),
            ..SearchScope::default()
        };
        let Some(found) = self.matches(searched, &scope, 1)?.pop() else {
            return Ok(Vec::new());
        };
        rows(
            &self.connection(),
            "WITH texts AS (
                 SELECT parts.seq, parts.message, messages.role AS role,
                        json_extract(parts.body, '$.text') AS text,
                        row_number() OVER (ORDER BY parts.seq) AS place
                 FROM parts JOIN messages ON messages.id = parts.message
                 WHERE parts.session = ?1 AND parts.kind = 'text'
                     AND messages.state <> 'void' AND messages.undo IS NULL
             ), found AS (SELECT max(place) AS place FROM texts WHERE message = ?2 AND text = ?3)
             SELECT role, substr(text, 1, ?5), texts.place = found.place FROM texts, found
             WHERE texts.place BETWEEN found.place - 1 AND found.place + ?4 ORDER BY texts.place",
            params![
                session.as_str(),
                found.message.as_str(),
                found.text,
                as_count(count),
                LOOK
            ],
            |row| {
                let is_found: bool = row.get(2)?;
                Ok(FoundText {
                    role: column::variant(row, 0)?,
                    text: if is_found {
                        from_match(&found.text, searched)
                    } else {
                        row.get::<_, Option<String>>(1)?.unwrap_or_default()
                    },
                })
            },
        )
    }
}

/// Returns a number of rows as SQL has it.
fn as_count(rows: usize) -> i64 {
    i64::try_from(rows).unwrap_or(i64::MAX)
}

/// Returns a text as what the index looks for, as it stands.
fn phrase(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\""))
}

/// Keeps what `LIKE` would read as a pattern.
fn escape(text: &str) -> String {
    text.replace('\\', "\\\\").replace('%', "\\%").replace('_', "\\_")
}

fn text_match(row: &Row<'_>) -> Result<TextMatch, rusqlite::Error> {
    Ok(TextMatch {
        session: column::parsed(row, 0)?,
        message: column::parsed(row, 1)?,
        title: row.get(2)?,
        role: column::variant(row, 3)?,
        created: row.get(4)?,
        text: row.get(5)?,
    })
}

/// Returns a text from the line before that of the first match on, as much as a look needs.
fn from_match(text: &str, searched: &str) -> String {
    let place = place_of(text, searched);
    let line = text[..place].rfind('\n').unwrap_or(0);
    let before = text[..line].rfind('\n').map_or(0, |end| end + 1);
    // A line may be as long as the text.
    let near = text.floor_char_boundary(place.saturating_sub(EXCERPT));
    let start = before.max(near);
    let dots = if start > 0 { "… " } else { "" };
    let shown: String = text[start..].chars().take(LOOK as usize).collect();
    format!("{dots}{shown}")
}

fn place_of(text: &str, searched: &str) -> usize {
    text.to_ascii_lowercase()
        .find(&searched.to_ascii_lowercase())
        .unwrap_or(0)
}

fn excerpt(text: &str, searched: &str) -> String {
    let place = place_of(text, searched);
    let start = text.floor_char_boundary(place.saturating_sub(BEFORE));
    let end = text.floor_char_boundary((start + EXCERPT).min(text.len()));
    let words: Vec<&str> = text[start..end].split_whitespace().collect();
    let dots = if start > 0 { "…" } else { "" };
    format!("{dots}{}", words.join(" "))
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{new_session, reply, store_with, text};
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
    fn words_around_a_match_begin_just_before_it() {
        let (store, session) = store_with("/p");
        for number in 1..=9 {
            let words = match number {
                3 => format!("{}\n\nhere is the Needle\nand more", "hay ".repeat(2_000)),
                _ => format!("text {number}"),
            };
            say(&store, &session, number, MessageState::Complete, &words);
        }
        let around = |searched: &str| -> Vec<String> {
            let words = store.words_around(&session, searched, 2).unwrap();
            words.into_iter().map(|words| words.text).collect()
        };
        let found = around("needle");
        assert_eq!(found.len(), 4);
        assert_eq!(
            (&*found[0], &*found[2], &*found[3]),
            ("text 2", "text 4", "text 5")
        );
        assert!(found[1].starts_with('…') && found[1].ends_with("here is the Needle\nand more"));
        assert!(found[1].len() < 200, "{}", found[1]);
        assert_eq!(around("text 1").len(), 3, "nothing is before the first");
        assert_eq!(around("text 9"), ["text 8", "text 9"]);
        assert!(around("nowhere").is_empty() && around("").is_empty());
    }

    #[test]
    fn a_session_is_found_however_much_is_said_of_it_in_others() {
        let (store, first) = store_with("/p");
        let second = new_session("/p");
        store.create(&second).unwrap();
        say(&store, &first, 1, MessageState::Complete, "an Acorn here");
        for number in 1..=50 {
            say(
                &store,
                &second.id,
                number,
                MessageState::Complete,
                &format!("acorn {number}"),
            );
        }
        say(&store, &first, 2, MessageState::Void, "a void acorn");
        for text in ["acorn", "ac"] {
            let found = store.sessions_saying(text, 100).unwrap();
            let expected = [
                (second.id.clone(), "acorn 50".to_owned()),
                (first.clone(), "an Acorn here".to_owned()),
            ];
            assert_eq!(found, expected, "{text}");
            assert_eq!(store.sessions_saying(text, 10).unwrap().len(), 1);
        }
        assert!(store.sessions_saying(" ", 9).unwrap().is_empty());
        assert!(store.sessions_saying("100%", 9).unwrap().is_empty());
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
    fn texts_are_found_whatever_the_script_and_what_is_gone_is_not() {
        let (store, session) = store_with("/p");
        say(
            &store,
            &session,
            1,
            MessageState::Complete,
            "重试策略 is Überall \"quoted\" and q9",
        );
        let found = |words: &str| store.search(words, 10).unwrap().len();
        for words in ["试策略", "überALL", "\"quoted\"", "q9", "策略", "is "] {
            assert_eq!(found(words), 1, "{words}");
        }
        assert_eq!(found("策试略"), 0);
        assert!(store.delete(&session).unwrap());
        assert_eq!(found("试策略"), 0);
    }

    #[test]
    fn a_reply_is_found_as_it_is_when_it_has_ended() {
        let (store, session) = store_with("/p");
        let mut message = reply(MessageState::Streaming);
        let put = |message: &crate::conversation::Message, words: &str| {
            let part = MessageChange::Part {
                message: message.id.clone(),
                part: text(1, words),
            };
            let changes = [MessageChange::Message(message.clone()), part];
            store.write(&session, &changes).unwrap();
        };
        let found = |words: &str| store.search(words, 10).unwrap().len();
        put(&message, "half a rep");
        put(&message, "half a reply");
        assert_eq!(found("half"), 0);
        message.state = MessageState::Complete;
        put(&message, "half a reply and the rest");
        assert_eq!((found("half"), found("the rest")), (1, 1));
        let cut = reply(MessageState::Streaming);
        let part = MessageChange::Part {
            message: cut.id.clone(),
            part: text(2, "cut off here"),
        };
        store
            .write(&session, &[MessageChange::Message(cut), part])
            .unwrap();
        store.mark_interrupted(&session).unwrap();
        assert_eq!(found("cut off"), 1);
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
            ..new_session("/p")
        };
        store.create(&child).unwrap();
        say(&store, &child.id, 1, MessageState::Complete, "deep thought");
        assert_eq!(store.search("deep", 5).unwrap()[0].session, child.id);
    }
}
