//! Moments of the clock that file systems write times with.

use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::Duration;

/// A moment, in nanoseconds since the Unix epoch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct FileMoment(i128);

impl FileMoment {
    #[cfg(target_os = "linux")]
    pub fn now() -> Self {
        // Files get the time of the last tick.
        let time = rustix::time::clock_gettime(rustix::time::ClockId::RealtimeCoarse);
        Self::at(time.tv_sec, time.tv_nsec)
    }

    #[cfg(not(target_os = "linux"))]
    pub fn now() -> Self {
        const TICK: Duration = Duration::from_millis(10);
        let now = std::time::SystemTime::now() - TICK;
        let since = now.duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        Self(i128::try_from(since.as_nanos()).unwrap_or(i128::MAX))
    }

    /// When a file or its attributes changed last; nobody can set this time.
    pub fn of_change(metadata: &Metadata) -> Self {
        Self::at(metadata.ctime(), metadata.ctime_nsec())
    }

    /// Returns true if what is at the path has changed since; a link itself and not its target.
    pub fn is_before_change_of(self, path: &Path) -> bool {
        fs::symlink_metadata(path).is_ok_and(|metadata| Self::of_change(&metadata) >= self)
    }

    /// Returns true if what is at the path came there since, alone or with a directory below `root`: of what came with a
    /// directory, only that one has changed.
    pub fn is_before_arrival_of(self, path: &Path, root: &Path) -> bool {
        let mut moved = path.ancestors().take_while(|above| *above != root);
        moved.any(|above| self.is_before_change_of(above))
    }

    fn at(seconds: i64, nanoseconds: i64) -> Self {
        let second = i128::try_from(Duration::from_secs(1).as_nanos()).unwrap_or_default();
        Self(i128::from(seconds) * second + i128::from(nanoseconds))
    }
}
