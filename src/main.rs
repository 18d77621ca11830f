//! The program: everything is in the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    // First of all: what lathe opens itself is closed on exec anyway, and nothing has been started yet.
    #[cfg(unix)]
    keep_inherited_descriptors();
    #[cfg(target_os = "linux")]
    become_undumpable();
    lathe::cli::main(std::env::args_os())
}

/// Marks every descriptor beyond the standard streams that lathe was started with as close-on-exec. Lathe can still read
/// one that it was given on purpose (`lathe run -f /dev/fd/63`), but nothing that it starts gets it: the keeper, the
/// helper of the sandbox, and through them every command, terminal, hook, editor and git have the streams that lathe
/// passes them and no others.
#[cfg(unix)]
fn keep_inherited_descriptors() {
    close_fds::CloseFdsBuilder::new().cloexecfrom(3);
}

/// Commands that tools run could otherwise read lathe's environment and memory, and with them the user's keys.
#[cfg(target_os = "linux")]
fn become_undumpable() {
    use rustix::process::{DumpableBehavior, set_dumpable_behavior};
    if std::env::var_os("LATHE_DUMPABLE").is_none_or(|value| value != "1") {
        // A kernel that refuses leaves things as they are for every other program.
        let _ = set_dumpable_behavior(DumpableBehavior::NotDumpable);
    }
}
