//! Properties of any output: nothing panics or leaves the grid, splitting changes nothing, resizing loses no text.

use proptest::prelude::*;

use super::corpora;
use super::*;

/// Beginnings and pieces of sequences, so that random bytes reach more than the ground state.
const PIECES: &[&str] = &[
    "\x1b[",
    "\x1b]",
    "\x1b]0;",
    "\x1b]8;;",
    "\x1bP",
    "\x1b_",
    "\x1b(0",
    "\x1b(B",
    "\x1b7",
    "\x1b8",
    "\x1b[?1049h",
    "\x1b[?1049l",
    "\x1b[?47h",
    "\x1b[?47l",
    "\x1b[?6h",
    "\x1b[?7l",
    "\x1b[?7h",
    "\x1b[4h",
    "\x1b[20h",
    "\x1b[?3h",
    "\x1b[2J",
    "\x1b[3J",
    "\x1b[K",
    "\x1b[1K",
    "\x1b[99;99H",
    "\x1b[H",
    "\x1b[5;9r",
    "\x1b[9;5r",
    "\x1b[r",
    "\x1b[500r",
    "\x1b[65535A",
    "\x1b[65535B",
    "\x1b[65535C",
    "\x1b[65535L",
    "\x1b[65535M",
    "\x1b[65535P",
    "\x1b[65535@",
    "\x1b[65535X",
    "\x1b[65535S",
    "\x1b[65535T",
    "\x1b[300b",
    "\x1b[3g",
    "\x1b[9I",
    "\x1b[9Z",
    "\x1bM",
    "\x1bD",
    "\x1bE",
    "\x1bH",
    "\x1bc",
    "\x1b#8",
    "\x1b[?2026h",
    "\x1b[?2026l",
    "\x1b[>c",
    "\x1b[6n",
    "\x1b[16t",
    "\x1b]11;?",
    "\x1b]4;300;?",
    "\x1b[38;5;",
    "\x1b[38:2::1:2:3m",
    "\x1b[22t",
    "\x1b[23t",
    ";",
    "m",
    "\x07",
    "\x1b\\",
    "\r\n",
    "\n",
    "\r",
    "\t",
    "\x08",
    "\x18",
    "\x0e",
    "\x0f",
    "漢字",
    "e\u{301}",
    "👩‍👩‍👧",
    "\u{202e}",
    "\u{9b}",
    "ab",
    "  x",
    "long line of text that will have to be broken somewhere ",
];

fn piece() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        6 => prop::sample::select(PIECES).prop_map(|piece| piece.as_bytes().to_vec()),
        2 => "[a-z ]{1,40}".prop_map(String::into_bytes),
        1 => prop::collection::vec(any::<u8>(), 0..8),
    ]
}

fn output() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(piece(), 0..60).prop_map(|pieces| pieces.concat())
}

/// Output that prints text and moves the cursor, and erases nothing.
fn printing() -> impl Strategy<Value = Vec<u8>> {
    let moves = [
        "\r\n",
        "\r\n",
        "\r\n\r\n",
        "\x1b[H",
        "\x1b[3;3H",
        "\x1b[A",
        "\x1b[5B",
        "漢字",
        "e\u{301}",
        "\x1b[1;31m",
        "\x1b[m",
        "a",
        "exactly ten",
        "long line of text that will have to be broken somewhere on most screens, and again ",
    ];
    let piece = prop_oneof![
        prop::sample::select(moves.to_vec()).prop_map(str::to_owned),
        "[a-z]{1,30}",
    ];
    prop::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat().into_bytes())
}

fn size() -> impl Strategy<Value = ScreenSize> {
    (2_u16..60, 1_u16..20).prop_map(|(cols, rows)| ScreenSize { cols, rows })
}

/// Everything that can be seen of a screen.
fn picture(screen: &Screen) -> String {
    let lines: Vec<_> = (0..screen.line_count()).map(|line| screen.runs(line)).collect();
    let state = (
        screen.cursor(),
        screen.modes(),
        screen.title(),
        screen.bells(),
        screen.is_updating(),
    );
    format!("{lines:#?} {state:?}")
}

fn is_within_the_grid(screen: &Screen) {
    let (cols, rows) = (screen.size().columns(), screen.size().screen_lines());
    let cursor = screen.cursor();
    assert!(cursor.row < rows && cursor.col < cols, "{cursor:?}");
    assert_eq!(screen.screen_lines().len(), rows);
    for line in 0..screen.line_count() {
        for cell in screen.cells(line) {
            assert!(cell.col + cell.width <= cols, "{cell:?}");
            assert!(!cell.character.is_control());
        }
    }
}

/// All characters in their order, without the blanks, which depend on the width.
fn characters(screen: &Screen) -> String {
    let lines = (0..screen.line_count()).map(|line| screen.line_text(line));
    lines.collect::<String>().replace(' ', "")
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_output_stays_within_the_grid(
        output in output(), size in size(), sizes in prop::collection::vec(size(), 0..4), after in output()
    ) {
        let mut screen = screen(size.cols, size.rows);
        screen.feed(&output);
        is_within_the_grid(&screen);
        for size in sizes {
            screen.resize(size);
            is_within_the_grid(&screen);
            screen.feed(&after);
            is_within_the_grid(&screen);
        }
    }

    #[test]
    fn splitting_the_output_changes_nothing(output in output(), size in size(), pieces in prop::collection::vec(1_usize..20, 1..40)) {
        let mut whole = screen(size.cols, size.rows);
        let answers = whole.feed(&output);
        let mut split = screen(size.cols, size.rows);
        let mut split_answers = Vec::new();
        let mut rest = &output[..];
        for length in pieces.iter().cycle() {
            let (piece, after) = rest.split_at(rest.len().min(*length));
            split_answers.extend(split.feed(piece));
            rest = after;
            if rest.is_empty() {
                break;
            }
        }
        prop_assert_eq!(picture(&whole), picture(&split));
        prop_assert_eq!(answers, split_answers);
    }

    #[test]
    fn resizing_there_and_back_loses_no_text(
        output in printing(), size in size(), sizes in prop::collection::vec(size(), 1..4), alternate in prop::option::of(printing())
    ) {
        let mut screen = screen(size.cols, size.rows);
        screen.feed(&output);
        let before = characters(&screen);
        let shown = alternate.map(|alternate| {
            screen.feed(b"\x1b[?1049h");
            screen.feed(&alternate);
            picture(&screen)
        });
        for other in sizes {
            screen.resize(other);
            if shown.is_none() {
                prop_assert_eq!(characters(&screen), before.clone());
            }
        }
        screen.resize(size);
        if let Some(shown) = shown {
            prop_assert_eq!(picture(&screen), shown);
            screen.feed(b"\x1b[?1049l");
        }
        prop_assert_eq!(characters(&screen), before);
    }

    #[test]
    fn a_full_scrollback_survives_a_narrow_screen(lines in 1_usize..200, size in size(), other in size()) {
        let settings = ScreenSettings { scrollback: 30, ..ScreenSettings::default() };
        let mut screen = Screen::new(size, settings);
        for line in 0..lines {
            screen.feed(format!("line {line} with some words\r\n").as_bytes());
        }
        let before = characters(&screen);
        screen.resize(other);
        prop_assert_eq!(characters(&screen), before.clone());
        screen.resize(size);
        prop_assert_eq!(characters(&screen), before);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 20, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn recorded_streams_with_errors_stay_within_the_grid(
        at in any::<prop::sample::Index>(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..40),
        cut in any::<prop::sample::Index>(),
        piece in 1_usize..4000,
    ) {
        let Some(folder) = corpora::folder() else { return Ok(()); };
        let mut cases = corpora::cases(&folder.join("xtermjs"));
        cases.extend(corpora::cases(&folder.join("alacritty")));
        let case = at.get(&cases);
        let mut input = case.input.clone();
        for (at, byte) in changes {
            let at = at.index(input.len());
            input[at] = byte;
        }
        input.drain(..cut.index(input.len()) / 4);
        let mut whole = screen(case.size.cols, case.size.rows);
        whole.feed(&input);
        is_within_the_grid(&whole);
        let mut split = screen(case.size.cols, case.size.rows);
        for piece in input.chunks(piece) {
            split.feed(piece);
        }
        prop_assert_eq!(picture(&whole), picture(&split));
    }
}
