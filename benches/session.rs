//! Measures a long session: 10,000 blocks, 2 MB of results, 500 blocks of source. `cargo bench --bench session`.
//!
//! The session is made here, the same one each time (`session/recording.rs`). Its frames are layout and drawing into a
//! buffer and the comparison with the frame before, without a terminal; opening, keys and memory are those of the release
//! binary in a pseudo-terminal, on a store that lies on disk.

// The tests' own support is shared; what is sound in a test is sound here.
#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::print_stderr)]

#[path = "session/recording.rs"]
mod recording;
#[path = "session/screen.rs"]
mod screen;
#[path = "../tests/it/support/mod.rs"]
mod support;

use std::fs;
use std::time::{Duration, Instant};

use lathe::conversation::{Message, SessionId};
use lathe::store::{DraftKey, MessageChange, NewSession, Store};
use lathe::view::highlight;
use screen::{SIZE, Screen, WALKS};
use support::{Key, LATHE, Project, Protocol, Server, Terminal};

const OPENINGS: usize = 5;
/// Of a draft in one line.
const LINE: usize = 60_000;
const LETTERS: usize = 30;

fn main() {
    // `cargo test --benches` runs it without this word.
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    let messages = recording::messages();
    let (blocks, bytes, sources) = recording::census(&messages);
    assert!(blocks == recording::BLOCKS && sources >= 500 && bytes >= 2_000_000);
    println!("{blocks} blocks, {bytes} bytes of results, {sources} blocks of source\n");
    frames(&messages);
    println!();
    program(&messages);
}

fn frames(messages: &[Message]) {
    highlight::load(&["rust", "sh", "bash"]);
    let mut screen = Screen::new(messages);
    screen.frame();
    println!(
        "| scrolling, layout and drawing | frames | median | 99 % | slowest |\n| --- | ---: | ---: | ---: | ---: |"
    );
    let mut resident = Vec::new();
    let mut all = Vec::new();
    for round in 0..3 {
        for walk in &WALKS {
            let times = screen.walk(walk);
            if round == 0 {
                all.extend_from_slice(&times);
                row(walk.what, times);
            }
        }
        if round == 0 {
            let times = screen.walk_resized();
            all.extend_from_slice(&times);
            row("by page, up, each in another size", times);
            row("all of them", std::mem::take(&mut all));
        }
        resident.push(memory("self", "VmRSS:", "status"));
    }
    println!("\nresident after each of three rounds: {resident:.1?} MiB");
}

fn row(what: &str, mut times: Vec<Duration>) {
    times.sort();
    let at = |share: f64| milliseconds(times[((times.len() - 1) as f64 * share) as usize]);
    println!(
        "| {what} | {} | {:.2} ms | {:.2} ms | {:.2} ms |",
        times.len(),
        at(0.5),
        at(0.99),
        at(1.0)
    );
}

fn program(messages: &[Message]) {
    let server = Server::start();
    let project = Project::new().git().model(&server, Protocol::OpenAiChat);
    let session = store(&project, messages);
    println!(
        "| the program, on a session that is stored | median of {OPENINGS} | budget |\n| --- | ---: | ---: |"
    );
    let opened: Vec<Opened> = (0..OPENINGS).map(|_| open(&project, &session)).collect();
    figure(
        "start to the first full frame",
        &opened,
        |it| it.frame,
        "ms",
        "150 ms",
    );
    figure(
        "page up, key to frame, the slowest of 100",
        &opened,
        |it| it.page,
        "ms",
        "–",
    );
    let typed = typed(&project, &session);
    println!(
        "| a letter into a line of {LINE} columns, key to frame, median of {LETTERS} | {typed:.1} ms | – |"
    );
    figure("memory at idle (PSS)", &opened, |it| it.idle, "MiB", "–");
    figure("memory after 300 pages (PSS)", &opened, |it| it.paged, "MiB", "–");
    let empty = idle(&project);
    println!("| memory at idle of an empty session (PSS) | {empty:.1} MiB | – |");
}

fn figure(what: &str, opened: &[Opened], of: impl Fn(&Opened) -> f64, unit: &str, budget: &str) {
    let mut figures: Vec<f64> = opened.iter().map(of).collect();
    figures.sort_by(f64::total_cmp);
    println!("| {what} | {:.1} {unit} | {budget} |", figures[figures.len() / 2]);
}

/// Puts the session into the store that the project's program uses.
fn store(project: &Project, messages: &[Message]) -> String {
    let store = Store::open(&project.data_dir()).unwrap();
    let id = SessionId::new();
    let session = NewSession {
        id: id.clone(),
        parent: None,
        project: project.root(),
        directory: project.root(),
        agent: "build".to_owned(),
        model: Some("local/test-model".parse().unwrap()),
        title: "a long session".to_owned(),
    };
    store.create(&session).unwrap();
    for messages in messages.chunks(500) {
        let changes: Vec<MessageChange> = messages.iter().flat_map(changes).collect();
        store.write(&id, &changes).unwrap();
    }
    id.to_string()
}

fn changes(message: &Message) -> Vec<MessageChange> {
    let parts = message.parts.iter().map(|part| MessageChange::Part {
        message: message.id.clone(),
        part: part.clone(),
    });
    std::iter::once(MessageChange::Message(message.clone()))
        .chain(parts)
        .collect()
}

/// Starts the program so that the kernel shows its memory.
fn start(project: &Project, arguments: &[&str]) -> Terminal {
    let arguments = [&["LATHE_DUMPABLE=1", LATHE], arguments].concat();
    Terminal::program("env", project, SIZE.0, SIZE.1, &arguments)
}

struct Opened {
    frame: f64,
    page: f64,
    idle: f64,
    paged: f64,
}

fn open(project: &Project, session: &str) -> Opened {
    let began = Instant::now();
    let terminal = start(project, &["--session", session]);
    terminal.wait_text(recording::END);
    let frame = milliseconds(began.elapsed());
    terminal.wait_quiet(Duration::from_millis(700));
    let idle = proportional(&terminal);
    let mut slowest = Duration::ZERO;
    for _ in 0..100 {
        let before = terminal.screen();
        let began = Instant::now();
        terminal.key(Key::PageUp);
        terminal.wait_for(|screen| screen != before);
        slowest = slowest.max(began.elapsed());
    }
    for _ in 0..200 {
        terminal.key(Key::PageUp);
    }
    terminal.wait_quiet(Duration::from_millis(700));
    Opened {
        frame,
        page: milliseconds(slowest),
        idle,
        paged: proportional(&terminal),
    }
}

/// Writes at the end of a long line that is the session's draft.
fn typed(project: &Project, session: &str) -> f64 {
    let store = Store::open(&project.data_dir()).unwrap();
    let words = "some words ".repeat(LINE / 11);
    let id = session.parse().unwrap();
    store.set_draft(DraftKey::Session(&id), &words).unwrap();
    let terminal = start(project, &["--session", session]);
    terminal.wait_text("┃ some words");
    terminal.wait_quiet(Duration::from_millis(700));
    let mut times: Vec<Duration> = (0..LETTERS)
        .map(|_| {
            let before = terminal.screen();
            let began = Instant::now();
            terminal.keys("x");
            terminal.wait_for(|screen| screen != before);
            began.elapsed()
        })
        .collect();
    times.sort();
    store.set_draft(DraftKey::Session(&id), "").unwrap();
    milliseconds(times[times.len() / 2])
}

fn idle(project: &Project) -> f64 {
    let terminal = start(project, &[]);
    terminal.wait_text("send");
    terminal.wait_quiet(Duration::from_millis(700));
    proportional(&terminal)
}

/// Memory of the program, what it shares with others divided by their number.
fn proportional(terminal: &Terminal) -> f64 {
    memory(
        &terminal.pid().as_raw_nonzero().to_string(),
        "Pss:",
        "smaps_rollup",
    )
}

/// A figure in MiB that the kernel keeps of a process.
fn memory(process: &str, name: &str, file: &str) -> f64 {
    let text = fs::read_to_string(format!("/proc/{process}/{file}")).expect("it runs");
    let line = text
        .lines()
        .find(|line| line.starts_with(name))
        .expect("the kernel says so");
    let kib: f64 = line.split_whitespace().nth(1).unwrap().parse().unwrap();
    kib / 1024.0
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}
