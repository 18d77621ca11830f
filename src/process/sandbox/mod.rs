//! Confinement of a command by the kernel: what it may change, which programs it may start, what it may speak to.
//!
//! Restrictions of the kernel cannot be taken back and apply to whoever asks for them, so lathe's own threads never ask.
//! Everything that needs no namespace is asked for by a thread that starts the command and ends ([`Confinement::start`]):
//! Landlock and seccomp restrict one thread and what it starts. Where something is to be mounted, which the kernel allows to
//! processes with one thread only, lathe runs its own binary once more ([`WORD`]), which restricts itself in [`enter`]
//! and becomes the command.
//!
//! Landlock says where files may be changed and which may be executed, seccomp refuses sockets and, where a command only
//! reads, everything else that changes or watches; a mount namespace of the command's own keeps the rights and times of
//! files outside the writable places, and what lies below a writable place and must not change.
//!
//! Outside of its reach: it does not hide anything from reading, or prevent that a name is created that is read-only only once it
//! exists. Only Linux has it; elsewhere [`Confinement::check`] says so.

#[cfg(target_os = "linux")]
mod enter;
#[cfg(target_os = "linux")]
mod namespace;
#[cfg(target_os = "linux")]
mod programs;
#[cfg(target_os = "linux")]
mod seccomp;
mod support;

pub use support::Support;

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

/// The first word of lathe's command line that makes it enter a confinement.
pub const WORD: &str = "__sandbox";
/// The binary that runs, also when another one has taken its place on disk.
pub(super) const OURSELVES: &str = "/proc/self/exe";
/// The data that a command which only reads may have in memory: a search that follows a link to an endless device ends
/// there and not with the machine's memory.
pub(super) const READING_MEMORY: u64 = 2 << 30;

/// The limits of a command.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Confinement {
    /// Absolute; files may be changed there and below. What does not exist is passed over.
    pub writable: Vec<PathBuf>,
    /// Absolute, existing, below a writable place: not to be changed all the same.
    pub read_only: Vec<PathBuf>,
    /// Sockets of any kind, besides pairs that lead from the command to itself.
    pub network: bool,
    /// How rights, owners and times of files outside the writable places are kept.
    pub metadata: Metadata,
    /// Files that may be executed: absolute, and complete with the interpreters that they need. `None`: all.
    pub programs: Option<Vec<PathBuf>>,
    /// Bytes of data that it may have in memory. `None`: as many as lathe.
    pub memory: Option<u64>,
}

/// How rights, owners and times of files are kept, which Landlock knows nothing of.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Metadata {
    /// Not at all.
    #[default]
    Free,
    /// Outside the writable places everything is mounted read-only.
    Mounts,
    /// The calls that change them are refused, in writable places too.
    Refused,
}

impl Confinement {
    /// A command that only reads, and starts nothing but these programs: nothing of the file system changes but for what
    /// it writes to `scratch`, there are no sockets, and no other process is traced or signalled.
    ///
    /// Scripts among the programs may start their interpreter, which is looked for on `path` where it is named so.
    pub fn reading(programs: &[PathBuf], path: Option<&OsStr>, scratch: Option<PathBuf>) -> Self {
        #[cfg(target_os = "linux")]
        let programs = programs::with_interpreters(programs, path);
        #[cfg(not(target_os = "linux"))]
        let programs = {
            let _ = path;
            programs.to_vec()
        };
        Self {
            writable: scratch.into_iter().collect(),
            metadata: Metadata::Refused,
            programs: Some(programs),
            memory: Some(READING_MEMORY),
            ..Self::default()
        }
    }

    /// Returns true if the command only reads, as [`Self::reading`] makes it.
    pub fn is_reading(&self) -> bool {
        self.programs.is_some()
    }

    /// Starts something in this confinement: `start` runs in a thread that is restricted, with the program to start and
    /// its arguments.
    pub(super) fn start<T: Send>(
        &self,
        program: PathBuf,
        arguments: Vec<OsString>,
        start: impl FnOnce(PathBuf, Vec<OsString>) -> io::Result<T> + Send,
    ) -> io::Result<T> {
        if self.needs_namespace() || cfg!(not(target_os = "linux")) {
            let (program, arguments) = self.wrap(&program, arguments);
            return start(program, arguments);
        }
        std::thread::scope(|scope| {
            let restricted = scope.spawn(|| {
                #[cfg(target_os = "linux")]
                enter::restrict(self).map_err(io::Error::other)?;
                start(program, arguments)
            });
            restricted
                .join()
                .unwrap_or_else(|_| Err(io::Error::other("the thread that starts it panicked")))
        })
    }

    fn needs_namespace(&self) -> bool {
        !self.read_only.is_empty() || self.metadata == Metadata::Mounts
    }

    /// The program and the arguments that run a program with its arguments in this confinement.
    fn wrap(&self, program: &Path, arguments: Vec<OsString>) -> (PathBuf, Vec<OsString>) {
        let mut words = vec![WORD.into()];
        words.extend(self.arguments());
        words.push("--".into());
        words.push(program.into());
        words.extend(arguments);
        (OURSELVES.into(), words)
    }

    /// Checks that the system can enforce it; the error says why not, as a sentence's end. Takes a few milliseconds.
    pub fn check(&self) -> Result<(), String> {
        if !cfg!(target_os = "linux") {
            return Err("only Linux supports it".to_owned());
        }
        let tried = Command::new(OURSELVES)
            .arg(WORD)
            .args(self.arguments())
            .env_clear()
            .stdin(Stdio::null())
            .output()
            .map_err(|error| format!("lathe could not start itself: {error}"))?;
        if tried.status.success() {
            return Ok(());
        }
        let said = String::from_utf8_lossy(&tried.stderr);
        Err(said.trim().to_owned())
    }

    /// The confinement as words, for another process.
    pub(super) fn arguments(&self) -> Vec<OsString> {
        let mut words: Vec<OsString> = Vec::new();
        let places = [
            ("--write", Some(&self.writable)),
            ("--keep", Some(&self.read_only)),
            ("--run", self.programs.as_ref()),
        ];
        for (flag, paths) in places {
            words.extend(
                paths
                    .into_iter()
                    .flatten()
                    .flat_map(|path| [flag.into(), path.into()]),
            );
        }
        if self.programs.is_some() {
            words.push("--only".into());
        }
        if self.network {
            words.push("--network".into());
        }
        if let Some(bytes) = self.memory {
            words.extend(["--memory".into(), bytes.to_string().into()]);
        }
        match self.metadata {
            Metadata::Free => {}
            Metadata::Mounts => words.push("--mounts".into()),
            Metadata::Refused => words.push("--refuse".into()),
        }
        words
    }

    /// Reads what [`Self::arguments`] wrote, up to the command, which may be missing.
    #[cfg_attr(not(target_os = "linux"), allow(dead_code))]
    pub(super) fn read(words: impl IntoIterator<Item = OsString>) -> Result<(Self, Vec<OsString>), String> {
        let mut confinement = Self::default();
        let mut words = words.into_iter();
        let rest = loop {
            let Some(word) = words.next() else {
                break Vec::new();
            };
            let mut path = || words.next().map(PathBuf::from).ok_or("a path is missing");
            match word.to_str() {
                Some("--write") => confinement.writable.push(path()?),
                Some("--keep") => confinement.read_only.push(path()?),
                Some("--run") => confinement.programs.get_or_insert_default().push(path()?),
                Some("--only") => drop(confinement.programs.get_or_insert_default()),
                Some("--memory") => {
                    let bytes = words.next().and_then(|word| word.to_str()?.parse().ok());
                    confinement.memory = Some(bytes.ok_or("a number of bytes is missing")?);
                }
                Some("--network") => confinement.network = true,
                Some("--mounts") => confinement.metadata = Metadata::Mounts,
                Some("--refuse") => confinement.metadata = Metadata::Refused,
                Some("--") => break words.collect(),
                _ => return Err(format!("`{}` is not known", word.to_string_lossy())),
            }
        };
        Ok((confinement, rest))
    }
}

/// Restricts this process as the words say and becomes the command; comes back only when there is none or on failure.
#[cfg(target_os = "linux")]
pub fn run(words: impl IntoIterator<Item = OsString>) -> ExitCode {
    use std::io::Write;
    match enter::run(words) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            // Nobody reads it: then there is nobody to tell.
            let _ = writeln!(io::stderr(), "{why}");
            ExitCode::from(126)
        }
    }
}

#[cfg(not(target_os = "linux"))]
pub fn run(_: impl IntoIterator<Item = OsString>) -> ExitCode {
    ExitCode::from(126)
}

#[cfg(test)]
mod tests;
