//! Keeps the context within the model's window: before a request the outputs of old calls are masked, and where that is
//! not enough the beginning of the conversation is summarised. Both are recorded in the conversation, so that every later
//! request, also of another process, begins the same way.

mod compaction;
mod meter;
mod misses;
mod summary_task;
mod window;
mod withheld;

use std::sync::Arc;
use std::time::Duration;

pub(super) use compaction::RunningCompaction;
use compaction::{Draft, Trigger};
use meter::ContextMeter;
pub(super) use misses::CachedPrefix;
pub(super) use summary_task::CompactionDone;
pub(super) use window::WindowQuery;

use super::{Actor, now};
use crate::agent::compaction::{ContextBudget, maskable, tail_start};
use crate::agent::estimate;
use crate::agent::history::{HistoryView, KnownSize};
use crate::agent::turn::TurnEvent;
use crate::conversation::{CallId, ContextChange, MaskedOutputs, Message, MessageId, Part, PartBody, Role};
use crate::provider::{Model, ProviderError, ProviderErrorKind};
use crate::session::query::MissCause;
use crate::session::{ContextReport, ContextReportKind, Event};

/// How long providers keep what they have cached: Anthropic five minutes, OpenAI five to ten.
const CACHE_LIFETIME: Duration = Duration::from_mins(5);

/// How a conversation is made shorter.
#[derive(Debug, Clone)]
pub(in crate::session) struct CompactionSettings {
    pub(in crate::session) auto: bool,
    pub(in crate::session) threshold: f64,
    pub(in crate::session) keep_turns: u32,
    pub(in crate::session) mask: bool,
    /// The model that writes summaries, where it is not the session's own.
    pub(in crate::session) model: Option<Model>,
}

/// The session's knowledge of its context.
pub(super) struct ContextState {
    pub(super) view: HistoryView,
    meter: ContextMeter,
    pub(super) cached: CachedPrefix,
    pub(super) running: Option<RunningCompaction>,
    pub(super) window_query: Option<WindowQuery>,
    /// A summary that waits for the person's word.
    draft: Option<Draft>,
    /// What is sent has changed since the provider reported its size.
    has_changed: bool,
    /// Pictures were left out for the request that runs.
    has_withheld: bool,
    /// The size at which no summary could be made. It is tried again when the context has grown by a twentieth of the window.
    gave_up_at: Option<u64>,
    /// The window as an error of the provider showed it, where it is smaller than the model's settings say.
    shown_window: Option<u64>,
}

/// What became of the wish for room.
enum Room {
    Enough,
    /// A summary is being written; the request is sent after it.
    Awaited,
    Full(ProviderError),
}

impl ContextState {
    pub(super) fn new(view: HistoryView, messages: &[Arc<Message>], prefix: u64) -> Self {
        let meter = ContextMeter::of(&view, messages, prefix);
        Self {
            view,
            meter,
            cached: CachedPrefix::new(messages),
            running: None,
            window_query: None,
            draft: None,
            has_withheld: false,
            has_changed: matches!(KnownSize::of(messages), Some(KnownSize::Estimated(_))),
            gave_up_at: None,
            shown_window: None,
        }
    }

    /// Another model is asked from now on: what was learned of the one before says nothing of it.
    pub(super) fn forget_model(&mut self) {
        self.gave_up_at = None;
        self.shown_window = None;
        self.cached.forget();
    }

    /// Returns true if the size that was reported last is that of what is sent.
    pub(super) fn is_reported(&self) -> bool {
        !self.has_changed
    }
}

impl Actor {
    /// Sends the request of the next step, once there is room for it.
    pub(super) fn request_with_room(&mut self) {
        if self.awaits_window() {
            return;
        }
        match self.make_room() {
            Room::Enough => self.send_request(),
            Room::Awaited => {}
            Room::Full(error) => self.on_turn(TurnEvent::Failed(error)),
        }
    }

    /// The provider said that the request does not fit: makes room whatever the estimate says, and asks again, or reports
    /// the error.
    pub(super) fn make_room_after(&mut self, error: ProviderError) {
        let (window, size) = (self.window(), self.context_size());
        // The estimate may be wrong, or the window smaller than the settings say; either way less has to be sent.
        self.context.shown_window = Some(window.min(size) * 9 / 10);
        let budget = self.budget();
        if let Some(after) = self.mask_old_outputs(true)
            && after < budget.full()
        {
            return self.send_request();
        }
        if !self.parts.compaction.auto || !self.begin_compaction(Trigger::Overflow(error.clone())) {
            self.on_turn(TurnEvent::Failed(error));
        }
    }

    fn make_room(&mut self) -> Room {
        let budget = self.budget();
        let mut size = self.context_size();
        if size >= budget.masking_starts()
            && let Some(after) = self.mask_old_outputs(false)
        {
            size = after;
        }
        if size < budget.full() {
            return Room::Enough;
        }
        let gave_up = self.context.gave_up_at;
        let is_worth_trying = gave_up.is_none_or(|at| size >= at + budget.window / 20);
        let auto = self.parts.compaction.auto;
        if auto && is_worth_trying && self.begin_compaction(Trigger::Auto) {
            return Room::Awaited;
        }
        // Where nothing can be done the provider has the last word: the window may be larger than the settings say. Some
        // servers drop the beginning without a word, so nothing is sent that surely does not fit and nobody shortens.
        if auto || size < budget.window || !self.context.meter.is_reported() {
            return Room::Enough;
        }
        Room::Full(self.full_error(size))
    }

    fn full_error(&self, size: u64) -> ProviderError {
        let message = format!(
            "the conversation has about {size} tokens, and the window of `{}` has {}",
            self.parts.info.model,
            self.window()
        );
        let hint = "`/compact` summarises it; with `compaction.auto` that happens by itself";
        ProviderError::new(ProviderErrorKind::Context, message).hinted(hint)
    }

    fn window(&self) -> u64 {
        let window = self.parts.model.context.max(1);
        self.context
            .shown_window
            .map_or(window, |shown| shown.min(window))
            .max(1)
    }

    fn budget(&self) -> ContextBudget {
        ContextBudget {
            window: self.window(),
            output: self.parts.model.output,
            threshold: self.parts.compaction.threshold,
        }
    }

    /// Estimated tokens of the next request.
    pub(super) fn context_size(&mut self) -> u64 {
        let sent = self.sent_estimate();
        self.context.meter.size(sent)
    }

    fn sent_estimate(&self) -> u64 {
        let view = &self.context.view;
        let kept: u64 = view
            .kept_sent(&self.parts.messages)
            .map(|message| estimate::message(message))
            .sum();
        let summary = view.summary().map_or(0, |summary| estimate::message(summary));
        self.prefix_estimate() + kept + summary
    }

    pub(super) fn prefix_estimate(&self) -> u64 {
        estimate::bytes(self.parts.system.len()) + self.advertised.estimate()
    }

    /// A request was sent, or is about to be, with what the conversation is now.
    pub(super) fn note_asked(&mut self) {
        let sent = self.sent_estimate();
        self.context.meter.asked(sent);
        self.context.cached.note_asked();
    }

    /// The provider reported what the last request of the conversation took.
    pub(super) fn note_reported(&mut self, usage: &crate::conversation::Usage) {
        self.context.meter.reported(usage);
        self.context.has_withheld = false;
        self.context.has_changed = false;
    }

    /// Returns true if the provider has to read everything anew anyway, so that a change of what it has cached is free.
    pub(super) fn is_prefix_cold(&self) -> bool {
        self.context.cached.is_cold(CACHE_LIFETIME)
    }

    /// Masks the outputs of old calls, where that frees enough. Returns the size of the context after it.
    fn mask_old_outputs(&mut self, is_overflow: bool) -> Option<u64> {
        if !self.parts.compaction.mask {
            return None;
        }
        let budget = self.budget();
        let before = self.context_size();
        let is_free = is_overflow || before >= budget.full() || self.is_prefix_cold();
        let kept: Vec<Arc<Message>> = self.context.view.kept(&self.parts.messages).cloned().collect();
        let tail = tail_start(&kept, self.parts.compaction.keep_turns, budget.tail());
        let found = maskable(&self.context.view, &kept[..tail]);
        let freed: u64 = found.iter().map(|(_, tokens)| tokens).sum();
        if found.is_empty() || freed < budget.batch(is_free) {
            return None;
        }
        let calls: Vec<CallId> = found.iter().map(|(call, _)| call.call.clone()).collect();
        let calls = self.keep_outputs(calls);
        if calls.is_empty() {
            return None;
        }
        let after = before.saturating_sub(freed);
        let change = ContextChange::Masked(MaskedOutputs { calls, before, after });
        self.change_context(change, None);
        let after = self.context_size();
        Some(after)
    }

    /// Writes the outputs of these calls to files, where they are not there yet. Returns those that have one.
    fn keep_outputs(&self, calls: Vec<CallId>) -> Vec<CallId> {
        let outputs = &self.parts.calls.services.tree.outputs;
        let wanted: std::collections::HashSet<CallId> = calls.into_iter().collect();
        let kept = self.context.view.kept(&self.parts.messages);
        let all = kept.flat_map(|message| message.calls());
        let found = all.filter(|call| wanted.contains(&call.call));
        let mut written = Vec::with_capacity(wanted.len());
        for call in found {
            let Some(result) = call.result() else { continue };
            match outputs.keep(&call.call, &result.output) {
                Ok(()) => written.push(call.call.clone()),
                // It is sent on as it is.
                Err(error) => tracing::warn!(%error, "an output could not be kept, so it is not masked"),
            }
        }
        written
    }

    /// Records a change of the context: on disk, in what is sent from now on, and for whoever listens.
    fn change_context(&mut self, change: ContextChange, covers_to: Option<MessageId>) {
        let (kind, cause, before, after) = match &change {
            ContextChange::Masked(masked) => (
                ContextReportKind::Masked,
                MissCause::Masked,
                masked.before,
                masked.after,
            ),
            ContextChange::Withheld(withheld) => (
                ContextReportKind::Miss,
                MissCause::Withheld,
                withheld.before,
                withheld.after,
            ),
            ContextChange::SentAgain(again) => (
                ContextReportKind::Miss,
                MissCause::SentAgain,
                again.size,
                again.size,
            ),
            ContextChange::Compacted(compaction) => (
                ContextReportKind::Compacted,
                MissCause::Compacted,
                compaction.before,
                compaction.after,
            ),
        };
        let created = now();
        let estimated = self.sent_estimate();
        self.context.view.apply(&change, created, &self.parts.messages);
        let sent = self.sent_estimate();
        self.context.meter.changed(estimated, sent);
        self.parts.info.context_used = after;
        self.context.has_changed = true;
        let words = (kind == ContextReportKind::Miss).then(|| cause.words());
        let cost = self.note_miss(cause, after);
        self.add_mark(PartBody::Context(change), created);
        self.tell_context(ContextReport {
            kind,
            before,
            after,
            covers_to,
            cause: words,
            cost,
        });
    }

    pub(super) fn tell_context(&mut self, report: ContextReport) {
        self.publish(Event::Context(report));
    }

    /// Makes the next part of the session; a turn that runs goes on behind it.
    pub(super) fn next_part(&mut self, body: PartBody) -> Part {
        let seq = self.parts.next_seq;
        self.parts.next_seq += 1;
        if let Some(turn) = &mut self.turn {
            turn.skip_to(self.parts.next_seq);
        }
        Part { seq, body }
    }

    /// Adds a message that is shown and never sent.
    pub(super) fn add_mark(&mut self, body: PartBody, created: i64) {
        let part = self.next_part(body);
        let message = Arc::new(Message::new(Role::Assistant, created, vec![part]));
        self.begin_message(message, Vec::new());
    }
}
