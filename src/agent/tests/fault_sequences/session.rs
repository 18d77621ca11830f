//! A session without a screen, a store and a network: what the session's actor does with a turn's effects, and what a
//! person does between turns.

use std::collections::VecDeque;
use std::path::Path;
use std::sync::Arc;

use super::reply;
use crate::agent::history::{HistoryView, is_signed_by, media};
use crate::agent::reminder::{PlanInstructions, remind};
use crate::agent::turn::{CallEnd, Effect, Turn, TurnEvent, TurnSettings, not_executed};
use crate::conversation::{
    CallId, CallResult, CallState, Compaction, ContextChange, FilePart, MaskedOutputs, Message, MessageId,
    MessageState, Part, PartBody, Role, SentAgain, SessionId, StreamEvent, ToolPart, WithheldKind,
    WithheldParts,
};
use crate::provider::sample::{self, SampleClient};
use crate::provider::sdk_tests::Numbers;
use crate::provider::{Protocol, ProviderError, ProviderErrorKind, Request, RetrySettings};
use crate::swap::Swappable;

/// A model that a session may be continued with.
#[derive(Debug)]
pub(super) struct FaultyModel {
    pub(super) protocol: Protocol,
    pub(super) name: &'static str,
    images: bool,
}

pub(super) static MODELS: [FaultyModel; 5] = [
    FaultyModel {
        protocol: Protocol::Anthropic,
        name: "anthropic/claude-a",
        images: true,
    },
    FaultyModel {
        protocol: Protocol::OpenAiChat,
        name: "local/gemma-b",
        images: false,
    },
    FaultyModel {
        protocol: Protocol::OpenAiChat,
        name: "other/devstral-c",
        images: true,
    },
    FaultyModel {
        protocol: Protocol::OpenAiResponses,
        name: "openai/d",
        images: true,
    },
    FaultyModel {
        protocol: Protocol::Gemini,
        name: "gemini/gemini-3-e",
        images: true,
    },
];

const AGENTS: [&str; 2] = ["build", "plan"];
const PROMPTS: [&str; 4] = ["Hello.", "Go on, please.\n", " ", ""];
/// Actions of the person in one sequence; a turn is one of them.
const STEPS: usize = 8;
/// Events of one turn before its person stops it.
const MOST_EVENTS: usize = 120;

pub(super) struct FaultySession {
    numbers: Numbers,
    id: SessionId,
    messages: Vec<Arc<Message>>,
    seq: u64,
    model: &'static FaultyModel,
    agent: &'static str,
    client: SampleClient,
    name: String,
}

/// A turn under way.
struct RunningTurn {
    turn: Turn,
    /// The rest of the reply that comes in.
    reply: Option<VecDeque<StreamEvent>>,
    calls: Vec<CallId>,
    is_waiting: bool,
    is_ended: bool,
    /// Reports that are due before anything else happens.
    due: VecDeque<TurnEvent>,
}

impl FaultySession {
    pub(super) fn new(seed: u64) -> Self {
        let mut numbers = Numbers(seed);
        Self {
            model: &MODELS[numbers.below(MODELS.len())],
            numbers,
            id: SessionId::new(),
            messages: Vec::new(),
            seq: 1,
            agent: AGENTS[0],
            client: SampleClient::default(),
            name: format!("sequence {seed}"),
        }
    }

    pub(super) fn run(&mut self) {
        for _ in 0..STEPS {
            match self.numbers.below(15) {
                0..=6 => self.turn(),
                7 => self.undo(),
                8 => self.fork(),
                9 => {
                    self.compact();
                }
                10 => self.mask(),
                11 => self.model = &MODELS[self.numbers.below(MODELS.len())],
                12 => self.agent = self.numbers.one_of(&AGENTS),
                13 => self.send_refused_again(),
                _ => self.own_command(),
            }
        }
        self.say();
    }

    /// Returns the body of the next request, if it is sent to `model`.
    pub(super) fn next_request(&self, model: &FaultyModel) -> serde_json::Value {
        let request = self.request(model);
        sample::body(model.protocol, &request, &known(model))
    }

    fn request(&self, model: &FaultyModel) -> Request {
        let view = HistoryView::new(Path::new("/outputs"), &self.messages);
        let sendable = view.sendable(&self.messages, &model.name.parse().unwrap());
        let mut request = sample::request(
            model.name,
            remind(sendable, self.agent, PlanInstructions::Reminder),
        );
        request.session = self.id.clone();
        request
    }

    /// Sends a request as the client does, which knows what it sent before.
    fn send(&mut self) {
        let request = self.request(self.model);
        let known = known(self.model);
        let body = self.client.body(self.model.protocol, &request, &known);
        super::validity::assert_valid(self.model.protocol, &body, &self.name);
        let fresh = sample::body(self.model.protocol, &request, &known);
        assert_eq!(body, fresh, "{}", self.name);
    }

    fn part(&mut self, body: PartBody) -> Part {
        let part = Part { seq: self.seq, body };
        self.seq += 1;
        part
    }

    fn push(&mut self, role: Role, bodies: Vec<PartBody>) {
        let parts = bodies.into_iter().map(|body| self.part(body)).collect();
        let message = Message {
            agent: Some(self.agent.to_owned()),
            ..Message::new(role, 0, parts)
        };
        self.messages.push(Arc::new(message));
    }

    fn prompt(&mut self) -> Vec<PartBody> {
        let mut bodies = vec![PartBody::text(self.numbers.one_of(&PROMPTS))];
        if self.numbers.below(4) == 0 {
            let (path, mime) = self.numbers.one_of(&[
                ("a.png", "image/png"),
                ("b.pdf", "application/pdf"),
                ("c.rs", "text/rust"),
            ]);
            bodies.push(PartBody::File(FilePart {
                path: path.to_owned(),
                mime: mime.to_owned(),
                data: "aW1n".to_owned(),
                label: None,
            }));
        }
        bodies
    }

    fn say(&mut self) {
        if self.numbers.below(5) == 0 {
            let reminder = format!("{}Tasks have ended.\n</system-reminder>", Message::REMINDER);
            self.push(Role::User, vec![PartBody::text(reminder)]);
        }
        let prompt = self.prompt();
        self.push(Role::User, prompt);
    }

    fn turn(&mut self) {
        self.say();
        let settings = TurnSettings {
            agent: self.agent.to_owned(),
            model: self.model.name.parse().unwrap(),
            max_steps: 4,
            retry: RetrySettings {
                max: 2,
                ..RetrySettings::default()
            },
        };
        let mut running = RunningTurn {
            turn: Turn::new(settings, self.seq),
            reply: None,
            calls: Vec::new(),
            is_waiting: false,
            is_ended: false,
            due: [TurnEvent::Start].into(),
        };
        for count in 0.. {
            if running.is_ended {
                return;
            }
            if self.numbers.below(150) == 0 {
                return self.crash(&running.turn);
            }
            let event = match running.due.pop_front() {
                Some(due) => due,
                None if count > MOST_EVENTS => TurnEvent::Interrupt,
                None => self.next_event(&mut running),
            };
            let effects = running.turn.on(event, 0);
            self.seq = self.seq.max(running.turn.seq());
            for effect in effects {
                self.perform(effect, &mut running);
            }
        }
    }

    /// The process dies: a reply is kept as far as it was written, and calls have no result.
    fn crash(&mut self, turn: &Turn) {
        self.messages.extend(turn.streaming().cloned().map(Arc::new));
    }

    fn next_event(&mut self, running: &mut RunningTurn) -> TurnEvent {
        match self.numbers.below(30) {
            0 => return TurnEvent::Interrupt,
            1 => {
                let parts = self.prompt().into_iter().map(|body| Part { seq: 0, body });
                return TurnEvent::Steer(Arc::new(Message::new(Role::User, 0, parts.collect())));
            }
            _ => {}
        }
        if let Some(reply) = &mut running.reply {
            if self.numbers.below(20) == 0 {
                return TurnEvent::Failed(self.failure());
            }
            let next = reply.pop_front().map(TurnEvent::Stream);
            return next.unwrap_or_else(|| TurnEvent::Failed(failed(ProviderErrorKind::Network)));
        }
        if running.is_waiting {
            return TurnEvent::RetryDue;
        }
        let Some(call) = running.calls.pop() else {
            return TurnEvent::Interrupt;
        };
        let end = match self.numbers.below(12) {
            0 => CallEnd::EndTurn,
            1 => CallEnd::Stopped,
            _ => CallEnd::GoOn,
        };
        ended(call, reply::result(&mut self.numbers), end)
    }

    fn failure(&mut self) -> ProviderError {
        match self.numbers.below(4) {
            0 => {
                let words = [
                    "Could not process image",
                    "Invalid `signature` in `thinking` block",
                ];
                return sample::refused(self.numbers.one_of(&words));
            }
            1 => return failed(ProviderErrorKind::BadResponse).voiding_reply(),
            _ => {}
        }
        failed(self.numbers.one_of(&[
            ProviderErrorKind::Auth,
            ProviderErrorKind::Overloaded,
            ProviderErrorKind::Network,
            ProviderErrorKind::Context,
            ProviderErrorKind::BadRequest,
            ProviderErrorKind::Refused,
        ]))
    }

    fn perform(&mut self, effect: Effect, running: &mut RunningTurn) {
        match effect {
            Effect::Request => self.ask(running),
            Effect::DropRequest => running.reply = None,
            Effect::StartMessage(message) if message.role == Role::User => {
                let bodies = message.parts.iter().map(|part| part.body.clone()).collect();
                self.push(Role::User, bodies);
                running.turn.skip_to(self.seq);
            }
            Effect::EndMessage { message, .. } => self.messages.push(Arc::new(*message)),
            Effect::Run(calls) => running.calls = calls.into_iter().map(|call| call.call).collect(),
            Effect::CancelCalls => {
                let cancelled = running.calls.drain(..);
                running
                    .due
                    .extend(cancelled.map(|call| ended(call, not_executed(), CallEnd::GoOn)));
            }
            Effect::Settle {
                message,
                call,
                result,
            } => self.settle(&message, &call, *result),
            Effect::Wait { .. } => running.is_waiting = true,
            Effect::MakeRoom(_) if self.compact() => self.ask(running),
            Effect::MakeRoom(error) => running.due.push_back(TurnEvent::Failed(error)),
            Effect::Withhold(error) if self.withhold(&error) => self.ask(running),
            Effect::Withhold(error) => {
                let error = error.into_final_refusal();
                running.due.push_back(TurnEvent::Failed(error));
            }
            Effect::End(_) => running.is_ended = true,
            Effect::StartMessage(_)
            | Effect::StartPart { .. }
            | Effect::Delta { .. }
            | Effect::EndPart { .. }
            | Effect::Usage(_)
            | Effect::Report(_) => {}
        }
    }

    fn ask(&mut self, running: &mut RunningTurn) {
        running.turn.skip_to(self.seq);
        running.is_waiting = false;
        self.send();
        let model = self.model.name.parse().unwrap();
        let events = reply::events(&mut self.numbers, self.model.protocol, &model);
        running.reply = Some(events.into());
    }

    fn settle(&mut self, message: &MessageId, call: &CallId, result: CallResult) {
        let mut stored = self.messages.iter_mut().rev();
        let stored = stored.find(|stored| stored.id == *message).unwrap();
        let mut calls = Arc::make_mut(stored).calls_mut();
        let call = calls.find(|own| own.call == *call).unwrap();
        call.state = result.state();
        call.result = Some(Swappable::new(result));
    }

    /// Returns a place in the conversation where a message of the person's stands.
    fn place_of_a_prompt(&mut self) -> Option<usize> {
        let prompts: Vec<usize> = (0..self.messages.len())
            .filter(|place| self.messages[*place].role == Role::User)
            .collect();
        (!prompts.is_empty()).then(|| prompts[self.numbers.below(prompts.len())])
    }

    fn undo(&mut self) {
        if let Some(place) = self.place_of_a_prompt() {
            self.messages.truncate(place);
        }
    }

    /// As `StoredSessions::fork` does.
    fn fork(&mut self) {
        let end = self.numbers.below(self.messages.len() + 1);
        let mut messages = self.messages[..end].to_vec();
        messages.retain(|message| message.state != MessageState::Void);
        let is_under_way = |message: &Arc<Message>| {
            message.state == MessageState::Streaming || message.calls().any(|call| call.result.is_none())
        };
        let last = messages.last().filter(|last| last.role == Role::Assistant);
        if last.is_some_and(is_under_way) {
            return;
        }
        messages.retain(|message| !is_under_way(message));
        self.messages = messages;
        self.id = SessionId::new();
    }

    /// Has the conversation begin with a summary. Returns false where there is none yet.
    fn compact(&mut self) -> bool {
        let ends: Vec<u64> = self
            .messages
            .iter()
            .filter_map(|message| Some(message.parts.last()?.seq))
            .collect();
        if ends.is_empty() {
            return false;
        }
        let change = ContextChange::Compacted(Compaction {
            covers_to: ends[self.numbers.below(ends.len())],
            summary: "Files were read.".to_owned(),
            kept: Vec::new(),
            before: 9,
            after: 5,
        });
        self.push(Role::Assistant, vec![PartBody::Context(change)]);
        true
    }

    fn mask(&mut self) {
        let calls: Vec<CallId> = self
            .messages
            .iter()
            .flat_map(|message| message.calls().map(|call| call.call.clone()))
            .collect();
        let calls = calls.into_iter().filter(|_| self.numbers.below(2) == 0).collect();
        let change = ContextChange::Masked(MaskedOutputs {
            calls,
            before: 9,
            after: 5,
        });
        self.push(Role::Assistant, vec![PartBody::Context(change)]);
    }

    /// Leaves out all pictures and documents, or all signed blocks. Returns false where there are none.
    fn withhold(&mut self, error: &ProviderError) -> bool {
        let model = self.model.name.parse().unwrap();
        let kind = if error.refuses_media() {
            WithheldKind::Media
        } else {
            WithheldKind::Signed
        };
        let view = HistoryView::new(Path::new("/outputs"), &self.messages);
        let is_sent = |message: &&Arc<Message>| match kind {
            WithheldKind::Media => media(message) > 0 && view.withheld_media(&message.id, &model).is_none(),
            WithheldKind::Signed => {
                is_signed_by(message, &model) && !view.withholds_signed(&message.id, &model)
            }
        };
        let messages: Vec<MessageId> = view
            .kept_sent(&self.messages)
            .filter(is_sent)
            .map(|message| message.id.clone())
            .collect();
        if messages.is_empty() {
            return false;
        }
        let change = ContextChange::Withheld(WithheldParts {
            kind,
            count: messages.len(),
            messages,
            model,
            reason: "Could not process image".to_owned(),
            before: 9,
            after: 9,
        });
        self.push(Role::Assistant, vec![PartBody::Context(change)]);
        true
    }

    fn send_refused_again(&mut self) {
        let model = self.model.name.parse().unwrap();
        let change = ContextChange::SentAgain(SentAgain { model, size: 9 });
        self.push(Role::Assistant, vec![PartBody::Context(change)]);
    }

    fn own_command(&mut self) {
        let is_running = self.numbers.below(4) == 0;
        let result = (!is_running).then(|| Swappable::new(reply::result(&mut self.numbers)));
        let call = ToolPart {
            call: CallId::new(),
            provider_id: None,
            tool: "bash".to_owned(),
            raw_args: String::new(),
            args: Some(serde_json::json!({"command": "ls"}).into()),
            state: CallState::Running,
            result,
            native: None,
            inner: Vec::new(),
        };
        self.push(Role::User, vec![PartBody::Tool(call)]);
    }
}

fn known(model: &FaultyModel) -> crate::provider::Model {
    let mut known = sample::model(model.name);
    (known.images, known.pdf, known.reasoning) = (model.images, model.images, true);
    known
}

fn failed(kind: ProviderErrorKind) -> ProviderError {
    ProviderError::new(kind, "it failed")
}

fn ended(call: CallId, result: CallResult, end: CallEnd) -> TurnEvent {
    TurnEvent::CallEnded {
        call,
        result: Box::new(result),
        end,
    }
}
