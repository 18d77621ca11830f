//! Events to blocks.
//!
//! Blocks are only ever added at the end; an event changes the one it names, found by its part or call. What an event
//! costs does not depend on how long the conversation is.

mod ending;
mod stored;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::conversation::{CallId, CallResult, MessageId, NoticeKind, Part, PartBody};
use crate::permission::Mode;
use crate::session::query::cost_of_miss;
use crate::session::{ContextReport, ContextReportKind, Event, PLAN, Retry, SettledQuestion, TurnEndReason};
use crate::swap::Swappable;

use super::block::{Block, BlockSource, Body, Mark, Phase, ReasoningBlock, RetryState, TextBlock};
use super::call::CallBlock;
use super::group;
use super::steps::TurnSteps;
use super::turn::{PendingRetry, RunningTurn, TurnWait, WaitTarget};

/// Tokens from which on it is said that they are read anew: less costs cents.
const NOTABLE_MISS: u64 = 30_000;

/// All blocks, and how to find the one that an event means.
#[derive(Default)]
pub(super) struct Blocks {
    pub(super) list: Vec<Block>,
    parts: HashMap<(MessageId, u64), usize>,
    calls: HashMap<CallId, usize>,
    /// Index of the first block of each message, up to those of the next one. A message may come again: what a person
    /// runs themselves stands between the parts of a reply.
    owners: Vec<(usize, MessageId)>,
    /// The first block of each reply that is not whole yet.
    replies: HashMap<MessageId, usize>,
    pub(super) turn: RunningTurn,
    steps: TurnSteps,
    agent_is_plan: bool,
    mode_is_plan: bool,
}

impl Blocks {
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
                    block.set_ready(tool, args);
                    block.wait(now);
                }),
            },
            Event::CallRunning { call } => self.change_call(call, |block| block.run(now)),
            Event::CallUpdate { call, update } => self.change_call(call, |block| block.update(update)),
            Event::CallEnded { call, tool, result } => self.call_ended(call, tool, result, now),
            Event::Asked(question) => self.change_call(&question.call, |block| {
                block.ask(question.id);
                block.wait(now);
            }),
            Event::Settled(settled) => self.settle(settled, now),
            Event::Retry(retry) => {
                self.steps.retry();
                self.retry(retry, now)
            }
            Event::Unread { report, .. } => self.mark(Mark::Error(report.clone())),
            Event::Error(report) => {
                self.end_retry(RetryState::gave_up);
                self.mark(Mark::Error(report.clone()))
            }
            Event::TurnStarted => self.turn_started(now),
            Event::Preparing => {
                let begun = self.turn_started(now);
                self.turn.wait = TurnWait::since(WaitTarget::Shell, now);
                begun
            }
            Event::TurnEnded(done) => self.turn_ended(*done, now),
            Event::Model(model) => self.mark(Mark::Model(model.to_string())),
            Event::Agent(agent) => self.agent_changed(agent),
            Event::Mode(mode) => {
                self.mode_is_plan = *mode == Mode::Plan;
                false
            }
            Event::Notice(text) => self.mark(Mark::info(text.clone())),
            Event::Context(report) => self.context_changed(report),
            Event::Summarising(is_running) => {
                self.turn.summary = is_running.then_some(now);
                self.turn.heard(now);
                false
            }
            Event::Usage(request) => {
                self.turn.tokens += request.usage.input + request.usage.cache_write + request.usage.output;
                false
            }
            // The whole transcript is shown anew.
            Event::Restored(_)
            | Event::SummaryDrafted(_)
            | Event::Queue(_)
            | Event::Task(_)
            | Event::Terminals(_)
            | Event::Unqueued { .. }
            | Event::Todos(_)
            | Event::Title(_)
            | Event::Branch(_)
            | Event::Window(_)
            | Event::Answer(_)
            | Event::Hook(_)
            | Event::Grants(_)
            | Event::AllowsEdits(_)
            | Event::Refused(_) => false,
        }
    }

    fn settle(&mut self, settled: &SettledQuestion, now: Instant) -> bool {
        self.change_call(&settled.call, |block| {
            block.settle(settled.id);
            if let Some(args) = settled.revised() {
                block.revise(args);
            }
            block.wait(now);
        })
    }

    /// Says that much is read anew, which costs; the other changes have a mark of their own in the conversation.
    fn context_changed(&mut self, report: &ContextReport) -> bool {
        let is_worth_a_word = report.kind == ContextReportKind::Miss && report.before >= NOTABLE_MISS;
        let Some(cause) = report.cause.as_ref().filter(|_| is_worth_a_word) else {
            return false;
        };
        let cost = cost_of_miss(report.before, report.cost);
        self.mark(Mark::info(format!(
            "not read from the cache: {cost}, because {cause}"
        )))
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
            if !state.is_final() {
                self.turn.open.push(index);
            }
            self.calls.insert(id, index);
        }
        if shares_row {
            group::join(&mut self.list, index);
        }
    }

    fn part_started(&mut self, message: &MessageId, part: &Part, now: Instant) -> bool {
        let body = match &part.body {
            PartBody::Text(text) => Body::Text(TextBlock {
                source: BlockSource::Own(text.text.clone()),
                is_open: true,
            }),
            PartBody::Reasoning(reasoning) => Body::Reasoning(ReasoningBlock {
                source: BlockSource::Own(reasoning.text.clone()),
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
        // A text that has begun without a word is still waited for.
        if !matches!(&part.body, PartBody::Text(text) if text.text.is_empty()) {
            self.turn.grows(self.list.len(), now);
        }
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
        self.turn.grows(index, now);
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
                if replace(&mut text.source, &stored.text) {
                    self.list[index].cached_layout = None;
                }
            }
            (Body::Reasoning(reasoning), PartBody::Reasoning(stored)) => {
                let _ = replace(&mut reasoning.source, &stored.text);
                reasoning.phase.end(now);
            }
            (Body::Call(call), PartBody::Tool(stored)) => call.end_args(stored),
            _ => return false,
        }
        if !matches!(&part.body, PartBody::Text(text) if text.text.is_empty()) {
            self.turn.heard(now);
        }
        self.turn.growing = None;
        group::touch(&mut self.list, index);
        true
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

    fn call_ended(
        &mut self,
        call: &CallId,
        tool: &str,
        result: &Swappable<CallResult>,
        now: Instant,
    ) -> bool {
        let mut was_open = false;
        let is_known = self.change_call(call, |block| {
            was_open = !block.state.is_final() && !block.is_of_person();
            block.end(tool, result);
        });
        if let Some(index) = self.call(call) {
            self.show_output(index);
        }
        if was_open
            && call.outer().is_none()
            && let Some(index) = self.call(call)
        {
            self.turn.open.retain(|open| *open != index);
            self.turn.heard(now);
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
        let before = self.turn.retry.map(|retry| retry.block);
        let block = before.unwrap_or(self.list.len());
        self.turn.heard(due);
        self.turn.retry = Some(PendingRetry {
            attempt: retry.attempt,
            most: retry.most,
            due,
            block,
        });
        let mark = Mark::Retry {
            attempt: retry.attempt,
            most: retry.most,
            reason: retry.reason.clone(),
            state: RetryState::Pending,
        };
        if before.is_none() {
            return self.mark(mark);
        }
        self.list[block].body = Body::Mark(mark);
        self.list[block].changed();
        true
    }

    /// Ends the retries of a request: their row says from now on how they ended.
    pub(super) fn end_retry(&mut self, state: impl FnOnce(PendingRetry) -> RetryState) {
        let Some(retry) = self.turn.retry.take() else {
            return;
        };
        let block = &mut self.list[retry.block];
        if let Body::Mark(Mark::Retry { state: shown, .. }) = &mut block.body {
            *shown = state(retry);
            block.changed();
        }
    }

    fn turn_started(&mut self, now: Instant) -> bool {
        let open = std::mem::take(&mut self.turn.open);
        self.turn = RunningTurn {
            open,
            summary: self.turn.summary,
            ..RunningTurn::started(now)
        };
        self.steps.begin();
        true
    }

    fn turn_ended(&mut self, done: TurnEndReason, now: Instant) -> bool {
        self.end_retry(|_| RetryState::Stopped);
        let summary = self.turn.summary;
        let turn = std::mem::take(&mut self.turn);
        self.turn.summary = summary;
        self.steps.end();
        match done {
            TurnEndReason::Cancelled => self.interrupted(),
            TurnEndReason::Stop | TurnEndReason::Length | TurnEndReason::Error | TurnEndReason::MaxSteps => {
                let took = turn.time(now);
                if done == TurnEndReason::Stop && self.is_unanswered() {
                    self.mark(Mark::info("the model said nothing".to_owned()));
                }
                self.mark(Mark::TurnEnd {
                    done,
                    took,
                    calls: turn.calls,
                    changes: None,
                });
            }
        }
        true
    }
}

impl Blocks {
    /// Returns true if no text and no call follow what the person said last.
    fn is_unanswered(&self) -> bool {
        let mut blocks = self.list.iter().rev();
        let last = blocks.find(|block| !matches!(block.body, Body::Mark(_) | Body::Reasoning(_)));
        last.is_some_and(|last| matches!(last.body, Body::User(_)))
    }
}

fn is_absorbed(block: &Block) -> bool {
    matches!(&block.body, Body::Call(call) if call.is_absorbed())
}

/// Puts the stored text in place of what streamed, where they differ; says whether they do.
fn replace(source: &mut BlockSource, stored: &str) -> bool {
    let differs = source.text() != stored;
    if differs {
        *source = BlockSource::Own(stored.to_owned());
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
        PartBody::File(file) => Some(Mark::info(format!("file {}", file.path))),
        PartBody::Context(change) => Some(Mark::Context(Arc::new(change.clone()))),
        PartBody::Text(_) | PartBody::Reasoning(_) | PartBody::Tool(_) => None,
    }
}
