//! 500 random runs of undo and redo with kills and changes of somebody else in between. `cargo bench --bench undo`;
//! `-- SEED COUNT` repeats a run, or makes fewer.

// The tests' own support is shared; what is sound in a test is sound here.
#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::print_stderr)]

#[path = "../tests/it/support/mod.rs"]
mod support;
#[path = "../tests/it/undo_runs/mod.rs"]
mod undo_runs;

fn main() {
    support::seeds::in_a_benchmark(500, undo_runs::run, "each as it had to be");
}
