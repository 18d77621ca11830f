//! The processes of the machine, listed at most once for a look at several terminals.

#[cfg(target_os = "linux")]
use std::cell::OnceCell;

#[cfg(target_os = "linux")]
use super::ending::stat::{self, ProcessStat};

/// All processes that can be seen, listed when they are first needed. Listing takes time for each process of the machine,
/// so whoever looks at several terminals shares one list; it is stale after that look.
#[derive(Debug, Default)]
pub struct ProcessList {
    #[cfg(target_os = "linux")]
    processes: OnceCell<Vec<ProcessStat>>,
}

#[cfg(target_os = "linux")]
impl ProcessList {
    pub(super) fn all(&self) -> &[ProcessStat] {
        self.processes.get_or_init(|| stat::all().collect())
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn processes_are_listed_once() {
        let list = ProcessList::default();
        let own = i32::try_from(std::process::id()).unwrap();
        assert!(list.all().iter().any(|process| process.pid == own));
        assert!(std::ptr::eq(list.all(), list.all()));
    }
}
