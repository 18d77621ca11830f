//! Files that a message names: which go with it, and what has been read by that.

use lathe::permission::{Mode, PermissionReply};
use lathe::question::Reply;
use lathe::session::wire::SessionChoice;
use lathe::session::{Event, Input, Mention, Op, StoredDraft, StoredFile};
use serde_json::json;

use super::{Live, input, over_both, results};
use crate::support::{Project, Protocol, Server, Turn};

over_both! {
    files_that_a_rule_asks_about_go_with_a_message_only_when_they_are_meant,
    a_file_that_is_denied_does_not_go_even_if_it_is_meant,
    what_waits_for_its_files_when_the_session_is_closed_is_in_the_draft,
    a_file_of_a_message_that_was_never_sent_counts_as_not_read,
    a_file_of_a_steer_counts_as_read_once_the_steer_has_joined,
}

fn mention(path: &str) -> Mention {
    Mention {
        path: path.to_owned(),
        lines: None,
        is_sure: true,
        label: None,
    }
}

async fn files_that_a_rule_asks_about_go_with_a_message_only_when_they_are_meant() {
    let server = Server::with([Turn::text("Plain."), Turn::text("With them.")]);
    let outside = tempfile::tempdir().unwrap();
    let key = outside.path().join("key");
    std::fs::write(&key, "outer-secret").unwrap();
    let project = Project::new()
        .model(&server, Protocol::OpenAiChat)
        .file("a.rs", "fn plain() {}\n")
        .file(".env", "KEY=inner-secret\n");
    std::os::unix::fs::symlink(&key, project.path("link.md")).unwrap();
    let mut live = Live::open(&project, SessionChoice::New, Mode::Ask).await;
    let outer = key.display().to_string();
    let named = ["a.rs", outer.as_str(), "link.md", ".env"].map(mention).to_vec();
    let wanted = Input {
        mentions: named,
        ..input("look")
    };
    live.handle.send(Op::Submit(wanted.clone())).unwrap();
    let seen = live
        .until("message that comes back", |event| {
            matches!(event, Event::Unread { .. })
        })
        .await;
    let Some(Event::Unread {
        input: back, report, ..
    }) = seen.last()
    else {
        unreachable!()
    };
    assert_eq!(back.meant, [outer.as_str(), "link.md", ".env"]);
    let words = format!("it names `{outer}`, `link.md`, `.env`, which are read only if you say so");
    assert!(report.message.contains(&words), "{}", report.message);
    let plain = Input {
        mentions: vec![mention("a.rs")],
        ..input("look")
    };
    live.handle.send(Op::Submit(plain)).unwrap();
    live.until_turn_ended().await;
    live.handle
        .send(Op::Submit(Input {
            meant: back.meant.clone(),
            ..wanted
        }))
        .unwrap();
    live.until_turn_ended().await;
    let requests = server.requests();
    assert!(requests[0].mentions("fn plain()"), "what is allowed goes at once");
    for secret in ["outer-secret", "inner-secret"] {
        assert!(
            !requests[0].mentions(secret) && requests[1].mentions(secret),
            "{secret}"
        );
    }
    live.close().await;
}

async fn a_file_that_is_denied_does_not_go_even_if_it_is_meant() {
    let server = Server::start();
    let project = Project::new()
        .model(&server, Protocol::OpenAiChat)
        .file(".env", "KEY=hidden\n")
        .config(json!({"permission": {"read": {"*": "allow", "*.env": "deny"}}}));
    let mut live = Live::open(&project, SessionChoice::New, Mode::Ask).await;
    let wanted = Input {
        mentions: vec![mention(".env")],
        meant: vec![".env".to_owned()],
        ..input("look")
    };
    live.handle.send(Op::Submit(wanted)).unwrap();
    let seen = live
        .until("message that comes back", |event| {
            matches!(event, Event::Unread { .. })
        })
        .await;
    let Some(Event::Unread { input: back, .. }) = seen.last() else {
        unreachable!()
    };
    assert_eq!(back.meant, Vec::<String>::new());
    assert!(server.requests().is_empty());
    live.close().await;
}

async fn what_waits_for_its_files_when_the_session_is_closed_is_in_the_draft() {
    let server = Server::start();
    let project = Project::new()
        .model(&server, Protocol::OpenAiChat)
        .file("a.rs", "fn plain() {}\n");
    let live = Live::open(&project, SessionChoice::New, Mode::Ask).await;
    let id = live.snapshot.info.id.clone();
    let first = Input {
        mentions: vec![mention("a.rs")],
        ..input("see @a.rs")
    };
    let label = "[image 1: a.png 3×2]";
    let second = Input {
        mentions: vec![Mention {
            label: Some(label.to_owned()),
            ..mention("/tmp/a.png")
        }],
        ..input(label)
    };
    // All three are there before the session looks at the first.
    live.handle.send(Op::Submit(first)).unwrap();
    live.handle.send(Op::Submit(second)).unwrap();
    live.handle.send(Op::Draft("begun".to_owned())).unwrap();
    live.close().await;
    let live = Live::open(&project, SessionChoice::Id(id), Mode::Ask).await;
    let draft = StoredDraft::read(&live.snapshot.draft);
    assert_eq!(draft.text, format!("see @a.rs\n\n{label}\n\nbegun"));
    let file = StoredFile {
        label: label.to_owned(),
        path: "/tmp/a.png".to_owned(),
    };
    assert_eq!(draft.files, [file]);
    assert!(server.requests().is_empty());
    live.close().await;
}

/// The result of the only call in a turn.
fn call_kind(events: &[Event]) -> Option<lathe::conversation::ErrorKind> {
    let results = results(events);
    assert_eq!(results.len(), 1, "{results:?}");
    results[0].error_kind()
}

async fn a_file_of_a_message_that_was_never_sent_counts_as_not_read() {
    use lathe::conversation::ErrorKind;
    let edit = |from: &str, to: &str| {
        let args = json!({"file_path": "sub/a.rs", "old_string": from, "new_string": to});
        Turn::tool("edit", args)
    };
    let server = Server::with([
        Turn::tool("bash", json!({"command": "touch made"})),
        Turn::text("Waited."),
        edit("plain", "changed"),
        Turn::text("Refused."),
        edit("plain", "changed"),
        Turn::text("Done."),
    ]);
    let project = Project::new()
        .model(&server, Protocol::OpenAiChat)
        .config(json!({"permission": {"edit": "allow"}}))
        .file("sub/AGENTS.md", "Mind the gap.\n")
        .file("sub/a.rs", "fn plain() {}\n");
    let mut live = Live::open(&project, SessionChoice::New, Mode::Ask).await;
    let named = Input {
        mentions: vec![mention("sub/a.rs")],
        ..input("look at @sub/a.rs")
    };
    live.submit("wait");
    let question = live.question().await;
    live.handle.send(Op::Queue(named.clone())).unwrap();
    let queued = |event: &Event| match event {
        Event::Queue(queue) => queue.first().map(|queued| queued.id),
        _ => None,
    };
    let seen = live.until("queue", |event| queued(event).is_some()).await;
    let id = seen.last().and_then(queued).unwrap();
    live.handle.send(Op::Unqueue(id)).unwrap();
    live.until("message that comes back", |event| {
        matches!(event, Event::Unqueued { input: Some(_), .. })
    })
    .await;
    let reply = Reply::Permission(PermissionReply::Once);
    let id = question.id;
    live.handle.send(Op::Answer { id, reply }).unwrap();
    live.until_turn_ended().await;

    live.submit("edit it");
    let (_, events) = live.until_turn_ended().await;
    assert_eq!(
        call_kind(&events),
        Some(ErrorKind::NotRead),
        "nobody was shown it"
    );
    live.handle.send(Op::Submit(named)).unwrap();
    let (_, events) = live.until_turn_ended().await;
    assert_eq!(call_kind(&events), None);
    assert_eq!(project.read("sub/a.rs"), "fn changed() {}\n");
    let requests = server.requests();
    let saw_instructions = |place: usize| requests[place].mentions("Mind the gap.");
    assert!(
        !saw_instructions(2) && saw_instructions(4),
        "they come with what is sent"
    );
    live.close().await;
}

async fn a_file_of_a_steer_counts_as_read_once_the_steer_has_joined() {
    let edit = json!({"file_path": "a.rs", "old_string": "plain", "new_string": "changed"});
    let server = Server::with([
        Turn::tool("bash", json!({"command": "touch made"})),
        Turn::tool("edit", edit),
        Turn::text("Done."),
    ]);
    let project = Project::new()
        .model(&server, Protocol::OpenAiChat)
        .config(json!({"permission": {"edit": "allow"}}))
        .file("a.rs", "fn plain() {}\n");
    let mut live = Live::open(&project, SessionChoice::New, Mode::Ask).await;
    live.submit("wait");
    let question = live.question().await;
    let steer = Input {
        mentions: vec![mention("a.rs")],
        ..input("change @a.rs")
    };
    live.handle.send(Op::Submit(steer)).unwrap();
    live.until(
        "queue",
        |event| matches!(event, Event::Queue(queue) if !queue.is_empty()),
    )
    .await;
    let (id, reply) = (question.id, Reply::Permission(PermissionReply::Once));
    live.handle.send(Op::Answer { id, reply }).unwrap();
    live.until_turn_ended().await;
    assert_eq!(project.read("a.rs"), "fn changed() {}\n");
    live.close().await;
}
