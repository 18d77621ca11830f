//! The front end for screen readers: `lathe --screen-reader`.
//!
//! Everything is said in lines that are only ever added to. There is no alternate screen, the cursor never moves, nothing
//! turns and nothing is coloured: the output holds no escape sequence at all. States are words, answers are numbers, and
//! the person's line is edited by the terminal itself, which stays in the mode that the shell left it in.
//!
//! ```text
//!   lines · signals · the terminal's end ──► run ──► ReaderSession ──► Console
//!                     ConversationEvents ──┤               ├──► Effect::Send ───► session::Handle
//!                           HostRequests ──┘               └──► Effect::Begin ──► HostRequests
//! ```
//!
//! [`reader_session`] decides what is said and sent and knows neither clock nor terminal. It is made of `spoken_text`
//! (said and not written yet), `reply_texts` (replies that stream), `calls` (calls that run or have ended),
//! `question_queue` (questions that wait) with `questions` (one with its numbered answers), `tasks` (tasks of the tree by
//! number), `pages` (what is looked up), `card_text` (a card as text) and `command` (lines that begin with `/`).
//! [`console`] reads and writes, `trust` is the question before the session, `conversation_events` listens to the tree and
//! to the task that the person is in, `op_queue` keeps what a busy session is sent again, and `host_requests` does what
//! takes its time.

mod approval;
mod calls;
mod card_text;
mod console;
mod conversation_events;
mod host_requests;
mod op_queue;
mod pages;
mod question_queue;
mod questions;
mod reader_session;
mod reply_texts;
mod spoken_text;
mod tasks;
mod trust;

pub use console::Console;
pub use trust::{TrustAnswer, ask_trust};

use std::time::Duration;

use jiff::tz::TimeZone;
use tokio::time::{Instant, sleep_until};

use crate::session::host::{Host, OpenedSession};
use crate::session::{Handle, SendError};
use console::{ConsoleInput, PromptNumber};
use conversation_events::ConversationEvents;
use host_requests::{HostRequests, RequestEnd};
use op_queue::{Outbox, SendOutcome};
use reader_session::{Effect, ReaderSession};

/// Time for which a question takes no answer after it was written: lines that are read until then were typed before.
const ANSWER_DELAY: Duration = Duration::from_secs(1);
/// `ctrl+c` leaves when it comes a second time within this.
const DOUBLE_INTERRUPT: Duration = Duration::from_secs(1);
/// Between two tries to hand something to a session that is busy.
const AGAIN: Duration = Duration::from_millis(20);

/// Why the program was left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScreenReaderExit {
    Quit,
    /// By this signal.
    Signal(i32),
}

impl ScreenReaderExit {
    /// Returns the exit status of the process.
    pub fn status(self) -> u8 {
        match self {
            Self::Quit => 0,
            Self::Signal(number) => u8::try_from(128 + number).unwrap_or(u8::MAX),
        }
    }
}

/// Why a session was left.
pub enum SessionExit {
    Ended(ScreenReaderExit),
    /// For this one.
    For(Box<OpenedSession>),
}

/// Everything that a conversation begins with.
pub struct ScreenReaderStart<'a> {
    pub session: &'a OpenedSession,
    pub host: &'a Host,
    /// Taken at once, like a line that is typed.
    pub prompt: Option<String>,
}

/// Speaks with the person until they leave the session.
pub async fn run(start: ScreenReaderStart<'_>, console: &mut Console) -> SessionExit {
    let ScreenReaderStart {
        session,
        host,
        prompt,
    } = start;
    let handle = &session.handle;
    let Ok((snapshot, events)) = handle.attach_with_tree().await else {
        console.say("The session has ended.\n");
        return SessionExit::Ended(ScreenReaderExit::Quit);
    };
    let cards = session.cards.clone();
    let notes: Vec<String> = session.notes.iter().cloned().collect();
    let mut reader = ReaderSession::new(&snapshot, cards.clone(), TimeZone::system(), &notes);
    let root = snapshot.info.id.clone();
    let mut conversations = ConversationEvents::new(root, handle.clone(), events);
    match prompt {
        Some(prompt) => reader.begin_with(&prompt),
        None => reader.prompt(),
    }
    let mut targets = EffectTargets {
        main: handle.clone(),
        outbox: Outbox::default(),
        host_requests: HostRequests::new(handle.clone(), host.clone()),
    };
    let mut timers = Timers::default();
    loop {
        let ended = targets.perform(&mut reader, conversations.task());
        console.say(&reader.take_text());
        if let Some(ended) = ended {
            return SessionExit::Ended(ended);
        }
        timers.set(&reader, console);
        reader.set_now(jiff::Timestamp::now().as_millisecond());
        let retry_at = Instant::now() + AGAIN;
        let ended = tokio::select! {
            biased;
            input = console.next_input() => handle_input(input, &mut reader, &mut timers),
            () = at(timers.ignores_input_until()) => {
                timers.accept_answers(&mut reader, console);
                None
            }
            () = at(timers.leaving_until) => {
                reader.cancel_leaving();
                None
            }
            () = sleep_until(retry_at), if !targets.outbox.is_empty() => None,
            done = targets.host_requests.next() => match done {
                RequestEnd::Opened(opened) => return SessionExit::For(opened),
                RequestEnd::Reported(report) => {
                    reader.take_report(report);
                    None
                }
                RequestEnd::Entered(entered) => {
                    conversations.enter(*entered, &mut reader);
                    None
                }
                RequestEnd::Returned(snapshot) => {
                    conversations.leave_task(snapshot.seq);
                    reader.return_to_main(&snapshot, cards.clone());
                    None
                }
            },
            next = conversations.next() => {
                let told = conversations.tell(next, &mut reader).await;
                told.err().map(|_| ScreenReaderExit::Quit)
            }
        };
        if let Some(ended) = ended {
            return SessionExit::Ended(ended);
        }
    }
}

/// Takes what comes from the person; says whether they are gone.
fn handle_input(
    input: ConsoleInput,
    reader: &mut ReaderSession,
    timers: &mut Timers,
) -> Option<ScreenReaderExit> {
    match input {
        ConsoleInput::Line(line) => reader.read(&line),
        ConsoleInput::Written(round) => timers.written(round),
        ConsoleInput::Quiet(round) => reader.accept_answers(round),
        ConsoleInput::Interrupt => reader.interrupt(),
        ConsoleInput::End => return Some(ScreenReaderExit::Quit),
        ConsoleInput::Signal(number) => return Some(ScreenReaderExit::Signal(number)),
    }
    None
}

/// Receivers of the effects.
struct EffectTargets {
    /// Of the main conversation.
    main: Handle,
    outbox: Outbox<OpTarget>,
    host_requests: HostRequests,
}

/// The session that an operation is for.
enum OpTarget {
    Main,
    Task(Handle),
}

impl EffectTargets {
    /// Says whether that is the end. `task` is the session of the task that the person is in.
    fn perform(&mut self, reader: &mut ReaderSession, task: Option<&Handle>) -> Option<ScreenReaderExit> {
        for effect in reader.take_effects() {
            match effect {
                Effect::Send(op) => {
                    let target = task.cloned().map_or(OpTarget::Main, OpTarget::Task);
                    self.outbox.push(target, op);
                }
                Effect::SendToMain(op) => self.outbox.push(OpTarget::Main, op),
                Effect::Begin(host_request) => {
                    self.host_requests.begin(host_request, task.unwrap_or(&self.main));
                }
                Effect::Leave => return Some(ScreenReaderExit::Quit),
            }
        }
        let main = &self.main;
        let sent = self.outbox.send(|target, op| match target {
            OpTarget::Main => main.send(op),
            // That a task's session has ended is told by its events.
            OpTarget::Task(task) => match task.send(op) {
                Err(SendError::Closed) => Ok(()),
                sent => sent,
            },
        });
        match sent {
            SendOutcome::Closed => return Some(ScreenReaderExit::Quit),
            SendOutcome::Waits { is_new: true } => {
                reader.say("The session is busy; your input is passed on in a moment.");
            }
            SendOutcome::Waits { is_new: false } | SendOutcome::All => {}
        }
        None
    }
}

/// Timers of the loop.
#[derive(Default)]
struct Timers {
    /// The question that the console was told to report.
    marked: Option<PromptNumber>,
    /// The question that was written, and the time until which it takes no answer.
    unheard_round: Option<(PromptNumber, Instant)>,
    leaving_until: Option<Instant>,
}

impl Timers {
    fn set(&mut self, reader: &ReaderSession, console: &Console) {
        if let Some(round) = reader.unheard_round()
            && self.marked != Some(round)
        {
            console.mark(round);
            self.marked = Some(round);
        }
        if !reader.is_leaving() {
            self.leaving_until = None;
        } else if self.leaving_until.is_none() {
            self.leaving_until = Some(Instant::now() + DOUBLE_INTERRUPT);
        }
    }

    /// The time of a question begins when all of it was written.
    fn written(&mut self, round: PromptNumber) {
        self.unheard_round = Some((round, Instant::now() + ANSWER_DELAY));
    }

    fn ignores_input_until(&self) -> Option<Instant> {
        self.unheard_round.map(|(_, until)| until)
    }

    /// An answer counts from now on; to a question only after what was begun before it is thrown away.
    fn accept_answers(&mut self, reader: &mut ReaderSession, console: &Console) {
        match self.unheard_round.take() {
            Some((round, _)) if reader.is_question(round) => console.discard_pending(round),
            Some((round, _)) => reader.accept_answers(round),
            None => {}
        }
    }
}

/// Waits until then, or for ever.
async fn at(instant: Option<Instant>) {
    match instant {
        Some(instant) => sleep_until(instant).await,
        None => std::future::pending().await,
    }
}
