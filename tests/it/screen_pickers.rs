//! Lists to pick from, on the real screen.

use std::time::Duration;

use serde_json::json;

use crate::screen::{open, project, say};
use crate::support::{Gate, Key, Project, Server, Terminal, Turn, wait_until};

fn ready() -> (Server, Project, Terminal) {
    let server = Server::start();
    let project = project(&server);
    let terminal = open(&project);
    (server, project, terminal)
}

/// Opens the themes through the palette.
fn open_themes(terminal: &Terminal) {
    terminal.key(Key::Ctrl('p'));
    terminal.wait_text("Actions · ");
    terminal.keys("choose the theme");
    terminal.wait_text("Actions · 1 of");
    terminal.key(Key::Enter);
    terminal.wait_text("Themes · ");
}

#[test]
fn the_palette_filters_and_does_what_is_picked() {
    let (_server, _project, terminal) = ready();
    terminal.key(Key::Ctrl('p'));
    terminal.wait_text("Actions · ");
    terminal.wait_text("change the permission mode");
    terminal.keys("permission mode");
    terminal.wait_for(|screen| screen.contains("Actions · 1 of") && screen.contains("shift+tab"));
    terminal.wait_for(|screen| screen.contains("┃ permission mode"));
    let (column, row) = terminal.find("┃ permission mode").unwrap();
    wait_until("the cursor to stand behind what was typed", || {
        terminal.cursor() == Some((column + 17, row))
    });
    terminal.key(Key::Enter);
    terminal.wait_text("accept-edits");
    terminal.wait_gone("Actions · ");
}

#[test]
fn the_leader_opens_the_palette_and_quitting_is_in_it() {
    let (_server, _project, terminal) = ready();
    terminal.key(Key::Ctrl('x'));
    terminal.keys("p");
    terminal.wait_text("Actions · ");
    // As other programs call it.
    terminal.keys("exit");
    terminal.wait_text("quit lathe");
    terminal.wait_for(|screen| {
        screen
            .lines()
            .any(|line| line.starts_with(" ❯") && line.contains("quit lathe"))
    });
    terminal.key(Key::Enter);
    assert!(terminal.wait_exit().success());
    terminal.assert_restored();
}

#[test]
fn every_way_to_move_works_in_a_list() {
    let (_server, _project, terminal) = ready();
    terminal.key(Key::Ctrl('p'));
    terminal.wait_text("Actions · ");
    let selected = |row: usize| {
        terminal.wait_for(|screen| {
            let place = screen.lines().skip(4).position(|line| line.starts_with(" ❯"));
            place == Some(row)
        });
    };
    selected(0);
    terminal.key(Key::Down);
    selected(1);
    terminal.key(Key::Ctrl('n'));
    selected(2);
    terminal.key(Key::Ctrl('p'));
    selected(1);
    terminal.key(Key::Up);
    selected(0);
    terminal.key(Key::PageDown);
    terminal.wait_for(|screen| !screen.lines().nth(4).unwrap_or_default().starts_with(" ❯"));
    terminal.key(Key::PageUp);
    selected(0);
    terminal.wheel(10, 10, 1);
    terminal.wait_for(|screen| !screen.lines().nth(4).unwrap_or_default().starts_with(" ❯"));
}

#[test]
fn esc_clears_then_closes_and_ctrl_c_closes_at_once() {
    let (_server, _project, terminal) = ready();
    terminal.key(Key::Ctrl('p'));
    terminal.wait_text("Actions · ");
    terminal.paste("no such\naction");
    terminal.wait_text("Nothing matches.");
    terminal.wait_text("esc clears");
    terminal.key(Key::Esc);
    terminal.wait_text("Type to filter.");
    terminal.key(Key::Esc);
    terminal.wait_gone("Actions · ");
    terminal.key(Key::Ctrl('p'));
    terminal.wait_text("Actions · ");
    terminal.keys("x");
    terminal.wait_text("┃ x");
    terminal.key(Key::Ctrl('c'));
    terminal.wait_gone("Actions · ");
    terminal.wait_text("Ask for a change");
}

#[test]
fn picker_previews_the_selected_theme() {
    let (_server, _project, terminal) = ready();
    let accent = || terminal.cell(1, 0).foreground;
    let before = accent();
    open_themes(&terminal);
    let screen = terminal.wait_text("❯ • lathe-dark");
    assert!(
        screen.contains("lathe-light on a light background") && screen.contains("make the retry test"),
        "{screen}"
    );
    terminal.keys("ember");
    terminal.wait_text("Themes · 1 of");
    terminal.wait_quiet(Duration::from_millis(100));
    assert_ne!(accent(), before);
    terminal.key(Key::Esc);
    terminal.wait_text("Type to filter.");
    terminal.key(Key::Esc);
    terminal.wait_gone("Themes · ");
    terminal.wait_quiet(Duration::from_millis(100));
    assert_eq!(accent(), before, "esc puts the old one back");

    terminal.wait_quiet(Duration::from_millis(400));
    open_themes(&terminal);
    terminal.keys("ember");
    terminal.wait_text("Themes · 1 of");
    terminal.key(Key::Enter);
    let screen = terminal.wait_text(r#""theme": "ember-dark""#);
    assert!(screen.contains("lathe.jsonc"), "{screen}");
    terminal.wait_quiet(Duration::from_millis(100));
    assert_ne!(accent(), before);
}

#[test]
fn an_agent_is_picked_from_a_list() {
    let server = Server::with([Turn::text("Planned.")]);
    let project = project(&server).config(json!({"agents": {"boss": {"description": "Decides"}}}));
    let terminal = open(&project);
    terminal.key(Key::Ctrl('x'));
    terminal.keys("a");
    let screen = terminal.wait_text("Agents · 3");
    assert!(
        screen.contains("❯ • build") && screen.contains("Decides"),
        "{screen}"
    );
    terminal.keys("boss");
    terminal.wait_text("Agents · 1 of 3");
    terminal.key(Key::Enter);
    terminal.wait_text("the agent is boss from here on");
    say(&terminal, "first");
    terminal.wait_text("Planned.");
    assert_eq!(server.requests().len(), 1);
}

#[test]
fn a_model_is_picked_for_the_next_step_and_kept_with_the_session() {
    let gate = Gate::new();
    let server = Server::with([
        Turn::tool("read", json!({"file_path": "a.txt"})).gate(1, &gate),
        Turn::text("From another."),
    ]);
    let project = project(&server)
        .config(json!({"providers": {"local": {"models": {"other-model": {"context": 1_000_000}}}}}))
        .file("a.txt", "one\n");
    let terminal = open(&project);
    say(&terminal, "go");
    gate.wait_until_reached();
    terminal.key(Key::Ctrl('x'));
    terminal.keys("m");
    let screen = terminal.wait_text("Models · 2");
    assert!(
        screen.contains("• local/test-model") && screen.contains("$1/$2"),
        "{screen}"
    );
    terminal.keys("other");
    terminal.wait_text("Models · 1 of 2");
    terminal.key(Key::Enter);
    terminal.wait_text("local/other-model from the next step on");
    gate.open();
    terminal.wait_text("From another.");
    terminal.wait_for(|screen| {
        let title = screen.lines().next().unwrap_or_default();
        title.contains("local/other-model")
    });
    let asked = |index: usize| server.requests()[index].body["model"].clone();
    assert_eq!((asked(0), asked(1)), (json!("test-model"), json!("other-model")));
    terminal.wait_text("send");
    terminal.key(Key::Ctrl('c'));
    terminal.wait_text("again quits");
    terminal.key(Key::Ctrl('c'));
    terminal.wait_exit();
    let terminal = Terminal::start(&project, 80, 24, &["-c"]);
    terminal.wait_text("From another.");
    terminal.wait_for(|screen| {
        let title = screen.lines().next().unwrap_or_default();
        title.contains("local/other-model")
    });
}

/// Names that other programs have for an action find it, in the palette and as a command.
#[test]
fn words_of_other_programs_find_their_action() {
    let (_server, _project, terminal) = ready();
    for (word, action, page) in [
        ("clear", "start a new session", ""),
        ("resume", "open an earlier session", "Sessions"),
        ("exit", "quit lathe", ""),
        ("quit", "quit lathe", ""),
        ("usage", "show the cost", "Cost"),
        ("diff", "show what changed", "Changes"),
        ("permissions", "list and revoke permissions", "Stored permissions"),
        ("help", "show the keys", "Keys"),
        ("history", "search your prompt history", "History"),
        ("settings", "show the status", "Status"),
        ("config", "show the status", "Status"),
        ("compact", "compact the conversation", ""),
        ("undo", "undo changes and messages", "Undo"),
        ("init", "write AGENTS.md", ""),
    ] {
        terminal.key(Key::Ctrl('p'));
        terminal.wait_text("Actions · ");
        terminal.keys(word);
        terminal.wait_for(|screen| {
            let is_it = |line: &str| line.starts_with(" ❯") && line.contains(action);
            screen.contains(&format!("┃ {word}")) && screen.lines().any(is_it)
        });
        terminal.key(Key::Ctrl('c'));
        terminal.wait_gone("Actions · ");
        terminal.keys(&format!("/{word}"));
        terminal.wait_for(|screen| {
            let is_it = |line: &str| line.starts_with(" ❯") && line.contains(&format!("/{word}"));
            screen.lines().any(is_it)
        });
        if page.is_empty() {
            terminal.key(Key::Ctrl('c'));
            terminal.wait_gone(&format!("┃ /{word}"));
        } else {
            terminal.key(Key::Enter);
            terminal.wait_text(&format!(" {page}"));
            terminal.wait_quiet(Duration::from_millis(350));
            terminal.key(Key::Esc);
            terminal.wait_gone(&format!(" {page}"));
        }
    }
}
