//! Questions while somebody types: which keys are theirs, when they open, and how a person goes to one.

use super::*;

#[test]
fn keys_of_a_draft_go_on_into_it_while_a_question_appears() {
    let mut driver = Driver::open();
    driver.event(Event::TurnStarted);
    driver.type_text("make it fast");
    driver.wait(100);
    driver.ask(bash("rm -rf /", &[]));
    driver.type_text("er, yes");
    assert!(
        driver.text().contains("┃ make it faster, yes"),
        "{}",
        driver.text()
    );
    assert_eq!(driver.app.state().focus, "composer");
    driver.wait(5000);
    driver.press("n left");
    assert_eq!(
        driver.replies(),
        [],
        "a draft keeps the keys however long it rests"
    );
    driver.press("right ctrl+h ctrl+x .");
    driver.wait(300);
    driver.press("n");
    assert_eq!(driver.replies(), [PermissionReply::Reject(None)]);
    assert!(
        driver.text().contains("┃ make it faster, yes"),
        "the draft is still there"
    );
}

#[test]
fn moving_the_caret_is_typing_too() {
    let mut driver = Driver::open();
    driver.event(Event::TurnStarted);
    driver.type_text("make it fast");
    driver.wait(2000);
    driver.press("left");
    driver.ask(bash("rm -rf /", &[]));
    driver.type_text("y");
    assert!(driver.text().contains("┃ make it fasyt"), "{}", driver.text());
}

#[test]
fn a_key_that_waited_for_a_paste_answers_nothing() {
    let mut driver = Driver::open();
    driver.event(Event::TurnStarted);
    driver.app.paste("/srv/slow/a.png", driver.now);
    driver.ask(bash("rm -rf /", &[]));
    driver.type_text("y");
    driver.wait(2000);
    assert_eq!(driver.replies(), []);
    assert!(driver.text().contains("a.pngy"), "{}", driver.text());
}

#[test]
fn a_letter_without_a_meaning_gives_the_keys_to_the_draft_with_those_before_it() {
    let mut driver = Driver::open();
    driver.ask(bash("cargo test", &["cargo test *"]));
    driver.hear();
    driver.type_text("do it");
    let text = driver.text();
    assert!(
        text.contains("┃ do it") && !text.contains("always would store"),
        "{text}"
    );
    assert!(
        text.contains("? 1 waits · bash cargo test · keys go to your draft · ctrl+x . answers"),
        "{text}"
    );
    driver.wait(5000);
    driver.type_text("y");
    assert_eq!(driver.replies(), []);
    driver.press("tab");
    assert!(
        driver.text().contains("y once") && driver.text().contains("┃ do ity"),
        "{}",
        driver.text()
    );
    assert!(driver.frame().caret.is_none(), "the draft has not the keys");
    driver.type_text("y");
    assert_eq!(driver.replies(), []);
    driver.wait(300);
    assert_eq!(driver.replies(), [PermissionReply::Once]);
}

#[test]
fn a_question_comes_up_by_itself_once_the_empty_composer_has_rested() {
    let mut driver = Driver::open();
    driver.event(Event::TurnStarted);
    driver.type_text("steer it");
    driver.press("enter");
    driver.ask(bash("cargo test", &[]));
    assert_eq!(driver.app.state().dialog, None);
    assert_eq!(
        driver.app.deadline(driver.now).unwrap() - driver.now,
        Duration::from_millis(100)
    );
    driver.wait(999);
    assert_eq!(driver.app.state().dialog, None);
    driver.wait(1);
    assert_eq!(driver.app.state().dialog, Some("permission"));
}

#[test]
fn a_paste_goes_to_the_draft_whatever_asks() {
    let mut driver = Driver::open();
    driver.ask(bash("cargo test", &["cargo test *"]));
    driver.hear();
    driver.app.paste("yes", driver.now);
    assert!(driver.text().contains("┃ yes"), "{}", driver.text());
    assert_eq!(driver.app.state().dialog, None);
    driver.wait(1000);
    driver.press("ctrl+x .");
    driver.wait(300);
    driver.press("a");
    driver.app.paste(" sir", driver.now);
    assert!(driver.text().contains("┃ yes sir"), "{}", driver.text());
    assert_eq!(driver.replies(), []);
}

#[test]
fn a_click_leads_to_the_question() {
    let mut driver = Driver::open();
    driver.type_text("a draft");
    driver.ask(bash("cargo test", &[]));
    let text = driver.text();
    let row = text.lines().position(|line| line.contains("? 1 waits")).unwrap();
    let press = termina::event::MouseEvent {
        kind: termina::event::MouseEventKind::Down(termina::event::MouseButton::Left),
        column: 5,
        row: u16::try_from(row).unwrap(),
        modifiers: Modifiers::NONE,
    };
    driver.app.mouse(press, driver.now);
    assert_eq!(driver.app.state().dialog, Some("permission"));
}
