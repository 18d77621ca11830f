//! The form of the tool `question` on the real screen: every key of it.

use std::time::Duration;

use serde_json::{Value, json};

use crate::screen::{open, project, say};
use crate::support::{Key, Project, Server, Terminal, Turn};

/// A form is deaf for a shorter time.
const DEAF: Duration = Duration::from_millis(450);

fn database() -> Value {
    json!({"question": "Which database?", "header": "Database", "options": [
        {"label": "Postgres", "description": "as in production"},
        {"label": "SQLite", "description": "one file"},
    ]})
}

fn parts() -> Value {
    json!({"question": "Which parts?", "header": "Parts", "multiple": true, "custom": false,
        "options": ["api", "web", "docs"]})
}

/// A program that stands before a form that listens.
fn asked(server: &Server) -> (Project, Terminal) {
    let project = project(server);
    let terminal = open(&project);
    say(&terminal, "go");
    terminal.wait_text("dismiss");
    terminal.wait_quiet(DEAF);
    (project, terminal)
}

fn server(questions: &Value) -> Server {
    Server::with([
        Turn::tool("question", json!({ "questions": questions })),
        Turn::text("I see."),
    ])
}

#[track_caller]
fn assert_told(server: &Server, terminal: &Terminal, line: &str) {
    terminal.wait_text("I see.");
    let requests = server.requests();
    assert!(requests[1].mentions(line), "{line}\n{}", requests[1].body);
}

#[test]
fn keys_typed_as_a_form_appears_go_to_the_draft() {
    let server = server(&json!([database()]));
    let project = project(&server);
    let terminal = open(&project);
    say(&terminal, "go");
    terminal.wait_text("build has a question");
    terminal.keys("22x");
    terminal.wait_text("┃ 22x");
    terminal.wait_text("? 1 waits · Which database");
    terminal.key(Key::Tab);
    terminal.wait_text("dismiss");
    terminal.wait_quiet(DEAF);
    terminal.keys("1");
    assert_told(&server, &terminal, "\"Postgres\"");
}

#[test]
fn a_digit_chooses() {
    let server = server(&json!([database()]));
    let (_project, terminal) = asked(&server);
    terminal.keys("2");
    assert_told(&server, &terminal, "\"SQLite\"");
    terminal.wait_text("● Question Which database?");
    terminal.wait_text("› SQLite");
}

#[test]
fn arrows_move_and_enter_chooses() {
    let server = server(&json!([database()]));
    let (_project, terminal) = asked(&server);
    terminal.key(Key::Down);
    terminal.wait_text("❯  2");
    terminal.key(Key::Down);
    terminal.wait_text("❯  3");
    terminal.key(Key::Up);
    terminal.wait_text("❯  2");
    terminal.keys("kj");
    terminal.key(Key::Enter);
    assert_told(&server, &terminal, "\"SQLite\"");
}

#[test]
fn space_ticks_several() {
    let server = server(&json!([parts()]));
    let (_project, terminal) = asked(&server);
    terminal.keys(" ");
    terminal.wait_text("[x] api");
    terminal.keys("3");
    terminal.wait_text("[x] docs");
    terminal.keys("2");
    terminal.wait_text("[x] web");
    terminal.keys(" ");
    terminal.wait_text("[ ] web");
    terminal.key(Key::Enter);
    assert_told(&server, &terminal, "\"api\", \"docs\"");
}

#[test]
fn own_words_are_written_in_their_line() {
    let server = server(&json!([database()]));
    let (_project, terminal) = asked(&server);
    terminal.keys("3");
    terminal.wait_text("esc back");
    terminal.keys("Cockroch");
    terminal.key(Key::Left);
    terminal.key(Key::Left);
    terminal.keys("a");
    terminal.wait_text("Cockroach");
    terminal.paste("\nDB ");
    terminal.wait_text("Cockroa DB ch");
    terminal.key(Key::Ctrl('k'));
    terminal.wait_gone("DB ch");
    terminal.key(Key::Enter);
    assert_told(&server, &terminal, "\"Cockroa DB\"");
}

#[test]
fn tab_goes_through_the_questions_and_the_answers_are_shown_before_they_are_sent() {
    let server = server(&json!([database(), parts()]));
    let (_project, terminal) = asked(&server);
    terminal.key(Key::Tab);
    terminal.wait_text("Which parts?");
    terminal.key(Key::Tab);
    terminal.wait_text("unanswered");
    terminal.key(Key::Left);
    terminal.wait_text("Which parts?");
    terminal.key(Key::BackTab);
    terminal.wait_text("accept-edits");
    terminal.key(Key::Left);
    terminal.wait_text("Which database?");
    terminal.keys("1");
    terminal.wait_text("1 Database ✓");
    terminal.key(Key::Right);
    terminal.wait_text("send the answers");
    terminal.keys("2");
    terminal.wait_text("Which parts?");
    terminal.keys("2");
    terminal.wait_text("[x] web");
    terminal.key(Key::Enter);
    let answers = ["send the answers", "Postgres", "web", "· accept-edits"];
    terminal.wait_for(|screen| answers.iter().all(|part| screen.contains(part)));
    terminal.key(Key::Enter);
    assert_told(&server, &terminal, "\"Which parts?\" = \"web\"");
}

#[test]
fn x_dismisses_and_ends_the_turn() {
    let server = server(&json!([database()]));
    let (_project, terminal) = asked(&server);
    terminal.keys("x");
    terminal.wait_text("⊘ Question");
    terminal.wait_text("send");
    assert_eq!(server.requests().len(), 1);
}

#[test]
fn esc_leaves_it_for_later_and_the_leader_brings_it_back() {
    let server = server(&json!([database()]));
    let (_project, terminal) = asked(&server);
    terminal.keys("3");
    terminal.wait_text("esc back");
    terminal.keys("half an ans");
    terminal.wait_text("half an ans");
    terminal.key(Key::Esc);
    terminal.wait_text("esc later");
    terminal.wait_quiet(DEAF);
    terminal.key(Key::Esc);
    terminal.wait_text("ctrl+x . answers");
    // Once more is not an interrupt: esc is deaf after it closed something.
    terminal.key(Key::Esc);
    terminal.wait_quiet(DEAF);
    terminal.key(Key::Ctrl('x'));
    terminal.keys(".");
    terminal.wait_text("half an ans");
    terminal.wait_quiet(DEAF);
    terminal.keys("3");
    terminal.wait_text("esc back");
    terminal.keys("wer");
    terminal.key(Key::Enter);
    assert_told(&server, &terminal, "\"half an answer\"");
}

#[test]
fn ctrl_c_interrupts_and_keeps_what_was_written() {
    let server = server(&json!([{"question": "Why?"}]));
    let project = project(&server);
    let terminal = open(&project);
    say(&terminal, "go");
    terminal.wait_text("esc later");
    terminal.wait_quiet(DEAF);
    terminal.keys("because");
    terminal.wait_text("because");
    terminal.key(Key::Ctrl('c'));
    terminal.wait_text("send");
    terminal.wait_text("┃ because");
    terminal.wait_text("■ Question Why?");
}

/// The name of a character is no character of the text, and the text may have what looks like one.
#[test]
fn an_unseen_character_is_named_once_and_a_written_name_is_told_apart() {
    let question = json!({"question": "Which \u{202e}one?", "header": "The \u{200b}one", "options": [
        {"label": "a\u{202e}b", "description": "with \u{2066}it"},
        {"label": "a⟨U+202E⟩b", "description": "as written"},
    ]});
    let server = server(&json!([question]));
    let (_project, terminal) = asked(&server);
    let screen = terminal.screen();
    for shown in [
        "Which ⟨U+202E⟩one?",
        "a⟨U+202E⟩b",
        "with ⟨U+2066⟩it",
        "a⟨U+27E8⟩U+202E⟩b",
    ] {
        assert!(screen.contains(shown), "{shown}:\n{screen}");
    }
    assert_eq!(screen.matches("⟨U+27E8⟩").count(), 1, "{screen}");
    terminal.keys("1");
    assert_told(&server, &terminal, "\"a\u{202e}b\"");
}
