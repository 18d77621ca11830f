//! 40,000 generated shell texts, judged and run. `cargo bench --bench shell_fuzz`; `-- SEED COUNT` repeats a run, or makes a
//! shorter one.

// The tests' own support is shared; what is sound in a test is sound here.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

#[path = "../tests/it/shell_texts.rs"]
mod shell_texts;

use std::time::{Instant, SystemTime};

const TEXTS: usize = 40_000;

fn main() {
    let mut given = std::env::args().filter_map(|argument| argument.parse::<u64>().ok());
    let since = SystemTime::UNIX_EPOCH.elapsed().unwrap();
    let seed = given.next().unwrap_or(since.as_secs());
    let texts = given
        .next()
        .map_or(TEXTS, |count| usize::try_from(count).unwrap());
    println!("seed {seed}");
    let started = Instant::now();
    let ran = shell_texts::try_texts(seed, texts);
    println!(
        "{texts} texts, {ran} ran unasked, none did more than read, {:?}",
        started.elapsed()
    );
}
