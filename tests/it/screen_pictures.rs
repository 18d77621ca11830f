//! Pictures: what a terminal that draws them is told, and that no other is told anything.

use std::io::Cursor;

use serde_json::json;

use crate::support::{Key, LATHE, Project, Protocol, Server, Sixel, Terminal, Turn, wait_until};

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
        for sequence in ["\x1b_G", "]1337;", "\x1bP", "\u{10eeee}"] {
            assert!(!raw.contains(sequence), "{variables:?}: {sequence:?}");
        }
    }
}

#[test]
fn a_picture_that_is_cut_is_never_drawn() {
    let server = Server::start();
    let mut cut = picture();
    cut.truncate(cut.len() / 2);
    let (_project, terminal) = after_reading(&server, &cut, &["TERM=xterm-kitty"]);
    terminal.send(ANSWER);
    terminal.send(b"\x18o");
    terminal.wait_text("is not a picture that can be shown");
    terminal.keys("still here");
    terminal.wait_text("┃ still here");
    assert!(!raw(&terminal).contains("a=T,"));
}

/// Says that it knows sixel, among other things.
const SIXEL: &[u8] = b"\x1b[?62;4;22c";

/// The colour of a pixel, in per cent.
fn colour(x: usize, y: usize) -> [u8; 3] {
    [x / 6 * 10, y / 6 * 20, 60].map(|part| part as u8)
}

/// As wide and high as six by two cells of ten by eighteen pixels.
fn few_colours() -> Vec<u8> {
    let picture = image::RgbImage::from_fn(60, 36, |x, y| {
        let parts = colour(x as usize, y as usize);
        image::Rgb(parts.map(|part| (u16::from(part) * 255 / 100) as u8))
    });
    let mut png = Cursor::new(Vec::new());
    picture.write_to(&mut png, image::ImageFormat::Png).unwrap();
    png.into_inner()
}

/// Returns the position of the line about the picture: column and row from 0.
fn caption(terminal: &Terminal) -> Option<(u16, u16)> {
    terminal.find("image shot.png")
}

fn since(terminal: &Terminal, mark: usize) -> String {
    String::from_utf8_lossy(&terminal.raw_since(mark)).into_owned()
}

/// Returns true if the picture that was drawn last stands below that line.
fn is_below_its_line(terminal: &Terminal, mark: usize) -> bool {
    let drawn = Sixel::all_in(&since(terminal, mark));
    let place = drawn.last().map(|sixel| (sixel.column, sixel.row));
    place.is_some() && place == caption(terminal).map(|(column, row)| (column + 1, row + 2))
}

#[test]
fn a_terminal_that_knows_sixel_gets_the_picture_pixel_by_pixel_where_it_belongs() {
    let server = Server::start();
    let (_project, terminal) = after_reading(&server, &few_colours(), &["TERM=xterm-256color"]);
    wait_until("the question to be asked", || raw(&terminal).contains("\x1b[c"));
    terminal.zoom(10, 18);
    terminal.send(SIXEL);
    terminal.send(b"\x18o");
    terminal.wait_text("image shot.png · PNG 60×36 · ");
    wait_until("the picture to be drawn", || raw(&terminal).contains("\x1b8"));
    let drawn = Sixel::all_in(&raw(&terminal));
    let sixel = drawn.last().unwrap();
    assert_eq!((sixel.width, sixel.height), (60, 36));
    wait_until("it to stand below the line about it", || {
        is_below_its_line(&terminal, 0)
    });
    for (at, pixel) in sixel.pixels.iter().enumerate() {
        let (x, y) = (at % 60, at / 60);
        let pixel = pixel.expect("all of it is opaque");
        let is_near = pixel.iter().zip(colour(x, y)).all(|(a, b)| a.abs_diff(b) < 2);
        assert!(is_near, "{x}, {y}: {pixel:?}");
    }

    let mark = terminal.mark();
    // On a small screen the conversation moves up when the draft grows, and the picture with it.
    terminal.resize(80, 13);
    terminal.zoom(10, 18);
    wait_until("the picture to be where it belongs", || {
        is_below_its_line(&terminal, mark)
    });
    let (_, row) = caption(&terminal).unwrap();
    let mark = terminal.mark();
    terminal.paste("one\ntwo\nthree");
    terminal.wait_text("three");
    wait_until("the picture to be drawn again", || {
        is_below_its_line(&terminal, mark)
    });
    let (_, moved) = caption(&terminal).unwrap();
    assert!(moved < row, "{}", terminal.screen());
    let again = Sixel::all_in(&since(&terminal, mark));
    assert_eq!(again.last().unwrap().pixels, sixel.pixels);

    // A window that does not tell how large a cell is: the terminal is asked.
    let mark = terminal.mark();
    terminal.zoom(0, 0);
    wait_until("the size of a cell to be asked", || {
        since(&terminal, mark).contains("\x1b[16t")
    });
    terminal.send(b"\x1b[6;36;20t");
    // The picture takes fewer of them.
    wait_until("the picture to be drawn again", || {
        is_below_its_line(&terminal, mark)
    });
}

#[test]
fn a_terminal_that_knows_sixel_and_not_how_large_a_cell_is_has_pictures_described() {
    let server = Server::start();
    let (_project, terminal) = after_reading(&server, &few_colours(), &["TERM=xterm-256color"]);
    terminal.send(SIXEL);
    terminal.send(b"\x18o");
    terminal.wait_text("image shot.png · PNG 60×36 · ");
    // What comes with the answer is neither lost nor taken for something else.
    terminal.send(b"a\x1b[?1;0;256Sb\x1b[>41;370;0cc\x1b[?62;4cd");
    terminal.wait_text("┃ abcd");
    assert_eq!(Sixel::all_in(&raw(&terminal)), []);
    terminal.send(b"\x1b[6;18;10te");
    terminal.wait_text("┃ abcde");
    wait_until("the picture to be drawn", || {
        !Sixel::all_in(&raw(&terminal)).is_empty()
    });
}
