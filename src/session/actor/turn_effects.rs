//! Performs the effects of the turn: on the screen, on disk, through the driver.

use std::sync::Arc;

use tokio::time::Instant;

use super::{Actor, CHECKPOINT, now};
use crate::agent::reminder::remind;
use crate::agent::turn::{Effect, Turn, TurnEnd, TurnEvent};
use crate::conversation::{
    CallId, CallResult, Message, MessageId, Notice, NoticeKind, Part, PartBody, Role, ToolPart, Usage,
};
use crate::project;
use crate::provider::{Model, Purpose, Request};
use crate::session::{CalledCommand, Event, Input, ReportKind, RequestUsage, Retry, TurnEndReason};
use crate::store::{MessageChange, PaidRequest};
use crate::swap::Swappable;
use crate::text::truncate::ContextUse;
use crate::tool::SeenFiles;
use crate::tool::pipeline::{self, LoopGuard};

impl Actor {
    pub(super) fn user_message(&self, input: &Input) -> Message {
        let mut bodies: Vec<PartBody> = input.files.iter().cloned().map(PartBody::File).collect();
        if !input.text.is_empty() {
            bodies.push(PartBody::text(input.text.as_str()));
        }
        if let Some(CalledCommand::Expanded(text)) = &input.command {
            bodies.push(PartBody::text(text.as_str()));
        }
        let parts = bodies.into_iter().map(|body| Part { seq: 0, body });
        Message {
            agent: Some(self.addressee()),
            ..Message::new(Role::User, now(), parts.collect())
        }
    }

    /// Makes a message in the person's name of a text alone.
    pub(super) fn text_message(&self, text: String) -> Message {
        self.user_message(&Input {
            text,
            ..Input::default()
        })
    }

    pub(super) fn start_turn(&mut self, inputs: Vec<Input>) {
        if let Some(words) = self.held() {
            return self.report(ReportKind::Storage, words);
        }
        let Some(inputs) = self.with_model(inputs) else {
            return;
        };
        if let Err(error) = self.parts.calls.services.roots.check_project() {
            // One can still talk; each call that needs the directory says it to the model as well.
            self.report(ReportKind::Storage, error.to_string());
        }
        self.forget_going_on();
        self.todo_reminders.begin_turn();
        self.turn_began = Some(now());
        self.publish(Event::TurnStarted);
        if let Some(inputs) = self.hold_prompts(inputs) {
            self.begin_turn(inputs);
        }
    }

    /// Nothing stands between these inputs and the model any more.
    pub(super) fn begin_turn(&mut self, inputs: Vec<Input>) {
        self.forget_undone();
        self.tell_of_person();
        for input in inputs {
            self.name_session(&input.text);
            let message = self.user_message(&input);
            self.add_user_message(message);
            self.note_seen(&input.seen);
        }
        self.parts.driver.begin_turn();
        self.turn = Some(Turn::new(self.parts.turn.clone(), self.parts.next_seq));
        self.on_turn(TurnEvent::Start);
    }

    /// Gives the parts their places and the message its place in the history.
    pub(super) fn add_user_message(&mut self, message: Message) {
        self.add_message_with(message, Vec::new());
    }

    /// The same, with what is stored in the same commit.
    pub(super) fn add_message_with(&mut self, mut message: Message, changes: Vec<MessageChange>) {
        // A steer may have been said to another agent than the one that reads it.
        message.agent = Some(self.addressee());
        for part in &mut message.parts {
            part.seq = self.parts.next_seq;
            self.parts.next_seq += 1;
        }
        if let Some(turn) = &mut self.turn {
            turn.skip_to(self.parts.next_seq);
        }
        let message = Arc::new(message);
        self.hooking.write(&message);
        self.begin_message(message, changes);
    }

    /// Puts a message into the conversation and tells it; what belongs to it is stored in the same commit.
    pub(super) fn begin_message(&mut self, message: Arc<Message>, changes: Vec<MessageChange>) {
        let stored = self.parts.recorder.message_with(&message, changes);
        self.parts.messages.push(Arc::clone(&message));
        self.publish(Event::MessageStarted(message));
        self.check(stored);
    }

    /// Notes the files that were read for a message, once the message is in the conversation.
    pub(super) fn note_seen(&mut self, seen: &SeenFiles) {
        let noted = seen.note(&self.parts.calls.services);
        self.check(noted);
    }

    pub(super) fn on_turn(&mut self, event: TurnEvent) {
        let Some(turn) = &mut self.turn else { return };
        let effects = turn.on(event, now());
        self.parts.next_seq = turn.seq();
        for effect in effects {
            self.perform(effect);
        }
    }

    pub(super) fn perform(&mut self, effect: Effect) {
        match effect {
            Effect::Request => self.request(),
            Effect::DropRequest => {
                self.drop_awaited_compaction();
                self.drop_awaited_window();
                self.parts.driver.drop_request();
            }
            Effect::MakeRoom(error) => self.make_room_after(error),
            Effect::Withhold(error) => self.withhold(error),
            Effect::StartMessage(message) if message.role == Role::User => {
                self.become_next();
                self.join_steer(&message);
            }
            Effect::StartMessage(message) => self.publish(Event::MessageStarted(message)),
            Effect::StartPart { message, part } => self.publish(Event::PartStarted { message, part }),
            Effect::Delta { message, part, delta } => {
                self.publish(Event::Delta { message, part, delta });
                self.checkpoint.get_or_insert_with(|| Instant::now() + CHECKPOINT);
            }
            Effect::EndPart { message, part } => self.publish(Event::PartEnded { message, part }),
            Effect::EndMessage { message, dropped } => self.end_message(*message, dropped),
            Effect::Run(calls) => self.run_calls(calls),
            Effect::CancelCalls => self.parts.driver.cancel_calls(),
            Effect::Settle {
                message,
                call,
                result,
            } => self.settle(&message, &call, *result),
            Effect::Wait {
                attempt,
                most,
                delay,
                reason,
                voided,
            } => {
                self.parts.driver.wait(delay);
                let delay_ms = u64::try_from(delay.as_millis()).unwrap_or(u64::MAX);
                self.publish(Event::Retry(Retry {
                    attempt,
                    most,
                    delay_ms,
                    reason,
                    voided,
                }));
            }
            Effect::Usage(usage) => self.add_usage(usage),
            Effect::Report(error) => self.report_provider(&error),
            Effect::End(end) => self.end_turn(end),
        }
    }

    pub(super) fn request(&mut self) {
        self.become_next();
        self.ask_as();
        if self.turn.is_some() {
            self.take_notices();
        }
        if self.turn.is_some() {
            self.send_todos();
        }
        if self.turn.is_none() {
            // A change could not be stored, which ended the turn.
            return;
        }
        self.note_images();
        self.request_with_room();
    }

    /// Sends the request with the conversation as it stands.
    pub(super) fn send_request(&mut self) {
        self.note_asked();
        let prompt = self.context_size();
        let request = Request {
            session: self.parts.info.id.clone(),
            agent: self.parts.info.agent.clone(),
            purpose: Purpose::Turn,
            model: self.parts.info.model.clone(),
            system: self.parts.system.clone(),
            tools: self.advertised.tools(),
            messages: remind(
                self.context
                    .view
                    .sendable(&self.parts.messages, &self.parts.info.model),
                &self.parts.info.agent,
                self.parts.profiles.plan_instructions(),
            ),
            temperature: self.parts.temperature,
            prompt,
        };
        self.parts.driver.request(request);
    }

    pub(super) fn end_message(&mut self, message: Message, dropped: Vec<u64>) {
        self.checkpoint = None;
        let message = Arc::new(message);
        self.hooking.write(&message);
        let stored = self.parts.recorder.message(&message);
        self.parts.messages.push(Arc::clone(&message));
        self.publish(Event::MessageEnded {
            message: message.id.clone(),
            state: message.state,
            stop: message.stop,
            dropped,
        });
        self.check(stored);
    }

    pub(super) fn run_calls(&mut self, calls: Vec<ToolPart>) {
        let mut settings = self.parts.calls.clone();
        let used = self.parts.info.context_used;
        let limit = self.parts.info.context_limit.filter(|_| used > 0);
        settings.context = limit.map(|context_limit| ContextUse { context_limit, used });
        settings.advertised = self.advertised.tools();
        self.parts.driver.run(calls, settings);
    }

    /// Puts a result in its place, in the history and on disk, and tells it.
    pub(super) fn settle(&mut self, message: &MessageId, call: &CallId, result: CallResult) {
        self.end_inside(call);
        self.revised.end(call);
        let Some(stored) = self
            .parts
            .messages
            .iter_mut()
            .rev()
            .find(|stored| stored.id == *message)
        else {
            return;
        };
        let message = Arc::make_mut(stored);
        let found = message
            .parts
            .iter_mut()
            .find(|part| matches!(&part.body, PartBody::Tool(tool) if tool.call == *call));
        let Some(part) = found else { return };
        let PartBody::Tool(tool) = &mut part.body else {
            return;
        };
        // A call that never came to the driver is told before its result all the same.
        let never_told = tool.args.is_none().then(|| {
            let mut guard = LoopGuard::default();
            pipeline::resolve(self.parts.calls.known(), &mut guard, &tool.tool, &tool.raw_args).args
        });
        if let Some(args) = &never_told {
            tool.args = Some(args.clone().into());
        }
        let name = self.parts.calls.registry.advertised_name_of(tool);
        let shared = Swappable::new(result);
        let result = shared.get();
        self.hooking.write_result(call, &result);
        tool.state = result.state();
        tool.result = Some(shared.clone());
        let part = part.clone();
        let id = message.id.clone();
        let stored = self.parts.recorder.part(&id, &part);
        if let Some(args) = never_told {
            self.publish(Event::CallReady {
                call: call.clone(),
                tool: name.clone(),
                args,
            });
        }
        self.note_called(&name);
        self.note_todos(&name, &result);
        self.publish(Event::CallEnded {
            call: call.clone(),
            tool: name,
            result: shared,
        });
        self.check(stored);
    }

    pub(super) fn add_usage(&mut self, usage: Usage) {
        self.note_reported(&usage);
        self.note_cached(&usage);
        // Some servers give no figures: that says nothing of how full the context is.
        if usage != Usage::default() {
            self.parts.info.context_used = usage.context();
        }
        let context_used = Some(self.parts.info.context_used);
        let (model, agent) = (self.parts.model.clone(), self.parts.info.agent.clone());
        self.charge(usage, &model, &agent, context_used);
    }

    /// Adds what a request took to the session, and tells it.
    pub(super) fn charge(&mut self, usage: Usage, model: &Model, agent: &str, context_used: Option<u64>) {
        let cost = model.price_of(&usage);
        let info = &mut self.parts.info;
        info.usage += usage;
        info.cost = match (info.cost, cost) {
            (Some(sum), Some(cost)) => Some(sum + cost),
            _ => None,
        };
        let model = model.reference.clone();
        let stored = self.parts.recorder.request(PaidRequest {
            model: model.clone(),
            agent: agent.to_owned(),
            usage,
            cost,
        });
        self.publish(Event::Usage(RequestUsage {
            context_used,
            usage,
            cost,
            model,
        }));
        self.check(stored);
    }

    pub(super) fn end_turn(&mut self, end: TurnEnd) {
        if !self.remind_of_todos(end) && !self.hold_end(end) {
            self.finish_turn(end);
        }
    }

    pub(super) fn finish_turn(&mut self, end: TurnEnd) {
        let is_spent = std::mem::take(&mut self.is_spent);
        let end = if is_spent { TurnEnd::Failed } else { end };
        let turn = self.turn.take();
        // What could not be written is tried again after the turn, too.
        self.checkpoint = self.checkpoint.filter(|_| self.parts.recorder.has_unsaved());
        self.parts.driver.drop_request();
        if end == TurnEnd::Cancelled && turn.is_some() {
            self.note(NoticeKind::Interrupted, "interrupted");
        }
        let done = match end {
            TurnEnd::Stop | TurnEnd::Hooked => TurnEndReason::Stop,
            TurnEnd::Length => TurnEndReason::Length,
            TurnEnd::Failed | TurnEnd::Refused => TurnEndReason::Error,
            TurnEnd::Cancelled => TurnEndReason::Cancelled,
            TurnEnd::MaxSteps => TurnEndReason::MaxSteps,
        };
        self.notify_end(done);
        self.publish(Event::TurnEnded(done));
        self.tell_branch();
        self.become_next();
        let has_steers = turn.is_some_and(|mut turn| !turn.take_steers().is_empty());
        self.continue_queue(end, has_steers);
    }

    /// Tells the branch where it has changed: a command may have switched it.
    fn tell_branch(&mut self) {
        let services = &self.parts.calls.services;
        let branch = project::branch(services.roots.project_root(), &services.gate.readable());
        if branch != self.parts.info.surroundings.branch {
            self.parts.info.surroundings.branch.clone_from(&branch);
            self.publish(Event::Branch(branch));
        }
    }

    /// Leaves a mark in the conversation that is shown and never sent.
    pub(super) fn note(&mut self, kind: NoticeKind, text: &str) {
        let notice = Notice {
            kind,
            text: text.to_owned(),
        };
        self.add_mark(PartBody::Notice(notice), now());
    }
}
