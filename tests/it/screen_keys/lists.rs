//! Rows to choose from: what waits to be sent, questions, sessions.

use std::time::Duration;

use serde_json::json;

use crate::screen::{numbered, open, project, say};
use crate::support::{Gate, Key, Server, Turn};

/// Keys of the list of what waits, and the rows that it then has from the top; `*` is before the chosen one.
const QUEUE: &[(&str, &str)] = &[
    ("\x1b[A", "alpha bravo *charlie"),
    ("k", "alpha *bravo charlie"),
    ("\x1b[A", "*alpha bravo charlie"),
    ("j", "alpha *bravo charlie"),
    ("\x1b[B", "alpha bravo *charlie"),
    ("K", "alpha *charlie bravo"),
    ("\x1b[1;2A", "*charlie alpha bravo"),
    ("J", "alpha *charlie bravo"),
    ("\x1b[1;2B", "alpha bravo *charlie"),
    ("x", "alpha *bravo"),
    ("i", "alpha bravo"),
    ("\x1b[A", "alpha *bravo"),
    ("\x1b[3~", "*alpha"),
    ("?", ""),
    ("q", "*alpha"),
    ("\x1b", "alpha"),
];

#[test]
fn keys_of_the_list_of_what_waits() {
    let server = Server::with([Turn::text("Never whole.").gate(1, &Gate::new())]);
    let project = project(&server);
    let terminal = open(&project);
    say(&terminal, "talk");
    terminal.wait_text("Never");
    for text in ["alpha", "bravo", "charlie"] {
        terminal.keys(text);
        terminal.wait_text(&format!("┃ {text}"));
        terminal.key(Key::AltEnter);
        terminal.wait_text(&format!("queue ┃ {text}"));
    }
    for (keys, expected) in QUEUE {
        println!("{keys:?}");
        terminal.keys(keys);
        terminal.wait_for(|screen| {
            let rows = screen.lines().filter_map(|line| {
                let (head, text) = line.split_once("queue ┃ ")?;
                Some(format!("{}{text}", if head.contains('❯') { "*" } else { "" }))
            });
            rows.collect::<Vec<_>>().join(" ") == *expected
        });
    }
}

/// A question is deaf for a shorter time.
const DEAF: Duration = Duration::from_millis(450);

#[test]
fn tab_goes_from_question_to_question() {
    let turn = Turn::new()
        .call("read", json!({"file_path": "one.txt"}))
        .call("read", json!({"file_path": "two.txt"}));
    let server = Server::with([turn]);
    let project = project(&server)
        .file("one.txt", "1")
        .file("two.txt", "2")
        .config(json!({"permission": {"read": "ask"}}));
    let terminal = open(&project);
    say(&terminal, "go");
    terminal.wait_text("1 of 2");
    terminal.wait_quiet(DEAF);
    let is_about = |file: &str| terminal.screen().contains(&format!("read wants to read {file}"));
    let (first, second) = if is_about("one.txt") {
        ("one.txt", "two.txt")
    } else {
        ("two.txt", "one.txt")
    };
    for file in [second, first] {
        terminal.key(Key::Tab);
        terminal.wait_text(&format!("read wants to read {file}"));
        terminal.wait_quiet(DEAF);
    }
}

#[test]
fn a_question_is_scrolled_by_row() {
    let long = numbered(60, |number| format!("row {number}\n"));
    let server = Server::with([Turn::tool(
        "write",
        json!({"file_path": "one.txt", "content": long}),
    )]);
    let project = project(&server);
    let terminal = open(&project);
    say(&terminal, "go");
    terminal.wait_text("y once");
    terminal.wait_quiet(DEAF);
    terminal.keys("f");
    terminal.wait_text("f smaller");
    // The last that the frame draws: half of it is no screen to come back to.
    let top = terminal.wait_text("esc back");
    for (down, up) in [("j", "k"), ("\x1b[B", "\x1b[A")] {
        terminal.keys(&down.repeat(8));
        terminal.wait_gone(" 4 + row");
        terminal.keys(&up.repeat(8));
        terminal.wait_for(|screen| screen == top);
    }
}

#[test]
fn keys_of_the_list_of_sessions() {
    let server = Server::with([Turn::text("An answer.")]);
    let project = project(&server);
    let terminal = open(&project);
    say(&terminal, "plant an oak");
    terminal.wait_text("An answer.");
    terminal.wait_text("send");
    terminal.keys("\x18s");
    terminal.wait_text("Sessions of this project");
    terminal.key(Key::Tab);
    terminal.wait_text("Sessions of all projects");
    terminal.key(Key::Tab);
    terminal.wait_text("Sessions of this project");
    terminal.key(Key::Esc);
    terminal.wait_text("send");
}
