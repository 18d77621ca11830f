//! Measures a database of 100,000 messages: opening it, listing, searching, and what writing costs with the index of the
//! text. `cargo bench --bench library`.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

use std::time::{Duration, Instant};

use lathe::conversation::{Message, MessageId, MessageState, Part, PartBody, Role, SessionId, TextPart};
use lathe::store::{MessageChange, NewSession, Store};

const SESSIONS: usize = 200;
const MESSAGES: usize = 500;
const RUNS: usize = 9;

/// Words of which texts are made, none of which has another inside.
const WORDS: [&str; 16] = [
    "retry", "policy", "socket", "buffer", "deadline", "jitter", "parser", "token", "window", "cursor",
    "branch", "commit", "folder", "symbol", "border", "glyph",
];

fn main() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::open(dir.path()).unwrap();
    let began = Instant::now();
    let mut newest = None;
    for number in 0..SESSIONS {
        newest = Some(fill(&store, number));
    }
    let each = began.elapsed().as_secs_f64() * 1e6 / (SESSIONS * MESSAGES) as f64;
    let newest = newest.unwrap();
    drop(store);
    println!("| 100,000 messages in 200 sessions | median | budget |\n| --- | ---: | ---: |");
    println!("| writing a message, by 50 | {each:.0} µs | |");
    row("opening the database", "", || {
        drop(Store::open(dir.path()).unwrap());
    });
    let store = Store::open(dir.path()).unwrap();
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
    let size = std::fs::metadata(dir.path().join("lathe.db")).unwrap().len();
    println!("| size on disk | {:.0} MB | |", size as f64 / 1e6);
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
fn fill(store: &Store, number: usize) -> SessionId {
    let session = NewSession {
        id: SessionId::new(),
        parent: None,
        project: "/p".into(),
        directory: "/p".into(),
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
