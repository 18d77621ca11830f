//! A secret that a person types while input is hidden, looked for everywhere afterwards.

use std::fs;
use std::path::Path;

use super::{LEADER, start_them};
use crate::screen::{project, say};
use crate::support::{Key, LATHE, Server, Terminal, Turn};
use serde_json::json;

const SECRET: &str = "corr3ct-h0rse-battery";

/// Files below a directory that hold the text.
fn holding(directory: &Path, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(holding(&path, text));
        } else {
            let bytes = fs::read(&path).unwrap_or_default();
            if bytes.windows(text.len()).any(|part| part == text.as_bytes()) {
                found.push(path.display().to_string());
            }
        }
    }
    found
}

#[test]
fn a_secret_that_a_person_types_is_found_nowhere() {
    let server = Server::start();
    let project = project(&server);
    let ask = "read -s -p 'Passwort: ' x; echo got ${#x}; sleep 600";
    let calls = vec![json!({"action": "start", "session": "deploy", "command": ask})];
    let recording = project.outside().join("recording.jsonl").display().to_string();
    let trace = format!(
        "LATHE_UI_TRACE={}",
        project.outside().join("trace.jsonl").display()
    );
    let told = [
        "LATHE_LOG=trace",
        &trace,
        LATHE,
        "--permission-mode",
        "yolo",
        "--record",
        &recording,
    ];
    let terminal = start_them(&server, calls, || {
        Terminal::program("env", &project, 100, 30, &told)
    });
    terminal.wait_text("hidden input in terminal deploy");
    terminal.wait_text("1 terminal waits");
    terminal.key(Key::Ctrl('o'));
    terminal.wait_text("what you type is not recorded");
    terminal.keys(SECRET);
    terminal.key(Key::Enter);
    terminal.wait_text(&format!("got {}", SECRET.len()));
    terminal.key(LEADER);
    terminal.keys("d");
    terminal.wait_text("They run.");
    let read = json!({"action": "read", "session": "deploy", "scrollback": 100});
    server.script([Turn::tool("interactive_bash", read), Turn::text("It went on.")]);
    say(&terminal, "and now");
    terminal.wait_text("It went on.");
    assert!(server.requests().last().unwrap().mentions("got 21"));
    for request in server.requests() {
        assert!(!request.mentions(SECRET));
    }
    let written = terminal.raw();
    assert!(!String::from_utf8_lossy(&written).contains(SECRET));
    // Everything that lathe writes is below the project's own directories, its database and log among them.
    assert!(
        holding(&project.outside(), "deploy").contains(&recording),
        "the search finds what is there"
    );
    assert_eq!(holding(&project.outside(), SECRET), Vec::<String>::new());
}
