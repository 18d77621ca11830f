//! Shells that read commands from a terminal, found by the command lines of its processes.
//!
//! A shell that was given its command (`-c`) reads none. A shell on another machine or in a container cannot be seen.

use std::path::PathBuf;

use super::Terminal;

/// Base names of programs that run each line they read as a command.
const SHELLS: &[&str] = &[
    "ash", "bash", "busybox", "csh", "dash", "elvish", "fish", "ksh", "mksh", "nu", "pwsh", "rbash", "sh",
    "tcsh", "xonsh", "yash", "zsh",
];

/// A shell that reads commands from a terminal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TerminalShell {
    pub pid: u32,
    /// Its current directory; `None` where the system does not tell.
    pub directory: Option<PathBuf>,
}

impl Terminal {
    /// Returns the shells in the terminal that read commands. Looks at all processes.
    #[cfg(target_os = "linux")]
    pub fn shells(&self) -> Vec<TerminalShell> {
        let alive = self.processes().alive().into_iter();
        let reads_commands = |pid: &u32| {
            let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
            let text = String::from_utf8_lossy(&line);
            is_shell(text.split_terminator('\0'))
        };
        alive
            .filter(reads_commands)
            .map(|pid| TerminalShell {
                pid,
                directory: std::fs::read_link(format!("/proc/{pid}/cwd")).ok(),
            })
            .collect()
    }

    /// Nothing tells here, so every terminal counts as one with a shell.
    #[cfg(not(target_os = "linux"))]
    pub fn shells(&self) -> Vec<TerminalShell> {
        let alive = self.processes().alive().into_iter();
        alive.map(|pid| TerminalShell { pid, directory: None }).collect()
    }
}

/// Returns true for the words of a shell without a command of its own.
pub fn is_shell<'a>(words: impl IntoIterator<Item = &'a str>) -> bool {
    let mut words = words.into_iter();
    let program = words.next().unwrap_or_default();
    let base = program.rsplit('/').next().unwrap_or_default();
    if !SHELLS.contains(&base.strip_prefix('-').unwrap_or(base)) {
        return false;
    }
    let gives_command = |word: &str| word.starts_with('-') && !word.starts_with("--") && word.contains('c');
    !words
        .take_while(|word| word.starts_with(['-', '+']))
        .any(gives_command)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shell_reads_commands_unless_it_was_given_one() {
        for (line, expected) in [
            ("bash", true),
            ("-bash", true),
            ("/bin/bash --norc -i", true),
            ("zsh -l", true),
            ("bash script.sh", true),
            ("bash -c python3", false),
            ("bash --norc -ic ls", false),
            ("python3", false),
            ("vim bash", false),
            ("", false),
        ] {
            assert_eq!(is_shell(line.split(' ')), expected, "{line}");
        }
    }
}
