//! The pseudo-terminal: its two ends, its size, and what its line discipline does.

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::fs::{Mode, OFlags, fcntl_setfl, fstat};
use rustix::process::Pid;
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{
    InputModes, LocalModes, OptionalActions, Winsize, tcgetattr, tcgetpgrp, tcsetattr, tcsetwinsize,
};

/// Columns and rows of a pseudo-terminal.
pub type PtySize = crate::process::screen::ScreenSize;

/// Our end of a pseudo-terminal.
#[derive(Debug)]
pub(super) struct PtyDevice {
    controller: OwnedFd,
    /// Number of the device that the program has, which no other one has while this end is open.
    number: u64,
}

/// The line discipline's modes that matter to who types.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct LineModes {
    /// Canonical mode: the program reads whole lines.
    pub(super) is_canonical: bool,
    /// Typed characters are shown.
    pub(super) is_echoing: bool,
}

impl PtyDevice {
    /// Opens a pseudo-terminal and gives the program's end too.
    pub(super) fn open(size: PtySize) -> io::Result<(Self, File)> {
        let controller = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC)?;
        grantpt(&controller)?;
        unlockpt(&controller)?;
        let name = ptsname(&controller, Vec::new())?;
        // Not ours: a session takes the terminal that its leader opens first.
        let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC;
        let program_end = rustix::fs::open(name.as_c_str(), flags, Mode::empty())?;
        let mut modes = tcgetattr(&program_end)?;
        // Backspace takes whole characters back, where the kernel edits the line.
        modes.input_modes.insert(InputModes::IUTF8);
        tcsetattr(&program_end, OptionalActions::Now, &modes)?;
        let number = fstat(&program_end)?.st_rdev;
        fcntl_setfl(&controller, OFlags::RDWR | OFlags::NONBLOCK)?;
        let device = Self { controller, number };
        device.resize(size)?;
        Ok((device, program_end.into()))
    }

    /// Sets the size and has the kernel tell the foreground group.
    pub(super) fn resize(&self, size: PtySize) -> io::Result<()> {
        let size = Winsize {
            ws_row: size.rows,
            ws_col: size.cols,
            ws_xpixel: 0,
            ws_ypixel: 0,
        };
        Ok(tcsetwinsize(&self.controller, size)?)
    }

    /// The process group that reads what is typed; `None` when there is none.
    pub(super) fn foreground_group(&self) -> Option<Pid> {
        tcgetpgrp(&self.controller).ok()
    }

    pub(super) fn line_modes(&self) -> Option<LineModes> {
        let modes = tcgetattr(&self.controller).ok()?.local_modes;
        Some(LineModes {
            is_canonical: modes.contains(LocalModes::ICANON),
            is_echoing: modes.contains(LocalModes::ECHO),
        })
    }

    pub(super) fn number(&self) -> u64 {
        self.number
    }
}

impl AsFd for PtyDevice {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.controller.as_fd()
    }
}
