//! Reads the keys and the terminal's answers on a thread of its own.
//!
//! The thread waits for the terminal, takes what is there and hands on what [`decoder`](super::decoder) makes of it; it
//! wakes for nothing else, but while something has begun and is not whole. Changes of the window's size come as a signal.

use std::io::{self, PipeReader, PipeWriter};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec};
use termina::event::Event as Input;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::burst::{self, Burst, BurstEnd, GAP};
use super::decoder::{Decoder, TerminalInput};

/// How long stopping waits for the thread, which has nothing to wait for then.
const PATIENCE: Duration = Duration::from_millis(200);
/// Bytes that are taken at once.
const SIP: usize = 4096;

/// Input with the bytes that the terminal sent for it; none for a paste.
#[derive(Debug)]
pub(crate) struct ReceivedInput {
    pub(crate) input: TerminalInput,
    pub(crate) bytes: Vec<u8>,
}

/// Reads what is typed, while it is started.
pub(crate) struct TerminalReader {
    /// Without a bound, so that the thread never waits for the loop and can always be stopped; the loop takes keys
    /// before all else.
    received: UnboundedReceiver<io::Result<ReceivedInput>>,
    sender: UnboundedSender<io::Result<ReceivedInput>>,
    worker: Option<Worker>,
}

struct Worker {
    /// Closed to stop it.
    go_on: PipeWriter,
    ended: Receiver<()>,
}

impl TerminalReader {
    /// Returns one that does not read yet.
    pub(crate) fn new() -> Self {
        let (sender, received) = unbounded_channel();
        Self {
            received,
            sender,
            worker: None,
        }
    }

    /// Reads from now on.
    pub(crate) fn start(&mut self) -> io::Result<()> {
        let (stop, go_on) = io::pipe()?;
        let (end, ended) = sync_channel(1);
        let sender = self.sender.clone();
        thread::Builder::new().name("keys".to_owned()).spawn(move || {
            let ended = catch_unwind(AssertUnwindSafe(|| hand_on(&sender, &stop)));
            let ended = ended.unwrap_or_else(|_| Err(io::Error::other("what was typed could not be read")));
            if let Err(error) = ended {
                // The loop may be gone by now, as whoever stopped us may be.
                let _ = sender.send(Err(error));
            }
            let _ = end.send(());
        })?;
        self.worker = Some(Worker { go_on, ended });
        Ok(())
    }

    /// Leaves the terminal to others: what is typed from now on is theirs. What was read before stays here.
    pub(crate) fn stop(&mut self) {
        let Some(worker) = self.worker.take() else { return };
        drop(worker.go_on);
        let _ = worker.ended.recv_timeout(PATIENCE);
    }

    /// Waits for what is typed or answered. An error: the terminal is gone. Cancel safe.
    pub(crate) async fn next(&mut self) -> io::Result<ReceivedInput> {
        let received = self.received.recv().await;
        received.unwrap_or_else(|| Err(io::ErrorKind::UnexpectedEof.into()))
    }

    /// Returns what was read already.
    pub(crate) fn ready(&mut self) -> Option<io::Result<ReceivedInput>> {
        self.received.try_recv().ok()
    }
}

impl Drop for TerminalReader {
    fn drop(&mut self) {
        self.stop();
    }
}

/// Hands on what is typed until it is stopped, also what had only begun by then.
fn hand_on(sender: &UnboundedSender<io::Result<ReceivedInput>>, stop: &PipeReader) -> io::Result<()> {
    let mut decoder = Decoder::default();
    let mut burst = Burst::default();
    let mut bytes = [0; SIP];
    loop {
        let patience = if burst.is_open() {
            Some(GAP)
        } else {
            decoder.patience()
        };
        let woken = wait(stop, patience)?;
        let typed = match woken {
            ReaderWake::Typed => {
                let read = rustix::io::retry_on_intr(|| rustix::io::read(io::stdin(), &mut bytes))?;
                if read == 0 {
                    return Err(io::ErrorKind::UnexpectedEof.into());
                }
                &bytes[..read]
            }
            ReaderWake::Stopped | ReaderWake::Neither => &[],
        };
        let is_settled = woken != ReaderWake::Typed && !burst.is_open();
        decoder.push(typed);
        let next: fn(&mut Decoder) -> Option<TerminalInput> = if is_settled {
            Decoder::settle
        } else {
            Decoder::next
        };
        let mut read = Vec::new();
        while let Some(input) = next(&mut decoder) {
            read.push((input, decoder.returned_bytes().to_vec()));
        }
        let is_over = woken != ReaderWake::Typed;
        for (input, bytes) in without_bursts(&mut burst, read, is_over) {
            // The loop may be gone.
            let _ = sender.send(Ok(ReceivedInput { input, bytes }));
        }
        if woken == ReaderWake::Stopped {
            return Ok(());
        }
    }
}

/// Input with its bytes.
type ReadInput = (TerminalInput, Vec<u8>);

/// Returns what was read with each burst of lines as a paste. What may be the beginning of one is kept back unless it is
/// over.
fn without_bursts(
    burst: &mut Burst<TerminalInput>,
    mut read: Vec<ReadInput>,
    is_over: bool,
) -> Vec<ReadInput> {
    let mut told = Vec::new();
    loop {
        read = burst.take(read);
        if read.is_empty() && !is_over {
            return told;
        }
        match burst.end() {
            Some(BurstEnd::Paste(text)) => {
                told.push((TerminalInput::Input(Input::Paste(text)), Vec::new()));
            }
            Some(BurstEnd::Keys(keys)) => told.extend(keys),
            None if read.is_empty() => return told,
            None => {
                // Keys that begin no burst, and what follows them up to the next text.
                let text = read.iter().take_while(|(_, bytes)| burst::is_text(bytes)).count();
                let others = read[text..].iter();
                let others = others.take_while(|(_, bytes)| !burst::is_text(bytes)).count();
                let rest = read.split_off(text + others);
                told.append(&mut read);
                read = rest;
            }
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum ReaderWake {
    Stopped,
    Typed,
    /// Only where it was not to wait without end.
    Neither,
}

/// Waits until something is typed or the thread is to stop, but not longer than this.
fn wait(stop: &PipeReader, patience: Option<Duration>) -> io::Result<ReaderWake> {
    let terminal = io::stdin();
    let mut fds = [
        PollFd::new(stop, PollFlags::IN),
        PollFd::new(&terminal, PollFlags::IN),
    ];
    let time = patience.map(|patience| Timespec {
        tv_sec: patience.as_secs() as i64,
        tv_nsec: i64::from(patience.subsec_nanos()),
    });
    rustix::io::retry_on_intr(|| rustix::event::poll(&mut fds, time.as_ref()))?;
    let (stopped, typed) = (fds[0].revents(), fds[1].revents());
    if !stopped.is_empty() {
        return Ok(ReaderWake::Stopped);
    }
    if typed.intersects(PollFlags::HUP | PollFlags::ERR | PollFlags::NVAL) {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(if typed.is_empty() {
        ReaderWake::Neither
    } else {
        ReaderWake::Typed
    })
}
