//! A turn that is interrupted: what stays of it, and what comes after.

use lathe::conversation::MessageState;
use lathe::permission::Mode;
use lathe::session::wire::SessionChoice;
use lathe::session::{Event, Op, TurnEndReason};
use serde_json::json;

use super::{Live, over_both, results, text_of};
use crate::support::{Gate, Project, Protocol, Server, Turn};

over_both! {
    an_interrupt_keeps_what_was_said_and_the_next_turn_is_well_formed,
    an_interrupt_stops_a_running_command_and_its_call_has_a_result,
}

async fn an_interrupt_keeps_what_was_said_and_the_next_turn_is_well_formed() {
    let gate = Gate::new();
    let server = Server::with([
        Turn::text("Half of a long sentence.").gate(2, &gate),
        Turn::text("Again."),
    ]);
    let project = Project::new().model(&server, Protocol::OpenAiResponses);
    let mut live = Live::open(&project, SessionChoice::New, Mode::Ask).await;
    live.submit("talk");
    live.until("delta", |event| matches!(event, Event::Delta { .. }))
        .await;
    live.handle.send(Op::Interrupt).unwrap();
    let (done, _) = live.until_turn_ended().await;
    assert_eq!(done, TurnEndReason::Cancelled);
    gate.open();
    live.submit("again");
    let (done, events) = live.until_turn_ended().await;
    assert_eq!((done, text_of(&events).as_str()), (TurnEndReason::Stop, "Again."));
    let cut = live
        .snapshot()
        .await
        .messages
        .iter()
        .filter(|message| message.state == MessageState::Cut)
        .count();
    assert_eq!(cut, 1);
    live.close().await;
}

async fn an_interrupt_stops_a_running_command_and_its_call_has_a_result() {
    let server = Server::with([
        Turn::tool("bash", json!({"command": "sleep 60"})),
        Turn::text("never"),
    ]);
    let project = Project::new()
        .config(json!({"permission": {"bash": "allow"}}))
        .model(&server, Protocol::OpenAiChat);
    let mut live = Live::open(&project, SessionChoice::New, Mode::Ask).await;
    live.submit("sleep");
    live.until("running call", |event| matches!(event, Event::CallRunning { .. }))
        .await;
    live.handle.send(Op::Interrupt).unwrap();
    let (done, events) = live.until_turn_ended().await;
    assert_eq!(done, TurnEndReason::Cancelled);
    let results = results(&events);
    assert_eq!(results.len(), 1);
    assert_eq!(
        results[0].error_kind(),
        Some(lathe::conversation::ErrorKind::Cancelled)
    );
    live.close().await;
}
