//! The user's own excludes for all repositories: `core.excludesFile` of git's configuration, else `git/ignore`.

use std::env;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use regex::bytes::Regex;

use crate::regular_file::{MAX_BYTES, RegularFile};

/// Finds the setting without reading the whole configuration as git would, sections and all; ripgrep does the same.
static SETTING: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r#"(?im-u)^\s*excludesfile\s*=\s*"?\s*(\S+?)\s*"?\s*$"#).ok());

/// Returns the file with the user's excludes, which need not exist.
pub(super) fn path() -> Option<PathBuf> {
    let home = env::home_dir();
    let variable = |name: &str| {
        env::var_os(name)
            .filter(|value| !value.is_empty())
            .map(PathBuf::from)
    };
    let config = variable("XDG_CONFIG_HOME").or_else(|| Some(home.as_ref()?.join(".config")));
    let system = variable("GIT_CONFIG_SYSTEM").unwrap_or_else(|| PathBuf::from("/etc/gitconfig"));
    let places = [
        variable("GIT_CONFIG_GLOBAL"),
        home.as_ref().map(|home| home.join(".gitconfig")),
        config.as_ref().map(|config| config.join("git/config")),
        Some(system),
    ];
    let set = places
        .iter()
        .flatten()
        .find_map(|place| setting(place, home.as_deref()));
    set.or_else(|| Some(config?.join("git/ignore")))
}

fn setting(place: &Path, home: Option<&Path>) -> Option<PathBuf> {
    let text = RegularFile::open(place).ok()?.read(MAX_BYTES).ok()?;
    let found = SETTING.as_ref()?.captures(&text)?.get(1)?;
    let path = std::str::from_utf8(found.as_bytes()).ok()?;
    Some(match (path.strip_prefix("~/"), home) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => PathBuf::from(path),
    })
}
