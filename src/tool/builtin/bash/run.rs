//! A command from its start to its end, and the end of one that waits in vain although nobody was asked about it.

use std::path::Path;
use std::pin::pin;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use crate::conversation::ErrorKind;
use crate::process::{BlockedFile, CommandOutcome, RunningCommand, SpawnError, blocked_file};

/// The end of a command.
pub(super) struct FinishedCommand {
    pub(super) outcome: CommandOutcome,
    /// The file that it waited for, when it was ended for that.
    pub(super) blocked_file: Option<BlockedFile>,
}

/// Follows a command to its end. One that only reads, and so runs unasked, is ended when it waits for a file that sends
/// nothing.
pub(super) async fn to_the_end(
    running: RunningCommand,
    timeout: Duration,
    only_reads: bool,
    cancel: &CancellationToken,
    sink: impl FnMut(&[u8]) + Send,
) -> FinishedCommand {
    let end = cancel.child_token();
    let pid = running.pid();
    let mut finish = pin!(running.finish(timeout, &end, sink));
    let found = tokio::select! {
        biased;
        outcome = &mut finish => return FinishedCommand { outcome, blocked_file: None },
        found = blocked_file(pid), if only_reads => found,
    };
    end.cancel();
    let outcome = finish.await;
    // It may have ended, or been cancelled, at the same moment.
    let blocked_file = Some(found).filter(|_| outcome.cancelled && !cancel.is_cancelled());
    FinishedCommand {
        outcome,
        blocked_file,
    }
}

impl FinishedCommand {
    pub(super) fn failure(&self) -> Option<ErrorKind> {
        match (&self.blocked_file, self.outcome.cancelled, self.outcome.timed_out) {
            (Some(_), ..) => Some(ErrorKind::Io),
            (_, true, _) => Some(ErrorKind::Cancelled),
            (.., true) => Some(ErrorKind::Timeout),
            // The process that would know is gone, and with it the command.
            _ if self.outcome.exit.is_none() && self.outcome.signal.is_none() => Some(ErrorKind::Interrupted),
            _ => None,
        }
    }

    /// The sentence for a command that did not end by itself.
    pub(super) fn error(&self, name: impl Fn(&Path) -> String) -> Option<String> {
        if let Some(blocked_file) = &self.blocked_file {
            let path = blocked_file
                .path
                .as_deref()
                .map(|path| format!("`{}`", name(path)));
            let file = match (blocked_file.is_named_pipe, path) {
                (true, Some(path)) => format!("the named pipe {path}"),
                (true, None) => "a named pipe".to_owned(),
                (false, Some(path)) => path,
                (false, None) => "a file".to_owned(),
            };
            return Some(format!(
                "Error: the command waits for {file}, which sends nothing, and was ended; nothing was changed"
            ));
        }
        Some(match self.failure()? {
            ErrorKind::Timeout => "Error: the command ran out of time".to_owned(),
            ErrorKind::Interrupted => format!("Error: {}", SpawnError::Interrupted),
            _ => "Error: the command was cancelled".to_owned(),
        })
    }
}
