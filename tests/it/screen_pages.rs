//! Pages over the screen of the real program: what changed, what fills the context, what it cost, how things stand, and
//! the session in a file.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use crate::screen::{open, project, say};
use crate::support::{Key, Lathe, Project, Server, Terminal, Turn, wait_until};

fn edit(old: &str, new: &str) -> Turn {
    Turn::tool(
        "edit",
        json!({"file_path": "a.txt", "old_string": old, "new_string": new}),
    )
}

/// A repository in which a turn has changed one file, and the screen after it.
fn changed(server: &Server) -> (Project, Terminal) {
    let project = project(server)
        .file("a.txt", "one\ntwo\nthree\n")
        .git()
        .config(json!({"permission": {"edit": "allow"}, "edit": {"require_read": false}}));
    let terminal = open(&project);
    say(&terminal, "change it");
    terminal.wait_text("Changed.");
    terminal.wait_text("send");
    (project, terminal)
}

fn from_palette(terminal: &Terminal, words: &str) {
    terminal.key(Key::Ctrl('p'));
    terminal.wait_text("Actions ·");
    terminal.keys(words);
    terminal.wait_text("Actions · 1 of");
    terminal.key(Key::Enter);
}

#[test]
fn what_changed_is_shown_commented_and_reverted() {
    let server = Server::with([edit("two", "TWO"), Turn::text("Changed.")]);
    let (project, terminal) = changed(&server);
    terminal.key(Key::Ctrl('x'));
    terminal.keys("d");
    // The card of the call and the end of the turn show the same lines and figures.
    terminal.wait_text("Changes ·");
    terminal.wait_text("1 file ");
    terminal.keys("]jj");
    terminal.keys("m");
    terminal.wait_text("saves the comment");
    terminal.keys("why so loud?");
    terminal.wait_text("why so loud?");
    terminal.key(Key::Enter);
    terminal.wait_text("1 comment to the draft");
    terminal.keys("x");
    terminal.wait_text("again reverts");
    terminal.keys("x");
    terminal.wait_text("No tool has changed a file in this session.");
    assert_eq!(project.read("a.txt"), "one\ntwo\nthree\n");
    terminal.keys("q");
    terminal.wait_text("┃ > a.txt:2");
    terminal.wait_text("┃ why so loud?");
    assert_eq!(server.requests().len(), 2, "nothing is sent");
}

#[test]
fn a_file_that_changed_since_is_not_reverted_and_the_work_tree_is_compared() {
    let server = Server::with([edit("two", "TWO"), Turn::text("Changed.")]);
    let (project, terminal) = changed(&server);
    project.write("new.txt", b"new\n");
    terminal.key(Key::Ctrl('x'));
    terminal.keys("d");
    // The card of the call and the end of the turn show the same lines and figures.
    terminal.wait_text("Changes ·");
    terminal.wait_text("1 file ");
    project.write("a.txt", b"one\nthree\n");
    terminal.keys("]xx");
    terminal.wait_text("was changed by something else since");
    assert_eq!(project.read("a.txt"), "one\nthree\n");
    terminal.key(Key::Tab);
    terminal.key(Key::Tab);
    terminal.wait_text("new.txt · new");
    terminal.wait_text("- two");
    let screen = terminal.screen();
    assert!(!screen.contains("TWO"), "{screen}");
}

#[test]
fn without_a_repository_the_diff_says_what_there_is() {
    let server = Server::with([Turn::text("Changed.")]);
    let project = project(&server);
    let terminal = open(&project);
    terminal.key(Key::Ctrl('x'));
    terminal.keys("d");
    terminal.wait_text("No tool has changed a file in this session.");
    terminal.key(Key::Tab);
    terminal.wait_text("in the last turn.");
    terminal.key(Key::Tab);
    terminal.wait_text("not a git repository");
    terminal.key(Key::Esc);
    terminal.wait_text("send");
}

#[test]
fn context_cost_and_status_tell_of_the_session() {
    let server = Server::with([edit("two", "TWO"), Turn::text("Changed.")]);
    let (project, terminal) = changed(&server);
    from_palette(&terminal, "fills the context");
    terminal.wait_text("system prompt");
    terminal.wait_text("The provider reported");
    terminal.keys("o");
    terminal.wait_text("instructions to every agent");
    terminal.keys("q");
    terminal.wait_gone("system prompt");
    from_palette(&terminal, "cost tokens dollars");
    terminal.wait_text("this session");
    terminal.wait_text("local/test-model · build · 2 requests");
    terminal.keys("q");
    terminal.wait_gone("this session");
    from_palette(&terminal, "status session model");
    terminal.wait_text("127.0.0.1");
    terminal.keys("G");
    let screen = terminal.wait_text("the terminal does not say that it draws them");
    assert!(screen.contains(" MB (at most "), "{screen}");
    assert!(!screen.contains("test-key"), "{screen}");
    terminal.keys("q");
    terminal.wait_text("send");
    let listed = Lathe::in_project(&project)
        .args(["sessions", "list", "--json"])
        .run();
    let listed: Value = serde_json::from_str(&listed.stdout).unwrap();
    assert!(listed["sessions"][0]["usage"]["output"].as_u64().unwrap() > 0);
}

#[test]
fn the_session_is_exported_and_nothing_is_overwritten_unasked() {
    let server = Server::with([edit("two", "TWO"), Turn::text("Changed.")]);
    let (project, terminal) = changed(&server);
    from_palette(&terminal, "export session");
    terminal.wait_text("lathe-change-it.md");
    terminal.key(Key::Enter);
    terminal.wait_text("The session was exported to");
    let text = project.read("lathe-change-it.md");
    for part in ["# change it", "## You", "+TWO", "Changed."] {
        assert!(text.contains(part), "{part} is missing in {text}");
    }
    project.write("lathe-change-it.json", b"mine");
    from_palette(&terminal, "export session");
    terminal.wait_text("Export to");
    terminal.key(Key::Tab);
    terminal.wait_text("lathe-change-it.json");
    terminal.key(Key::Enter);
    terminal.wait_text("already exists");
    assert_eq!(project.read("lathe-change-it.json"), "mine");
    terminal.key(Key::Enter);
    wait_until("the file to be replaced", || {
        project.read("lathe-change-it.json").contains("lathe-session-1")
    });
    let value: Value = serde_json::from_str(&project.read("lathe-change-it.json")).unwrap();
    let shown = Lathe::in_project(&project)
        .args([
            "sessions",
            "show",
            value["session"]["id"].as_str().unwrap(),
            "--json",
        ])
        .run();
    let shown: Value = serde_json::from_str(&shown.stdout).unwrap();
    assert_eq!(value["messages"], shown["messages"]);

    let chosen = |place: &str| {
        terminal.wait_for(|screen| {
            let mut rows = screen.lines();
            rows.any(|row| row.starts_with(" ❯") && row.contains(place))
        });
    };
    from_palette(&terminal, "export session");
    chosen("a file");
    for (key, place) in [
        (Key::Down, "clipboard"),
        (Key::Down, "$EDITOR"),
        (Key::Down, "a file"),
        (Key::Up, "$EDITOR"),
        (Key::Up, "clipboard"),
    ] {
        terminal.key(key);
        chosen(place);
    }
    terminal.key(Key::Enter);
    terminal.wait_text("the session: sent");
    let copied = STANDARD.decode(terminal.clipboard().pop().unwrap()).unwrap();
    assert_eq!(String::from_utf8(copied).unwrap(), text);
}
