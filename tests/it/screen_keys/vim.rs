//! Vim's keys in the composer.

use serde_json::json;

use crate::screen::{open, project};
use crate::support::{Key, Server};

/// Keys that are typed in normal mode, with the caret on the last letter of `one two three`, and the row that a `|`
/// typed then makes.
const EDITS: &[(&str, &str)] = &[
    ("hi", "NN one two thr|ee"),
    ("hla", "NN one two three|"),
    ("0i", "|NN one two three"),
    ("^i", "|NN one two three"),
    ("0$a", "NN one two three|"),
    ("0wi", "NN |one two three"),
    ("0Wi", "NN |one two three"),
    ("bi", "NN one two |three"),
    ("Bi", "NN one two |three"),
    ("0wea", "NN one| two three"),
    ("0wEa", "NN one| two three"),
    ("0foi", "NN |one two three"),
    ("0toi", "NN| one two three"),
    ("Foi", "NN one tw|o three"),
    ("Toi", "NN one two| three"),
    ("0fo;i", "NN one tw|o three"),
    ("0fo;,i", "NN |one two three"),
    ("I", "|NN one two three"),
    ("0A", "NN one two three|"),
    ("xa", "NN one two thre|"),
    ("Xa", "NN one two thre|"),
    ("s", "NN one two thre|"),
    ("rxa", "NN one two threx|"),
    ("~a", "NN one two threE|"),
    ("bdwa", "NN one two |"),
    ("dbi", "NN one two |e"),
    ("bd$a", "NN one two |"),
    ("bDa", "NN one two |"),
    ("diwa", "NN one two |"),
    ("ciw", "NN one two |"),
    ("bcw", "NN one two |"),
    ("bC", "NN one two |"),
    ("ddiNN", "NN|"),
    ("ccNN", "NN|"),
    ("SNN", "NN|"),
    ("bywPA", "NN one two threethree|"),
    ("bywpA", "NN one two tthreehree|"),
    ("yyPA", "NN one two three|"),
    ("x.a", "NN one two thr|"),
    ("xuA", "NN one two three|"),
    ("xu\x12A", "NN one two thre|"),
    ("bveda", "NN one two |"),
    ("VdiNN", "NN|"),
    ("oNN", "NN|"),
    ("ONN", "NN|"),
    ("oxx\x1bkJA", "NN one two three xx|"),
    ("oxx\x1bggI", "|NN one two three"),
    ("oNN\x1bggGA", "NN|"),
    ("oxx\x1bkA", "NN one two three|"),
    ("oNN\x1bkjA", "NN|"),
    (">><<A", "NN one two three|"),
];

#[test]
fn vims_keys_edit_the_draft() {
    let server = Server::start();
    let project = project(&server).config(json!({"tui": {"vim": true}}));
    let terminal = open(&project);
    for (number, (keys, expected)) in EDITS.iter().enumerate() {
        let number = (number + 10).to_string();
        println!("{keys:?}");
        terminal.wait_text("insert");
        terminal.keys(&format!("{number} one two three"));
        terminal.wait_text(&format!("{number} one two three"));
        terminal.key(Key::Esc);
        terminal.wait_text("normal");
        for (part, keys) in keys.split('\x1b').enumerate() {
            if part > 0 {
                // With what follows in one write it would be `alt` and a letter.
                terminal.wait_text("insert");
                terminal.key(Key::Esc);
                terminal.wait_text("normal");
            }
            terminal.keys(&keys.replace("NN", &number));
        }
        terminal.wait_text("insert");
        terminal.keys("|");
        let row = format!("┃ {}", expected.replace("NN", &number));
        terminal.wait_for(|screen| screen.lines().any(|line| line.trim() == row));
        terminal.key(Key::Ctrl('c'));
        terminal.wait_for(|screen| !screen.lines().any(|line| line.trim() == row));
    }
}
