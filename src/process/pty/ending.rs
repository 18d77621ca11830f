//! The processes of a terminal, found by its device and by descent, and how they are ended: HUP first, KILL later.
//!
//! A shell puts its jobs in groups of their own, so the leader's group is not all. The device finds every process whose
//! controlling terminal it is, whoever its parent; descent finds those below it that have left the terminal. What has left
//! it and lost its parent is found by the keeper alone.

use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

/// Between HUP and KILL.
const KILL_AFTER: Duration = Duration::from_secs(3);
/// How long killed processes may take to be gone before we return without it.
const KILL_PATIENCE: Duration = Duration::from_millis(500);
/// Pause between two looks.
const LOOK_AGAIN: Duration = Duration::from_millis(20);

/// The processes of a terminal. Valid while our end of it is open: later its device number may be another terminal's.
#[derive(Debug, Clone, Copy)]
pub struct TerminalProcesses {
    device: u64,
    /// `None` once it was waited for: its number may be somebody else's then.
    leader: Option<Pid>,
}

impl TerminalProcesses {
    pub(super) fn new(device: u64, leader: Option<Pid>) -> Self {
        Self { device, leader }
    }

    /// The processes that have not ended.
    #[cfg(target_os = "linux")]
    pub fn alive(&self) -> Vec<u32> {
        let all: Vec<stat::ProcessStat> = stat::all().collect();
        let mut found: Vec<i32> = Vec::new();
        let leader = self.leader.map(|leader| leader.as_raw_nonzero().get());
        found.extend(
            all.iter()
                .filter(|process| process.is_in(self.device))
                .map(|process| process.pid),
        );
        let is_there = |pid: i32| all.iter().any(|process| process.pid == pid);
        found.extend(leader.filter(|leader| !found.contains(leader) && is_there(*leader)));
        let mut at = 0;
        while let Some(parent) = found.get(at).copied() {
            for process in &all {
                if process.parent == parent && !found.contains(&process.pid) {
                    found.push(process.pid);
                }
            }
            at += 1;
        }
        let is_dead = |pid: &i32| all.iter().any(|process| process.pid == *pid && process.is_dead());
        found.retain(|pid| !is_dead(pid));
        found.into_iter().map(i32::cast_unsigned).collect()
    }

    #[cfg(not(target_os = "linux"))]
    pub fn alive(&self) -> Vec<u32> {
        let leader = self
            .leader
            .filter(|leader| rustix::process::test_kill_process(*leader).is_ok());
        leader
            .map(|leader| leader.as_raw_nonzero().get().cast_unsigned())
            .into_iter()
            .collect()
    }
}

/// Ends everything that runs in these terminals, all at the same time. Blocks for 3.5 s at most.
pub fn end_all(terminals: &[TerminalProcesses]) {
    let began = Instant::now();
    let mut asked: Vec<u32> = Vec::new();
    loop {
        let alive: Vec<u32> = terminals.iter().flat_map(TerminalProcesses::alive).collect();
        let elapsed = began.elapsed();
        if alive.is_empty() || elapsed > KILL_AFTER + KILL_PATIENCE {
            return;
        }
        for process in alive {
            if elapsed >= KILL_AFTER {
                send(process, Signal::KILL);
            } else if !asked.contains(&process) {
                send(process, Signal::HUP);
                // What is stopped hears nothing before it goes on.
                send(process, Signal::CONT);
                asked.push(process);
            }
        }
        thread::park_timeout(LOOK_AGAIN);
    }
}

fn send(process: u32, signal: Signal) {
    let Some(process) = i32::try_from(process).ok().and_then(Pid::from_raw) else {
        return;
    };
    if let Err(error) = kill_process(process, signal) {
        tracing::debug!(?process, ?signal, %error, "a process of a terminal did not take the signal");
    }
}

/// Lines of `/proc/PID/stat`.
#[cfg(target_os = "linux")]
pub(super) mod stat {
    use rustix::fs::makedev;

    /// A process with what groups it with others.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub(in crate::process::pty) struct ProcessStat {
        pub(in crate::process::pty) pid: i32,
        pub(in crate::process::pty) parent: i32,
        pub(in crate::process::pty) group: i32,
        /// Time of its start in ticks of the kernel.
        pub(in crate::process::pty) started: u64,
        state: char,
        terminal: u32,
    }

    impl ProcessStat {
        /// `PID (NAME) STATE PARENT GROUP SESSION TERMINAL …`, the time of the start 15 fields later. The name may hold
        /// blanks and parentheses.
        pub(super) fn parse(line: &str) -> Option<Self> {
            let (pid, rest) = line.split_once(' ')?;
            let mut fields = rest.get(rest.rfind(')')? + 1..)?.split_ascii_whitespace();
            let state = fields.next()?.chars().next()?;
            let parent = fields.next()?.parse().ok()?;
            let group = fields.next()?.parse().ok()?;
            let terminal: i32 = fields.nth(1)?.parse().ok()?;
            let started = fields.nth(14).and_then(|field| field.parse().ok()).unwrap_or(0);
            Some(Self {
                pid: pid.parse().ok()?,
                parent,
                group,
                started,
                state,
                terminal: terminal.cast_unsigned(),
            })
        }

        pub(in crate::process::pty) fn is_dead(&self) -> bool {
            matches!(self.state, 'Z' | 'X' | 'x')
        }

        /// Returns true if the device is the controlling terminal. The kernel writes its number in 32 bits, the minor
        /// number on both sides of the major one.
        pub(in crate::process::pty) fn is_in(&self, device: u64) -> bool {
            let (major, minor) = (
                self.terminal >> 8 & 0xfff,
                self.terminal & 0xff | self.terminal >> 12 & 0xf_ff00,
            );
            self.terminal != 0 && makedev(major, minor) == device
        }
    }

    /// All processes that can be seen.
    pub(in crate::process::pty) fn all() -> impl Iterator<Item = ProcessStat> {
        let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
        entries
            .filter(|entry| {
                entry
                    .file_name()
                    .as_encoded_bytes()
                    .iter()
                    .all(u8::is_ascii_digit)
            })
            .filter_map(|entry| std::fs::read_to_string(entry.path().join("stat")).ok())
            .filter_map(|line| ProcessStat::parse(&line))
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn a_process_is_read_behind_any_name() {
            let process = ProcessStat::parse("13 (a b) Z) c) S 7 12 11 34816 12 0").unwrap();
            assert_eq!((process.pid, process.parent, process.group), (13, 7, 12));
            assert!(!process.is_dead());
            assert!(process.is_in(makedev(136, 0)));
            assert!(!process.is_in(makedev(136, 1)));
            assert_eq!(ProcessStat::parse(""), None);
        }

        #[test]
        fn large_numbers_of_terminals_are_told_apart() {
            // The 300th: 0x12c has one digit above the major number.
            let terminal = 136 << 8 | 0x2c | 1 << 20;
            let process = ProcessStat::parse(&format!("1 (x) Z 1 1 1 {terminal} 1")).unwrap();
            assert!(process.is_in(makedev(136, 300)));
            assert!(process.is_dead());
            let none = ProcessStat::parse("1 (x) S 1 1 1 0 -1").unwrap();
            assert!(!none.is_in(0));
        }
    }
}
