//! Several sessions on one real screen, and several screens on one store.

use std::time::Duration;

use rustix::process::Signal;
use serde_json::json;

use crate::screen::{open, project, say};
use crate::screen_letters::DEAF;
use crate::support::{Fault, Gate, Key, Project, Server, Terminal, Turn, wait_until};

/// The leader and a key.
fn leader(terminal: &Terminal, key: &str) {
    terminal.key(Key::Ctrl('x'));
    terminal.keys(key);
}

fn last_session(terminal: &Terminal) {
    terminal.key(Key::Ctrl('x'));
    terminal.key(Key::Tab);
}

/// A second session, once it is on screen.
fn new_session(terminal: &Terminal, gone: &str) {
    leader(terminal, "n");
    terminal.wait_gone(gone);
}

/// Opens the list and waits for its rows.
fn list(terminal: &Terminal) -> String {
    leader(terminal, "s");
    terminal.wait_text(" msg ")
}

#[test]
fn a_turn_runs_on_while_another_session_is_on_screen() {
    let gate = Gate::new();
    let server = Server::start();
    let first = Turn::text("The first answer is whole.").gate(2, &gate);
    server.script_for("the first job", [first]);
    server.script_for("the second job", [Turn::text("The second answer.")]);
    let project = project(&server);
    let terminal = open(&project);
    say(&terminal, "the first job");
    gate.wait_until_reached();
    terminal.keys("a draft here");
    terminal.wait_text("┃ a draft here");
    new_session(&terminal, "a draft here");
    terminal.wait_text(" 1 other · ");
    say(&terminal, "the second job");
    let screen = terminal.wait_text("The second answer.");
    assert!(!screen.contains("the first job"), "{screen}");
    gate.open();
    last_session(&terminal);
    let screen = terminal.wait_text("The first answer is whole.");
    assert!(
        screen.contains("┃ a draft here") && !screen.contains("second"),
        "{screen}"
    );
    // The turn has ended when `enter` sends again.
    terminal.wait_text("⏎ send");
    terminal.key(Key::Ctrl('c'));
    terminal.wait_gone("a draft here");
    terminal.key(Key::Ctrl('c'));
    terminal.wait_text("again quits");
    terminal.key(Key::Ctrl('c'));
    assert!(terminal.wait_exit().success());
    terminal.assert_restored();
}

#[test]
fn a_question_elsewhere_waits_and_is_answered_from_here() {
    let server = Server::start();
    server.script_for(
        "run it",
        [
            Turn::tool("bash", json!({"command": "echo ran > ran.txt"})),
            Turn::text("It ran."),
        ],
    );
    let project = project(&server);
    let gate = Gate::new();
    server.script_for("wait a moment", [Turn::text("Waited.").gate(1, &gate)]);
    let terminal = open(&project);
    say(&terminal, "run it");
    terminal.wait_text("wants to run");
    // The question is deaf at first; keys that it drops are pressed again.
    wait_until("another session", || {
        leader(&terminal, "n");
        std::thread::park_timeout(Duration::from_millis(400));
        terminal.screen().contains("1 other · 1 question")
    });
    terminal.wait_gone("wants to run");
    say(&terminal, "wait a moment");
    gate.wait_until_reached();
    leader(&terminal, ".");
    terminal.wait_text("wants to run");
    // Here too.
    wait_until("the command to run", || {
        terminal.keys("y");
        std::thread::park_timeout(Duration::from_millis(400));
        project.exists("ran.txt")
    });
    terminal.wait_text("It ran.");
    gate.open();
}

#[test]
fn killed_while_two_sessions_run_both_are_there_again() {
    let server = Server::start();
    for (job, seen) in [
        ("the first job", "First part of"),
        ("the second job", "Second part of"),
    ] {
        let answer = format!("{seen} an answer that stops.");
        server.script_for(job, [Turn::text(&answer).fail(Fault::Stall { after: 4 })]);
    }
    let project = project(&server);
    let terminal = open(&project);
    say(&terminal, "the first job");
    terminal.wait_text("First part of");
    new_session(&terminal, "First part");
    say(&terminal, "the second job");
    terminal.wait_text("Second part of");
    // What streams is written down twice a second.
    std::thread::park_timeout(Duration::from_millis(900));
    terminal.signal(Signal::KILL);
    terminal.wait_exit();

    let terminal = Terminal::start(&project, 80, 24, &["-c"]);
    let screen = terminal.wait_text("Second part of");
    assert!(
        screen.contains("the second job") && screen.contains("interrupted"),
        "{screen}"
    );
    let screen = list(&terminal);
    assert!(screen.contains("the first job"), "{screen}");
    terminal.keys("first");
    terminal.wait_text("1 of 2");
    terminal.key(Key::Enter);
    // The list shows the end of what is selected as well.
    terminal.wait_gone("Sessions of this project");
    terminal.wait_text("First part of");
    terminal.wait_text("interrupted");
}

#[test]
fn a_fork_goes_on_from_an_earlier_place_and_its_source_stays() {
    let server = Server::start();
    for (job, answer) in [
        ("name a tree", "The oak it is."),
        ("name a bird", "The wren it is."),
        ("name a bird of prey", "The kite it is."),
    ] {
        server.script_for(job, [Turn::text(answer)]);
    }
    let project = project(&server);
    let terminal = open(&project);
    for (job, answer) in [
        ("name a tree", "The oak it is."),
        ("name a bird", "The wren it is."),
    ] {
        say(&terminal, job);
        terminal.wait_text(answer);
        terminal.wait_text("⏎ send");
    }
    leader(&terminal, "[");
    terminal.wait_text("i composer");
    terminal.keys("{f");
    terminal.wait_text("Continue from here in a new session?");
    terminal.wait_quiet(DEAF);
    terminal.keys("y");
    let screen = terminal.wait_text("Forked from");
    assert!(
        screen.contains("The oak it is.") && !screen.contains("The wren"),
        "{screen}"
    );
    terminal.wait_text("┃ name a bird");
    terminal.keys(" of prey");
    terminal.wait_text("┃ name a bird of prey");
    terminal.key(Key::Enter);
    let screen = terminal.wait_text("The kite it is.");
    assert!(
        screen.lines().next().unwrap().contains("name a tree (fork)"),
        "{screen}"
    );
    let last = server.requests().pop().unwrap();
    let body = last.body.to_string();
    assert!(
        body.contains("The oak it is.") && !body.contains("wren"),
        "{body}"
    );
    terminal.wait_text("⏎ send");
    last_session(&terminal);
    let screen = terminal.wait_text("The wren it is.");
    assert!(!screen.contains("kite"), "{screen}");
    let rows = list(&terminal);
    assert!(rows.contains("name a tree (fork)"), "{rows}");
    terminal.key(Key::Esc);
    terminal.wait_text("The wren it is.");
    terminal.signal(Signal::KILL);
    terminal.wait_exit();
    // The newest is the fork, and it is whole.
    let terminal = Terminal::start(&project, 80, 24, &["-c"]);
    terminal.wait_text("The kite it is.");
}

fn with_two_sessions(server: &Server) -> Project {
    let project = project(server);
    for (job, answer) in [
        ("plant an oak", "The acorn lies deep."),
        ("paint the fence", "It is green now."),
    ] {
        server.script([Turn::text(answer)]);
        let terminal = open(&project);
        say(&terminal, job);
        terminal.wait_text(answer);
        terminal.wait_text("⏎ send");
        terminal.signal(Signal::TERM);
        terminal.wait_exit();
    }
    project
}

#[test]
fn sessions_are_found_by_what_was_said_renamed_and_deleted() {
    let server = Server::start();
    let project = with_two_sessions(&server);
    let terminal = open(&project);
    let screen = list(&terminal);
    assert!(
        screen.contains("plant an oak") && screen.contains("paint the fence"),
        "{screen}"
    );
    terminal.keys("acorn");
    // Only what was said holds the word, and the row shows where.
    let found = |line: &str| line.contains("plant an oak") && line.contains("The acorn");
    terminal.wait_for(|screen| screen.lines().any(found));
    terminal.key(Key::Ctrl('r'));
    terminal.wait_text("New name");
    terminal.keys(" tree");
    terminal.wait_text("┃ plant an oak tree");
    terminal.key(Key::Enter);
    terminal.wait_text("Sessions of this project");
    let renamed = |line: &str| line.contains("plant an oak tree") && line.contains("The acorn");
    terminal.wait_for(|screen| screen.lines().any(renamed));
    terminal.key(Key::Ctrl('d'));
    terminal.wait_text("again deletes");
    terminal.key(Key::Ctrl('d'));
    terminal.wait_text("deleted, with its stored outputs");
    let screen = terminal.wait_gone("plant an oak");
    assert!(screen.contains("Sessions of this project · 0 of 1"), "{screen}");
}

#[test]
fn a_second_screen_reads_what_the_first_holds_and_leaves_it_alone() {
    let server = Server::with([Turn::text("Said here.")]);
    let project = project(&server);
    let first = open(&project);
    say(&first, "question");
    first.wait_text("Said here.");

    let second = open(&project);
    let screen = list(&second);
    assert!(screen.contains("open elsewhere"), "{screen}");
    second.key(Key::Ctrl('d'));
    second.wait_text("close it there first");
    second.key(Key::Enter);
    let screen = second.wait_text("read only");
    assert!(screen.contains("Said here."), "{screen}");
    first.signal(Signal::TERM);
    first.wait_exit();
}

#[test]
fn quitting_asks_while_a_turn_runs_elsewhere() {
    let gate = Gate::new();
    let server = Server::with([Turn::text("Never whole.").gate(1, &gate)]);
    let project = project(&server);
    let terminal = open(&project);
    say(&terminal, "a long job");
    terminal.wait_text("Never");
    new_session(&terminal, "a long job");
    for _ in 0..2 {
        terminal.key(Key::Ctrl('c'));
    }
    terminal.wait_text("Another session is running.");
    terminal.keys("n");
    terminal.wait_gone("session is running");
    for _ in 0..2 {
        terminal.key(Key::Ctrl('c'));
    }
    terminal.wait_text("Another session is running.");
    // What is bound to something else neither closes the question nor is done.
    terminal.key(Key::Ctrl('p'));
    terminal.keys("y");
    assert!(terminal.wait_exit().success());
    let terminal = Terminal::start(&project, 80, 24, &["-c"]);
    terminal.wait_text("interrupted");
}
