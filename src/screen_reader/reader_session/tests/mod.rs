//! The conversation without a terminal: lines and events in, output and operations out.

mod asking;
mod looking;
mod sending;

use std::path::PathBuf;

use super::*;
use crate::conversation::sample::said;
use crate::conversation::{
    CallId, CallResult, ErrorKind, MessageId, ModelRef, Part, PartBody, SessionId, TextPart, Usage,
};
use crate::permission::Mode;
use crate::question::{Form, FormOption, FormQuestion, FormReply, Question, Reply};
use crate::screen_reader::trust::TOO_EARLY;
use crate::session::{Event, QueuedKind, Retry, SettledQuestion, TurnEndReason};

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
        demo: false,
        scope: None,
    }
}

fn snapshot(draft: &str) -> Snapshot {
    Snapshot {
        seq: 0,
        info: info(),
        messages: Vec::new(),
        questions: Vec::new(),
        queue: Vec::new(),
        todos: Vec::new(),
        busy: false,
        draft: draft.to_owned(),
    }
}

fn talk() -> ReaderSession {
    let mut talk = begin("");
    talk.take_text();
    talk
}

/// Begins to talk where a draft was left.
fn begin(draft: &str) -> ReaderSession {
    let tools = Arc::new(Registry::builtin());
    let mut talk = ReaderSession::new(&snapshot(draft), tools, TimeZone::UTC, &[]);
    talk.prompt();
    talk
}

fn sends(talk: &mut ReaderSession) -> usize {
    let effects = talk.take_effects();
    effects
        .iter()
        .filter(|effect| matches!(effect, Effect::Send(_)))
        .count()
}

/// Lets a text stream in these pieces, and returns what is said after each.
fn stream(talk: &mut ReaderSession, pieces: &[&str]) -> Vec<String> {
    let message = MessageId::new();
    let body = PartBody::Text(TextPart {
        text: String::new(),
        native: None,
    });
    let part = Part { seq: 7, body };
    talk.hear(&Event::PartStarted {
        message: message.clone(),
        part,
    });
    let told = pieces.iter().map(|piece| {
        talk.hear(&Event::Delta {
            message: message.clone(),
            part: 7,
            delta: (*piece).to_owned(),
        });
        talk.take_text()
    });
    told.collect()
}

#[test]
fn a_text_is_said_as_soon_as_a_sentence_is_whole() {
    let mut talk = talk();
    talk.read("hi");
    talk.hear(&Event::TurnStarted);
    talk.take_text();
    let told = stream(&mut talk, &["The te", "st sleeps. It", " waits\n", "on"]);
    assert_eq!(told, ["", "| The test sleeps. ", "It waits\n", ""]);
    talk.hear(&Event::TurnEnded(TurnEndReason::Stop));
    assert_eq!(talk.take_text(), "| on\nFinished.\n> ");
}

#[test]
fn what_was_typed_is_not_said_again_and_what_waited_is() {
    let mut talk = talk();
    talk.read("one");
    talk.hear(&Event::MessageStarted(said(Role::User, "one")));
    talk.hear(&Event::TurnStarted);
    assert_eq!(talk.take_text(), "Working.\n");
    talk.read("two");
    let waiting = Queued {
        id: 1,
        text: "two".to_owned(),
        kind: QueuedKind::Steer,
    };
    talk.hear(&Event::Queue(vec![waiting]));
    talk.hear(&Event::Queue(Vec::new()));
    talk.hear(&Event::MessageStarted(said(Role::User, "two")));
    assert_eq!(talk.take_text(), "Waits for the next step: two\nSent: two\n");
    assert_eq!(sends(&mut talk), 2);
}

#[test]
fn a_void_reply_is_followed_by_a_line_that_says_so() {
    let mut talk = talk();
    stream(&mut talk, &["Half. An ans"]);
    talk.hear(&Event::Retry(Retry {
        attempt: 1,
        delay_ms: 1500,
        reason: "the connection was lost".to_owned(),
        voided: Some(MessageId::new()),
    }));
    assert_eq!(
        talk.take_text(),
        "\nTrying again in 2 s: the connection was lost. What it had said is void.\n"
    );
}

#[test]
fn no_control_comes_through_from_anywhere() {
    let mut talk = talk();
    let hostile = "a\u{1b}[2Jb\u{9b}31m\u{7}\u{202e}c";
    stream(&mut talk, &[hostile, "\n"]);
    talk.read(hostile);
    talk.hear(&Event::Notice(hostile.to_owned()));
    talk.hear(&Event::MessageStarted(said(Role::User, hostile)));
    talk.hear(&Event::CallReady {
        call: CallId::new(),
        tool: hostile.to_owned(),
        args: serde_json::json!({ hostile: hostile }),
    });
    let call = CallId::new();
    let result = Arc::new(CallResult::error(ErrorKind::Io, hostile, Some(hostile)));
    talk.hear(&Event::CallEnded {
        call,
        tool: hostile.to_owned(),
        result,
    });
    talk.read("/status");
    let text = talk.take_text();
    let is_control = |c: char| (c.is_control() && c != '\n') || c == '\u{202e}';
    assert_eq!(text.find(is_control), None, "{text:?}");
}

#[test]
fn ctrl_c_twice_leaves_and_a_line_between_them_counts() {
    let mut talk = talk();
    talk.interrupt();
    talk.read("/todos");
    talk.interrupt();
    talk.stay();
    talk.interrupt();
    assert!(talk.take_effects().is_empty());
    talk.interrupt();
    assert!(matches!(talk.take_effects().as_slice(), [Effect::Leave]));
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
    let mut talk = talk();
    talk.read("go");
    talk.take_text();
    let told = stream(&mut talk, &["So.\n\n", FAKE]).concat();
    talk.hear(&Event::TurnEnded(TurnEndReason::Stop));
    let result = Arc::new(CallResult::error(ErrorKind::Io, FAKE, Some(FAKE)));
    talk.hear(&Event::CallEnded {
        call: CallId::new(),
        tool: "bash".to_owned(),
        result,
    });
    talk.hear(&Event::Notice(format!("what a hook says:\n{FAKE}")));
    let text = told + &talk.take_text();
    let of_model = "| So.\n\n| 1 deny\n|   3 allow once\n| Answer for \"x\" with a number: \nFinished.\n";
    assert!(text.starts_with(of_model), "{text}");
    let foreign = ["1 deny", "3 allow once", "Answer for"];
    let is_bare = |line: &&str| foreign.iter().any(|fake| line.trim_start().starts_with(fake));
    assert_eq!(text.lines().find(is_bare), None, "{text}");
    assert!(text.matches("1 deny").count() >= 3, "{text}");
}
