//! The panel at the side.

use serde_json::{Value, json};

use super::pictures::{conversation, picture, pictures};
use super::*;
use crate::conversation::{CallResult, TodoChange, TodoStatus};
use crate::swap::Swappable;
use crate::tool::BuiltinCards;

fn todos() -> Vec<Value> {
    vec![
        json!({"content": "find the sleeping call", "status": "completed"}),
        json!({"content": "inject a clock", "status": "in_progress"}),
        json!({"content": "pause time in the test, and in every other one that waits for the wall clock"}),
        json!({"content": "write it down in the changelog", "status": "cancelled"}),
    ]
}

fn changed(path: &str, additions: usize, deletions: usize) -> Event {
    let details = json!({"path": path, "strategy": "simple", "replacements": 1, "positions": [], "additions": additions,
                         "deletions": deletions, "diff": "…", "created": false, "diagnostics": []});
    Event::CallEnded {
        call: CallId::new(),
        tool: "edit".to_owned(),
        result: Swappable::new(CallResult {
            details: details.into(),
            ..ended()
        }),
    }
}

fn ended() -> CallResult {
    serde_json::from_value(json!({"ok": true, "title": "", "output": ""})).unwrap()
}

/// A turn that wrote a list and two files.
fn working() -> Driver {
    let mut driver = conversation();
    driver.size = (120, 36);
    driver.app.views.front.panel.set_cards(BuiltinCards::new());
    driver.event(Event::TurnStarted);
    driver.event(Event::Todos(todos()));
    driver.event(changed("src/retry.rs", 6, 2));
    driver.event(changed("tests/it/the/one/with/a/very/long/name/retry.rs", 12, 2));
    driver
}

fn edits(driver: &mut Driver) -> Vec<(String, TodoChange)> {
    let ops = driver.sent().into_iter().filter_map(|op| match op {
        Op::EditTodo(edit) => Some((edit.seen.content, edit.change)),
        _ => None,
    });
    ops.collect()
}

#[test]
fn the_panel_at_every_size() {
    let mut driver = working();
    driver.frame();
    driver.press("ctrl+x b");
    for size in [(120, 36), (200, 60)] {
        picture(&mut driver, "panel", size);
    }
    driver.frame();
    driver.press("ctrl+x b");
    for size in [(120, 36), (80, 24), (40, 12)] {
        picture(&mut driver, "panel_with_the_keys", size);
    }
    driver.press("e");
    driver.type_text(" that the test can hold still, wherever it waits");
    pictures(&mut driver, "panel_writing");
}

#[test]
fn nothing_changes_its_place_while_a_turn_streams() {
    let mut driver = working();
    driver.size = (140, 36);
    assert!(!driver.text().contains("▸ inject a clock"));
    assert!(driver.hints().contains("ctrl+x b panel"), "{}", driver.hints());
    driver.event(Event::TurnEnded(TurnEndReason::Stop));
    assert!(driver.text().contains("▸ inject a clock"), "{}", driver.text());
    assert!(!driver.hints().contains("ctrl+x b"));
    driver.event(Event::Todos(Vec::new()));
    assert!(driver.text().contains("Files changed"), "{}", driver.text());
}

#[test]
fn the_end_of_a_turn_tells_what_it_changed_and_the_key_that_shows_it() {
    let mut driver = working();
    driver.event(Event::TurnEnded(TurnEndReason::Stop));
    let told = |driver: &mut Driver| driver.text().matches("· ctrl+x d").count();
    assert!(
        driver.text().contains("2 files +18 −4 · ctrl+x d"),
        "{}",
        driver.text()
    );
    driver.event(Event::TurnStarted);
    driver.event(Event::TurnEnded(TurnEndReason::Stop));
    assert_eq!(told(&mut driver), 1, "the next turn has changed nothing");
}

#[test]
fn a_session_that_is_opened_again_shows_its_list_at_once() {
    let mut driver = Driver::closed();
    driver.size = (140, 24);
    driver.attach(&Snapshot {
        todos: todos(),
        ..driver.snapshot()
    });
    assert!(driver.text().contains("1 of 4"), "{}", driver.text());
}

#[test]
fn the_key_shows_gives_the_keys_and_hides() {
    let mut driver = conversation();
    driver.size = (120, 36);
    driver.frame();
    driver.press("ctrl+x b");
    assert!(driver.text().contains("Tasks, terminals, todos"));
    assert_eq!(driver.app.state().focus, "composer");
    driver.press("ctrl+x b");
    assert_eq!(driver.app.state().focus, "panel");
    driver.press("ctrl+x b");
    assert_eq!(driver.app.state().focus, "composer");
    assert!(!driver.text().contains("Tasks, todos and changed"));
}

#[test]
fn on_a_narrow_screen_it_lies_over_the_conversation_while_it_has_the_keys() {
    let mut driver = working();
    driver.size = (80, 24);
    driver.frame();
    driver.press("ctrl+x b");
    assert!(driver.text().contains("▸ inject a clock"), "{}", driver.text());
    driver.press("esc");
    assert!(!driver.text().contains("▸ inject a clock"));
    driver.wait(400);
    driver.press("esc");
    assert!(driver.hints().contains("again interrupts"), "{}", driver.hints());
}

#[test]
fn a_todo_is_ticked_brought_on_and_reworded() {
    let mut driver = working();
    driver.frame();
    driver.press("ctrl+x b ctrl+x b space s k space j e");
    driver.type_text(" well");
    driver.press("enter");
    let status = |content: &str, status| (content.to_owned(), TodoChange::Status(status));
    let words = TodoChange::Content("inject a clock well".to_owned());
    assert_eq!(
        edits(&mut driver),
        [
            status("inject a clock", TodoStatus::Completed),
            status("inject a clock", TodoStatus::Completed),
            status("find the sleeping call", TodoStatus::Pending),
            ("inject a clock".to_owned(), words),
        ]
    );
    driver.press("e");
    driver.type_text(" not");
    driver.press("esc");
    assert_eq!(driver.app.state().focus, "panel");
    assert_eq!(edits(&mut driver), []);
}

#[test]
fn a_question_waits_until_the_words_of_a_todo_are_written() {
    let mut driver = working();
    driver.frame();
    driver.press("ctrl+x b ctrl+x b e");
    driver.ask(bash("cargo test", &[]));
    driver.wait(1000);
    driver.type_text(" yes");
    assert!(driver.text().contains("inject a clock yes"), "{}", driver.text());
    driver.press("enter");
    let words = TodoChange::Content("inject a clock yes".to_owned());
    assert_eq!(edits(&mut driver), [("inject a clock".to_owned(), words)]);
    assert_eq!(driver.app.state().dialog, None, "it waits for a rest");
    driver.hear();
    driver.press("y");
    assert_eq!(driver.app.state().dialog, None);
}

#[test]
fn leaving_the_words_of_a_todo_puts_no_question_off() {
    for key in ["esc", "ctrl+c", "ctrl+x ["] {
        let mut driver = working();
        driver.type_text("a draft");
        driver.frame();
        driver.press("ctrl+x b ctrl+x b e");
        driver.ask(bash("cargo test", &[]));
        driver.wait(1000);
        driver.press(key);
        assert_eq!(driver.app.state().dialog, None, "{key}");
        assert_eq!(driver.app.views.front.composer.text(), "a draft", "{key}");
        assert!(driver.text().contains("? 1 waits"), "{key}");
    }
}

#[test]
fn a_file_is_opened_and_one_that_is_gone_is_told() {
    let mut driver = working();
    driver.app.views.front.directory = "/home/u/src/retry/tests".into();
    driver.frame();
    driver.press("ctrl+x b ctrl+x b j j j j enter");
    let opened = driver.effects.iter().find_map(|effect| match effect {
        Effect::Open(places) => Some(places[0].path.clone()),
        _ => None,
    });
    // Tools answer with paths from the project's root.
    assert_eq!(opened.as_deref(), Some("/home/u/src/retry/src/retry.rs"));
    driver.app.not_there(driver.now);
    assert!(driver.hints().contains("no longer exists"), "{}", driver.hints());
}

#[test]
fn a_long_list_counts_what_is_done_and_what_does_not_fit() {
    let mut driver = conversation();
    driver.size = (100, 16);
    let todo = |number: usize| {
        let status = if number < 9 { "completed" } else { "pending" };
        json!({"content": format!("step {number}"), "status": status})
    };
    driver.event(Event::Todos((0..40).map(todo).collect()));
    driver.event(Event::TurnStarted);
    driver.app.views.front.panel.show();
    picture(&mut driver, "panel_long", (100, 16));
    driver.frame();
    driver.press("ctrl+x b");
    for _ in 0..40 {
        driver.press("j");
    }
    assert!(driver.text().contains("○ step 39"), "{}", driver.text());
}

#[test]
fn a_click_gives_it_the_keys_and_hostile_words_stay_words() {
    let mut driver = conversation();
    driver.size = (140, 36);
    driver.event(Event::Todos(vec![
        json!({"content": "a\u{1b}]0;x\u{7}b\n\u{202e}c"}),
    ]));
    driver.event(Event::TurnStarted);
    let text = driver.text();
    assert!(!text.contains('\u{1b}') && !text.contains('\u{202e}'), "{text}");
    let (row, line) = text
        .lines()
        .enumerate()
        .find(|(_, line)| line.contains("○ a"))
        .unwrap();
    let column = line[..line.find('○').unwrap()].chars().count();
    let event = termina::event::MouseEvent {
        kind: termina::event::MouseEventKind::Down(termina::event::MouseButton::Left),
        column: u16::try_from(column).unwrap(),
        row: u16::try_from(row).unwrap(),
        modifiers: Modifiers::NONE,
    };
    driver.app.mouse(event, driver.now);
    driver.press("space");
    assert_eq!(edits(&mut driver).len(), 1);
}
