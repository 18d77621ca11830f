//! Messages: what goes with them, and what comes back.

use super::*;
use crate::session::mention::mentions;
use crate::session::{AgentChoice, ErrorReport, Input, ReportKind};

fn input(text: &str, meant: &[&str]) -> Input {
    Input {
        text: text.to_owned(),
        mentions: mentions(text),
        meant: meant.iter().map(|path| (*path).to_owned()).collect(),
        ..Input::default()
    }
}

/// Lets a message come back, as one that names a file that needs a word; or that cannot be read, where none is meant.
fn come_back(reader: &mut ReaderSession, text: &str, meant: &[&str]) {
    let report = ErrorReport {
        kind: ReportKind::BadRequest,
        message: "Your message was not sent: so it is.".to_owned(),
        hint: Some("Sent again as it is, it goes.".to_owned()),
    };
    let mut input = input(text, meant);
    if meant.is_empty() {
        input.without = vec!["gone/x".to_owned()];
    }
    let input = Arc::new(input);
    reader.take_event(&Event::Unread {
        input,
        report,
        why: String::new(),
    });
}

/// The one message that is sent now.
fn submitted(reader: &mut ReaderSession) -> Input {
    let mut effects = reader.take_effects();
    effects.retain(|effect| !matches!(effect, Effect::Send(Op::Draft(_))));
    match effects.as_slice() {
        [Effect::Send(Op::Submit(input))] => input.clone(),
        effects => panic!("{} effects", effects.len()),
    }
}

/// Returns the draft that the session was last told to keep, if any.
fn kept(reader: &mut ReaderSession) -> Option<String> {
    let effects = reader.take_effects();
    let drafts = effects.into_iter().filter_map(|effect| match effect {
        Effect::Send(Op::Draft(draft)) => Some(draft),
        _ => None,
    });
    drafts.last()
}

fn names(input: &Input) -> Vec<&str> {
    input
        .mentions
        .iter()
        .map(|mention| mention.path.as_str())
        .collect()
}

#[test]
fn an_error_before_the_turn_lets_the_person_type_again() {
    let mut reader = reader();
    reader.read("hi");
    assert_eq!(reader.take_text(), "");
    reader.take_event(&Event::Refused(Arc::new(input("hi", &[]))));
    assert_eq!(reader.take_text(), "Your message was not sent.\nIt was: hi\n> ");
}

#[test]
fn what_the_program_is_started_with_is_taken_like_a_line_and_answers_nothing() {
    let mut reader = reader();
    reader.begin_with("!ls");
    assert!(matches!(
        reader.take_effects().as_slice(),
        [Effect::Send(Op::Shell(command))] if command == "ls"
    ));
    reader.begin_with("/mode 4");
    assert!(matches!(
        reader.take_effects().as_slice(),
        [Effect::Send(Op::SetMode(Mode::Yolo)), Effect::Send(Op::Rejudge)]
    ));
    reader.begin_with("/nothing");
    let text = reader.take_text();
    assert!(text.contains("There is no command /nothing."), "{text}");
    reader.take_event(&Event::Asked(form()));
    reader.accept_answers(reader.unheard_round().unwrap());
    reader.begin_with("2");
    assert_eq!(submitted(&mut reader).text, "2");
}

#[test]
fn files_that_a_message_names_go_with_it() {
    let mut reader = reader();
    reader.read("see @src/a.rs:3-9 and @\"b c.md\", not me@example.com");
    let sent = submitted(&mut reader);
    assert_eq!(names(&sent), ["src/a.rs", "b c.md"]);
    assert_eq!(sent.mentions[0].lines, Some((3, 9)));
    reader.read("/queue then @b.rs:1");
    assert!(matches!(
        reader.take_effects().as_slice(),
        [Effect::Send(Op::Queue(input))] if names(input) == ["b.rs"]
    ));
}

#[test]
fn a_file_that_needs_a_word_goes_when_the_message_is_sent_again() {
    const TEXT: &str = "read @../secret";
    let mut reader = reader();
    reader.read(TEXT);
    assert_eq!(submitted(&mut reader).meant, [""; 0]);
    come_back(&mut reader, TEXT, &["../secret"]);
    assert_eq!(
        reader.take_text(),
        "Your message was not sent: so it is.\nSent again as it is, it goes.\nIt was: read @../secret\n> "
    );
    // Both were typed before why it came back could be heard.
    reader.read("/send");
    assert!(reader.take_text().starts_with("That came before you could hear"));
    reader.read(TEXT);
    assert_eq!(submitted(&mut reader).meant, [""; 0]);
    come_back(&mut reader, TEXT, &["../secret"]);
    reader.take_text();
    let round = reader.unheard_round().unwrap();
    assert!(!reader.is_question(round));
    reader.accept_answers(round);
    assert_eq!(
        reader.take_text(),
        "\n/send sends your message again unchanged.\n> "
    );
    reader.read("/send");
    let sent = submitted(&mut reader);
    assert_eq!(
        (names(&sent), &*sent.meant),
        (vec!["../secret"], ["../secret".to_owned()].as_slice())
    );
    // The word was for one message.
    reader.read(TEXT);
    assert_eq!(submitted(&mut reader).meant, [""; 0]);
}

#[test]
fn a_message_goes_without_the_file_that_cannot_be_read_when_it_is_sent_again() {
    let mut reader = reader();
    come_back(&mut reader, "see @gone/x", &[]);
    reader.read("see @gone/x");
    assert_eq!(submitted(&mut reader).without, ["gone/x"]);
    come_back(&mut reader, "see @gone/x", &[]);
    reader.read("see @gone/y");
    let sent = submitted(&mut reader);
    assert_eq!((names(&sent), sent.without.len()), (vec!["gone/y"], 0));
    reader.read("/send");
    assert!(reader.take_text().contains("No message is waiting to be sent."));
}

#[test]
fn a_question_is_heard_before_a_message_that_came_back() {
    let mut reader = reader();
    come_back(&mut reader, "see @../x", &["../x"]);
    reader.take_event(&Event::Asked(form()));
    assert_eq!(reader.unheard_round(), Some(2));
    assert!(reader.is_question(2));
    reader.accept_answers(2);
    assert_eq!(reader.unheard_round(), Some(1));
    reader.accept_answers(1);
    assert_eq!(reader.unheard_round(), None);
}

#[test]
fn an_agent_that_a_message_begins_with_goes_on() {
    let mut reader = reader();
    let agent = |name: &str| AgentChoice {
        name: name.to_owned(),
        ..AgentChoice::default()
    };
    reader.info.agents = vec![agent("build"), agent("plan")];
    reader.read("@plan look around");
    assert!(matches!(
        reader.take_effects().as_slice(),
        [Effect::Send(Op::SetAgent(agent)), Effect::Send(Op::Submit(input))]
            if agent == "plan" && input.text == "look around"
    ));
    reader.read("ask @plan");
    assert_eq!(submitted(&mut reader).text, "ask @plan");
    reader.read("@plan");
    assert!(matches!(
        reader.take_effects().as_slice(),
        [Effect::Send(Op::SetAgent(_))]
    ));
}

#[test]
fn what_a_hook_refused_is_sent_again_with_its_files() {
    let mut reader = reader();
    reader.read("see @a.rs:1");
    let sent = submitted(&mut reader);
    reader.take_event(&Event::Refused(Arc::new(sent.clone())));
    reader.accept_answers(reader.unheard_round().unwrap());
    reader.read("/send");
    assert_eq!(submitted(&mut reader), sent);
}

#[test]
fn what_was_left_unsent_is_told_and_sent_when_that_is_said() {
    let mut reader = begin("look\u{1b}[2J at @src/a.rs");
    let text = reader.take_text();
    assert!(
        text.contains("\nLeft unsent: look at @src/a.rs\n/send sends that.\n"),
        "{text}"
    );
    reader.read("something else first");
    reader.take_effects();
    reader.read("/send");
    assert!(matches!(
        reader.take_effects().as_slice(),
        [Effect::Send(Op::Submit(input)), Effect::Send(Op::Draft(draft))]
            if input.text == "look at @src/a.rs" && names(input) == ["src/a.rs"] && draft.is_empty()
    ));
    reader.read("/send");
    assert!(reader.take_text().contains("No message is waiting to be sent."));
}

#[test]
fn a_message_that_came_back_is_there_when_the_session_is_opened_again() {
    const TEXT: &str = "read @../secret";
    let mut here = reader();
    here.read(TEXT);
    assert_eq!(kept(&mut here), None);
    come_back(&mut here, TEXT, &["../secret"]);
    let draft = kept(&mut here).unwrap();
    here.read("/new");
    assert!(matches!(here.take_effects().as_slice(), [Effect::Begin(_)]));
    let mut again = begin(&draft);
    let text = again.take_text();
    assert!(text.contains("\nLeft unsent: read @../secret\n"), "{text}");
    again.read("/send");
    // The word for the file has to be given anew.
    let effects = again.take_effects();
    assert!(matches!(
        effects.as_slice(),
        [Effect::Send(Op::Submit(input)), Effect::Send(Op::Draft(draft))]
            if names(input) == ["../secret"] && input.meant.is_empty() && draft.is_empty()
    ));
    come_back(&mut again, TEXT, &["../secret"]);
    assert_eq!(kept(&mut again).as_deref(), Some(TEXT));
    // What is sent in its place takes its place.
    again.read("read @../other");
    assert_eq!(kept(&mut again).as_deref(), Some(""));
}

#[test]
fn what_came_back_is_kept_with_what_was_left_unsent_before() {
    let mut reader = begin("later");
    come_back(&mut reader, "see @gone/x", &[]);
    assert_eq!(kept(&mut reader).as_deref(), Some("see @gone/x\n\nlater"));
    reader.accept_answers(reader.unheard_round().unwrap());
    reader.read("/send");
    assert_eq!(kept(&mut reader).as_deref(), Some("later"));
    reader.read("/send");
    assert_eq!(kept(&mut reader).as_deref(), Some(""));
}
