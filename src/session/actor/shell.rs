//! Commands that a person runs themselves, beside the turn.
//!
//! Such a command is a message of theirs with one part, a call of `bash`: so it is stored, streamed and drawn as every
//! call is, and found unfinished after a crash. A model is sent it as their words, once it has ended; it starts no turn.

use std::collections::HashMap;
use std::sync::Arc;

use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::{Actor, now};
use crate::conversation::{CallId, CallResult, CallState, Message, PartBody, Role, ToolPart};
use crate::session::{Event, ReportKind};
use crate::swap::Swappable;

/// Those that run.
#[derive(Default)]
pub(super) struct Shells(HashMap<CallId, CancellationToken>);

impl Shells {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn insert(&mut self, call: CallId, cancel: CancellationToken) {
        self.0.insert(call, cancel);
    }

    /// Stops them all. They end by themselves within seconds.
    pub(super) fn cancel(&self) {
        self.0.values().for_each(CancellationToken::cancel);
    }
}

impl Actor {
    pub(super) fn run_shell(&mut self, command: &str) {
        if let Some(words) = self.held() {
            return self.report(ReportKind::Storage, words);
        }
        let call = CallId::new();
        let args = json!({ "command": command });
        let message = self.command_message(&call, args, CallState::Running);
        self.begin_message(message, Vec::new());
        let cancel = CancellationToken::new();
        self.shells.insert(call.clone(), cancel.clone());
        let settings = self.parts.calls.clone();
        self.parts
            .driver
            .run_own(call, command.to_owned(), settings, cancel);
    }

    /// Makes a message with one part, a call of `bash`.
    pub(super) fn command_message(&mut self, call: &CallId, args: Value, state: CallState) -> Arc<Message> {
        let body = PartBody::Tool(ToolPart {
            call: call.clone(),
            provider_id: None,
            tool: "bash".to_owned(),
            raw_args: args.to_string(),
            args: Some(args.into()),
            state,
            result: None,
            native: None,
            inner: Vec::new(),
        });
        let part = self.next_part(body);
        Arc::new(Message {
            agent: Some(self.addressee()),
            ..Message::new(Role::User, now(), vec![part])
        })
    }

    pub(super) fn end_shell(&mut self, call: &CallId, result: CallResult) {
        self.shells.0.remove(call);
        let own =
            |message: &&mut Arc<Message>| message.own_command().is_some_and(|(_, part)| part.call == *call);
        let Some(message) = self.parts.messages.iter_mut().rev().find(own) else {
            return;
        };
        let message = Arc::make_mut(message);
        let shared = Swappable::new(result);
        let result = shared.get();
        for part in message.calls_mut() {
            part.state = result.state();
            part.result = Some(shared.clone());
        }
        let stored = match message.parts.first() {
            Some(part) => self.parts.recorder.part(&message.id, part),
            None => Ok(()),
        };
        self.publish(Event::CallEnded {
            call: call.clone(),
            tool: "bash".to_owned(),
            result: shared,
        });
        self.check(stored);
        self.end_setup(call, &result);
    }
}
