//! The status line of a turn, in the real program: it says what goes on from the first moment to the last, and never moves.

use serde_json::json;

use crate::screen::{open, say, with_script};
use crate::support::{Fault, Gate, Project, Protocol, Server, Terminal, Turn};

/// The row above the composer of a screen of 24 rows.
const STATUS_ROW: u16 = 20;

fn status_is(terminal: &Terminal, words: &str) -> String {
    let screen = terminal.wait_for(|screen| {
        let line = screen.lines().nth(usize::from(STATUS_ROW)).unwrap_or_default();
        line.contains(words)
    });
    let line = screen.lines().nth(usize::from(STATUS_ROW));
    line.unwrap_or_default().to_owned()
}

/// A pause in the middle of a text, between two parts and before a call is told in every protocol, with the key that ends it.
#[test]
fn a_pause_between_two_parts_of_a_reply_is_a_wait() {
    for protocol in Protocol::ALL {
        let [first, between, call] = [Gate::new(), Gate::new(), Gate::new()];
        let server = Server::with([
            Turn::new()
                .reasoning("Let me see. ")
                .say("Part one.")
                .call("read", json!({"filePath": "a.txt"}))
                .gate(0, &first)
                .gate(1, &between)
                .piece(100),
            Turn::text("Done.").gate(0, &call),
        ]);
        let project = Project::new().model(&server, protocol).file("a.txt", "one\n");
        let terminal = open(&project);
        say(&terminal, "look");
        for gate in [&first, &between, &call] {
            gate.wait_until_reached();
            // The seconds of the wait stand before the dot.
            status_is(&terminal, "waiting for the model");
            let line = status_is(&terminal, " s · 0:");
            assert!(line.contains("esc esc stops"), "{protocol:?}: {line}");
            gate.open();
        }
        terminal.wait_text("1 call");
        assert!(!terminal.row(STATUS_ROW).contains("waiting"), "{protocol:?}");
    }
}

/// The line stands on the same row from the first wait to the end, while blocks come, grow and get shorter, and no empty rows
/// are left between two blocks.
#[test]
fn the_status_line_stands_still_and_cards_leave_no_hole() {
    let gate = Gate::new();
    let server = Server::with([
        Turn::tool("bash", json!({"command": "./counts"})),
        Turn::text("All was counted.").gate(0, &gate),
    ]);
    let project = Project::new().model(&server, Protocol::OpenAiChat);
    let counts = "for i in 1 2 3 4 5 6 7 8 9; do echo line $i; done; while [ ! -e go ]; do sleep 0.02; done";
    let project = with_script(project, "counts", counts);
    let terminal = open(&project);
    say(&terminal, "count");
    terminal.wait_for(|screen| {
        let line = screen.lines().nth(usize::from(STATUS_ROW)).unwrap_or_default();
        ["Bash ./counts", "tokens", "esc esc stops"]
            .iter()
            .all(|words| line.contains(words))
    });
    terminal.wait_text("line 2");
    terminal.wait_text("line 9");
    project.write("go", b"");
    status_is(&terminal, "waiting for the model");
    gate.open();
    let screen = terminal.wait_for(|screen| screen.contains("All was counted.") && screen.contains("1 call"));
    let rows: Vec<&str> = screen.lines().collect();
    let at = |text: &str| rows.iter().position(|row| row.contains(text)).unwrap();
    assert_eq!(at("All was counted."), at("line 9") + 2, "{screen}");
    assert!(!rows[usize::from(STATUS_ROW)].contains("waiting"), "{screen}");
}

/// One row tells of all retries, the status line counts down, and the error is told once.
#[test]
fn retries_share_a_row_and_the_error_is_told_once() {
    let server = Server::start();
    let failing = (0..3).fold(Turn::text("never"), |turn, _| turn.fail(Fault::status(503)));
    server.script([failing]);
    let project = Project::new().model(&server, Protocol::Anthropic).config(json!({
        "providers": {"local": {"retry": {"max": 2, "base_ms": 1500, "max_ms": 1500}}}
    }));
    let terminal = open(&project);
    say(&terminal, "try");
    let line = status_is(&terminal, "retry 1 of 2 in 2 s");
    assert!(line.contains("esc esc stops"), "{line}");
    status_is(&terminal, "retry 2 of 2 in");
    let screen = terminal.wait_text("gave up after 2");
    let screen = if screen.contains("✗") {
        screen
    } else {
        terminal.wait_text("✗")
    };
    assert_eq!(screen.matches("▲").count(), 1, "{screen}");
    assert_eq!(screen.matches("HTTP 503").count(), 1, "{screen}");
}

/// The arguments of a call that stream are work.
#[test]
fn arguments_that_stream_look_like_work() {
    let gate = Gate::new();
    let server = Server::with([
        Turn::tool(
            "write",
            json!({"filePath": "notes.md", "content": "one\ntwo\nthree\n"}),
        )
        .piece(12)
        .gate(4, &gate),
        Turn::text("Written."),
    ]);
    let project = Project::new().model(&server, Protocol::Anthropic);
    let terminal = open(&project);
    say(&terminal, "note it");
    gate.wait_until_reached();
    status_is(&terminal, "Write notes.md");
    terminal.wait_for(|screen| {
        let spins = |row: &str| {
            row.trim_start()
                .starts_with(['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'])
        };
        screen
            .lines()
            .any(|row| row.contains("Write notes.md") && !row.contains('─') && spins(row))
    });
    gate.open();
}
