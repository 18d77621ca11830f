//! The terminal as a line printer with a keyboard: lines in, text out, signals.
//!
//! Reading and writing each have a thread of their own, because both may block for as long as the person likes (`ctrl+s`
//! holds the output), and the session goes on meanwhile. The reader's thread ends with the process.

use std::io::{self, BufRead, Write};
use std::sync::mpsc as blocking;
use std::thread;
use std::time::Duration;

use tokio::sync::mpsc;

/// A terminal that takes nothing more is left with what it has not taken.
const FAREWELL: Duration = Duration::from_secs(1);

/// What comes from the person.
#[derive(Debug)]
pub(super) enum Heard {
    /// Without its line break.
    Line(String),
    /// `ctrl+c`.
    Interrupt,
    /// The end of the input: `ctrl+d`, or the terminal is gone.
    End,
    Signal(i32),
}

pub struct Console {
    heard: mpsc::UnboundedReceiver<Heard>,
    /// Unbounded: what is said is bounded by what the session says, and kept there as well.
    said: blocking::Sender<String>,
    /// Closed when all of it is written.
    written: blocking::Receiver<()>,
}

impl Console {
    /// Takes standard input and output. Must be called where signals can be listened to: in a runtime.
    pub fn open() -> io::Result<Self> {
        let (sender, heard) = mpsc::unbounded_channel();
        let lines = sender.clone();
        thread::Builder::new()
            .name("lathe-lines".to_owned())
            .spawn(move || read(&lines))?;
        listen(&sender)?;
        let (said, texts) = blocking::channel();
        let (alive, written) = blocking::channel();
        thread::Builder::new()
            .name("lathe-words".to_owned())
            .spawn(move || write(&texts, &sender, alive))?;
        Ok(Self { heard, said, written })
    }

    /// Adds a text to the output. It is sanitised by who made it.
    pub(super) fn say(&self, text: &str) {
        if !text.is_empty() {
            // A terminal that is gone is told by the end of its input.
            let _ = self.said.send(text.to_owned());
        }
    }

    pub(super) async fn heard(&mut self) -> Heard {
        self.heard.recv().await.unwrap_or(Heard::End)
    }

    /// Waits until everything is written.
    pub fn close(self) {
        drop(self.said);
        let _ = self.written.recv_timeout(FAREWELL);
    }
}

fn read(heard: &mpsc::UnboundedSender<Heard>) {
    let mut input = io::stdin().lock();
    let mut bytes = Vec::new();
    loop {
        bytes.clear();
        let next = match input.read_until(b'\n', &mut bytes) {
            Ok(0) | Err(_) => Heard::End,
            Ok(_) => Heard::Line(
                String::from_utf8_lossy(&bytes)
                    .trim_end_matches(['\n', '\r'])
                    .to_owned(),
            ),
        };
        let is_over = matches!(next, Heard::End);
        if heard.send(next).is_err() || is_over {
            return;
        }
    }
}

/// `_alive` is dropped at the end.
fn write(
    texts: &blocking::Receiver<String>,
    heard: &mpsc::UnboundedSender<Heard>,
    _alive: blocking::Sender<()>,
) {
    let mut output = io::stdout().lock();
    for text in texts {
        if output
            .write_all(text.as_bytes())
            .and_then(|()| output.flush())
            .is_err()
        {
            let _ = heard.send(Heard::End);
            return;
        }
    }
}

#[cfg(unix)]
fn listen(heard: &mpsc::UnboundedSender<Heard>) -> io::Result<()> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut interrupts = signal(SignalKind::interrupt())?;
    let sender = heard.clone();
    tokio::spawn(async move {
        while interrupts.recv().await.is_some() && sender.send(Heard::Interrupt).is_ok() {}
    });
    for kind in [SignalKind::terminate(), SignalKind::hangup()] {
        let mut signals = signal(kind)?;
        let sender = heard.clone();
        tokio::spawn(async move {
            if signals.recv().await.is_some() {
                let _ = sender.send(Heard::Signal(kind.as_raw_value()));
            }
        });
    }
    Ok(())
}

#[cfg(not(unix))]
fn listen(heard: &mpsc::UnboundedSender<Heard>) -> io::Result<()> {
    let sender = heard.clone();
    tokio::spawn(async move {
        while tokio::signal::ctrl_c().await.is_ok() && sender.send(Heard::Interrupt).is_ok() {}
    });
    Ok(())
}
