//! Questions about a text with invisible characters, on the real screen and to a screen reader.

use serde_json::json;

use super::{bash, hear};
use crate::screen::{open, project, say};
use crate::support::{Key, Server, Terminal, Turn};

/// Texts that hide a part of themselves, and what has to be read of each.
const ATTACKS: [(&str, &str); 14] = [
    (
        "echo building \x1b]0; touch pwned",
        "building ⟨U+001B⟩]0; touch pwned",
    ),
    ("true \x1b[8m; touch a", "true ⟨U+001B⟩[8m; touch a"),
    ("true \u{9b}8m; touch b", "true ⟨U+009B⟩8m; touch b"),
    ("true \x1bP; touch c\x1b\\", "true ⟨U+001B⟩P; touch c⟨U+001B⟩\\"),
    ("touch d\rls", "touch d⟨U+000D⟩ls"),
    ("touch e\x08\x08\x08ls", "touch e⟨U+0008⟩⟨U+0008⟩⟨U+0008⟩ls"),
    ("ls \u{202e}f hcuot", "ls ⟨U+202E⟩f hcuot"),
    ("touch g\u{200b}h", "touch g⟨U+200B⟩h"),
    ("touch i\u{ad}j", "touch i⟨U+00AD⟩j"),
    ("touch k\u{e006c}\u{e0073}", "touch k⟨U+E006C⟩⟨U+E0073⟩"),
    ("touch l\u{fe0f}\u{e0100}", "touch l⟨U+FE0F⟩⟨U+E0100⟩"),
    ("touch\u{a0}m", "touch⟨U+00A0⟩m"),
    ("touch n⟨U+202E⟩", "touch n⟨U+27E8⟩U+202E⟩"),
    ("touch o\t p ", "touch o⇥ p␣"),
];

fn asked(turn: Turn) -> (crate::support::Project, Terminal, Server) {
    let server = Server::with([turn]);
    let project = project(&server);
    let terminal = open(&project);
    say(&terminal, "go");
    hear(&terminal);
    (project, terminal, server)
}

#[test]
fn every_character_of_a_command_is_seen() {
    for (command, shown) in ATTACKS {
        let (_project, terminal, _server) = asked(bash(command));
        let is_shown = |line: &str| line.contains("   $ ") && line.contains(shown);
        terminal.wait_for(|screen| screen.lines().any(is_shown));
    }
}

#[test]
fn every_character_that_would_be_written_is_seen() {
    let lines: Vec<&str> = ATTACKS.iter().map(|(line, _)| *line).collect();
    let content = format!("#!/bin/sh\n{}\n", lines.join("\n"));
    let (project, terminal, _server) = asked(Turn::tool(
        "write",
        json!({"file_path": "x.sh", "content": content}),
    ));
    terminal.keys("f");
    terminal.resize(100, 40);
    for (_, shown) in ATTACKS {
        let is_shown = |line: &str| line.contains(" + ") && line.contains(shown);
        terminal.wait_for(|screen| screen.lines().any(is_shown));
    }
    assert!(!project.exists("x.sh"));
}

#[test]
fn a_flood_of_marks_stays_in_its_place() {
    let (_project, terminal, _server) = asked(bash(&format!("touch a{}b", "\u{336}".repeat(60))));
    terminal.wait_text("⟨U+0336⟩b");
}

#[test]
fn names_in_a_question_hide_nothing_and_long_ones_are_whole() {
    let path = format!("{}/\u{202e}end.txt", "long-name/".repeat(30));
    let (_project, terminal, _server) =
        asked(Turn::tool("write", json!({"file_path": path, "content": "x\n"})));
    let told = |screen: &str| screen.split_whitespace().collect::<String>();
    let whole = format!("{}/⟨U+202E⟩end.txt", "long-name/".repeat(30)).replace("//", "/");
    let mut screen = terminal.wait_for(|screen| screen.contains("y once"));
    while !told(&screen).contains(&whole) {
        terminal.key(Key::PageDown);
        let before = screen;
        screen = terminal.wait_for(|screen| screen != before);
    }
}

#[test]
fn a_command_that_is_too_long_for_the_screen_scrolls_to_its_end() {
    let command = format!("printf '%s' {} && touch the-end", "word ".repeat(600));
    let (_project, terminal, _server) = asked(bash(&command));
    let mut screen = terminal.wait_text("more rows");
    while !screen.contains("touch the-end") {
        terminal.key(Key::PageDown);
        let before = screen;
        screen = terminal.wait_for(|screen| screen != before);
    }
}

/// Presses `pgdown` until nothing comes any more, and returns every row that was seen, without blanks and line breaks.
fn all_rows(terminal: &Terminal) -> String {
    let mut rows: Vec<String> = Vec::new();
    loop {
        let screen = terminal.wait_quiet(super::DEAF);
        let seen: Vec<String> = screen.lines().map(str::to_owned).collect();
        let is_end = !screen.contains("more rows") && !screen.contains("more row");
        rows.extend(seen);
        if is_end {
            return rows.concat().split_whitespace().collect();
        }
        terminal.key(Key::PageDown);
        terminal.wait_for(|now| now != screen);
    }
}

#[test]
fn the_whole_of_a_long_command_is_read_in_the_full_view_and_by_a_screen_reader() {
    let lines: Vec<_> = (1..=60).map(|line| format!("line-{line}-of-60")).collect();
    let command = format!("cat <<'END' > notes.txt\n{}\nEND\n", lines.join("\n"));
    let (_project, terminal, _server) = asked(bash(&command));
    terminal.keys("f");
    terminal.wait_text("f smaller");
    let told = all_rows(&terminal);
    for line in 1..=60 {
        assert!(
            told.contains(&format!("line-{line}-of-60")),
            "line {line}: {told}"
        );
    }

    let server = Server::with([bash(&command)]);
    let project = project(&server);
    let terminal = Terminal::start(&project, 80, 300, &["--screen-reader", "-p", "go"]);
    let screen = terminal.wait_text("Answer for \"bash wants to run\" with a number:");
    for line in 1..=60 {
        assert!(
            screen.contains(&format!("| line-{line}-of-60")),
            "line {line}: {screen}"
        );
    }
}

#[test]
fn a_card_whose_question_was_put_off_names_all_of_what_it_asks_about() {
    let path = format!("{}end.txt", "long-name/".repeat(30));
    for turn in [
        Turn::tool("write", json!({"file_path": path, "content": "x\n"})),
        bash(&format!("touch {path}")),
    ] {
        let (_project, terminal, _server) = asked(turn);
        terminal.key(Key::Esc);
        let screen =
            terminal.wait_for(|screen| screen.contains("ctrl+x . answers") && !screen.contains("y once"));
        let told: String = screen.split_whitespace().collect();
        assert!(told.contains(&path), "{screen}");
    }
}
