//! One turn without a screen: `lathe run`.
//!
//! A front end like any other: it holds a handle, submits the prompt and prints what it hears until the turn has ended.
//! Nobody can answer here, so whatever has to be asked is denied, and the denial is both a result the model reads and an
//! event.

mod json;
mod text;

pub use json::tool_result;

use std::io::{self, Write};

use serde_json::Value;
use tokio::sync::mpsc;

use crate::session::{
    Done, Envelope, ErrorReport, Event, Handle, Input, Op, Receiver, RecvError, ReportKind, Snapshot,
};
use crate::text::json::inert;

/// How the run tells what happens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// The answer on stdout, progress on stderr.
    Text,
    /// One event a line on stdout.
    Json,
}

/// How the run ended; the exit status follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    Done(Done),
    Interrupted,
    /// The turn showed that a setting cannot be meant.
    Misconfigured,
}

impl Outcome {
    /// The process's exit status (INTERFACE: 0 stop, 1 error, length or step limit, 2 bad configuration, 130 interrupted).
    pub fn status(self) -> u8 {
        match self {
            Self::Done(Done::Stop) => 0,
            Self::Done(Done::Error | Done::Length | Done::MaxSteps) => 1,
            Self::Misconfigured => 2,
            Self::Done(Done::Cancelled) | Self::Interrupted => 130,
        }
    }
}

/// What an output format does with events.
trait Reporter {
    fn begin(&mut self, snapshot: &Snapshot) -> io::Result<()>;
    /// What the project brings is left out. Whoever started the run was told in words.
    fn untrusted(&mut self, report: &ErrorReport) -> io::Result<()>;
    fn event(&mut self, envelope: &Envelope) -> io::Result<()>;
    /// The turn has ended and everything was told.
    fn end(&mut self, done: Done) -> io::Result<()>;
}

/// Runs one turn to its end, without what an `untrusted` project brings. SIGINT and SIGTERM interrupt it; its calls get their results and the last line is written
/// all the same.
pub async fn run(
    handle: &Handle,
    input: Input,
    format: Format,
    untrusted: Option<&ErrorReport>,
) -> io::Result<Outcome> {
    let mut reporter: Box<dyn Reporter> = match format {
        Format::Text => Box::new(text::TextReporter::new(io::stdout(), io::stderr())),
        Format::Json => Box::new(json::JsonReporter::new(io::stdout())),
    };
    // Whoever reads the first line may send a signal at once.
    let stop = StopSignal::listen();
    let (snapshot, events) = handle.attach().await.map_err(io::Error::other)?;
    reporter.begin(&snapshot)?;
    if let Some(report) = untrusted {
        reporter.untrusted(report)?;
    }
    handle.send(Op::Submit(input)).map_err(io::Error::other)?;
    let mut heard = listen(handle.clone(), events, stop);
    let mut interrupted = false;
    let mut storage_failed = false;
    let mut misconfigured = false;
    while let Some(heard) = heard.recv().await {
        let envelope = match heard {
            Heard::Event(envelope) => envelope,
            Heard::Stop => {
                interrupted = true;
                continue;
            }
            Heard::End(error) => return Err(io::Error::other(error)),
        };
        let told = reporter.event(&envelope);
        if let Err(error) = told {
            // The reader is gone (`lathe run | head`): stop the work as well.
            let _ = handle.send(Op::Interrupt);
            return if error.kind() == io::ErrorKind::BrokenPipe {
                Ok(Outcome::Interrupted)
            } else {
                Err(error)
            };
        }
        match envelope.event {
            Event::Error(report) if report.kind == ReportKind::Storage => storage_failed = true,
            Event::Error(report) if report.kind == ReportKind::Config => misconfigured = true,
            Event::TurnEnded(done) => {
                let done = if storage_failed { Done::Error } else { done };
                reporter.end(done)?;
                return Ok(match done {
                    _ if interrupted => Outcome::Interrupted,
                    Done::Error if misconfigured => Outcome::Misconfigured,
                    done => Outcome::Done(done),
                });
            }
            _ => {}
        }
    }
    Err(io::Error::other(RecvError::Closed))
}

/// What reaches the run.
enum Heard {
    Event(Box<Envelope>),
    /// A signal came, and the turn was interrupted.
    Stop,
    End(RecvError),
}

/// Takes what comes as it comes: a reader of stdout that pauses must neither lose an event nor hold up a signal, and
/// both would happen if the events were fetched between two writes.
fn listen(handle: Handle, mut events: Receiver, mut signals: StopSignal) -> mpsc::UnboundedReceiver<Heard> {
    let (sender, receiver) = mpsc::unbounded_channel();
    tokio::spawn(async move {
        let mut was_told = false;
        loop {
            let heard = tokio::select! {
                () = signals.recv(), if !was_told => {
                    was_told = true;
                    let _ = handle.send(Op::Interrupt);
                    Heard::Stop
                }
                next = events.recv() => match next {
                    Ok(envelope) => Heard::Event(Box::new(envelope)),
                    Err(error) => Heard::End(error),
                },
            };
            let is_over = matches!(heard, Heard::End(_));
            if sender.send(heard).is_err() || is_over {
                return;
            }
        }
    });
    receiver
}

/// SIGINT and SIGTERM, from the moment it is made.
pub struct StopSignal {
    #[cfg(unix)]
    signals: Vec<tokio::signal::unix::Signal>,
}

impl StopSignal {
    pub fn listen() -> Self {
        #[cfg(unix)]
        {
            use tokio::signal::unix::{SignalKind, signal};
            let kinds = [SignalKind::interrupt(), SignalKind::terminate()];
            // One that cannot be caught ends the process as it always did.
            let signals = kinds.into_iter().filter_map(|kind| signal(kind).ok()).collect();
            Self { signals }
        }
        #[cfg(not(unix))]
        Self {}
    }

    /// Waits for one of them.
    pub async fn recv(&mut self) {
        #[cfg(unix)]
        {
            let waits = self.signals.iter_mut().map(|signal| Box::pin(signal.recv()));
            let waits: Vec<_> = waits.collect();
            if waits.is_empty() {
                return std::future::pending().await;
            }
            futures::future::select_all(waits).await;
        }
        #[cfg(not(unix))]
        let _ = tokio::signal::ctrl_c().await;
    }
}

/// Writes one JSON object on a line of its own.
fn write_line(out: &mut impl Write, value: &Value) -> io::Result<()> {
    out.write_all(format!("{}\n", inert(&value.to_string())).as_bytes())?;
    out.flush()
}

/// Prints an event that happens before there is a session to tell it: the `error` and the last line.
pub fn refuse(kind: ReportKind, message: &str, format: Format) -> io::Result<()> {
    match format {
        Format::Text => writeln!(io::stderr(), "lathe: {message}"),
        Format::Json => json::refuse(&mut io::stdout(), kind, message),
    }
}
