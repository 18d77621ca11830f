//! The first page and the rows around the conversation: where one is, what the model was told, and what can be done.

use serde_json::json;

use crate::screen::{open, project, say};
use crate::support::{LATHE, Server, Terminal, Turn};

#[test]
fn the_start_page_says_where_one_is_what_was_read_and_how_to_begin() {
    let server = Server::with([Turn::text("Mended.")]);
    let project = project(&server)
        .file("AGENTS.md", "Use tabs.\n")
        .file("CLAUDE.md", "Write tests.\n")
        .git();
    let terminal = open(&project);
    let screen = terminal.wait_text("CLAUDE.md");
    for words in [
        concat!("lathe ", env!("CARGO_PKG_VERSION")),
        "/project · ma",
        "local/test-model",
        "AGENTS.md ",
        "ctrl+x s       earlier sessions",
        "For example: ",
    ] {
        assert!(screen.contains(words), "{words}: {screen}");
    }
    say(&terminal, "mend it");
    terminal.wait_text("Mended.");
    drop(terminal);
    let terminal = open(&project);
    terminal.wait_text("ctrl+x s       mend it · now");
    terminal.keys("/status\r");
    let screen = terminal.wait_text("Instructions");
    assert!(
        screen.contains("AGENTS.md") && screen.contains("about 1"),
        "{screen}"
    );
}

#[test]
fn the_hint_row_ends_with_directory_and_branch_which_follows_a_switch() {
    let server = Server::with([
        Turn::tool("bash", json!({"command": "git switch -q -c fix/retry"})),
        Turn::text("Switched."),
    ]);
    let project = project(&server)
        .file("a.txt", "a\n")
        .git()
        .config(json!({"permission": {"bash": "allow"}}));
    let terminal = Terminal::start(&project, 120, 24, &[]);
    terminal.wait_text("⇥ agent");
    let branch = project.run_git(&["branch", "--show-current"]);
    let ends = |words: &str| {
        terminal.wait_for(|screen| {
            screen
                .lines()
                .last()
                .is_some_and(|row| row.trim_end().ends_with(words))
        });
    };
    ends(&format!("/project · {}", branch.trim()));
    say(&terminal, "switch");
    terminal.wait_text("Switched.");
    ends("/project · fix/retry");
}

#[test]
fn messages_code_and_headings_are_told_apart_and_a_body_is_followed_by_an_empty_row() {
    let answer = "# One\n\n## Two\n\n### Three\n\n```rust\nfn main() {}\n```\n";
    let server = Server::with([
        Turn::new()
            .call("grep", json!({"pattern": "needle"}))
            .call("glob", json!({"pattern": "*.txt"})),
        Turn::text(answer),
    ]);
    let project = project(&server).file("a.txt", "a needle\n");
    let terminal = Terminal::program("env", &project, 80, 36, &["COLORTERM=truecolor", LATHE]);
    terminal.wait_text("⇥ agent");
    say(&terminal, "look");
    let screen = terminal.wait_text("2 calls");
    let rows: Vec<&str> = screen.lines().collect();
    let at = |text: &str| rows.iter().position(|row| row.contains(text)).unwrap();
    assert_eq!(at("Glob"), at("a needle") + 2, "{screen}");
    assert!(rows[at("fn main") - 1].trim_end().ends_with("─ rust"), "{screen}");
    let cell = |text: &str| {
        let (column, row) = terminal.find(text).unwrap();
        terminal.cell(column, row)
    };
    let (own, other) = (cell("┃ look"), cell("fn main"));
    assert_ne!(own.background, other.background, "own messages stand on a ground");
    let [one, two, three] = ["One", "Two", "Three"].map(cell);
    assert!(one.underline && one.bold && !two.underline && two.bold && three.italic);
}

#[test]
fn the_panel_comes_by_itself_on_a_wide_screen_and_todo_cards_say_what_changed() {
    let todos = |status: &str| {
        json!({"todos": [
            {"content": "find it", "status": status},
            {"content": "fix it", "status": "pending"},
        ]})
    };
    let turns = || {
        [
            Turn::tool("todowrite", todos("in_progress")),
            Turn::tool("todowrite", todos("completed")),
            Turn::text("Found."),
            Turn::text("That is all."),
        ]
    };
    for (columns, is_beside) in [(120, false), (140, true)] {
        let server = Server::with(turns());
        let project = project(&server);
        let terminal = Terminal::start(&project, columns, 30, &[]);
        terminal.wait_text("⇥ agent");
        say(&terminal, "go");
        let screen = terminal.wait_text("2 calls");
        assert_eq!(screen.contains("│ Todo"), is_beside, "{screen}");
        let beside = usize::from(is_beside);
        // The list of the first card, that of the second where there is no panel, and the panel.
        assert_eq!(
            screen.matches("fix it").count(),
            if is_beside { 1 + beside } else { 2 },
            "{screen}"
        );
    }
}
