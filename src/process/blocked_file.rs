//! Detection of a command that waits for a file which sends nothing: a named pipe without a writer, a device.
//!
//! A project can put a named pipe in place of every file that programs open by themselves (`.ignore`, `.git/index` …),
//! and no rule of the kernel's keeps a process from opening one. So a command that runs unasked is watched: a thread
//! that sleeps in one and the same call to open or read a file of the file system will not come back. Waiting for
//! another process through a pipe without a name, for a child or for time is none of that.
//!
//! The kernel tells the call only to who may trace the process. Where it does not, a thread that opens a named pipe is
//! still known by the place in the kernel that it sleeps in; everything else is left to the command's timeout.

use std::path::PathBuf;

/// A file that a command waits for in vain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlockedFile {
    /// Absolute; `None` where the system does not tell.
    pub path: Option<PathBuf>,
    pub is_named_pipe: bool,
}

/// Returns what a process or one below it waits for in vain. Never returns when nothing does.
#[cfg(not(target_os = "linux"))]
pub async fn blocked_file(_pid: u32) -> BlockedFile {
    std::future::pending().await
}

#[cfg(target_os = "linux")]
pub use linux::blocked_file;

#[cfg(target_os = "linux")]
mod linux {
    use std::collections::HashMap;
    use std::ffi::OsStr;
    use std::fs::{self, File};
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::{FileExt, FileTypeExt, MetadataExt};
    use std::path::{Path, PathBuf};
    use std::time::Duration;

    use nix::libc;
    use rustix::process::Pid;
    use tokio::time::{Instant, sleep};

    use super::BlockedFile;
    use crate::process::descendants::descendants;

    /// Between two looks: at first, and when the command has run for [`LONG_RUNNING`].
    const LOOK: (Duration, Duration) = (Duration::from_millis(250), Duration::from_secs(1));
    const LONG_RUNNING: Duration = Duration::from_secs(3);
    /// The time that a writer has to come, and the time that one who is there has to write.
    const OPENING: Duration = Duration::from_millis(200);
    const READING: Duration = Duration::from_secs(5);
    /// The place in the kernel where the opening of a named pipe waits for the other end.
    const WAITS_FOR_PARTNER: &str = "wait_for_partner";
    /// The descriptor that stands for the process's own directory.
    const AT_FDCWD: u32 = 0xffff_ff9c;
    /// Longest path that the kernel takes.
    const MAX_PATH: usize = 4096;

    /// The call that a thread sleeps in.
    #[derive(Debug, Clone, PartialEq, Eq)]
    enum Call {
        Open,
        Read,
    }

    /// A thread that sleeps in a call on a file.
    #[derive(Debug, Clone, PartialEq, Eq)]
    struct Sleep {
        call: Call,
        /// The call with its arguments, and how often the thread has slept: equal only while it has not come back.
        mark: String,
        blocked_file: BlockedFile,
    }

    /// Returns what a process or one below it waits for in vain. Never returns when nothing does.
    pub async fn blocked_file(pid: u32) -> BlockedFile {
        let began = Instant::now();
        let mut known: HashMap<i32, (Sleep, Instant)> = HashMap::new();
        loop {
            let is_young = began.elapsed() < LONG_RUNNING;
            sleep(if is_young { LOOK.0 } else { LOOK.1 }).await;
            let Ok(found) = tokio::task::spawn_blocking(move || sleeping(pid)).await else {
                continue;
            };
            let now = Instant::now();
            let before = std::mem::take(&mut known);
            for (thread, sleep) in found {
                let since = match before.get(&thread) {
                    Some((same, since)) if *same == sleep => *since,
                    _ => now,
                };
                let patience = match sleep.call {
                    Call::Open => OPENING,
                    Call::Read => READING,
                };
                if now - since >= patience {
                    return sleep.blocked_file;
                }
                known.insert(thread, (sleep, since));
            }
        }
    }

    /// The threads of a process and of those below it that sleep in a call on a file.
    fn sleeping(pid: u32) -> Vec<(i32, Sleep)> {
        let Some(leader) = i32::try_from(pid).ok().and_then(Pid::from_raw) else {
            return Vec::new();
        };
        let mut found = Vec::new();
        for process in std::iter::once(leader).chain(descendants(leader)) {
            let process = PathBuf::from(format!("/proc/{}", process.as_raw_nonzero()));
            let threads = fs::read_dir(process.join("task")).into_iter().flatten().flatten();
            for thread in threads {
                let number = thread.file_name().to_str().and_then(|name| name.parse().ok());
                let sleep = sleep_of(&process, &thread.path());
                found.extend(number.zip(sleep));
            }
        }
        found
    }

    fn sleep_of(process: &Path, thread: &Path) -> Option<Sleep> {
        let read = |name: &str| fs::read_to_string(thread.join(name)).unwrap_or_default();
        let status = read("status");
        let line = |name: &str| status.lines().find_map(|line| line.strip_prefix(name));
        if !line("State:")?.trim_start().starts_with('S') {
            return None;
        }
        let call = read("syscall");
        let (call_kind, blocked_file) = match parse(&call) {
            Some((number, arguments)) => file_of(process, number, &arguments)?,
            None if read("wchan").trim() == WAITS_FOR_PARTNER => {
                let blocked_file = BlockedFile {
                    path: None,
                    is_named_pipe: true,
                };
                (Call::Open, blocked_file)
            }
            None => return None,
        };
        Some(Sleep {
            call: call_kind,
            mark: format!("{call} {}", line("voluntary_ctxt_switches:")?.trim()),
            blocked_file,
        })
    }

    /// A line of `/proc/PID/syscall`: the number, six arguments, and two more. `None` outside of a call, and where it is
    /// not told.
    fn parse(line: &str) -> Option<(i64, Vec<u64>)> {
        let mut words = line.split_ascii_whitespace();
        let number = words.next()?.parse().ok().filter(|number| *number >= 0)?;
        let arguments = words
            .map(|word| u64::from_str_radix(word.strip_prefix("0x")?, 16).ok())
            .collect::<Option<Vec<_>>>()?;
        (arguments.len() == 8).then_some((number, arguments))
    }

    /// The file of the file system that a call opens or reads.
    fn file_of(process: &Path, number: i64, arguments: &[u64]) -> Option<(Call, BlockedFile)> {
        if number == libc::SYS_openat || number == libc::SYS_openat2 {
            let path = opened(process, Some(arguments[0]), arguments[1]);
            return Some((Call::Open, stuck_at(path)));
        }
        #[cfg(target_arch = "x86_64")]
        if number == libc::SYS_open {
            return Some((Call::Open, stuck_at(opened(process, None, arguments[0]))));
        }
        if [libc::SYS_read, libc::SYS_readv, libc::SYS_splice].contains(&number) {
            let path = read_from(process, arguments[0])?;
            return Some((Call::Read, stuck_at(Some(path))));
        }
        None
    }

    fn stuck_at(path: Option<PathBuf>) -> BlockedFile {
        let is_named_pipe = path
            .as_deref()
            .and_then(|path| fs::metadata(path).ok())
            .is_some_and(|data| data.file_type().is_fifo());
        BlockedFile { path, is_named_pipe }
    }

    /// The path that a call names, which stands in the memory of the process.
    fn opened(process: &Path, directory: Option<u64>, address: u64) -> Option<PathBuf> {
        let memory = File::open(process.join("mem")).ok()?;
        let mut bytes = vec![0; MAX_PATH];
        // The memory may end before.
        let read = (0..=6).find_map(|halved| {
            let length = MAX_PATH >> halved;
            memory.read_at(&mut bytes[..length], address).ok()
        })?;
        let end = bytes[..read].iter().position(|byte| *byte == 0)?;
        let path = Path::new(OsStr::from_bytes(&bytes[..end]));
        #[allow(clippy::cast_possible_truncation)]
        // a descriptor has 32 bits, and the others are not said to be clear
        let directory = match directory.map(|number| number as u32) {
            Some(number) if number != AT_FDCWD => process.join("fd").join(number.to_string()),
            _ => process.join("cwd"),
        };
        Some(fs::read_link(directory).ok()?.join(path))
    }

    /// The file that a descriptor reads from, unless that is a pipe to another process.
    fn read_from(process: &Path, descriptor: u64) -> Option<PathBuf> {
        let at = |number: u64| process.join("fd").join(number.to_string());
        let target = fs::read_link(at(descriptor)).ok()?;
        if target.is_absolute() {
            return Some(target);
        }
        // `/dev/stdout` and the like lead a process to the end of the pipe that it writes to itself.
        let identity = |number: u64| {
            let data = fs::metadata(at(number)).ok()?;
            data.file_type().is_fifo().then(|| (data.dev(), data.ino()))
        };
        let own = identity(descriptor).filter(|_| descriptor > 2)?;
        (identity(1) == Some(own) || identity(2) == Some(own)).then(|| "/dev/stdout".into())
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn a_line_of_a_call_is_read() {
            let line = "257 0xffffff9c 0x7f05 0x80000 0x0 0x0 0x7f05 0x7f06 0x7f07\n";
            let (number, arguments) = parse(line).unwrap();
            assert_eq!((number, arguments[0], arguments.len()), (257, 0xffff_ff9c, 8));
            for none in ["running", "-1 0x7ffe 0x7f06", "", "0 0x1"] {
                assert_eq!(parse(none), None, "{none}");
            }
        }

        #[test]
        fn waiting_for_another_process_or_for_time_is_not_waiting_for_a_file() {
            let mut child = std::process::Command::new("sh")
                .args(["-c", "sleep 60 | cat; :"])
                .spawn()
                .unwrap();
            let state = |process: Pid| {
                let stat = fs::read_to_string(format!("/proc/{}/syscall", process.as_raw_nonzero()));
                stat.unwrap_or_default()
            };
            let of = Pid::from_child(&child);
            let deadline = Instant::now() + Duration::from_secs(10);
            let reads = |process: &Pid| state(*process).starts_with(&format!("{} 0x0 ", libc::SYS_read));
            while !descendants(of).iter().any(reads) {
                assert!(Instant::now() < deadline, "nobody reads");
                std::thread::yield_now();
            }
            let found = sleeping(child.id());
            for process in descendants(of) {
                // One may have ended with another.
                let _ = rustix::process::kill_process(process, rustix::process::Signal::KILL);
            }
            child.wait().unwrap();
            assert_eq!(found, []);
        }
    }
}

#[cfg(target_os = "linux")]
#[cfg(test)]
mod tests {
    use std::ffi::OsStr;
    use std::os::unix::fs::symlink;
    use std::os::unix::process::CommandExt;
    use std::path::Path;
    use std::process::{Child, Command, Stdio};
    use std::time::Duration;

    use super::*;

    /// A shell command that is killed at the end with all it has started.
    struct RunningShell(Child);

    impl RunningShell {
        fn start(command: &str, directory: &Path) -> Self {
            let child = Command::new("sh")
                .args([OsStr::new("-c"), OsStr::new(command)])
                .current_dir(directory)
                .stdin(Stdio::null())
                .stdout(Stdio::piped())
                .process_group(0)
                .spawn()
                .unwrap();
            Self(child)
        }
    }

    impl Drop for RunningShell {
        fn drop(&mut self) {
            if let Some(group) = crate::process::Group::led_by(self.0.id()) {
                group.kill();
            }
            let _ = self.0.wait();
        }
    }

    fn directory_with_pipe() -> (tempfile::TempDir, PathBuf) {
        let held = tempfile::tempdir().unwrap();
        let base = held.path().canonicalize().unwrap();
        let made = Command::new("mkfifo").arg(base.join("pipe")).status().unwrap();
        assert!(made.success());
        (held, base)
    }

    async fn found(command: &str, directory: &Path) -> BlockedFile {
        let running = RunningShell::start(command, directory);
        tokio::time::timeout(Duration::from_secs(30), blocked_file(running.0.id()))
            .await
            .expect(command)
    }

    #[tokio::test]
    async fn a_pipe_that_nobody_writes_is_named() {
        let (_held, base) = directory_with_pipe();
        symlink("pipe", base.join("link")).unwrap();
        std::fs::create_dir(base.join("sub")).unwrap();
        for (command, name) in [
            ("cat pipe", "pipe"),
            ("cat < pipe; true", "pipe"),
            ("exec cat link", "link"),
            ("(cd sub; cat ../pipe; true)", "sub/../pipe"),
        ] {
            let blocked_file = found(command, &base).await;
            assert!(blocked_file.is_named_pipe, "{command}");
            assert_eq!(blocked_file.path, Some(base.join(name)), "{command}");
        }
    }

    #[tokio::test]
    async fn a_pipe_whose_writer_writes_nothing_is_named() {
        let (_held, base) = directory_with_pipe();
        let blocked_file = found("exec 3<>pipe; cat pipe; true", &base).await;
        assert_eq!(blocked_file.path, Some(base.join("pipe")));
    }

    #[tokio::test]
    async fn the_end_of_the_own_output_is_known() {
        let (_held, base) = directory_with_pipe();
        let blocked_file = found("cat /dev/stdout | cat", &base).await;
        assert_eq!(blocked_file.path, Some("/dev/stdout".into()));
    }
}
