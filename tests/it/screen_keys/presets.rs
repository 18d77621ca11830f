//! Keys that people bring along from other programs.

use serde_json::json;

use crate::screen::{numbered, project, say};
use crate::support::{Key, Project, Server, Terminal, Turn};

fn with_preset(server: &Server, preset: &str) -> (Project, Terminal) {
    let project = project(server).config(json!({"keybinds": {"preset": preset}}));
    let terminal = Terminal::start(&project, 80, 24, &[]);
    terminal.wait_text("⇥ agent");
    (project, terminal)
}

#[test]
fn claudes_keys() {
    let bash = |command: &str| Turn::tool("bash", json!({"command": command}));
    let thought = "I thought long about it. ".repeat(9) + "Because of this.";
    let server = Server::with([
        bash("touch one"),
        bash("touch two"),
        bash("rmdir three"),
        Turn::new().reasoning(&thought).say("Done."),
    ]);
    let (project, terminal) = with_preset(&server, "claude");
    say(&terminal, "go");
    let hear = |words: &str| {
        terminal.wait_text(words);
        terminal.wait_quiet(std::time::Duration::from_millis(450));
    };
    hear("$ touch one");
    let screen = terminal.screen();
    assert!(screen.contains("1 once   2 always…   3 no"), "{screen}");
    terminal.keys("\x05");
    terminal.wait_text("always would store");
    terminal.keys("1");
    hear("$ touch two");
    assert!(project.exists("one"));
    terminal.keys("2");
    terminal.wait_text("scope: this project");
    terminal.key(Key::Down);
    terminal.key(Key::Enter);
    hear("$ rmdir three");
    assert!(project.exists("two"));
    terminal.keys("3");
    terminal.wait_text("⊘ Bash");
    terminal.wait_text("⏎ send");
    say(&terminal, "and now");
    terminal.wait_text("Done.");
    terminal.wait_text("⏎ send");
    terminal.key(Key::Alt('t'));
    terminal.wait_text("Because of this.");
    terminal.key(Key::Alt('t'));
    terminal.wait_gone("Because of this.");
    terminal.key(Key::Alt('p'));
    terminal.wait_text("Models ·");
    terminal.key(Key::Esc);
    terminal.wait_gone("Models ·");
    terminal.key(Key::Ctrl('o'));
    terminal.wait_text("i composer");
    terminal.key(Key::Ctrl('o'));
    terminal.wait_gone("i composer");
}

#[test]
fn opencodes_keys() {
    let lines = numbered(60, |number| format!("line {number}\n\n"));
    let server = Server::with([Turn::text(&lines).piece(200)]);
    let (_project, terminal) = with_preset(&server, "opencode");
    say(&terminal, "talk");
    terminal.wait_text("line 59");
    terminal.wait_text("⏎ send");
    // `ctrl+alt+b` and `ctrl+alt+f`.
    terminal.keys("\x1b\x02");
    terminal.wait_gone("line 59");
    terminal.keys("\x1b\x06");
    terminal.wait_text("line 59");
    terminal.keys("one");
    terminal.key(Key::AltEnter);
    terminal.keys("two");
    terminal.wait_text("┃ two");
    terminal.key(Key::Home);
    terminal.keys("|");
    terminal.wait_text("┃ |one");
    terminal.key(Key::Ctrl('c'));
    terminal.wait_gone("┃ |one");
    for (key, shown) in [("l", "Sessions of"), ("t", "Themes ·")] {
        terminal.keys(&format!("\x18{key}"));
        terminal.wait_text(shown);
        terminal.key(Key::Ctrl('c'));
        terminal.wait_gone(shown);
    }
    terminal.keys("\x18q");
    assert!(terminal.wait_exit().success());
}

#[test]
fn vims_keys_outside_of_the_composer() {
    let lines = numbered(60, |number| format!("line {number}\n\n"));
    let server = Server::with([Turn::text(&lines).piece(200)]);
    let (_project, terminal) = with_preset(&server, "vim");
    say(&terminal, "talk");
    terminal.wait_text("line 59");
    terminal.wait_text("⏎ send");
    terminal.keys("\x18[");
    terminal.wait_text("i composer");
    terminal.key(Key::Ctrl('u'));
    terminal.wait_gone("line 59");
    terminal.key(Key::Ctrl('d'));
    terminal.wait_text("line 59");
    terminal.keys("/line 1");
    terminal.wait_text("of 11");
    let at = |place: &str| terminal.wait_text(&format!(" {place} of 11"));
    at("1");
    terminal.key(Key::Ctrl('j'));
    at("2");
    terminal.key(Key::Ctrl('k'));
    at("1");
    terminal.key(Key::Enter);
    terminal.wait_text("n N matches");
    terminal.keys("a");
    terminal.wait_text("⏎ send");
    terminal.key(Key::Ctrl('p'));
    terminal.wait_text("Actions ·");
    let first = terminal.row(4);
    terminal.key(Key::Ctrl('j'));
    terminal.wait_for(|screen| screen.lines().nth(5).is_some_and(|row| row.starts_with(" ❯")));
    terminal.key(Key::Ctrl('k'));
    terminal.wait_for(|screen| screen.lines().nth(4) == Some(first.as_str()));
}
