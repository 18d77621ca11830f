//! Tasks on the real screen: listed, entered, answered, spoken to, and found again after a kill.

use std::time::Duration;

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::screen::{open, project, say};
use crate::support::{Gate, Key, Project, Server, Terminal, Turn};

/// A text that stands in the requests of agent `helper` alone.
const HELPER: &str = "You are the helper of these tests.";

fn with_helper(server: &Server) -> Project {
    let helper = json!({"description": "Helps", "mode": "subagent", "prompt": HELPER});
    project(server).config(json!({"agents": {"helper": helper}}))
}

fn order(description: &str, is_background: bool) -> Value {
    json!({"subagent_type": "helper", "description": description, "prompt": description,
           "run_in_background": is_background})
}

fn leader(terminal: &Terminal, key: &str) {
    terminal.key(Key::Ctrl('x'));
    terminal.keys(key);
}

#[test]
fn a_person_goes_into_a_task_speaks_to_it_and_comes_back() {
    let gate = Gate::new();
    let server = Server::with([
        Turn::tool("task", order("look around", true)),
        Turn::text("I wait for it."),
        Turn::text("All done."),
    ]);
    server.script_for(
        HELPER,
        [
            Turn::tool("read", json!({"file_path": "a.txt"}))
                .say("I look.")
                .gate(1, &gate),
            Turn::text("Found: line 1."),
        ],
    );
    let project = with_helper(&server).file("a.txt", "one\n");
    let terminal = open(&project);
    say(&terminal, "where is it?");
    terminal.wait_text("I wait for it.");
    gate.wait_until_reached();
    terminal.wait_text(" 1 task · ");
    leader(&terminal, "b");
    let screen = terminal.wait_text("⏎ go in");
    assert!(
        screen.contains("helper") && screen.contains("look around"),
        "{screen}"
    );
    terminal.key(Key::Enter);
    terminal.wait_text(" lathe · build › helper · look around");
    terminal.wait_text("┃ look around");
    say(&terminal, "and be quick");
    terminal.wait_text("queued ┃ and be quick");
    gate.open();
    terminal.wait_text("read while the turn ran");
    terminal.wait_text("Found: line 1.");
    assert!(
        server
            .requests()
            .iter()
            .any(|request| request.mentions("and be quick"))
    );
    terminal.key(Key::Esc);
    let screen = terminal.wait_text("All done.");
    assert!(screen.contains("helper \"look around\" is done."), "{screen}");
    assert!(!screen.lines().next().unwrap().contains('›'), "{screen}");
}

#[test]
fn the_question_of_a_task_says_who_asks_and_is_answered_from_its_parent() {
    let server = Server::with([
        Turn::tool("task", order("run it", false)),
        Turn::text("It was run."),
    ]);
    server.script_for(
        HELPER,
        [
            Turn::tool("bash", json!({"command": "echo ran > ran.txt"})),
            Turn::text("It ran."),
        ],
    );
    let project = with_helper(&server);
    let terminal = open(&project);
    say(&terminal, "have it run");
    terminal.wait_text("build › helper \"run it\"");
    // The spinner of the task's card moves on, so the screen is never quiet; a question is deaf for a shorter time.
    std::thread::park_timeout(Duration::from_millis(450));
    terminal.keys("y");
    terminal.wait_text("It was run.");
    // The card of the call leads into its conversation, which has ended.
    leader(&terminal, "[");
    terminal.wait_text("j k blocks");
    terminal.keys("gj");
    terminal.key(Key::Enter);
    terminal.wait_text("build › helper · run it");
    terminal.wait_text("echo ran > ran.txt");
}

#[test]
fn a_task_that_was_cut_off_by_a_kill_is_listed_and_goes_on() {
    let gate = Gate::new();
    let server = Server::with([
        Turn::tool("task", order("look around", true)),
        Turn::text("I wait for it."),
    ]);
    server.script_for(HELPER, [Turn::text("Half of an answer.").gate(1, &gate)]);
    let project = with_helper(&server);
    let terminal = open(&project);
    say(&terminal, "where is it?");
    terminal.wait_text("I wait for it.");
    gate.wait_until_reached();
    terminal.signal(Signal::KILL);
    terminal.wait_exit();

    server.script_for(HELPER, [Turn::text("The other half.")]);
    let terminal = Terminal::start(&project, 80, 24, &["-c"]);
    terminal.wait_text("I wait for it.");
    terminal.keys("/tasks");
    terminal.wait_text("┃ /tasks");
    terminal.key(Key::Enter);
    terminal
        .wait_for(|screen| screen.contains("1 ended") && screen.contains("lathe ended while it was running"));
    terminal.keys("r");
    terminal.wait_text("┃ Go on where you stopped.");
    terminal.wait_text("build › helper");
    terminal.key(Key::Enter);
    terminal.wait_text("The other half.");
}

#[test]
fn quitting_asks_while_a_task_is_at_work() {
    let gate = Gate::new();
    let server = Server::with([
        Turn::tool("task", order("look around", true)),
        Turn::text("I wait for it."),
    ]);
    server.script_for(HELPER, [Turn::text("Never whole.").gate(1, &gate)]);
    let project = with_helper(&server);
    let terminal = open(&project);
    say(&terminal, "where is it?");
    terminal.wait_text("I wait for it.");
    gate.wait_until_reached();
    terminal.wait_text("⏎ send");
    for _ in 0..2 {
        terminal.key(Key::Ctrl('c'));
    }
    terminal.wait_text("1 task is running.");
    terminal.keys("y");
    assert!(terminal.wait_exit().success());
}

#[test]
fn esc_holds_what_a_task_would_set_off_until_the_person_speaks() {
    let gate = Gate::new();
    let server = Server::with([
        Turn::tool("task", order("look around", true)),
        Turn::text("I wait for it."),
        Turn::text("I read both."),
    ]);
    server.script_for(HELPER, [Turn::text("Found: line 1.").gate(0, &gate)]);
    let project = with_helper(&server);
    let terminal = open(&project);
    say(&terminal, "where is it?");
    terminal.wait_text("I wait for it.");
    gate.wait_until_reached();
    terminal.wait_text(" 1 task · ");
    terminal.key(Key::Esc);
    terminal.wait_text("held until you send something");
    gate.open();
    terminal.wait_for(|screen| screen.contains("completed") && screen.contains("Found: line 1."));
    say(&terminal, "and now?");
    terminal.wait_text("I read both.");
    let requests = server.requests();
    let newest = requests.last().unwrap();
    assert!(newest.mentions("and now?") && newest.mentions("is completed after"));
    // Two of the root before it and one of the helper: the end of the task began no turn.
    assert_eq!(requests.len(), 4);
}
