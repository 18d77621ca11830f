//! Clears away old files at the start and while lathe runs.

use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio_util::task::AbortOnDropHandle;

use crate::config::schema;
use crate::files;
use crate::journal::{self, JournalLimits};
use crate::store::{Outputs, Store};
use crate::tool::records_dir;

/// Between two looks for what is too old or too much.
const PERIOD: Duration = Duration::from_mins(10);
const DAY: Duration = Duration::from_hours(24);
const MEGABYTE: u64 = 1 << 20;

/// Finishes what a crash left half done, and says what could not be.
pub(super) fn recover(data: &Path) -> Vec<String> {
    files::recover(&records_dir(data)).problems
}

/// Returns the bounds of the journal that are configured.
pub(super) fn journal_limits(config: &schema::Journal) -> JournalLimits {
    JournalLimits {
        bytes: config.max_mb.saturating_mul(MEGABYTE),
        age: DAY * config.days,
    }
}

/// Removes outputs and contents of files that are too old or too much, now and from time to time, until the handle is
/// dropped.
pub(super) fn clean_stored(data: &Path, store: &Store, limits: JournalLimits) -> AbortOnDropHandle<()> {
    let journal = (data.to_owned(), limits);
    clean_every(PERIOD, Outputs::new(data), store.clone(), Some(journal))
}

/// The same for outputs alone, beside a store that is gone with the process.
pub(super) fn clean_outputs(data: &Path, store: &Store) -> AbortOnDropHandle<()> {
    clean_every(PERIOD, Outputs::new(data), store.clone(), None)
}

fn clean_every(
    period: Duration,
    outputs: Outputs,
    store: Store,
    journal: Option<(PathBuf, JournalLimits)>,
) -> AbortOnDropHandle<()> {
    AbortOnDropHandle::new(tokio::spawn(async move {
        loop {
            let (outputs, store, journal) = (outputs.clone(), store.clone(), journal.clone());
            // What cannot be cleaned now can be the next time.
            let clean = move || {
                let kept = store.masked_calls()?;
                outputs.clean(&kept);
                match journal {
                    // By a connection of its own: it reads all that the journal refers to, and the session waits for nothing.
                    Some((data, limits)) => journal::clean(&data, &Store::open(&data)?, limits).map(drop),
                    None => Ok(()),
                }
            };
            let _ = tokio::task::spawn_blocking(clean).await;
            tokio::time::sleep(period).await;
        }
    }))
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::time::SystemTime;

    use super::*;
    use crate::conversation::CallId;

    fn old_output(outputs: &Outputs) -> PathBuf {
        let path = outputs.create(&CallId::new()).unwrap().finish().unwrap();
        let file = File::options().write(true).open(&path).unwrap();
        file.set_modified(SystemTime::now() - 8 * DAY).unwrap();
        path
    }

    async fn gone(path: &Path) {
        while path.exists() {
            tokio::task::yield_now().await;
        }
    }

    #[tokio::test]
    async fn outputs_that_grow_old_while_a_session_runs_are_removed_too() {
        let dir = tempfile::tempdir().unwrap();
        let outputs = Outputs::new(dir.path());
        let first = old_output(&outputs);
        let store = Store::in_memory().unwrap();
        let cleaning = clean_every(Duration::from_millis(1), outputs.clone(), store, None);
        gone(&first).await;
        gone(&old_output(&outputs)).await;
        drop(cleaning);
    }
}
