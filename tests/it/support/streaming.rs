//! A reply on its way: its pace, its gates and its faults.

use std::io;
use std::net::{Shutdown, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

use super::deadline::Watched;
use super::http;
use super::model_server::State;
use super::script::{Fault, Gate, Protocol, Turn};
use super::wire::{self, FrameKind, Reply};

/// How often a stream that stands still looks whether its client is still there.
const LOOK_AGAIN: Duration = Duration::from_millis(5);

/// One reply on its way.
pub(super) struct Streaming<'a> {
    pub(super) stream: &'a mut TcpStream,
    pub(super) state: &'a Watched<State>,
    pub(super) turn: &'a Turn,
    pub(super) fault: Option<Fault>,
}

impl Streaming<'_> {
    /// Ends with an error when the connection is not to be used again, and so when the client has left.
    pub(super) fn run(mut self, protocol: Protocol, reply: Reply<'_>) -> io::Result<()> {
        if let Some(Fault::Raw { stream }) = &self.fault {
            http::start_stream(self.stream)?;
            http::write_chunk(self.stream, stream.as_bytes())?;
            return http::end_stream(self.stream);
        }
        let frames = match self.fault {
            Some(Fault::Giant { bytes }) => {
                wire::frames(protocol, &Turn::text(&"x".repeat(bytes)).piece(bytes), reply)
            }
            _ => wire::frames(protocol, self.turn, reply),
        };
        http::start_stream(self.stream)?;
        let started = Instant::now();
        let mut sent = 0;
        for frame in frames {
            if frame.kind == FrameKind::Delta {
                self.strike(protocol, sent)?;
                self.stand_at_gates(sent)?;
                self.keep_pace(started, sent)?;
                sent += 1;
            }
            http::write_chunk(self.stream, &frame.bytes)?;
        }
        self.strike(protocol, sent)?;
        self.stand_at_gates(sent)?;
        http::end_stream(self.stream)
    }

    /// The fault of this attempt, when it is due.
    fn strike(&mut self, protocol: Protocol, sent: usize) -> io::Result<()> {
        match &self.fault {
            Some(Fault::Drop { after }) if *after == sent => self.hang_up("scripted drop"),
            Some(Fault::Malformed { after }) if *after == sent => {
                http::write_chunk(
                    self.stream,
                    b"data: {\"type\": \"broken\", \n\ndata: not json at all\n\n",
                )?;
                http::end_stream(self.stream)?;
                self.hang_up("scripted malformed event")
            }
            Some(Fault::ErrorEvent { after, message }) if *after == sent => {
                http::write_chunk(self.stream, &wire::error_event(protocol, message))?;
                http::end_stream(self.stream)?;
                self.hang_up("scripted error event")
            }
            Some(Fault::Stall { after }) if *after == sent => {
                while !self.is_over() {
                    thread::park_timeout(LOOK_AGAIN);
                }
                self.hang_up("left while stalled")
            }
            _ => Ok(()),
        }
    }

    fn hang_up(&mut self, why: &'static str) -> io::Result<()> {
        let _ = self.stream.shutdown(Shutdown::Both);
        Err(io::Error::other(why))
    }

    fn stand_at_gates(&mut self, sent: usize) -> io::Result<()> {
        let gates: Vec<Gate> = self
            .turn
            .gates
            .iter()
            .filter(|(at, _)| *at == sent)
            .map(|(_, gate)| gate.clone())
            .collect();
        for gate in gates {
            gate.arrive();
            while !gate.opens_within(LOOK_AGAIN) {
                if self.is_over() {
                    return self.hang_up("left at a gate");
                }
            }
        }
        Ok(())
    }

    fn keep_pace(&mut self, started: Instant, sent: usize) -> io::Result<()> {
        let Some(rate) = self.turn.rate else { return Ok(()) };
        let due = started + Duration::from_secs_f64(sent as f64 / rate);
        while let Some(left) = due.checked_duration_since(Instant::now()) {
            thread::park_timeout(left.min(LOOK_AGAIN));
            if self.is_over() {
                return self.hang_up("left while paced");
            }
        }
        Ok(())
    }

    /// Returns true if the client has left or the server stops.
    fn is_over(&mut self) -> bool {
        if self.state.lock().stopped {
            return true;
        }
        let peeked = self
            .stream
            .set_nonblocking(true)
            .and_then(|()| self.stream.peek(&mut [0]));
        let _ = self.stream.set_nonblocking(false);
        match peeked {
            Ok(read) => read == 0,
            Err(error) => error.kind() != io::ErrorKind::WouldBlock,
        }
    }
}
