//! Finds the shell that runs commands, and keeps it from reading the user's start files.

use std::ffi::{OsStr, OsString};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::program::is_executable;

/// A shell, and what stands before its command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shell {
    program: PathBuf,
    /// With the `-c`.
    flags: &'static [&'static str],
}

/// Why there is no shell.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ShellError {
    #[error("`bash.shell` names `{0}`, which is not an executable file; set it to a shell that is installed")]
    NotExecutable(String),
    #[error("`bash.shell` names `{0}`, which is not on PATH; give its absolute path")]
    NotOnPath(String),
    #[error("neither bash nor sh is on PATH; set `bash.shell` to the path of a shell")]
    None,
}

impl Shell {
    /// The configured shell, by its absolute path or its name on `path`; else bash, else sh.
    pub fn find(configured: Option<&str>, path: Option<&OsStr>) -> Result<Self, ShellError> {
        match configured {
            Some(name) if name.contains('/') => {
                let program = Path::new(name);
                let usable = program.is_absolute() && is_executable(program);
                usable
                    .then(|| Self::at(program))
                    .ok_or_else(|| ShellError::NotExecutable(name.into()))
            }
            Some(name) => on_path(name, path)
                .map(Self::at)
                .ok_or_else(|| ShellError::NotOnPath(name.into())),
            None => ["bash", "sh"]
                .into_iter()
                .find_map(|name| on_path(name, path))
                // Where PATH is empty there may be a shell all the same.
                .or_else(|| {
                    ["/bin/bash", "/bin/sh"]
                        .map(PathBuf::from)
                        .into_iter()
                        .find(|at| is_executable(at))
                })
                .map(Self::at)
                .ok_or(ShellError::None),
        }
    }

    /// The shell with this path, which is not checked.
    pub fn at(program: impl Into<PathBuf>) -> Self {
        let program = program.into();
        // bash and sh read nothing for `-c`; what `BASH_ENV` would add is kept out of the environment.
        let flags: &[&str] = match program.file_name().and_then(OsStr::to_str) {
            Some("zsh") => &["-f", "-c"],
            Some("fish") => &["--no-config", "-c"],
            _ => &["-c"],
        };
        Self { program, flags }
    }

    pub fn program(&self) -> &Path {
        &self.program
    }

    /// Returns true if this is `/bin/sh`, by which other programs start what is set for them, or cannot be looked at.
    pub fn is_of_system(&self) -> bool {
        let identity = |path: &Path| {
            let data = path.metadata().ok()?;
            Some((data.dev(), data.ino()))
        };
        let own = identity(&self.program);
        own.is_none() || own == identity(Path::new("/bin/sh"))
    }

    /// Returns the arguments with which the shell runs this command.
    pub fn arguments(&self, command: &str) -> Vec<OsString> {
        self.flags
            .iter()
            .copied()
            .chain([command])
            .map(OsString::from)
            .collect()
    }
}

fn on_path(name: &str, path: Option<&OsStr>) -> Option<PathBuf> {
    std::env::split_paths(path?)
        // A relative entry would make the shell depend on where the command runs.
        .filter(|directory| directory.is_absolute())
        .map(|directory| directory.join(name))
        .find(|program| is_executable(program))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    /// A directory with executable files of these names, and one that is not executable.
    fn programs(names: &[&str]) -> tempfile::TempDir {
        let directory = tempfile::tempdir().unwrap();
        for name in names {
            let file = directory.path().join(name);
            fs::write(&file, "#!/bin/sh\n").unwrap();
            fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
        }
        fs::write(directory.path().join("plain"), "").unwrap();
        directory
    }

    #[test]
    fn bash_is_taken_before_sh() {
        let both = programs(&["bash", "sh"]);
        let found = Shell::find(None, Some(both.path().as_os_str())).unwrap();
        assert_eq!(found.program(), both.path().join("bash"));

        let one = programs(&["sh"]);
        let found = Shell::find(None, Some(one.path().as_os_str())).unwrap();
        assert_eq!(found.program(), one.path().join("sh"));
    }

    #[test]
    fn the_configured_shell_is_taken_or_named_in_the_error() {
        let directory = programs(&["fish"]);
        let path = Some(directory.path().as_os_str());
        let file = directory.path().join("fish");
        let by_path = Shell::find(file.to_str(), None).unwrap();
        assert_eq!(Shell::find(Some("fish"), path), Ok(by_path.clone()));
        assert_eq!(by_path.arguments("echo x"), ["--no-config", "-c", "echo x"]);

        assert_eq!(
            Shell::find(Some("zsh"), path),
            Err(ShellError::NotOnPath("zsh".into()))
        );
        let plain = directory.path().join("plain");
        let plain = plain.to_str().unwrap();
        assert_eq!(
            Shell::find(Some(plain), path),
            Err(ShellError::NotExecutable(plain.into()))
        );
        assert_eq!(
            Shell::find(Some("./fish"), path),
            Err(ShellError::NotExecutable("./fish".into()))
        );
    }

    #[test]
    fn relative_entries_of_the_path_are_passed_over() {
        assert_eq!(on_path("sh", Some(OsStr::new(".:bin:"))), None);
    }
}
