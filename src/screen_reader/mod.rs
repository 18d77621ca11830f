//! The front end for screen readers: `lathe --screen-reader`.
//!
//! Everything is said in lines that are only ever added to. There is no alternate screen, the cursor never moves, nothing
//! turns and nothing is coloured: the output holds no escape sequence at all. States are words, answers are numbers, and
//! the person's line is edited by the terminal itself, which stays in the mode that the shell left it in.
//!
//! ```text
//!   lines · signals · the terminal's end ──► run ──► talk ──► Console
//!                      session::Receiver ──┤          ├──► Effect::Send ───► session::Handle
//!                                errands ──┘          └──► Effect::Begin ──► errands
//! ```
//!
//! [`talk`] decides what is said and sent and knows neither clock nor terminal; what it is made of lies beside it: `said`
//! is what was said and not written yet, `texts` the replies that stream, `calls` what runs and ended, `asks` the questions
//! that wait, each an `asked` with its numbers, `pages` what is looked up. [`console`] reads and writes, `trust` is the
//! question before the session, `outbox` what a busy session is sent again, `errands` what takes its time, `command` what
//! begins with `/`, `words` a card without signs.

mod approval;
mod calls;
mod card_text;
mod command;
mod console;
mod host_requests;
mod op_queue;
mod pages;
mod question_queue;
mod questions;
mod reader_session;
mod reply_texts;
mod spoken_text;
mod trust;

pub use console::Console;
pub use trust::{TrustAnswer, ask_trust};

use std::sync::Arc;
use std::time::Duration;

use jiff::tz::TimeZone;
use tokio::time::{Instant, sleep_until};

use crate::session::host::{Host, Opened};
use crate::session::{Envelope, Handle, Receiver, RecvError};
use console::{ConsoleInput, PromptNumber};
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
    For(Box<Opened>),
}

/// Everything that a conversation begins with.
pub struct ScreenReaderStart<'a> {
    pub session: &'a Opened,
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
    let Ok((snapshot, mut events)) = handle.attach_with_tree().await else {
        console.say("The session has ended.\n");
        return SessionExit::Ended(ScreenReaderExit::Quit);
    };
    let tools = Arc::clone(&session.tools);
    let mut talk = ReaderSession::new(&snapshot, tools, TimeZone::system(), &session.notes);
    match prompt {
        Some(prompt) => talk.begin_with(&prompt),
        None => talk.prompt(),
    }
    let mut ways = EffectTargets {
        outbox: Outbox::default(),
        host_requests: HostRequests::new(handle.clone(), host.clone()),
    };
    let mut alarms = Timers::default();
    loop {
        let ended = ways.perform(&mut talk, handle);
        console.say(&talk.take_text());
        if let Some(ended) = ended {
            return SessionExit::Ended(ended);
        }
        alarms.set(&talk, console);
        let again = Instant::now() + AGAIN;
        let ended = tokio::select! {
            biased;
            heard = console.heard() => hear(heard, &mut talk, &mut alarms),
            () = at(alarms.deaf_until()) => {
                alarms.listen(&mut talk, console);
                None
            }
            () = at(alarms.leaving_until) => {
                talk.stay();
                None
            }
            () = sleep_until(again), if !ways.outbox.is_empty() => None,
            done = ways.host_requests.next() => match done {
                RequestEnd::Opened(opened) => return SessionExit::For(opened),
                RequestEnd::Reported(report) => {
                    talk.learn(report);
                    None
                }
            },
            next = events.recv() => follow(next, &mut talk, handle, &mut events).await,
        };
        if let Some(ended) = ended {
            return SessionExit::Ended(ended);
        }
    }
}

/// Takes what comes from the person; says whether they are gone.
fn hear(heard: ConsoleInput, talk: &mut ReaderSession, alarms: &mut Timers) -> Option<ScreenReaderExit> {
    match heard {
        ConsoleInput::Line(line) => talk.read(&line),
        ConsoleInput::Written(round) => alarms.written(round),
        ConsoleInput::Quiet(round) => talk.listen(round),
        ConsoleInput::Interrupt => talk.interrupt(),
        ConsoleInput::End => return Some(ScreenReaderExit::Quit),
        ConsoleInput::Signal(number) => return Some(ScreenReaderExit::Signal(number)),
    }
    None
}

/// Takes what comes from the session; says whether that is gone.
async fn follow(
    next: Result<Envelope, RecvError>,
    talk: &mut ReaderSession,
    handle: &Handle,
    events: &mut Receiver,
) -> Option<ScreenReaderExit> {
    match next {
        Ok(envelope) => talk.hear(&envelope.event),
        Err(RecvError::Closed) => return Some(ScreenReaderExit::Quit),
        Err(RecvError::Lagged) => {
            let Ok((snapshot, again)) = handle.attach_with_tree().await else {
                return Some(ScreenReaderExit::Quit);
            };
            *events = again;
            talk.catch_up(&snapshot);
        }
    }
    None
}

/// Receivers of the effects.
struct EffectTargets {
    outbox: Outbox,
    host_requests: HostRequests,
}

impl EffectTargets {
    /// Says whether that is the end.
    fn perform(&mut self, talk: &mut ReaderSession, handle: &Handle) -> Option<ScreenReaderExit> {
        for effect in talk.take_effects() {
            match effect {
                Effect::Send(op) => self.outbox.push(op),
                Effect::Begin(host_request) => self.host_requests.begin(host_request),
                Effect::Leave => return Some(ScreenReaderExit::Quit),
            }
        }
        match self.outbox.send(|op| handle.send(op)) {
            SendOutcome::Closed => return Some(ScreenReaderExit::Quit),
            SendOutcome::Waits { is_new: true } => talk.say("The session is busy; it gets that in a moment."),
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
    fn set(&mut self, talk: &ReaderSession, console: &Console) {
        if let Some(round) = talk.unheard_round()
            && self.marked != Some(round)
        {
            console.mark(round);
            self.marked = Some(round);
        }
        if !talk.is_leaving() {
            self.leaving_until = None;
        } else if self.leaving_until.is_none() {
            self.leaving_until = Some(Instant::now() + DOUBLE_INTERRUPT);
        }
    }

    /// The time of a question begins when all of it was written.
    fn written(&mut self, round: PromptNumber) {
        self.unheard_round = Some((round, Instant::now() + ANSWER_DELAY));
    }

    fn deaf_until(&self) -> Option<Instant> {
        self.unheard_round.map(|(_, until)| until)
    }

    /// An answer counts from now on; to a question only after what was begun before it is thrown away.
    fn listen(&mut self, talk: &mut ReaderSession, console: &Console) {
        match self.unheard_round.take() {
            Some((round, _)) if talk.is_question(round) => console.discard_pending(round),
            Some((round, _)) => talk.listen(round),
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
