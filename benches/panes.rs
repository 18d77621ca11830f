//! Measures the terminals' pane: from a key to its glyph while other terminals flood, and what hidden and idle ones cost.
//! `cargo bench --bench panes`.
//!
//! The release binary runs in a pseudo-terminal against the scripted model server of the tests. A call of the model starts
//! the terminals, one with a `cat` in it, which a person types into through the pane.

// The tests' own support is shared; what is sound in a test is sound here.
#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::print_stderr)]

mod process_cost;
#[path = "../tests/it/support/mod.rs"]
mod support;

use std::time::{Duration, Instant};

use process_cost::{cpu, cpu_since, resident};
use serde_json::json;
use support::{Project, Protocol, Server, Terminal, Turn};

const FLOOD: &str = "yes 'one line of a flood that never ends'";
/// Prints nothing, so that a line is what the terminal echoes.
const TYPED: &str = "cat > sink";
const KEYS: usize = 200;
/// Keys before a new line begins.
const KEYS_OF_A_LINE: usize = 25;

fn main() {
    println!("| what | figure | budget |\n| --- | ---: | ---: |");
    for (columns, rows) in [(120, 36), (200, 60)] {
        let alone = Typing::new(&[TYPED], (columns, rows)).echoes();
        echo_row("alone", (columns, rows), &alone, "");
        let hidden = Typing::new(&[FLOOD, TYPED], (columns, rows)).echoes();
        echo_row(
            "while a hidden terminal floods",
            (columns, rows),
            &hidden,
            "10 ms",
        );
        let mut beside = Typing::new(&[FLOOD, TYPED], (columns, rows));
        beside.terminal.keys("\x1dz");
        beside.terminal.wait_text("1 t0 ");
        echo_row(
            "while one floods beside it in the grid",
            (columns, rows),
            &beside.echoes(),
            "10 ms",
        );
    }
    after_a_minute();
    hidden_floods();
    idle_shells();
}

fn row(what: &str, figure: &str, budget: &str) {
    println!("| {what} | {figure} | {budget} |");
}

fn echo_row(what: &str, (columns, rows): (u16, u16), echoes: &[f64], budget: &str) {
    row(
        &format!("key to glyph {what}, {columns}×{rows}, 95 of 100 within"),
        &format!("{:.1} ms", percentile(echoes, 95)),
        budget,
    );
}

fn percentile(sorted: &[f64], percent: usize) -> f64 {
    sorted[(sorted.len() * percent / 100).min(sorted.len() - 1)]
}

/// The program with terminals that a model has started.
fn with_terminals(commands: &[&str], size: (u16, u16)) -> (Terminal, Server, Project) {
    let server = Server::start();
    let project = Project::new().model(&server, Protocol::OpenAiChat);
    let starts = commands.iter().enumerate();
    let starts = starts.fold(Turn::new(), |turn, (number, command)| {
        let args =
            json!({"action": "start", "session": format!("t{number}"), "command": command, "timeout": 1000});
        turn.call("interactive_bash", args)
    });
    server.script([starts, Turn::text("They run.")]);
    let terminal = Terminal::start(&project, size.0, size.1, &["--permission-mode", "yolo"]);
    terminal.wait_text("send");
    terminal.keys("go\r");
    terminal.wait_text("They run.");
    terminal.wait_text("ctrl+o terminals");
    (terminal, server, project)
}

/// A person who types into the last of the terminals.
struct Typing {
    terminal: Terminal,
    line: usize,
    typed: String,
    _server: Server,
    _project: Project,
}

impl Typing {
    fn new(commands: &[&str], size: (u16, u16)) -> Self {
        let (terminal, server, project) = with_terminals(commands, size);
        terminal.keys("\x0f");
        terminal.wait_text("more keys");
        terminal.keys(&format!("\x1d{}", commands.len()));
        terminal.wait_text("cat > sink · ");
        Self {
            terminal,
            line: 0,
            typed: String::new(),
            _server: server,
            _project: project,
        }
    }

    /// Milliseconds from each key to its glyph, sorted.
    fn echoes(&mut self) -> Vec<f64> {
        let mut echoes: Vec<f64> = (0..KEYS).map(|key| self.echo(key)).collect();
        echoes.sort_by(f64::total_cmp);
        echoes
    }

    fn echo(&mut self, key: usize) -> f64 {
        if key.is_multiple_of(KEYS_OF_A_LINE) {
            self.line += 1;
            self.typed = format!("k{:03}", self.line);
            self.terminal.keys(&format!("\r{}", self.typed));
            self.terminal.wait_text(&self.typed);
        }
        std::thread::sleep(Duration::from_millis(20));
        let next = char::from(b'a' + (key % 26) as u8);
        self.typed.push(next);
        let began = Instant::now();
        self.terminal.keys(&next.to_string());
        self.terminal.wait_text(&self.typed);
        began.elapsed().as_secs_f64() * 1000.0
    }
}

/// The last keys of a minute of flood against the first.
fn after_a_minute() {
    let mut typing = Typing::new(&[FLOOD, TYPED], (120, 36));
    // Its scrollback is full before long.
    std::thread::sleep(Duration::from_secs(3));
    let (first, before) = (typing.echoes(), resident(&typing.terminal));
    std::thread::sleep(Duration::from_secs(45));
    let (last, after) = (typing.echoes(), resident(&typing.terminal));
    row(
        "key to glyph in the first and the last tenth of a minute of flood, 95 of 100 within",
        &format!("{:.1}, {:.1} ms", percentile(&first, 95), percentile(&last, 95)),
        "",
    );
    row(
        "resident memory then",
        &format!("{before:.0}, {after:.0} MiB"),
        "",
    );
}

/// Three terminals flood behind the conversation.
fn hidden_floods() {
    let (terminal, _server, _project) = with_terminals(&[FLOOD, FLOOD, FLOOD], (120, 36));
    let (frames, cpu) = rest(&terminal);
    row("frames in 10 s of three hidden floods", &format!("{frames}"), "0");
    row(
        "… CPU, the emulation of it all included",
        &format!("{cpu:.0} ms"),
        "",
    );
}

fn idle_shells() {
    let shell = "env PS1='prompt> ' bash --norc --noprofile";
    let (terminal, _server, _project) = with_terminals(&[shell; 8], (120, 36));
    let (frames, cpu) = rest(&terminal);
    row(
        "frames in 10 s of eight shells at their prompts",
        &format!("{frames}"),
        "0",
    );
    row("… CPU", &format!("{cpu:.0} ms"), "");
}

/// Frames and CPU milliseconds of ten seconds.
fn rest(terminal: &Terminal) -> (usize, f64) {
    std::thread::sleep(Duration::from_secs(3));
    let (before, mark) = (cpu(terminal), terminal.mark());
    std::thread::sleep(Duration::from_secs(10));
    let drawn = terminal.raw_since(mark);
    // Each frame is wrapped in synchronized output.
    let frames = String::from_utf8_lossy(&drawn).matches("\u{1b}[?2026h").count();
    (frames, cpu_since(&before, terminal))
}
