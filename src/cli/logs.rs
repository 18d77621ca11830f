//! Logs: lines in a file of the state directory, never on the terminal.
//!
//! `LATHE_LOG` is the filter. There is one file a day, and a week of them is kept. A line is written by a thread of its own, so
//! that nothing waits for the disk; dropping [`Logs`] writes what is still on its way. Without a place to write, lathe
//! goes on without logs: nobody asked it to log.

use std::path::Path;

use tracing::level_filters::LevelFilter;
use tracing_appender::non_blocking::{NonBlocking, NonBlockingBuilder, WorkerGuard};
use tracing_appender::rolling::{RollingFileAppender, Rotation};
use tracing_subscriber::EnvFilter;

use crate::config::Dirs;

const DAYS_KEPT: usize = 7;
/// Lines on their way to the disk; further ones are left out. Room for all of them is taken at the start, 32 bytes each.
const MAX_LINES_WAITING: usize = 4096;

/// Keeps logging alive.
#[must_use = "what is still on its way is lost without it"]
pub(super) struct Logs {
    _guard: Option<WorkerGuard>,
}

impl Logs {
    /// Begins to log, once in a process.
    pub(super) fn start(dirs: &Dirs) -> Self {
        let filter = filter(std::env::var("LATHE_LOG").ok().as_deref());
        if filter.max_level_hint() == Some(LevelFilter::OFF) {
            return Self { _guard: None };
        }
        let Some((writer, guard)) = open(&dirs.state.join("logs")) else {
            return Self { _guard: None };
        };
        let subscriber = tracing_subscriber::fmt()
            .with_env_filter(filter)
            .with_writer(writer)
            .with_ansi(false)
            .finish();
        // A second subscriber could only come from a second call.
        let _ = tracing::subscriber::set_global_default(subscriber);
        Self { _guard: Some(guard) }
    }
}

/// A filter that cannot be read is as good as none: the program must not fail for its logs.
fn filter(variable: Option<&str>) -> EnvFilter {
    let given = variable.filter(|text| !text.trim().is_empty());
    given
        .and_then(|text| EnvFilter::try_new(text).ok())
        .unwrap_or_else(|| EnvFilter::new("info"))
}

fn open(dir: &Path) -> Option<(NonBlocking, WorkerGuard)> {
    // Logs name files and commands of the user.
    crate::private_file::create_dir(dir).ok()?;
    let appender = RollingFileAppender::builder()
        .rotation(Rotation::DAILY)
        .filename_prefix("lathe")
        .filename_suffix("log")
        .max_log_files(DAYS_KEPT)
        .build(dir)
        .ok()?;
    Some(
        NonBlockingBuilder::default()
            .buffered_lines_limit(MAX_LINES_WAITING)
            .finish(appender),
    )
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn a_filter_that_cannot_be_read_counts_as_unset() {
        for text in [None, Some(""), Some("lathe=nonsense")] {
            assert_eq!(filter(text).max_level_hint(), Some(LevelFilter::INFO), "{text:?}");
        }
        assert_eq!(
            filter(Some("lathe=trace")).max_level_hint(),
            Some(LevelFilter::TRACE)
        );
        assert_eq!(filter(Some("off")).max_level_hint(), Some(LevelFilter::OFF));
    }

    #[test]
    fn lines_are_in_the_file_once_the_guard_is_gone() {
        let dir = tempfile::tempdir().unwrap();
        let (mut writer, guard) = open(&dir.path().join("state/logs")).unwrap();
        writer.write_all(b"a line\n").unwrap();
        drop(guard);
        let file = std::fs::read_dir(dir.path().join("state/logs"))
            .unwrap()
            .next()
            .unwrap()
            .unwrap();
        assert_eq!(std::fs::read_to_string(file.path()).unwrap(), "a line\n");
    }

    #[test]
    fn a_place_that_cannot_be_written_means_no_logs() {
        let file = tempfile::NamedTempFile::new().unwrap();
        assert!(open(&file.path().join("logs")).is_none());
    }
}
