//! Pictures: what a terminal that draws them is told, and that no other is told anything.

use std::io::Cursor;

use serde_json::json;

use crate::support::{Key, LATHE, Project, Protocol, Server, Terminal, Turn, wait_until};

const QUESTION: &str = "\x1b_Gi=31,";
const ANSWER: &[u8] = b"\x1b_Gi=31;OK\x1b\\";

/// A terminal with variables of its own, on which the model has read the picture.
fn after_reading(server: &Server, picture: &[u8], variables: &[&str]) -> (Project, Terminal) {
    server.script([
        Turn::new().call("read", json!({"file_path": "shot.png"})),
        Turn::text("A picture."),
    ]);
    let project = Project::new()
        .model(server, Protocol::Anthropic)
        .bytes("shot.png", picture);
    let arguments = [variables, &[LATHE]].concat();
    let terminal = Terminal::program("/usr/bin/env", &project, 80, 30, &arguments);
    terminal.wait_text("send");
    terminal.keys("look at it");
    terminal.wait_text("┃ look at it");
    terminal.key(Key::Enter);
    terminal.wait_text("A picture.");
    (project, terminal)
}

fn expand(terminal: &Terminal) {
    terminal.send(b"\x18o");
    terminal.wait_text("image shot.png · PNG 60×40 · ");
}

fn raw(terminal: &Terminal) -> String {
    String::from_utf8_lossy(&terminal.raw()).into_owned()
}

fn picture() -> Vec<u8> {
    let picture = image::RgbImage::from_fn(60, 40, |x, y| {
        image::Rgb([x as u8 * 4, y as u8 * 6, (x * y) as u8])
    });
    let mut png = Cursor::new(Vec::new());
    picture.write_to(&mut png, image::ImageFormat::Png).unwrap();
    png.into_inner()
}

#[test]
fn a_terminal_that_knows_kittys_protocol_gets_the_picture_and_forgets_it_again() {
    let server = Server::start();
    let (_project, terminal) = after_reading(&server, &picture(), &["TERM=xterm-kitty"]);
    wait_until("the question to be asked", || raw(&terminal).contains(QUESTION));
    expand(&terminal);
    assert!(!raw(&terminal).contains("a=T"), "it has not answered");
    terminal.send(ANSWER);
    wait_until("the picture to be sent", || {
        raw(&terminal).contains("\x1b_Ga=T,U=1,q=2,f=100,i=")
    });
    wait_until("its placeholders to be drawn", || {
        raw(&terminal).contains('\u{10eeee}')
    });
    terminal.send(b"\x18o");
    wait_until("it to be deleted", || raw(&terminal).contains("\x1b_Ga=d,d=I,i="));
    let mark = terminal.mark();
    terminal.send(b"\x18o");
    wait_until("it to be sent again", || {
        String::from_utf8_lossy(&terminal.raw_since(mark)).contains("\x1b_Ga=T,")
    });
    let mark = terminal.mark();
    terminal.key(Key::Ctrl('c'));
    terminal.wait_text("again quits");
    terminal.key(Key::Ctrl('c'));
    assert!(terminal.wait_exit().success());
    let left = String::from_utf8_lossy(&terminal.raw_since(mark)).into_owned();
    let (deleted, gone) = (left.find("\x1b_Ga=d,d=I,i="), left.find("\x1b[?1049l"));
    assert!(deleted.is_some() && deleted < gone, "{left:?}");
    assert!(!terminal.screen().contains("31;OK"));
}

#[test]
fn a_terminal_that_knows_iterms_protocol_gets_the_picture() {
    let server = Server::start();
    let variables = ["TERM=xterm-256color", "TERM_PROGRAM=WezTerm"];
    let (_project, terminal) = after_reading(&server, &picture(), &variables);
    expand(&terminal);
    wait_until("the picture to be drawn", || {
        raw(&terminal).contains("\x1b]1337;File=inline=1;width=6;height=2;")
    });
    assert!(!raw(&terminal).contains(QUESTION));
}

#[test]
fn a_terminal_that_draws_none_is_told_of_none() {
    let server = Server::start();
    for variables in [
        &["TERM=xterm-256color"][..],
        &["TERM=xterm-kitty", "TMUX=/tmp/tmux,1,0"],
        &["TERM=xterm-kitty", "NO_COLOR=1"],
    ] {
        let (_project, terminal) = after_reading(&server, &picture(), variables);
        expand(&terminal);
        let raw = raw(&terminal);
        for sequence in ["\x1b_G", "]1337;", "\u{10eeee}"] {
            assert!(!raw.contains(sequence), "{variables:?}: {sequence:?}");
        }
    }
}

#[test]
fn a_picture_that_is_cut_stays_described() {
    let server = Server::start();
    let mut cut = picture();
    cut.truncate(cut.len() / 2);
    let (_project, terminal) = after_reading(&server, &cut, &["TERM=xterm-kitty"]);
    terminal.send(ANSWER);
    expand(&terminal);
    terminal.send(b"\x18o");
    terminal.send(b"\x18o");
    terminal.keys("still here");
    terminal.wait_text("┃ still here");
    assert!(!raw(&terminal).contains("a=T,"));
}
