//! The screen of the real program: what is typed, what streams, what scrolls.

use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

use rustix::process::Signal;
use serde_json::json;

use crate::support::{
    Fault, Gate, Key, LATHE, Lathe, Project, Protocol, Queries, Server, Terminal, Turn, wait_until,
};

/// Longer than anything that turns.
const REST: Duration = Duration::from_millis(400);

pub(crate) fn project(server: &Server) -> Project {
    Project::new().model(server, Protocol::Anthropic)
}

pub(crate) fn open(project: &Project) -> Terminal {
    let terminal = Terminal::start(project, 80, 24, &[]);
    terminal.wait_text("send");
    terminal
}

/// Types a line and sends it.
pub(crate) fn say(terminal: &Terminal, text: &str) {
    terminal.keys(text);
    terminal.wait_text(&format!("┃ {text}"));
    terminal.key(Key::Enter);
}

/// Stops the turn that runs.
pub(crate) fn interrupt(terminal: &Terminal) {
    terminal.key(Key::Esc);
    terminal.wait_text("esc again interrupts");
    terminal.key(Key::Esc);
}

/// A program of the project, that is allowed to run: a line of shell with operators in it would always be asked about.
pub(crate) fn with_script(project: Project, name: &str, text: &str) -> Project {
    let project = project
        .file(name, &format!("#!/bin/sh\n{text}\n"))
        .config(json!({"permission": {"bash": "allow"}}));
    std::fs::set_permissions(project.path(name), std::fs::Permissions::from_mode(0o755)).unwrap();
    project
}

pub(crate) fn numbered(count: usize, line: impl Fn(usize) -> String) -> String {
    (0..count).map(line).collect::<Vec<_>>().concat()
}

/// Returns true if the last request has the text, whatever the protocol's form.
fn last_mentions(server: &Server, text: &str) -> bool {
    server
        .requests()
        .last()
        .is_some_and(|request| request.mentions(text))
}

#[test]
fn a_start_shows_the_model_and_what_enter_does() {
    let server = Server::start();
    let project = project(&server);
    let terminal = open(&project);
    let screen = terminal.screen();
    let title = screen.lines().next().unwrap();
    for part in ["lathe", "local/test-model", "build", "ask"] {
        assert!(title.contains(part), "{part} is missing in {title:?}");
    }
    assert!(terminal.is_on_alternate_screen());
    wait_until("the cursor to stand in the composer", || {
        terminal.cursor() == Some((3, 21))
    });
}

#[test]
fn what_is_typed_before_the_session_is_open_is_kept() {
    let server = Server::with([Turn::text("Hello yourself.")]);
    let project = project(&server);
    let terminal = Terminal::start(&project, 80, 24, &[]);
    // The line discipline keeps it until somebody reads.
    terminal.keys("hello early");
    terminal.wait_text("┃ hello early");
    terminal.key(Key::Enter);
    terminal.wait_text("Hello yourself.");
    assert!(server.requests()[0].mentions("hello early"));
}

#[test]
fn a_turn_streams_piece_by_piece() {
    let gate = Gate::new();
    let server = Server::with([Turn::text("The first half. The second half.")
        .piece(16)
        .gate(1, &gate)]);
    let project = project(&server);
    let terminal = open(&project);
    say(&terminal, "talk");
    let screen = terminal.wait_text("The first half.");
    assert!(!screen.contains("second"), "{screen}");
    assert!(screen.contains("interrupt"), "{screen}");
    gate.open();
    terminal.wait_text("The second half.");
    terminal.wait_text("send");
}

#[test]
fn each_call_is_a_card() {
    let edit = json!({"file_path": "a.txt", "old_string": "two", "new_string": "zwei"});
    let server = Server::with([
        Turn::tool("read", json!({"file_path": "a.txt"})),
        Turn::tool("edit", edit),
        Turn::tool("bash", json!({"command": "./fails out"})),
        Turn::text("All done."),
    ]);
    let project = with_script(project(&server), "fails", "echo $1; exit 3")
        .file("a.txt", "one\ntwo\n")
        .config(json!({"permission": {"edit": "allow"}}));
    let terminal = Terminal::start(&project, 100, 30, &["--prompt", "go"]);
    let screen = terminal.wait_text("All done.");
    for part in [
        "● Read a.txt",
        "● Edit a.txt",
        "+ zwei",
        "▲ Bash ./fails out",
        "exit 3",
    ] {
        assert!(screen.contains(part), "{part:?} is missing in\n{screen}");
    }
    assert_eq!(project.read("a.txt"), "one\nzwei\n");
}

#[test]
fn esc_twice_interrupts_and_says_so_once() {
    let server = Server::with([Turn::text("Half an answer").fail(Fault::Stall { after: 2 })]);
    let project = project(&server);
    let terminal = open(&project);
    say(&terminal, "talk");
    terminal.wait_text("Half an an");
    interrupt(&terminal);
    terminal.wait_text("■ interrupted");
    server.wait_for_abandoned(1);
    terminal.wait_text("send");
    let screen = terminal.wait_quiet(REST);
    assert_eq!(screen.matches("■ interrupted").count(), 1, "{screen}");
}

#[test]
fn ctrl_c_interrupts_what_runs_and_kills_it() {
    let server = Server::with([Turn::tool("bash", json!({"command": "./slow"}))]);
    let project = with_script(
        project(&server),
        "slow",
        "echo started; sleep 60; echo survived > late",
    );
    let terminal = open(&project);
    say(&terminal, "run it");
    terminal.wait_text("started");
    terminal.key(Key::Ctrl('c'));
    terminal.wait_text("■ Bash");
    terminal.wait_text("send");
    let screen = terminal.wait_quiet(REST);
    assert_eq!(screen.matches("■ interrupted").count(), 1, "{screen}");
    assert!(!project.exists("late"));
}

#[test]
fn enter_steers_while_a_turn_runs() {
    let server = Server::with([
        Turn::tool("bash", json!({"command": "./waits"})),
        Turn::text("Steered."),
    ]);
    let waits = "echo up; while [ ! -e go ]; do sleep 0.02; done";
    let project = with_script(project(&server), "waits", waits);
    let terminal = open(&project);
    say(&terminal, "run it");
    terminal.wait_text("steer");
    terminal.wait_text("up");
    say(&terminal, "mind the gap");
    terminal.wait_text("steer ┃ mind the gap");
    project.write("go", b"");
    terminal.wait_text("Steered.");
    assert_eq!(server.requests().len(), 2);
    assert!(server.requests()[1].mentions("mind the gap"));
    terminal.wait_gone("steer ┃");
}

#[test]
fn alt_enter_queues_for_after_the_turn_and_up_takes_back() {
    let gate = Gate::new();
    let server = Server::with([
        Turn::text("one two").piece(3).gate(1, &gate),
        Turn::text("Answer to the queued."),
    ]);
    let project = project(&server);
    let terminal = open(&project);
    say(&terminal, "talk");
    terminal.wait_text("one");
    for text in ["later this", "never this"] {
        terminal.keys(text);
        terminal.wait_text(&format!("┃ {text}"));
        terminal.key(Key::AltEnter);
        terminal.wait_text(&format!("queue ┃ {text}"));
    }
    terminal.key(Key::Up);
    terminal.wait_text("❯ queue ┃ never this");
    terminal.key(Key::Enter);
    terminal.wait_gone("queue ┃ never this");
    terminal.wait_text("┃ never this");
    terminal.key(Key::Ctrl('c'));
    terminal.wait_gone("never this");
    gate.open();
    terminal.wait_text("Answer to the queued.");
    assert!(last_mentions(&server, "later this"));
    assert!(!last_mentions(&server, "never this"));
}

#[test]
fn scrolling_back_holds_still_while_text_streams() {
    let gate = Gate::new();
    let lines = numbered(120, |number| format!("paragraph {number}\n\n"));
    let server = Server::with([
        Turn::text(&lines).piece(200),
        Turn::text(&lines.replace("paragraph", "sequel"))
            .piece(200)
            .gate(1, &gate),
    ]);
    let project = project(&server);
    // Nothing turns while it waits.
    let still = ["LATHE_REDUCED_MOTION=1", LATHE];
    let terminal = Terminal::program("env", &project, 80, 24, &still);
    terminal.wait_text("send");
    say(&terminal, "talk");
    terminal.wait_text("paragraph 119");
    terminal.wait_text("send");
    say(&terminal, "more");
    terminal.wait_text("sequel 18");
    terminal.key(Key::PageUp);
    terminal.key(Key::PageUp);
    terminal.wait_text("paragraph 119");
    terminal.wait_gone("sequel 18");
    terminal.wheel(5, 5, -4);
    terminal.wait_gone("sequel");
    terminal.wait_quiet(REST);
    let top = |screen: &str| screen.lines().take(18).collect::<Vec<_>>().join("\n");
    let before = top(&terminal.screen());
    gate.open();
    let screen = terminal.wait_text(" new ");
    terminal.wait_text("send");
    assert_eq!(top(&terminal.screen()), before, "{screen}");
    for _ in 0..60 {
        terminal.key(Key::PageDown);
    }
    terminal.wait_text("sequel 119");
    terminal.wait_gone(" new ");
}

#[test]
fn a_storm_of_sizes_leaves_a_whole_picture() {
    let text = "wide enough to be broken into several rows on any of these terminals. ".repeat(40);
    let server = Server::with([Turn::text(&format!("{text}THE END")).piece(20).rate(400.0)]);
    let project = project(&server);
    let terminal = open(&project);
    say(&terminal, "talk");
    for step in 0..60_u16 {
        terminal.resize(40 + step * 37 % 120, 10 + step * 13 % 40);
        std::thread::park_timeout(Duration::from_millis(5));
    }
    terminal.resize(100, 30);
    terminal.wait_text("THE END");
    terminal.wait_text("send");
    let settled = terminal.wait_quiet(REST);
    terminal.key(Key::Ctrl('l'));
    assert_eq!(terminal.wait_quiet(REST), settled, "a redraw changes nothing");
}

#[test]
fn forty_columns_and_ten_rows_are_enough_and_less_is_refused() {
    let server = Server::with([Turn::text("Small but here.")]);
    let project = project(&server);
    let terminal = Terminal::start(&project, 40, 12, &[]);
    terminal.wait_text("send");
    say(&terminal, "hi");
    terminal.wait_text("Small but here.");
    terminal.resize(39, 12);
    terminal.wait_text("lathe needs 40×10; this is 39×12");
    terminal.resize(40, 9);
    terminal.wait_text("this is 40×9");
    terminal.resize(80, 24);
    terminal.wait_text("Small but here.");
}

#[test]
fn a_large_paste_is_folded_and_sent_whole() {
    let server = Server::with([Turn::text("Read it.")]);
    let project = project(&server);
    let terminal = open(&project);
    let line = "0123456789abcdef".repeat(4);
    let text = numbered(16_000, |number| format!("{number} {line}\n"));
    assert!(text.len() > 1_000_000);
    terminal.keys("look: ");
    terminal.paste(&text);
    terminal.wait_text("[pasted 16000 lines]");
    terminal.key(Key::Enter);
    terminal.wait_text("Read it.");
    assert!(last_mentions(&server, text.trim_end()));
}

#[test]
fn idle_draws_nothing() {
    let server = Server::with([Turn::text("Done.")]);
    let project = project(&server);
    let terminal = open(&project);
    say(&terminal, "hi");
    terminal.wait_text("Done.");
    terminal.wait_text("send");
    terminal.wait_quiet(Duration::from_secs(1));
    let mark = terminal.mark();
    let woken = wakeups(&terminal);
    // Longer than every clock of the screen; there is nothing to wait for.
    std::thread::park_timeout(Duration::from_millis(1500));
    assert_eq!(terminal.raw_since(mark), b"");
    assert_eq!(wakeups(&terminal), woken, "a thread has woken up");
}

/// How often each thread of the program has gone to sleep, where the system tells.
fn wakeups(terminal: &Terminal) -> Vec<String> {
    let threads = format!("/proc/{}/task", terminal.pid().as_raw_nonzero());
    let Ok(threads) = std::fs::read_dir(threads) else {
        return Vec::new();
    };
    let status =
        threads.map(|thread| std::fs::read_to_string(thread.unwrap().path().join("status")).unwrap());
    let told = status.map(|status| {
        let told = status.lines();
        let told = told.filter(|line| line.starts_with("Name:") || line.starts_with("voluntary_ctxt"));
        told.collect::<Vec<_>>().join(" ")
    });
    told.collect()
}

#[test]
fn a_key_draws_one_frame_without_clearing_the_screen() {
    let server = Server::start();
    let project = project(&server);
    let terminal = open(&project);
    terminal.wait_quiet(REST);
    let mark = terminal.mark();
    terminal.keys("x");
    terminal.wait_text("┃ x");
    let raw = terminal.raw_since(mark);
    assert!(raw.len() < 400, "{} bytes: {}", raw.len(), raw.escape_ascii());
    assert_eq!(terminal.clears_since(mark), 0);
}

#[test]
fn the_trace_tells_what_the_screen_is_about() {
    let server = Server::with([
        Turn::tool("bash", json!({"command": "touch mark"})),
        Turn::text("Done."),
    ]);
    let project = project(&server);
    let trace = project.outside().join("trace.jsonl");
    let variable = format!("LATHE_UI_TRACE={}", trace.display());
    let terminal = Terminal::program("env", &project, 80, 24, &[&variable, LATHE]);
    terminal.wait_text("send");
    say(&terminal, "go");
    terminal.wait_text("bash wants to run");
    terminal.wait_quiet(REST);
    terminal.keys("n");
    terminal.wait_text("send");
    let lines = || {
        let text = std::fs::read_to_string(&trace).unwrap_or_default();
        let parse = |line| serde_json::from_str::<serde_json::Value>(line).unwrap();
        text.lines().map(parse).collect::<Vec<_>>()
    };
    wait_until("the trace to tell of the end", || {
        lines().last().is_some_and(|line| line["busy"] == false)
    });
    let lines = lines();
    assert_eq!(lines[0]["focus"], "composer");
    assert!(
        lines
            .iter()
            .any(|line| line["dialog"] == "permission" && line["focus"] == "dialog" && line["busy"] == true),
        "{lines:?}"
    );
    assert!(lines.iter().all(|line| line["dropped_keys"] == 0), "{lines:?}");
}

#[test]
fn a_terminal_that_answers_no_question_works() {
    let server = Server::with([Turn::text("Silent partner.")]);
    let project = project(&server);
    let terminal = Terminal::with_queries(&project, 80, 24, &[], Queries::Unanswered);
    terminal.wait_text("send");
    say(&terminal, "hi");
    terminal.wait_text("Silent partner.");
    terminal.wait_text("send");
    terminal.key(Key::Ctrl('c'));
    terminal.wait_text("ctrl+c again quits");
    terminal.key(Key::Ctrl('c'));
    assert!(terminal.wait_exit().success());
    terminal.assert_restored();
}

#[test]
fn without_colours_signs_tell_states_apart() {
    for variable in ["NO_COLOR=1", "NO_COLOR=yes"] {
        let server = Server::with([
            Turn::tool("bash", json!({"command": "exit 1"})),
            Turn::text("**Bold** and `code`."),
        ]);
        let project = project(&server).config(json!({"permission": {"bash": "allow"}}));
        let terminal = Terminal::program("env", &project, 80, 24, &[variable, LATHE]);
        terminal.wait_text("send");
        say(&terminal, "go");
        terminal.wait_text("Bold and code.");
        terminal.wait_text("▲ Bash");
        let raw = String::from_utf8_lossy(&terminal.raw()).into_owned();
        let colours = ["38;5;", "38;2;", "48;5;", "48;2;"];
        assert!(
            colours
                .iter()
                .all(|colour| !raw.contains(&format!("\x1b[{colour}"))),
            "{variable}: a colour was set"
        );
    }
}

#[test]
fn an_error_of_the_provider_is_a_sentence_with_a_hint() {
    let server = Server::with([Turn::text("never").fail(Fault::status(401))]);
    let project = project(&server);
    let terminal = open(&project);
    say(&terminal, "hi");
    let screen = terminal.wait_text("✗ ");
    terminal.wait_text("send");
    assert!(screen.contains("key") && !screen.contains("Error {"), "{screen}");
}

#[test]
fn a_config_error_ends_before_the_screen_is_touched() {
    let server = Server::start();
    let project = project(&server).config(json!({"no_such_key": 1}));
    let terminal = Terminal::start(&project, 80, 24, &[]);
    assert_eq!(terminal.wait_exit().exit_code(), 2);
    let raw = terminal.raw();
    let text = String::from_utf8_lossy(&raw);
    assert!(text.contains("no_such_key"), "{text}");
    assert!(!text.contains('\x1b'), "{text:?}");
    terminal.assert_restored();
}

#[test]
fn a_pipe_is_told_to_use_run() {
    let server = Server::start();
    let project = project(&server);
    let finished = Lathe::in_project(&project).run().assert_code(2);
    assert!(finished.stderr.contains("lathe run"), "{finished}");
    assert_eq!(finished.stdout, "");
}

#[test]
fn the_mouse_and_the_wheel_follow_the_configuration() {
    let lines = numbered(60, |number| format!("line {number}\n\n"));
    let server = Server::with([Turn::text(&lines).piece(100)]);
    let project = project(&server).config(json!({"tui": {"wheel_lines": 2, "reduced_motion": true}}));
    let terminal = open(&project);
    say(&terminal, "talk");
    terminal.wait_text("line 59");
    terminal.wait_text("send");
    terminal.wait_quiet(REST);
    let row_of = |screen: &str| screen.lines().position(|line| line.trim() == "line 55");
    let row = row_of(&terminal.screen()).expect("it is on screen");
    terminal.wheel(5, 5, -1);
    terminal.wait_for(|screen| row_of(screen) == Some(row + 2));

    let project = project.config(json!({"tui": {"mouse": false}}));
    let terminal = open(&project);
    let raw = String::from_utf8_lossy(&terminal.raw()).into_owned();
    assert!(!raw.contains("\x1b[?1000h"), "{raw:?}");
    terminal.signal(Signal::TERM);
    terminal.wait_exit();
}

#[test]
fn a_first_start_offers_ways_to_begin_and_tells_them_on_leaving() {
    for key in [Key::Ctrl('c'), Key::Esc] {
        let project = Project::new();
        let terminal = Terminal::start(&project, 80, 24, &[]);
        let screen = terminal.wait_text("quits");
        for part in ["no key was found", "d     the demo", "ANTHROPIC_API_KEY"] {
            assert!(screen.contains(part), "{part:?} is missing in\n{screen}");
        }
        terminal.key(key);
        assert_eq!(terminal.wait_exit().exit_code(), 2);
        terminal.assert_restored();
        let screen = terminal.screen();
        assert!(
            screen.contains("no model is configured and no key was found") && screen.contains("lathe demo"),
            "{screen}"
        );
    }
}

#[test]
fn a_first_start_leads_to_the_demo() {
    let project = Project::new();
    let terminal = Terminal::start(&project, 80, 24, &[]);
    terminal.wait_text("quits");
    terminal.keys("d");
    terminal.wait_text("This is the demo");
    terminal.wait_text("send");
    terminal.key(Key::Ctrl('c'));
    terminal.wait_text("again quits");
    terminal.key(Key::Ctrl('c'));
    assert_eq!(terminal.wait_exit().exit_code(), 0);
    terminal.assert_restored();
}
