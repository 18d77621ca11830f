//! `kill -9` at 50 random moments of a tree of eight agents. `cargo bench --bench task_kills`; `-- SEED COUNT` repeats a
//! run, or makes fewer.

// The tests' own support is shared; what is sound in a test is sound here.
#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::print_stderr)]

#[path = "../tests/it/support/mod.rs"]
mod support;
#[path = "../tests/it/task_kills.rs"]
mod task_kills;

use std::time::{Instant, SystemTime};

const KILLS: u64 = 50;

fn main() {
    let mut given = std::env::args().filter_map(|argument| argument.parse::<u64>().ok());
    let since = SystemTime::UNIX_EPOCH.elapsed().unwrap();
    let first = given.next().unwrap_or(since.as_secs());
    let kills = given.next().unwrap_or(KILLS);
    println!("seeds {first} to {}", first + kills - 1);
    let started = Instant::now();
    let processes: usize = (first..first + kills)
        .map(|seed| {
            eprintln!("seed {seed}");
            task_kills::run(seed)
        })
        .sum();
    println!(
        "{kills} kills, {processes} processes of commands started, none left, nothing lost or repeated, {:?}",
        started.elapsed()
    );
}
