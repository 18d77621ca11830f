//! The transcript: selected by key and by mouse, opened by row, and the page of keys over it.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;

use super::{opened, with_editor};
use crate::screen::{open, project, say};
use crate::screen_transcript::wait_copied;
use crate::support::{Key, Server, Terminal, Turn, wait_until};

/// Keys between `v` and `y`, with the block chosen that says `Alpha beta gamma.`, and what is copied.
const SELECTIONS: &[(&str, &str)] = &[
    ("l", "Al"),
    ("\x1b[C", "Al"),
    ("llh", "Al"),
    ("ll\x1b[D", "Al"),
    ("w", "Alpha b"),
    ("wwb", "Alpha b"),
    ("$", "Alpha beta gamma."),
    ("\x1b[F", "Alpha beta gamma."),
    ("$0", "A"),
    ("$\x1b[H", "A"),
    ("j", "Alpha beta gamma.\n\nD"),
    ("\x1b[B", "Alpha beta gamma.\n\nD"),
    ("jk", "A"),
    ("j\x1b[A", "A"),
    ("G$", "Alpha beta gamma.\n\nDelta epsilon."),
];

#[test]
fn keys_move_the_end_of_a_selection() {
    let server = Server::with([Turn::text("Alpha beta gamma.\n\nDelta epsilon.")]);
    let project = project(&server);
    let terminal = open(&project);
    say(&terminal, "talk");
    terminal.wait_text("Delta epsilon.");
    terminal.wait_text("⏎ send");
    terminal.keys("\x18[");
    terminal.wait_text("i composer");
    terminal.keys("k");
    for (keys, copied) in SELECTIONS {
        println!("{keys:?}");
        let before = terminal.clipboard().len();
        terminal.keys(&format!("v{keys}y"));
        wait_until("the clipboard", || terminal.clipboard().len() > before);
        let found = STANDARD.decode(terminal.clipboard().pop().unwrap()).unwrap();
        assert_eq!(String::from_utf8(found).unwrap(), *copied, "{keys:?}");
    }
    terminal.keys("v$g");
    terminal.wait_text("selecting");
    wait_until("the caret at the top", || terminal.cursor() == Some((3, 2)));
    for end in ["v", "q"] {
        terminal.keys(end);
        terminal.wait_gone("selecting");
        terminal.keys("v");
        terminal.wait_text("selecting");
    }
    for (here, back) in [("selecting", "v"), ("i composer", "i")] {
        terminal.keys("?");
        terminal.wait_text(" Keys ");
        terminal.keys("q");
        terminal.wait_gone(" Keys ");
        terminal.wait_text(here);
        terminal.keys(back);
        terminal.wait_gone(here);
    }
}

#[test]
fn enter_opens_the_file_of_a_row_that_a_search_found() {
    let server = Server::with([
        Turn::tool("grep", json!({"pattern": "needle", "path": "."})),
        Turn::text("Found."),
    ]);
    let hay = "hay\n".repeat(11);
    let project = project(&server).file("src/hay.rs", &format!("{hay}a needle\n{hay}"));
    let (project, terminal) = with_editor(project, 80, 24);
    say(&terminal, "look");
    terminal.wait_text("Found.");
    terminal.wait_text("⏎ send");
    terminal.keys("\x18[");
    terminal.wait_text("i composer");
    terminal.keys("/a needle");
    terminal.wait_text("1 of 1");
    terminal.key(Key::Enter);
    terminal.wait_text("n N matches");
    let (column, row) = terminal.find("a needle").unwrap();
    terminal.click(column, row);
    terminal.keys("v");
    terminal.wait_text("selecting");
    terminal.keys("jj");
    wait_until("the caret in the row", || {
        terminal.cursor().is_some_and(|(_, at)| at == row)
    });
    terminal.keys("\r");
    opened(&project, "+12 ");
}

/// Presses on one cell and lets go on another.
fn drag(terminal: &Terminal, from: (u16, u16), columns: u16) {
    let at = |column: u16| format!("{};{}", column + 1, from.1 + 1);
    let (from, to) = (at(from.0), at(from.0 + columns));
    terminal.send(format!("\x1b[<0;{from}M\x1b[<32;{to}M\x1b[<0;{to}m").as_bytes());
}

#[test]
fn a_click_gives_the_keys_to_what_lies_under_it_and_a_drag_selects() {
    let server = Server::with([
        Turn::tool("todowrite", json!({"todos": [{"content": "find it"}]})),
        Turn::text("Alpha beta gamma."),
    ]);
    let project = project(&server);
    let terminal = Terminal::start(&project, 144, 24, &[]);
    terminal.wait_text("⇥ agent");
    terminal.keys("/mod");
    terminal.wait_text("❯   /model");
    let (column, row) = terminal.find("    /mode ").unwrap();
    terminal.click(column + 5, row);
    terminal.wait_text("accept-edits");
    say(&terminal, "plan");
    terminal.wait_text("Alpha beta gamma.");
    terminal.wait_text("⏎ send");

    let (column, row) = terminal.find("beta").unwrap();
    terminal.click(column, row);
    terminal.wait_text("i composer");
    assert!(terminal.clipboard().is_empty(), "nothing is copied unasked");
    drag(&terminal, (column, row), 3);
    terminal.wait_text("selecting");
    terminal.keys("y");
    wait_copied(&terminal, "beta");

    let (_, row) = terminal.find("Ask for a change").unwrap();
    terminal.click(5, row);
    terminal.wait_text("⏎ send");
    terminal.keys("one two three");
    terminal.wait_text("┃ one two three");
    let (column, row) = terminal.find("two three").unwrap();
    terminal.click(column, row);
    terminal.keys("|");
    terminal.wait_text("┃ one |two three");
    drag(&terminal, (column + 1, row), 4);
    terminal.wait_text("cut");
    terminal.key(Key::Ctrl('w'));
    terminal.wait_text("┃ one |three");

    let (column, row) = terminal.find("○ find it").unwrap();
    terminal.click(column, row);
    terminal.wait_text("│┃○ find it");
}

#[test]
fn what_was_put_off_is_jumped_to_and_a_question_lets_the_transcript_be_read() {
    let lines = crate::screen::numbered(60, |number| format!("line {number}\n\n"));
    let server = Server::with([
        Turn::text(&lines).piece(200),
        Turn::tool("bash", json!({"command": "touch mark"})),
        Turn::text("I see."),
    ]);
    let project = project(&server);
    let terminal = open(&project);
    say(&terminal, "talk");
    terminal.wait_text("line 59");
    terminal.wait_text("⏎ send");
    say(&terminal, "go");
    terminal.wait_text("y once");
    terminal.key(Key::PageUp);
    terminal.key(Key::PageUp);
    terminal.key(Key::PageUp);
    terminal.wait_text("line 38");
    terminal.wait_text("y once");
    // `esc` is dropped as long as the question is deaf.
    wait_until("it to be put off", || {
        terminal.key(Key::Esc);
        std::thread::park_timeout(std::time::Duration::from_millis(400));
        !terminal.screen().contains("y once")
    });
    terminal.keys("\x18[");
    terminal.wait_text("esc composer");
    terminal.keys("g");
    terminal.wait_text("line 0");
    terminal.keys("]");
    terminal.wait_text("┃? Bash touch mark");
    terminal.keys("g");
    terminal.wait_gone("┃? Bash touch mark");
    terminal.keys("G[");
    terminal.wait_text("┃? Bash touch mark");
}
