//! Bad weather: terminals that change, crawl, stop and go, and text that fits nowhere.
//!
//! It asserts again and again that the screen is what a fresh draw would make of it.

use std::io::Read;
use std::time::Duration;

use portable_pty::{CommandBuilder, PtySize, native_pty_system};
use serde_json::json;

use crate::screen::{open, project, say, with_script};
use crate::support::{Gate, Key, LATHE, Lathe, Reading, Server, Terminal, Turn, wait_until};

/// Longer than anything that turns.
const REST: Duration = Duration::from_millis(400);
/// Text of every kind that is hard to measure.
const WIDE: &str =
    "漢字かな交じり文 👩‍👩‍👧‍👦 🇩🇪 e\u{301}\u{302}\u{303} שלום עולם ﷽ \u{1F3FD} ｆｕｌｌ\u{200d} مرحبا ";
/// Limit of the program's memory in bytes, whatever happens.
const MEMORY: u64 = 300 * 1024 * 1024;

/// Asserts that the screen is at rest and that drawing all of it anew changes no cell.
#[track_caller]
fn assert_fresh(terminal: &Terminal) {
    let text = terminal.wait_quiet(REST);
    let cells = terminal.cells();
    let mark = terminal.mark();
    terminal.key(Key::Ctrl('l'));
    wait_until("the redraw", || terminal.frames_since(mark) > 0);
    let fresh = terminal.wait_quiet(REST);
    assert_eq!(fresh, text, "a redraw changes the text");
    for (row, (cells, before)) in terminal.cells().iter().zip(&cells).enumerate() {
        assert_eq!(cells, before, "a redraw changes colours in row {row}:\n{fresh}");
    }
}

/// Bytes that the program has in memory.
fn resident(terminal: &Terminal) -> u64 {
    let path = format!("/proc/{}/statm", terminal.pid().as_raw_nonzero());
    // Without such a file there is nothing to hold against it.
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let pages = text
        .split_whitespace()
        .nth(1)
        .and_then(|pages| pages.parse::<u64>().ok());
    pages.unwrap_or_default() * 4096
}

#[test]
fn a_storm_of_sizes_over_wide_text_and_a_running_command_leaves_a_whole_picture() {
    let text = format!(
        "## {WIDE}\n\n{}\n\n| a | b |\n| - | - |\n| {WIDE} | x |\n\n",
        WIDE.repeat(12)
    );
    let server = Server::with([
        Turn::tool("bash", json!({"command": "./talks"})),
        Turn::text(&format!("{text}THE END")).piece(7).rate(300.0),
    ]);
    let project = with_script(
        project(&server),
        "talks",
        &format!("for i in 1 2 3 4 5 6 7 8; do echo \"$i {WIDE}\"; sleep 0.05; done"),
    );
    let terminal = open(&project);
    say(&terminal, "talk");
    for step in 0..90_u16 {
        // There and back again at once: the program may see that nothing has changed, the terminal has lost its rows.
        terminal.resize(30 + step * 37 % 150, 6 + step * 13 % 50);
        if step % 3 == 0 {
            terminal.resize(100, 30);
        }
        std::thread::park_timeout(Duration::from_millis(9));
    }
    terminal.resize(60, 20);
    terminal.resize(100, 30);
    terminal.wait_text("THE END");
    terminal.wait_text("send");
    assert_fresh(&terminal);
}

#[test]
fn a_size_that_comes_back_at_once_is_drawn_in_full() {
    let server = Server::with([Turn::text("First paragraph.\n\nTHE END")]);
    let project = project(&server);
    let terminal = open(&project);
    say(&terminal, "talk");
    terminal.wait_text("THE END");
    terminal.wait_text("send");
    let before = terminal.wait_quiet(REST);
    for (columns, rows) in [(50, 12), (80, 12), (50, 24)] {
        let mark = terminal.mark();
        terminal.resize(columns, rows);
        terminal.resize(80, 24);
        wait_until("a whole frame", || terminal.clears_since(mark) > 0);
        terminal.wait_for(|screen| screen == before);
    }
}

#[test]
fn lines_without_end_are_shown_in_part_and_answered_at_once() {
    let server = Server::with([
        Turn::tool("bash", json!({"command": "./long 100000"})),
        Turn::tool("bash", json!({"command": "./long 30000"})),
        Turn::text(&format!("{}\n\nTHE END", "x".repeat(100_000))).piece(997),
    ]);
    let project = with_script(
        project(&server),
        "long",
        "head -c $1 /dev/zero | tr '\\0' y; echo; echo after",
    );
    let terminal = open(&project);
    say(&terminal, "go");
    terminal.wait_text("THE END");
    terminal.wait_text("send");
    assert_fresh(&terminal);
    // From the first row to the last one, with everything unfolded.
    terminal.keys("\x18[");
    terminal.wait_text("composer");
    terminal.keys("g");
    terminal.wait_text("┃ go");
    terminal.keys("O");
    terminal.wait_text("yyyyyyyyyy");
    terminal.keys("G");
    terminal.wait_text("THE END");
    terminal.key(Key::Esc);
    terminal.wait_text("send");
    assert_fresh(&terminal);
}

#[test]
fn a_blocked_terminal_delays_nothing_and_gets_the_last_frame() {
    let paragraph = format!("{} word {WIDE}\n\n", "many words ".repeat(40));
    let gate = Gate::new();
    let server = Server::with([
        Turn::text(&format!("start\n\n{}", paragraph.repeat(400)))
            .piece(400)
            .gate(1, &gate),
        Turn::text("THE END"),
    ]);
    let project = project(&server);
    let terminal = Terminal::start(&project, 150, 50, &[]);
    terminal.wait_text("send");
    say(&terminal, "talk");
    gate.wait_until_reached();
    terminal.reads(Reading::Not);
    gate.open();
    // Each page is a frame of many bytes, and there is room for few of them between here and there.
    for _ in 0..200 {
        terminal.key(Key::PageUp);
        std::thread::park_timeout(Duration::from_millis(2));
    }
    // The turn ends unseen, and what is typed blindly is sent.
    terminal.keys("unseen\r");
    wait_until("the second request", || {
        let requests = server.requests();
        requests.last().is_some_and(|request| request.mentions("unseen"))
    });
    assert!(resident(&terminal) < MEMORY, "{} bytes", resident(&terminal));
    terminal.reads(Reading::AtOnce);
    terminal.wait_text("THE END");
    terminal.wait_text("send");
    assert_fresh(&terminal);
}

#[test]
fn a_terminal_that_does_not_read_can_be_left() {
    let paragraph = "many words ".repeat(60) + "\n\n";
    let gate = Gate::new();
    let server = Server::with([Turn::text(&format!("start\n\n{}", paragraph.repeat(400)))
        .piece(400)
        .gate(1, &gate)]);
    let project = project(&server);
    let terminal = Terminal::start(&project, 150, 50, &[]);
    terminal.wait_text("send");
    say(&terminal, "talk");
    gate.wait_until_reached();
    terminal.reads(Reading::Not);
    gate.open();
    for _ in 0..200 {
        terminal.key(Key::PageUp);
        std::thread::park_timeout(Duration::from_millis(2));
    }
    terminal.signal(rustix::process::Signal::TERM);
    assert_eq!(terminal.wait_exit().exit_code(), 143);
}

#[test]
fn a_slow_terminal_gets_the_last_frame_and_not_every_one() {
    let text = "Every word is drawn in another place than the one before it. ".repeat(130);
    let server = Server::with([Turn::text(&format!("{text}\n\nTHE END")).piece(8).rate(250.0)]);
    let project = project(&server);
    let terminal = Terminal::start(&project, 120, 36, &[]);
    terminal.wait_text("send");
    say(&terminal, "talk");
    let mark = terminal.mark();
    terminal.reads(Reading::Slowly(10_000));
    wait_until("more than it can show", || terminal.mark() > mark + 5_000);
    terminal.keys("still here");
    terminal.wait_text("┃ still here");
    terminal.wait_text("THE END");
    // Over thirty a second come to a terminal that has the time.
    let frames = terminal.frames_since(mark);
    assert!(
        frames < 90,
        "{frames} frames for a terminal that has no time for them"
    );
    terminal.reads(Reading::AtOnce);
    terminal.wait_text("send");
    assert_fresh(&terminal);
}

#[test]
fn a_terminal_that_closes_ends_the_program_and_keeps_the_session() {
    let gate = Gate::new();
    let server = Server::with([Turn::text("half of it").piece(4).gate(1, &gate)]);
    let project = project(&server);
    let pair = native_pty_system()
        .openpty(PtySize {
            rows: 24,
            cols: 80,
            pixel_width: 0,
            pixel_height: 0,
        })
        .unwrap();
    let mut command = CommandBuilder::new(LATHE);
    command.env_clear();
    command.cwd(project.root());
    for (name, value) in project.environment() {
        command.env(name, value);
    }
    command.args(["--prompt", "talk"]);
    let mut child = pair.slave.spawn_command(command).unwrap();
    drop(pair.slave);
    let mut reader = pair.master.try_clone_reader().unwrap();
    let mut written = Vec::new();
    let mut piece = [0; 4096];
    while !String::from_utf8_lossy(&written).contains("half") {
        let read = reader.read(&mut piece).unwrap();
        written.extend_from_slice(&piece[..read]);
    }
    drop(reader);
    drop(pair.master);
    let mut exit = None;
    wait_until("the program to end", || {
        exit = child.try_wait().unwrap();
        exit.is_some()
    });
    assert_eq!(exit.unwrap().exit_code(), 129);
    let list = Lathe::in_project(&project)
        .args(["sessions", "--json"])
        .run()
        .success()
        .json();
    assert!(list["sessions"][0]["messages"].as_u64() >= Some(2), "{list}");
}
