//! Results that nobody reads wait in a file: a session with more of them than stay in memory is shown, searched and sent as
//! any other.

use lathe::conversation::{
    CallId, CallResult, CallState, Message, MessageId, MessageState, Part, PartBody, Role, SessionId,
    TextPart, ToolPart,
};
use lathe::store::{MessageChange, NewSession, Store};
use serde_json::json;

use crate::screen::project;
use crate::support::{Key, Project, Server, Terminal, Turn};

/// Six megabytes in all.
const CALLS: usize = 150;
const LINES: usize = 800;

fn output(number: usize) -> String {
    let line = |line: usize| format!("needle-{number} line {line} {}\n", "x".repeat(30));
    (0..LINES).map(line).collect()
}

fn message(role: Role, parts: Vec<PartBody>, seq: &mut u64) -> Message {
    let part = |body| {
        *seq += 1;
        Part { seq: *seq, body }
    };
    Message {
        id: MessageId::new(),
        role,
        state: MessageState::Complete,
        agent: Some("build".to_owned()),
        model: None,
        created: 1,
        parts: parts.into_iter().map(part).collect(),
        stop: None,
        usage: None,
    }
}

fn call(number: usize) -> PartBody {
    let args = json!({ "command": format!("print {number}") });
    PartBody::Tool(ToolPart {
        call: CallId::new(),
        provider_id: None,
        tool: "bash".to_owned(),
        raw_args: args.to_string(),
        args: Some(args.into()),
        state: CallState::Done,
        result: Some(
            CallResult {
                ok: true,
                title: format!("print {number}"),
                output: output(number),
                details: json!({"exit": 0}).into(),
                truncated: false,
                output_path: None,
                duration_ms: 1,
                attachments: Vec::new(),
            }
            .into(),
        ),
        native: None,
        inner: Vec::new(),
    })
}

fn text(text: &str) -> PartBody {
    PartBody::Text(TextPart {
        text: text.to_owned(),
        native: None,
    })
}

fn store(project: &Project) -> SessionId {
    let store = Store::open(&project.data_dir()).unwrap();
    let session = NewSession {
        id: SessionId::new(),
        parent: None,
        project: project.root(),
        directory: project.root(),
        agent: "build".to_owned(),
        model: Some("local/test-model".parse().unwrap()),
        title: "much output".to_owned(),
    };
    store.create(&session).unwrap();
    let mut seq = 0;
    let mut messages = vec![message(Role::User, vec![text("print them all")], &mut seq)];
    messages.extend((0..CALLS).map(|number| message(Role::Assistant, vec![call(number)], &mut seq)));
    messages.push(message(Role::Assistant, vec![text("All are printed.")], &mut seq));
    for message in messages {
        let parts = message.parts.iter().map(|part| MessageChange::Part {
            message: message.id.clone(),
            part: part.clone(),
        });
        let changes: Vec<_> = std::iter::once(MessageChange::Message(message.clone()))
            .chain(parts)
            .collect();
        store.write(&session.id, &changes).unwrap();
    }
    session.id
}

#[test]
fn a_session_with_more_output_than_stays_in_memory_is_shown_searched_and_sent() {
    let server = Server::with([Turn::text("The first says needle-0.")]);
    let project = project(&server).config(json!({
        "compaction": {"auto": false, "mask": false},
        "providers": {"local": {"models": {"test-model": {"context": 20_000_000, "output": 2_000}}}},
    }));
    let session = store(&project);
    let terminal = Terminal::start(&project, 100, 30, &["--session", session.as_str()]);
    terminal.wait_text("All are printed.");
    terminal.keys("\x18[");
    terminal.wait_text("composer");
    // Back and forth, so that each is read more than once.
    for number in [3, 147, 3] {
        terminal.keys(&format!("/needle-{number} line 790 \r"));
        terminal.wait_text(&format!("needle-{number} line 790 xxx"));
    }
    terminal.key(Key::Esc);
    terminal.wait_gone("1 of 1");
    terminal.keys("i");
    terminal.wait_text("send");
    terminal.keys("what does the first say?\r");
    terminal.wait_text("The first says needle-0.");
    let request = server.requests().pop().unwrap();
    for number in [0, 77, CALLS - 1] {
        assert!(
            request.mentions(&output(number)),
            "the output of call {number} is sent whole"
        );
    }
}
