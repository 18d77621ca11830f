//! The provider's cache of the conversation, and what makes it read that anew.

use std::sync::Arc;
use std::time::Duration;

use super::super::{Actor, now};
use crate::conversation::{Message, Usage};
use crate::provider::Model;
use crate::session::query::{CacheMiss, MissCause};
use crate::session::{ContextReport, ContextReportKind};

/// Tokens from which on a provider is taken to have cached a request at all; the smallest that any of them does.
const SMALLEST: u64 = 1_024;

/// The provider's cache as far as it is known from outside.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::session::actor) struct CachedPrefix {
    /// When the last request was sent, in milliseconds since the Unix epoch.
    asked: Option<i64>,
    /// The time between the last two requests.
    pause: Duration,
    /// Tokens that the provider had cached after the last request.
    tokens: u64,
    /// The reason why the next request misses is known.
    is_explained: bool,
}

impl CachedPrefix {
    pub(super) fn new(messages: &[Arc<Message>]) -> Self {
        let last = messages.iter().rev().find(|message| message.model.is_some());
        Self {
            asked: last.map(|message| message.created),
            ..Self::default()
        }
    }

    /// Forgets what was cached: it belongs to another model.
    pub(super) fn forget(&mut self) {
        self.tokens = 0;
    }

    pub(super) fn note_asked(&mut self) {
        let time = now();
        self.pause = self.asked.map_or(Duration::ZERO, |asked| since(asked, time));
        self.asked = Some(time);
    }

    /// Returns true if nothing was asked for so long that nothing is cached any more.
    pub(super) fn is_cold(&self, lifetime: Duration) -> bool {
        self.asked.is_none_or(|asked| since(asked, now()) >= lifetime)
    }

    /// Takes in what a request took. Returns the tokens that the provider had cached and did not find, where nothing
    /// explains that.
    fn take(&mut self, usage: &Usage) -> Option<u64> {
        let before = std::mem::replace(&mut self.tokens, usage.cache_read + usage.cache_write);
        let is_explained = std::mem::take(&mut self.is_explained);
        let missed = before.saturating_sub(usage.cache_read);
        (before >= SMALLEST && missed > before / 2 && !is_explained).then_some(missed)
    }
}

fn since(from: i64, to: i64) -> Duration {
    Duration::from_millis(u64::try_from(to - from).unwrap_or_default())
}

/// Returns what it costs to read so many tokens anew instead of from the cache, in US dollars.
fn extra_cost(model: &Model, tokens: u64) -> Option<f64> {
    let anew = model.price_of(&Usage {
        cache_write: tokens,
        ..Usage::default()
    })?;
    let plain = model.price_of(&Usage {
        input: tokens,
        ..Usage::default()
    })?;
    let cached = model.price_of(&Usage {
        cache_read: tokens,
        ..Usage::default()
    })?;
    Some((anew.max(plain) - cached).max(0.0))
}

impl Actor {
    /// Notes why the provider will read so many tokens anew. Returns what that costs, where the price is known.
    pub(super) fn note_miss(&mut self, cause: MissCause, tokens: u64) -> Option<f64> {
        let cost = extra_cost(&self.parts.model, tokens);
        self.context.cached.is_explained = true;
        self.misses.push(CacheMiss { cause, tokens, cost });
        cost
    }

    /// The same, told: where something that was cached is read anew.
    pub(in crate::session::actor) fn tell_miss(&mut self, cause: MissCause) {
        let tokens = self.context_size();
        let has_asked = self.context.cached.asked.is_some();
        if !has_asked {
            return;
        }
        let words = cause.words();
        let cost = self.note_miss(cause, tokens);
        self.tell_context(miss(tokens, words, cost));
    }

    /// The first request since the session was opened begins in another way than the last one of another process. That is told
    /// unless a change that was told explains it, or the provider has forgotten everything by now.
    pub(in crate::session::actor) fn tell_miss_of_opening(&mut self, cause: MissCause) {
        let cached = &self.context.cached;
        if !cached.is_explained && !cached.is_cold(super::CACHE_LIFETIME) {
            self.tell_miss(cause);
        }
    }

    /// What changed the agent or the model was changed back before anything was asked.
    pub(in crate::session::actor) fn take_back_miss(&mut self) {
        let is_change = |miss: &CacheMiss| matches!(miss.cause, MissCause::Agent | MissCause::Model);
        if self.context.cached.is_explained && self.misses.last().is_some_and(is_change) {
            self.misses.pop();
            self.context.cached.is_explained = false;
        }
    }

    /// Finds out whether the provider read anew what it had cached, from what a request took.
    pub(in crate::session::actor) fn note_cached(&mut self, usage: &Usage) {
        let Some(tokens) = self.context.cached.take(usage) else {
            return;
        };
        let cause = if self.context.cached.pause >= super::CACHE_LIFETIME {
            MissCause::Expired
        } else {
            MissCause::Provider
        };
        let words = cause.words();
        let cost = extra_cost(&self.parts.model, tokens);
        self.misses.push(CacheMiss { cause, tokens, cost });
        self.tell_context(miss(tokens, words, cost));
    }
}

fn miss(tokens: u64, cause: String, cost: Option<f64>) -> ContextReport {
    ContextReport {
        kind: ContextReportKind::Miss,
        before: tokens,
        after: tokens,
        covers_to: None,
        cause: Some(cause),
        cost,
    }
}
