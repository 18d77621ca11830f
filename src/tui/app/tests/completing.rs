//! Commands, and the list above the composer.

use super::pictures::{conversation, picture};
use super::*;
use crate::session::CalledCommand;

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
    assert!(driver.app.view.composer.is_empty());
    driver.press("esc");
    driver.wait(400);
    driver.type_text("/mode");
    driver.press("tab");
    assert_eq!(driver.app.view.composer.text(), "/mode ");
    driver.type_text("plan");
    driver.press("enter");
    assert_eq!(driver.app.view.facts.mode, Mode::Plan);
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
    assert_eq!(selected(&mut driver), "", "`copy the answer` has these letters");
    driver.press("enter");
    let hints = driver.hints();
    assert!(
        hints.contains("there is no command `/thene`; did you mean `/theme`?"),
        "{hints}"
    );
    assert_eq!(driver.app.view.composer.text(), "/thene");
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
    assert_eq!(driver.app.view.composer.text(), "/help me");
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
    assert_eq!(driver.app.view.composer.text(), "/permissions");
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
    assert_eq!(
        driver.app.view.composer.text(),
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
        result: Arc::new(result),
    });
    assert!(!driver.hints().contains("interrupt"), "{}", driver.hints());
}

const FILES: &[&str] = &["src/retry.rs", "src/net/retry.rs", "tests/retry.rs", "src/"];

#[test]
fn an_at_lists_files_and_enter_writes_one() {
    let mut driver = conversation();
    driver.type_text("look at @re");
    assert_eq!(driver.find(FILES), "re");
    let text = driver.text();
    assert!(text.contains("retry.rs  src/net/"), "{text}");
    driver.press("down enter");
    assert_eq!(driver.app.view.composer.text(), "look at @src/net/retry.rs ");
    assert_eq!(selected(&mut driver), "");
    driver.type_text("please");
    driver.press("enter");
    let sent = driver.sent();
    let Op::Submit(input) = sent.last().unwrap() else {
        panic!("{sent:?}")
    };
    assert_eq!(input.text, "look at @src/net/retry.rs please");
    assert_eq!(input.mentions[0].path, "src/net/retry.rs");
}

#[test]
fn tab_goes_into_a_directory_and_lines_stay() {
    let mut driver = conversation();
    driver.type_text("@sr");
    driver.find(&["src/"]);
    driver.press("tab");
    assert_eq!(driver.app.view.composer.text(), "@src/");
    assert_eq!(driver.find(FILES), "src/");
    driver.press("esc");
    driver.press("ctrl+c");
    driver.type_text("@ret:10-40");
    assert_eq!(driver.find(FILES), "ret");
    driver.press("enter");
    assert_eq!(driver.app.view.composer.text(), "@src/retry.rs:10-40 ");
}

#[test]
fn a_name_with_blanks_is_quoted() {
    let mut driver = conversation();
    driver.type_text("@my");
    driver.find(&["my notes.md"]);
    driver.press("enter");
    assert_eq!(driver.app.view.composer.text(), "@\"my notes.md\" ");
}

#[test]
fn a_key_that_picks_waits_for_the_answer_and_the_keys_behind_it_wait_too() {
    let mut driver = conversation();
    driver.type_text("@r");
    driver.find(&["other.rs"]);
    driver.type_text("e");
    driver.press("enter");
    driver.type_text("x");
    assert_eq!(driver.app.view.composer.text(), "@re", "the answer is on its way");
    driver.find(FILES);
    assert_eq!(driver.app.view.composer.text(), "@src/retry.rs x");
}

#[test]
fn keys_that_waited_too_long_mean_what_they_mean_without_a_list() {
    let mut driver = conversation();
    driver.type_text("@r");
    driver.find(&["other.rs"]);
    driver.type_text("e");
    driver.press("enter");
    driver.wait(501);
    assert_eq!(inputs(&driver.sent()), [("submit", "@re")]);
}

#[test]
fn an_answer_for_another_word_is_not_shown_and_a_second_one_keeps_the_choice() {
    let mut driver = conversation();
    driver.type_text("@r");
    driver.press("ctrl+c");
    driver.find(FILES);
    assert_eq!(selected(&mut driver), "");
    driver.type_text("@r");
    driver.find(FILES);
    driver.press("down");
    let chosen = selected(&mut driver);
    driver.find(&["new.rs", "src/retry.rs", "src/net/retry.rs"]);
    assert_eq!(selected(&mut driver), chosen);
}

#[test]
fn an_agent_is_offered_at_the_beginning_and_taken_at_once() {
    let mut driver = conversation();
    driver.type_text("@pl");
    driver.find(&["plot.rs"]);
    assert!(driver.text().contains("reads and plans"), "{}", driver.text());
    driver.press("enter");
    assert_eq!(driver.app.view.composer.text(), "");
    assert!(
        driver
            .sent()
            .iter()
            .any(|op| matches!(op, Op::SetAgent(agent) if agent == "plan"))
    );
    driver.type_text("see @pl");
    driver.find(&["plot.rs"]);
    assert!(!driver.text().contains("reads and plans"));
}

#[test]
fn tab_completes_a_path_and_else_changes_the_agent() {
    let mut driver = conversation();
    driver.type_text("open ./sr");
    driver.press("tab");
    assert_eq!(driver.find(&["./src/", "./srv.md"]), "./sr");
    driver.press("down tab");
    assert_eq!(driver.app.view.composer.text(), "open ./srv.md ");
    driver.press("tab");
    assert!(driver.sent().iter().any(|op| matches!(op, Op::SetAgent(_))));
}

#[test]
fn a_message_whose_file_cannot_be_read_comes_back_and_goes_without_it_the_second_time() {
    let mut driver = conversation();
    driver.type_text("read @src/gone.rs");
    driver.press("esc enter");
    driver.sent();
    driver.event(Event::Unread {
        input: Arc::new(Input {
            text: "read @src/gone.rs".to_owned(),
            without: vec!["src/gone.rs".to_owned()],
            ..Default::default()
        }),
        report: ErrorReport {
            kind: ReportKind::BadRequest,
            message: "`src/gone.rs` does not exist".to_owned(),
            hint: None,
        },
        why: String::new(),
    });
    assert!(driver.text().contains("does not exist"), "{}", driver.text());
    assert_eq!(driver.app.view.composer.text(), "read @src/gone.rs");
    driver.press("enter");
    let sent = driver.sent();
    assert!(matches!(sent.as_slice(), [Op::Submit(input)] if input.without == ["src/gone.rs"]));
}

#[test]
fn a_file_that_needs_a_word_goes_with_the_message_when_that_is_sent_again_after_a_moment() {
    let mut driver = conversation();
    let log = "failed at @../other/.env\nsee @src/a.rs";
    driver.app.paste(log, driver.now);
    driver.press("enter");
    let meant = |driver: &mut Driver| {
        let sent = driver.sent();
        let input = sent.iter().find_map(|op| match op {
            Op::Submit(input) => Some(input.clone()),
            _ => None,
        });
        let input = input.expect("it is sent");
        assert_eq!(input.mentions.len(), 2);
        input.meant
    };
    assert_eq!(
        meant(&mut driver),
        Vec::<String>::new(),
        "a paste is nobody's word"
    );
    let back = Event::Unread {
        input: Arc::new(Input {
            text: log.to_owned(),
            meant: vec!["../other/.env".to_owned()],
            ..Default::default()
        }),
        report: ErrorReport {
            kind: ReportKind::BadRequest,
            message: "it names `../other/.env`".to_owned(),
            hint: None,
        },
        why: String::new(),
    };
    driver.event(back.clone());
    driver.press("enter");
    assert_eq!(
        meant(&mut driver),
        Vec::<String>::new(),
        "the key was pressed twice"
    );
    driver.event(back.clone());
    driver.wait(301);
    driver.type_text(".");
    driver.press("enter");
    assert_eq!(
        meant(&mut driver),
        Vec::<String>::new(),
        "another message is asked about again"
    );
    driver.event(back);
    driver.wait(301);
    driver.press("enter");
    assert_eq!(meant(&mut driver), ["../other/.env"]);
}

#[test]
fn a_late_answer_lets_no_key_pass_a_paste_that_is_looked_at() {
    let mut driver = conversation();
    driver.type_text("see @retr");
    driver.app.paste("/tmp/a.png", driver.now);
    driver.press("x");
    driver.find(FILES);
    assert_eq!(
        driver.app.view.composer.text(),
        "see @retr",
        "the key waits behind the paste"
    );
    let inspected = completion::Answer::Inspected {
        pasted: "/tmp/a.png".to_owned(),
        media: None,
    };
    driver.app.found(inspected, driver.now);
    assert_eq!(driver.app.view.composer.text(), "see @retr/tmp/a.pngx");
}

#[test]
fn names_that_no_mention_can_hold_are_not_offered() {
    let mut driver = conversation();
    driver.type_text("@x");
    driver.find(&["x\" @~/.ssh/id_rsa", "x\ny", "xyz.rs"]);
    let screen = driver.text();
    assert!(
        screen.contains("xyz.rs") && !screen.contains("id_rsa"),
        "{screen}"
    );
    driver.press("enter");
    assert_eq!(driver.app.view.composer.text(), "@xyz.rs ");
}

#[test]
fn what_a_paste_says_is_no_mention() {
    let mut driver = conversation();
    let code = "@Inject(a/b)\n@x/y\n".repeat(20);
    driver.app.paste(&code, driver.now);
    driver.press("enter");
    let sent = driver.sent();
    assert!(matches!(sent.as_slice(), [Op::Submit(input)] if input.mentions.is_empty()));
}

#[test]
fn the_palette_opens_the_same_lists() {
    let mut driver = conversation();
    driver.type_text("see");
    driver.press("ctrl+p");
    driver.type_text("mention");
    driver.press("enter");
    assert_eq!(driver.app.view.composer.text(), "see @");
    driver.find(FILES);
    assert!(selected(&mut driver).starts_with("retry.rs"), "{}", driver.text());
    driver.press("esc ctrl+c ctrl+p");
    driver.type_text("commands");
    driver.press("enter");
    assert!(driver.text().contains("/model"), "{}", driver.text());
}

#[test]
fn files_in_pictures() {
    for size in [(80, 24), (120, 36), (40, 12)] {
        let mut driver = conversation();
        driver.size = size;
        driver.frame();
        driver.type_text("@ret");
        driver.find(FILES);
        driver.app.found(
            completion::Answer::Looked {
                path: "src/retry.rs".to_owned(),
                text: "//! Tries again.\n\nfn retry() {\n\tloop {}\n}\n".to_owned(),
            },
            driver.now,
        );
        picture(&mut driver, "files", size);
    }
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
    driver.app.view.commands = vec![
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
        .found(completion::Answer::Looked { path, text }, driver.now);
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
