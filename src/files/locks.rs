//! One writer at a time for each real path, over all agents of this process.
//!
//! A guard is taken before a file is read for an edit and kept until the new bytes are in place. Paths are locked in
//! sorted order, so two patches over the same files cannot wait for each other. Cancel by dropping the future or the
//! guard. Other processes are not kept out: the hash check of `transaction` notices them.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{Mutex as AsyncMutex, OwnedMutexGuard};

type Table = Mutex<HashMap<PathBuf, Arc<AsyncMutex<()>>>>;

/// The locks of one process. Clones share them.
#[derive(Debug, Clone, Default)]
pub struct PathLocks {
    table: Arc<Table>,
}

/// Holds the paths until it is dropped.
#[derive(Debug)]
pub struct PathGuard {
    table: Arc<Table>,
    /// Every path asked for, also while the later ones are still waited for.
    paths: Vec<PathBuf>,
    held: Vec<OwnedMutexGuard<()>>,
}

impl PathLocks {
    pub fn new() -> Self {
        Self::default()
    }

    /// Waits until nobody else holds any of `paths` (real paths, as `Resolved::real`).
    pub async fn lock(&self, paths: &[PathBuf]) -> PathGuard {
        let mut paths = paths.to_vec();
        paths.sort();
        paths.dedup();
        let mut guard = PathGuard {
            table: self.table.clone(),
            paths,
            held: Vec::new(),
        };
        for index in 0..guard.paths.len() {
            let lock = self.entry(&guard.paths[index]);
            guard.held.push(lock.lock_owned().await);
        }
        guard
    }

    fn entry(&self, path: &Path) -> Arc<AsyncMutex<()>> {
        let mut table = self.table.lock().unwrap_or_else(PoisonError::into_inner);
        table.entry(path.to_path_buf()).or_default().clone()
    }
}

impl Drop for PathGuard {
    fn drop(&mut self) {
        self.held.clear();
        let mut table = self.table.lock().unwrap_or_else(PoisonError::into_inner);
        for path in &self.paths {
            // Whoever waits holds a clone, and clones are only made under the table's own lock.
            if table.get(path).is_some_and(|lock| Arc::strong_count(lock) == 1) {
                table.remove(path);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::time::timeout;

    use super::*;

    fn paths(names: &[&str]) -> Vec<PathBuf> {
        names.iter().map(PathBuf::from).collect()
    }

    const SOON: Duration = Duration::from_millis(20);

    #[tokio::test]
    async fn a_second_writer_waits_for_the_first() {
        let locks = PathLocks::new();
        let first = locks.lock(&paths(&["/a", "/b"])).await;
        assert!(timeout(SOON, locks.lock(&paths(&["/b", "/c"]))).await.is_err());
        let _other = locks.lock(&paths(&["/c"])).await;
        drop(first);
        assert!(timeout(SOON, locks.lock(&paths(&["/b"]))).await.is_ok());
    }

    #[tokio::test]
    async fn opposite_orders_do_not_deadlock() {
        let locks = PathLocks::new();
        let run = |names: Vec<PathBuf>| {
            let locks = locks.clone();
            tokio::spawn(async move {
                for _ in 0..200 {
                    let _guard = locks.lock(&names).await;
                    tokio::task::yield_now().await;
                }
            })
        };
        let (one, two) = (run(paths(&["/a", "/b", "/a"])), run(paths(&["/b", "/a"])));
        let both = async { (one.await, two.await) };
        let (one, two) = timeout(Duration::from_secs(10), both).await.expect("no deadlock");
        one.and(two).expect("both ran to the end");
        assert!(locks.table.lock().unwrap().is_empty());
    }

    #[tokio::test]
    async fn a_cancelled_waiter_leaves_nothing_behind() {
        let locks = PathLocks::new();
        let held = locks.lock(&paths(&["/b"])).await;
        assert!(timeout(SOON, locks.lock(&paths(&["/a", "/b"]))).await.is_err());
        assert!(timeout(SOON, locks.lock(&paths(&["/a"]))).await.is_ok());
        drop(held);
        assert!(locks.table.lock().unwrap().is_empty());
    }
}
