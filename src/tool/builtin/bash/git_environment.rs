//! A call that only reads, with what could start programs taken out of its environment.

use crate::process::ShellCommand;
use crate::process::git::{Submodules, disarmed};
use crate::tool::reads_only::ReadsOnly;

/// Takes what could start programs out of the environment. The note says which filters of git were left out, when files
/// may show as modified for it.
pub(super) fn disarm(command: &mut ShellCommand, reads_only: &ReadsOnly) -> Option<String> {
    // One can name options that nobody has judged; with the other, options behind an operand are operands, and the second
    // one of `uniq` is written.
    command
        .environment
        .retain(|(name, _)| name != "RIPGREP_CONFIG_PATH" && name != "POSIXLY_CORRECT");
    let git = reads_only.git.as_ref()?;
    // Git starts what a submodule names by `/bin/sh`: where that is the shell that may run, it would.
    let submodules = if command.confinement.is_some() && !command.shell.is_of_system() {
        Submodules::Read
    } else {
        Submodules::Skip
    };
    let environment = std::mem::take(&mut command.environment);
    command.environment = disarmed(environment, &git.drivers, submodules);
    (!git.filters.is_empty()).then(|| {
        let names: Vec<&str> = git.filters.iter().map(String::as_str).collect();
        format!(
            "[filters off: files with the filter {} may show as modified]",
            names.join(", ")
        )
    })
}
