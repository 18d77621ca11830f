//! Bytes on their way to the terminal.
//!
//! A terminal may read slowly or, behind a stopped multiplexer or a bad link, not at all, and a write to it then waits
//! without end. The loop that owns the screen must answer keys meanwhile, so a thread of its own writes. What is drawn is
//! [`PendingBytes`] until [`Output::send`]; a frame is drawn only while nothing is under way ([`Output::is_free`]). So at
//! most one frame waits, and those that a slow terminal could not have shown are never made.

use std::cell::RefCell;
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::AsFd;
use std::rc::Rc;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use tokio::sync::Notify;

use super::ansi16::Ansi16Writer;
use crate::view::theme::ColorDepth;

/// A frame of a large screen in full colour is about this big.
const FRAME_BYTES: usize = 64 * 1024;
/// The thread calls `write` and nothing else.
const STACK_BYTES: usize = 64 * 1024;

/// The writing end of a terminal. Dropping it ends the thread once it has written what was sent.
pub(super) struct Output {
    gathered: PendingBytes,
    shared: Arc<SharedOutput>,
}

/// Bytes that are not sent yet. Clones are the same bytes: the backend has one, which it does not lend.
#[derive(Clone)]
pub(super) struct PendingBytes(Rc<RefCell<Vec<u8>>>);

struct SharedOutput {
    state: Mutex<OutputState>,
    /// Something was sent, or nothing will be any more.
    sent: Condvar,
    /// Nothing is under way any more: for whom may wait …
    written: Condvar,
    /// … and for the loop.
    free: Notify,
}

#[derive(Default)]
struct OutputState {
    waiting: Vec<u8>,
    is_writing: bool,
    /// Why nothing can be written any more.
    failed: Option<io::ErrorKind>,
    is_closed: bool,
}

impl OutputState {
    fn is_free(&self) -> bool {
        self.failed.is_some() || (!self.is_writing && self.waiting.is_empty())
    }
}

impl Output {
    /// Starts the thread that writes to standard output, a terminal of so many colours.
    pub(super) fn to_stdout(depth: ColorDepth) -> io::Result<Self> {
        let stdout = File::from(io::stdout().as_fd().try_clone_to_owned()?);
        match depth {
            ColorDepth::Ansi16 => Self::to(Ansi16Writer(stdout)),
            ColorDepth::TrueColor | ColorDepth::Ansi256 | ColorDepth::None => Self::to(stdout),
        }
    }

    pub(super) fn to(target: impl Write + Send + 'static) -> io::Result<Self> {
        let shared = Arc::new(SharedOutput {
            state: Mutex::default(),
            sent: Condvar::new(),
            written: Condvar::new(),
            free: Notify::new(),
        });
        let theirs = Arc::clone(&shared);
        thread::Builder::new()
            .name("terminal".to_owned())
            .stack_size(STACK_BYTES)
            .spawn(move || theirs.write_all(target))?;
        Ok(Self {
            gathered: PendingBytes(Rc::new(RefCell::new(Vec::with_capacity(FRAME_BYTES)))),
            shared,
        })
    }

    /// Returns where to write what is to be sent.
    pub(super) fn gathered(&self) -> PendingBytes {
        self.gathered.clone()
    }

    /// Hands over what was gathered, and does not wait for it.
    pub(super) fn send(&self) -> io::Result<()> {
        let mut gathered = self.gathered.0.borrow_mut();
        let mut state = self.shared.lock();
        if let Some(kind) = state.failed {
            gathered.clear();
            return Err(kind.into());
        }
        if state.waiting.is_empty() {
            std::mem::swap(&mut state.waiting, &mut gathered);
        } else {
            state.waiting.append(&mut gathered);
        }
        drop(state);
        self.shared.sent.notify_one();
        Ok(())
    }

    /// Forgets what was sent and is not being written yet.
    pub(super) fn withdraw(&self) {
        self.gathered.0.borrow_mut().clear();
        self.shared.lock().waiting.clear();
    }

    /// Returns true if nothing is under way.
    pub(super) fn is_free(&self) -> bool {
        self.shared.lock().is_free()
    }

    /// Waits until nothing is under way. Cancel safe.
    pub(super) async fn free(&self) {
        while !self.is_free() {
            self.shared.free.notified().await;
        }
    }

    /// Waits on this thread until nothing is under way, but not longer than this; says whether that is so.
    pub(super) fn wait(&self, patience: Duration) -> bool {
        let state = self.shared.lock();
        let waited = self
            .shared
            .written
            .wait_timeout_while(state, patience, |state| !state.is_free());
        let (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        state.is_free()
    }
}

impl Write for PendingBytes {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    /// Does nothing: ratatui flushes in the middle of what is one update here.
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        self.shared.lock().is_closed = true;
        self.shared.sent.notify_one();
    }
}

impl SharedOutput {
    fn lock(&self) -> MutexGuard<'_, OutputState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The thread: writes what is sent until nothing will be any more, or nothing can be.
    fn write_all(&self, mut target: impl Write) {
        let mut taken = Vec::new();
        while self.take(&mut taken) {
            let written = target.write_all(&taken).and_then(|()| target.flush());
            taken.clear();
            taken.shrink_to(FRAME_BYTES);
            let mut state = self.lock();
            state.is_writing = false;
            state.failed = written.err().map(|error| error.kind());
            let (is_free, has_failed) = (state.is_free(), state.failed.is_some());
            drop(state);
            if is_free {
                self.written.notify_all();
                self.free.notify_one();
            }
            if has_failed {
                return;
            }
        }
    }

    /// Waits for something to write; says whether there is.
    fn take(&self, taken: &mut Vec<u8>) -> bool {
        let mut state = self.lock();
        while state.waiting.is_empty() {
            if state.is_closed {
                return false;
            }
            state = self.sent.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        std::mem::swap(&mut state.waiting, taken);
        state.is_writing = true;
        true
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    /// A terminal that reads when it is told to, and is gone when the other end is.
    struct Slow {
        reads: mpsc::Receiver<()>,
        read: mpsc::Sender<Vec<u8>>,
    }

    impl Write for Slow {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.reads
                .recv()
                .map_err(|_| io::Error::from(io::ErrorKind::BrokenPipe))?;
            let _ = self.read.send(bytes.to_vec());
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn slow() -> (Output, mpsc::Sender<()>, mpsc::Receiver<Vec<u8>>) {
        let (read, was_read) = mpsc::channel();
        let (let_read, reads) = mpsc::channel();
        (Output::to(Slow { reads, read }).unwrap(), let_read, was_read)
    }

    #[test]
    fn sending_does_not_wait_for_the_terminal() {
        let (output, let_read, read) = slow();
        output.gathered().write_all(b"a frame").unwrap();
        output.gathered().flush().unwrap();
        assert!(output.is_free(), "nothing is sent before it is said");
        output.send().unwrap();
        assert!(!output.is_free());
        assert!(!output.wait(Duration::from_millis(1)));
        let_read.send(()).unwrap();
        assert!(output.wait(Duration::from_secs(30)));
        assert_eq!(read.recv().unwrap(), b"a frame");
    }

    #[test]
    fn what_is_withdrawn_is_never_written() {
        let (output, let_read, read) = slow();
        output.gathered().write_all(b"one").unwrap();
        output.send().unwrap();
        while !output.shared.lock().is_writing {
            thread::yield_now();
        }
        output.gathered().write_all(b"two").unwrap();
        output.send().unwrap();
        output.withdraw();
        output.gathered().write_all(b"bye").unwrap();
        output.send().unwrap();
        for _ in 0..2 {
            let_read.send(()).unwrap();
        }
        assert!(output.wait(Duration::from_secs(30)));
        let written: Vec<Vec<u8>> = read.try_iter().collect();
        assert_eq!(written, [b"one".to_vec(), b"bye".to_vec()]);
    }

    #[tokio::test]
    async fn waiting_for_a_closed_terminal_ends() {
        let (output, let_read, _read) = slow();
        output.gathered().write_all(b"a frame").unwrap();
        output.send().unwrap();
        drop(let_read);
        output.free().await;
        let error = output.send().unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::BrokenPipe);
    }
}
