use super::*;
use crate::tui::caret::CaretMove;
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

fn look() -> ComposerStyle<'static> {
    let plain = Style::new();
    ComposerStyle {
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
    composer.edit(Edit::Move(CaretMove::LineStart));
    let (_, caret) = drawn(&mut composer, 21, 2);
    assert_eq!(caret, Some(Position { x: 2, y: 0 }));
}

#[test]
fn the_rows_of_a_long_text_are_those_that_it_wraps_to() {
    let texts = [
        "word ".repeat(40),
        "x".repeat(200),
        "世界 e\u{301} 👩‍👩‍👧 ".repeat(12),
        "a\tb  c   \n".repeat(6),
        "one\n\n\nfive".to_owned(),
    ];
    for text in &texts {
        for columns in 3..30 {
            let mut composer = typed(text);
            let whole = composer.rows(columns);
            for most in 1..14 {
                assert_eq!(
                    composer.rows_within(columns, most),
                    whole.min(most),
                    "{text:?} in {columns} columns, {most} rows at most"
                );
            }
        }
    }
}

#[test]
fn backspace_and_moves_go_by_what_a_person_sees_as_one() {
    let family = "👩‍👩‍👧";
    let mut composer = typed(&format!("a{family}e\u{301}b"));
    for _ in 0..3 {
        assert_eq!(composer.edit(Edit::Move(CaretMove::Left)), EditEffect::Caret);
    }
    composer.insert_char('|');
    assert_eq!(composer.text(), format!("a|{family}e\u{301}b"));
    composer.edit(Edit::DeleteRight);
    assert_eq!(composer.text(), "a|e\u{301}b");
    composer.edit(Edit::Move(CaretMove::Right));
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
fn a_pasted_megabyte_is_edited_and_drawn_fast() {
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
    assert_eq!(composer.edit(Edit::Move(CaretMove::Up)), EditEffect::Caret);
    assert_eq!(composer.edit(Edit::Move(CaretMove::Up)), EditEffect::Nothing);
    assert_eq!(composer.edit(Edit::Move(CaretMove::Down)), EditEffect::Caret);
    assert_eq!(composer.edit(Edit::Move(CaretMove::Down)), EditEffect::Nothing);
}

#[test]
fn clearing_can_be_undone() {
    let mut composer = typed("precious");
    composer.clear();
    assert!(composer.is_empty());
    composer.edit(Edit::Undo);
    assert_eq!(composer.text(), "precious");
}

#[test]
fn a_chip_opens_where_the_caret_was_moved_onto_it_and_undo_folds_it() {
    let pasted = "line\n".repeat(20);
    let mut composer = typed("see ");
    composer.paste(&pasted);
    assert!(!composer.is_on_chip(), "who has just pasted wants to send");
    composer.edit(Edit::Move(CaretMove::Left));
    assert!(composer.is_on_chip());
    assert_eq!(composer.open_chip(), Some(ChipOpening::Here));
    assert_eq!(composer.text(), format!("see {pasted}"));
    assert_eq!(composer.draft().text, composer.text());
    composer.insert_char('>');
    assert_eq!(
        composer.text(),
        format!("see >{pasted}"),
        "the caret stands before it"
    );
    for _ in 0..3 {
        composer.edit(Edit::Undo);
    }
    assert_eq!(composer.draft().text, "see [pasted 20 lines]");
    assert_eq!(composer.text(), format!("see {pasted}"));
}

#[test]
fn text_written_before_a_chip_does_not_choose_it() {
    let mut composer = Composer::default();
    composer.paste(&"line\n".repeat(20));
    composer.edit(Edit::Move(CaretMove::LineStart));
    composer.insert_char('x');
    assert!(!composer.is_on_chip());
}

#[test]
fn chips_open_here_only_as_long_as_the_whole_is_short() {
    let pasted = "0123456789 abcdef\n".repeat(2_500);
    let mut composer = Composer::default();
    let mut open = || {
        composer.paste(&pasted);
        composer.edit(Edit::Move(CaretMove::Left));
        composer.open_chip()
    };
    assert_eq!(open(), Some(ChipOpening::Here));
    assert_eq!(open(), Some(ChipOpening::TooLong(pasted.clone())));
}

#[test]
fn a_chip_too_long_to_be_edited_here_comes_back_from_the_editor() {
    let pasted = "0123456789 abcdef\n".repeat(6_000);
    let mut composer = Composer::default();
    composer.paste(&pasted);
    composer.edit(Edit::Move(CaretMove::Left));
    assert_eq!(composer.open_chip(), Some(ChipOpening::TooLong(pasted.clone())));
    composer.set_chip(pasted.trim_end());
    assert_eq!(composer.text(), pasted, "what was not changed is as it was");
    composer.set_chip("short now");
    assert_eq!(composer.text(), "short now");
    composer.edit(Edit::Undo);
    composer.edit(Edit::Undo);
    assert_eq!(composer.text(), pasted);
}

#[test]
fn what_is_selected_is_replaced_cut_copied_and_left() {
    let extend = |composer: &mut Composer, step, times| {
        for _ in 0..times {
            composer.edit(Edit::Extend(step));
        }
    };
    let mut composer = typed("one two");
    extend(&mut composer, CaretMove::Left, 3);
    assert_eq!(composer.copy().as_deref(), Some("two"));
    assert_eq!(composer.copy(), None);
    extend(&mut composer, CaretMove::WordLeft, 1);
    composer.insert_char('x');
    assert_eq!(composer.text(), "xtwo");
    composer.edit(Edit::Undo);
    composer.edit(Edit::Undo);
    assert_eq!(composer.text(), "one two");
    composer.edit(Edit::SelectAll);
    composer.edit(Edit::DeleteWordLeft);
    assert!(composer.is_empty());
    composer.edit(Edit::Yank);
    assert_eq!(composer.text(), "one two");
    extend(&mut composer, CaretMove::LineStart, 1);
    composer.edit(Edit::Move(CaretMove::Right));
    assert!(!composer.has_selection());
    composer.insert_char('!');
    assert_eq!(composer.text(), "one two!");
}

#[test]
fn a_selected_chip_is_copied_in_full() {
    let pasted = "line\n".repeat(20);
    let mut composer = typed("see ");
    composer.paste(&pasted);
    composer.edit(Edit::SelectAll);
    assert_eq!(composer.copy(), Some(format!("see {pasted}")));
}

#[test]
fn a_click_puts_the_caret_and_a_drag_selects() {
    let mut composer = typed("make the retry test 世界 deterministic\nend");
    drawn(&mut composer, 21, 4);
    let mut put = |x, y| {
        composer.point(Position { x, y });
        drawn(&mut composer, 21, 4).1
    };
    let at = |x, y| Some(Position { x, y });
    assert_eq!(put(4, 0), at(4, 0));
    assert_eq!(put(2, 1), at(2, 1));
    assert_eq!(put(8, 1), at(7, 1), "in a wide character: before it");
    assert_eq!(put(20, 3), at(5, 3), "behind the end of a line");
    assert_eq!(put(20, 9), at(5, 3), "below everything");
    composer.point(Position { x: 2, y: 0 });
    composer.drag(Position { x: 6, y: 0 });
    assert_eq!(composer.copy().as_deref(), Some("make"));
}

#[test]
fn a_line_of_a_hundred_thousand_columns_is_kept_whole_and_is_quick() {
    let line = "x".repeat(100_000);
    let mut composer = typed("<");
    let started = std::time::Instant::now();
    composer.paste(&line);
    for c in "and then some".chars() {
        composer.insert_char(c);
        drawn(&mut composer, 80, 5);
    }
    assert!(started.elapsed().as_millis() < 500, "{:?}", started.elapsed());
    assert_eq!(composer.take(), format!("<{line}and then some"));
}

const EDITS: [Edit; 18] = [
    Edit::Move(CaretMove::Left),
    Edit::Move(CaretMove::Right),
    Edit::Move(CaretMove::Up),
    Edit::Move(CaretMove::Down),
    Edit::Move(CaretMove::WordLeft),
    Edit::Move(CaretMove::WordRight),
    Edit::DeleteLeft,
    Edit::DeleteRight,
    Edit::DeleteWordLeft,
    Edit::DeleteToEnd,
    Edit::DeleteToStart,
    Edit::Yank,
    Edit::Undo,
    Edit::Redo,
    Edit::Extend(CaretMove::Left),
    Edit::Extend(CaretMove::WordRight),
    Edit::Extend(CaretMove::Up),
    Edit::SelectAll,
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
            if index % 5 == 4 {
                composer.point(Position { x: width / 2, y: 1 });
                composer.open_chip();
            }
            let (_, caret) = drawn(&mut composer, width, 4);
            if let Some(caret) = caret {
                prop_assert!(caret.x < width && caret.y < 4);
            }
        }
    }
}

proptest! {
    #[test]
    fn vim_keys_over_folds_and_wide_text_are_survived(
        keys in "[hjklwbe0$GfFtdcyxXsrDJpPuvV~.<>iaoO\"(1-9⎋]{0,40}",
        width in 3_u16..20,
    ) {
        let mut composer = typed("a世e\u{301} (b)\n");
        composer.use_vim();
        composer.paste(&"long\n".repeat(12));
        composer.newline();
        composer.insert_char('👩');
        composer.vim_escape();
        for key in keys.chars() {
            match key {
                '⎋' => drop(composer.vim_escape()),
                key if composer.is_commanded() => drop(composer.command(key)),
                key => composer.insert_char(key),
            }
            let (_, caret) = drawn(&mut composer, width, 4);
            if let Some(caret) = caret {
                prop_assert!(caret.x < width && caret.y < 4);
            }
        }
    }
}
