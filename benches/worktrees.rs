//! 200 random runs of work trees with kills, the person's own edits and clean-ups in between. `cargo bench --bench worktrees`;
//! `-- SEED COUNT` repeats a run, or makes fewer.

// The tests' own support is shared; what is sound in a test is sound here.
#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::print_stderr)]

#[path = "../tests/it/support/mod.rs"]
mod support;
#[path = "../tests/it/worktree_runs/mod.rs"]
mod worktree_runs;

fn main() {
    support::seeds::in_a_benchmark(200, worktree_runs::run, "nothing lost");
}
