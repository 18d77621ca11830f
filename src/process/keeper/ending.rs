//! Ending processes that have moved out of reach of their group: all that are below one process, by its place in the
//! tree of processes.

use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

/// Between the polite signal and the other one.
const POLITE: Duration = Duration::from_millis(500);
/// Longest time spent on killing: a process that is still there belongs to somebody else, or waits for a device.
const LONGEST: Duration = Duration::from_secs(10);
/// Pause between two looks at what is left.
const LOOK_AGAIN: Duration = Duration::from_millis(20);

/// Ends the processes that `left` gives until it gives none twice: politely, and then not. A list of processes is not made
/// at one moment, so one that gets another parent meanwhile may be missing from it.
pub(super) fn end_all(mut left: impl FnMut() -> Vec<Pid>) {
    let began = Instant::now();
    let mut asked = Vec::new();
    let mut was_empty = false;
    loop {
        let left = left();
        if left.is_empty() && was_empty || began.elapsed() > LONGEST {
            return;
        }
        was_empty = left.is_empty();
        let is_polite = began.elapsed() < POLITE;
        for process in left {
            if !is_polite {
                let _ = kill_process(process, Signal::KILL);
            } else if !asked.contains(&process) {
                let _ = kill_process(process, Signal::TERM);
                // What is stopped hears nothing before it goes on.
                let _ = kill_process(process, Signal::CONT);
                asked.push(process);
            }
        }
        thread::park_timeout(LOOK_AGAIN);
    }
}
