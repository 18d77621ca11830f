//! The keys of the transcript in the real program: searching, selecting, copying, opening.

use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;

use crate::screen::{open, project, say, with_script};
use crate::support::{Fault, Key, LATHE, Project, Server, Terminal, Turn, wait_until};

/// `esc` is deaf for a moment after it closed something.
const DEAF: Duration = Duration::from_millis(350);

/// Gives the transcript the keys.
fn read(terminal: &Terminal) {
    terminal.keys("\x18[");
    terminal.wait_text("composer");
}

/// Opens the program with these variables set.
fn open_with(project: &Project, variables: &[&str]) -> Terminal {
    let arguments = [variables, &[LATHE]].concat();
    let terminal = Terminal::program("env", project, 80, 24, &arguments);
    terminal.wait_text("send");
    terminal
}

fn paragraphs(count: usize) -> String {
    let paragraph = |number| format!("Paragraph {number} has a needle in its hay.\n\n");
    (1..=count).map(paragraph).collect()
}

#[test]
fn a_search_finds_emphasises_and_goes_on() {
    let server = Server::with([Turn::text(&paragraphs(40))]);
    let project = project(&server);
    let terminal = open(&project);
    say(&terminal, "talk");
    terminal.wait_text("Paragraph 40");
    read(&terminal);
    terminal.keys("/paragraph 7");
    terminal.wait_text("1 of 1");
    terminal.wait_text("Paragraph 7 has");
    let (column, row) = terminal.find("Paragraph 7 has").unwrap();
    assert!(terminal.cell(column, row).underline);
    terminal.send(&[0x15]);
    terminal.keys("NEEDLE");
    terminal.wait_text("not found");
    terminal.send(&[0x15]);
    terminal.keys("needle");
    terminal.wait_text("of 40");
    terminal.key(Key::Enter);
    terminal.wait_text("n N matches");
    terminal.keys("N");
    terminal.wait_text("40 of 40");
    terminal.wait_text("Paragraph 40 has");
    terminal.keys("n");
    terminal.wait_text("1 of 40");
    terminal.wait_text("Paragraph 1 has");
    terminal.key(Key::Esc);
    terminal.wait_gone("of 40");
    let (column, row) = terminal.find("needle").unwrap();
    assert!(!terminal.cell(column, row).underline);
}

#[test]
fn what_is_folded_is_found_and_unfolded() {
    let server = Server::with([
        Turn::tool("bash", json!({"command": "./many"})),
        Turn::text("Done with it."),
    ]);
    let project = with_script(project(&server), "many", "seq -f 'row %g end' 200");
    let terminal = open(&project);
    say(&terminal, "talk");
    let screen = terminal.wait_text("Done with it.");
    assert!(!screen.contains("row 77"), "{screen}");
    read(&terminal);
    terminal.keys("/row 77");
    terminal.wait_text("row 77 end");
    terminal.key(Key::Esc);
    terminal.wait_gone("row 77 end");
    terminal.wait_quiet(DEAF);
    terminal.key(Key::Esc);
    terminal.wait_text("send");
}

/// The last text that was put on the clipboard.
pub(crate) fn wait_copied(terminal: &Terminal, text: &str) {
    let wanted = STANDARD.encode(text);
    wait_until("the text on the clipboard", || {
        terminal.clipboard().last() == Some(&wanted)
    });
}

/// Presses on one cell and lets go on another.
fn drag(terminal: &Terminal, from: (u16, u16), to: (u16, u16)) {
    let at = |(column, row): (u16, u16)| format!("{};{}", column + 1, row + 1);
    let (from, to) = (at(from), at(to));
    terminal.send(format!("\x1b[<0;{from}M\x1b[<32;{to}M\x1b[<0;{to}m").as_bytes());
}

#[test]
fn keys_select_and_copy() {
    let server = Server::with([Turn::text("Alpha **beta** gamma.\n\nDelta epsilon.")]);
    let project = project(&server);
    let terminal = open(&project);
    say(&terminal, "talk");
    terminal.wait_text("Delta epsilon.");
    terminal.wait_text("send");
    read(&terminal);
    terminal.keys("k");
    terminal.keys("vww");
    terminal.wait_text("selecting");
    wait_until("the caret to stand at the word", || {
        terminal.cursor() == terminal.find("gamma")
    });
    terminal.keys("y");
    wait_copied(&terminal, "Alpha **beta** g");
    terminal.keys("v$y");
    wait_copied(&terminal, "Alpha **beta** gamma.");
    terminal.keys("vGy");
    wait_until("more on the clipboard", || terminal.clipboard().len() == 3);
    terminal.keys("vllhbjk0g");
    terminal.wait_text("selecting");
    terminal.key(Key::Esc);
    terminal.wait_gone("selecting");
}

#[test]
fn the_mouse_selects_and_copies_on_select() {
    let server = Server::with([Turn::text("Alpha **beta** gamma, see src/a.rs:41.")]);
    let project = project(&server).config(json!({"tui": {"copy_on_select": true}}));
    let terminal = open(&project);
    say(&terminal, "talk");
    terminal.wait_text("src/a.rs:41");
    terminal.wait_text("send");
    let (column, row) = terminal.find("beta").unwrap();
    drag(&terminal, (column, row), (column + 7, row));
    wait_copied(&terminal, "beta** gam");
    let (column, row) = terminal.find("src/a.rs").unwrap();
    terminal.click(column, row);
    terminal.click(column, row);
    wait_copied(&terminal, "src/a.rs:41");
    terminal.click(column, row);
    wait_copied(&terminal, "Alpha **beta** gamma, see src/a.rs:41.");
    terminal.key(Key::Esc);
    terminal.wait_gone("selecting");
    terminal.keys("\x18M");
    terminal.wait_text("mouse off: the terminal selects");
    assert!(String::from_utf8_lossy(&terminal.raw()).contains("\x1b[?1002l"));
    terminal.keys("\x18M");
    terminal.wait_text("mouse on: ");
}

#[test]
fn blocks_code_and_the_conversation_are_copied() {
    let server = Server::with([Turn::text(
        "Two ways:\n\n```rust\nlet a = 1;\n```\n\n```\nlet b = 2;\n```\n",
    )]);
    let project = project(&server);
    let terminal = open(&project);
    say(&terminal, "talk");
    terminal.wait_text("let b");
    terminal.wait_text("send");
    read(&terminal);
    terminal.keys("k");
    terminal.keys("c");
    terminal.wait_text("code 1 of 2: sent to the terminal's clipboard");
    wait_copied(&terminal, "let a = 1;\n");
    terminal.keys("c");
    terminal.wait_text("code 2 of 2");
    wait_copied(&terminal, "let b = 2;\n");
    terminal.keys("{y");
    terminal.wait_text("the block: sent");
    wait_copied(&terminal, "talk");
    terminal.keys("Y");
    terminal.wait_text("the conversation: sent");
    let whole = terminal.clipboard().pop().unwrap();
    let whole = String::from_utf8(STANDARD.decode(whole).unwrap()).unwrap();
    assert!(whole.starts_with("## You\n\ntalk\n\nTwo ways:"), "{whole}");
}

#[test]
fn the_systems_clipboard_is_used_beside_the_terminals() {
    let server = Server::with([Turn::text("An answer.")]);
    let project = with_script(project(&server), "bin/wl-copy", "cat > copied");
    let path = format!("PATH={}:/usr/bin:/bin", project.path("bin").display());
    let terminal = open_with(&project, &[&path, "WAYLAND_DISPLAY=wayland-0"]);
    say(&terminal, "talk");
    terminal.wait_text("An answer.");
    terminal.wait_text("send");
    terminal.keys("\x18y");
    terminal.wait_text("the answer: copied with wl-copy, and sent to the terminal's clipboard");
    wait_copied(&terminal, "An answer.");
    assert_eq!(project.read("copied"), "An answer.");
}

#[test]
fn enter_opens_the_file_at_its_line() {
    let server = Server::with([
        Turn::tool(
            "read",
            json!({"file_path": "src/retry.rs", "offset": 2, "limit": 1}),
        ),
        Turn::text("It fails in src/retry.rs:3, see https://example.org/a.rs."),
    ]);
    let project = with_script(
        project(&server),
        "vim",
        "echo \"$@\" >> opened; cat \"$1\" >> viewed; true",
    )
    .file("src/retry.rs", "one\ntwo\nthree\n");
    let editor = format!("EDITOR={}", project.path("vim").display());
    let terminal = open_with(&project, &[&editor]);
    say(&terminal, "talk");
    terminal.wait_text("It fails in");
    terminal.wait_text("send");
    read(&terminal);
    terminal.keys("k\r");
    wait_until("the editor at the line of the text", || {
        opened(&project).contains("+3 ")
    });
    wait_back(&terminal, 1);
    terminal.keys("k\r");
    wait_until("the editor at the line that was read", || {
        opened(&project).contains("+2 ")
    });
    wait_back(&terminal, 2);
    terminal.keys("je");
    terminal.wait_text("Show this block in your editor?");
    terminal.wait_quiet(DEAF);
    terminal.keys("y");
    wait_until("the block in the editor", || {
        std::fs::read_to_string(project.path("viewed"))
            .is_ok_and(|text| text.contains("It fails in src/retry.rs:3"))
    });
    wait_back(&terminal, 3);
}

#[test]
fn all_of_a_cut_output_opens_in_the_editor() {
    let server = Server::with([
        Turn::tool("bash", json!({"command": "./many"})),
        Turn::text("Done with it."),
    ]);
    let project = with_script(project(&server), "many", "seq -f 'row %g end' 3000");
    let project = with_script(project, "vim", "cat \"$1\" > viewed; true");
    let editor = format!("EDITOR={}", project.path("vim").display());
    let terminal = open_with(&project, &[&editor]);
    say(&terminal, "talk");
    terminal.wait_text("Done with it.");
    terminal.wait_text("send");
    read(&terminal);
    terminal.keys("/row 77 end");
    terminal.wait_text("not found; 1 output is cut");
    terminal.key(Key::Esc);
    terminal.wait_gone("not found");
    terminal.keys("kko");
    terminal.wait_text("… 1,000 lines above · e opens all");
    terminal.wait_text("row 1001 end");
    terminal.keys("e");
    terminal.wait_text("Show this block in your editor?");
    terminal.wait_quiet(DEAF);
    terminal.keys("y");
    wait_until("the whole output in the editor", || {
        std::fs::read_to_string(project.path("viewed"))
            .is_ok_and(|text| text.starts_with("row 1 end\nrow 2 end\n") && text.ends_with("row 3000 end\n"))
    });
    wait_back(&terminal, 1);
}

/// Waits until the screen is there again after so many editors.
fn wait_back(terminal: &Terminal, editors: usize) {
    wait_until("the screen to come back", || {
        let raw = String::from_utf8_lossy(&terminal.raw()).into_owned();
        let after = raw.split("\x1b[?1049h").skip(1 + editors).collect::<String>();
        after.contains("composer")
    });
}

fn opened(project: &Project) -> String {
    std::fs::read_to_string(project.path("opened")).unwrap_or_default()
}

#[test]
fn a_refused_request_is_told_once() {
    let server = Server::with([Turn::text("Better.").fail(Fault::status(400))]);
    let project = project(&server);
    let terminal = open(&project);
    say(&terminal, "talk");
    terminal.wait_text("HTTP 400");
    terminal.wait_text("send");
    terminal.wait_quiet(Duration::from_millis(400));
    let screen = terminal.screen();
    assert_eq!(screen.matches("HTTP 400").count(), 1, "{screen}");
    assert_eq!(screen.matches("Check the settings of").count(), 1, "{screen}");
    say(&terminal, "again");
    let screen = terminal.wait_text("Better.");
    assert_eq!(screen.matches("HTTP 400").count(), 1, "{screen}");
}
