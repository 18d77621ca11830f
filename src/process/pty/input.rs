//! Bytes on their way to the program. Whoever writes does not wait; what has been written is overwritten.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::input_line::{InputState, WrittenInput};

/// Most bytes that wait for a program which does not read.
const MAX_WAITING: usize = 1 << 20;
/// Answers to queries are left out beyond this: a program that asks without reading wants none.
const MAX_ANSWERS: usize = 64 << 10;

/// Why bytes were not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum WriteError {
    #[error("the program does not read what was typed before; wait until it does, or stop it")]
    Full,
    #[error("the program has ended")]
    Closed,
    #[error("something else was typed meanwhile")]
    Changed,
}

/// The bytes that wait.
#[derive(Debug, Default)]
pub(super) struct InputQueue(Mutex<PendingInput>);

#[derive(Default)]
struct PendingInput {
    bytes: VecDeque<u8>,
    written: WrittenInput,
    is_closed: bool,
}

impl std::fmt::Debug for PendingInput {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // The bytes may be a password.
        f.debug_struct("PendingInput")
            .field("count", &self.bytes.len())
            .finish_non_exhaustive()
    }
}

impl PendingInput {
    fn unchanged_since(&self, seen: InputState) -> Result<(), WriteError> {
        if self.written.is_at(seen.serial) {
            Ok(())
        } else {
            Err(WriteError::Changed)
        }
    }

    /// Takes all of the bytes or none, up to so many that wait.
    fn take(&mut self, bytes: &[u8], most: usize) -> Result<(), WriteError> {
        if self.is_closed {
            return Err(WriteError::Closed);
        }
        if self.bytes.len() + bytes.len() > most {
            return Err(WriteError::Full);
        }
        self.push(bytes);
        Ok(())
    }

    /// Adds the bytes. Where the buffer has to move, what it leaves is overwritten.
    fn push(&mut self, bytes: &[u8]) {
        if self.bytes.capacity() - self.bytes.len() < bytes.len() {
            let mut larger = VecDeque::with_capacity((self.bytes.len() + bytes.len()).next_power_of_two());
            larger.extend(&self.bytes);
            self.overwrite(self.bytes.len());
            self.bytes = larger;
        }
        self.bytes.extend(bytes);
    }

    /// Overwrites the first bytes.
    fn overwrite(&mut self, count: usize) {
        self.bytes.iter_mut().take(count).for_each(|byte| *byte = 0);
        // Else a compiler may see that nobody reads them any more.
        std::hint::black_box(&self.bytes);
    }
}

impl InputQueue {
    /// Takes bytes that are typed to a foreground group.
    pub(super) fn write(&self, bytes: &[u8], group: Option<i32>) -> Result<(), WriteError> {
        let mut pending = self.lock();
        pending.take(bytes, MAX_WAITING)?;
        pending.written.typed(bytes, group);
        Ok(())
    }

    /// The same, unless something was written since the state was looked up.
    pub(super) fn write_after(
        &self,
        seen: InputState,
        bytes: &[u8],
        group: Option<i32>,
    ) -> Result<InputState, WriteError> {
        let mut pending = self.lock();
        pending.unchanged_since(seen)?;
        pending.take(bytes, MAX_WAITING)?;
        pending.written.typed(bytes, group);
        Ok(pending.written.state(group))
    }

    /// Takes a whole line for a line that is empty, unless something was written since the state was looked up.
    pub(super) fn write_whole_line(&self, seen: InputState, line: &[u8]) -> Result<(), WriteError> {
        let mut pending = self.lock();
        pending.unchanged_since(seen)?;
        pending.take(line, MAX_WAITING)?;
        pending.written.typed_line();
        Ok(())
    }

    /// Notes that the line is clear, unless something was written since the state was looked up.
    pub(super) fn note_clear(&self, seen: InputState) -> Result<(), WriteError> {
        let mut pending = self.lock();
        pending.unchanged_since(seen)?;
        pending.written.cleared();
        Ok(())
    }

    pub(super) fn state(&self, group: Option<i32>) -> InputState {
        self.lock().written.state(group)
    }

    pub(super) fn answer(&self, bytes: &[u8]) {
        let mut pending = self.lock();
        // A program that does not read has no use for the answer.
        if pending.take(bytes, MAX_ANSWERS).is_ok() {
            pending.written.answered();
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.lock().bytes.is_empty()
    }

    /// Gives bytes to a writer that tells how many it took.
    pub(super) fn give<E>(&self, write: impl FnOnce(&[u8]) -> Result<usize, E>) -> Result<(), E> {
        let mut pending = self.lock();
        let written = write(pending.bytes.as_slices().0)?;
        pending.overwrite(written);
        pending.bytes.drain(..written);
        Ok(())
    }

    /// Takes no more bytes and forgets those that wait.
    pub(super) fn close(&self) {
        let mut pending = self.lock();
        pending.is_closed = true;
        let count = pending.bytes.len();
        pending.overwrite(count);
        pending.bytes.clear();
    }

    fn lock(&self) -> MutexGuard<'_, PendingInput> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(queue: &InputQueue, most: usize) -> Vec<u8> {
        let mut taken = Vec::new();
        queue
            .give(|bytes| {
                let count = bytes.len().min(most);
                taken.extend_from_slice(&bytes[..count]);
                Ok::<_, ()>(count)
            })
            .unwrap();
        taken
    }

    #[test]
    fn bytes_come_out_in_their_order() {
        let queue = InputQueue::default();
        queue.write(b"abc", None).unwrap();
        queue.write(b"def", None).unwrap();
        assert_eq!(taken(&queue, 2), b"ab");
        queue.write(&[b'x'; 100], None).unwrap();
        let mut rest = Vec::new();
        while !queue.is_empty() {
            rest.extend(taken(&queue, 7));
        }
        assert_eq!(rest, [b"cdef".as_slice(), &[b'x'; 100]].concat());
    }

    #[test]
    fn a_program_that_does_not_read_is_reported() {
        let queue = InputQueue::default();
        assert_eq!(
            queue.write(&vec![b'x'; MAX_WAITING + 1], None),
            Err(WriteError::Full)
        );
        queue.write(&vec![b'x'; MAX_WAITING], None).unwrap();
        assert_eq!(queue.write(b"x", None), Err(WriteError::Full));
        queue.answer(b"answer");
        queue.close();
        assert!(queue.is_empty());
        assert_eq!(queue.write(b"x", None), Err(WriteError::Closed));
    }

    #[test]
    fn what_was_written_is_overwritten() {
        let queue = InputQueue::default();
        queue.write(b"secret", None).unwrap();
        let mut pending = queue.lock();
        pending.overwrite(3);
        assert_eq!(pending.bytes, b"\0\0\0ret");
        assert_eq!(format!("{pending:?}"), "PendingInput { count: 6, .. }");
    }
}
