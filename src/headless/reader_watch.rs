//! Whoever reads stdout may leave long before anything is written: then the work is stopped as soon as that happens.

use tokio::sync::oneshot;

/// Returns what tells when the reader of stdout is gone, where stdout is a pipe or a socket.
pub(super) fn watch() -> Option<oneshot::Receiver<()>> {
    let kind = rustix::fs::fstat(rustix::stdio::stdout()).ok()?;
    let kind = rustix::fs::FileType::from_raw_mode(kind.st_mode);
    if !matches!(kind, rustix::fs::FileType::Fifo | rustix::fs::FileType::Socket) {
        return None;
    }
    let (sender, receiver) = oneshot::channel();
    // It waits for as long as the process lives, so it is no task that somebody would wait for.
    std::thread::Builder::new()
        .name("stdout".to_owned())
        .spawn(move || {
            if wait().is_ok() {
                let _ = sender.send(());
            }
        })
        .ok()?;
    Some(receiver)
}

/// Waits until the other end is closed. That is told without being asked for.
fn wait() -> std::io::Result<()> {
    use rustix::event::{PollFd, PollFlags, poll};
    let stdout = rustix::stdio::stdout();
    loop {
        let mut fds = [PollFd::new(&stdout, PollFlags::empty())];
        rustix::io::retry_on_intr(|| poll(&mut fds, None))?;
        if fds[0].revents().intersects(PollFlags::ERR | PollFlags::HUP) {
            return Ok(());
        }
        if fds[0].revents().contains(PollFlags::NVAL) {
            return Err(std::io::ErrorKind::InvalidInput.into());
        }
    }
}
