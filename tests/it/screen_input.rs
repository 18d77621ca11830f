//! The composer's commands, shell commands of one's own, and files.

use serde_json::json;

use crate::screen::{interrupt, open, project, say};
use crate::support::{Key, Project, Server, Terminal, Turn, wait_until};

#[test]
fn a_command_is_completed_and_done() {
    let server = Server::start();
    let project = project(&server);
    let terminal = open(&project);
    terminal.keys("/perm");
    terminal.wait_text("❯   /permissions");
    terminal.key(Key::Enter);
    terminal.wait_text("No permissions are stored");
    assert!(server.requests().is_empty());
}

#[test]
fn lines_that_come_in_one_burst_are_a_paste() {
    for lines in [
        "notes:\r!touch pwned\rthe end",
        "/exit\r!touch pwned\r",
        "a\r\n/exit\r\nthe end",
    ] {
        let server = Server::start();
        let project = project(&server);
        let terminal = open(&project);
        terminal.send(lines.as_bytes());
        for line in lines.split(['\r', '\n']).filter(|line| !line.is_empty()) {
            terminal.wait_text(&format!("┃ {line}"));
        }
        assert!(server.requests().is_empty() && !project.exists("pwned"));
    }
}

#[test]
fn a_line_and_its_enter_in_one_burst_are_sent() {
    let server = Server::with([Turn::text("Heard.")]);
    let project = project(&server);
    let terminal = open(&project);
    terminal.send("are you there?\r".as_bytes());
    terminal.wait_text("Heard.");
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
    interrupt(&terminal);
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

fn with_files(server: &Server) -> Project {
    project(server)
        .file("src/retry.rs", "fn one() {}\nfn two() {}\nfn three() {}\n")
        .file("src/net/client.rs", "pub struct Client;\n")
        .file(".env", "KEY=hidden\n")
}

#[test]
fn a_file_is_found_by_a_few_letters_and_goes_with_the_message() {
    let server = Server::with([Turn::text("Read.")]);
    let project = with_files(&server);
    let terminal = open(&project);
    terminal.keys("explain @retr");
    terminal.wait_text("❯   retry.rs ");
    terminal.key(Key::Enter);
    terminal.wait_text("┃ explain @src/retry.rs");
    terminal.key(Key::Enter);
    let screen = terminal.wait_text("Read.");
    assert!(screen.contains("┃ @src/retry.rs"), "{screen}");
    let requests = server.requests();
    for words in ["fn two() {}", "explain @src/retry.rs"] {
        assert!(requests[0].mentions(words), "{words} is missing");
    }
}

#[test]
fn lines_of_a_file_and_a_directory_go_with_the_message() {
    let server = Server::with([Turn::text("Read.")]);
    let project = with_files(&server);
    let terminal = open(&project);
    say(&terminal, "see @src/retry.rs:2-3 and @src/net/ please");
    terminal.wait_text("Read.");
    let requests = server.requests();
    assert!(requests[0].mentions("fn two() {}") && requests[0].mentions("client.rs"));
    assert!(!requests[0].mentions("fn one() {}"));
}

#[test]
fn a_file_that_is_denied_or_missing_is_told_and_the_draft_stays() {
    let server = Server::with([Turn::text("Without it.")]);
    let project =
        with_files(&server).config(json!({"permission": {"read": {"*": "allow", "*.env": "deny"}}}));
    let terminal = open(&project);
    say(&terminal, "show @src/../.env now");
    let screen = terminal.wait_text("Your message was not sent");
    assert!(screen.contains("┃ show @src/../.env now"), "{screen}");
    terminal.key(Key::Ctrl('c'));
    terminal.wait_gone("┃ show @src/../.env now");
    say(&terminal, "show @src/gone.rs now");
    terminal.wait_text("does not exist");
    assert!(server.requests().is_empty());
    terminal.key(Key::Enter);
    terminal.wait_text("Without it.");
    assert!(server.requests()[0].mentions("show @src/gone.rs now"));
}

#[test]
fn a_mention_is_read_so_that_the_model_may_edit_it() {
    let edit = json!({"file_path": "src/retry.rs", "old_string": "fn two()", "new_string": "fn zwei()"});
    let server = Server::with([Turn::tool("edit", edit), Turn::text("Edited.")]);
    let project = with_files(&server);
    let terminal = Terminal::start(&project, 80, 24, &["--permission-mode", "accept-edits"]);
    terminal.wait_text("send");
    say(&terminal, "rename two in @src/retry.rs please");
    terminal.wait_text("Edited.");
    assert!(project.read("src/retry.rs").contains("fn zwei()"));
}
