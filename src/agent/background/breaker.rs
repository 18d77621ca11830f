//! The breaker: ends a task that runs away.

/// Identical calls in a row that are a loop.
const SAME_IN_A_ROW: u32 = 20;

/// Counts a task's calls.
#[derive(Debug, Clone, Default)]
pub(super) struct Breaker {
    last: Option<u64>,
    in_a_row: u32,
    calls: u32,
}

impl Breaker {
    /// Takes a call with the hash of its tool and arguments. Returns why the task has to end, where it has to. `most` calls
    /// are allowed; 0 is any number.
    pub(super) fn count(&mut self, call: u64, most: u32) -> Option<String> {
        self.in_a_row = if self.last == Some(call) {
            self.in_a_row + 1
        } else {
            1
        };
        self.last = Some(call);
        self.calls += 1;
        if self.in_a_row >= SAME_IN_A_ROW {
            return Some(format!("it made the same call {SAME_IN_A_ROW} times in a row"));
        }
        (most > 0 && self.calls > most).then(|| format!("it made more than {most} calls"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn twenty_equal_calls_in_a_row_end_a_task_and_others_in_between_do_not() {
        let mut breaker = Breaker::default();
        for round in 0..100 {
            assert_eq!(breaker.count(u64::from(round % 19 == 0), 0), None);
        }
        assert!((0..18).all(|_| breaker.count(7, 0).is_none()));
        assert_eq!(breaker.count(8, 0), None);
        assert!((0..19).all(|_| breaker.count(7, 0).is_none()));
        assert!(breaker.count(7, 0).is_some_and(|why| why.contains("20 times")));
    }

    #[test]
    fn more_calls_than_are_allowed_end_a_task() {
        let mut breaker = Breaker::default();
        assert!((0..5).all(|call| breaker.count(call, 5).is_none()));
        assert!(breaker.count(5, 5).is_some_and(|why| why.contains("more than 5")));
    }
}
