//! Tasks in `lathe --screen-reader`: listed, entered, spoken to, answered, stopped, and asked about before it is left.

use serde_json::{Value, json};

use crate::screen::numbered;
use crate::screen_reader::{leave, say, wait_count};
use crate::support::{Gate, Project, Server, Terminal, Turn};

/// Texts that stand in the requests of one agent alone.
const FINDER: &str = "You are the finder of these tests.";
const TIDIER: &str = "You are the tidier of these tests.";

fn project(server: &Server) -> Project {
    let agent = |prompt| json!({"description": "Helps", "mode": "subagent", "prompt": prompt});
    crate::screen::project(server)
        .config(json!({"agents": {"finder": agent(FINDER), "tidier": agent(TIDIER)}}))
        .file("a.txt", "one\n")
}

fn background(agent: &str, description: &str) -> Value {
    json!({"subagent_type": agent, "description": description, "prompt": "Do it well.", "run_in_background": true})
}

/// Starts two tasks: one that finds something and is held by the gate, and one that asks.
fn both(gate: &Gate) -> Server {
    let server = Server::with([
        Turn::tool("task", background("finder", "who calls it")),
        Turn::tool("task", background("tidier", "tidy up")),
        Turn::text("I wait for both."),
        Turn::text("Both are done."),
    ]);
    server.script_for(
        FINDER,
        [
            Turn::tool("read", json!({"file_path": "a.txt"})).say("I look first."),
            Turn::text("Secret of the finder. It is in a.txt.")
                .piece(22)
                .gate(1, gate),
        ],
    );
    server.script_for(
        TIDIER,
        [
            Turn::tool("bash", json!({"command": "echo tidy > mark"})),
            Turn::text("Tidied."),
        ],
    );
    server
}

/// Wide enough for every line.
fn open(project: &Project, arguments: &[&str]) -> Terminal {
    let arguments = [&["--screen-reader"], arguments].concat();
    let terminal = Terminal::start(project, 240, 120, &arguments);
    terminal.wait_text("/help lists the commands.");
    terminal
}

/// Waits until the text stands behind another one.
fn wait_behind(terminal: &Terminal, first: &str, text: &str) -> String {
    terminal.wait_for(|screen| {
        let behind = screen.split_once(first).map(|(_, behind)| behind);
        behind.is_some_and(|behind| behind.contains(text))
    })
}

const LEAVES: &str = "/quit again quits; anything else stays.";
const ANSWER: &str = "Answer for \"bash wants to run\" with a number:";

#[test]
fn tasks_are_listed_entered_spoken_to_and_left_again() {
    let gate = Gate::new();
    let server = both(&gate);
    server.script_for(FINDER, [Turn::text("At line 1.")]);
    let project = project(&server);
    let terminal = open(&project, &[]);
    say(&terminal, "look and tidy");
    terminal.wait_text("Task 1 has started: finder, \"who calls it\".");
    terminal.wait_text("Task 2 has started: tidier, \"tidy up\".");
    terminal
        .wait_text("Question from task 2, tidier, \"tidy up\", which works for build: bash wants to run.");
    terminal.wait_text("3 deny, which stops tidier; build goes on");
    terminal.wait_text("Finished.");
    terminal.wait_text(ANSWER);
    gate.wait_until_reached();

    say(&terminal, "/tasks");
    let screen = terminal.wait_text("/tasks with a number opens one");
    let place = |text: &str| screen.find(text).unwrap_or_else(|| panic!("{text}\n{screen}"));
    assert!(
        place("2 tasks: 2 running, 1 question.") < place("2 asks")
            && place("It asks: bash wants to run: echo tidy > mark.")
                < place("1 working: finder, \"who calls it\". Last it did: Read a.txt. 1 call, "),
        "{screen}"
    );
    // Nothing that a task says is told here.
    assert!(
        !screen.contains("Secret of") && !screen.contains("I look first."),
        "{screen}"
    );

    say(&terminal, "/tasks 1");
    terminal.wait_text("What you type goes to it. /back returns.");
    let screen = wait_behind(&terminal, "You are in task 1", "| Secret of the finder.");
    for line in [
        "It was asked:\n| Do it well.",
        "Done Read: a.txt, 1 line",
        "Its last words:\n| I look first.",
    ] {
        assert!(screen.contains(line), "{line}\n{screen}");
    }
    // The question of the other task is answered from here.
    wait_behind(&terminal, "/back returns.", ANSWER);
    say(&terminal, "1");
    terminal.wait_text("Allowed once.");
    terminal.wait_text("Task 2 is done: tidier, \"tidy up\"");
    assert!(project.exists("mark"));
    gate.open();
    terminal.wait_text("| It is in a.txt.");
    terminal.wait_text("All 2 tasks in the background have ended: 2 done.");
    terminal.wait_text("The main conversation has finished; /back returns to it.");
    terminal.wait_text("task 1 >");
    assert!(!terminal.screen().contains("Both are done."));

    say(&terminal, "which line?");
    terminal.wait_text("| At line 1.");
    let asked = server.requests();
    let asked = asked.iter().rfind(|request| request.mentions(FINDER)).unwrap();
    assert!(asked.mentions("which line?") && asked.mentions("It is in a.txt."));

    say(&terminal, "/back");
    let screen = wait_behind(&terminal, "Back in the main conversation", "| Both are done.");
    assert!(screen.contains("Its last words:"), "{screen}");
    leave(&terminal);
}

#[test]
fn a_task_that_ends_is_told_with_the_first_line_of_its_result_and_its_agent_is_not_heard() {
    let gate = Gate::new();
    let server = both(&gate);
    let project = project(&server);
    let terminal = open(&project, &["-p", "look and tidy"]);
    terminal.wait_text(ANSWER);
    gate.open();
    let screen = terminal.wait_text("It says: Secret of the finder. It is in a.txt.");
    assert!(
        screen.contains("Task 1 is done: finder, \"who calls it\", after "),
        "{screen}"
    );
    say(&terminal, "3");
    terminal.wait_text("Task 2 has failed: tidier, \"tidy up\", after ");
    terminal.wait_text("Why: the user refused one of its calls.");
    terminal.wait_text("All 2 tasks in the background have ended: 1 done, 1 failed.");
    let screen = terminal.wait_text("| Both are done.");
    assert!(!screen.contains("| Secret"), "{screen}");
    leave(&terminal);
}

#[test]
fn leaving_asks_while_tasks_are_at_work_and_stops_them() {
    let gate = Gate::new();
    let server = both(&gate);
    let project = project(&server);
    let terminal = open(&project, &["-p", "look and tidy"]);
    terminal.wait_text(ANSWER);
    gate.wait_until_reached();
    terminal.wait_text("Finished.");
    say(&terminal, "/quit");
    terminal.wait_text("2 tasks are running and end when you quit.");
    terminal.wait_text("Task 2: tidier, \"tidy up\".");
    // It is told what leaves once that could be heard.
    wait_count(&terminal, LEAVES, 1);
    say(&terminal, "/stop 2");
    terminal.wait_text("Task 2 is cancelled: tidier, \"tidy up\"");
    terminal.wait_text("The question was withdrawn.");
    say(&terminal, "/quit");
    terminal.wait_text("1 task is running and ends when you quit.");
    wait_count(&terminal, LEAVES, 2);
    say(&terminal, "/quit");
    assert!(terminal.wait_exit().success());
    server.wait_for_abandoned(1);
    assert!(!project.exists("mark"));

    let terminal = open(&project, &["-c"]);
    terminal.wait_text("2 tasks, 0 running; /tasks lists them.");
    say(&terminal, "/tasks");
    terminal.wait_text("1 cancelled: finder, \"who calls it\".");
    leave(&terminal);
}

#[test]
fn what_a_turn_waits_for_goes_on_in_the_background() {
    let gate = Gate::new();
    let mut waited_for = background("finder", "who calls it");
    waited_for["run_in_background"] = json!(false);
    let server = Server::with([
        Turn::tool("task", waited_for),
        Turn::text("I do something else."),
        Turn::text("It is found."),
    ]);
    server.script_for(FINDER, [Turn::text("In a.txt.").gate(0, &gate)]);
    let project = project(&server);
    let terminal = open(&project, &["-p", "look"]);
    gate.wait_until_reached();
    terminal.wait_text("Task 1 has started");
    say(&terminal, "/background");
    terminal.wait_text("Task 1 continues in the background: finder, \"who calls it\".");
    terminal.wait_text("| I do something else.");
    terminal.wait_text("Finished.");
    gate.open();
    terminal.wait_text("Task 1 is done: finder, \"who calls it\"");
    terminal.wait_text("| It is found.");
    wait_count(&terminal, "Finished.", 2);
    leave(&terminal);
}

#[test]
fn hunks_of_a_work_tree_are_told_and_applied_by_number() {
    let isolated = json!({"subagent_type": "finder", "description": "two lines", "prompt": "Do it.",
                          "isolation": "worktree"});
    let server = Server::with([Turn::tool("task", isolated), Turn::text("It is there.")]);
    let edit = |old: &str, new: &str| {
        Turn::tool(
            "edit",
            json!({"file_path": "b.txt", "old_string": old, "new_string": new}),
        )
    };
    server.script_for(
        FINDER,
        [
            Turn::tool("read", json!({"file_path": "b.txt"})),
            edit("line 2\n", "second\n"),
            edit("line 29\n", "last but one\n"),
            Turn::text("Changed."),
        ],
    );
    let text = numbered(30, |place| format!("line {}\n", place + 1));
    let project = project(&server)
        .config(json!({"permission": {"edit": "allow"}}))
        .file("b.txt", &text)
        .git();
    let terminal = open(&project, &[]);
    say(&terminal, "change it");
    terminal.wait_text("It is there.");
    say(&terminal, "/worktree 1 apply 1");
    terminal.wait_text("Its hunks were not listed yet; /worktree 1 lists them.");
    say(&terminal, "/worktree 1");
    terminal.wait_text("Task 1 changed 1 file in its work tree: 2 hunks.");
    terminal.wait_text("| added 29: last but one");
    say(&terminal, "/worktree 1 apply 2");
    terminal.wait_text("Applied to the project: b.txt.");
    assert_eq!(project.read("b.txt"), text.replace("line 29\n", "last but one\n"));
}
