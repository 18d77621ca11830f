//! The program's effect on the terminal: it gives it back whatever happens, and nothing that is shown gets out of its
//! cells.

use std::time::Duration;

use rustix::process::Signal;
use serde_json::json;

use crate::screen::{open, project, say};
use crate::support::{Gate, Key, LATHE, Server, Terminal, Turn};

const REST: Duration = Duration::from_millis(400);

/// Sets the title, the clipboard and modes, clears, and rings.
const HOSTILE: &str = "A\x1b]0;owned\x07B\x1b]52;c;b3duZWQ=\x07C\x1b[2J\x1b[HD\x1b[?1049lE\x1bPx\x1b\\F\u{9b}31mG\x07H\u{202e}I";

#[test]
fn ctrl_c_twice_gives_the_terminal_back() {
    let server = Server::start();
    let project = project(&server);
    let terminal = open(&project);
    terminal.key(Key::Ctrl('c'));
    terminal.wait_text("ctrl+c again quits");
    terminal.key(Key::Ctrl('c'));
    assert_eq!(terminal.wait_exit().exit_code(), 0);
    terminal.assert_restored();
}

#[test]
fn a_panic_gives_the_terminal_back_and_is_told() {
    let server = Server::start();
    let project = project(&server);
    let terminal = Terminal::program("env", &project, 80, 24, &["LATHE_DEBUG_PANIC=1", LATHE]);
    terminal.wait_text("send");
    terminal.keys("x");
    assert_eq!(terminal.wait_exit().exit_code(), 101);
    terminal.assert_restored();
    let screen = terminal.screen();
    assert!(screen.contains("LATHE_DEBUG_PANIC is set"), "{screen}");
}

#[test]
fn signals_give_the_terminal_back() {
    for (signal, status) in [(Signal::INT, 130), (Signal::TERM, 143), (Signal::HUP, 129)] {
        let gate = Gate::new();
        let server = Server::with([Turn::text("one two").piece(3).gate(1, &gate)]);
        let project = project(&server);
        let terminal = open(&project);
        say(&terminal, "talk");
        terminal.wait_text("one");
        terminal.signal(signal);
        assert_eq!(terminal.wait_exit().exit_code(), status, "{signal:?}");
        terminal.assert_restored();
    }
}

#[test]
fn ctrl_z_gives_the_terminal_to_the_shell_and_fg_takes_it_again() {
    let server = Server::with([Turn::text("Back again.")]);
    let project = project(&server);
    let terminal = Terminal::program("bash", &project, 80, 24, &["--norc", "--noprofile", "-i"]);
    terminal.wait_text("bash-");
    terminal.keys(&format!("{LATHE}\r"));
    terminal.wait_text("send");
    terminal.keys("a draft");
    terminal.wait_text("┃ a draft");
    terminal.key(Key::Ctrl('z'));
    terminal.wait_text("Stopped");
    assert!(!terminal.is_on_alternate_screen());
    terminal.keys("echo in$((1+1))shell\r");
    terminal.wait_text("in2shell");
    terminal.keys("fg\r");
    terminal.wait_text("┃ a draft");
    assert!(terminal.is_on_alternate_screen());
    terminal.key(Key::Ctrl('c'));
    terminal.wait_gone("a draft");
    say(&terminal, "hi");
    terminal.wait_text("Back again.");
    terminal.wait_text("send");
    terminal.key(Key::Ctrl('c'));
    terminal.wait_text("again quits");
    terminal.key(Key::Ctrl('c'));
    terminal.wait_for(|screen| !screen.contains("again quits") && screen.contains("in2shell"));
    terminal.keys("exit\r");
    terminal.wait_exit();
    terminal.assert_restored();
}

/// Leaves out whole sequences that name the window and hold nothing but text.
fn without_own_titles(raw: &[u8]) -> Vec<u8> {
    const BEGINS: &[u8] = b"\x1b]2;";
    let mut kept = Vec::with_capacity(raw.len());
    let mut rest = raw;
    while let Some(at) = rest.windows(BEGINS.len()).position(|window| window == BEGINS) {
        let title = &rest[at + BEGINS.len()..];
        let text = title.iter().take_while(|byte| !byte.is_ascii_control()).count();
        let is_whole = title[text..].starts_with(b"\x1b\\");
        let kept_to = if is_whole { at } else { at + BEGINS.len() };
        kept.extend_from_slice(&rest[..kept_to]);
        rest = if is_whole { &title[text + 2..] } else { title };
    }
    kept.extend_from_slice(rest);
    kept
}

/// Asserts that nothing of what was shown did anything.
#[track_caller]
fn assert_harmless(terminal: &Terminal) {
    // What lathe calls its window itself.
    assert!(terminal.title().ends_with("lathe"), "{}", terminal.title());
    assert!(terminal.clipboard().is_empty(), "{:?}", terminal.clipboard());
    assert!(terminal.is_on_alternate_screen());
    let raw = without_own_titles(&terminal.raw());
    for bad in [
        &b"owned"[..],
        b"\x1b]0;",
        b"\x1b]2;",
        b"\x1b]52;",
        b"\x1bP",
        b"\x07",
        b"\xc2\x9b",
        b"\x1b[?1049l",
    ] {
        let found = raw.windows(bad.len()).position(|window| window == bad);
        let told = bad == b"owned";
        // The letters of a sequence may be shown as text; the sequence itself may not be sent.
        assert!(found.is_none() || told, "{} was sent", bad.escape_ascii());
    }
}

#[test]
fn hostile_text_of_the_model_stays_in_its_cells() {
    let server = Server::with([Turn::text(&format!(
        "Start {HOSTILE}\n\n```sh\n{HOSTILE}\n```\n\nthe end"
    ))]);
    let project = project(&server);
    let terminal = open(&project);
    say(&terminal, "talk");
    terminal.wait_text("the end");
    terminal.wait_text("send");
    assert_harmless(&terminal);
}

#[test]
fn hostile_output_and_names_stay_in_their_cells() {
    let name = "x\x1b]0;owned\x07.txt";
    let server = Server::with([
        Turn::tool("bash", json!({"command": "cat hostile"})),
        Turn::tool("read", json!({"file_path": name})),
        Turn::tool("list", json!({"path": "."})),
        Turn::tool(
            "edit",
            json!({"file_path": name, "old_string": "a", "new_string": HOSTILE}),
        ),
        Turn::text("the end"),
    ]);
    let project = project(&server)
        .bytes("hostile", HOSTILE.as_bytes())
        .file(name, "a\n")
        .config(json!({"permission": {"bash": "allow"}}));
    let terminal = open(&project);
    say(&terminal, "go");
    terminal.wait_text("edit wants to change");
    terminal.wait_quiet(REST);
    assert_harmless(&terminal);
    terminal.keys("y");
    terminal.wait_text("the end");
    assert_harmless(&terminal);
}

#[test]
fn hostile_keys_and_pastes_stay_in_their_cells() {
    let server = Server::with([Turn::text("the end")]);
    let project = project(&server);
    let terminal = open(&project);
    terminal.paste("a\x1b]0;owned\x07b\x1b]52;c;b3duZWQ=\x07c");
    terminal.wait_text("┃ a");
    terminal.key(Key::Enter);
    terminal.wait_text("the end");
    assert_harmless(&terminal);
}

#[test]
fn wide_joined_and_rightward_text_breaks_no_border() {
    let text = "漢字かな交じり文 👩‍👩‍👧‍👦 🇩🇪 e\u{301}\u{302}\u{303} שלום עולם ﷽ \u{1F3FD} ｆｕｌｌ ".repeat(6);
    let server = Server::with([Turn::text(&format!("{text}\n\nthe end"))]);
    let project = project(&server);
    let terminal = open(&project);
    terminal.keys("漢字 e\u{301} שלום");
    terminal.wait_text("שלום");
    terminal.key(Key::Enter);
    terminal.wait_text("the end");
    terminal.wait_text("send");
    let settled = terminal.wait_quiet(REST);
    let rule = "─".repeat(80);
    assert_eq!(
        settled.lines().filter(|line| *line == rule).count(),
        1,
        "{settled}"
    );
    terminal.key(Key::Ctrl('l'));
    assert_eq!(terminal.wait_quiet(REST), settled);
}
