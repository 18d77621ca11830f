//! What a person allows for a program in a terminal holds for that program.

use std::time::Duration;

use serde_json::{Value, json};

use crate::screen::{project, say};
use crate::support::{Key, Server, Terminal, Turn};

/// A question is deaf for a shorter time.
const DEAF: Duration = Duration::from_millis(450);

fn send(text: &str, keys: &str, wait_for: &str) -> Turn {
    let mut call = json!({"action": "send", "session": "t", "text": text, "keys": keys});
    if !wait_for.is_empty() {
        call["wait_for"] = json!(wait_for);
    }
    Turn::tool("interactive_bash", call)
}

fn wait_question(terminal: &Terminal, shown: &str) {
    terminal.wait_for(|screen| screen.contains(shown) && screen.contains("y once"));
    terminal.wait_quiet(DEAF);
}

#[test]
fn an_always_for_one_program_covers_no_other_in_the_same_terminal() {
    let server = Server::start();
    let rules = json!({"bash": {"*": "ask", "cat *": "allow", "python3 *": "allow"}});
    let project = project(&server).config(json!({ "permission": rules }));
    let begin = Turn::tool(
        "interactive_bash",
        json!({"action": "start", "session": "t", "command": "cat; python3 -q"}),
    );
    server.script([
        begin,
        send("hello", "Enter", ""),
        send("again", "Enter", "(?s)again.*again"),
        send("", "C-d", ">>>"),
        send("open('pwned', 'w')", "Enter", ""),
        Turn::text("It was refused."),
    ]);
    let terminal = Terminal::start(&project, 100, 30, &[]);
    terminal.wait_text("send");
    say(&terminal, "go");
    wait_question(&terminal, "hello");
    terminal.keys("a");
    terminal.wait_text("stores ticked rows");
    terminal.key(Key::Enter);
    // The next line went to `cat` unasked; this one would go to python.
    wait_question(&terminal, "pwned");
    let typed = |request: &Value| request.to_string().contains("again");
    assert!(server.requests().iter().any(|request| typed(&request.body)));
    terminal.keys("n");
    terminal.wait_gone("y once");
    assert!(!project.path("pwned").exists());
}
