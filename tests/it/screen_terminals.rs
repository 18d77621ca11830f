//! The terminals' pane in the real program: what a person sees there and types.

mod granted;
mod programs;
mod secrets;

use std::time::Duration;

use serde_json::{Value, json};

use crate::screen::{project, say};
use crate::screen_transcript::wait_copied;
use crate::support::{Key, Project, Server, Terminal, Turn};

const LEADER: Key = Key::Ctrl(']');

/// A call that starts a program in a terminal.
fn start(name: &str, command: &str) -> Value {
    json!({"action": "start", "session": name, "command": command})
}

/// A shell whose prompt is known, which begins with a command.
fn shell(name: &str, first: &str) -> Value {
    let prompt = "env PS1='prompt> ' bash --norc --noprofile";
    start(name, &format!("{first}{prompt}"))
}

/// The real program, after an agent has started these terminals.
fn with_terminals(server: &Server, project: &Project, size: (u16, u16), calls: Vec<Value>) -> Terminal {
    start_them(server, calls, || {
        Terminal::start(project, size.0, size.1, &["--permission-mode", "yolo"])
    })
}

fn start_them(server: &Server, calls: Vec<Value>, open: impl FnOnce() -> Terminal) -> Terminal {
    let starts = calls
        .into_iter()
        .fold(Turn::new(), |turn, args| turn.call("interactive_bash", args));
    server.script([starts, Turn::text("They run.")]);
    let terminal = open();
    terminal.wait_text("send");
    say(&terminal, "start them");
    terminal.wait_text("They run.");
    terminal.wait_text("ctrl+o terminals");
    terminal
}

/// The pane over a shell.
fn in_shell(server: &Server, project: &Project) -> Terminal {
    let terminal = with_terminals(server, project, (100, 30), vec![shell("sh", "")]);
    terminal.key(Key::Ctrl('o'));
    terminal.wait_for(|screen| screen.contains("1 sh") && screen.contains("prompt>"));
    terminal
}

/// Returns the output of the program, its rows put together.
fn unbroken(screen: &str) -> String {
    let rows = screen.lines().skip(2);
    let printed = rows.take_while(|row| !row.contains("more keys"));
    printed.map(str::trim_end).collect()
}

fn after_leader(terminal: &Terminal, key: &str) {
    terminal.key(LEADER);
    terminal.wait_text("x stop");
    terminal.keys(key);
}

#[test]
fn a_person_types_into_the_shell_of_an_agent_and_who_typed_last_is_told() {
    let server = Server::start();
    let project = project(&server);
    let terminal = in_shell(&server, &project);
    assert!(!terminal.screen().contains("you typed last"));
    terminal.keys("echo $((6 * 7))\r");
    let screen = terminal.wait_for(|screen| screen.contains("\n42\n") || screen.contains("\n42 "));
    assert!(screen.contains("echo $((6 * 7))"), "{screen}");
    terminal.wait_text("you typed last");
    after_leader(&terminal, "d");
    terminal.wait_text("They run.");
}

#[test]
fn every_key_reaches_the_program_and_only_the_leader_does_not() {
    let server = Server::start();
    let project = project(&server);
    let terminal = in_shell(&server, &project);
    terminal.keys("stty raw -echo; cat -vt\r");
    terminal.wait_quiet(Duration::from_millis(400));
    let functions = (1..=12).map(|number| {
        let code = match number {
            1..=4 => format!("^[O{}", char::from(b'O' + number)),
            5 => "^[[15~".to_owned(),
            6..=10 => format!("^[[{}~", 11 + number),
            _ => format!("^[[{}~", 12 + number),
        };
        (Key::Function(number).bytes(), code)
    });
    let others: [(&[u8], &str); 14] = [
        (b"\x1b", "^["),
        (b"\x03", "^C"),
        (b"\x1a", "^Z"),
        (b"\x18", "^X"),
        (b"\x0f", "^O"),
        (b"\x1c", "^\\"),
        (b"\t", "^I"),
        (b"\r", "^M"),
        (b"\x1b[Z", "^[[Z"),
        (b"\x1b[A", "^[[A"),
        (b"\x1b[1;5C", "^[[1;5C"),
        (b"\x1bx", "^[x"),
        (b"\x1b[5~", "^[[5~"),
        // One that lathe has no name for.
        (b"\x1b[57~", "^[[57~"),
    ];
    let others = others
        .into_iter()
        .map(|(bytes, shown)| (bytes.to_vec(), shown.to_owned()));
    for (number, (bytes, shown)) in functions.chain(others).enumerate() {
        terminal.send(&bytes);
        // An escape alone is one after a moment.
        terminal.wait_for(|screen| unbroken(screen).ends_with(&shown));
        terminal.keys(&format!("<{number}>"));
        terminal.wait_for(|screen| unbroken(screen).ends_with(&format!("{shown}<{number}>")));
    }
    terminal.key(LEADER);
    terminal.key(LEADER);
    terminal.wait_text("^]");
    after_leader(&terminal, "d");
    terminal.wait_text("They run.");
}

#[test]
fn vim_edits_and_saves_a_file_through_the_pane() {
    let server = Server::start();
    let project = project(&server).file("notes.txt", "one\n");
    let terminal = with_terminals(
        &server,
        &project,
        (90, 24),
        vec![start("ed", "vim -u NONE notes.txt")],
    );
    terminal.key(Key::Ctrl('o'));
    terminal.wait_text("1 ed");
    terminal.wait_for(|screen| screen.contains("one") && screen.contains('~'));
    terminal.keys("A two");
    terminal.wait_text("one two");
    terminal.key(Key::Esc);
    terminal.keys(":wq\r");
    terminal.wait_text("exited 0");
    assert_eq!(project.read("notes.txt"), "one two\n");
    // What was meant for the editor does nothing else.
    terminal.keys("x");
    terminal.wait_text("the key was not sent");
    terminal.key(Key::Esc);
    terminal.wait_text("They run.");
}

#[test]
fn several_are_seen_at_once_and_chosen_by_number() {
    let server = Server::start();
    let project = project(&server);
    let terminal = with_terminals(
        &server,
        &project,
        (120, 30),
        vec![shell("one", "echo first; "), shell("two", "echo second; ")],
    );
    terminal.key(Key::Ctrl('o'));
    terminal.wait_text("2 two");
    terminal.wait_for(|screen| screen.contains("second") && !screen.contains("first"));
    after_leader(&terminal, "z");
    terminal.wait_for(|screen| screen.contains("first") && screen.contains("second"));
    after_leader(&terminal, "1");
    terminal.keys("echo to-$((1 + 1))\r");
    terminal.wait_text("to-2");
    after_leader(&terminal, "z");
    terminal.wait_gone("second");
    after_leader(&terminal, "n");
    terminal.wait_for(|screen| screen.contains("second") && !screen.contains("to-2"));
}

#[test]
fn a_program_is_stopped_after_a_question() {
    let server = Server::start();
    let project = project(&server);
    let terminal = in_shell(&server, &project);
    after_leader(&terminal, "x");
    terminal.wait_text("Stop the program in terminal");
    terminal.keys("n");
    terminal.wait_text("prompt>");
    after_leader(&terminal, "x");
    terminal.wait_text("Stop the program in terminal");
    terminal.keys("y");
    terminal.wait_text("No terminal runs.");
}

#[test]
fn the_scrollback_is_searched_and_copied() {
    let server = Server::start();
    let project = project(&server);
    let terminal = in_shell(&server, &project);
    terminal.keys("seq 1 200 | sed 's/^/line /'\r");
    terminal.wait_text("line 200");
    after_leader(&terminal, "[");
    terminal.wait_text("Scrollback of sh");
    terminal.keys("/line 42");
    terminal.wait_text("line 42");
    terminal.key(Key::Enter);
    terminal.wait_text("space mark");
    terminal.keys(" j");
    terminal.wait_text("space unmark");
    terminal.keys("y");
    terminal.wait_text("the marked lines");
    wait_copied(&terminal, "line 42\nline 43");
}

#[test]
fn a_person_starts_a_terminal_that_no_agent_knows_and_hands_it_over() {
    let server = Server::start();
    let project = project(&server);
    let list = || Turn::tool("interactive_bash", json!({"action": "list"}));
    let read = json!({"action": "read", "session": "own-1", "scrollback": 500});
    server.script([
        list(),
        Turn::text("I see nothing."),
        list(),
        Turn::tool("interactive_bash", read),
        Turn::text("I see it."),
    ]);
    let terminal = Terminal::start(&project, 100, 30, &["--permission-mode", "yolo"]);
    terminal.wait_text("send");
    terminal.key(Key::Ctrl('o'));
    terminal.wait_text("c starts a terminal of your own");
    terminal.keys("c");
    terminal.wait_text("1 own 1");
    terminal.keys("PS1='mine> '; seq 100 160 | sed 's/^/secret-/'; clear; echo $((40 + 2))-seen\r");
    terminal.wait_for(|screen| screen.contains("42-seen") && !screen.contains("secret-160"));
    after_leader(&terminal, "d");
    say(&terminal, "look");
    terminal.wait_text("I see nothing.");
    terminal.key(Key::Ctrl('o'));
    terminal.wait_text("42-seen");
    after_leader(&terminal, "h");
    terminal.wait_text("own-1");
    after_leader(&terminal, "d");
    say(&terminal, "look again");
    terminal.wait_text("I see it.");
    let requests = server.requests();
    let mentions = |request: usize, text: &str| requests[request].mentions(text);
    assert!(mentions(1, "(no sessions)"));
    assert!(!mentions(2, "own-1"), "nothing of it before it is handed over");
    assert!(mentions(3, "own-1 running"));
    assert!(mentions(4, "42-seen") && !mentions(4, "secret-"));
}

#[test]
fn in_a_person_s_control_nothing_is_sent_for_an_agent() {
    let server = Server::start();
    let project = project(&server);
    let terminal = in_shell(&server, &project);
    after_leader(&terminal, "p");
    terminal.wait_text("in your control");
    after_leader(&terminal, "d");
    let send = json!({"action": "send", "session": "sh", "text": "echo from-the-agent", "keys": "Enter"});
    server.script([
        Turn::tool("interactive_bash", send),
        Turn::text("It was refused."),
    ]);
    say(&terminal, "type");
    terminal.wait_text("It was refused.");
    let request = server.requests().pop().unwrap();
    assert!(request.mentions("the user has taken control of the terminal `sh`, so nothing was sent"));
    terminal.key(Key::Ctrl('o'));
    terminal.wait_text("in your control");
    after_leader(&terminal, "p");
    terminal.wait_gone("in your control");
    assert!(!terminal.screen().contains("from-the-agent"));
}

#[test]
fn quitting_with_a_running_program_asks_and_ends_it() {
    let server = Server::start();
    let project = project(&server);
    let calls = vec![start(
        "dev",
        "echo $$ > pid; trap '' TERM HUP; while :; do sleep 1; done",
    )];
    let terminal = with_terminals(&server, &project, (90, 24), calls);
    // While the turn runs the key interrupts it.
    terminal.wait_text("1 call");
    terminal.key(Key::Ctrl('c'));
    terminal.wait_text("again quits");
    terminal.key(Key::Ctrl('c'));
    terminal.wait_text("A program runs in a terminal.");
    terminal.keys("n");
    terminal.wait_gone("A program runs in a terminal.");
    terminal.key(Key::Ctrl('c'));
    terminal.wait_text("again quits");
    terminal.key(Key::Ctrl('c'));
    terminal.wait_text("A program runs in a terminal.");
    terminal.keys("y");
    assert!(terminal.wait_exit().success());
    let pid = project.read("pid");
    let status = std::fs::read_to_string(format!("/proc/{}/stat", pid.trim())).unwrap_or_default();
    assert!(status.is_empty() || status.contains(") Z "), "{status}");
}
