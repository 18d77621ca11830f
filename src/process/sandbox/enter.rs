//! Entering a confinement: a thread, or lathe's binary run once more, gives up what the command may not do.

use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

use landlock::{
    ABI, AccessFs, CompatLevel, Compatible, Ruleset, RulesetAttr, RulesetCreatedAttr, RulesetError, Scope,
    path_beneath_rules,
};

use super::{Confinement, namespace, seccomp};

/// Devices that every command may write to; nothing written there is kept.
const SINKS: [&str; 2] = ["/dev/null", "/dev/tty"];
/// The first version that also stops truncating, Linux 6.2.
pub(super) const NEEDED: ABI = ABI::V3;

pub(super) fn run(words: impl IntoIterator<Item = OsString>) -> Result<(), String> {
    let (confinement, command) = Confinement::read(words)?;
    // The order matters: mounting is one of the things that Landlock takes away.
    if confinement.needs_namespace() {
        namespace::keep(&confinement)?;
    }
    restrict(&confinement)?;
    let mut command = command.into_iter();
    let Some(program) = command.next() else {
        return Ok(());
    };
    let error = Command::new(&program).args(command).exec();
    Err(format!(
        "`{}` could not be started: {error}",
        program.to_string_lossy()
    ))
}

/// Restricts this thread and what it starts, but for what is mounted.
pub(super) fn restrict(confinement: &Confinement) -> Result<(), String> {
    restrict_files(confinement)
        .map_err(|error| format!("the kernel's Landlock does not support it: {error}"))?;
    seccomp::refuse(confinement).map_err(|error| format!("the kernel's seccomp does not support it: {error}"))
}

fn restrict_files(confinement: &Confinement) -> Result<(), RulesetError> {
    let writing = AccessFs::from_write(NEEDED);
    let writable = confinement.writable.iter().map(AsRef::as_ref);
    // A device has all of a disk behind it, wherever its name is.
    let granted = writing & !(AccessFs::MakeBlock | AccessFs::MakeChar);
    let places = SINKS.iter().map(AsRef::<Path>::as_ref).chain(writable);
    let handled = if confinement.programs.is_some() {
        writing | AccessFs::Execute
    } else {
        writing
    };
    let ruleset = Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(handled)?
        // Newer kernels also keep the command's signals off everybody else.
        .set_compatibility(CompatLevel::BestEffort)
        .scope(Scope::Signal)?;
    let ruleset = if confinement.network {
        ruleset
    } else {
        ruleset.scope(Scope::AbstractUnixSocket)?
    };
    ruleset
        .create()?
        .add_rules(path_beneath_rules(places, granted))?
        .add_rules(path_beneath_rules(
            confinement.programs.iter().flatten(),
            AccessFs::Execute,
        ))?
        .restrict_self()
        .map(|_| ())
}
