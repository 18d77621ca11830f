//! The mouse and keys of the pane, without a session behind it.

use std::time::{Duration, Instant};

use ratatui::layout::Rect;
use termina::event::{KeyCode, KeyEvent, Modifiers, MouseButton, MouseEvent, MouseEventKind};

use super::*;
use crate::conversation::TerminalStatus;
use crate::process::screen::{CellStyle, Cursor, CursorShape, MouseEncoding, MouseTracking, StyledRun};
use crate::session::query::{Answer, Query, TerminalLine};
use crate::tui::keymap::{Action, Keymap};
use crate::tui::layer::{Layer, LayerReply, LayerRequest, LayerUpdate};

fn row(name: &str, owner: TerminalOwner) -> TerminalRow {
    TerminalRow {
        name: name.to_owned(),
        command: "it".to_owned(),
        owner,
        status: TerminalStatus::Running,
        waits_for: None,
        typed_by: None,
        is_exclusive: false,
        title: None,
    }
}

/// Two terminals side by side whose programs want clicks and drags; the second has the keys.
fn pane() -> TerminalPane {
    let mut pane = TerminalPane::default();
    pane.set_rows(&["one", "two"].map(|name| row(name, TerminalOwner::Shared)));
    let modes = Modes {
        mouse: MouseTracking::Drag,
        mouse_encoding: MouseEncoding::Sgr,
        ..Modes::default()
    };
    let now = Instant::now();
    for (name, x) in [("one", 0), ("two", 21)] {
        let screen = TerminalScreen {
            generation: 1,
            size: ScreenSize { cols: 20, rows: 9 },
            cursor: Cursor {
                row: 0,
                col: 0,
                is_visible: true,
                shape: CursorShape::Block,
                is_blinking: false,
            },
            modes,
            lines: Vec::new(),
        };
        pane.take_screen(name, Some(screen), now);
        pane.places.push(TerminalPlace {
            name: name.to_owned(),
            tile: Rect::new(x, 2, 20, 10),
            screen: Rect::new(x, 3, 20, 9),
        });
    }
    pane.area = Rect::new(0, 1, 41, 11);
    pane
}

/// The bytes that a program gets for a mouse event.
fn told(
    pane: &mut TerminalPane,
    kind: MouseEventKind,
    (column, row): (u16, u16),
) -> Option<(String, String)> {
    let event = MouseEvent {
        kind,
        column,
        row,
        modifiers: Modifiers::NONE,
    };
    typed(pane.mouse(event, 0))
}

fn typed(reply: LayerReply) -> Option<(String, String)> {
    let LayerReply::Request(LayerRequest::Terminals(ops)) = reply else {
        return None;
    };
    ops.into_iter().find_map(|op| match op {
        TerminalOp::Type { name, bytes } => Some((name, String::from_utf8(bytes.0).unwrap())),
        _ => None,
    })
}

const DOWN: MouseEventKind = MouseEventKind::Down(MouseButton::Left);
const DRAG: MouseEventKind = MouseEventKind::Drag(MouseButton::Left);
const UP: MouseEventKind = MouseEventKind::Up(MouseButton::Left);

fn to_two(bytes: &str) -> (String, String) {
    ("two".to_owned(), bytes.to_owned())
}

#[test]
fn a_click_that_chooses_a_terminal_is_none_of_its_program_s() {
    let mut pane = pane();
    assert_eq!(told(&mut pane, DOWN, (2, 5)), None);
    assert_eq!(pane.chosen.as_deref(), Some("one"));
    assert_eq!(told(&mut pane, DRAG, (3, 5)), None);
    assert_eq!(told(&mut pane, UP, (3, 5)), None);
}

#[test]
fn a_drag_that_leaves_the_screen_is_told_at_its_edge_and_released() {
    let mut pane = pane();
    assert_eq!(told(&mut pane, DOWN, (22, 4)), Some(to_two("\x1b[<0;2;2M")));
    assert_eq!(told(&mut pane, DRAG, (2, 4)), Some(to_two("\x1b[<32;1;2M")));
    assert_eq!(told(&mut pane, UP, (2, 40)), Some(to_two("\x1b[<0;1;9m")));
    assert_eq!(told(&mut pane, UP, (22, 4)), None, "it was released");
}

#[test]
fn keys_that_are_typed_while_a_terminal_starts_go_to_no_other() {
    let mut pane = pane();
    let keymap = Keymap::default();
    let now = Instant::now();
    let key = |code, modifiers| KeyEvent::new(code, modifiers);
    let letter = key(KeyCode::Char('l'), Modifiers::NONE);
    assert_eq!(
        typed(pane.type_key(&letter, b"l", &keymap, now)),
        Some(to_two("l"))
    );
    let leader = key(KeyCode::Char(']'), Modifiers::CONTROL);
    let start = key(KeyCode::Char('c'), Modifiers::NONE);
    pane.type_key(&leader, b"\x1d", &keymap, now);
    let started = pane.type_key(&start, b"c", &keymap, now);
    assert!(matches!(started, LayerReply::Request(LayerRequest::Terminals(_))));
    assert_eq!(typed(pane.type_key(&letter, b"l", &keymap, now)), None);
    let rows = [
        row("one", TerminalOwner::Shared),
        row("two", TerminalOwner::Shared),
        row("own 1", TerminalOwner::Person),
    ];
    pane.set_rows(&rows);
    let sent = typed(pane.type_key(&letter, b"l", &keymap, now + Duration::from_millis(1)));
    assert_eq!(sent, Some(("own 1".to_owned(), "l".to_owned())));
}

#[test]
fn what_is_typed_before_the_lines_of_the_scrollback_are_there_acts_on_them() {
    let line = |number: usize| TerminalLine {
        runs: vec![StyledRun {
            text: format!("line {number}"),
            style: CellStyle::default(),
        }],
        is_wrapped: false,
    };
    let answer = Answer::TerminalHistory(Some((0..200).map(line).collect()));
    let mut history = TerminalHistory::new("sh".to_owned());
    history.act(Action::Search);
    history.write("line 42");
    let [mark, copy] = ["mark", "copy"].map(Action::OfLayer);
    for action in [Action::KeepSearch, mark, Action::RowDown, copy] {
        assert!(matches!(history.act(action), LayerReply::Done), "{action:?}");
    }
    let reply = history.update(&LayerUpdate::Answer(
        &Query::TerminalHistory("sh".to_owned()),
        &answer,
    ));
    let LayerReply::Close(Some(LayerRequest::Copy { text, .. })) = reply else {
        panic!("{reply:?}");
    };
    assert_eq!(text, "line 42\nline 43");
}
