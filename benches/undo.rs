//! 500 random runs of undo and redo with kills and changes of somebody else in between. `cargo bench --bench undo`;
//! `-- SEED COUNT` repeats a run, or makes fewer.

// The tests' own support is shared; what is sound in a test is sound here.
#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::print_stderr)]

#[path = "../tests/it/support/mod.rs"]
mod support;
#[path = "../tests/it/undo_runs/mod.rs"]
mod undo_runs;

use std::time::{Instant, SystemTime};

use undo_runs::Counts;

const RUNS: u64 = 500;

fn main() {
    let mut given = std::env::args().filter_map(|argument| argument.parse::<u64>().ok());
    let since = SystemTime::UNIX_EPOCH.elapsed().unwrap();
    let first = given.next().unwrap_or(since.as_secs());
    let runs = given.next().unwrap_or(RUNS);
    println!("seeds {first} to {}", first + runs - 1);
    let started = Instant::now();
    let counts = (first..first + runs).fold(Counts::default(), |counts, seed| {
        eprintln!("seed {seed}");
        counts + undo_runs::run(seed)
    });
    println!(
        "{runs} runs, {counts}, each as it had to be, {:?}",
        started.elapsed()
    );
}
