//! The work that judging one text may take.
//!
//! A text of a few kilobytes can ask for any amount of it: directories times values times wildcards, each looked up. So
//! every text has a budget of steps for all that is done for it together: following its commands, looking up paths and
//! names, asking git. When it is used up nothing more is followed or looked up, and the text is asked about as a whole;
//! rules that deny are tried on what was found until then.

use std::cell::Cell;

/// Steps for one text, of about a microsecond each.
const STEPS: usize = 600_000;

/// Steps for a last look at a text that is asked about as a whole.
const LAST_STEPS: usize = 150_000;

/// Why a text with more work is not judged by its commands.
pub const TOO_MUCH_WORK: &str = "it would take too long to look at everything that it may do";

/// Steps that are left for one text.
#[derive(Debug)]
pub struct WorkBudget {
    steps: usize,
    left: Cell<usize>,
    is_spent: Cell<bool>,
}

impl Default for WorkBudget {
    fn default() -> Self {
        Self::of(STEPS)
    }
}

impl WorkBudget {
    pub fn of(steps: usize) -> Self {
        Self {
            steps,
            left: Cell::new(steps),
            is_spent: Cell::new(false),
        }
    }

    /// Takes steps for a piece of work. Returns false if there are not so many left: then the work is not done, and none
    /// that follows.
    #[must_use]
    pub fn spend(&self, steps: usize) -> bool {
        match self.left.get().checked_sub(steps) {
            Some(left) if !self.is_spent.get() => {
                self.left.set(left);
                true
            }
            _ => {
                self.is_spent.set(true);
                false
            }
        }
    }

    /// Gives a last few steps to a text whose budget is used up, for the rules that deny.
    pub fn renew(&self) {
        self.left.set(LAST_STEPS.min(self.steps));
        self.is_spent.set(false);
    }

    /// Returns true if some work was not done.
    pub fn is_spent(&self) -> bool {
        self.is_spent.get()
    }

    /// Returns the number of steps that were taken.
    #[cfg(test)]
    pub fn taken(&self) -> usize {
        self.steps - self.left.get()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_done_after_what_was_too_much() {
        let budget = WorkBudget::of(10);
        assert!(budget.spend(4) && budget.spend(6) && !budget.is_spent());
        assert!(budget.spend(0), "nothing costs nothing");
        assert!(!budget.spend(1) && budget.is_spent());
        let budget = WorkBudget::of(10);
        assert!(!budget.spend(11));
        assert!(
            !budget.spend(1),
            "a small one behind a large one is not done either"
        );
    }
}
