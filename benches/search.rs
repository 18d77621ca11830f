//! Search beside ripgrep and fd on the same tree of 20,000 files. `cargo bench --bench search`.
//!
//! Whole processes on both sides: `lathe tool grep` starts, opens its store, searches and prints, as `rg` starts, searches
//! and prints. Each figure is the median of several runs, taken by turns so that noise falls on both. A program that is
//! not installed is left out.

// The tests' own support is shared; what is sound in a test is sound here.
#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::print_stderr)]

#[path = "../tests/it/support/mod.rs"]
mod support;

use std::process::{Command, Stdio};
use std::time::Instant;

use support::{LATHE, Project, plant};

const RUNS: usize = 11;
const FILES: usize = 20_000;

/// One search, said to lathe and to a peer.
struct Race {
    what: &'static str,
    tool: &'static str,
    args: &'static str,
    peers: &'static [&'static str],
    peer_args: &'static [&'static str],
}

const RACES: [Race; 4] = [
    Race {
        what: "grep, a rare word",
        tool: "grep",
        args: r#"{"pattern":"needle","limit":0}"#,
        peers: &["rg"],
        peer_args: &["--hidden", "--glob=!.git", "-n", "--sort=path", "needle", "."],
    },
    Race {
        what: "grep, a rare word, unsorted on the peer's side",
        tool: "grep",
        args: r#"{"pattern":"needle","limit":0}"#,
        peers: &["rg"],
        peer_args: &["--hidden", "--glob=!.git", "-n", "needle", "."],
    },
    Race {
        what: "grep, a class on each line, files only",
        tool: "grep",
        args: r#"{"pattern":"^7\\d: [a-m]","output_mode":"files_with_matches"}"#,
        peers: &["rg"],
        peer_args: &["--hidden", "--glob=!.git", "-l", r"^7\d: [a-m]", "."],
    },
    Race {
        what: "glob `**/*.txt`, newest first",
        tool: "glob",
        args: r#"{"pattern":"**/*.txt","limit":1000}"#,
        peers: &["fd", "fdfind"],
        peer_args: &["--hidden", "--exclude=.git", "--type=f", "--glob", "*.txt"],
    },
];

fn main() {
    let project = Project::new().git();
    plant(&project.root(), FILES);
    println!("| {FILES} files, median of {RUNS} | lathe | peer | times |\n| --- | ---: | ---: | ---: |");
    for race in RACES {
        let is_there = |name: &&&str| {
            Command::new(name)
                .arg("--version")
                .stdout(Stdio::null())
                .status()
                .is_ok()
        };
        let Some(peer) = race.peers.iter().find(is_there) else {
            eprintln!("{} is not installed", race.peers[0]);
            continue;
        };
        let (mut ours, mut theirs) = (Vec::new(), Vec::new());
        for _ in 0..RUNS {
            ours.push(time(&project, LATHE, &["tool", race.tool, race.args]));
            theirs.push(time(&project, peer, race.peer_args));
        }
        let (ours, theirs) = (median(ours), median(theirs));
        println!(
            "| {} | {ours:.0} ms | {peer} {theirs:.0} ms | {:.2} |",
            race.what,
            ours / theirs
        );
    }
}

/// Milliseconds from start to exit.
fn time(project: &Project, program: &str, args: &[&str]) -> f64 {
    let mut command = Command::new(program);
    command.args(args).current_dir(project.root());
    command.env_clear().envs(project.environment());
    let command = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    let began = Instant::now();
    let output = command.output().unwrap();
    let took = began.elapsed().as_secs_f64() * 1000.0;
    assert!(output.status.success(), "{program} {args:?}");
    took
}

fn median(mut figures: Vec<f64>) -> f64 {
    figures.sort_by(f64::total_cmp);
    figures[figures.len() / 2]
}
