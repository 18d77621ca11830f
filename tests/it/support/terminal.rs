//! The program on a terminal: a pseudo-terminal whose output is drawn by an emulator.
//!
//! Everything the program wrote is kept as well, because some promises show in the bytes alone: that the screen is
//! not cleared on every frame, that the alternate screen is left, that a frame is one synchronised update.

use std::ffi::{OsStr, OsString};
use std::fs::{File, OpenOptions};
use std::num::NonZeroU16;
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use portable_pty::{CommandBuilder, ExitStatus, MasterPty, PtySize, native_pty_system};
use rustix::process::{Pid, Signal, kill_process};
use rustix::termios::tcgetattr;

use super::binary::LATHE;
use super::deadline::{DEADLINE, Watched};
use super::emulator::{Answers, Reading, Screen, Writer, follow};
use super::keys::Key;
use super::project::Project;

/// The terminal's reaction to queries of the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Queries {
    /// Device attributes, the cursor's place, and a dark background.
    Answered,
    /// As on a terminal that knows none of them.
    Unanswered,
}

/// The program at work on a terminal. It is killed when this is dropped.
pub(crate) struct Terminal {
    screen: Arc<Watched<Screen>>,
    writer: Writer,
    master: Box<dyn MasterPty + Send>,
    tty: PathBuf,
    line_before: String,
    pid: Pid,
}

/// A screen cell, for tests of colour.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Cell {
    pub(crate) text: String,
    pub(crate) foreground: vt100::Color,
    pub(crate) background: vt100::Color,
    pub(crate) bold: bool,
    pub(crate) dim: bool,
    pub(crate) italic: bool,
    pub(crate) underline: bool,
    pub(crate) inverse: bool,
}

impl Terminal {
    /// Starts the program in the project, on a terminal that answers queries.
    #[track_caller]
    #[must_use]
    pub(crate) fn start(project: &Project, columns: u16, rows: u16, arguments: &[&str]) -> Self {
        Self::with_queries(project, columns, rows, arguments, Queries::Answered)
    }

    #[track_caller]
    #[must_use]
    pub(crate) fn with_queries(
        project: &Project,
        columns: u16,
        rows: u16,
        arguments: &[&str],
        queries: Queries,
    ) -> Self {
        let start = Start::new(LATHE, project)
            .args(arguments)
            .size(columns, rows)
            .queries(queries);
        start.spawn()
    }

    /// Starts another program, such as a shell or `env`, that starts ours.
    #[track_caller]
    #[must_use]
    pub(crate) fn program(
        program: impl AsRef<OsStr>,
        project: &Project,
        columns: u16,
        rows: u16,
        arguments: &[&str],
    ) -> Self {
        Start::new(program, project)
            .args(arguments)
            .size(columns, rows)
            .spawn()
    }

    /// Types text.
    pub(crate) fn keys(&self, text: &str) {
        self.send(text.as_bytes());
    }

    pub(crate) fn key(&self, key: Key) {
        self.send(&key.bytes());
    }

    /// Pastes as a terminal does: in brackets when the program has asked for them.
    pub(crate) fn paste(&self, text: &str) {
        let bracketed = self.screen.lock().emulator.screen().bracketed_paste();
        let text = if bracketed {
            format!("\x1b[200~{text}\x1b[201~")
        } else {
            text.replace('\n', "\r")
        };
        self.send(text.as_bytes());
    }

    /// Presses and releases the left button on a cell, counted from 0.
    pub(crate) fn click(&self, column: u16, row: u16) {
        let (column, row) = (column + 1, row + 1);
        self.send(format!("\x1b[<0;{column};{row}M\x1b[<0;{column};{row}m").as_bytes());
    }

    /// Turns the wheel: up when `lines` is negative.
    pub(crate) fn wheel(&self, column: u16, row: u16, lines: i32) {
        let button = if lines < 0 { 64 } else { 65 };
        let (column, row) = (column + 1, row + 1);
        for _ in 0..lines.abs() {
            self.send(format!("\x1b[<{button};{column};{row}M").as_bytes());
        }
    }

    pub(crate) fn send(&self, bytes: &[u8]) {
        let mut writer = self.writer.lock().unwrap();
        // A program that has just ended reads no more; the test sees that by what it waits for.
        let _ = writer.write_all(bytes).and_then(|()| writer.flush());
    }

    pub(crate) fn resize(&self, columns: u16, rows: u16) {
        // The emulator first: what is drawn for the new size must not meet the old one.
        self.screen.update(|screen| {
            screen
                .emulator
                .screen_mut()
                .set_size(non_zero(rows), non_zero(columns));
        });
        self.master.resize(size(columns, rows)).unwrap();
    }

    /// Has a cell be so many pixels wide and high.
    pub(crate) fn zoom(&self, width: u16, height: u16) {
        let (rows, columns) = self.screen.lock().emulator.screen().size();
        let mut size = size(columns.get(), rows.get());
        (size.pixel_width, size.pixel_height) = (columns.get() * width, rows.get() * height);
        self.master.resize(size).unwrap();
    }

    /// Changes how the terminal takes what is written to it.
    pub(crate) fn reads(&self, reading: Reading) {
        self.screen.update(|screen| screen.reading = reading);
    }

    /// The text of the screen, one line a row, without trailing blanks.
    pub(crate) fn screen(&self) -> String {
        self.screen.lock().text()
    }

    pub(crate) fn row(&self, row: u16) -> String {
        self.screen()
            .lines()
            .nth(row.into())
            .unwrap_or_default()
            .to_owned()
    }

    #[track_caller]
    pub(crate) fn cell(&self, column: u16, row: u16) -> Cell {
        let screen = self.screen.lock();
        let cell = screen
            .emulator
            .screen()
            .cell(row, column)
            .expect("a cell of the screen");
        Cell {
            text: cell.contents().to_owned(),
            foreground: cell.fgcolor(),
            background: cell.bgcolor(),
            bold: cell.bold(),
            dim: cell.dim(),
            italic: cell.italic(),
            underline: cell.underline(),
            inverse: cell.inverse(),
        }
    }

    /// All cells of the screen, row by row. A blank has no colour but its background.
    pub(crate) fn cells(&self) -> Vec<Vec<Cell>> {
        let (rows, columns) = self.screen.lock().emulator.screen().size();
        let cell = |column, row| {
            let mut cell = self.cell(column, row);
            if matches!(cell.text.as_str(), "" | " ") && !cell.underline && !cell.inverse {
                cell.text.clear();
                cell.foreground = vt100::Color::Default;
                (cell.bold, cell.dim, cell.italic) = (false, false, false);
            }
            cell
        };
        let row = |row| (0..columns.get()).map(|column| cell(column, row)).collect();
        (0..rows.get()).map(row).collect()
    }

    /// Column and row where a text starts, the first from the top.
    pub(crate) fn find(&self, text: &str) -> Option<(u16, u16)> {
        let screen = self.screen.lock();
        let (rows, columns) = screen.emulator.screen().size();
        (0..rows.get()).find_map(|row| {
            let cells = |from: u16| {
                let cell = |column| {
                    screen
                        .emulator
                        .screen()
                        .cell(row, column)
                        .map_or("", vt100::Cell::contents)
                };
                (from..columns.get())
                    .map(cell)
                    .map(|text| if text.is_empty() { " " } else { text })
                    .collect::<String>()
            };
            (0..columns.get())
                .find(|column| cells(*column).starts_with(text))
                .map(|column| (column, row))
        })
    }

    /// Column and row of the cursor, or `None` when it is hidden.
    pub(crate) fn cursor(&self) -> Option<(u16, u16)> {
        let screen = self.screen.lock();
        let screen = screen.emulator.screen();
        let (row, column) = screen.cursor_position();
        (!screen.hide_cursor()).then_some((column, row))
    }

    pub(crate) fn is_on_alternate_screen(&self) -> bool {
        self.screen.lock().emulator.screen().alternate_screen()
    }

    pub(crate) fn title(&self) -> String {
        self.screen.lock().emulator.callbacks().title.clone()
    }

    /// Returns the texts that the program put on the clipboard, still in base64, in order.
    pub(crate) fn clipboard(&self) -> Vec<String> {
        self.screen.lock().emulator.callbacks().clipboard.clone()
    }

    /// All that the program wrote.
    pub(crate) fn raw(&self) -> Vec<u8> {
        self.screen.lock().raw.clone()
    }

    /// How much the program has written: a place to count from.
    pub(crate) fn mark(&self) -> usize {
        self.screen.lock().raw.len()
    }

    /// Returns the bytes that the program wrote since a mark.
    pub(crate) fn raw_since(&self, mark: usize) -> Vec<u8> {
        self.screen.lock().raw[mark..].to_vec()
    }

    /// How often the whole screen was cleared since a mark, at once or from its first cell on.
    pub(crate) fn clears_since(&self, mark: usize) -> usize {
        let raw = self.raw_since(mark);
        count(&raw, b"\x1b[2J") + count(&raw, b"\x1b[1;1H\x1b[J")
    }

    /// How many synchronised updates, which are frames, were drawn since a mark.
    pub(crate) fn frames_since(&self, mark: usize) -> usize {
        count(&self.raw_since(mark), b"\x1b[?2026h")
    }

    /// Waits until the text of the screen satisfies the condition, and gives it.
    #[track_caller]
    pub(crate) fn wait_for(&self, condition: impl Fn(&str) -> bool) -> String {
        self.wait_for_screen("a condition", condition)
    }

    /// Waits until the text is on the screen, within one row, and gives the screen.
    #[track_caller]
    pub(crate) fn wait_text(&self, text: &str) -> String {
        self.wait_for_screen(&format!("the text {text:?}"), |screen| screen.contains(text))
    }

    /// Waits until the text is on the screen so many times, or the program has ended; says whether it is the text.
    #[track_caller]
    pub(crate) fn wait_count_or_exit(&self, text: &str, count: usize) -> bool {
        let came = self.screen.wait_for(DEADLINE, |screen| {
            let has_it = screen.text().matches(text).count() >= count;
            (has_it || screen.exit.is_some()).then_some(has_it)
        });
        came.unwrap_or_else(|| {
            panic!(
                "waited {DEADLINE:?} in vain for {text:?} or the end:\n{}",
                self.story()
            )
        })
    }

    /// Waits until the text is no more on the screen.
    #[track_caller]
    pub(crate) fn wait_gone(&self, text: &str) -> String {
        self.wait_for_screen(&format!("the text {text:?} to go"), |screen| {
            !screen.contains(text)
        })
    }

    /// Waits until nothing was written for this long: what was drawn is whole.
    #[track_caller]
    pub(crate) fn wait_quiet(&self, quiet: Duration) -> String {
        let deadline = Instant::now() + DEADLINE;
        loop {
            let since = self.screen.lock().changed;
            let left = (since + quiet).saturating_duration_since(Instant::now());
            let changed = self
                .screen
                .wait_for(left, |screen| (screen.changed != since).then_some(()));
            if changed.is_none() {
                return self.screen();
            }
            assert!(
                Instant::now() < deadline,
                "the screen does not come to rest:\n{}",
                self.story()
            );
        }
    }

    #[track_caller]
    fn wait_for_screen(&self, what: &str, condition: impl Fn(&str) -> bool) -> String {
        let found = self.screen.wait_for(DEADLINE, |screen| {
            let text = screen.text();
            let fits = condition(&text);
            (fits || screen.closed).then_some((fits, text))
        });
        match found {
            Some((true, text)) => text,
            Some((false, _)) => panic!("the program ended before {what} came:\n{}", self.story()),
            None => panic!("waited {DEADLINE:?} in vain for {what}:\n{}", self.story()),
        }
    }

    pub(crate) fn pid(&self) -> Pid {
        self.pid
    }

    #[track_caller]
    pub(crate) fn signal(&self, signal: Signal) {
        kill_process(self.pid, signal).unwrap();
    }

    /// Waits for the program's end and for the last of what it wrote.
    #[track_caller]
    pub(crate) fn wait_exit(&self) -> ExitStatus {
        let exit = self.screen.wait_for(DEADLINE, |screen| screen.exit.clone());
        let exit = exit.unwrap_or_else(|| panic!("the program did not end:\n{}", self.story()));
        // Someone who was left behind may hold the terminal; then the rest is not waited for.
        let _ = self
            .screen
            .wait_for(Duration::from_secs(2), |screen| screen.closed.then_some(()));
        exit
    }

    /// Asserts that the terminal is as it was found: the line discipline, the screen, the cursor and the modes.
    #[track_caller]
    pub(crate) fn assert_restored(&self) {
        assert_eq!(
            self.line_before,
            line_discipline(&self.tty),
            "the line discipline was changed"
        );
        let screen = self.screen.lock();
        let screen = screen.emulator.screen();
        assert!(
            !screen.alternate_screen(),
            "the alternate screen was not left:\n{}",
            screen.contents()
        );
        assert!(!screen.hide_cursor(), "the cursor is hidden");
        assert!(!screen.bracketed_paste(), "pastes are still bracketed");
        assert_eq!(
            screen.mouse_protocol_mode(),
            vt100::MouseProtocolMode::None,
            "the mouse is still watched"
        );
    }

    fn story(&self) -> String {
        let screen = self.screen.lock();
        let rule = "─".repeat(screen.emulator.screen().size().1.get().into());
        let tail = &screen.raw[screen.raw.len().saturating_sub(400)..];
        let tail = tail.escape_ascii();
        format!(
            "{rule}\n{}\n{rule}\nexit: {:?}\nthe last it wrote: {tail}",
            screen.text(),
            screen.exit
        )
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        if self.screen.lock().exit.is_none() {
            let _ = kill_process(self.pid, Signal::KILL);
            // It may be making a file; its directories are removed next.
            self.screen.wait_for(DEADLINE, |screen| screen.exit.clone());
        }
    }
}

/// A start on a terminal.
struct Start {
    command: CommandBuilder,
    columns: u16,
    rows: u16,
    queries: Queries,
}

impl Start {
    fn new(program: impl AsRef<OsStr>, project: &Project) -> Self {
        let mut command = CommandBuilder::new(program);
        command.env_clear();
        command.cwd(project.root());
        for (name, value) in project.environment() {
            command.env(name, value);
        }
        Self {
            command,
            columns: 80,
            rows: 24,
            queries: Queries::Answered,
        }
    }

    fn args(mut self, arguments: &[&str]) -> Self {
        self.command.args(arguments.iter().map(OsString::from));
        self
    }

    fn size(mut self, columns: u16, rows: u16) -> Self {
        (self.columns, self.rows) = (columns, rows);
        self
    }

    fn queries(mut self, queries: Queries) -> Self {
        self.queries = queries;
        self
    }

    #[track_caller]
    fn spawn(self) -> Terminal {
        let pair = native_pty_system()
            .openpty(size(self.columns, self.rows))
            .unwrap();
        let tty = pair.master.tty_name().expect("a terminal has a name");
        let line_before = line_discipline(&tty);
        let mut child = pair.slave.spawn_command(self.command).unwrap();
        // While we hold the other end, the end of the output never comes.
        drop(pair.slave);
        let pid = child.process_id().expect("a child that was not waited for");
        let pid = Pid::from_raw(pid as i32).expect("a process has a number");
        let writer: Writer = Arc::new(Mutex::new(pair.master.take_writer().unwrap()));
        let answers = Answers {
            writer: (self.queries == Queries::Answered).then(|| Arc::clone(&writer)),
            title: String::new(),
            clipboard: Vec::new(),
        };
        let emulator =
            vt100::Parser::new_with_callbacks(non_zero(self.rows), non_zero(self.columns), 0, answers);
        let screen = Arc::new(Watched::new(Screen {
            reading: Reading::AtOnce,
            emulator,
            raw: Vec::new(),
            changed: Instant::now(),
            closed: false,
            exit: None,
        }));

        let reader = pair.master.try_clone_reader().unwrap();
        let read = Arc::clone(&screen);
        thread::spawn(move || follow(reader, &read));
        let waited = Arc::clone(&screen);
        thread::spawn(move || {
            let exit = child.wait().unwrap();
            waited.update(|screen| screen.exit = Some(exit));
        });
        Terminal {
            screen,
            writer,
            master: pair.master,
            tty,
            line_before,
            pid,
        }
    }
}

/// The settings of a terminal line, to compare: they have no equality of their own.
fn line_discipline(tty: &PathBuf) -> String {
    // Opened anew each time, because a line that we hold open would hide that the program has closed it.
    let mut options = OpenOptions::new();
    let no_controlling_terminal = rustix::fs::OFlags::NOCTTY.bits() as i32;
    let line: File = options
        .read(true)
        .write(true)
        .custom_flags(no_controlling_terminal)
        .open(tty)
        .unwrap();
    format!("{:?}", tcgetattr(&line).unwrap())
}

fn size(columns: u16, rows: u16) -> PtySize {
    PtySize {
        rows,
        cols: columns,
        pixel_width: 0,
        pixel_height: 0,
    }
}

fn non_zero(number: u16) -> NonZeroU16 {
    NonZeroU16::new(number).expect("a terminal has cells")
}

fn count(bytes: &[u8], needle: &[u8]) -> usize {
    bytes
        .windows(needle.len())
        .filter(|window| *window == needle)
        .count()
}

#[cfg(test)]
mod tests;
