//! Pages over the screen.

use serde_json::json;

use super::{opened, with_editor};
use crate::screen::{numbered, open, project, say};
use crate::support::{Server, Turn};

/// Keys of a page that is read, and the rows that it then shows, or what is found.
const KEYS: &[(&str, &str)] = &[
    ("j", " 2-"),
    ("\x1b[B", " 3-"),
    ("k", " 2-"),
    ("\x1b[A", " 1-"),
    ("\x1b[6~", " 20-"),
    ("\x1b[5~", " 1-"),
    ("/next", " 1 of "),
    ("\x1b[B", " 2 of "),
    ("\x0e", " 3 of "),
    ("\x1b[A", " 2 of "),
    ("\x10", " 1 of "),
    ("\r", "matches"),
    ("n", " 2 of "),
    ("N", " 1 of "),
];

#[test]
fn keys_of_a_page_that_is_read() {
    let server = Server::start();
    let project = project(&server);
    let terminal = open(&project);
    terminal.keys("?");
    terminal.wait_text(" 1-");
    for (keys, shown) in KEYS {
        println!("{keys:?}");
        terminal.keys(keys);
        terminal.wait_text(shown);
    }
    let is_at_end = |screen: &str| {
        let heading = screen.lines().nth(1).unwrap_or_default();
        let (_, place) = heading.rsplit_once('-').unwrap_or_default();
        let (last, rows) = place.split_once(" of ").unwrap_or_default();
        !last.is_empty() && last.trim() == rows.trim()
    };
    for (end, top) in [("G", "g"), ("\x1b[F", "\x1b[H")] {
        terminal.keys(end);
        terminal.wait_for(is_at_end);
        terminal.keys(top);
        terminal.wait_text(" 1-");
    }
    terminal.keys("q");
    terminal.wait_gone(" 1-");
}

/// Keys of the page of changes, and what stands in the row that is pointed at then.
const CHANGES: &[(&str, &str)] = &[
    ("j", "b.txt"),
    ("k", "a.txt"),
    ("\x1b[B", "b.txt"),
    ("\x1b[A", "a.txt"),
    ("]", "line 2"),
    ("]", "line 27"),
    ("[", "line 2"),
    ("G", "only line"),
    ("g", "a.txt"),
    ("\x1b[F", "only line"),
    ("{", "b.txt"),
    ("{", "a.txt"),
    ("}", "b.txt"),
    ("\x1b[H", "a.txt"),
    ("\x1b[6~", "line 32"),
    ("g", "a.txt"),
    ("]j", "line 3"),
];

#[test]
fn keys_of_the_page_of_changes() {
    let replace = |number: usize| json!({"old_string": format!("line {number}\n"), "new_string": format!("LINE {number}\n")});
    let edits = json!({"file_path": "a.txt", "edits": [replace(5), replace(30)]});
    let server = Server::with([
        Turn::tool("multiedit", edits),
        Turn::tool("write", json!({"file_path": "b.txt", "content": "only line\n"})),
        Turn::text("Changed."),
    ]);
    let lines = numbered(40, |number| format!("line {}\n", number + 1));
    let project = project(&server)
        .file("a.txt", &lines)
        .config(json!({"permission": {"edit": "allow"}, "edit": {"require_read": false}}));
    let (project, terminal) = with_editor(project, 80, 24);
    say(&terminal, "go");
    terminal.wait_text("Changed.");
    terminal.wait_text("send");
    terminal.keys("\x18d");
    // The end of the turn names the files too.
    terminal.wait_text("Changes ·");
    terminal.wait_text("2 files ");
    for (keys, row) in CHANGES {
        println!("{keys:?}");
        terminal.keys(keys);
        terminal.wait_for(|screen| {
            let mut rows = screen.lines();
            rows.any(|line| line.starts_with(" ❯") && line.contains(row))
        });
    }
    terminal.keys("\r");
    opened(&project, "+3 ");
    terminal.keys("?");
    terminal.wait_text(" Keys");
    terminal.keys("q");
    terminal.wait_text("Changes ·");
    terminal.keys("q");
    terminal.wait_text("send");
}
