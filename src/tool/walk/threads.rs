//! Limits the threads of searches: all searches of a session tree share one allowance.
//!
//! A batch or several agents search at the same time, and a limit for each of them would be none for the machine. A
//! search takes half of what is free, at least one, so that one that takes long leaves some to others; it waits while
//! nothing is free, and never for more than it has, so two cannot wait for each other.

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use super::SearchLimit;

const MOST: usize = 16;
/// How soon a search that waits for a thread notices that it was stopped.
const LOOK: Duration = Duration::from_millis(20);

/// The allowance; clones share it.
#[derive(Debug, Clone)]
pub struct SearchThreads(Arc<ThreadState>);

#[derive(Debug)]
struct ThreadState {
    free: Mutex<usize>,
    given_back: Condvar,
}

/// Threads that a search may use, until this is dropped.
#[derive(Debug)]
pub(in crate::tool) struct ThreadShare {
    threads: SearchThreads,
    count: usize,
}

impl Default for SearchThreads {
    fn default() -> Self {
        Self(Arc::new(ThreadState {
            free: Mutex::new(MOST),
            given_back: Condvar::new(),
        }))
    }
}

impl SearchThreads {
    /// Takes up to `wanted` threads, and no more than half of those that are free but for the last, waiting for the first. `None` when the search is over before one is free. Blocks.
    pub(in crate::tool) fn take(&self, wanted: usize, limit: &SearchLimit) -> Option<ThreadShare> {
        let mut free = self.0.free.lock().unwrap_or_else(PoisonError::into_inner);
        while *free == 0 {
            if limit.is_over() {
                return None;
            }
            let woken = self.0.given_back.wait_timeout(free, LOOK);
            free = woken.unwrap_or_else(PoisonError::into_inner).0;
        }
        let count = wanted.clamp(1, (*free / 2).max(1));
        *free -= count;
        Some(ThreadShare {
            threads: self.clone(),
            count,
        })
    }
}

impl ThreadShare {
    pub(in crate::tool) fn count(&self) -> usize {
        self.count
    }
}

impl Drop for ThreadShare {
    fn drop(&mut self) {
        let shared = &self.threads.0;
        *shared.free.lock().unwrap_or_else(PoisonError::into_inner) += self.count;
        shared.given_back.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::thread;

    use serde_json::json;
    use tokio_util::sync::CancellationToken;

    use super::*;
    use crate::conversation::ErrorKind;
    use crate::tool::harness::Harness;
    use crate::tool::walk::{Globs, SearchTree, VisitedFile};

    fn limit(threads: &SearchThreads) -> SearchLimit {
        SearchLimit::new(Duration::from_mins(1), CancellationToken::new(), threads.clone())
    }

    fn take_all(threads: &SearchThreads) -> Vec<ThreadShare> {
        let mut taken = Vec::new();
        while *threads.0.free.lock().unwrap() > 0 {
            taken.push(threads.take(MOST, &limit(threads)).unwrap());
        }
        taken
    }

    #[test]
    fn a_search_that_wants_all_leaves_threads_to_others() {
        let threads = SearchThreads::default();
        let taken = take_all(&threads);
        let counts: Vec<_> = taken.iter().map(ThreadShare::count).collect();
        assert_eq!(counts, [8, 4, 2, 1, 1]);
        drop(taken);
        assert_eq!(threads.take(2, &limit(&threads)).unwrap().count(), 2);
    }

    /// Counts the threads of walks: each makes one visit function, and drops it at its end.
    struct Visitor<'a>(&'a AtomicUsize);

    impl<'a> Visitor<'a> {
        fn begin(now: &'a AtomicUsize, most: &AtomicUsize) -> Self {
            most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            Self(now)
        }
    }

    impl Drop for Visitor<'_> {
        fn drop(&mut self) {
            self.0.fetch_sub(1, Ordering::SeqCst);
        }
    }

    #[test]
    fn many_searches_at_once_use_at_most_sixteen_threads() {
        let dir = tempfile::tempdir().unwrap();
        for index in 0..40 {
            std::fs::create_dir(dir.path().join(format!("d{index}"))).unwrap();
            std::fs::write(dir.path().join(format!("d{index}/f")), "").unwrap();
        }
        let threads = SearchThreads::default();
        let (now, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let seen = Mutex::new(HashSet::new());
        thread::scope(|scope| {
            for _ in 0..48 {
                scope.spawn(|| {
                    let limit = limit(&threads);
                    let tree = SearchTree {
                        root: dir.path(),
                        globs: &Globs::default(),
                        limit: &limit,
                        gate: &|_: &std::path::Path| true,
                    };
                    let end = tree.entries(|| {
                        let visitor = Visitor::begin(&now, &most);
                        let seen = &seen;
                        move |_: &VisitedFile<'_>| {
                            let _running = &visitor;
                            seen.lock().unwrap().insert(thread::current().id());
                            thread::sleep(Duration::from_micros(200));
                        }
                    });
                    assert!(!end.stopped);
                });
            }
        });
        let most = most.into_inner();
        assert!((1..=16).contains(&most), "{most} at once");
        assert!(
            seen.lock().unwrap().len() > MOST,
            "there was more to do than sixteen can"
        );
        assert_eq!(*threads.0.free.lock().unwrap(), MOST, "all came back");
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_search_that_gets_no_thread_waits_until_its_time_is_over() {
        let project = Harness::with_settings(|settings| settings.search.timeout = Duration::from_millis(50));
        project.write("a.rs", "fn a() {}\n");
        let threads = &project.services.tree.search_threads;
        let taken = take_all(threads);
        let calls = [
            ("glob", json!({"pattern": "*.rs"})),
            ("grep", json!({"pattern": "fn"})),
            ("grep", json!({"pattern": "fn", "path": "a.rs"})),
            ("list", json!({})),
        ];
        for (tool, args) in &calls {
            let result = project.run(tool, args.clone()).await;
            assert_eq!(result.details["timed_out"], true, "{tool}: {}", result.output);
            assert!(!result.output.contains("a.rs"), "{}", result.output);
        }
        drop(taken);
        project.new_turn();
        for (tool, args) in calls {
            let text = project.ok(tool, args).await;
            assert!(text.contains("a.rs"), "{text}");
        }
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_search_that_waits_for_a_thread_can_be_stopped() {
        let project = Harness::new();
        let threads = &project.services.tree.search_threads;
        let _taken = take_all(threads);
        project.cancel.cancel();
        let (kind, _) = project.error("glob", json!({"pattern": "*"})).await;
        assert_eq!(kind, ErrorKind::Cancelled);
    }
}
