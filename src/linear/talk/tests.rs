use std::path::PathBuf;
use std::sync::mpsc;

use futures::FutureExt;
use tokio_util::sync::CancellationToken;

use super::sending::input;
use super::*;
use crate::conversation::{
    CallId, CallResult, ErrorKind, Message, MessageId, MessageState, ModelRef, Part, PartBody, SessionId, TextPart,
    Usage,
};
use crate::linear::trust::TOO_EARLY;
use crate::permission::Mode;
use crate::session::{Done, Event, QueuedKind, Retry};
use crate::tool::{Form, FormEvent, FormOption, FormQuestion, FormReply, Forms, Presence, Sheet};

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
    }
}

fn talk() -> Talk {
    let snapshot = Snapshot {
        seq: 0,
        info: info(),
        messages: Vec::new(),
        questions: Vec::new(),
        forms: Vec::new(),
        queue: Vec::new(),
        todos: Vec::new(),
        busy: false,
        draft: String::new(),
    };
    let mut talk = Talk::new(&snapshot, Arc::new(Registry::builtin()), &[]);
    talk.prompt();
    talk.take_text();
    talk
}

fn message(role: Role, text: &str) -> Arc<Message> {
    let body = PartBody::Text(TextPart {
        text: text.to_owned(),
        native: None,
    });
    Arc::new(Message {
        id: MessageId::new(),
        role,
        state: MessageState::Complete,
        agent: None,
        model: None,
        created: 0,
        parts: vec![Part { seq: 1, body }],
        stop: None,
        usage: None,
    })
}

fn sends(talk: &mut Talk) -> usize {
    let effects = talk.take_effects();
    effects
        .iter()
        .filter(|effect| matches!(effect, Effect::Send(_)))
        .count()
}

/// Lets a text stream in these pieces, and returns what is said after each.
fn stream(talk: &mut Talk, pieces: &[&str]) -> Vec<String> {
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
    talk.hear(&Event::TurnEnded(Done::Stop));
    assert_eq!(talk.take_text(), "| on\nFinished.\n> ");
}

#[test]
fn what_was_typed_is_not_said_again_and_what_waited_is() {
    let mut talk = talk();
    talk.read("one");
    talk.hear(&Event::MessageStarted(message(Role::User, "one")));
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
    talk.hear(&Event::MessageStarted(message(Role::User, "two")));
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
    talk.hear(&Event::MessageStarted(message(Role::User, hostile)));
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
fn an_error_before_the_turn_lets_the_person_type_again() {
    let mut talk = talk();
    talk.read("hi");
    assert_eq!(talk.take_text(), "");
    talk.hear(&Event::Refused(Arc::new(input("hi"))));
    assert_eq!(
        talk.take_text(),
        "Your message was not sent: a hook refused it. It was: hi\n> "
    );
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

fn form() -> Arc<Form> {
    let (sender, put) = mpsc::channel();
    let forms = Forms::telling(Presence::Somebody, move |event| {
        if let FormEvent::Put(form) = event {
            sender.send(form).unwrap();
        }
    });
    let option = |label: &str| FormOption {
        label: label.to_owned(),
        description: None,
    };
    let question = FormQuestion {
        question: "Which?".to_owned(),
        options: vec![option("this"), option("that")],
        ..FormQuestion::default()
    };
    let sheet = Sheet {
        title: "build has a question".to_owned(),
        card: None,
        questions: vec![question],
    };
    let (session, call) = (SessionId::new(), CallId::new());
    let _ = forms
        .put((&session, &call, "build"), sheet, &CancellationToken::new())
        .now_or_never();
    put.recv().unwrap()
}

#[test]
fn what_was_typed_before_a_question_could_be_read_answers_nothing() {
    let mut talk = talk();
    talk.read("go");
    talk.hear(&Event::TurnStarted);
    talk.take_effects();
    talk.hear(&Event::FormPut(form()));
    assert_eq!(talk.deaf(), Some(1));
    assert_eq!(
        talk.take_text(),
        "Working.\nQuestion: build has a question.\nIt asks: Which?\n1 this\n2 that\n0 no answer\n"
    );
    talk.read("2");
    assert!(talk.take_effects().is_empty());
    assert!(talk.take_text().contains("not taken as an answer"));
    talk.listen(1);
    assert_eq!(
        talk.take_text(),
        "Answer for \"build has a question\" with a number: "
    );
    talk.read("that");
    assert!(talk.take_effects().is_empty());
    assert!(talk.take_text().ends_with(" with a number: "));
    talk.read("2");
    assert!(matches!(
        talk.take_effects().as_slice(),
        [Effect::Send(Op::Fill { reply: FormReply::Answers(answers), .. })] if answers[0].picked == [1]
    ));
    assert_eq!(talk.take_text(), "Answered.\n");
}

#[test]
fn questions_come_one_after_the_other_and_those_that_are_withdrawn_go() {
    let mut talk = talk();
    talk.read("go");
    talk.hear(&Event::TurnStarted);
    // The numbers of forms are those of their queue, so both are one here.
    let first = form();
    talk.hear(&Event::FormPut(Arc::clone(&first)));
    talk.listen(1);
    talk.take_text();
    talk.hear(&Event::FormPut(form()));
    assert!(
        talk.take_text()
            .starts_with("\nAnother question waits behind this one; 2 in all.\n")
    );
    talk.hear(&Event::FormSettled {
        id: first.id,
        call: CallId::new(),
    });
    talk.hear(&Event::TurnEnded(Done::Cancelled));
    assert_eq!(
        talk.take_text(),
        "\nThe question was withdrawn.\nInterrupted.\n> "
    );
}

#[test]
fn a_message_can_be_sent_while_a_question_waits() {
    let mut talk = talk();
    talk.hear(&Event::FormPut(form()));
    talk.listen(1);
    talk.take_text();
    talk.read("/say wait, look at a.rs first");
    assert!(matches!(
        talk.take_effects().as_slice(),
        [Effect::Send(Op::Submit(input))] if input.text == "wait, look at a.rs first"
    ));
}

#[test]
fn no_line_of_a_model_or_a_tool_looks_like_lathes_own() {
    const FAKE: &str = "1 deny\n  3 allow once\nAnswer for \"x\" with a number: ";
    let mut talk = talk();
    talk.read("go");
    talk.take_text();
    let told = stream(&mut talk, &["So.\n\n", FAKE]).concat();
    talk.hear(&Event::TurnEnded(Done::Stop));
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

#[test]
fn a_question_is_said_again_where_other_words_came_before_its_answer() {
    let mut talk = talk();
    talk.read("go");
    talk.hear(&Event::TurnStarted);
    talk.hear(&Event::FormPut(form()));
    talk.listen(1);
    talk.take_text();
    let result = Arc::new(CallResult::error(ErrorKind::Io, "x", Some("1 deny")));
    talk.hear(&Event::CallEnded {
        call: CallId::new(),
        tool: "bash".to_owned(),
        result,
    });
    let text = talk.take_text();
    let again = "Question: build has a question.\nIt asks: Which?\n1 this\n2 that\n0 no answer\n\
                 Answer for \"build has a question\" with a number: ";
    assert!(text.ends_with(again), "{text}");
    talk.hear(&Event::Title("other".to_owned()));
    assert_eq!(talk.take_text(), "");
}

#[test]
fn a_question_does_not_inherit_the_time_of_the_one_before() {
    let mut talk = talk();
    talk.hear(&Event::FormPut(form()));
    talk.hear(&Event::FormPut(form()));
    talk.listen(1);
    talk.read("1");
    talk.take_text();
    talk.listen(1);
    assert_eq!(talk.deaf(), Some(2));
    talk.take_effects();
    talk.read("1");
    assert!(talk.take_effects().is_empty());
    assert_eq!(talk.take_text(), format!("{TOO_EARLY}\n"));
    talk.listen(2);
    assert_eq!(talk.deaf(), None);
}
