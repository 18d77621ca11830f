//! Cost of the program in a terminal, as the kernel counts it.

use std::collections::HashMap;
use std::ffi::OsString;
use std::fs::{self, DirEntry};

use crate::support::Terminal;

/// CPU time of each of the process's threads in milliseconds; the scheduler counts it in nanoseconds.
pub(crate) fn cpu(terminal: &Terminal) -> HashMap<OsString, f64> {
    let threads = format!("/proc/{}/task", terminal.pid().as_raw_nonzero());
    let time = |thread: DirEntry| {
        // A thread that has ended meanwhile has no file any more.
        let stat = fs::read_to_string(thread.path().join("schedstat")).ok()?;
        let nanoseconds: f64 = stat.split_whitespace().next()?.parse().ok()?;
        Some((thread.file_name(), nanoseconds / 1e6))
    };
    let threads = fs::read_dir(threads).expect("it runs").flatten();
    threads.filter_map(time).collect()
}

/// CPU time in milliseconds since an earlier look. What a thread that ended in between took is not in it: nothing that
/// waits for seconds before it ends takes any.
pub(crate) fn cpu_since(before: &HashMap<OsString, f64>, terminal: &Terminal) -> f64 {
    let since = |(thread, time)| time - before.get(&thread).copied().unwrap_or_default();
    cpu(terminal).into_iter().map(since).sum()
}

/// Resident memory in MiB.
pub(crate) fn resident(terminal: &Terminal) -> f64 {
    let status =
        fs::read_to_string(format!("/proc/{}/status", terminal.pid().as_raw_nonzero())).expect("it runs");
    let line = status
        .lines()
        .find(|line| line.starts_with("VmRSS:"))
        .expect("the kernel says so");
    let kib: f64 = line
        .split_whitespace()
        .nth(1)
        .expect("a figure")
        .parse()
        .expect("a number");
    kib / 1024.0
}
