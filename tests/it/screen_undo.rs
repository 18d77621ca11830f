//! Undo and redo on the screen of the real program.

use serde_json::json;

use crate::screen::{open, project, say};
use crate::support::{Gate, Key, Project, Server, Terminal, Turn};

fn write(path: &str, text: &str) -> Turn {
    Turn::tool("write", json!({"file_path": path, "content": text}))
}

fn with_edits(server: &Server) -> Project {
    project(server)
        .file("a.txt", "one\n")
        .config(json!({"permission": {"edit": "allow", "bash": "allow"}, "edit": {"require_read": false}}))
}

/// A conversation of two messages, each of which has changed files.
fn two_turns(server: &Server) -> (Project, Terminal) {
    server.script([write("a.txt", "two\n"), Turn::text("First done.")]);
    server.script([
        write("a.txt", "three\n"),
        write("b.txt", "new\n"),
        Turn::text("Second done."),
    ]);
    let project = with_edits(server);
    let terminal = open(&project);
    say(&terminal, "the first thing");
    terminal.wait_text("First done.");
    say(&terminal, "the second thing");
    terminal.wait_text("Second done.");
    terminal.wait_text("⏎ send");
    (project, terminal)
}

#[test]
fn what_is_chosen_is_undone_and_comes_again() {
    let server = Server::start();
    let (project, terminal) = two_turns(&server);
    terminal.keys("\x18u");
    terminal.wait_text("to before the second thing");
    let page = terminal.wait_text("Choose what to undo.");
    assert!(
        page.contains("b.txt · removed") && page.contains("- three"),
        "{page}"
    );
    terminal.key(Key::Enter);
    terminal.wait_text("First choose what to undo");
    assert_eq!(project.read("a.txt"), "three\n");
    terminal.keys("1");
    terminal.wait_text("restores 1 file, deletes 1 file and removes 4 messages from the");
    terminal.key(Key::Enter);
    terminal.wait_text("undone; /redo restores it");
    assert_eq!(project.read("a.txt"), "two\n");
    assert!(!project.exists("b.txt"));
    let shown = terminal.wait_text("┃ the second thing");
    assert!(
        shown.contains("First done.") && !shown.contains("Second done."),
        "{shown}"
    );
    terminal.keys("\x18U");
    terminal.wait_text("creates 1 file again and brings 4 messages back");
    terminal.key(Key::Enter);
    terminal.wait_text("Second done.");
    assert_eq!(
        (project.read("a.txt"), project.read("b.txt")),
        ("three\n".into(), "new\n".into())
    );
    terminal.wait_text("Ask for a change");
}

#[test]
fn a_message_is_chosen_from_the_list_and_from_the_conversation() {
    let server = Server::start();
    let (project, terminal) = two_turns(&server);
    terminal.send(b"\x1b[27u\x1b[27u");
    terminal.wait_text("Go back to before");
    terminal.key(Key::Down);
    terminal.key(Key::Enter);
    terminal.wait_text("to before the first thing");
    terminal.keys("q");
    terminal.wait_gone("to before the first thing");
    terminal.keys("\x18[{{u");
    terminal.wait_text("to before the first thing");
    terminal.keys("2");
    terminal.wait_text("restores 1 file and deletes 1 file.");
    terminal.key(Key::Enter);
    terminal.wait_text("undone; /redo");
    assert_eq!(project.read("a.txt"), "one\n");
    // The next turn tells the model, and leaves nothing to redo.
    server.script([Turn::text("I see.")]);
    terminal.keys("i");
    say(&terminal, "go on");
    terminal.wait_text("I see.");
    let told = server.requests().pop().unwrap();
    assert!(told.mentions("The user has undone your changes"), "{told:?}");
    say(&terminal, "/redo");
    terminal.wait_text("There is nothing to redo");
}

#[test]
fn nothing_is_undone_while_a_turn_runs_and_a_changed_file_is_named() {
    let gate = Gate::new();
    let server = Server::with([
        write("a.txt", "two\n"),
        write("b.txt", "two\n"),
        Turn::text("Slowly.").gate(0, &gate),
    ]);
    let project = with_edits(&server);
    let terminal = open(&project);
    say(&terminal, "write");
    gate.wait_until_reached();
    terminal.keys("\x18u");
    terminal.wait_text("Choose what to undo.");
    terminal.keys("2");
    terminal.key(Key::Enter);
    terminal.wait_text("A turn is running, so nothing was undone; stop it first.");
    gate.open();
    terminal.key(Key::Esc);
    terminal.wait_text("Slowly.");
    terminal.wait_text("⏎ send");
    project.write("b.txt", b"mine\n");
    terminal.keys("\x18u");
    terminal.wait_text("stays as it is: it has changed since");
    terminal.keys("2");
    terminal.wait_text("restores 1 file; `b.txt` stays as it is.");
    terminal.key(Key::Enter);
    terminal.wait_text("undone; /redo");
    assert_eq!(
        (project.read("a.txt"), project.read("b.txt")),
        ("one\n".into(), "mine\n".into())
    );
}

#[test]
fn a_fork_instead_leaves_the_session_as_it_is() {
    let server = Server::start();
    let (project, terminal) = two_turns(&server);
    terminal.keys("\x18u");
    terminal.wait_text("Choose what to undo.");
    terminal.keys("f");
    terminal.wait_text("Forked from");
    terminal.wait_text("┃ the second thing");
    assert_eq!(project.read("a.txt"), "three\n");
}

#[test]
fn nothing_is_undone_while_a_task_runs_which_is_named() {
    /// A text that stands in the requests of agent `helper` alone.
    const HELPER: &str = "You are the helper of these tests.";
    let gate = Gate::new();
    let task = json!({
        "subagent_type": "helper", "description": "look around", "prompt": "do it", "run_in_background": true,
    });
    let server = Server::with([
        write("a.txt", "two\n"),
        Turn::tool("task", task),
        Turn::text("It works in the background."),
    ]);
    server.script_for(HELPER, [Turn::text("Looked.").gate(0, &gate)]);
    let project = with_edits(&server).config(json!({
        "agents": {"helper": {"description": "Helps", "mode": "subagent", "prompt": HELPER}},
    }));
    let terminal = open(&project);
    say(&terminal, "go");
    terminal.wait_text("It works in the background.");
    gate.wait_until_reached();
    terminal.keys("\x18u");
    terminal.wait_text("Choose what to undo.");
    terminal.keys("2");
    terminal.key(Key::Enter);
    terminal.wait_text("The task `look around` still runs, so nothing was undone");
    assert_eq!(project.read("a.txt"), "two\n");
    gate.open();
}

#[test]
fn an_undo_is_told_first_and_done_by_a_word() {
    use crate::screen_reader::{leave, open, say, wait_count};
    let server = Server::with([
        Turn::tool("write", json!({"file_path": "a.txt", "content": "two\n"})),
        Turn::text("Written."),
    ]);
    let project = project(&server)
        .file("a.txt", "one\n")
        .config(json!({"permission": {"edit": "allow"}, "edit": {"require_read": false}}));
    let terminal = open(&project, &[]);
    say(&terminal, "write it");
    terminal.wait_text("Finished.");
    say(&terminal, "/undo both");
    terminal.wait_text("/undo first shows what would change");
    say(&terminal, "/undo");
    terminal.wait_text("a.txt would be restored, 1 line added and 1 removed.");
    terminal.wait_text("Nothing has changed yet.");
    assert_eq!(project.read("a.txt"), "two\n");
    say(&terminal, "/undo both");
    terminal.wait_text("Done: 1 file changed, 3 messages removed or restored.");
    terminal.wait_text("Left unsent: write it");
    assert_eq!(project.read("a.txt"), "one\n");
    say(&terminal, "/redo");
    terminal.wait_text("/redo yes does it.");
    say(&terminal, "/redo yes");
    wait_count(&terminal, "Done: 1 file changed", 2);
    assert_eq!(project.read("a.txt"), "two\n");
    leave(&terminal);
}
