//! Events to blocks.
//!
//! Blocks are only ever added at the end; an event changes the one it names, found by its part or call. What an event
//! costs does not depend on how long the conversation is.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::conversation::{
    CallId, CallResult, CallState, Message, MessageId, MessageState, NoticeKind, Part, PartBody, Role, Stop,
};
use crate::permission::Mode;
use crate::session::{Done, Event, PLAN, Retry, Snapshot};

use super::block::{Block, Body, Mark, Phase, ReasoningBlock, Source, TextBlock, UserBlock};
use super::call::CallBlock;
use super::group;
use super::turn::{Awaited, Turn, Waiting};

/// A person's own command that prints no more lines is shown whole.
const SHORT_OUTPUT: usize = 40;

/// All blocks, and how to find the one that an event means.
#[derive(Default)]
pub(super) struct Blocks {
    pub(super) list: Vec<Block>,
    parts: HashMap<(MessageId, u64), usize>,
    calls: HashMap<CallId, usize>,
    /// Where the blocks of a message begin, up to those of the next one. A message may come again: what a person runs
    /// themselves stands between the parts of a reply.
    owners: Vec<(usize, MessageId)>,
    /// The first block of each reply that is not whole yet.
    replies: HashMap<MessageId, usize>,
    turn: Turn,
    agent_is_plan: bool,
    mode_is_plan: bool,
}

impl Blocks {
    pub(super) fn from_snapshot(snapshot: &Snapshot) -> Self {
        let parts = snapshot.messages.iter().map(|message| message.parts.len()).sum();
        let mut blocks = Self {
            list: Vec::with_capacity(parts),
            calls: HashMap::with_capacity(parts),
            agent_is_plan: snapshot.info.agent == PLAN,
            mode_is_plan: snapshot.info.mode == Mode::Plan,
            ..Self::default()
        };
        for message in &snapshot.messages {
            blocks.message(message, None);
        }
        for question in &snapshot.questions {
            blocks.change_call(&question.inquiry.call, |call| call.ask(question.id));
        }
        for form in &snapshot.forms {
            blocks.change_call(&form.call, CallBlock::put_form);
        }
        blocks.turn.is_busy = snapshot.busy;
        if snapshot.busy && blocks.turn.open == 0 {
            blocks.turn.waiting = Some(Waiting::since_before());
        }
        blocks
    }

    /// Applies an event; says whether there is anything new to see.
    pub(super) fn apply(&mut self, event: &Event, now: Instant) -> bool {
        match event {
            Event::MessageStarted(message) => self.message(message, Some(now)),
            Event::PartStarted { message, part } => self.part_started(message, part, now),
            Event::Delta { message, part, delta } => self.delta(message, *part, delta, now),
            Event::PartEnded { message, part } => self.part_ended(message, part, now),
            Event::MessageEnded {
                message,
                state,
                stop,
                dropped,
            } => {
                self.drop_calls(message, dropped);
                self.message_ended(message, *state, *stop, now)
            }
            Event::CallReady { call, tool, args } => match call.outer() {
                Some(outer) => self.change_call(&outer, |block| block.begin_inner(call, tool, args)),
                None => self.change_call(call, |block| {
                    block.ready(tool, args);
                    block.wait(now);
                }),
            },
            Event::CallRunning { call } => self.change_call(call, |block| block.run(now)),
            Event::CallUpdate { call, update } => self.change_call(call, |block| block.update(update)),
            Event::CallEnded { call, tool, result } => self.call_ended(call, tool, result, now),
            Event::Asked(question) => self.change_call(&question.inquiry.call, |block| {
                block.ask(question.id);
                block.wait(now);
            }),
            Event::FormPut(form) => self.change_call(&form.call, |block| {
                block.put_form();
                block.wait(now);
            }),
            Event::FormSettled { call, .. } => self.change_call(call, CallBlock::settle_form),
            Event::Settled(settled) => self.change_call(&settled.call, |block| {
                block.settle(settled.id);
                block.wait(now);
            }),
            Event::Retry(retry) => self.retry(retry, now),
            Event::Unread { report, .. } => self.mark(Mark::Error(report.clone())),
            Event::Error(report) => {
                self.turn.waiting = None;
                self.mark(Mark::Error(report.clone()))
            }
            Event::TurnStarted => self.turn_started(now),
            Event::Preparing => {
                let begun = self.turn_started(now);
                if let Some(waiting) = &mut self.turn.waiting {
                    waiting.on = Awaited::Shell;
                }
                begun
            }
            Event::TurnEnded(done) => self.turn_ended(*done, now),
            Event::Model(model) => self.mark(Mark::Model(model.to_string())),
            Event::Agent(agent) => self.agent_changed(agent),
            Event::Mode(mode) => {
                self.mode_is_plan = *mode == Mode::Plan;
                false
            }
            Event::Notice(text) => self.mark(Mark::Notice {
                kind: NoticeKind::Info,
                text: text.clone(),
            }),
            Event::Usage(_)
            | Event::Queue(_)
            | Event::Unqueued { .. }
            | Event::Todos(_)
            | Event::Title(_)
            | Event::Answer(_)
            | Event::Hook(_)
            | Event::Grants(_)
            | Event::Refused(_) => false,
        }
    }

    /// Returns what is waited for, where that is long enough to be said.
    pub(super) fn waiting(&self, now: Instant) -> Option<Waiting> {
        self.turn.waiting(now)
    }

    /// Returns when it will show that something is waited for, where it does not yet.
    pub(super) fn waits_from(&self, now: Instant) -> Option<Instant> {
        self.turn.waits_from(now)
    }

    /// Returns the block of a call; one inside another is a part of the other's.
    pub(super) fn call(&self, call: &CallId) -> Option<usize> {
        let outer = call.outer();
        self.calls.get(outer.as_ref().unwrap_or(call)).copied()
    }

    /// Returns how many blocks there are, counting those that share a row once.
    pub(super) fn total(&self) -> usize {
        self.list
            .last()
            .map_or(0, |last| last.ordinal + usize::from(!is_absorbed(last)))
    }

    /// Returns the message that a block belongs to, or comes after.
    pub(super) fn message_of(&self, block: usize) -> Option<&MessageId> {
        let after = self.owners.partition_point(|(first, _)| *first <= block);
        let (_, message) = self.owners.get(after.checked_sub(1)?)?;
        Some(message)
    }

    /// Returns the blocks of a message, with what came after them.
    pub(super) fn blocks_of(&self, message: &MessageId) -> impl Iterator<Item = &Block> {
        let ends = self.owners.iter().skip(1).map(|(first, _)| *first);
        let ends = ends.chain([self.list.len()]);
        let runs = self.owners.iter().zip(ends);
        let own = runs.filter(move |((_, owner), _)| owner == message);
        own.flat_map(|((first, _), end)| &self.list[*first..end])
    }

    pub(super) fn is_streaming(&self, message: &MessageId) -> bool {
        self.replies.contains_key(message)
    }

    /// Makes this message the owner of the blocks that are added from here on.
    fn own(&mut self, message: &MessageId) {
        if self.owners.last().is_none_or(|(_, last)| last != message) {
            self.owners.push((self.list.len(), message.clone()));
        }
    }

    /// Adds a block at the end.
    pub(super) fn push(&mut self, body: Body) -> usize {
        let index = self.list.len();
        let ordinal = self.total();
        self.list.push(Block {
            ordinal,
            ..Block::new(body)
        });
        index
    }

    /// A mode leaves no mark, and neither does the agent that comes or goes because of it: the mode was told before.
    fn agent_changed(&mut self, agent: &str) -> bool {
        let is_plan = agent == PLAN;
        let was_plan = std::mem::replace(&mut self.agent_is_plan, is_plan);
        let follows_mode = is_plan != was_plan && is_plan == self.mode_is_plan;
        !follows_mode && self.mark(Mark::Agent(agent.to_owned()))
    }

    pub(super) fn mark(&mut self, mark: Mark) -> bool {
        self.push(Body::Mark(mark));
        true
    }

    fn message(&mut self, message: &Arc<Message>, now: Option<Instant>) -> bool {
        let first = self.list.len();
        self.own(&message.id);
        match message.role {
            Role::User if message.is_reminder() => {
                self.mark(Mark::told(&message.text()));
            }
            Role::User => {
                self.push(Body::User(UserBlock::new(message)));
                self.own_command(message, now);
            }
            Role::Assistant => {
                for index in 0..message.parts.len() {
                    self.stored_part(message, index, now);
                }
                if message.state == MessageState::Streaming {
                    self.replies.insert(message.id.clone(), first);
                } else {
                    self.close_reply(message.state, message.stop, first);
                }
            }
        }
        self.list.len() > first
    }

    /// Adds the call of a command that the person runs themselves. The turn does not wait for it.
    fn own_command(&mut self, message: &Arc<Message>, now: Option<Instant>) {
        let Some((_, part)) = message.own_command() else {
            return;
        };
        let mut call = CallBlock::stored(part, message, 0).of_person();
        if let Some(now) = now.filter(|_| call.is_running()) {
            call.run(now);
        }
        let index = self.push(Body::Call(Box::new(call)));
        self.calls.insert(part.call.clone(), index);
        self.show_output(index);
    }

    /// Unfolds a command of the person's that has ended: they ran it to see what it says.
    fn show_output(&mut self, index: usize) {
        let block = &mut self.list[index];
        if let Body::Call(call) = &block.body
            && block.unfolded.is_none()
            && call.is_of_person()
            && call
                .result()
                .is_some_and(|result| result.output.lines().count() <= SHORT_OUTPUT)
        {
            block.unfolded = Some(true);
        }
    }

    /// Adds a part of a message that came with a snapshot, or with the first event of a reply.
    fn stored_part(&mut self, message: &Arc<Message>, index: usize, now: Option<Instant>) {
        let part = &message.parts[index];
        let is_open = message.state == MessageState::Streaming && index + 1 == message.parts.len();
        let source = || Source::Stored {
            message: Arc::clone(message),
            part: index,
        };
        let body = match &part.body {
            PartBody::Text(_) => Body::Text(TextBlock {
                source: source(),
                is_open,
            }),
            PartBody::Reasoning(_) => {
                let phase = if is_open {
                    Phase::Open { since: now }
                } else {
                    Phase::Ended { took: None }
                };
                Body::Reasoning(ReasoningBlock {
                    source: source(),
                    phase,
                })
            }
            PartBody::Tool(tool) if is_open && tool.args.is_none() => {
                Body::Call(Box::new(CallBlock::streaming(tool)))
            }
            PartBody::Tool(tool) => Body::Call(Box::new(CallBlock::stored(tool, message, index))),
            other => match mark_of(other) {
                // A reply that was cut has said so already.
                Some(Mark::Interrupted) => return self.interrupted(),
                Some(mark) => Body::Mark(mark),
                None => return,
            },
        };
        let is_streamed = message.state == MessageState::Streaming;
        self.push_part(&message.id, part.seq, body, is_streamed);
    }

    fn push_part(&mut self, message: &MessageId, seq: u64, body: Body, is_streamed: bool) {
        self.own(message);
        let shares_row = matches!(&body, Body::Call(call) if group::may_share(call));
        let call = match &body {
            Body::Call(call) => Some((call.id.clone(), call.state)),
            _ => None,
        };
        let index = self.push(body);
        if is_streamed {
            self.parts.insert((message.clone(), seq), index);
        }
        if let Some((id, state)) = call {
            self.turn.open += usize::from(!state.is_final());
            self.calls.insert(id, index);
        }
        if shares_row {
            group::join(&mut self.list, index);
        }
    }

    fn part_started(&mut self, message: &MessageId, part: &Part, now: Instant) -> bool {
        // A reply that has begun without a word is still waited for.
        match &part.body {
            PartBody::Text(text) if text.text.is_empty() => {}
            PartBody::Text(_) => self.turn.waiting = Some(Waiting::go_on(now)),
            _ => self.turn.waiting = None,
        }
        let body = match &part.body {
            PartBody::Text(text) => Body::Text(TextBlock {
                source: Source::Own(text.text.clone()),
                is_open: true,
            }),
            PartBody::Reasoning(reasoning) => Body::Reasoning(ReasoningBlock {
                source: Source::Own(reasoning.text.clone()),
                phase: Phase::Open { since: Some(now) },
            }),
            PartBody::Tool(tool) => {
                self.turn.calls += 1;
                Body::Call(Box::new(CallBlock::streaming(tool)))
            }
            other => match mark_of(other) {
                Some(mark) => Body::Mark(mark),
                None => return false,
            },
        };
        self.replies.entry(message.clone()).or_insert(self.list.len());
        self.push_part(message, part.seq, body, true);
        true
    }

    fn delta(&mut self, message: &MessageId, part: u64, delta: &str, now: Instant) -> bool {
        let Some(&index) = self.parts.get(&(message.clone(), part)) else {
            return false;
        };
        match &mut self.list[index].body {
            Body::Text(text) => text.source.push_str(delta),
            Body::Reasoning(reasoning) => reasoning.source.push_str(delta),
            Body::Call(call) => call.push_args(delta),
            Body::User(_) | Body::Mark(_) => return false,
        }
        let is_text = matches!(self.list[index].body, Body::Text(_));
        self.turn.waiting = is_text.then(|| Waiting::go_on(now));
        group::touch(&mut self.list, index);
        true
    }

    fn part_ended(&mut self, message: &MessageId, part: &Part, now: Instant) -> bool {
        let Some(&index) = self.parts.get(&(message.clone(), part.seq)) else {
            return self.part_started(message, part, now) && self.part_ended(message, part, now);
        };
        match (&mut self.list[index].body, &part.body) {
            (Body::Text(text), PartBody::Text(stored)) => {
                text.is_open = false;
                if !stored.text.is_empty() {
                    self.turn.waiting = None;
                }
                if replace(&mut text.source, &stored.text) {
                    self.list[index].laid = None;
                }
            }
            (Body::Reasoning(reasoning), PartBody::Reasoning(stored)) => {
                let _ = replace(&mut reasoning.source, &stored.text);
                reasoning.phase.end(now);
            }
            (Body::Call(call), PartBody::Tool(stored)) => call.end_args(stored),
            _ => return false,
        }
        group::touch(&mut self.list, index);
        true
    }

    /// Calls that never became whole will not run. Their rows stay, so that nothing closes up.
    fn drop_calls(&mut self, message: &MessageId, dropped: &[u64]) {
        for seq in dropped {
            let Some(&index) = self.parts.get(&(message.clone(), *seq)) else {
                continue;
            };
            self.cancel_call(index);
        }
    }

    fn cancel_call(&mut self, index: usize) {
        if let Body::Call(call) = &mut self.list[index].body
            && !call.state.is_final()
        {
            call.state = CallState::Cancelled;
            self.turn.open = self.turn.open.saturating_sub(1);
            group::leave(&mut self.list, index);
        }
    }

    fn message_ended(
        &mut self,
        message: &MessageId,
        state: MessageState,
        stop: Option<Stop>,
        now: Instant,
    ) -> bool {
        let Some(first) = self.replies.remove(message) else {
            return false;
        };
        self.parts.retain(|(of, _), _| of != message);
        for index in first..self.list.len() {
            match &mut self.list[index].body {
                Body::Text(text) if text.is_open => text.is_open = false,
                Body::Reasoning(reasoning) if reasoning.phase.is_open() => reasoning.phase.end(now),
                _ => continue,
            }
            self.list[index].changed();
        }
        let goes_on = stop == Some(Stop::ToolCalls) && self.turn.open == 0;
        self.turn.waiting = goes_on.then(|| Waiting::since(now));
        self.close_reply(state, stop, first);
        true
    }

    /// Says how a reply ended, where that is not the ordinary way.
    fn close_reply(&mut self, state: MessageState, stop: Option<Stop>, first: usize) {
        match state {
            MessageState::Void => {
                self.void(first);
                self.fold(first);
            }
            MessageState::Cut => self.interrupted(),
            MessageState::Complete | MessageState::Streaming => match stop {
                Some(Stop::Length) => self.warn("the reply reached the model's output limit; it may be cut"),
                // The error of the refusal says so.
                Some(Stop::End | Stop::ToolCalls | Stop::Refusal) | None => {}
            },
        }
    }

    fn warn(&mut self, text: &str) {
        self.mark(Mark::Notice {
            kind: NoticeKind::Error,
            text: text.to_owned(),
        });
    }

    fn interrupted(&mut self) {
        let is_said = matches!(
            self.list.last().map(|block| &block.body),
            Some(Body::Mark(Mark::Interrupted))
        );
        if !is_said {
            self.mark(Mark::Interrupted);
        }
    }

    /// Marks what came since `first` as void. Calls of a void reply never ran.
    fn void(&mut self, first: usize) {
        for index in first..self.list.len() {
            if matches!(self.list[index].body, Body::User(_) | Body::Mark(_)) {
                continue;
            }
            self.list[index].is_void = true;
            self.cancel_call(index);
            group::touch(&mut self.list, index);
        }
    }

    /// Folds what nobody has seen open.
    fn fold(&mut self, first: usize) {
        for block in self.list[first..].iter_mut().filter(|block| block.reserved == 0) {
            block.unfolded = Some(false);
        }
    }

    pub(super) fn change_call(&mut self, call: &CallId, change: impl FnOnce(&mut CallBlock)) -> bool {
        let Some(index) = self.call(call) else {
            return false;
        };
        let Body::Call(block) = &mut self.list[index].body else {
            return false;
        };
        if call.outer().is_none() {
            change(block);
        } else if let Some(inner) = block.inner_mut(call) {
            change(inner);
        } else {
            return false;
        }
        block.wants_look = None;
        let is_plain = block.is_plain();
        group::touch(&mut self.list, index);
        if !is_plain {
            group::leave(&mut self.list, index);
        }
        true
    }

    fn call_ended(&mut self, call: &CallId, tool: &str, result: &Arc<CallResult>, now: Instant) -> bool {
        let mut was_open = false;
        let is_known = self.change_call(call, |block| {
            was_open = !block.state.is_final() && !block.is_of_person();
            block.end(tool, result);
        });
        if let Some(index) = self.call(call) {
            self.show_output(index);
        }
        if was_open && call.outer().is_none() {
            self.turn.open = self.turn.open.saturating_sub(1);
            if self.turn.open == 0 {
                self.turn.waiting = Some(Waiting::since(now));
            }
        }
        is_known
    }

    fn retry(&mut self, retry: &Retry, now: Instant) -> bool {
        if let Some(message) = &retry.voided
            && let Some(first) = self.replies.remove(message)
        {
            self.parts.retain(|(of, _), _| of != message);
            self.void(first);
        }
        let due = now + Duration::from_millis(retry.delay_ms);
        self.turn.waiting = Some(Waiting::since(due));
        self.mark(Mark::Retry {
            attempt: retry.attempt,
            reason: retry.reason.clone(),
            due,
        })
    }

    fn turn_started(&mut self, now: Instant) -> bool {
        self.turn = Turn::begun(now);
        true
    }

    fn turn_ended(&mut self, done: Done, now: Instant) -> bool {
        let turn = std::mem::take(&mut self.turn);
        match done {
            Done::Cancelled => self.interrupted(),
            Done::Stop | Done::Length | Done::Error | Done::MaxSteps => {
                let took = turn.started.map(|started| now.saturating_duration_since(started));
                self.mark(Mark::TurnEnd {
                    done,
                    took,
                    calls: turn.calls,
                });
            }
        }
        true
    }
}

fn is_absorbed(block: &Block) -> bool {
    matches!(&block.body, Body::Call(call) if call.is_absorbed())
}

/// Puts the stored text in place of what streamed, where they differ; says whether they do.
fn replace(source: &mut Source, stored: &str) -> bool {
    let differs = source.text() != stored;
    if differs {
        *source = Source::Own(stored.to_owned());
    }
    differs
}

fn mark_of(body: &PartBody) -> Option<Mark> {
    match body {
        PartBody::Notice(notice) => Some(match notice.kind {
            NoticeKind::Interrupted => Mark::Interrupted,
            NoticeKind::Info | NoticeKind::Error | NoticeKind::Retry => Mark::Notice {
                kind: notice.kind,
                text: notice.text.clone(),
            },
        }),
        PartBody::Unknown(value) => {
            let kind = value.get("type").and_then(|kind| kind.as_str()).unwrap_or("part");
            Some(Mark::Unknown {
                kind: kind.to_owned(),
            })
        }
        PartBody::File(file) => Some(Mark::Notice {
            kind: NoticeKind::Info,
            text: format!("file {}", file.path),
        }),
        PartBody::Text(_) | PartBody::Reasoning(_) | PartBody::Tool(_) => None,
    }
}
