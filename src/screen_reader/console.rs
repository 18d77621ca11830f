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
const SHUTDOWN_GRACE: Duration = Duration::from_secs(1);
/// A line that was read just before the input was thrown away is told within this, and so before that is reported.
const PAUSE: Duration = Duration::from_millis(10);

/// A question that was put, by its number among them.
pub(super) type PromptNumber = u64;

/// Input from the person.
#[derive(Debug)]
pub(super) enum ConsoleInput {
    /// Without its line break.
    Line(String),
    /// `ctrl+c`.
    Interrupt,
    /// All that was said until this question was marked is written.
    Written(PromptNumber),
    /// Input that was typed until now is told or thrown away, a line that was only begun as well.
    Quiet(PromptNumber),
    /// The end of the input: `ctrl+d`, or the terminal is gone.
    End,
    Signal(i32),
}

/// Tasks of the writer, performed in this order.
enum WriterTask {
    Say(String),
    Mark(PromptNumber),
    Hush(PromptNumber),
}

pub struct Console {
    heard: mpsc::UnboundedReceiver<ConsoleInput>,
    /// Unbounded: what is said is bounded by what the session says, and kept there as well.
    said: blocking::Sender<WriterTask>,
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
        read_input(&sender)?;
        let (said, tasks) = blocking::channel();
        let (alive, written) = blocking::channel();
        thread::Builder::new()
            .name("lathe-words".to_owned())
            .spawn(move || write(&tasks, &sender, alive))?;
        Ok(Self { heard, said, written })
    }

    /// Adds a text to the output. It is sanitised by who made it.
    pub(super) fn say(&self, text: &str) {
        if !text.is_empty() {
            // A terminal that is gone is told by the end of its input.
            let _ = self.said.send(WriterTask::Say(text.to_owned()));
        }
    }

    /// Asks for a report once everything that was said is written.
    pub(super) fn mark(&self, round: PromptNumber) {
        let _ = self.said.send(WriterTask::Mark(round));
    }

    /// Throws away what was typed and not ended by a line break, so that it cannot become a part of an answer.
    pub(super) fn discard_pending(&self, round: PromptNumber) {
        let _ = self.said.send(WriterTask::Hush(round));
    }

    pub(super) async fn next_input(&mut self) -> ConsoleInput {
        self.heard.recv().await.unwrap_or(ConsoleInput::End)
    }

    /// Waits for a signal or `ctrl+c`, whatever else is typed.
    pub async fn interrupted(&mut self) {
        loop {
            match self.heard.recv().await {
                Some(ConsoleInput::Interrupt | ConsoleInput::Signal(_)) => return,
                Some(_) => {}
                None => std::future::pending().await,
            }
        }
    }

    /// Waits until everything is written.
    pub fn close(self) {
        drop(self.said);
        let _ = self.written.recv_timeout(SHUTDOWN_GRACE);
    }
}

fn read(heard: &mpsc::UnboundedSender<ConsoleInput>) {
    let mut input = io::stdin().lock();
    let mut bytes = Vec::new();
    loop {
        bytes.clear();
        let next = match input.read_until(b'\n', &mut bytes) {
            Ok(0) | Err(_) => ConsoleInput::End,
            Ok(_) => ConsoleInput::Line(
                String::from_utf8_lossy(&bytes)
                    .trim_end_matches(['\n', '\r'])
                    .to_owned(),
            ),
        };
        let is_over = matches!(next, ConsoleInput::End);
        if heard.send(next).is_err() || is_over {
            return;
        }
    }
}

/// `_alive` is dropped at the end.
fn write(
    tasks: &blocking::Receiver<WriterTask>,
    heard: &mpsc::UnboundedSender<ConsoleInput>,
    _alive: blocking::Sender<()>,
) {
    let mut output = io::stdout().lock();
    for task in tasks {
        let done = match task {
            WriterTask::Say(text) => output
                .write_all(text.as_bytes())
                .and_then(|()| output.flush())
                .map_err(|_| ConsoleInput::End)
                .err(),
            WriterTask::Mark(round) => Some(ConsoleInput::Written(round)),
            WriterTask::Hush(round) => {
                forget_input();
                thread::sleep(PAUSE);
                Some(ConsoleInput::Quiet(round))
            }
        };
        let is_over = matches!(done, Some(ConsoleInput::End));
        if let Some(done) = done {
            let _ = heard.send(done);
        }
        if is_over {
            return;
        }
    }
}

#[cfg(unix)]
fn forget_input() {
    // Input that is no terminal has no line that is only begun.
    let _ = rustix::termios::tcflush(io::stdin(), rustix::termios::QueueSelector::IFlush);
}

#[cfg(not(unix))]
fn forget_input() {}

#[cfg(unix)]
fn read_input(heard: &mpsc::UnboundedSender<ConsoleInput>) -> io::Result<()> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut interrupts = signal(SignalKind::interrupt())?;
    let sender = heard.clone();
    tokio::spawn(async move {
        while interrupts.recv().await.is_some() && sender.send(ConsoleInput::Interrupt).is_ok() {}
    });
    for kind in [SignalKind::terminate(), SignalKind::hangup()] {
        let mut signals = signal(kind)?;
        let sender = heard.clone();
        tokio::spawn(async move {
            while signals.recv().await.is_some()
                && sender.send(ConsoleInput::Signal(kind.as_raw_value())).is_ok()
            {}
        });
    }
    Ok(())
}

#[cfg(not(unix))]
fn read_input(heard: &mpsc::UnboundedSender<ConsoleInput>) -> io::Result<()> {
    let sender = heard.clone();
    tokio::spawn(async move {
        while tokio::signal::ctrl_c().await.is_ok() && sender.send(ConsoleInput::Interrupt).is_ok() {}
    });
    Ok(())
}
