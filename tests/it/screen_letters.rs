//! Letters that somebody types who believes to be writing a message: none of them does harm, whoever has the keys.

use std::time::Duration;

use crate::screen::{open, project, say};
use crate::support::{Cell, Key, Server, Terminal, Turn};

/// Longer than a question is deaf after a key that it dropped.
pub(crate) const DEAF: Duration = Duration::from_millis(400);

fn talked(server: &Server) -> (crate::support::Project, Terminal) {
    server.script([Turn::text("One answer.")]);
    let project = project(server);
    let terminal = open(&project);
    say(&terminal, "first");
    terminal.wait_text("One answer.");
    terminal.wait_text("⏎ send");
    (project, terminal)
}

/// Returns the colour of a word of the draft.
fn colour_of(terminal: &Terminal, word: &str) -> Cell {
    let (column, row) = terminal.find(word).unwrap();
    terminal.cell(column, row)
}

#[test]
fn a_sentence_typed_into_the_transcript_forks_nothing_and_opens_no_editor() {
    let server = Server::start();
    let (_project, terminal) = talked(&server);
    terminal.keys("\x18[");
    terminal.wait_text("j k blocks");
    terminal.keys("f");
    terminal.wait_text("Continue from here in a new session?");
    terminal.keys("yyy");
    terminal.wait_quiet(DEAF);
    let screen = terminal.screen();
    assert!(
        screen.contains("Continue from here in a new session?"),
        "{screen}"
    );
    terminal.keys("n");
    terminal.wait_gone("Continue from here");
    terminal.keys("e");
    terminal.wait_text("Show this block in your editor?");
    terminal.wait_quiet(DEAF);
    terminal.key(Key::Esc);
    terminal.wait_gone("Show this block");
    terminal.wait_text("One answer.");
}

#[test]
fn the_draft_is_dimmed_while_something_else_has_the_keys() {
    let server = Server::start();
    let (_project, terminal) = talked(&server);
    terminal.keys("a draft");
    terminal.wait_text("┃ a draft");
    let bright = colour_of(&terminal, "draft");
    terminal.keys("\x18[");
    terminal.wait_text("j k blocks");
    assert_ne!(colour_of(&terminal, "draft").foreground, bright.foreground);
    terminal.keys("i");
    terminal.wait_gone("j k blocks");
    assert_eq!(colour_of(&terminal, "draft").foreground, bright.foreground);
}

#[test]
fn tab_in_an_empty_composer_says_which_agent_has_the_session() {
    let server = Server::start();
    let project = project(&server);
    let terminal = open(&project);
    terminal.wait_text("⇥ agent");
    terminal.key(Key::Tab);
    terminal.wait_text("agent plan: ");
    terminal.key(Key::Tab);
    terminal.wait_text("agent build");
}

#[test]
fn esc_and_a_sentence_write_the_sentence() {
    let server = Server::start();
    let (_project, terminal) = talked(&server);
    terminal.key(Key::Esc);
    terminal.wait_text("esc again lists your messages");
    terminal.wait_gone("esc again lists your messages");
    terminal.keys("yes fix it");
    terminal.wait_text("┃ yes fix it");
    assert_eq!(terminal.clipboard(), [""; 0]);
}
