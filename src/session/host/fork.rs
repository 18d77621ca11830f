//! Going on from an earlier place of a conversation, in a session of its own.
//!
//! A fork ends where a model's step ends: a reply goes along with all of its calls and their results, or not at all, so
//! that every provider takes what is sent. Where a message of the person's is forked, the fork ends before it and has its
//! words as the draft, with what was attached to them as far as it is still there. Files stay as they are, and what was
//! allowed for one session is asked for again.

use serde::{Deserialize, Serialize};

use super::StoredSessions;
use crate::conversation::{CallState, Message, MessageId, MessageState, Role, SessionId};
use crate::session::restored_prompt::RestoredPrompt;
use crate::session::shown_todos::last_shown;
use crate::session::{ErrorReport, ReportKind};
use crate::store::{Fork, NewSession, SessionRow};

/// Ends a fork's title, with a closing parenthesis or a number and one behind it.
const MARK: &str = " (fork";

/// End of a fork in the conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ForkPoint {
    /// Before a message of the person's.
    Before(MessageId),
    /// After a message, with what its calls gave.
    After(MessageId),
}

/// A fork that is stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ForkedSession {
    pub session: SessionId,
    /// Sentences for the person.
    pub notes: Vec<String>,
}

impl StoredSessions {
    /// Stores a new session that begins with the other's messages up to a point. The other may be open, here or elsewhere.
    pub fn fork(&self, source: &SessionId, point: &ForkPoint) -> Result<ForkedSession, ErrorReport> {
        let store = &self.store;
        let row = store.get(source)?.ok_or_else(|| {
            refused(format!(
                "there is no session `{source}` any more, so it was not forked"
            ))
        })?;
        let mut messages = store.load(source)?;
        let (id, is_before) = match point {
            ForkPoint::Before(id) => (id, true),
            ForkPoint::After(id) => (id, false),
        };
        let place = messages.iter().position(|message| message.id == *id);
        let place = place.ok_or_else(|| refused("that message is not stored, so nothing was forked"))?;
        let rest = messages.split_off(if is_before { place } else { place + 1 });
        // What a retry replaced was never sent, and its calls never end.
        messages.retain(|message| message.state != MessageState::Void);
        let last = messages.last().filter(|message| message.role == Role::Assistant);
        if last.is_some_and(is_under_way) {
            return Err(refused(
                "this step is still running, so it was not forked; fork it when it has ended, or an earlier one",
            ));
        }
        // A command of the person's that still runs ends in its own session.
        messages.retain(|message| !is_under_way(message));
        let todos = if rest.is_empty() {
            store.todos(source)?
        } else {
            last_shown(messages.iter())
        };
        let new = self.new_session(&row)?;
        let asked = rest.first().filter(|_| is_before);
        let again = asked
            .map(|asked| RestoredPrompt::new(asked, &row.directory))
            .unwrap_or_default();
        let notes = notes(&row, &again.gone);
        store.fork(&Fork {
            new: &new,
            source,
            messages: &messages.into_iter().map(|message| message.id).collect::<Vec<_>>(),
            read_before: rest.first().map_or(i64::MAX, |message| message.created),
            todos: &todos,
            draft: &again.draft.written(),
        })?;
        Ok(ForkedSession {
            session: new.id,
            notes,
        })
    }

    fn new_session(&self, row: &SessionRow) -> Result<NewSession, ErrorReport> {
        let others = self.store.list(Some(&row.project))?;
        let is_taken = |title: &str| others.iter().any(|other| other.title == title);
        Ok(NewSession {
            id: SessionId::new(),
            parent: None,
            project: row.project.clone(),
            directory: row.directory.clone(),
            agent: row.agent.clone(),
            model: row.model.clone(),
            title: title(&row.title, is_taken),
        })
    }
}

fn is_under_way(message: &Message) -> bool {
    message.state == MessageState::Streaming
        || message
            .calls()
            .any(|call| matches!(call.state, CallState::Pending | CallState::Running))
}

fn notes(row: &SessionRow, gone: &[String]) -> Vec<String> {
    let mut notes = vec![format!(
        "Forked from \"{}\", which stays unchanged. Files were not changed back.",
        row.title
    )];
    if !gone.is_empty() {
        notes.push(format!(
            "The draft lost attachments that no longer exist: {}.",
            gone.join(", ")
        ));
    }
    notes
}

/// Names a fork after its source: `title (fork)`, `title (fork 2)`, whichever of them was forked.
fn title(source: &str, is_taken: impl Fn(&str) -> bool) -> String {
    let is_mark = |end: &str| {
        let number = end.strip_suffix(')').map(str::trim);
        number.is_some_and(|number| number.chars().all(|c| c.is_ascii_digit()))
    };
    let base = source
        .rsplit_once(MARK)
        .filter(|(_, end)| is_mark(end))
        .map_or(source, |(base, _)| base);
    let base = if base.is_empty() { "untitled" } else { base };
    let first = format!("{base}{MARK})");
    if !is_taken(&first) {
        return first;
    }
    let mut numbered = (2..).map(|number| format!("{base}{MARK} {number})"));
    let free = numbered.find(|title| !is_taken(title));
    free.expect("there are more numbers than sessions")
}

fn refused(message: impl Into<String>) -> ErrorReport {
    ErrorReport::new(ReportKind::BadRequest, message)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::conversation::{CallId, CallResult, FilePart, Part, PartBody, TextPart, ToolPart};
    use crate::session::{StoredDraft, StoredFile};
    use crate::store::{DraftKey, MessageChange, Store};

    /// A stored session, to which messages are added.
    struct Conversation {
        _data: tempfile::TempDir,
        stored: StoredSessions,
        id: SessionId,
        seq: u64,
    }

    impl Conversation {
        fn new() -> Self {
            let data = tempfile::tempdir().unwrap();
            let stored = StoredSessions::open(data.path()).unwrap();
            let id = SessionId::new();
            let session = NewSession {
                id: id.clone(),
                parent: None,
                project: "/p".into(),
                directory: "/p".into(),
                agent: "build".into(),
                model: None,
                title: "fix it".into(),
            };
            stored.store.create(&session).unwrap();
            Self {
                _data: data,
                stored,
                id,
                seq: 0,
            }
        }

        fn store(&self) -> &Store {
            &self.stored.store
        }

        fn add(&mut self, role: Role, state: MessageState, bodies: Vec<PartBody>) -> MessageId {
            let message = Message {
                id: MessageId::new(),
                role,
                state,
                agent: None,
                model: None,
                created: i64::try_from(self.seq).unwrap(),
                parts: Vec::new(),
                stop: None,
                usage: None,
            };
            let id = message.id.clone();
            let mut changes = vec![MessageChange::Message(message)];
            for body in bodies {
                self.seq += 1;
                let part = Part { seq: self.seq, body };
                let message = id.clone();
                changes.push(MessageChange::Part { message, part });
            }
            self.store().write(&self.id, &changes).unwrap();
            id
        }

        fn ask(&mut self, text: &str) -> MessageId {
            self.add(Role::User, MessageState::Complete, vec![said(text)])
        }

        fn reply(&mut self, text: &str) -> MessageId {
            self.add(Role::Assistant, MessageState::Complete, vec![said(text)])
        }

        /// Forks, and returns what the fork says and what is written in it.
        fn fork(&self, point: &ForkPoint) -> (Vec<String>, String) {
            let fork = self.stored.fork(&self.id, point).unwrap().session;
            let messages = self.store().load(&fork).unwrap();
            let draft = self.store().draft(DraftKey::Session(&fork)).unwrap();
            (
                messages.iter().map(Message::text).collect(),
                draft.unwrap_or_default(),
            )
        }
    }

    fn said(text: &str) -> PartBody {
        PartBody::Text(TextPart {
            text: text.into(),
            native: None,
        })
    }

    fn call(tool: &str, state: CallState, details: serde_json::Value) -> PartBody {
        let mut result = CallResult::error(crate::conversation::ErrorKind::Rejected, "", None);
        result.ok = true;
        result.details = details.into();
        PartBody::Tool(ToolPart {
            call: CallId::new(),
            provider_id: None,
            tool: tool.into(),
            raw_args: "{}".into(),
            args: Some(json!({ "command": "sleep 9" }).into()),
            state,
            result: state.is_final().then_some(result.into()),
            native: None,
            inner: Vec::new(),
        })
    }

    #[test]
    fn an_own_message_becomes_the_draft_and_any_other_ends_the_fork() {
        let mut talk = Conversation::new();
        let first = talk.ask("one");
        let answer = talk.reply("answer one");
        let second = talk.ask("two");
        talk.reply("answer two");
        let texts = |texts: &[&str]| texts.iter().map(|&text| text.to_owned()).collect::<Vec<_>>();
        assert_eq!(
            talk.fork(&ForkPoint::Before(second)),
            (texts(&["one", "answer one"]), "two".to_owned())
        );
        assert_eq!(
            talk.fork(&ForkPoint::After(answer)),
            (texts(&["one", "answer one"]), String::new())
        );
        assert_eq!(
            talk.fork(&ForkPoint::Before(first)),
            (Vec::new(), "one".to_owned())
        );
        let titles: Vec<_> = talk
            .store()
            .list(None)
            .unwrap()
            .into_iter()
            .map(|row| row.title)
            .collect();
        assert_eq!(
            titles,
            ["fix it (fork 3)", "fix it (fork 2)", "fix it (fork)", "fix it"]
        );
    }

    #[test]
    fn what_is_under_way_or_was_replaced_is_no_part_of_a_fork() {
        let mut talk = Conversation::new();
        talk.ask("one");
        let own = call("bash", CallState::Running, json!({}));
        talk.add(Role::User, MessageState::Complete, vec![own]);
        let cut = call("bash", CallState::Pending, json!({}));
        let void = talk.add(Role::Assistant, MessageState::Void, vec![said("void"), cut]);
        assert_eq!(talk.fork(&ForkPoint::After(void)).0, ["one"]);
        let done = call("bash", CallState::Done, json!({}));
        let running = call("bash", CallState::Running, json!({}));
        let step = talk.add(Role::Assistant, MessageState::Complete, vec![done, running]);
        let refused = talk.stored.fork(&talk.id, &ForkPoint::After(step)).unwrap_err();
        assert!(refused.message.contains("still running"), "{}", refused.message);
        assert_eq!(talk.store().list(None).unwrap().len(), 2);
        let steered = talk.ask("and this");
        let streaming = talk.add(Role::Assistant, MessageState::Streaming, vec![said("I am")]);
        assert!(talk.stored.fork(&talk.id, &ForkPoint::After(streaming)).is_err());
        assert!(talk.stored.fork(&talk.id, &ForkPoint::Before(steered)).is_err());
    }

    #[test]
    fn the_todo_list_is_that_of_the_moment() {
        let mut talk = Conversation::new();
        talk.ask("one");
        let list = |content: &str| json!([{ "content": content, "status": "pending", "priority": "low" }]);
        let mut write = |content: &str| {
            let written = call("todowrite", CallState::Done, json!({ "todos": list(content) }));
            talk.add(Role::Assistant, MessageState::Complete, vec![written])
        };
        let (early, late) = (write("early"), write("late"));
        let edited = list("edited").as_array().unwrap().clone();
        talk.store().set_todos(&talk.id, &edited).unwrap();
        let todos = |point| {
            let fork = talk.stored.fork(&talk.id, &point).unwrap().session;
            serde_json::Value::from(talk.store().todos(&fork).unwrap())
        };
        assert_eq!(todos(ForkPoint::After(early)), list("early"));
        assert_eq!(todos(ForkPoint::After(late)), list("edited"));
    }

    #[test]
    fn what_was_attached_is_in_the_draft_again_or_is_named_where_it_is_gone() {
        let mut talk = Conversation::new();
        let file = |path: &str, label: Option<&str>| {
            PartBody::File(FilePart {
                path: path.into(),
                mime: "text/plain".into(),
                data: String::new(),
                label: label.map(str::to_owned),
            })
        };
        let shot = tempfile::NamedTempFile::new().unwrap();
        let shot = shot.path().to_str().unwrap();
        let (here, gone) = ("[image 1: shot.png 640×480]", "[image 2: gone.png 640×480]");
        let bodies = vec![
            said(&format!("read @a.rs, {here} and {gone} well")),
            said("<command name=\"x\">\nwhat it was made to\n</command>"),
            file("a.rs", None),
            file(shot, Some(here)),
            file("/gone.png", Some(gone)),
            file("UserPromptSubmit hook", None),
        ];
        let asked = talk.add(Role::User, MessageState::Complete, bodies);
        let forked = talk.stored.fork(&talk.id, &ForkPoint::Before(asked)).unwrap();
        assert_eq!(
            forked.notes[1..],
            ["The draft lost attachments that no longer exist: `/gone.png`."]
        );
        let draft = talk.store().draft(DraftKey::Session(&forked.session)).unwrap();
        let expected = StoredDraft {
            text: format!("read @a.rs, {here} and well"),
            pastes: Vec::new(),
            files: vec![StoredFile {
                label: here.to_owned(),
                path: shot.to_owned(),
            }],
        };
        assert_eq!(StoredDraft::read(&draft.unwrap()), expected);
    }

    #[test]
    fn forks_of_forks_are_numbered_on() {
        let free = |_: &str| false;
        assert_eq!(title("a", free), "a (fork)");
        assert_eq!(title("a (fork)", |title| title == "a (fork)"), "a (fork 2)");
        assert_eq!(title("a (fork 2)", |title| !title.contains('3')), "a (fork 3)");
        assert_eq!(title("a (forked)", free), "a (forked) (fork)");
        assert_eq!(title("", free), "untitled (fork)");
    }
}
