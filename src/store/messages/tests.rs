use serde_json::json;

use super::super::fixture::{new_session, reply, store_with, text, tool};
use super::super::{
    ChangeOrigin, FileImage, JournalFile, NewJournalChange, NewSession, Store, StoredUndo, Surroundings,
    UndoDirection, UndoRecord,
};
use super::*;
use crate::conversation::{
    CallId, FilePart, Native, Notice, NoticeKind, ReasoningPart, Role, Stop, TextPart, Usage,
};
use crate::swap::Swappable;

fn every_kind() -> Vec<PartBody> {
    let native = Native {
        protocol: "anthropic".into(),
        model: "a/b".into(),
        json: json!({ "z": 1, "a": ["\u{1b}[31m", null, 0.5, u64::MAX] }),
    };
    let mut done = ToolPart {
        call: CallId::new(),
        provider_id: Some("toolu_1".into()),
        tool: "read".into(),
        raw_args: "{\"file_path\":".into(),
        args: Some(json!({ "file_path": "a" }).into()),
        state: CallState::Done,
        result: None,
        native: Some(native.clone()),
        inner: Vec::new(),
    };
    let mut result = CallResult::error(ErrorKind::NotFound, "no `a`", None);
    result.attachments.push(crate::conversation::Attachment {
        mime: "image/png".into(),
        data: "AA==".into(),
    });
    done.result = Some(result.into());
    vec![
        PartBody::Text(TextPart {
            text: "héllo\0\n".into(),
            native: None,
        }),
        PartBody::Reasoning(ReasoningPart {
            text: String::new(),
            native: Some(native),
        }),
        PartBody::Tool(done),
        PartBody::File(FilePart {
            path: "a.png".into(),
            mime: "image/png".into(),
            data: "AA==".into(),
            label: Some("[image 1: a.png]".into()),
        }),
        PartBody::Notice(Notice {
            kind: NoticeKind::Retry,
            text: "again".into(),
        }),
        PartBody::Unknown(json!({ "type": "hologram", "depth": 3, "seq_of_it": [1, 2] })),
    ]
}

#[test]
fn a_long_session_comes_back_in_its_order_and_with_what_newer_ones_wrote() {
    let (store, session) = store_with("/p");
    let message = reply(MessageState::Complete);
    let mut parts: Vec<Part> = (1..=5_000).map(|seq| text(seq, &format!("part {seq}"))).collect();
    parts[4_000].body = PartBody::Unknown(json!({ "type": "tool", "shape": "of a newer lathe" }));
    let put = |part: &Part| MessageChange::Part {
        message: message.id.clone(),
        part: part.clone(),
    };
    let mut changes = vec![MessageChange::Message(message.clone())];
    changes.extend(parts.iter().map(put));
    store.write(&session, &changes).unwrap();
    assert_eq!(store.load(&session).unwrap()[0].parts, parts);
}

#[test]
fn every_kind_of_part_comes_back_as_it_was() {
    let (store, session) = store_with("/p");
    let mut message = reply(MessageState::Complete);
    message.agent = Some("build".into());
    message.model = Some("openrouter/meta/llama".parse().unwrap());
    message.stop = Some(Stop::ToolCalls);
    message.usage = Some(Usage {
        input: 1,
        cache_read: 2,
        ..Usage::default()
    });
    message.parts = every_kind()
        .into_iter()
        .zip(1..)
        .map(|(body, seq)| Part { seq, body })
        .collect();
    store
        .write(&session, &[MessageChange::Message(message.clone())])
        .unwrap();
    for part in &message.parts {
        put_part(&store.connection(), &message.id, part).unwrap();
    }
    assert_eq!(store.load(&session).unwrap(), [message]);
    assert_eq!(store.next_seq(&session).unwrap(), 7);
}

#[test]
fn a_change_that_was_not_undone_keeps_its_seq_to_itself() {
    let (store, session) = store_with("/p");
    let message = reply(MessageState::Complete);
    let part = MessageChange::Part {
        message: message.id.clone(),
        part: text(1, "x"),
    };
    store
        .write(&session, &[MessageChange::Message(message.clone()), part])
        .unwrap();
    let file = JournalFile {
        path: "/p/a".into(),
        before: FileImage::Absent,
        after: FileImage::Unknown,
        parents: Vec::new(),
    };
    let change = NewJournalChange {
        tree: &session,
        session: &session,
        origin: ChangeOrigin::Command,
        is_pending: false,
        files: &[file],
    };
    store.add_change(&change).unwrap();
    // The message is undone without the file, and forgotten.
    let record = UndoRecord {
        cut: Some(message.id),
        files: Vec::new(),
        rows: Vec::new(),
        before: Surroundings::default(),
        after: Surroundings::default(),
    };
    let undo = StoredUndo {
        id: store.begin_undo(&session, &record).unwrap(),
        begun: Some(UndoDirection::Undo),
        record,
    };
    store.finish_undo(&session, &undo).unwrap();
    store.write(&session, &[MessageChange::ForgetUndone]).unwrap();
    let seq = store.next_seq(&session).unwrap();
    assert!(store.journal_since(&session, seq).unwrap().is_empty());
}

#[test]
fn order_is_by_place_and_seq_and_not_by_id() {
    let (store, session) = store_with("/p");
    let (later, earlier) = (reply(MessageState::Complete), reply(MessageState::Complete));
    assert!(later.id < earlier.id);
    let part = |message: &Message, seq| MessageChange::Part {
        message: message.id.clone(),
        part: text(seq, "x"),
    };
    let head = |message: &Message| MessageChange::Message(message.clone());
    store
        .write(
            &session,
            &[head(&earlier), head(&later), part(&later, 3), part(&earlier, 2)],
        )
        .unwrap();
    store
        .write(&session, &[part(&earlier, 1), head(&earlier)])
        .unwrap();
    let loaded = store.load(&session).unwrap();
    assert_eq!([&loaded[0].id, &loaded[1].id], [&earlier.id, &later.id]);
    let seqs: Vec<_> = loaded[0].parts.iter().map(|part| part.seq).collect();
    assert_eq!(seqs, [1, 2]);
}

#[test]
fn a_part_that_streams_is_replaced() {
    let (store, session) = store_with("/p");
    let message = reply(MessageState::Streaming);
    store
        .write(&session, &[MessageChange::Message(message.clone())])
        .unwrap();
    for so_far in ["a", "ab", "abc"] {
        put_part(&store.connection(), &message.id, &text(1, so_far)).unwrap();
    }
    assert_eq!(store.load(&session).unwrap()[0].parts, [text(1, "abc")]);
}

#[test]
fn a_boundary_is_written_whole_or_not_at_all() {
    let (store, session) = store_with("/p");
    let message = reply(MessageState::Complete);
    let stray = MessageChange::Part {
        message: MessageId::new(),
        part: text(1, "x"),
    };
    let error = store
        .write(&session, &[MessageChange::Message(message), stray])
        .unwrap_err();
    assert!(matches!(error, StoreError::UnknownMessage(_)), "{error}");
    assert_eq!(store.load(&session).unwrap(), []);
    assert!(matches!(
        store.write(&SessionId::new(), &[]),
        Err(StoreError::UnknownSession(_))
    ));
}

#[test]
fn a_seq_of_another_message_is_not_overwritten() {
    let (store, session) = store_with("/p");
    let (one, two) = (reply(MessageState::Complete), reply(MessageState::Complete));
    store
        .write(
            &session,
            &[
                MessageChange::Message(one.clone()),
                MessageChange::Message(two.clone()),
            ],
        )
        .unwrap();
    put_part(&store.connection(), &one.id, &text(1, "mine")).unwrap();
    assert!(matches!(
        put_part(&store.connection(), &two.id, &text(1, "x")),
        Err(StoreError::SeqTaken { .. })
    ));
    assert_eq!(store.load(&session).unwrap()[0].parts, [text(1, "mine")]);
    let other = new_session("/p");
    store.create(&other).unwrap();
    assert!(matches!(
        store.write(&other.id, &[MessageChange::Message(one)]),
        Err(StoreError::UnknownMessage(_))
    ));
}

#[test]
fn unfinished_calls_get_their_one_result_after_a_crash() {
    let (store, session) = store_with("/p");
    let child = NewSession {
        parent: Some(session.clone()),
        ..new_session("/p")
    };
    store.create(&child).unwrap();
    let (message, below) = (reply(MessageState::Streaming), reply(MessageState::Complete));
    let states = [CallState::Pending, CallState::Running, CallState::Done];
    let mut changes = vec![MessageChange::Message(message.clone())];
    for (state, seq) in states.into_iter().zip(1..) {
        changes.push(MessageChange::Part {
            message: message.id.clone(),
            part: tool(seq, state),
        });
    }
    store.write(&session, &changes).unwrap();
    let running = MessageChange::Part {
        message: below.id.clone(),
        part: tool(1, CallState::Running),
    };
    store
        .write(&child.id, &[MessageChange::Message(below), running])
        .unwrap();

    assert_eq!(
        store.mark_interrupted(&session).unwrap(),
        InterruptedCounts {
            calls: 3,
            messages: 1
        }
    );
    assert_eq!(
        store.mark_interrupted(&session).unwrap(),
        InterruptedCounts::default()
    );
    let loaded = store.load(&session).unwrap();
    assert_eq!(loaded[0].state, MessageState::Cut);
    let calls: Vec<_> = loaded[0].calls().collect();
    let states: Vec<_> = calls.iter().map(|call| call.state).collect();
    assert_eq!(
        states,
        [CallState::Interrupted, CallState::Interrupted, CallState::Done]
    );
    let result = calls[0].result().unwrap();
    assert_eq!(
        (result.error_kind(), result.state()),
        (Some(ErrorKind::Interrupted), CallState::Interrupted)
    );
    assert!(result.output.contains("nothing of it was done"));
    assert_eq!(
        store.load(&child.id).unwrap()[0].calls().next().unwrap().state,
        CallState::Interrupted
    );
}

#[test]
fn calls_inside_an_unfinished_call_that_had_ended_keep_their_results() {
    let (store, session) = store_with("/p");
    let message = reply(MessageState::Complete);
    let mut part = tool(1, CallState::Running);
    let PartBody::Tool(outer) = &mut part.body else {
        unreachable!()
    };
    for state in [CallState::Done, CallState::Running, CallState::Pending] {
        let PartBody::Tool(mut inner) = tool(1, state).body else {
            unreachable!()
        };
        inner.result = (state == CallState::Done).then(|| {
            Swappable::new(CallResult {
                ok: true,
                ..CallResult::error(ErrorKind::Io, "kept", None)
            })
        });
        outer.inner.push(inner);
    }
    let change = MessageChange::Part {
        message: message.id.clone(),
        part,
    };
    store
        .write(&session, &[MessageChange::Message(message), change])
        .unwrap();
    store.mark_interrupted(&session).unwrap();
    let loaded = store.load(&session).unwrap();
    let outer = loaded[0].calls().next().unwrap();
    let ends = outer.inner.iter().map(|inner| {
        let kind = inner.result().and_then(|result| result.error_kind());
        (inner.state, kind)
    });
    assert_eq!(
        ends.collect::<Vec<_>>(),
        [
            (CallState::Done, Some(ErrorKind::Io)),
            (CallState::Interrupted, Some(ErrorKind::Interrupted)),
            (CallState::Interrupted, Some(ErrorKind::Interrupted)),
        ]
    );
    assert_eq!(outer.state, CallState::Interrupted);
    let told = &outer.result().unwrap().output;
    let (_, told) = told.split_once("\n\n").unwrap();
    let name = &outer.inner[0].tool;
    assert_eq!(
        told,
        format!(
            "[1] {name} had ended: ok\n[2] {name} was interrupted; what it did is not known\n[3] {name} was not started"
        )
    );
}

#[test]
fn void_replies_are_kept_and_not_counted() {
    let (store, session) = store_with("/p");
    let user = Message {
        role: Role::User,
        ..reply(MessageState::Complete)
    };
    let changes =
        [user, reply(MessageState::Void), reply(MessageState::Complete)].map(MessageChange::Message);
    let usage = Usage {
        output: 7,
        ..Usage::default()
    };
    store.write(&session, &changes).unwrap();
    store
        .write(
            &session,
            &[MessageChange::Request(PaidRequest {
                model: "local/m".parse().unwrap(),
                agent: "build".into(),
                usage,
                cost: Some(0.5),
            })],
        )
        .unwrap();
    assert_eq!(store.load(&session).unwrap().len(), 3);
    let row = store.get(&session).unwrap().unwrap();
    assert_eq!((row.messages, row.cost, row.usage.output), (2, Some(0.5), 7));
}

#[test]
fn a_session_can_be_deleted_with_its_messages() {
    let (store, session) = store_with("/p");
    let message = reply(MessageState::Complete);
    let part = MessageChange::Part {
        message: message.id.clone(),
        part: text(1, "x"),
    };
    store
        .write(&session, &[MessageChange::Message(message), part])
        .unwrap();
    store.delete(&session).unwrap();
    let count = |store: &Store| -> i64 {
        store
            .connection()
            .query_row("SELECT count(*) FROM parts", [], |row| row.get(0))
            .unwrap()
    };
    assert_eq!(count(&store), 0);
}
