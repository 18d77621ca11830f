//! A value that one thread changes and another waits on, always with a deadline.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How long a test waits for something that should come at once. Long, for machines that are busy.
pub(crate) const DEADLINE: Duration = Duration::from_secs(30);

/// Between two looks at something that cannot wake us, such as a file.
const LOOK_AGAIN: Duration = Duration::from_millis(5);

/// A value under a lock, with a bell that rings at each change.
#[derive(Debug, Default)]
pub(crate) struct Watched<T> {
    value: Mutex<T>,
    changed: Condvar,
}

impl<T> Watched<T> {
    pub(crate) fn new(value: T) -> Self {
        Self {
            value: Mutex::new(value),
            changed: Condvar::new(),
        }
    }

    /// The value as it is. A thread that panicked with the lock held has told its own story, so poison is ignored.
    pub(crate) fn lock(&self) -> MutexGuard<'_, T> {
        self.value.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the value and wakes all who wait.
    pub(crate) fn update<R>(&self, change: impl FnOnce(&mut T) -> R) -> R {
        let result = change(&mut self.lock());
        self.changed.notify_all();
        result
    }

    /// Waits until the condition gives a value, and gives `None` when the time is over.
    pub(crate) fn wait_for<R>(
        &self,
        patience: Duration,
        mut condition: impl FnMut(&mut T) -> Option<R>,
    ) -> Option<R> {
        let deadline = Instant::now() + patience;
        let mut value = self.lock();
        loop {
            if let Some(result) = condition(&mut value) {
                return Some(result);
            }
            let left = deadline.checked_duration_since(Instant::now())?;
            value = self
                .changed
                .wait_timeout(value, left)
                .unwrap_or_else(PoisonError::into_inner)
                .0;
        }
    }
}

/// Waits until the condition holds, for things that cannot ring a bell: files, processes.
#[track_caller]
pub(crate) fn wait_until(what: &str, mut condition: impl FnMut() -> bool) {
    let deadline = Instant::now() + DEADLINE;
    while !condition() {
        assert!(
            Instant::now() < deadline,
            "waited {DEADLINE:?} in vain for: {what}"
        );
        std::thread::park_timeout(LOOK_AGAIN);
    }
}

#[test]
fn a_change_wakes_the_one_who_waits() {
    let watched = Watched::new(0);
    std::thread::scope(|scope| {
        scope.spawn(|| (0..3).for_each(|_| watched.update(|value| *value += 1)));
        assert_eq!(
            watched.wait_for(DEADLINE, |value| (*value == 3).then_some("three")),
            Some("three")
        );
    });
}

#[test]
fn waiting_ends_at_the_deadline() {
    assert_eq!(
        Watched::new(0).wait_for(Duration::from_millis(5), |_| None::<()>),
        None
    );
}
