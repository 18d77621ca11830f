//! Answers in words, the same in every front end.

use super::{CacheMiss, ChangeScope, ContextGroup, ContextSource, ContextUse, Costs};
use crate::conversation::Usage;
use crate::store::Spending;
use crate::text::sanitize::sanitize_line;
use crate::text::size::short_count;

impl ContextGroup {
    /// `3 tool results`
    pub(crate) fn label(&self) -> String {
        let many = |one: &str, many: &str| match self.count() {
            1 => format!("1 {one}"),
            count => format!("{count} {many}"),
        };
        match self.source {
            ContextSource::System => "system prompt".to_owned(),
            ContextSource::Schemas => many("tool description", "tool descriptions"),
            ContextSource::User => many("message of yours", "messages of yours"),
            ContextSource::Answers => many("answer", "answers"),
            ContextSource::Reasoning => "reasoning that is sent back".to_owned(),
            ContextSource::Calls => many("tool call", "tool calls"),
            ContextSource::Results => many("tool result", "tool results"),
        }
    }
}

impl ContextUse {
    /// Returns remarks about the figures, a sentence each.
    pub(crate) fn remarks(&self) -> Vec<String> {
        let mut sentences = Vec::new();
        sentences.push(match self.reported {
            Some(reported) => format!(
                "The rows are estimated, four characters to a token. The provider reported {} with the last reply.",
                short_count(reported)
            ),
            None => {
                "Estimated, four characters to a token; the provider has reported nothing yet.".to_owned()
            }
        });
        match self.attachments {
            0 => {}
            1 => sentences
                .push("1 picture or document is sent along; its tokens are not estimated.".to_owned()),
            count => sentences.push(format!(
                "{count} pictures or documents are sent along; their tokens are not estimated."
            )),
        }
        sentences.extend(misses(&self.misses));
        sentences
    }
}

/// Why a provider had to read anew what it had cached.
fn misses(misses: &[CacheMiss]) -> Vec<String> {
    let mut sentences = Vec::new();
    let joined: Vec<String> = misses.iter().filter_map(joined).collect();
    if !joined.is_empty() {
        sentences.push(format!(
            "Read anew instead of from the cache, because tools joined: {}.",
            joined.join(", ")
        ));
    }
    match misses.len() - joined.len() {
        0 => {}
        1 => sentences.push(
            "Read anew once instead of from the cache, because the agent or the model changed.".to_owned(),
        ),
        times => sentences.push(format!(
            "Read anew {times} times instead of from the cache, because the agent or the model changed."
        )),
    }
    sentences
}

fn joined(miss: &CacheMiss) -> Option<String> {
    match miss {
        CacheMiss::Joined(tool) => Some(sanitize_line(tool).into_owned()),
        CacheMiss::Changed => None,
    }
}

/// Scope of a sum of costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SumOf {
    Turn,
    Session,
    ProjectToday,
    Today,
}

impl SumOf {
    pub(crate) fn description(self) -> &'static str {
        match self {
            Self::Turn => "this turn",
            Self::Session => "this session",
            Self::ProjectToday => "today, here",
            Self::Today => "today, in all",
        }
    }
}

/// The sum of several rows of spending.
#[derive(Debug, Default)]
pub(crate) struct SpendingSum {
    pub(crate) usage: Usage,
    cost: f64,
    requests: u64,
    unpriced: u64,
}

impl SpendingSum {
    pub(crate) fn of(spent: &[Spending]) -> Self {
        let mut sum = Self::default();
        for spending in spent {
            sum.usage += spending.usage;
            sum.cost += spending.cost;
            sum.requests += spending.requests;
            sum.unpriced += spending.unpriced;
        }
        sum
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.requests == 0
    }

    /// Dollars; with a plus where some of it has no known price, and a dash where nothing was asked.
    pub(crate) fn dollars(&self) -> String {
        match (self.requests, self.unpriced) {
            (0, _) => "-".to_owned(),
            (all, unpriced) if all == unpriced => "no price".to_owned(),
            (_, 0) => format!("${:.4}", self.cost),
            _ => format!("${:.4}+", self.cost),
        }
    }
}

impl Costs {
    /// Returns the sums that there are.
    pub(crate) fn sums(&self) -> Vec<(SumOf, SpendingSum)> {
        let turn = self.turn.as_deref().map(|turn| (SumOf::Turn, turn));
        let others = [
            (SumOf::Session, self.session.as_slice()),
            (SumOf::ProjectToday, &self.project_today),
            (SumOf::Today, &self.today),
        ];
        let all = turn.into_iter().chain(others);
        all.map(|(of, spent)| (of, SpendingSum::of(spent))).collect()
    }

    /// Returns remarks about the figures, a sentence each.
    pub(crate) fn remarks(&self) -> Vec<String> {
        let mut sentences = Vec::new();
        if self.sums().iter().any(|(_, sum)| sum.unpriced > 0) {
            sentences.push(
                "Some prices are not known, so what is marked `+` or `no price` costs more than it says; \
                 `providers.NAME.models` takes them."
                    .to_owned(),
            );
        }
        let earlier = self.earlier.context();
        if earlier > 0 {
            sentences.push(format!(
                "{} tokens more were spent in this session before single requests were kept.",
                short_count(earlier)
            ));
        }
        sentences
    }
}

/// `anthropic/x`, `build` and `2 requests`.
pub(crate) fn spender(spending: &Spending) -> [String; 3] {
    let times = match spending.requests {
        1 => "1 request".to_owned(),
        requests => format!("{requests} requests"),
    };
    [spending.model.clone(), spending.agent.clone(), times]
}

impl ChangeScope {
    /// Returns the sentence for a scope in which nothing changed.
    pub(crate) fn nothing(self) -> &'static str {
        match self {
            Self::Session => "No tool has changed a file in this session.",
            Self::Turn => "No tool has changed a file in the last turn.",
            Self::WorkTree => "The work tree is as `HEAD` is.",
        }
    }
}
