use super::*;

mod corpora;
mod properties;
mod queries;

fn screen(cols: u16, rows: u16) -> Screen {
    Screen::new(ScreenSize { cols, rows }, ScreenSettings::default())
}

fn fed(cols: u16, rows: u16, bytes: impl AsRef<[u8]>) -> Screen {
    let mut screen = screen(cols, rows);
    screen.feed(bytes.as_ref());
    screen
}

/// The rows of the screen up to the last one with text.
fn text(screen: &Screen) -> Vec<String> {
    let mut rows = screen.text();
    rows.truncate(
        rows.iter()
            .rposition(|row| !row.is_empty())
            .map_or(0, |last| last + 1),
    );
    rows
}

#[test]
fn lines_that_leave_the_screen_are_in_the_scrollback() {
    let screen = fed(20, 3, "one\r\ntwo\r\nthree\r\nfour\r\nfive");
    assert_eq!(screen.text(), ["three", "four", "five"]);
    assert_eq!(screen.scrollback_text(10), ["one", "two"]);
    assert_eq!(screen.scrollback_text(1), ["two"]);
    assert_eq!(screen.line_count(), 5);
    assert_eq!(screen.line_text(0), "one");
    assert_eq!(screen.line_text(9), "");
}

#[test]
fn the_scrollback_is_bounded() {
    let settings = ScreenSettings {
        scrollback: 5,
        ..ScreenSettings::default()
    };
    let mut screen = Screen::new(ScreenSize { cols: 20, rows: 2 }, settings);
    for line in 0..100 {
        screen.feed(format!("\r\n{line}").as_bytes());
    }
    assert_eq!(screen.line_count(), 7);
    assert_eq!(screen.line_text(0), "93");
}

#[test]
fn a_line_broken_by_the_width_says_so() {
    let screen = fed(5, 3, "abcdefg\r\nx");
    let lines = screen.screen_lines();
    assert!(screen.is_wrapped(lines.start));
    assert!(!screen.is_wrapped(lines.start + 1));
}

#[test]
fn runs_have_text_and_style() {
    let screen = fed(
        40,
        2,
        "plain \x1b[1;31mbold red\x1b[m \x1b[38;2;1;2;3;7mrgb\x1b[m \x1b[3;4;9;48;5;200mx\x1b[m \x1b[38:2::4:5:6mc",
    );
    let plain = CellStyle::default();
    let run = |text: &str, style| StyledRun {
        text: text.into(),
        style,
    };
    assert_eq!(
        screen.runs(0),
        [
            run("plain ", plain),
            run(
                "bold red",
                CellStyle {
                    foreground: Color::Indexed(1),
                    is_bold: true,
                    ..plain
                }
            ),
            run(" ", plain),
            run(
                "rgb",
                CellStyle {
                    foreground: Color::Rgb(Rgb(1, 2, 3)),
                    is_reversed: true,
                    ..plain
                }
            ),
            run(" ", plain),
            run(
                "x",
                CellStyle {
                    background: Color::Indexed(200),
                    is_italic: true,
                    is_underlined: true,
                    is_struck: true,
                    ..plain
                }
            ),
            run(" ", plain),
            run(
                "c",
                CellStyle {
                    foreground: Color::Rgb(Rgb(4, 5, 6)),
                    ..plain
                }
            ),
        ]
    );
    assert_eq!(screen.runs(1), []);
}

#[test]
fn wide_and_combining_characters_have_their_columns() {
    let screen = fed(20, 2, "a漢e\u{301}x");
    let cells: Vec<_> = screen
        .cells(0)
        .take(4)
        .map(|cell| (cell.col, cell.character, cell.combining.to_vec(), cell.width))
        .collect();
    assert_eq!(
        cells,
        [
            (0, 'a', vec![], 1),
            (1, '漢', vec![], 2),
            (3, 'e', vec!['\u{301}'], 1),
            (4, 'x', vec![], 1)
        ]
    );
    assert_eq!(screen.line_text(0), "a漢e\u{301}x");
}

#[test]
fn a_character_in_two_pieces_costs_no_other_one() {
    let mut screen = fed(20, 1, b"\xc3");
    screen.feed(b"\xa9a\xc3");
    screen.feed(b"\xa9");
    assert_eq!(screen.text(), ["éaé"]);
}

#[test]
fn concealed_text_and_deceptive_characters_are_not_given() {
    let screen = fed(40, 1, "a\x1b[8m秘secr\x1b[mb\u{202e}c\u{e0041}d");
    assert_eq!(screen.text(), ["a      bcd"]);
    assert_eq!(screen.runs(0)[0].text, "a      bcd");
}

#[test]
fn a_flood_of_combining_characters_is_bounded() {
    let screen = fed(20, 1, format!("e{}x", "\u{301}".repeat(10_000)));
    assert_eq!(screen.line_text(0).chars().count(), 10);
}

#[test]
fn the_generation_changes_with_what_is_shown_and_not_with_queries() {
    let mut screen = screen(20, 3);
    let mut last = screen.generation();
    for changing in [
        "a",
        "\x1b[2J",
        "\x1b]0;t\x07",
        "\x07",
        "\x1b[?25l",
        "\x1b[5;5H",
        "\x1b[?1049h",
    ] {
        screen.feed(changing.as_bytes());
        assert_ne!(screen.generation(), last, "{changing:?}");
        last = screen.generation();
    }
    screen.feed(b"\x1b[c\x1b[6n\x1b]11;?\x07\x1b[18t\x1b[?2026$p");
    assert_eq!(screen.generation(), last);
    screen.resize(ScreenSize { cols: 20, rows: 3 });
    assert_eq!(screen.generation(), last);
    screen.resize(ScreenSize { cols: 21, rows: 3 });
    assert_ne!(screen.generation(), last);
}

#[test]
fn titles_are_bounded_and_come_back() {
    let mut screen = fed(20, 3, "\x1b]2;first\x07\x1b[22t\x1b]2;second\x1b\\");
    assert_eq!(screen.title(), Some("second"));
    screen.feed(b"\x1b[23t");
    assert_eq!(screen.title(), Some("first"));
    screen.feed(format!("\x1b]0;{}\x07", "x".repeat(2000)).as_bytes());
    assert_eq!(screen.title().map(str::len), Some(256));
    screen.feed(b"\x1bc");
    assert_eq!(screen.title(), None);
}

#[test]
fn modes_and_the_cursor_are_told() {
    let mut screen = screen(20, 3);
    let modes = screen.modes();
    assert!(!modes.alternate_screen && !modes.application_cursor && !modes.bracketed_paste);
    assert_eq!(modes.mouse, MouseTracking::Off);
    screen.feed(
        b"\x1b[?1049h\x1b[?1h\x1b=\x1b[?2004h\x1b[?1004h\x1b[?1002h\x1b[?1006h\x1b[?25l\x1b[5 q\x1b[2;4H",
    );
    let modes = screen.modes();
    assert!(modes.alternate_screen && modes.application_cursor && modes.application_keypad);
    assert!(modes.bracketed_paste && modes.focus_reports);
    assert_eq!(
        (modes.mouse, modes.mouse_encoding),
        (MouseTracking::Drag, MouseEncoding::Sgr)
    );
    assert_eq!(
        screen.cursor(),
        Cursor {
            row: 1,
            col: 3,
            is_visible: false,
            shape: CursorShape::Bar,
            is_blinking: true
        }
    );
    screen.feed(b"\x07\x07");
    assert_eq!(screen.bells(), 2);
}

#[test]
fn older_alternate_screens_keep_the_main_one() {
    for (enter, leave) in [
        ("\x1b[?47h", "\x1b[?47l"),
        ("\x1b[?1047h", "\x1b[?1047l"),
        ("\x1b[?1049h", "\x1b[?1049l"),
    ] {
        let mut screen = fed(20, 3, "main");
        screen.feed(enter.as_bytes());
        screen.feed(b"\x1b[Hother");
        assert_eq!(text(&screen), ["other"]);
        screen.feed(leave.as_bytes());
        assert_eq!(text(&screen), ["main"]);
    }
}

#[test]
fn the_view_stays_on_its_text_while_output_arrives() {
    let mut screen = fed(20, 2, "1\r\n2\r\n3\r\n4\r\n5");
    screen.scroll_view(2);
    let shown = |screen: &Screen| -> Vec<String> {
        let lines = screen.screen_lines();
        let offset = screen.view_offset();
        (lines.start - offset..lines.end - offset)
            .map(|line| screen.line_text(line))
            .collect()
    };
    assert_eq!(shown(&screen), ["2", "3"]);
    screen.feed(b"\r\n6\r\n7");
    assert_eq!(shown(&screen), ["2", "3"]);
    screen.scroll_view(100);
    assert_eq!(shown(&screen), ["1", "2"]);
    screen.scroll_view(-100);
    assert_eq!(shown(&screen), ["6", "7"]);
}

#[test]
fn lines_are_broken_anew_at_another_width() {
    let mut screen = fed(10, 4, "abcdefghijklmno\r\n$ ");
    screen.resize(ScreenSize { cols: 20, rows: 4 });
    assert_eq!(text(&screen), ["abcdefghijklmno", "$"]);
    screen.resize(ScreenSize { cols: 5, rows: 4 });
    let lines: Vec<String> = (0..4).map(|line| screen.line_text(line)).collect();
    assert_eq!(lines, ["abcde", "fghij", "klmno", "$"]);
    assert_eq!(screen.cursor().col, 2);
    assert_eq!(
        screen.line_text(screen.screen_lines().start + screen.cursor().row),
        "$"
    );
}

#[test]
fn text_that_grows_stays_on_a_screen_with_blank_rows() {
    let mut screen = fed(
        10,
        6,
        "old\r\n\r\n\r\n\r\n\r\n\r\nabcdefgh\x1b[2J\x1b[Hnewer text\r\n$ ",
    );
    screen.resize(ScreenSize { cols: 5, rows: 6 });
    assert_eq!(text(&screen), ["newer", " text", "$"]);
    assert_eq!((screen.cursor().row, screen.cursor().col), (2, 2));
    assert_eq!(screen.scrollback_text(2), ["abcde", "fgh"]);
}

#[test]
fn rows_below_the_cursor_survive_a_lower_screen() {
    let mut screen = fed(20, 6, "1\r\n2\r\n3\r\n4\r\n5\r\n6\x1b[5;1H");
    screen.resize(ScreenSize { cols: 20, rows: 3 });
    assert_eq!(screen.text(), ["4", "5", "6"]);
    assert_eq!(screen.cursor().row, 1);
    screen.resize(ScreenSize { cols: 20, rows: 6 });
    assert_eq!(screen.text(), ["1", "2", "3", "4", "5", "6"]);
    assert_eq!((screen.cursor().row, screen.cursor().col), (4, 0));
    assert_eq!(screen.line_text(4), "5");
}

#[test]
fn the_alternate_screen_comes_back_as_it_was() {
    let mut screen = fed(
        12,
        4,
        "main text\r\n$ \x1b[?1049h\x1b[1;1Hupper left\x1b[4;5Hlower",
    );
    let before = screen.text();
    screen.resize(ScreenSize { cols: 6, rows: 2 });
    screen.resize(ScreenSize { cols: 30, rows: 3 });
    screen.resize(ScreenSize { cols: 12, rows: 4 });
    assert_eq!(screen.text(), before);
    screen.feed(b"\x1b[?1049l");
    assert_eq!(text(&screen), ["main text", "$"]);
}

#[test]
fn synchronized_updates_are_shown_as_such() {
    let mut screen = fed(20, 1, "\x1b[?2026hhalf");
    assert!(screen.is_updating());
    assert_eq!(screen.text(), ["half"]);
    screen.feed(b"\x1b[?2026l");
    assert!(!screen.is_updating());
}
