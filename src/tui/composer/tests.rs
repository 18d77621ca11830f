use super::*;
use proptest::prelude::*;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;

fn typed(text: &str) -> Composer {
    let mut composer = Composer::default();
    for c in text.chars() {
        if c == '\n' {
            composer.newline();
        } else {
            composer.insert_char(c);
        }
    }
    composer
}

fn look() -> Look<'static> {
    let plain = Style::new();
    Look {
        text: plain,
        bar: "┃",
        bar_style: plain,
        chip: plain,
        invitation: "write",
        muted: plain,
    }
}

fn drawn(composer: &mut Composer, width: u16, height: u16) -> (Buffer, Option<Position>) {
    let area = Rect::new(0, 0, width, height);
    let mut buffer = Buffer::empty(area);
    let caret = composer.draw(area, &mut buffer, &look());
    (buffer, caret)
}

#[test]
fn long_text_wraps_at_words_and_the_caret_follows() {
    let mut composer = typed("make the retry test deterministic");
    assert_eq!(composer.rows(21), 2);
    let (buffer, caret) = drawn(&mut composer, 21, 2);
    assert_eq!(
        buffer,
        Buffer::with_lines(["┃ make the retry     ", "┃ test deterministic "])
    );
    assert_eq!(caret, Some(Position { x: 20, y: 1 }));
    composer.edit(Edit::LineStart);
    let (_, caret) = drawn(&mut composer, 21, 2);
    assert_eq!(caret, Some(Position { x: 2, y: 0 }));
}

#[test]
fn backspace_and_moves_go_by_what_a_person_sees_as_one() {
    let family = "👩‍👩‍👧";
    let mut composer = typed(&format!("a{family}e\u{301}b"));
    for _ in 0..3 {
        assert_eq!(composer.edit(Edit::Left), Edited::Caret);
    }
    composer.insert_char('|');
    assert_eq!(composer.text(), format!("a|{family}e\u{301}b"));
    composer.edit(Edit::DeleteRight);
    assert_eq!(composer.text(), "a|e\u{301}b");
    composer.edit(Edit::Right);
    composer.edit(Edit::DeleteLeft);
    assert_eq!(composer.text(), "a|b");
}

#[test]
fn the_caret_stands_right_behind_wide_clusters() {
    let mut composer = typed("世界👩‍👩‍👧x");
    let (_, caret) = drawn(&mut composer, 30, 2);
    assert_eq!(
        caret,
        Some(Position {
            x: 2 + 4 + 2 + 1,
            y: 0
        })
    );
    let mut composer = typed("plain");
    assert_eq!(drawn(&mut composer, 30, 2).1, Some(Position { x: 7, y: 0 }));
}

#[test]
fn a_long_paste_folds_to_a_chip_and_is_sent_in_full() {
    let mut composer = typed("see ");
    let pasted: String = "line\n".repeat(212);
    composer.paste(&pasted);
    composer.paste(&pasted);
    composer.insert_char('!');
    let (buffer, _) = drawn(&mut composer, 60, 1);
    let shown: String = buffer
        .content()
        .iter()
        .map(ratatui::buffer::Cell::symbol)
        .collect();
    assert!(
        shown.contains("see [pasted 212 lines][pasted 212 lines #2]!"),
        "{shown}"
    );
    assert_eq!(composer.text(), format!("see {pasted}{pasted}!"));
    composer.edit(Edit::DeleteLeft);
    composer.edit(Edit::DeleteLeft);
    assert_eq!(
        composer.text(),
        format!("see {pasted}"),
        "backspace takes the whole chip"
    );
    composer.edit(Edit::Undo);
    assert_eq!(composer.text(), format!("see {pasted}{pasted}"));
}

#[test]
fn a_paste_of_a_megabyte_is_cheap_to_edit_and_to_draw() {
    let mut composer = Composer::default();
    let started = std::time::Instant::now();
    composer.paste(&"0123456789 abcdef\n".repeat(60_000));
    for c in "and then some".chars() {
        composer.insert_char(c);
        drawn(&mut composer, 80, 5);
    }
    assert!(started.elapsed().as_millis() < 500, "{:?}", started.elapsed());
    assert!(composer.take().len() > 1_000_000);
}

#[test]
fn a_paste_brings_no_control_characters() {
    let mut composer = Composer::default();
    composer.paste("a\x1b[31mb\x07\rc\r\nd");
    assert_eq!(composer.text(), "ab\nc\nd");
}

#[test]
fn a_backslash_before_enter_becomes_a_line_end() {
    let mut composer = typed("one\\");
    assert!(composer.continue_line());
    assert!(!composer.continue_line());
    assert_eq!(composer.text(), "one\n");
}

#[test]
fn history_goes_back_and_returns_to_what_was_being_written() {
    let mut composer = typed("first");
    composer.take();
    composer.set(Draft::from_text("second"));
    composer.take();
    composer.insert_char('x');
    assert!(composer.older());
    assert_eq!(composer.text(), "second");
    assert!(composer.older());
    assert_eq!(composer.text(), "first");
    assert!(!composer.older());
    assert!(composer.newer() && composer.newer());
    assert_eq!(composer.text(), "x");
    assert!(!composer.newer());
}

#[test]
fn an_edge_is_told_so_that_up_can_mean_history() {
    let mut composer = typed("a\nb");
    drawn(&mut composer, 20, 2);
    assert_eq!(composer.edit(Edit::Up), Edited::Caret);
    assert_eq!(composer.edit(Edit::Up), Edited::Nothing);
    assert_eq!(composer.edit(Edit::Down), Edited::Caret);
    assert_eq!(composer.edit(Edit::Down), Edited::Nothing);
}

#[test]
fn clearing_can_be_undone() {
    let mut composer = typed("precious");
    composer.clear();
    assert!(composer.is_empty());
    composer.edit(Edit::Undo);
    assert_eq!(composer.text(), "precious");
}

const EDITS: [Edit; 14] = [
    Edit::Left,
    Edit::Right,
    Edit::Up,
    Edit::Down,
    Edit::WordLeft,
    Edit::WordRight,
    Edit::DeleteLeft,
    Edit::DeleteRight,
    Edit::DeleteWordLeft,
    Edit::DeleteToEnd,
    Edit::DeleteToStart,
    Edit::Yank,
    Edit::Undo,
    Edit::Redo,
];

proptest! {
    #[test]
    fn any_edits_in_any_order_are_survived_and_the_caret_stays_inside(
        pastes in prop::collection::vec("[a-c é\u{301}世👩\u{200d}\t\n]{0,12}", 1..4),
        edits in prop::collection::vec(0..EDITS.len(), 0..40),
        width in 3_u16..20,
    ) {
        let mut composer = Composer::default();
        composer.paste(&"long\n".repeat(12));
        for (index, edit) in edits.into_iter().enumerate() {
            composer.edit(EDITS[edit]);
            if let Some(paste) = pastes.get(index) {
                composer.paste(paste);
            }
            let (_, caret) = drawn(&mut composer, width, 4);
            if let Some(caret) = caret {
                prop_assert!(caret.x < width && caret.y < 4);
            }
        }
    }
}
