//! Who gets what is typed into a terminal: a shell at its prompt whose grammar lathe knows, another one, or a program.
//!
//! Known is what the kernel says: the file that a process runs, and whether it waits for input. Whatever cannot be told
//! counts as a shell whose commands nobody here can judge.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::TerminalSession;
use crate::process::find_program;
use crate::process::pty::{Executable, Foreground, ForegroundProcess, InputReading};
use crate::tool::SessionServices;

/// Recipient of what is typed.
#[derive(Debug, Clone)]
pub enum Recipient {
    /// A shell that waits at its prompt for a command.
    Prompt(ShellPrompt),
    /// A shell whose commands cannot be judged, or nobody knows what; with its name.
    Shell(String),
    Program(TypedProgram),
}

/// A shell at its prompt.
#[derive(Debug, Clone)]
pub struct ShellPrompt {
    pub grammar: ShellGrammar,
    pub process: ForegroundProcess,
}

/// Grammar by which a shell reads commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShellGrammar {
    Bash,
    /// Less than bash: what both read alike can be judged.
    Dash,
}

/// A program that is no shell.
#[derive(Debug, Clone)]
pub struct TypedProgram {
    pub name: String,
    /// Its processes, each by its file and its words.
    pub identities: BTreeSet<String>,
    pub reading: InputReading,
    /// Another program may get what it leaves unread.
    pub has_successor: bool,
    /// One of its files lies where a model may have put it, under whatever name: it may be a shell.
    pub is_unfamiliar: bool,
    /// Keys that run nothing in it.
    pub harmless_keys: &'static [&'static str],
}

/// Directories of shells that need not be on the PATH.
const SHELL_DIRECTORIES: &[&str] = &["/bin", "/usr/bin", "/usr/local/bin"];

/// Directories in which everybody may make files.
const TEMPORARY: &[&str] = &["/tmp", "/var/tmp", "/dev/shm"];

/// Programs in which these keys run nothing, whatever was typed before: no key here ends a line.
const VIEWERS: &[(&str, &[&str])] = &[
    (
        "less",
        &[
            "Up", "Down", "Left", "Right", "Home", "End", "PageUp", "PgUp", "PPage", "PageDown", "PgDn",
            "NPage", "Space", " ", "b", "d", "f", "g", "G", "j", "k", "n", "N", "q", "u",
        ],
    ),
    ("more", &["Space", " ", "b", "d", "f", "j", "k", "q"]),
    (
        "top",
        &[
            "Up", "Down", "Left", "Right", "Home", "End", "PageUp", "PageDown", "Space", " ", "q",
        ],
    ),
    (
        "htop",
        &[
            "Up", "Down", "Left", "Right", "Home", "End", "PageUp", "PageDown", "q",
        ],
    ),
    ("watch", &["Space", " ", "q"]),
    ("entr", &["Space", " ", "q"]),
    ("bacon", &["Up", "Down", "Home", "End", "PageUp", "PageDown", "q"]),
];
/// Programs that wait for a viewer that they have started, and take no keys meanwhile.
const STARTERS: &[&str] = &["cat", "git", "man"];

impl TerminalSession {
    /// Returns who gets what is typed at this moment. Looks at processes and files.
    pub(in crate::tool) fn recipient(&self, services: &SessionServices) -> Recipient {
        match self.terminal.foreground() {
            Some(foreground) => recipient(&foreground, services),
            None => Recipient::Shell("an unknown program".to_owned()),
        }
    }
}

impl Recipient {
    /// Returns true if it waits for input, so that what is typed now is for it and nobody else, or if waiting for that is of
    /// no use: no prompt of its will be known.
    pub(in crate::tool) fn is_waiting(&self) -> bool {
        match self {
            Self::Prompt(_) => true,
            Self::Shell(name) => !matches!(name.as_str(), "bash" | "dash"),
            Self::Program(program) => program.reading != InputReading::Nothing,
        }
    }
}

impl ShellPrompt {
    /// Returns the shell's file as what is granted for it is bound to.
    pub(in crate::tool) fn identity(&self) -> String {
        let path = self.process.executable.as_ref().map(|file| file.path.as_path());
        path.unwrap_or(Path::new("")).to_string_lossy().into_owned()
    }

    pub(in crate::tool) fn directory(&self) -> Option<&PathBuf> {
        self.process.directory.as_ref()
    }
}

fn recipient(foreground: &Foreground, services: &SessionServices) -> Recipient {
    let processes = &foreground.processes;
    if let Some(shell) = processes.iter().find(|process| process.is_shell()) {
        return match (processes.as_slice(), grammar(shell, services)) {
            ([_], Some(grammar)) if is_at_prompt(grammar, foreground.reading) => {
                Recipient::Prompt(ShellPrompt {
                    grammar,
                    process: shell.clone(),
                })
            }
            _ => Recipient::Shell(name(shell)),
        };
    }
    Recipient::Program(TypedProgram {
        // The first of a group is what was started.
        name: processes.first().map(name).unwrap_or_default(),
        identities: processes.iter().map(identity).collect(),
        reading: foreground.reading,
        has_successor: !foreground.is_alone || processes.iter().any(ForegroundProcess::runs_shell),
        is_unfamiliar: processes.iter().any(|process| is_unfamiliar(process, services)),
        harmless_keys: harmless_keys(processes, services),
    })
}

/// Returns true for a file in the project or in a directory of temporary files.
fn is_unfamiliar(process: &ForegroundProcess, services: &SessionServices) -> bool {
    let temporary = services.variable("TMPDIR").map(Path::new);
    let places = TEMPORARY.iter().map(Path::new).chain(temporary);
    let places = places.chain([services.roots.project_root(), services.roots.session_dir()]);
    let file = process.executable.as_ref();
    file.is_none_or(|file| places.into_iter().any(|place| file.path.starts_with(place)))
}

/// Bash reads keys and edits its line itself, unless it was told not to.
fn is_at_prompt(grammar: ShellGrammar, reading: InputReading) -> bool {
    match grammar {
        ShellGrammar::Bash => reading != InputReading::Nothing,
        ShellGrammar::Dash => reading == InputReading::Lines,
    }
}

fn name(process: &ForegroundProcess) -> String {
    match &process.executable {
        Some(executable) => executable.name().to_owned(),
        None => "a program that cannot be looked at".to_owned(),
    }
}

fn identity(process: &ForegroundProcess) -> String {
    let file = process.executable.as_ref().map(Executable::identity);
    format!("{}\0{}", file.unwrap_or_default(), process.words.join("\0"))
}

fn grammar(shell: &ForegroundProcess, services: &SessionServices) -> Option<ShellGrammar> {
    let executable = shell.executable.as_ref()?;
    let grammar = match executable.name() {
        "bash" => ShellGrammar::Bash,
        "dash" => ShellGrammar::Dash,
        _ => return None,
    };
    let is_real = is_program_of_system(executable, services)
        || !executable.path.starts_with(services.roots.project_root())
            && SHELL_DIRECTORIES
                .iter()
                .any(|directory| executable.is_at(&Path::new(directory).join(executable.name())));
    is_real.then_some(grammar)
}

/// Returns true if the file is what its name leads to in the session's environment, outside of the project.
fn is_program_of_system(executable: &Executable, services: &SessionServices) -> bool {
    let path = services.variable("PATH").unwrap_or_default();
    let found = find_program(executable.name(), path, services.roots.project_root());
    found.is_some_and(|found| executable.is_at(&found))
}

/// The keys that run nothing in a group of processes: those of its one viewer, where the others only wait for it.
fn harmless_keys(processes: &[ForegroundProcess], services: &SessionServices) -> &'static [&'static str] {
    let mut keys: &[&str] = &[];
    for process in processes {
        let Some(executable) = &process.executable else {
            return &[];
        };
        // A shell among them was given its command.
        let waits = STARTERS.contains(&executable.name()) || grammar(process, services).is_some();
        let viewer = VIEWERS.iter().find(|(name, _)| *name == executable.name());
        match viewer.filter(|_| is_program_of_system(executable, services)) {
            Some((_, of_viewer)) if keys.is_empty() => keys = of_viewer,
            None if waits => {}
            _ => return &[],
        }
    }
    keys
}
