//! Colours as the terminal has them, and rest where it is asked for: seen in the bytes that the program writes.

use std::time::Duration;

use serde_json::json;

use crate::screen::{open, project, say, with_script};
use crate::support::{Gate, Key, LATHE, Project, Server, Terminal, Turn};

/// Colours that a style sequence may set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Allowed {
    TrueColor,
    Indexed,
    Basic,
    NoColor,
}

/// Says what of a style sequence's parameters is a colour that is not allowed.
fn offending(parameters: &str, allowed: Allowed) -> Option<String> {
    let parts: Vec<&str> = parameters.split(';').collect();
    let mut rest = parts.as_slice();
    loop {
        let (colour, is_allowed, more) = match rest {
            ["38" | "48" | "58", "2", _, _, _, more @ ..] => ("38;2", allowed == Allowed::TrueColor, more),
            ["38" | "48" | "58", "5", _, more @ ..] => {
                let is_allowed = matches!(allowed, Allowed::TrueColor | Allowed::Indexed);
                ("38;5", is_allowed, more)
            }
            [basic, more @ ..] => {
                let number: u8 = basic.parse().unwrap_or(0);
                let is_colour = matches!(number, 30..=37 | 40..=47 | 90..=97 | 100..=107);
                (*basic, !is_colour || allowed == Allowed::Basic, more)
            }
            [] => return None,
        };
        if !is_allowed {
            return Some(format!("{colour} in {parameters:?}"));
        }
        rest = more;
    }
}

/// The parameters of all style sequences.
fn styles(raw: &[u8]) -> Vec<String> {
    let raw = String::from_utf8_lossy(raw);
    let sequences = raw.split("\x1b[").skip(1);
    let styles = sequences.filter_map(|sequence| {
        let end = sequence.find(|c: char| !c.is_ascii_digit() && c != ';')?;
        sequence[end..]
            .starts_with('m')
            .then(|| sequence[..end].to_owned())
    });
    styles.collect()
}

/// A turn with everything that has colours: a command whose output brings its own, source, a diff, a failure and a question.
fn colourful() -> (Server, Project) {
    let edit = json!({"file_path": "a.rs", "old_string": "let a = 1;", "new_string": "let b = \"two\";"});
    let server = Server::with([
        Turn::tool("bash", json!({"command": "./paints"})),
        Turn::tool("read", json!({"file_path": "a.rs"})),
        Turn::tool("edit", edit),
        Turn::text("**Done** with `a.rs`:\n\n```rust\nfn main() { let x = 1; }\n```\n\n> quoted\n"),
        Turn::tool("bash", json!({"command": "rm -rf a.rs && touch b"})),
    ]);
    let paints = "printf '\\033[38;2;250;100;50mtrue\\033[0m \\033[38;5;208mindexed\\033[0m \\033[31mbasic\\033[0m\\n'; exit 3";
    let project = with_script(project(&server), "paints", paints)
        .file("a.rs", "fn main() {\n    let a = 1;\n}\n")
        .config(json!({"permission": {"edit": "allow", "bash": {"*": "ask", "./paints": "allow"}}}));
    (server, project)
}

fn seen(variables: &[&str]) -> (Vec<u8>, Terminal) {
    let (_server, project) = colourful();
    let terminal = Terminal::program("env", &project, 100, 40, &[variables, &[LATHE]].concat());
    terminal.wait_text("⇥ agent");
    say(&terminal, "paint");
    terminal.wait_text("quoted");
    terminal.wait_text("⏎ send");
    terminal.keys("\x18[");
    terminal.wait_text("i composer");
    terminal.keys("O");
    terminal.wait_text("fn main() { let x");
    terminal.keys("v$");
    terminal.wait_text("selecting");
    terminal.keys("qi");
    terminal.wait_text("⏎ send");
    terminal.keys("\x18d");
    terminal.wait_text("Changes ·");
    terminal.keys("q");
    terminal.wait_text("⏎ send");
    say(&terminal, "ask");
    terminal.wait_text("y once");
    let raw = terminal.raw();
    (raw, terminal)
}

#[test]
fn only_colours_that_the_terminal_has_are_sent() {
    for (variables, allowed, used) in [
        (&["COLORTERM=truecolor"][..], Allowed::TrueColor, "38;2;"),
        (&["COLORTERM=", "TERM=xterm-256color"], Allowed::Indexed, "38;5;"),
        (&["COLORTERM=", "TERM=xterm"], Allowed::Basic, "3"),
        (&["NO_COLOR=1"], Allowed::NoColor, ""),
    ] {
        let (raw, terminal) = seen(variables);
        let styles = styles(&raw);
        let offending: Vec<_> = styles
            .iter()
            .filter_map(|parameters| offending(parameters, allowed))
            .collect();
        assert_eq!(offending, Vec::<String>::new(), "{variables:?}");
        assert!(
            styles.iter().any(|style| style.starts_with(used)),
            "{variables:?}"
        );
        // Signs tell states apart where no colour does.
        let screen = terminal.screen();
        assert!(screen.contains("? bash wants to run"), "{screen}");
        terminal.key(Key::Ctrl('c'));
    }
}

#[test]
fn a_command_is_shown_in_its_colours_and_the_model_reads_none() {
    let server = Server::with([
        Turn::tool("bash", json!({"command": "./paints"})),
        Turn::text("All seen."),
    ]);
    let paints = "printf '\\033[31mred\\033[0m \\033[38;2;1;2;3mtrue\\033[0m none\\n\\033[1;42mpend'\n\
                  while [ ! -e go ]; do sleep 0.02; done\nprintf 'ing\\033[0m\\n'";
    let project = with_script(project(&server), "paints", paints);
    let terminal = Terminal::program("env", &project, 80, 24, &["COLORTERM=truecolor", LATHE]);
    terminal.wait_text("⇥ agent");
    say(&terminal, "go on");
    let cell = |text: &str| {
        let (column, row) = terminal.find(text).expect("the text is on the screen");
        terminal.cell(column, row)
    };
    let is_painted = |last: &str| {
        let (red, is_plain) = (cell("red true none"), cell("none").foreground);
        assert_eq!(red.foreground, vt100::Color::Idx(1));
        assert_eq!(cell("true none").foreground, vt100::Color::Rgb(1, 2, 3));
        assert!(!matches!(
            is_plain,
            vt100::Color::Idx(1) | vt100::Color::Rgb(1, 2, 3)
        ));
        assert_eq!(
            (cell(last).background, cell(last).bold),
            (vt100::Color::Idx(2), true)
        );
    };
    terminal.wait_text("pend");
    is_painted("pend");
    project.write("go", b"");
    terminal.wait_text("All seen.");
    terminal.wait_text("● Bash");
    is_painted("pending");
    let request = server.requests().pop().expect("the model was told");
    assert!(request.mentions("red true none\npending"), "{}", request.body);
    assert!(
        !request.mentions("\u{1b}") && !request.mentions("38;2"),
        "{}",
        request.body
    );
    // So is a command of the person's own.
    terminal.wait_text("⏎ send");
    say(&terminal, "!printf '\\033[32m%s%s\\033[m\\n' gre en-ink");
    terminal.wait_text("green-ink");
    assert_eq!(cell("green-ink").foreground, vt100::Color::Idx(2));
}

/// The rows of the screen that count seconds, or those that do not.
fn rows(screen: &str, that_count: bool) -> String {
    let counts = |row: &str| row.contains("waiting for") || row.contains("Bash");
    let rows = screen.lines().filter(|row| counts(row) == that_count);
    rows.collect::<Vec<_>>().join("\n")
}

#[test]
fn nothing_moves_where_motion_is_reduced() {
    let by_variable = ["LATHE_REDUCED_MOTION=1"];
    for (variables, settings) in [
        (&by_variable[..], json!({})),
        (&[][..], json!({"tui": {"reduced_motion": true}})),
    ] {
        let gate = Gate::new();
        let server = Server::with([
            Turn::tool("bash", json!({"command": "./waits"})),
            Turn::text("Never said.").gate(0, &gate),
        ]);
        let waits = "echo up; while [ ! -e go ]; do sleep 0.02; done";
        let project = with_script(project(&server), "waits", waits).config(settings);
        let terminal = Terminal::program("env", &project, 80, 24, &[variables, &[LATHE]].concat());
        terminal.wait_text("⇥ agent");
        say(&terminal, "run it");
        terminal.wait_text("up");
        terminal.wait_text("⠋ Bash");
        moves_nothing(&terminal);
        project.write("go", b"");
        gate.wait_until_reached();
        terminal.wait_text("⠋ waiting for the model");
        moves_nothing(&terminal);
    }
}

/// Watches while seconds are counted: a clock that turns would turn many times in each.
fn moves_nothing(terminal: &Terminal) {
    // Never, where something turns.
    let before = terminal.wait_quiet(Duration::from_millis(300));
    let mark = terminal.mark();
    let mut counted = rows(&before, true);
    for _ in 0..2 {
        let screen = terminal.wait_for(|screen| rows(screen, true) != counted);
        counted = rows(&screen, true);
    }
    assert_eq!(rows(&terminal.screen(), false), rows(&before, false));
    let raw = String::from_utf8_lossy(&terminal.raw_since(mark)).into_owned();
    let turning = raw.chars().find(|c| ('\u{2800}'..'\u{2900}').contains(c));
    assert_eq!(turning, None, "{raw:?}");
}

/// A theme that is not there is a sentence and the default, and no reason not to start.
#[test]
fn an_unknown_theme_is_told_and_the_default_is_used() {
    let server = Server::start();
    let project = project(&server).config(json!({"theme": "nosuch"}));
    let terminal = open(&project);
    terminal.wait_text("there is no theme `nosuch`");
}

/// A terminal that can show no screen is told what it can do.
#[test]
fn a_dumb_terminal_is_refused_with_what_serves_there() {
    let server = Server::start();
    let project = project(&server);
    let terminal = Terminal::program("env", &project, 80, 24, &["TERM=dumb", LATHE]);
    assert_eq!(terminal.wait_exit().exit_code(), 2);
    let screen = terminal.screen();
    assert!(
        screen.contains("--screen-reader") && screen.contains("lathe run"),
        "{screen}"
    );
    let terminal = Terminal::program("env", &project, 80, 24, &["TERM=dumb", LATHE, "--screen-reader"]);
    terminal.wait_text("local/test-model");
}

#[test]
fn the_linux_console_and_other_locales_get_ascii() {
    for variable in ["TERM=linux", "LC_ALL=C", "LANG=en_US.ISO-8859-1"] {
        let server = Server::start();
        let project = project(&server);
        let variables = ["LANG=en_US.UTF-8", variable, LATHE];
        let terminal = Terminal::program("env", &project, 80, 24, &variables);
        let screen = terminal.wait_text("tab agent");
        assert!(screen.is_ascii(), "{variable}: {screen}");
    }
}
