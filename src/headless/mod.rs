//! One turn without a screen: `lathe run`.
//!
//! A front end like any other: it holds a handle, submits the prompt and prints what it hears until the turn and all tasks
//! have ended.
//! Nobody can answer here, so whatever has to be asked is denied, and the denial is both a result the model reads and an
//! event.

mod json;
#[cfg(unix)]
mod reader_watch;
mod task_lines;
mod text;

pub use json::tool_result;

use std::collections::HashSet;
use std::io::{self, Write};
use std::path::PathBuf;
use std::pin::pin;

use serde_json::Value;
use tokio::sync::mpsc;

use crate::conversation::{CallId, ModelRef, SessionId, TaskId};
use crate::session::host::OpenedSession;
use crate::session::query::{Answer, Query};
use crate::session::{
    Envelope, ErrorReport, Event, Handle, Input, Op, Receiver, RecvError, ReportKind, Snapshot, TaskOp,
    TurnEndReason,
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
pub enum RunOutcome {
    Done(TurnEndReason),
    Interrupted,
    /// The turn showed that a setting cannot be meant.
    Misconfigured,
}

impl RunOutcome {
    /// The process's exit status (INTERFACE: 0 stop, 1 error, length or step limit, 2 bad configuration, 130 interrupted).
    pub fn status(self) -> u8 {
        match self {
            Self::Done(TurnEndReason::Stop) => 0,
            Self::Done(TurnEndReason::Error | TurnEndReason::Length | TurnEndReason::MaxSteps) => 1,
            Self::Misconfigured => 2,
            Self::Done(TurnEndReason::Cancelled) | Self::Interrupted => 130,
        }
    }
}

/// An output format, which tells events.
trait Reporter {
    fn begin(&mut self, snapshot: &Snapshot) -> io::Result<()>;
    /// Tells what whoever started the run is told in words besides.
    fn report(&mut self, report: &ErrorReport) -> io::Result<()>;
    /// Files that the prompt names are left out.
    fn left_out(&mut self, report: &ErrorReport) -> io::Result<()>;
    fn event(&mut self, envelope: &Envelope) -> io::Result<()>;
    /// The turn has ended and everything was told. So many calls were refused because nobody could answer.
    fn end(&mut self, done: TurnEndReason, denied: usize) -> io::Result<()>;
}

/// The end of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RunEnd {
    pub outcome: RunOutcome,
    /// Calls that were refused because nobody could answer.
    pub denied: usize,
}

/// Runs one turn to its end, without what an `untrusted` project brings. SIGINT and SIGTERM interrupt it; its calls get their
/// results and the last line is written all the same, also where the turn is lost.
pub async fn run(
    session: &OpenedSession,
    input: Input,
    format: Format,
    untrusted: Option<&ErrorReport>,
) -> io::Result<RunEnd> {
    let mut reporter: Box<dyn Reporter> = match format {
        Format::Text => {
            let cards = session.cards.clone();
            Box::new(text::TextReporter::new(io::stdout(), io::stderr(), cards))
        }
        Format::Json => Box::new(json::JsonReporter::new(io::stdout())),
    };
    let ended = follow(&session.handle, input, &mut *reporter, untrusted).await;
    if let Err(error) = &ended {
        if error.kind() == io::ErrorKind::BrokenPipe {
            // The reader is gone (`lathe run | head`): stop the work as well.
            interrupt(&session.handle);
            return Ok(RunEnd {
                outcome: RunOutcome::Interrupted,
                denied: 0,
            });
        }
        let report = ErrorReport::new(ReportKind::Internal, error.to_string());
        // If that cannot be written either, the error itself is told.
        let _ = reporter
            .report(&report)
            .and_then(|()| reporter.end(TurnEndReason::Error, 0));
    }
    ended
}

async fn follow(
    handle: &Handle,
    input: Input,
    reporter: &mut dyn Reporter,
    untrusted: Option<&ErrorReport>,
) -> io::Result<RunEnd> {
    // Whoever reads the first line may send a signal at once.
    let stop = StopSignal::forward_events();
    let (snapshot, events) = handle.attach_with_all().await.map_err(io::Error::other)?;
    reporter.begin(&snapshot)?;
    if let Some(report) = untrusted {
        reporter.report(report)?;
    }
    handle.send(Op::Submit(input)).map_err(io::Error::other)?;
    let mut heard = forward_events(handle.clone(), events, stop);
    let mut progress = RunProgress::of(&snapshot);
    let mut left_out = 0;
    while let Some(heard) = heard.recv().await {
        let envelope = match heard {
            RunInput::Event(envelope) => envelope,
            RunInput::Stop => {
                progress.is_interrupted = true;
                continue;
            }
            RunInput::ReaderGone => return Err(io::ErrorKind::BrokenPipe.into()),
            RunInput::End(error) => return Err(io::Error::other(error)),
        };
        if let Err(error) = reporter.event(&envelope) {
            interrupt(handle);
            return Err(error);
        }
        if let Event::Unread { input, report, why } = &envelope.event
            && envelope.session == snapshot.info.id
        {
            let Some(rest) = without_unread(input, left_out) else {
                reporter.left_out(report)?;
                reporter.end(TurnEndReason::Error, 0)?;
                return Ok(progress.ended(RunOutcome::Done(TurnEndReason::Error)));
            };
            left_out = rest.without.len();
            reporter.left_out(&goes_without(why))?;
            handle.send(Op::Submit(rest)).map_err(io::Error::other)?;
        }
        progress.take_event(&envelope);
        if let Some(done) = progress.end(handle).await {
            let done = progress.reason(done);
            reporter.end(done, progress.denied.len())?;
            return Ok(progress.ended(progress.outcome(done)));
        }
    }
    Err(io::Error::other(RecvError::Closed))
}

/// Stops the turn and all tasks. A session that hears nothing any more has ended.
fn interrupt(handle: &Handle) {
    let _ = handle.send(Op::Interrupt);
    let _ = handle.send(Op::Task(TaskOp::CancelAll));
}

/// Events of a run so far, as far as its end depends on them.
struct RunProgress {
    root: SessionId,
    /// The last event of the root's own stream that was read.
    seq: u64,
    /// How the root's last turn ended; `None` while one runs.
    turn_end: Option<TurnEndReason>,
    /// Tasks that are queued or running.
    tasks: HashSet<TaskId>,
    /// A task was started in this run, so that the end of a turn need not be the end.
    has_tasks: bool,
    is_interrupted: bool,
    storage_failed: bool,
    is_misconfigured: bool,
    /// The prompt's files are read, and a turn was announced that has not begun.
    is_preparing: bool,
    denied: HashSet<CallId>,
}

impl RunProgress {
    fn of(snapshot: &Snapshot) -> Self {
        Self {
            root: snapshot.info.id.clone(),
            seq: snapshot.seq,
            turn_end: None,
            tasks: HashSet::new(),
            has_tasks: false,
            is_interrupted: false,
            storage_failed: false,
            is_misconfigured: false,
            is_preparing: false,
            denied: HashSet::new(),
        }
    }

    /// Takes in an event of any session of the tree.
    fn take_event(&mut self, envelope: &Envelope) {
        if envelope.session == self.root && !envelope.event.is_of_tree() {
            self.seq = envelope.seq;
        }
        match &envelope.event {
            Event::Settled(settled) if settled.is_unattended() => {
                self.denied.insert(settled.call.clone());
            }
            Event::Task(task) if task.status.is_ended() => {
                self.tasks.remove(&task.task);
            }
            Event::Task(task) => {
                self.has_tasks = true;
                self.tasks.insert(task.task.clone());
            }
            event if envelope.session == self.root => self.take_root_event(event),
            _ => {}
        }
    }

    fn take_root_event(&mut self, event: &Event) {
        match event {
            Event::Error(report) if report.kind == ReportKind::Storage => self.storage_failed = true,
            Event::Error(report) if report.kind == ReportKind::Config => self.is_misconfigured = true,
            Event::Preparing => self.is_preparing = true,
            Event::TurnStarted => {
                self.is_preparing = false;
                self.turn_end = None;
            }
            // It was announced before the prompt came back, and follows when that is sent again.
            Event::TurnEnded(_) if self.is_preparing && !self.is_interrupted => self.is_preparing = false,
            Event::TurnEnded(_) if self.storage_failed => self.turn_end = Some(TurnEndReason::Error),
            Event::TurnEnded(done) => self.turn_end = Some(*done),
            // Interrupted while its files were read, so that no turn begins.
            Event::Refused(_) if self.is_interrupted => self.turn_end = Some(TurnEndReason::Cancelled),
            _ => {}
        }
    }

    /// Returns how the run ends, once nothing goes on any more: tasks have ended, and the root was told of them.
    async fn end(&self, handle: &Handle) -> Option<TurnEndReason> {
        let done = self.turn_end.filter(|_| self.tasks.is_empty())?;
        if !self.has_tasks || self.is_interrupted {
            return Some(done);
        }
        match handle.ask(Query::AtWork).await {
            Ok(Answer::AtWork { is_at_work: true, .. }) => None,
            // The end of a task may have begun a turn that has ended by now, and its events are still to be read.
            Ok(Answer::AtWork { seq, .. }) if seq > self.seq => None,
            _ => Some(done),
        }
    }

    /// Returns the reason that is told where the last turn ended so: a signal that came after it has cancelled the run as well,
    /// since it has ended the tasks.
    fn reason(&self, done: TurnEndReason) -> TurnEndReason {
        if self.is_interrupted {
            TurnEndReason::Cancelled
        } else {
            done
        }
    }

    fn outcome(&self, done: TurnEndReason) -> RunOutcome {
        match done {
            _ if self.is_interrupted => RunOutcome::Interrupted,
            TurnEndReason::Error if self.is_misconfigured => RunOutcome::Misconfigured,
            done => RunOutcome::Done(done),
        }
    }

    fn ended(&self, outcome: RunOutcome) -> RunEnd {
        RunEnd {
            outcome,
            denied: self.denied.len(),
        }
    }
}

/// Returns a prompt that came back without the files that cannot be read, or that only a person could allow; `None` when it
/// was without them already.
fn without_unread(input: &Input, left_out: usize) -> Option<Input> {
    let mut rest = input.clone();
    rest.without.append(&mut rest.meant);
    (rest.without.len() > left_out).then_some(rest)
}

fn goes_without(why: &str) -> ErrorReport {
    let message = format!("A file named in the prompt is not attached: {why}.");
    ErrorReport::new(ReportKind::BadRequest, message)
}

/// An input of the run.
enum RunInput {
    Event(Box<Envelope>),
    /// A signal came, and the turn was interrupted.
    Stop,
    /// Nobody reads what is printed any more.
    ReaderGone,
    End(RecvError),
}

/// Takes what comes as it comes: a reader of stdout that pauses must neither lose an event nor hold up a signal, and
/// both would happen if the events were fetched between two writes.
fn forward_events(
    handle: Handle,
    mut events: Receiver,
    mut signals: StopSignal,
) -> mpsc::UnboundedReceiver<RunInput> {
    let (sender, receiver) = mpsc::unbounded_channel();
    tokio::spawn(async move {
        let mut was_told = false;
        let mut reader = pin!(reader_gone());
        loop {
            let heard = tokio::select! {
                () = &mut reader, if !was_told => RunInput::ReaderGone,
                () = signals.recv(), if !was_told => {
                    was_told = true;
                    interrupt(&handle);
                    RunInput::Stop
                }
                next = events.recv() => match next {
                    Ok(envelope) => RunInput::Event(Box::new(envelope)),
                    Err(error) => RunInput::End(error),
                },
            };
            let is_over = matches!(heard, RunInput::End(_) | RunInput::ReaderGone);
            if sender.send(heard).is_err() || is_over {
                return;
            }
        }
    });
    receiver
}

/// Waits until nobody reads stdout any more.
async fn reader_gone() {
    #[cfg(unix)]
    if let Some(gone) = reader_watch::watch()
        && gone.await.is_ok()
    {
        return;
    }
    std::future::pending::<()>().await;
}

/// SIGINT and SIGTERM, from the moment it is made.
pub struct StopSignal {
    #[cfg(unix)]
    signals: Vec<tokio::signal::unix::Signal>,
}

impl StopSignal {
    pub fn forward_events() -> Self {
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

/// The known facts of a session that could not be opened.
#[derive(Debug, Clone, Default)]
pub struct UnopenedSession {
    /// The one that was to go on.
    pub session: Option<SessionId>,
    /// As it was asked for.
    pub model: Option<ModelRef>,
    pub agent: Option<String>,
    pub cwd: PathBuf,
}

/// Prints the events of a run that has no session: one that names it, the error and the last line.
pub fn refuse(unopened: &UnopenedSession, report: &ErrorReport) -> io::Result<()> {
    json::refuse(&mut io::stdout(), unopened, report)
}
