//! Calls whose arguments a person changed in a question. The conversation keeps them as the model made them, because it is
//! the model's reply; whoever attaches while such a call is under way sees what it would run.

use std::collections::HashMap;
use std::sync::Arc;

use serde_json::{Map, Value};

use crate::conversation::{CallId, Message, ToolPart};
use crate::session::SettledQuestion;

/// The arguments that a person gave, by call under way.
#[derive(Default)]
pub(super) struct RevisedCalls(HashMap<CallId, Map<String, Value>>);

impl RevisedCalls {
    /// Keeps the arguments, where a question was settled by giving some.
    pub(super) fn take(&mut self, settled: &SettledQuestion) {
        if let Some(args) = settled.revised() {
            self.0.insert(settled.call.clone(), args.clone());
        }
    }

    /// The call has ended; its result tells what it ran with.
    pub(super) fn end(&mut self, call: &CallId) {
        self.0.remove(call);
    }

    /// Returns the arguments that a person gave a call under way.
    pub(super) fn args_of(&self, call: &CallId) -> Option<Value> {
        self.0.get(call).cloned().map(Value::Object)
    }

    /// Gives calls under way these arguments, in messages that are for a front end alone.
    pub(super) fn show(&self, messages: &mut [Arc<Message>]) {
        for (call, args) in &self.0 {
            if let Some(part) = find_call(messages, call) {
                let args = Value::Object(args.clone());
                part.raw_args = args.to_string();
                part.args = Some(args.into());
            }
        }
    }
}

/// Finds a call of the last reply, or one inside it.
pub(super) fn find_call<'a>(messages: &'a mut [Arc<Message>], call: &CallId) -> Option<&'a mut ToolPart> {
    let outer = call.outer();
    let top = outer.as_ref().unwrap_or(call);
    let mut last = messages.iter_mut().rev().take(8);
    let message = last.find(|message| message.calls().any(|part| part.call == *top))?;
    let part = Arc::make_mut(message)
        .calls_mut()
        .find(|part| part.call == *top)?;
    match outer {
        None => Some(part),
        Some(_) => part.inner.iter_mut().find(|inner| inner.call == *call),
    }
}
