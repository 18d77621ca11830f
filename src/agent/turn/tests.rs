//! The turn, driven by scripted events.

use serde_json::json;

use super::*;
use crate::conversation::{CallState, PartBody};
use crate::provider::ProviderErrorKind;

struct Script {
    turn: Turn,
    effects: Vec<Effect>,
}

fn settings() -> TurnSettings {
    TurnSettings {
        agent: "build".to_owned(),
        model: "local/m".parse().unwrap(),
        max_steps: 3,
        retry: RetrySettings {
            max: 2,
            base: Duration::from_millis(10),
            max_delay: Duration::from_millis(100),
        },
    }
}

impl Script {
    fn start() -> Self {
        let mut script = Self {
            turn: Turn::new(settings(), 7),
            effects: Vec::new(),
        };
        script.on(TurnEvent::Start);
        script
    }

    fn on(&mut self, event: TurnEvent) -> &[Effect] {
        let from = self.effects.len();
        self.effects.extend(self.turn.on(event, 1000));
        &self.effects[from..]
    }

    fn text(&mut self, block: usize, text: &str) {
        self.on(TurnEvent::Stream(StreamEvent::TextStart { block }));
        self.on(TurnEvent::Stream(StreamEvent::Delta {
            block,
            delta: text.to_owned(),
        }));
        self.on(TurnEvent::Stream(StreamEvent::End { block, native: None }));
    }

    fn open_call(&mut self, block: usize, name: &str) {
        let provider_id = Some(format!("p{block}"));
        self.on(TurnEvent::Stream(StreamEvent::CallStart {
            block,
            provider_id,
            name: name.to_owned(),
        }));
        self.on(TurnEvent::Stream(StreamEvent::Delta {
            block,
            delta: "{}".to_owned(),
        }));
    }

    fn call(&mut self, block: usize, name: &str) {
        self.open_call(block, name);
        self.on(TurnEvent::Stream(StreamEvent::End { block, native: None }));
    }

    fn stop(&mut self, stop: Stop) -> &[Effect] {
        self.on(TurnEvent::Stream(StreamEvent::Stop(stop)))
    }

    fn running(&self) -> Vec<CallId> {
        let run = self.effects.iter().rev().find_map(|effect| match effect {
            Effect::Run(calls) => Some(calls.iter().map(|call| call.call.clone()).collect()),
            _ => None,
        });
        run.expect("calls were started")
    }

    fn end_call(&mut self, call: &CallId, end: CallEnd) -> &[Effect] {
        let result = Box::new(CallResult {
            ok: true,
            title: String::new(),
            output: "done".to_owned(),
            details: json!({}).into(),
            truncated: false,
            output_path: None,
            duration_ms: 1,
            attachments: Vec::new(),
        });
        self.on(TurnEvent::CallEnded {
            call: call.clone(),
            result,
            end,
        })
    }

    fn settled(&self) -> usize {
        self.effects
            .iter()
            .filter(|effect| matches!(effect, Effect::Settle { .. }))
            .count()
    }

    fn ends(&self) -> Vec<TurnEnd> {
        let ends = self.effects.iter().filter_map(|effect| match effect {
            Effect::End(end) => Some(*end),
            _ => None,
        });
        ends.collect()
    }

    fn messages(&self) -> Vec<&Message> {
        let ended = self.effects.iter().filter_map(|effect| match effect {
            Effect::EndMessage { message, .. } => Some(&**message),
            _ => None,
        });
        ended.collect()
    }
}

fn lost() -> TurnEvent {
    TurnEvent::Failed(ProviderError::new(
        ProviderErrorKind::Network,
        "the connection was lost",
    ))
}

fn refused() -> TurnEvent {
    TurnEvent::Failed(ProviderError::new(ProviderErrorKind::Auth, "the key was refused"))
}

fn steer() -> Arc<Message> {
    let mut message = empty_reply(&settings(), 5);
    message.role = Role::User;
    message.state = MessageState::Complete;
    Arc::new(message)
}

#[test]
fn a_reply_without_calls_ends_the_turn() {
    let mut script = Script::start();
    assert_eq!(script.effects, [Effect::Request]);
    script.text(0, "hello");
    script.stop(Stop::End);
    assert_eq!(script.ends(), [TurnEnd::Stop]);
    assert_eq!(script.messages()[0].text(), "hello");
    assert_eq!(script.messages()[0].parts[0].seq, 7);
    assert_eq!(script.turn.seq(), 8);
}

#[test]
fn calls_start_only_after_the_reply_has_ended() {
    let mut script = Script::start();
    script.call(0, "read");
    script.call(1, "grep");
    assert!(
        !script
            .effects
            .iter()
            .any(|effect| matches!(effect, Effect::Run(_)))
    );
    script.stop(Stop::ToolCalls);
    let calls = script.running();
    assert_eq!(calls.len(), 2);
    script.end_call(&calls[1], CallEnd::GoOn);
    let after = script.end_call(&calls[0], CallEnd::GoOn);
    assert!(
        matches!(after, [Effect::Settle { .. }, Effect::Request]),
        "{after:?}"
    );
}

#[test]
fn calls_run_whatever_reason_the_reply_ended_with() {
    let mut script = Script::start();
    script.call(0, "read");
    script.stop(Stop::End);
    assert_eq!(script.running().len(), 1);
}

#[test]
fn a_call_that_ends_twice_has_one_result() {
    let mut script = Script::start();
    script.call(0, "read");
    script.call(1, "read");
    script.stop(Stop::ToolCalls);
    let calls = script.running();
    script.end_call(&calls[0], CallEnd::GoOn);
    assert!(script.end_call(&calls[0], CallEnd::GoOn).is_empty());
    assert_eq!(script.settled(), 1);
}

#[test]
fn a_lost_reply_is_void_and_asked_again_and_then_given_up() {
    let mut script = Script::start();
    script.text(0, "half");
    script.open_call(1, "read");
    let effects = script.on(lost());
    assert!(
        matches!(
            effects.last(),
            Some(Effect::Wait {
                attempt: 1,
                most: 2,
                voided: Some(_),
                ..
            })
        ),
        "{effects:?}"
    );
    assert_eq!(script.messages()[0].state, MessageState::Void);
    assert!(matches!(script.on(TurnEvent::RetryDue), [Effect::Request]));
    script.on(lost());
    script.on(TurnEvent::RetryDue);
    let effects = script.on(lost());
    assert!(
        matches!(
            effects,
            [
                Effect::DropRequest,
                Effect::Report(_),
                Effect::End(TurnEnd::Failed)
            ]
        ),
        "{effects:?}"
    );
}

#[test]
fn a_reply_over_its_budget_is_void_and_the_turn_ends() {
    let mut script = Script::start();
    script.text(0, "much");
    script.call(1, "read");
    let error = ProviderError::new(ProviderErrorKind::BadResponse, "too many calls")
        .with_most_retries(0)
        .voiding_reply();
    let effects = script.on(TurnEvent::Failed(error));
    let has_run = |effect: &Effect| {
        matches!(
            effect,
            Effect::Run(_) | Effect::Settle { .. } | Effect::Wait { .. }
        )
    };
    assert!(!effects.iter().any(has_run), "{effects:?}");
    assert!(
        matches!(effects.last(), Some(Effect::End(TurnEnd::Failed))),
        "{effects:?}"
    );
    assert_eq!(script.messages()[0].state, MessageState::Void);
}

#[test]
fn a_refusal_of_the_server_is_not_tried_again() {
    let mut script = Script::start();
    script.on(refused());
    assert_eq!(script.ends(), [TurnEnd::Failed]);
}

#[test]
fn attempts_are_counted_anew_for_each_request() {
    let mut script = Script::start();
    script.on(lost());
    script.on(TurnEvent::RetryDue);
    script.on(lost());
    script.on(TurnEvent::RetryDue);
    script.call(0, "read");
    script.stop(Stop::ToolCalls);
    let calls = script.running();
    script.end_call(&calls[0], CallEnd::GoOn);
    let effects = script.on(lost());
    assert!(
        matches!(effects.last(), Some(Effect::Wait { attempt: 1, .. })),
        "{effects:?}"
    );
}

#[test]
fn an_interrupted_reply_keeps_its_text_and_cancels_its_whole_calls() {
    let mut script = Script::start();
    script.on(TurnEvent::Stream(StreamEvent::TextStart { block: 0 }));
    script.on(TurnEvent::Stream(StreamEvent::Delta {
        block: 0,
        delta: "half".to_owned(),
    }));
    script.call(1, "read");
    script.open_call(2, "bash");
    script.on(TurnEvent::Interrupt);
    let message = script.messages()[0];
    assert_eq!(
        (message.state, message.text().as_str()),
        (MessageState::Cut, "half")
    );
    assert_eq!(message.calls().count(), 1, "the half-streamed call is dropped");
    assert_eq!(script.settled(), 1);
    assert_eq!(script.ends(), [TurnEnd::Cancelled]);
}

#[test]
fn an_interrupt_waits_for_the_results_of_running_calls() {
    let mut script = Script::start();
    script.call(0, "bash");
    script.call(1, "bash");
    script.stop(Stop::ToolCalls);
    let calls = script.running();
    assert_eq!(script.on(TurnEvent::Interrupt), [Effect::CancelCalls]);
    script.end_call(&calls[0], CallEnd::GoOn);
    assert!(script.ends().is_empty());
    script.end_call(&calls[1], CallEnd::GoOn);
    assert_eq!(script.ends(), [TurnEnd::Cancelled]);
    assert_eq!(script.settled(), 2);
}

#[test]
fn a_rejected_call_ends_the_turn_and_cancels_the_others() {
    let mut script = Script::start();
    script.call(0, "bash");
    script.call(1, "bash");
    script.stop(Stop::ToolCalls);
    let calls = script.running();
    let effects = script.end_call(&calls[0], CallEnd::EndTurn);
    assert!(
        matches!(effects, [Effect::Settle { .. }, Effect::CancelCalls]),
        "{effects:?}"
    );
    script.end_call(&calls[1], CallEnd::GoOn);
    assert_eq!(script.ends(), [TurnEnd::Cancelled]);
}

#[test]
fn a_steer_joins_after_the_last_result_or_starts_the_next_step() {
    let mut script = Script::start();
    script.call(0, "bash");
    script.stop(Stop::ToolCalls);
    script.on(TurnEvent::Steer(steer()));
    let calls = script.running();
    let effects = script.end_call(&calls[0], CallEnd::GoOn);
    assert!(
        matches!(
            effects,
            [Effect::Settle { .. }, Effect::StartMessage(_), Effect::Request]
        ),
        "{effects:?}"
    );
    script.on(TurnEvent::Steer(steer()));
    script.text(0, "well");
    let effects = script.stop(Stop::End);
    assert!(matches!(effects.last(), Some(Effect::Request)), "{effects:?}");
    assert!(script.ends().is_empty());
}

#[test]
fn a_steer_that_was_taken_back_does_not_join() {
    let mut script = Script::start();
    let message = steer();
    script.on(TurnEvent::Steer(Arc::clone(&message)));
    assert!(script.turn.unsteer(&message.id));
    assert!(!script.turn.unsteer(&message.id));
    script.text(0, "well");
    script.stop(Stop::End);
    assert_eq!(script.ends(), [TurnEnd::Stop]);
}

#[test]
fn the_step_limit_ends_the_turn_after_the_results() {
    let mut script = Script::start();
    for _ in 0..3 {
        script.call(0, "read");
        script.stop(Stop::ToolCalls);
        let calls = script.running();
        script.end_call(&calls[0], CallEnd::GoOn);
    }
    assert_eq!(script.ends(), [TurnEnd::MaxSteps]);
    assert_eq!(script.settled(), 3);
}

#[test]
fn calls_of_a_reply_that_was_cut_at_the_output_limit_are_not_run() {
    let mut script = Script::start();
    script.call(0, "write");
    script.stop(Stop::Length);
    assert_eq!(script.ends(), [TurnEnd::Length]);
    assert_eq!(script.settled(), 1);
}

#[test]
fn an_interrupt_while_waiting_to_retry_ends_the_turn() {
    let mut script = Script::start();
    script.on(lost());
    script.on(TurnEvent::Interrupt);
    assert_eq!(script.ends(), [TurnEnd::Cancelled]);
    assert!(script.on(TurnEvent::RetryDue).is_empty());
}

#[test]
fn blocks_of_one_reply_may_interleave_and_keep_their_order() {
    let mut script = Script::start();
    script.open_call(0, "read");
    script.open_call(1, "grep");
    script.on(TurnEvent::Stream(StreamEvent::Delta {
        block: 0,
        delta: " ".to_owned(),
    }));
    script.stop(Stop::ToolCalls);
    let message = script.messages()[0];
    let names: Vec<_> = message
        .calls()
        .map(|call| (call.tool.as_str(), call.raw_args.as_str()))
        .collect();
    assert_eq!(names, [("read", "{} "), ("grep", "{}")]);
    assert!(
        message
            .parts
            .iter()
            .all(|part| matches!(&part.body, PartBody::Tool(tool) if tool.state == CallState::Pending))
    );
}

#[test]
fn a_delta_for_a_block_that_never_began_is_dropped() {
    let mut script = Script::start();
    script.on(TurnEvent::Stream(StreamEvent::Delta {
        block: 9,
        delta: "x".to_owned(),
    }));
    script.on(TurnEvent::Stream(StreamEvent::End {
        block: 9,
        native: None,
    }));
    script.stop(Stop::End);
    assert_eq!(script.ends(), [TurnEnd::Stop]);
}
