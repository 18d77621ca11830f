//! The list of what waits, above the composer.

use super::*;
use crate::session::{Input, QueueDirection};

/// A turn runs; a steer and so many queued messages wait.
fn waiting(queued_messages: u64) -> Driver {
    let mut driver = Driver::open();
    driver.event(Event::TurnStarted);
    let mut queue = vec![queued(1, "steer me", QueuedKind::Steer)];
    let rest = 2..2 + queued_messages;
    queue.extend(rest.map(|id| queued(id, &format!("message {id}"), QueuedKind::Queue)));
    driver.event(Event::Queue(queue));
    driver
}

fn given_back(id: u64, text: &str) -> Event {
    let input = Input {
        text: text.to_owned(),
        ..Input::default()
    };
    Event::Unqueued {
        id,
        input: Some(Arc::new(input)),
    }
}

fn chosen(driver: &mut Driver) -> String {
    let text = driver.text();
    let row = text.lines().find(|line| line.starts_with(" ❯"));
    row.unwrap_or_default().trim_start().to_owned()
}

#[test]
fn up_goes_into_the_list_through_it_and_then_to_the_history() {
    let mut driver = Driver::open();
    driver.type_text("old");
    driver.press("enter");
    driver.event(Event::TurnStarted);
    driver.event(Event::Queue(vec![
        queued(1, "steer me", QueuedKind::Steer),
        queued(2, "queue me", QueuedKind::Queue),
    ]));
    assert!(driver.text().contains("   steer ┃ steer me\n   queue ┃ queue me"));
    driver.press("up");
    assert_eq!(chosen(&mut driver), "❯ queue ┃ queue me");
    assert_eq!(driver.app.state().focus, "queue");
    driver.press("up");
    assert_eq!(chosen(&mut driver), "❯ steer ┃ steer me");
    driver.press("up");
    assert_eq!(chosen(&mut driver), "");
    assert!(driver.text().contains(" ┃ old"), "{}", driver.text());
    driver.press("down up down down");
    assert_eq!(driver.app.state().focus, "composer");
}

#[test]
fn enter_takes_a_message_back_when_the_session_has_given_it_away() {
    let mut driver = waiting(1);
    driver.type_text("begun");
    driver.press("up enter enter");
    assert!(
        matches!(driver.sent()[..], [Op::Unqueue(2)]),
        "asked once, however often the key comes"
    );
    assert!(driver.text().contains(" ┃ begun"));
    driver.event(Event::Queue(vec![queued(1, "steer me", QueuedKind::Steer)]));
    driver.event(given_back(2, "message 2"));
    assert_eq!(driver.app.views.front.composer.text(), "message 2\n\nbegun");
    assert_eq!(driver.app.state().focus, "composer");
}

#[test]
fn taking_back_a_message_that_was_sent_says_so_and_keeps_one_copy() {
    let mut driver = waiting(1);
    driver.press("up enter");
    driver.event(Event::Queue(vec![queued(1, "steer me", QueuedKind::Steer)]));
    driver.event(Event::Unqueued { id: 2, input: None });
    assert!(driver.app.views.front.composer.is_empty());
    assert!(
        driver.hints().contains("too late: that message was sent"),
        "{}",
        driver.hints()
    );
    assert_eq!(
        chosen(&mut driver),
        "❯ steer ┃ steer me",
        "the keys stay in the list"
    );
}

#[test]
fn what_waits_is_moved_redirected_and_removed_by_the_session() {
    let mut driver = waiting(2);
    driver.press("up K J tab x");
    let sent = driver.sent();
    assert!(
        matches!(
            sent[..],
            [
                Op::Shift {
                    id: 3,
                    way: QueueDirection::Sooner
                },
                Op::Shift {
                    id: 3,
                    way: QueueDirection::Later
                },
                Op::Redirect(3),
                Op::Unqueue(3)
            ]
        ),
        "{sent:?}"
    );
    driver.event(Event::Queue(vec![queued(1, "steer me", QueuedKind::Steer)]));
    driver.event(given_back(3, "message 3"));
    assert!(driver.app.views.front.composer.is_empty());
    assert!(
        driver.hints().contains("removed; ctrl+r finds it again"),
        "{}",
        driver.hints()
    );
}

#[test]
fn the_keys_follow_a_message_that_moves_and_leave_an_empty_list() {
    let mut driver = waiting(2);
    driver.press("up");
    driver.event(Event::Queue(vec![
        queued(3, "message 3", QueuedKind::Steer),
        queued(2, "message 2", QueuedKind::Queue),
    ]));
    assert_eq!(chosen(&mut driver), "❯ steer ┃ message 3");
    driver.event(Event::Queue(Vec::new()));
    assert_eq!(driver.app.state().focus, "composer");
}

#[test]
fn esc_goes_back_to_the_composer_and_arms_nothing() {
    let mut driver = waiting(1);
    driver.press("up esc");
    assert_eq!(driver.app.state().focus, "composer");
    driver.press("esc");
    driver.hear();
    assert!(!driver.hints().contains("again"), "{}", driver.hints());
}

#[test]
fn what_is_held_is_not_redirected_while_nothing_runs() {
    let mut driver = Driver::open();
    driver.event(Event::Queue(vec![queued(1, "later", QueuedKind::Held)]));
    driver.press("up tab");
    assert!(driver.sent().is_empty());
    assert!(
        driver.hints().contains("no turn is running"),
        "{}",
        driver.hints()
    );
}

#[test]
fn what_was_sent_before_the_session_opened_is_listed_and_taken_back_too() {
    let mut driver = Driver::closed();
    for text in ["one", "two", "three"] {
        driver.type_text(text);
        driver.press("enter");
    }
    driver.press("up up x");
    assert!(!driver.text().contains("two"), "{}", driver.text());
    driver.press("enter");
    assert_eq!(driver.app.views.front.composer.text(), "three");
    driver.attach(&driver.snapshot());
    let sent = driver.sent();
    let texts: Vec<_> = sent.iter().filter_map(input_text).collect();
    assert_eq!(texts, [("submit", "one")]);
}

#[test]
fn a_click_on_a_row_chooses_it() {
    let mut driver = waiting(1);
    let text = driver.text();
    let row = text.lines().position(|line| line.contains("steer me")).unwrap();
    let press = termina::event::MouseEvent {
        kind: termina::event::MouseEventKind::Down(termina::event::MouseButton::Left),
        column: 20,
        row: u16::try_from(row).unwrap(),
        modifiers: Modifiers::NONE,
    };
    driver.app.mouse(press, driver.now);
    assert_eq!(chosen(&mut driver), "❯ steer ┃ steer me");
}

#[test]
fn a_message_that_was_folded_is_folded_when_it_comes_back() {
    let mut driver = Driver::open();
    driver.event(Event::TurnStarted);
    let long = "line\n".repeat(30);
    driver.app.paste(&long, driver.now);
    driver.press("alt+enter");
    driver.event(Event::Queue(vec![queued(7, &long, QueuedKind::Queue)]));
    driver.press("up enter");
    driver.event(Event::Queue(Vec::new()));
    driver.event(given_back(7, &long));
    assert!(driver.text().contains("[pasted 30 lines]"), "{}", driver.text());
    assert_eq!(driver.app.views.front.composer.text(), long);
}

#[test]
fn a_turn_that_starts_while_a_row_is_chosen_takes_no_text_away() {
    let mut driver = waiting(3);
    driver.type_text("a draft");
    driver.press("up up");
    driver.event(Event::Queue(Vec::new()));
    assert_eq!(driver.app.views.front.composer.text(), "a draft");
    driver.type_text("!");
    assert_eq!(driver.app.views.front.composer.text(), "a draft!");
}

#[test]
fn pictures_of_the_list() {
    for (columns, rows) in [(80, 24), (120, 36), (40, 12)] {
        let mut driver = waiting(9);
        driver.size = (columns, rows);
        let mut queue = driver.app.views.front.queue.clone();
        queue[3].text = "rename `Clock` to `TimeSource` everywhere\nand its tests\nand the docs".to_owned();
        driver.event(Event::Queue(queue));
        let name = format!("{columns}x{rows}");
        insta::with_settings!({snapshot_path => "../../../../snapshots", prepend_module_to_snapshot => false}, {
            insta::assert_snapshot!(format!("queue__writing__{name}"), driver.text());
            driver.press("up up up up up up up");
            insta::assert_snapshot!(format!("queue__chosen__{name}"), driver.text());
        });
    }
}
