//! The composer: sending, queueing, taking back, leaving, and the draft.

use super::*;

#[test]
fn hints_say_send_when_idle_and_esc_only_while_a_turn_runs() {
    let mut driver = Driver::open();
    assert!(driver.hints().contains("send") && !driver.hints().contains("esc"));
    driver.event(Event::TurnStarted);
    let busy = driver.hints();
    assert!(
        busy.contains("esc interrupt") && busy.contains("steer") && !busy.contains("send"),
        "{busy}"
    );
    driver.event(Event::TurnEnded(TurnEndReason::Stop));
    assert!(driver.hints().contains("send") && !driver.hints().contains("esc"));
}

#[test]
fn a_new_session_names_the_keys_to_begin_with_until_something_is_said() {
    let mut driver = Driver::open();
    let text = driver.text();
    for words in [
        "~/src/retry · local/test-model",
        "For example: ",
        "ctrl+x s    earlier sessions",
        "ctrl+p      every action, by name",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
    driver.size = (40, 10);
    let low = driver.text();
    assert!(low.contains("~/src/retry") && !low.contains("sessions"), "{low}");
    driver.size = (80, 24);
    driver.event(Event::TurnStarted);
    assert!(!driver.text().contains("earlier sessions"));
}

#[test]
fn a_session_that_is_reopened_is_not_begun_with_a_welcome() {
    let mut driver = Driver::with(Setup {
        reopens: true,
        ..setup()
    });
    assert!(!driver.text().contains("For example"));
    assert_eq!(driver.wait(399), RedrawUrgency::None);
    assert!(!driver.text().contains("opening"));
    assert_eq!(driver.wait(1), RedrawUrgency::Soft);
    let text = driver.text();
    assert!(
        text.contains("opening the session") && !text.contains("earlier"),
        "{text}"
    );
    driver.attach(&driver.snapshot());
    let text = driver.text();
    assert!(
        !text.contains("opening the session") && text.contains("earlier"),
        "{text}"
    );
}

#[test]
fn an_idle_composer_names_what_begins_something_and_the_least_important_goes_first() {
    let mut driver = Driver::open();
    let all = "⏎ send · ⇥ agent · @ file · / command · ! shell · ? keys · shift+tab mode";
    assert_eq!(driver.hints().trim(), all);
    driver.size = (40, 12);
    assert_eq!(driver.hints().trim(), "⏎ send · ⇥ agent · @ file · / command");
    driver.size = (80, 24);
    driver.type_text("x");
    let written = "⏎ send · ⇥ agent · @ file · shift+tab mode · ctrl+j newline";
    assert_eq!(driver.hints().trim(), written, "a sign in the middle is text");
}

#[test]
fn enter_sends_alt_enter_queues_and_blank_text_does_neither() {
    let mut driver = Driver::open();
    driver.press("enter");
    driver.type_text("  ");
    driver.press("enter");
    assert_eq!(inputs(&driver.sent()), []);
    driver.type_text("one");
    driver.press("enter");
    driver.type_text("two");
    driver.press("alt+enter");
    let sent = driver.sent();
    assert_eq!(inputs(&sent), [("submit", "  one"), ("queue", "two")]);
}

#[test]
fn esc_twice_within_a_second_interrupts() {
    let mut driver = Driver::open();
    driver.event(Event::TurnStarted);
    driver.press("esc");
    assert!(driver.sent().is_empty());
    assert!(
        driver.hints().contains("esc again interrupts"),
        "{}",
        driver.hints()
    );
    driver.wait(900);
    driver.press("esc");
    assert!(matches!(driver.sent()[..], [Op::Interrupt]));
    driver.press("esc esc");
    assert!(driver.sent().is_empty(), "presses too many");
    driver.hear();
    driver.press("esc");
    assert_eq!(
        driver.wait(1001),
        RedrawUrgency::Urgent,
        "the hint goes back by itself"
    );
    driver.press("esc");
    assert!(driver.sent().is_empty(), "too late: armed anew");
}

#[test]
fn any_other_key_between_two_presses_takes_the_first_back() {
    for other in ["x", "alt+z", "pgup", "ctrl+x ]", "ctrl+p ctrl+c"] {
        let mut driver = Driver::open();
        driver.event(Event::TurnStarted);
        driver.press("esc");
        assert_eq!(driver.press(other), RedrawUrgency::Urgent, "{other}");
        assert!(!driver.hints().contains("again interrupts"), "{other}");
        driver.wait(310);
        driver.sent();
        driver.press("esc");
        assert!(driver.sent().is_empty(), "{other}: the turn goes on");
        assert!(driver.hints().contains("again interrupts"), "{other}");
        driver.press("esc");
        assert!(matches!(driver.sent()[..], [Op::Interrupt]), "{other}");
    }
    let mut driver = Driver::open();
    driver.press("ctrl+c");
    driver.press("alt+z");
    assert!(!driver.hints().contains("again quits"), "{}", driver.hints());
    driver.press("ctrl+c");
    let quits = |effect: &Effect| matches!(effect, Effect::Quit);
    assert!(!driver.effects.iter().any(quits));
    driver.press("ctrl+c");
    assert!(driver.effects.iter().any(quits));
}

#[test]
fn esc_that_puts_a_question_off_is_not_the_second_that_interrupts() {
    let mut driver = Driver::open();
    driver.event(Event::TurnStarted);
    driver.press("esc");
    driver.ask(bash("cargo test", &[]));
    driver.hear();
    driver.press("esc");
    driver.wait(310);
    driver.press("esc");
    assert!(driver.sent().is_empty(), "armed anew");
    assert!(driver.hints().contains("again interrupts"), "{}", driver.hints());
}

#[test]
fn esc_is_ignored_for_a_moment_after_it_closed_something() {
    let mut driver = Driver::open();
    driver.event(Event::TurnStarted);
    driver.press("?");
    driver.press("esc");
    driver.wait(200);
    driver.press("esc");
    assert_eq!(driver.app.state().dropped_keys, 1);
    driver.wait(200);
    driver.press("esc");
    assert!(driver.sent().is_empty() && driver.hints().contains("again"));
}

#[test]
fn ctrl_c_clears_then_interrupts_then_quits() {
    let mut driver = Driver::open();
    driver.event(Event::TurnStarted);
    driver.type_text("x");
    driver.press("ctrl+c");
    assert!(!driver.text().contains("┃ x"));
    driver.press("ctrl+c");
    assert!(matches!(driver.sent()[..], [Op::Interrupt]));
    driver.event(Event::TurnEnded(TurnEndReason::Cancelled));
    driver.press("ctrl+c");
    assert!(driver.hints().contains("ctrl+c again quits"));
    driver.wait(1500);
    driver.press("ctrl+c");
    assert!(!driver.effects.iter().any(|effect| matches!(effect, Effect::Quit)));
    driver.press("ctrl+c");
    assert!(matches!(driver.effects.last(), Some(Effect::Quit)));
}

#[test]
fn shift_tab_cycles_the_mode_and_the_screen_says_which() {
    let mut driver = Driver::open();
    for named in [
        "build · accept-edits",
        "test-model · plan",
        "build · ask",
        "build · accept-edits",
    ] {
        driver.press("shift+tab");
        let first = driver.text().lines().next().unwrap().to_owned();
        assert!(first.contains(named), "{first}");
    }
    assert_eq!(driver.sent().len(), 4);
}

#[test]
fn enter_on_an_empty_composer_sends_what_is_held() {
    let mut driver = Driver::open();
    driver.event(Event::Queue(vec![queued(1, "later", QueuedKind::Held)]));
    assert!(driver.hints().contains("send 1 held"), "{}", driver.hints());
    driver.press("enter");
    assert!(matches!(driver.sent()[..], [Op::Release]));
}

#[test]
fn the_draft_is_stored_once_typing_stops() {
    let mut driver = Driver::open();
    driver.type_text("ab");
    driver.wait(200);
    driver.type_text("c");
    driver.wait(200);
    assert!(driver.sent().is_empty());
    driver.wait(51);
    assert!(matches!(&driver.sent()[..], [Op::Draft(text)] if text == "abc"));
    driver.wait(1000);
    assert!(driver.sent().is_empty());
    driver.type_text("d");
    driver.press("ctrl+z");
    assert!(
        matches!(&driver.effects[..], [Effect::Send(Op::Draft(text)), Effect::Suspend] if text == "abcd")
    );
}

#[test]
fn a_stored_draft_comes_back_unless_something_was_typed() {
    let mut driver = Driver::closed();
    driver.attach(&Snapshot {
        draft: "stored".to_owned(),
        ..driver.snapshot()
    });
    assert!(driver.text().contains("┃ stored"));
    let mut driver = Driver::closed();
    driver.type_text("new");
    driver.attach(&Snapshot {
        draft: "stored".to_owned(),
        ..driver.snapshot()
    });
    assert!(driver.text().contains("┃ new"));
}

#[test]
fn nothing_moves_and_nothing_is_due_when_idle() {
    let mut driver = Driver::open();
    driver.frame();
    assert_eq!(driver.app.deadline(driver.now), None);
    assert_eq!(driver.wait(60_000), RedrawUrgency::None);
}

#[test]
fn yolo_asks_first_and_says_what_would_run_at_once() {
    let mut driver = Driver::open();
    driver.type_text("cargo");
    driver.ask(bash("rm -rf build", &[]));
    driver.press("ctrl+c");
    driver.type_text("/mode yolo");
    driver.press("enter");
    let text = driver.text();
    assert!(
        text.contains("Answer everything with yes from now on?") && text.contains("bash rm -rf build"),
        "{text}"
    );
    let changes = |op: &Op| matches!(op, Op::SetMode(_));
    assert!(!driver.sent().iter().any(changes));
    driver.wait(301);
    driver.press("n");
    assert!(driver.text().lines().next().unwrap().contains("build · ask"));
    driver.type_text("/mode yolo");
    driver.press("enter");
    driver.wait(301);
    driver.press("y");
    assert!(driver.text().lines().next().unwrap().contains("build · yolo"));
    driver.press("shift+tab");
    assert!(driver.text().lines().next().unwrap().contains("build · ask"));
}

#[test]
fn the_title_says_that_edits_are_allowed_while_a_rule_allows_them() {
    let mut driver = Driver::open();
    driver.event(Event::AllowsEdits(true));
    let title = |driver: &mut Driver| driver.text().lines().next().unwrap().to_owned();
    assert!(
        title(&mut driver).contains("build · ask · edits allowed"),
        "{}",
        title(&mut driver)
    );
    driver.event(Event::AllowsEdits(false));
    assert!(!title(&mut driver).contains("edits allowed"));
}
