//! Measures a database of 100,000 messages: opening it, listing, searching, and what writing costs with the index of the
//! text, and what the program does over it. `cargo bench --bench library`.

// The tests' own support is shared; what is sound in a test is sound here.
#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::print_stderr)]

#[path = "../tests/it/support/mod.rs"]
mod support;

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use lathe::conversation::{Message, MessageId, MessageState, Part, PartBody, Role, SessionId, TextPart};
use lathe::store::{MessageChange, NewSession, Store};
use support::{Key, Project, Protocol, Server, Terminal};

const SESSIONS: usize = 200;
const MESSAGES: usize = 500;
const RUNS: usize = 9;
/// The screen has nothing more to do.
const QUIET: Duration = Duration::from_millis(700);

/// Words of which texts are made, none of which has another inside.
const WORDS: [&str; 16] = [
    "retry", "policy", "socket", "buffer", "deadline", "jitter", "parser", "token", "window", "cursor",
    "branch", "commit", "folder", "symbol", "border", "glyph",
];

fn main() {
    // `cargo test --benches` runs it without this word.
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    let server = Server::start();
    let project = Project::new().git().model(&server, Protocol::OpenAiChat);
    let empty = Over::idle(&project);
    let dir = project.data_dir();
    let store = Store::open(&dir).unwrap();
    let began = Instant::now();
    let mut newest = None;
    for number in 0..SESSIONS {
        newest = Some(fill(&store, &project.root(), number));
    }
    let each = began.elapsed().as_secs_f64() * 1e6 / (SESSIONS * MESSAGES) as f64;
    let newest = newest.unwrap();
    drop(store);
    println!("| 100,000 messages in 200 sessions | median | budget |\n| --- | ---: | ---: |");
    println!("| writing a message, by 50 | {each:.0} µs | |");
    row("opening the database", "", || {
        drop(Store::open(&dir).unwrap());
    });
    let store = Store::open(&dir).unwrap();
    row("reading the newest session", "150 ms", || {
        assert_eq!(store.load(&newest).unwrap().len(), MESSAGES);
    });
    row("listing all sessions", "30 ms", || {
        assert_eq!(store.list(None).unwrap().len(), SESSIONS);
    });
    for (what, text, count) in [
        ("a word that is everywhere", "jitter", 50),
        ("a word that is nowhere", "zeppelin", 0),
        ("the oldest message of all", "needle-0-0 ", 1),
        ("two words beside each other", "border glyph", 50),
        ("Chinese", "重试策略", 50),
        ("two characters", "q9", 0),
    ] {
        row(&format!("searching for {what}"), "50 ms", || {
            assert_eq!(store.search(text, 50).unwrap().len(), count, "{what}");
        });
    }
    for (what, text) in [("a word that is everywhere", "jitter"), ("two characters", "bo")] {
        row(&format!("finding the sessions with {what}"), "50 ms", || {
            assert!(store.sessions_saying(text, 30_000).unwrap().len() >= 60, "{what}");
        });
    }
    let size = fs::metadata(dir.join("lathe.db")).unwrap().len();
    println!("| size on disk | {:.0} MB | |", size as f64 / 1e6);
    let over = Over::searching(&project);
    println!(
        "| the program, to the first full frame of the newest session | {:.0} ms | 150 ms |",
        over.opened
    );
    println!(
        "| … resident over an empty database; with that session; after its list and {} searches; after three times as many | \
         {empty:.0}, {:.0}, {:.0}, {:.0} MiB | flat |",
        WORDS.len(),
        over.idle,
        over.once,
        over.thrice
    );
}

/// The program over the database, with its memory in MiB.
struct Over {
    /// Milliseconds.
    opened: f64,
    idle: f64,
    once: f64,
    thrice: f64,
}

impl Over {
    fn idle(project: &Project) -> f64 {
        let terminal = Terminal::start(project, 120, 36, &[]);
        terminal.wait_text("send");
        terminal.wait_quiet(QUIET);
        resident(&terminal)
    }

    fn searching(project: &Project) -> Self {
        let began = Instant::now();
        let terminal = Terminal::start(project, 120, 36, &["-c"]);
        terminal.wait_text(&format!("needle-{}-{}", SESSIONS - 1, MESSAGES - 1));
        let opened = began.elapsed().as_secs_f64() * 1e3;
        terminal.wait_quiet(QUIET);
        let idle = resident(&terminal);
        terminal.keys("\x18s");
        terminal.wait_text("Sessions of this project");
        let search = || {
            for word in WORDS {
                terminal.keys(word);
                let found = format!(" of {SESSIONS}");
                terminal.wait_for(|screen| screen.contains(&found) && !screen.contains("· 0 of "));
                terminal.key(Key::Esc);
                terminal.wait_text("Type to filter.");
            }
            terminal.wait_quiet(QUIET);
            resident(&terminal)
        };
        let once = search();
        search();
        Self {
            opened,
            idle,
            once,
            thrice: search(),
        }
    }
}

/// Resident memory in MiB.
fn resident(terminal: &Terminal) -> f64 {
    let status = fs::read_to_string(format!("/proc/{}/status", terminal.pid().as_raw_nonzero())).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<f64>().unwrap() / 1024.0
}

fn row(what: &str, budget: &str, work: impl Fn()) {
    let mut times: Vec<Duration> = (0..RUNS)
        .map(|_| {
            let began = Instant::now();
            work();
            began.elapsed()
        })
        .collect();
    times.sort();
    println!(
        "| {what} | {:.1} ms | {budget} |",
        times[RUNS / 2].as_secs_f64() * 1e3
    );
}

/// Stores a session of messages of some 300 bytes.
fn fill(store: &Store, project: &Path, number: usize) -> SessionId {
    let session = NewSession {
        id: SessionId::new(),
        parent: None,
        project: project.to_owned(),
        directory: project.to_owned(),
        agent: "build".to_owned(),
        model: None,
        title: format!("session {number}"),
    };
    store.create(&session).unwrap();
    let mut changes = Vec::new();
    for place in 0..MESSAGES {
        let words: Vec<&str> = (0..40)
            .map(|word| WORDS[(place * 7 + word * (number % 5 + 1)) % WORDS.len()])
            .collect();
        let text = format!("needle-{number}-{place} {} 重试策略 {place}", words.join(" "));
        let message = Message {
            id: MessageId::new(),
            role: if place % 2 == 0 {
                Role::User
            } else {
                Role::Assistant
            },
            state: MessageState::Complete,
            agent: None,
            model: None,
            created: place as i64,
            parts: Vec::new(),
            stop: None,
            usage: None,
        };
        let part = Part {
            seq: place as u64 + 1,
            body: PartBody::Text(TextPart { text, native: None }),
        };
        let id = message.id.clone();
        changes.extend([
            MessageChange::Message(message),
            MessageChange::Part { message: id, part },
        ]);
        if changes.len() == 100 {
            store.write(&session.id, &changes).unwrap();
            changes.clear();
        }
    }
    session.id
}
