//! The processes below another one, found in `/proc`.

use std::collections::HashMap;

use rustix::process::Pid;

/// The processes below one that have not ended.
pub(in crate::process) fn descendants(of: Pid) -> Vec<Pid> {
    descendants_except(of, None)
}

/// The processes below one that have not ended, without one of its children and all below that.
pub(in crate::process) fn descendants_except(of: Pid, child: Option<Pid>) -> Vec<Pid> {
    let Ok(processes) = std::fs::read_dir("/proc") else {
        return Vec::new();
    };
    let mut children: HashMap<i32, Vec<i32>> = HashMap::new();
    for entry in processes.flatten() {
        let Some(pid) = entry
            .file_name()
            .to_str()
            .and_then(|name| name.parse::<i32>().ok())
        else {
            continue;
        };
        let stat = std::fs::read_to_string(entry.path().join("stat")).unwrap_or_default();
        if child
            .map(Pid::as_raw_nonzero)
            .is_some_and(|child| child.get() == pid)
        {
            continue;
        }
        if let Some((state, parent)) = state_and_parent(&stat) {
            // The dead may have children that have not been handed on yet.
            children
                .entry(parent)
                .or_default()
                .push(if is_dead(state) { -pid } else { pid });
        }
    }
    let (mut found, mut above) = (Vec::new(), vec![of.as_raw_nonzero().get()]);
    while let Some(parent) = above.pop() {
        for child in children.remove(&parent).unwrap_or_default() {
            above.push(child.abs());
            found.extend((child > 0).then_some(child).and_then(Pid::from_raw));
        }
    }
    found
}

fn is_dead(state: char) -> bool {
    matches!(state, 'Z' | 'X' | 'x')
}

/// From a process's line in `/proc`: `PID (NAME) STATE PARENT …`. The name may hold blanks and parentheses.
fn state_and_parent(stat: &str) -> Option<(char, i32)> {
    let mut fields = stat.get(stat.rfind(')')? + 1..)?.split_ascii_whitespace();
    Some((fields.next()?.chars().next()?, fields.next()?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use std::process::Command;
    use std::thread;
    use std::time::{Duration, Instant};

    use rustix::process::{Signal, getpid, kill_process};

    use super::*;

    #[test]
    fn parents_are_read_behind_any_name() {
        assert_eq!(state_and_parent("12 (sleep) S 7 12 12 0"), Some(('S', 7)));
        assert_eq!(state_and_parent("13 (a b) Z) c) Z 1 12 12 0"), Some(('Z', 1)));
        assert_eq!(state_and_parent(""), None);
    }

    #[test]
    fn a_child_and_its_child_are_found() {
        let mut child = Command::new("sh").args(["-c", "sleep 60; :"]).spawn().unwrap();
        let of = Pid::from_child(&child);
        let deadline = Instant::now() + Duration::from_secs(10);
        while descendants(of).is_empty() {
            assert!(Instant::now() < deadline, "the shell started nothing");
            thread::yield_now();
        }
        assert!(descendants(getpid()).contains(&of));
        for process in descendants(of) {
            kill_process(process, Signal::KILL).unwrap();
        }
        child.wait().unwrap();
        assert!(!descendants(getpid()).contains(&of));
    }
}
