//! Server-sent events out of bytes, at a cost linear in their number.
//!
//! `eventsource-stream` reads the whole of an unfinished event again with each piece that arrives, so the end of an
//! event is found here first: lines are collected until the blank one, and only a complete event is handed over, line
//! by line. LF, CRLF and CR may be mixed and cut anywhere. Comments are dropped as they end, so that a stream of
//! keep-alives holds no memory.
//!
//! Time is not looked at here: who waits for bytes counts the silence.

use std::collections::VecDeque;
use std::convert::Infallible;

use eventsource_stream::{EventStream, EventStreamError};
use futures::{FutureExt, StreamExt, stream};

/// No protocol's event comes near it; one that does would only fill the memory.
pub(crate) const MAX_EVENT: usize = 4 * 1024 * 1024;

const ERROR_FIELD: &[u8] = b"error:";
const ERROR_EVENT: &[u8] = b"event: error\ndata:";

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// One event with data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerEvent {
    /// `message` unless the stream says otherwise.
    pub name: String,
    pub data: String,
}

/// Why a stream of events cannot be read on.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SseError {
    #[error("an event is larger than 4 MiB")]
    TooLarge,
    #[error("an event is not valid UTF-8")]
    Encoding,
}

/// Cuts a stream of bytes into events.
#[derive(Debug, Default)]
pub struct Splitter {
    /// The complete lines of the event so far, each with its LF, and the beginning of the next.
    event: Vec<u8>,
    line_start: usize,
    /// The last byte was a CR; an LF now belongs to it.
    after_cr: bool,
    began: bool,
}

impl Splitter {
    /// Reads `bytes` and appends the events that they complete to `events`.
    pub fn push(&mut self, bytes: &[u8], events: &mut VecDeque<ServerEvent>) -> Result<(), SseError> {
        let mut rest = bytes;
        if self.after_cr && !rest.is_empty() {
            self.after_cr = false;
            rest = rest.strip_prefix(b"\n").unwrap_or(rest);
        }
        while let Some(end) = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')) {
            self.grow(&rest[..end])?;
            let ending = rest[end];
            rest = &rest[end + 1..];
            if ending == b'\r' {
                match rest.first() {
                    None => self.after_cr = true,
                    Some(b'\n') => rest = &rest[1..],
                    Some(_) => {}
                }
            }
            events.extend(self.end_line()?);
        }
        self.grow(rest)
    }

    /// Returns the event that the end of the stream left without its blank line.
    pub fn finish(&mut self) -> Option<ServerEvent> {
        if self.event.len() > self.line_start {
            self.end_line().ok()?;
        }
        self.dispatch().ok()?
    }

    fn grow(&mut self, bytes: &[u8]) -> Result<(), SseError> {
        if self.event.len() + bytes.len() > MAX_EVENT {
            return Err(SseError::TooLarge);
        }
        self.event.extend_from_slice(bytes);
        Ok(())
    }

    fn end_line(&mut self) -> Result<Option<ServerEvent>, SseError> {
        if !self.began {
            self.began = true;
            if self.event.starts_with(BYTE_ORDER_MARK) {
                self.event.drain(..BYTE_ORDER_MARK.len());
            }
        }
        if self.event.len() == self.line_start {
            return self.dispatch();
        }
        if self.event[self.line_start..].starts_with(ERROR_FIELD) {
            // Such a field has no meaning of its own; older llama.cpp servers tell their errors in one.
            let field = self.line_start..self.line_start + ERROR_FIELD.len();
            self.event.splice(field, ERROR_EVENT.iter().copied());
        }
        if self.event[self.line_start] == b':' {
            self.event.truncate(self.line_start);
        } else {
            self.event.push(b'\n');
            self.line_start = self.event.len();
        }
        Ok(None)
    }

    fn dispatch(&mut self) -> Result<Option<ServerEvent>, SseError> {
        self.line_start = 0;
        if self.event.is_empty() {
            return Ok(None);
        }
        // Line by line, because the crate copies what is left of a piece after each line of it. The blank line in
        // front keeps it from looking for a byte order mark, which it cuts in the middle and panics.
        let blank = [b"\n".as_slice()];
        let lines = self.event.split_inclusive(|byte| *byte == b'\n');
        let lines = blank.into_iter().chain(lines).chain(blank);
        let mut parsed = EventStream::new(stream::iter(lines.map(Ok::<_, Infallible>)));
        let event = parsed.next().now_or_never().flatten();
        let event = match event {
            Some(Ok(event)) => Some(ServerEvent {
                name: event.event,
                data: event.data,
            }),
            Some(Err(EventStreamError::Utf8(_))) => return Err(SseError::Encoding),
            Some(Err(EventStreamError::Parser(_) | EventStreamError::Transport(_))) | None => None,
        };
        drop(parsed);
        self.event.clear();
        Ok(event)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(pieces: &[&[u8]]) -> Vec<(String, String)> {
        let mut splitter = Splitter::default();
        let mut events = VecDeque::new();
        for piece in pieces {
            splitter.push(piece, &mut events).unwrap();
        }
        events.into_iter().map(|event| (event.name, event.data)).collect()
    }

    fn message(data: &str) -> (String, String) {
        ("message".to_owned(), data.to_owned())
    }

    #[test]
    fn line_ends_may_be_mixed() {
        let text = b"data: a\n\ndata: b\r\n\r\ndata: c\r\rdata: d\n\r\ndata: e\r\n\n";
        let expected: Vec<_> = ["a", "b", "c", "d", "e"].map(message).to_vec();
        assert_eq!(read(&[text]), expected);
        let bytes: Vec<&[u8]> = text.chunks(1).collect();
        assert_eq!(read(&bytes), expected);
    }

    #[test]
    fn comments_marks_and_keep_alives_are_no_events() {
        let text = b"\xEF\xBB\xBF: hello\n\n:\n:\n\nevent: ping\n\ndata: a\n: in between\ndata: b\nid: 7\nretry: 5\n\n";
        assert_eq!(read(&[text]), [message("a\nb")]);
        let mut splitter = Splitter::default();
        let mut events = VecDeque::new();
        for _ in 0..100_000 {
            splitter
                .push(
                    b": keep-alive with some text in it, without any blank line\n",
                    &mut events,
                )
                .unwrap();
        }
        assert!(events.is_empty() && splitter.event.is_empty());
    }

    #[test]
    fn an_event_has_its_name() {
        assert_eq!(
            read(&[b"event: ping\ndata:x\n\n"]),
            [("ping".to_owned(), "x".to_owned())]
        );
        assert_eq!(read(&[b"data\n\n"]), [message("")]);
    }

    #[test]
    fn an_event_over_four_mebibytes_is_refused() {
        let mut splitter = Splitter::default();
        let mut events = VecDeque::new();
        splitter.push(b"data: ok\n\ndata: ", &mut events).unwrap();
        let piece = vec![b'x'; 65_536];
        let mut outcome = Ok(());
        for _ in 0..65 {
            outcome = splitter.push(&piece, &mut events);
        }
        assert_eq!((outcome, events.len()), (Err(SseError::TooLarge), 1));
    }

    #[test]
    fn a_large_event_costs_what_its_bytes_cost() {
        let mut text = Vec::new();
        for _ in 0..500_000 {
            text.extend_from_slice(b"data: \n");
        }
        text.extend_from_slice(b"\n");
        let started = std::time::Instant::now();
        let pieces: Vec<&[u8]> = text.chunks(1400).collect();
        assert_eq!(read(&pieces)[0].1.len(), 499_999);
        assert!(started.elapsed().as_secs() < 20, "{:?}", started.elapsed());
    }

    #[test]
    fn bytes_that_are_not_text_are_an_error() {
        let mut events = VecDeque::new();
        let outcome = Splitter::default().push(b"data: \xff\xfe\n\n", &mut events);
        assert_eq!(outcome, Err(SseError::Encoding));
    }

    #[test]
    fn what_the_end_cuts_off_can_be_asked_for() {
        let mut splitter = Splitter::default();
        let mut events = VecDeque::new();
        splitter.push(b"data: a\n\ndata: [DONE]", &mut events).unwrap();
        assert_eq!(splitter.finish().unwrap().data, "[DONE]");
        assert_eq!(splitter.finish(), None);
    }

    proptest! {
        #[test]
        fn pieces_give_what_the_whole_gives(
            text in "(data: ?[a-zü]{0,4}|event: x|:c|\r|\n|\r\n|\u{feff}){0,40}",
            cuts in proptest::collection::vec(1usize..7, 1..40),
        ) {
            let bytes = text.as_bytes();
            let mut pieces = Vec::new();
            let (mut at, mut turn) = (0, 0);
            while at < bytes.len() {
                let end = (at + cuts[turn % cuts.len()]).min(bytes.len());
                pieces.push(&bytes[at..end]);
                (at, turn) = (end, turn + 1);
            }
            prop_assert_eq!(read(&pieces), read(&[bytes]));
        }
    }
}
