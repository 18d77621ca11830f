//! The keeper's side: start what is asked for, tell how it ended, and end everything when lathe is gone.

use std::collections::HashMap;
use std::io::{self, IoSliceMut, Write};
use std::mem::MaybeUninit;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::process::{Command, ExitCode};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use nix::sys::signal::{SigSet, Signal as Blocked};
use process_wrap::std::{CommandWrap, ProcessSession, ResetSigmask};
use rustix::net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, recvmsg};
use rustix::process::{
    Resource, Rlimit, WaitId, WaitIdOptions, WaitOptions, getpid, getrlimit, set_child_subreaper, setrlimit,
    setsid, wait, waitid,
};

use super::ending;
use super::message;
use crate::process::descendants::descendants;
use crate::process::start_request::{Start, Streams};

/// The commands that run, each with the socket that its status goes to.
#[derive(Default)]
struct Commands {
    running: Mutex<HashMap<u32, UnixStream>>,
    started: Condvar,
}

/// Is the keeper until the process at the other end of standard input has ended, and everything below this one too.
pub fn run() -> ExitCode {
    // Not among the processes that a terminal, or whoever ends lathe, sends signals to.
    let _ = setsid();
    for signal in [
        Blocked::SIGHUP,
        Blocked::SIGINT,
        Blocked::SIGQUIT,
        Blocked::SIGTERM,
    ] {
        let _ = SigSet::from(signal).thread_block();
    }
    // A name that `pkill lathe` does not find: it must outlive the process that such a command is meant for.
    let _ = rustix::thread::set_name(c"command-keeper");
    if set_child_subreaper(Some(getpid())).is_err() {
        return ExitCode::FAILURE;
    }
    let commands = Arc::new(Commands::default());
    let reaper = Arc::clone(&commands);
    thread::spawn(move || reaper.reap());
    while let Ok(Some((socket, streams))) = next_request(rustix::stdio::stdin()) {
        let commands = Arc::clone(&commands);
        thread::spawn(move || commands.serve(socket, streams));
    }
    ending::end_all(|| descendants(getpid()));
    ExitCode::SUCCESS
}

/// The next request; `None` when lathe has ended.
fn next_request(control: BorrowedFd<'_>) -> io::Result<Option<(UnixStream, Streams)>> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(4))];
    let mut ancillary = RecvAncillaryBuffer::new(&mut space);
    let mut byte = [0];
    loop {
        let received = recvmsg(
            control,
            &mut [IoSliceMut::new(&mut byte)],
            &mut ancillary,
            RecvFlags::CMSG_CLOEXEC,
        );
        match received {
            Ok(message) if message.bytes == 0 => return Ok(None),
            Ok(_) => {}
            Err(rustix::io::Errno::INTR) => continue,
            Err(error) => return Err(error.into()),
        }
        let descriptors: Vec<OwnedFd> = ancillary
            .drain()
            .filter_map(|message| match message {
                RecvAncillaryMessage::ScmRights(descriptors) => Some(descriptors),
                _ => None,
            })
            .flatten()
            .collect();
        if let Ok([socket, stdin, stdout, stderr]) = <[OwnedFd; 4]>::try_from(descriptors) {
            let streams = Streams {
                stdin,
                stdout,
                stderr,
            };
            return Ok(Some((socket.into(), streams)));
        }
    }
}

impl Commands {
    fn lock(&self) -> MutexGuard<'_, HashMap<u32, UnixStream>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts one command and answers.
    fn serve(&self, mut socket: UnixStream, streams: Streams) {
        let Ok(start) = message::receive(&mut socket) else {
            return;
        };
        // Held, so that nobody else waits for a process that could not become the program, or is born with the limits
        // that are meant for this one; and so that its end finds it registered.
        let mut running = self.lock();
        let started = start_limited(start, streams);
        // When lathe has ended in between, so will the command.
        let _ = socket.write_all(message::answer(&started).as_flattened());
        if let Ok(pid) = started {
            running.insert(pid, socket);
            self.started.notify_one();
        }
    }

    /// Waits for whatever ends: commands, whose status is told, and what has lost its parent.
    fn reap(&self) {
        loop {
            // Only a look: who waits must hold the lock, so that a start that fails can wait for its own process.
            let ended = waitid(WaitId::All, WaitIdOptions::EXITED | WaitIdOptions::NOWAIT);
            let mut running = self.lock();
            if matches!(ended, Err(rustix::io::Errno::CHILD)) {
                // There is no child. One may have been started since, and then it is registered.
                if running.is_empty() {
                    running = self.started.wait(running).unwrap_or_else(PoisonError::into_inner);
                }
            }
            while let Ok(Some((pid, status))) = wait(WaitOptions::NOHANG) {
                let pid = pid.as_raw_nonzero().get().unsigned_abs();
                if let Some(mut socket) = running.remove(&pid) {
                    // Nobody may want to know any more.
                    let _ = socket.write_all(&status.as_raw().to_ne_bytes());
                }
            }
        }
    }
}

fn start_limited(start: Start, streams: Streams) -> io::Result<u32> {
    let Some(bytes) = start
        .confinement
        .as_ref()
        .and_then(|confinement| confinement.memory)
    else {
        return start_command(start, streams);
    };
    // What is started has the limits of who starts it. The hard limit stays, so that ours can be lifted again.
    let own = getrlimit(Resource::Data);
    let limited = Rlimit {
        current: Some(own.maximum.map_or(bytes, |most| most.min(bytes))),
        ..own
    };
    setrlimit(Resource::Data, limited)?;
    let started = start_command(start, streams);
    setrlimit(Resource::Data, own)?;
    started
}

fn start_command(start: Start, streams: Streams) -> io::Result<u32> {
    let Start {
        program,
        arguments,
        cwd,
        environment,
        confinement,
    } = start;
    let run = |program, arguments| {
        let mut command = Command::new(program);
        command
            .args::<_, std::ffi::OsString>(arguments)
            .current_dir(cwd)
            .env_clear()
            .envs(environment)
            .stdin(streams.stdin)
            .stdout(streams.stdout)
            .stderr(streams.stderr);
        let mut wrapped = CommandWrap::from(command);
        // What the keeper does not hear, commands do.
        wrapped.wrap(ProcessSession).wrap(ResetSigmask);
        Ok(wrapped.spawn()?.id())
    };
    match confinement {
        Some(confinement) => confinement.start(program, arguments, run),
        None => run(program, arguments),
    }
}
