//! The program: everything is in the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    #[cfg(target_os = "linux")]
    become_undumpable();
    lathe::cli::main(std::env::args_os())
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
