//! Calls of tools that only the session knows.

use serde_json::json;

use super::*;
use crate::conversation::{CallResult, CallState, Part, PartBody, ToolPart};
use crate::session::query::{Answer, Query};
use crate::view::card::Card;

fn snapshot_of_call(driver: &Driver, call: &CallId) -> Snapshot {
    let tool = ToolPart {
        call: call.clone(),
        provider_id: None,
        tool: "weather".to_owned(),
        raw_args: String::new(),
        args: Some(json!({ "city": "Oslo" }).into()),
        state: CallState::Running,
        result: None,
        native: None,
        inner: Vec::new(),
    };
    let body = PartBody::Tool(tool);
    let message = Message {
        parts: vec![Part { seq: 1, body }],
        ..Message::clone(&message(Role::Assistant, ""))
    };
    Snapshot {
        messages: vec![Arc::new(message)],
        ..driver.snapshot()
    }
}

/// Cards that the screen has asked for since the last look.
fn asked(driver: &mut Driver) -> Vec<Query> {
    driver.collect();
    let effects = std::mem::take(&mut driver.effects);
    let queries = effects.into_iter().filter_map(|effect| match effect {
        Effect::Ask(_, query @ Query::Card { .. }) => Some(query),
        _ => None,
    });
    queries.collect()
}

fn answer(driver: &mut Driver, query: &Query, card: Card) {
    let answer = Answer::Card(Some(Box::new(card)));
    driver
        .app
        .answered(driver.app.views.front.slot, query, &answer, driver.now);
}

#[test]
fn a_call_of_a_tool_that_only_the_session_knows_is_drawn_by_the_session() {
    let mut driver = Driver::open();
    let call = CallId::new();
    let snapshot = snapshot_of_call(&driver, &call);
    driver.app.session_opened(
        driver.app.views.front.slot,
        &snapshot,
        crate::tool::BuiltinCards::new(),
        OpeningNotes::default(),
        driver.now,
    );
    assert!(driver.text().contains("weather"));
    let queries = asked(&mut driver);
    let expanded = false;
    let short = Query::Card {
        call: call.clone(),
        expanded,
    };
    assert_eq!(queries, std::slice::from_ref(&short));
    answer(&mut driver, &short, Card::new("Weather", "in Oslo"));
    assert!(driver.text().contains("Weather in Oslo"), "{}", driver.text());
    assert_eq!(asked(&mut driver), [], "it is asked for once");

    let result: CallResult =
        serde_json::from_value(json!({ "ok": true, "title": "", "output": "rain" })).unwrap();
    let ended = Event::CallEnded {
        call: call.clone(),
        tool: "weather".to_owned(),
        result: result.into(),
    };
    driver.event(ended);
    assert!(
        driver.text().contains("Weather in Oslo"),
        "the card stays meanwhile"
    );
    assert_eq!(asked(&mut driver), std::slice::from_ref(&short));
    answer(&mut driver, &short, Card::new("Weather", "in Oslo").meta("rain"));
    assert!(driver.text().contains("rain"), "{}", driver.text());
}
