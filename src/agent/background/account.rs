//! The spending of a turn or a task, against its budget.

use crate::conversation::{Budget, Usage};

/// Milliseconds in a minute.
const MINUTE: f64 = 60_000.0;

/// Sums over a session and everything below it.
#[derive(Debug, Clone, Default)]
pub(super) struct Account {
    budget: Budget,
    tokens: u64,
    cost: f64,
    worked: i64,
}

impl Account {
    pub(super) fn new(budget: Budget) -> Self {
        Self {
            budget,
            ..Self::default()
        }
    }

    /// Begins anew, with the same budget.
    pub(super) fn reset(&mut self) {
        *self = Self::new(self.budget);
    }

    /// Adds a request. What is read from a cache is not counted in tokens; a price that is not known adds nothing.
    pub(super) fn charge(&mut self, usage: &Usage, cost: Option<f64>) {
        self.tokens += usage.input + usage.cache_write + usage.output;
        self.cost += cost.unwrap_or(0.0);
    }

    /// Adds time in which somebody worked, in milliseconds.
    pub(super) fn work(&mut self, time: i64) {
        self.worked += time;
    }

    pub(super) fn has_minutes(&self) -> bool {
        self.budget.minutes.is_some()
    }

    pub(super) fn has_cost_limit(&self) -> bool {
        self.budget.cost.is_some()
    }

    /// Milliseconds of work that are left; `None` without a limit.
    pub(super) fn time_left(&self) -> Option<i64> {
        let minutes = self.budget.minutes?;
        Some(((minutes * MINUTE).ceil() as i64 - self.worked).max(0))
    }

    /// Returns which limit is reached, in words; `None` where none is.
    pub(super) fn spent(&self) -> Option<String> {
        let Budget {
            tokens,
            cost,
            minutes,
        } = self.budget;
        if let Some(limit) = tokens.filter(|limit| self.tokens >= *limit) {
            return Some(format!("{} of {limit} tokens", self.tokens));
        }
        if let Some(limit) = cost.filter(|limit| self.cost >= *limit) {
            return Some(format!("${:.2} of ${limit:.2}", self.cost));
        }
        let limit = minutes.filter(|_| self.time_left() == Some(0))?;
        Some(format!("{limit} minutes of work"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_limit_counts_by_itself() {
        let usage = Usage {
            input: 600,
            output: 300,
            reasoning: 200,
            cache_read: 90_000,
            cache_write: 99,
        };
        let mut account = Account::new(Budget {
            tokens: Some(1_000),
            cost: Some(1.0),
            minutes: Some(0.5),
        });
        account.charge(&usage, Some(0.4));
        account.work(29_999);
        assert_eq!(account.spent(), None);
        assert_eq!(account.time_left(), Some(1));
        let mut dear = account.clone();
        dear.charge(&Usage::default(), Some(0.6));
        assert_eq!(dear.spent().unwrap(), "$1.00 of $1.00");
        let mut slow = account.clone();
        slow.work(1);
        assert_eq!(slow.spent().unwrap(), "0.5 minutes of work");
        account.charge(
            &Usage {
                output: 1,
                ..Usage::default()
            },
            None,
        );
        assert_eq!(account.spent().unwrap(), "1000 of 1000 tokens");
        account.reset();
        assert_eq!(account.spent(), None);
        assert_eq!(Account::default().spent(), None);
    }
}
