//! Terminals: rows, operations, and what stands on a screen.

use lathe::conversation::{TerminalInput, TerminalOwner, TerminalRow, TerminalStatus, Typist};
use lathe::process::screen::{
    CellStyle, Color, Cursor, CursorShape, Modes, MouseEncoding, MouseTracking, Rgb, ScreenSize, StyledRun,
};
use lathe::session::query::{TerminalLine, TerminalScreen};
use lathe::session::{TerminalOp, TypedBytes};

use super::{every, round_trip};

pub(super) fn terminal() -> TerminalRow {
    TerminalRow {
        name: "dev".into(),
        command: "python3".into(),
        owner: TerminalOwner::Shared,
        status: TerminalStatus::Running,
        waits_for: Some(TerminalInput::Hidden),
        typed_by: Some(Typist::Person),
        is_exclusive: true,
        title: Some("python".into()),
    }
}

pub(super) fn screen() -> TerminalScreen {
    TerminalScreen {
        generation: 7,
        size: ScreenSize { cols: 80, rows: 24 },
        cursor: Cursor {
            row: 1,
            col: 2,
            is_visible: true,
            shape: CursorShape::Bar,
            is_blinking: false,
        },
        modes: Modes {
            alternate_screen: true,
            application_cursor: true,
            application_keypad: false,
            bracketed_paste: true,
            focus_reports: false,
            alternate_scroll: true,
            mouse: MouseTracking::Drag,
            mouse_encoding: MouseEncoding::Sgr,
        },
        lines: vec![vec![run()]],
    }
}

fn run() -> StyledRun {
    StyledRun {
        text: "世 x".into(),
        style: CellStyle {
            foreground: Color::Indexed(3),
            background: Color::Rgb(Rgb(1, 2, 3)),
            is_bold: true,
            is_dim: false,
            is_italic: true,
            is_underlined: false,
            is_struck: true,
            is_reversed: false,
        },
    }
}

pub(super) fn lines() -> Vec<TerminalLine> {
    vec![TerminalLine {
        runs: vec![run()],
        is_wrapped: true,
    }]
}

#[test]
fn terminals_are_data() {
    round_trip(&terminal());
    round_trip(&screen());
    let name = || "dev".to_owned();
    every!(TerminalOp {
        TerminalOp::Type { .. } => TerminalOp::Type { name: name(), bytes: TypedBytes(b"ls\r\xff".to_vec()) };
        TerminalOp::Resize { .. } => TerminalOp::Resize { name: name(), cols: 80, rows: 24 };
        TerminalOp::Stop(_) => TerminalOp::Stop(name());
        TerminalOp::Start { .. } => TerminalOp::Start { cols: 80, rows: 24 };
        TerminalOp::HandOver(_) => TerminalOp::HandOver(name());
        TerminalOp::SetExclusive { .. } => TerminalOp::SetExclusive { name: name(), is_exclusive: true };
    });
    every!(TerminalOwner {
        TerminalOwner::Shared => TerminalOwner::Shared;
        TerminalOwner::Person => TerminalOwner::Person;
    });
    every!(TerminalStatus {
        TerminalStatus::Running => TerminalStatus::Running;
        TerminalStatus::Exited(_) => TerminalStatus::Exited(2);
        TerminalStatus::Killed(_) => TerminalStatus::Killed(9);
        TerminalStatus::Ended => TerminalStatus::Ended;
    });
    every!(TerminalInput {
        TerminalInput::Line => TerminalInput::Line;
        TerminalInput::Hidden => TerminalInput::Hidden;
    });
    every!(Typist {
        Typist::Agent => Typist::Agent;
        Typist::Person => Typist::Person;
    });
}

#[test]
fn typed_bytes_are_in_no_debugging_output() {
    let op = TerminalOp::Type {
        name: "dev".into(),
        bytes: TypedBytes(b"hunter2".to_vec()),
    };
    assert_eq!(format!("{op:?}"), "Type { name: \"dev\", bytes: 7 bytes }");
}
