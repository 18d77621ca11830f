//! Starting a program as the leader of a session of its own, here or by the keeper.

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::process::ExitStatus;

use process_wrap::tokio::{ChildWrapper, CommandWrap, ProcessSession};
use tokio::process::Command;

#[cfg(target_os = "linux")]
use super::keeper;
use super::start_request::{Start, Streams};

/// The started program, which leads a session and a group.
#[derive(Debug)]
pub(super) enum Leader {
    /// A child of this process.
    Own(Box<dyn ChildWrapper>),
    #[cfg(target_os = "linux")]
    Kept(keeper::KeeperProcess),
}

impl Start {
    /// Starts it below the keeper, which ends it when lathe has ended, and below this process where there is no keeper.
    /// Must be called within a runtime.
    pub(super) fn start(self, streams: Streams) -> io::Result<(Leader, u32)> {
        #[cfg(target_os = "linux")]
        let streams = match keeper::start(&self, streams)? {
            keeper::KeeperStart::Kept(kept, pid) => return Ok((Leader::Kept(kept), pid)),
            keeper::KeeperStart::Not(streams) => streams,
        };
        self.start_here(streams)
    }

    fn start_here(self, streams: Streams) -> io::Result<(Leader, u32)> {
        let Self {
            program,
            arguments,
            cwd,
            environment,
            confinement,
        } = self;
        let runtime = tokio::runtime::Handle::current();
        let start = |program: PathBuf, arguments: Vec<OsString>| {
            let _within = runtime.enter();
            let mut command = Command::new(program);
            command
                .args(arguments)
                .current_dir(&cwd)
                .env_clear()
                .envs(environment.iter().map(|(name, value)| (name, value)))
                .stdin(streams.stdin)
                .stdout(streams.stdout)
                .stderr(streams.stderr)
                .kill_on_drop(true);
            let mut wrapped = CommandWrap::from(command);
            wrapped.wrap(ProcessSession);
            // The outer layer would wait for the whole group; we have limits for that.
            Ok(wrapped.spawn()?.into_inner())
        };
        let child = match &confinement {
            Some(confinement) => confinement.start(program, arguments, start)?,
            None => start(program, arguments)?,
        };
        let pid = child
            .id()
            .ok_or_else(|| io::Error::other("it was gone at once"))?;
        #[cfg(target_os = "linux")]
        if let Some(bytes) = confinement.and_then(|confinement| confinement.memory) {
            limit_memory(pid, bytes);
        }
        Ok((Leader::Own(child), pid))
    }
}

/// A little late, as another process cannot be limited before it is there; the keeper does better.
#[cfg(target_os = "linux")]
fn limit_memory(pid: u32, bytes: u64) {
    use rustix::process::{Pid, Resource, Rlimit, prlimit};
    let limit = Rlimit {
        current: Some(bytes),
        maximum: Some(bytes),
    };
    let pid = i32::try_from(pid).ok().and_then(Pid::from_raw);
    if let Err(error) = prlimit(pid, Resource::Data, limit) {
        tracing::debug!(%error, "the memory of a command could not be limited");
    }
}

impl Leader {
    /// Waits for its end. May be dropped and called again.
    pub(super) async fn wait(&mut self) -> io::Result<ExitStatus> {
        match self {
            Self::Own(child) => child.wait().await,
            #[cfg(target_os = "linux")]
            Self::Kept(kept) => kept.wait().await,
        }
    }
}
