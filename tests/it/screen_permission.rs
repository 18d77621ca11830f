//! Asking for permission on the real screen.

mod always;
mod edit;
mod hidden;
mod look;
mod rules;

use std::time::Duration;

use serde_json::json;

use crate::screen::{open, project, say};
use crate::support::{Key, Project, Server, Terminal, Turn};

/// A question is deaf for a shorter time.
const DEAF: Duration = Duration::from_millis(450);

fn bash(command: &str) -> Turn {
    Turn::tool("bash", json!({ "command": command }))
}

/// A program that stands before the question that the model's first turn leads to.
fn asked(server: &Server) -> (Project, Terminal) {
    let project = project(server);
    let terminal = open(&project);
    say(&terminal, "go");
    hear(&terminal);
    (project, terminal)
}

/// Two files are read at once, and then something is said.
fn two_reads(answer: &str) -> Server {
    let turn = Turn::new()
        .call("read", json!({"file_path": "one.txt"}))
        .call("read", json!({"file_path": "two.txt"}));
    Server::with([turn, Turn::text(answer)])
}

/// A program that stands before the first of the two questions about them.
fn asked_twice(server: &Server) -> (Project, Terminal) {
    let project = project(server)
        .file("one.txt", "first words")
        .file("two.txt", "second words")
        .config(json!({"permission": {"read": "ask"}}));
    let terminal = open(&project);
    say(&terminal, "go");
    terminal.wait_text("1 of 2");
    hear(&terminal);
    (project, terminal)
}

/// Waits for a question and until it listens.
fn hear(terminal: &Terminal) {
    terminal.wait_text("y once");
    terminal.wait_quiet(DEAF);
}

#[test]
fn keys_typed_as_a_question_appears_go_to_the_draft() {
    let server = Server::with([bash("echo ran > mark"), Turn::text("Done.")]);
    let project = project(&server);
    let terminal = open(&project);
    say(&terminal, "go");
    terminal.wait_text("bash wants to run");
    terminal.keys("yyy");
    terminal.wait_text("┃ yyy");
    terminal.wait_text("? 1 waits · bash echo ran > mark · keys go to your draft · ctrl+x . answers");
    assert!(!project.exists("mark"), "{}", terminal.screen());
    terminal.key(Key::Ctrl('x'));
    terminal.keys(".");
    hear(&terminal);
    terminal.keys("y");
    terminal.wait_text("Done.");
    terminal.wait_text("┃ yyy");
    assert!(project.exists("mark"));
}

#[test]
fn n_says_no_and_ends_the_turn() {
    let server = Server::with([bash("echo ran > mark")]);
    let (project, terminal) = asked(&server);
    terminal.keys("n");
    terminal.wait_text("⊘ Bash");
    terminal.wait_text("send");
    assert!(!project.exists("mark"));
}

#[test]
fn a_reason_reaches_the_model() {
    let server = Server::with([bash("echo ran > mark"), Turn::text("I see.")]);
    let (project, terminal) = asked(&server);
    terminal.keys("N");
    terminal.wait_text("the reason, in one line");
    terminal.keys("use yn make");
    terminal.wait_text("use yn make");
    terminal.key(Key::Enter);
    terminal.wait_text("I see.");
    assert!(server.requests()[1].mentions("use yn make"));
    assert!(!project.exists("mark"));
}

#[test]
fn enter_alone_does_nothing() {
    let server = Server::with([bash("echo ran > mark"), Turn::text("Done.")]);
    let (project, terminal) = asked(&server);
    terminal.key(Key::Enter);
    terminal.keys("\t");
    terminal.wait_quiet(DEAF);
    terminal.wait_text("bash wants to run");
    assert!(!project.exists("mark"));
}

#[test]
fn esc_puts_a_question_off_and_the_leader_brings_it_back() {
    let server = Server::with([bash("echo ran > mark"), Turn::text("Done.")]);
    let (project, terminal) = asked(&server);
    terminal.key(Key::Esc);
    terminal.wait_text("ctrl+x . answers");
    terminal.wait_gone("y once");
    // Once more is not an interrupt: esc is deaf after it closed something.
    terminal.key(Key::Esc);
    terminal.wait_quiet(DEAF);
    terminal.keys("a draft");
    terminal.wait_text("┃ a draft");
    terminal.key(Key::Ctrl('x'));
    terminal.keys(".");
    hear(&terminal);
    terminal.keys("y");
    terminal.wait_text("Done.");
    terminal.wait_text("┃ a draft");
    assert!(project.exists("mark"));
}

#[test]
fn two_questions_queue() {
    let server = two_reads("Both asked.");
    let (_project, terminal) = asked_twice(&server);
    terminal.keys("y");
    terminal.wait_gone("1 of 2");
    hear(&terminal);
    terminal.keys("N");
    terminal.wait_text("the reason, in one line");
    terminal.keys("one is enough");
    terminal.wait_text("one is enough");
    terminal.key(Key::Enter);
    terminal.wait_text("Both asked.");
    let requests = server.requests();
    assert!(requests[1].mentions("first words") != requests[1].mentions("second words"));
}

#[test]
fn a_draft_gets_the_keys_that_were_meant_for_it() {
    let gate = crate::support::Gate::new();
    let server = Server::with([
        Turn::new()
            .say("Wait. ")
            .call("bash", json!({"command": "echo ran > mark"}))
            .gate(1, &gate),
        Turn::text("Done."),
    ]);
    let project = project(&server);
    // Wide enough for all that is typed to stand in one row.
    let terminal = Terminal::start(&project, 300, 24, &[]);
    terminal.wait_text("send");
    say(&terminal, "go");
    gate.wait_until_reached();
    terminal.wait_text("steer");
    terminal.keys("my dra");
    terminal.wait_text("┃ my dra");
    gate.open();
    let mut typed = "my dra".to_owned();
    // A person at the keyboard goes on typing while the question appears, and does not wait for the screen.
    while !terminal.screen().contains("? 1 waits") && typed.len() < 280 {
        terminal.keys("y");
        typed.push('y');
        std::thread::sleep(Duration::from_millis(60));
    }
    terminal.keys("any");
    typed.push_str("any");
    terminal.wait_text(&format!("┃ {typed}"));
    assert!(!project.exists("mark"));
    // However long the draft rests, it has the keys.
    std::thread::park_timeout(Duration::from_millis(1500));
    terminal.keys("yes");
    typed.push_str("yes");
    terminal.wait_text(&format!("┃ {typed}"));
    terminal.key(Key::Tab);
    hear(&terminal);
    terminal.keys("n");
    terminal.wait_text("⊘ Bash");
    terminal.wait_text(&format!("┃ {typed}"));
}

#[test]
fn open_questions_are_judged_once_the_mode_stays_unchanged() {
    let write = Turn::tool("write", json!({"file_path": "new.txt", "content": "x"}));
    let server = Server::with([write, Turn::text("Written.")]);
    let (project, terminal) = asked(&server);
    terminal.key(Key::BackTab);
    terminal.wait_text("accept-edits");
    terminal.wait_text("y once");
    terminal.wait_text("Written.");
    assert!(project.exists("new.txt"));
}

#[test]
fn the_modes_go_round_and_hold() {
    let server = Server::with([
        bash("echo planned > planned"),
        Turn::text("Planned."),
        bash("echo free > free"),
        bash("curl evil.example"),
        Turn::text("Yolo."),
    ]);
    let project = project(&server).config(json!({"permission": {"bash": {"curl *": "deny"}}}));
    let terminal = open(&project);
    terminal.key(Key::BackTab);
    terminal.wait_text("accept-edits");
    terminal.key(Key::BackTab);
    terminal.wait_text("· plan");
    say(&terminal, "plan");
    terminal.wait_text("Planned.");
    assert!(!project.exists("planned"));
    terminal.wait_text("send");
    terminal.key(Key::BackTab);
    terminal.wait_text("· ask");
    say(&terminal, "/mode yolo");
    terminal.wait_text("Answer everything with yes from now on?");
    terminal.wait_quiet(DEAF);
    terminal.keys("y");
    terminal.wait_text("· yolo");
    say(&terminal, "run");
    terminal.wait_text("Yolo.");
    assert!(project.exists("free"));
    terminal.wait_text("⊘ Bash curl");
    terminal.key(Key::BackTab);
    terminal.wait_text("· ask");
}
