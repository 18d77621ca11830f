//! The call in a question, and the card of that call.

use crate::permission::PermissionKey;
use serde_json::json;

use super::asking::call_of;
use super::*;

#[test]
fn the_card_of_a_call_that_was_edited_shows_what_would_run_now() {
    let mut driver = Driver::with_tools();
    driver.event(Event::TurnStarted);
    let inquiry = bash("echo before", &[]);
    call_of(&mut driver, &inquiry, &json!({"command": "echo before"}));
    let question = driver.ask(inquiry);
    assert!(driver.text().contains("Bash echo before"), "{}", driver.text());
    let edited = json!({"command": "echo after"});
    driver.event(Event::Settled(SettledQuestion {
        id: question.id,
        call: question.call.clone(),
        permission: Some(SettledPermission {
            tool: "bash".to_owned(),
            asked: Vec::new(),
            reply: PermissionReply::Revised(edited.as_object().unwrap().clone()),
        }),
    }));
    driver.ask(Question {
        call: question.call.clone(),
        ..bash("echo after", &[])
    });
    driver.hear();
    driver.press("esc");
    let text = driver.text();
    assert!(
        text.contains("Bash echo after") && !text.contains("before"),
        "{text}"
    );
}

#[test]
fn a_tall_screen_shows_all_of_a_question_that_it_has_room_for() {
    let commands: Vec<String> = ('a'..='l').map(|letter| format!("make part-{letter}")).collect();
    let ask = |command: &String| {
        let mut ask = Ask::new(PermissionKey::BASH, Subject::new(command));
        ask.always = vec![command.clone()];
        ask
    };
    let asks: Vec<Ask> = commands.iter().map(ask).collect();
    let question = || {
        let card = bash_card(&commands.join(" &&\n"));
        inquiry("bash", "bash wants to run", asks.clone(), card)
    };
    let mut driver = Driver::open();
    driver.size = (100, 50);
    driver.ask(question());
    let text = driver.text();
    assert!(!text.contains(" more "), "{text}");
    for command in &commands {
        assert_eq!(text.matches(command).count(), 2, "{command} {text}");
    }
    // With less room the rows of the asks give way first, and the body lists them.
    let mut driver = Driver::open();
    driver.ask(question());
    let text = driver.text();
    assert!(text.contains(" more asks"), "{text}");
}
