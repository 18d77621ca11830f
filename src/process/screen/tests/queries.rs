//! Answers to what programs ask of their terminal.

use super::*;

fn answer(asked: &str) -> String {
    let mut screen = fed(120, 40, "\x1b[3;5H");
    String::from_utf8(screen.feed(asked.as_bytes())).unwrap()
}

#[test]
fn every_query_has_its_answer() {
    let table = [
        ("\x1b[c", "\x1b[?62;22c"),
        ("\x1b[0c", "\x1b[?62;22c"),
        ("\x1bZ", "\x1b[?62;22c"),
        ("\x1b[5n", "\x1b[0n"),
        ("\x1b[6n", "\x1b[3;5R"),
        ("\x1b[?6n", "\x1b[?3;5;1R"),
        ("\x1b[14t", "\x1b[4;640;960t"),
        ("\x1b[16t", "\x1b[6;16;8t"),
        ("\x1b[18t", "\x1b[8;40;120t"),
        ("\x1b[>q", "\x1bP>|lathe\x1b\\"),
        ("\x1b[>0q", "\x1bP>|lathe\x1b\\"),
        ("\x1b]10;?\x1b\\", "\x1b]10;rgb:d8d8/d8d8/d8d8\x1b\\"),
        ("\x1b]11;?\x07", "\x1b]11;rgb:1818/1818/1818\x07"),
        ("\x1b]4;1;?\x07", "\x1b]4;1;rgb:cdcd/0000/0000\x07"),
        (
            "\x1b]11;#102030\x07\x1b]11;?\x07",
            "\x1b]11;rgb:1010/2020/3030\x07",
        ),
        ("\x1b[?25$p", "\x1b[?25;1$y"),
        ("\x1b[?2004$p", "\x1b[?2004;2$y"),
        ("\x1b[?2026$p", "\x1b[?2026;2$y"),
        ("\x1b[?47$p", "\x1b[?47;2$y"),
        ("\x1b[?9999$p", "\x1b[?9999;0$y"),
        ("\x1b[4$p", "\x1b[4;2$y"),
    ];
    for (asked, expected) in table {
        assert_eq!(answer(asked), expected, "{asked:?}");
    }
    assert!(answer("\x1b[>c").starts_with("\x1b[>"));
}

#[test]
fn answers_come_in_the_order_of_the_queries() {
    assert_eq!(
        answer("\x1b[>q\x1b[6n\x1b]11;?\x07\x1b[c"),
        "\x1bP>|lathe\x1b\\\x1b[3;5R\x1b]11;rgb:1818/1818/1818\x07\x1b[?62;22c"
    );
}

/// A program asks for the keyboard protocol and then for something that everybody answers: it learns that the first is
/// not supported.
#[test]
fn the_keyboard_protocol_is_not_supported() {
    assert_eq!(answer("\x1b[>1u\x1b[?u\x1b[c"), "\x1b[?62;22c");
}

/// A terminal that repeats its title, or reads the clipboard, lets a file that is shown type into the shell.
#[test]
fn nothing_that_a_program_set_is_repeated_to_it() {
    assert_eq!(answer("\x1b]0;rm -rf\x07\x1b[21t\x1b]52;c;?\x07"), "");
}

#[test]
fn the_cursor_is_reported_within_the_margins_in_origin_mode() {
    assert_eq!(answer("\x1b[5;10r\x1b[?6h\x1b[2;3H\x1b[6n"), "\x1b[2;3R");
}
