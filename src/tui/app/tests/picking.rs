//! Lists over the screen.

use super::*;

fn theme(driver: &Driver) -> &str {
    driver.app.appearance.theme.name()
}

#[test]
fn the_palette_opens_by_two_ways_and_esc_closes_it() {
    for keys in ["ctrl+p", "ctrl+x p"] {
        let mut driver = Driver::open();
        driver.press(keys);
        let text = driver.text();
        assert!(
            text.contains(" Actions · ") && text.contains("permission mode"),
            "{text}"
        );
        assert_eq!(driver.app.state().focus, "picker");
        driver.press("esc");
        assert!(!driver.text().contains("Actions"));
        driver.press("esc");
        assert_eq!(
            driver.app.dropped_keys, 1,
            "esc is deaf after it closed something"
        );
    }
}

#[test]
fn the_palette_does_what_is_picked() {
    let mut driver = Driver::open();
    driver.press("ctrl+p");
    driver.type_text("changemode");
    assert!(driver.text().contains(" Actions · 1 of "), "{}", driver.text());
    driver.press("enter");
    assert_eq!(driver.app.views.front.facts.mode, Mode::AcceptEdits);
    assert!(!driver.text().contains("Actions"));
    assert_eq!(
        driver.app.views.front.composer.text(),
        "",
        "what filters is no draft"
    );
}

#[test]
fn the_palette_offers_what_can_be_done_now() {
    let mut driver = Driver::open();
    let offers = |driver: &mut Driver, what: &str| {
        driver.press("ctrl+p");
        driver.type_text(what);
        let count = driver.text().contains("Nothing matches.");
        driver.press("esc esc");
        driver.wait(400);
        !count
    };
    assert!(!offers(&mut driver, "interrupt the turn"));
    assert!(!offers(&mut driver, "answer the next question"));
    assert!(!offers(&mut driver, "queue the draft"));
    driver.event(Event::TurnStarted);
    driver.type_text("more");
    assert!(offers(&mut driver, "interrupt the turn"));
    assert!(offers(&mut driver, "queue the draft"));
    driver.press("ctrl+p");
    driver.type_text("interrupt the turn");
    driver.press("enter");
    let is_interrupt = |op: &Op| matches!(op, Op::Interrupt);
    assert!(driver.sent().iter().any(is_interrupt));
}

#[test]
fn esc_clears_the_filter_first_and_never_reaches_the_turn() {
    let mut driver = Driver::open();
    driver.event(Event::TurnStarted);
    driver.press("ctrl+p");
    driver.type_text("zzz");
    assert!(driver.hints().contains("esc clears"), "{}", driver.hints());
    driver.press("esc");
    assert!(driver.hints().contains("esc closes"), "{}", driver.hints());
    driver.press("esc esc esc");
    assert!(driver.sent().is_empty());
}

#[test]
fn keys_move_the_list_and_not_what_lies_below() {
    let mut driver = Driver::open();
    driver.type_text("draft");
    driver.press("ctrl+p");
    let selected = |driver: &mut Driver| {
        let text = driver.text();
        let line = text.lines().find(|line| line.starts_with(" ❯")).unwrap();
        line.to_owned()
    };
    let first = selected(&mut driver);
    driver.press("down");
    let second = selected(&mut driver);
    assert_ne!(first, second);
    driver.press("ctrl+p");
    assert_eq!(selected(&mut driver), first);
    driver.press("ctrl+n");
    assert_eq!(selected(&mut driver), second);
    driver.press("pgdn pgup pgup");
    assert_eq!(selected(&mut driver), first);
    driver.press("ctrl+g");
    assert!(driver.effects.is_empty());
    driver.press("ctrl+c");
    assert_eq!(
        driver.app.views.front.composer.text(),
        "draft",
        "ctrl+c closes the list only"
    );
    assert!(!driver.text().contains("Actions"));
}

#[test]
fn a_question_behind_a_list_is_announced_and_ignores_keys_when_the_list_closes() {
    let mut driver = Driver::open();
    driver.event(Event::TurnStarted);
    driver.press("ctrl+p");
    driver.ask(bash("cargo test", &["cargo test *"]));
    driver.wait(5000);
    assert!(driver.hints().contains("a question waits"), "{}", driver.hints());
    driver.type_text("y");
    driver.press("esc esc y");
    assert!(driver.replies().is_empty(), "a key for the list answers nothing");
    driver.press("ctrl+c");
    driver.hear();
    driver.press("y");
    assert_eq!(driver.replies(), [PermissionReply::Once]);
}

#[test]
fn picker_previews_the_selected_theme() {
    let mut driver = Driver::open();
    driver.press("ctrl+p");
    driver.type_text("themes");
    driver.press("enter");
    assert!(driver.text().contains("• lathe-dark"), "{}", driver.text());
    driver.press("down");
    assert_eq!(theme(&driver), "ember-dark");
    driver.press("esc");
    assert_eq!(theme(&driver), "lathe-dark", "esc puts the old one back");
}

#[test]
fn a_theme_that_is_kept_follows_the_background_and_is_told() {
    let mut driver = Driver::open();
    driver.press("ctrl+p");
    driver.type_text("themes");
    driver.press("enter");
    driver.type_text("ember");
    assert_eq!(theme(&driver), "ember-dark");
    driver.press("enter");
    assert_eq!(theme(&driver), "ember-dark");
    let text = driver.text();
    assert!(
        text.contains(r#"`"theme": "ember-dark"` in"#)
            && text.contains("`~/.config/lathe/lathe.jsonc` keeps"),
        "{text}"
    );
    driver.app.set_background(Background::Light);
    assert_eq!(theme(&driver), "ember-light");
}

#[test]
fn another_list_takes_the_place_of_the_one_that_is_open() {
    let mut driver = Driver::open();
    driver.press("ctrl+p");
    driver.type_text("themes");
    driver.press("enter down ctrl+x p");
    assert_eq!(theme(&driver), "lathe-dark", "the themes were left");
    assert!(driver.text().contains(" Actions · "));
}

#[test]
fn an_agent_is_picked_by_name_and_by_what_it_does() {
    let mut driver = Driver::open();
    driver.press("ctrl+x a");
    let text = driver.text();
    assert!(
        text.contains("❯ • build") && text.contains("reads and plans"),
        "{text}"
    );
    driver.type_text("reads");
    driver.press("enter");
    assert!(matches!(driver.sent().as_slice(), [Op::SetAgent(agent)] if agent == "plan"));
    driver.press("ctrl+x a");
    assert!(driver.text().contains("❯ • plan"), "what was asked for is marked");
}

#[test]
fn a_model_is_picked_and_comes_with_the_next_step() {
    let mut driver = Driver::open();
    driver.event(Event::TurnStarted);
    driver.press("ctrl+x m down enter");
    assert!(matches!(driver.sent().as_slice(), [Op::SetModel(model)] if model.model == "other"));
    assert!(
        driver.hints().contains("local/other from the next step on"),
        "{}",
        driver.hints()
    );
    driver.event(Event::TurnEnded(TurnEndReason::Stop));
    assert!(
        !driver.hints().contains("from the next step on"),
        "it is not true any more: {}",
        driver.hints()
    );
    driver.event(Event::Model("local/other".parse().unwrap()));
    assert_eq!(driver.app.views.front.facts.context_limit, Some(1_000_000));
    assert!(driver.text().lines().next().unwrap().contains("local/other"));
}

#[test]
fn a_session_without_its_model_names_the_key_and_sends_nothing() {
    let mut driver = Driver::open();
    let mut snapshot = driver.snapshot();
    snapshot.info.model_problem = Some("there is no provider `gone`".to_owned());
    driver.attach(&snapshot);
    let words = "its model is not available: ctrl+x m chooses";
    assert!(driver.hints().contains(words), "{}", driver.hints());
    let is_sent = |op: &Op| matches!(op, Op::Submit(input) if input.text == "hello");
    driver.type_text("hello");
    driver.press("enter");
    assert!(!driver.sent().iter().any(is_sent));
    assert!(driver.text().contains("┃ hello"), "{}", driver.text());
    driver.event(Event::Model("local/other".parse().unwrap()));
    driver.press("enter");
    assert!(driver.sent().iter().any(is_sent));
    assert!(!driver.hints().contains(words), "{}", driver.hints());
}

#[test]
fn before_a_session_is_open_there_is_nothing_to_change() {
    let mut driver = Driver::closed();
    driver.press("ctrl+x m");
    assert!(driver.text().contains("No session is open."), "{}", driver.text());
    driver.press("enter");
    assert!(driver.sent().is_empty());
    driver.attach(&driver.snapshot());
    assert!(driver.text().contains("• local/test-model"), "{}", driver.text());
}

/// Opens the palette and says whether it has this; leaves it again.
fn offers(driver: &mut Driver, what: &str) -> bool {
    driver.press("ctrl+x p");
    driver.type_text(what);
    let text = driver.text();
    let has = text.lines().any(|line| line.contains(&format!("  {what}  ")));
    driver.press("esc esc");
    driver.wait(400);
    has
}

/// Has the palette do it.
fn perform(driver: &mut Driver, what: &str) {
    driver.press("ctrl+x p");
    driver.type_text(what);
    driver.press("enter");
    driver.frame();
}

/// A conversation, a todo and a message that waits; the composer has the keys.
fn busy() -> Driver {
    let mut driver = pictures::conversation();
    driver.size = (120, 36);
    driver.frame();
    driver.event(Event::TurnStarted);
    let todo = serde_json::json!({"content": "inject a clock", "status": "in_progress"});
    driver.event(Event::Todos(vec![todo]));
    driver.event(Event::Queue(vec![queued(1, "and the docs", QueuedKind::Queue)]));
    driver.sent();
    driver
}

#[test]
fn the_palette_has_what_each_part_does_wherever_the_keys_are() {
    let all = [
        "search the conversation",
        "fold or unfold all",
        "copy the block",
        "copy the code; again: the next",
        "copy the conversation",
        "select from the block on",
        "take back to edit",
        "edit the todo",
        "attach the image on the clipboard",
    ];
    let ways = [
        ("", "composer"),
        ("ctrl+x [", "transcript"),
        ("up", "queue"),
        ("ctrl+x b", "panel"),
    ];
    for (keys, focus) in ways {
        let mut driver = busy();
        driver.press(keys);
        if focus == "panel" && driver.app.state().focus != focus {
            driver.frame();
            driver.press(keys);
        }
        assert_eq!(driver.app.state().focus, focus);
        for what in all {
            assert!(
                offers(&mut driver, what),
                "{what}, from the {focus}\n{}",
                driver.text()
            );
        }
    }
}

#[test]
fn what_can_be_done_anywhere_belongs_to_no_part_whatever_has_the_keys() {
    for (keys, part) in [
        ("ctrl+x [", "Transcript"),
        ("up", "Pending messages"),
        ("ctrl+x b ctrl+x b", "Panel"),
    ] {
        let mut driver = busy();
        driver.press(keys);
        driver.press("ctrl+x p");
        driver.type_text("keys");
        let text = driver.text();
        let row = text.lines().find(|line| line.contains("  keys  "));
        let row = row.unwrap_or_else(|| panic!("{text}"));
        assert!(row.contains('?') && !row.contains(part), "{row}");
    }
}

#[test]
fn what_is_picked_from_another_part_gives_it_the_keys() {
    let mut driver = busy();
    perform(&mut driver, "search");
    assert_eq!(driver.app.state().focus, "search");
    driver.type_text("clock");
    assert!(driver.hints().contains("1 of 2"), "{}", driver.hints());
    driver.press("enter");
    perform(&mut driver, "edit the todo");
    assert_eq!(driver.app.state().focus, "panel");
    driver.type_text(" now");
    driver.press("enter");
    assert!(
        matches!(&driver.sent()[..], [Op::EditTodo(edit)] if edit.seen.content == "inject a clock"),
        "the todo is changed"
    );
    perform(&mut driver, "take back to edit");
    assert!(matches!(&driver.sent()[..], [Op::Unqueue(1)]));
    perform(&mut driver, "copy the block");
    assert_eq!(driver.app.state().focus, "transcript");
    let copies = |effect: &Effect| matches!(effect, Effect::Copy { text, .. } if !text.is_empty());
    assert!(driver.effects.iter().any(copies));
    perform(&mut driver, "select from the block on");
    assert!(driver.app.views.front.transcript.has_selection());
    perform(&mut driver, "copy");
    driver.press("i");
    driver.type_text("more");
    driver.press("ctrl+x [");
    perform(&mut driver, "queue for after the turn");
    assert!(driver.sent().iter().any(|op| matches!(op, Op::Queue(_))));
}

#[test]
fn the_palette_over_a_page_does_what_the_page_and_the_parts_below_do() {
    let mut driver = busy();
    driver.press("ctrl+x d");
    assert!(offers(&mut driver, "next hunk"));
    perform(&mut driver, "select from the block on");
    assert_eq!(driver.app.state().focus, "transcript", "the page is closed");
}

#[test]
fn a_question_below_the_palette_keeps_its_keys() {
    let mut driver = busy();
    driver.ask(bash("cargo test", &["cargo test *"]));
    driver.wait(1000);
    for what in [
        "once",
        "always",
        "no",
        "take back to edit",
        "select from the block on",
    ] {
        assert!(!offers(&mut driver, what), "{what}");
    }
    assert!(offers(&mut driver, "why") && offers(&mut driver, "copy the conversation"));
    assert_eq!(driver.app.state().dialog, Some("permission"));
}

#[test]
fn agents_and_models_are_shown_beside_their_lists() {
    let mut driver = Driver::open();
    driver.press("ctrl+x a down");
    let text = driver.text();
    for words in [
        "reads and plans",
        "tools off  write",
        "rules      deny edit",
        "defined    built in",
        "model      local/other",
    ] {
        assert!(text.contains(words), "{words}\n{text}");
    }
    driver.press("esc");
    driver.wait(400);
    driver.press("ctrl+x m");
    let text = driver.text();
    for words in [
        "context    128k tokens",
        "takes      text\n",
        "price      $3 in, $15 out (a million tokens)",
    ] {
        assert!(text.contains(words), "{words}\n{text}");
    }
    driver.press("down");
    let text = driver.text();
    assert!(text.contains("No key: set `OTHER_API_KEY`"), "{text}");
}

#[test]
fn the_keys_of_lists_move_in_what_is_allowed_for_good() {
    let mut driver = Driver::open();
    driver.press("ctrl+x P ctrl+p ctrl+n");
    assert_eq!(driver.app.state().focus, "permissions", "ctrl+p goes up");
}
