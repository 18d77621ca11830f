//! One turn, from a person's message to the end of the work it caused: events in, effects out.
//!
//! Nothing here waits, reads a clock or sends anything, so retries, aborts, limits and the pairing of calls with results
//! are tested without any of them. The driver performs the effects and reports what came of them.
//!
//! ```text
//! Idle ─Start→ Asking ─reply ended─→ Calling ─last result─→ Asking …
//!                │  ▲                   │
//!          failed│  │RetryDue           └─ Interrupt, a rejected call, the step limit → Ended
//!                ▼  │
//!              Waiting
//! ```
//!
//! Calls start only after the reply has ended without error, so that a retry never follows an executed call. Every call
//! of a reply that stays gets exactly one result.

mod reply;

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use reply::Reply;

use crate::conversation::{
    CallId, CallResult, ErrorKind, Message, MessageId, MessageState, ModelRef, Part, Role, Stop, StreamEvent,
    ToolPart, Usage,
};
use crate::provider::{ProviderError, ProviderErrorKind, RetrySettings};

/// Inputs of the state machine.
#[derive(Debug)]
pub enum TurnEvent {
    Start,
    Stream(StreamEvent),
    /// The request or its stream failed; also when it ended without saying so.
    Failed(ProviderError),
    RetryDue,
    CallEnded {
        call: CallId,
        result: Box<CallResult>,
        end: CallEnd,
    },
    /// The person says something while the turn runs.
    Steer(Arc<Message>),
    /// The turn has ended and goes on all the same, with this.
    GoOn(Arc<Message>),
    Interrupt,
}

/// The effect of a call's end on the turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallEnd {
    GoOn,
    /// The person said no without a word: they want to speak.
    EndTurn,
    /// A hook wants no more, or the call has given the turn's answer.
    Stopped,
}

/// Outputs of the state machine, to be performed in order.
#[derive(Debug, PartialEq)]
pub enum Effect {
    /// Ask the model, with the history as it stands.
    Request,
    DropRequest,
    /// A message begins, to be shown and stored. A user's is whole and joins the history.
    StartMessage(Arc<Message>),
    StartPart {
        message: MessageId,
        part: Part,
    },
    Delta {
        message: MessageId,
        part: u64,
        delta: String,
    },
    EndPart {
        message: MessageId,
        part: Part,
    },
    /// A reply is over and joins the history; a void one is kept and never sent.
    EndMessage {
        message: Box<Message>,
        dropped: Vec<u64>,
    },
    /// Run these, in this order.
    Run(Vec<ToolPart>),
    /// Stop the calls that run; each still reports its end.
    CancelCalls,
    /// A call has its result.
    Settle {
        message: MessageId,
        call: CallId,
        result: Box<CallResult>,
    },
    Wait {
        attempt: u32,
        /// The request is given up after so many.
        most: u32,
        delay: Duration,
        reason: String,
        voided: Option<MessageId>,
    },
    Usage(Usage),
    /// The request does not fit: send less, or report the error.
    MakeRoom(ProviderError),
    /// The provider refused a part of the conversation (a picture, a document, a signed block): send the rest, or report
    /// the error.
    Withhold(ProviderError),
    Report(ProviderError),
    End(TurnEnd),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TurnEnd {
    Stop,
    Length,
    Refused,
    /// A hook ended it.
    Hooked,
    Failed,
    Cancelled,
    MaxSteps,
}

/// Settings and limits of a turn.
#[derive(Debug, Clone)]
pub struct TurnSettings {
    pub agent: String,
    pub model: ModelRef,
    /// Model requests in one turn.
    pub max_steps: u32,
    pub retry: RetrySettings,
}

// There is one phase a turn; a box would cost more than it saves.
#[allow(clippy::large_enum_variant)]
#[derive(Debug)]
enum Phase {
    Idle,
    Asking(Reply),
    Waiting,
    Calling(OpenCalls),
    Ended,
}

/// The calls of one reply, until the last has its result.
#[derive(Debug)]
struct OpenCalls {
    message: MessageId,
    open: Vec<CallId>,
    stop: Option<TurnEnd>,
}

/// The state machine.
#[derive(Debug)]
pub struct Turn {
    settings: TurnSettings,
    phase: Phase,
    /// The next part's place in the session.
    seq: u64,
    steps: u32,
    attempt: u32,
    steers: VecDeque<Arc<Message>>,
    /// Room was made for the request that runs; it is not made twice.
    has_made_room: bool,
}

impl Turn {
    /// `seq` is the place of the session's next part.
    pub fn new(settings: TurnSettings, seq: u64) -> Self {
        Self {
            settings,
            phase: Phase::Idle,
            seq,
            steps: 0,
            attempt: 0,
            steers: VecDeque::new(),
            has_made_room: false,
        }
    }

    /// The place of the session's next part.
    pub fn seq(&self) -> u64 {
        self.seq
    }

    /// Places before `seq` were taken by others (a user's message that joined).
    pub fn skip_to(&mut self, seq: u64) {
        self.seq = self.seq.max(seq);
    }

    pub fn is_ended(&self) -> bool {
        matches!(self.phase, Phase::Ended)
    }

    /// The reply as it has come in so far.
    pub fn streaming(&self) -> Option<&Message> {
        match &self.phase {
            Phase::Asking(reply) => reply.message(),
            _ => None,
        }
    }

    /// The steps from the next request on are made as these say.
    pub fn change_settings(&mut self, settings: TurnSettings) {
        self.settings = settings;
    }

    /// Returns true if a person said something that has not joined the conversation.
    pub fn has_steers(&self) -> bool {
        !self.steers.is_empty()
    }

    /// Takes what a person said that has not joined the conversation.
    pub fn take_steers(&mut self) -> Vec<Arc<Message>> {
        self.steers.drain(..).collect()
    }

    /// Takes one event. `now` is in milliseconds since the Unix epoch and dates the messages.
    pub fn on(&mut self, event: TurnEvent, now: i64) -> Vec<Effect> {
        let mut effects = Vec::new();
        match event {
            TurnEvent::Start | TurnEvent::RetryDue => self.ask(&mut effects),
            TurnEvent::Stream(event) => self.on_stream(event, now, &mut effects),
            TurnEvent::Failed(error) => self.on_failed(error, &mut effects),
            TurnEvent::CallEnded { call, result, end } => {
                self.on_call_ended(&call, result, end, &mut effects);
            }
            TurnEvent::Steer(message) => self.steers.push_back(message),
            TurnEvent::GoOn(message) => {
                if self.is_ended() {
                    self.steers.push_front(message);
                    self.next_step(&mut effects);
                }
            }
            TurnEvent::Interrupt => self.on_interrupt(&mut effects),
        }
        effects
    }

    /// Has two steers join in each other's place.
    pub fn swap_steers(&mut self, one: &MessageId, other: &MessageId) {
        let place = |id: &MessageId| self.steers.iter().position(|steer| steer.id == *id);
        if let (Some(one), Some(other)) = (place(one), place(other)) {
            self.steers.swap(one, other);
        }
    }

    /// Forgets a steer that the person took back; says whether it was still there.
    pub fn unsteer(&mut self, message: &MessageId) -> bool {
        let before = self.steers.len();
        self.steers.retain(|steer| steer.id != *message);
        self.steers.len() < before
    }

    fn ask(&mut self, effects: &mut Vec<Effect>) {
        if !matches!(self.phase, Phase::Idle | Phase::Waiting) {
            return;
        }
        if matches!(self.phase, Phase::Idle) {
            self.steps += 1;
        }
        self.phase = Phase::Asking(Reply::new());
        effects.push(Effect::Request);
    }

    fn on_stream(&mut self, event: StreamEvent, now: i64, effects: &mut Vec<Effect>) {
        let Phase::Asking(reply) = &mut self.phase else {
            return;
        };
        match event {
            StreamEvent::Usage(usage) => reply.usage = Some(usage),
            StreamEvent::Refusal(words) => reply.refusal = Some(words),
            StreamEvent::Stop(stop) => self.on_reply_ended(stop, effects),
            event => {
                if reply.message().is_none() {
                    let message = empty_reply(&self.settings, now);
                    effects.push(Effect::StartMessage(Arc::new(message.clone())));
                    reply.begin(message);
                }
                reply.take(event, &mut self.seq, effects);
            }
        }
    }

    fn on_reply_ended(&mut self, stop: Stop, effects: &mut Vec<Effect>) {
        let Phase::Asking(reply) = std::mem::replace(&mut self.phase, Phase::Idle) else {
            return;
        };
        effects.push(Effect::DropRequest);
        // One for each request, also where the server gave no figures.
        effects.push(Effect::Usage(reply.usage.unwrap_or_default()));
        self.attempt = 0;
        self.has_made_room = false;
        if stop == Stop::Refusal {
            return self.on_refused(reply, effects);
        }
        let Some(ended) = reply.finish(MessageState::Complete, Some(stop), effects) else {
            return self.on_step_ended(end_of(stop), effects);
        };
        let calls: Vec<ToolPart> = ended.message.calls().cloned().collect();
        let id = ended.message.id.clone();
        effects.push(ended.into_effect());
        if calls.is_empty() {
            return self.on_step_ended(end_of(stop), effects);
        }
        if stop == Stop::Length {
            settle_all(&id, &calls, cut_at_limit, effects);
            return self.end(TurnEnd::Length, effects);
        }
        let open = calls.iter().map(|call| call.call.clone()).collect();
        self.phase = Phase::Calling(OpenCalls {
            message: id,
            open,
            stop: None,
        });
        effects.push(Effect::Run(calls));
    }

    /// A declined reply stays as far as it came; nothing that it asked for is done.
    fn on_refused(&mut self, mut reply: Reply, effects: &mut Vec<Effect>) {
        let words = reply.refusal.take().unwrap_or_default();
        if let Some(ended) = reply.finish(MessageState::Complete, Some(Stop::Refusal), effects) {
            let calls: Vec<ToolPart> = ended.message.calls().cloned().collect();
            let id = ended.message.id.clone();
            effects.push(ended.into_effect());
            settle_all(&id, &calls, not_run_after_refusal, effects);
        }
        effects.push(Effect::Report(ProviderError::refused(
            &self.settings.model,
            &words,
        )));
        self.end(TurnEnd::Refused, effects);
    }

    /// A reply without calls ends the turn, unless the person said something meanwhile.
    fn on_step_ended(&mut self, end: TurnEnd, effects: &mut Vec<Effect>) {
        if self.steers.is_empty() {
            self.end(end, effects);
        } else {
            self.next_step(effects);
        }
    }

    fn next_step(&mut self, effects: &mut Vec<Effect>) {
        self.phase = Phase::Idle;
        for steer in self.steers.drain(..) {
            effects.push(Effect::StartMessage(steer));
        }
        if self.steps >= self.settings.max_steps {
            return self.end(TurnEnd::MaxSteps, effects);
        }
        self.ask(effects);
    }

    fn on_failed(&mut self, error: ProviderError, effects: &mut Vec<Effect>) {
        let Phase::Asking(reply) = std::mem::replace(&mut self.phase, Phase::Waiting) else {
            return;
        };
        effects.push(Effect::DropRequest);
        let is_too_long = error.kind == ProviderErrorKind::Context && reply.message().is_none();
        if is_too_long && !std::mem::replace(&mut self.has_made_room, true) {
            self.phase = Phase::Asking(Reply::new());
            return effects.push(Effect::MakeRoom(error));
        }
        let most = error.most_retries.unwrap_or(u32::MAX);
        let most = most.min(self.settings.retry.max);
        let is_last = self.attempt >= most;
        let refuses_part = error.refuses_media() || error.refuses_signed_blocks();
        if refuses_part && reply.message().is_none() {
            self.phase = Phase::Asking(Reply::new());
            return effects.push(Effect::Withhold(error));
        }
        if error.is_retryable() && !is_last {
            self.attempt += 1;
            // A cut reply was paid for as well.
            effects.extend(reply.usage.map(Effect::Usage));
            let voided = reply.finish(MessageState::Void, None, effects);
            let id = voided.as_ref().map(|ended| ended.message.id.clone());
            effects.extend(voided.map(reply::FinishedReply::into_effect));
            let delay = self
                .settings
                .retry
                .delay(self.attempt, error.retry_after, self.seq);
            effects.push(Effect::Wait {
                attempt: self.attempt,
                most,
                delay,
                reason: error.to_string(),
                voided: id,
            });
            return;
        }
        if error.voids_reply {
            discard(reply, effects);
        } else {
            cut(reply, effects);
        }
        effects.push(Effect::Report(error));
        self.end(TurnEnd::Failed, effects);
    }

    fn on_call_ended(
        &mut self,
        call: &CallId,
        result: Box<CallResult>,
        end: CallEnd,
        effects: &mut Vec<Effect>,
    ) {
        let Phase::Calling(calling) = &mut self.phase else {
            return;
        };
        let Some(index) = calling.open.iter().position(|open| open == call) else {
            return;
        };
        calling.open.swap_remove(index);
        effects.push(Effect::Settle {
            message: calling.message.clone(),
            call: call.clone(),
            result,
        });
        let stop = match end {
            CallEnd::GoOn => None,
            CallEnd::EndTurn => Some(TurnEnd::Cancelled),
            CallEnd::Stopped => Some(TurnEnd::Hooked),
        };
        if stop.is_some() && calling.stop.is_none() {
            calling.stop = stop;
            if !calling.open.is_empty() {
                effects.push(Effect::CancelCalls);
            }
        }
        if !calling.open.is_empty() {
            return;
        }
        match calling.stop {
            Some(end) => self.end(end, effects),
            None => self.next_step(effects),
        }
    }

    fn on_interrupt(&mut self, effects: &mut Vec<Effect>) {
        match std::mem::replace(&mut self.phase, Phase::Ended) {
            Phase::Asking(reply) => {
                effects.push(Effect::DropRequest);
                cut(reply, effects);
                self.end(TurnEnd::Cancelled, effects);
            }
            Phase::Calling(mut calling) => {
                calling.stop = Some(TurnEnd::Cancelled);
                self.phase = Phase::Calling(calling);
                effects.push(Effect::CancelCalls);
            }
            Phase::Waiting | Phase::Idle => {
                effects.push(Effect::DropRequest);
                self.end(TurnEnd::Cancelled, effects);
            }
            Phase::Ended => {}
        }
    }

    fn end(&mut self, end: TurnEnd, effects: &mut Vec<Effect>) {
        self.phase = Phase::Ended;
        effects.push(Effect::End(end));
    }
}

fn empty_reply(settings: &TurnSettings, now: i64) -> Message {
    Message {
        state: MessageState::Streaming,
        agent: Some(settings.agent.clone()),
        model: Some(settings.model.clone()),
        ..Message::new(Role::Assistant, now, Vec::new())
    }
}

/// Marks a reply as void: it is kept, never sent, and none of its calls runs.
fn discard(reply: Reply, effects: &mut Vec<Effect>) {
    effects.extend(reply.usage.map(Effect::Usage));
    let voided = reply.finish(MessageState::Void, None, effects);
    effects.extend(voided.map(reply::FinishedReply::into_effect));
}

/// Keeps what a broken-off reply had said; its whole calls get `cancelled`, half-streamed ones are dropped.
fn cut(reply: Reply, effects: &mut Vec<Effect>) {
    if let Some(usage) = reply.usage {
        effects.push(Effect::Usage(usage));
    }
    let Some(ended) = reply.finish(MessageState::Cut, None, effects) else {
        return;
    };
    let calls: Vec<ToolPart> = ended.message.calls().cloned().collect();
    let id = ended.message.id.clone();
    effects.push(ended.into_effect());
    settle_all(&id, &calls, not_executed, effects);
}

fn settle_all(
    message: &MessageId,
    calls: &[ToolPart],
    result: fn() -> CallResult,
    effects: &mut Vec<Effect>,
) {
    effects.extend(calls.iter().map(|call| Effect::Settle {
        message: message.clone(),
        call: call.call.clone(),
        result: Box::new(result()),
    }));
}

/// The result of a call that never started because the turn was stopped.
pub fn not_executed() -> CallResult {
    CallResult::error(ErrorKind::Cancelled, "not executed", None)
}

fn not_run_after_refusal() -> CallResult {
    let message = "not executed: the provider refused to go on with the reply that made this call";
    CallResult::error(ErrorKind::Cancelled, message, None)
}

fn cut_at_limit() -> CallResult {
    let message = "not executed: the reply was cut at the output limit, so its calls may be incomplete";
    CallResult::error(ErrorKind::Cancelled, message, Some("Make smaller calls."))
}

fn end_of(stop: Stop) -> TurnEnd {
    match stop {
        Stop::End | Stop::ToolCalls => TurnEnd::Stop,
        Stop::Length => TurnEnd::Length,
        // `Turn::on_refused` ends such a reply before.
        Stop::Refusal => TurnEnd::Refused,
    }
}

#[cfg(test)]
mod tests;
