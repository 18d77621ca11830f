//! 40,000 generated shell texts, judged and run. `cargo bench --bench shell_fuzz`, with a seed as its argument to repeat one.

// The tests' own support is shared; what is sound in a test is sound here.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

#[path = "../tests/it/shell_texts.rs"]
mod shell_texts;

use std::time::{Instant, SystemTime};

const TEXTS: usize = 40_000;

fn main() {
    let given = std::env::args()
        .skip(1)
        .find_map(|argument| argument.parse().ok());
    let since = SystemTime::UNIX_EPOCH.elapsed().unwrap();
    let seed = given.unwrap_or(since.as_secs());
    println!("seed {seed}");
    let started = Instant::now();
    let ran = shell_texts::try_texts(seed, TEXTS);
    println!(
        "{TEXTS} texts, {ran} ran unasked, none did more than read, {:?}",
        started.elapsed()
    );
}
