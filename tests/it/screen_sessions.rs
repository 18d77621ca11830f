//! Sessions on the real screen: after a crash, elsewhere, and what was not sent.

use std::time::Duration;

use lathe::conversation::{Message, MessageId, MessageState, Part, PartBody, Role, SessionId, TextPart};
use lathe::store::{MessageChange, NewSession, Store};
use rustix::process::Signal;
use serde_json::json;

use crate::screen::{open, project, say};
use crate::support::{Fault, Key, Server, Terminal, Turn, wait_until};

#[test]
fn what_a_killed_program_showed_is_there_again() {
    let server = Server::with([
        Turn::tool("bash", json!({"command": "echo tool output"})),
        Turn::text("The whole answer."),
        // Said again when it is asked for again.
        Turn::text("A part of the next one").fail(Fault::Stall { after: 3 }),
    ]);
    let project = project(&server).config(json!({"permission": {"bash": "allow"}}));
    let terminal = open(&project);
    say(&terminal, "first question");
    terminal.wait_text("The whole answer.");
    terminal.wait_text("send");
    say(&terminal, "second question");
    terminal.wait_text("A part of the n");
    terminal.keys("an unsent draft");
    terminal.wait_text("┃ an unsent draft");
    // The draft is stored when no key has come for a quarter of a second.
    terminal.wait_quiet(Duration::from_millis(20));
    std::thread::park_timeout(Duration::from_millis(700));
    terminal.signal(Signal::KILL);
    terminal.wait_exit();

    let terminal = Terminal::start(&project, 80, 24, &["-c"]);
    let screen = terminal.wait_text("second question");
    for part in [
        "first question",
        "Bash echo tool output",
        "The whole answer.",
        "┃ an unsent draft",
        "interrupted",
    ] {
        assert!(screen.contains(part), "{part:?} is missing in\n{screen}");
    }
    terminal.key(Key::Ctrl('c'));
    terminal.wait_gone("unsent draft");
    say(&terminal, "go on");
    terminal.wait_text("A part of the next one");
}

#[test]
fn a_command_that_ran_when_the_screen_was_killed_is_known_to_have_begun() {
    let command = "echo half > half.txt; while [ -e half.txt ]; do sleep 0.1; done";
    let server = Server::with([Turn::tool("bash", json!({"command": command}))]);
    let project = project(&server).config(json!({"permission": {"bash": "allow", "edit": "allow"}}));
    let terminal = open(&project);
    say(&terminal, "go");
    wait_until("the command has written its file", || project.exists("half.txt"));
    terminal.signal(Signal::KILL);
    terminal.wait_exit();

    server.script([Turn::text("I see.")]);
    let terminal = Terminal::start(&project, 80, 24, &["-c"]);
    terminal.wait_text("lathe ended while this call was running");
    say(&terminal, "go on");
    terminal.wait_text("I see.");
    let request = server.requests().pop().unwrap();
    let told = "lathe ended while this call was running; how much of it was done is not known";
    assert!(request.mentions(told), "{:#}", request.body);
}

#[test]
fn a_project_directory_that_is_gone_is_said_on_the_screen_and_not_made_anew() {
    let server = Server::with([
        Turn::tool("write", json!({"file_path": "new/a.txt", "content": "x"})),
        Turn::text("I see."),
    ]);
    let project = project(&server).config(json!({"permission": {"edit": "allow"}}));
    let terminal = open(&project);
    std::fs::remove_dir_all(project.root()).unwrap();
    say(&terminal, "go");
    terminal.wait_text("I see.");
    terminal.wait_text("is the project directory and does not");
    assert!(!project.root().exists());
}

#[test]
fn a_draft_survives_leaving() {
    let server = Server::with([Turn::text("Hello.")]);
    let project = project(&server);
    let terminal = open(&project);
    say(&terminal, "hi");
    terminal.wait_text("Hello.");
    terminal.keys("half a thou");
    terminal.wait_text("┃ half a thou");
    terminal.signal(Signal::TERM);
    terminal.wait_exit();
    let terminal = Terminal::start(&project, 80, 24, &["-c"]);
    terminal.wait_text("┃ half a thou");
}

#[test]
fn a_session_open_elsewhere_is_shown_and_takes_nothing() {
    let server = Server::with([Turn::text("Said here.")]);
    let project = project(&server);
    let first = open(&project);
    say(&first, "question");
    first.wait_text("Said here.");
    first.wait_text("send");

    let second = Terminal::start(&project, 80, 24, &["-c"]);
    second.wait_text("Said here.");
    let screen = second.wait_text("read only");
    assert!(screen.contains("question"), "{screen}");
    second.keys("let me in");
    second.wait_text("┃ let me in");
    second.key(Key::Enter);
    second.wait_quiet(Duration::from_millis(400));
    second.wait_text("┃ let me in");
    assert_eq!(server.requests().len(), 1);
}

/// A session that is open elsewhere names the process that has it, and is read, forked or waited for.
#[test]
fn a_session_open_elsewhere_can_be_forked_or_waited_for() {
    let server = Server::with([
        Turn::text("Said here."),
        Turn::text("Said in the fork."),
        Turn::text("Said when it was free."),
    ]);
    let project = project(&server);
    let first = open(&project);
    say(&first, "question");
    first.wait_text("Said here.");
    first.wait_text("send");
    let elsewhere = || {
        let terminal = Terminal::start(&project, 80, 24, &["-c"]);
        terminal.wait_text(": ⏎ forks it or waits.");
        terminal.key(Key::Enter);
        terminal.wait_text("This session is open in process ");
        terminal.wait_quiet(Duration::from_millis(400));
        terminal
    };
    let waiting = elsewhere();
    waiting.keys("w");
    waiting.wait_text("Waiting until process ");
    let forking = elsewhere();
    forking.keys("f");
    forking.wait_text("Forked from");
    say(&forking, "on my own");
    forking.wait_text("Said in the fork.");

    first.signal(Signal::TERM);
    first.wait_exit();
    waiting.wait_text("the session is free: you have it now");
    say(&waiting, "mine now");
    waiting.wait_text("Said when it was free.");
}

#[test]
fn a_session_that_is_opened_after_a_day_says_where_it_stands() {
    let server = Server::start();
    let project = project(&server).git();
    let store = Store::open(&project.data_dir()).unwrap();
    let session = NewSession {
        id: SessionId::new(),
        parent: None,
        project: project.root(),
        directory: project.root(),
        agent: "build".to_owned(),
        model: None,
        title: "old".to_owned(),
    };
    store.create(&session).unwrap();
    let message = Message {
        id: MessageId::new(),
        role: Role::User,
        state: MessageState::Complete,
        agent: None,
        model: None,
        created: 1_700_000_000_000,
        parts: Vec::new(),
        stop: None,
        usage: None,
    };
    let text = TextPart {
        text: "inject the clock".to_owned(),
        native: None,
    };
    let part = Part {
        seq: 1,
        body: PartBody::Text(text),
    };
    let id = message.id.clone();
    let changes = [
        MessageChange::Message(message),
        MessageChange::Part { message: id, part },
    ];
    store.write(&session.id, &changes).unwrap();
    drop(store);
    let terminal = Terminal::start(&project, 100, 30, &["-s", session.id.as_str()]);
    terminal.wait_text("Last here 2023-11-1");
    terminal.wait_text("you said \"inject the clock\".");
    assert_eq!(server.all_requests().len(), 0, "no model is asked");
}
