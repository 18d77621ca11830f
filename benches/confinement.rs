//! Measures the cost of confining commands that only read. `cargo bench --bench confinement`.
//!
//! Sessions run the same commands, one confined and one not in turn: an assignment that no table knows makes a call one
//! that is not confined, and changes nothing of what runs. Git that is not confined writes its index, so that what is known
//! of the repository has to be asked anew; a model takes longer between two calls than such a change counts as recent, and
//! the scripted one does not. A figure is the median time from the end of one reply to the next request, so it has all of a
//! tool turn in it: judging, starting, running, reading, recording.

// The tests' own support is shared; what is sound in a test is sound here.
#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::print_stderr)]

#[path = "../tests/it/support/mod.rs"]
mod support;

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::json;
use support::{Lathe, Project, Protocol, Server, Turn};

/// Sessions of each kind, one after the other, so that a machine that slows down slows both.
const SESSIONS: usize = 6;
/// How often a session runs each command.
const ROUNDS: usize = 20;
const COMMANDS: [&str; 6] = [
    "ls",
    "git status",
    "git diff",
    "git diff HEAD",
    "git log -p -1",
    "git show HEAD",
];

fn main() {
    let (mut confined, mut free) = (Vec::new(), Vec::new());
    for _ in 0..SESSIONS {
        confined.extend(turns(""));
        free.extend(turns("X=1 "));
    }
    let project = project();
    println!("| what | median of {} |\n| --- | ---: |", SESSIONS * ROUNDS);
    for command in ["ls", "git status"] {
        let plain = (0..SESSIONS * ROUNDS).map(|_| plain(&project, command)).collect();
        println!(
            "| `bash -c '{command}'`, started and waited for | {:.1} ms |",
            median(plain)
        );
    }
    for (column, command) in COMMANDS.iter().enumerate() {
        let of = |gaps: &[Duration]| {
            let of_command = gaps.iter().skip(column).step_by(COMMANDS.len());
            median(of_command.copied().collect())
        };
        let (free, confined) = (of(&free), of(&confined));
        println!(
            "| tool turn of `{command}`: not confined, confined, more | {free:.1} ms, {confined:.1} ms, {:.1} ms |",
            confined - free
        );
    }
}

fn project() -> Project {
    let project = Project::new()
        .git()
        .file("a.txt", "one\n")
        .config(json!({"permission": {"bash": "allow", "doom_loop": "allow"}, "max_steps": 10_000}));
    project.run_git(&["add", "a.txt"]);
    project.run_git(&["commit", "-qm", "one"]);
    project.write("a.txt", b"two\n");
    project
}

/// The time from each reply to the next request in a session of commands that begin with this text.
fn turns(before: &str) -> Vec<Duration> {
    let server = Server::start();
    let project = project().model(&server, Protocol::OpenAiChat);
    let commands = (0..ROUNDS).flat_map(|_| COMMANDS);
    let turns = commands.map(|command| {
        let command = format!("{before}{command}");
        Turn::tool("bash", json!({ "command": command }))
    });
    server.script(turns.chain([Turn::text("Done.")]));
    Lathe::in_project(&project).args(["run", "go"]).run().success();
    let requests = server.requests();
    assert_eq!(requests.len(), ROUNDS * COMMANDS.len() + 1);
    requests.windows(2).map(|pair| pair[1].at - pair[0].at).collect()
}

fn plain(project: &Project, command: &str) -> Duration {
    let started = Instant::now();
    let status = Command::new("bash")
        .args(["-c", command])
        .current_dir(project.root())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .status()
        .unwrap();
    assert!(status.success());
    started.elapsed()
}

fn median(mut times: Vec<Duration>) -> f64 {
    times.sort();
    times[times.len() / 2].as_secs_f64() * 1000.0
}
