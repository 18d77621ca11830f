//! Confinement of a command by the kernel: where it may write, and whether there is a network.
//!
//! Restrictions of the kernel cannot be taken back and apply to whoever asks for them, so lathe never asks for itself:
//! it runs its own binary once more ([`WORD`]), which restricts itself in [`enter`] and becomes the command. Landlock
//! says where files may be changed, seccomp refuses sockets that lead out of the machine, and what lies below a writable
//! place and must not change is mounted read-only in a mount namespace of the command's own.
//!
//! What this does not do: hide anything from reading, keep `chmod` off files of the user, or prevent that a name is
//! created that is read-only only once it exists. Only Linux has it; elsewhere [`Confinement::check`] says so.

#[cfg(target_os = "linux")]
mod enter;
#[cfg(target_os = "linux")]
mod namespace;
mod support;

pub use support::Support;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

/// The first word of lathe's command line that makes it enter a confinement.
pub const WORD: &str = "__sandbox";
/// The binary that runs, also when another one has taken its place on disk.
const OURSELVES: &str = "/proc/self/exe";

/// What a command may do.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Confinement {
    /// Absolute; files may be changed there and below. What does not exist is passed over.
    pub writable: Vec<PathBuf>,
    /// Absolute, existing, below a writable place: not to be changed all the same.
    pub read_only: Vec<PathBuf>,
    /// Sockets other than those of the local machine's file system.
    pub network: bool,
}

impl Confinement {
    /// The program and the arguments that run a program with its arguments in this confinement.
    pub fn wrap(&self, program: &Path, arguments: Vec<OsString>) -> (PathBuf, Vec<OsString>) {
        let mut words = self.words();
        words.push("--".into());
        words.push(program.into());
        words.extend(arguments);
        (OURSELVES.into(), words)
    }

    /// Whether the system can enforce it, else why not, as a sentence's end. Takes a few milliseconds.
    pub fn check(&self) -> Result<(), String> {
        if !cfg!(target_os = "linux") {
            return Err("only Linux has it".to_owned());
        }
        let tried = Command::new(OURSELVES)
            .args(self.words())
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

    fn words(&self) -> Vec<OsString> {
        let mut words: Vec<OsString> = vec![WORD.into()];
        for (flag, paths) in [("--write", &self.writable), ("--keep", &self.read_only)] {
            words.extend(paths.iter().flat_map(|path| [flag.into(), path.into()]));
        }
        if self.network {
            words.push("--network".into());
        }
        words
    }

    /// Reads what [`Self::words`] wrote, without the first, up to the command, which may be missing.
    #[cfg_attr(not(target_os = "linux"), allow(dead_code))]
    fn read(words: impl IntoIterator<Item = OsString>) -> Result<(Self, Vec<OsString>), String> {
        let mut confinement = Self::default();
        let mut words = words.into_iter();
        while let Some(word) = words.next() {
            let mut path = || words.next().map(PathBuf::from).ok_or("a path is missing");
            match word.to_str() {
                Some("--write") => confinement.writable.push(path()?),
                Some("--keep") => confinement.read_only.push(path()?),
                Some("--network") => confinement.network = true,
                Some("--") => return Ok((confinement, words.collect())),
                _ => return Err(format!("`{}` is not known", word.to_string_lossy())),
            }
        }
        Ok((confinement, Vec::new()))
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
            let _ = writeln!(std::io::stderr(), "{why}");
            ExitCode::from(126)
        }
    }
}

#[cfg(not(target_os = "linux"))]
pub fn run(_: impl IntoIterator<Item = OsString>) -> ExitCode {
    ExitCode::from(126)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_again() {
        let confinement = Confinement {
            writable: vec!["/a b".into(), "--network".into()],
            read_only: vec!["/a b/.git".into()],
            network: true,
        };
        let (program, words) = confinement.wrap(Path::new("/bin/sh"), vec!["-c".into(), "--".into()]);
        assert_eq!(program, Path::new(OURSELVES));
        assert_eq!(words[0], WORD);
        let (read, command) = Confinement::read(words.into_iter().skip(1)).unwrap();
        assert_eq!(read, confinement);
        assert_eq!(command, ["/bin/sh", "-c", "--"]);
    }

    #[test]
    fn words_that_are_not_known_confine_nothing() {
        let read = |words: &[&str]| Confinement::read(words.iter().map(OsString::from));
        assert_eq!(read(&["--writ", "/"]).unwrap_err(), "`--writ` is not known");
        assert_eq!(read(&["--write"]).unwrap_err(), "a path is missing");
        assert_eq!(read(&[]).unwrap(), (Confinement::default(), Vec::new()));
    }
}
