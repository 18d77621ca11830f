//! Keys in the real program, as a terminal sends them: those that the tests of a part do not press anyway. Permission,
//! pickers, search, selection, `esc` and `ctrl+c` have tests beside what they do.
//!
//! One terminal for many keys: each step waits for something that only its own key shows.

mod composer;
mod escape;
mod lists;
mod pages;
mod panel;
mod presets;
mod reading;
mod vim;

use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;

use crate::screen::{open, project, say, with_script};
use crate::support::{Key, LATHE, Project, Server, Terminal, Turn, wait_until};

/// Keys that are typed after `one two three`, and the row that a `|` typed then makes. Every text begins with its
/// number, so that no case sees the one before.
const EDITS: &[(&str, &str, &str)] = &[
    ("left", "\x1b[D", "NN one two thre|e"),
    ("home", "\x1b[H", "|NN one two three"),
    ("ctrl+a", "\x01", "|NN one two three"),
    ("end", "\x01\x1b[F", "NN one two three|"),
    ("ctrl+e", "\x01\x05", "NN one two three|"),
    ("right", "\x01\x1b[C", "N|N one two three"),
    ("ctrl+f", "\x01\x06", "N|N one two three"),
    ("alt+b", "\x1bb", "NN one two |three"),
    ("ctrl+left", "\x1b[1;5D", "NN one two |three"),
    ("alt+left", "\x1b[1;3D", "NN one two |three"),
    ("alt+f", "\x01\x1bf", "NN| one two three"),
    ("ctrl+right", "\x01\x1b[1;5C", "NN| one two three"),
    ("alt+right", "\x01\x1b[1;3C\x1b[1;3C", "NN one| two three"),
    ("backspace", "\x7f", "NN one two thre|"),
    ("ctrl+h", "\x08", "NN one two thre|"),
    ("delete", "\x01\x06\x1b[3~", "N| one two three"),
    ("ctrl+d", "\x01\x06\x04", "N| one two three"),
    ("ctrl+w", "\x17", "NN one two |"),
    ("alt+backspace", "\x1b\x7f", "NN one two |"),
    ("alt+d", "\x01\x1bf\x1bd", "NN| two three"),
    ("ctrl+delete", "\x01\x1bf\x1b[3;5~", "NN| two three"),
    ("ctrl+k", "\x1bb\x1bb\x0b", "NN one |"),
    ("ctrl+u", "\x1bb\x15NN ", "NN |three"),
    ("ctrl+y", "\x17\x19\x19", "NN one two threethree|"),
    ("ctrl+_", "\x17\x1f", "NN one two three|"),
    ("alt+z", "\x17\x1f\x1bz", "NN one two |"),
    ("ctrl+j", "\nNN", "NN|"),
    ("backslash and enter", "\\\rNN", "NN|"),
    ("shift+enter", "\x1b[13;2uNN", "NN|"),
    ("shift+enter of xterm", "\x1b[27;2;13~NN", "NN|"),
    ("alt+<", "\nx\x1b<", "|NN one two three"),
    ("ctrl+home", "\nx\x1b[1;5H", "|NN one two three"),
    ("alt+>", "\nNN\x1b<\x1b>", "NN|"),
    ("ctrl+end", "\nNN\x1b<\x1b[1;5F", "NN|"),
    ("up", "\nxx\x1b[A", "NN| one two three"),
    ("down", "\nNN\x1b[A\x1b[B", "NN|"),
    ("shift+backspace", "\x1b[127;2u", "NN one two thre|"),
    ("ctrl+backspace", "\x1b[127;5u", "NN one two |"),
    ("alt+delete", "\x01\x1bf\x1b[3;3~", "NN| two three"),
    ("ctrl+alt+_", "\x17\x1f\x1b\x1f", "NN one two |"),
    ("shift+left", "\x1b[1;2D", "NN one two thre|"),
    ("shift+right", "\x01\x06\x06\x1b[1;2C", "NN|one two three"),
    ("shift+up", "\nxx\x1b[1;2A", "NN|"),
    ("shift+down", "\nxx\x1b<\x06\x06\x1b[1;2B", "NN|"),
    ("ctrl+shift+left", "\x1b[1;6D", "NN one two |"),
    ("alt+shift+left", "\x1b[1;4D", "NN one two |"),
    ("ctrl+shift+right", "\x01\x06\x06\x1b[1;6C", "NN| two three"),
    ("alt+shift+right", "\x01\x06\x06\x1b[1;4C", "NN| two three"),
    ("shift+home", "\x1b[1;2HNN", "NN|"),
    ("shift+end", "\x01\x06\x06\x1b[1;2F", "NN|"),
    ("alt+a", "\x1baNN", "NN|"),
    ("alt+w", "\x1b[1;4D\x1bw\x19", "NN one two three|three"),
];

#[test]
fn keys_edit_the_draft() {
    let server = Server::start();
    let project = project(&server);
    let terminal = open(&project);
    for (number, (name, keys, expected)) in EDITS.iter().enumerate() {
        let number = (number + 10).to_string();
        terminal.keys(&format!("{number} one two three"));
        terminal.wait_text(&format!("{number} one two three"));
        terminal.keys(&keys.replace("NN", &number));
        terminal.keys("|");
        // A number may be cut by the caret.
        let expected = match expected.strip_prefix("N|") {
            Some(rest) => format!("{}|{}", &number[..1], rest.replacen('N', &number[1..], 1)),
            None => expected.replace("NN", &number),
        };
        let row = format!("┃ {expected}");
        let is_there = |screen: &str| screen.lines().any(|line| line.trim() == row);
        println!("{name}: {row}");
        terminal.wait_for(is_there);
        terminal.key(Key::Ctrl('c'));
        terminal.wait_for(|screen| !is_there(screen));
    }
}

/// A line about the turn ends it, which is a block without anything to copy. What the keys, pressed after `ctrl+x [`, put on the clipboard.
const COPIES: &[(&str, &str)] = &[
    ("gy", "first"),
    ("gjjy", "One answer."),
    ("g\x1b[B\x1b[By", "One answer."),
    ("Gky", "Two answers."),
    ("G\x1b[Ay", "Two answers."),
    ("\x1b[Hy", "first"),
    ("\x1b[Fky", "Two answers."),
    ("g}y", "second"),
    ("G{{y", "first"),
    ("g]y", "row 15"),
    ("G[y", "row 15"),
    ("Gkc", "let x = 1;"),
    ("Y", "One answer."),
];

#[test]
fn keys_walk_fold_and_copy_in_the_transcript() {
    let server = Server::with([
        Turn::tool("bash", json!({"command": "./many"})),
        Turn::text("One answer."),
        Turn::new()
            .reasoning(&format!(
                "{}Because of this.",
                "I thought long about it. ".repeat(9)
            ))
            .say("Two answers.\n\n```rust\nlet x = 1;\n```"),
    ]);
    let project = with_script(project(&server), "many", "seq -f 'row %g end' 15; exit 3");
    let terminal = open(&project);
    say(&terminal, "first");
    terminal.wait_text("One answer.");
    terminal.wait_text("send");
    say(&terminal, "second");
    terminal.wait_text("let x = 1;");
    terminal.wait_text("send");
    terminal.keys("\x18[");
    terminal.wait_text("blocks");
    for (count, (keys, expected)) in COPIES.iter().enumerate() {
        println!("{keys:?}");
        terminal.keys(keys);
        wait_until("the block on the clipboard", || {
            terminal.clipboard().len() == count + 1
        });
        let copied = STANDARD.decode(terminal.clipboard().pop().unwrap()).unwrap();
        let copied = String::from_utf8(copied).unwrap();
        assert!(copied.contains(expected), "{keys:?}: {copied}");
    }
    terminal.keys("g]");
    for fold in ["o", " ", "O", "\x18o"] {
        // `ctrl+x o` is for the newest card, wherever one is.
        println!("{fold:?}");
        terminal.keys(fold);
        terminal.wait_text("row 7 end");
        terminal.keys(fold);
        terminal.wait_gone("row 7 end");
    }
    for reasoning in ["t", "\x18r"] {
        terminal.keys("G");
        terminal.keys(reasoning);
        terminal.wait_text("Because of this.");
        terminal.keys(reasoning);
        terminal.wait_gone("Because of this.");
    }
    terminal.keys("i");
    terminal.wait_text("send");
    terminal.keys("\x18[");
    terminal.wait_text("blocks");
}

#[test]
fn the_leader_leads_to_everything_that_works_anywhere() {
    let server = Server::with([Turn::text("An answer."), Turn::text("It was queued.")]);
    let script = "if mkdir once; then echo 'from the editor'; else echo 'edited again'; fi >\"$1\"";
    let project = with_script(project(&server), "vim", script);
    let editor = format!("EDITOR={}", project.path("vim").display());
    let terminal = Terminal::program("env", &project, 80, 24, &[&editor, LATHE]);
    terminal.wait_text("send");
    say(&terminal, "talk");
    terminal.wait_text("An answer.");
    terminal.wait_text("send");

    terminal.key(Key::Ctrl('x'));
    terminal.wait_text("answer the next question");
    terminal.key(Key::Esc);
    terminal.wait_gone("answer the next question");

    for (key, shown) in [
        ("p", "Actions"),
        ("m", "Models"),
        ("a", "Agents"),
        ("h", "Hooks"),
        ("P", "Stored permissions"),
        ("?", "Keys"),
    ] {
        println!("ctrl+x {key}");
        terminal.keys(&format!("\x18{key}"));
        terminal.wait_text(shown);
        leave(&terminal, shown);
    }
    terminal.keys("\x18.");
    terminal.wait_text("no question is waiting");
    terminal.keys("\x18c");
    terminal.wait_text("accept-edits");
    terminal.keys("\x18y");
    wait_until("the answer on the clipboard", || {
        terminal.clipboard().last() == Some(&STANDARD.encode("An answer."))
    });
    terminal.keys("\x18e");
    terminal.wait_text("┃ from the editor");
    terminal.keys("\x18q");
    terminal.wait_text("It was queued.");
    terminal.wait_text("send");
    // The same without the leader, and only what only it shows.
    terminal.key(Key::Ctrl('g'));
    terminal.wait_text("┃ edited again");
    terminal.key(Key::Ctrl('c'));
    terminal.wait_text("? keys");
    terminal.keys("?");
    terminal.wait_text("newline; also");
}

/// `esc`, which is deaf for a moment after it closed something.
fn leave(terminal: &Terminal, shown: &str) {
    wait_until("esc to be heard", || {
        terminal.key(Key::Esc);
        let quiet = terminal.wait_quiet(Duration::from_millis(350));
        !quiet.contains(shown)
    });
}

#[test]
fn chosen_keys_work_in_the_program() {
    let server = Server::with([Turn::text("An answer.")]);
    let keys = json!({"keybinds": {
        "preset": "claude", "leader": "f9", "composer-send": "alt+s", "open-themes": ["f2", "leader T"],
    }});
    let project: Project = project(&server).config(keys);
    let terminal = Terminal::start(&project, 80, 24, &[]);
    terminal.wait_text("alt+s send");
    terminal.key(Key::Function(2));
    terminal.wait_text("Themes");
    leave(&terminal, "Themes");
    terminal.key(Key::Function(9));
    terminal.wait_text("answer the next question");
    terminal.keys("T");
    terminal.wait_text("Themes");
    leave(&terminal, "Themes");
    terminal.keys("talk");
    terminal.key(Key::Alt('s'));
    terminal.wait_text("An answer.");
    terminal.wait_text("alt+s send");
    terminal.key(Key::Ctrl('o'));
    terminal.wait_text("blocks");
}

/// The program with an editor that takes down what it is given.
fn with_editor(project: Project, columns: u16, rows: u16) -> (Project, Terminal) {
    let project = with_script(project, "vim", "echo \"$@\" >> opened");
    let editor = format!("EDITOR={}", project.path("vim").display());
    let terminal = Terminal::program("env", &project, columns, rows, &[&editor, LATHE]);
    terminal.wait_text("send");
    (project, terminal)
}

/// Waits until the editor was given this.
fn opened(project: &Project, words: &str) {
    wait_until("the editor", || {
        let opened = std::fs::read_to_string(project.path("opened"));
        opened.is_ok_and(|opened| opened.contains(words))
    });
}
