//! Types what was judged, to whom it was judged for and to nobody else.
//!
//! A line goes into the prompt of a shell once the line there is seen to be clear. Behind Ctrl-C nothing is typed before
//! the program has dealt with it: terminals and line editors throw away what comes meanwhile.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::time::sleep;

use super::answer;
use super::lines::ShellLine;
use super::prepare::{asker, sendable};
use super::typed::encode;
use super::typing::{JudgedLines, Typing, judged_text, recipient_now};
use crate::conversation::ErrorKind;
use crate::process::pty::{InputLine, InputReading, InputState, WriteError};
use crate::process::screen::KeyModes;
use crate::tool::builtin::bash::newly_asked;
use crate::tool::{Recipient, ShellPrompt, TerminalSession, ToolCx, ToolError};

/// How long a program may take to deal with Ctrl-C, and a shell to come back to its prompt.
const HANDLED_WITHIN: Duration = Duration::from_secs(2);
/// Silence after which a prompt is there.
const PROMPT_SILENCE: Duration = Duration::from_millis(30);
/// Pause between two looks.
const LOOK_AGAIN: Duration = Duration::from_millis(10);
/// A key that quotes the next one takes the first Ctrl-C.
const CLEARING_TRIES: usize = 3;
const INTERRUPT: u8 = 0x03;

/// Terminal that is typed into, with how long a line may take whose next one waits for it.
pub(super) struct Sender<'a> {
    pub(super) session: &'a Arc<TerminalSession>,
    pub(super) timeout: Duration,
    pub(super) cx: &'a ToolCx,
}

impl Sender<'_> {
    pub(super) async fn send(&self, typing: Typing) -> Result<(), ToolError> {
        match typing {
            Typing::Interrupts(bytes) => self.pieces(&bytes, None).await,
            Typing::Lines(judged) => self.lines(judged).await,
            Typing::Keys {
                input,
                recipient,
                is_stepwise,
            } => {
                let modes = KeyModes {
                    application_cursor: self.session.terminal.screen().modes().application_cursor,
                };
                let bytes = encode(&input, modes);
                if let Some(recipient) = &recipient {
                    self.check_recipient(recipient).await?;
                }
                self.pieces(&bytes, recipient.as_ref().filter(|_| is_stepwise))
                    .await
            }
        }
    }

    /// Types bytes, each Ctrl-C and, for a recipient, each line by itself.
    async fn pieces(&self, bytes: &[u8], recipient: Option<&Recipient>) -> Result<(), ToolError> {
        let ends_piece = |byte: &u8| *byte == INTERRUPT || recipient.is_some() && *byte == b'\r';
        let mut pieces = bytes.split_inclusive(ends_piece).peekable();
        while let Some(piece) = pieces.next() {
            if let Some(recipient) = recipient {
                self.check_recipient(recipient).await?;
            }
            let is_interrupt = piece.ends_with(&[INTERRUPT]) && pieces.peek().is_some();
            let before = self.marks().await?;
            self.write(piece)?;
            if is_interrupt {
                self.interrupted(&before).await?;
            } else if recipient.is_some() && pieces.peek().is_some() {
                self.read_by(&before).await?;
            }
        }
        Ok(())
    }

    fn write(&self, bytes: &[u8]) -> Result<(), ToolError> {
        // Only answers to queries come in between, and for keys they are no matter.
        loop {
            let seen = self.session.terminal.input_state();
            match self.session.type_for_agent(seen, bytes) {
                Ok(_) => return Ok(()),
                Err(WriteError::Changed) => {}
                Err(error) => return Err(self.not_written(error)),
            }
        }
    }

    fn not_written(&self, error: WriteError) -> ToolError {
        match error {
            WriteError::Full => ToolError::new(ErrorKind::Io, error.to_string()),
            WriteError::Closed => answer::ended(self.session, "sent", self.cx),
            WriteError::Changed => self.changed("something else was typed meanwhile"),
        }
    }

    fn changed(&self, why: &str) -> ToolError {
        let name = self.session.name();
        let message =
            format!("the terminal `{name}` changed after the text was judged: {why}; nothing more was sent");
        ToolError::new(ErrorKind::Stale, message).hint("Send it again to have it judged as things are.")
    }

    /// Refuses to type to anybody else than what the input was judged for.
    async fn check_recipient(&self, judged: &Recipient) -> Result<(), ToolError> {
        let now = recipient_now(self.session, self.cx).await?;
        let is_same = match (judged, &now) {
            (Recipient::Prompt(judged), Recipient::Prompt(now)) => {
                judged.process.is_same_process(&now.process)
            }
            (Recipient::Shell(judged), Recipient::Shell(now)) => judged == now,
            // One that computes reads what it gets afterwards.
            (Recipient::Program(judged), Recipient::Program(now)) => {
                now.identities.is_subset(&judged.identities)
            }
            _ => false,
        };
        if is_same {
            Ok(())
        } else {
            Err(self.changed("another program reads it by now"))
        }
    }

    /// Types whole lines, each into a prompt whose line is clear.
    async fn lines(&self, judged: JudgedLines) -> Result<(), ToolError> {
        let text = judged_text(&judged.lines);
        if !text.trim().is_empty() {
            newly_asked(&judged.asked, &text, &judged.directory, asker(), self.cx).await?;
        }
        self.check_directory(&judged).await?;
        let mut clears = judged.clears;
        let mut patience = HANDLED_WITHIN;
        for line in &judged.lines {
            sendable(&self.session.name(), self.cx)?;
            self.at_prompt(&judged.prompt, patience).await?;
            let clear = self.clear(&judged.prompt, clears).await?;
            self.line(clear, line)?;
            clears = false;
            patience = self.timeout;
        }
        Ok(())
    }

    /// Refuses to type lines to a shell that is in another directory than the one they were judged for.
    async fn check_directory(&self, judged: &JudgedLines) -> Result<(), ToolError> {
        self.at_prompt(&judged.prompt, HANDLED_WITHIN).await?;
        match recipient_now(self.session, self.cx).await? {
            Recipient::Prompt(now) if now.directory() != judged.prompt.directory() => {
                Err(self.changed("the shell is in another directory"))
            }
            _ => Ok(()),
        }
    }

    fn line(&self, clear: InputState, line: &ShellLine) -> Result<(), ToolError> {
        let typed = if line.is_whole {
            self.session.type_line_for_agent(clear, &line.text)
        } else {
            let bytes: Vec<u8> = line.text.bytes().chain([b'\r']).collect();
            self.session.type_for_agent(clear, &bytes).map(drop)
        };
        typed.map_err(|error| self.not_written(error))
    }

    /// Waits until the shell is at its prompt.
    async fn at_prompt(&self, prompt: &ShellPrompt, patience: Duration) -> Result<(), ToolError> {
        let began = Instant::now();
        loop {
            let now = recipient_now(self.session, self.cx).await?;
            let is_there =
                matches!(&now, Recipient::Prompt(now) if now.process.is_same_process(&prompt.process));
            let is_rested = self.session.is_line_taken() && !self.session.terminal.has_waiting_input();
            if is_there && is_rested {
                return Ok(());
            }
            if began.elapsed() >= patience || !self.session.is_live() {
                return Err(self.changed("the shell is not at its prompt"));
            }
            self.pause().await?;
        }
    }

    /// Returns the state of a line that is clear. What is in it is given up where it is not known to be nothing, which is
    /// seen by a new prompt.
    async fn clear(&self, prompt: &ShellPrompt, is_forced: bool) -> Result<InputState, ToolError> {
        let terminal = &self.session.terminal;
        let state = terminal.input_state();
        match state.line {
            InputLine::Empty if !is_forced => return Ok(state),
            InputLine::Typed if !is_forced => {
                return Err(self.changed("something else was typed into the line"));
            }
            _ => {}
        }
        let mut seen = state;
        for _ in 0..CLEARING_TRIES {
            let line_feeds = terminal.screen().line_feeds();
            let before = self.marks().await?;
            seen = self
                .session
                .type_for_agent(seen, &[INTERRUPT])
                .map_err(|error| self.not_written(error))?;
            self.interrupted(&before).await?;
            self.at_prompt(prompt, HANDLED_WITHIN).await?;
            if terminal.screen().line_feeds() > line_feeds {
                terminal
                    .note_clear(seen)
                    .map_err(|error| self.not_written(error))?;
                return Ok(terminal.input_state());
            }
        }
        Err(self.changed("the shell's line could not be cleared"))
    }

    /// What shows that the foreground has done something since.
    async fn marks(&self) -> Result<Marks, ToolError> {
        let session = Arc::clone(self.session);
        let marks = move || {
            let found = session.terminal.foreground();
            let processes = found.iter().flat_map(|found| &found.processes);
            Ok(Marks {
                sleeps: processes.map(|process| (process.pid, process.sleeps)).collect(),
                is_reading: found
                    .as_ref()
                    .is_some_and(|found| found.reading != InputReading::Nothing),
            })
        };
        self.cx.blocking(marks).await
    }

    /// Waits until the foreground has dealt with Ctrl-C: it is another one, or has woken and waits for input again. One
    /// that does neither takes keys as ever.
    async fn interrupted(&self, before: &Marks) -> Result<(), ToolError> {
        self.acted(before, |silence| silence >= PROMPT_SILENCE).await
    }

    /// Waits until the foreground has read a line and waits for the next one.
    async fn read_by(&self, before: &Marks) -> Result<(), ToolError> {
        self.acted(before, |_| true).await?;
        let began = Instant::now();
        while !self.marks().await?.is_reading {
            if began.elapsed() >= self.timeout || !self.session.is_live() {
                return Err(self.changed("the program does not wait for the next line"));
            }
            self.pause().await?;
        }
        Ok(())
    }

    async fn acted(&self, before: &Marks, is_silent: impl Fn(Duration) -> bool) -> Result<(), ToolError> {
        let began = Instant::now();
        while began.elapsed() < HANDLED_WITHIN && self.session.is_live() {
            self.pause().await?;
            let now = self.marks().await?;
            // Output from before tells nothing.
            let silence = self.session.terminal.silence(Instant::now()).min(began.elapsed());
            let has_acted = now.sleeps != before.sleeps && now.is_reading;
            if has_acted && is_silent(silence) && !self.session.terminal.has_waiting_input() {
                return Ok(());
            }
        }
        Ok(())
    }

    async fn pause(&self) -> Result<(), ToolError> {
        tokio::select! {
            biased;
            () = self.cx.cancel.cancelled() => {
                let name = self.session.name();
                let message = format!("typing to the terminal `{name}` was cancelled; its program goes on");
                Err(ToolError::new(ErrorKind::Cancelled, message))
            }
            () = sleep(LOOK_AGAIN) => Ok(()),
        }
    }
}

/// What shows that the foreground has done something.
#[derive(Debug, PartialEq, Eq)]
struct Marks {
    /// How often each of its processes has gone to sleep.
    sleeps: Vec<(i32, u64)>,
    is_reading: bool,
}
