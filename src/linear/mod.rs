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
//! one question with its numbers, `command` what begins with `/`, `words` a card without signs.

mod asked;
mod command;
mod console;
mod talk;
mod words;

pub use console::Console;

use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, sleep_until};

use crate::session::wire::ProjectTrust;
use crate::session::{Handle, RecvError, SendError};
use crate::text::sanitize::sanitize;
use crate::tool::Registry;
use console::Heard;
use talk::{Effect, Talk};

/// A question takes no answer for this long after it was put: what is read then was typed before.
const DEAF: Duration = Duration::from_millis(300);

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

/// The person's answer to what a project brings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TrustAnswer {
    Trust,
    NotNow,
    Left(Ended),
}

/// Asks whether a project's own parts count.
pub async fn ask_trust(trust: &ProjectTrust, console: &mut Console) -> TrustAnswer {
    let root = trust.root.display();
    console.say(&format!(
        "Trust question: `{root}` brings parts that run code, name servers or loosen rules.\n1 trust it\n2 not now\n\
         3 read the parts\n"
    ));
    loop {
        console.say("Answer with a number: ");
        match console.heard().await {
            Heard::Line(line) => match line.trim() {
                "1" => return TrustAnswer::Trust,
                "2" => return TrustAnswer::NotNow,
                "3" => console.say(&parts(trust)),
                _ => console.say("That is none of the numbers.\n"),
            },
            Heard::Interrupt | Heard::End => return TrustAnswer::Left(Ended::Quit),
            Heard::Signal(number) => return TrustAnswer::Left(Ended::Signal(number)),
        }
    }
}

fn parts(trust: &ProjectTrust) -> String {
    let texts = trust.parts.iter().map(|part| {
        let text = part.text();
        format!("{}, {}:\n{}\n", part.file, part.key, text.trim_end())
    });
    let changed = trust
        .change()
        .map(|change| format!("What has changed:\n{change}\n"));
    let texts: Vec<String> = texts.chain(changed).collect();
    sanitize(&texts.concat()).into_owned()
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
    // From when on a question that was just put takes an answer.
    let mut listens: Option<Instant> = None;
    loop {
        console.say(&talk.take_text());
        for effect in talk.take_effects() {
            match effect {
                Effect::Send(op) => match handle.send(op) {
                    Ok(()) => {}
                    Err(SendError::Busy) => talk.say("The session is busy. Say that again in a moment."),
                    Err(SendError::Closed) => return Ended::Quit,
                },
                Effect::Leave => return Ended::Quit,
            }
        }
        console.say(&talk.take_text());
        if !talk.is_deaf() {
            listens = None;
        } else if listens.is_none() {
            listens = Some(Instant::now() + DEAF);
        }
        let due = listens.unwrap_or_else(Instant::now);
        tokio::select! {
            biased;
            heard = console.heard() => match heard {
                Heard::Line(line) => talk.read(&line),
                Heard::Interrupt => talk.interrupt(),
                Heard::End => return Ended::Quit,
                Heard::Signal(number) => return Ended::Signal(number),
            },
            () = sleep_until(due), if listens.is_some() => talk.listen(),
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
