//! Measures many agents at work: keys, memory, questions, silence. `cargo bench --bench agents`.
//!
//! The release binary runs in a pseudo-terminal of 200×60 against the scripted model server of the tests. Twenty agents
//! work in the background over a cap of five requests at a time, each with calls and a question; nine of them are on screen
//! in the watch grid. CPU seconds and memory are the kernel's own for the process.

// The tests' own support is shared; what is sound in a test is sound here.
#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::print_stderr)]

mod process_cost;
#[path = "../tests/it/support/mod.rs"]
mod support;

use std::time::{Duration, Instant};

use process_cost::{cpu, cpu_since, resident};
use serde_json::{Value, json};
use support::{Gate, Project, Protocol, Server, Terminal, Turn};

const AGENTS: usize = 20;
const COLUMNS: u16 = 200;
const ROWS: u16 = 60;
/// Text that stands nowhere else on the screen, before what is typed.
const PREFIX: &str = "zqx";

fn main() {
    println!("| what | figure | budget |\n| --- | ---: | ---: |");
    let work = at_work();
    row(
        "key echo while 20 agents work and 9 are watched, 95 of 100 within",
        work.echo,
        "ms",
        "10 ms",
    );
    row("memory for each agent", work.memory, "MiB", "3 MiB");
    row("notices, each told once", work.notices, "", "20");
    row(
        "from a child's question to the screen, the slowest of 20",
        work.question,
        "ms",
        "50 ms",
    );
    let silence = silent();
    row("frames in 10 s of 20 silent agents", silence.frames, "", "10");
    row("CPU in 10 s of 20 silent agents", silence.cpu, "ms", "20 ms");
}

fn row(what: &str, figure: f64, unit: &str, budget: &str) {
    println!("| {what} | {figure:.1} {unit} | {budget} |");
}

fn words(number: usize) -> String {
    format!("You are worker number {number:02} of this run.")
}

/// A project with an agent for each task, so that each has a script of its own.
fn project(server: &Server) -> Project {
    let mut agents = json!({});
    for number in 0..AGENTS {
        let prompt = words(number);
        agents[format!("worker{number:02}")] =
            json!({"mode": "subagent", "description": "Works", "prompt": prompt});
    }
    Project::new()
        .git()
        .file("a.txt", &"some text in a line\n".repeat(400))
        .config(json!({
            "agents": agents,
            "background": {"max_concurrent": 5},
            "permission": {"bash": {"*": "ask"}, "doom_loop": "allow"},
        }))
        .model(server, Protocol::OpenAiChat)
}

fn start_all() -> Turn {
    (0..AGENTS).fold(Turn::new(), |turn, number| {
        let order = json!({
            "subagent_type": format!("worker{number:02}"),
            "description": format!("part {number:02} of it"),
            "prompt": "do your part",
            "run_in_background": true,
        });
        turn.call("task", order)
    })
}

struct Work {
    echo: f64,
    memory: f64,
    notices: f64,
    question: f64,
}

fn at_work() -> Work {
    const KEYS: usize = 100;
    let server = Server::start();
    let project = project(&server);
    let asks: Vec<Gate> = (0..AGENTS).map(|_| Gate::new()).collect();
    let streams: Vec<Gate> = (0..AGENTS).map(|_| Gate::new()).collect();
    for number in 0..AGENTS {
        let read = |offset: u64| {
            Turn::tool(
                "read",
                json!({"file_path": "a.txt", "offset": offset, "limit": 50}),
            )
        };
        let prose = "The parser reads each token and keeps a small stack of open scopes.\n\n".repeat(60);
        server.script_for(
            &words(number),
            [
                read(1),
                Turn::text(&prose)
                    .piece(5)
                    .rate(60.0)
                    .gate(0, &streams[number])
                    .call("read", json!({"file_path": "a.txt"})),
                Turn::tool("bash", json!({"command": format!("touch made-{number:02}")}))
                    .gate(0, &asks[number]),
                Turn::text("My part is done."),
            ],
        );
    }
    server.script([start_all(), Turn::text("They are at work.")]);
    server.otherwise(Turn::text("I have read it."));
    let terminal = Terminal::start(&project, COLUMNS, ROWS, &[]);
    terminal.wait_text("send");
    terminal.wait_quiet(Duration::from_millis(300));
    let before = resident(&terminal);
    terminal.keys("go\r");
    terminal.wait_text("They are at work.");
    streams.iter().for_each(Gate::open);
    terminal.keys("\u{14}");
    terminal.wait_text("Watch");
    // The filter of the grid takes text and redraws all tiles.
    terminal.keys(&format!("/{PREFIX}"));
    terminal.wait_text(PREFIX);
    let mut typed = PREFIX.to_owned();
    let mut echoes: Vec<f64> = (0..KEYS)
        .map(|key| {
            std::thread::sleep(Duration::from_millis(30));
            let next = char::from(b'a' + (key % 26) as u8);
            if typed.len() >= 20 {
                terminal.keys(&"\u{7f}".repeat(typed.len() - PREFIX.len()));
                typed.truncate(PREFIX.len());
                std::thread::sleep(Duration::from_millis(60));
            }
            typed.push(next);
            let began = Instant::now();
            terminal.keys(&next.to_string());
            terminal.wait_text(&typed);
            milliseconds(began)
        })
        .collect();
    echoes.sort_by(f64::total_cmp);
    terminal.keys("\u{1b}");
    std::thread::sleep(Duration::from_millis(400));
    terminal.keys("\u{1b}");
    let mut question: f64 = 0.0;
    for (number, gate) in asks.iter().enumerate() {
        let command = format!("touch made-{number:02}");
        gate.wait_until_reached();
        let began = Instant::now();
        gate.open();
        terminal.wait_text(&format!("$ {command}"));
        question = question.max(milliseconds(began));
        // A question takes no key for an answer at first.
        std::thread::sleep(Duration::from_millis(350));
        terminal.keys("y");
        wait_for(|| project.exists(format!("made-{number:02}")));
    }
    wait_for(|| notices(&server) >= AGENTS);
    let after = resident(&terminal);
    Work {
        echo: echoes[KEYS * 95 / 100],
        memory: (after - before) / AGENTS as f64,
        notices: notices(&server) as f64,
        question,
    }
}

/// Tasks of whose end the root was told, in its newest request.
fn notices(server: &Server) -> usize {
    let requests = server.requests();
    let newest = requests
        .iter()
        .rfind(|request| !request.mentions("You are worker number"));
    newest.map_or(0, |request| count(&request.body, "is completed after"))
}

fn count(value: &Value, text: &str) -> usize {
    match value {
        Value::String(string) => string.matches(text).count(),
        Value::Array(items) => items.iter().map(|item| count(item, text)).sum(),
        Value::Object(fields) => fields.values().map(|field| count(field, text)).sum(),
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
    }
}

struct Silence {
    frames: f64,
    cpu: f64,
}

/// Twenty agents whose model says nothing, in the watch grid.
fn silent() -> Silence {
    let server = Server::start();
    let project = project(&server).config(json!({"background": {"max_concurrent": 0}}));
    let gate = Gate::new();
    for number in 0..AGENTS {
        server.script_for(&words(number), [Turn::text("Done.").gate(0, &gate)]);
    }
    server.script([start_all(), Turn::text("They are at work.")]);
    server.otherwise(Turn::text("I have read it."));
    let terminal = Terminal::start(&project, COLUMNS, ROWS, &[]);
    terminal.wait_text("send");
    terminal.keys("go\r");
    terminal.wait_text("They are at work.");
    server.wait_for_requests(AGENTS + 2);
    terminal.keys("\u{14}");
    terminal.wait_text("Watch");
    std::thread::sleep(Duration::from_secs(2));
    let (before, mark) = (cpu(&terminal), terminal.mark());
    std::thread::sleep(Duration::from_secs(10));
    let drawn = terminal.raw_since(mark);
    let silence = Silence {
        // Each frame is wrapped in synchronized output.
        frames: String::from_utf8_lossy(&drawn).matches("\u{1b}[?2026h").count() as f64,
        cpu: cpu_since(&before, &terminal),
    };
    gate.open();
    silence
}

fn wait_for(condition: impl Fn() -> bool) {
    let began = Instant::now();
    while !condition() {
        assert!(began.elapsed() < Duration::from_mins(1), "waited a minute");
        std::thread::sleep(Duration::from_millis(2));
    }
}

fn milliseconds(since: Instant) -> f64 {
    since.elapsed().as_secs_f64() * 1000.0
}
