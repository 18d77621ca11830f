//! Messages that are sent while a turn runs: they join, wait, or are held.

use lathe::permission::{Mode, PermissionReply};
use lathe::question::Reply;
use lathe::session::wire::SessionChoice;
use lathe::session::{Event, Op, QueueDirection, QueuedKind, TurnEndReason};
use serde_json::json;

use super::{Live, input, over_both, text_of};
use crate::support::{Gate, Project, Protocol, Server, Turn};

over_both! {
    a_steer_joins_at_the_next_tool_boundary,
    what_is_queued_goes_after_the_turn_and_is_held_after_an_interrupt,
    what_waits_can_be_moved_redirected_and_taken_back_until_it_is_sent,
    what_is_held_stays_held_whatever_is_sent_after_it,
}

async fn a_steer_joins_at_the_next_tool_boundary() {
    let server = Server::with([
        Turn::tool("bash", json!({"command": "touch a"})),
        Turn::text("Yes."),
    ]);
    let project = Project::new().model(&server, Protocol::OpenAiChat);
    let mut live = Live::open(&project, SessionChoice::New, Mode::Ask).await;
    live.submit("work");
    let question = live.question().await;
    live.submit("and be quick");
    let seen = live
        .until("queue", |event| matches!(event, Event::Queue(_)))
        .await;
    let Some(Event::Queue(queue)) = seen.last() else {
        unreachable!()
    };
    assert_eq!((queue.len(), queue[0].kind), (1, QueuedKind::Steer));
    live.handle
        .send(Op::Answer {
            id: question.id,
            reply: Reply::Permission(PermissionReply::Once),
        })
        .unwrap();
    live.until_turn_ended().await;
    let requests = server.requests();
    assert_eq!(requests.len(), 2);
    assert!(requests[1].mentions("and be quick"));
    let snapshot = live.snapshot().await;
    assert!(snapshot.queue.is_empty());
    live.close().await;
}

async fn what_is_queued_goes_after_the_turn_and_is_held_after_an_interrupt() {
    let gate = Gate::new();
    let server = Server::with([
        Turn::text("One moment please.").gate(1, &gate),
        Turn::text("Second."),
        Turn::text("Third.").gate(1, &Gate::new()),
    ]);
    let project = Project::new().model(&server, Protocol::OpenAiChat);
    let mut live = Live::open(&project, SessionChoice::New, Mode::Ask).await;
    live.submit("one");
    live.until("delta", |event| matches!(event, Event::Delta { .. }))
        .await;
    live.handle.send(Op::Queue(input("two"))).unwrap();
    gate.open();
    live.until_turn_ended().await;
    let (done, events) = live.until_turn_ended().await;
    assert_eq!(
        (done, text_of(&events).as_str()),
        (TurnEndReason::Stop, "Second.")
    );

    live.submit("three");
    live.until("delta", |event| matches!(event, Event::Delta { .. }))
        .await;
    live.handle.send(Op::Queue(input("four"))).unwrap();
    live.handle.send(Op::Interrupt).unwrap();
    live.until_turn_ended().await;
    let queue = live
        .until("queue", |event| matches!(event, Event::Queue(_)))
        .await;
    let Some(Event::Queue(queue)) = queue.last() else {
        unreachable!()
    };
    assert_eq!((queue.len(), queue[0].kind), (1, QueuedKind::Held));
    live.close().await;
}

async fn what_waits_can_be_moved_redirected_and_taken_back_until_it_is_sent() {
    let gate = Gate::new();
    let server = Server::with([
        Turn::new()
            .say("Wait. ")
            .call("bash", json!({"command": "touch a"}))
            .gate(1, &gate),
        Turn::text("All read."),
        Turn::text("Queued read."),
    ]);
    let project = Project::new()
        .model(&server, Protocol::OpenAiChat)
        .config(json!({"permission": {"bash": "allow"}}));
    let mut live = Live::open(&project, SessionChoice::New, Mode::Ask).await;
    live.submit("work");
    live.until("delta", |event| matches!(event, Event::Delta { .. }))
        .await;
    live.submit("steer one");
    for text in ["queued two", "queued three", "queued four"] {
        live.handle.send(Op::Queue(input(text))).unwrap();
    }
    let ops = [
        Op::Shift {
            id: 3,
            way: QueueDirection::Sooner,
        },
        // It stands next to a steer, so it cannot come sooner.
        Op::Shift {
            id: 3,
            way: QueueDirection::Sooner,
        },
        Op::Redirect(4),
        Op::Shift {
            id: 4,
            way: QueueDirection::Sooner,
        },
        Op::Unqueue(2),
    ];
    for op in ops {
        live.handle.send(op).unwrap();
    }
    let seen = live
        .until("what was taken back", |event| {
            matches!(event, Event::Unqueued { .. })
        })
        .await;
    let Some(Event::Unqueued {
        id: 2,
        input: Some(back),
    }) = seen.last()
    else {
        panic!("{:?}", seen.last());
    };
    assert_eq!(back.text, "queued two");
    let waiting: Vec<_> = live.snapshot().await.queue;
    let waiting: Vec<_> = waiting.iter().map(|queued| (queued.id, queued.kind)).collect();
    let expected = [
        (4, QueuedKind::Steer),
        (1, QueuedKind::Steer),
        (3, QueuedKind::Queue),
    ];
    assert_eq!(waiting, expected);
    gate.open();
    let (done, _) = live.until_turn_ended().await;
    assert_eq!(done, TurnEndReason::Stop);
    live.handle.send(Op::Unqueue(4)).unwrap();
    // The queued turn goes on beside the answer, so its end may come before it.
    let seen = live
        .until("too late", |event| {
            matches!(event, Event::Unqueued { id: 4, input: None })
        })
        .await;
    let is_end = |event: &Event| matches!(event, Event::TurnEnded(_));
    if !seen.iter().any(is_end) {
        live.until("the end of the queued turn", is_end).await;
    }
    let requests = server.requests();
    let said = |text: &str| requests.iter().position(|request| request.mentions(text));
    assert_eq!(
        (said("queued four"), said("steer one"), said("queued three")),
        (Some(1), Some(1), Some(2))
    );
    assert_eq!(said("queued two"), None);
    live.close().await;
}

async fn what_is_held_stays_held_whatever_is_sent_after_it() {
    let server = Server::with([
        Turn::text("One moment please.").gate(1, &Gate::new()),
        Turn::text("Second."),
        Turn::text("Third."),
    ]);
    let project = Project::new().model(&server, Protocol::OpenAiChat);
    let mut live = Live::open(&project, SessionChoice::New, Mode::Ask).await;
    live.submit("one");
    live.until("delta", |event| matches!(event, Event::Delta { .. }))
        .await;
    live.handle.send(Op::Queue(input("held two"))).unwrap();
    live.handle.send(Op::Interrupt).unwrap();
    live.until_turn_ended().await;
    live.submit("three");
    live.until_turn_ended().await;
    let queue = live.snapshot().await.queue;
    assert_eq!((queue.len(), queue[0].kind), (1, QueuedKind::Held));
    live.handle.send(Op::Release).unwrap();
    live.until_turn_ended().await;
    assert!(server.requests()[2].mentions("held two"));
    live.close().await;
}
