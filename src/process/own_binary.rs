//! Runs lathe's own binary once more, for work on input that might take its process down.

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::piped::{PipedOutcome, exchange};
use super::sandbox::OURSELVES;
use super::spawn::RunningCommand;
use super::start_request::Start;

/// A run of the binary.
#[derive(Debug)]
pub struct OwnBinary {
    /// Words of the command line; the first says what is wanted.
    pub words: Vec<OsString>,
    /// All of its standard input.
    pub input: Vec<u8>,
    /// Bytes that are kept of each output.
    pub keep: usize,
}

impl OwnBinary {
    /// Runs it to its end, without environment. Ends within 3.5 s of the timeout or of the cancellation; dropping the
    /// future kills it.
    pub async fn run(self, timeout: Duration, cancel: &CancellationToken) -> io::Result<PipedOutcome> {
        let start = Start {
            program: program()?,
            arguments: self.words,
            cwd: "/".into(),
            environment: Vec::new(),
            confinement: None,
        };
        let start = |stdin, stderr| RunningCommand::start(start, stdin, Some(stderr));
        exchange(start, self.input, self.keep, timeout, cancel).await
    }
}

/// The path by which lathe's own binary is run.
pub(super) fn program() -> io::Result<PathBuf> {
    if cfg!(target_os = "linux") {
        Ok(OURSELVES.into())
    } else {
        std::env::current_exe()
    }
}
