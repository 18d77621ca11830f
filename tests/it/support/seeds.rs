//! Random runs by seed: many in a test, more in a benchmark.

use std::fmt::Display;
use std::ops::Add;
use std::thread;
use std::time::{Instant, SystemTime};

/// Makes the runs with the seeds from 1 to `last` on four threads, as they wait most of the time, and adds what they counted.
pub(crate) fn in_a_test<C>(last: u64, run: fn(u64) -> C) -> C
where
    C: Add<Output = C> + Default + Display + Send,
{
    const WORKERS: u64 = 4;
    let of_worker = |worker: u64| {
        let seeds = (1..=last).filter(move |seed| seed % WORKERS == worker);
        seeds.fold(C::default(), |counts, seed| counts + run(seed))
    };
    let counts = thread::scope(|scope| {
        let workers: Vec<_> = (0..WORKERS)
            .map(|worker| scope.spawn(move || of_worker(worker)))
            .collect();
        let counts = workers.into_iter().map(|worker| worker.join().unwrap());
        counts.fold(C::default(), C::add)
    });
    eprintln!("{counts}");
    counts
}

/// Makes `runs` runs from a seed of today on, or as the arguments say: a first seed and a number of runs.
pub(crate) fn in_a_benchmark<C: Add<Output = C> + Default + Display>(
    runs: u64,
    run: fn(u64) -> C,
    said: &str,
) {
    let mut given = std::env::args().filter_map(|argument| argument.parse::<u64>().ok());
    let since = SystemTime::UNIX_EPOCH.elapsed().unwrap();
    let first = given.next().unwrap_or(since.as_secs());
    let runs = given.next().unwrap_or(runs);
    println!("seeds {first} to {}", first + runs - 1);
    let started = Instant::now();
    let counts = (first..first + runs).fold(C::default(), |counts, seed| {
        eprintln!("seed {seed}");
        counts + run(seed)
    });
    println!("{runs} runs, {counts}, {said}, {:?}", started.elapsed());
}
