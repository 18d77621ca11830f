//! Lathe's own directories.
//!
//! Finding them touches nothing: no directory is created and none is looked at.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::{ConfigError, Problem};

/// Lathe's own directories. All paths are absolute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dirs {
    /// The global configuration, agents, skills, themes.
    pub config: PathBuf,
    /// Database, tool outputs, journal, secrets.
    pub data: PathBuf,
    /// Logs and prompt history.
    pub state: PathBuf,
    /// Directory of files that can be rebuilt.
    pub cache: PathBuf,
    /// Directory of the machine's administrator; no variable of the environment changes it.
    pub system: PathBuf,
    /// The user's home directory, if there is one.
    pub home: Option<PathBuf>,
}

#[cfg(target_os = "macos")]
const SYSTEM: &str = "/Library/Application Support/lathe";
#[cfg(windows)]
const SYSTEM: &str = r"C:\ProgramData\lathe";
#[cfg(not(any(target_os = "macos", windows)))]
const SYSTEM: &str = "/etc/lathe";

impl Dirs {
    /// Takes `LATHE_CONFIG_DIR` and its siblings, else the platform's directories.
    pub fn from_env() -> Result<Self, ConfigError> {
        Self::from_variables(|name| std::env::var_os(name))
    }

    /// All directories below one, for tests and throw-away sessions.
    pub fn below(root: &Path) -> Self {
        Self {
            config: root.join("config"),
            data: root.join("data"),
            state: root.join("state"),
            cache: root.join("cache"),
            system: root.join("system"),
            home: Some(root.join("home")),
        }
    }

    fn from_variables(variable: impl Fn(&str) -> Option<OsString>) -> Result<Self, ConfigError> {
        let base = directories::BaseDirs::new();
        let base = base.as_ref();
        let pick = |name: &str, platform: Option<&Path>| {
            let given = variable(name)
                .filter(|value| !value.is_empty())
                .map(PathBuf::from);
            let chosen = given.or_else(|| platform.map(|dir| dir.join("lathe")));
            let problem =
                || Problem::general(format!("there is no home directory; set `{name}` to a directory"));
            let chosen = chosen.ok_or_else(problem)?;
            std::path::absolute(&chosen)
                .map_err(|error| Problem::general(format!("`{name}` cannot be made absolute: {error}")))
        };
        Ok(Self {
            config: pick("LATHE_CONFIG_DIR", base.map(directories::BaseDirs::config_dir))?,
            data: pick("LATHE_DATA_DIR", base.map(directories::BaseDirs::data_dir))?,
            // Only Linux knows a state directory; elsewhere the data directory holds it.
            state: pick(
                "LATHE_STATE_DIR",
                base.map(|base| base.state_dir().unwrap_or_else(|| base.data_local_dir())),
            )?,
            cache: pick("LATHE_CACHE_DIR", base.map(directories::BaseDirs::cache_dir))?,
            system: PathBuf::from(SYSTEM),
            home: base.map(|base| base.home_dir().to_path_buf()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variable_wins_over_the_platform() {
        let dirs = Dirs::from_variables(|name| (name == "LATHE_DATA_DIR").then(|| "/somewhere/data".into()));
        let dirs = dirs.unwrap();
        assert_eq!(dirs.data, Path::new("/somewhere/data"));
        assert!(dirs.config.ends_with("lathe"), "{dirs:?}");
    }

    #[test]
    fn a_relative_variable_becomes_absolute_and_an_empty_one_counts_as_unset() {
        let dirs = Dirs::from_variables(|name| match name {
            "LATHE_CONFIG_DIR" => Some("here".into()),
            _ => Some("".into()),
        })
        .unwrap();
        assert!(
            dirs.config.is_absolute() && dirs.config.ends_with("here"),
            "{dirs:?}"
        );
        assert!(dirs.cache.ends_with("lathe"), "{dirs:?}");
    }
}
