//! Several sessions, one of them on screen.

use super::*;
use crate::session::Input;
use crate::session::host::{HostAnswer, HostQuery};
use crate::tool::BuiltinCards;
use crate::tui::sessions::{SessionTarget, SlotId};

/// Takes the requests to the loop since the last time, as short words.
fn asked(driver: &mut Driver) -> Vec<String> {
    let effects = std::mem::take(&mut driver.effects);
    let words = effects.iter().filter_map(|effect| match effect {
        Effect::OpenSession(slot, SessionTarget::New) => Some(format!("open {}", slot.0)),
        Effect::OpenSession(slot, SessionTarget::Session(id)) => Some(format!("open {} {id}", slot.0)),
        Effect::OpenSession(slot, SessionTarget::Moved(id, to)) => {
            Some(format!("move {} {id} {}", slot.0, to.display()))
        }
        Effect::OpenSession(slot, SessionTarget::Fork(of, point)) => {
            Some(format!("fork {} {of} {point:?}", slot.0))
        }
        Effect::ShowSession(slot) => Some(format!("show {}", slot.0)),
        Effect::CloseSession(slot) => Some(format!("close {}", slot.0)),
        Effect::Send(Op::Draft(text)) => Some(format!("draft {text}")),
        Effect::SendTo(slot, Op::Draft(text)) => Some(format!("draft of {}: {text}", slot.0)),
        Effect::Send(op) => Some(format!("send {op:?}")),
        Effect::SendTo(slot, op) => Some(format!("send {}: {op:?}", slot.0)),
        Effect::Quit => Some("quit".to_owned()),
        _ => None,
    });
    words.collect()
}

/// A session that is not on screen is open, under a name.
fn opened(driver: &mut Driver, slot: u32, title: &str) -> SessionId {
    let mut snapshot = driver.snapshot();
    snapshot.info.id = SessionId::new();
    snapshot.info.title = title.to_owned();
    let id = snapshot.info.id.clone();
    let now = driver.now;
    driver.app.session_opened(
        SlotId(slot),
        &snapshot,
        BuiltinCards::new(),
        OpeningNotes::default(),
        now,
    );
    driver.collect();
    id
}

/// An event of a session, wherever it is.
fn says(driver: &mut Driver, slot: u32, session: &SessionId, event: Event) -> RedrawUrgency {
    let envelope = Envelope {
        seq: 1,
        session: session.clone(),
        event,
    };
    let now = driver.now;
    let change = driver.app.session_event(SlotId(slot), &envelope, now);
    driver.collect();
    change
}

fn title_row(driver: &mut Driver) -> String {
    driver.text().lines().next().unwrap_or_default().to_owned()
}

/// Two sessions: `first`, which works, and a second one on screen.
fn two() -> (Driver, SessionId) {
    let mut driver = Driver::open();
    driver.event(Event::TurnStarted);
    driver.press("ctrl+x n");
    assert_eq!(asked(&mut driver), ["open 1", "show 1"]);
    let first = driver.session.clone();
    driver.session = opened(&mut driver, 1, "");
    (driver, first)
}

#[test]
fn a_new_session_takes_the_screen_at_once_and_the_old_one_works_on() {
    let mut driver = Driver::open();
    driver.event(Event::TurnStarted);
    driver.type_text("half a thought");
    driver.press("ctrl+x n");
    assert_eq!(
        asked(&mut driver),
        ["open 1", "draft half a thought", "show 1"],
        "the draft is stored before another session is shown"
    );
    let text = driver.text();
    assert!(
        !text.contains("half a thought") && !text.contains("flaky"),
        "{text}"
    );
    driver.type_text("typed ahead");
    driver.press("enter");
    assert!(
        asked(&mut driver).is_empty(),
        "what is sent waits for the session"
    );
    assert!(driver.text().contains("opens ┃ typed ahead"), "{}", driver.text());
    opened(&mut driver, 1, "");
    assert_eq!(asked(&mut driver).len(), 1);
    assert!(
        title_row(&mut driver).contains(" 1 other · "),
        "{}",
        title_row(&mut driver)
    );
    driver.press("ctrl+x tab");
    let text = driver.text();
    assert!(
        text.contains("┃ half a thought") && text.contains("fix the flaky retry test"),
        "{text}"
    );
}

#[test]
fn what_a_session_says_elsewhere_is_there_when_it_is_shown_again() {
    let (mut driver, first) = two();
    let change = says(&mut driver, 0, &first, Event::Notice("said meanwhile".to_owned()));
    assert_eq!(change, RedrawUrgency::None, "nothing of it is on screen");
    assert!(!driver.text().contains("said meanwhile"));
    driver.press("ctrl+x tab");
    assert!(driver.text().contains("said meanwhile"), "{}", driver.text());
}

#[test]
fn the_title_row_counts_what_others_want_until_it_was_seen() {
    let (mut driver, first) = two();
    assert!(title_row(&mut driver).contains("1 other · local"));
    let change = says(&mut driver, 0, &first, Event::TurnEnded(TurnEndReason::Stop));
    assert_eq!(change, RedrawUrgency::None, "it still wants to be looked at");
    assert!(title_row(&mut driver).contains("1 other · local"));
    driver.press("ctrl+x tab");
    assert!(
        !title_row(&mut driver).contains("other"),
        "{}",
        title_row(&mut driver)
    );
}

#[test]
fn a_question_elsewhere_is_counted_and_the_same_key_leads_to_it() {
    let (mut driver, first) = two();
    driver.type_text("a draft");
    let question = driver.ask(bash("cargo test", &["cargo test *"]));
    // The driver asked on screen; it is the other session that does.
    driver.event(Event::Settled(settled(&question)));
    says(&mut driver, 0, &first, Event::Asked(question));
    assert!(
        title_row(&mut driver).contains("1 other · 1 question"),
        "{}",
        title_row(&mut driver)
    );
    assert!(
        driver.text().contains("┃ a draft"),
        "nothing moved what is looked at"
    );
    driver.press("ctrl+x .");
    assert!(driver.text().contains("cargo test"), "{}", driver.text());
    driver.press("y");
    assert!(
        driver.replies().is_empty(),
        "a question that comes on screen is deaf at first"
    );
    driver.hear();
    driver.press("y");
    assert_eq!(driver.replies(), [PermissionReply::Once]);
    driver.press("ctrl+x .");
    assert!(
        driver.hints().contains("no question is waiting"),
        "{}",
        driver.hints()
    );
}

fn settled(question: &Question) -> SettledQuestion {
    SettledQuestion {
        id: question.id,
        call: question.call.clone(),
        permission: Some(SettledPermission {
            tool: "bash".to_owned(),
            asked: Vec::new(),
            reply: PermissionReply::Once,
        }),
    }
}

#[test]
fn a_prompt_that_was_refused_elsewhere_comes_back_to_its_own_draft() {
    let (mut driver, first) = two();
    says(
        &mut driver,
        0,
        &first,
        Event::Refused(Arc::new(Input {
            text: "the whole prompt".to_owned(),
            ..Default::default()
        })),
    );
    assert_eq!(
        asked(&mut driver),
        ["draft of 0: the whole prompt"],
        "and is stored at once"
    );
    assert!(!driver.text().contains("the whole prompt"));
    driver.press("ctrl+x tab");
    assert!(driver.text().contains("┃ the whole prompt"), "{}", driver.text());
}

#[test]
fn there_is_one_new_session_at_most() {
    let (mut driver, first) = two();
    driver.press("ctrl+x n");
    assert!(
        driver.hints().contains("this session is new"),
        "{}",
        driver.hints()
    );
    driver.type_text("kept");
    driver.press("ctrl+x tab");
    assert_eq!(asked(&mut driver), ["draft kept", "show 0"]);
    driver.press("ctrl+x n");
    assert_eq!(asked(&mut driver), ["show 1"], "the one that is new already");
    assert!(driver.text().contains("┃ kept"));
    driver.press("ctrl+c ctrl+x tab");
    assert_eq!(
        asked(&mut driver),
        ["draft ", "show 0", "close 1"],
        "without a word in it, it is let go"
    );
    driver.press("ctrl+x tab");
    assert!(
        driver.hints().contains("no other session is open"),
        "{}",
        driver.hints()
    );
    let _ = first;
}

#[test]
fn a_session_that_is_open_is_shown_and_another_is_opened() {
    let (mut driver, first) = two();
    driver.event(Event::Title("the second".to_owned()));
    let (now, second) = (driver.now, driver.session.clone());
    driver.app.go_to_session(&second, "the second", now);
    driver.app.go_to_session(&first, "whatever", now);
    let third: SessionId = "ses_third".parse().unwrap();
    driver.app.go_to_session(&third, "the third", now);
    driver.app.go_to_session(&third, "the third", now);
    driver.collect();
    assert_eq!(asked(&mut driver), ["show 0", "open 2 ses_third", "show 2"]);
    assert!(
        title_row(&mut driver).contains("lathe · the third"),
        "{}",
        title_row(&mut driver)
    );
}

#[test]
fn one_that_could_only_be_read_is_opened_anew_with_what_was_written() {
    let mut driver = Driver::open();
    let (now, held) = (driver.now, "ses_held".parse().unwrap());
    driver.app.go_to_session(&held, "held", now);
    let mut snapshot = driver.snapshot();
    snapshot.info.id = held.clone();
    snapshot.info.read_only = Some(ReadOnlyReason::OpenIn("process 7".to_owned()));
    driver.app.session_attached(SlotId(1), &snapshot, now);
    driver.type_text("not sent yet");
    asked(&mut driver);
    driver.app.go_to_session(&held, "held", now);
    driver.collect();
    assert_eq!(asked(&mut driver), ["open 2 ses_held", "show 2", "close 1"]);
    assert!(driver.text().contains("┃ not sent yet"), "{}", driver.text());
    driver.press("ctrl+x tab");
    assert_eq!(asked(&mut driver), ["show 0"]);
}

#[test]
fn one_whose_directory_is_gone_goes_on_here_after_a_yes() {
    let mut driver = Driver::open();
    let now = driver.now;
    let lost: SessionId = "ses_lost".parse().unwrap();
    driver.app.go_to_session(&lost, "lost", now);
    let mut snapshot = driver.snapshot();
    snapshot.info.id = lost.clone();
    snapshot.info.read_only = Some(ReadOnlyReason::DirectoryGone("/gone".into()));
    driver.app.session_attached(SlotId(1), &snapshot, now);
    let shown = driver.text();
    assert!(shown.contains("Its directory is gone"), "{shown}");
    driver.press("enter");
    driver.wait(400);
    let shown = driver.text();
    assert!(
        shown.contains("Continue in ") && shown.contains("/gone"),
        "{shown}"
    );
    asked(&mut driver);
    driver.press("h");
    let is_looked_at = |effect: &Effect| matches!(effect, Effect::AskHost(HostQuery::Place { session, .. }) if *session == lost);
    assert!(driver.effects.iter().any(is_looked_at));
    asked(&mut driver);
    let place = Ok("/here".into());
    let answer = HostAnswer::Place {
        session: lost.clone(),
        place,
    };
    driver.app.answered_by_host(answer, driver.now);
    driver.collect();
    assert_eq!(asked(&mut driver), ["move 2 ses_lost /here", "show 2", "close 1"]);
}

#[test]
fn sessions_at_rest_are_closed_when_there_are_too_many() {
    let mut driver = Driver::open();
    for slot in 1..=10 {
        let id: SessionId = format!("ses_{slot}").parse().unwrap();
        let now = driver.now;
        driver.app.go_to_session(&id, "one more", now);
        opened(&mut driver, slot, "one more");
    }
    let closed: Vec<String> = asked(&mut driver)
        .into_iter()
        .filter(|word| word.starts_with("close"))
        .collect();
    assert_eq!(closed, ["close 0", "close 1"]);
}

#[test]
fn a_session_that_fails_to_open_shows_the_error_and_is_closed() {
    let mut driver = Driver::open();
    let now = driver.now;
    driver.app.go_to_session(&"ses_9".parse().unwrap(), "gone", now);
    let report = ErrorReport {
        kind: ReportKind::Storage,
        message: "there is no session `ses_9`".to_owned(),
        hint: None,
    };
    driver.app.session_not_opened(SlotId(1), report, now);
    assert!(driver.text().contains("there is no session"), "{}", driver.text());
    driver.press("ctrl+x tab ctrl+x tab");
    assert!(
        driver.hints().contains("no other session is open"),
        "{}",
        driver.hints()
    );
}

#[test]
fn quitting_asks_while_another_session_works() {
    let (mut driver, first) = two();
    driver.press("ctrl+c ctrl+c");
    assert!(asked(&mut driver).is_empty());
    let text = driver.text();
    assert!(text.contains(" Another session is running."), "{text}");
    assert_eq!(driver.app.state().dialog, Some("quit"));
    for key in ["enter", "ctrl+p", "pgup", "tab", "shift+tab", "ctrl+x"] {
        driver.press(key);
        assert!(driver.text().contains(" Another session is running."), "{key}");
        assert_eq!(asked(&mut driver), [""; 0], "{key}");
    }
    driver.press("n");
    assert!(!driver.text().contains("is running"));
    driver.press("ctrl+c ctrl+c y");
    assert_eq!(asked(&mut driver), ["quit"]);
    says(&mut driver, 0, &first, Event::TurnEnded(TurnEndReason::Stop));
    driver.press("ctrl+c ctrl+c");
    assert_eq!(
        asked(&mut driver),
        ["quit"],
        "a turn that has ended is no reason to ask"
    );
}

#[test]
fn pictures_of_a_screen_with_others() {
    for size in [(80, 24), (120, 36), (40, 12)] {
        let (mut driver, first) = two();
        driver.event(Event::Title("write the release notes".to_owned()));
        driver
            .app
            .go_to_session(&"ses_3".parse().unwrap(), "inject a clock", driver.now);
        let second = driver.session.clone();
        let third = opened(&mut driver, 2, "inject a clock");
        let question = driver.ask(bash("cargo test", &["cargo test *"]));
        driver.session = third;
        driver.event(Event::Settled(settled(&question)));
        says(&mut driver, 0, &first, Event::Asked(question));
        says(&mut driver, 1, &second, Event::TurnStarted);
        pictures::picture(&mut driver, "others", size);
    }
}

#[test]
fn pictures_of_quitting_while_another_session_works() {
    for size in [(80, 24), (120, 36), (40, 12)] {
        let (mut driver, _) = two();
        driver.press("ctrl+c ctrl+c");
        pictures::picture(&mut driver, "quitting", size);
    }
}

#[test]
fn a_fork_opens_a_session_of_its_own_and_the_old_one_stays() {
    let mut driver = pictures::conversation();
    let session = driver.session.clone();
    driver.text();
    driver.press("ctrl+x [");
    asked(&mut driver);
    driver.press("k f y");
    assert_eq!(asked(&mut driver), [""; 0], "what is typed on answers nothing");
    driver.wait(300);
    driver.press("y");
    let words = asked(&mut driver);
    assert_eq!(words.len(), 2, "{words:?}");
    assert!(
        words[0].starts_with(&format!("fork 1 {session} Before(")) && words[1] == "show 1",
        "{words:?}"
    );
    assert_eq!(driver.app.state().focus, "composer");
    let text = driver.text();
    assert!(
        text.contains("fix the flaky retry test") && !text.contains("deterministic"),
        "{text}"
    );
    let mut snapshot = driver.snapshot();
    snapshot.info.id = SessionId::new();
    snapshot.draft = "make the retry test deterministic".to_owned();
    let now = driver.now;
    driver.app.session_opened(
        SlotId(1),
        &snapshot,
        BuiltinCards::new(),
        OpeningNotes::default(),
        now,
    );
    driver.collect();
    assert!(
        driver.text().contains("┃ make the retry test"),
        "{}",
        driver.text()
    );
    driver.press("ctrl+x tab");
    assert!(
        driver.text().contains("I will inject a clock"),
        "{}",
        driver.text()
    );
}

#[test]
fn the_palette_forks_all_of_the_conversation() {
    let mut driver = pictures::conversation();
    driver.text();
    driver.press("ctrl+p");
    driver.type_text("fork");
    driver.press("enter");
    let words = asked(&mut driver);
    assert!(
        words[0].starts_with("fork 1 ") && words[0].contains("After("),
        "{words:?}"
    );
}

#[test]
fn a_step_that_is_under_way_is_not_forked() {
    let mut driver = pictures::conversation();
    driver.text();
    driver.event(Event::TurnStarted);
    let mut streaming = Message::clone(&message(Role::Assistant, "I"));
    streaming.state = MessageState::Streaming;
    driver.event(Event::MessageStarted(Arc::new(streaming)));
    driver.press("ctrl+x [ G f");
    assert!(asked(&mut driver).is_empty());
    let hints = driver.hints();
    assert!(hints.contains("this step is still running"), "{hints}");
}

#[test]
fn two_conversations_are_drawn_side_by_side_and_both_are_live() {
    let (mut driver, first) = two();
    let (area, left) = (Rect::new(0, 0, 120, 24), Rect::new(0, 0, 60, 24));
    let right = Rect { x: 60, ..left };
    let draw = |driver: &mut Driver| {
        let mut buffer = Buffer::empty(area);
        let caret = driver.app.draw(left, &mut buffer, driver.now);
        let drawn = driver.app.draw_view(SlotId(0), right, &mut buffer, driver.now);
        let (_, beside) = drawn.expect("the first session is open");
        assert!(
            caret.is_some_and(|caret| caret.x < 60),
            "the one in front has the keys"
        );
        assert_eq!(beside, None);
        Frame { buffer, caret }.text()
    };
    driver.type_text("a draft in the second");
    draw(&mut driver);
    let change = says(
        &mut driver,
        0,
        &first,
        Event::Notice("said in the first".to_owned()),
    );
    assert_eq!(change, RedrawUrgency::Urgent, "it is seen");
    let here = driver.session.clone();
    says(
        &mut driver,
        1,
        &here,
        Event::Notice("said in the second".to_owned()),
    );
    let text = draw(&mut driver);
    for (words, is_left) in [
        ("a draft in the second", true),
        ("said in the second", true),
        ("said in the first", false),
    ] {
        let row = text.lines().find(|row| row.contains(words)).expect(words);
        let column = row.find(words).map(|at| row[..at].chars().count());
        assert_eq!(column < Some(60), is_left, "{words}:\n{text}");
    }
    says(&mut driver, 0, &first, Event::TurnStarted);
    draw(&mut driver);
    assert!(driver.app.is_animated(), "the spinner of its status line turns");
    // One that is not drawn costs no frame.
    driver.frame();
    assert!(!driver.app.is_animated());
    let change = says(&mut driver, 0, &first, Event::Notice("more of it".to_owned()));
    assert_eq!(change, RedrawUrgency::None);
}
