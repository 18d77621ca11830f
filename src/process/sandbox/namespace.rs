//! Read-only places below writable ones: a mount namespace in which they are mounted once more, without writing.
//!
//! Landlock only adds rights on the way down and cannot take one away again below a directory. Without rights of its own
//! a process may mount only in a user namespace, where it stays the same user; the command cannot undo the mounts,
//! because Landlock, which comes next, refuses every change of them.

use std::collections::BTreeSet;
use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::{env, fs};

use nix::mount::{MsFlags, mount};
use nix::sched::{CloneFlags, unshare};
use nix::sys::statvfs::{FsFlags, statvfs};
use nix::unistd::{Gid, Uid};
use rustix::process::{DumpableBehavior, set_dumpable_behavior};

use super::Confinement;

pub(super) fn keep(confinement: &Confinement) -> Result<(), String> {
    let failed = |path: &Path, error: &dyn Display| {
        format!("`{}` could not be kept from writing: {error}", path.display())
    };
    // Asked for while it can still be named.
    let directory = env::current_dir();
    separate().map_err(|error| format!("it needs a user namespace, and the system gives none: {error}"))?;
    for path in holders(confinement) {
        bind(path).map_err(|error| failed(path, &error))?;
    }
    for path in &confinement.read_only {
        mount_read_only(path).map_err(|error| failed(path, &error))?;
    }
    // We still stand below the new mounts, where nothing is read-only.
    directory
        .and_then(env::set_current_dir)
        .map_err(|error| format!("the directory of the command was lost: {error}"))
}

/// The directories on the way from a writable place to what is kept, outermost first. What is mounted cannot be renamed;
/// otherwise the whole directory could be moved away and another put in its place.
fn holders(confinement: &Confinement) -> BTreeSet<&Path> {
    let is_movable = |path: &Path| {
        let below = |place: &PathBuf| path.starts_with(place) && path != place;
        confinement.writable.iter().any(below)
    };
    let kept = confinement.read_only.iter();
    kept.flat_map(|path| path.ancestors().skip(1).filter(|path| is_movable(path)))
        .collect()
}

/// Leaves the mounts of everybody else.
fn separate() -> std::io::Result<()> {
    let (user, group) = (Uid::effective(), Gid::effective());
    // Whoever may mount needs no user namespace, and may be in a place where there are none.
    if unshare(CloneFlags::CLONE_NEWNS).is_err() {
        // What cannot be dumped has files below `/proc` that belong to root. There are no secrets in this process.
        set_dumpable_behavior(DumpableBehavior::Dumpable)?;
        unshare(CloneFlags::CLONE_NEWUSER | CloneFlags::CLONE_NEWNS)?;
        fs::write("/proc/self/setgroups", "deny")?;
        fs::write("/proc/self/uid_map", format!("{user} {user} 1"))?;
        fs::write("/proc/self/gid_map", format!("{group} {group} 1"))?;
    }
    let all = MsFlags::MS_REC | MsFlags::MS_PRIVATE;
    mount(None::<&str>, "/", None::<&str>, all, None::<&str>)?;
    Ok(())
}

fn mount_read_only(path: &Path) -> nix::Result<()> {
    bind(path)?;
    let flags = MsFlags::MS_BIND | MsFlags::MS_REMOUNT | MsFlags::MS_RDONLY | inherited(path)?;
    mount(None::<&str>, path, None::<&str>, flags, None::<&str>)
}

fn bind(path: &Path) -> nix::Result<()> {
    let flags = MsFlags::MS_BIND | MsFlags::MS_REC;
    mount(Some(path), path, None::<&str>, flags, None::<&str>)
}

/// What a mount forbids already cannot be allowed again, so it has to be said again.
fn inherited(path: &Path) -> nix::Result<MsFlags> {
    let has = statvfs(path)?.flags();
    let known = [
        (FsFlags::ST_NOSUID, MsFlags::MS_NOSUID),
        (FsFlags::ST_NODEV, MsFlags::MS_NODEV),
        (FsFlags::ST_NOEXEC, MsFlags::MS_NOEXEC),
        (FsFlags::ST_NOATIME, MsFlags::MS_NOATIME),
        (FsFlags::ST_NODIRATIME, MsFlags::MS_NODIRATIME),
        (FsFlags::ST_RELATIME, MsFlags::MS_RELATIME),
    ];
    let kept = known.into_iter().filter(|(has_flag, _)| has.contains(*has_flag));
    Ok(kept.map(|(_, flag)| flag).fold(MsFlags::empty(), MsFlags::union))
}
