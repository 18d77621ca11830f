//! A call that only reads, with what could start programs taken out of its environment.

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use crate::process::git::{Drivers, Submodules, disarmed};
use crate::process::{Shell, ShellCommand};
use crate::regular_file::RegularFile;
use crate::tool::command_asks::ReadsOnly;

/// Files of attributes that name filters are shorter, and what is longer is not looked at.
const MAX_ATTRIBUTES: u64 = 256 * 1024;
/// Commands of git that compare files of the work tree, whose bytes a filter would change.
const COMPARING: [&str; 3] = ["status", "diff", "stash"];

/// Takes what could start programs out of the environment. The note says which filters of git were left out, when files
/// may show as modified for it.
pub(super) async fn disarm(command: &mut ShellCommand, reads_only: &ReadsOnly) -> Option<String> {
    // It can name options that nobody has judged.
    command
        .environment
        .retain(|(name, _)| name != "RIPGREP_CONFIG_PATH");
    if !reads_only.runs_git {
        return None;
    }
    let is_git = |program: &&std::path::PathBuf| program.file_name().is_some_and(|name| name == "git");
    let drivers = match reads_only.programs.iter().find(is_git) {
        Some(git) => Drivers::of(git, &command.cwd, &command.environment).await,
        None => Drivers::default(),
    };
    // Git starts what a submodule names by `/bin/sh`: where that is the shell that may run, it would.
    let submodules = if command.confinement.is_some() && !is_system_shell(&command.shell) {
        Submodules::Read
    } else {
        Submodules::Skip
    };
    let environment: Vec<(OsString, OsString)> = std::mem::take(&mut command.environment);
    command.environment = disarmed(environment, &drivers, submodules);
    let is_comparing = COMPARING.iter().any(|name| command.command.contains(name));
    let used = used_filters(&command.cwd, &drivers);
    (is_comparing && !used.is_empty()).then(|| {
        let names = used.join(", ");
        format!("[filters off: files with the filter {names} may show as modified]")
    })
}

fn is_system_shell(shell: &Shell) -> bool {
    let identity = |path: &Path| {
        let data = fs::metadata(path).ok()?;
        Some((data.dev(), data.ino()))
    };
    let shell = identity(shell.program());
    shell.is_none() || shell == identity(Path::new("/bin/sh"))
}

/// The filters that the attributes of the repository name, as far as its own files at the top do.
fn used_filters(directory: &Path, drivers: &Drivers) -> Vec<String> {
    let filters = drivers.filters();
    if filters.is_empty() {
        return Vec::new();
    }
    let mut named = Vec::new();
    for above in directory.ancestors() {
        for file in [".gitattributes", ".git/info/attributes"] {
            let text = attributes(&above.join(file)).unwrap_or_default();
            let words = text.split_ascii_whitespace();
            let names = words.filter_map(|word| word.strip_prefix("filter="));
            named.extend(names.map(str::to_owned));
        }
        if above.join(".git").exists() {
            break;
        }
    }
    named.sort_unstable();
    named.dedup();
    named.retain(|name| filters.contains(name.as_str()));
    named
}

fn attributes(file: &Path) -> Option<String> {
    let bytes = RegularFile::open(file).ok()?.read(MAX_ATTRIBUTES).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}
