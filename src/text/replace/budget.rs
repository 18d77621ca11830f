//! A bound on work that grows faster than its input.

/// Steps that may still be done.
pub(super) struct Budget {
    left: u64,
}

/// There is no budget left, so the question stays unanswered.
pub(super) struct BudgetExhausted;

impl Budget {
    pub(super) fn new(steps: u64) -> Self {
        Self { left: steps }
    }

    pub(super) fn spend(&mut self, steps: usize) -> Result<(), BudgetExhausted> {
        self.left = self.left.checked_sub(steps as u64).ok_or(BudgetExhausted)?;
        Ok(())
    }
}
