//! A terminal screen in memory: bytes of a program go in, a grid of styled cells and answers to queries come out.
//!
//! The emulation is `alacritty_terminal`'s. [`Screen`] is the only type that knows it; the layers in front of and behind
//! the library are small: [`scanner`] bounds what one escape sequence may hold and recognises queries that the library
//! ignores, [`emulator`] corrects single operations, and [`resize`] keeps the text that a smaller size has no place for.
//!
//! A screen does no IO and reads no clock. The result of feeding bytes does not depend on how they are split. Nothing
//! that a program prints reaches a real terminal from here: cells hold printable characters only.

mod emulator;
mod forget;
mod keys;
mod line;
mod resize;
mod scanner;
mod state;
mod style;

pub use keys::{KeyModes, KeyModifiers, TerminalKey, control_character};
pub use line::{ScreenCell, StyledRun};
pub use state::{Cursor, CursorShape, Modes, MouseEncoding, MouseTracking};
pub use style::{CellStyle, Color, Rgb};

use alacritty_terminal::Term;
use alacritty_terminal::event::EventListener;
use alacritty_terminal::grid::Dimensions;
use alacritty_terminal::grid::Scroll;
use alacritty_terminal::vte::ansi::{Processor, Timeout};
use serde::{Deserialize, Serialize};
use std::time::Duration;

use emulator::{Emulator, EventQueue};
use resize::AlternateSnapshot;
use scanner::Scanner;

use crate::text::utf8::ChunkedUtf8;

/// Lines of scrollback that a terminal keeps unless told otherwise.
pub const SCROLLBACK: usize = 10_000;

/// Columns and rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScreenSize {
    pub cols: u16,
    pub rows: u16,
}

/// Settings of a screen that programs may ask for or that bound its memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ScreenSettings {
    /// Lines kept above the screen.
    pub scrollback: usize,
    /// Answer to OSC 10.
    pub foreground: Rgb,
    /// Answer to OSC 11.
    pub background: Rgb,
}

impl Default for ScreenSettings {
    fn default() -> Self {
        Self {
            scrollback: SCROLLBACK,
            foreground: Rgb(0xd8, 0xd8, 0xd8),
            background: Rgb(0x18, 0x18, 0x18),
        }
    }
}

/// The screen of one terminal.
pub struct Screen {
    emulator: Emulator,
    processor: Processor<ImmediateUpdates>,
    scanner: Scanner,
    utf8: ChunkedUtf8,
    settings: ScreenSettings,
    /// Largest size so far: text of that width or height may still be there.
    largest: ScreenSize,
    alternate_snapshot: Option<AlternateSnapshot>,
    generation: u64,
}

/// Turns off the library's buffering of synchronized updates, whose result depends on the clock and on how bytes are
/// split; [`Screen::is_updating`] tells who draws.
#[derive(Default)]
struct ImmediateUpdates;

impl Timeout for ImmediateUpdates {
    fn set_timeout(&mut self, _: Duration) {}

    fn clear_timeout(&mut self) {}

    fn pending_timeout(&self) -> bool {
        false
    }
}

impl std::fmt::Debug for Screen {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // The contents may be anybody's secret.
        f.debug_struct("Screen")
            .field("size", &self.size())
            .field("generation", &self.generation)
            .finish_non_exhaustive()
    }
}

impl ScreenSize {
    /// The size with at least two columns, which a wide character needs, and one row.
    fn usable(self) -> Self {
        Self {
            cols: self.cols.max(2),
            rows: self.rows.max(1),
        }
    }
}

impl Dimensions for ScreenSize {
    fn total_lines(&self) -> usize {
        self.rows.into()
    }

    fn screen_lines(&self) -> usize {
        self.rows.into()
    }

    fn columns(&self) -> usize {
        self.cols.into()
    }
}

impl Screen {
    pub fn new(size: ScreenSize, settings: ScreenSettings) -> Self {
        let size = size.usable();
        Self {
            emulator: Emulator::new(size, settings),
            processor: Processor::new(),
            scanner: Scanner::default(),
            utf8: ChunkedUtf8::default(),
            settings,
            largest: size,
            alternate_snapshot: None,
            generation: 0,
        }
    }

    /// Takes output of the program and returns the bytes that answer its queries, to be written to it.
    pub fn feed(&mut self, bytes: &[u8]) -> Vec<u8> {
        // The library's parser loses a character now and then when one before it comes in two pieces.
        let characters = self.utf8.bytes(bytes);
        let mut rest = &*characters;
        while !rest.is_empty() {
            let step = self.scanner.step(rest);
            self.processor.advance(&mut self.emulator, &rest[..step.feed]);
            rest = &rest[step.feed + step.skip..];
            if let Some(query) = step.query {
                self.emulator.answer(query);
            }
        }
        if self.emulator.take_changed() {
            self.generation += 1;
            self.alternate_snapshot = None;
        }
        self.emulator.take_replies()
    }

    /// A number that is another one after each change of what the screen shows or of its modes.
    pub fn generation(&self) -> u64 {
        self.generation
    }

    pub fn size(&self) -> ScreenSize {
        ScreenSize {
            cols: self.term().columns() as u16,
            rows: self.term().screen_lines() as u16,
        }
    }

    /// Title the program has set, without control characters.
    pub fn title(&self) -> Option<&str> {
        self.emulator.title()
    }

    /// Number of times the bell has rung.
    pub fn bells(&self) -> u64 {
        self.emulator.bells()
    }

    /// Number of line feeds so far.
    pub fn line_feeds(&self) -> u64 {
        self.emulator.line_feeds()
    }

    /// Returns true between the begin and the end of a synchronized update (mode 2026), when a drawn frame may be
    /// half of a picture. A program may forget the end, so whoever waits for it needs a limit.
    pub fn is_updating(&self) -> bool {
        self.emulator.is_updating()
    }

    /// Moves the view into the scrollback; positive is up. The view keeps its text while output arrives.
    pub fn scroll_view(&mut self, lines: i32) {
        let before = self.view_offset();
        self.emulator
            .term
            .scroll_display(Scroll::Delta(lines.clamp(-1_000_000, 1_000_000)));
        if before != self.view_offset() {
            self.generation += 1;
        }
    }

    /// Number of lines between the top of the view and the top of the screen.
    pub fn view_offset(&self) -> usize {
        self.term().grid().display_offset()
    }

    fn term(&self) -> &Term<EventQueue> {
        &self.emulator.term
    }
}

impl EventListener for EventQueue {
    fn send_event(&self, event: alacritty_terminal::event::Event) {
        self.take(event);
    }
}

#[cfg(test)]
mod tests;
