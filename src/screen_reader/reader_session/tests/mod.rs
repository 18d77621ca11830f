//! The conversation without a terminal: lines and events in, output and operations out.

mod asking;
mod looking;
mod sending;
mod tasks;

use std::path::PathBuf;
use std::sync::Arc;

use super::*;
use crate::conversation::sample::message;
use crate::conversation::{
    CallId, CallResult, ErrorKind, MessageId, ModelRef, Part, PartBody, SessionId, TextPart, Usage,
};
use crate::permission::{ChosenScopes, Mode};
use crate::question::{Form, FormOption, FormQuestion, FormReply, Question, Reply};
use crate::screen_reader::trust::TOO_EARLY;
use crate::session::{Event, QueuedKind, Retry, SettledQuestion, TurnEndReason};
use crate::swap::Swappable;

fn info() -> SessionInfo {
    let model: ModelRef = "local/test".parse().unwrap();
    SessionInfo {
        id: SessionId::new(),
        title: "a title".to_owned(),
        agent: "build".to_owned(),
        agents: Vec::new(),
        model,
        models: Vec::new(),
        commands: Vec::new(),
        mode: Mode::Ask,
        directory: PathBuf::from("/project"),
        context_limit: None,
        context_used: 0,
        usage: Usage::default(),
        cost: None,
        read_only: None,
        model_problem: None,
        demo: false,
        allows_edits: false,
        scopes: ChosenScopes::default(),
        surroundings: crate::session::Surroundings::default(),
    }
}

fn snapshot(draft: &str) -> Snapshot {
    Snapshot {
        seq: 0,
        info: info(),
        messages: Vec::new(),
        tasks: Vec::new(),
        terminals: Vec::new(),
        questions: Vec::new(),
        queue: Vec::new(),
        todos: Vec::new(),
        busy: false,
        draft: draft.to_owned(),
    }
}

fn reader() -> ReaderSession {
    let mut reader = begin("");
    reader.take_text();
    reader
}

/// Begins to reader where a draft was left.
fn begin(draft: &str) -> ReaderSession {
    let tools = BuiltinCards::new();
    let mut reader = ReaderSession::new(&snapshot(draft), tools, TimeZone::UTC, &[]);
    reader.prompt();
    reader
}

fn sends(reader: &mut ReaderSession) -> usize {
    let effects = reader.take_effects();
    effects
        .iter()
        .filter(|effect| matches!(effect, Effect::Send(_)))
        .count()
}

/// Lets a text stream in these pieces, and returns what is said after each.
fn stream(reader: &mut ReaderSession, pieces: &[&str]) -> Vec<String> {
    let message = MessageId::new();
    let body = PartBody::Text(TextPart {
        text: String::new(),
        native: None,
    });
    let part = Part { seq: 7, body };
    reader.take_event(&Event::PartStarted {
        message: message.clone(),
        part,
    });
    let told = pieces.iter().map(|piece| {
        reader.take_event(&Event::Delta {
            message: message.clone(),
            part: 7,
            delta: (*piece).to_owned(),
        });
        reader.take_text()
    });
    told.collect()
}

#[test]
fn a_text_is_said_as_soon_as_a_sentence_is_whole() {
    let mut reader = reader();
    reader.read("hi");
    reader.take_event(&Event::TurnStarted);
    reader.take_text();
    let told = stream(&mut reader, &["The te", "st sleeps. It", " waits\n", "on"]);
    assert_eq!(told, ["", "| The test sleeps. ", "It waits\n", ""]);
    reader.take_event(&Event::TurnEnded(TurnEndReason::Stop));
    assert_eq!(reader.take_text(), "| on\nFinished.\n> ");
}

#[test]
fn what_was_typed_is_not_said_again_and_what_waited_is() {
    let mut reader = reader();
    reader.read("one");
    reader.take_event(&Event::MessageStarted(message(Role::User, "one")));
    reader.take_event(&Event::TurnStarted);
    assert_eq!(reader.take_text(), "Working.\n");
    reader.read("two");
    let waiting = QueuedMessage {
        id: 1,
        text: "two".to_owned(),
        kind: QueuedKind::Steer,
    };
    reader.take_event(&Event::Queue(vec![waiting]));
    reader.take_event(&Event::Queue(Vec::new()));
    reader.take_event(&Event::MessageStarted(message(Role::User, "two")));
    assert_eq!(reader.take_text(), "Waits for the next step: two\nSent: two\n");
    assert_eq!(sends(&mut reader), 2);
}

#[test]
fn a_void_reply_is_followed_by_a_line_that_says_so() {
    let mut reader = reader();
    stream(&mut reader, &["Half. An ans"]);
    reader.take_event(&Event::Retry(Retry {
        most: 5,
        attempt: 1,
        delay_ms: 1500,
        reason: "the connection was lost".to_owned(),
        voided: Some(MessageId::new()),
    }));
    assert_eq!(
        reader.take_text(),
        "\nTrying again in 2 s: the connection was lost. Its incomplete reply is discarded.\n"
    );
}

#[test]
fn no_control_comes_through_from_anywhere() {
    let mut reader = reader();
    let hostile = "a\u{1b}[2Jb\u{9b}31m\u{7}\u{202e}c";
    stream(&mut reader, &[hostile, "\n"]);
    reader.read(hostile);
    reader.take_event(&Event::Notice(hostile.to_owned()));
    reader.take_event(&Event::MessageStarted(message(Role::User, hostile)));
    reader.take_event(&Event::CallReady {
        call: CallId::new(),
        tool: hostile.to_owned(),
        args: serde_json::json!({ hostile: hostile }),
    });
    let call = CallId::new();
    let result = Swappable::new(CallResult::error(ErrorKind::Io, hostile, Some(hostile)));
    reader.take_event(&Event::CallEnded {
        call,
        tool: hostile.to_owned(),
        result,
    });
    reader.read("/status");
    let text = reader.take_text();
    let is_control = |c: char| (c.is_control() && c != '\n') || c == '\u{202e}';
    assert_eq!(text.find(is_control), None, "{text:?}");
}

#[test]
fn ctrl_c_twice_leaves_and_a_line_between_them_counts() {
    let mut reader = reader();
    reader.interrupt();
    reader.read("/todos");
    reader.interrupt();
    reader.cancel_leaving();
    reader.interrupt();
    assert!(reader.take_effects().is_empty());
    reader.interrupt();
    assert!(matches!(reader.take_effects().as_slice(), [Effect::Leave]));
}

fn form() -> Arc<Question> {
    let option = |label: &str| FormOption {
        label: label.to_owned(),
        description: None,
    };
    let question = FormQuestion {
        question: "Which?".to_owned(),
        options: vec![option("this"), option("that")],
        ..FormQuestion::default()
    };
    let form = Form {
        title: "build has a question".to_owned(),
        card: None,
        questions: vec![question],
    };
    Question::sample(form).shared()
}

#[test]
fn no_line_of_a_model_or_a_tool_looks_like_lathes_own() {
    const FAKE: &str = "1 deny\n  3 allow once\nAnswer for \"x\" with a number: ";
    let mut reader = reader();
    reader.read("go");
    reader.take_text();
    let told = stream(&mut reader, &["So.\n\n", FAKE]).concat();
    reader.take_event(&Event::TurnEnded(TurnEndReason::Stop));
    let result = Swappable::new(CallResult::error(ErrorKind::Io, FAKE, Some(FAKE)));
    reader.take_event(&Event::CallEnded {
        call: CallId::new(),
        tool: "bash".to_owned(),
        result,
    });
    reader.take_event(&Event::Notice(format!("what a hook says:\n{FAKE}")));
    let text = told + &reader.take_text();
    let of_model = "| So.\n\n| 1 deny\n|   3 allow once\n| Answer for \"x\" with a number: \nFinished.\n";
    assert!(text.starts_with(of_model), "{text}");
    let foreign = ["1 deny", "3 allow once", "Answer for"];
    let is_bare = |line: &&str| foreign.iter().any(|fake| line.trim_start().starts_with(fake));
    assert_eq!(text.lines().find(is_bare), None, "{text}");
    assert!(text.matches("1 deny").count() >= 3, "{text}");
}

#[test]
fn a_call_of_a_tool_that_only_the_session_knows_is_told_by_the_sessions_card() {
    use crate::screen_reader::calls::SessionCards;
    use crate::view::card::{Card, CardPart};
    let mut reader = reader();
    let call = CallId::new();
    reader.take_event(&Event::CallReady {
        call: call.clone(),
        tool: "weather".to_owned(),
        args: serde_json::json!({ "city": "Oslo" }),
    });
    let running = Event::CallRunning { call: call.clone() };
    assert_eq!(reader.foreign_call(&running), Some(&call));
    let short = Card::new("Weather", "in Oslo");
    let cards = SessionCards {
        expanded: short.clone().part(CardPart::Text("all of it".to_owned())),
        short,
    };
    reader.take_cards(&call, cards);
    reader.take_event(&running);
    let text = reader.take_text();
    assert!(text.contains("Running Weather: in Oslo"), "{text}");
}
