//! The watch grid in the real program: agents at work side by side, answered, told something, stopped and resumed.

use std::time::Duration;

use serde_json::{Value, json};

use crate::screen::{project, say};
use crate::support::{Gate, Key, Project, Recorded, Server, Terminal, Turn};

/// Texts that stand in the requests of one agent alone.
const SEEKER: &str = "You seek, in these tests.";
const KEEPER: &str = "You keep, in these tests.";

/// A project with two agents to give work to.
fn with_agents(server: &Server) -> Project {
    let agent = |prompt| json!({"description": "Helps", "mode": "subagent", "prompt": prompt});
    project(server).config(json!({"agents": {"seeker": agent(SEEKER), "keeper": agent(KEEPER)}}))
}

fn background(agent: &str, description: &str) -> Value {
    json!({"subagent_type": agent, "description": description, "prompt": "do it", "run_in_background": true})
}

/// A server whose main agent starts both at once.
fn both(seeker: impl IntoIterator<Item = Turn>, keeper: impl IntoIterator<Item = Turn>) -> Server {
    let start = Turn::new()
        .call("task", background("seeker", "who calls backoff()"))
        .call("task", background("keeper", "undo the fixtures"));
    let server = Server::with([start, Turn::text("I wait for them.")]);
    server.script_for(SEEKER, seeker);
    server.script_for(KEEPER, keeper);
    server.otherwise(Turn::text("All is done."));
    server
}

/// Opens the grid over both.
fn watch(project: &Project, columns: u16, rows: u16) -> Terminal {
    let terminal = Terminal::start(project, columns, rows, &[]);
    terminal.wait_text("send");
    say(&terminal, "look around");
    terminal.wait_text("I wait for them.");
    terminal.key(Key::Ctrl('t'));
    terminal.wait_for(|screen| screen.contains(" Watch  ") && screen.contains(" 2 "));
    terminal
}

fn ask(command: &str) -> Turn {
    Turn::tool("bash", json!({ "command": command }))
}

#[test]
fn agents_are_watched_live_and_one_is_answered_from_its_tile() {
    let gate = Gate::new();
    let seeker = Turn::text("Called from two places. The second one is new.").gate(2, &gate);
    let server = both([seeker], [ask("echo kept > kept.txt"), Turn::text("It is kept.")]);
    let project = with_agents(&server);
    let terminal = watch(&project, 120, 36);
    gate.wait_until_reached();
    let screen = terminal.wait_for(|screen| screen.contains("Called") && screen.contains("y once"));
    assert!(screen.contains("1 question · 1 running"), "{screen}");
    assert!(screen.contains(" 1 ") && screen.contains("seeker"), "{screen}");
    assert!(screen.contains("$ echo kept > kept.txt"), "{screen}");
    assert!(!screen.contains("The second one"), "{screen}");
    gate.open();
    terminal.wait_text("The second one is new.");
    // The question is in sight for a while now; whoever chooses its tile means it.
    terminal.key(Key::Tab);
    terminal.wait_quiet(Duration::from_millis(400));
    terminal.keys("y");
    terminal.wait_text("It is kept.");
    assert_eq!(project.read("kept.txt"), "kept\n");
    let screen = terminal.wait_text("2 done");
    assert!(!screen.contains("asks"), "{screen}");
    terminal.key(Key::Esc);
    terminal.wait_text("All is done.");
}

#[test]
fn an_agent_is_refused_with_a_reason_that_it_reads() {
    let server = both(
        [Turn::text("Nothing to do.")],
        [ask("rm -rf fixtures"), Turn::text("I leave them.")],
    );
    let project = with_agents(&server);
    let terminal = watch(&project, 120, 36);
    terminal.wait_text("$ rm -rf fixtures");
    terminal.key(Key::Tab);
    terminal.wait_quiet(Duration::from_millis(400));
    terminal.keys("N");
    terminal.wait_text("the reason, in one line");
    terminal.keys("use git restore");
    terminal.wait_text("┃ use git restore");
    terminal.key(Key::Enter);
    terminal.wait_text("I leave them.");
    let told = |request: &Recorded| request.mentions(KEEPER) && request.mentions("use git restore");
    assert!(server.requests().iter().any(told));
}

#[test]
fn an_agent_is_told_something_entered_stopped_and_resumed() {
    let gate = Gate::new();
    let server = both(
        [ask("true"), Turn::text("The tests as well.")],
        [
            Turn::text("This never ends.").gate(1, &gate),
            Turn::text("I go on from there."),
        ],
    );
    let project = with_agents(&server).config(json!({"permission": {"bash": "allow"}}));
    let terminal = watch(&project, 120, 36);
    gate.wait_until_reached();
    terminal.wait_text("The tests as well.");
    let chosen = terminal.screen();
    let number = if chosen.contains(" 2 ▸ keeper") || chosen.contains(" 2 ◌ keeper") {
        "2"
    } else {
        "1"
    };
    terminal.keys(number);
    terminal.keys("x");
    terminal.wait_text("Stop keeper");
    terminal.keys("n");
    terminal.wait_gone("Stop keeper");
    terminal.keys("xy");
    terminal.wait_text("1 cancelled");
    terminal.keys("r");
    terminal.wait_text(" resumes it");
    terminal.wait_text("┃ Go on where you stopped.");
    terminal.keys(" Where were you?");
    terminal.key(Key::Enter);
    terminal.wait_text("I go on from there.");
    let told = |request: &Recorded| request.mentions(KEEPER) && request.mentions("Where were you?");
    assert!(server.requests().iter().any(told));
    terminal.key(Key::Enter);
    let screen = terminal.wait_for(|screen| !screen.contains(" Watch  "));
    assert!(screen.contains("Where were you?"), "{screen}");
}

#[test]
fn agents_that_wait_silently_cost_a_frame_a_second() {
    let (one, other) = (Gate::new(), Gate::new());
    let server = both(
        [Turn::text("The first.").gate(1, &one)],
        [Turn::text("The other.").gate(1, &other)],
    );
    let project = with_agents(&server);
    let terminal = watch(&project, 120, 36);
    one.wait_until_reached();
    other.wait_until_reached();
    terminal.wait_for(|screen| screen.contains("▸") && screen.contains("2 running"));
    terminal.wait_text("0:03");
    let mark = terminal.mark();
    terminal.wait_text("0:08");
    let frames = terminal.frames_since(mark);
    assert!(frames <= 6, "{frames} frames in 5 s");
    one.open();
    other.open();
}
