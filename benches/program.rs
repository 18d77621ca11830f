//! Measures what a person waits for: start, idle, streaming, tool turns. `cargo bench --bench program`.
//!
//! The release binary runs in a pseudo-terminal of 120×36 against the scripted model server of the tests. Each figure is
//! the median of several runs; CPU seconds and memory are the kernel's own for the process. Wall times swing with
//! whatever else the machine does; look at the medians and at CPU.

// The tests' own support is shared; what is sound in a test is sound here.
#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::print_stderr)]

#[path = "../tests/it/support/mod.rs"]
mod support;

use std::fmt::Write;
use std::fs;
use std::time::{Duration, Instant};

use serde_json::json;
use support::{Lathe, Project, Protocol, Server, Terminal, Turn};

const RUNS: usize = 5;
const COLUMNS: u16 = 120;
const ROWS: u16 = 36;
/// The kernel's unit for CPU times in `/proc`.
const TICKS_PER_SECOND: f64 = 100.0;

fn main() {
    println!("| what | median of {RUNS} | budget |\n| --- | ---: | ---: |");
    let starts: Vec<Start> = (0..RUNS).map(|_| start()).collect();
    row(
        "start to first paint",
        &starts,
        |start| start.paint,
        "ms",
        "20 ms",
    );
    row(
        "start to first key echoed",
        &starts,
        |start| start.echo,
        "ms",
        "30 ms",
    );
    row(
        "resident memory at idle",
        &starts,
        |start| start.memory,
        "MiB",
        "30 MiB",
    );
    let idles: Vec<Idle> = (0..2).map(|_| idle()).collect();
    row("CPU in 10 s of idleness", &idles, |idle| idle.cpu, "ms", "5 ms");
    row(
        "bytes drawn in 10 s of idleness",
        &idles,
        |idle| idle.bytes,
        "",
        "0",
    );
    let floods: Vec<f64> = (0..RUNS).map(|_| stream(5_000, 16, 0.0)).collect();
    row(
        "5,000 deltas of Markdown flat out, CPU",
        &floods,
        |cpu| *cpu,
        "ms",
        "500 ms",
    );
    let paced: Vec<f64> = (0..2).map(|_| stream(2_000, 5, 200.0)).collect();
    row("200 deltas/s for 10 s, CPU", &paced, |cpu| *cpu, "ms", "400 ms");
    let echoes: Vec<f64> = (0..RUNS).map(|_| key_echo()).collect();
    row(
        "key echo while 200 deltas/s arrive, 95 of 100 within",
        &echoes,
        |echo| *echo,
        "ms",
        "10 ms",
    );
    let turns: Vec<f64> = (0..RUNS).map(|_| tool_turn()).collect();
    row("tool turn (shell echo)", &turns, |turn| *turn, "ms", "6 ms");
    let runs: Vec<f64> = (0..RUNS).map(|_| headless()).collect();
    row("`lathe run`, one answer, wall", &runs, |run| *run, "ms", "–");
}

fn row<T>(what: &str, samples: &[T], figure: impl Fn(&T) -> f64, unit: &str, budget: &str) {
    let mut figures: Vec<f64> = samples.iter().map(figure).collect();
    figures.sort_by(f64::total_cmp);
    let median = figures[figures.len() / 2];
    println!("| {what} | {median:.1} {unit} | {budget} |");
}

fn project(server: &Server) -> Project {
    Project::new()
        .git()
        .config(json!({"permission": {"bash": "allow", "doom_loop": "allow"}}))
        .model(server, Protocol::OpenAiChat)
}

struct Start {
    paint: f64,
    echo: f64,
    memory: f64,
}

fn start() -> Start {
    let server = Server::start();
    let project = project(&server);
    let began = Instant::now();
    let terminal = Terminal::start(&project, COLUMNS, ROWS, &[]);
    terminal.wait_text("send");
    let paint = milliseconds(began);
    terminal.keys("abc");
    terminal.wait_text("abc");
    let echo = milliseconds(began);
    terminal.wait_quiet(Duration::from_millis(300));
    Start {
        paint,
        echo,
        memory: resident(&terminal),
    }
}

struct Idle {
    cpu: f64,
    bytes: f64,
}

fn idle() -> Idle {
    let server = Server::start();
    let project = project(&server);
    let terminal = Terminal::start(&project, COLUMNS, ROWS, &[]);
    terminal.wait_text("send");
    terminal.wait_quiet(Duration::from_secs(1));
    let (cpu, mark) = (cpu(&terminal), terminal.mark());
    std::thread::sleep(Duration::from_secs(10));
    Idle {
        cpu: self::cpu(&terminal) - cpu,
        bytes: terminal.raw_since(mark).len() as f64,
    }
}

/// CPU milliseconds from the prompt to the end of the answer on the screen. `rate` 0: as fast as the socket takes them.
fn stream(deltas: usize, piece: usize, rate: f64) -> f64 {
    let server = Server::start();
    let text = markdown(deltas * piece);
    let turn = Turn::text(&text).piece(piece);
    server.script([if rate > 0.0 { turn.rate(rate) } else { turn }]);
    let project = project(&server);
    let terminal = Terminal::start(&project, COLUMNS, ROWS, &[]);
    terminal.wait_text("send");
    let before = cpu(&terminal);
    terminal.keys("go\r");
    terminal.wait_text("END-OF-REPLY");
    terminal.wait_quiet(Duration::from_millis(300));
    cpu(&terminal) - before
}

/// From a key to the screen that shows it while a reply streams: what 95 of 100 keys stay under.
fn key_echo() -> f64 {
    const KEYS: usize = 100;
    let server = Server::start();
    let text = markdown(2_000 * 5);
    server.script([Turn::text(&text).piece(5).rate(200.0)]);
    let project = project(&server);
    let terminal = Terminal::start(&project, COLUMNS, ROWS, &[]);
    terminal.wait_text("send");
    terminal.keys("go\r");
    terminal.wait_text("Step 1");
    let mut typed = String::new();
    let mut echoes: Vec<f64> = (0..KEYS)
        .map(|key| {
            std::thread::sleep(Duration::from_millis(50));
            typed.push(char::from(b'a' + (key % 26) as u8));
            let began = Instant::now();
            terminal.keys(&typed[key..]);
            terminal.wait_text(&typed);
            milliseconds(began)
        })
        .collect();
    echoes.sort_by(f64::total_cmp);
    echoes[KEYS * 95 / 100]
}

/// From the end of one request's reply to the next request, in the middle of ten turns.
fn tool_turn() -> f64 {
    const TURNS: usize = 10;
    let server = Server::start();
    let echo = |n: usize| Turn::tool("bash", json!({ "command": format!("printf 'tool-{n}-out\\n'") }));
    server.script((0..TURNS).map(echo).chain([Turn::text("END-OF-REPLY")]));
    let project = project(&server);
    let terminal = Terminal::start(&project, COLUMNS, ROWS, &[]);
    terminal.wait_text("send");
    terminal.keys("go\r");
    terminal.wait_text("END-OF-REPLY");
    let requests = server.requests();
    let mut gaps: Vec<f64> = requests
        .windows(2)
        .map(|pair| (pair[1].at - pair[0].at).as_secs_f64() * 1000.0)
        .collect();
    gaps.sort_by(f64::total_cmp);
    gaps[gaps.len() / 2]
}

fn headless() -> f64 {
    let server = Server::with([Turn::text("Done.")]);
    let project = project(&server);
    let began = Instant::now();
    Lathe::in_project(&project).args(["run", "go"]).run().success();
    milliseconds(began)
}

/// Sections of prose, a list and code, with an end that can be waited for.
fn markdown(bytes: usize) -> String {
    let mut text = String::with_capacity(bytes + 512);
    let mut section = 0;
    while text.len() < bytes {
        section += 1;
        write!(
            text,
            "## Step {section}\n\nThe parser reads each *token* and keeps a small stack of open `scopes`.\n\n\
             ```rust\nfn step{section}(items: &[&str]) -> usize {{\n    items.iter().map(|item| item.len()).sum()\n}}\n```\n\n\
             - one\n- two with **weight**\n\n"
        )
        .expect("a string takes everything");
    }
    text.truncate(bytes - 16);
    text.push_str("\n\nEND-OF-REPLY\n");
    text
}

fn milliseconds(since: Instant) -> f64 {
    since.elapsed().as_secs_f64() * 1000.0
}

/// User and system time of the process in milliseconds.
fn cpu(terminal: &Terminal) -> f64 {
    let stat =
        fs::read_to_string(format!("/proc/{}/stat", terminal.pid().as_raw_nonzero())).expect("it runs");
    let after_name = stat.rsplit(')').next().expect("there is a name");
    let fields: Vec<&str> = after_name.split_whitespace().collect();
    let ticks: f64 = [fields[11], fields[12]]
        .iter()
        .map(|field| field.parse::<f64>().expect("a number"))
        .sum();
    ticks * 1000.0 / TICKS_PER_SECOND
}

fn resident(terminal: &Terminal) -> f64 {
    let status =
        fs::read_to_string(format!("/proc/{}/status", terminal.pid().as_raw_nonzero())).expect("it runs");
    let line = status
        .lines()
        .find(|line| line.starts_with("VmRSS:"))
        .expect("the kernel says so");
    let kib: f64 = line
        .split_whitespace()
        .nth(1)
        .expect("a figure")
        .parse()
        .expect("a number");
    kib / 1024.0
}
