//! The library's terminal with single operations corrected: what xterm does at the last column, at the margins and with
//! the older alternate screens, and bounds for what one cell and one title may hold.

use std::fmt::Write as _;
use std::mem;
use std::sync::{Arc, Mutex, PoisonError};

use alacritty_terminal::Term;
use alacritty_terminal::event::Event;
use alacritty_terminal::grid::{Cursor, Dimensions};
use alacritty_terminal::index::{Column, Line};
use alacritty_terminal::term::cell::{Cell, Flags};
use alacritty_terminal::term::{Config, Osc52, TermMode};
use alacritty_terminal::vte::ansi::{
    Attr, CharsetIndex, ClearMode, CursorShape, CursorStyle, Handler, Hyperlink, LineClearMode, Mode,
    NamedPrivateMode, PrivateMode, Rgb, StandardCharset, TabulationClearMode,
};
use unicode_width::UnicodeWidthChar;

use super::scanner::TerminalQuery;
use super::{ScreenSettings, ScreenSize, style};

/// Most combining characters of one cell: a flood of them would grow it without end.
const MAX_COMBINING: usize = 8;
/// Longest title in characters.
const MAX_TITLE: usize = 256;
/// Pixels of a cell, for programs that ask.
const CELL: (u16, u16) = (8, 16);

/// Receives what the library's terminal says, for [`Emulator`] to take up at once.
#[derive(Clone, Default)]
pub(super) struct EventQueue(Arc<Mutex<PendingEvents>>);

/// Events of the library that have not been taken up.
#[derive(Default)]
struct PendingEvents {
    replies: String,
    title: TitleChange,
}

#[derive(Default)]
enum TitleChange {
    #[default]
    Unchanged,
    Set(String),
    Reset,
}

/// The terminal behind a screen.
pub(super) struct Emulator {
    pub(super) term: Term<EventQueue>,
    events: EventQueue,
    settings: ScreenSettings,
    /// First and last row of the scroll region, which the library keeps to itself.
    margins: (usize, usize),
    /// Of the main screen, while an older alternate screen is shown.
    main_saved_cursor: Option<Cursor<Cell>>,
    title: Option<String>,
    bells: u64,
    line_feeds: u64,
    is_updating: bool,
    has_changed: bool,
}

impl EventQueue {
    pub(super) fn take(&self, event: Event) {
        let mut pending = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match event {
            Event::PtyWrite(text) => pending.replies.push_str(&text),
            Event::Title(title) => pending.title = TitleChange::Set(title),
            Event::ResetTitle => pending.title = TitleChange::Reset,
            _ => {}
        }
    }
}

impl Emulator {
    pub(super) fn new(size: ScreenSize, settings: ScreenSettings) -> Self {
        let config = Config {
            scrolling_history: settings.scrollback,
            // The clipboard is the person's; no program inside reads or writes it.
            osc52: Osc52::Disabled,
            ..Config::default()
        };
        let events = EventQueue::default();
        Self {
            term: Term::new(config, &size, events.clone()),
            events,
            settings,
            margins: (0, usize::from(size.rows) - 1),
            main_saved_cursor: None,
            title: None,
            bells: 0,
            line_feeds: 0,
            is_updating: false,
            has_changed: false,
        }
    }

    pub(super) fn title(&self) -> Option<&str> {
        self.title.as_deref()
    }

    pub(super) fn bells(&self) -> u64 {
        self.bells
    }

    pub(super) fn line_feeds(&self) -> u64 {
        self.line_feeds
    }

    pub(super) fn is_updating(&self) -> bool {
        self.is_updating
    }

    pub(super) fn take_changed(&mut self) -> bool {
        mem::take(&mut self.has_changed)
    }

    pub(super) fn take_replies(&mut self) -> Vec<u8> {
        let mut pending = self.events.0.lock().unwrap_or_else(PoisonError::into_inner);
        mem::take(&mut pending.replies).into_bytes()
    }

    /// Answers a query that the library does not know.
    pub(super) fn answer(&mut self, query: TerminalQuery) {
        match query {
            TerminalQuery::CellSize => self.reply(format_args!("\x1b[6;{};{}t", CELL.1, CELL.0)),
            TerminalQuery::ExtendedCursorPosition => {
                let (row, col) = self.reported_cursor();
                self.reply(format_args!("\x1b[?{row};{col};1R"));
            }
        }
    }

    /// The scroll region is the whole screen again.
    pub(super) fn reset_margins(&mut self) {
        self.margins = (0, self.term.screen_lines() - 1);
    }

    fn reply(&mut self, text: std::fmt::Arguments<'_>) {
        let mut pending = self.events.0.lock().unwrap_or_else(PoisonError::into_inner);
        // A string takes all that is written to it.
        let _ = pending.replies.write_fmt(text);
    }

    /// Takes up a new title.
    fn update_title(&mut self) {
        let mut pending = self.events.0.lock().unwrap_or_else(PoisonError::into_inner);
        match mem::take(&mut pending.title) {
            TitleChange::Unchanged => {}
            TitleChange::Set(title) => self.title = Some(title),
            TitleChange::Reset => self.title = None,
        }
    }

    /// Row and column of the cursor from 1, the row within the scroll region in origin mode.
    fn reported_cursor(&self) -> (usize, usize) {
        let (row, col) = self.cursor();
        let first = if self.term.mode().contains(TermMode::ORIGIN) {
            self.margins.0
        } else {
            0
        };
        (row.saturating_sub(first) + 1, col + 1)
    }

    fn cursor(&self) -> (usize, usize) {
        let point = self.term.grid().cursor.point;
        (usize::try_from(point.line.0).unwrap_or_default(), point.column.0)
    }

    fn move_to(&mut self, row: usize, col: usize) {
        self.has_changed = true;
        let (rows, cols) = (self.term.screen_lines(), self.term.columns());
        let cursor = &mut self.term.grid_mut().cursor;
        cursor.point.line = Line(row.min(rows - 1) as i32);
        cursor.point.column = Column(col.min(cols - 1));
        cursor.input_needs_wrap = false;
    }

    /// The rows that the cursor may move to by a number of rows from where it is: it stops at a margin, which it has not
    /// passed.
    fn row_above(&self, rows: usize) -> usize {
        let (row, _) = self.cursor();
        let top = if row >= self.margins.0 { self.margins.0 } else { 0 };
        row.saturating_sub(rows).max(top)
    }

    fn row_below(&self, rows: usize) -> usize {
        let (row, _) = self.cursor();
        let last = self.term.screen_lines() - 1;
        let bottom = if row <= self.margins.1 {
            self.margins.1
        } else {
            last
        };
        (row + rows).min(bottom)
    }

    /// The cursor stands on the last column again: what is printed next replaces what is there.
    fn forget_wrap(&mut self) {
        self.has_changed = true;
        self.term.grid_mut().cursor.input_needs_wrap = false;
    }

    fn is_alternate(&self) -> bool {
        self.term.mode().contains(TermMode::ALT_SCREEN)
    }

    /// Shows the alternate screen, or the main one, without a change of the cursor.
    fn show_alternate(&mut self, is_alternate: bool) {
        if self.is_alternate() == is_alternate {
            return;
        }
        self.has_changed = true;
        let cursor = self.term.grid().cursor.clone();
        let saved = self.term.grid().saved_cursor.clone();
        self.term.swap_alt();
        self.term.grid_mut().cursor = cursor;
        if is_alternate {
            // The library forgets it, as 1049 may: there it saves the cursor itself.
            self.main_saved_cursor = Some(saved);
        } else if let Some(mut saved) = self.main_saved_cursor.take() {
            let grid = self.term.grid_mut();
            // The size may have changed since.
            saved.point.line = saved.point.line.min(grid.bottommost_line());
            saved.point.column = saved.point.column.min(grid.last_column());
            grid.saved_cursor = saved;
        }
    }

    /// Returns true if the cell that a combining character goes to is full.
    fn is_full_of_combining(&self) -> bool {
        let grid = self.term.grid();
        let point = grid.cursor.point;
        let mut col = point.column.0;
        if !grid.cursor.input_needs_wrap {
            col = col.saturating_sub(1);
        }
        let row = &grid[point.line];
        if row[Column(col)].flags.contains(Flags::WIDE_CHAR_SPACER) {
            col = col.saturating_sub(1);
        }
        row[Column(col)]
            .zerowidth()
            .is_some_and(|held| held.len() >= MAX_COMBINING)
    }
}

/// Characters that change the order of others, or say something that nobody sees.
fn is_deceptive(character: char) -> bool {
    matches!(character,
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
        | '\u{e0000}'..='\u{e007f}')
}

/// Hands operations on to the library's terminal.
macro_rules! forward {
    ($($name:ident($($argument:ident: $type:ty),*);)*) => {
        $(
            #[inline]
            fn $name(&mut self, $($argument: $type),*) {
                self.has_changed = true;
                Handler::$name(&mut self.term, $($argument),*);
            }
        )*
    };
}

impl Handler for Emulator {
    forward! {
        set_cursor_style(style: Option<CursorStyle>);
        set_cursor_shape(shape: CursorShape);
        goto(line: i32, col: usize);
        goto_line(line: i32);
        move_forward(cols: usize);
        move_backward(cols: usize);
        backspace();
        carriage_return();
        set_horizontal_tabstop();
        scroll_up(lines: usize);
        scroll_down(lines: usize);
        erase_chars(count: usize);
        delete_chars(count: usize);
        save_cursor_position();
        restore_cursor_position();
        clear_line(mode: LineClearMode);
        clear_tabs(mode: TabulationClearMode);
        move_forward_tabs(count: u16);
        terminal_attribute(attribute: Attr);
        set_mode(mode: Mode);
        unset_mode(mode: Mode);
        set_keypad_application_mode();
        unset_keypad_application_mode();
        set_active_charset(index: CharsetIndex);
        configure_charset(index: CharsetIndex, charset: StandardCharset);
        set_color(index: usize, color: Rgb);
        reset_color(index: usize);
        decaln();
        push_title();
    }

    #[inline]
    fn input(&mut self, character: char) {
        // Nothing below is of width 0 or deceptive.
        if character >= '\u{ad}'
            && (is_deceptive(character) || character.width() == Some(0) && self.is_full_of_combining())
        {
            return;
        }
        self.has_changed = true;
        self.term.input(character);
    }

    fn linefeed(&mut self) {
        self.line_feeds += 1;
        self.forget_wrap();
        // Knows the mode that makes a line feed return the carriage, which the library's parser does not ask.
        self.term.newline();
    }

    fn goto_col(&mut self, col: usize) {
        let (row, _) = self.cursor();
        self.move_to(row, col);
    }

    fn move_up(&mut self, rows: usize) {
        self.move_to(self.row_above(rows), self.cursor().1);
    }

    fn move_down(&mut self, rows: usize) {
        self.move_to(self.row_below(rows), self.cursor().1);
    }

    fn move_up_and_cr(&mut self, rows: usize) {
        self.move_to(self.row_above(rows), 0);
    }

    fn move_down_and_cr(&mut self, rows: usize) {
        self.move_to(self.row_below(rows), 0);
    }

    fn put_tab(&mut self, count: u16) {
        // At the last column a tab has nowhere to go; the wrap that is due stays due.
        if !self.term.grid().cursor.input_needs_wrap {
            self.has_changed = true;
            self.term.put_tab(count);
        }
    }

    fn move_backward_tabs(&mut self, count: u16) {
        self.forget_wrap();
        self.term.move_backward_tabs(count);
    }

    fn insert_blank(&mut self, count: usize) {
        self.forget_wrap();
        self.term.insert_blank(count);
    }

    fn reverse_index(&mut self) {
        self.forget_wrap();
        self.term.reverse_index();
    }

    fn insert_blank_lines(&mut self, lines: usize) {
        self.term.insert_blank_lines(lines);
        self.carriage_return();
    }

    fn delete_lines(&mut self, lines: usize) {
        self.term.delete_lines(lines);
        self.carriage_return();
    }

    fn clear_screen(&mut self, mode: ClearMode) {
        self.has_changed = true;
        if matches!(mode, ClearMode::Above) && self.cursor().0 == 1 {
            // The library leaves the first row when the cursor is on the second.
            self.term.grid_mut().reset_region(..Line(1));
        }
        self.term.clear_screen(mode);
    }

    fn set_scrolling_region(&mut self, top: usize, bottom: Option<usize>) {
        let rows = self.term.screen_lines();
        let bottom = bottom.unwrap_or(rows).min(rows);
        if top < bottom {
            self.has_changed = true;
            self.margins = (top.saturating_sub(1), bottom - 1);
            self.term.set_scrolling_region(top.max(1), Some(bottom));
        }
    }

    fn reset_state(&mut self) {
        self.has_changed = true;
        self.is_updating = false;
        self.title = None;
        self.main_saved_cursor = None;
        self.term.reset_state();
        self.reset_margins();
    }

    fn set_private_mode(&mut self, mode: PrivateMode) {
        match mode {
            PrivateMode::Named(NamedPrivateMode::SyncUpdate) => {
                self.has_changed = true;
                self.is_updating = true;
            }
            PrivateMode::Named(NamedPrivateMode::ColumnMode) => {
                self.reset_margins();
                self.term.set_private_mode(mode);
            }
            PrivateMode::Named(NamedPrivateMode::SwapScreenAndSetRestoreCursor) => {
                self.has_changed = true;
                self.main_saved_cursor = None;
                self.term.set_private_mode(mode);
            }
            PrivateMode::Unknown(47 | 1047) => self.show_alternate(true),
            PrivateMode::Unknown(1048) => self.save_cursor_position(),
            _ => {
                self.has_changed = true;
                self.term.set_private_mode(mode);
            }
        }
    }

    fn unset_private_mode(&mut self, mode: PrivateMode) {
        match mode {
            PrivateMode::Named(NamedPrivateMode::SyncUpdate) => {
                self.has_changed = true;
                self.is_updating = false;
            }
            PrivateMode::Named(NamedPrivateMode::ColumnMode) => {
                self.reset_margins();
                self.term.unset_private_mode(mode);
            }
            PrivateMode::Unknown(47 | 1047) => self.show_alternate(false),
            PrivateMode::Unknown(1048) => self.restore_cursor_position(),
            _ => {
                self.has_changed = true;
                self.term.unset_private_mode(mode);
            }
        }
    }

    fn report_mode(&mut self, mode: Mode) {
        self.term.report_mode(mode);
    }

    fn report_private_mode(&mut self, mode: PrivateMode) {
        let state = |is_set: bool| if is_set { 1 } else { 2 };
        match mode {
            PrivateMode::Named(NamedPrivateMode::SyncUpdate) => {
                let state = state(self.is_updating);
                self.reply(format_args!("\x1b[?2026;{state}$y"));
            }
            PrivateMode::Unknown(number @ (47 | 1047)) => {
                let state = state(self.is_alternate());
                self.reply(format_args!("\x1b[?{number};{state}$y"));
            }
            _ => self.term.report_private_mode(mode),
        }
    }

    fn identify_terminal(&mut self, intermediate: Option<char>) {
        // A VT220. The other forms of the query, like that for a version, have answers with a `>`, which a shell would take
        // for a redirection; no program needs them.
        if intermediate.is_none() {
            self.reply(format_args!("\x1b[?62c"));
        }
    }

    fn device_status(&mut self, what: usize) {
        if what == 6 {
            let (row, col) = self.reported_cursor();
            self.reply(format_args!("\x1b[{row};{col}R"));
        } else {
            self.term.device_status(what);
        }
    }

    fn dynamic_color_sequence(&mut self, prefix: String, index: usize, terminator: &str) {
        let ScreenSettings {
            foreground,
            background,
            ..
        } = self.settings;
        let color = self.term.colors()[index].map_or_else(
            || style::standard(index, foreground, background),
            style::Rgb::from,
        );
        let style::Rgb(red, green, blue) = color;
        self.reply(format_args!(
            "\x1b]{prefix};rgb:{red:02x}{red:02x}/{green:02x}{green:02x}/{blue:02x}{blue:02x}{terminator}"
        ));
    }

    fn text_area_size_pixels(&mut self) {
        let (rows, cols) = (self.term.screen_lines(), self.term.columns());
        self.reply(format_args!(
            "\x1b[4;{};{}t",
            rows * usize::from(CELL.1),
            cols * usize::from(CELL.0)
        ));
    }

    fn text_area_size_chars(&mut self) {
        self.term.text_area_size_chars();
    }

    fn bell(&mut self) {
        self.has_changed = true;
        self.bells += 1;
    }

    fn set_title(&mut self, title: Option<String>) {
        let title = title.map(|title| {
            let shown = title.chars().filter(|c| !c.is_control() && !is_deceptive(*c));
            shown.take(MAX_TITLE).collect()
        });
        self.has_changed = true;
        self.term.set_title(title);
        self.update_title();
    }

    fn pop_title(&mut self) {
        self.has_changed = true;
        self.term.pop_title();
        self.update_title();
    }

    /// Not kept: the target of a link may be as long as a string, for each cell.
    fn set_hyperlink(&mut self, _: Option<Hyperlink>) {}
}
