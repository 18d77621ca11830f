//! The program of a terminal is started through this: a word of lathe's own binary that makes the standard input the
//! controlling terminal of the session it leads, and becomes the program.
//!
//! That takes a call between the start of a process and its program, which safe code can make only in a program of its
//! own. Where a session has no controlling terminal, job control, `/dev/tty` and Ctrl-C do not work.

use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode};

use rustix::process::{ioctl_tiocsctty, setsid};

/// The first word of lathe's command line that makes it the start of a terminal's program.
pub const WORD: &str = "__terminal";

/// Status of a shell whose program could not be run.
const NOT_FOUND: u8 = 127;

/// The arguments of lathe's own binary that run a program with its arguments in the terminal of its standard input.
pub fn arguments(program: OsString, arguments: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
    [WORD.into(), program].into_iter().chain(arguments).collect()
}

/// Becomes the program that the words after [`WORD`] name. Returns when it cannot, having said why on the terminal.
pub fn run(words: impl IntoIterator<Item = OsString>) -> ExitCode {
    let mut words = words.into_iter();
    let Some(program) = words.next() else {
        return ExitCode::from(NOT_FOUND);
    };
    // Whoever started us may have made the session.
    let _ = setsid();
    let error = match ioctl_tiocsctty(rustix::stdio::stdin()) {
        Ok(()) => Command::new(&program).args(words).exec(),
        Err(error) => error.into(),
    };
    let text = format!(
        "`{}` could not be started: {error}\r\n",
        program.to_string_lossy()
    );
    // There is nobody else to tell.
    let _ = rustix::io::write(rustix::stdio::stderr(), text.as_bytes());
    ExitCode::from(NOT_FOUND)
}
