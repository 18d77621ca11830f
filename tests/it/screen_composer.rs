//! The composer on the real screen: what waits, what was written before, what is folded.

use rustix::process::Signal;
use serde_json::json;

use crate::screen::{interrupt, open, project, say, with_script};
use crate::support::{Gate, Key, Server, Terminal, Turn, wait_until};

fn queue(terminal: &Terminal, text: &str) {
    terminal.keys(text);
    terminal.wait_text(&format!("┃ {text}"));
    terminal.key(Key::AltEnter);
    terminal.wait_text(&format!("queue ┃ {text}"));
}

#[test]
fn what_waits_is_listed_moved_redirected_edited_and_removed() {
    let server = Server::with([
        Turn::tool("bash", json!({"command": "./waits"})),
        Turn::text("Steered."),
        Turn::text("Queued."),
    ]);
    let waits = "echo up; while [ ! -e go ]; do sleep 0.02; done";
    let project = with_script(project(&server), "waits", waits);
    let terminal = open(&project);
    say(&terminal, "run it");
    terminal.wait_text("steer");
    terminal.wait_text("up");
    for text in ["alpha", "bravo", "charlie", "delta"] {
        queue(&terminal, text);
    }
    terminal.key(Key::Up);
    terminal.wait_text("❯ queue ┃ delta");
    terminal.keys("x");
    terminal.wait_gone("┃ delta");
    terminal.wait_text("❯ queue ┃ charlie");
    terminal.keys("KK");
    terminal.wait_for(|screen| {
        let place = |text: &str| screen.find(&format!("queue ┃ {text}"));
        place("charlie").is_some() && place("charlie") < place("alpha")
    });
    terminal.key(Key::Tab);
    terminal.wait_text("❯ steer ┃ charlie");
    terminal.key(Key::Down);
    terminal.wait_text("❯ queue ┃ alpha");
    terminal.key(Key::Enter);
    terminal.wait_gone("queue ┃ alpha");
    terminal.keys(" and more");
    terminal.wait_text("┃ alpha and more");
    project.write("go", b"");
    terminal.wait_text("Queued.");
    let requests = server.requests();
    let said = |text: &str| requests.iter().position(|request| request.mentions(text));
    assert_eq!((said("charlie"), said("bravo")), (Some(1), Some(2)));
    assert_eq!((said("alpha"), said("delta")), (None, None));
    terminal.wait_text("┃ alpha and more");
}

#[test]
fn waiting_messages_are_in_the_draft_after_a_kill() {
    let server = Server::with([
        Turn::text("Never whole.").gate(1, &Gate::new()),
        Turn::text("Both were read."),
    ]);
    let project = project(&server);
    let terminal = open(&project);
    say(&terminal, "talk");
    terminal.wait_text("Never");
    queue(&terminal, "for later");
    say(&terminal, "now this");
    terminal.wait_text("steer ┃ now this");
    terminal.signal(Signal::KILL);
    terminal.wait_exit();
    let terminal = Terminal::start(&project, 80, 24, &["-c"]);
    terminal.wait_for(|screen| {
        let place = |text: &str| screen.find(text);
        place("now this").is_some() && place("now this") < place("for later")
    });
    terminal.key(Key::Enter);
    terminal.wait_text("Both were read.");
    let request = server.requests().pop().unwrap();
    assert!(request.mentions("now this\n\nfor later"), "{request:?}");
}

#[test]
fn an_interrupt_sends_the_steer_holds_the_rest_and_enter_sends_that() {
    let server = Server::with([
        Turn::text("Never whole.").gate(1, &Gate::new()),
        Turn::text("Steered."),
        Turn::text("Released."),
    ]);
    let project = project(&server);
    let terminal = open(&project);
    say(&terminal, "talk");
    terminal.wait_text("Never");
    queue(&terminal, "for later");
    say(&terminal, "now this");
    terminal.wait_text("steer ┃ now this");
    interrupt(&terminal);
    terminal.wait_text("Steered.");
    terminal.wait_text("held  ┃ for later");
    assert!(server.requests()[1].mentions("now this"));
    assert!(!server.requests()[1].mentions("for later"));
    terminal.wait_text("send 1 held");
    terminal.key(Key::Enter);
    terminal.wait_text("Released.");
    assert!(server.requests()[2].mentions("for later"));
}

#[test]
fn what_was_written_is_found_again_after_a_restart_and_in_another_terminal() {
    let server = Server::with([Turn::text("Hello."), Turn::text("Again.")]);
    let project = project(&server);
    let first = open(&project);
    let second = open(&project);
    say(&first, "the needle prompt");
    first.wait_text("Hello.");
    second.keys("a cleared thought");
    second.wait_text("┃ a cleared thought");
    second.key(Key::Ctrl('c'));
    second.wait_gone("a cleared thought");
    second.key(Key::Ctrl('r'));
    second.wait_text("the needle prompt");
    second.wait_text("not sent");
    second.keys("needle");
    second.wait_text("1 of 2");
    second.key(Key::Enter);
    second.wait_text("┃ the needle prompt");
    first.signal(Signal::KILL);
    first.wait_exit();
    second.signal(Signal::TERM);
    second.wait_exit();
    let file = project.state_dir().join("prompts.jsonl");
    let lines = std::fs::read_to_string(file).unwrap();
    assert_eq!(lines.lines().count(), 2, "{lines}");

    let third = Terminal::start(&project, 80, 24, &[]);
    third.wait_text("send");
    // The draft of the one that was left is there, so history begins above it.
    third.key(Key::Ctrl('r'));
    third.wait_text("History");
    third.wait_text("a cleared thought");
    third.key(Key::Esc);
    third.wait_gone("History");
}

#[test]
fn a_folded_paste_is_whole_after_a_kill() {
    let server = Server::with([Turn::text("Read it.")]);
    let project = project(&server);
    let terminal = open(&project);
    let text = (0..212)
        .map(|number| format!("row {number}"))
        .collect::<Vec<_>>()
        .join("\n")
        + "\n";
    terminal.keys("see ");
    terminal.wait_text("┃ see");
    terminal.paste(&text);
    terminal.wait_text("see [pasted 212 lines]");
    // The draft is stored when no key has come for a quarter of a second; a trace of it is in the database's log.
    let stored = |dir: std::path::PathBuf| {
        let files = std::fs::read_dir(dir).unwrap().flatten();
        let mut contents = files.filter_map(|file| std::fs::read(file.path()).ok());
        contents.any(|bytes| bytes.windows(7).any(|window| window == b"row 211"))
    };
    wait_until("the draft to be stored", || stored(project.data_dir()));
    terminal.signal(Signal::KILL);
    terminal.wait_exit();
    let terminal = Terminal::start(&project, 80, 24, &[]);
    terminal.wait_text("see [pasted 212 lines]");
    terminal.key(Key::Enter);
    terminal.wait_text("Read it.");
    assert!(server.requests()[0].mentions(text.trim_end()));
}

#[test]
fn a_failing_editor_leaves_the_text_and_a_working_one_changes_it() {
    let server = Server::with([]);
    let project = project(&server);
    let editors = project.path("editor");
    let with_editor = |script: &str| {
        project.write("editor", format!("#!/bin/sh\n{script}\n").as_bytes());
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(&editors, mode).unwrap();
    };
    with_editor("exit 1");
    let editor = format!("EDITOR={}", editors.display());
    let terminal = Terminal::program("env", &project, 80, 24, &[&editor, crate::support::LATHE]);
    terminal.wait_text("send");
    terminal.keys("a draft");
    terminal.wait_text("┃ a draft");
    terminal.key(Key::Ctrl('g'));
    terminal.wait_text("your text is unchanged");
    terminal.wait_text("┃ a draft");
    with_editor("echo and more >> \"$1\"");
    terminal.key(Key::Ctrl('x'));
    terminal.keys("e");
    terminal.wait_text("and more");
}

#[test]
fn a_folded_paste_is_opened_and_a_selection_is_cut_by_keys() {
    let server = Server::with([]);
    let project = project(&server);
    let terminal = open(&project);
    terminal.keys("one two");
    terminal.wait_text("┃ one two");
    terminal.paste(&"row\n".repeat(12));
    terminal.wait_text("two[pasted 12 lines]");
    terminal.key(Key::Left);
    terminal.wait_text("open the paste");
    terminal.key(Key::Enter);
    terminal.wait_text("tworow");
    terminal.key(Key::Ctrl('_'));
    terminal.key(Key::Ctrl('_'));
    terminal.wait_text("two[pasted 12 lines]");
    // As terminals report shift and an arrow.
    terminal.key(Key::Home);
    terminal.send(b"\x1b[1;2C\x1b[1;2C\x1b[1;2C");
    terminal.wait_text("cut");
    terminal.key(Key::Ctrl('w'));
    terminal.wait_text("┃  two[pasted");
    terminal.key(Key::Ctrl('y'));
    terminal.wait_text("┃ one two[pasted");
}

#[test]
fn vim_modes_show_in_the_hints_and_in_the_cursor() {
    let server = Server::with([Turn::text("Read.")]);
    let project = project(&server).config(json!({"tui": {"vim": true}}));
    let terminal = open(&project);
    terminal.wait_text("insert");
    terminal.keys("one two");
    terminal.wait_text("┃ one two");
    terminal.key(Key::Esc);
    terminal.wait_text("normal");
    wait_until("a block", || {
        String::from_utf8_lossy(&terminal.raw()).contains("\x1b[2 q")
    });
    terminal.keys("dbix");
    terminal.wait_text("insert");
    terminal.wait_text("┃ one xo");
    terminal.key(Key::Enter);
    terminal.wait_text("Read.");
    assert!(server.requests()[0].mentions("one xo"));
    terminal.signal(Signal::TERM);
    terminal.wait_exit();
    let raw = String::from_utf8_lossy(&terminal.raw()).into_owned();
    assert!(
        raw.rfind("\x1b[0 q") > raw.rfind("\x1b[6 q"),
        "the cursor is as it was"
    );
}
