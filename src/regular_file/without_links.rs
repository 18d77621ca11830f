//! Opening by a real path: no link is followed in any part of it, because one that is found there was put there after the
//! path was judged.
//!
//! On Linux the kernel walks the path in one call (`openat2`). Where it cannot, each part is opened by itself.

use std::ffi::OsStr;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Component, Path};

use rustix::fs::{AtFlags, FileType, Mode, OFlags};
use rustix::io::Errno;

/// How a directory is opened only to open what lies below it. No permission to list it is needed.
#[cfg(target_os = "linux")]
pub(crate) const DIRECTORY: OFlags = OFlags::CLOEXEC.union(OFlags::DIRECTORY).union(OFlags::PATH);
#[cfg(not(target_os = "linux"))]
pub(crate) const DIRECTORY: OFlags = OFlags::CLOEXEC.union(OFlags::DIRECTORY);

/// Opens an absolute real path. A link in any part of it is refused with `ELOOP`, `.` and `..` with `EINVAL`.
pub(crate) fn open(path: &Path, flags: OFlags) -> Result<OwnedFd, Errno> {
    let relative = path.strip_prefix("/").map_err(|_| Errno::INVAL)?;
    if relative.as_os_str().is_empty() {
        return rustix::fs::open("/", flags, Mode::empty());
    }
    let root = rustix::fs::open("/", DIRECTORY, Mode::empty())?;
    open_beneath(&root, relative, flags)
}

/// Opens what lies below a directory, by its path from there, which is not empty. Errors are those of [`open`].
pub(crate) fn open_beneath(directory: impl AsFd, relative: &Path, flags: OFlags) -> Result<OwnedFd, Errno> {
    let is_name = |part| matches!(part, Component::Normal(_));
    if !relative.components().all(is_name) {
        return Err(Errno::INVAL);
    }
    by_kernel(directory.as_fd(), relative, flags)
}

#[cfg(target_os = "linux")]
fn by_kernel(directory: BorrowedFd<'_>, relative: &Path, flags: OFlags) -> Result<OwnedFd, Errno> {
    use rustix::fs::ResolveFlags;
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    // With `NOFOLLOW` the answer to a link in place of a directory would be that it is no directory.
    let flags = flags.difference(OFlags::NOFOLLOW);
    match rustix::fs::openat2(directory, relative, flags, Mode::empty(), resolve) {
        // The kernel is older than the call, or a filter around this process does not know it.
        Err(Errno::NOSYS | Errno::PERM) => by_parts(directory, relative, flags),
        opened => opened,
    }
}

#[cfg(not(target_os = "linux"))]
fn by_kernel(directory: BorrowedFd<'_>, relative: &Path, flags: OFlags) -> Result<OwnedFd, Errno> {
    by_parts(directory, relative, flags)
}

fn by_parts(directory: BorrowedFd<'_>, relative: &Path, flags: OFlags) -> Result<OwnedFd, Errno> {
    let mut opened: Option<OwnedFd> = None;
    let mut parts = relative.iter().peekable();
    while let Some(part) = parts.next() {
        let within = opened.as_ref().map_or(directory, AsFd::as_fd);
        let flags = if parts.peek().is_some() { DIRECTORY } else { flags };
        let next = rustix::fs::openat(within, part, flags | OFlags::NOFOLLOW, Mode::empty());
        opened = Some(match next {
            // A link is no directory either, and the answer is to be the same as that of `openat2`.
            Err(Errno::NOTDIR) if is_link(within, part) => return Err(Errno::LOOP),
            next => next?,
        });
    }
    opened.ok_or(Errno::INVAL)
}

fn is_link(directory: BorrowedFd<'_>, name: &OsStr) -> bool {
    rustix::fs::statat(directory, name, AtFlags::SYMLINK_NOFOLLOW)
        .is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::Symlink)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_link_in_any_part_is_refused_by_the_kernel_and_by_parts() {
        let scratch = tempfile::tempdir().unwrap();
        let base = scratch.path().canonicalize().unwrap();
        fs::create_dir_all(base.join("root/a/b")).unwrap();
        fs::create_dir(base.join("outside")).unwrap();
        fs::write(base.join("root/file"), "").unwrap();
        fs::write(base.join("root/a/file"), "").unwrap();
        symlink("../outside", base.join("root/out")).unwrap();
        symlink("a", base.join("root/in")).unwrap();
        symlink("file", base.join("root/a/link")).unwrap();
        let root = open(&base.join("root"), DIRECTORY).unwrap();
        let file = OFlags::CLOEXEC;
        for (path, flags, expected) in [
            ("a/b", DIRECTORY, None),
            ("out", DIRECTORY, Some(Errno::LOOP)),
            ("in/b", DIRECTORY, Some(Errno::LOOP)),
            ("a/none", DIRECTORY, Some(Errno::NOENT)),
            ("file", DIRECTORY, Some(Errno::NOTDIR)),
            ("file/x", DIRECTORY, Some(Errno::NOTDIR)),
            ("a/file", file, None),
            ("a/link", file, Some(Errno::LOOP)),
            ("in/file", file, Some(Errno::LOOP)),
            ("file/x", file, Some(Errno::NOTDIR)),
        ] {
            let path = Path::new(path);
            let root = root.as_fd();
            assert_eq!(by_kernel(root, path, flags).err(), expected, "{path:?}");
            assert_eq!(by_parts(root, path, flags).err(), expected, "{path:?}");
        }
        for path in ["..", "a/../..", "/etc"] {
            let opened = open_beneath(&root, Path::new(path), DIRECTORY);
            assert_eq!(opened.err(), Some(Errno::INVAL), "{path}");
        }
        assert_eq!(open(&base.join("root/out"), DIRECTORY).err(), Some(Errno::LOOP));
        assert_eq!(open(Path::new("etc"), DIRECTORY).err(), Some(Errno::INVAL));
        assert!(open(Path::new("/"), DIRECTORY).is_ok());
    }
}
