//! The panel at the side.

use serde_json::json;

use super::{opened, with_editor};
use crate::screen::{project, say};
use crate::support::{Server, Turn};

/// Keys of the panel, and what only they show.
const KEYS: &[(&str, &str)] = &[
    ("k", "│┃✓ find it"),
    ("\x1b[A", "│┃Todo"),
    ("j", "│┃✓ find it"),
    ("\x1b[B", "│┃○ fix it"),
    (" ", "│┃✓ fix it"),
    (" ", "│┃○ fix it"),
    ("s", "│┃▸ fix it"),
    ("e now", "❯ fix it now"),
    ("\r", "│┃▸ fix it now"),
    ("jjj", "│┃a.txt"),
    ("k", "│┃Files changed"),
    (" ", "│┃Files changed …"),
    (" j", "│┃a.txt"),
    ("?", " Keys"),
    ("q", "│┃a.txt"),
];

#[test]
fn keys_of_the_panel() {
    let todos = json!({"todos": [
        {"content": "find it", "status": "completed"}, {"content": "fix it"}, {"content": "test it"},
    ]});
    let server = Server::with([
        Turn::tool("todowrite", todos),
        Turn::tool("write", json!({"file_path": "a.txt", "content": "one\n"})),
        Turn::text("Planned."),
    ]);
    let project = project(&server).config(json!({"permission": {"edit": "allow"}}));
    let (project, terminal) = with_editor(project, 144, 30);
    say(&terminal, "plan");
    terminal.wait_text("│ a.txt");
    terminal.keys("\x18b");
    terminal.wait_text("│┃○ fix it");
    for (keys, shown) in KEYS {
        println!("{keys:?}");
        terminal.keys(keys);
        terminal.wait_text(shown);
    }
    terminal.keys("\r");
    opened(&project, "a.txt");
    for back in ["i", "\x1b"] {
        terminal.wait_text("│┃a.txt");
        terminal.keys(back);
        terminal.wait_text("│ a.txt");
        terminal.keys("\x18b");
    }
    // The leader's key hides it where it has the keys.
    terminal.wait_text("│┃a.txt");
    terminal.keys("\x18b");
    terminal.wait_gone("Files changed");
    terminal.keys("\x18b");
    terminal.wait_text("│ a.txt");
}
