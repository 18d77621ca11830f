//! Replies without measure: each is given up as a whole, does nothing, and the session goes on.

use serde_json::json;

use super::run::{assert_well_formed, events_of, last, of_kind, project_with, reason, text_of};
use super::support::{Fault, Finished, Project, Protocol, Server, Turn};

/// A reply that writes so many files.
fn writes(count: usize) -> Turn {
    (0..count).fold(Turn::new().say("Writing."), |turn, nth| {
        turn.call(
            "write",
            json!({"file_path": format!("made/{nth}.txt"), "content": "x"}),
        )
    })
}

fn ask(project: &Project, words: &[&str]) -> Finished {
    let finished = events_of(project)
        .args(["--permission-mode", "accept-edits"])
        .args(words)
        .run();
    assert_well_formed(&finished);
    finished
}

/// Checks that the reply was an error of its own kind, asked for once, and that the session goes on without it.
#[track_caller]
fn assert_given_up(project: &Project, server: &Server, finished: &Finished, excess: &str, said: &str) {
    let errors = of_kind(finished, "error");
    assert_eq!(errors.len(), 1, "{finished}");
    assert_eq!(errors[0]["kind"], "bad_response", "{finished}");
    let message = errors[0]["message"].as_str().unwrap();
    assert!(message.contains(excess), "{message}");
    assert_eq!(reason(finished), "error");
    assert_eq!(server.requests().len(), 1, "it is not asked for again");
    let session = last(finished)["session"].as_str().unwrap().to_owned();
    let next = ask(project, &["-s", &session, "and now?"]);
    assert_eq!(text_of(&next), "Here I am.", "{next}");
    let request = server.requests().pop().unwrap();
    assert!(!request.mentions(said), "a void reply was sent");
}

#[test]
fn a_reply_with_too_many_calls_runs_none_in_any_protocol() {
    for protocol in Protocol::ALL {
        let server = Server::with([writes(600), Turn::text("Here I am.")]);
        let project = Project::new().model(&server, protocol);
        let finished = ask(&project, &["write them"]);
        assert!(!project.exists("made"), "{protocol:?}: a call ran");
        assert_given_up(
            &project,
            &server,
            &finished,
            "more than 512 tool calls",
            "Writing.",
        );
    }
}

#[test]
fn a_reply_with_many_calls_runs_all_of_them() {
    let server = Server::with([writes(60), Turn::text("Done.")]);
    let project = project_with(&server);
    let finished = ask(&project, &["write them"]);
    assert_eq!(text_of(&finished), "Writing.Done.");
    let files = std::fs::read_dir(project.path("made")).unwrap();
    assert_eq!(files.count(), 60);
}

#[test]
fn arguments_without_end_are_given_up() {
    let piece = "a".repeat(1 << 20);
    let start = json!({"choices": [{"delta": {"tool_calls": [
        {"index": 0, "id": "c", "function": {"name": "write", "arguments": "{\"file_path\":\"a.txt\",\"content\":\""}}]}}]});
    let more =
        json!({"choices": [{"delta": {"tool_calls": [{"index": 0, "function": {"arguments": piece}}]}}]});
    let end = json!({"choices": [{"delta": {"tool_calls": [{"index": 0, "function": {"arguments": "\"}"}}]},
        "finish_reason": "tool_calls"}]});
    let mut events = vec![start.to_string()];
    events.extend(vec![more.to_string(); 5]);
    events.push(end.to_string());
    let server = Server::with([Turn::text("Here I am.").fail(Fault::events(&events))]);
    let project = project_with(&server);
    let finished = ask(&project, &["write it"]);
    assert!(!project.exists("a.txt"));
    assert_given_up(
        &project,
        &server,
        &finished,
        "more than 4 MiB of tool arguments",
        "a.txt",
    );
}
