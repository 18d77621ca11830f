//! Answers to what programs ask of their terminal.

use super::*;

fn answer(asked: &str) -> String {
    let mut screen = fed(120, 40, "\x1b[3;5H");
    String::from_utf8(screen.feed(asked.as_bytes())).unwrap()
}

#[test]
fn every_query_has_its_answer() {
    let table = [
        ("\x1b[c", "\x1b[?62c"),
        ("\x1b[0c", "\x1b[?62c"),
        ("\x1bZ", "\x1b[?62c"),
        ("\x1b[5n", "\x1b[0n"),
        ("\x1b[6n", "\x1b[3;5R"),
        ("\x1b[?6n", "\x1b[?3;5;1R"),
        ("\x1b[14t", "\x1b[4;640;960t"),
        ("\x1b[16t", "\x1b[6;16;8t"),
        ("\x1b[18t", "\x1b[8;40;120t"),
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
}

#[test]
fn answers_come_in_the_order_of_the_queries() {
    assert_eq!(
        answer("\x1b[16t\x1b[6n\x1b]11;?\x07\x1b[c"),
        "\x1b[6;16;8t\x1b[3;5R\x1b]11;rgb:1818/1818/1818\x07\x1b[?62c"
    );
}

/// A program asks for the keyboard protocol and then for something that everybody answers: it learns that the first is
/// not supported.
#[test]
fn the_keyboard_protocol_is_not_supported() {
    assert_eq!(answer("\x1b[>1u\x1b[?u\x1b[c"), "\x1b[?62c");
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

/// A shell whose line an answer lands in would write to a file, start a program or expand a variable.
#[test]
fn no_answer_has_a_character_that_redirects_pipes_or_expands() {
    let queries = [
        "\x1b[c",
        "\x1b[>c",
        "\x1b[>0c",
        "\x1b[=c",
        "\x1bZ",
        "\x1b[5n",
        "\x1b[6n",
        "\x1b[?6n",
        "\x1b[?996n",
        "\x1b[14t",
        "\x1b[16t",
        "\x1b[18t",
        "\x1b[19t",
        "\x1b[20t",
        "\x1b[21t",
        "\x1b[>q",
        "\x1b[>0q",
        "\x1b]4;1;?\x07",
        "\x1b]10;?\x07",
        "\x1b]11;?\x1b\\",
        "\x1b]12;?\x07",
        "\x1b]52;c;?\x07",
        "\x1bP$qm\x1b\\",
        "\x1bP$q q\x1b\\",
        "\x1bP+q544e\x1b\\",
        "\x1b[?u",
        "\x1b[>4;?m",
        "\x1b[?4m",
        "\x1b[x",
        "\x1b_Gi=1,a=q;\x1b\\",
        "\x05",
    ];
    for asked in queries {
        let answered = answer(&format!("\x1b]0;$(a)|b>c\x07{asked}"));
        // The string terminator of xterm: a key that no shell inserts.
        let answered = answered.trim_end_matches("\x1b\\");
        let found = answered.find([
            '>', '<', '|', '&', '`', '(', ')', '\'', '"', '~', '\r', '\n', '!', '#', ' ',
        ]);
        assert_eq!(found, None, "{asked:?}: {answered:?}");
        // A mode report ends with `$y`, which is no variable that anybody has.
        assert!(
            !answered.replace("$y", "").contains('$'),
            "{asked:?}: {answered:?}"
        );
    }
}
