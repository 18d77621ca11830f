//! The files of a git directory that say what git runs there.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use crate::permission::command::GitConfig;
use crate::regular_file::RegularFile;

/// A configuration that is larger is not vouched for.
const MAX_CONFIG: u64 = 256 * 1024;
/// The one hook that commands run which only read: they write down what they found of files.
const HOOK: &str = "hooks/post-index-change";

pub(super) fn read_config(path: &Path) -> GitConfig {
    match path.metadata() {
        Ok(meta) if meta.len() > MAX_CONFIG => unknown("its configuration is very large"),
        Ok(_) => match RegularFile::open(path).and_then(|file| file.read_text(MAX_CONFIG)) {
            Ok(text) => GitConfig::Text(text),
            Err(error) => GitConfig::Unknown(format!("its configuration cannot be read: {error}")),
        },
        Err(_) => GitConfig::Text(String::new()),
    }
}

pub(super) fn unknown(why: &str) -> GitConfig {
    GitConfig::Unknown(why.to_owned())
}

pub(super) fn is_there(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}

pub(super) fn has_hook(git_dir: &Path) -> bool {
    let path = git_dir.join(HOOK);
    path.metadata()
        .is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
}
