//! What the composer knows beside text: commands, the person's own shell commands.

use serde_json::json;

use crate::screen::{open, project, say};
use crate::support::{Key, Server, Terminal, Turn, wait_until};

#[test]
fn a_command_is_completed_and_done() {
    let server = Server::start();
    let project = project(&server);
    let terminal = open(&project);
    terminal.keys("/perm");
    terminal.wait_text("❯   /permissions");
    terminal.key(Key::Enter);
    terminal.wait_text("Nothing is stored");
    assert!(server.requests().is_empty());
}

#[test]
fn what_looks_like_a_command_and_is_none_stays_with_a_sentence() {
    let server = Server::start();
    let project = project(&server);
    let terminal = open(&project);
    say(&terminal, "/thene");
    terminal.wait_text("did you mean `/theme`?");
    assert!(terminal.screen().contains("┃ /thene"));
    assert!(server.requests().is_empty());
}

#[test]
fn a_command_of_ones_own_runs_unasked_and_the_model_reads_it_with_the_next_message() {
    let server = Server::with([Turn::text("I see two files.")]);
    let project = project(&server).file("one.txt", "1").config(json!({
        "permission": {"bash": "deny"},
        "sandbox": {"mode": "off"},
    }));
    let terminal = open(&project);
    say(&terminal, "!echo out-$((20+3)); echo > made.txt; exit 3");
    let screen = terminal.wait_text("· exit 3");
    assert!(screen.contains("out-23"), "{screen}");
    assert!(project.exists("made.txt"), "nothing confines it");
    assert!(server.requests().is_empty(), "it starts no turn");
    say(&terminal, "what was that?");
    terminal.wait_text("I see two files.");
    let requests = server.requests();
    for words in [
        "$ echo out-$((20+3)); echo > made.txt; exit 3",
        "out-23",
        "[exit code 3]",
        "what was that?",
    ] {
        assert!(requests[0].mentions(words), "{words} is missing");
    }
}

#[test]
fn a_command_of_ones_own_streams_and_esc_esc_ends_it() {
    let server = Server::start();
    let project = project(&server);
    let terminal = open(&project);
    say(&terminal, "!echo begun-$((40+2)); sleep 600");
    terminal.wait_text("begun-42");
    terminal.wait_text("esc interrupt");
    terminal.key(Key::Esc);
    terminal.wait_text("esc again interrupts");
    terminal.key(Key::Esc);
    terminal.wait_gone("interrupt");
    terminal.wait_text("■ Bash");
}

#[test]
fn a_command_of_ones_own_is_there_after_a_restart_and_in_the_history() {
    let server = Server::start();
    let project = project(&server);
    {
        let terminal = open(&project);
        say(&terminal, "!echo kept-$((60+6))");
        terminal.wait_text("kept-66");
        terminal.wait_text("● Bash");
        terminal.signal(rustix::process::Signal::KILL);
    }
    let terminal = Terminal::start(&project, 80, 24, &["-c"]);
    let screen = terminal.wait_text("kept-66");
    assert!(screen.contains("┃ !echo kept-"), "{screen}");
    terminal.key(Key::Up);
    wait_until("the command to stand in the composer", || {
        terminal.screen().matches("!echo kept-$((60+6))").count() == 2
    });
}
