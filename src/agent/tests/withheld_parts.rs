//! Parts of messages that a provider refused: left out of requests to that model until `/resend`.

use std::path::Path;
use std::sync::Arc;

use serde_json::json;

use crate::agent::history::{HistoryView, is_signed_by};
use crate::conversation::{
    ContextChange, Message, ModelRef, Part, PartBody, ReasoningPart, Role, SentAgain, WithheldKind,
    WithheldParts,
};
use crate::provider::Protocol;

const ASKED: &str = "anthropic/m";

fn model(name: &str) -> ModelRef {
    name.parse().unwrap()
}

fn message(role: Role, bodies: Vec<PartBody>) -> Arc<Message> {
    let parts = bodies.into_iter().map(|body| Part { seq: 1, body });
    Arc::new(Message::new(role, 0, parts.collect()))
}

fn signed_reply() -> Arc<Message> {
    let block = json!({"type": "thinking", "thinking": "hm", "signature": "c2ln"});
    let reasoning = PartBody::Reasoning(ReasoningPart {
        text: "hm".to_owned(),
        native: Some(Protocol::Anthropic.native(&model(ASKED), block)),
    });
    message(Role::Assistant, vec![reasoning, PartBody::text("ok")])
}

fn change(change: ContextChange) -> Arc<Message> {
    message(Role::Assistant, vec![PartBody::Context(change)])
}

fn refused(replies: &[&Arc<Message>]) -> Arc<Message> {
    change(ContextChange::Withheld(WithheldParts {
        kind: WithheldKind::Signed,
        messages: replies.iter().map(|reply| reply.id.clone()).collect(),
        model: model(ASKED),
        reason: "Invalid `signature`".to_owned(),
        count: replies.len(),
        before: 9,
        after: 9,
    }))
}

/// Returns which of the replies are sent with their signed blocks.
fn signed(messages: &[Arc<Message>]) -> Vec<bool> {
    let view = HistoryView::new(Path::new("/outputs"), messages);
    let sent = view.sendable(messages, &model(ASKED));
    sent.iter()
        .filter(|message| message.role == Role::Assistant)
        .map(|message| is_signed_by(message, &model(ASKED)))
        .collect()
}

#[test]
fn signed_blocks_are_left_out_of_the_replies_that_were_refused() {
    let (one, two) = (signed_reply(), signed_reply());
    let mut messages = vec![message(Role::User, vec![PartBody::text("x")]), Arc::clone(&one)];
    assert_eq!(signed(&messages), [true]);
    messages.extend([refused(&[&one]), Arc::clone(&two)]);
    assert_eq!(signed(&messages), [false, true]);
    let view = HistoryView::new(Path::new("/outputs"), &messages);
    let other = view.sendable(&messages, &model("anthropic/other"));
    assert!(Arc::ptr_eq(&other[1], &one), "another model is sent them as ever");
}

#[test]
fn after_a_second_refusal_no_signed_block_is_sent_until_the_person_wants_it() {
    let (one, two) = (signed_reply(), signed_reply());
    let mut messages = vec![
        message(Role::User, vec![PartBody::text("x")]),
        Arc::clone(&one),
        refused(&[&one]),
        Arc::clone(&two),
        refused(&[&two]),
        signed_reply(),
    ];
    assert_eq!(signed(&messages), [false, false, false]);
    let again = SentAgain {
        model: model(ASKED),
        size: 9,
    };
    messages.push(change(ContextChange::SentAgain(again)));
    assert_eq!(signed(&messages), [true, true, true]);
}

#[test]
fn the_way_back_is_told_before_the_words_of_the_provider() {
    let words = |kind: WithheldKind, count: usize| {
        let withheld = WithheldParts {
            kind,
            messages: Vec::new(),
            model: model("local/m"),
            reason: "Could not process image".to_owned(),
            count,
            before: 9,
            after: 9,
        };
        ContextChange::Withheld(withheld).sentence()
    };
    assert_eq!(
        words(WithheldKind::Media, 1),
        "1 attachment left out, `/resend` sends it again: `local/m` refused it (Could not process image)"
    );
    assert!(
        words(WithheldKind::Media, 2).starts_with("2 attachments left out, `/resend` sends them again: ")
    );
    assert!(
        words(WithheldKind::Signed, 2)
            .starts_with("reasoning of 2 replies left out, `/resend` sends it again: ")
    );
}
