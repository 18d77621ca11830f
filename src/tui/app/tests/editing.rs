//! A question whose call is edited.

use serde_json::{Map, Value, json};

use super::*;
use crate::permission::Editable;
use crate::session::query::{Answer, Query};

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(fields) => fields,
        _ => panic!("{value} is no object"),
    }
}

/// A question about a command that may be edited.
fn editable(command: &str) -> Question<Inquiry> {
    let args = object(json!({ "command": command }));
    let mut question = bash(command, &["cargo test *"]);
    question.about.editable = Some(Editable::new(args, Some("command")));
    question
}

fn asked(command: &str) -> Driver {
    let mut driver = Driver::open();
    driver.event(Event::TurnStarted);
    driver.ask(editable(command));
    driver.hear();
    driver
}

/// Answers the question that the dialog has put to the session: a command that mentions `bad` does not fit.
fn fit(driver: &mut Driver) {
    let queries = driver.effects.drain(..).filter_map(|effect| match effect {
        Effect::Ask(_, query) => Some(query),
        _ => None,
    });
    let [query] = &queries.collect::<Vec<_>>()[..] else {
        panic!("one question is asked of the session");
    };
    let Query::Fit { args, .. } = query else {
        panic!("{query:?}")
    };
    let answer = match args["command"].as_str() {
        Some(command) if !command.contains("bad") => Answer::Fits(args.clone()),
        _ => Answer::Unfit("`command` has to be good".to_owned()),
    };
    driver
        .app
        .answered(driver.app.views.front.slot, query, &answer, driver.now);
    driver.collect();
}

#[test]
fn e_edits_the_command_and_enter_has_it_judged_again() {
    let mut driver = asked("cargo test");
    driver.press("e");
    driver.wait(600);
    driver.type_text(" -p y");
    assert!(driver.text().contains("┃ cargo test -p y"), "{}", driver.text());
    assert!(driver.frame().caret.is_some());
    driver.press("enter");
    fit(&mut driver);
    let args = object(json!({"command": "cargo test -p y"}));
    assert_eq!(driver.replies(), [PermissionReply::Revised(args)]);
    assert!(!driver.app.is_asking());
}

#[test]
fn what_does_not_fit_stays_to_be_mended() {
    let mut driver = asked("cargo test");
    driver.press("e");
    driver.wait(600);
    driver.press("ctrl+u enter");
    assert!(driver.text().contains("`command` is empty"), "{}", driver.text());
    driver.type_text("bad");
    driver.press("enter");
    fit(&mut driver);
    assert!(driver.text().contains("has to be good"), "{}", driver.text());
    assert!(driver.text().contains("┃ bad") && driver.replies().is_empty());
}

#[test]
fn an_answer_counts_for_the_text_it_was_asked_for() {
    let mut driver = asked("cargo test");
    driver.press("e");
    driver.wait(600);
    driver.type_text(" -p y");
    driver.press("enter");
    driver.type_text("z");
    fit(&mut driver);
    assert!(driver.text().contains("┃ cargo test -p yz"), "{}", driver.text());
    driver.press("enter esc");
    fit(&mut driver);
    assert!(driver.text().contains("y once") && driver.replies().is_empty());
}

#[test]
fn a_call_left_as_it_was_is_asked_as_it_was() {
    let mut driver = asked("cargo test");
    driver.press("e");
    driver.wait(600);
    driver.press("enter");
    assert!(driver.text().contains("y once") && driver.replies().is_empty());
}

#[test]
fn esc_leaves_the_edit_and_it_is_there_again() {
    let mut driver = asked("cargo test");
    driver.press("e");
    driver.wait(600);
    driver.type_text(" --lib");
    driver.press("esc");
    assert!(driver.text().contains("y once"), "{}", driver.text());
    driver.press("e");
    driver.wait(600);
    assert!(driver.text().contains("┃ cargo test --lib"), "{}", driver.text());
}

#[test]
fn a_command_of_several_lines_is_pasted_and_written() {
    let mut driver = asked("cargo test");
    driver.press("e");
    driver.wait(600);
    driver.press("ctrl+j");
    driver.app.paste("cargo doc\necho y", driver.now);
    driver.press("enter");
    fit(&mut driver);
    let args = object(json!({"command": "cargo test\ncargo doc\necho y"}));
    assert_eq!(driver.replies(), [PermissionReply::Revised(args)]);
}

#[test]
fn the_editor_gets_the_call_and_not_the_draft() {
    let mut driver = Driver::open();
    driver.type_text("my draft");
    driver.wait(1000);
    driver.ask(editable("cargo test"));
    driver.press("ctrl+x .");
    driver.wait(300);
    driver.press("e ctrl+g");
    assert!(matches!(driver.effects.last(), Some(Effect::Edit(text)) if text == "cargo test"));
    driver.app.edited("cargo doc", driver.now);
    driver.press("enter");
    fit(&mut driver);
    let args = object(json!({"command": "cargo doc"}));
    assert_eq!(driver.replies(), [PermissionReply::Revised(args)]);
    assert!(driver.text().contains("┃ my draft"), "{}", driver.text());
}

#[test]
fn a_call_that_has_begun_is_not_edited() {
    let mut driver = Driver::open();
    driver.ask(bash("cargo test", &[]));
    driver.hear();
    assert!(!driver.text().contains("e edit"), "{}", driver.text());
    driver.press("e");
    driver.wait(600);
    assert!(driver.text().contains("cannot be edited"), "{}", driver.text());
}
