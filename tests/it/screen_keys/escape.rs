//! The way out: `esc`, one rung a press; keys that mean nothing yet; the screen drawn anew.

use std::time::Duration;

use serde_json::json;

use crate::screen::{open, project, say};
use crate::support::{Gate, Key, Server, Terminal, Turn, wait_until};

/// `esc` twice, as the kitty protocol spells it: two keys in one write cannot be read as `alt` and `esc`, nor lie more
/// than a moment apart.
const ESC_ESC: &[u8] = b"\x1b[27u\x1b[27u";
/// Longer than `esc` is deaf.
const HEARS: Duration = Duration::from_millis(400);
/// The same after the presses that interrupted a turn.
const DEAF_AFTER_INTERRUPT: Duration = Duration::from_millis(1100);

/// Presses `esc` twice at once and waits for what the first press leads to. The second is not heard.
fn one_rung(terminal: &Terminal, gone: &str, shown: &str) {
    // There is nothing to see when `esc` hears again.
    std::thread::park_timeout(HEARS);
    println!("from {gone:?} to {shown:?}");
    terminal.send(ESC_ESC);
    terminal.wait_for(|screen| !screen.contains(gone) && screen.contains(shown));
}

#[test]
fn each_esc_closes_one_layer_and_two_presses_never_stop_the_turn() {
    let gate = Gate::new();
    let turn = Turn::new()
        .say("Words to search. ")
        .call("bash", json!({"command": "touch mark"}))
        .gate(1, &gate);
    let server = Server::with([turn]);
    let project = project(&server);
    let terminal = open(&project);
    say(&terminal, "talk");
    gate.wait_until_reached();
    let idle = "esc interrupt";
    terminal.wait_text(idle);

    terminal.keys("/mod");
    terminal.wait_text("❯   /model");
    one_rung(&terminal, "❯   /model", idle);
    terminal.key(Key::Ctrl('c'));
    terminal.wait_gone("/mod");
    terminal.key(Key::Ctrl('p'));
    terminal.wait_text("Actions ·");
    terminal.keys("mode");
    terminal.wait_text("┃ mode");
    std::thread::park_timeout(HEARS);
    terminal.key(Key::Esc);
    terminal.wait_text("Type to filter.");
    one_rung(&terminal, "Actions ·", idle);
    terminal.keys("\x18h");
    terminal.wait_text("No hook has run yet.");
    terminal.keys("?");
    terminal.wait_text(" Keys ");
    one_rung(&terminal, " Keys ", "No hook has run yet.");
    one_rung(&terminal, "No hook has run yet.", idle);
    terminal.keys("\x18b");
    terminal.wait_text("esc composer");
    one_rung(&terminal, "esc composer", idle);
    terminal.keys("\x18[");
    terminal.wait_text("blocks");
    terminal.keys("/words");
    terminal.wait_text("1 of ");
    one_rung(&terminal, "1 of ", "blocks");
    terminal.keys("v");
    terminal.wait_text("selecting");
    one_rung(&terminal, "selecting", "blocks");
    one_rung(&terminal, "blocks", idle);
    gate.open();
    terminal.wait_text("y once");
    // A question is deaf for a shorter time.
    std::thread::park_timeout(HEARS);
    terminal.keys("N");
    terminal.wait_text("the reason, in one line");
    one_rung(&terminal, "the reason, in one line", "y once");
    one_rung(&terminal, "y once", idle);
    terminal.wait_text("1 question · ctrl+x . answers");

    // Nothing is left to close: it arms, for a second.
    std::thread::park_timeout(HEARS);
    terminal.key(Key::Esc);
    terminal.wait_text("esc again interrupts");
    terminal.wait_text(idle);
    terminal.send(ESC_ESC);
    terminal.wait_text("■ interrupted");
    terminal.wait_text("⏎ send");
    // What was meant for the turn does not open anything. Then twice lists the messages to go back to.
    std::thread::park_timeout(DEAF_AFTER_INTERRUPT);
    terminal.key(Key::Esc);
    terminal.wait_text("esc again lists your messages");
    terminal.wait_gone("esc again lists your messages");
    terminal.send(ESC_ESC);
    terminal.wait_text("Go back to before");
    one_rung(&terminal, "Go back to before", "⏎ send");
}

#[test]
fn a_redraw_sends_the_whole_screen_and_keys_without_a_meaning_do_nothing() {
    let server = Server::with([Turn::text("An answer.")]);
    let project = project(&server);
    let terminal = open(&project);
    say(&terminal, "talk");
    terminal.wait_text("An answer.");
    terminal.wait_text("⏎ send");
    let settled = terminal.wait_quiet(HEARS);
    let mark = terminal.mark();
    terminal.key(Key::Ctrl('l'));
    wait_until("the whole screen", || {
        let raw = String::from_utf8_lossy(&terminal.raw_since(mark)).into_owned();
        raw.contains("An answer.") && raw.contains("send")
    });
    assert_eq!(terminal.wait_quiet(HEARS), settled);

    // A key without a meaning after the leader.
    terminal.keys("\x18t");
    terminal.keys("x");
    terminal.wait_text("┃ x");
    terminal.keys("\x7f");
    terminal.wait_text("Ask for a change");
    assert_eq!(terminal.wait_quiet(HEARS), settled);
    terminal.keys("\x18");
    let table = terminal.wait_text("answer the next question");
    for later in ["parent", "background"] {
        assert!(!table.contains(later), "{later}:\n{table}");
    }
    terminal.key(Key::Esc);
    terminal.wait_gone("answer the next question");
    terminal.keys("\x18[");
    terminal.wait_text("i composer");
    let reading = terminal.wait_quiet(HEARS);
    terminal.keys("xAD?");
    terminal.wait_text(" Keys ");
    terminal.keys("q");
    terminal.wait_gone(" Keys ");
    assert_eq!(terminal.wait_quiet(HEARS), reading);
}
