//! A command that is told something and answers: an input, and two outputs that are kept apart.
//!
//! Of each output the beginning is kept, up to a bound; the rest is read and forgotten, so that a command which prints
//! for ever neither stops nor fills the memory. One that does not read its input is no error: it was told nothing then.

use std::io;
use std::os::fd::OwnedFd;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::unix::pipe::{Receiver, Sender};
use tokio_util::sync::CancellationToken;

use super::spawn::{CommandOutcome, RunningCommand, ShellCommand, SpawnError};

/// How long the errors of a command that has ended are waited for: somebody outside its group may hold the pipe.
const END_GRACE: Duration = Duration::from_millis(100);
const BUFFER: usize = 16 * 1024;

/// A command with what it is told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PipedCommand {
    pub command: ShellCommand,
    /// All of its standard input.
    pub input: Vec<u8>,
    /// Bytes that are kept of each output.
    pub keep: usize,
}

/// How the command ended and what it said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PipedOutcome {
    pub outcome: CommandOutcome,
    pub stdout: BoundedOutput,
    pub stderr: BoundedOutput,
}

/// The beginning of an output.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BoundedOutput {
    pub bytes: Vec<u8>,
    /// There was more.
    pub is_cut: bool,
}

impl BoundedOutput {
    fn take(&mut self, bytes: &[u8], keep: usize) {
        let room = keep.saturating_sub(self.bytes.len());
        self.is_cut |= bytes.len() > room;
        self.bytes.extend_from_slice(&bytes[..bytes.len().min(room)]);
    }
}

impl PipedCommand {
    /// Runs the command to its end, which comes within 3.5 s of the timeout or of the cancellation. Dropping the future
    /// kills its whole group.
    pub async fn run(
        self,
        timeout: Duration,
        cancel: &CancellationToken,
    ) -> Result<PipedOutcome, SpawnError> {
        let Self { command, input, keep } = self;
        let start = |stdin, stderr| command.start(stdin, Some(stderr));
        exchange(start, input, keep, timeout, cancel).await
    }
}

/// Runs what `start` starts with an input and a place for its errors.
pub(super) async fn exchange<E: From<io::Error>>(
    start: impl FnOnce(OwnedFd, OwnedFd) -> Result<RunningCommand, E>,
    input: Vec<u8>,
    keep: usize,
    timeout: Duration,
    cancel: &CancellationToken,
) -> Result<PipedOutcome, E> {
    let (input_reader, input_writer) = io::pipe()?;
    let (error_reader, error_writer) = io::pipe()?;
    let running = start(input_reader.into(), error_writer.into())?;
    let feed = feed(Sender::from_owned_fd(input_writer.into())?, input);
    let mut stdout = BoundedOutput::default();
    let mut stderr = BoundedOutput::default();
    let outcome = {
        let listen = collect_errors(Receiver::from_owned_fd(error_reader.into())?, &mut stderr, keep);
        let follow = running.finish(timeout, cancel, |bytes| stdout.take(bytes, keep));
        tokio::pin!(feed, listen, follow);
        let (mut is_fed, mut is_silent) = (false, false);
        let outcome = loop {
            tokio::select! {
                outcome = &mut follow => break outcome,
                () = &mut feed, if !is_fed => is_fed = true,
                () = &mut listen, if !is_silent => is_silent = true,
            }
        };
        if !is_silent {
            // What did not come by now is somebody else's.
            let _ = tokio::time::timeout(END_GRACE, &mut listen).await;
        }
        outcome
    };
    Ok(PipedOutcome {
        outcome,
        stdout,
        stderr,
    })
}

/// Writes the input and closes it.
async fn feed(mut pipe: Sender, input: Vec<u8>) {
    if let Err(error) = pipe.write_all(&input).await {
        tracing::debug!(%error, "a command did not read its input");
    }
}

async fn collect_errors(mut pipe: Receiver, into: &mut BoundedOutput, keep: usize) {
    let mut buffer = vec![0; BUFFER];
    while let Ok(read @ 1..) = pipe.read(&mut buffer).await {
        into.take(&buffer[..read], keep);
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;
    use crate::process::Shell;

    const LONG: Duration = Duration::from_mins(1);

    async fn run(text: &str, input: &[u8], timeout: Duration) -> PipedOutcome {
        let path = std::env::var_os("PATH").unwrap();
        let command = ShellCommand {
            shell: Shell::find(None, Some(&path)).unwrap(),
            command: text.into(),
            cwd: std::env::temp_dir(),
            environment: vec![("PATH".into(), path)],
            confinement: None,
        };
        let exchange = PipedCommand {
            command,
            input: input.to_vec(),
            keep: 1000,
        };
        exchange.run(timeout, &CancellationToken::new()).await.unwrap()
    }

    #[tokio::test]
    async fn the_input_is_read_and_the_outputs_are_apart() {
        let ended = run("cat; echo bad >&2; exit 3", b"told", LONG).await;
        assert_eq!(
            (ended.stdout.bytes, ended.stdout.is_cut),
            (b"told".to_vec(), false)
        );
        assert_eq!(ended.stderr.bytes, b"bad\n");
        assert_eq!(ended.outcome.exit, Some(3));
    }

    #[tokio::test]
    async fn an_input_larger_than_a_pipe_goes_through_both_ways() {
        let input = vec![b'x'; 1 << 20];
        let ended = run("cat", &input, LONG).await;
        assert_eq!((ended.stdout.bytes.len(), ended.stdout.is_cut), (1000, true));
        assert_eq!(ended.outcome.exit, Some(0));
    }

    #[tokio::test]
    async fn a_command_that_reads_nothing_is_not_waited_for() {
        let input = vec![b'x'; 1 << 20];
        let ended = run("exec <&-; echo deaf", &input, LONG).await;
        assert_eq!(
            (&*ended.stdout.bytes, ended.outcome.exit),
            (&b"deaf\n"[..], Some(0))
        );
    }

    #[tokio::test]
    async fn endless_output_ends_with_the_timeout_and_is_kept_in_part() {
        let ended = run("yes >&2 & yes", b"", Duration::from_millis(200)).await;
        assert!(ended.outcome.timed_out);
        assert_eq!((ended.stdout.bytes.len(), ended.stderr.bytes.len()), (1000, 1000));
    }

    #[tokio::test]
    async fn who_holds_the_pipes_from_outside_the_group_holds_up_nobody() {
        let started = Instant::now();
        let ended = run(
            "setsid sh -c 'echo $$; exec sleep 60' & sleep 0.1; echo err >&2",
            b"",
            LONG,
        )
        .await;
        assert!(started.elapsed() < Duration::from_secs(5));
        assert_eq!(ended.stderr.bytes, b"err\n");
        let pid: u32 = String::from_utf8(ended.stdout.bytes)
            .unwrap()
            .trim()
            .parse()
            .unwrap();
        crate::process::Group::led_by(pid).unwrap().kill();
    }
}
