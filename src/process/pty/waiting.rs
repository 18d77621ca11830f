//! Detects a program that waits for a person, by facts of the kernel and never by words on the screen.
//!
//! Input is *hidden* when the terminal does not echo while whole lines are read, or while the foreground belongs to
//! another user. A program *waits for a line* when whole lines are read, nothing was printed for a second, and a thread of
//! the foreground sleeps in a read of the terminal. Raw mode alone is the prompt of a shell or an editor and neither.
//! A question inside a terminal of its own (tmux, a container, another machine) cannot be seen.

use std::time::Duration;

use super::device::PtyDevice;
use super::process_list::ProcessList;

/// Silence after which a program that reads is taken to wait.
pub(super) const LINE_SILENCE: Duration = Duration::from_secs(1);

/// Facts about the input of a terminal.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct InputFacts {
    /// Canonical mode: the program reads whole lines.
    pub is_canonical: bool,
    /// Typed characters are shown.
    pub is_echoing: bool,
    /// A process of the foreground group belongs to another user.
    pub is_foreign: bool,
    /// A thread of the foreground group is in a read of the terminal. False also where nothing tells.
    pub is_reading: bool,
}

/// Input that a process of the foreground waits for at this moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InputReading {
    /// None: what is typed waits for whoever reads next.
    Nothing,
    /// Whole lines, which the terminal edits.
    Lines,
    /// Single keys.
    Keys,
}

/// Kind of input that the program waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InputWait {
    /// Nothing that could be told.
    No,
    /// A line, unless it prints something before long.
    Maybe,
    Line,
    /// A secret, which only the person types.
    Hidden,
}

/// Judges the facts after a time without output.
pub fn assess(facts: InputFacts, silence: Duration) -> InputWait {
    match facts {
        InputFacts {
            is_echoing: false,
            is_canonical,
            is_foreign,
            ..
        } if is_canonical || is_foreign => InputWait::Hidden,
        InputFacts {
            is_canonical: true,
            is_reading: true,
            ..
        } if silence >= LINE_SILENCE => InputWait::Line,
        InputFacts {
            is_canonical: true,
            is_reading: true,
            ..
        } => InputWait::Maybe,
        _ => InputWait::No,
    }
}

/// The facts at this moment; `None` where the line discipline cannot be asked.
pub(super) fn facts(device: &PtyDevice, processes: &ProcessList) -> Option<InputFacts> {
    let modes = device.line_modes()?;
    let facts = InputFacts {
        is_canonical: modes.is_canonical,
        is_echoing: modes.is_echoing,
        ..InputFacts::default()
    };
    // Raw with echo is no state that any of the others changes.
    if modes.is_echoing && !modes.is_canonical {
        return Some(facts);
    }
    Some(with_foreground(facts, device, processes))
}

/// Returns which input a process of the foreground waits for.
#[cfg(target_os = "linux")]
pub(super) fn reading(device: &PtyDevice, processes: &ProcessList) -> InputReading {
    match device.line_modes() {
        Some(modes) if linux::waits_for_input(device, processes, modes.is_canonical) => {
            if modes.is_canonical {
                InputReading::Lines
            } else {
                InputReading::Keys
            }
        }
        _ => InputReading::Nothing,
    }
}

#[cfg(not(target_os = "linux"))]
fn with_foreground(facts: InputFacts, _device: &PtyDevice, _processes: &ProcessList) -> InputFacts {
    facts
}

#[cfg(target_os = "linux")]
use linux::with_foreground;

#[cfg(target_os = "linux")]
mod linux {
    use std::fs;
    use std::os::unix::fs::MetadataExt;
    use std::path::{Path, PathBuf};

    use nix::libc;
    use rustix::fs::makedev;
    use rustix::process::geteuid;

    use super::{InputFacts, ProcessList, PtyDevice};

    /// Functions of the kernel in which a read of a terminal sleeps, where the call itself is not told.
    const READS_TERMINAL: &[&str] = &["n_tty_read", "wait_woken"];
    /// Beginnings of those in which a wait for one of several files sleeps.
    const POLLS: &[&str] = &[
        "poll_schedule_timeout",
        "do_select",
        "do_poll",
        "do_sys_poll",
        "ep_poll",
        "do_epoll_wait",
    ];

    /// Returns true if a process of the foreground group sleeps in a read of the terminal, or, where it takes single keys,
    /// in a wait for several files, of which the terminal may be one.
    pub(super) fn waits_for_input(device: &PtyDevice, processes: &ProcessList, is_canonical: bool) -> bool {
        let Some(group) = device.foreground_group() else {
            return false;
        };
        let group = group.as_raw_nonzero().get();
        let mut members = processes
            .all()
            .iter()
            .filter(|process| process.group == group && !process.is_dead());
        members.any(|process| {
            let process = PathBuf::from(format!("/proc/{}", process.pid));
            reads_terminal(&process, device.number()) || !is_canonical && polls(&process)
        })
    }

    fn polls(process: &Path) -> bool {
        threads(process).any(|thread| match system_call(&thread) {
            SystemCall::Polls => true,
            SystemCall::Reads(_) | SystemCall::Other => false,
            SystemCall::Untold => {
                let place = fs::read_to_string(thread.join("wchan")).unwrap_or_default();
                POLLS.iter().any(|known| place.starts_with(known))
            }
        })
    }

    pub(super) fn with_foreground(
        facts: InputFacts,
        device: &PtyDevice,
        processes: &ProcessList,
    ) -> InputFacts {
        let Some(group) = device.foreground_group() else {
            return facts;
        };
        let group = group.as_raw_nonzero().get();
        let members: Vec<PathBuf> = processes
            .all()
            .iter()
            .filter(|process| process.group == group && !process.is_dead())
            .map(|process| PathBuf::from(format!("/proc/{}", process.pid)))
            .collect();
        let own = geteuid().as_raw();
        InputFacts {
            is_foreign: members
                .iter()
                .any(|process| effective_user(process).is_some_and(|user| user != own)),
            is_reading: facts.is_canonical
                && members
                    .iter()
                    .any(|process| reads_terminal(process, device.number())),
            ..facts
        }
    }

    /// The effective user of a process: real, effective, saved and that of the file system stand in the line.
    fn effective_user(process: &Path) -> Option<u32> {
        let status = fs::read_to_string(process.join("status")).ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix("Uid:"))?;
        line.split_ascii_whitespace().nth(1)?.parse().ok()
    }

    fn reads_terminal(process: &Path, terminal: u64) -> bool {
        threads(process).any(|thread| match system_call(&thread) {
            SystemCall::Reads(descriptor) => {
                is_terminal(&process.join("fd").join(descriptor.to_string()), terminal)
            }
            SystemCall::Polls | SystemCall::Other => false,
            SystemCall::Untold => {
                let place = fs::read_to_string(thread.join("wchan")).unwrap_or_default();
                READS_TERMINAL.contains(&place.trim())
            }
        })
    }

    fn threads(process: &Path) -> impl Iterator<Item = PathBuf> {
        let threads = fs::read_dir(process.join("task")).into_iter().flatten().flatten();
        threads.map(|thread| thread.path())
    }

    fn system_call(thread: &Path) -> SystemCall {
        read_descriptor(&fs::read_to_string(thread.join("syscall")).unwrap_or_default())
    }

    #[derive(Debug, PartialEq, Eq)]
    pub(super) enum SystemCall {
        Reads(u64),
        /// Waits for one of several files.
        Polls,
        Other,
        /// Another user's process, or a kernel without the file.
        Untold,
    }

    /// From `/proc/PID/task/TID/syscall`: the number of the call, its six arguments, and two more.
    pub(super) fn read_descriptor(line: &str) -> SystemCall {
        let mut words = line.split_ascii_whitespace();
        let Some(number) = words.next() else {
            return SystemCall::Untold;
        };
        let number: Option<i64> = number.parse().ok();
        let descriptor = words
            .next()
            .and_then(|word| u64::from_str_radix(word.strip_prefix("0x")?, 16).ok());
        match (number, descriptor) {
            (Some(libc::SYS_read | libc::SYS_readv), Some(descriptor)) => SystemCall::Reads(descriptor),
            (Some(number), _) if is_poll(number) => SystemCall::Polls,
            _ => SystemCall::Other,
        }
    }

    fn is_poll(number: i64) -> bool {
        let known = [
            libc::SYS_ppoll,
            libc::SYS_pselect6,
            libc::SYS_epoll_pwait,
            libc::SYS_epoll_pwait2,
        ];
        #[cfg(target_arch = "x86_64")]
        let known = known
            .into_iter()
            .chain([libc::SYS_poll, libc::SYS_select, libc::SYS_epoll_wait]);
        known.into_iter().any(|known| known == number)
    }

    /// Returns true for the terminal itself, by its number or as the controlling one.
    fn is_terminal(file: &Path, terminal: u64) -> bool {
        fs::metadata(file).is_ok_and(|data| [terminal, makedev(5, 0)].contains(&data.rdev()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_are_judged_as_the_table_says() {
        let facts = |text: &str| InputFacts {
            is_canonical: text.contains('c'),
            is_echoing: text.contains('e'),
            is_foreign: text.contains('f'),
            is_reading: text.contains('r'),
        };
        let table = [
            // `read -s`, getpass, ssh.
            ("cr", 0, InputWait::Hidden),
            ("c", 5000, InputWait::Hidden),
            // sudo, whatever it does to the modes.
            ("f", 0, InputWait::Hidden),
            ("cf", 0, InputWait::Hidden),
            // A shell's prompt, vim, less.
            ("", 5000, InputWait::No),
            ("r", 5000, InputWait::No),
            ("e", 5000, InputWait::No),
            // `read`, cat.
            ("cer", 1000, InputWait::Line),
            ("cer", 999, InputWait::Maybe),
            ("cerf", 1000, InputWait::Line),
            // A build.
            ("ce", 60_000, InputWait::No),
            ("cef", 60_000, InputWait::No),
        ];
        for (text, silence, expected) in table {
            let judged = assess(facts(text), Duration::from_millis(silence));
            assert_eq!(judged, expected, "{text:?} after {silence} ms");
        }
    }

    #[cfg(all(target_os = "linux", target_arch = "x86_64"))]
    #[test]
    fn a_read_is_told_from_other_calls() {
        use linux::{SystemCall, read_descriptor};
        let line = "0 0x3 0x7ffd 0x1 0x0 0x0 0x0 0x7ffd1 0x7f2";
        assert_eq!(read_descriptor(line), SystemCall::Reads(3));
        assert_eq!(
            read_descriptor("7 0x3 0x1 0x0 0x0 0x0 0x0 0x1 0x2"),
            SystemCall::Polls
        );
        assert_eq!(
            read_descriptor("35 0x3 0x1 0x0 0x0 0x0 0x0 0x1 0x2"),
            SystemCall::Other
        );
        assert_eq!(read_descriptor("running"), SystemCall::Other);
        assert_eq!(read_descriptor("-1 0x7ffd 0x7f"), SystemCall::Other);
        assert_eq!(read_descriptor(""), SystemCall::Untold);
    }
}
