//! The list by itself: keys in, replies and pictures out.

use std::fmt::Write as _;

use ratatui::buffer::Buffer;
use ratatui::layout::{Rect, Size};
use ratatui::text::Line;

use super::*;
use crate::tui::app::pickers::{ACTIONS, Palette};
use crate::tui::keymap::{Action, Context};
use crate::tui::layer::Layer;
use crate::tui::page;
use crate::view::Look;
use crate::view::test_look::TestLook;
use crate::view::theme::Meaning;

/// Fruit, whose rows tell what happened to them as clipboard texts would.
struct Fruit {
    rows: Vec<Row>,
    shows_more: bool,
}

impl ListContent for Fruit {
    fn title(&self) -> &'static str {
        "Fruit"
    }

    fn rows(&self) -> Vec<Row> {
        self.rows.clone()
    }

    fn pick(&mut self, row: usize) -> Option<LayerRequest> {
        (row == 1).then_some(LayerRequest::Act(Context::Global, Action::Redraw))
    }

    fn pass(&mut self, row: usize) -> Option<LayerRequest> {
        (row == 2).then_some(LayerRequest::Act(Context::Global, Action::OpenPage(&page::KEYS)))
    }

    fn leave(&mut self) -> Option<LayerRequest> {
        Some(LayerRequest::Act(Context::Global, Action::Suspend))
    }

    fn previews(&self) -> bool {
        self.shows_more
    }

    fn preview(&self, row: usize, size: Size, look: Look<'_>) -> Vec<Line<'static>> {
        let text = format!("row {row} in {} columns", size.width);
        vec![Line::styled(text, look.style(Meaning::TextMuted)); 40]
    }
}

fn fruit() -> Fruit {
    Fruit {
        rows: vec![
            Row::new("apple").detail("round and red").key("ctrl+a"),
            Row::new("banana").detail("long").key("ctrl+x b"),
            Row::new("cherry")
                .detail("small, red, and sold by the pound")
                .current_if(true),
            Row::new("桃子").detail("a peach"),
        ],
        shows_more: false,
    }
}

fn picker() -> Picker {
    Picker::new(&ACTIONS, Box::new(fruit()))
}

fn with_preview() -> Picker {
    Picker::new(
        &ACTIONS,
        Box::new(Fruit {
            shows_more: true,
            ..fruit()
        }),
    )
}

fn type_text(picker: &mut Picker, text: &str) -> LayerReply {
    let replies = text.chars().map(|c| picker.write(c.encode_utf8(&mut [0; 4])));
    replies.last().unwrap_or(LayerReply::Done)
}

/// Returns the action that an outcome asks for.
fn asked(outcome: &LayerReply) -> Option<Action> {
    match outcome {
        LayerReply::Request(LayerRequest::Act(_, action))
        | LayerReply::Close(Some(LayerRequest::Act(_, action))) => Some(*action),
        _ => None,
    }
}

fn drawn(picker: &mut Picker, width: u16, height: u16) -> String {
    let area = Rect::new(0, 0, width, height);
    let mut buffer = Buffer::empty(area);
    let caret = picker.draw_list(area, &mut buffer, TestLook::plain().look());
    let mut text = String::new();
    for row in buffer.content().chunks(usize::from(width).max(1)) {
        let mut skip = 0;
        let mut line = String::new();
        for cell in row {
            if skip == 0 {
                line.push_str(cell.symbol());
                skip = crate::text::width::str_width(cell.symbol());
            }
            skip = skip.saturating_sub(1);
        }
        writeln!(text, "{}", line.trim_end()).unwrap();
    }
    if let Some(caret) = caret {
        writeln!(text, "caret {},{}", caret.x, caret.y).unwrap();
    }
    text
}

#[test]
fn the_list_opens_on_the_row_that_holds_now() {
    let mut picker = picker();
    assert_eq!(
        drawn(&mut picker, 60, 8),
        " Fruit · 4\n \
         ┃ Type to filter.\n\
         ────────────────────────────────────────────────────────────\n\
         \u{20}    apple   round and red                           ctrl+a\n\
         \u{20}    banana  long                                  ctrl+x b\n \
         ❯ • cherry  small, red, and sold by the pound\n\
         \u{20}    桃子    a peach\n\
         \n\
         caret 3,1\n"
    );
}

/// Some actions of the keymap, so that the picture stays when others come.
fn palette() -> Picker {
    use crate::tui::keymap::{BoundAction, Context, Keymap};
    use crate::view::Symbols;
    let makes_sense = |binding: &BoundAction| {
        matches!(
            binding.action,
            Action::NextAsk
                | Action::Editor
                | Action::CycleMode
                | Action::Interrupt
                | Action::Quit
                | Action::Send
                | Action::Queue
        ) || binding.action == Action::OpenPage(&page::KEYS)
    };
    let keymap = Keymap::default();
    let place = Palette::new(&keymap, Context::Composer, Symbols::Unicode, makes_sense);
    Picker::new(&ACTIONS, Box::new(place))
}

#[test]
fn the_palette() {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(concat!(env!("CARGO_MANIFEST_DIR"), "/snapshots"));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| {
        for (width, height) in [(80, 24), (120, 36), (40, 12)] {
            let mut picker = palette();
            // Between the title and the hints.
            let whole = drawn(&mut picker, width, height - 2);
            insta::assert_snapshot!(format!("tui__palette__{width}x{height}"), whole);
            type_text(&mut picker, "mode");
            let filtered = drawn(&mut picker, width, height - 2);
            insta::assert_snapshot!(format!("tui__palette_filtered__{width}x{height}"), filtered);
        }
    });
}

#[test]
fn typing_filters_and_the_best_is_selected() {
    let mut picker = picker();
    picker.act(Action::RowDown);
    type_text(&mut picker, "red");
    assert_eq!((picker.len(), picker.row()), (2, Some(0)));
    type_text(&mut picker, "x");
    assert_eq!((picker.len(), picker.row()), (0, None));
    assert!(drawn(&mut picker, 60, 8).contains("Nothing matches."));
    assert!(matches!(picker.act(Action::PickRow), LayerReply::Done));
    picker.act(Action::Edit(Edit::DeleteLeft));
    assert_eq!(picker.len(), 2);
}

#[test]
fn what_matches_is_emphasised() {
    let mut picker = picker();
    type_text(&mut picker, "bn 桃");
    assert_eq!(picker.len(), 0);
    picker.act(Action::Edit(Edit::DeleteToStart));
    type_text(&mut picker, "子");
    let area = Rect::new(0, 0, 60, 8);
    let mut buffer = Buffer::empty(area);
    let look = TestLook::plain();
    picker.draw_list(area, &mut buffer, look.look());
    let style = |x: u16| buffer[(x, 3)].style();
    let marked = look.theme.style(Meaning::Match);
    assert_eq!(buffer[(7, 3)].symbol(), "子");
    assert_eq!(style(7).fg, marked.fg);
    assert_ne!(style(5).fg, marked.fg);
}

#[test]
fn moves_stop_at_the_ends_and_pages_go_by_what_is_seen() {
    let mut picker = picker();
    for _ in 0..9 {
        picker.act(Action::RowUp);
    }
    assert_eq!(picker.row(), Some(0));
    drawn(&mut picker, 60, 6);
    picker.act(Action::PageDown);
    assert_eq!(picker.row(), Some(2));
    picker.act(Action::PageDown);
    assert_eq!(picker.row(), Some(3));
    let shown = drawn(&mut picker, 60, 6);
    assert!(!shown.contains("apple") && shown.contains("❯   桃子"), "{shown}");
    picker.scroll(-2);
    assert_eq!(picker.row(), Some(1));
}

#[test]
fn a_choice_and_a_look_are_told() {
    let mut picker = picker();
    assert_eq!(asked(&picker.act(Action::RowUp)), None);
    assert_eq!(
        asked(&picker.act(Action::RowDown)),
        Some(Action::OpenPage(&page::KEYS))
    );
    type_text(&mut picker, "ban");
    let outcome = picker.act(Action::PickRow);
    assert!(matches!(outcome, LayerReply::Close(_)));
    assert_eq!(asked(&outcome), Some(Action::Redraw));
}

#[test]
fn esc_clears_the_filter_and_then_leaves() {
    let mut picker = picker();
    type_text(&mut picker, "red");
    assert!(!matches!(picker.back(), LayerReply::Close(_)));
    assert_eq!((picker.len(), picker.row()), (4, Some(2)));
    let outcome = picker.back();
    assert!(matches!(outcome, LayerReply::Close(_)));
    assert_eq!(asked(&outcome), Some(Action::Suspend));
}

#[test]
fn a_paste_is_one_clean_line() {
    let mut picker = picker();
    picker.paste(" red\x1b[2J\n ");
    assert_eq!((picker.line.text().as_str(), picker.len()), ("red", 2));
}

#[test]
fn the_preview_stands_beside_below_or_nowhere() {
    let mut picker = with_preview();
    let wide = drawn(&mut picker, 100, 8);
    assert!(wide.contains("│ row 2 in 47 columns"), "{wide}");
    let high = drawn(&mut picker, 60, 20);
    assert_eq!(high.matches("row 2 in 58 columns").count(), 8, "{high}");
    let small = drawn(&mut picker, 40, 10);
    assert!(!small.contains("row 2") && small.contains("cherry"), "{small}");
}

#[test]
fn nothing_is_drawn_outside_however_small_the_area() {
    let mut picker = with_preview();
    type_text(&mut picker, "r");
    for (width, height) in [(0, 0), (1, 1), (5, 2), (7, 3), (12, 4), (100, 1), (3, 30)] {
        drawn(&mut picker, width, height);
    }
}

#[test]
fn what_comes_from_outside_is_clean() {
    let rows = vec![
        Row::new("\x1b]0;x\x07a\u{202e}b")
            .detail("c\n\td")
            .key("\x1b[31me"),
    ];
    let mut picker = Picker::new(&ACTIONS, Box::new(Fruit { rows, ..fruit() }));
    let text = drawn(&mut picker, 60, 8);
    assert!(text.contains("a⟨U+202E⟩b  c  d"), "{text}");
    assert!(!text.contains(|c: char| c.is_control() && c != '\n'), "{text:?}");
}

#[test]
fn a_choice_waits_for_the_best_of_many_rows() {
    let mut rows: Vec<Row> = (0..50_000)
        .map(|number| Row::new(&format!("x{number}y")))
        .collect();
    rows.push(Row::new("xy"));
    let mut picker = Picker::new(&ACTIONS, Box::new(Fruit { rows, ..fruit() }));
    type_text(&mut picker, "xy");
    assert!(picker.is_working());
    picker.act(Action::RowDown);
    let held = picker.row();
    while picker.is_working() {
        picker.work();
    }
    assert_eq!(picker.row(), held, "what was selected by hand stays");
    picker.act(Action::Edit(Edit::DeleteLeft));
    type_text(&mut picker, "y");
    picker.act(Action::PickRow);
    assert_eq!(picker.row(), Some(50_000));
}
