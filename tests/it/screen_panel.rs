//! The panel, the window's title, notifications and links in the real program.

use serde_json::json;

use crate::screen::{project, say};
use crate::support::{Gate, Key, LATHE, Project, Server, Terminal, Turn, wait_until};

fn open_with(project: &Project, columns: u16, variables: &[&str]) -> Terminal {
    let arguments = [variables, &[LATHE]].concat();
    let terminal = Terminal::program("env", project, columns, 30, &arguments);
    terminal.wait_text("send");
    terminal
}

fn written(terminal: &Terminal) -> String {
    String::from_utf8_lossy(&terminal.raw()).into_owned()
}

#[test]
fn a_todo_that_a_person_rewords_is_in_the_panel_and_in_the_next_request() {
    let todos = json!({"todos": [{"content": "find it", "status": "completed"}, {"content": "fix it"}]});
    let server = Server::with([
        Turn::tool("todowrite", todos),
        Turn::text("Planned."),
        Turn::text("I see."),
    ]);
    let project = project(&server);
    let terminal = open_with(&project, 144, &[]);
    say(&terminal, "plan");
    terminal.wait_text("│ ○ fix it");
    terminal.keys("\x18b");
    terminal.wait_text("rows");
    terminal.keys("e well");
    terminal.wait_text("❯ fix it well");
    terminal.key(Key::Enter);
    terminal.wait_text("│┃○ fix it well");
    terminal.keys("i");
    terminal.wait_text("⏎ send");
    say(&terminal, "go on");
    terminal.wait_text("to the model: The user has changed the todo list");
    let request = server.wait_for_requests(3).pop().unwrap();
    assert!(
        request.mentions("\"fix it\" is now \"fix it well\""),
        "{request:#?}"
    );
}

#[test]
fn the_title_tells_how_it_stands_and_is_given_back() {
    let gate = Gate::new();
    let server = Server::with([Turn::text("Done it.").gate(0, &gate)]);
    let project = project(&server);
    let terminal = open_with(&project, 80, &[]);
    let title = |wanted: &str| {
        wait_until(wanted, || terminal.title() == wanted);
    };
    title("lathe");
    say(&terminal, "plan");
    title("* plan - lathe");
    gate.open();
    terminal.wait_text("Done it.");
    title("! plan - lathe");
    terminal.keys("\x03\x03");
    terminal.wait_exit();
    let written = written(&terminal);
    assert_eq!(written.matches("\x1b[22;2t").count(), 1);
    assert!(
        written.rfind("\x1b[23;2t") > written.rfind("\x1b]2;"),
        "{written:?}"
    );
}

#[test]
fn an_unfocused_terminal_gets_a_notification_in_a_form_it_supports() {
    for (variable, wanted) in [
        ("KITTY_WINDOW_ID=1", ":p=body;"),
        ("TERM_PROGRAM=WezTerm", "\x1b]9;"),
        ("TERM=foot", "\x1b]777;notify;"),
        ("A=b", "\x07"),
    ] {
        let gate = Gate::new();
        let server = Server::with([Turn::text("Done it.").gate(0, &gate)]);
        let project = project(&server);
        let terminal = open_with(&project, 80, &[variable]);
        say(&terminal, "plan");
        terminal.send(b"\x1b[O");
        let before = terminal.mark();
        server.wait_for_requests(1);
        gate.open();
        let told = || String::from_utf8_lossy(&terminal.raw_since(before)).into_owned();
        wait_until(variable, || told().contains(wanted));
    }
}

#[test]
fn a_link_can_be_opened_from_the_terminal_unless_that_is_switched_off() {
    for (links, count) in [(true, 1), (false, 0)] {
        let server = Server::with([Turn::text("See [the docs](https://docs.rs/a) at last.")]);
        let project = project(&server).config(json!({"tui": {"links": links}}));
        let terminal = open_with(&project, 80, &[]);
        say(&terminal, "plan");
        terminal.wait_text("See the docs (https://docs.rs/a) at last.");
        let written = written(&terminal);
        assert_eq!(usize::from(written.contains(";https://docs.rs/a\x1b\\")), count);
    }
}
