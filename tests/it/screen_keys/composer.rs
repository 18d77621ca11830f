//! Keys of the composer that do more than edit: lists above it, what was written before, the agent.

use serde_json::json;

use crate::screen::{open, project, say};
use crate::support::{Gate, Key, Server, Turn};

/// Keys of the list of commands, and the row that is chosen then.
const COMPLETION: &[(&str, &str)] = &[
    ("\x1b[B", "/agent"),
    ("\x0e", "/mode "),
    ("\x1b[A", "/agent"),
    ("\x10", "/model"),
];

#[test]
fn tab_completes_what_is_listed_and_a_path_and_else_changes_the_agent() {
    let server = Server::start();
    let project = project(&server)
        .file("src/retry.rs", "")
        .file("srv.md", "")
        .config(json!({"agents": {"boss": {"description": "Decides"}}}));
    let terminal = open(&project);
    terminal.wait_text("⇥ agent");
    terminal.keys("/");
    terminal.wait_text("❯   /help");
    terminal.key(Key::Down);
    for (keys, chosen) in COMPLETION {
        terminal.wait_text("❯   /");
        println!("{keys:?}");
        terminal.keys(keys);
        terminal.wait_text(&format!("❯   {chosen}"));
    }
    // A command is written out and waits for more.
    terminal.keys("\t");
    terminal.wait_text("┃ /model");
    terminal.wait_gone("❯   /");
    terminal.key(Key::Ctrl('c'));
    terminal.wait_gone("┃ /model");

    terminal.keys("see ./srv");
    terminal.wait_text("┃ see ./srv");
    terminal.key(Key::Tab);
    terminal.wait_text("⇥ complete");
    terminal.key(Key::Tab);
    terminal.wait_text("┃ see ./srv.md");
    terminal.key(Key::Ctrl('c'));
    terminal.wait_gone("srv.md");

    for agent in ["plan", "boss", "build"] {
        terminal.key(Key::Tab);
        terminal.wait_for(|screen| {
            let title = screen.lines().next().unwrap_or_default();
            let both = if agent == "plan" {
                "plan"
            } else {
                &format!("{agent} · ask")
            };
            format!("{title} ").contains(&format!("local/test-model · {both} "))
        });
    }
}

#[test]
fn up_and_down_walk_through_what_was_written_before() {
    let gate = Gate::new();
    let server = Server::with([
        Turn::text("First answer."),
        Turn::text("Second answer.").gate(1, &gate),
        Turn::text("Third answer."),
    ]);
    let project = project(&server);
    let terminal = open(&project);
    say(&terminal, "alpha words");
    terminal.wait_text("First answer.");
    terminal.wait_text("⏎ send");
    say(&terminal, "bravo words");
    gate.wait_until_reached();
    terminal.wait_text("⏎ steer");
    let draft = |words: &str| {
        terminal.wait_for(|screen| {
            screen
                .lines()
                .nth(21)
                .is_some_and(|row| row.trim() == format!("┃ {words}"))
        });
    };
    terminal.key(Key::Up);
    draft("bravo words");
    terminal.key(Key::Up);
    draft("alpha words");
    terminal.key(Key::Down);
    draft("bravo words");
    // The leader's key queues where `alt+enter` cannot be sent.
    terminal.keys("\x18q");
    terminal.wait_text("queue ┃ bravo words");
    terminal.key(Key::Up);
    terminal.wait_text("❯ queue ┃ bravo words");
    terminal.key(Key::Tab);
    terminal.wait_text("❯ steer ┃ bravo words");
    terminal.key(Key::Tab);
    terminal.wait_text("❯ queue ┃ bravo words");
    gate.open();
    terminal.wait_text("Third answer.");
}
