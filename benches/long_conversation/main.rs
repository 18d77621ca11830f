//! Measures conversations that do not end: what a tool turn costs early and late, and 2,000 turns with 40 MB of output
//! through masking and compaction. `cargo bench --bench long_conversation`, with `turns` or `long` behind `--` for one of
//! them.
//!
//! The release binary runs against a model server on loopback that counts four bytes to a token and refuses what its
//! window does not hold. CPU is the kernel's figure for the process alone.

// The tests' own support is shared; what is sound in a test is sound here.
#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::print_stderr)]

#[path = "../session/screen.rs"]
mod screen;
mod server;
#[path = "../../tests/it/support/mod.rs"]
mod support;

use std::fs;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use lathe::store::Store;
use lathe::swap;
use rustix::process::Pid;
use screen::{Screen, WALKS};
use serde_json::json;
use server::{ModelServer, Reply};
use support::{Project, Terminal};

/// The kernel's unit for CPU times in `/proc`.
const TICKS_PER_SECOND: f64 = 100.0;

fn main() {
    let wanted: Vec<String> = std::env::args()
        .skip(1)
        .filter(|word| !word.starts_with('-'))
        .collect();
    let is_wanted = |name: &str| wanted.is_empty() || wanted.iter().any(|word| word == name);
    println!("| what | figure | budget |\n| --- | ---: | ---: |");
    if is_wanted("turns") {
        turns();
    }
    if is_wanted("long") {
        long();
    }
}

fn row(what: &str, figure: &str, budget: &str) {
    println!("| {what} | {figure} | {budget} |");
}

fn project(server: &ModelServer, window: u64) -> Project {
    Project::new().git().config(json!({
        "model": "local/test-model",
        "permission": {"*": "allow", "bash": "allow", "doom_loop": "allow"},
        "max_steps": 5_000,
        "todo": {"reminders": 0},
        "providers": {"local": {
            "protocol": "openai-chat",
            "base_url": server.url(),
            "api_key": "k",
            "models": {"test-model": {"context": window, "output": 8_192}}
        }}
    }))
}

/// CPU seconds of a process so far, without its children.
fn cpu(pid: Pid) -> f64 {
    let stat = fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero())).unwrap();
    let fields: Vec<&str> = stat.rsplit_once(')').unwrap().1.split_whitespace().collect();
    let ticks: f64 = fields[11..13]
        .iter()
        .map(|field| field.parse::<f64>().unwrap())
        .sum();
    ticks / TICKS_PER_SECOND
}

/// Resident memory in MiB.
fn resident(pid: Pid) -> f64 {
    let status = fs::read_to_string(format!("/proc/{}/status", pid.as_raw_nonzero())).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<f64>().unwrap() / 1024.0
}

/// 400 calls of `bash` in one turn, in a window that holds them all.
fn turns() {
    const TURNS: usize = 400;
    const STEP: usize = 50;
    let server = ModelServer::start(
        usize::MAX / 4,
        Arc::new(|number, _| match number {
            TURNS.. => Reply::Text("END-OF-REPLY".to_owned()),
            _ => Reply::Call {
                tool: "bash",
                args: json!({ "command": format!("printf 'tool-{number}-out\\n%01000d' 7") }),
            },
        }),
    );
    let project = project(&server, 4_000_000);
    let terminal = Terminal::start(&project, 120, 36, &[]);
    terminal.wait_text("send");
    terminal.keys("go\r");
    let mut marks = Vec::new();
    for mark in (0..=TURNS).step_by(STEP) {
        server.wait_for_turns(mark + 1);
        marks.push(cpu(terminal.pid()));
    }
    terminal.wait_text("END-OF-REPLY");
    let each = |from: usize| (marks[from + 1] - marks[from]) * 1000.0 / STEP as f64;
    let all: Vec<String> = (0..TURNS / STEP)
        .map(|step| format!("{:.1}", each(step)))
        .collect();
    row(
        "CPU of a tool turn, the first to the last 50 of 400",
        &format!("{} ms", all.join(", ")),
        "last ≤ 1.2 × first",
    );
    row(
        "200 tool turns, CPU",
        &format!("{:.2} s", marks[4] - marks[0]),
        "1.0 s",
    );
    row(
        "memory after 400 tool turns",
        &format!("{:.0} MiB", resident(terminal.pid())),
        "",
    );
}

/// A conversation of 2,000 turns, each with an output of 20 kB.
fn long() {
    const TURNS: usize = 2_000;
    const WINDOW: u64 = 200_000;
    let server = ModelServer::start(
        WINDOW as usize,
        Arc::new(|number, body| {
            if !body.contains("\"tools\":[{") {
                return Reply::Text("## Rules from the person\nnone\n## Goal\nGo on.".to_owned());
            }
            match number {
                TURNS.. => Reply::Text("END-OF-REPLY".to_owned()),
                _ => Reply::Call {
                    tool: "bash",
                    args: json!({ "command": format!("printf 'tool-{number}-out\\n'; head -c 20000 big.txt") }),
                },
            }
        }),
    );
    let line = |line: usize| format!("{line:04} {}\n", "text ".repeat(11));
    let lines: String = (0..400).map(line).collect();
    let project = project(&server, WINDOW).file("big.txt", &lines);
    let terminal = Terminal::start(&project, 120, 36, &["--permission-mode", "yolo"]);
    terminal.wait_text("send");
    terminal.keys("go\r");
    let (mut times, mut memory) = (Vec::new(), Vec::new());
    for mark in (0..=TURNS).step_by(TURNS / 10) {
        server.wait_for_turns(mark + 1);
        times.push(cpu(terminal.pid()));
        memory.push(resident(terminal.pid()));
    }
    terminal.wait_text("END-OF-REPLY");
    let counts = &server.counts;
    let each: Vec<String> = times
        .windows(2)
        .map(|pair| format!("{:.1}", (pair[1] - pair[0]) * 10_000.0 / TURNS as f64))
        .collect();
    let memory: Vec<String> = memory.iter().map(|mib| format!("{mib:.0}")).collect();
    row(
        "2,000 turns with 40 MB of output: requests that did not fit",
        &counts.overflows.load(Ordering::SeqCst).to_string(),
        "0",
    );
    row(
        "… the largest request",
        &format!("{} kB", server.largest() / 1000),
        "800 kB",
    );
    row(
        "… summaries",
        &counts.summaries.load(Ordering::SeqCst).to_string(),
        "",
    );
    drop(terminal);
    let mut reopened: Vec<f64> = (0..5)
        .map(|_| {
            let began = Instant::now();
            Terminal::start(&project, 120, 36, &["-c"]).wait_text("END-OF-REPLY");
            began.elapsed().as_secs_f64() * 1e3
        })
        .collect();
    reopened.sort_by(f64::total_cmp);
    row(
        "… reopened, to the first full frame",
        &format!("{:.0} ms", reopened[2]),
        "150 ms",
    );
    row(
        "… CPU of a turn, by tenths",
        &format!("{} ms", each.join(", ")),
        "",
    );
    row("… memory, by tenths", &format!("{} MiB", memory.join(", ")), "");
    frames(&project);
}

/// Scrolls through the conversation, whose results are in the file for values that nobody reads.
fn frames(project: &Project) {
    swap::set_directory(&project.data_dir());
    let store = Store::open(&project.data_dir()).unwrap();
    let session = &store.list(None).unwrap()[0].id;
    let mut screen = Screen::new(&store.load(session).unwrap());
    screen.frame();
    let figures = |what: &str, mut times: Vec<Duration>| {
        times.sort();
        let at = |share: usize| times[(times.len() - 1) * share / 100].as_secs_f64() * 1e3;
        row(
            &format!("… a frame, {what}: 95 %, 99 %, the slowest"),
            &format!("{:.1}, {:.1}, {:.1} ms", at(95), at(99), at(100)),
            "95 % ≤ 4 ms",
        );
    };
    for walk in &WALKS {
        figures(walk.what, screen.walk(walk));
    }
    figures("by page, up, each in another size", screen.walk_resized());
    screen.transcript.search();
    let began = Instant::now();
    screen.transcript.search_for("t");
    let first = began.elapsed();
    let began = Instant::now();
    screen.transcript.search_for("tool-1234-out");
    let narrower = began.elapsed();
    assert!(
        screen
            .transcript
            .search_tally()
            .is_some_and(|tally| tally.total > 0)
    );
    row(
        "… searching all of it, for a first letter and for more of them",
        &format!(
            "{:.0}, {:.0} ms",
            first.as_secs_f64() * 1e3,
            narrower.as_secs_f64() * 1e3
        ),
        "",
    );
}
