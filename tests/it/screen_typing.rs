//! Nothing that is typed is lost or late, however it arrives and whoever had the terminal before.

use crate::screen::{open, project, say, with_script};
use crate::support::{Gate, Key, LATHE, Project, Server, Terminal, Turn};

/// How often: what is lost is lost now and then.
const ROUNDS: usize = 12;

/// A terminal in a project whose editor leaves the number of its call.
fn with_editor(project: Project, script: &str) -> (Project, Terminal) {
    let project = with_script(project, "edits", script);
    let editor = format!("EDITOR={}", project.path("edits").display());
    let terminal = Terminal::program("env", &project, 80, 24, &[&editor, LATHE]);
    terminal.wait_text("send");
    (project, terminal)
}

#[test]
fn keys_and_a_large_paste_in_one_write_are_read_to_the_end() {
    let server = Server::start();
    let project = project(&server);
    let terminal = open(&project);
    for round in 10..10 + ROUNDS {
        let pasted = "some words in a line\n".repeat(200);
        let written = format!("before{round}\x1b[200~{pasted}\x1b[201~after{round}");
        terminal.keys(&written);
        let screen = terminal.wait_text(&format!("after{round}"));
        assert!(screen.contains("[pasted 200 lines"), "{screen}");
        terminal.key(Key::Ctrl('c'));
        terminal.wait_gone(&format!("after{round}"));
    }
}

#[test]
fn many_keys_in_one_write_are_read_to_the_end() {
    let server = Server::start();
    let project = project(&server);
    let terminal = open(&project);
    for round in 10..10 + ROUNDS {
        terminal.keys(&format!("{}the end {round}", "some words\x15".repeat(300)));
        terminal.wait_text(&format!("┃ the end {round}"));
        terminal.key(Key::Ctrl('c'));
        terminal.wait_gone(&format!("the end {round}"));
    }
}

#[test]
fn keys_typed_as_the_editor_closes_are_seen() {
    let server = Server::start();
    let count = "n=$(cat count 2>/dev/null || echo 10); echo $((n+1)) >count; echo \"draft $n \" >\"$1\"";
    let (_project, terminal) = with_editor(project(&server), count);
    for round in 10..10 + ROUNDS {
        terminal.key(Key::Ctrl('g'));
        terminal.wait_text(&format!("┃ draft {round}"));
        terminal.keys("x");
        terminal.wait_text(&format!("┃ draft {round} x"));
    }
}

#[test]
fn keys_typed_while_the_editor_opens_come_after_what_it_left() {
    let server = Server::start();
    let count = "n=$(cat count 2>/dev/null || echo 10); echo $((n+1)) >count; echo \"draft $n \" >\"$1\"";
    let (_project, terminal) = with_editor(project(&server), count);
    for round in 10..10 + ROUNDS {
        terminal.keys("\x07and more");
        terminal.wait_text(&format!("┃ draft {round} and more"));
    }
}

#[test]
fn the_editor_gets_its_keys() {
    let server = Server::start();
    let reads = "n=$(cat count 2>/dev/null || echo 10); echo $((n+1)) >count; echo opened $n; while read -r line; do test \"$line\" = end && break; echo \"$line\"; done >\"$1\"";
    let (_project, terminal) = with_editor(project(&server), reads);
    for round in 10..10 + ROUNDS {
        terminal.key(Key::Ctrl('g'));
        terminal.wait_text(&format!("opened {round}"));
        terminal.keys(&format!("line {round}\rend\r"));
        terminal.wait_text(&format!("┃ line {round}"));
        terminal.key(Key::Ctrl('c'));
        terminal.wait_gone(&format!("line {round}"));
    }
}

#[test]
fn half_a_key_does_not_hold_the_screen() {
    let gate = Gate::new();
    let server = Server::with([Turn::text("The first half. The second half.")
        .piece(16)
        .gate(1, &gate)]);
    let project = project(&server);
    let terminal = open(&project);
    say(&terminal, "talk");
    terminal.wait_text("The first half.");
    // `alt+[`, and the beginning of every other key.
    terminal.keys("\x1b[");
    gate.open();
    terminal.wait_text("The second half.");
    terminal.wait_text("send");
    terminal.keys("A!");
    terminal.wait_text("┃ talk!");
}
