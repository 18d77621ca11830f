//! The look of a question: where, how confined, why, the whole of it on a whole screen, and on a small one.

use serde_json::json;

use super::{asked, bash, hear};
use crate::screen::{open, project, say};
use crate::support::{Key, Lathe, Server, Terminal, Turn};

#[test]
fn the_first_row_says_how_a_command_is_confined() {
    let server = Server::with([bash("touch mark")]);
    let (_project, terminal) = asked(&server);
    terminal.wait_text("no sandbox");

    let server = Server::with([bash("touch mark")]);
    let project = project(&server).config(json!({"sandbox": {"mode": "workspace-write"}}));
    let terminal = open(&project);
    say(&terminal, "go");
    hear(&terminal);
    terminal.wait_text("sandbox workspace-write");
}

#[test]
fn a_plan_names_the_sandbox_that_there_is() {
    let server = Server::with([bash("cat .env")]);
    let project = project(&server).file(".env", "x");
    let doctor = Lathe::in_project(&project).args(["doctor"]).run();
    let found = doctor.stdout.lines().find(|line| line.contains("sandbox: files"));
    let has_sandbox = found.is_some_and(|line| line.starts_with("ok"));
    let terminal = Terminal::start(&project, 80, 24, &["--permission-mode", "plan"]);
    terminal.wait_text("send");
    say(&terminal, "go");
    terminal.wait_text("y once");
    terminal.wait_text(if has_sandbox {
        "sandbox read-only"
    } else {
        "no sandbox"
    });
}

#[test]
fn the_first_row_names_the_commands_own_directory() {
    let call = Turn::tool("bash", json!({"command": "touch mark", "workdir": "deep/er"}));
    let server = Server::with([call]);
    let project = project(&server).file("deep/er/a.txt", "x");
    let terminal = open(&project);
    say(&terminal, "go");
    hear(&terminal);
    terminal.wait_text("deep/er · no sandbox");
}

#[test]
fn d_says_which_rule_asks_and_how_to_take_an_always_back() {
    let server = Server::with([bash("touch mark")]);
    let project = project(&server).config(json!({"permission": {"bash": {"touch *": "ask"}}}));
    let terminal = open(&project);
    say(&terminal, "go");
    hear(&terminal);
    terminal.keys("d");
    terminal.wait_text("always would store `bash`: `touch *`");
    terminal.wait_text("lathe permissions");
    terminal.wait_text("lathe.jsonc");
    terminal.keys("d");
    terminal.wait_gone("always would store");
}

#[test]
fn f_shows_all_of_a_change_and_its_hunks() {
    let lines = |word: &dyn Fn(usize) -> &'static str| {
        let lines: Vec<_> = (0..200).map(|line| format!("{} {line}", word(line))).collect();
        lines.join("\n")
    };
    let old = lines(&|_| "line");
    let content = lines(&|line| if line % 25 == 0 { "changed" } else { "line" });
    let server = Server::with([Turn::tool(
        "write",
        json!({"file_path": "a.txt", "content": content}),
    )]);
    let project = project(&server)
        .file("a.txt", &old)
        .config(json!({"edit": {"require_read": false}}));
    let terminal = open(&project);
    say(&terminal, "go");
    hear(&terminal);
    terminal.wait_text("more rows");
    terminal.keys("f");
    terminal.wait_text("f smaller");
    terminal.wait_gone("┃ go");
    for hunk in [25, 50, 75] {
        terminal.keys("]");
        terminal.wait_text(&format!("changed {hunk}"));
    }
    terminal.wait_gone("changed 25");
    terminal.keys("[[");
    terminal.wait_text("changed 25");
    terminal.key(Key::PageDown);
    terminal.key(Key::Down);
    terminal.wait_gone("changed 25");
    // `esc` leaves the full screen before it puts the question off.
    terminal.key(Key::Esc);
    terminal.wait_text("f full screen");
    terminal.wait_quiet(super::DEAF);
    terminal.key(Key::Esc);
    terminal.wait_text("ctrl+x . answers");
}

#[test]
fn a_small_screen_names_every_key_that_answers() {
    let server = Server::with([bash("touch mark")]);
    let (project, terminal) = asked(&server);
    terminal.resize(40, 10);
    for key in [
        "y once",
        "a always",
        "n no",
        "N no, because",
        "d why",
        "f full",
        "esc later",
        "no sandbox",
    ] {
        terminal.wait_text(key);
    }
    terminal.keys("a");
    for key in [
        "⏎ stores",
        "space tick",
        "e edit",
        "s scope: this project",
        "esc back",
    ] {
        terminal.wait_text(key);
    }
    terminal.key(Key::Down);
    terminal.key(Key::Enter);
    terminal.wait_gone("scope");
    crate::support::wait_until("the command to have run", || project.exists("mark"));
}

#[test]
fn every_row_of_a_long_question_can_be_read_before_saying_yes() {
    let commands: Vec<String> = (1..=8).map(|number| format!("tool{number} m")).collect();
    for (columns, rows) in [(80, 24), (120, 36), (40, 12)] {
        let server = Server::with([bash(&commands.join(" && "))]);
        let project = project(&server);
        let terminal = Terminal::start(&project, columns, rows, &[]);
        terminal.wait_text("send");
        say(&terminal, "go");
        hear(&terminal);
        for (place, command) in commands.iter().enumerate() {
            // Among the asks where all of them have room, else in the list above them.
            let rows = [
                format!("{command}  asks:"),
                format!("{}. bash `{command}`", place + 1),
            ];
            let mut before = terminal.screen();
            while !rows.iter().any(|row| before.contains(row)) {
                terminal.key(Key::PageDown);
                before = terminal.wait_for(|screen| screen != before);
            }
        }
        terminal.keys("a");
        terminal.wait_text("tool1 *");
        terminal.key(Key::Up);
        for _ in 0..7 {
            terminal.key(Key::Down);
        }
        let is_chosen = |line: &str| line.contains("❯ [x] tool8 *");
        terminal.wait_for(|screen| screen.lines().any(is_chosen));
    }
}

#[test]
fn what_is_asked_stands_on_the_screen_once_and_whole_in_the_transcript_when_it_is_put_off() {
    let content = "first line\nsecond line\nthe-only-line\n";
    let call = Turn::tool("write", json!({"file_path": "new.txt", "content": content}));
    let server = Server::with([call, Turn::text("Written.")]);
    let (project, terminal) = asked(&server);
    let once = |screen: &str| screen.matches("the-only-line").count() == 1;
    // The card that asks is its title alone: what would be written stands below the keys that answer.
    let is_below = |screen: &str| {
        let keys = screen.find("y once").unwrap_or(usize::MAX);
        screen.find("the-only-line").is_some_and(|at| at > keys)
    };
    terminal.wait_for(|screen| screen.contains("? Write new.txt") && once(screen) && is_below(screen));
    terminal.key(Key::Esc);
    let put_off = |screen: &str| screen.contains("ctrl+x . answers") && !screen.contains("y once");
    terminal.wait_for(|screen| screen.contains("? Write new.txt") && once(screen) && put_off(screen));
    terminal.wait_quiet(super::DEAF);
    terminal.keys("\x18.");
    terminal.wait_for(|screen| once(screen) && is_below(screen));
    hear(&terminal);
    terminal.keys("y");
    terminal.wait_text("Written.");
    terminal.wait_for(|screen| once(screen) && !screen.contains("y once"));
    assert!(project.exists("new.txt"));
}
