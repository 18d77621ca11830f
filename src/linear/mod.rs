//! The front end for screen readers: `lathe --screen-reader`.
//!
//! Everything is said in lines that are only ever added to. There is no alternate screen, the cursor never moves, nothing
//! turns and nothing is coloured: the output holds no escape sequence at all. States are words, answers are numbers, and
//! the person's line is edited by the terminal itself, which stays in the mode that the shell left it in.
//!
//! ```text
//!   lines · signals · the terminal's end ──► run ──► talk ──► Console
//!                      session::Receiver ──┘           └──► Effect::Send ──► session::Handle
//! ```
//!
//! [`talk`] decides what is said and sent and knows neither clock nor terminal; [`console`] reads and writes; `asked` is
//! one question with its numbers, `trust` the one before
//! the session, `outbox` what a busy session is sent again, `command` what begins with `/`, `words` a card without signs.

mod asked;
mod asks;
mod calls;
mod command;
mod console;
mod outbox;
mod said;
mod talk;
mod texts;
mod trust;
mod words;

pub use console::Console;
pub use trust::{TrustAnswer, ask_trust};

use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, sleep_until};

use crate::session::{Handle, RecvError};
use crate::tool::Registry;
use console::{Heard, Round};
use outbox::{Outbox, Sent};
use talk::{Effect, Talk};

/// A question takes no answer for this long after it was written: what is read until then was typed before.
const DEAF: Duration = Duration::from_secs(1);
/// `ctrl+c` leaves when it comes a second time within this.
const TWICE: Duration = Duration::from_secs(1);
/// Between two tries to hand something to a session that is busy.
const AGAIN: Duration = Duration::from_millis(20);

/// Why it was left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    Quit,
    /// By this signal.
    Signal(i32),
}

impl Ended {
    /// Returns the exit status of the process.
    pub fn status(self) -> u8 {
        match self {
            Self::Quit => 0,
            Self::Signal(number) => u8::try_from(128 + number).unwrap_or(u8::MAX),
        }
    }
}

/// Speaks with the person until they leave. `notes` are said first, `prompt` is sent then.
pub async fn run(
    handle: &Handle,
    tools: Arc<Registry>,
    notes: &[String],
    prompt: Option<String>,
    console: &mut Console,
) -> Ended {
    let Ok((snapshot, mut events)) = handle.attach().await else {
        console.say("The session has ended.\n");
        return Ended::Quit;
    };
    let mut talk = Talk::new(&snapshot, tools, notes);
    if let Some(prompt) = prompt {
        talk.submit(&prompt);
    }
    talk.prompt();
    let mut outbox = Outbox::default();
    let mut alarms = Alarms::default();
    loop {
        for effect in talk.take_effects() {
            match effect {
                Effect::Send(op) => outbox.push(op),
                Effect::Leave => {
                    console.say(&talk.take_text());
                    return Ended::Quit;
                }
            }
        }
        match outbox.send(|op| handle.send(op)) {
            Sent::All => {}
            Sent::Waits { is_new } => {
                if is_new {
                    talk.say("The session is busy; it gets that in a moment.");
                }
            }
            Sent::Closed => return Ended::Quit,
        }
        console.say(&talk.take_text());
        alarms.set(&talk, console);
        let again = Instant::now() + AGAIN;
        tokio::select! {
            biased;
            heard = console.heard() => match heard {
                Heard::Line(line) => talk.read(&line),
                Heard::Written(round) => alarms.written(round),
                Heard::Quiet(round) => talk.listen(round),
                Heard::Interrupt => talk.interrupt(),
                Heard::End => return Ended::Quit,
                Heard::Signal(number) => return Ended::Signal(number),
            },
            () = at(alarms.deaf_until()) => alarms.hush(console),
            () = at(alarms.leaving_until) => talk.stay(),
            () = sleep_until(again), if !outbox.is_empty() => {}
            next = events.recv() => match next {
                Ok(envelope) => talk.hear(&envelope.event),
                Err(RecvError::Lagged) => match handle.attach().await {
                    Ok((snapshot, again)) => {
                        events = again;
                        talk.catch_up(&snapshot);
                    }
                    Err(_) => return Ended::Quit,
                },
                Err(RecvError::Closed) => return Ended::Quit,
            },
        }
    }
}

/// What is to happen later.
#[derive(Default)]
struct Alarms {
    /// The question that the console was told to report.
    marked: Option<Round>,
    /// The question that was written, and until when it takes no answer.
    deaf: Option<(Round, Instant)>,
    leaving_until: Option<Instant>,
}

impl Alarms {
    fn set(&mut self, talk: &Talk, console: &Console) {
        if let Some(round) = talk.deaf()
            && self.marked != Some(round)
        {
            console.mark(round);
            self.marked = Some(round);
        }
        if !talk.is_leaving() {
            self.leaving_until = None;
        } else if self.leaving_until.is_none() {
            self.leaving_until = Some(Instant::now() + TWICE);
        }
    }

    /// The time of a question begins when all of it was written.
    fn written(&mut self, round: Round) {
        self.deaf = Some((round, Instant::now() + DEAF));
    }

    fn deaf_until(&self) -> Option<Instant> {
        self.deaf.map(|(_, until)| until)
    }

    fn hush(&mut self, console: &Console) {
        if let Some((round, _)) = self.deaf.take() {
            console.hush(round);
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
