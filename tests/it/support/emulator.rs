//! A terminal that does with a program's output what a real one does: draw it, keep it and, when it is asked, answer.

use std::io::{Read, Write};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use portable_pty::ExitStatus;

use super::deadline::Watched;

/// The way to the program.
pub(super) type Writer = Arc<Mutex<Box<dyn Write + Send>>>;

/// How a terminal takes what is written to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reading {
    AtOnce,
    /// So many bytes a second, as over a bad link.
    Slowly(usize),
    /// Not at all, until that is changed: a multiplexer that is stopped.
    Not,
}

/// Between two looks of a terminal that reads slowly.
const SIP: Duration = Duration::from_millis(20);

/// The data that the reader thread keeps.
pub(super) struct Screen {
    pub(super) reading: Reading,
    pub(super) emulator: vt100::Parser<Answers>,
    pub(super) raw: Vec<u8>,
    /// When the last byte came.
    pub(super) changed: Instant,
    /// The program has closed the terminal.
    pub(super) closed: bool,
    pub(super) exit: Option<ExitStatus>,
}

impl Screen {
    pub(super) fn text(&self) -> String {
        let columns = self.emulator.screen().size().1.get();
        let rows: Vec<String> = self
            .emulator
            .screen()
            .rows(0, columns)
            .map(|row| row.trim_end().to_owned())
            .collect();
        rows.join("\n").trim_end().to_owned()
    }
}

/// Draws until the program has closed the terminal.
pub(super) fn follow(mut reader: impl Read, screen: &Watched<Screen>) {
    let mut buffer = vec![0; 64 * 1024];
    loop {
        let reading = screen.lock().reading;
        let room = match reading {
            Reading::AtOnce => buffer.len(),
            Reading::Slowly(speed) => {
                thread::sleep(SIP);
                (speed * SIP.as_millis() as usize / 1000).clamp(1, buffer.len())
            }
            Reading::Not => {
                let patience = Duration::from_secs(1);
                screen.wait_for(patience, |screen| (screen.reading != Reading::Not).then_some(()));
                continue;
            }
        };
        let Ok(read @ 1..) = reader.read(&mut buffer[..room]) else {
            break;
        };
        screen.update(|screen| {
            screen.raw.extend_from_slice(&buffer[..read]);
            screen.emulator.process(&buffer[..read]);
            screen.changed = Instant::now();
        });
    }
    screen.update(|screen| screen.closed = true);
}

/// Answers what the emulator leaves to others, and keeps the title and the clipboard.
pub(super) struct Answers {
    /// Absent on a terminal that does not answer.
    pub(super) writer: Option<Writer>,
    pub(super) title: String,
    pub(super) clipboard: Vec<String>,
}

impl Answers {
    fn reply(&self, text: &str) {
        if let Some(writer) = &self.writer {
            let _ = writer.lock().unwrap().write_all(text.as_bytes());
        }
    }
}

impl vt100::Callbacks for Answers {
    fn set_window_title(&mut self, _: &mut vt100::Screen, title: &[u8]) {
        self.title = String::from_utf8_lossy(title).into_owned();
    }

    fn copy_to_clipboard(&mut self, _: &mut vt100::Screen, _kind: &[u8], data: &[u8]) {
        self.clipboard.push(String::from_utf8_lossy(data).into_owned());
    }

    fn unhandled_csi(
        &mut self,
        screen: &mut vt100::Screen,
        first: Option<u8>,
        _second: Option<u8>,
        parameters: &[&[u16]],
        last: char,
    ) {
        let parameter = parameters
            .first()
            .and_then(|parameter| parameter.first())
            .copied()
            .unwrap_or(0);
        match (first, last, parameter) {
            (None, 'c', 0) => self.reply("\x1b[?62;22c"),
            (None, 'n', 5) => self.reply("\x1b[0n"),
            (None, 'n', 6) => {
                let (row, column) = screen.cursor_position();
                self.reply(&format!("\x1b[{};{}R", row + 1, column + 1));
            }
            _ => {}
        }
    }

    fn unhandled_osc(&mut self, _: &mut vt100::Screen, parameters: &[&[u8]]) {
        match parameters {
            [b"10", b"?"] => self.reply("\x1b]10;rgb:dcdc/dcdc/dcdc\x1b\\"),
            [b"11", b"?"] => self.reply("\x1b]11;rgb:1616/1616/1616\x1b\\"),
            _ => {}
        }
    }
}
