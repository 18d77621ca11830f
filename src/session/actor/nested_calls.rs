//! Calls that begin, and calls inside a call: kept with it, told like any.

use tokio::sync::oneshot;

use super::Actor;
use crate::conversation::{CallId, CallResult, CallState, ErrorKind, PartBody, ToolPart};
use crate::session::Event;
use crate::swap::Swappable;

impl Actor {
    /// Writes down that a call runs before it may begin: if the process is killed from then on, what it did is unknown.
    pub(super) fn begin_call(&mut self, call: CallId, recorded: oneshot::Sender<()>) {
        self.with_call(&call, |part| part.state = CallState::Running);
        let stored = self.store_call(call.outer().as_ref().unwrap_or(&call));
        if stored.is_ok() || self.parts.recorder.keeps_unsaved() {
            // Whoever does not wait any more has given the call up.
            let _ = recorded.send(());
            self.publish(Event::CallRunning { call });
        }
        self.check(stored);
    }

    /// Writes down what a call consists of before the first of it runs, so that a crash leaves no call untold.
    pub(super) fn begin_inside(&mut self, outer: &CallId, calls: Vec<ToolPart>) {
        let told: Vec<Event> = calls
            .iter()
            .map(|inner| {
                let args = inner.args.clone().unwrap_or_default().into_value();
                Event::CallReady {
                    call: inner.call.clone(),
                    tool: self.parts.calls.registry.advertised_name(&inner.tool, &args),
                    args,
                }
            })
            .collect();
        self.with_call(outer, |part| part.inner = calls);
        let stored = self.store_call(outer);
        for event in told {
            self.publish(event);
        }
        self.check(stored);
    }

    /// Puts the result of a call inside another in its place, and tells it.
    pub(super) fn settle_inner(&mut self, call: &CallId, result: CallResult) {
        self.revised.end(call);
        let mut given = None;
        let shared = Swappable::new(result);
        let result = shared.get();
        self.with_call(call, |part| {
            if part.result.is_none() {
                part.state = result.state();
                part.result = Some(shared.clone());
                let args = part.args.clone().unwrap_or_default().into_value();
                given = Some((part.tool.clone(), args));
            }
        });
        let (Some((given, args)), Some(outer)) = (given, call.outer()) else {
            return;
        };
        let stored = self.store_call(&outer);
        let tool = self.parts.calls.registry.advertised_name(&given, &args);
        self.note_called(&tool);
        self.note_todos(&tool, &result);
        self.publish(Event::CallEnded {
            call: call.clone(),
            tool,
            result: shared,
        });
        self.check(stored);
    }

    /// Gives the calls inside one that ends the result they have not got: it was given up before they returned.
    pub(super) fn end_inside(&mut self, outer: &CallId) {
        let mut open = Vec::new();
        self.with_call(outer, |part| {
            let unfinished = part.inner.iter().filter(|inner| inner.result.is_none());
            open = unfinished
                .map(|inner| (inner.call.clone(), inner.state))
                .collect();
        });
        for (call, state) in open {
            let message = if state == CallState::Pending {
                "not executed"
            } else {
                "cancelled before it had ended; a part of it may have been done"
            };
            self.settle_inner(&call, CallResult::error(ErrorKind::Cancelled, message, None));
        }
    }

    fn store_call(&mut self, call: &CallId) -> Result<(), crate::store::StoreError> {
        let mut last = self.parts.messages.iter().rev().take(8);
        let found = last.find_map(|message| {
            let is_it = |body: &PartBody| matches!(body, PartBody::Tool(tool) if tool.call == *call);
            let part = message.parts.iter().find(|part| is_it(&part.body))?;
            Some((message.id.clone(), part.clone()))
        });
        match found {
            Some((message, part)) => self.parts.recorder.part(&message, &part),
            None => Ok(()),
        }
    }
}
