//! State of a screen besides its text: the cursor, and modes that decide how keys, mouse and paste are sent.

use alacritty_terminal::term::TermMode;
use alacritty_terminal::vte::ansi;
use serde::{Deserialize, Serialize};

use super::Screen;

/// The cursor of the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cursor {
    /// Counted from 0, as the column is.
    pub row: usize,
    pub col: usize,
    pub is_visible: bool,
    pub shape: CursorShape,
    pub is_blinking: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CursorShape {
    Block,
    Underline,
    Bar,
}

/// Modes that the program has set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Modes {
    pub alternate_screen: bool,
    /// Arrow keys, Home and End are sent as `ESC O` sequences.
    pub application_cursor: bool,
    pub application_keypad: bool,
    pub bracketed_paste: bool,
    pub focus_reports: bool,
    /// The wheel is sent as arrow keys while the alternate screen is shown.
    pub alternate_scroll: bool,
    pub mouse: MouseTracking,
    pub mouse_encoding: MouseEncoding,
}

/// Events of the mouse that the program wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MouseTracking {
    Off,
    Clicks,
    /// Clicks, and motion while a button is held.
    Drag,
    Motion,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MouseEncoding {
    Legacy,
    Utf8,
    Sgr,
}

impl Default for Modes {
    /// The modes of a terminal to which nothing was said.
    fn default() -> Self {
        Self {
            alternate_screen: false,
            application_cursor: false,
            application_keypad: false,
            bracketed_paste: false,
            focus_reports: false,
            alternate_scroll: true,
            mouse: MouseTracking::Off,
            mouse_encoding: MouseEncoding::Legacy,
        }
    }
}

impl Screen {
    pub fn cursor(&self) -> Cursor {
        let term = self.term();
        let point = term.grid().cursor.point;
        let style = term.cursor_style();
        Cursor {
            row: usize::try_from(point.line.0).unwrap_or_default(),
            col: point.column.0,
            is_visible: term.mode().contains(TermMode::SHOW_CURSOR)
                && style.shape != ansi::CursorShape::Hidden,
            shape: match style.shape {
                ansi::CursorShape::Underline => CursorShape::Underline,
                ansi::CursorShape::Beam => CursorShape::Bar,
                ansi::CursorShape::Block | ansi::CursorShape::HollowBlock | ansi::CursorShape::Hidden => {
                    CursorShape::Block
                }
            },
            is_blinking: style.blinking,
        }
    }

    pub fn modes(&self) -> Modes {
        let mode = self.term().mode();
        Modes {
            alternate_screen: mode.contains(TermMode::ALT_SCREEN),
            application_cursor: mode.contains(TermMode::APP_CURSOR),
            application_keypad: mode.contains(TermMode::APP_KEYPAD),
            bracketed_paste: mode.contains(TermMode::BRACKETED_PASTE),
            focus_reports: mode.contains(TermMode::FOCUS_IN_OUT),
            alternate_scroll: mode.contains(TermMode::ALTERNATE_SCROLL),
            mouse: if mode.contains(TermMode::MOUSE_MOTION) {
                MouseTracking::Motion
            } else if mode.contains(TermMode::MOUSE_DRAG) {
                MouseTracking::Drag
            } else if mode.contains(TermMode::MOUSE_REPORT_CLICK) {
                MouseTracking::Clicks
            } else {
                MouseTracking::Off
            },
            mouse_encoding: if mode.contains(TermMode::SGR_MOUSE) {
                MouseEncoding::Sgr
            } else if mode.contains(TermMode::UTF8_MOUSE) {
                MouseEncoding::Utf8
            } else {
                MouseEncoding::Legacy
            },
        }
    }
}
