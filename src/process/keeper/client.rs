//! Lathe's side: the keeper is started when it is first needed, and asked to start each command.

use std::collections::BTreeSet;
use std::io::{self, IoSlice, Read};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use nix::unistd::getsid;
use rustix::net::{
    AddressFamily, SendAncillaryBuffer, SendAncillaryMessage, SendFlags, SocketFlags, SocketType, sendmsg,
    socketpair,
};
use rustix::process::{Pid, WaitOptions, getpid, set_child_subreaper, waitpid};
use tokio::io::AsyncReadExt;

use super::ending::end_all;
use super::{WORD, message};
use crate::process::descendants::descendants_except;
use crate::process::sandbox::OURSELVES;
use crate::process::start_request::{Start, Streams};

/// A keeper that does not answer for so long will not.
const PATIENCE: Duration = Duration::from_secs(10);

/// A process has one keeper, which outlives every session; so its place is beside them, like that of the log.
static KEEPER: Mutex<Option<Keeper>> = Mutex::new(None);
static IS_ENABLED: AtomicBool = AtomicBool::new(false);

/// Lets commands be started by a keeper from now on. For the program itself: another binary cannot be run as one.
pub fn enable() {
    IS_ENABLED.store(true, Ordering::Relaxed);
}

struct Keeper {
    control: OwnedFd,
    pid: Pid,
}

/// How the keeper took a request.
pub(in crate::process) enum KeeperStart {
    Kept(KeeperProcess, u32),
    /// There is no keeper; the streams come back.
    Not(Streams),
}

/// A process that the keeper has started.
#[derive(Debug)]
pub(in crate::process) struct KeeperProcess {
    socket: tokio::net::UnixStream,
    /// Bytes of its status that have arrived.
    status: [u8; 4],
    read: usize,
}

/// Has a command started. Blocks for the time a fork takes.
///
/// `ConnectionAborted` says that the keeper ended before it answered, so that nobody knows whether the command started.
pub(in crate::process) fn start(start: &Start, streams: Streams) -> io::Result<KeeperStart> {
    if !IS_ENABLED.load(Ordering::Relaxed) {
        return Ok(KeeperStart::Not(streams));
    }
    let mut socket = match connect(&streams) {
        Ok(socket) => socket,
        Err(error) => {
            tracing::warn!(%error, "there is no keeper, so a command may outlive lathe");
            return Ok(KeeperStart::Not(streams));
        }
    };
    drop(streams);
    socket.set_read_timeout(Some(PATIENCE))?;
    message::send(start, &mut socket)?;
    let mut answer = [[0; 4]; 2];
    socket
        .read_exact(answer.as_flattened_mut())
        .map_err(|error| io::Error::new(io::ErrorKind::ConnectionAborted, error))?;
    let pid = message::answered(answer)?;
    socket.set_nonblocking(true)?;
    let kept = KeeperProcess {
        socket: tokio::net::UnixStream::from_std(socket)?,
        status: [0; 4],
        read: 0,
    };
    Ok(KeeperStart::Kept(kept, pid))
}

/// A socket for one command, whose other end the keeper has together with the streams.
fn connect(streams: &Streams) -> io::Result<UnixStream> {
    let (near, far) = UnixStream::pair()?;
    let mut keeper = KEEPER.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(running) = &*keeper
        && running.hand_over(&far, streams).is_ok()
    {
        return Ok(near);
    }
    // It ends when its socket is closed, if it has not yet, and leaves nothing behind.
    drop(keeper.take());
    keeper.insert(Keeper::spawn()?).hand_over(&far, streams)?;
    Ok(near)
}

impl Keeper {
    fn spawn() -> io::Result<Self> {
        let (control, other) = socketpair(
            AddressFamily::UNIX,
            SocketType::SEQPACKET,
            SocketFlags::CLOEXEC,
            None,
        )?;
        if let Err(error) = set_child_subreaper(Some(getpid())) {
            tracing::warn!(%error, "what a keeper leaves that is killed may outlive lathe");
        }
        let process = Command::new(OURSELVES)
            .arg0("lathe")
            .arg(WORD)
            .env_clear()
            .current_dir("/")
            .stdin(other)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        let pid = Pid::from_child(&process);
        thread::Builder::new()
            .name("keeper".into())
            .spawn(move || succeed(process))?;
        Ok(Self { control, pid })
    }

    fn hand_over(&self, socket: &UnixStream, streams: &Streams) -> io::Result<()> {
        let descriptors = [
            socket.as_fd(),
            streams.stdin.as_fd(),
            streams.stdout.as_fd(),
            streams.stderr.as_fd(),
        ];
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(4))];
        let mut ancillary = SendAncillaryBuffer::new(&mut space);
        ancillary.push(SendAncillaryMessage::ScmRights(&descriptors));
        sendmsg(
            &self.control,
            &[IoSlice::new(&[0])],
            &mut ancillary,
            SendFlags::NOSIGNAL,
        )?;
        Ok(())
    }
}

/// Waits for the end of a keeper, and ends what it left: it leaves something only when it was killed.
fn succeed(mut keeper: Child) {
    let pid = Pid::from_child(&keeper);
    let _ = keeper.wait();
    let mut current = KEEPER.lock().unwrap_or_else(PoisonError::into_inner);
    current.take_if(|keeper| keeper.pid == pid);
    drop(current);
    let mut adopted = BTreeSet::new();
    end_all(|| {
        let left = orphans();
        adopted.extend(left.iter().map(|process| process.as_raw_nonzero()));
        left
    });
    for process in adopted {
        // Those below another have been waited for, or are nobody's any more.
        let _ = waitpid(Pid::from_raw(process.get()), WaitOptions::NOHANG);
    }
}

/// The commands of a keeper that is no more, and what they have started.
///
/// A command leads a session of its own, which no other child of lathe does, except the keeper that there is now.
fn orphans() -> Vec<Pid> {
    // Held, so that no other keeper is started meanwhile.
    let keeper = KEEPER.lock().unwrap_or_else(PoisonError::into_inner);
    let mut left = descendants_except(getpid(), keeper.as_ref().map(|keeper| keeper.pid));
    // Of a session whose leader is in another PID namespace, as in a container, the number is 0.
    let own = getsid(None);
    left.retain(|process| getsid(Some(nix::unistd::Pid::from_raw(process.as_raw_nonzero().get()))) != own);
    left
}

impl KeeperProcess {
    pub(in crate::process) async fn wait(&mut self) -> io::Result<ExitStatus> {
        while self.read < self.status.len() {
            match self.socket.read(&mut self.status[self.read..]).await? {
                0 => return Err(io::Error::other("the keeper was ended")),
                read => self.read += read,
            }
        }
        Ok(ExitStatus::from_raw(i32::from_ne_bytes(self.status)))
    }
}
