//! 40 random runs, in each of which lathe is killed five times while it streams, runs tools, compacts or undoes.
//! `cargo bench --bench kills`; `-- SEED COUNT` repeats a run, or makes fewer.

// The tests' own support is shared; what is sound in a test is sound here.
#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::print_stderr)]

#[path = "../tests/it/kill_runs/mod.rs"]
mod kill_runs;
#[path = "../tests/it/support/mod.rs"]
mod support;

use std::time::{Instant, SystemTime};

use kill_runs::Counts;

const RUNS: u64 = 40;

fn main() {
    let mut given = std::env::args().filter_map(|argument| argument.parse::<u64>().ok());
    let since = SystemTime::UNIX_EPOCH.elapsed().unwrap();
    let first = given.next().unwrap_or(since.as_secs());
    let runs = given.next().unwrap_or(RUNS);
    println!("seeds {first} to {}", first + runs - 1);
    let started = Instant::now();
    let counts = (first..first + runs).fold(Counts::default(), |counts, seed| {
        eprintln!("seed {seed}");
        counts + kill_runs::run(seed)
    });
    println!("{runs} runs, {counts}, nothing lost, {:?}", started.elapsed());
}
