//! The changes in the work tree of a task on the real screen: ticked, applied by hunk, refused, discarded.

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::screen::{project, say};
use crate::support::{Gate, Key, Lathe, Project, Server, Terminal, Turn, wait_until};

/// A text that stands in the requests of agent `helper` alone.
const HELPER: &str = "You are the helper of these tests.";
/// Lines of a file, so many that changes at both ends are two hunks.
const LINES: usize = 40;

fn text(change: impl Fn(usize) -> Option<&'static str>) -> String {
    let line = |number: usize| match change(number) {
        Some(line) => format!("{line}\n"),
        None => format!("line {number}\n"),
    };
    (1..=LINES).map(line).collect()
}

fn edit(path: &str, old: &str, new: &str) -> Turn {
    Turn::tool(
        "edit",
        json!({"file_path": path, "old_string": old, "new_string": new}),
    )
}

/// A task that changes two files in three hunks, and stands still at the gate before it ends.
fn work(gate: Option<&Gate>) -> Vec<Turn> {
    let end = Turn::text("Three hunks in two files.");
    vec![
        Turn::tool("read", json!({"file_path": "a.txt"})),
        Turn::tool("read", json!({"file_path": "b.txt"})),
        edit("a.txt", "line 3\n", "third\n"),
        edit("a.txt", "line 38\n", "last but two\n"),
        edit("b.txt", "one\n", "1\n"),
        match gate {
            Some(gate) => end.gate(1, gate),
            None => end,
        },
    ]
}

fn with_tree(server: &Server, work: Vec<Turn>) -> Project {
    let isolated = json!({"subagent_type": "helper", "description": "two files", "prompt": "do it",
                          "isolation": "worktree", "run_in_background": true});
    server.script([Turn::tool("task", isolated), Turn::text("I wait for it.")]);
    server.script_for(HELPER, work);
    server.otherwise(Turn::text("All is done."));
    let helper = json!({"description": "Helps", "mode": "subagent", "prompt": HELPER});
    let config = json!({"permission": {"edit": "allow"}, "agents": {"helper": helper}});
    let project = project(server).config(config);
    project
        .file("a.txt", &text(|_| None))
        .file("b.txt", "one\ntwo\n")
        .git()
}

/// Lets the task work, and waits for its end.
fn start(project: &Project) -> Terminal {
    let terminal = Terminal::start(project, 120, 36, &[]);
    terminal.wait_text("send");
    say(&terminal, "change the files");
    terminal.wait_text("All is done.");
    terminal
}

/// Opens the changes of the only task in the grid.
fn open_from_grid(terminal: &Terminal) {
    terminal.key(Key::Ctrl('t'));
    terminal.wait_text("c changes");
    terminal.keys("c");
    terminal.wait_text("Changes of helper");
    terminal.wait_text("2 files +3 −3");
}

fn trees(project: &Project) -> Vec<Value> {
    let listed = Lathe::in_project(project)
        .args(["worktrees", "list", "--json"])
        .run()
        .success();
    listed.json()["worktrees"].as_array().unwrap().clone()
}

fn tree_path(project: &Project) -> PathBuf {
    trees(project)[0]["path"].as_str().unwrap().into()
}

#[test]
fn one_hunk_of_three_is_applied_from_the_grid() {
    let server = Server::start();
    let project = with_tree(&server, work(None));
    let terminal = start(&project);
    open_from_grid(&terminal);
    let screen = terminal.screen();
    assert!(
        screen.contains("nothing ticked") && !screen.contains("[x]"),
        "{screen}"
    );
    terminal.key(Key::Enter);
    terminal.wait_text("nothing is ticked");
    terminal.keys("]] ");
    terminal.wait_text("1 of 3 hunks ticked");
    terminal.key(Key::Enter);
    terminal.wait_text("Apply 1 hunk in 1 file to the project?");
    terminal.keys("n");
    terminal.wait_gone("to the project?");
    assert_eq!(project.read("a.txt"), text(|_| None));
    terminal.key(Key::Enter);
    terminal.wait_text("to the project?");
    terminal.keys("y");
    terminal.wait_text("Applied to the project: `a.txt`.");
    terminal.wait_text("2 files +2 −2");
    assert_eq!(
        project.read("a.txt"),
        text(|number| (number == 38).then_some("last but two"))
    );
    assert_eq!(project.read("b.txt"), "one\ntwo\n");
    // The rest is all that is left.
    terminal.keys("a");
    terminal.wait_text("2 of 2 hunks ticked");
    terminal.key(Key::Enter);
    terminal.wait_text("Apply 2 hunks in 2 files to the project?");
    terminal.keys("y");
    terminal.wait_text("The work tree has no unapplied changes.");
    assert_eq!(project.read("b.txt"), "1\ntwo\n");
    terminal.key(Key::Esc);
    terminal.wait_text(" Watch  ");
}

#[test]
fn a_conflict_writes_nothing_and_names_the_file() {
    let server = Server::start();
    let project = with_tree(&server, work(None));
    let terminal = start(&project);
    let mine = text(|number| (number == 3).then_some("my own third"));
    project.write("a.txt", mine.as_bytes());
    open_from_grid(&terminal);
    terminal.keys("a");
    terminal.wait_text("3 of 3 hunks ticked");
    terminal.key(Key::Enter);
    terminal.wait_text("Apply 3 hunks in 2 files to the project?");
    terminal.keys("y");
    terminal.wait_text("Nothing was written, because of 1 conflict.");
    terminal.wait_text("a.txt · conflict");
    assert_eq!(project.read("a.txt"), mine);
    assert_eq!(project.read("b.txt"), "one\ntwo\n");
    let screen = terminal.wait_text("3 of 3 hunks ticked");
    assert!(screen.contains("`a.txt`: "), "{screen}");
}

#[test]
fn a_file_that_changed_since_it_was_shown_is_shown_again() {
    let server = Server::start();
    let project = with_tree(&server, work(None));
    let terminal = start(&project);
    open_from_grid(&terminal);
    terminal.keys("a");
    terminal.wait_text("3 of 3 hunks ticked");
    std::fs::write(tree_path(&project).join("b.txt"), "eins\ntwo\n").unwrap();
    terminal.key(Key::Enter);
    terminal.wait_text("to the project?");
    terminal.keys("y");
    terminal.wait_text("`b.txt` changed since it was shown");
    terminal.wait_text("2 of 3 hunks ticked");
    assert_eq!(project.read("a.txt"), text(|_| None));
    terminal.keys("nn");
    terminal.wait_text("+ eins");
}

#[test]
fn a_tree_is_discarded_after_a_question_and_seen_while_its_task_works() {
    let gate = Gate::new();
    let server = Server::start();
    let project = with_tree(&server, work(Some(&gate)));
    let terminal = Terminal::start(&project, 120, 36, &[]);
    terminal.wait_text("send");
    say(&terminal, "change the files");
    terminal.wait_text("I wait for it.");
    gate.wait_until_reached();
    open_from_grid(&terminal);
    terminal.keys("a");
    terminal.key(Key::Enter);
    terminal.wait_text("to the project?");
    terminal.keys("y");
    terminal.wait_text("is running in its tree");
    assert_eq!(project.read("b.txt"), "one\ntwo\n");
    gate.open();
    terminal.key(Key::Esc);
    terminal.wait_text("1 done");
    terminal.keys("c");
    terminal.wait_text("2 files +3 −3");
    wait_until("the task has left its tree", || {
        trees(&project)[0]["state"] == "unapplied"
    });
    terminal.keys("x");
    let screen = terminal.wait_text("Unapplied changes are lost:");
    assert!(
        screen.contains("a.txt  +2 −2") && screen.contains("b.txt  +1 −1"),
        "{screen}"
    );
    terminal.keys("n");
    terminal.wait_gone("Unapplied changes are lost:");
    assert_eq!(trees(&project).len(), 1);
    terminal.keys("x");
    terminal.wait_text("Unapplied changes are lost:");
    terminal.keys("y");
    terminal.wait_text("The work tree was removed, with 2 changed files");
    assert!(trees(&project).is_empty());
}

#[test]
fn a_tree_of_an_earlier_run_is_told_at_the_start_and_listed_with_the_tasks() {
    let server = Server::start();
    let project = with_tree(&server, work(None));
    drop(start(&project));
    wait_until("the tree is settled", || {
        trees(&project)[0]["state"] == "unapplied"
    });
    let terminal = Terminal::start(&project, 120, 36, &[]);
    terminal.wait_text("1 work tree");
    say(&terminal, "/tasks");
    terminal.wait_text("Work trees of earlier sessions");
    terminal.wait_text("two files");
    terminal.keys("c");
    terminal.wait_text("2 files +3 −3");
    terminal.keys("a");
    terminal.key(Key::Enter);
    terminal.wait_text("to the project?");
    terminal.keys("y");
    terminal.wait_text("Applied to the project: `a.txt`, `b.txt`.");
    assert_eq!(project.read("b.txt"), "1\ntwo\n");
    terminal.key(Key::Esc);
    terminal.wait_gone("two files");
}
