//! A mount namespace of the command's own, in which places are mounted once more, without writing.
//!
//! Landlock only adds rights on the way down and cannot take one away again below a directory, and it knows nothing of
//! rights and times. Without rights of its own a process may mount only in a user namespace, where it stays the same
//! user; the command cannot undo the mounts, because Landlock, which comes next, refuses every change of them.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fmt::Display;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

use nix::errno::Errno;
use nix::mount::{MsFlags, mount};
use nix::sched::{CloneFlags, unshare};
use nix::sys::statvfs::{FsFlags, statvfs};
use nix::unistd::{Gid, Uid};
use rustix::process::{DumpableBehavior, set_dumpable_behavior};

use super::{Confinement, Metadata};

pub(super) fn keep(confinement: &Confinement) -> Result<(), String> {
    let failed = |path: &Path, error: &dyn Display| {
        format!("`{}` could not be made read-only: {error}", path.display())
    };
    // Asked for while it can still be named.
    let directory = env::current_dir();
    separate()
        .map_err(|error| format!("it needs a user namespace, which the system does not allow: {error}"))?;
    if confinement.metadata == Metadata::Mounts {
        for path in confinement.writable.iter().filter(|path| path.exists()) {
            bind(path).map_err(|error| failed(path, &error))?;
        }
        close_all_but(&confinement.writable)?;
    }
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

/// Leaves the mounts of everybody else, and the memory and message queues that processes share by number or name.
fn separate() -> io::Result<()> {
    let (user, group) = (Uid::effective(), Gid::effective());
    // Whoever may mount needs no user namespace, and may be in a place where there are none.
    let own = CloneFlags::CLONE_NEWNS | CloneFlags::CLONE_NEWIPC;
    if unshare(own).is_err() {
        // What cannot be dumped has files below `/proc` that belong to root. There are no secrets in this process.
        set_dumpable_behavior(DumpableBehavior::Dumpable)?;
        unshare(CloneFlags::CLONE_NEWUSER | own)?;
        fs::write("/proc/self/setgroups", "deny")?;
        fs::write("/proc/self/uid_map", format!("{user} {user} 1"))?;
        fs::write("/proc/self/gid_map", format!("{group} {group} 1"))?;
    }
    let all = MsFlags::MS_REC | MsFlags::MS_PRIVATE;
    mount(None::<&str>, "/", None::<&str>, all, None::<&str>)?;
    Ok(())
}

/// Makes every mount read-only that lies outside these places, which are mounts of their own by now.
fn close_all_but(places: &[PathBuf]) -> Result<(), String> {
    let mounts =
        fs::read("/proc/self/mountinfo").map_err(|error| format!("the mounts could not be read: {error}"))?;
    for point in mounts.split(|byte| *byte == b'\n').filter_map(mount_point) {
        if places.iter().any(|place| point.starts_with(place)) {
            continue;
        }
        match close(&point) {
            // What another mount hides, or what this user cannot reach, no command of theirs changes.
            Ok(()) | Err(Errno::ENOENT | Errno::EACCES | Errno::EINVAL | Errno::ENOTDIR | Errno::EPERM) => {}
            Err(error) => {
                return Err(format!(
                    "`{}` could not be made read-only: {error}",
                    point.display()
                ));
            }
        }
    }
    Ok(())
}

/// The place of a mount, from its line: `ID PARENT MAJOR:MINOR ROOT POINT OPTIONS … - KIND …`. `None` for what is mounted
/// when somebody looks at it: looking at it here would.
fn mount_point(line: &[u8]) -> Option<PathBuf> {
    let mut fields = line.split(|byte| *byte == b' ');
    let point = fields.nth(4)?;
    let kind = fields.skip_while(|field| *field != b"-").nth(1)?;
    (kind != b"autofs").then(|| PathBuf::from(OsString::from_vec(unescaped(point))))
}

/// Blanks and the like are written as `\040`.
fn unescaped(text: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(text.len());
    let mut at = 0;
    while let Some(byte) = text.get(at) {
        let digits = text.get(at + 1..at + 4).filter(|_| *byte == b'\\');
        let number = digits
            .and_then(|digits| std::str::from_utf8(digits).ok())
            .and_then(|digits| u8::from_str_radix(digits, 8).ok());
        plain.push(number.unwrap_or(*byte));
        at += if number.is_some() { 4 } else { 1 };
    }
    plain
}

fn mount_read_only(path: &Path) -> nix::Result<()> {
    bind(path)?;
    close(path)
}

fn close(path: &Path) -> nix::Result<()> {
    let flags = MsFlags::MS_BIND | MsFlags::MS_REMOUNT | MsFlags::MS_RDONLY | inherited(path)?;
    mount(None::<&str>, path, None::<&str>, flags, None::<&str>)
}

fn bind(path: &Path) -> nix::Result<()> {
    let flags = MsFlags::MS_BIND | MsFlags::MS_REC;
    mount(Some(path), path, None::<&str>, flags, None::<&str>)
}

/// Returns the flags of a mount that a mount on top of it must keep.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_of_mounts_are_read() {
        let point = |line: &str| mount_point(line.as_bytes());
        assert_eq!(
            point("36 35 98:0 /mnt1 /mnt\\0402 rw,noatime master:1 - ext3 /dev/root rw"),
            Some("/mnt 2".into())
        );
        assert_eq!(
            point("36 35 98:0 / /a\\x rw - tmpfs tmpfs rw"),
            Some("/a\\x".into())
        );
        assert_eq!(point("36 35 0:5 / /net rw - autofs auto rw"), None);
        assert_eq!(point(""), None);
    }
}
