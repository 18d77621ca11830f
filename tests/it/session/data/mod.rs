//! Whatever crosses a session's handle is data: a value of every variant is the same after bytes.
//!
//! Samples are written without `..`, and every variant stands in a `match`, so that what is new does not compile before it
//! is sampled here.

mod cards;
mod events;
mod host_queries;
mod queries;
mod terminals;

use std::fmt::Debug;

use lathe::conversation::{
    Attachment, CallResult, CallState, Compaction, ContextChange, ErrorKind, KeptKind, KeptText,
    MaskedOutputs, Native,
};
use lathe::conversation::{
    CallId, FilePart, Message, MessageId, MessageState, ModelRef, Notice, NoticeKind, Part, PartBody,
    ReasoningPart, Role, SessionId, Stop, TaskId, TextPart, Todo, TodoChange, TodoEdit, TodoPriority,
    TodoStatus, ToolPart, Usage,
};
use lathe::permission::{Mode, PermissionKey, PermissionReply, Scope};
use lathe::question::{FormAnswer, FormReply, QuestionId, Reply};
use lathe::session::host::{ForkPoint, SessionTarget};
use lathe::session::{CalledCommand, Input, Mention, Op, QueueDirection, TaskOp, TerminalOp};
use lathe::tool::SeenFiles;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

/// A number that is another one after it was read carelessly.
const EXACT: f64 = 31.245_270_191_439_438;

/// Sends a value through bytes. Nothing of it may be left out, and the bytes are the same again.
#[track_caller]
fn round_trip<T: Serialize + DeserializeOwned + Debug>(value: &T) {
    let bytes = serde_json::to_string(value).unwrap_or_else(|error| panic!("{error}: {value:?}"));
    let back: T = serde_json::from_str(&bytes).unwrap_or_else(|error| panic!("{error}: {bytes}"));
    assert_eq!(format!("{back:?}"), format!("{value:?}"));
    assert_eq!(serde_json::to_string(&back).unwrap(), bytes);
}

/// Sends samples of every variant through bytes.
macro_rules! every {
    ($type:ty { $($variant:pat => $($sample:expr),+;)+ }) => {{
        // Without a wildcard: a new variant has to be listed.
        let _ = |value: &$type| match value { $($variant => {})+ };
        $($({
            let sample: $type = $sample;
            assert!(matches!(&sample, $variant), "{sample:?} stands under another variant");
            $crate::session::data::round_trip(&sample);
        })+)+
    }};
}

use every;

fn read<T: DeserializeOwned>(value: Value) -> T {
    serde_json::from_value(value).expect("it is written as it is read")
}

fn question_id() -> QuestionId {
    read(json!(7))
}

fn args() -> Map<String, Value> {
    json!({"z": [1, EXACT, null], "a": {"é\n": true}})
        .as_object()
        .cloned()
        .expect("it is one")
}

fn model() -> ModelRef {
    ModelRef {
        provider: "openrouter".into(),
        model: "meta/llama-3".into(),
    }
}

fn usage() -> Usage {
    Usage {
        input: 1,
        output: 2,
        reasoning: 3,
        cache_read: 4,
        cache_write: u64::MAX,
    }
}

fn seen() -> SeenFiles {
    read(json!({"files": [["/p/a.rs", "0f"]], "instructions": ["/p/AGENTS.md"]}))
}

fn file() -> FilePart {
    FilePart {
        path: "shot.png".into(),
        mime: "image/png".into(),
        data: "aGk=".into(),
        label: Some("[image 1: shot.png 640×480]".into()),
    }
}

fn input() -> Input {
    Input {
        text: "see @a.rs\u{1b}[2J".into(),
        files: vec![file()],
        mentions: vec![Mention {
            path: "a.rs".into(),
            lines: Some((1, 9)),
            is_sure: true,
            label: None,
        }],
        meant: vec!["/etc/x".into()],
        without: vec![".env".into()],
        command: None,
        seen: seen().into(),
        is_delegated: true,
    }
}

fn native() -> Native {
    Native {
        protocol: "anthropic".into(),
        model: "a/b".into(),
        json: json!({"signature": "x", "n": EXACT}),
    }
}

fn result() -> CallResult {
    CallResult {
        ok: false,
        title: "no".into(),
        output: "Error: no".into(),
        details: json!({"error": {"kind": "io"}, "n": EXACT}).into(),
        truncated: true,
        output_path: Some("/d/out".into()),
        duration_ms: 12,
        attachments: vec![Attachment {
            mime: "application/pdf".into(),
            data: "aGk=".into(),
        }],
    }
}

fn tool_part(inner: Vec<ToolPart>) -> ToolPart {
    ToolPart {
        call: CallId::new(),
        provider_id: Some("toolu_1".into()),
        tool: "batch".into(),
        raw_args: "{\"a\": ".into(),
        args: Some(json!({"b": 1, "a": EXACT}).into()),
        state: CallState::Running,
        result: Some(result().into()),
        native: Some(native()),
        inner,
    }
}

fn part(body: PartBody) -> Part {
    Part { seq: 9, body }
}

fn message() -> Message {
    Message {
        id: MessageId::new(),
        role: Role::Assistant,
        state: MessageState::Streaming,
        agent: Some("build".into()),
        model: Some(model()),
        created: -1,
        parts: vec![
            part(PartBody::Text(TextPart {
                text: "hello".into(),
                native: Some(native()),
            })),
            part(PartBody::Tool(tool_part(vec![tool_part(Vec::new())]))),
        ],
        stop: Some(Stop::ToolCalls),
        usage: Some(usage()),
    }
}

#[test]
fn every_operation_is_data() {
    every!(Op {
        Op::Submit(_) => Op::Submit(input()), Op::Submit(Input::default());
        Op::Queue(_) => Op::Queue(input());
        Op::Shell(_) => Op::Shell("ls".into());
        Op::Unqueue(_) => Op::Unqueue(u64::MAX);
        Op::Shift { .. } => Op::Shift { id: 1, way: QueueDirection::Sooner };
        Op::Redirect(_) => Op::Redirect(2);
        Op::Release => Op::Release;
        Op::Interrupt => Op::Interrupt;
        Op::Answer { .. } => Op::Answer { id: question_id(), reply: Reply::Permission(PermissionReply::Once) };
        Op::ListGrants => Op::ListGrants;
        Op::RevokeGrant(_) => Op::RevokeGrant(-4);
        Op::EditTodo(_) => Op::EditTodo(todo_edit(TodoChange::Content("fix it well".into())));
        Op::SetMode(_) => Op::SetMode(Mode::AcceptEdits);
        Op::Rejudge => Op::Rejudge;
        Op::SetAgent(_) => Op::SetAgent("plan".into());
        Op::SetModel(_) => Op::SetModel(model());
        Op::SendRefusedAgain => Op::SendRefusedAgain;
        Op::Rename(_) => Op::Rename("one".into());
        Op::Draft(_) => Op::Draft("begun".into());
        Op::Terminal(_) => Op::Terminal(TerminalOp::Stop("dev".into()));
        Op::Task(_) =>
            Op::Task(TaskOp::Cancel(TaskId::of(&SessionId::new()))),
            Op::Task(TaskOp::CancelAll),
            Op::Task(TaskOp::ToBackground);
        Op::Compact(_) => Op::Compact(None), Op::Compact(Some("the port".into()));
        Op::UseSummary(_) => Op::UseSummary(Some("## Goal".into())), Op::UseSummary(None);
        Op::Close => Op::Close;
    });
    every!(QueueDirection {
        QueueDirection::Sooner => QueueDirection::Sooner;
        QueueDirection::Later => QueueDirection::Later;
    });
    every!(Mode {
        Mode::Ask => Mode::Ask;
        Mode::AcceptEdits => Mode::AcceptEdits;
        Mode::Plan => Mode::Plan;
        Mode::Yolo => Mode::Yolo;
    });
    every!(CalledCommand {
        CalledCommand::ByName { .. } => CalledCommand::ByName { name: "x".into(), arguments: "a b".into() };
        CalledCommand::Expanded(_) => CalledCommand::Expanded("whole".into());
    });
    every!(SessionTarget {
        SessionTarget::New => SessionTarget::New;
        SessionTarget::Session(_) => SessionTarget::Session(SessionId::new());
        SessionTarget::Moved(..) => SessionTarget::Moved(SessionId::new(), "/p/ü".into());
        SessionTarget::Fork(..) => SessionTarget::Fork(SessionId::new(), ForkPoint::Before(MessageId::new()));
    });
    every!(ForkPoint {
        ForkPoint::Before(_) => ForkPoint::Before(MessageId::new());
        ForkPoint::After(_) => ForkPoint::After(MessageId::new());
    });
    let bytes = serde_json::to_value(Op::Shift {
        id: 1,
        way: QueueDirection::Sooner,
    });
    assert_eq!(bytes.unwrap(), json!({"shift": {"id": 1, "way": "sooner"}}));
}

fn todo_edit(change: TodoChange) -> TodoEdit {
    TodoEdit {
        seen: Todo {
            content: "fix it".into(),
            status: TodoStatus::InProgress,
            priority: TodoPriority::High,
            id: Some("1".into()),
            active_form: Some("fixing it".into()),
        },
        change,
    }
}

#[test]
fn every_answer_of_a_person_is_data() {
    every!(Reply {
        Reply::Permission(_) => Reply::Permission(PermissionReply::Once);
        Reply::Form(_) => Reply::Form(FormReply::Dismissed);
    });
    every!(PermissionReply {
        PermissionReply::Once => PermissionReply::Once;
        PermissionReply::Always { .. } => PermissionReply::Always {
            patterns: vec![(PermissionKey::BASH, "git *".into())],
            scope: Scope::Everywhere,
        };
        PermissionReply::Revised(_) => PermissionReply::Revised(args());
        PermissionReply::Reject(_) => PermissionReply::Reject(None), PermissionReply::Reject(Some("use git".into()));
        PermissionReply::Nobody => PermissionReply::Nobody;
        PermissionReply::Withdrawn => PermissionReply::Withdrawn;
    });
    every!(Scope {
        Scope::Session => Scope::Session;
        Scope::Project => Scope::Project;
        Scope::Everywhere => Scope::Everywhere;
    });
    every!(FormReply {
        FormReply::Answers(_) => FormReply::Answers(vec![
            FormAnswer { picked: vec![0, 2], words: None },
            FormAnswer { picked: Vec::new(), words: Some("mine".into()) },
        ]);
        FormReply::Dismissed => FormReply::Dismissed;
        FormReply::Nobody => FormReply::Nobody;
        FormReply::Withdrawn => FormReply::Withdrawn;
    });
    every!(TodoChange {
        TodoChange::Content(_) => TodoChange::Content("x".into());
        TodoChange::Status(_) => TodoChange::Status(TodoStatus::Cancelled);
    });
}

#[test]
fn every_part_of_a_message_is_data() {
    every!(PartBody {
        PartBody::Text(_) => PartBody::Text(TextPart { text: "a".into(), native: None });
        PartBody::Reasoning(_) => PartBody::Reasoning(ReasoningPart {
            text: "hm".into(),
            native: Some(native()),
        });
        PartBody::Tool(_) => PartBody::Tool(tool_part(Vec::new()));
        PartBody::File(_) => PartBody::File(file());
        PartBody::Notice(_) => PartBody::Notice(Notice { kind: NoticeKind::Retry, text: "again".into() });
        PartBody::Context(_) => PartBody::Context(ContextChange::Masked(MaskedOutputs {
            calls: vec![CallId::new()],
            before: 9,
            after: 4,
        })), PartBody::Context(ContextChange::Compacted(Compaction {
            covers_to: 7,
            summary: "## Goal".into(),
            kept: vec![KeptText {
                kind: KeptKind::Words,
                name: String::new(),
                text: "- é".into(),
            }],
            before: 9,
            after: 4,
        }));
        PartBody::Unknown(_) => PartBody::Unknown(json!({"type": "of tomorrow", "n": EXACT}));
    });
    round_trip(&message());
    for state in [
        "pending",
        "running",
        "done",
        "failed",
        "denied",
        "cancelled",
        "interrupted",
    ] {
        round_trip(&read::<CallState>(json!(state)));
    }
    round_trip(&ErrorKind::HashMismatch);
}

#[cfg(unix)]
#[test]
fn a_path_that_is_not_utf_8_is_refused_in_words() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let path = std::path::Path::new(OsStr::from_bytes(b"/p/\xff")).to_owned();
    let refused = serde_json::to_string(&lathe::session::query::ExportOutcome::Exists(path)).unwrap_err();
    assert!(
        refused.to_string().contains("path contains invalid UTF-8"),
        "{refused}"
    );
}
