//! The foreground of a terminal: the processes that get what is typed.
//!
//! All of it is the kernel's word. What a process calls itself (its first argument) says nothing, and a program is known
//! by the file that it runs, not by that file's name alone.

use std::path::{Path, PathBuf};

use super::waiting::InputReading;

/// Names of programs that run each line they read as a command.
const SHELLS: &[&str] = &[
    "ash", "bash", "busybox", "csh", "dash", "elvish", "fish", "ksh", "ksh93", "lksh", "loksh", "mksh", "nu",
    "oksh", "osh", "pdksh", "posh", "pwsh", "rbash", "rc", "sh", "tcsh", "toybox", "xonsh", "yash", "ysh",
    "zsh",
];

/// The processes in the foreground of a terminal, at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Foreground {
    /// At least one; those of the foreground group.
    pub processes: Vec<ForegroundProcess>,
    /// Input of the terminal that one of them waits for.
    pub reading: InputReading,
    /// No other process is in the terminal, to get what these leave unread.
    pub is_alone: bool,
}

/// A process in the foreground.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ForegroundProcess {
    pub pid: i32,
    /// Time of its start in ticks of the kernel: with the number it is one process for ever.
    pub started: u64,
    /// `None` where it may not be looked at: the process of another user.
    pub executable: Option<Executable>,
    /// The words that it was started with.
    pub words: Vec<String>,
    /// Its current directory; `None` where the system does not tell.
    pub directory: Option<PathBuf>,
    /// Number of times that it has gone to sleep.
    pub sleeps: u64,
}

/// The file that a process runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Executable {
    /// Links resolved.
    pub path: PathBuf,
    device: u64,
    inode: u64,
}

impl Executable {
    /// Returns the last part of its path.
    pub fn name(&self) -> &str {
        let name = self.path.file_name().and_then(std::ffi::OsStr::to_str);
        name.unwrap_or_default()
    }

    /// Returns a text that tells it from other files, also from one that takes its place.
    pub fn identity(&self) -> String {
        format!("{}\0{}:{}", self.path.display(), self.device, self.inode)
    }

    /// Returns true if a path leads to this very file.
    pub fn is_at(&self, path: &Path) -> bool {
        use std::os::unix::fs::MetadataExt;
        path.metadata()
            .is_ok_and(|data| (data.dev(), data.ino()) == (self.device, self.inode))
    }
}

impl ForegroundProcess {
    /// Returns true if it reads commands, or may do so: a shell that was not given its command, and a process that may
    /// not be looked at.
    pub fn is_shell(&self) -> bool {
        let Some(executable) = &self.executable else {
            return true;
        };
        self.runs_shell()
            && match command_source(&self.words) {
                CommandSource::Text => false,
                CommandSource::Script(path) => !self.runs_script(executable, path),
                CommandSource::Input => true,
            }
    }

    /// Returns true if its file is that of a shell, whatever it was started for.
    pub fn runs_shell(&self) -> bool {
        let name = self.executable.as_ref().map(Executable::name);
        name.is_some_and(|name| SHELLS.contains(&name))
    }

    /// Returns true if the word is a file with commands, rather than the terminal or the name of an applet.
    fn runs_script(&self, shell: &Executable, path: &str) -> bool {
        let file = self.directory.as_ref().map(|directory| directory.join(path));
        !matches!(shell.name(), "busybox" | "toybox")
            && file.is_some_and(|file| file.metadata().is_ok_and(|data| data.is_file()))
    }

    /// Returns true if both are one process.
    pub fn is_same_process(&self, other: &Self) -> bool {
        (self.pid, self.started) == (other.pid, other.started)
    }
}

/// Source of a shell's commands, by the arguments that it was started with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CommandSource<'a> {
    /// The text behind `-c`.
    Text,
    Script(&'a str),
    /// Its standard input, or a source that the arguments do not tell.
    Input,
}

/// Long options that take no value and leave the source of the commands as it is.
const PLAIN_OPTIONS: &[&str] = &[
    "--login",
    "--noediting",
    "--noprofile",
    "--norc",
    "--no-config",
    "--posix",
];
/// The same for short ones.
const PLAIN_LETTERS: &str = "abefhklmnptuvxBCEHPT";

fn command_source(words: &[String]) -> CommandSource<'_> {
    for word in words.iter().skip(1) {
        let Some(letters) = word.strip_prefix('-').filter(|_| !word.starts_with("--")) else {
            if PLAIN_OPTIONS.contains(&word.as_str()) {
                continue;
            }
            return if word.starts_with(['-', '+']) {
                CommandSource::Input
            } else {
                CommandSource::Script(word)
            };
        };
        let is_known = |letter: char| letter == 'c' || PLAIN_LETTERS.contains(letter);
        if letters.is_empty() || !letters.chars().all(is_known) {
            return CommandSource::Input;
        }
        if letters.contains('c') {
            return CommandSource::Text;
        }
    }
    CommandSource::Input
}

#[cfg(target_os = "linux")]
pub(super) use linux::foreground;

/// Nothing tells here.
#[cfg(not(target_os = "linux"))]
pub(super) fn foreground(
    _device: &super::device::PtyDevice,
    _processes: &super::process_list::ProcessList,
) -> Option<Foreground> {
    None
}

#[cfg(target_os = "linux")]
mod linux {
    use std::fs;
    use std::os::unix::fs::MetadataExt;
    use std::path::{Path, PathBuf};

    use super::super::device::PtyDevice;
    use super::super::ending::stat::ProcessStat;
    use super::super::process_list::ProcessList;
    use super::super::waiting;
    use super::{Executable, Foreground, ForegroundProcess};

    /// The foreground at this moment; `None` where there is none.
    pub(in crate::process::pty) fn foreground(
        device: &PtyDevice,
        processes: &ProcessList,
    ) -> Option<Foreground> {
        let group = device.foreground_group()?.as_raw_nonzero().get();
        let members: Vec<&ProcessStat> = processes
            .all()
            .iter()
            .filter(|process| process.group == group && !process.is_dead())
            .collect();
        if members.is_empty() {
            return None;
        }
        Some(Foreground {
            reading: waiting::reading(device, processes),
            is_alone: processes.all().iter().all(|process| {
                process.group == group || process.is_dead() || !process.is_in(device.number())
            }),
            processes: members.into_iter().map(look_at).collect(),
        })
    }

    fn look_at(stat: &ProcessStat) -> ForegroundProcess {
        let process = format!("/proc/{}", stat.pid);
        let process = Path::new(&process);
        let line = fs::read(process.join("cmdline")).unwrap_or_default();
        let words = String::from_utf8_lossy(&line);
        ForegroundProcess {
            pid: stat.pid,
            started: stat.started,
            executable: executable(&process.join("exe")),
            words: words.split_terminator('\0').map(str::to_owned).collect(),
            directory: fs::read_link(process.join("cwd")).ok(),
            sleeps: sleeps(&fs::read_to_string(process.join("status")).unwrap_or_default()),
        }
    }

    fn executable(link: &Path) -> Option<Executable> {
        let path = fs::read_link(link).ok()?;
        // The kernel's word for a file that was replaced or removed since.
        let path = path
            .to_str()
            .and_then(|path| path.strip_suffix(" (deleted)"))
            .map_or(path.clone(), PathBuf::from);
        // Of the file that runs, whatever has its path by now.
        let data = fs::metadata(link).ok()?;
        Some(Executable {
            path,
            device: data.dev(),
            inode: data.ino(),
        })
    }

    fn sleeps(status: &str) -> u64 {
        let line = status
            .lines()
            .find_map(|line| line.strip_prefix("voluntary_ctxt_switches:"));
        line.and_then(|count| count.trim().parse().ok()).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn process(executable: &str, line: &str, directory: &Path) -> ForegroundProcess {
        ForegroundProcess {
            pid: 1,
            started: 1,
            executable: Some(Executable {
                path: executable.into(),
                device: 1,
                inode: 1,
            }),
            words: line.split(' ').map(str::to_owned).collect(),
            directory: Some(directory.to_owned()),
            sleeps: 0,
        }
    }

    #[test]
    fn a_shell_is_known_by_its_file_and_reads_commands_unless_it_was_given_one() {
        let directory = tempfile::tempdir().unwrap();
        std::fs::write(directory.path().join("script.sh"), "").unwrap();
        for (executable, line, expected) in [
            ("/usr/bin/bash", "bash", true),
            ("/usr/bin/bash", "less", true),
            ("/usr/bin/bash", "/bin/bash --norc -i", true),
            ("/usr/bin/zsh", "-zsh -l", true),
            ("/usr/bin/bash", "bash script.sh", false),
            ("/usr/bin/bash", "bash -eu script.sh", false),
            ("/usr/bin/bash", "bash missing.sh", true),
            ("/usr/bin/bash", "bash -i script.sh", true),
            ("/usr/bin/bash", "bash --rcfile script.sh", true),
            ("/usr/bin/bash", "bash --rcfile -c", true),
            ("/usr/bin/bash", "bash -o -c", true),
            ("/usr/bin/busybox", "busybox script.sh", true),
            ("/usr/bin/bash", "bash /dev/tty", true),
            ("/usr/bin/bash", "bash /dev/stdin", true),
            ("/usr/bin/bash", "bash -c python3", false),
            ("/usr/bin/dash", "sh -c less", false),
            ("/usr/bin/bash", "bash --norc -ic ls", true),
            ("/usr/bin/zsh", "zsh -o x -c ls", true),
            ("/usr/bin/bash", "bash -s -c", true),
            ("/usr/bin/python3", "bash", false),
            ("/usr/bin/vim", "vim bash", false),
        ] {
            assert_eq!(
                process(executable, line, directory.path()).is_shell(),
                expected,
                "{line}"
            );
        }
        let hidden = ForegroundProcess {
            executable: None,
            ..process("", "su", directory.path())
        };
        assert!(hidden.is_shell());
    }
}
