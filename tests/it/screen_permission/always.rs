//! Allowing for good: rows, ticks, patterns and scopes.

use super::{asked, asked_twice, bash, hear, two_reads};
use crate::screen::{open, project, say};
use crate::support::{Key, Lathe, Project, Server, Turn};

fn stored(project: &Project) -> String {
    let listed = Lathe::in_project(project).args(["permissions", "list"]).run();
    listed.success().stdout
}

#[test]
fn always_is_stored_in_its_scope_and_asks_no_more() {
    let server = Server::with([bash("touch mark"), bash("touch mark"), Turn::text("Both ran.")]);
    let (project, terminal) = asked(&server);
    terminal.keys("a");
    terminal.wait_text("scope: this project");
    terminal.key(Key::Enter);
    terminal.wait_text("not stored yet");
    assert!(stored(&project).starts_with("no stored rules"));
    terminal.key(Key::Down);
    terminal.key(Key::Enter);
    terminal.wait_text("Both ran.");
    let stored = stored(&project);
    assert!(
        stored.contains("touch") && stored.contains("project "),
        "{stored}"
    );
}

#[test]
fn always_begins_with_the_scope_that_was_chosen_last_also_after_a_restart() {
    let server = Server::with([
        bash("touch one"),
        bash("mkdir two"),
        Turn::text("Ran."),
        bash("ln one three"),
    ]);
    let (project, terminal) = asked(&server);
    terminal.keys("a");
    terminal.wait_text("scope: this project");
    terminal.keys("ss");
    terminal.wait_text("scope: this session");
    terminal.key(Key::Enter);
    terminal.wait_text("$ mkdir two");
    hear(&terminal);
    terminal.keys("a");
    terminal.wait_text("scope: this session");
    // Everywhere has to be chosen each time.
    terminal.keys("ss");
    terminal.wait_text("scope: everywhere");
    terminal.key(Key::Enter);
    terminal.wait_text("Ran.");
    drop(terminal);
    let terminal = open(&project);
    say(&terminal, "go on");
    terminal.wait_text("$ ln one three");
    hear(&terminal);
    terminal.keys("a");
    terminal.wait_text("scope: this session");
}

#[test]
fn a_pattern_is_written_anew_and_one_that_is_too_wide_is_refused() {
    let server = Server::with([bash("touch mark"), bash("touch other"), Turn::text("Both ran.")]);
    let (project, terminal) = asked(&server);
    terminal.keys("a");
    terminal.wait_text("[x] touch *");
    terminal.keys("e");
    terminal.wait_text("uses the pattern");
    terminal.key(Key::Ctrl('u'));
    for too_wide in ["*", "sudo *", "bash"] {
        terminal.keys(too_wide);
        terminal.wait_text(&format!("[x] ┃ {too_wide}"));
        terminal.key(Key::Enter);
        terminal.wait_text(&format!("not stored: `{too_wide}` would"));
        terminal.key(Key::Ctrl('u'));
        terminal.wait_gone("not stored");
    }
    terminal.key(Key::Enter);
    terminal.wait_text("not stored: an empty pattern");
    terminal.paste("touch ?????\n");
    terminal.wait_text("┃ touch ?????");
    terminal.key(Key::Enter);
    terminal.wait_text("[x] touch ?????  does not match this call");
    terminal.key(Key::Enter);
    // This call has run all the same, and the pattern covers the next.
    terminal.wait_text("Both ran.");
    assert!(project.exists("mark") && project.exists("other"));
    let stored = stored(&project);
    assert!(stored.contains("touch ?????"), "{stored}");
}

#[test]
fn esc_leaves_the_pattern_then_always_then_the_question() {
    let server = Server::with([bash("touch mark")]);
    let (project, terminal) = asked(&server);
    terminal.keys("ae");
    terminal.wait_text("[x] ┃ touch *");
    terminal.keys("xyz");
    terminal.wait_text("[x] ┃ touch *xyz");
    terminal.key(Key::Esc);
    terminal.wait_text("[x] touch *  every `touch` command in this project");
    terminal.wait_quiet(super::DEAF);
    terminal.key(Key::Esc);
    terminal.wait_text("y once");
    terminal.wait_quiet(super::DEAF);
    terminal.key(Key::Esc);
    terminal.wait_text("ctrl+x . answers");
    assert!(!project.exists("mark"));
    assert!(stored(&project).contains("no stored rules"));
}

#[test]
fn what_deletes_starts_unticked_and_nothing_ticked_stores_nothing() {
    let server = Server::with([bash("rm mark"), bash("rm other"), Turn::text("Gone.")]);
    let project = project(&server).file("mark", "x").file("other", "x");
    let terminal = open(&project);
    say(&terminal, "go");
    hear(&terminal);
    terminal.wait_text("   rm mark  deletes 1 file here, no undo");
    terminal.keys("a");
    terminal.wait_text("stores ticked rows");
    terminal.key(Key::Enter);
    terminal.wait_text("nothing is ticked");
    terminal.keys(" ");
    terminal.wait_text("[x] rm mark");
    terminal.keys("s");
    terminal.wait_text("scope: everywhere");
    terminal.key(Key::Enter);
    // Only that very text is covered, whatever else is deleted.
    terminal.wait_text("rm other  deletes 1 file here, no undo");
    hear(&terminal);
    terminal.keys("y");
    terminal.wait_text("Gone.");
    assert!(!project.exists("mark") && !project.exists("other"));
    let stored = stored(&project);
    assert!(
        stored.contains("everywhere") && stored.contains("rm mark"),
        "{stored}"
    );
}

#[test]
fn what_waits_and_is_covered_by_an_always_is_answered_too() {
    let server = two_reads("Both read.");
    let (_project, terminal) = asked_twice(&server);
    terminal.keys("ae");
    terminal.wait_text("[x] ┃ one.txt");
    terminal.key(Key::Ctrl('u'));
    terminal.paste("*.txt");
    terminal.wait_text("┃ *.txt");
    terminal.key(Key::Enter);
    terminal.wait_text("stores ticked rows");
    terminal.key(Key::Enter);
    terminal.wait_text("Both read.");
    let requests = server.requests();
    assert!(requests[1].mentions("first words") && requests[1].mentions("second words"));
}

#[test]
fn rows_are_chosen_and_ticked_one_by_one() {
    let server = Server::with([bash("touch ../outside-of-it"), Turn::text("Ran.")]);
    let (project, terminal) = asked(&server);
    terminal.keys("a");
    terminal.wait_text("[x] touch *");
    // The first row is the directory outside, the second the command.
    terminal.wait_text("↑ ↓ row");
    terminal.key(Key::Down);
    terminal.keys(" ");
    terminal.wait_text("[ ] touch *");
    terminal.key(Key::Up);
    terminal.wait_text("scope: this project");
    terminal.key(Key::Enter);
    terminal.wait_text("Ran.");
    let stored = stored(&project);
    assert!(
        stored.contains("external_directory") && !stored.contains("touch"),
        "{stored}"
    );
}
