//! Process groups, and how they are stopped: politely and then not.

use rustix::io::Errno;
use rustix::process::{Pid, Signal, kill_process_group, test_kill_process_group};

/// The process group that a command leads.
///
/// Its number is its leader's. The system gives a number to nobody else while a process of the group lives or the
/// leader was not waited for; after that the group must not be signalled any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Group(Pid);

impl Group {
    /// The group led by this process; `None` for a number that no process has.
    pub fn led_by(pid: u32) -> Option<Self> {
        i32::try_from(pid).ok().and_then(Pid::from_raw).map(Self)
    }

    /// Asks every process of the group to end.
    pub fn terminate(self) {
        self.signal(Signal::TERM);
    }

    /// Ends every process of the group.
    pub fn kill(self) {
        self.signal(Signal::KILL);
    }

    fn signal(self, signal: Signal) {
        // An error says that nobody is left, or that who is left belongs to somebody else: neither can be helped.
        if let Err(error) = kill_process_group(self.0, signal) {
            tracing::debug!(group = ?self.0, ?signal, %error, "no process took the signal");
        }
    }

    /// Returns true if a process of the group still runs. One that has ended but was not waited for does not.
    pub fn is_alive(self) -> bool {
        match test_kill_process_group(self.0) {
            Err(Errno::SRCH) => false,
            answer => has_running_member(self.0, answer.is_ok()),
        }
    }
}

/// A signal reaches the dead until somebody waits for them, and in a container nobody may ever do; so we look.
#[cfg(target_os = "linux")]
fn has_running_member(group: Pid, reachable: bool) -> bool {
    let Ok(processes) = std::fs::read_dir("/proc") else {
        return reachable;
    };
    let numbers = processes
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    numbers
        .filter_map(|pid| std::fs::read_to_string(format!("/proc/{pid}/stat")).ok())
        .any(|stat| {
            member_state(&stat, group.as_raw_nonzero().get())
                .is_some_and(|state| !matches!(state, 'Z' | 'X' | 'x'))
        })
}

#[cfg(not(target_os = "linux"))]
fn has_running_member(_group: Pid, reachable: bool) -> bool {
    reachable
}

/// The state of a process of the group, from its line in `/proc`: `PID (NAME) STATE PARENT GROUP …`.
///
/// The name may hold blanks and parentheses.
#[cfg(target_os = "linux")]
fn member_state(stat: &str, group: i32) -> Option<char> {
    let mut fields = stat.get(stat.rfind(')')? + 1..)?.split_ascii_whitespace();
    let state = fields.next()?.chars().next()?;
    let own_group: i32 = fields.nth(1)?.parse().ok()?;
    (own_group == group).then_some(state)
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::CommandExt;
    use std::process::Command;

    use super::*;

    #[test]
    fn a_group_that_has_ended_is_not_alive() {
        let mut child = Command::new("sleep").arg("60").process_group(0).spawn().unwrap();
        let group = Group::led_by(child.id()).unwrap();
        assert!(group.is_alive());
        group.kill();
        child.wait().unwrap();
        assert!(!group.is_alive());
        // Signals to nobody are no error.
        group.terminate();
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_process_that_nobody_waited_for_is_not_alive() {
        let mut child = Command::new("true").process_group(0).spawn().unwrap();
        let group = Group::led_by(child.id()).unwrap();
        while group.is_alive() {
            std::thread::yield_now();
        }
        child.wait().unwrap();
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn the_state_is_read_behind_any_name() {
        assert_eq!(member_state("12 (sleep) S 1 12 12 0 -1", 12), Some('S'));
        assert_eq!(member_state("13 (a b) Z) c) Z 1 12 12 0", 12), Some('Z'));
        assert_eq!(member_state("14 (sleep) S 1 99 12 0", 12), None);
        assert_eq!(member_state("", 12), None);
    }

    #[test]
    fn no_process_has_the_number_nought() {
        assert_eq!(Group::led_by(0), None);
        assert_eq!(Group::led_by(u32::MAX), None);
    }
}
