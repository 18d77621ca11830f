//! Scopes of an "always": this session until it is closed, this project, everywhere.

use std::path::Path;

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::screen::{open, project, say};
use crate::support::{Key, Lathe, Project, Server, Terminal, Turn};

/// A question is deaf for a shorter time.
const DEAF: std::time::Duration = std::time::Duration::from_millis(450);

fn bash(command: &str) -> Turn {
    Turn::tool("bash", json!({ "command": command }))
}

/// Answers the question about a command with an "always" whose scope is reached by pressing `s` so often.
fn always(terminal: &Terminal, command: &str, presses: &str, scope: &str) {
    terminal.wait_for(|screen| screen.contains(&format!("$ {command}")) && screen.contains("y once"));
    terminal.wait_quiet(DEAF);
    terminal.keys("a");
    terminal.wait_text("stores ticked rows");
    terminal.keys(presses);
    terminal.wait_text(&format!("scope: {scope}"));
    terminal.key(Key::Enter);
}

fn runs_unasked(project: &Project, directory: &Path, command: &str) -> bool {
    let finished = Lathe::in_project(project)
        .cwd(directory)
        .args(["tool", "--format", "json", "bash"])
        .arg(json!({ "command": command }).to_string())
        .run();
    let event: Value = serde_json::from_str(&finished.stdout).unwrap_or_else(|_| panic!("{finished}"));
    event["ok"] == true
}

fn listed(project: &Project) -> String {
    let listed = Lathe::in_project(project).args(["permissions", "list"]).run();
    listed.success().stdout
}

fn leave(terminal: &Terminal) {
    terminal.wait_text("⏎ send");
    terminal.key(Key::Ctrl('c'));
    terminal.wait_text("again quits");
    terminal.key(Key::Ctrl('c'));
    assert!(terminal.wait_exit().success());
}

#[test]
fn an_always_counts_in_its_session_its_project_or_everywhere() {
    let server = Server::with([
        bash("touch one"),
        bash("mkdir two"),
        bash("ln one three"),
        Turn::text("All ran."),
        bash("touch four"),
        Turn::text("Ran unasked."),
    ]);
    let project = project(&server);
    let terminal = open(&project);
    say(&terminal, "go");
    always(&terminal, "touch one", "ss", "this session");
    always(&terminal, "mkdir two", "s", "this project");
    always(&terminal, "ln one three", "s", "everywhere");
    terminal.wait_text("All ran.");
    terminal.wait_text("⏎ send");
    say(&terminal, "again");
    terminal.wait_text("Ran unasked.");
    assert!(project.exists("four"));

    let (here, elsewhere) = (project.root(), project.outside().join("elsewhere"));
    std::fs::create_dir_all(&elsewhere).unwrap();
    std::fs::write(elsewhere.join("one"), "").unwrap();
    assert!(!runs_unasked(&project, &here, "touch other"), "another session");
    assert!(runs_unasked(&project, &here, "mkdir other"));
    assert!(runs_unasked(&project, &here, "ln one other-name"));
    assert!(!runs_unasked(&project, &elsewhere, "touch other"));
    assert!(
        !runs_unasked(&project, &elsewhere, "mkdir other"),
        "another project"
    );
    assert!(runs_unasked(&project, &elsewhere, "ln one other-name"));
}

#[test]
fn what_is_allowed_in_a_session_ends_when_it_is_closed_or_killed() {
    let server = Server::with([
        bash("touch one"),
        Turn::text("First."),
        bash("touch two"),
        Turn::text("Second."),
        bash("touch three"),
    ]);
    let project = project(&server);
    let terminal = open(&project);
    say(&terminal, "go");
    always(&terminal, "touch one", "ss", "this session");
    terminal.wait_text("First.");
    assert!(listed(&project).contains("touch *"));
    leave(&terminal);
    assert!(
        listed(&project).contains("no stored rules"),
        "{}",
        listed(&project)
    );

    let reopened = |said: &str| {
        let terminal = Terminal::start(&project, 80, 24, &["-c"]);
        terminal.wait_text(said);
        terminal.wait_text("⏎ send");
        say(&terminal, "go on");
        terminal
    };
    let terminal = reopened("First.");
    // What was chosen last is remembered all the same.
    always(&terminal, "touch two", "", "this session");
    terminal.wait_text("Second.");
    assert!(project.exists("two"));
    terminal.signal(Signal::KILL);
    terminal.wait_exit();

    let terminal = reopened("Second.");
    terminal.wait_for(|screen| screen.contains("$ touch three") && screen.contains("y once"));
    assert!(!project.exists("three"));
    assert!(
        listed(&project).contains("no stored rules"),
        "{}",
        listed(&project)
    );
}

#[test]
fn a_no_refuses_what_else_waits_and_ends_the_turn() {
    let turn = Turn::new()
        .call("read", json!({"file_path": "one.txt"}))
        .call("read", json!({"file_path": "two.txt"}));
    let server = Server::with([turn, Turn::text("Never said.")]);
    let project = project(&server)
        .file("one.txt", "first words")
        .file("two.txt", "second words")
        .config(json!({"permission": {"read": "ask"}}));
    let terminal = open(&project);
    say(&terminal, "go");
    terminal.wait_text("1 of 2");
    terminal.wait_quiet(DEAF);
    terminal.keys("n");
    terminal.wait_text("⊘ Read one.txt");
    terminal.wait_text("⊘ Read two.txt");
    terminal.wait_text("⏎ send");
    terminal.keys("the keys go to the draft");
    terminal.wait_text("┃ the keys go to the draft");
    assert_eq!(server.requests().len(), 1);
}
