//! The keys of the transcript.

use serde_json::json;
use termina::event::{MouseButton, MouseEvent, MouseEventKind};

use super::pictures::{conversation, picture};
use super::*;

/// A conversation whose transcript reads the keys.
fn reading() -> Driver {
    let mut driver = conversation();
    driver.text();
    driver.press("ctrl+x [");
    assert_eq!(driver.app.state().focus, "transcript");
    driver
}

#[test]
fn what_is_typed_in_the_search_row_is_searched() {
    let mut driver = reading();
    driver.press("/");
    assert_eq!(driver.app.state().focus, "search");
    driver.type_text("clock");
    let hints = driver.hints();
    assert!(hints.contains("/ clock") && hints.contains("1 of 2"), "{hints}");
    driver.press("down");
    assert!(driver.hints().contains("2 of 2"));
    driver.press("enter n");
    assert!(driver.hints().contains("1 of 2") && driver.hints().contains("n N matches"));
    driver.press("N");
    assert!(driver.hints().contains("2 of 2"));
    assert_eq!(driver.app.state().focus, "transcript");
}

#[test]
fn esc_ends_the_search_before_it_leaves_the_transcript() {
    let mut driver = reading();
    driver.press("/");
    driver.type_text("clock");
    driver.press("esc");
    assert_eq!(driver.app.state().focus, "transcript");
    assert!(!driver.hints().contains(" of "));
    driver.wait(400);
    driver.press("/");
    driver.type_text("clock");
    driver.press("enter esc");
    assert_eq!(driver.app.state().focus, "transcript");
    driver.wait(400);
    driver.press("esc");
    assert_eq!(driver.app.state().focus, "composer");
}

#[test]
fn a_query_can_be_edited_and_pasted_into() {
    let mut driver = reading();
    driver.press("/");
    driver.type_text("clok");
    assert!(driver.hints().contains("not found"));
    driver.press("ctrl+h");
    driver.app.paste("ck\n", driver.now);
    assert!(
        driver.hints().contains("/ clock") && driver.hints().contains("of 2"),
        "{}",
        driver.hints()
    );
    driver.press("ctrl+u");
    assert!(driver.hints().contains("Search the conversation"));
    driver.press("enter");
    assert!(!driver.hints().contains("not found"));
    driver.press("n");
    assert!(driver.hints().contains("no search yet"), "{}", driver.hints());
}

#[test]
fn a_question_waits_for_the_end_of_the_search() {
    let mut driver = reading();
    driver.press("/");
    driver.ask(bash("ls", &[]));
    driver.wait(400);
    driver.type_text("any");
    assert!(driver.hints().contains("/ any"), "{}", driver.hints());
    driver.press("esc");
    assert_eq!(driver.app.state().dialog, None, "it waits for a rest");
    driver.hear();
    driver.press("y");
    assert_eq!(driver.replies().len(), 1);
}

fn mouse(driver: &mut Driver, kind: MouseEventKind, (column, row): (u16, u16)) {
    let event = MouseEvent {
        kind,
        column,
        row,
        modifiers: Modifiers::NONE,
    };
    driver.app.mouse(event, driver.now);
    driver.frame();
    driver.collect();
}

fn drag(driver: &mut Driver, from: (u16, u16), to: (u16, u16)) {
    let left = MouseButton::Left;
    mouse(driver, MouseEventKind::Down(left), from);
    mouse(driver, MouseEventKind::Drag(left), to);
    mouse(driver, MouseEventKind::Up(left), to);
}

fn copied(driver: &mut Driver) -> Vec<String> {
    let effects = std::mem::take(&mut driver.effects);
    let texts = effects.into_iter().filter_map(|effect| match effect {
        Effect::Copy { text, .. } => Some(text),
        _ => None,
    });
    texts.collect()
}

#[test]
fn keys_select_and_copy() {
    let mut driver = reading();
    driver.press("v l l w y");
    driver.frame();
    driver.collect();
    assert_eq!(copied(&mut driver), ["The t"]);
    assert_eq!(driver.app.context(), Context::Transcript);
    driver.press("v");
    let caret = driver.frame().caret;
    assert_eq!(caret, Some(Position { x: 1, y: 4 }));
    assert!(driver.hints().contains("y copy"), "{}", driver.hints());
    driver.press("esc");
    assert_eq!(driver.app.context(), Context::Transcript);
    driver.wait(400);
    driver.press("esc");
    assert_eq!(driver.app.context(), Context::Composer);
}

#[test]
fn a_drag_selects_and_copies_where_that_is_wanted() {
    let mut driver = reading();
    drag(&mut driver, (5, 4), (8, 4));
    assert!(copied(&mut driver).is_empty());
    driver.press("y");
    driver.frame();
    driver.collect();
    assert_eq!(copied(&mut driver), ["test"]);
    driver.app.pointer.copies_on_select = true;
    drag(&mut driver, (5, 4), (8, 4));
    assert_eq!(copied(&mut driver), ["test"]);
    drag(&mut driver, (5, 4), (5, 4));
    assert!(copied(&mut driver).is_empty(), "a click is no selection");
}

#[test]
fn clicks_move_the_keys_and_select_words_and_lines() {
    let mut driver = conversation();
    driver.app.pointer.copies_on_select = true;
    driver.frame();
    let click = |driver: &mut Driver| drag(driver, (6, 4), (6, 4));
    click(&mut driver);
    assert_eq!(driver.app.state().focus, "transcript");
    click(&mut driver);
    assert_eq!(copied(&mut driver), ["test"]);
    click(&mut driver);
    assert_eq!(
        copied(&mut driver),
        ["The test sleeps on the wall clock. I will inject a clock."]
    );
    driver.wait(500);
    click(&mut driver);
    assert!(copied(&mut driver).is_empty(), "too late for a double click");
    drag(&mut driver, (6, 21), (6, 21));
    assert_eq!(driver.app.state().focus, "composer");
}

#[test]
fn the_mouse_is_left_to_the_terminal_and_taken_again() {
    let mut driver = conversation();
    driver.press("ctrl+x M");
    assert!(
        driver.hints().contains("mouse off: the terminal selects"),
        "{}",
        driver.hints()
    );
    driver.press("ctrl+x M");
    let effects = std::mem::take(&mut driver.effects);
    let mice: Vec<_> = effects
        .iter()
        .filter_map(|effect| match effect {
            Effect::Mouse(mouse) => Some(*mouse),
            _ => None,
        })
        .collect();
    assert_eq!(mice, [MouseCapture::LeftAlone, MouseCapture::Caught]);
}

/// A reply with code in it, whose transcript reads the keys.
fn reading_code() -> Driver {
    let mut driver = conversation();
    let text = "Two ways, see src/retry.rs:41:\n\n```rust\nlet a = 1;\n```\n\nor\n\n```\nlet b = 2;\n```\n";
    driver.event(Event::MessageStarted(message(Role::Assistant, text)));
    driver.text();
    driver.press("ctrl+x [");
    driver
}

#[test]
fn code_is_copied_piece_by_piece() {
    let mut driver = reading_code();
    for wanted in ["let a = 1;\n", "let b = 2;\n", "let a = 1;\n"] {
        driver.press("c");
        assert_eq!(copied(&mut driver), [wanted]);
    }
    driver.press("k c");
    assert!(copied(&mut driver).is_empty());
    assert!(driver.hints().contains("no code"), "{}", driver.hints());
}

#[test]
fn the_conversation_is_copied_as_markdown() {
    let mut driver = reading_code();
    driver.press("Y");
    let whole = copied(&mut driver).concat();
    assert!(
        whole.starts_with("## You\n\nmake the retry test deterministic\n\nThe test sleeps"),
        "{whole}"
    );
    assert!(whole.contains("```rust\nlet a = 1;\n```"), "{whole}");
}

#[test]
fn a_notice_names_the_routes_and_none_that_failed() {
    let mut driver = reading();
    let mut copied = crate::tui::clipboard::CopyResult {
        command: None,
        terminal: Some(Multiplexer::Tmux),
        is_too_long: false,
    };
    driver.app.copied("the block", &copied, driver.now);
    let hints = driver.hints();
    assert!(
        hints.contains("the block: sent to the terminal's clipboard through tmux"),
        "{hints}"
    );
    copied.terminal = None;
    driver.app.copied("the block", &copied, driver.now);
    assert!(
        driver.hints().contains("the block: not copied"),
        "{}",
        driver.hints()
    );
}

#[test]
fn enter_opens_the_file_that_a_block_names() {
    let mut driver = reading_code();
    driver.press("enter");
    let places = driver.effects.iter().find_map(|effect| match effect {
        Effect::Open(places) => Some(places.clone()),
        _ => None,
    });
    let place = FilePlace {
        path: "src/retry.rs".to_owned(),
        line: Some(41),
    };
    assert_eq!(places.unwrap().first(), Some(&place));
    driver.press("e");
    driver.wait(300);
    driver.press("y");
    let is_viewed = |effect: &Effect| matches!(effect, Effect::View(text) if text.starts_with("Two ways"));
    assert!(driver.effects.iter().any(is_viewed));
}

#[test]
fn enter_opens_a_match_at_its_line_in_the_project() {
    let mut driver = Driver::closed();
    let items = [
        json!({ "path": "docs/My notes (1).md", "line": 13, "column": 1, "text": "the clock" }),
        json!({ "path": "docs/My notes (1).md", "line": 21, "column": 1, "text": "no clock" }),
    ];
    let details =
        json!({ "matches": 2, "files": 1, "truncated": false, "skipped_unreadable": 0, "items": items });
    let result = json!({ "ok": true, "title": "", "output": "", "details": details });
    let tool = ToolPart {
        call: CallId::new(),
        provider_id: None,
        tool: "grep".to_owned(),
        raw_args: String::new(),
        args: Some(json!({ "pattern": "clock" }).into()),
        state: CallState::Done,
        result: Some(serde_json::from_value(result).unwrap()),
        native: None,
        inner: Vec::new(),
    };
    let part = Part {
        seq: 1,
        body: PartBody::Tool(tool),
    };
    let message = Message {
        parts: vec![part],
        ..Message::clone(&message(Role::Assistant, ""))
    };
    let snapshot = Snapshot {
        messages: vec![Arc::new(message)],
        ..driver.snapshot()
    };
    driver.open_session(&snapshot);
    driver.app.views.front.directory = "/home/u/src/retry/crates".into();
    driver.text();
    driver.press("ctrl+x [");
    driver.press("G v");
    driver.text();
    driver.press("down down down");
    driver.text();
    driver.press("enter");
    let places = driver.effects.iter().find_map(|effect| match effect {
        Effect::Open(places) => Some(places.clone()),
        _ => None,
    });
    let place = FilePlace {
        path: "/home/u/src/retry/docs/My notes (1).md".to_owned(),
        line: Some(21),
    };
    let text = driver.text();
    assert_eq!(places.unwrap_or_default().first(), Some(&place), "{text}");
}

#[test]
fn selecting() {
    let mut driver = reading();
    driver.press("v w w");
    for size in [(80, 24), (120, 36), (40, 12)] {
        picture(&mut driver, "select", size);
    }
}

#[test]
fn searching() {
    let mut driver = reading();
    driver.press("/");
    driver.type_text("clock");
    for size in [(80, 24), (120, 36), (40, 12)] {
        picture(&mut driver, "search", size);
    }
}
