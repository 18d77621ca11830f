//! Answers in words, the same in every front end.

use super::{CacheMiss, ChangeScope, ContextGroup, ContextSource, ContextUse, Costs, MissCause};
use crate::conversation::Usage;
use crate::store::Spending;
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
            ContextSource::User => many("user message", "user messages"),
            ContextSource::Answers => many("answer", "answers"),
            ContextSource::Reasoning => "reasoning sent back".to_owned(),
            ContextSource::Calls => many("tool call", "tool calls"),
            ContextSource::Results => many("tool result", "tool results"),
            ContextSource::Pictures => many("image or document", "images and documents"),
            ContextSource::Summary => "summary of what came before".to_owned(),
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
        if self.maskable > 0 {
            sentences.push(format!(
                "Masking the outputs of old calls would free {}.",
                short_count(self.maskable)
            ));
        }
        if self.compactable > 0 {
            sentences.push(format!(
                "`/compact` would replace {} with a summary.",
                short_count(self.compactable)
            ));
        }
        sentences.extend(misses(&self.misses));
        sentences
    }
}

/// Why a provider had to read anew what it had cached: a sentence for each cause, in the order in which they came.
fn misses(misses: &[CacheMiss]) -> Vec<String> {
    let mut causes: Vec<&MissCause> = Vec::new();
    for miss in misses {
        if !causes.contains(&&miss.cause) {
            causes.push(&miss.cause);
        }
    }
    let sentence = |cause: &MissCause| {
        let of_cause: Vec<&CacheMiss> = misses.iter().filter(|miss| miss.cause == *cause).collect();
        let tokens = of_cause.iter().map(|miss| miss.tokens).sum();
        let cost: Option<f64> = of_cause.iter().map(|miss| miss.cost).sum();
        let times = match of_cause.len() {
            1 => String::new(),
            times => format!(", {times} times"),
        };
        format!(
            "Not read from the cache{times}: {}, because {}.",
            cost_of_miss(tokens, cost),
            cause.words()
        )
    };
    causes.into_iter().map(sentence).collect()
}

/// `about 45.2k tokens ($0.1234 more)`
pub(crate) fn cost_of_miss(tokens: u64, cost: Option<f64>) -> String {
    let dollars = cost.map(|cost| format!(" (${cost:.4} more)")).unwrap_or_default();
    format!("about {} tokens{dollars}", short_count(tokens))
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
            Self::ProjectToday => "project today",
            Self::Today => "total today",
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
                "Some prices are unknown, so amounts marked `+` or `no price` are too low; set prices in \
                `providers.NAME.models`."
                    .to_owned(),
            );
        }
        let earlier = self.earlier.context();
        if earlier > 0 {
            sentences.push(format!(
                "{} more tokens were used in this session before requests were recorded.",
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
            Self::WorkTree => "The work tree has no changes since `HEAD`.",
        }
    }
}
