//! Commands, and the list above the composer.

use super::mentioning::FILES;
use super::pictures::{conversation, picture};
use super::*;
use crate::session::CalledCommand;

pub(super) fn selected(driver: &mut Driver) -> String {
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
    let last = crate::tui::commands::commands().len();
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
    assert!(driver.app.views.front.composer.is_empty());
    driver.press("esc");
    driver.wait(400);
    driver.type_text("/mode");
    driver.press("tab");
    assert_eq!(driver.app.views.front.composer.text(), "/mode ");
    driver.type_text("plan");
    driver.press("enter");
    assert_eq!(driver.app.views.front.facts.mode, Mode::Plan);
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
        termina::event::MouseEvent {
            kind: termina::event::MouseEventKind::Down(termina::event::MouseButton::Left),
            column: 8,
            row,
            modifiers: Modifiers::NONE,
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
    assert_eq!(selected(&mut driver), "", "`copy the answer` has these letters");
    driver.press("enter");
    let hints = driver.hints();
    assert!(
        hints.contains("there is no command `/thene`; did you mean `/theme`?"),
        "{hints}"
    );
    assert_eq!(driver.app.views.front.composer.text(), "/thene");
    assert!(inputs(&driver.sent()).is_empty());
}

#[test]
fn a_command_that_this_version_does_not_have_is_said_to_be_missing() {
    let mut driver = conversation();
    driver.type_text("/mcp");
    driver.press("enter");
    assert!(
        driver.hints().contains("MCP servers are not supported yet"),
        "{}",
        driver.hints()
    );
    assert_eq!(driver.app.views.front.composer.text(), "/mcp");
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
        driver.hints().contains("`/help` takes no arguments"),
        "{}",
        driver.hints()
    );
    assert_eq!(driver.app.views.front.composer.text(), "/help me");
}

#[test]
fn commands_work_while_a_turn_runs_and_history_opens_no_list() {
    let mut driver = conversation();
    driver.event(Event::TurnStarted);
    driver.type_text("/permissions");
    driver.press("enter");
    assert!(driver.text().contains("tored permissions"), "{}", driver.text());
    driver.press("esc");
    driver.wait(400);
    driver.press("up");
    assert_eq!(driver.app.views.front.composer.text(), "/permissions");
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
    let body = PartBody::Tool(ToolPart {
        call: call.clone(),
        provider_id: None,
        tool: "bash".to_owned(),
        raw_args: r#"{"command":"make"}"#.to_owned(),
        args: Some(serde_json::json!({ "command": "make" }).into()),
        state: CallState::Running,
        result: None,
        native: None,
        inner: Vec::new(),
    });
    let message = message(Role::User, "");
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
    assert_eq!(
        driver.app.views.front.composer.text(),
        "! make -j2 ",
        "the history has it"
    );
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
        result: result.into(),
    });
    assert!(!driver.hints().contains("interrupt"), "{}", driver.hints());
}

/// With commands of the user's own.
fn commanded() -> Driver {
    let command = |name: &str, hint: &str, text: &str| CommandChoice {
        name: name.to_owned(),
        description: format!("does {name}"),
        argument_hint: hint.to_owned(),
        text: text.into(),
    };
    let mut driver = conversation();
    driver.app.views.front.commands = vec![
        command(
            "git/commit",
            "",
            "Commit what is staged.\n\n!`git diff --staged`\n",
        ),
        command("help", "", "Never reached.\n"),
        command("review", "[file]", "Review $1.\n\nLook for:\n- names\n- errors\n"),
    ];
    driver
}

#[test]
fn a_command_of_ones_own_is_called_by_its_name() {
    let mut driver = commanded();
    driver.type_text("/git/co");
    driver.press("enter");
    let called = |driver: &mut Driver| {
        let sent = driver.sent();
        let Some(Op::Submit(input)) = sent.last() else {
            panic!("{sent:?}")
        };
        match input.command.clone() {
            Some(CalledCommand::ByName { name, arguments }) => (input.text.clone(), name, arguments),
            other => panic!("{other:?}"),
        }
    };
    let words = |text: &str, name: &str, rest: &str| (text.to_owned(), name.to_owned(), rest.to_owned());
    assert_eq!(called(&mut driver), words("/git/commit", "git/commit", ""));
    driver.type_text("/rev");
    driver.press("enter");
    assert!(driver.sent().is_empty(), "it wants a file");
    driver.type_text("a.rs  now");
    driver.press("enter");
    assert_eq!(
        called(&mut driver),
        words("/review a.rs  now", "review", "a.rs  now")
    );
    driver.type_text("/help");
    driver.press("enter");
    assert!(driver.sent().is_empty());
    assert!(driver.text().contains("Keys"), "lathe's own names stay");
}

#[test]
fn own_commands_in_pictures() {
    for size in [(80, 24), (120, 36), (40, 12)] {
        let mut driver = commanded();
        driver.size = size;
        driver.frame();
        driver.type_text("/re");
        while !selected(&mut driver).starts_with("/review") {
            driver.press("down");
        }
        picture(&mut driver, "commands_own", size);
    }
}

#[test]
fn what_is_selected_is_shown_beside_a_panel_too_and_read_only_then() {
    let mut driver = conversation();
    driver.size = (120, 36);
    let todo = serde_json::json!({"content": "inject a clock"});
    driver.event(Event::Todos(vec![todo]));
    driver.frame();
    driver.press("ctrl+x b");
    assert!(driver.text().contains("inject a clock"), "the panel is there");
    let looks = |driver: &mut Driver| {
        driver.frame();
        driver.effects.clear();
        driver.type_text("@ret");
        driver.find(FILES);
        let is_look = |effect: &Effect| matches!(effect, Effect::Find(completion::Request::Look(_)));
        driver.effects.iter().any(is_look)
    };
    assert!(looks(&mut driver));
    let text = "//! Tries again.\n".to_owned();
    let path = "src/retry.rs".to_owned();
    driver
        .app
        .on_finder_answer(completion::FinderAnswer::Looked { path, text }, driver.now);
    assert!(driver.text().contains("│ //! Tries again."), "{}", driver.text());
    driver.press("esc ctrl+c");
    driver.size = (104, 30);
    assert!(!looks(&mut driver), "there is no room for it beside the panel");
}

#[test]
fn a_command_and_an_agent_say_beside_the_list_what_they_are() {
    let mut driver = conversation();
    driver.size = (120, 36);
    driver.frame();
    driver.type_text("/expor");
    assert!(
        driver.text().contains("│ Writes the session to a file"),
        "{}",
        driver.text()
    );
    driver.press("esc ctrl+c");
    driver.type_text("@pla");
    driver.find(&[]);
    assert!(driver.text().contains("│ tools off  write"), "{}", driver.text());
}
