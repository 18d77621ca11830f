//! Clears away old files at the start and while lathe runs.

use std::path::Path;
use std::time::Duration;

use tokio_util::task::AbortOnDropHandle;

use crate::files;
use crate::store::{Outputs, Store};
use crate::tool::records_dir;

/// Between two looks for outputs that are too old.
const HOUR: Duration = Duration::from_hours(1);

/// Finishes what a crash left half done, and says what could not be.
pub(super) fn recover(data: &Path) -> Vec<String> {
    files::recover(&records_dir(data)).problems
}

/// Removes outputs that are too old now and every hour, until the handle is dropped.
pub(super) fn clean_outputs(data: &Path, store: &Store) -> AbortOnDropHandle<()> {
    clean_every(HOUR, Outputs::new(data), store.clone())
}

fn clean_every(period: Duration, outputs: Outputs, store: Store) -> AbortOnDropHandle<()> {
    AbortOnDropHandle::new(tokio::spawn(async move {
        loop {
            let (outputs, store) = (outputs.clone(), store.clone());
            // What cannot be cleaned now can be in an hour.
            let clean = move || store.masked_calls().map(|kept| outputs.clean(&kept));
            let _ = tokio::task::spawn_blocking(clean).await;
            tokio::time::sleep(period).await;
        }
    }))
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::path::PathBuf;
    use std::time::SystemTime;

    use super::*;
    use crate::conversation::CallId;

    fn old_output(outputs: &Outputs) -> PathBuf {
        let path = outputs.create(&CallId::new()).unwrap().finish().unwrap();
        let file = File::options().write(true).open(&path).unwrap();
        file.set_modified(SystemTime::now() - 8 * 24 * HOUR).unwrap();
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
        let cleaning = clean_every(Duration::from_millis(1), outputs.clone(), store);
        gone(&first).await;
        gone(&old_output(&outputs)).await;
        drop(cleaning);
    }
}
