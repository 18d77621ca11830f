//! The helper's side: give up what the command may not do, then become it.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::process::Command;

use landlock::{
    ABI, AccessFs, CompatLevel, Compatible, Ruleset, RulesetAttr, RulesetCreatedAttr, Scope,
    path_beneath_rules,
};
use nix::libc;
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
    TargetArch,
};

use super::{Confinement, namespace};

/// Where every command may write: what is written there is kept nowhere.
const SINKS: [&str; 2] = ["/dev/null", "/dev/tty"];
/// The first version that also stops truncating, Linux 6.2.
pub(super) const NEEDED: ABI = ABI::V3;
/// Added to a number of a system call, it names the same call of a second calling convention.
#[cfg(target_arch = "x86_64")]
const X32: i64 = 0x4000_0000;

pub(super) fn run(words: impl IntoIterator<Item = OsString>) -> Result<(), String> {
    let (confinement, command) = Confinement::read(words)?;
    // The order matters: mounting is one of the things that Landlock takes away.
    if !confinement.read_only.is_empty() {
        namespace::keep(&confinement)?;
    }
    restrict_files(&confinement)
        .map_err(|error| format!("the kernel's Landlock does not offer it: {error}"))?;
    if !confinement.network {
        refuse_sockets().map_err(|error| format!("the kernel's seccomp does not offer it: {error}"))?;
    }
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

fn restrict_files(confinement: &Confinement) -> Result<(), landlock::RulesetError> {
    let writing = AccessFs::from_write(NEEDED);
    let writable = confinement.writable.iter().map(AsRef::as_ref);
    let places = SINKS.iter().map(AsRef::<std::path::Path>::as_ref).chain(writable);
    Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(writing)?
        // Newer kernels also keep the command's signals off everybody else.
        .set_compatibility(CompatLevel::BestEffort)
        .scope(Scope::Signal)?
        .create()?
        .add_rules(path_beneath_rules(places, writing))?
        .restrict_self()
        .map(|_| ())
}

/// Sockets of other families than the file system's cannot be made; a ring could make them without the call.
fn refuse_sockets() -> Result<(), seccompiler::Error> {
    let other_family = SeccompCondition::new(
        0,
        SeccompCmpArgLen::Dword,
        SeccompCmpOp::Ne,
        libc::AF_UNIX.unsigned_abs().into(),
    )?;
    let rules = [
        (libc::SYS_socket, vec![SeccompRule::new(vec![other_family])?]),
        (libc::SYS_io_uring_setup, Vec::new()),
    ];
    let mut all: BTreeMap<i64, Vec<SeccompRule>> = rules.into();
    #[cfg(target_arch = "x86_64")]
    for (call, rules) in all.clone() {
        all.insert(call | X32, rules);
    }
    let arch = TargetArch::try_from(std::env::consts::ARCH)?;
    let refuse = SeccompAction::Errno(libc::EPERM.unsigned_abs());
    let filter = SeccompFilter::new(all, SeccompAction::Allow, refuse, arch)?;
    seccompiler::apply_filter(&BpfProgram::try_from(filter)?)
}
