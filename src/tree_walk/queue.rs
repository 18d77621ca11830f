//! The work of a walk that is to be done, for its threads.
//!
//! The newest work is taken first, so that a walk goes deep before it goes wide and keeps few directories open to it.
//! The walk is over when nothing is left and no thread can add any more.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

pub(super) struct Queue<T> {
    state: Mutex<QueueState<T>>,
    changed: Condvar,
    is_stopped: AtomicBool,
}

struct QueueState<T> {
    waiting: Vec<T>,
    /// Threads that have work, and may add some.
    busy: usize,
}

/// Work that a thread has taken, until this is dropped.
pub(super) struct Turn<'a, T> {
    queue: &'a Queue<T>,
    pub(super) work: T,
}

impl<T> Queue<T> {
    pub(super) fn new(first: T) -> Self {
        Self {
            state: Mutex::new(QueueState {
                waiting: vec![first],
                busy: 0,
            }),
            changed: Condvar::new(),
            is_stopped: AtomicBool::new(false),
        }
    }

    /// Waits for work; `None` at the end of the walk.
    pub(super) fn take(&self) -> Option<Turn<'_, T>> {
        let mut state = self.state();
        loop {
            if self.is_stopped() {
                return None;
            }
            if let Some(work) = state.waiting.pop() {
                state.busy += 1;
                drop(state);
                return Some(Turn { queue: self, work });
            }
            if state.busy == 0 {
                return None;
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    pub(super) fn stop(&self) {
        // Under the lock, so that no thread begins to wait in between.
        let state = self.state();
        self.is_stopped.store(true, Ordering::Relaxed);
        drop(state);
        self.changed.notify_all();
    }

    pub(super) fn is_stopped(&self) -> bool {
        self.is_stopped.load(Ordering::Relaxed)
    }

    fn state(&self) -> MutexGuard<'_, QueueState<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T> Turn<'_, T> {
    pub(super) fn add(&self, work: T) {
        self.queue.state().waiting.push(work);
        self.queue.changed.notify_one();
    }
}

impl<T> Drop for Turn<'_, T> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.queue.stop();
        }
        let mut state = self.queue.state();
        state.busy -= 1;
        let is_over = state.busy == 0 && state.waiting.is_empty();
        drop(state);
        if is_over {
            self.queue.changed.notify_all();
        }
    }
}
