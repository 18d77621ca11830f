//! Editing the call in the question: judged again, run as edited, and told to the model.

use serde_json::json;

use super::{asked, bash, hear};
use crate::screen::{open, project, say};
use crate::support::{Key, Server, Turn};

#[test]
fn an_edited_command_is_asked_again_and_runs_instead() {
    let server = Server::with([bash("touch mark"), Turn::text("I see.")]);
    let (project, terminal) = asked(&server);
    terminal.keys("e");
    terminal.wait_text("┃ touch mark");
    terminal.keys("-of-mine");
    terminal.wait_text("┃ touch mark-of-mine");
    terminal.key(Key::Enter);
    terminal.wait_text("$ touch mark-of-mine");
    hear(&terminal);
    assert!(!project.exists("mark-of-mine"));
    terminal.keys("y");
    terminal.wait_text("I see.");
    assert!(project.exists("mark-of-mine") && !project.exists("mark"));
    terminal.wait_text("Bash touch mark-of-mine");
    assert!(server.requests()[1].mentions("the user changed this call before it ran"));
    assert!(server.requests()[1].mentions("mark-of-mine"));
}

#[test]
fn an_edited_command_that_a_rule_allows_runs_at_once_and_one_that_a_rule_denies_never() {
    let server = Server::with([bash("touch mark"), bash("touch mark"), Turn::text("I see.")]);
    let project =
        project(&server).config(json!({"permission": {"bash": {"mkdir *": "allow", "rm *": "deny"}}}));
    let terminal = open(&project);
    say(&terminal, "go");
    hear(&terminal);
    terminal.keys("e");
    terminal.wait_text("┃ touch mark");
    terminal.key(Key::Ctrl('u'));
    terminal.keys("mkdir made");
    terminal.wait_text("┃ mkdir made");
    terminal.key(Key::Enter);
    terminal.wait_text("$ touch mark");
    assert!(project.exists("made"));
    hear(&terminal);
    terminal.keys("e");
    terminal.wait_text("┃ touch mark");
    terminal.key(Key::Ctrl('u'));
    terminal.keys("rm -r made");
    terminal.wait_text("┃ rm -r made");
    terminal.key(Key::Enter);
    terminal.wait_text("I see.");
    assert!(project.exists("made") && !project.exists("mark"));
    assert!(server.requests()[2].mentions("is denied by the rule"));
}

#[test]
fn hooks_see_what_a_person_wrote_and_may_forbid_it() {
    let server = Server::with([bash("touch mark"), Turn::text("I see.")]);
    let forbid = "grep -q forbidden && { echo 'not that one' >&2; exit 2; }; exit 0";
    let project = project(&server).config(json!({ "hooks": { "PreToolUse": [{ "hooks": [
        { "type": "command", "command": forbid }
    ] }] } }));
    let terminal = open(&project);
    say(&terminal, "go");
    hear(&terminal);
    terminal.keys("e");
    terminal.wait_text("┃ touch mark");
    terminal.keys("-forbidden");
    terminal.wait_text("-forbidden");
    terminal.key(Key::Enter);
    terminal.wait_text("I see.");
    assert!(server.requests()[1].mentions("not that one"));
    assert!(!project.exists("mark-forbidden") && !project.exists("mark"));
}

#[test]
fn other_calls_are_edited_as_json_that_has_to_fit() {
    let turn = Turn::tool("write", json!({"file_path": "one.txt", "content": "first\n"}));
    let server = Server::with([turn, Turn::text("I see.")]);
    let project = project(&server);
    let terminal = open(&project);
    say(&terminal, "go");
    hear(&terminal);
    terminal.keys("e");
    terminal.wait_text(r#""file_path": "one.txt""#);
    terminal.key(Key::Ctrl('u'));
    terminal.key(Key::Enter);
    terminal.wait_text("this is not JSON");
    terminal.key(Key::Ctrl('_'));
    terminal.wait_gone("this is not JSON");
    // The caret stands behind the last brace: the field goes in before it.
    terminal.keys("\x7f");
    terminal.keys(", \"content\": \"second\"}");
    terminal.wait_text("second");
    terminal.key(Key::Enter);
    terminal.wait_text("one.txt");
    hear(&terminal);
    terminal.keys("y");
    terminal.wait_text("I see.");
    assert_eq!(project.read("one.txt"), "second");
}

#[test]
fn a_call_that_does_not_fit_its_tool_stays_to_be_mended() {
    let turn = Turn::tool("write", json!({"file_path": "one.txt", "content": "first\n"}));
    let server = Server::with([turn]);
    let project = project(&server);
    let terminal = open(&project);
    say(&terminal, "go");
    hear(&terminal);
    terminal.keys("e");
    terminal.wait_text(r#""file_path": "one.txt""#);
    // The caret stands behind the last brace: the field goes in before it.
    terminal.keys("\x7f");
    terminal.keys(", \"content\": {\"a\": 1}}");
    terminal.wait_text(r#"{"a": 1}}"#);
    terminal.key(Key::Enter);
    terminal.wait_text("`content`");
    terminal.wait_text(r#"{"a": 1}}"#);
    assert!(!project.exists("one.txt"));
}
