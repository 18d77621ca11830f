//! A lock that is given in the order it was asked for.
//!
//! A thread that feeds a screen without pause would take a plain lock again before one that waits has woken.

use std::ops::{Deref, DerefMut};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A mutex whose holder cannot take it again while somebody waits.
#[derive(Debug, Default)]
pub struct FairMutex<T> {
    value: Mutex<T>,
    /// Held by who comes next, until the value is theirs.
    next: Mutex<()>,
}

/// Access to the value.
#[derive(Debug)]
pub struct FairGuard<'a, T>(MutexGuard<'a, T>);

impl<T> FairMutex<T> {
    pub fn new(value: T) -> Self {
        Self {
            value: Mutex::new(value),
            next: Mutex::new(()),
        }
    }

    pub fn lock(&self) -> FairGuard<'_, T> {
        let _next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        FairGuard(self.value.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl<T> Deref for FairGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T> DerefMut for FairGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.0
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    #[test]
    fn who_asked_first_is_next() {
        let order = FairMutex::new(Vec::new());
        thread::scope(|scope| {
            let held = order.lock();
            scope.spawn(|| order.lock().push("who waited"));
            while order.next.try_lock().is_ok() {
                thread::yield_now();
            }
            drop(held);
            order.lock().push("who held it before");
        });
        assert_eq!(*order.lock(), ["who waited", "who held it before"]);
    }
}
