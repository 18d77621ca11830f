//! Commands, and the list above the composer.

use super::pictures::{conversation, picture, said};
use super::*;

fn selected(driver: &mut Driver) -> String {
    let text = driver.text();
    let line = text.lines().find(|line| line.starts_with(" ❯"));
    line.unwrap_or_default()
        .trim_start_matches(" ❯")
        .trim()
        .to_owned()
}

#[test]
fn a_slash_lists_commands_and_esc_closes_the_list_for_that_word() {
    let mut driver = conversation();
    driver.type_text("/");
    let text = driver.text();
    assert!(text.contains(" ❯   /help") && text.contains("/model"), "{text}");
    assert_eq!(driver.app.state().focus, "completion");
    driver.press("esc");
    assert!(!driver.text().contains("/model"));
    driver.type_text("mo");
    assert!(!driver.text().contains("/model"), "it was closed by hand");
    driver.press("ctrl+c");
    driver.type_text("/mo");
    assert!(driver.text().contains("/model"), "another word");
}

#[test]
fn the_list_filters_moves_and_leaves_the_transcript_where_it_is() {
    let mut driver = conversation();
    let before = driver.text();
    driver.type_text("/");
    let with_list = driver.text();
    let row = |text: &str| text.lines().position(|line| line.contains("┃ make the retry"));
    assert_eq!(row(&before), row(&with_list));
    let first = selected(&mut driver);
    driver.press("down");
    let second = selected(&mut driver);
    assert_ne!(first, second);
    driver.press("ctrl+p");
    assert_eq!(selected(&mut driver), first);
    driver.press("up");
    let last = crate::tui::commands::COMMANDS.len();
    assert!(
        driver.text().contains(&format!(" {last} of {last} ")),
        "from an end it goes on at the other"
    );
    driver.type_text("thm");
    assert!(selected(&mut driver).starts_with("/theme"), "{}", driver.text());
    driver.type_text("zzz");
    assert_eq!(selected(&mut driver), "", "nothing matches, so there is no list");
}

#[test]
fn enter_does_a_command_and_tab_writes_it() {
    let mut driver = conversation();
    driver.type_text("/thm");
    driver.press("enter");
    assert!(driver.text().contains(" Themes · "), "{}", driver.text());
    assert!(driver.app.composer.is_empty());
    driver.press("esc");
    driver.wait(400);
    driver.type_text("/mode");
    driver.press("tab");
    assert_eq!(driver.app.composer.text(), "/mode ");
    driver.type_text("plan");
    driver.press("enter");
    assert_eq!(driver.app.facts.mode, Mode::Plan);
    assert!(
        driver
            .sent()
            .iter()
            .any(|op| matches!(op, Op::SetMode(Mode::Plan)))
    );
}

#[test]
fn a_click_takes_a_row() {
    let mut driver = conversation();
    driver.type_text("/th");
    let text = driver.text();
    let row = text.lines().position(|line| line.contains("/theme")).unwrap() as u16;
    driver.app.mouse(
        crossterm::event::MouseEvent {
            kind: crossterm::event::MouseEventKind::Down(crossterm::event::MouseButton::Left),
            column: 8,
            row,
            modifiers: KeyModifiers::NONE,
        },
        driver.now,
    );
    assert!(driver.text().contains(" Themes · "), "{}", driver.text());
}

#[test]
fn what_stands_behind_a_list_filters_it() {
    let mut driver = conversation();
    driver.type_text("/model oth");
    driver.press("enter enter");
    assert!(matches!(driver.sent().as_slice(), [Op::SetModel(model)] if model.model == "other"));
}

#[test]
fn a_command_that_is_none_is_told_with_the_nearest_and_stays() {
    let mut driver = conversation();
    driver.type_text("/thene");
    driver.press("enter");
    let hints = driver.hints();
    assert!(
        hints.contains("there is no command `/thene`; did you mean `/theme`?"),
        "{hints}"
    );
    assert_eq!(driver.app.composer.text(), "/thene");
    assert!(inputs(&driver.sent()).is_empty());
}

#[test]
fn a_path_and_a_blank_before_a_slash_are_sent() {
    for text in ["/usr/bin/env is there", " /help"] {
        let mut driver = conversation();
        driver.type_text(text);
        driver.press("enter");
        assert_eq!(inputs(&driver.sent()), [("submit", text)]);
    }
}

#[test]
fn a_command_that_takes_nothing_says_so_when_given_something() {
    let mut driver = conversation();
    driver.type_text("/help me");
    driver.press("enter");
    assert!(
        driver.hints().contains("`/help` takes nothing more"),
        "{}",
        driver.hints()
    );
    assert_eq!(driver.app.composer.text(), "/help me");
}

#[test]
fn commands_work_while_a_turn_runs_and_history_opens_no_list() {
    let mut driver = conversation();
    driver.event(Event::TurnStarted);
    driver.type_text("/permissions");
    driver.press("enter");
    assert!(driver.text().contains("llowed for good"), "{}", driver.text());
    driver.press("esc");
    driver.wait(400);
    driver.press("up");
    assert_eq!(driver.app.composer.text(), "/permissions");
    assert_eq!(
        driver.app.state().focus,
        "composer",
        "what comes back opens no list"
    );
}

#[test]
fn the_list_in_pictures() {
    for size in [(80, 24), (120, 36), (40, 12)] {
        let mut driver = conversation();
        driver.type_text("/");
        driver.press("down");
        picture(&mut driver, "commands", size);
        driver.type_text("mo");
        picture(&mut driver, "commands_filtered", size);
    }
}

fn own_command(driver: &mut Driver, call: &CallId) {
    let body = PartBody::Tool(crate::conversation::ToolPart {
        call: call.clone(),
        provider_id: None,
        tool: "bash".to_owned(),
        raw_args: r#"{"command":"make"}"#.to_owned(),
        args: Some(serde_json::json!({ "command": "make" })),
        state: crate::conversation::CallState::Running,
        result: None,
        native: None,
        inner: Vec::new(),
    });
    let message = said(Role::User, "");
    let message = Message {
        parts: vec![Part { seq: 7, body }],
        ..Message::clone(&message)
    };
    driver.event(Event::MessageStarted(Arc::new(message)));
}

#[test]
fn a_bang_runs_a_command_and_a_blank_before_it_does_not() {
    let mut driver = conversation();
    driver.type_text("! make -j2 ");
    assert!(
        driver.hints().contains("⏎ run in the shell"),
        "{}",
        driver.hints()
    );
    driver.press("enter");
    assert!(matches!(driver.sent().as_slice(), [Op::Shell(command)] if command == "make -j2"));
    driver.type_text(" !important");
    driver.press("enter");
    assert_eq!(inputs(&driver.sent()), [("submit", " !important")]);
    driver.press("up");
    driver.press("up");
    assert_eq!(driver.app.composer.text(), "! make -j2 ", "the history has it");
}

#[test]
fn a_command_of_ones_own_is_stopped_as_a_turn_is() {
    let mut driver = conversation();
    let call = CallId::new();
    own_command(&mut driver, &call);
    assert!(driver.hints().contains("esc interrupt"), "{}", driver.hints());
    assert!(driver.text().contains("┃ !make"), "{}", driver.text());
    driver.press("esc");
    assert!(
        driver.hints().contains("esc again interrupts"),
        "{}",
        driver.hints()
    );
    driver.press("esc");
    assert!(matches!(driver.sent().as_slice(), [Op::Interrupt]));
    let result = crate::conversation::CallResult::error(
        crate::conversation::ErrorKind::Cancelled,
        "the command was cancelled",
        None,
    );
    driver.event(Event::CallEnded {
        call,
        tool: "bash".to_owned(),
        result: Arc::new(result),
    });
    assert!(!driver.hints().contains("interrupt"), "{}", driver.hints());
}
