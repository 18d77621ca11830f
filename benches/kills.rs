//! 40 random runs, in each of which lathe is killed five times while it streams, runs tools, compacts or undoes.
//! `cargo bench --bench kills`; `-- SEED COUNT` repeats a run, or makes fewer.

// The tests' own support is shared; what is sound in a test is sound here.
#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::print_stderr)]

#[path = "../tests/it/kill_runs/mod.rs"]
mod kill_runs;
#[path = "../tests/it/support/mod.rs"]
mod support;

fn main() {
    support::seeds::in_a_benchmark(40, kill_runs::run, "nothing lost");
}
