//! The thread of a terminal: output into the screen, answers and keys to the program.

use std::io::{self, Read};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;

use super::shared::SharedTerminal;

/// Bytes that are fed to the screen at once: less than a millisecond of work, for who waits for the screen.
const PIECE: usize = 32 << 10;

/// State of the output after a piece was read.
enum OutputState {
    Open,
    /// Nobody has the program's end any more.
    Closed,
}

/// Moves bytes until nobody has the program's end any more, or the terminal is dropped.
pub(super) fn run(shared: &Arc<SharedTerminal>, mut wake: UnixStream) {
    let mut buffer = vec![0; PIECE];
    loop {
        let mut wanted = PollFlags::IN;
        if !shared.input.is_empty() {
            wanted |= PollFlags::OUT;
        }
        let mut ends = [
            PollFd::new(&shared.device, wanted),
            PollFd::new(&wake, PollFlags::IN),
        ];
        match poll(&mut ends, None) {
            Ok(_) => {}
            Err(Errno::INTR) => continue,
            Err(error) => {
                tracing::warn!(%error, "a terminal could not be waited for");
                break;
            }
        }
        let [ready, woken] = ends.map(|end| end.revents());
        if !woken.is_empty() {
            // All wakes up to now are answered by what follows.
            while matches!(wake.read(&mut [0; 64]), Ok(1..)) {}
        }
        if shared.is_dropped.load(Ordering::Acquire) {
            break;
        }
        if ready.contains(PollFlags::OUT) {
            write(shared);
        }
        if ready.intersects(PollFlags::IN | PollFlags::HUP | PollFlags::ERR)
            && matches!(read(shared, &mut buffer), OutputState::Closed)
        {
            break;
        }
    }
    shared.input.close();
    shared.output_closed();
}

fn write(shared: &SharedTerminal) {
    let written = shared
        .input
        .give(|bytes| match rustix::io::write(&shared.device, bytes) {
            Err(Errno::AGAIN | Errno::INTR) => Ok(0),
            written => written,
        });
    if let Err(error) = written {
        tracing::debug!(%error, "a terminal takes no input");
        shared.input.close();
    }
}

/// Reads what there is, up to a piece, and feeds it to the screen.
fn read(shared: &SharedTerminal, buffer: &mut [u8]) -> OutputState {
    let mut filled = 0;
    let mut output = OutputState::Open;
    // The kernel gives 4 KB a time; fed one by one they would cost a lock each.
    while filled < buffer.len() {
        match rustix::io::read(shared.device.as_fd(), &mut buffer[filled..]) {
            Ok(0) => {
                output = OutputState::Closed;
                break;
            }
            Ok(read) => filled += read,
            Err(Errno::INTR) => {}
            Err(Errno::AGAIN) => break,
            Err(error) => {
                // EIO is how Linux says that the other end is closed.
                if error != Errno::IO {
                    tracing::debug!(error = %io::Error::from(error), "a terminal could not be read");
                }
                output = OutputState::Closed;
                break;
            }
        }
    }
    if filled > 0 {
        shared.take_output(&buffer[..filled]);
        // It may have shown a password.
        buffer[..filled].fill(0);
    }
    output
}
